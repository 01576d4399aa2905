//! Fields watched over time.

use crate::theme::Palette;
use crate::view::{Requests, View, look_into};
use crate::{format, widgets};
use egui::{Color32, RichText, Ui};
use egui_plot::{Line, Plot, PlotPoints};
use std::collections::VecDeque;
use vivarium_world::inspect::{ComponentView, EntityDetail, ViewRequest};
use vivarium_world::{ComponentId, Ordinal};

/// The most values kept of a field.
const MOST_VALUES: usize = 10_000;

/// The watched fields with the values seen so far.
#[derive(Default)]
pub(super) struct History {
    watches: Vec<Watch>,
    /// The scene the values are of.
    scene: String,
}

struct Watch {
    ordinal: Ordinal,
    component: ComponentId,
    field: usize,
    /// `guardian 42v3 health.health`
    name: String,
    /// Ticks and values, oldest first.
    values: VecDeque<[f64; 2]>,
}

impl Watch {
    /// The value now, if it is a number.
    fn value(&self, view: &View<'_>) -> Option<f64> {
        let detail = view.detail(self.ordinal)?;
        let state = detail.components.iter().find(|state| state.component == self.component)?;
        state.values.get(self.field)?.as_f64()
    }

    fn is(&self, ordinal: Ordinal, component: ComponentId, field: usize) -> bool {
        (self.ordinal, self.component, self.field) == (ordinal, component, field)
    }
}

impl History {
    /// Watches a field from now on.
    pub(super) fn watch(
        &mut self,
        view: &View<'_>,
        detail: &EntityDetail,
        component: &ComponentView,
        field: usize,
    ) {
        let known = self.watches.iter().any(|watch| watch.is(detail.ordinal, component.id, field));
        let Some(described) = component.fields.get(field).filter(|_| !known) else { return };
        let entity = view.entity_label(detail.ordinal);
        self.watches.push(Watch {
            ordinal: detail.ordinal,
            component: component.id,
            field,
            name: format!("{entity} {}.{}", component.name, described.name),
            values: VecDeque::new(),
        });
    }

    /// Asks for the watched entities, selected or not.
    pub(super) fn request(&self, wanted: &mut ViewRequest) {
        for watch in &self.watches {
            look_into(wanted, watch.ordinal);
        }
    }

    /// Keeps the values of this snapshot. Another scene has other entities: what was watched is forgotten.
    pub(super) fn record(&mut self, view: &View<'_>) {
        let status = &view.snapshot.status;
        if self.scene != status.scene {
            self.watches.clear();
            self.scene.clone_from(&status.scene);
        }
        let tick = status.tick as f64;
        for watch in &mut self.watches {
            let last = watch.values.back().map(|point| point[0]);
            if last.is_some_and(|last| last > tick) {
                // The scene was loaded anew.
                watch.values.clear();
            }
            let Some(value) = watch.value(view).filter(|value| value.is_finite()) else { continue };
            match watch.values.back_mut() {
                Some(point) if point[0] == tick => point[1] = value,
                _ => watch.values.push_back([tick, value]),
            }
            if watch.values.len() > MOST_VALUES {
                watch.values.pop_front();
            }
        }
    }

    /// Draws what is watched.
    pub(super) fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        if self.watches.is_empty() {
            widgets::nothing(ui, "Nothing is watched. Right-click a field's name and choose Watch.");
            return;
        }
        let dark = ui.visuals().dark_mode;
        let mut forgotten = None;
        for (at, watch) in self.watches.iter().enumerate() {
            ui.horizontal_wrapped(|ui| {
                ui.label(RichText::new("—").color(colour(at, dark)).strong());
                ui.label(&watch.name);
                match watch.value(view) {
                    Some(value) => ui.label(RichText::new(format::number(value)).strong()),
                    None => ui.label(RichText::new("gone").color(Palette::of(ui.visuals()).warn)),
                };
                widgets::entity_link(ui, view, watch.ordinal, out);
                let button = ui.small_button("Forget").accessible_name(format!("Forget {}", watch.name));
                if button.clicked() {
                    forgotten = Some(at);
                }
            });
        }
        let width = ui.available_width().max(80.0) as usize;
        Plot::new("watched fields")
            .height((ui.available_height() - 8.0).clamp(160.0, 400.0))
            .allow_scroll(false)
            .x_axis_formatter(|mark, _| format::count(mark.value.max(0.0) as u64))
            .show(ui, |plot| {
                for (at, watch) in self.watches.iter().enumerate() {
                    let points = PlotPoints::from(decimated(&watch.values, width));
                    plot.line(Line::new(watch.name.clone(), points).color(colour(at, dark)).width(1.5));
                }
            });
        if let Some(forgotten) = forgotten {
            self.watches.remove(forgotten);
        }
    }
}

