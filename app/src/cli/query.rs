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

/// The message, the text, and a line below it that points at what is wrong.
fn failure(what: &str, text: &str, fault: &FilterFault) -> Failure {
    let mut message = format!("{what}: {fault}");
    // A text of several lines cannot be pointed into.
    if let (false, Some(before), Some(at_fault)) =
        (text.contains('\n'), text.get(..fault.span.start), text.get(fault.span.clone()))
    {
        let (indent, length) = (before.chars().count(), at_fault.chars().count().max(1));
        message.push_str(&format!("\n    {text}\n    {}{}", " ".repeat(indent), "^".repeat(length)));
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
}
