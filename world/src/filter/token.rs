//! Text to tokens: words, numbers, quoted texts and signs, each with the bytes it stands on.

use crate::excerpt::short_message;
use std::ops::Range;

/// What is wrong with a query or an assertion, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterFault {
    /// A sentence that says what is wrong and what to do; never long, whatever the text.
    pub message: String,
    /// The bytes of the text at fault; empty, at the end, where something is missing there.
    pub span: Range<usize>,
}

impl FilterFault {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { message: short_message(message.into()), span }
    }
}

/// A token and the bytes it stands on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    /// Letters, digits, `_`, `#` in front, and hyphens inside.
    Word,
    /// A finite number without a sign.
    Number(f64),
    /// What stood between quotes, without its escapes.
    Quoted(String),
    Dot,
    Colon,
    Open,
    Close,
    Compare(Comparison),
    Arithmetic(Operator),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl Comparison {
    pub(super) const ALL: [Self; 6] =
        [Self::Less, Self::LessOrEqual, Self::Equal, Self::NotEqual, Self::GreaterOrEqual, Self::Greater];

    pub(super) const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::GreaterOrEqual => ">=",
            Self::Greater => ">",
        }
    }

    /// Whether it holds; with something that is not a number, only `!=` does.
    pub(super) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::GreaterOrEqual => left >= right,
            Self::Greater => left > right,
        }
    }
}

/// How two numbers become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operator {
    pub(super) const fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
            Self::Divide => '/',
        }
    }

    /// Whether it binds as strongly as a multiplication.
    pub(super) const fn is_product(self) -> bool {
        matches!(self, Self::Multiply | Self::Divide)
    }

    pub(super) fn apply(self, left: f64, right: f64) -> f64 {
        match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / right,
        }
    }
}

/// The tokens up to the first fault, and that fault.
pub(super) fn tokens(text: &str) -> (Vec<Token>, Option<FilterFault>) {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        match token(text, at, first) {
            Ok(token) => {
                at = token.span.end;
                tokens.push(token);
            }
            Err(fault) => return (tokens, Some(fault)),
        }
    }
    (tokens, None)
}

/// The token that starts at byte `at` with the character `first`.
fn token(text: &str, at: usize, first: char) -> Result<Token, FilterFault> {
    let rest = &text[at..];
    if first == '"' {
        return quoted(text, at);
    }
    if first.is_ascii_digit() || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
        let length = number_length(rest);
        if !rest[length..].starts_with(is_in_word) {
            let span = at..at + length;
            return match rest[..length].parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Token { kind: TokenKind::Number(number), span }),
                _ => Err(FilterFault::new(span, "This number is too large.")),
            };
        }
    }
    if is_in_word(first) || first == '#' {
        return Ok(Token { kind: TokenKind::Word, span: at..at + word_length(rest) });
    }
    let (kind, length) = sign(rest).ok_or_else(|| unexpected(rest, at, first))?;
    Ok(Token { kind, span: at..at + length })
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Bytes of the word `rest` starts with.
fn word_length(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((index, c)) = characters.next() {
        let inside = c == '-' && characters.peek().is_some_and(|&(_, next)| is_in_word(next));
        if !is_in_word(c) && !inside {
            return index;
        }
    }
    rest.len()
}

