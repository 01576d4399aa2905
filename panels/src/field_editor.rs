//! One field's editor, by its description: of a component for the inspector, of a parameter for the schedule.

use crate::view::{Requests, View};
use crate::widgets;
use egui::{DragValue, Id, Key, TextEdit, Ui};
use std::cell::{Cell, RefCell};
use std::f64::consts::PI;
use vivarium_world::{Field, FieldValue, Ordinal, Role, Scalar};

/// The field the user is at, by a key of the panel's own, with what it shows in place of the live value.
pub(crate) struct Holding<K> {
    held: Option<(K, FieldValue)>,
    /// The field that was left with a text that is not a value of it, and that text.
    refused: Option<(K, String)>,
}

impl<K> Default for Holding<K> {
    fn default() -> Self {
        Self { held: None, refused: None }
    }
}

/// What is edited: a field, how it is called — such as `health.health` — and its live value.
#[derive(Clone, Copy)]
pub(crate) struct Edited<'a> {
    pub(crate) field: &'a Field,
    pub(crate) name: &'a str,
    pub(crate) live: &'a FieldValue,
}

impl<K: PartialEq> Holding<K> {
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
        let edit = field_editor(ui, view, edited.field, edited.name, &value, out);
        if (edit.held || edit.given.is_some()) && edit.refused.is_none() {
            self.refused = self.refused.take().filter(|(refused, _)| *refused != key);
        }
        if let Some((_, text)) = self.refused.as_ref().filter(|(refused, _)| *refused == key) {
            ui.colored_label(ui.visuals().error_fg_color, "not a number")
                .on_hover_text(format!("Typed: {text}"));
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
    operator: char,
    operand: f64,
}

impl Change {
    /// Reads a change; none if the text is not one.
    fn parse(text: &str) -> Option<Self> {
        let (operator, operand) = text.trim().split_once('=')?;
        let operator = match operator.trim() {
            "+" => '+',
            "-" | "−" => '-',
            "*" | "×" => '*',
            "/" | "÷" => '/',
            _ => return None,
        };
        Some(Self { operator, operand: plain_number(operand)? })
    }

    fn of(self, number: f64) -> f64 {
        match self.operator {
            '+' => number + self.operand,
            '-' => number - self.operand,
            '*' => number * self.operand,
            _ => number / self.operand,
        }
    }

    /// The value a field gets that has `value` now; none if it is no number, or would be none.
    pub(crate) fn applied(self, field: &Field, value: &FieldValue) -> Option<FieldValue> {
        let scale = scale(field);
        let (low, high) =
            field.range.or(whole_range(field.scalar)).unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        let number = self.of(value.as_f64()? * scale) / scale;
        (number.is_finite() && low <= high).then(|| of_scalar(field.scalar, number.clamp(low, high)))
    }
}

/// A finite number as people type it.
fn plain_number(text: &str) -> Option<f64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != ',' && *c != '°').collect();
    text.replace('−', "-").parse().ok().filter(|number: &f64| number.is_finite())
}

