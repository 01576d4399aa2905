//! The nearest known name to a mistyped one.

/// The candidate most like `name`, if any is near enough that the user may have meant it.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    // A third of the letters may be wrong, swapped, missing or too many.
    let allowed = name.chars().count().div_ceil(3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&name, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_few_wrong_letters_are_forgiven_and_another_word_is_not() {
        let names = ["harbor", "flock", "memory"];
        assert_eq!(nearest("harbour", names), Some("harbor"));
        assert_eq!(nearest("Folck", names), Some("flock"));
        assert_eq!(nearest("timing", names), None);
        assert_eq!(nearest("x", names), None);
    }
}
