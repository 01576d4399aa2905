//! A tree and the names of a world to a filter: names become ids, and what cannot be compared is found.

use super::evaluate::{Calculation, EntitySide, FieldPlace, Subject, Test, TextSide, Word};
use super::names::Names;
use super::parse::parse;
use super::term::ordinal;
use super::token::{Comparison, FilterFault};
use super::tree::{Condition, IdPattern, Name, Path, Spanned, Value, written};
use crate::component::{Role, Scalar, colour_from_text};
use crate::id::{ComponentId, Ordinal};
use crate::scene::nearest;
use std::ops::Range;

/// A query compiled against the names of a world; it stays right as long as they do.
///
/// Dead entities are matched like living ones: who does not want them does not ask, or says `not dead`.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub(super) test: Test,
}

impl Filter {
    /// Compiles a query; an empty one matches everything.
    ///
    /// # Errors
    /// A fault if the text is not a query, names something unknown, or compares what cannot be compared.
    pub fn compile(text: &str, names: &(impl Names + ?Sized)) -> Result<Self, FilterFault> {
        Self::from_tree(&parse(text)?, names)
    }

    pub(super) fn from_tree(
        condition: &Spanned<Condition>,
        names: &(impl Names + ?Sized),
    ) -> Result<Self, FilterFault> {
        Ok(Self { test: Compiler { names }.condition(condition)? })
    }

    /// Whether the entity matches. Allocates nothing.
    pub fn matches(&self, subject: &impl Subject) -> bool {
        self.test.holds(subject)
    }

    /// Whether the query is empty, so that every entity matches.
    pub fn is_everything(&self) -> bool {
        self.test == Test::Everything
    }
}

/// What deciding a test costs, roughly; the cheap ones are asked first.
fn cost(test: &Test) -> u32 {
    match test {
        Test::Everything => 0,
        Test::With(_) | Test::Static | Test::Dead | Test::Id(_) | Test::Slot(_) | Test::Ordinal(_) => 1,
        Test::Type(_) | Test::Class(_) => 2,
        Test::Number(..) | Test::Entity(..) => 4,
        Test::Changed(_) | Test::Text(..) => 8,
        Test::Word(_) => 32,
        Test::Not(inner) => cost(inner),
        Test::All(tests) | Test::Any(tests) => tests.iter().map(cost).sum(),
    }
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Entity,
}

impl Kind {
    const fn words(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Entity => "an entity",
        }
    }
}

pub(super) struct Compiler<'n, N: ?Sized> {
    pub(super) names: &'n N,
}

