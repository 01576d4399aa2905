//! What could stand at the caret.

use super::names::Names;
use super::token::{Comparison, Token, TokenKind, tokens};
use super::tree::{KEYS, TOTALS, written};
use crate::component::{Field, Role, Scalar};
use std::ops::Range;

/// The most candidates that are offered at once.
const MOST: usize = 100;

/// What a text is completed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A query, for `Filter::compile`.
    Query,
    /// An assertion, for `Assertion::compile`; inside a total's parentheses stands a query.
    Assertion,
}

/// Candidates for a place in a query or an assertion.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The bytes a candidate replaces: the word the caret stands in, or nothing.
    pub span: Range<usize>,
    /// At most 100: first those that start with what was typed before the caret, then those that hold it.
    pub candidates: Vec<Candidate>,
}

/// Something that could be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The text to put in, quoted where it has to be.
    pub text: String,
    /// What it is.
    pub kind: CandidateKind,
    /// A few words about it.
    pub detail: String,
}

/// What a candidate is, for its icon or colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateKind {
    /// A word or a sign of the language.
    Language,
    /// A component.
    Component,
    /// A field of a component.
    Field,
    /// A type.
    Type,
    /// A class.
    Class,
    /// A value of a field.
    Value,
}

/// What could stand at `caret`, a byte of `text`: what has begun there, or what comes next.
///
/// A caret beyond the end is at the end, one inside a character before it.
pub fn complete(text: &str, caret: usize, language: Language, names: &(impl Names + ?Sized)) -> Completion {
    let caret = text.floor_char_boundary(caret);
    let (mut before, fault) = tokens(&text[..caret]);
    let mut begun = Begun { start: caret, text: String::new() };
    if let Some(fault) = fault {
        let Some(open) = text[fault.span.start..caret].strip_prefix('"') else {
            return Completion { span: caret..caret, candidates: Vec::new() };
        };
        begun = Begun { start: fault.span.start, text: open.to_owned() };
    } else if let Some(last) = before.pop_if(|last| last.span.end == caret && is_name(last)) {
        if matches!(last.kind, TokenKind::Quoted(_)) {
            return Completion { span: last.span, candidates: Vec::new() };
        }
        begun = Begun { start: last.span.start, text: text[last.span].to_owned() };
    }
    let end = end_of_word(text, caret, text[begun.start..].starts_with('"'));
    let place = Place { text, before: &before, start: begun.start };
    Completion {
        span: begun.start..end,
        candidates: matching(place.candidates(language, names), &begun.text),
    }
}

/// The word the caret stands in, as far as the caret.
struct Begun {
    start: usize,
    text: String,
}

fn is_name(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Number(_) | TokenKind::Quoted(_))
}

/// Where the word that was begun before `caret` ends.
fn end_of_word(text: &str, caret: usize, quoted: bool) -> usize {
    let rest = &text[caret..];
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
    caret + length + usize::from(quoted && rest[length..].starts_with('"'))
}

/// Those that start with `begun`, then those that hold it, whatever the case.
fn matching(candidates: Vec<Candidate>, begun: &str) -> Vec<Candidate> {
    let begun = begun.to_lowercase();
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for candidate in candidates {
        let text = candidate.text.trim_start_matches('"').to_lowercase();
        if text.starts_with(&begun) {
            first.push(candidate);
        } else if text.contains(&begun) {
            later.push(candidate);
        }
    }
    first.append(&mut later);
    first.truncate(MOST);
    first
}

/// A place in a text: what stands before it decides what may stand there.
struct Place<'a> {
    text: &'a str,
    before: &'a [Token],
    start: usize,
}

