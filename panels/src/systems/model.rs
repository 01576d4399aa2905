//! The schedule without its drawing.

use crate::view::View;
use std::time::Duration;
use vivarium_world::inspect::{PairReason, ScheduleView, SystemState, SystemView};
use vivarium_world::{ComponentId, PlanNeighbours, ReasonKind, SystemId};

/// Why two systems may not run together, whichever comes first.
pub(super) fn reason(schedule: &ScheduleView, a: SystemId, b: SystemId) -> Option<&PairReason> {
    schedule.reasons.iter().find(|r| (r.earlier, r.later) == (a, b) || (r.earlier, r.later) == (b, a))
}

/// What a system and its neighbours in registration order are to each other: whether they run as one, and why not.
pub(super) fn neighbours(schedule: &ScheduleView, system: SystemId) -> impl Iterator<Item = &PlanNeighbours> {
    schedule.neighbours.iter().filter(move |pair| pair.earlier == system || pair.later == system)
}

/// A sentence about any two systems: why the later one waits, or why it does not.
pub(super) fn explain(view: &View<'_>, schedule: &ScheduleView, a: SystemId, b: SystemId) -> String {
    if let Some(reason) = reason(schedule, a, b) {
        return reason.sentence.clone();
    }
    let sentence = schedule.plan.explain(a, b, &|id| component_name(view, id));
    sentence.unwrap_or_else(|| format!("{} and {} may run at once", view.system_name(a), view.system_name(b)))
}

fn component_name<'v>(view: &View<'v>, id: ComponentId) -> &'v str {
    view.snapshot.catalog.component(id).map_or("", |component| component.name.as_str())
}

/// One letter for a kind of reason, so that colour is not all that tells them apart.
pub(super) fn letter(kind: ReasonKind) -> &'static str {
    match kind {
        ReasonKind::WriteWrite => "w",
        ReasonKind::CreationRead | ReasonKind::CreationQueried | ReasonKind::CreatesWrites => "c",
        ReasonKind::Exclusive => "x",
        ReasonKind::WriteRead | ReasonKind::ReadWrite => "r",
    }
}

/// What a system is doing, in words.
pub(super) fn state(system: &SystemView, view: &View<'_>) -> String {
    let state = match &system.state {
        SystemState::Idle if !system.enabled => return "off".to_owned(),
        SystemState::Idle => "idle".to_owned(),
        SystemState::Queued { after: Some(after) } => format!("waiting for {}", view.system_name(*after)),
        SystemState::Queued { after: None } => "queued".to_owned(),
        SystemState::Running { worker: Some(worker) } => format!("running on worker {worker}"),
        SystemState::Running { worker: None } => "running".to_owned(),
        SystemState::Publishing => "done, its effects wait".to_owned(),
        SystemState::Hung => "hangs".to_owned(),
    };
    // One that waits is said already by the word.
    let is_queued = matches!(system.state, SystemState::Queued { .. });
    match system.waiting - usize::from(is_queued).min(system.waiting) {
        0 => state,
        more => format!("{state}, backlog {more}"),
    }
}

/// How much of the step a run takes, coarsely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Heat {
    /// Less than a twentieth.
    Cool,
    /// Less than a quarter.
    Warm,
    /// A quarter or more.
    Hot,
}

impl Heat {
    /// The heat of a system whose runs take `mean`, where a step stands for `step` milliseconds.
    pub(super) fn of(mean: Duration, step: f64) -> Self {
        match mean.as_secs_f64() * 1e3 / step {
            part if part.is_nan() || part < 0.05 || step <= 0.0 => Self::Cool,
            part if part < 0.25 => Self::Warm,
            _ => Self::Hot,
        }
    }

    /// It in words, as the end of a sentence.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Cool => "little of the step",
            Self::Warm => "a part of the step",
            Self::Hot => "a quarter of the step or more",
        }
    }
}

/// What a system does to a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// It writes it.
    Writes,
    /// It reads it.
    Reads,
    /// It creates entities that have it.
    Creates,
}

impl Touch {
    /// What `system` does to `component`, the strongest first; none if it leaves it alone.
    pub(super) fn of(system: &SystemView, component: ComponentId) -> Option<Self> {
        let creates = system.creates.as_ref().is_none_or(|list| list.contains(&component));
        match () {
            () if system.exclusive || system.writes.contains(&component) => Some(Self::Writes),
            () if system.reads.contains(&component) => Some(Self::Reads),
            () if creates => Some(Self::Creates),
            () => None,
        }
    }

    /// It in a word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Writes => "writes",
            Self::Reads => "reads",
            Self::Creates => "creates",
        }
    }
}

