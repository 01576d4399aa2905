//! One field's editor, by its description: of a component for the inspector, of a parameter for the schedule.

mod picker;

use crate::view::{Requests, View};
use crate::widgets;
use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{DragValue, Id, Key, PopupCloseBehavior, TextEdit, Ui};
use std::cell::{Cell, RefCell};
use std::f64::consts::PI;
use vivarium_world::{Field, FieldValue, Operator, Role, Scalar};

/// The field the user is at, by a key of the panel's own, with what it shows in place of the live value.
pub(crate) struct Holding<K> {
    held: Option<(K, FieldValue)>,
    /// The field that was left with a text that is not a value of it, and that text.
    refused: Option<(K, String)>,
    /// The field an entity is chosen for, and what is typed to find one.
    picking: Option<(K, String)>,
}

impl<K> Default for Holding<K> {
    fn default() -> Self {
        Self { held: None, refused: None, picking: None }
    }
}

/// What is edited: a field, how it is called — such as `health.health` — and its live value.
#[derive(Clone, Copy)]
pub(crate) struct Edited<'a> {
    pub(crate) field: &'a Field,
    pub(crate) name: &'a str,
    pub(crate) live: &'a FieldValue,
}

impl<K> Holding<K> {
    /// The query that finds entities to point to, while one is chosen.
    pub(crate) fn search(&self) -> Option<&str> {
        self.picking.as_ref().map(|(_, text)| text.as_str())
    }

    /// What was typed is no value after all.
    pub(crate) fn refuse(&mut self, key: K, text: String) {
        self.refused = Some((key, text));
    }
}

impl<K: Clone + PartialEq> Holding<K> {
    /// Draws the editor of a field. Returns what the user gave, if anything. While the user is at it, it does
    /// not follow the live value. What was typed and is no value stays beside the field until the next edit.
    pub(crate) fn editor(
        &mut self,
        ui: &mut Ui,
        view: &View<'_>,
        key: K,
        edited: Edited<'_>,
        out: &mut Requests,
    ) -> Option<Given> {
        let held = self.held.as_ref().filter(|(held, _)| *held == key).map(|(_, value)| value.clone());
        let was_held = held.is_some();
        let value = held.unwrap_or_else(|| edited.live.clone());
        let picking = self.picking.as_ref().filter(|(picking, _)| *picking == key);
        let mut search = picking.map(|(_, text)| text.clone());
        let was_picking = search.is_some();
        let edit = field_editor(ui, view, edited, &value, &mut search, out);
        if edit.refused.is_none() && (was_picking || search.is_some()) {
            self.picking = search.map(|text| (key.clone(), text));
        }
        if (edit.held || edit.given.is_some()) && edit.refused.is_none() {
            self.refused = self.refused.take().filter(|(refused, _)| *refused != key);
        }
        if let Some((_, typed)) = self.refused.as_ref().filter(|(refused, _)| *refused == key) {
            let text = if edited.field.role == Role::Text { "not JSON" } else { "not a number" };
            ui.colored_label(ui.visuals().error_fg_color, text).on_hover_text(format!("Typed: {typed}"));
        }
        if let Some(text) = edit.refused {
            self.refused = Some((key, text));
        } else if edit.held {
            self.held = Some((key, edit.given.as_ref().map_or(value, |given| given.value.clone())));
            return edit.given;
        }
        if was_held {
            self.held = None;
        }
        edit.given
    }
}

/// What the user gave a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given {
    /// The value to write.
    pub(crate) value: FieldValue,
    /// How it came about, if it was typed as a change: `*= 1.1`. Other entities then get values of their own.
    pub(crate) change: Option<Change>,
}

impl From<FieldValue> for Given {
    fn from(value: FieldValue) -> Self {
        Self { value, change: None }
    }
}

/// A change of a number: `+= 5`, `-= 5`, `*= 1.1`, `/= 2`. In what is shown, so of degrees for an angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    operator: Operator,
    operand: f64,
}

impl Change {
    /// Reads a change; none if the text is not one.
    fn parse(text: &str) -> Option<Self> {
        let (operator, operand) = text.trim().split_once('=')?;
        let operator = match operator.trim() {
            "+" => Operator::Add,
            "-" | "−" => Operator::Subtract,
            "*" | "×" => Operator::Multiply,
            "/" | "÷" => Operator::Divide,
            _ => return None,
        };
        Some(Self { operator, operand: plain_number(operand)? })
    }

    fn of(self, number: f64) -> f64 {
        self.operator.apply(number, self.operand)
    }

    /// The same change of what the field holds.
    pub(crate) fn in_field(self, field: &Field) -> (Operator, f64) {
        match self.operator {
            Operator::Add | Operator::Subtract => (self.operator, self.operand / scale(field)),
            Operator::Multiply | Operator::Divide => (self.operator, self.operand),
        }
    }
}

