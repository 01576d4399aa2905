//! What a misspelt name was meant to be.

/// Names longer than this are neither compared nor suggested.
const LONGEST: usize = 64;

/// The candidate that differs least from `name`, if one is near enough to be what was meant.
///
/// A difference is a character too many, too few or another, two neighbours exchanged, or any number of
/// capitals. One difference for every three characters is near enough; of equally near candidates the first
/// is taken. A candidate equal to `name` is none.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if written.is_empty() || written.len() > LONGEST {
        return None;
    }
    let folded = fold(&written);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let characters: Vec<char> = candidate.chars().take(LONGEST + 1).collect();
        if candidate == name || characters.is_empty() || characters.len() > LONGEST {
            continue;
        }
        let other = fold(&characters);
        let limit = (folded.len().max(other.len()) / 3).max(1);
        if folded.len().abs_diff(other.len()) > limit {
            continue;
        }
        let differences = distance(&folded, &other);
        // Names that share no character are not alike, however short.
        let enough = differences <= limit && differences < folded.len().min(other.len());
        if enough && best.is_none_or(|(least, _)| differences < least) {
            best = Some((differences, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The end of a message about an unknown `name`: `; did you mean "health"?`, or the names there are if they are
/// few, or nothing.
pub fn suggestion<'a, I>(name: &str, candidates: I) -> String
where
    I: IntoIterator<Item = &'a str> + Clone,
{
    if let Some(near) = nearest(name, candidates.clone()) {
        return format!("; did you mean {near:?}?");
    }
    let few: Vec<String> = candidates.into_iter().take(13).map(|known| format!("{known:?}")).collect();
    match few.len() {
        1..=12 => format!("; known: {}", few.join(", ")),
        _ => String::new(),
    }
}

fn fold(characters: &[char]) -> Vec<char> {
    characters.iter().flat_map(|c| c.to_lowercase()).collect()
}

/// How many single edits, exchanges of neighbours included, lead from one to the other.
fn distance(a: &[char], b: &[char]) -> usize {
    // Rows of the table of all prefixes: the one before the last, the last, and the one being filled.
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = before.clone();
    for (i, x) in a.iter().enumerate() {
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = last[j] + usize::from(x != y);
            row[j + 1] = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_what_was_meant() {
        let known = ["health", "maxHealth", "transform", "x", "y", "velocity"];
        for (written, meant) in [
            ("maxHelth", Some("maxHealth")),
            ("maxhealth", Some("maxHealth")),
            ("MAXHEALTH", Some("maxHealth")),
            ("haelth", Some("health")),
            ("transfrom", Some("transform")),
            ("veloctiy", Some("velocity")),
            ("X", Some("x")),
            ("colour", None),
            ("z", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), meant, "{written}");
        }
    }

    #[test]
    fn a_name_is_not_suggested_for_itself() {
        assert_eq!(nearest("health", ["health"]), None);
    }

    #[test]
    fn very_long_names_are_not_compared() {
        let long = "a".repeat(1_000_000);
        assert_eq!(nearest(&long, ["aaaa"]), None);
        assert_eq!(nearest("aaaa", [long.as_str()]), None);
    }

    #[test]
    fn without_a_near_name_the_few_known_ones_are_listed() {
        assert_eq!(suggestion("weather", ["default", "conflict"]), r#"; known: "default", "conflict""#);
        assert_eq!(suggestion("conflit", ["default", "conflict"]), r#"; did you mean "conflict"?"#);
        assert_eq!(suggestion("weather", ["abcdefgh"; 50]), "");
        assert_eq!(suggestion("weather", []), "");
    }

    #[test]
    fn distances_count_single_edits() {
        let between =
            |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(between("", ""), 0);
        assert_eq!(between("abc", ""), 3);
        assert_eq!(between("kitten", "sitting"), 3);
        assert_eq!(between("ab", "ba"), 1);
        assert_eq!(between("abcd", "acbd"), 1);
    }
}
