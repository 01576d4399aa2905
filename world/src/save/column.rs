//! The entities of a type, turned into columns: for each property all the values it has.

use super::definition::{Property, PropertyKind, TYPE};
use super::fit::{Numbers, text_length};
use super::lists::{SHORTEST_LIST, SHORTEST_PROPERTY};
use super::scale::exact_number;
use crate::config::{Config, Value};
use std::cmp::Reverse;
use std::collections::HashMap;

/// The entities of one type, as far as a string could hold them.
pub(super) struct Columns<'c> {
    /// The type.
    pub(super) name: &'c str,
    /// In the order in which the properties were first met.
    columns: Vec<Column<'c>>,
    /// The index in `columns`.
    by_name: HashMap<&'c str, usize>,
    /// How many entities there are.
    count: usize,
    /// Of how many the length in JSON was measured.
    measured: usize,
    /// How long those are together.
    measured_bytes: usize,
}

/// All the values of one property.
struct Column<'c> {
    name: &'c str,
    numbers: Vec<f64>,
    truths: usize,
    /// Texts and nulls.
    texts: usize,
    /// Of all the texts together.
    text_bytes: usize,
}

/// What most values of a column are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Form {
    Number,
    Truth,
    Text,
}

/// The columns of every type of configs that may fit, in the order in which the types were first met.
pub(super) fn collect<'c>(configs: &[&'c Config<'_>]) -> Vec<Columns<'c>> {
    let mut of_type: HashMap<&str, usize> = HashMap::new();
    let mut types: Vec<Columns<'c>> = Vec::new();
    let mut last = 0;
    for config in configs {
        let Some(name) = config.get(TYPE).and_then(Value::as_str) else { continue };
        // Entities of one type often follow each other.
        if types.get(last).is_none_or(|columns| columns.name != name) {
            last = *of_type.entry(name).or_insert(types.len());
        }
        if last == types.len() {
            types.push(Columns::new(name));
        }
        types[last].add(config);
    }
    types
}

/// Whether there could be a definition for the config: one without type or with a list stays an object whatever becomes of
/// its other values, so those must not count.
pub(super) fn may_fit(config: &Config<'_>) -> bool {
    let typed = config.get(TYPE).is_some_and(|name| name.as_str().is_some());
    typed
        && config.iter().all(|(_, value)| match value {
            Value::Null | Value::Bool(_) => true,
            Value::Uint(_) | Value::Int(_) | Value::Float(_) | Value::Single(_) => {
                exact_number(value).is_some()
            }
            Value::Text(text) => !text.is_empty(),
            Value::List(_) | Value::Object(_) => false,
        })
}

impl<'c> Columns<'c> {
    fn new(name: &'c str) -> Self {
        Self { name, columns: Vec::new(), by_name: HashMap::new(), count: 0, measured: 0, measured_bytes: 0 }
    }

    fn add(&mut self, config: &'c Config<'_>) {
        // The properties of entities of a type mostly stand in the same order.
        let mut guess = 0;
        for (name, value) in config.iter().filter(|(name, _)| *name != TYPE) {
            let at = match self.columns.get(guess) {
                Some(column) if column.name == name => guess,
                _ => self.index_of(name),
            };
            self.columns[at].add(value);
            guess = at + 1;
        }
        // A few say how long they are on average.
        if self.count < 64 || self.count.is_multiple_of(256) {
            self.measured += 1;
            self.measured_bytes += serde_json::to_string(config).map_or(0, |text| text.len());
        }
        self.count += 1;
    }

    /// The index of the property's column, which is made if it is missing.
    fn index_of(&mut self, name: &'c str) -> usize {
        let at = *self.by_name.entry(name).or_insert(self.columns.len());
        if at == self.columns.len() {
            self.columns.push(Column::new(name));
        }
        at
    }

    /// The entities of several types that have the same properties, as if they were of one.
    pub(super) fn joined(types: &[&Self]) -> Self {
        let mut joined = Self::new("");
        for columns in types {
            for column in &columns.columns {
                let at = joined.index_of(column.name);
                joined.columns[at].join(column);
            }
            joined.count += columns.count;
            joined.measured += columns.measured;
            joined.measured_bytes += columns.measured_bytes;
        }
        joined
    }