/// Bytes of the number `rest` starts with: digits, a point with digits, an exponent with digits.
fn number_length(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut length = digits(0);
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = bytes.get(length + 1 + sign..).map_or(0, |_| digits(length + 1 + sign));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// The quoted text whose opening quote is at byte `at`.
fn quoted(text: &str, at: usize) -> Result<Token, FilterFault> {
    let mut content = String::new();
    let mut characters = text[at + 1..].char_indices();
    while let Some((index, c)) = characters.next() {
        match c {
            '"' => {
                return Ok(Token { kind: TokenKind::Quoted(content), span: at..at + 1 + index + 1 });
            }
            '\\' => match characters.next() {
                Some((_, escaped @ ('"' | '\\'))) => content.push(escaped),
                Some((next, other)) => {
                    let span = at + 1 + index..at + 1 + next + other.len_utf8();
                    let message = format!(
                        "`\\{other}` means nothing in quotes. Write `\\\\` for a backslash, `\\\"` for a quote."
                    );
                    return Err(FilterFault::new(span, message));
                }
                None => break,
            },
            _ => content.push(c),
        }
    }
    Err(FilterFault::new(at..text.len(), "The closing quote `\"` is missing."))
}

/// The sign `rest` starts with, and its bytes.
fn sign(rest: &str) -> Option<(TokenKind, usize)> {
    use TokenKind::{Arithmetic, Close, Colon, Compare, Dot, Open};
    const SIGNS: [(&str, TokenKind); 22] = [
        ("<=", Compare(Comparison::LessOrEqual)),
        (">=", Compare(Comparison::GreaterOrEqual)),
        ("!=", Compare(Comparison::NotEqual)),
        ("==", Compare(Comparison::Equal)),
        ("≤", Compare(Comparison::LessOrEqual)),
        ("≥", Compare(Comparison::GreaterOrEqual)),
        ("≠", Compare(Comparison::NotEqual)),
        ("<", Compare(Comparison::Less)),
        (">", Compare(Comparison::Greater)),
        ("=", Compare(Comparison::Equal)),
        ("+", Arithmetic(Operator::Add)),
        ("-", Arithmetic(Operator::Subtract)),
        ("−", Arithmetic(Operator::Subtract)),
        ("*", Arithmetic(Operator::Multiply)),
        ("×", Arithmetic(Operator::Multiply)),
        ("·", Arithmetic(Operator::Multiply)),
        ("/", Arithmetic(Operator::Divide)),
        ("÷", Arithmetic(Operator::Divide)),
        ("(", Open),
        (")", Close),
        (":", Colon),
        (".", Dot),
    ];
    SIGNS.into_iter().find(|(sign, _)| rest.starts_with(sign)).map(|(sign, kind)| (kind, sign.len()))
}

fn unexpected(rest: &str, at: usize, first: char) -> FilterFault {
    let (length, advice) = match first {
        '&' => (if rest.starts_with("&&") { 2 } else { 1 }, "Write `and`."),
        '|' => (if rest.starts_with("||") { 2 } else { 1 }, "Write `or`."),
        '!' => (1, "Write `not`, or `!=` to compare."),
        ',' => (1, "Write `or` between alternatives."),
        '\'' => (1, "Texts stand in double quotes."),
        _ => (first.len_utf8(), "Put texts with signs in double quotes."),
    };
    let span = at..at + length;
    FilterFault::new(span, format!("`{}` is not part of the language. {advice}", &rest[..length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Vec<&str> {
        let (tokens, fault) = tokens(text);
        assert_eq!(fault, None, "{text}");
        tokens.into_iter().map(|token| &text[token.span]).collect()
    }

    #[test]
    fn a_hyphen_inside_a_word_belongs_to_it() {
        assert_eq!(spelled("oak-tree-2 a.x - 1"), ["oak-tree-2", "a", ".", "x", "-", "1"]);
        assert_eq!(spelled("5-3 -oak oak- 1"), ["5", "-", "3", "-", "oak", "oak", "-", "1"]);
    }

    #[test]
    fn numbers_end_where_words_go_on() {
        assert_eq!(
            spelled("42v3 42 #17 5t .5 1.5e-3 1e 2.x"),
            ["42v3", "42", "#17", "5t", ".5", "1.5e-3", "1e", "2", ".", "x"]
        );
        assert_eq!(tokens("1.5e3").0[0].kind, TokenKind::Number(1500.0));
    }

    #[test]
    fn quotes_hold_blanks_and_escapes() {
        let (tokens, _) = tokens(r#"x "a \"b\" \\ c""#);
        assert_eq!(tokens[1].kind, TokenKind::Quoted(r#"a "b" \ c"#.into()));
        assert_eq!(tokens[1].span, 2..16);
    }

    #[test]
    fn faults_say_which_bytes_and_what_to_write() {
        for (text, span, says) in [
            ("a && b", 2..4, "`and`"),
            ("a | b", 2..3, "`or`"),
            ("!a", 0..1, "`not`"),
            ("a \"b", 2..4, "closing quote"),
            ("a \"b\\", 2..5, "closing quote"),
            ("\"\\n\"", 1..3, "backslash"),
            ("a , b", 2..3, "`or`"),
            ("é = ¤", 5..7, "double quotes"),
            ("1e999", 0..5, "too large"),
        ] {
            let fault = tokens(text).1.unwrap();
            assert_eq!(fault.span, span, "{text}");
            assert!(fault.message.contains(says), "{text}: {fault}");
        }
    }
}
