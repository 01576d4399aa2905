//! The lines of the batches: cards, what is in them, and why there is something between them.

use std::collections::HashMap;
use vivarium_world::SystemId;
use vivarium_world::inspect::{PairReason, ScheduleView, SystemView};

/// A line, all of one height.
#[derive(Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) kind: Kind<'a>,
    /// Whether it begins and whether it ends a card; none if it lies between cards.
    pub(super) card: Option<Ends>,
    /// The same for the frame around systems that run as one.
    pub(super) frame: Option<Ends>,
}

/// Whether a line is the first and the last of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) first: bool,
    pub(super) last: bool,
}

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum Kind<'a> {
    /// The number of a batch, from 1, and how many systems it has. Those in no batch have the number none.
    Head(Option<usize>, usize),
    /// The systems that follow run as one.
    Joined(usize),
    /// A system, and its batch if it stands in the card of another.
    System(&'a SystemView, Option<usize>),
    /// A system that runs as one with others, and stands in the card of that batch.
    Elsewhere(&'a SystemView, usize),
    /// Why the batch that follows waits for the one before.
    Why(&'a PairReason),
    /// There are more reasons.
    MoreReasons(usize),
    /// Nothing.
    Gap,
}

/// Reasons that are listed between two cards.
const REASONS: usize = 3;

impl<'a> Line<'a> {
    fn between(kind: Kind<'a>) -> Self {
        Self { kind, card: None, frame: None }
    }

    fn inside(kind: Kind<'a>) -> Self {
        Self { kind, card: Some(Ends::default()), frame: None }
    }
}

/// The systems batch by batch; those in no batch last. Without a schedule they are one card.
pub(super) fn lines<'a>(systems: &'a [SystemView], schedule: Option<&'a ScheduleView>) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    let find: HashMap<SystemId, &SystemView> = systems.iter().map(|system| (system.id, system)).collect();
    let groups = schedule.map_or_else(Vec::new, |schedule| groups(systems, schedule));
    let batches = schedule.map_or(&[][..], |schedule| &schedule.batches);
    let batch_of: HashMap<SystemId, usize> =
        (1..).zip(batches).flat_map(|(n, batch)| batch.iter().map(move |&id| (id, n))).collect();
    for (number, batch) in (1..).zip(batches) {
        if let (Some(schedule), true) = (schedule, number > 1) {
            push_reasons(&mut lines, schedule, number - 1);
        }
        let mut card = vec![Line::inside(Kind::Head(Some(number), batch.len()))];
        for &id in batch {
            let Some(&system) = find.get(&id) else { continue };
            match groups.iter().find(|group| group.contains(&id)) {
                None => card.push(Line::inside(Kind::System(system, None))),
                Some(group) if group.first() == Some(&id) => {
                    push_group(&mut card, group, &find, |id| batch_of.get(&id).copied(), number);
                }
                Some(group) => {
                    let leads =
                        group.first().and_then(|first| batch_of.get(first)).copied().unwrap_or(number);
                    // In a card of its own group it stands there already.
                    if leads != number {
                        card.push(Line::inside(Kind::Elsewhere(system, leads)));
                    }
                }
            }
        }
        push_card(&mut lines, card);
    }
    let rest: Vec<_> = systems.iter().filter(|system| !batch_of.contains_key(&system.id)).collect();
    if !rest.is_empty() {
        if !lines.is_empty() {
            lines.push(Line::between(Kind::Gap));
        }
        let mut card = vec![Line::inside(Kind::Head(None, rest.len()))];
        card.extend(rest.into_iter().map(|system| Line::inside(Kind::System(system, None))));
        push_card(&mut lines, card);
    }
    lines
}

/// The systems that run as one: each group in registration order.
fn groups(systems: &[SystemView], schedule: &ScheduleView) -> Vec<Vec<SystemId>> {
    let joined = |earlier, later| {
        schedule.neighbours.iter().any(|pair| pair.joined && (pair.earlier, pair.later) == (earlier, later))
    };
    let ids: Vec<SystemId> = systems.iter().map(|system| system.id).collect();
    let groups = ids.chunk_by(|&earlier, &later| joined(earlier, later));
    groups.filter(|group| group.len() > 1).map(<[SystemId]>::to_vec).collect()
}

fn push_group<'a>(
    card: &mut Vec<Line<'a>>,
    group: &[SystemId],
    find: &HashMap<SystemId, &'a SystemView>,
    batch_of: impl Fn(SystemId) -> Option<usize>,
    number: usize,
) {
    let framed = |kind, ends| Line { frame: Some(ends), ..Line::inside(kind) };
    card.push(framed(Kind::Joined(group.len()), Ends { first: true, last: false }));
    for (n, &id) in group.iter().enumerate() {
        let Some(&system) = find.get(&id) else { continue };
        let other = batch_of(id).filter(|&batch| batch != number);
        let ends = Ends { first: false, last: n + 1 == group.len() };
        card.push(framed(Kind::System(system, other), ends));
    }
}

fn push_card<'a>(lines: &mut Vec<Line<'a>>, mut card: Vec<Line<'a>>) {
    if let Some(Line { card: Some(ends), .. }) = card.first_mut() {
        ends.first = true;
    }
    if let Some(Line { card: Some(ends), .. }) = card.last_mut() {
        ends.last = true;
    }
    lines.extend(card);
}