/// A finite number as people type it.
fn plain_number(text: &str) -> Option<f64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != ',' && *c != '°').collect();
    text.replace('−', "-").parse().ok().filter(|number: &f64| number.is_finite())
}

/// A whole number of bits as flags are shown, with or without `0x`.
fn hexadecimal(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    u64::from_str_radix(digits, 16).ok()
}

/// What is shown for 1: angles are shown in degrees.
fn scale(field: &Field) -> f64 {
    if field.role == Role::Angle { 180.0 / PI } else { 1.0 }
}

/// What the user did to a field in this frame.
#[derive(Debug, Default, PartialEq)]
struct Edit {
    /// The value to write, if one was given.
    given: Option<Given>,
    /// Whether the user is at it.
    held: bool,
    /// What was typed, if it is no value of the field.
    refused: Option<String>,
}

fn field_editor(
    ui: &mut Ui,
    view: &View<'_>,
    Edited { field, name, .. }: Edited<'_>,
    value: &FieldValue,
    search: &mut Option<String>,
    out: &mut Requests,
) -> Edit {
    match (field.role, value) {
        (Role::Entity, FieldValue::Entity(target)) => {
            let given = picker::entity(ui, view, name, *target, search, out);
            Edit { given: given.map(|to| FieldValue::Entity(to).into()), ..Edit::default() }
        }
        (Role::Colour, FieldValue::Uint(rgba)) => colour(ui, name, *rgba),
        (Role::Flags, FieldValue::Uint(bits)) => flags(ui, field, name, *bits),
        (Role::List, value) => {
            ui.label(widgets::value_text(value, view)).on_hover_text("Lists are shown, not edited");
            Edit::default()
        }
        (_, FieldValue::Bool(on)) => {
            let mut on = *on;
            let changed = ui.checkbox(&mut on, "").accessible_name(name).changed();
            Edit { given: changed.then_some(FieldValue::Bool(on).into()), ..Edit::default() }
        }
        (_, FieldValue::Text(text)) => {
            typed(ui, name, text, |typed| Some(FieldValue::Text(typed.to_owned())))
        }
        // Beyond 53 bits a drag value would round.
        (_, FieldValue::Uint(n)) if field.scalar == Scalar::U64 => {
            typed(ui, name, &n.to_string(), |typed| typed.trim().parse().ok().map(FieldValue::Uint))
        }
        (_, FieldValue::Int(n)) if field.scalar == Scalar::I64 => {
            typed(ui, name, &n.to_string(), |typed| typed.trim().parse().ok().map(FieldValue::Int))
        }
        (_, FieldValue::Uint(n)) => number(ui, field, name, *n as f64),
        (_, FieldValue::Int(n)) => number(ui, field, name, *n as f64),
        (_, FieldValue::Float(n)) => number(ui, field, name, *n),
        (_, FieldValue::Entity(_) | FieldValue::List(_)) => {
            ui.label(widgets::value_text(value, view));
            Edit::default()
        }
    }
}

fn number(ui: &mut Ui, field: &Field, name: &str, value: f64) -> Edit {
    let scale = scale(field);
    let shown_before = value * scale;
    let mut shown = shown_before;
    // What is typed may be a number or a change of the number there is.
    let change = Cell::new(None);
    let refused = RefCell::new(None);
    let whole = field.scalar.whole_range();
    let mut drag = DragValue::new(&mut shown).update_while_editing(false).clamp_existing_to_range(false);
    drag = match (field.range, whole) {
        (Some((low, high)), _) => drag.range(low * scale..=high * scale),
        (None, Some((low, high))) => drag.range(low..=high),
        (None, None) => drag,
    };
    drag = drag.speed(speed(field, value * scale));
    drag = match (field.role, whole) {
        (Role::Flags, _) => drag.hexadecimal(2 * field.scalar.size(), false, false),
        (_, Some(_)) => drag.max_decimals(0),
        (_, None) => drag.max_decimals(if field.scalar == Scalar::F32 { 5 } else { 10 }),
    };
    match (field.role, &field.unit) {
        (Role::Angle, _) => drag = drag.suffix("°"),
        (_, Some(unit)) => drag = drag.suffix(format!(" {unit}")),
        _ => {}
    }
    drag = drag.custom_parser(|text| {
        let number = if field.role == Role::Flags {
            hexadecimal(text).map(|bits| bits as f64)
        } else {
            change.set(Change::parse(text));
            change.get().map_or_else(|| plain_number(text), |change| Some(change.of(shown_before)))
        };
        let number = number.filter(|number| number.is_finite());
        *refused.borrow_mut() = number.is_none().then(|| text.to_owned());
        number
    });
    let response =
        ui.add(drag).accessible_name(name).on_hover_text("Drag, or click and type; += 5 and *= 1.1 too");
    let held = response.has_focus() || response.dragged();
    let given = response.changed().then(|| field.nearest_value(shown / scale)).flatten();
    let given = given.map(|value| Given { value, change: change.get() });
    Edit { given, held, refused: refused.into_inner() }
}

