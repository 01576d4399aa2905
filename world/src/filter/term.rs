//! Terms with parts of their own: `key:name` and totals.

use super::parse::{Item, Parser};
use super::token::{FilterFault, Token, TokenKind};
use super::tree::{Condition, Function, IdPattern, KEYS, Name, Spanned, Value};
use crate::id::{EntityId, Ordinal};
use crate::scene::nearest;
use std::ops::Range;

impl Parser<'_> {
    /// What follows `key:`.
    pub(super) fn keyed(&mut self, key: &str, key_span: Range<usize>) -> Result<Item, FilterFault> {
        let name = self.key_value();
        let span = key_span.start..self.end();
        let needs =
            |what: &str| FilterFault::new(span.clone(), format!("`{key}:` needs {what} right behind it."));
        let named =
            |kind: fn(Name) -> Condition, what: &str| name.clone().map(kind).ok_or_else(|| needs(what));
        let condition = match key {
            "type" => named(Condition::Type, "the name of a type")?,
            "class" => named(Condition::Class, "the name of a class")?,
            "with" => named(Condition::With, "the name of a component")?,
            "without" => named(Condition::Without, "the name of a component")?,
            "id" => {
                let what = "an id like `42v3`, a slot like `42` or a creation number like `#17`";
                let name = name.ok_or_else(|| needs(what))?;
                let pattern = id_pattern(&name.node)
                    .ok_or_else(|| FilterFault::new(name.span, format!("This is not {what}.")))?;
                Condition::Id(pattern)
            }
            "changed" => {
                let what = "a number of ticks like `5t`, at least `1t`,";
                let name = name.ok_or_else(|| needs(what))?;
                let ticks = digits::<u64>(name.node.strip_suffix('t').unwrap_or(&name.node));
                match ticks.filter(|&ticks| ticks > 0) {
                    Some(ticks) if name.node.ends_with('t') => Condition::Changed(ticks),
                    Some(ticks) => {
                        let message = format!("Ticks are written with a `t`. Write `changed:{ticks}t`.");
                        return Err(FilterFault::new(name.span, message));
                    }
                    None => return Err(FilterFault::new(name.span, needs(what).message)),
                }
            }
            _ => {
                let message = match nearest(key, KEYS) {
                    Some(known) => format!("There is no term `{key}:`. Did you mean `{known}:`?"),
                    None => format!(
                        "There is no term `{key}:`. There are {}.",
                        KEYS.map(|key| format!("`{key}:`")).join(", ")
                    ),
                };
                return Err(FilterFault::new(key_span, message));
            }
        };
        Ok(Item::Condition(Spanned::new(condition, span)))
    }

    /// The name that touches what came before: a quoted text, or words and points that touch each other.
    fn key_value(&mut self) -> Option<Name> {
        let start = self.end();
        if let Some(Token { kind: TokenKind::Quoted(text), span }) = self.peek()
            && span.start == start
        {
            let name = Spanned::new(text.clone(), span.clone());
            self.at += 1;
            return Some(name);
        }
        while let Some(token) = self.peek()
            && token.span.start == self.end()
            && matches!(token.kind, TokenKind::Word | TokenKind::Number(_) | TokenKind::Dot)
        {
            self.at += 1;
        }
        let span = start..self.end();
        (!span.is_empty()).then(|| Spanned::new(self.text[span.clone()].to_owned(), span))
    }

    /// What follows the name of a total; the parenthesis comes next.
    pub(super) fn total(&mut self, name: &str, start: usize) -> Result<Item, FilterFault> {
        self.at += 1;
        let function = match name {
            "none" => {
                let over = Box::new(self.deeper(Self::condition_or_everything)?);
                return self.close_total(start, Condition::NoneOf(over)).map(Item::Condition);
            }
            "all" => {
                let over = Box::new(self.deeper(Self::condition_or_everything)?);
                let message = "`all` takes a query, a colon and what shall hold, as in `all(class:actor : health.health > 0)`.";
                self.expect(&TokenKind::Colon, message)?;
                let expected = Box::new(self.deeper(Self::condition)?.into_condition()?);
                return self.close_total(start, Condition::AllOf { over, expected }).map(Item::Condition);
            }
            "count" => {
                let over = Box::new(self.deeper(Self::condition_or_everything)?);
                let total = Value::Total { function: Function::Count, of: None, over };
                return self.close_total(start, total).map(Item::Value);
            }
            "sum" => Function::Sum,
            "avg" => Function::Average,
            "min" => Function::Least,
            _ => Function::Greatest,
        };
        let of = Some(Box::new(self.deeper(Self::sum)?.into_value()?));
        let over = Box::new(if self.take_word("where") {
            self.deeper(Self::condition)?.into_condition()?
        } else {
            Spanned::new(Condition::Everything, self.end()..self.end())
        });
        self.close_total(start, Value::Total { function, of, over }).map(Item::Value)
    }

    fn close_total<T>(&mut self, start: usize, node: T) -> Result<Spanned<T>, FilterFault> {
        self.expect(&TokenKind::Close, "The closing parenthesis `)` is missing here.")?;
        Ok(Spanned::new(node, start..self.end()))
    }
}

/// A number of digits only.
fn digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// `#17`
pub(super) fn ordinal(text: &str) -> Option<Ordinal> {
    text.strip_prefix('#').and_then(digits).map(Ordinal)
}

fn id_pattern(text: &str) -> Option<IdPattern> {
    if let Some((slot, generation)) = text.split_once('v') {
        let bits = u64::from(digits::<u32>(generation)?) << 32 | u64::from(digits::<u32>(slot)?);
        return EntityId::from_bits(bits).map(IdPattern::Id);
    }
    ordinal(text).map(IdPattern::Ordinal).or_else(|| digits(text).map(IdPattern::Slot))
}
