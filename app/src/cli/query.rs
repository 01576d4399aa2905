//! Queries and assertions from the command line, and what is wrong with them.

use vivarium_world::{Assertion, Filter, FilterFault, World};

use super::exit::{Exit, Failure};

/// Compiles a query against the names of a world.
pub(super) fn filter(text: &str, world: &World) -> Result<Filter, Failure> {
    Filter::compile(text, world).map_err(|fault| failure("query", text, &fault))
}

/// Compiles an assertion against the names of a world.
pub(super) fn assertion(text: &str, world: &World) -> Result<Assertion, Failure> {
    Assertion::compile(text, world).map_err(|fault| failure("assertion", text, &fault))
}

/// Characters of the text that are shown around what is wrong in it.
const AROUND: usize = 60;

/// The message, the text, and a line below it that points at what is wrong; of a long text what stands around that.
fn failure(what: &str, text: &str, fault: &FilterFault) -> Failure {
    let mut message = format!("{what}: {fault}");
    // A text of several lines cannot be pointed into.
    if let (false, Some(before), Some(at_fault), Some(behind)) = (
        text.contains('\n'),
        text.get(..fault.span.start),
        text.get(fault.span.clone()),
        text.get(fault.span.end..),
    ) {
        let start = before.char_indices().rev().nth(AROUND).map_or(0, |(at, _)| at);
        let (dots, before) = (if start > 0 { "…" } else { "" }, &before[start..]);
        let shown: String = at_fault.chars().chain(behind.chars()).take(AROUND * 2).collect();
        let indent = before.chars().count() + dots.chars().count();
        let length = at_fault.chars().count().clamp(1, AROUND * 2);
        let more = if at_fault.len() + behind.len() > shown.len() { "…" } else { "" };
        message.push_str(&format!(
            "\n    {dots}{before}{shown}{more}\n    {}{}",
            " ".repeat(indent),
            "^".repeat(length)
        ));
    }
    Failure::new(Exit::Usage, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_world::{Catalog, WorldOptions};

    #[test]
    fn a_fault_is_pointed_at() {
        let world = World::new(&Catalog::new(), WorldOptions::default()).unwrap();
        let failure = filter("dead or with:nobody", &world).unwrap_err();
        let lines: Vec<&str> = failure.message.lines().collect();
        assert_eq!(lines.len(), 3, "{}", failure.message);
        assert_eq!(lines[1].trim(), "dead or with:nobody");
        let caret = lines[2].find('^').unwrap();
        assert!(
            lines[1][caret..].starts_with("nobody") || lines[1][caret..].starts_with("with:"),
            "{}",
            failure.message
        );
    }

    #[test]
    fn of_a_long_text_only_what_stands_around_the_fault_is_shown() {
        let world = World::new(&Catalog::new(), WorldOptions::default()).unwrap();
        let (front, long) = ("dead or ".repeat(10_000), "é".repeat(100_000));
        let failure =
            filter(&format!("{front}with:nobody or {}dead", "dead or ".repeat(10_000)), &world).unwrap_err();
        let lines: Vec<&str> = failure.message.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() < 300), "{}", failure.message);
        let caret = lines[2].find('^').unwrap();
        assert!(
            lines[1].chars().skip(caret).collect::<String>().starts_with("nobody or dead"),
            "{}",
            failure.message
        );
        for text in [format!("with:{long}"), format!("\"{long}"), format!("{long}.x = 1")] {
            let failure = filter(&text, &world).unwrap_err();
            assert!(failure.message.chars().count() < 1500, "{}", failure.message.len());
        }
    }
}
