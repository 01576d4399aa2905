//! The log.

use crate::theme::Palette;
use crate::view::{Requests, View};
use crate::{PanelId, Request, Select, format, widgets};
use egui::{Color32, RichText, TextEdit, Ui};
use egui_extras::Column;
use vivarium_world::{LogLevel, LogLine};

/// Which lines are shown.
pub struct LogPanel {
    infos: bool,
    warnings: bool,
    errors: bool,
    filter: String,
}

impl Default for LogPanel {
    fn default() -> Self {
        Self { infos: true, warnings: true, errors: true, filter: String::new() }
    }
}

/// A line and how many times in a row it was written.
#[derive(Debug, PartialEq)]
struct Folded<'a> {
    /// The last of them.
    line: &'a LogLine,
    times: usize,
}

/// The lines that pass, repeats of one after another folded into one.
fn folded<'a>(log: &'a [LogLine], passes: impl Fn(&LogLine) -> bool) -> Vec<Folded<'a>> {
    let mut lines: Vec<Folded<'a>> = Vec::new();
    for line in log.iter().filter(|line| passes(line)) {
        match lines.last_mut() {
            Some(last) if same(last.line, line) => *last = Folded { line, times: last.times + 1 },
            _ => lines.push(Folded { line, times: 1 }),
        }
    }
    lines
}

fn same(a: &LogLine, b: &LogLine) -> bool {
    (a.level, &a.source, &a.message) == (b.level, &b.source, &b.message)
}

/// A word for a level, so that colour is not all that tells them apart.
fn word(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Info => "info",
        LogLevel::Warning => "warning",
        LogLevel::Error => "error",
    }
}

fn colour(level: LogLevel, palette: &Palette) -> Color32 {
    match level {
        LogLevel::Info => palette.weak,
        LogLevel::Warning => palette.warn,
        LogLevel::Error => palette.error,
    }
}

impl LogPanel {
    /// Draws the panel.
    pub fn ui(&mut self, ui: &mut Ui, view: &View<'_>, out: &mut Requests) {
        let lines = folded(view.log, |line| self.passes(line));
        ui.horizontal_wrapped(|ui| {
            let count = |level| view.log.iter().filter(|line| line.level == level).count() as u64;
            let mut level = |on: &mut bool, level, name: &str| {
                let text = format!("{name} {}", format::count(count(level)));
                ui.checkbox(on, text).accessible_name(name);
            };
            level(&mut self.infos, LogLevel::Info, "Infos");
            level(&mut self.warnings, LogLevel::Warning, "Warnings");
            level(&mut self.errors, LogLevel::Error, "Errors");
            let edit = TextEdit::singleline(&mut self.filter).hint_text("Filter source and message");
            ui.add(edit.desired_width(200.0)).accessible_name("Filter log");
            if ui.button("Copy").on_hover_text("Copy the lines shown").clicked() {
                ui.copy_text(as_text(&lines));
            }
        });
        if lines.is_empty() {
            widgets::nothing(
                ui,
                if view.log.is_empty() { "Nothing was logged" } else { "No line passes the filter" },
            );
            return;
        }
        table(ui, &lines, out);
    }

    fn passes(&self, line: &LogLine) -> bool {
        let level = match line.level {
            LogLevel::Info => self.infos,
            LogLevel::Warning => self.warnings,
            LogLevel::Error => self.errors,
        };
        level && (contains(&line.source, &self.filter) || contains(&line.message, &self.filter))
    }
}

/// Whether `text` contains `part`, whatever the case.
fn contains(text: &str, part: &str) -> bool {
    part.is_empty() || text.to_lowercase().contains(&part.to_lowercase())
}

fn as_text(lines: &[Folded<'_>]) -> String {
    let line = |folded: &Folded<'_>| {
        let LogLine { level, tick, source, message, .. } = folded.line;
        let times = if folded.times > 1 { format!(" ({} times)", folded.times) } else { String::new() };
        format!("{}\ttick {tick}\t{source}\t{message}{times}\n", word(*level))
    };
    lines.iter().map(line).collect()
}

