//! Assertions: totals over many entities, compared.

use super::compile::{Compiler, Filter};
use super::evaluate::{Calculation, FieldPlace, Subject};
use super::names::Names;
use super::parse::parse;
use super::token::{Comparison, FilterFault};
use super::tree::{Condition, Function, Spanned, Value};
use crate::id::{ComponentId, Ordinal};

/// A condition on a whole world, compiled; it stays right as long as the names do.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    check: Check,
    totals: Vec<TotalPlan>,
}

/// What an assertion found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the assertion is true.
    pub holds: bool,
    /// Its totals, in the order they are written.
    pub totals: Vec<Total>,
    /// The first entities that make it false, in the order they were met; empty if it is true, or if what is
    /// missing is to blame.
    pub offenders: Vec<Ordinal>,
    /// How many entities make it false; one that spoils two totals counts twice.
    pub offending: u64,
    /// A query that matches the offenders; none if there are none.
    pub offenders_query: Option<String>,
}

impl Outcome {
    /// The value of the first total; none if it has none.
    pub fn value(&self) -> Option<f64> {
        self.totals.first().and_then(|total| total.value)
    }
}

/// A total and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// How it is written.
    pub text: String,
    /// The value: for `none` how many match, for `all` how many fail. None for the average, the least and the
    /// greatest of no entity at all.
    pub value: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
enum Check {
    Not(Box<Check>),
    All(Vec<Check>),
    Any(Vec<Check>),
    Compare(Calculation<usize>, Comparison, Calculation<usize>),
    /// That this total, a count, is 0.
    Zero(usize),
}

/// How a total is made.
#[derive(Clone, Debug, PartialEq)]
struct TotalPlan {
    function: Function,
    over: Filter,
    /// Not for counts.
    of: Option<Calculation<FieldPlace>>,
    text: String,
    /// A query that matches what is counted.
    query: String,
}

impl Assertion {
    /// Compiles an assertion.
    ///
    /// # Errors
    /// A fault if the text is not an assertion, names something unknown, or compares what cannot be compared.
    pub fn compile(text: &str, names: &(impl Names + ?Sized)) -> Result<Self, FilterFault> {
        let tree = parse(text)?;
        let mut plan = Planner { names, totals: Vec::new() };
        let check = plan.check(&tree)?;
        Ok(Self { check, totals: plan.totals })
    }

    /// Whether it holds for these entities, naming at most `most_offenders` of those that make it false.
    pub fn evaluate<S: Subject>(
        &self,
        subjects: impl IntoIterator<Item = S>,
        most_offenders: usize,
    ) -> Outcome {
        let mut tally = self.tally(most_offenders);
        for subject in subjects {
            tally.add(&subject);
        }
        tally.outcome()
    }

    /// An empty tally: `evaluate` for entities that come one by one.
    pub fn tally(&self, most_offenders: usize) -> Tally<'_> {
        Tally { assertion: self, states: vec![TotalState::default(); self.totals.len()], most_offenders }
    }

    /// The components whose fields are read, sorted.
    pub fn reads(&self) -> Vec<ComponentId> {
        let mut found: Vec<ComponentId> = self.totals.iter().flat_map(|total| total.over.reads()).collect();
        let mut places = Vec::new();
        for calculation in self.totals.iter().filter_map(|total| total.of.as_ref()) {
            calculation.leaves(&mut places);
        }
        found.extend(places.iter().map(|place| place.component));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// How many ticks back `changed:` asks at most; none if it does not occur.
    pub fn changed_within(&self) -> Option<u64> {
        self.totals.iter().filter_map(|total| total.over.changed_within()).max()
    }
}

struct Planner<'n, N: ?Sized> {
    names: &'n N,
    totals: Vec<TotalPlan>,
}

