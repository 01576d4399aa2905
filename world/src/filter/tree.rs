//! What a query says: a tree with the bytes that say it. Printed, it reads back as the same tree.

use super::token::{Comparison, Operator, TokenKind, tokens};
use crate::id::{EntityId, Ordinal};
use std::fmt;
use std::ops::Range;

/// Something said, and the bytes that say it. Two are equal if they say the same, wherever they stand.
#[derive(Clone, Debug)]
pub(super) struct Spanned<T> {
    pub(super) node: T,
    pub(super) span: Range<usize>,
}

impl<T> Spanned<T> {
    pub(super) fn new(node: T, span: Range<usize>) -> Self {
        Self { node, span }
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

pub(super) type Name = Spanned<String>;

/// What holds for an entity, or for all of them, or does not.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    /// The empty text.
    Everything,
    Not(Box<Spanned<Condition>>),
    /// Two or more.
    And(Vec<Spanned<Condition>>),
    /// Two or more.
    Or(Vec<Spanned<Condition>>),
    Type(Name),
    Class(Name),
    With(Name),
    Without(Name),
    Id(IdPattern),
    Static,
    Dead,
    /// Within this many ticks; at least 1.
    Changed(u64),
    /// In the type or the id.
    Word(String),
    /// A field alone.
    Field(Path),
    Compare(Box<Spanned<Value>>, Comparison, Box<Spanned<Value>>),
    /// `none(over)`
    NoneOf(Box<Spanned<Condition>>),
    /// `all(over : expected)`
    AllOf {
        over: Box<Spanned<Condition>>,
        expected: Box<Spanned<Condition>>,
    },
}

/// What `id:` names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum IdPattern {
    /// `42v3`
    Id(EntityId),
    /// `42`
    Slot(u32),
    /// `#17`
    Ordinal(Ordinal),
}

/// `component.field`
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Path {
    pub(super) component: Name,
    pub(super) field: Name,
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number as it was written; a condition of its own it is a word.
    Number {
        value: f64,
        text: String,
    },
    /// A word or a quoted text. Only unquoted it can mean `true`, `none`, `#17`.
    Text {
        text: String,
        quoted: bool,
    },
    Field(Path),
    Negate(Box<Spanned<Value>>),
    Binary(Box<Spanned<Value>>, Operator, Box<Spanned<Value>>),
    /// `count(over)`, or a function `of` a value where `over` holds.
    Total {
        function: Function,
        of: Option<Box<Spanned<Value>>>,
        over: Box<Spanned<Condition>>,
    },
}

/// How a total is made of many entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Count,
    Sum,
    Average,
    Least,
    Greatest,
}

impl Function {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Average => "avg",
            Self::Least => "min",
            Self::Greatest => "max",
        }
    }
}

/// Words that mean something where a term stands; as names they are quoted.
pub(super) const KEYWORDS: [&str; 5] = ["and", "or", "not", "static", "dead"];
/// Words that take parentheses.
pub(super) const TOTALS: [&str; 7] = ["count", "none", "all", "sum", "avg", "min", "max"];
/// Words that take a colon.
pub(super) const KEYS: [&str; 6] = ["type", "class", "with", "without", "id", "changed"];

/// The name as a query writes it: bare where it can be, else in quotes.
pub(super) fn written(name: &str) -> String {
    let reserved =
        KEYWORDS.contains(&name) || TOTALS.contains(&name) || name == "where" || name.starts_with('#');
    if !reserved
        && let (tokens, None) = tokens(name)
        && let [token] = &tokens[..]
        && matches!(token.kind, TokenKind::Word)
        && token.span == (0..name.len())
    {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

impl fmt::Display for Spanned<Condition> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everything => Ok(()),
            Self::Not(inner) => write!(f, "not {}", inside(&inner.node, true)),
            Self::And(all) => joined(f, all, " and ", true),
            Self::Or(any) => joined(f, any, " or ", false),
            Self::Type(name) => write!(f, "type:{}", written(&name.node)),
            Self::Class(name) => write!(f, "class:{}", written(&name.node)),
            Self::With(name) => write!(f, "with:{}", written(&name.node)),
            Self::Without(name) => write!(f, "without:{}", written(&name.node)),
            Self::Id(IdPattern::Id(id)) => write!(f, "id:{id}"),
            Self::Id(IdPattern::Slot(slot)) => write!(f, "id:{slot}"),
            Self::Id(IdPattern::Ordinal(ordinal)) => write!(f, "id:#{ordinal}"),
            Self::Static => f.write_str("static"),
            Self::Dead => f.write_str("dead"),
            Self::Changed(ticks) => write!(f, "changed:{ticks}t"),
            Self::Word(word) => f.write_str(&written(word)),
            Self::Field(path) => path.fmt(f),
            Self::Compare(left, comparison, right) => {
                write!(f, "{} {} {}", left.node, comparison.sign(), right.node)
            }
            Self::NoneOf(over) => write!(f, "none({over})"),
            Self::AllOf { over, expected } => write!(f, "all({over} : {expected})"),
        }
    }
}

/// The condition as it stands in another one: in parentheses if it would fall apart.
fn inside(condition: &Condition, strong: bool) -> String {
    match condition {
        Condition::Or(_) => format!("({condition})"),
        Condition::And(_) if strong => format!("({condition})"),
        _ => condition.to_string(),
    }
}

fn joined(
    f: &mut fmt::Formatter<'_>,
    conditions: &[Spanned<Condition>],
    word: &str,
    strong: bool,
) -> fmt::Result {
    for (index, condition) in conditions.iter().enumerate() {
        if index > 0 {
            f.write_str(word)?;
        }
        f.write_str(&inside(&condition.node, strong))?;
    }
    Ok(())
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", written(&self.component.node), written(&self.field.node))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { text, .. } => f.write_str(text),
            Self::Text { text, quoted: false } => f.write_str(text),
            Self::Text { text, quoted: true } => {
                write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
            Self::Field(path) => path.fmt(f),
            Self::Negate(inner) => match &inner.node {
                Self::Binary(..) => write!(f, "-({})", inner.node),
                _ => write!(f, "-{}", inner.node),
            },
            Self::Binary(left, operator, right) => {
                match &left.node {
                    Self::Binary(_, inner, _) if operator.is_product() && !inner.is_product() => {
                        write!(f, "({})", left.node)?;
                    }
                    _ => write!(f, "{}", left.node)?,
                }
                write!(f, " {} ", operator.sign())?;
                match &right.node {
                    Self::Binary(_, inner, _) if operator.is_product() || !inner.is_product() => {
                        write!(f, "({})", right.node)
                    }
                    _ => write!(f, "{}", right.node),
                }
            }
            Self::Total { function, of: None, over } => write!(f, "{}({over})", function.name()),
            Self::Total { function, of: Some(of), over } => match over.node {
                Condition::Everything => write!(f, "{}({})", function.name(), of.node),
                _ => write!(f, "{}({} where {over})", function.name(), of.node),
            },
        }
    }
}
