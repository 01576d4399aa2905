//! Rows of data in the forms the commands print: aligned text, CSV, JSON.

use std::fmt::Write;

use serde_json::{Map, Value};
use vivarium_world::inspect::csv_cell;

/// Rows with named columns. A cell is a JSON value; null is an empty cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Table {
    /// No rows yet.
    pub(super) fn new(columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row. Cells that are missing at its end are empty.
    pub(super) fn push(&mut self, row: Vec<Value>) {
        self.rows.push(row);
    }

    /// Columns as wide as their widest cell, numbers to the right, the names on top.
    pub(super) fn to_text(&self) -> String {
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| self.row_of(row).map(plain).collect()).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let name = self.columns.get(column).map_or(0, |name| name.chars().count());
                let cells = cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
                cells.fold(name, usize::max)
            })
            .collect();
        let to_the_right: Vec<bool> = (0..self.columns.len())
            .map(|column| {
                let mut present =
                    self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_null());
                present.clone().next().is_some() && present.all(Value::is_number)
            })
            .collect();
        let mut text = String::new();
        for row in std::iter::once(&self.columns).chain(&cells) {
            let mut line = String::new();
            for ((cell, &width), &right) in row.iter().zip(&widths).zip(&to_the_right) {
                let gap = if line.is_empty() { "" } else { "  " };
                // Writing to a string cannot fail.
                let _ = match right {
                    true => write!(line, "{gap}{cell:>width$}"),
                    false => write!(line, "{gap}{cell:<width$}"),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The names as a line of comma-separated values, as RFC 4180 has them.
    pub(super) fn csv_head(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|name| csv_cell(name)).collect();
        format!("{}\r\n", names.join(","))
    }

    /// A row as a line of CSV, without adding it.
    pub(super) fn csv_row(&self, row: &[Value]) -> String {
        let cells: Vec<String> = self.row_of(row).map(|cell| csv_cell(&plain(cell))).collect();
        format!("{}\r\n", cells.join(","))
    }

    /// An array of objects, one a row.
    pub(super) fn to_json(&self) -> Value {
        Value::Array(self.rows.iter().map(|row| Value::Object(self.object(row))).collect())
    }

    /// A row as a line with a JSON object, without adding it.
    pub(super) fn json_line(&self, row: &[Value]) -> String {
        format!("{}\n", Value::Object(self.object(row)))
    }

    fn object(&self, row: &[Value]) -> Map<String, Value> {
        self.columns.iter().cloned().zip(self.row_of(row).cloned()).collect()
    }

    fn row_of<'a>(&self, row: &'a [Value]) -> impl Iterator<Item = &'a Value> {
        let missing = self.columns.len().saturating_sub(row.len());
        row.iter().chain(std::iter::repeat_n(&Value::Null, missing)).take(self.columns.len())
    }
}

fn plain(cell: &Value) -> String {
    match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn table() -> Table {
        let mut table = Table::new(["name", "n", "note"]);
        table.push(vec![json!("ore"), json!(7), json!("a, \"b\"")]);
        table.push(vec![json!("timber"), json!(1200)]);
        table
    }

    #[test]
    fn text_is_aligned_with_numbers_to_the_right() {
        assert_eq!(table().to_text(), "name       n  note\nore        7  a, \"b\"\ntimber  1200\n");
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let table = table();
        let lines: String = table.rows.iter().map(|row| table.csv_row(row)).collect();
        assert_eq!(table.csv_head(), "name,n,note\r\n");
        assert_eq!(lines, "ore,7,\"a, \"\"b\"\"\"\r\ntimber,1200,\r\n");
    }

    #[test]
    fn json_has_an_object_a_row() {
        assert_eq!(table().to_json()[1], json!({ "name": "timber", "n": 1200, "note": null }));
        assert_eq!(table().json_line(&[json!("ore")]), "{\"n\":null,\"name\":\"ore\",\"note\":null}\n");
    }

    #[test]
    fn a_table_without_rows_is_its_names() {
        let table = Table::new(["a", "b"]);
        assert_eq!(table.to_text(), "a  b\n");
        assert_eq!(table.to_json(), json!([]));
    }
}