impl<N: Names + ?Sized> Compiler<'_, N> {
    fn condition(&self, condition: &Spanned<Condition>) -> Result<Test, FilterFault> {
        Ok(match &condition.node {
            Condition::Everything => Test::Everything,
            Condition::Not(inner) => Test::Not(Box::new(self.condition(inner)?)),
            Condition::And(all) => Test::All(self.cheapest_first(all)?),
            Condition::Or(any) => Test::Any(self.cheapest_first(any)?),
            Condition::Type(name) => {
                known("type", name, self.names.type_names(), "class", self.names.class_names())?;
                Test::Type(name.node.as_str().into())
            }
            Condition::Class(name) => {
                known("class", name, self.names.class_names(), "type", self.names.type_names())?;
                Test::Class(name.node.as_str().into())
            }
            Condition::With(name) => Test::With(self.component(name)?),
            Condition::Without(name) => Test::Not(Box::new(Test::With(self.component(name)?))),
            Condition::Id(IdPattern::Id(id)) => Test::Id(*id),
            Condition::Id(IdPattern::Slot(slot)) => Test::Slot(*slot),
            Condition::Id(IdPattern::Ordinal(ordinal)) => Test::Ordinal(*ordinal),
            Condition::Static => Test::Static,
            Condition::Dead => Test::Dead,
            Condition::Changed(ticks) => Test::Changed(*ticks),
            Condition::Word(word) => Test::Word(Word::new(word)),
            Condition::Field(path) => self.field_alone(path)?,
            Condition::Compare(left, comparison, right) => {
                self.comparison(left, *comparison, right, &condition.span)?
            }
            Condition::NoneOf(_) | Condition::AllOf { .. } => {
                return Err(total_in_query(&condition.span));
            }
        })
    }

    fn cheapest_first(&self, conditions: &[Spanned<Condition>]) -> Result<Box<[Test]>, FilterFault> {
        let mut tests = conditions.iter().map(|c| self.condition(c)).collect::<Result<Vec<_>, _>>()?;
        tests.sort_by_key(cost);
        Ok(tests.into())
    }

    fn component(&self, name: &Name) -> Result<ComponentId, FilterFault> {
        self.names
            .component(&name.node)
            .ok_or_else(|| unknown("component", name, self.names.component_names(), ""))
    }

    fn path(&self, path: &Path) -> Result<(FieldPlace, Kind), FilterFault> {
        let component = self.names.component(&path.component.node).ok_or_else(|| {
            let advice = " A word with a point in it stands in double quotes.";
            unknown("component", &path.component, self.names.component_names(), advice)
        })?;
        let fields = self.names.fields(component);
        let Some((field, description)) =
            fields.iter().enumerate().find(|(_, field)| field.name == path.field.node)
        else {
            if fields.is_empty() {
                let message = format!("`{}` has no fields.", path.component.node);
                return Err(FilterFault::new(path.field.span.clone(), message));
            }
            let advice = if path.field.node.contains('-') { " A minus stands between blanks." } else { "" };
            let what = format!("field of `{}` named", path.component.node);
            return Err(unknown(
                &what,
                &path.field,
                fields.iter().map(|f| f.name.as_str()).collect(),
                advice,
            ));
        };
        let kind = match description.role {
            Role::Text => Kind::Text,
            Role::Entity => Kind::Entity,
            Role::List => {
                let message = format!("`{}` is a list; lists cannot be compared.", path.field.node);
                return Err(FilterFault::new(path.field.span.clone(), message));
            }
            Role::Plain | Role::Colour | Role::Angle | Role::Flags => Kind::Number,
        };
        Ok((FieldPlace { component, field }, kind))
    }

    fn field_alone(&self, path: &Path) -> Result<Test, FilterFault> {
        let (place, kind) = self.path(path)?;
        Ok(match kind {
            Kind::Number => {
                Test::Number(Calculation::Leaf(place), Comparison::NotEqual, Calculation::Constant(0.0))
            }
            Kind::Text => Test::Text(TextSide::Field(place), false, TextSide::Constant("".into())),
            Kind::Entity => Test::Entity(EntitySide::Field(place), false, EntitySide::Constant(None)),
        })
    }

    fn comparison(
        &self,
        left: &Spanned<Value>,
        comparison: Comparison,
        right: &Spanned<Value>,
        span: &Range<usize>,
    ) -> Result<Test, FilterFault> {
        let (left_kind, right_kind) = (self.kind(left)?, self.kind(right)?);
        // A bare word or text is what the other side makes of it.
        let kind = match (&left.node, &right.node) {
            (Value::Text { .. }, Value::Text { .. }) => Kind::Text,
            (Value::Text { .. }, _) => right_kind,
            (_, Value::Text { .. }) => left_kind,
            _ if left_kind == right_kind => left_kind,
            _ => {
                let message = format!("This compares {} with {}.", left_kind.words(), right_kind.words());
                return Err(FilterFault::new(span.clone(), message));
            }
        };
        let equal = match (kind, comparison) {
            (Kind::Number, _) => {
                let colour = self.is_colour(left) || self.is_colour(right);
                return Ok(Test::Number(
                    self.number_or_word(left, colour)?,
                    comparison,
                    self.number_or_word(right, colour)?,
                ));
            }
            (_, Comparison::Equal) => true,
            (_, Comparison::NotEqual) => false,
            (Kind::Text | Kind::Entity, _) => {
                let what = if kind == Kind::Text { "Texts" } else { "Entities" };
                let sign = comparison.sign();
                let message =
                    format!("{what} are equal or not; `{sign}` compares numbers. Write `=` or `!=`.");
                return Err(FilterFault::new(span.clone(), message));
            }
        };
        Ok(match kind {
            Kind::Text => Test::Text(self.text(left)?, equal, self.text(right)?),
            _ => Test::Entity(self.entity(left)?, equal, self.entity(right)?),
        })
    }

    fn kind(&self, value: &Spanned<Value>) -> Result<Kind, FilterFault> {
        match &value.node {
            Value::Text { .. } => Ok(Kind::Text),
            Value::Field(path) => Ok(self.path(path)?.1),
            Value::Number { .. } | Value::Negate(_) | Value::Binary(..) => Ok(Kind::Number),
            Value::Total { .. } => Err(total_in_query(&value.span)),
        }
    }

    fn is_colour(&self, value: &Spanned<Value>) -> bool {
        let Value::Field(path) = &value.node else { return false };
        let Ok((place, _)) = self.path(path) else { return false };
        let field = self.names.fields(place.component).get(place.field);
        field.is_some_and(|field| field.role == Role::Colour && field.scalar == Scalar::U32)
    }

    /// A number that is calculated from fields and numbers.
    pub(super) fn number(&self, value: &Spanned<Value>) -> Result<Calculation<FieldPlace>, FilterFault> {
        Ok(match &value.node {
            Value::Number { value, .. } => Calculation::Constant(*value),
            Value::Negate(inner) => Calculation::Negate(Box::new(self.number(inner)?)),
            Value::Binary(left, operator, right) => {
                Calculation::Binary(Box::new(self.number(left)?), *operator, Box::new(self.number(right)?))
            }
            Value::Field(path) => match self.path(path)? {
                (place, Kind::Number) => Calculation::Leaf(place),
                (_, kind) => {
                    let message = format!("`{path}` is {}; a number is needed here.", kind.words());
                    return Err(FilterFault::new(value.span.clone(), message));
                }
            },
            Value::Text { text, quoted } => return Err(self.text_for_number(text, *quoted, &value.span)),
            Value::Total { .. } => return Err(total_in_query(&value.span)),
        })
    }

    /// A number, or a word that means one beside a number field.
    fn number_or_word(
        &self,
        value: &Spanned<Value>,
        colour: bool,
    ) -> Result<Calculation<FieldPlace>, FilterFault> {
        let Value::Text { text, quoted } = &value.node else { return self.number(value) };
        let number = match text.as_str() {
            _ if *quoted => None,
            "true" => Some(1.0),
            "false" => Some(0.0),
            _ if colour => colour_from_text(text).map(f64::from),
            _ => None,
        };
        number.map(Calculation::Constant).ok_or_else(|| {
            if colour && !quoted && text.starts_with('#') {
                let message = "Colours look like `#rrggbb` or `#rrggbbaa`.";
                return FilterFault::new(value.span.clone(), message);
            }
            self.text_for_number(text, *quoted, &value.span)
        })
    }

    fn text_for_number(&self, text: &str, quoted: bool, span: &Range<usize>) -> FilterFault {
        let component = self.names.component(text).filter(|_| !quoted);
        let message = match component.map(|component| self.names.fields(component)) {
            Some([]) => {
                format!("`{text}` is a tag and has no number; `with:{text}` asks whether it is there.")
            }
            Some([field, ..]) => {
                format!("`{text}` is a component; name its field, as in `{text}.{}`.", field.name)
            }
            None => format!("`{text}` is a text; a number is needed here."),
        };
        FilterFault::new(span.clone(), message)
    }

    fn text(&self, value: &Spanned<Value>) -> Result<TextSide, FilterFault> {
        Ok(match &value.node {
            Value::Field(path) => TextSide::Field(self.path(path)?.0),
            Value::Text { text, .. } => TextSide::Constant(text.as_str().into()),
            _ => return Err(FilterFault::new(value.span.clone(), "A text is needed here.")),
        })
    }

    fn entity(&self, value: &Spanned<Value>) -> Result<EntitySide, FilterFault> {
        let constant: Option<Ordinal> = match &value.node {
            Value::Field(path) => return Ok(EntitySide::Field(self.path(path)?.0)),
            Value::Text { text, quoted: false } if text == "none" => None,
            Value::Text { text, quoted: false } if ordinal(text).is_some() => ordinal(text),
            _ => {
                let message = "An entity is needed here: its creation number like `#17`, or `none`.";
                return Err(FilterFault::new(value.span.clone(), message));
            }
        };
        Ok(EntitySide::Constant(constant))
    }
}