impl Place<'_> {
    fn candidates(&self, language: Language, names: &(impl Names + ?Sized)) -> Vec<Candidate> {
        match self.before {
            [.., key, Token { kind: TokenKind::Colon, span }]
                if key.kind == TokenKind::Word && key.span.end == span.start && span.end == self.start =>
            {
                key_values(&self.text[key.span.clone()], names)
            }
            [.., component, Token { kind: TokenKind::Dot, span }]
                if is_name(component) && component.span.end == span.start && span.end == self.start =>
            {
                let component = names.component(&self.name(component));
                component.map_or(&[][..], |id| names.fields(id)).iter().map(field).collect()
            }
            [left @ .., Token { kind: TokenKind::Compare(_), .. }] => {
                let mut candidates = self.field_before(left, names).map_or_else(Vec::new, values);
                candidates.extend(self.operands(language, names));
                candidates
            }
            [.., Token { kind: TokenKind::Arithmetic(_), .. }] => self.operands(language, names),
            [left @ .., component, Token { kind: TokenKind::Dot, .. }, field]
                if is_name(component) && is_name(field) && !ends_with_sign(left) =>
            {
                self.after_field(names)
            }
            _ if self.is_outside_totals(language) => self.assertion_terms(),
            [.., name, Token { kind: TokenKind::Open, .. }] if self.takes_numbers(name) => {
                components(names, ".").collect()
            }
            _ => self.terms(names),
        }
    }

    fn name(&self, token: &Token) -> String {
        match &token.kind {
            TokenKind::Quoted(name) => name.clone(),
            _ => self.text[token.span.clone()].to_owned(),
        }
    }

    /// Whether `name` with a parenthesis makes a total of numbers.
    fn takes_numbers(&self, name: &Token) -> bool {
        name.kind == TokenKind::Word && matches!(&self.text[name.span.clone()], "sum" | "avg" | "min" | "max")
    }

    /// Whether an assertion's own terms may stand here, not those of a query inside a total.
    fn is_outside_totals(&self, language: Language) -> bool {
        language == Language::Assertion && self.open_total().is_none()
    }

    /// The total in whose parentheses this place is, if it is in any.
    fn open_total(&self) -> Option<&Token> {
        let mut open: Vec<Option<&Token>> = Vec::new();
        for (index, token) in self.before.iter().enumerate() {
            match token.kind {
                TokenKind::Open => {
                    let name = index.checked_sub(1).and_then(|before| self.before.get(before));
                    open.push(name.filter(|name| {
                        name.kind == TokenKind::Word && TOTALS.contains(&&self.text[name.span.clone()])
                    }));
                }
                TokenKind::Close => drop(open.pop()),
                _ => {}
            }
        }
        open.into_iter().flatten().next()
    }

    /// The field `tokens` end with.
    fn field_before<'n>(&self, tokens: &[Token], names: &'n (impl Names + ?Sized)) -> Option<&'n Field> {
        let [.., component, Token { kind: TokenKind::Dot, .. }, field] = tokens else { return None };
        let field = self.name(field);
        let component = names.component(&self.name(component))?;
        names.fields(component).iter().find(|known| known.name == field)
    }

    /// What follows `component.field` that starts a comparison.
    fn after_field(&self, names: &(impl Names + ?Sized)) -> Vec<Candidate> {
        let role = self.field_before(self.before, names).map(|field| field.role);
        let equal_only = matches!(role, Some(Role::Text | Role::Entity));
        let mut candidates: Vec<Candidate> = Comparison::ALL
            .into_iter()
            .filter(|comparison| {
                !equal_only || matches!(comparison, Comparison::Equal | Comparison::NotEqual)
            })
            .map(|comparison| language(comparison.sign(), "compares"))
            .collect();
        if self.open_total().is_some_and(|total| self.takes_numbers(total)) {
            candidates.push(language("where", "of the entities that match"));
        }
        candidates
    }

    /// What can stand beside a sign.
    fn operands(&self, language: Language, names: &(impl Names + ?Sized)) -> Vec<Candidate> {
        if self.is_outside_totals(language) { totals(false) } else { components(names, ".").collect() }
    }

    /// Whether a term can be joined to one before it.
    fn joins(&self) -> bool {
        self.before.last().is_some_and(|last| match last.kind {
            TokenKind::Word => !["and", "or", "not", "where"].contains(&&self.text[last.span.clone()]),
            TokenKind::Number(_) | TokenKind::Quoted(_) | TokenKind::Close => true,
            _ => false,
        })
    }

    fn joiners(&self) -> impl Iterator<Item = Candidate> {
        let joiners = [language("and", "both hold"), language("or", "one of them holds")];
        joiners.into_iter().filter(|_| self.joins())
    }

    fn assertion_terms(&self) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = self.joiners().collect();
        candidates.extend(totals(true));
        candidates.push(language("not", "the next does not hold"));
        candidates
    }

    fn terms(&self, names: &(impl Names + ?Sized)) -> Vec<Candidate> {
        let details = ["of this type", "of this class", "has", "lacks", "with this id", "written lately"];
        let mut candidates: Vec<Candidate> = self.joiners().collect();
        candidates.extend(KEYS.iter().zip(details).map(|(key, detail)| language(&format!("{key}:"), detail)));
        candidates.push(language("not", "the next does not hold"));
        candidates.push(language("static", "is static"));
        candidates.push(language("dead", "is dead"));
        candidates.extend(components(names, "."));
        candidates.extend(named(names.type_names(), CandidateKind::Type, "type"));
        candidates
    }
}

