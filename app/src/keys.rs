//! Every action of the window, with its title, its menu and its keys: the one table that menus, the palette, the
//! help and the keyboard read.

use egui::{Context, Key, KeyboardShortcut, Modifiers, PointerButton, ThemePreference};
use vivarium_panels::PanelId;

/// Something the user can ask of the window from a menu, a key or the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Choose a file and open it.
    Open,
    /// Save to the file the scene came from.
    Save,
    /// Choose a file and save to it.
    SaveAs,
    /// Load the scene again from where it came from.
    Reload,
    /// Switch between compressed and plain saves.
    CompressSaves,
    /// Close the window.
    Quit,
    /// Take back the last live edit.
    Undo,
    /// Do again what was taken back.
    Redo,
    /// Create an entity with the state of the selected one.
    Duplicate,
    /// Kill the selected entities.
    Kill,
    /// Remove the selected entities without their death hooks.
    Remove,
    /// Copy the commands since the load, as a script for the command line.
    CopyScript,
    /// Select nothing.
    SelectNone,
    /// Go to the selection before.
    Back,
    /// Go to the selection after.
    Forward,
    /// Run if paused, pause if running.
    RunPause,
    /// Do one step.
    Step,
    /// Do ten steps.
    StepTen,
    /// Run at half the speed.
    Slower,
    /// Run at twice the speed.
    Faster,
    /// Run in real time.
    RealTime,
    /// Run as fast as it goes.
    Unlimited,
    /// Regroup rows in memory.
    Compact,
    /// Forget the timings so far.
    ResetTiming,
    /// Write the hash of the state to the log.
    Hash,
    /// Search the entities.
    Filter,
    /// Show every action by name.
    Palette,
    /// Show a panel, or bring it to the front.
    Panel(PanelId),
    /// Close a panel; only the menu does it, where a tick says that it is open.
    ClosePanel(PanelId),
    /// Put the panels where they were at first.
    ResetLayout,
    /// Colours.
    Theme(ThemePreference),
    /// Make everything larger.
    ZoomIn,
    /// Make everything smaller.
    ZoomOut,
    /// Make everything its natural size.
    ZoomReset,
    /// Show the keys.
    Keys,
    /// Say what this program is.
    About,
}

/// Where an action stands in the menu bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Menu {
    /// Files.
    File,
    /// Entities and the selection.
    Edit,
    /// Time.
    Run,
    /// Panels and colours.
    View,
    /// Help.
    Help,
}

impl Menu {
    /// The menus, from left to right.
    pub const ALL: [Self; 5] = [Self::File, Self::Edit, Self::Run, Self::View, Self::Help];

    /// What the menu bar calls it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Edit => "Edit",
            Self::Run => "Run",
            Self::View => "View",
            Self::Help => "Help",
        }
    }
}

/// When the keys of an action count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// Not while a text field has the keyboard: it would mean a letter or an edit there.
    NotTyping,
}

/// A line of the table.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it does.
    pub action: Action,
    /// What menus and the palette call it.
    pub title: &'static str,
    /// Its menu.
    pub menu: Menu,
    /// Its keys; the first is the one menus show.
    pub keys: Vec<KeyboardShortcut>,
    /// When they count.
    pub when: When,
}

const NO_KEYS: &[KeyboardShortcut] = &[];

const fn command(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND, key)
}

const fn command_shift(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
}

const fn alt(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::ALT, key)
}

const fn plain(key: Key) -> KeyboardShortcut {
    KeyboardShortcut::new(Modifiers::NONE, key)
}