/// A fault unless `name` is among `names` or empty; it may be one of the `others`, which another term asks for.
fn known(
    what: &str,
    name: &Name,
    names: Vec<&str>,
    other: &str,
    others: Vec<&str>,
) -> Result<(), FilterFault> {
    if name.node.is_empty() || names.contains(&name.node.as_str()) {
        return Ok(());
    }
    if others.contains(&name.node.as_str()) {
        let written = written(&name.node);
        let message = format!("`{}` is a {other}, no {what}. Write `{other}:{written}`.", name.node);
        return Err(FilterFault::new(name.span.clone(), message));
    }
    Err(unknown(what, name, names, ""))
}

fn unknown(what: &str, name: &Name, names: Vec<&str>, advice: &str) -> FilterFault {
    const FEW: usize = 8;
    let few: Vec<String> =
        if names.len() <= FEW { names.iter().map(|n| format!("`{n}`")).collect() } else { vec![] };
    let message = match nearest(&name.node, names) {
        Some(meant) => format!("There is no {what} `{}`. Did you mean `{meant}`?{advice}", name.node),
        None if few.is_empty() => format!("There is no {what} `{}`.{advice}", name.node),
        None => format!("There is no {what} `{}`, only {}.{advice}", name.node, few.join(", ")),
    };
    FilterFault::new(name.span.clone(), message)
}