fn ends_with_sign(tokens: &[Token]) -> bool {
    tokens.last().is_some_and(|token| matches!(token.kind, TokenKind::Compare(_) | TokenKind::Arithmetic(_)))
}

fn language(text: &str, detail: &str) -> Candidate {
    Candidate { text: text.to_owned(), kind: CandidateKind::Language, detail: detail.to_owned() }
}

fn named(names: Vec<&str>, kind: CandidateKind, detail: &'static str) -> impl Iterator<Item = Candidate> {
    names.into_iter().map(move |name| Candidate { text: written(name), kind, detail: detail.to_owned() })
}

/// The components, each followed by `end`; without fields they are left out where a field must follow.
fn components(names: &(impl Names + ?Sized), end: &str) -> impl Iterator<Item = Candidate> {
    names.component_names().into_iter().filter_map(move |name| {
        let fields = names.component(name).map_or(0, |component| names.fields(component).len());
        let detail = match fields {
            0 if !end.is_empty() => return None,
            0 => "tag".to_owned(),
            1 => "1 field".to_owned(),
            _ => format!("{fields} fields"),
        };
        Some(Candidate { text: written(name) + end, kind: CandidateKind::Component, detail })
    })
}

fn key_values(key: &str, names: &(impl Names + ?Sized)) -> Vec<Candidate> {
    match key {
        "type" => named(names.type_names(), CandidateKind::Type, "type").collect(),
        "class" => named(names.class_names(), CandidateKind::Class, "class").collect(),
        "with" | "without" => components(names, "").collect(),
        "changed" => {
            [("1t", "in the last tick"), ("5t", "in the last 5 ticks"), ("60t", "in the last 60 ticks")]
                .map(|(text, detail)| language(text, detail))
                .into()
        }
        _ => Vec::new(),
    }
}

fn field(field: &Field) -> Candidate {
    let detail = match (&field.unit, field.role) {
        (_, Role::Text) => "text".to_owned(),
        (_, Role::Entity) => "entity".to_owned(),
        (_, Role::List) => "list".to_owned(),
        (Some(unit), _) => format!("{}, {unit}", field.scalar.name()),
        (None, _) => field.scalar.name().to_owned(),
    };
    Candidate { text: written(&field.name), kind: CandidateKind::Field, detail }
}

/// The words that are values of a field.
fn values(field: &Field) -> Vec<Candidate> {
    let words: &[&str] = match (field.role, field.scalar) {
        (Role::Entity, _) => &["none"],
        (Role::Plain, Scalar::Bool8) => &["true", "false"],
        _ => &[],
    };
    words
        .iter()
        .map(|word| Candidate {
            text: (*word).to_owned(),
            kind: CandidateKind::Value,
            detail: format!("value of {}", field.name),
        })
        .collect()
}