/// How much a drag of one point changes a value.
fn speed(field: &Field, shown: f64) -> f64 {
    match field.range {
        Some((low, high)) if (high - low).is_finite() && high > low => (high - low) / 300.0,
        _ if field.role == Role::Angle => 1.0,
        _ if field.scalar.whole_range().is_some() => (shown.abs() * 0.01).max(0.1),
        _ => (shown.abs() * 0.01).clamp(0.001, 1e6),
    }
}

/// A line of text, written when Enter is pressed or the keyboard goes elsewhere, not on Escape.
fn typed(ui: &mut Ui, name: &str, live: &str, parse: impl Fn(&str) -> Option<FieldValue>) -> Edit {
    let id: Id = ui.make_persistent_id("typed");
    // What is being typed is kept aside; the live value shows again when that is gone.
    let mut text: String = ui.data_mut(|data| data.get_temp(id)).unwrap_or_else(|| live.to_owned());
    let wrong = parse(&text).is_none();
    let mut edit = TextEdit::singleline(&mut text).id(id).desired_width(160.0);
    if wrong {
        edit = edit.text_color(ui.visuals().error_fg_color);
    }
    let response = ui.add(edit).accessible_name(name);
    if response.lost_focus() {
        ui.data_mut(|data| data.remove_temp::<String>(id));
        let given_up = ui.input(|input| input.key_pressed(Key::Escape));
        if given_up || text == live {
            return Edit::default();
        }
        return match parse(&text) {
            Some(value) => Edit { given: Some(value.into()), ..Edit::default() },
            None => Edit { refused: Some(text), ..Edit::default() },
        };
    }
    let held = response.has_focus();
    if held {
        ui.data_mut(|data| data.insert_temp(id, text));
    }
    Edit { held, ..Edit::default() }
}

fn colour(ui: &mut Ui, name: &str, rgba: u64) -> Edit {
    let mut bytes = (rgba as u32).to_be_bytes();
    let response = ui.name_inputs(name, |ui| ui.color_edit_button_srgba_unmultiplied(&mut bytes));
    ui.label(egui::RichText::new(format!("#{:08x}", rgba as u32)).monospace().weak());
    let value = response.changed().then(|| FieldValue::Uint(u64::from(u32::from_be_bytes(bytes))));
    Edit { given: value.map(Given::from), ..Edit::default() }
}

/// A number of bits, and a menu with a box for each.
fn flags(ui: &mut Ui, field: &Field, name: &str, bits: u64) -> Edit {
    let mut edit = match field.scalar {
        Scalar::U64 => {
            let parse = |text: &str| hexadecimal(text).map(FieldValue::Uint);
            typed(ui, name, &format!("{bits:#x}"), parse)
        }
        _ => number(ui, field, name, bits as f64),
    };
    let config = MenuConfig::new().close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let (response, _) = MenuButton::new("bits").config(config).ui(ui, |ui| {
        egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
            for bit in 0..8 * field.scalar.size() as u32 {
                let mut on = bits >> bit & 1 == 1;
                if ui.checkbox(&mut on, format!("bit {bit}")).changed() {
                    edit.given = Some(FieldValue::Uint(bits ^ 1 << bit).into());
                }
            }
        });
    });
    response.accessible_name(format!("Bits of {name}"));
    edit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(role: Role) -> Field {
        Field::new("angle", Scalar::F64, 0).role(role)
    }

    #[test]
    fn a_change_is_read_and_applied() {
        let result = |text| Change::parse(text).map(|change| change.of(10.0));
        let cases = [
            ("+= 5", 15.0),
            ("-=5", 5.0),
            ("*= 1.5", 15.0),
            ("/=2", 5.0),
            ("× = 20", 200.0),
            ("−= 11", -1.0),
        ];
        for (text, number) in cases {
            assert_eq!(result(text), Some(number), "{text}");
        }
        for text in ["5", "= 5", "+= x", "%= 3", ""] {
            assert_eq!(Change::parse(text), None, "{text}");
        }
    }

    #[test]
    fn angles_change_in_degrees() {
        let change = |text, role| Change::parse(text).unwrap().in_field(&field(role));
        let (operator, operand) = change("+= 90", Role::Angle);
        assert!(operator == Operator::Add && (operand - PI / 2.0).abs() < 1e-12);
        assert_eq!(change("*= 2", Role::Angle), (Operator::Multiply, 2.0));
        assert_eq!(change("-= 90", Role::Plain), (Operator::Subtract, 90.0));
    }
}
