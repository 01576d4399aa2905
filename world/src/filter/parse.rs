//! Tokens to a tree.
//!
//! ```text
//! condition  = all { "or" all }
//! all        = negation { ["and"] negation }
//! negation   = "not" negation | comparison
//! comparison = sum [ ("<" | "<=" | "=" | "!=" | ">=" | ">") sum ]
//! sum        = product { ("+" | "-") product }
//! product    = factor { ("*" | "/") factor }
//! factor     = "-" factor | "(" condition ")" | number | name [ "." name ] | key ":" name | total "(" … ")"
//! ```
//!
//! Parentheses group conditions and calculations alike, so every rule yields an `Item`, and what needs the one or
//! the other asks for it.

use super::term::ordinal;
use super::token::{Comparison, FilterFault, Operator, Token, TokenKind, tokens};
use super::tree::{Condition, IdPattern, KEYS, Name, Path, Spanned, TOTALS, Value};
use std::ops::Range;

/// Parentheses, `not` and signs inside each other; bounds the stack that parsing and evaluating take.
const DEEPEST: usize = 48;
/// Calculations in one text; bounds how deep a chain of them grows.
const MOST_OPERATORS: usize = 256;

/// What a text says; nothing at all means everything.
pub(super) fn parse(text: &str) -> Result<Spanned<Condition>, FilterFault> {
    let (tokens, fault) = tokens(text);
    if let Some(fault) = fault {
        return Err(fault);
    }
    let mut parser = Parser { text, tokens, at: 0, depth: 0, operators: 0 };
    let condition = parser.condition_or_everything()?;
    match parser.peek() {
        None => Ok(condition),
        Some(token) => Err(parser.unexpected(token)),
    }
}

/// What a rule found; which of the two it is depends on what stands around it.
pub(super) enum Item {
    Condition(Spanned<Condition>),
    Value(Spanned<Value>),
}

impl Item {
    /// The item with the bytes of the parentheses around it.
    fn widened(self, span: Range<usize>) -> Self {
        match self {
            Self::Condition(condition) => Self::Condition(Spanned { span, ..condition }),
            Self::Value(value) => Self::Value(Spanned { span, ..value }),
        }
    }

    pub(super) fn into_condition(self) -> Result<Spanned<Condition>, FilterFault> {
        let Spanned { node, span } = match self {
            Self::Condition(condition) => return Ok(condition),
            Self::Value(value) => value,
        };
        let condition = match node {
            Value::Text { text, quoted: false } if text.starts_with('#') => match ordinal(&text) {
                Some(ordinal) => Condition::Id(IdPattern::Ordinal(ordinal)),
                None => {
                    let message = format!("`{text}` is no creation number; those look like `#17`.");
                    return Err(FilterFault::new(span, message));
                }
            },
            Value::Text { text, .. } | Value::Number { text, .. } => Condition::Word(text),
            Value::Field(path) => Condition::Field(path),
            Value::Negate(_) | Value::Binary(..) | Value::Total { .. } => {
                let message = "This is a number; compare it with another, as in `… > 0`.";
                return Err(FilterFault::new(span, message));
            }
        };
        Ok(Spanned::new(condition, span))
    }