/// The totals; `all` of them, or only the numbers.
fn totals(all: bool) -> Vec<Candidate> {
    let details = [
        ("count(", "how many match", true),
        ("none(", "no entity matches", false),
        ("all(", "whoever matches, this holds", false),
        ("sum(", "of a field", true),
        ("avg(", "of a field", true),
        ("min(", "of a field", true),
        ("max(", "of a field", true),
    ];
    let offered = details.into_iter().filter(|&(_, _, number)| all || number);
    offered.map(|(text, detail, _)| language(text, detail)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::world;
    use super::*;
    use proptest::prelude::*;

    /// What is offered where `|` stands, and what is replaced.
    fn offered(marked: &str, language: Language) -> (String, Vec<String>) {
        let caret = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let completion = complete(&text, caret, language, &world());
        let replaced = text[completion.span].to_owned();
        (replaced, completion.candidates.into_iter().map(|candidate| candidate.text).collect())
    }

    #[test]
    fn a_query_is_completed_by_what_may_stand_there() {
        for (marked, replaced, expected) in [
            ("type:|", "", &["oak", "wolf", "hare", "\"oak tree\""][..]),
            ("type:o|", "o", &["oak", "\"oak tree\"", "wolf"]),
            ("type:o|ops dead", "oops", &["oak", "\"oak tree\"", "wolf"]),
            ("type:\"oak t|\" dead", "\"oak t\"", &["\"oak tree\""]),
            ("type:\"oak |", "\"oak ", &["\"oak tree\""]),
            ("class:T|", "T", &["tree", "actor"]),
            ("with:fro|", "fro", &["frozen"]),
            ("not without:my|", "my", &["\"my part\""]),
            ("changed:|", "", &["1t", "5t", "60t"]),
            ("id:|", "", &[]),
            ("velocity.|", "", &["x", "y"]),
            ("oak velocity.y|", "y", &["y"]),
            ("\"my part\".|", "", &["\"a field\""]),
            ("nothing.|", "", &[]),
            ("velocity.x |", "", &["<", "<=", "=", "!=", ">=", ">"]),
            ("name.text |", "", &["=", "!="]),
            (
                "body.solid = |",
                "",
                &["true", "false", "velocity.", "health.", "body.", "name.", "hunt.", "\"my part\"."],
            ),
            ("hunt.target != n|", "n", &["none", "name.", "hunt."]),
            ("velocity.x + v|", "v", &["velocity."]),
            ("st|", "st", &["static"]),
            ("oak o|", "o", &["or", "oak", "\"oak tree\"", "without:", "not", "velocity.", "body.", "wolf"]),
            ("not o|", "o", &["oak", "\"oak tree\"", "without:", "not", "velocity.", "body.", "wolf"]),
            ("velocity.x < 3 an|", "an", &["and", "changed:"]),
            ("a $ |", "", &[]),
        ] {
            let (span, candidates) = offered(marked, Language::Query);
            assert_eq!(
                (span.as_str(), &candidates[..]),
                (replaced, &expected.iter().map(|s| s.to_string()).collect::<Vec<_>>()[..]),
                "{marked}"
            );
        }
    }

    #[test]
    fn an_assertion_is_completed_by_totals_and_inside_them_by_queries() {
        for (marked, expected) in [
            ("|", &["count(", "none(", "all(", "sum(", "avg(", "min(", "max(", "not"][..]),
            ("none(dead) a|", &["and", "all(", "avg(", "max("]),
            ("count(cl|", &["class:"]),
            ("all(oak : type:wo|", &["wolf"]),
            ("count() > m|", &["min(", "max(", "sum("]),
            ("sum(|", &["velocity.", "health.", "body.", "name.", "hunt.", "\"my part\"."]),
            ("sum(velocity.x w|", &["where"]),
            ("sum(velocity.x where fr|", &[]),
            ("sum(velocity.x where with:fr|", &["frozen"]),
        ] {
            assert_eq!(offered(marked, Language::Assertion).1, expected, "{marked}");
        }
    }

    #[test]
    fn candidates_say_what_they_are() {
        let completion = complete("velocity.x", 10, Language::Query, &world());
        let expected = Candidate { text: "x".into(), kind: CandidateKind::Field, detail: "f32, px".into() };
        assert_eq!(completion, Completion { span: 9..10, candidates: vec![expected] });
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_with_any_caret_has_a_span_inside_it(
            text in prop_oneof![any::<String>(), "[a-co.:#\"()<=é ]{0,20}"],
            caret in 0_usize..40,
            language in prop::sample::select(vec![Language::Query, Language::Assertion]),
        ) {
            let completion = complete(&text, caret, language, &world());
            prop_assert!(text.get(completion.span.clone()).is_some(), "{:?} of {:?}", completion.span, text);
        }
    }
}