/// The table, in the order of the menus.
pub fn table() -> Vec<Entry> {
    use Menu::{Edit, File, Help, Run, View};
    use When::{Always, NotTyping};
    let entry = |action, title, menu, when, keys: &[KeyboardShortcut]| Entry {
        action,
        title,
        menu,
        keys: keys.to_vec(),
        when,
    };
    let mut table = vec![
        entry(Action::Open, "Open…", File, Always, &[command(Key::O)]),
        entry(Action::Save, "Save", File, Always, &[command(Key::S)]),
        entry(Action::SaveAs, "Save as…", File, Always, &[command_shift(Key::S)]),
        entry(Action::Reload, "Reload", File, Always, &[command(Key::R)]),
        entry(Action::CompressSaves, "Compress saves (else plain)", File, Always, NO_KEYS),
        entry(Action::Quit, "Quit", File, Always, &[command(Key::Q)]),
        entry(Action::Undo, "Undo", Edit, NotTyping, &[command(Key::Z)]),
        entry(Action::Redo, "Redo", Edit, NotTyping, &[command(Key::Y), command_shift(Key::Z)]),
        entry(Action::Duplicate, "Duplicate entity", Edit, NotTyping, &[command(Key::D)]),
        entry(Action::Kill, "Kill selected", Edit, NotTyping, &[plain(Key::Delete)]),
        entry(Action::Remove, "Remove selected without death hooks", Edit, Always, NO_KEYS),
        entry(Action::CopyScript, "Copy what was done as a script", Edit, Always, NO_KEYS),
        entry(Action::SelectNone, "Select nothing", Edit, Always, NO_KEYS),
        entry(Action::Back, "Back", Edit, NotTyping, &[alt(Key::ArrowLeft)]),
        entry(Action::Forward, "Forward", Edit, NotTyping, &[alt(Key::ArrowRight)]),
        entry(Action::RunPause, "Run or pause", Run, NotTyping, &[plain(Key::Space)]),
        entry(Action::Step, "Step", Run, NotTyping, &[plain(Key::Period), plain(Key::F10)]),
        entry(Action::StepTen, "Step ten times", Run, Always, NO_KEYS),
        entry(Action::Slower, "Half the speed", Run, Always, NO_KEYS),
        entry(Action::Faster, "Twice the speed", Run, Always, NO_KEYS),
        entry(Action::RealTime, "Real time", Run, Always, NO_KEYS),
        entry(Action::Unlimited, "As fast as it goes", Run, Always, NO_KEYS),
        entry(Action::Compact, "Compact memory", Run, Always, NO_KEYS),
        entry(Action::ResetTiming, "Reset timings", Run, Always, NO_KEYS),
        entry(Action::Hash, "Log the state hash", Run, Always, NO_KEYS),
        entry(Action::Filter, "Search entities", View, Always, &[command(Key::F)]),
    ];
    let panels = PanelId::ALL.into_iter();
    table.extend(panels.map(|id| entry(Action::Panel(id), id.title(), View, Always, &[id.key()])));
    table.extend([
        entry(Action::ResetLayout, "Reset layout", View, Always, NO_KEYS),
        entry(Action::Theme(ThemePreference::System), "Colours of the system", View, Always, NO_KEYS),
        entry(Action::Theme(ThemePreference::Light), "Light colours", View, Always, NO_KEYS),
        entry(Action::Theme(ThemePreference::Dark), "Dark colours", View, Always, NO_KEYS),
        entry(Action::ZoomIn, "Larger", View, Always, &[command(Key::Plus), command(Key::Equals)]),
        entry(Action::ZoomOut, "Smaller", View, Always, &[command(Key::Minus)]),
        entry(Action::ZoomReset, "Natural size", View, Always, NO_KEYS),
        entry(
            Action::Palette,
            "All commands…",
            Help,
            Always,
            &[command(Key::K), command(Key::P), command_shift(Key::P)],
        ),
        entry(Action::Keys, "Keys", Help, Always, &[plain(Key::F1)]),
        entry(Action::About, "About Vivarium", Help, Always, NO_KEYS),
    ]);
    table
}

/// The line of an action.
pub fn entry(table: &[Entry], action: Action) -> Option<&Entry> {
    table.iter().find(|entry| entry.action == action)
}

/// The keys of a line as text, `Ctrl+S`, all of them.
pub fn keys_text(context: &Context, entry: &Entry) -> String {
    let keys: Vec<String> = entry.keys.iter().map(|key| context.format_shortcut(key)).collect();
    keys.join(" or ")
}

/// Takes the keys of the table out of this frame's input and returns the actions they mean.
///
/// Space presses what the user went to with Tab; what has the keyboard because it was clicked, as a list has, leaves
/// it to the table.
pub fn pressed(context: &Context, table: &[Entry]) -> Vec<Action> {
    let typing = context.text_edit_focused();
    let tabbed = went_by_tab(context) && context.memory(|memory| memory.focused().is_some());
    let mut keys: Vec<(KeyboardShortcut, Action)> = table
        .iter()
        .filter(|entry| entry.when == When::Always || !typing)
        .flat_map(|entry| entry.keys.iter().map(|key| (*key, entry.action)))
        .filter(|(key, _)| *key != plain(Key::Space) || !tabbed)
        .collect();
    // With more modifiers first: Ctrl+S would also take Ctrl+Shift+S.
    keys.sort_by_key(|(key, _)| std::cmp::Reverse(modifiers(key)));
    let mut actions = by_mouse(context);
    context.input_mut(|input| {
        actions.extend(
            keys.into_iter().filter(|(key, _)| input.consume_shortcut(key)).map(|(_, action)| action),
        );
    });
    actions
}

