//! Whether an entity matches. Evaluating allocates nothing.

use super::token::{Comparison, Operator};
use crate::component::FieldValue;
use crate::id::{ComponentId, EntityId, Ordinal};

/// An entity as a filter sees it.
pub trait Subject {
    /// The creation number.
    fn ordinal(&self) -> Ordinal;
    /// The id.
    fn id(&self) -> EntityId;
    /// The type; empty if it has none.
    fn type_name(&self) -> &str;
    /// The class; empty if it has none.
    fn class_name(&self) -> &str;
    /// Whether it has the component.
    fn has(&self, component: ComponentId) -> bool;
    /// The value of a field, by its place among the component's fields; none if the entity lacks the component.
    fn field(&self, component: ComponentId, field: usize) -> Option<SubjectValue<'_>>;
    /// Whether it is static.
    fn is_static(&self) -> bool;
    /// Whether it is dead.
    fn is_dead(&self) -> bool;
    /// Whether any of its components was added or written in the last `ticks` ticks; 1 is the last tick alone.
    fn changed_within(&self, ticks: u64) -> bool;
}

impl<S: Subject + ?Sized> Subject for &S {
    fn ordinal(&self) -> Ordinal {
        (**self).ordinal()
    }
    fn id(&self) -> EntityId {
        (**self).id()
    }
    fn type_name(&self) -> &str {
        (**self).type_name()
    }
    fn class_name(&self) -> &str {
        (**self).class_name()
    }
    fn has(&self, component: ComponentId) -> bool {
        (**self).has(component)
    }
    fn field(&self, component: ComponentId, field: usize) -> Option<SubjectValue<'_>> {
        (**self).field(component, field)
    }
    fn is_static(&self) -> bool {
        (**self).is_static()
    }
    fn is_dead(&self) -> bool {
        (**self).is_dead()
    }
    fn changed_within(&self, ticks: u64) -> bool {
        (**self).changed_within(ticks)
    }
}

/// The value of a field as filters compare it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SubjectValue<'a> {
    /// Any number; a truth value as 0 or 1; of a list, how many items it has.
    Number(f64),
    /// For `Role::Text`.
    Text(&'a str),
    /// For `Role::Entity`; none if it points to nobody or to someone gone.
    Entity(Option<Ordinal>),
}

impl<'a> From<&'a FieldValue> for SubjectValue<'a> {
    fn from(value: &'a FieldValue) -> Self {
        match value {
            FieldValue::Bool(b) => Self::Number(f64::from(u8::from(*b))),
            FieldValue::Uint(n) => Self::Number(*n as f64),
            FieldValue::Int(n) => Self::Number(*n as f64),
            FieldValue::Float(n) => Self::Number(*n),
            FieldValue::Text(text) => Self::Text(text),
            FieldValue::Entity(ordinal) => Self::Entity(*ordinal),
            FieldValue::List(items) => Self::Number(items.len() as f64),
        }
    }
}

/// A condition compiled: names are ids, and what is cheap to decide comes first.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Everything,
    Not(Box<Test>),
    All(Box<[Test]>),
    Any(Box<[Test]>),
    With(ComponentId),
    Static,
    Dead,
    Id(EntityId),
    Slot(u32),
    Ordinal(Ordinal),
    Changed(u64),
    Type(Box<str>),
    Class(Box<str>),
    Number(Calculation<FieldPlace>, Comparison, Calculation<FieldPlace>),
    /// Equal, or not equal.
    Text(TextSide, bool, TextSide),
    /// Equal, or not equal.
    Entity(EntitySide, bool, EntitySide),
    Word(Word),
}

/// A field, by its component and its place among the component's fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FieldPlace {
    pub(super) component: ComponentId,
    pub(super) field: usize,
}

/// A number to be calculated from leaves that may be missing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Calculation<Leaf> {
    Constant(f64),
    Leaf(Leaf),
    Negate(Box<Calculation<Leaf>>),
    Binary(Box<Calculation<Leaf>>, Operator, Box<Calculation<Leaf>>),
}

impl<Leaf> Calculation<Leaf> {
    /// The number; none if a leaf is missing.
    pub(super) fn evaluate(&self, leaf: &impl Fn(&Leaf) -> Option<f64>) -> Option<f64> {
        match self {
            Self::Constant(number) => Some(*number),
            Self::Leaf(place) => leaf(place),
            Self::Negate(inner) => inner.evaluate(leaf).map(|number| -number),
            Self::Binary(left, operator, right) => {
                Some(operator.apply(left.evaluate(leaf)?, right.evaluate(leaf)?))
            }
        }
    }

    pub(super) fn leaves<'c>(&'c self, found: &mut Vec<&'c Leaf>) {
        match self {
            Self::Constant(_) => {}
            Self::Leaf(leaf) => found.push(leaf),
            Self::Negate(inner) => inner.leaves(found),
            Self::Binary(left, _, right) => {
                left.leaves(found);
                right.leaves(found);
            }
        }
    }
}