/// A whole number of bits as flags are shown, with or without `0x`.
fn hexadecimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    u32::from_str_radix(digits, 16).ok().map(f64::from)
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
    field: &Field,
    name: &str,
    value: &FieldValue,
    out: &mut Requests,
) -> Edit {
    match (field.role, value) {
        (Role::Entity, FieldValue::Entity(target)) => entity(ui, view, name, *target, out),
        (Role::Colour, FieldValue::Uint(rgba)) => colour(ui, name, *rgba),
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
    let whole = whole_range(field.scalar);
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
            hexadecimal(text)
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
    let given = response
        .changed()
        .then(|| Given { value: of_scalar(field.scalar, shown / scale), change: change.get() });
    Edit { given, held, refused: refused.into_inner() }
}

/// How much a drag of one point changes a value.
fn speed(field: &Field, shown: f64) -> f64 {
    match field.range {
        Some((low, high)) if (high - low).is_finite() && high > low => (high - low) / 300.0,
        _ if field.role == Role::Angle => 1.0,
        _ if whole_range(field.scalar).is_some() => (shown.abs() * 0.01).max(0.1),
        _ => (shown.abs() * 0.01).clamp(0.001, 1e6),
    }
}

/// The least and greatest value of a scalar of whole numbers that a double holds exactly.
fn whole_range(scalar: Scalar) -> Option<(f64, f64)> {
    let range = match scalar {
        Scalar::U8 => (0.0, f64::from(u8::MAX)),
        Scalar::U16 => (0.0, f64::from(u16::MAX)),
        Scalar::U32 => (0.0, f64::from(u32::MAX)),
        Scalar::I8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
        Scalar::I16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
        Scalar::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
        Scalar::U64 | Scalar::I64 | Scalar::F32 | Scalar::F64 | Scalar::Bool8 => return None,
    };
    Some(range)
}

/// A number as the value of a field of this scalar.
fn of_scalar(scalar: Scalar, number: f64) -> FieldValue {
    match scalar {
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
            FieldValue::Uint(number.round().max(0.0) as u64)
        }
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => FieldValue::Int(number.round() as i64),
        Scalar::F32 => FieldValue::Float(f64::from(number as f32)),
        Scalar::F64 => FieldValue::Float(number),
        Scalar::Bool8 => FieldValue::Bool(number != 0.0),
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

fn entity(ui: &mut Ui, view: &View<'_>, name: &str, target: Option<Ordinal>, out: &mut Requests) -> Edit {
    match target {
        Some(target) => drop(widgets::entity_link(ui, view, target, out)),
        None => drop(ui.weak("none")),
    }
    let mut value = None;
    let menu = ui.menu_button("…", |ui| {
        if target.is_some() && ui.button("Point to none").clicked() {
            value = Some(FieldValue::Entity(None));
        }
        let others = view.selection.entities().filter(|&other| Some(other) != target);
        for other in others.take(12) {
            if ui.button(format!("Point to {}", view.entity_label(other))).clicked() {
                value = Some(FieldValue::Entity(Some(other)));
            }
        }
        ui.weak("Select more entities to offer them here");
    });
    menu.response.accessible_name(format!("Choose {name}"));
    Edit { given: value.map(Given::from), ..Edit::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_read_and_applied() {
        let field = Field {
            name: "health".to_owned(),
            scalar: Scalar::F64,
            offset: 0,
            key: None,
            default: FieldValue::Float(0.0),
            role: Role::Plain,
            unit: None,
            range: Some((0.0, 100.0)),
        };
        let result =
            |text, value| Change::parse(text).and_then(|c| c.applied(&field, &FieldValue::Float(value)));
        let cases =
            [("+= 5", 15.0), ("-=5", 5.0), ("*= 1.5", 15.0), ("/=2", 5.0), ("× = 20", 100.0), ("-= 11", 0.0)];
        for (text, number) in cases {
            assert_eq!(result(text, 10.0), Some(FieldValue::Float(number)), "{text}");
        }
        assert_eq!(result("/= 0", 10.0), None);
        for text in ["5", "= 5", "+= x", "%= 3", ""] {
            assert_eq!(Change::parse(text), None, "{text}");
        }
    }

    #[test]
    fn angles_change_in_degrees() {
        let field = Field {
            name: "angle".to_owned(),
            scalar: Scalar::F64,
            offset: 0,
            key: None,
            default: FieldValue::Float(0.0),
            role: Role::Angle,
            unit: None,
            range: None,
        };
        let change = Change::parse("+= 90").unwrap();
        let Some(FieldValue::Float(angle)) = change.applied(&field, &FieldValue::Float(PI / 2.0)) else {
            panic!("no number")
        };
        assert!((angle - PI).abs() < 1e-12);
    }

    #[test]
    fn numbers_become_values_of_their_scalar() {
        assert_eq!(of_scalar(Scalar::U8, 7.4), FieldValue::Uint(7));
        assert_eq!(of_scalar(Scalar::U32, -3.0), FieldValue::Uint(0));
        assert_eq!(of_scalar(Scalar::I16, -3.6), FieldValue::Int(-4));
        assert_eq!(of_scalar(Scalar::F32, 0.1), FieldValue::Float(f64::from(0.1_f32)));
        assert_eq!(of_scalar(Scalar::F64, 0.1), FieldValue::Float(0.1));
    }
}
