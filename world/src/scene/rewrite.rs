//! A scene's text with one template changed in it, and every other byte as it was.

use super::json::{self, Member};
use crate::config::{Config, Value};
use std::ops::Range;
use thiserror::Error;

/// Why a template cannot be changed in a text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RewriteError {
    /// The text is no scene.
    #[error("the file cannot be read as a scene: {0}; mend it first")]
    NotAScene(String),
    /// The text has no such template.
    #[error(
        "the file has no template {0:?}; somebody took it out, so save the world under another name instead"
    )]
    NoTemplate(String),
}

/// The text of a scene in which the template `name` has the keys of `config`: values that are the same stay as they
/// are written, others are replaced, new keys come last, and keys that `config` lacks are taken out. A `class` stays
/// whatever `config` says. Everything else in the text stays byte for byte.
///
/// # Errors
/// If the text is no scene or has no such template.
///
/// ```
/// use vivarium_world::{Config, rewrite_template};
///
/// let text = r##"{ "templates": { "oak": { "height": 3,  "bark": "#503010" } }, "entities": [] }"##;
/// let config = Config::from_iter([("height", 4.5.into()), ("bark", vivarium_world::Value::from("#503010"))]);
/// let written = rewrite_template(text, "oak", &config)?;
/// assert_eq!(written, text.replace("3,", "4.5,"));
/// # Ok::<(), vivarium_world::RewriteError>(())
/// ```
pub fn rewrite_template(text: &str, name: &str, config: &Config<'_>) -> Result<String, RewriteError> {
    let template = find_template(text, name)?;
    let object = &text[template.clone()];
    let rewritten = rewrite_object(object, &members(object)?, config);
    Ok(format!("{}{rewritten}{}", &text[..template.start], &text[template.end..]))
}

/// What the text of a scene says of the template `name`, without its class.
///
/// # Errors
/// If the text is no scene or has no such template.
pub fn template_in(text: &str, name: &str) -> Result<Config<'static>, RewriteError> {
    let object = &text[find_template(text, name)?];
    let config: Result<Config<'_>, _> = serde_json::from_str(object);
    let mut config = config.map_err(|error| RewriteError::NotAScene(json::message(&error)))?.into_owned();
    config.remove("class");
    Ok(config)
}

/// Where the object of a template stands.
fn find_template(text: &str, name: &str) -> Result<Range<usize>, RewriteError> {
    let find = |members: Vec<Member<'_>>, key: &str| {
        // Of a key that stands twice a load tells; it is not read here.
        members.into_iter().find(|member| member.key == key).map(|member| range_of(text, member.value.get()))
    };
    let missing = || RewriteError::NoTemplate(name.to_owned());
    let templates = find(members(text)?, "templates").ok_or_else(missing)?;
    let template = find(members(&text[templates])?, name).ok_or_else(missing)?;
    // It has to be an object.
    members(&text[template.clone()]).map(|_| template)
}

fn members(json: &str) -> Result<Vec<Member<'_>>, RewriteError> {
    json::members(json).map_err(|error| RewriteError::NotAScene(json::message(&error)))
}

/// An object with the keys of `config`, written as it is.
fn rewrite_object(object: &str, members: &[Member<'_>], config: &Config<'_>) -> String {
    let stays = |key: &str| key == "class" || config.has(key);
    let mut out = String::with_capacity(object.len());
    // The end of what was taken over, and whether a key was.
    let (mut at, mut any) = (0, false);
    let starts: Vec<usize> = members.iter().map(|member| range_of(object, member.written).start).collect();
    for (place, member) in members.iter().enumerate() {
        let value = range_of(object, member.value.get());
        if !stays(&member.key) {
            if any {
                // With the comma before it.
                at = value.end;
            } else {
                // With what stands between it and the next key.
                let next = starts.get(place + 1).copied();
                out.push_str(&object[at..starts[place]]);
                at = next.unwrap_or(value.end);
            }
            continue;
        }
        out.push_str(&object[at..value.start]);
        let same = |written: &Value<'_>| config.get(&member.key).is_none_or(|value| is_same(value, written));
        match serde_json::from_str::<Value<'_>>(member.value.get()) {
            Ok(written) if same(&written) => out.push_str(member.value.get()),
            _ => out.push_str(&config.get(&member.key).map_or_else(String::new, written_value)),
        }
        (at, any) = (value.end, true);
    }
    let new = config.iter().filter(|(key, _)| !members.iter().any(|member| member.key == *key));
    let (before, between, colon) = style(object, members);
    for (key, value) in new {
        match (any, members.is_empty()) {
            (true, _) => out.push_str(&between),
            (false, true) => {
                out.push_str("{ ");
                at = object.len() - 1;
            }
            // All keys were taken out, and what stands before the first is there.
            (false, false) if out.is_empty() => out.push_str(&before),
            (false, false) => {}
        }
        let key = serde_json::to_string(key).unwrap_or_default();
        out.push_str(&format!("{key}{colon}{}", written_value(value)));
        any = true;
    }
    if members.is_empty() {
        match any {
            true => out.push_str(" }"),
            false => out.push_str(object),
        }
    } else {
        out.push_str(&object[at..]);
    }
    out
}