impl<N: Names + ?Sized> Planner<'_, N> {
    fn check(&mut self, condition: &Spanned<Condition>) -> Result<Check, FilterFault> {
        Ok(match &condition.node {
            Condition::Not(inner) => Check::Not(Box::new(self.check(inner)?)),
            Condition::And(all) => Check::All(self.checks(all)?),
            Condition::Or(any) => Check::Any(self.checks(any)?),
            Condition::Compare(left, comparison, right) => {
                Check::Compare(self.figure(left)?, *comparison, self.figure(right)?)
            }
            Condition::NoneOf(over) => {
                let filter = Filter::from_tree(over, self.names)?;
                Check::Zero(self.total(
                    Function::Count,
                    filter,
                    None,
                    condition.to_string(),
                    over.to_string(),
                ))
            }
            Condition::AllOf { over, expected } => {
                let fails = Condition::Not(Box::new((**expected).clone()));
                let fails = Spanned::new(fails, expected.span.clone());
                let offenders = match over.node {
                    Condition::Everything => fails,
                    _ => Spanned::new(Condition::And(vec![(**over).clone(), fails]), condition.span.clone()),
                };
                let filter = Filter::from_tree(&offenders, self.names)?;
                let (text, query) = (condition.to_string(), offenders.to_string());
                Check::Zero(self.total(Function::Count, filter, None, text, query))
            }
            _ => {
                let message = "This asks about one entity. An assertion compares totals, as in \
                               `count(type:oak) > 0`, `none(dead)` or `all(class:tree : static)`.";
                return Err(FilterFault::new(condition.span.clone(), message));
            }
        })
    }

    fn checks(&mut self, conditions: &[Spanned<Condition>]) -> Result<Vec<Check>, FilterFault> {
        conditions.iter().map(|condition| self.check(condition)).collect()
    }

    fn figure(&mut self, value: &Spanned<Value>) -> Result<Calculation<usize>, FilterFault> {
        Ok(match &value.node {
            Value::Number { value, .. } => Calculation::Constant(*value),
            Value::Negate(inner) => Calculation::Negate(Box::new(self.figure(inner)?)),
            Value::Binary(left, operator, right) => {
                Calculation::Binary(Box::new(self.figure(left)?), *operator, Box::new(self.figure(right)?))
            }
            Value::Total { function, of, over } => {
                let filter = Filter::from_tree(over, self.names)?;
                let of = match of {
                    Some(of) => Some(Compiler { names: self.names }.number(of)?),
                    None => None,
                };
                let (text, query) = (value.node.to_string(), over.to_string());
                Calculation::Leaf(self.total(*function, filter, of, text, query))
            }
            Value::Field(path) => {
                let message = format!(
                    "`{path}` has a value in every entity; say which one is meant, as in `max({path})`."
                );
                return Err(FilterFault::new(value.span.clone(), message));
            }
            Value::Text { .. } => {
                let message = "A number or a total such as `count(…)` is needed here.";
                return Err(FilterFault::new(value.span.clone(), message));
            }
        })
    }

    fn total(
        &mut self,
        function: Function,
        over: Filter,
        of: Option<Calculation<FieldPlace>>,
        text: String,
        query: String,
    ) -> usize {
        self.totals.push(TotalPlan { function, over, of, text, query });
        self.totals.len() - 1
    }
}

/// The totals of an assertion over the entities seen so far.
#[derive(Clone, Debug)]
pub struct Tally<'a> {
    assertion: &'a Assertion,
    states: Vec<TotalState>,
    most_offenders: usize,
}

#[derive(Clone, Debug, Default)]
struct TotalState {
    count: u64,
    sum: f64,
    /// The least or the greatest value and whose it is.
    extreme: Option<(f64, Ordinal)>,
    /// The first that were counted.
    first: Vec<Ordinal>,
}

impl TotalState {
    fn value(&self, function: Function) -> Option<f64> {
        match function {
            Function::Count => Some(self.count as f64),
            Function::Sum => Some(self.sum),
            Function::Average => (self.count > 0).then(|| self.sum / self.count as f64),
            Function::Least | Function::Greatest => self.extreme.map(|(value, _)| value),
        }
    }
}