impl Calculation<FieldPlace> {
    pub(super) fn of(&self, subject: &impl Subject) -> Option<f64> {
        self.evaluate(&|place| match subject.field(place.component, place.field)? {
            SubjectValue::Number(number) => Some(number),
            SubjectValue::Text(_) | SubjectValue::Entity(_) => None,
        })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TextSide {
    Constant(Box<str>),
    Field(FieldPlace),
}

impl TextSide {
    fn of<'a>(&'a self, subject: &'a impl Subject) -> Option<&'a str> {
        match self {
            Self::Constant(text) => Some(text),
            Self::Field(place) => match subject.field(place.component, place.field)? {
                SubjectValue::Text(text) => Some(text),
                SubjectValue::Number(_) | SubjectValue::Entity(_) => None,
            },
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum EntitySide {
    Constant(Option<Ordinal>),
    Field(FieldPlace),
}

impl EntitySide {
    /// Whom it names, which may be nobody; none if the field is missing.
    fn of(&self, subject: &impl Subject) -> Option<Option<Ordinal>> {
        match self {
            Self::Constant(ordinal) => Some(*ordinal),
            Self::Field(place) => match subject.field(place.component, place.field)? {
                SubjectValue::Entity(ordinal) => Some(ordinal),
                SubjectValue::Number(_) | SubjectValue::Text(_) => None,
            },
        }
    }
}

impl Test {
    pub(super) fn holds(&self, subject: &impl Subject) -> bool {
        match self {
            Self::Everything => true,
            Self::Not(test) => !test.holds(subject),
            Self::All(tests) => tests.iter().all(|test| test.holds(subject)),
            Self::Any(tests) => tests.iter().any(|test| test.holds(subject)),
            Self::With(component) => subject.has(*component),
            Self::Static => subject.is_static(),
            Self::Dead => subject.is_dead(),
            Self::Id(id) => subject.id() == *id,
            Self::Slot(slot) => subject.id().slot() == *slot,
            Self::Ordinal(ordinal) => subject.ordinal() == *ordinal,
            Self::Changed(ticks) => subject.changed_within(*ticks),
            Self::Type(name) => subject.type_name() == &**name,
            Self::Class(name) => subject.class_name() == &**name,
            Self::Number(left, comparison, right) => match (left.of(subject), right.of(subject)) {
                (Some(left), Some(right)) => comparison.holds(left, right),
                _ => false,
            },
            Self::Text(left, equal, right) => match (left.of(subject), right.of(subject)) {
                (Some(left), Some(right)) => (left == right) == *equal,
                _ => false,
            },
            Self::Entity(left, equal, right) => match (left.of(subject), right.of(subject)) {
                (Some(left), Some(right)) => (left == right) == *equal,
                _ => false,
            },
            Self::Word(word) => word.is_in(subject),
        }
    }
}

/// A text looked for in types and ids, whatever its case.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    lower: Box<str>,
    /// Ids are made of digits and one `v`; most words cannot be part of one.
    could_be_in_id: bool,
}

impl Word {
    pub(super) fn new(text: &str) -> Self {
        let lower = text.to_lowercase();
        let could_be_in_id = lower.bytes().all(|b| b.is_ascii_digit() || b == b'v');
        Self { lower: lower.into(), could_be_in_id }
    }

    fn is_in(&self, subject: &impl Subject) -> bool {
        is_part_of(&self.lower, subject.type_name())
            || self.could_be_in_id && IdText::new(subject.id()).holds(self.lower.as_bytes())
    }
}

/// Whether `text` holds the lower-case text `lower`, whatever the case of `text`.
fn is_part_of(lower: &str, text: &str) -> bool {
    if lower.is_ascii() && text.is_ascii() {
        let (part, whole) = (lower.as_bytes(), text.as_bytes());
        return part.is_empty() || whole.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
    }
    let starts_here = |rest: &str| {
        let mut letters = rest.chars().flat_map(char::to_lowercase);
        lower.chars().all(|letter| letters.next() == Some(letter))
    };
    lower.is_empty() || text.char_indices().any(|(index, _)| starts_here(&text[index..]))
}

/// An id as it is displayed, written from the back where no memory is asked for.
struct IdText {
    bytes: [u8; Self::LONGEST],
    start: usize,
}

impl IdText {
    /// Two numbers of 32 bits and a letter.
    const LONGEST: usize = 21;

    fn new(id: EntityId) -> Self {
        let mut text = Self { bytes: [0; Self::LONGEST], start: Self::LONGEST };
        text.put_number(id.generation());
        text.put(b'v');
        text.put_number(id.slot());
        text
    }

    fn put_number(&mut self, mut number: u32) {
        loop {
            self.put(b'0' + (number % 10) as u8);
            number /= 10;
            if number == 0 {
                break;
            }
        }
    }

    fn put(&mut self, byte: u8) {
        self.start -= 1;
        self.bytes[self.start] = byte;
    }

    fn holds(&self, part: &[u8]) -> bool {
        part.is_empty() || self.bytes[self.start..].windows(part.len()).any(|window| window == part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ignore_case_beyond_ascii() {
        for (word, text, found) in [
            ("oak", "BigOak", true),
            ("ÄPFEL", "grüne äpfel", true),
            ("", "", true),
            ("oaks", "oak", false),
            ("ß", "straße", true),
            ("straße", "stra", false),
        ] {
            assert_eq!(is_part_of(&word.to_lowercase(), text), found, "{word} in {text}");
        }
    }

    #[test]
    fn ids_are_searched_as_they_are_displayed() {
        for (slot, generation) in [(0, 1), (42, 3), (100, 20), (u32::MAX, u32::MAX)] {
            let id = EntityId::new(slot, generation);
            let text = IdText::new(id);
            assert_eq!(&text.bytes[text.start..], id.to_string().as_bytes());
            assert!(text.holds(b"v") && text.holds(b"") && !text.holds(b"vv"));
        }
    }
}
