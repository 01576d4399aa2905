//! Two systems: why they wait for each other, and the batches if they did not.

use super::links;
use super::model;
use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{format, widgets};
use egui::{RichText, Ui, accesskit};
use vivarium_world::inspect::ScheduleView;
use vivarium_world::{ComponentId, SystemId};

/// A pair of systems, in either order.
pub(super) type Pair = (SystemId, SystemId);

/// The batches if two systems did not wait for each other.
#[derive(Debug, PartialEq)]
pub(super) struct WhatIf {
    /// How many batches there are now.
    pub(super) before: usize,
    /// The systems of each batch, and the batch each is in now if that is another; batches count from 1.
    pub(super) batches: Vec<Vec<(SystemId, Option<usize>)>>,
}

impl WhatIf {
    /// What would be without the reasons of a pair; none if nothing keeps it apart, or it is gone.
    pub(super) fn of(schedule: &ScheduleView, pair: Pair) -> Option<Self> {
        model::reason(schedule, pair.0, pair.1)?;
        let plan = &schedule.plan;
        let without = plan.what_if(pair)?;
        let now = plan.batches().levels();
        let batches = without.batches().iter().enumerate().map(|(level, batch)| {
            let system = |&place: &usize| {
                let moved = Some(now[place]).filter(|&now| now != level).map(|now| now + 1);
                (plan.systems()[place].id, moved)
            };
            batch.iter().map(system).collect()
        });
        Some(Self { before: plan.batches().batches().len(), batches: batches.collect() })
    }

    /// Whether any system would be in another batch.
    pub(super) fn changes_anything(&self) -> bool {
        self.batches.iter().flatten().any(|(_, moved)| moved.is_some())
    }

    /// What would come of it, in a sentence.
    pub(super) fn sentence(&self) -> String {
        let after = self.batches.len();
        match self.changes_anything() {
            false => "If it were not so, the batches would be the same: other pairs wait as well".to_owned(),
            true if after == self.before => {
                format!("If it were not so, there would be {} still:", super::batches_text(after))
            }
            true => {
                format!(
                    "If it were not so, there would be {} in place of {}:",
                    super::batches_text(after),
                    self.before
                )
            }
        }
    }
}

/// Draws the sentence about the chosen pair and what would be without it.
pub(super) fn ui(
    ui: &mut Ui,
    view: &View<'_>,
    schedule: &ScheduleView,
    pair: Option<Pair>,
    mark: &mut Option<ComponentId>,
    out: &mut Requests,
) {
    let Some(pair) = pair else {
        ui.weak("Click a cell to see why two systems may run together, or why not");
        return;
    };
    links::sentence(ui, view, &model::explain(view, schedule, pair.0, pair.1), true, mark, out);
    let Some(what_if) = WhatIf::of(schedule, pair) else { return };
    ui.label(RichText::new(what_if.sentence()).weak());
    if !what_if.changes_anything() {
        return;
    }
    egui::ScrollArea::vertical().id_salt("what if").max_height(120.0).show(ui, |ui| {
        for (number, batch) in (1..).zip(&what_if.batches) {
            let response = ui.horizontal_wrapped(|ui| {
                ui.weak(format!("Batch {number}:"));
                for &(system, moved) in batch {
                    widgets::system_link(ui, view, system, out);
                    if let Some(from) = moved {
                        let text = format!("(now in {from})");
                        ui.label(RichText::new(text).color(Palette::of(ui.visuals()).warn));
                    }
                }
            });
            let text = format!("Batch {number} would have {}", format::counted(batch.len(), "system"));
            widgets::describe(&response.response, accesskit::Role::Group, &text);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{BOUNCE, Fixture, MOVE, WATCH};
    use std::sync::Arc;
    use vivarium_world::{Access, Plan, SystemAccess};

    #[test]
    fn without_its_only_reason_a_system_moves_to_the_first_batch() {
        let fixture = Fixture::paused();
        let schedule = fixture.snapshot.schedule.as_deref().unwrap();
        let what_if = WhatIf::of(schedule, (BOUNCE, MOVE)).unwrap();
        assert_eq!(what_if.batches, [vec![(MOVE, None), (BOUNCE, Some(2)), (WATCH, None)]]);
        assert_eq!(what_if.sentence(), "If it were not so, there would be 1 batch in place of 2:");
        assert_eq!(WhatIf::of(schedule, (MOVE, WATCH)), None, "nothing keeps them apart");
        assert_eq!(WhatIf::of(schedule, (MOVE, SystemId(99))), None);
    }

    #[test]
    fn where_others_wait_as_well_nothing_changes() {
        let accesses: Vec<SystemAccess> = (0..3)
            .map(|id| SystemAccess {
                id: SystemId(id),
                name: format!("s{id}"),
                access: Access::new().write(ComponentId(1)),
            })
            .collect();
        let schedule = ScheduleView::new(Arc::new(Plan::compile(&accesses)), &|_| "it");
        let what_if = WhatIf::of(&schedule, (SystemId(0), SystemId(2))).unwrap();
        assert!(!what_if.changes_anything() && what_if.before == 3);
        let what_if = WhatIf::of(&schedule, (SystemId(0), SystemId(1))).unwrap();
        assert_eq!(what_if.sentence(), "If it were not so, there would be 2 batches in place of 3:");
    }
}
