//! Tables as text.

/// A cell of a table in CSV that holds any text: quoted where a reader would take it for more than one.
pub fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::csv_cell;

    #[test]
    fn cells_with_commas_quotes_or_ends_of_lines_are_quoted() {
        assert_eq!(csv_cell("oak"), "oak");
        assert_eq!(csv_cell("[1, 2]"), "\"[1, 2]\"");
        assert_eq!(csv_cell("an \"oak\"\n"), "\"an \"\"oak\"\"\n\"");
    }
}
