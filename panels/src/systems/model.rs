//! The schedule without its drawing.

use crate::view::View;
use vivarium_world::inspect::{PairReason, ScheduleView, SystemState, SystemView};
use vivarium_world::{ComponentId, PlanNeighbours, ReasonKind, SystemId};

/// A line of the list: the head of a batch, or a system of it.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// What the batch is called, and why it waits.
    Head(String, Option<&'a str>),
    /// A system.
    System(&'a SystemView),
}

/// The systems batch by batch; those in no batch last. Without a schedule they are one list.
pub(super) fn lines<'a>(systems: &'a [SystemView], schedule: Option<&'a ScheduleView>) -> Vec<Line<'a>> {
    let Some(schedule) = schedule else { return systems.iter().map(Line::System).collect() };
    let find = |id: &SystemId| systems.iter().find(|system| system.id == *id);
    let mut lines = Vec::new();
    for (n, batch) in schedule.batches.iter().enumerate() {
        lines.push(Line::Head(format!("Batch {}", n + 1), why_waits(schedule, n)));
        lines.extend(batch.iter().filter_map(find).map(Line::System));
    }
    let mut rest = systems
        .iter()
        .filter(|system| !schedule.batches.iter().any(|batch| batch.contains(&system.id)))
        .peekable();
    if rest.peek().is_some() {
        lines.push(Line::Head("In no batch".to_owned(), None));
        lines.extend(rest.map(Line::System));
    }
    lines
}

/// The first reason why a batch does not run with the one before it.
fn why_waits(schedule: &ScheduleView, batch: usize) -> Option<&str> {
    let before = schedule.batches.get(batch.checked_sub(1)?)?;
    let own = schedule.batches.get(batch)?;
    let reason = schedule.reasons.iter().find(|r| before.contains(&r.earlier) && own.contains(&r.later));
    reason.map(|reason| reason.sentence.as_str())
}

/// Why two systems may not run together, whichever comes first.
pub(super) fn reason(schedule: &ScheduleView, a: SystemId, b: SystemId) -> Option<&PairReason> {
    schedule.reasons.iter().find(|r| (r.earlier, r.later) == (a, b) || (r.earlier, r.later) == (b, a))
}

/// What a system and its neighbours in registration order are to each other: whether they run as one, and why not.
pub(super) fn neighbours(schedule: &ScheduleView, system: SystemId) -> impl Iterator<Item = &PlanNeighbours> {
    schedule.neighbours.iter().filter(move |pair| pair.earlier == system || pair.later == system)
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
    match &system.state {
        _ if !system.enabled => "off".to_owned(),
        SystemState::Idle => "idle".to_owned(),
        SystemState::Queued { after: Some(after) } => format!("waiting for {}", view.system_name(*after)),
        SystemState::Queued { after: None } => "queued".to_owned(),
        SystemState::Running { worker: Some(worker) } => format!("running on worker {worker}"),
        SystemState::Running { worker: None } => "running".to_owned(),
        SystemState::Publishing => "done, its effects wait".to_owned(),
        SystemState::Hung => "hangs".to_owned(),
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

/// The schedule as text: a paragraph a batch, then the reasons.
pub(super) fn as_text(view: &View<'_>, schedule: &ScheduleView) -> String {
    let mut text = String::new();
    for (n, batch) in schedule.batches.iter().enumerate() {
        let names: Vec<_> = batch.iter().map(|&id| view.system_name(id)).collect();
        text.push_str(&format!("Batch {}: {}\n", n + 1, names.join(", ")));
    }
    for reason in &schedule.reasons {
        text.push_str(&format!("{} ({})\n", reason.sentence, reason.kind));
    }
    for neighbours in &schedule.neighbours {
        text.push_str(&format!("{}\n", neighbours.sentence));
    }
    text
}

/// The schedule as a graph in the DOT language: an edge from each system to each that waits for it.
pub(super) fn as_dot(view: &View<'_>, schedule: &ScheduleView) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut text = String::from("digraph schedule {\n  rankdir=LR;\n");
    for (n, batch) in schedule.batches.iter().enumerate() {
        text.push_str(&format!("  subgraph cluster_{n} {{ label=\"Batch {}\";\n", n + 1));
        for &id in batch {
            text.push_str(&format!("    s{id} [label={}];\n", quoted(&view.system_name(id))));
        }
        text.push_str("  }\n");
    }
    for reason in &schedule.reasons {
        let (from, to) = (reason.earlier, reason.later);
        text.push_str(&format!("  s{from} -> s{to} [label={}];\n", quoted(reason.kind.label())));
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{BODY, BOUNCE, Fixture, HEALTH, MOVE, VELOCITY, WATCH};

    fn names(lines: &[Line<'_>]) -> Vec<String> {
        let name = |line: &Line<'_>| match line {
            Line::Head(head, why) => format!("{head}: {}", why.unwrap_or_default()),
            Line::System(system) => system.name.clone(),
        };
        lines.iter().map(name).collect()
    }

    #[test]
    fn systems_stand_in_their_batches_with_the_reason_between() {
        let fixture = Fixture::paused();
        let schedule = fixture.snapshot.schedule.as_deref();
        let sentence = "Batch 2: `bounce` waits for `move`: both write `velocity`";
        assert_eq!(
            names(&lines(&fixture.snapshot.systems, schedule)),
            ["Batch 1: ", "move", "watch", sentence, "bounce"]
        );
        assert_eq!(names(&lines(&fixture.snapshot.systems, None)), ["move", "bounce", "watch"]);
    }

    #[test]
    fn systems_the_schedule_leaves_out_are_not_lost() {
        let fixture = Fixture::paused();
        let schedule = ScheduleView { batches: vec![vec![MOVE]], ..ScheduleView::default() };
        let names = names(&lines(&fixture.snapshot.systems, Some(&schedule)));
        assert_eq!(names, ["Batch 1: ", "move", "In no batch: ", "bounce", "watch"]);
    }

    #[test]
    fn a_reason_is_found_from_either_side() {
        let fixture = Fixture::paused();
        let schedule = fixture.snapshot.schedule.as_deref().unwrap();
        assert_eq!(reason(schedule, BOUNCE, MOVE), reason(schedule, MOVE, BOUNCE));
        assert!(reason(schedule, MOVE, BOUNCE).is_some());
        assert_eq!(reason(schedule, MOVE, WATCH), None);
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
        system.state = SystemState::Running { worker: Some(2) };
        assert_eq!(state(&system, &view), "running on worker 2");
        system.enabled = false;
        assert_eq!(state(&system, &view), "off");
    }

    #[test]
    fn the_graph_has_an_edge_for_every_reason() {
        let fixture = Fixture::paused();
        let schedule = fixture.snapshot.schedule.as_deref().unwrap();
        let dot = as_dot(&fixture.view(), schedule);
        assert!(dot.contains("s0 -> s1 [label=\"write/write\"];"), "{dot}");
        assert_eq!(dot.matches('{').count(), dot.matches('}').count());
        let text = as_text(&fixture.view(), schedule);
        assert!(text.starts_with("Batch 1: move, watch\nBatch 2: bounce\n"));
        assert!(text.contains("`move` and `bounce` run as one, tile by tile\n"), "{text}");
    }
}
