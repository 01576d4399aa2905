//! The menu bar, and the windows that help.

use super::act::is_possible;
use crate::keys::{self, Action, Entry, Menu};
use crate::settings::Settings;
use egui::{Align2, Button, Context, Grid, Id, Key, Modifiers, Order, RichText, Ui, ViewportCommand, Window};
use vivarium_panels::View;

/// Draws the menu bar. `can_undo` says whether there is something to take back, and something to do again;
/// `compress`, whether saves are compressed.
pub(super) fn ui(
    ui: &mut Ui,
    table: &[Entry],
    view: &View<'_>,
    can_undo: (bool, bool),
    settings: &Settings,
    compress: bool,
    out: &mut Vec<Action>,
) {
    egui::MenuBar::new().ui(ui, |ui| {
        for menu in Menu::ALL {
            ui.menu_button(menu.title(), |ui| {
                ui.set_min_width(220.0);
                let mut last = None;
                for entry in table.iter().filter(|entry| entry.menu == menu) {
                    if last.is_some_and(|last| begins_group(last, entry.action)) {
                        ui.separator();
                    }
                    last = Some(entry.action);
                    line(ui, entry, view, can_undo, settings, compress, out);
                }
            });
        }
    });
}

/// Whether a line stands between two lines of a menu.
fn begins_group(before: Action, after: Action) -> bool {
    use Action::{
        Back, Compact, CompressSaves, Duplicate, Filter, Palette, Panel, Quit, ResetLayout, SelectNone,
        Slower, Theme, ZoomIn,
    };
    match (before, after) {
        (Panel(_), Panel(_)) | (Theme(_), Theme(_)) => false,
        (Filter, Panel(_)) => true,
        (_, CompressSaves | Quit | Duplicate | SelectNone | Back | Slower | Compact) => before != SelectNone,
        (_, ResetLayout | Theme(_) | ZoomIn | Palette) => true,
        _ => false,
    }
}

fn line(
    ui: &mut Ui,
    entry: &Entry,
    view: &View<'_>,
    can_undo: (bool, bool),
    settings: &Settings,
    compress: bool,
    out: &mut Vec<Action>,
) {
    let ticked = match entry.action {
        Action::Panel(panel) => Some(settings.layout.is_open(panel)),
        Action::Theme(theme) => Some(settings.theme == theme),
        Action::CompressSaves => Some(compress),
        _ => None,
    };
    let button = match ticked {
        Some(ticked) => Button::selectable(ticked, entry.title),
        None => Button::new(entry.title),
    };
    let button = match entry.keys.first() {
        Some(key) => button.shortcut_text(ui.ctx().format_shortcut(key)),
        None => button,
    };
    let response = ui.add_enabled(is_possible(entry.action, view, can_undo), button);
    if !response.clicked() {
        return;
    }
    match entry.action {
        // In the menu a ticked panel is closed; its key always shows it.
        Action::Panel(panel) if settings.layout.is_open(panel) => out.push(Action::ClosePanel(panel)),
        action => out.push(action),
    }
}

/// The window that lists the keys.
pub(super) fn keys_window(context: &Context, table: &[Entry], open: &mut bool) {
    close_on_escape(context, open);
    Window::new("Keys")
        .open(open)
        .collapsible(false)
        .resizable(false)
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .show(context, |ui| {
            Grid::new("keys").num_columns(2).striped(true).show(ui, |ui| {
                for entry in table.iter().filter(|entry| !entry.keys.is_empty()) {
                    ui.label(RichText::new(keys::keys_text(ui.ctx(), entry)).strong());
                    ui.label(entry.title);
                    ui.end_row();
                }
            });
        });
}

fn close_on_escape(context: &Context, open: &mut bool) {
    if *open && context.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape)) {
        *open = false;
    }
}

/// The window that says what this is.
pub(super) fn about_window(context: &Context, open: &mut bool) {
    close_on_escape(context, open);
    let window = Window::new("About Vivarium").open(open).collapsible(false).resizable(false);
    window.anchor(Align2::CENTER_CENTER, [0.0, 0.0]).show(context, |ui| {
        ui.heading("Vivarium");
        ui.label(concat!("Version ", env!("CARGO_PKG_VERSION")));
        ui.label("Keeps a living entity world under glass.");
        ui.label("`vivarium --help` says what the command line does without a window.");
    });
}

/// Says that a file held over the window can be dropped.
pub(super) fn drop_hint(context: &Context) {
    if context.input(|input| input.raw.hovered_files.is_empty()) {
        return;
    }
    let painter = context.layer_painter(egui::LayerId::new(Order::Foreground, Id::unique("drop hint")));
    let (screen, style) = (context.content_rect(), context.global_style());
    painter.rect_filled(screen, 0.0, style.visuals.panel_fill.gamma_multiply(0.8));
    let font = egui::TextStyle::Heading.resolve(&style);
    let colour = style.visuals.strong_text_color();
    painter.text(screen.center(), Align2::CENTER_CENTER, "Drop to open", font, colour);
}

/// Gives the window the name of the scene, with a star while it has unsaved edits.
pub(super) fn window_title(context: &Context, view: &View<'_>, title: &mut String) {
    let status = &view.snapshot.status;
    let file = view.file.and_then(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
    let name = file.unwrap_or_else(|| status.scene.clone());
    let star = if view.edited { "*" } else { "" };
    let wanted = if name.is_empty() { "Vivarium".to_owned() } else { format!("{name}{star} – Vivarium") };
    if *title != wanted {
        context.send_viewport_cmd(ViewportCommand::Title(wanted.clone()));
        *title = wanted;
    }
}
