//! Fields watched over time.

use crate::series::Series;
use crate::theme::Palette;
use crate::view::{Requests, View, look_into};
use crate::{format, widgets};
use egui::{Color32, RichText, Ui};
use egui_plot::{Line, Plot, PlotPoints};
use vivarium_world::inspect::{ComponentView, EntityDetail, ViewRequest};
use vivarium_world::{Command, ComponentId, Ordinal, Target};

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
    /// The field by its names, as commands have it.
    target: Target,
    /// `guardian 42v3 health.health`
    name: String,
    values: Series,
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
    /// Watches a field from now on; the journal notes its changes too, while it records.
    pub(super) fn watch(
        &mut self,
        view: &View<'_>,
        detail: &EntityDetail,
        component: &ComponentView,
        field: usize,
        out: &mut Requests,
    ) {
        let known = self.watches.iter().any(|watch| watch.is(detail.ordinal, component.id, field));
        let Some(described) = component.fields.get(field).filter(|_| !known) else { return };
        let entity = view.entity_label(detail.ordinal);
        let target = Target { component: component.name.clone(), field: described.name.clone() };
        out.push(Command::Watch { entity: detail.ordinal, target: target.clone(), on: true }.into());
        self.watches.push(Watch {
            target,
            ordinal: detail.ordinal,
            component: component.id,
            field,
            name: format!("{entity} {}.{}", component.name, described.name),
            values: Series::default(),
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
        for watch in &mut self.watches {
            if let Some(value) = watch.value(view).filter(|value| value.is_finite()) {
                watch.values.push(status.tick, value);
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
        egui::CollapsingHeader::new("Last values").show(ui, |ui| self.last_values(ui));
        let width = ui.available_width().max(80.0) as usize;
        Plot::new("watched fields")
            .height((ui.available_height() - 8.0).clamp(160.0, 400.0))
            .allow_scroll(false)
            .x_axis_formatter(|mark, _| format::count(mark.value.max(0.0) as u64))
            .show(ui, |plot| {
                for (at, watch) in self.watches.iter().enumerate() {
                    let points = PlotPoints::from(watch.values.line(width));
                    plot.line(Line::new(watch.name.clone(), points).color(colour(at, dark)).width(1.5));
                }
            });
        if let Some(forgotten) = forgotten {
            let Watch { ordinal: entity, target, .. } = self.watches.remove(forgotten);
            out.push(Command::Watch { entity, target, on: false }.into());
        }
    }
}

impl History {
    /// The latest changes of each watched field as text: `tick 1,205: 60 → 58`.
    fn last_values(&self, ui: &mut Ui) {
        for watch in &self.watches {
            ui.label(RichText::new(&watch.name).strong());
            for line in changes(&watch.values.last(SHOWN + 1)) {
                ui.label(line);
            }
        }
    }
}

/// Changes of a field that are listed as text.
const SHOWN: usize = 10;

/// What changed from each value to the next, latest first; the value alone where nothing did.
fn changes(values: &[[f64; 2]]) -> Vec<String> {
    let tick = |tick: f64| format::count(tick.max(0.0) as u64);
    let steps = values.windows(2).filter(|pair| pair[0][1] != pair[1][1]).rev();
    let lines: Vec<String> = steps
        .map(|pair| {
            let (before, after) = (format::number(pair[0][1]), format::number(pair[1][1]));
            format!("tick {}: {before} → {after}", tick(pair[1][0]))
        })
        .collect();
    match (lines.is_empty(), values.last()) {
        (true, Some([at, value])) => vec![format!("tick {}: {}", tick(*at), format::number(*value))],
        _ => lines,
    }
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
        let mut out = Vec::new();
        for _ in 0..2 {
            history.watch(&view, &fixture.snapshot.details[0], health, 0, &mut out);
        }
        let target = Target { component: "health".to_owned(), field: "health".to_owned() };
        assert_eq!(out, [Command::Watch { entity: Ordinal(2), target, on: true }.into()]);
        history
    }

    #[test]
    fn values_are_kept_until_another_scene_is_loaded() {
        let mut fixture = Fixture::paused();
        let mut history = watching(&fixture);
        assert_eq!(history.watches.len(), 1, "watched once");
        for (tick, health) in [(1_204, 60.0), (1_205, 58.0)] {
            fixture.snapshot.status.tick = tick;
            fixture.snapshot.details[0].components[4].values[0] = FieldValue::Float(health);
            history.record(&fixture.view());
        }
        assert_eq!(history.watches[0].values.line(10), [[1_204.0, 60.0], [1_205.0, 58.0]]);
        fixture.snapshot.status.scene = "Other".to_owned();
        history.record(&fixture.view());
        assert!(history.watches.is_empty());
    }

    #[test]
    fn changes_are_told_latest_first() {
        let values = [[1.0, 5.0], [2.0, 5.0], [3.0, 6.0], [1_204.0, 4.5]];
        assert_eq!(changes(&values), ["tick 1,204: 6 → 4.5", "tick 3: 5 → 6"]);
        assert_eq!(changes(&values[..2]), ["tick 2: 5"]);
        assert!(changes(&[]).is_empty());
    }

    #[test]
    fn watched_entities_are_asked_for_whatever_is_selected() {
        let history = watching(&Fixture::paused());
        let mut wanted = ViewRequest::default();
        history.request(&mut wanted);
        history.request(&mut wanted);
        assert_eq!(wanted.details, [Ordinal(2)]);
    }
}