fn table(ui: &mut Ui, lines: &[Folded<'_>], out: &mut Requests) {
    let table = widgets::table(ui)
        .id_salt("log")
        .stick_to_bottom(true)
        .auto_shrink(false)
        .column(Column::exact(60.0))
        .column(Column::initial(70.0).resizable(true))
        .column(Column::initial(90.0).resizable(true).clip(true))
        .column(Column::remainder().clip(true));
    let table = table.header(widgets::ROW, |mut row| {
        for title in ["level", "tick", "source", "message"] {
            row.col(|ui| drop(ui.strong(title)));
        }
    });
    table.body(|body| {
        body.rows(widgets::ROW, lines.len(), |mut row| {
            let Folded { line, times } = &lines[row.index()];
            row.col(|ui| {
                let colour = colour(line.level, Palette::of(ui.visuals()));
                ui.label(RichText::new(word(line.level)).color(colour));
            });
            row.col(|ui| widgets::right(ui, format::count(line.tick)));
            row.col(|ui| source(ui, line, out));
            row.col(|ui| {
                if *times > 1 {
                    ui.label(RichText::new(format!("{} ×", format::count(*times as u64))).strong());
                }
                if let Some(entity) = line.entity
                    && ui.link(format!("#{entity}")).on_hover_text("Select this entity").clicked()
                {
                    out.push(Select::Only(entity).into());
                }
                ui.label(&line.message).on_hover_text(&line.message);
            });
        });
    });
}

/// Who wrote a line: a link if that is a system.
fn source(ui: &mut Ui, line: &LogLine, out: &mut Requests) {
    let Some(system) = line.system else {
        ui.label(&line.source);
        return;
    };
    if ui.link(&line.source).on_hover_text("Show this system in the schedule").clicked() {
        out.push(Select::System(Some(system)).into());
        out.push(Request::ShowPanel(PanelId::Schedule));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{self, Fixture};
    use egui_kittest::kittest::Queryable;

    #[test]
    fn repeats_are_folded_and_keep_the_last_tick() {
        let fixture = Fixture::paused();
        let lines = folded(&fixture.log, |_| true);
        let times: Vec<_> = lines.iter().map(|folded| (folded.line.tick, folded.times)).collect();
        assert_eq!(times, [(0, 1), (8, 2), (9, 1)]);
        assert!(as_text(&lines).contains("warning\ttick 8\twatch\tgrass 40v1 has no health (2 times)\n"));
    }

    #[test]
    fn repeats_with_something_hidden_between_are_folded_too() {
        let mut fixture = Fixture::paused();
        fixture.log.swap(1, 3);
        assert_eq!(folded(&fixture.log, |_| true).len(), 3);
        let shown = folded(&fixture.log, |line| line.level == LogLevel::Warning);
        assert_eq!((shown.len(), shown[0].times), (1, 2));
    }

    #[test]
    fn the_newest_line_is_in_sight_in_a_low_panel() {
        let mut fixture = Fixture::paused();
        let line = fixture.log[0].clone();
        fixture.log = (0..50).map(|n| LogLine { message: format!("line {n}"), ..line.clone() }).collect();
        let mut panel = LogPanel::default();
        let show = move |ui: &mut Ui, view: &View<'_>, out: &mut Requests| panel.ui(ui, view, out);
        let harness = fixture::harness_of_size([600.0, 100.0], fixture, show);
        let newest = harness.get_by_label("line 49").rect();
        assert!(newest.top() > 40.0 && newest.bottom() <= 100.0, "{newest}");
    }

    #[test]
    fn a_line_leads_to_the_system_and_the_entity_it_is_about() {
        let mut fixture = Fixture::paused();
        let about = (Some(fixture::BOUNCE), Some(vivarium_world::Ordinal(3)));
        let line = LogLine {
            source: "bounce".to_owned(),
            system: about.0,
            entity: about.1,
            ..fixture.log[0].clone()
        };
        fixture.log = vec![line];
        let mut panel = LogPanel::default();
        let mut harness = fixture::harness(fixture, move |ui, view, out| panel.ui(ui, view, out));
        harness.get_by_label("bounce").click();
        harness.run();
        let schedule = Request::ShowPanel(PanelId::Schedule);
        assert_eq!(harness.state_mut().take(), [Select::System(about.0).into(), schedule]);
        harness.get_by_label("#3").click();
        harness.run();
        assert_eq!(harness.state_mut().take(), [Select::Only(vivarium_world::Ordinal(3)).into()]);
    }

    #[test]
    fn levels_and_text_choose_the_lines() {
        let mut panel = LogPanel::default();
        let mut harness = fixture::harness(Fixture::paused(), move |ui, view, out| panel.ui(ui, view, out));
        harness.get_by_label("index 9 of 4");
        harness.get_by_label("2 ×");
        harness.get_by_label("Errors").click();
        harness.run();
        assert!(harness.query_by_label("index 9 of 4").is_none());
        harness.get_by_label("Filter log").focus();
        harness.run();
        harness.get_by_label("Filter log").type_text("LOADED");
        harness.run();
        harness.get_by_label("Loaded Harbor: 4 entities");
        assert!(harness.query_by_label("grass 40v1 has no health").is_none());
    }
}