/// A part of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'s> {
    /// Words.
    Words(&'s str),
    /// The name of a system.
    System(SystemId, &'s str),
    /// The name of a component.
    Component(ComponentId, &'s str),
}

/// A sentence taken apart at the names in it, which stand between backticks.
pub(super) fn parts<'s>(view: &View<'_>, sentence: &'s str) -> Vec<Part<'s>> {
    let part = |(n, text): (usize, &'s str)| {
        if n % 2 == 0 {
            return Part::Words(text);
        }
        let systems = &view.snapshot.systems;
        let components = &view.snapshot.catalog.components;
        // Where several have a name, it is followed by the id.
        let is_it = |system: &&SystemView| {
            system.name == text || text.strip_prefix(&system.name) == Some(&format!(" #{}", system.id))
        };
        match (systems.iter().find(is_it), components.iter().find(|component| component.name == text)) {
            (Some(system), _) => Part::System(system.id, text),
            (None, Some(component)) => Part::Component(component.id, text),
            (None, None) => Part::Words(text),
        }
    };
    sentence.split('`').enumerate().map(part).filter(|part| *part != Part::Words("")).collect()
}

/// A form the schedule is copied in: what `vivarium schedule` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copied {
    /// Batches, then sentences.
    Text,
    /// A graph for Graphviz.
    Dot,
    /// A document.
    Json,
}

impl Copied {
    pub(super) const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Text, "As text", "Batches, and a sentence for every pair that waits"),
        (Self::Dot, "As DOT", "A graph for Graphviz"),
        (Self::Json, "As JSON", "The document that `vivarium schedule --format json` prints"),
    ];

    /// The schedule in this form.
    pub(super) fn text(self, view: &View<'_>, schedule: &ScheduleView) -> String {
        let names = |id| component_name(view, id);
        match self {
            Self::Text => schedule.plan.text(&names),
            Self::Dot => schedule.plan.dot(&names),
            Self::Json => {
                let document = schedule.plan.document(&names);
                let document = serde_json::json!({ "schema": 1, "schedule": document });
                format!("{document:#}\n")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{BODY, BOUNCE, Fixture, HEALTH, MOVE, VELOCITY, WATCH};

    #[test]
    fn a_reason_is_found_from_either_side() {
        let fixture = Fixture::paused();
        let schedule = fixture.snapshot.schedule.as_deref().unwrap();
        assert_eq!(reason(schedule, BOUNCE, MOVE), reason(schedule, MOVE, BOUNCE));
        assert!(reason(schedule, MOVE, BOUNCE).is_some());
        assert_eq!(reason(schedule, MOVE, WATCH), None);
    }

    #[test]
    fn pairs_that_are_free_are_explained_too() {
        let fixture = Fixture::paused();
        let schedule = fixture.snapshot.schedule.as_deref().unwrap();
        let text = explain(&fixture.view(), schedule, WATCH, MOVE);
        assert!(text.starts_with("`move` and `watch` may run at once: "), "{text}");
        let gone = explain(&fixture.view(), schedule, SystemId(99), MOVE);
        assert_eq!(gone, "system 99 and move may run at once");
    }

    #[test]
    fn writing_outweighs_reading_and_reading_creating() {
        let fixture = Fixture::paused();
        let mut bounce = fixture.snapshot.systems[1].clone();
        let touch = |system: &SystemView| [VELOCITY, BODY, HEALTH].map(|id| Touch::of(system, id));
        assert_eq!(touch(&bounce), [Some(Touch::Writes), Some(Touch::Reads), None]);
        bounce.creates = None;
        assert_eq!(touch(&bounce)[2], Some(Touch::Creates));
        bounce.exclusive = true;
        assert_eq!(touch(&bounce), [Some(Touch::Writes); 3]);
    }

    #[test]
    fn states_are_worded() {
        let fixture = Fixture::paused();
        let view = fixture.view();
        let mut system = fixture.snapshot.systems[1].clone();
        assert_eq!(state(&system, &view), "waiting for move");
        system.waiting = 3;
        assert_eq!(state(&system, &view), "waiting for move, backlog 2");
        system.state = SystemState::Running { worker: Some(2) };
        assert_eq!(state(&system, &view), "running on worker 2, backlog 3");
        system.waiting = 0;
        system.enabled = false;
        assert_eq!(state(&system, &view), "running on worker 2", "what runs is told though it is off by now");
        for (is, words) in [
            (SystemState::Idle, "off"),
            (SystemState::Queued { after: None }, "queued"),
            (SystemState::Publishing, "done, its effects wait"),
            (SystemState::Hung, "hangs"),
        ] {
            system.state = is;
            assert_eq!(state(&system, &view), words);
        }
    }

    #[test]
    fn heat_is_a_part_of_the_step() {
        let heat = |micros, step| Heat::of(Duration::from_micros(micros), step);
        assert_eq!([700, 900, 3_900, 4_100].map(|micros| heat(micros, 16.0)), {
            [Heat::Cool, Heat::Warm, Heat::Warm, Heat::Hot]
        });
        assert_eq!([heat(900_000, 0.0), heat(0, 0.0)], [Heat::Cool; 2]);
    }

    #[test]
    fn names_in_a_sentence_are_found() {
        let mut fixture = Fixture::paused();
        fixture.snapshot.systems[2].name = "move".to_owned();
        let found =
            parts(&fixture.view(), "`bounce` waits for `move #2`: both write `velocity`; `who` knows");
        assert_eq!(
            found,
            [
                Part::System(BOUNCE, "bounce"),
                Part::Words(" waits for "),
                Part::System(WATCH, "move #2"),
                Part::Words(": both write "),
                Part::Component(VELOCITY, "velocity"),
                Part::Words("; "),
                Part::Words("who"),
                Part::Words(" knows"),
            ]
        );
    }

    #[test]
    fn the_schedule_copies_as_the_command_line_prints_it() {
        let fixture = Fixture::paused();
        let schedule = fixture.snapshot.schedule.as_deref().unwrap();
        let text = |form: Copied| form.text(&fixture.view(), schedule);
        let sentence = "`bounce` waits for `move`: both write `velocity`\n";
        assert!(text(Copied::Text).starts_with(&format!("1: move, watch\n2: bounce\n\n{sentence}")));
        assert!(text(Copied::Dot).contains("s0 -> s1 [label=\"write/write\""), "{}", text(Copied::Dot));
        let document: serde_json::Value = serde_json::from_str(&text(Copied::Json)).unwrap();
        assert_eq!(document["schedule"]["systems"][1]["batch"], 2);
        assert_eq!(document["schedule"]["pairs"][0]["components"][0], "velocity");
    }
}