    pub(super) fn into_value(self) -> Result<Spanned<Value>, FilterFault> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Condition(condition) => {
                let message = "This is true or false, where a number, a text or a field is needed. \
                               Put texts in double quotes.";
                Err(FilterFault::new(condition.span, message))
            }
        }
    }
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: Vec<Token>,
    /// The token that comes next.
    pub(super) at: usize,
    depth: usize,
    operators: usize,
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn spelled(&self, token: &Token) -> &str {
        &self.text[token.span.clone()]
    }

    /// Where the last token ended.
    pub(super) fn end(&self) -> usize {
        self.at.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.span.end)
    }

    fn next_is(&self, kind: &TokenKind) -> bool {
        self.peek().is_some_and(|token| token.kind == *kind)
    }

    /// Whether the next token is of this kind and touches the one before.
    fn touches(&self, kind: &TokenKind) -> bool {
        self.peek().is_some_and(|token| token.kind == *kind && token.span.start == self.end())
    }

    fn next_is_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.kind == TokenKind::Word && self.spelled(token) == word)
    }

    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let taken = self.next_is_word(word);
        self.at += usize::from(taken);
        taken
    }

    pub(super) fn expect(&mut self, kind: &TokenKind, message: &str) -> Result<(), FilterFault> {
        match self.peek() {
            Some(token) if token.kind == *kind => {
                self.at += 1;
                Ok(())
            }
            Some(token) => Err(FilterFault::new(token.span.clone(), message)),
            None => Err(self.missing(message)),
        }
    }

    fn missing(&self, message: &str) -> FilterFault {
        FilterFault::new(self.text.len()..self.text.len(), message)
    }

    fn unexpected(&self, token: &Token) -> FilterFault {
        let message = match token.kind {
            TokenKind::Close => "There is no opening parenthesis for this one.".to_owned(),
            TokenKind::Colon => format!(
                "A colon stands directly between {} and a name, as in `type:oak`.",
                KEYS.map(|key| format!("`{key}`")).join(", ")
            ),
            TokenKind::Dot => {
                "A point stands directly between a component and its field, as in `health.health`.".to_owned()
            }
            _ => format!("`{}` needs a term in front of it.", self.spelled(token)),
        };
        FilterFault::new(token.span.clone(), message)
    }

    /// Runs `rule` one level deeper.
    pub(super) fn deeper<T>(
        &mut self,
        rule: fn(&mut Self) -> Result<T, FilterFault>,
    ) -> Result<T, FilterFault> {
        if self.depth == DEEPEST {
            return Err(FilterFault::new(
                self.end()..self.text.len(),
                format!("This is nested deeper than {DEEPEST} levels. Say it with fewer parentheses."),
            ));
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    /// A condition, or everything where none starts.
    pub(super) fn condition_or_everything(&mut self) -> Result<Spanned<Condition>, FilterFault> {
        match self.peek().map(|token| &token.kind) {
            None | Some(TokenKind::Close | TokenKind::Colon) => {
                Ok(Spanned::new(Condition::Everything, self.end()..self.end()))
            }
            Some(_) => self.condition()?.into_condition(),
        }
    }

    pub(super) fn condition(&mut self) -> Result<Item, FilterFault> {
        let first = self.all()?;
        if !self.next_is_word("or") {
            return Ok(first);
        }
        let mut any = vec![first.into_condition()?];
        while self.take_word("or") {
            any.push(self.all()?.into_condition()?);
        }
        let span = any[0].span.start..self.end();
        Ok(Item::Condition(Spanned::new(Condition::Or(any), span)))
    }

    fn all(&mut self) -> Result<Item, FilterFault> {
        let first = self.negation()?;
        if !self.another_follows() {
            return Ok(first);
        }
        let mut all = vec![first.into_condition()?];
        while self.another_follows() {
            self.take_word("and");
            all.push(self.negation()?.into_condition()?);
        }
        let span = all[0].span.start..self.end();
        Ok(Item::Condition(Spanned::new(Condition::And(all), span)))
    }

    /// Whether a term follows that must hold as well.
    fn another_follows(&self) -> bool {
        match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Word) => !self.next_is_word("or"),
            Some(TokenKind::Number(_) | TokenKind::Quoted(_) | TokenKind::Open) => true,
            _ => false,
        }
    }

    fn negation(&mut self) -> Result<Item, FilterFault> {
        if !self.next_is_word("not") {
            return self.comparison();
        }
        let start = self.peek().map_or(0, |token| token.span.start);
        self.at += 1;
        let inner = self.deeper(Self::negation)?.into_condition()?;
        let span = start..inner.span.end;
        Ok(Item::Condition(Spanned::new(Condition::Not(Box::new(inner)), span)))
    }

    fn comparison(&mut self) -> Result<Item, FilterFault> {
        let left = self.sum()?;
        let Some(comparison) = self.take_comparison() else { return Ok(left) };
        let left = left.into_value()?;
        let right = self.sum()?.into_value()?;
        if let Some(token) = self.peek()
            && matches!(token.kind, TokenKind::Compare(_))
        {
            let message = "Compare two values at a time, and join the comparisons with `and`.";
            return Err(FilterFault::new(token.span.clone(), message));
        }
        let span = left.span.start..right.span.end;
        let condition = Condition::Compare(Box::new(left), comparison, Box::new(right));
        Ok(Item::Condition(Spanned::new(condition, span)))
    }

    fn take_comparison(&mut self) -> Option<Comparison> {
        match self.peek()?.kind {
            TokenKind::Compare(comparison) => {
                self.at += 1;
                Some(comparison)
            }
            _ => None,
        }
    }

    pub(super) fn sum(&mut self) -> Result<Item, FilterFault> {
        self.chain(Self::product, |operator| !operator.is_product())
    }

    fn product(&mut self) -> Result<Item, FilterFault> {
        self.chain(Self::factor, Operator::is_product)
    }

    /// Parts joined from the left by the operators of one strength.
    fn chain(
        &mut self,
        part: fn(&mut Self) -> Result<Item, FilterFault>,
        joins: fn(Operator) -> bool,
    ) -> Result<Item, FilterFault> {
        let mut left = part(self)?;
        while let Some(token) = self.peek()
            && let TokenKind::Arithmetic(operator) = token.kind
            && joins(operator)
        {
            if self.operators == MOST_OPERATORS {
                let message = format!("There are more than {MOST_OPERATORS} calculations in one query.");
                return Err(FilterFault::new(token.span.clone(), message));
            }
            self.operators += 1;
            self.at += 1;
            let start = left.into_value()?;
            let right = part(self)?.into_value()?;
            let span = start.span.start..right.span.end;
            left = Item::Value(Spanned::new(Value::Binary(Box::new(start), operator, Box::new(right)), span));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Item, FilterFault> {
        let Some(token) = self.peek().cloned() else {
            return Err(self.missing(match self.end() {
                0 => "A term is missing.",
                _ => "A term is missing at the end.",
            }));
        };
        let span = token.span.clone();
        match token.kind {
            TokenKind::Arithmetic(Operator::Subtract) => {
                self.at += 1;
                let inner = self.deeper(Self::factor)?.into_value()?;
                let span = span.start..inner.span.end;
                Ok(Item::Value(Spanned::new(Value::Negate(Box::new(inner)), span)))
            }
            TokenKind::Open => {
                self.at += 1;
                let inner = self.deeper(Self::condition)?;
                self.expect(&TokenKind::Close, "The closing parenthesis `)` is missing here.")?;
                Ok(inner.widened(span.start..self.end()))
            }
            TokenKind::Number(value) => {
                self.at += 1;
                let text = self.text[span.clone()].to_owned();
                Ok(Item::Value(Spanned::new(Value::Number { value, text }, span)))
            }
            TokenKind::Quoted(text) => {
                self.at += 1;
                self.field_or(Spanned::new(text, span), true)
            }
            TokenKind::Word => self.word(span),
            _ => Err(self.unexpected(&token)),
        }
    }

    /// What starts with the word that comes next.
    fn word(&mut self, span: Range<usize>) -> Result<Item, FilterFault> {
        let word = self.text[span.clone()].to_owned();
        if word == "and" || word == "or" {
            return Err(FilterFault::new(span, format!("`{word}` needs a term in front of it.")));
        }
        if word == "not" {
            let message = "`not` stands in front of a condition, never inside a comparison.";
            return Err(FilterFault::new(span, message));
        }
        self.at += 1;
        if TOTALS.contains(&word.as_str()) && self.next_is(&TokenKind::Open) {
            return self.total(&word, span.start);
        }
        if self.touches(&TokenKind::Colon) {
            let after = span.end + 1;
            let value_touches = self.tokens.get(self.at + 1).is_some_and(|next| next.span.start == after);
            if KEYS.contains(&word.as_str()) || value_touches {
                self.at += 1;
                return self.keyed(&word, span);
            }
        }
        match word.as_str() {
            "static" => Ok(Item::Condition(Spanned::new(Condition::Static, span))),
            "dead" => Ok(Item::Condition(Spanned::new(Condition::Dead, span))),
            _ => self.field_or(Spanned::new(word, span), false),
        }
    }

    /// `name.field` if a point follows directly, else the name as a text.
    fn field_or(&mut self, name: Name, quoted: bool) -> Result<Item, FilterFault> {
        if !self.touches(&TokenKind::Dot) {
            let Spanned { node: text, span } = name;
            return Ok(Item::Value(Spanned::new(Value::Text { text, quoted }, span)));
        }
        self.at += 1;
        let point = self.end();
        let field = match self.peek().cloned() {
            Some(token) if token.span.start == point => match token.kind {
                TokenKind::Quoted(field) => Spanned::new(field, token.span),
                TokenKind::Word | TokenKind::Number(_) => {
                    Spanned::new(self.spelled(&token).to_owned(), token.span)
                }
                _ => return Err(missing_field(&name, point)),
            },
            _ => return Err(missing_field(&name, point)),
        };
        self.at += 1;
        let span = name.span.start..field.span.end;
        Ok(Item::Value(Spanned::new(Value::Field(Path { component: name, field }), span)))
    }
}

fn missing_field(component: &Name, point: usize) -> FilterFault {
    FilterFault::new(
        component.span.start..point,
        format!("`{}.` needs the name of a field right behind it.", component.node),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The tree of `text`, printed with every group in brackets.
    fn shape(text: &str) -> String {
        fn group(condition: &Spanned<Condition>) -> String {
            let join = |parts: &[Spanned<Condition>], word: &str| {
                format!("[{}]", parts.iter().map(group).collect::<Vec<_>>().join(word))
            };
            match &condition.node {
                Condition::Not(inner) => format!("not {}", group(inner)),
                Condition::And(all) => join(all, " & "),
                Condition::Or(any) => join(any, " | "),
                other => other.to_string(),
            }
        }
        group(&parse(text).unwrap_or_else(|fault| panic!("{text}: {fault} at {:?}", fault.span)))
    }

    #[test]
    fn comparisons_bind_before_not_before_and_before_or() {
        for (text, expected) in [
            ("", ""),
            ("  ", ""),
            ("a b or c and not d e", "[[a & b] | [c & not d & e]]"),
            ("a (b or c)", "[a & [b | c]]"),
            ("not not a", "not not a"),
            ("not a.x < 1 b", "[not a.x < 1 & b]"),
            ("a.x + 1 * 2 < (3 - b.y) / -c.z", "a.x + 1 * 2 < (3 - b.y) / -c.z"),
            ("(a.x + 1) × 2 ≤ 3 − 4 ÷ 5", "(a.x + 1) * 2 <= 3 - 4 / 5"),
            ("1 - (2 - 3) - 4 == ((a.x))", "1 - (2 - 3) - 4 = a.x"),
            (
                "type:oak-tree class:x.y id:42v3 id:42 id:#17 #18",
                "[type:oak-tree & class:\"x.y\" & id:42v3 & id:42 & id:#17 & id:#18]",
            ),
            (
                "with:\"my part\" \"my part\".\"a field\" changed:5t changed:1t",
                "[with:\"my part\" & \"my part\".\"a field\" & changed:5t & changed:1t]",
            ),
            ("42 \"or\" a.or", "[\"42\" & \"or\" & a.\"or\"]"),
            ("none(a) and all(with:a: b.c>0)", "[none(a) & all(with:a : b.c > 0)]"),
            ("all(a : b) or all(: b)", "[all(a : b) | all( : b)]"),
            (
                "count() + count(a b) = sum(a.x * 2 where b) - min (a.y)",
                "count() + count(a and b) = sum(a.x * 2 where b) - min(a.y)",
            ),
        ] {
            assert_eq!(shape(text), expected, "{text}");
        }
    }

    #[test]
    fn faults_say_where_and_what_to_do() {
        for (text, span, says) in [
            ("a and", 5..5, "missing at the end"),
            ("or a", 0..2, "`or` needs a term"),
            ("a or and b", 5..8, "`and` needs a term"),
            ("(a", 2..2, "closing parenthesis"),
            ("a)", 1..2, "no opening parenthesis"),
            ("()", 1..2, "no opening parenthesis"),
            ("a.x < ", 6..6, "missing at the end"),
            ("< 3", 0..1, "needs a term in front"),
            ("1 < a.x < 3", 8..9, "two values at a time"),
            ("a.x + 1", 0..7, "compare it"),
            ("-a", 0..2, "compare it"),
            ("a.x = not b", 6..9, "in front of a condition"),
            ("a.x = type:b", 6..12, "true or false"),
            ("typ:oak", 0..3, "Did you mean `type:`?"),
            ("colour:red", 0..6, "There are `type:`"),
            ("type: oak", 0..5, "right behind it"),
            ("changed:0t", 8..10, "at least `1t`"),
            ("changed:soon", 8..12, "`5t`"),
            ("changed:5", 8..9, "Write `changed:5t`."),
            ("changed:\"5\" a", 8..11, "Write `changed:5t`."),
            ("id:42v0", 3..7, "an id like"),
            ("id:99999999999", 3..14, "an id like"),
            ("id:wolf", 3..7, "an id like"),
            ("#wolf", 0..5, "creation number"),
            ("a.", 0..2, "name of a field"),
            ("a. x", 0..2, "name of a field"),
            ("a : b", 2..3, "A colon"),
            ("all(a)", 5..6, "a colon"),
            ("count(a", 7..7, "closing parenthesis"),
            ("sum()", 4..5, "no opening"),
            ("sum(a.x when b)", 8..12, "closing parenthesis"),
        ] {
            let fault = parse(text).expect_err(text);
            assert_eq!(fault.span, span, "{text}: {fault}");
            assert!(fault.message.contains(says), "{text}: {fault}");
        }
    }

    #[test]
    fn deep_and_long_texts_are_faults() {
        for part in ["(", "not ", "-", "none(", "1 + ", "1 * "] {
            assert!(parse(&part.repeat(100_000)).is_err(), "{part}");
        }
        assert!(parse(&"a ".repeat(100_000)).is_ok());
    }

    #[test]
    fn no_fault_is_long_however_long_the_text() {
        let long = "é".repeat(100_000);
        for text in [
            format!("typ{long}:oak"),
            format!("#{long}"),
            format!("{long}. x"),
            format!("id:{long}"),
            format!("changed:{}", "9".repeat(100_000)),
            format!("\"{long}\". x"),
            format!("a : {long}"),
        ] {
            let fault = parse(&text).expect_err("a fault");
            assert!(fault.message.chars().count() < 700, "{}", fault.message.len());
        }
    }

    /// Texts that are queries often enough.
    fn texts() -> impl Strategy<Value = String> {
        let parts = [
            "a",
            "oak-tree",
            "\"q t\"",
            "\"or\"",
            "1",
            "2.5",
            "#17",
            "42v3",
            "a.x",
            "\"q t\".y",
            "b.\"0\"",
            "(",
            ")",
            "(",
            ")",
            "not",
            "and",
            "or",
            "static",
            "dead",
            "type:oak",
            "with:\"q t\"",
            "id:#3",
            "changed:5t",
            "<",
            "=",
            ">=",
            "!=",
            "+",
            "-",
            "*",
            "/",
            "count(",
            "none(",
            "all(",
            ":",
            "sum(",
            "where",
            "max(",
            "true",
            "none",
            "a.x < 3",
            "b.y = c.z - 1",
        ];
        prop::collection::vec(prop::sample::select(parts.to_vec()), 0..12).prop_map(|parts| parts.join(" "))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_tree_printed_reads_back_as_itself(text in texts()) {
            if let Ok(tree) = parse(&text) {
                let printed = tree.to_string();
                let again = parse(&printed);
                prop_assert_eq!(again.as_ref(), Ok(&tree), "printed as {}", printed);
                prop_assert!(tree.span.end <= text.len());
            }
        }

        #[test]
        fn faults_lie_inside_the_text(text in prop_oneof![texts(), any::<String>(), "[a-c0-9.:#\"\\\\()<=+ é-]{0,30}"]) {
            if let Err(fault) = parse(&text) {
                prop_assert!(text.get(fault.span.clone()).is_some(), "{:?} of {:?}", fault.span, text);
            }
        }
    }
}
