//! Why a system waits for another, or does not, in one sentence.

use super::access::{Access, Alone};
use super::component_set::ComponentSet;
use super::conflict::Reason;
use super::plan::{Pair, Plan};
use crate::id::{ComponentId, SystemId};

/// The name of each component.
pub type ComponentNames<'n> = dyn Fn(ComponentId) -> &'n str + 'n;

impl Plan {
    /// A sentence about two systems, in either order: why the later one waits for the earlier one, or why they
    /// may run at once. None if one of them is not in the plan.
    pub fn explain(&self, one: SystemId, other: SystemId, names: &ComponentNames<'_>) -> Option<String> {
        let (one, other) = (self.place(one)?, self.place(other)?);
        Some(self.explain_places(one, other, names))
    }

    /// [`explain`](Self::explain) for two places in registration order.
    pub fn explain_places(&self, one: usize, other: usize, names: &ComponentNames<'_>) -> String {
        let (earlier, later) = (one.min(other), one.max(other));
        let a = format!("`{}`", self.label(earlier));
        let b = format!("`{}`", self.label(later));
        let about = Sentence { a: &a, b: &b, names };
        if earlier == later {
            return format!("{a} waits for itself: the runs of a system follow one another");
        }
        let (first, second) = (&self.systems()[earlier].access, &self.systems()[later].access);
        match self.pair(earlier, later) {
            Pair::Ordered(reasons) => format!("{b} waits for {a}: {}", about.reasons(&reasons).join("; ")),
            Pair::Free => {
                format!("{a} and {b} may run at once: {}", about.freedom(first, second).join("; "))
            }
        }
    }
}

/// Two systems a sentence is about, the earlier first, with their names in quotes.
struct Sentence<'a, 'n> {
    a: &'a str,
    b: &'a str,
    names: &'a ComponentNames<'n>,
}

impl Sentence<'_, '_> {
    fn reasons(&self, reasons: &[Reason]) -> Vec<String> {
        let mut clauses = self.shared_data(reasons);
        for reason in reasons {
            match reason {
                Reason::Exclusive { earlier, later } => clauses.push(self.exclusive(*earlier, *later)),
                Reason::WriteWrite(_) | Reason::WriteRead(_) | Reason::ReadWrite(_) => {}
                Reason::CreatesWrites(components) => clauses.push(format!(
                    "{} creates entities with {}, which {} writes",
                    self.a,
                    self.list(components),
                    self.b
                )),
                Reason::CreationRead(components) => clauses.push(format!(
                    "{} creates entities with {}, which {} reads outside its queries",
                    self.a,
                    self.list(components),
                    self.b
                )),
                Reason::CreationQueried { required, .. } if required.is_empty() => clauses.push(format!(
                    "a query of {} matches every entity, those {} creates too",
                    self.b, self.a
                )),
                Reason::CreationQueried { required, .. } => clauses.push(format!(
                    "{} creates entities with {}, all that a query of {} asks for",
                    self.a,
                    self.list(required),
                    self.b
                )),
            }
        }
        clauses
    }

    /// What both touch, and who writes which of it.
    fn shared_data(&self, reasons: &[Reason]) -> Vec<String> {
        let (mut both, mut by_a, mut by_b) = (ComponentSet::new(), ComponentSet::new(), ComponentSet::new());
        for reason in reasons {
            match reason {
                Reason::WriteWrite(components) => both = components.clone(),
                Reason::WriteRead(components) => by_a = components.clone(),
                Reason::ReadWrite(components) => by_b = components.clone(),
                _ => {}
            }
        }
        let touched = both.union(&by_a).union(&by_b);
        if touched.is_empty() {
            return Vec::new();
        }
        if touched == both {
            return vec![format!("both write {}", self.list(&both))];
        }
        let writes = |who: &str, what: &ComponentSet| {
            let object = match (touched == *what, what.len()) {
                (false, _) => self.list(what),
                (true, 1) => "it".to_owned(),
                (true, _) => "them".to_owned(),
            };
            (!what.is_empty()).then(|| format!("{who} writes {object}"))
        };
        let mut clauses = vec![format!("both touch {}", self.list(&touched))];
        if !both.is_empty() {
            clauses.push(format!("both write {}", self.list(&both)));
        }
        clauses.extend(writes(self.a, &by_a));
        clauses.extend(writes(self.b, &by_b));
        clauses
    }

    fn exclusive(&self, earlier: Option<Alone>, later: Option<Alone>) -> String {
        let why = |alone| match alone {
            Alone::Declared => "as it asked to",
            Alone::UnknownAccess => "because nobody knows what it touches",
            Alone::CreatesAnything => "because it may create any entity",
            Alone::AddsAnything => "because it may add any component",
        };
        match (earlier, later) {
            (Some(_), Some(_)) => "both run alone".to_owned(),
            (Some(one), None) => format!("{} runs alone, {}", self.a, why(one)),
            (None, Some(other)) => format!("{} runs alone, {}", self.b, why(other)),
            (None, None) => String::new(),
        }
    }

    /// Why nothing keeps them apart.
    fn freedom(&self, first: &Access, second: &Access) -> Vec<String> {
        let (first_reads, second_reads) = (first.named_reads(), second.named_reads());
        let shared = first_reads.intersection(&second_reads);
        let mut clauses = Vec::new();
        if !shared.is_empty() {
            clauses.push(format!("both only read {}", self.list(&shared)));
        }
        match (first.created_components(), second.created_components()) {
            (Some(_), Some(_)) => {
                clauses.push("what both create is published in their order".to_owned());
            }
            (Some(created), None) => {
                let met = created.intersection(&second_reads);
                if !met.is_empty() {
                    clauses.push(format!(
                        "{} creates entities with {}, but not all that a query of {} asks for",
                        self.a,
                        self.list(&met),
                        self.b
                    ));
                }
            }
            (None, Some(created)) => {
                let met = created.intersection(&first_reads.union(first.writes()));
                if !met.is_empty() {
                    clauses.push(format!(
                        "{} creates entities with {}, but they are published after {}",
                        self.b,
                        self.list(&met),
                        self.a
                    ));
                }
            }
            (None, None) => {}
        }
        if clauses.is_empty() {
            clauses.push("they touch no component in common".to_owned());
        }
        if first.may_kill() {
            clauses.push(format!("yet {} starts only when the kills of {} are done", self.b, self.a));
        }
        clauses
    }

    /// "`a`", "`a` and `b`", "`a`, `b` and `c`".
    fn list(&self, components: &ComponentSet) -> String {
        let mut names: Vec<String> = components.iter().map(|id| format!("`{}`", (self.names)(id))).collect();
        match (names.pop(), names.is_empty()) {
            (None, _) => String::new(),
            (Some(last), true) => last,
            (Some(last), false) => format!("{} and {last}", names.join(", ")),
        }
    }
}
