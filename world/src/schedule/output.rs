//! The plan for readers outside: as text, as a DOT graph, as a document to serialize.

use super::access::Creates;
use super::component_set::ComponentSet;
use super::explain::ComponentNames;
use super::plan::Plan;
use crate::id::SystemId;
use serde::Serialize;
use std::fmt::Write;

/// A plan as plain data with names in place of ids; serialize it to get JSON.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanDocument {
    /// Every system, in registration order.
    pub systems: Vec<PlanSystem>,
    /// The labels of the systems of each batch.
    pub batches: Vec<Vec<String>>,
    /// Every pair of which the later one waits for the earlier one.
    pub pairs: Vec<PlanPair>,
    /// Every system but the last with the one registered after it.
    pub neighbours: Vec<PlanNeighbours>,
}

/// Two systems side by side in registration order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanNeighbours {
    /// Id of the one registered earlier.
    pub earlier: SystemId,
    /// Id of the next.
    pub later: SystemId,
    /// Whether they run as one, tile by tile.
    pub joined: bool,
    /// That in a sentence, or why they do not.
    pub sentence: String,
}

/// A system of a [`PlanDocument`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanSystem {
    /// Its id.
    pub id: SystemId,
    /// Its name, with its id where another one has the same name.
    pub label: String,
    /// Its batch, from 1.
    pub batch: usize,
    /// Names of what it reads, `entity` only if it says so.
    pub reads: Vec<String>,
    /// Names of what it writes, adds or removes.
    pub writes: Vec<String>,
    /// Names of the components it may create; none if it may create any.
    pub creates: Option<Vec<String>>,
    /// Whether it may kill.
    pub kills: bool,
    /// Whether it runs alone.
    pub exclusive: bool,
}

/// Two systems that may not run at once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlanPair {
    /// Id of the one registered earlier.
    pub earlier: SystemId,
    /// Id of the one that waits.
    pub later: SystemId,
    /// The strongest reason in a few words: "exclusive", "write/write", "write/read", "read/write",
    /// "creates/writes" or "creation seen".
    pub kind: &'static str,
    /// Names of all components that are reasons.
    pub components: Vec<String>,
    /// All reasons in a sentence.
    pub sentence: String,
}

impl Plan {
    /// A line a batch: its number, from 1, and the systems in it.
    pub fn batch_lines(&self) -> String {
        let mut text = String::new();
        for (level, batch) in self.batches().batches().iter().enumerate() {
            let labels: Vec<&str> = batch.iter().map(|&place| self.label(place)).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}: {}", level + 1, labels.join(", "));
        }
        text
    }

    /// The batches, a sentence for every pair that may not run at once, and one for every two neighbours that run as
    /// one or do not.
    pub fn text(&self, names: &ComponentNames<'_>) -> String {
        let mut text = self.batch_lines();
        for (index, pair) in self.ordered_pairs(names).enumerate() {
            let gap = if index == 0 { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{}", pair.sentence);
        }
        for (index, neighbours) in self.neighbours().enumerate() {
            let gap = if index == 0 { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{}", neighbours.sentence);
        }
        text
    }

    /// A graph in the DOT language: a rank a batch, an arrow from each system to those that wait for it and for
    /// nobody in between.
    pub fn dot(&self, names: &ComponentNames<'_>) -> String {
        let mut dot = String::from("digraph schedule {\n  rankdir=LR;\n  node [shape=box];\n");
        for batch in self.batches().batches() {
            let nodes = batch.iter().map(|place| format!("s{place};")).collect::<Vec<_>>().join(" ");
            let _ = writeln!(dot, "  {{ rank=same; {nodes} }}");
        }
        for place in 0..self.systems().len() {
            let _ = writeln!(dot, "  s{place} [label={}];", quoted(self.label(place)));
        }
        for (later, nearest) in self.nearest_predecessors().iter().enumerate() {
            for &earlier in nearest {
                let sentence = quoted(&self.explain_places(earlier, later, names));
                let kind = self.conflict(earlier, later).map_or("", |kind| kind.label());
                let _ = writeln!(dot, "  s{earlier} -> s{later} [label=\"{kind}\", tooltip={sentence}];");
            }
        }
        dot.push_str("}\n");
        dot
    }

    /// The plan as plain data.
    pub fn document(&self, names: &ComponentNames<'_>) -> PlanDocument {
        let levels = self.batches().levels();
        let systems = self.systems().iter().zip(levels).enumerate().map(|(place, (system, &level))| {
            let access = &system.access;
            PlanSystem {
                id: system.id,
                label: self.label(place).to_owned(),
                batch: level + 1,
                reads: listed(&access.named_reads(), names),
                writes: listed(access.writes(), names),
                creates: match access.created() {
                    Creates::None => Some(Vec::new()),
                    Creates::These(components) => Some(listed(components, names)),
                    Creates::Anything => None,
                },
                kills: access.may_kill(),
                exclusive: access.alone().is_some(),
            }
        });
        let labels = |batch: &Vec<usize>| batch.iter().map(|&place| self.label(place).to_owned()).collect();
        PlanDocument {
            systems: systems.collect(),
            batches: self.batches().batches().iter().map(labels).collect(),
            pairs: self.ordered_pairs(names).collect(),
            neighbours: self.neighbours().collect(),
        }
    }

    /// Every system but the last with the one after it.
    pub fn neighbours(&self) -> impl Iterator<Item = PlanNeighbours> {
        self.systems().windows(2).enumerate().map(|(place, systems)| PlanNeighbours {
            earlier: systems[0].id,
            later: systems[1].id,
            joined: self.apart(place).is_none(),
            sentence: self.explain_joint(place).unwrap_or_default(),
        })
    }

    /// Every pair of which the later one waits, ordered by the later one, then the earlier one.
    pub fn ordered_pairs(&self, names: &ComponentNames<'_>) -> impl Iterator<Item = PlanPair> {
        let pairs = (0..self.systems().len())
            .flat_map(|later| self.predecessors(later).iter().map(move |&earlier| (earlier, later)));
        pairs.map(move |(earlier, later)| {
            let (first, second) = (&self.systems()[earlier], &self.systems()[later]);
            let reasons = first.access.reasons(&second.access);
            let components = reasons
                .iter()
                .filter_map(|reason| reason.components())
                .fold(ComponentSet::new(), |all, components| all.union(components));
            PlanPair {
                earlier: first.id,
                later: second.id,
                kind: reasons.first().map_or("", |reason| reason.kind().label()),
                components: listed(&components, names),
                sentence: self.explain_places(earlier, later, names),
            }
        })
    }
}

fn listed(components: &ComponentSet, names: &ComponentNames<'_>) -> Vec<String> {
    components.iter().map(|id| names(id).to_owned()).collect()
}

/// A string of the DOT language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