impl Tally<'_> {
    /// Takes an entity into account.
    pub fn add(&mut self, subject: &impl Subject) {
        for (plan, state) in self.assertion.totals.iter().zip(&mut self.states) {
            if !plan.over.matches(subject) {
                continue;
            }
            let Some(calculation) = &plan.of else {
                state.count += 1;
                if state.first.len() < self.most_offenders {
                    state.first.push(subject.ordinal());
                }
                continue;
            };
            let Some(value) = calculation.of(subject) else { continue };
            state.count += 1;
            state.sum += value;
            let replaces = state.extreme.is_none_or(|(extreme, _)| match plan.function {
                // Something that is no number stays, so that it is seen.
                _ if extreme.is_nan() => false,
                Function::Least => value < extreme || value.is_nan(),
                _ => value > extreme || value.is_nan(),
            });
            if replaces {
                state.extreme = Some((value, subject.ordinal()));
            }
        }
    }

    /// What the entities so far amount to.
    pub fn outcome(&self) -> Outcome {
        let plans = &self.assertion.totals;
        let totals = plans
            .iter()
            .zip(&self.states)
            .map(|(plan, state)| Total { text: plan.text.clone(), value: state.value(plan.function) })
            .collect();
        let holds = self.holds(&self.assertion.check);
        let mut outcome =
            Outcome { holds, totals, offenders: Vec::new(), offending: 0, offenders_query: None };
        if !holds {
            self.blame(&self.assertion.check, false, &mut outcome);
        }
        outcome
    }

    fn figure(&self, calculation: &Calculation<usize>) -> Option<f64> {
        calculation.evaluate(&|&index| self.states[index].value(self.assertion.totals[index].function))
    }

    fn holds(&self, check: &Check) -> bool {
        match check {
            Check::Not(inner) => !self.holds(inner),
            Check::All(all) => all.iter().all(|check| self.holds(check)),
            Check::Any(any) => any.iter().any(|check| self.holds(check)),
            Check::Zero(index) => self.states[*index].count == 0,
            Check::Compare(left, comparison, right) => match (self.figure(left), self.figure(right)) {
                (Some(left), Some(right)) => comparison.holds(left, right),
                _ => false,
            },
        }
    }

    /// Collects who is to blame that `check` came out as `came_out`.
    fn blame(&self, check: &Check, came_out: bool, outcome: &mut Outcome) {
        if self.holds(check) != came_out {
            return;
        }
        match check {
            Check::Not(inner) => self.blame(inner, !came_out, outcome),
            Check::All(parts) | Check::Any(parts) => {
                parts.iter().for_each(|part| self.blame(part, came_out, outcome));
            }
            Check::Zero(index) if !came_out => self.blame_counted(*index, outcome),
            Check::Zero(_) => {}
            Check::Compare(left, comparison, right) => {
                let (Some(left_value), Some(right_value)) = (self.figure(left), self.figure(right)) else {
                    return;
                };
                let left_is_too_large = match comparison {
                    Comparison::Less | Comparison::LessOrEqual => Some(!came_out),
                    Comparison::Greater | Comparison::GreaterOrEqual => Some(came_out),
                    Comparison::Equal | Comparison::NotEqual if left_value == right_value => None,
                    Comparison::Equal | Comparison::NotEqual => Some(left_value > right_value),
                };
                self.blame_side(left, left_is_too_large, outcome);
                self.blame_side(right, left_is_too_large.map(|left| !left), outcome);
            }
        }
    }

    /// Blames a side of a comparison that is too large or too small, where single entities made it so.
    fn blame_side(&self, side: &Calculation<usize>, too_large: Option<bool>, outcome: &mut Outcome) {
        let Calculation::Leaf(index) = *side else { return };
        let state = &self.states[index];
        match (self.assertion.totals[index].function, state.extreme) {
            (Function::Count, _) if too_large == Some(true) => self.blame_counted(index, outcome),
            (Function::Least, Some((value, whose))) if too_large == Some(false) || value.is_nan() => {
                self.blame_one(whose, outcome);
            }
            (Function::Greatest, Some((value, whose))) if too_large == Some(true) || value.is_nan() => {
                self.blame_one(whose, outcome);
            }
            _ => {}
        }
    }

    fn blame_counted(&self, index: usize, outcome: &mut Outcome) {
        let state = &self.states[index];
        let room = self.most_offenders.saturating_sub(outcome.offenders.len());
        outcome.offenders.extend(state.first.iter().take(room));
        outcome.offending += state.count;
        if state.count > 0 {
            add_query(&mut outcome.offenders_query, self.assertion.totals[index].query.clone());
        }
    }

    fn blame_one(&self, ordinal: Ordinal, outcome: &mut Outcome) {
        if outcome.offenders.len() < self.most_offenders {
            outcome.offenders.push(ordinal);
        }
        outcome.offending += 1;
        add_query(&mut outcome.offenders_query, format!("id:#{ordinal}"));
    }
}

/// Widens a query by an alternative; the empty query is everything already.
fn add_query(query: &mut Option<String>, alternative: String) {
    *query = Some(match query.take() {
        None => alternative,
        Some(known) if known.is_empty() || alternative.is_empty() => String::new(),
        Some(known) => format!("{known} or {alternative}"),
    });
}

#[cfg(test)]
mod tests {
    use super::super::fixture::world;
    use super::*;

    fn outcome(text: &str) -> Outcome {
        let world = world();
        Assertion::compile(text, &world)
            .unwrap_or_else(|fault| panic!("{text}: {fault} at {:?}", fault.span))
            .evaluate(world.subjects(), 2)
    }