fn total_in_query(span: &Range<usize>) -> FilterFault {
    let message = "Totals such as `count(…)` belong in assertions; a query asks about one entity.";
    FilterFault::new(span.clone(), message)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::world;
    use super::*;

    fn compiled(text: &str) -> Filter {
        Filter::compile(text, &world()).unwrap_or_else(|fault| panic!("{text}: {fault} at {:?}", fault.span))
    }

    fn matching(text: &str) -> Vec<u64> {
        let (filter, world) = (compiled(text), world());
        world
            .subjects()
            .filter(|subject| filter.matches(subject))
            .map(|subject| subject.ordinal().0)
            .collect()
    }

    #[test]
    fn a_query_matches_these_entities() {
        for (text, expected) in [
            ("", &[0, 1, 2, 3, 4][..]),
            ("type:oak", &[0]),
            ("type:\"oak tree\"", &[3]),
            ("type:\"\"", &[4]),
            ("class:actor", &[1, 2]),
            ("not class:actor", &[0, 3, 4]),
            ("with:velocity", &[1, 2]),
            ("without:velocity", &[0, 3, 4]),
            ("with:entity", &[0, 1, 2, 3, 4]),
            ("id:42v3", &[3]),
            ("id:42v2", &[]),
            ("id:2", &[2]),
            ("id:#3", &[3]),
            ("#3", &[3]),
            ("static", &[0]),
            ("dead", &[3]),
            ("changed:1t", &[4]),
            ("changed:5t", &[1, 4]),
            ("OAK", &[0, 3]),
            ("\"k t\"", &[3]),
            ("2v", &[2, 3, 4]),
            ("2", &[2, 3, 4]),
            ("oak or wolf dead", &[0, 3]),
            ("(oak or wolf) not dead", &[0, 1]),
            ("class:actor health.health < 10", &[1]),
            ("health.health != 5", &[2, 4]),
            ("not health.health < 10", &[0, 2, 3, 4]),
            ("health.health != health.health", &[4]),
            ("velocity.x * velocity.x + velocity.y * velocity.y = 25", &[1]),
            ("velocity.x > velocity.y", &[]),
            ("-velocity.x ≥ 6", &[2]),
            ("velocity.x / 0 > 1", &[1]),
            ("velocity.x - 1 - 1 = 1", &[1]),
            ("2 < velocity.x", &[1]),
            ("body.solid", &[0]),
            ("not body.solid", &[1, 2, 3, 4]),
            ("body.solid = false", &[1]),
            ("body.colour = #00ff00", &[0]),
            ("body.colour = #808080ff", &[1]),
            ("name.text = Grey", &[1]),
            ("name.text = grey", &[]),
            ("name.text != \"it's\"", &[1]),
            ("name.text", &[1, 2]),
            ("hunt.target = #2", &[1]),
            ("hunt.target = none", &[2]),
            ("hunt.target != none", &[1]),
            ("hunt.target", &[1]),
            ("\"my part\".\"a field\" = 7", &[3]),
        ] {
            assert_eq!(matching(text), expected, "{text}");
        }
    }

    #[test]
    fn faults_say_where_and_what_was_meant() {
        for (text, span, says) in [
            ("type:wolv", 5..9, "Did you mean `wolf`?"),
            ("class:Tree", 6..10, "Did you mean `tree`?"),
            ("oak with:helth", 9..14, "Did you mean `health`?"),
            ("without:zzz", 8..11, "There is no component `zzz`, only `entity`, `velocity`, "),
            ("type:tree", 5..9, "`tree` is a class, no type. Write `class:tree`."),
            ("class:\"oak tree\"", 6..16, "Write `type:\"oak tree\"`."),
            ("velocty.x > 1", 0..7, "Did you mean `velocity`?"),
            ("oak.big", 0..3, "double quotes"),
            ("velocity.z > 1", 9..10, "There is no field of `velocity` named `z`, only `x`, `y`."),
            ("health.health-1 > 1", 7..15, "A minus stands between blanks."),
            ("frozen.x > 1", 7..8, "`frozen` has no fields."),
            ("health < 10", 0..6, "`health.health`"),
            ("frozen = 1", 0..6, "`with:frozen`"),
            ("health.health = oak", 16..19, "a number is needed"),
            ("health.health = \"true\"", 16..22, "a number is needed"),
            ("body.colour = #12", 14..17, "`#rrggbb`"),
            ("name.text < Grey", 0..16, "`=` or `!=`"),
            ("a < b", 0..5, "`=` or `!=`"),
            ("hunt.target >= #2", 0..17, "`=` or `!=`"),
            ("hunt.target = 2", 0..15, "an entity with a number"),
            ("hunt.target = wolf", 14..18, "`#17`"),
            ("name.text = health.health", 0..25, "a text with a number"),
            ("name.text + 1 > 2", 0..9, "is a text"),
            ("hunt.past = 1", 5..9, "lists cannot be compared"),
            ("oak count(dead) > 1", 4..15, "belong in assertions"),
            ("oak none(dead)", 4..14, "belong in assertions"),
        ] {
            let fault = Filter::compile(text, &world()).expect_err(text);
            assert_eq!(fault.span, span, "{text}: {fault}");
            assert!(fault.message.contains(says), "{text}: {fault}");
        }
    }
}
