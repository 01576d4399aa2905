//! The short way to a config, for the objects that most entities are.

use crate::config::{Config, Value};

/// With more keys than this, looking through all for each is no longer short.
const FEW: usize = 32;

/// The config at `object`, a text that ends with its first closing brace outside of texts, if all its values are
/// numbers, truth values, nulls and texts, and no text has an escape.
///
/// None does not mean that something is wrong: the long way tells. Reading a scene spends most of its time here;
/// this takes about half the time of a general reader.
pub(super) fn config(object: &str) -> Option<Config<'_>> {
    let mut scanner = Scanner { text: object, at: 0 };
    let mut config = Config::with_capacity(8);
    scanner.take(b'{')?;
    if scanner.peek()? == b'}' {
        return Some(config);
    }
    loop {
        let key = scanner.plain_text()?;
        scanner.take(b':')?;
        let value = scanner.value()?;
        if config.has(key) || config.len() == FEW {
            return None;
        }
        config.append(key, value);
        match scanner.peek()? {
            b',' => scanner.at += 1,
            b'}' => return Some(config),
            _ => return None,
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// The next byte that is no space, without taking it.
    fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.text.as_bytes().get(self.at)? {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        if self.peek()? != wanted {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// A text without escapes.
    fn plain_text(&mut self) -> Option<&'a str> {
        self.take(b'"')?;
        let rest = self.text.as_bytes().get(self.at..)?;
        let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
        if rest[length] != b'"' {
            return None;
        }
        let start = self.at;
        self.at += length + 1;
        self.text.get(start..start + length)
    }

    fn value(&mut self) -> Option<Value<'a>> {
        match self.peek()? {
            b'"' => self.plain_text().map(|text| Value::Text(text.into())),
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => None,
        }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Option<Value<'a>> {
        self.text.get(self.at..)?.starts_with(word).then(|| {
            self.at += word.len();
            value
        })
    }

    fn number(&mut self) -> Option<Value<'a>> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let sign = usize::from(rest[0] == b'-');
        let mut integer: u64 = 0;
        let mut end = sign;
        while let Some(digit @ b'0'..=b'9') = rest.get(end) {
            integer = integer.wrapping_mul(10).wrapping_add((digit - b'0').into());
            end += 1;
        }
        let digits = end - sign;
        if digits == 0 || digits > 1 && rest[sign] == b'0' {
            return None;
        }
        if !matches!(rest.get(end), Some(b'.' | b'e' | b'E')) {
            // So many digits fit 63 bits. A zero with a sign is no integer.
            if digits > 18 || sign == 1 && integer == 0 {
                return None;
            }
            self.at += end;
            return Some(if sign == 1 { Value::Int(-(integer as i64)) } else { Value::Uint(integer) });
        }
        let digits_end = |from: usize| {
            let digits = rest.get(from..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (digits > 0).then_some(from + digits)
        };
        if rest[end] == b'.' {
            end = digits_end(end + 1)?;
        }
        if let Some(b'e' | b'E') = rest.get(end) {
            end = digits_end(end + 1 + usize::from(matches!(rest.get(end + 1), Some(b'+' | b'-'))))?;
        }
        let number: f64 = self.text.get(self.at..self.at + end)?.parse().ok()?;
        self.at += end;
        number.is_finite().then_some(Value::Float(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn long_way(object: &str) -> Config<'_> {
        serde_json::from_str(object).unwrap()
    }

    #[test]
    fn the_short_way_is_taken_for_what_most_entities_are() {
        for object in [
            "{}",
            " { } ",
            r#"{"type":"guardian","x":10,"y":-20.5,"ok":true,"no":false,"z":null}"#,
            "{ \"ä\" : \"ö€😀\" ,\n\t\"b\" : 1e-7 }",
            r#"{"a":0,"b":999999999999999999,"c":-999999999999999999,"d":0.1,"e":1E+22,"f":-0.0}"#,
            r#"{"a":5e-324,"b":1.7976931348623157e308,"c":2.2250738585072011e-308,"d":1e-400}"#,
        ] {
            assert_eq!(config(object), Some(long_way(object)), "{object}");
        }
    }

    #[test]
    fn the_short_way_leaves_the_rest_to_the_long_one() {
        let many: String = (0..33).map(|key| format!("\"{key}\":0,")).collect();
        let many = format!("{{{}}}", many.trim_end_matches(','));
        for object in [
            r#"{"a":[1]}"#,
            r#"{"a":{}}"#,
            r#"{"a":"\n"}"#,
            r#"{"\u0061":1}"#,
            r#"{"a":1,"a":1}"#,
            r#"{"a":1e999}"#,
            r#"{"a":-0}"#,
            r#"{"a":18446744073709551615}"#,
            r#"{"a":-9223372036854775808}"#,
            "{\"a\":\"\u{1}\"}",
            r#"{"a":01}"#,
            r#"{"a":-}"#,
            r#"{"a":1.}"#,
            r#"{"a":.5}"#,
            r#"{"a":1e}"#,
            r#"{"a":1e+}"#,
            r#"{"a":tru}"#,
            r#"{"a":1,}"#,
            r#"{"a" 1}"#,
            r#"{"a":1"#,
            many.as_str(),
        ] {
            assert_eq!(config(object), None, "{object}");
        }
    }

    proptest! {
        #[test]
        fn the_short_way_gives_what_the_long_one_gives(
            values in proptest::collection::vec(
                prop_oneof![
                    any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
                    any::<u64>().prop_map(Value::from),
                    any::<i64>().prop_map(Value::from),
                    (-1000_i64..1000).prop_map(Value::from),
                    any::<bool>().prop_map(Value::from),
                    "[a-zäö€\"\\\\\n]{0,4}".prop_map(Value::from),
                    Just(Value::Null),
                ],
                0..40,
            ),
            pretty in any::<bool>(),
        ) {
            let object: Config<'_> = values.into_iter().enumerate().map(|(k, v)| (format!("k{k}"), v)).collect();
            let text = match pretty {
                true => serde_json::to_string_pretty(&object),
                false => serde_json::to_string(&object),
            }
            .unwrap();
            let read = config(&text);
            prop_assert!(read.is_none() || read == Some(object.clone()));
            prop_assert_eq!(long_way(&text), object);
        }

        #[test]
        fn decimals_are_read_to_the_nearest_double(text in "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,25})?([eE][-+]?[0-9]{1,3})?") {
            let object = format!("{{\"n\":{text}}}");
            if let Some(read) = config(&object) {
                prop_assert_eq!(read, long_way(&object));
            }
        }
    }
}