/// How an object is written: what stands before its first key, between a value and the next key, and between key and
/// value.
fn style(object: &str, members: &[Member<'_>]) -> (String, String, String) {
    let start = |member: &Member<'_>| range_of(object, member.written).start;
    let end = |member: &Member<'_>| range_of(object, member.value.get()).end;
    let before = members.first().map_or("{ ", |first| &object[..start(first)]);
    let between = match members {
        [.., one, last] => object[end(one)..start(last)].to_owned(),
        [_] if before.contains('\n') => format!(",{}", &before[1..]),
        _ => ", ".to_owned(),
    };
    let colon = members.last().map_or(": ", |last| {
        let key = range_of(object, last.written).end;
        &object[key..range_of(object, last.value.get()).start]
    });
    (before.to_owned(), between, colon.to_owned())
}

/// Whether a text says this value already.
fn is_same(value: &Value<'_>, written: &Value<'_>) -> bool {
    match (value, written) {
        (Value::Single(n), _) => written.as_f64().is_some_and(|written| written as f32 == *n),
        _ => value == written || value.as_f64().is_some_and(|n| written.as_f64() == Some(n)),
    }
}

fn written_value(value: &Value<'_>) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Where a slice of a text stands in it.
fn range_of(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "{\n  \"vivarium\": 1, \"name\": \"ß\",\n  \"templates\": {\n    \"oak\": { \"class\": \"tree\",  \
                         \"x\": 1.0, \"bark\" : \"#503010\" , \"tall\": true },\n    \"elm\": {}, \"x\": {\n      \"x\": 1\n    }\n  },\n  \
                         \"entities\": [ { \"type\": \"oak\", \"x\": 5 } ] }\n\n";

    fn rewritten(name: &str, config: &str) -> String {
        let config: Config<'_> = serde_json::from_str(config).unwrap();
        let text = rewrite_template(SCENE, name, &config).unwrap();
        // Whatever was done, it says what it is to say.
        let document = crate::scene::Document::parse("scene.json", &text).unwrap();
        let template = document.header().templates.iter().find(|template| template.name == name).unwrap();
        let mut said = template.config.clone();
        said.remove("class");
        assert_eq!(said.len(), config.len(), "{text}");
        for (key, value) in config.iter() {
            assert!(is_same(value, said.get(key).unwrap()), "{key} in {text}");
        }
        text
    }

    /// What stands in the text in the place of `of`.
    fn instead(text: &str, of: &str) -> String {
        let at = SCENE.find(of).unwrap();
        let behind = &SCENE[at + of.len()..];
        assert!(text.starts_with(&SCENE[..at]) && text.ends_with(behind), "{text}");
        text[at..text.len() - behind.len()].to_owned()
    }

    #[test]
    fn a_template_that_says_the_same_stays_byte_for_byte() {
        assert_eq!(rewritten("oak", r##"{"tall":true,"bark":"#503010","x":1}"##), SCENE);
        assert_eq!(rewritten("elm", "{}"), SCENE);
    }

    #[test]
    fn only_the_value_that_changed_is_written_anew() {
        let text = rewritten("oak", r##"{"x":2.5,"bark":"#503010","tall":true}"##);
        assert_eq!(instead(&text, "1.0"), "2.5");
        let text = rewritten("oak", r##"{"x":1,"bark":"#ffffff","tall":true}"##);
        assert_eq!(instead(&text, "\"#503010\""), "\"#ffffff\"");
    }

    #[test]
    fn new_keys_come_last_as_the_others_are_written() {
        let text = rewritten("oak", r##"{"x":1,"bark":"#503010","tall":true,"n":[1,2],"m":null}"##);
        assert_eq!(instead(&text, "true"), "true , \"n\": [1,2] , \"m\": null");
        assert_eq!(instead(&rewritten("elm", r#"{"a":1,"b":2}"#), "{}"), r#"{ "a": 1, "b": 2 }"#);
        assert_eq!(instead(&rewritten("x", r#"{"x":1,"y":2}"#), "\"x\": 1\n"), "\"x\": 1,\n      \"y\": 2\n");
    }

    #[test]
    fn keys_are_taken_out_with_their_comma() {
        let text = rewritten("oak", r##"{"x":1,"tall":true}"##);
        assert_eq!(instead(&text, ", \"bark\" : \"#503010\""), "");
        let text = rewritten("oak", r##"{"x":1,"bark":"#503010"}"##);
        assert_eq!(instead(&text, " , \"tall\": true"), "");
        assert_eq!(
            instead(&rewritten("oak", "{}"), ",  \"x\": 1.0, \"bark\" : \"#503010\" , \"tall\": true"),
            ""
        );
        assert_eq!(instead(&rewritten("x", "{}"), "\"x\": 1\n    }"), "\n    }");
        assert_eq!(instead(&rewritten("x", r#"{"y":2}"#), "\"x\": 1\n    }"), "\"y\": 2\n    }");
    }

    #[test]
    fn a_template_is_read_from_a_text_without_its_class() {
        let config = template_in(SCENE, "oak").unwrap();
        assert_eq!(serde_json::to_string(&config).unwrap(), r##"{"x":1.0,"bark":"#503010","tall":true}"##);
    }

    #[test]
    fn what_is_no_scene_or_has_no_such_template_is_an_error() {
        let config = Config::new();
        for text in ["", "[]", "{\"templates\": 3}", "{\"templates\": {\"oak\": 3}}"] {
            let error = rewrite_template(text, "oak", &config).unwrap_err();
            assert!(matches!(error, RewriteError::NotAScene(_)), "{text:?}: {error}");
        }
        for text in ["{}", "{\"templates\": {}}"] {
            assert_eq!(rewrite_template(text, "oak", &config), Err(RewriteError::NoTemplate("oak".into())));
        }
    }
}