    /// How many entities there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The properties without their order: types for which it is the same may share a list.
    pub(super) fn shape(&self) -> Vec<(&'c str, Form)> {
        let mut shape: Vec<_> = self.columns.iter().map(|column| (column.name, column.form())).collect();
        shape.sort_unstable();
        shape
    }

    /// The list of properties that makes the strings of these entities shortest.
    pub(super) fn properties(&self) -> Vec<Property> {
        // Those often absent come last, where an absent field is left out.
        let mut columns: Vec<_> = self.columns.iter().collect();
        columns.sort_by_key(|column| Reverse(column.count()));
        let property = |column: &&Column<'_>| {
            let kind = column.cheapest(self.penalty())?;
            // A property that few entities have may cost more in the list than it saves.
            let saved = column.count() as f64 * self.penalty() - column.bytes(kind, self.penalty());
            let pays = saved > text_length(column.name, kind) as f64;
            pays.then(|| Property { name: column.name.to_owned(), kind })
        };
        columns.iter().filter_map(property).collect()
    }

    /// How long all the entities are in JSON, as objects.
    pub(super) fn object_bytes(&self) -> f64 {
        self.object() * self.count as f64
    }

    /// How long an entity is in JSON, on average.
    fn object(&self) -> f64 {
        self.measured_bytes as f64 / self.measured.max(1) as f64
    }

    /// How long all the entities would be as strings, with a list of their own, if each value took one byte.
    pub(super) fn least_bytes(&self) -> f64 {
        let values = self.columns.iter().map(Column::count).sum::<usize>();
        let names = self.columns.iter().map(|column| column.name.len() + SHORTEST_PROPERTY).sum::<usize>();
        (3 * self.count + values + names + SHORTEST_LIST) as f64
    }

    /// How long all the entities are as strings of these properties, where they fit, and as objects elsewhere.
    pub(super) fn string_bytes(&self, properties: &[Property]) -> f64 {
        // The quotes and the key.
        let mut bytes = 3.0 * self.count as f64;
        let kinds: HashMap<&str, PropertyKind> =
            properties.iter().map(|property| (property.name.as_str(), property.kind)).collect();
        for column in &self.columns {
            bytes += match kinds.get(column.name) {
                Some(kind) => column.bytes(*kind, self.penalty()),
                None => column.count() as f64 * self.penalty(),
            };
        }
        bytes
    }

    /// How many bytes longer an object is than a string, roughly.
    fn penalty(&self) -> f64 {
        (self.object() - 3.0 - 2.0 * self.columns.len() as f64).max(8.0)
    }
}

impl<'c> Column<'c> {
    fn new(name: &'c str) -> Self {
        Self { name, numbers: Vec::new(), truths: 0, texts: 0, text_bytes: 0 }
    }

    fn add(&mut self, value: &Value<'_>) {
        match value {
            Value::Bool(_) => self.truths += 1,
            Value::Null => self.texts += 1,
            Value::Text(text) => {
                self.texts += 1;
                self.text_bytes += text.len();
            }
            _ => self.numbers.extend(exact_number(value)),
        }
    }

    fn join(&mut self, other: &Self) {
        self.numbers.extend(&other.numbers);
        self.truths += other.truths;
        self.texts += other.texts;
        self.text_bytes += other.text_bytes;
    }

    fn count(&self) -> usize {
        self.numbers.len() + self.truths + self.texts
    }

    fn form(&self) -> Form {
        if self.numbers.len() >= self.truths.max(self.texts) {
            Form::Number
        } else if self.truths >= self.texts {
            Form::Truth
        } else {
            Form::Text
        }
    }

    fn cheapest(&self, penalty: f64) -> Option<PropertyKind> {
        match self.form() {
            Form::Number => Numbers::new(&self.numbers).cheapest(penalty),
            Form::Truth => Some(PropertyKind::Boolean),
            Form::Text => Some(PropertyKind::Text),
        }
    }

    fn bytes(&self, kind: PropertyKind, penalty: f64) -> f64 {
        let (fitting, bytes) = match kind {
            PropertyKind::Boolean => (self.truths, self.truths as f64),
            PropertyKind::Text => (self.texts, (self.texts + self.text_bytes) as f64),
            _ => (self.numbers.len(), Numbers::new(&self.numbers).cost(kind, penalty)),
        };
        bytes + (self.count() - fitting) as f64 * penalty
    }
}