    #[test]
    fn an_assertion_holds_or_fails_with_its_value_and_offenders() {
        for (text, holds, value, offenders) in [
            ("count() = 5", true, Some(5.0), &[][..]),
            ("count(class:actor) >= 2", true, Some(2.0), &[]),
            ("count(class:actor) < 2", false, Some(2.0), &[1, 2]),
            ("count(class:actor) > 2", false, Some(2.0), &[]),
            ("1 >= count(class:actor)", false, Some(2.0), &[1, 2]),
            ("not count(class:actor) >= 2", false, Some(2.0), &[1, 2]),
            ("none(dead)", false, Some(1.0), &[3]),
            ("not none(dead)", true, Some(1.0), &[]),
            ("none(type:wolf dead)", true, Some(0.0), &[]),
            ("all(class:actor : with:velocity)", true, Some(0.0), &[]),
            ("all(class:actor or dead : health.health > 10)", false, Some(2.0), &[1, 3]),
            ("all(: static)", false, Some(4.0), &[1, 2]),
            ("sum(velocity.x) = -3", true, Some(-3.0), &[]),
            ("sum(velocity.x where type:oak) = 0", true, Some(0.0), &[]),
            ("avg(health.health where class:actor) = 8.5", true, Some(8.5), &[]),
            ("avg(velocity.x where type:oak) = 0", false, None, &[]),
            ("min(velocity.x) >= 0", false, Some(-6.0), &[2]),
            ("max(velocity.x * 2) <= 5", false, Some(6.0), &[1]),
            ("max(velocity.x) - min(velocity.x) = 9", true, Some(3.0), &[]),
            ("count(class:tree) + count(class:actor) * 2 = 6", true, Some(2.0), &[]),
            ("count() = 5 and (none(dead) or none(static))", false, Some(5.0), &[3, 0]),
            ("count() = 4 or count() = 5", true, Some(5.0), &[]),
            ("-count() = -5", true, Some(5.0), &[]),
        ] {
            let outcome = outcome(text);
            assert_eq!(outcome.holds, holds, "{text}");
            assert_eq!(outcome.value(), value, "{text}");
            assert_eq!(outcome.offenders.iter().map(|o| o.0).collect::<Vec<_>>(), offenders, "{text}");
        }
    }

    #[test]
    fn something_that_is_no_number_fails_and_is_named() {
        for text in ["max(health.health) < 100", "min(health.health) > 0"] {
            let outcome = outcome(text);
            assert!(!outcome.holds && outcome.value().is_some_and(f64::is_nan), "{text}");
            assert_eq!(outcome.offenders, [Ordinal(4)], "{text}");
        }
    }

    #[test]
    fn the_offenders_query_matches_the_offenders() {
        for (text, query) in [
            ("none(dead or static)", "dead or static"),
            (
                "all(class:actor or dead : health.health > 10)",
                "(class:actor or dead) and not health.health > 10",
            ),
            ("all(: static dead)", "not (static and dead)"),
            ("min(velocity.x) >= 0", "id:#2"),
            ("none(dead) and none(static)", "dead or static"),
            ("count() < 2 and none(dead)", ""),
        ] {
            let world = world();
            let assertion = Assertion::compile(text, &world).unwrap();
            let outcome = assertion.evaluate(world.subjects(), 100);
            assert_eq!(outcome.offenders_query.as_deref(), Some(query), "{text}");
            let filter = Filter::compile(query, &world).unwrap();
            let shown = world.subjects().filter(|subject| filter.matches(subject)).map(|s| s.ordinal());
            let mut offenders = outcome.offenders.clone();
            offenders.sort_unstable();
            offenders.dedup();
            assert_eq!(shown.collect::<Vec<_>>(), offenders, "{text}");
        }
        assert_eq!(outcome("count() = 5").offenders_query, None);
        assert_eq!(outcome("none(oak)").offending, 2);
    }

    #[test]
    fn totals_carry_their_text() {
        let outcome = outcome("max( velocity.x where  with:health) > count(type:wolf)");
        let texts: Vec<_> = outcome.totals.iter().map(|total| total.text.as_str()).collect();
        assert_eq!(texts, ["max(velocity.x where with:health)", "count(type:wolf)"]);
    }

    #[test]
    fn faults_say_where_and_what_to_do() {
        for (text, span, says) in [
            ("", 0..0, "compares totals"),
            ("type:oak", 0..8, "compares totals"),
            ("none(dead) static", 11..17, "compares totals"),
            ("health.health > 3", 0..13, "`max(health.health)`"),
            ("count(dead)", 0..11, "compare it"),
            ("count(type:ok) = 1", 11..13, "Did you mean `oak`?"),
            ("count(count() > 1) = 1", 6..13, "belong in assertions"),
            ("all(class:actor : helth.health > 1)", 18..23, "Did you mean `health`?"),
            ("all(class:acto : static)", 10..14, "Did you mean `actor`?"),
            ("sum(name.text) > 1", 4..13, "is a text"),
            ("sum(health) > 1", 4..10, "`health.health`"),
            ("count() = many", 10..14, "a total such as"),
        ] {
            let fault = Assertion::compile(text, &world()).expect_err(text);
            assert_eq!(fault.span, span, "{text}: {fault}");
            assert!(fault.message.contains(says), "{text}: {fault}");
        }
    }

    #[test]
    fn an_assertion_knows_what_it_reads() {
        let text = "sum(velocity.x where health.health > 1 changed:3t) > count(with:body)";
        let world = world();
        let assertion = Assertion::compile(text, &world).unwrap();
        let expected = ["velocity", "health"].map(|name| world.component(name).unwrap());
        assert_eq!(assertion.reads(), expected);
        assert_eq!(assertion.changed_within(), Some(3));
    }
}