/// The values as a line of at most two points a column, least and greatest.
fn decimated(values: &VecDeque<[f64; 2]>, columns: usize) -> Vec<[f64; 2]> {
    let columns = columns.max(1);
    if values.len() <= columns * 2 {
        return values.iter().copied().collect();
    }
    let mut points = Vec::with_capacity(columns * 2);
    for column in 0..columns {
        let range = column * values.len() / columns..(column + 1) * values.len() / columns;
        let part = || values.range(range.clone()).copied();
        let least = part().min_by(|a, b| a[1].total_cmp(&b[1]));
        let greatest = part().max_by(|a, b| a[1].total_cmp(&b[1]));
        let mut pair: Vec<_> = least.into_iter().chain(greatest).collect();
        pair.sort_by(|a, b| a[0].total_cmp(&b[0]));
        pair.dedup();
        points.extend(pair);
    }
    points
}

/// A colour for each line, neighbours far apart.
fn colour(at: usize, dark: bool) -> Color32 {
    let hue = (0.58 + at as f32 * 0.381_966).fract();
    let (saturation, value) = if dark { (0.5, 1.0) } else { (0.9, 0.6) };
    egui::ecolor::Hsva::new(hue, saturation, value, 1.0).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, HEALTH};
    use vivarium_world::FieldValue;

    fn watching(fixture: &Fixture) -> History {
        let mut history = History::default();
        let view = fixture.view();
        let health = fixture.snapshot.catalog.component(HEALTH).unwrap();
        history.record(&view);
        for _ in 0..2 {
            history.watch(&view, &fixture.snapshot.details[0], health, 0);
        }
        history
    }

    #[test]
    fn a_value_a_tick_is_kept_the_last_of_each() {
        let mut fixture = Fixture::paused();
        let mut history = watching(&fixture);
        assert_eq!(history.watches.len(), 1, "watched once");
        for (tick, health) in [(1_204, 60.0), (1_204, 59.0), (1_205, 58.0)] {
            fixture.snapshot.status.tick = tick;
            fixture.snapshot.details[0].components[4].values[0] = FieldValue::Float(health);
            history.record(&fixture.view());
        }
        assert_eq!(history.watches[0].values, [[1_204.0, 59.0], [1_205.0, 58.0]]);
        fixture.snapshot.status.tick = 3;
        history.record(&fixture.view());
        assert_eq!(history.watches[0].values, [[3.0, 58.0]], "a reload begins anew");
        fixture.snapshot.status.scene = "Other".to_owned();
        history.record(&fixture.view());
        assert!(history.watches.is_empty());
    }

    #[test]
    fn watched_entities_are_asked_for_whatever_is_selected() {
        let history = watching(&Fixture::paused());
        let mut wanted = ViewRequest::default();
        history.request(&mut wanted);
        history.request(&mut wanted);
        assert_eq!(wanted.details, [Ordinal(2)]);
    }

    #[test]
    fn long_histories_keep_their_peaks() {
        let values: VecDeque<_> =
            (0..10_000).map(|n| [n as f64, if n == 4_321 { 9.0 } else { 1.0 }]).collect();
        let points = decimated(&values, 100);
        assert!(points.len() <= 200 && points.contains(&[4_321.0, 9.0]));
    }
}