/// Why the batch at `index` waits for the one before it.
fn push_reasons<'a>(lines: &mut Vec<Line<'a>>, schedule: &'a ScheduleView, index: usize) {
    let (Some(before), Some(own)) = (schedule.batches.get(index - 1), schedule.batches.get(index)) else {
        return;
    };
    let is_between = |r: &&PairReason| before.contains(&r.earlier) && own.contains(&r.later);
    let mut reasons = schedule.reasons.iter().filter(is_between);
    let shown = reasons.by_ref().take(REASONS).map(|reason| Line::between(Kind::Why(reason)));
    lines.extend(shown);
    match reasons.count() {
        0 => {}
        more => lines.push(Line::between(Kind::MoreReasons(more))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, MOVE};
    use std::sync::Arc;
    use vivarium_world::{Access, ComponentId, Plan, SystemAccess};

    /// A line a word: `[` and `]` where a card begins and ends, `(` and `)` where a frame does.
    fn told(lines: &[Line<'_>]) -> Vec<String> {
        let tell = |line: &Line<'_>| {
            let text = match &line.kind {
                Kind::Head(number, count) => format!("{} of {count}", number.unwrap_or(0)),
                Kind::Joined(count) => format!("{count} joined"),
                Kind::System(system, None) => system.name.clone(),
                Kind::System(system, Some(batch)) => format!("{} from {batch}", system.name),
                Kind::Elsewhere(system, batch) => format!("{} in {batch}", system.name),
                Kind::Why(reason) => reason.sentence.clone(),
                Kind::MoreReasons(more) => format!("{more} more"),
                Kind::Gap => String::new(),
            };
            let around = |ends: Option<Ends>, text: String, [open, close]: [&str; 2]| {
                let ends = ends.unwrap_or_default();
                let (open, close) = (if ends.first { open } else { "" }, if ends.last { close } else { "" });
                format!("{open}{text}{close}")
            };
            around(line.card, around(line.frame, text, ["(", ")"]), ["[", "]"])
        };
        lines.iter().map(tell).collect()
    }

    #[test]
    fn systems_stand_in_the_cards_of_their_batches_with_the_reason_between() {
        let mut fixture = Fixture::paused();
        let mut schedule = fixture.snapshot.schedule.as_deref().unwrap().clone();
        schedule.neighbours.clear();
        fixture.snapshot.schedule = Some(Arc::new(schedule));
        let schedule = fixture.snapshot.schedule.as_deref();
        assert_eq!(
            told(&lines(&fixture.snapshot.systems, schedule)),
            [
                "[1 of 2",
                "move",
                "watch]",
                "`bounce` waits for `move`: both write `velocity`",
                "[2 of 1",
                "bounce]"
            ]
        );
        assert_eq!(told(&lines(&fixture.snapshot.systems, None)), ["[0 of 3", "move", "bounce", "watch]"]);
        assert_eq!(lines(&[], None), []);
    }

    #[test]
    fn systems_that_run_as_one_share_a_frame_in_the_card_of_the_first() {
        let fixture = Fixture::paused();
        let schedule = fixture.snapshot.schedule.as_deref();
        assert_eq!(
            told(&lines(&fixture.snapshot.systems, schedule)),
            [
                "[1 of 2",
                "(2 joined",
                "move",
                "bounce from 2)",
                "watch]",
                "`bounce` waits for `move`: both write `velocity`",
                "[2 of 1",
                "bounce in 1]"
            ]
        );
    }

    #[test]
    fn systems_the_schedule_leaves_out_are_not_lost() {
        let fixture = Fixture::paused();
        let schedule = ScheduleView { batches: vec![vec![MOVE]], ..ScheduleView::default() };
        let lines = lines(&fixture.snapshot.systems, Some(&schedule));
        assert_eq!(told(&lines), ["[1 of 1", "move]", "", "[0 of 2", "bounce", "watch]"]);
    }

    #[test]
    fn of_many_reasons_the_first_are_listed_and_the_others_counted() {
        let fixture = Fixture::paused();
        let system = |id: SystemId| fixture.snapshot.systems[id.0 as usize % 3].clone();
        let ids: Vec<SystemId> = (0..10).map(SystemId).collect();
        let systems: Vec<SystemView> =
            ids.iter().map(|&id| SystemView { id, name: format!("s{id}"), ..system(id) }).collect();
        // Five that read, and five that write the same each for itself.
        let access = |id: SystemId| match id.0 {
            0..5 => Access::new().read(ComponentId(1)).read(ComponentId(id.0 as u16 + 2)),
            n => Access::new().write(ComponentId(n as u16 - 3)),
        };
        let accesses: Vec<_> =
            ids.iter().map(|&id| SystemAccess { id, name: format!("s{id}"), access: access(id) }).collect();
        let schedule = ScheduleView::new(Arc::new(Plan::compile(&accesses)), &|_| "it");
        let told = told(&lines(&systems, Some(&schedule)));
        assert_eq!(told[6..10].iter().filter(|line| line.contains("waits for")).count(), 3, "{told:?}");
        assert_eq!(told[9], "2 more");
    }
}