/// What the two buttons at the side of a mouse mean.
fn by_mouse(context: &Context) -> Vec<Action> {
    let buttons = [(PointerButton::Extra1, Action::Back), (PointerButton::Extra2, Action::Forward)];
    context.input(|input| {
        let pressed = buttons.into_iter().filter(|(button, _)| input.pointer.button_pressed(*button));
        pressed.map(|(_, action)| action).collect()
    })
}

/// Whether the last thing that moved the keyboard was Tab rather than the pointer.
fn went_by_tab(context: &Context) -> bool {
    let (tab, pressed) = context.input(|input| (input.key_pressed(Key::Tab), input.pointer.any_pressed()));
    context.data_mut(|data| {
        let by_tab: &mut bool = data.get_temp_mut_or_default(egui::Id::unique("went by tab"));
        *by_tab = (*by_tab || tab) && !pressed;
        *by_tab
    })
}

fn modifiers(key: &KeyboardShortcut) -> u32 {
    let Modifiers { alt, ctrl, shift, mac_cmd, command } = key.modifiers;
    [alt, ctrl, shift, mac_cmd, command].into_iter().map(u32::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Event, RawInput};
    use std::collections::HashMap;

    /// The actions a frame with these key presses means.
    fn press(keys: &[(Modifiers, Key)]) -> Vec<Action> {
        let context = Context::default();
        let events = keys.iter().map(|(modifiers, key)| Event::Key {
            key: *key,
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: *modifiers,
        });
        let input = RawInput { events: events.collect(), ..Default::default() };
        let mut actions = Vec::new();
        context
            .run_ui(input, |ui| actions.extend(pressed(ui.ctx(), &table())))
            .drop_without_applying_deltas();
        actions
    }

    const CTRL: Modifiers = Modifiers { ctrl: true, command: true, ..Modifiers::NONE };
    const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..CTRL };

    #[test]
    fn a_key_means_one_action() {
        let mut seen = HashMap::new();
        for entry in table() {
            for key in entry.keys {
                let other = seen.insert((format!("{:?}", key.modifiers), key.logical_key), entry.title);
                assert_eq!(other, None, "{:?} means {} and {}", key, entry.title, other.unwrap_or_default());
            }
        }
    }

    #[test]
    fn every_action_and_title_stands_once() {
        let table = table();
        for (n, one) in table.iter().enumerate() {
            for other in &table[n + 1..] {
                assert_ne!(one.action, other.action);
                assert_ne!(one.title, other.title);
            }
        }
        for panel in PanelId::ALL {
            assert!(entry(&table, Action::Panel(panel)).is_some());
        }
    }

    #[test]
    fn more_modifiers_win_over_fewer() {
        assert_eq!(press(&[(CTRL, Key::S)]), [Action::Save]);
        assert_eq!(press(&[(CTRL_SHIFT, Key::S)]), [Action::SaveAs]);
        assert_eq!(press(&[(CTRL, Key::Z)]), [Action::Undo]);
        assert_eq!(press(&[(CTRL_SHIFT, Key::Z)]), [Action::Redo]);
        assert_eq!(press(&[(CTRL, Key::Y)]), [Action::Redo]);
    }

    #[test]
    fn keys_without_meaning_are_left_alone() {
        assert_eq!(press(&[(Modifiers::NONE, Key::S)]), []);
        assert_eq!(press(&[(Modifiers::NONE, Key::ArrowLeft)]), []);
    }

    #[test]
    fn while_typing_letters_and_edits_belong_to_the_field() {
        let context = Context::default();
        let mut text = String::new();
        let mut frame = |keys: &[(Modifiers, Key)]| {
            let events = keys.iter().map(|(modifiers, key)| Event::Key {
                key: *key,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: *modifiers,
            });
            let mut actions = Vec::new();
            let input = RawInput { events: events.collect(), ..Default::default() };
            let output = context.run_ui(input, |ui| {
                actions.extend(pressed(ui.ctx(), &table()));
                ui.text_edit_singleline(&mut text).request_focus();
            });
            output.drop_without_applying_deltas();
            actions
        };
        frame(&[]);
        frame(&[]);
        let none = Modifiers::NONE;
        assert_eq!(
            frame(&[(none, Key::Space), (none, Key::Period), (none, Key::Delete), (CTRL, Key::Z)]),
            []
        );
        assert_eq!(frame(&[(CTRL, Key::S), (none, Key::F1)]), [Action::Save, Action::Keys]);
    }
}
