//! What is wrong in a scene file, and where.

use super::position::Position;
use std::fmt;

/// One thing that is wrong in a file, or worth knowing about it.
///
/// Written `harbor.json:12:7: entity 12 ("guardian"): key "maxHelth": did you mean "maxHealth"?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What the file is called: a path, or the name of a sample.
    pub source: String,
    /// Where in the text; none if it is about no place in it.
    pub position: Option<Position>,
    /// The part of the file it is about: `entity 12 ("guardian")`, `template "oak"`; none for the file itself.
    pub part: Option<String>,
    /// The place in the list of entities, from 0, if it is about one.
    pub entity: Option<usize>,
    /// The key it is about.
    pub key: Option<String>,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)?;
        if let Some(position) = self.position {
            write!(f, ":{position}")?;
        }
        if let Some(part) = &self.part {
            write!(f, ": {part}")?;
        }
        if let Some(key) = &self.key {
            write!(f, ": key {key:?}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for Fault {}

/// All faults of a file. The first [`Faults::KEPT`] are kept, the rest counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    kept: Vec<Fault>,
    more: usize,
}

impl Faults {
    /// How many faults are kept.
    pub const KEPT: usize = 100;

    /// No fault.
    pub const fn new() -> Self {
        Self { kept: Vec::new(), more: 0 }
    }

    /// Adds one.
    pub fn push(&mut self, fault: Fault) {
        self.push_with(|| fault);
    }

    /// Adds one, which is only made if it is kept: making it may mean to read a part of the file again.
    pub fn push_with(&mut self, fault: impl FnOnce() -> Fault) {
        if self.kept.len() < Self::KEPT {
            self.kept.push(fault());
        } else {
            self.more += 1;
        }
    }

    /// Adds all of `others`.
    pub fn append(&mut self, others: Self) {
        others.kept.into_iter().for_each(|fault| self.push(fault));
        self.more += others.more;
    }

    /// Puts those that were kept in the order of the text.
    pub(super) fn sort(&mut self) {
        self.kept.sort_by_key(|fault| fault.position);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many there are, those not kept included.
    pub fn len(&self) -> usize {
        self.kept.len() + self.more
    }

    /// Those that were kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.kept.iter()
    }

    /// `value` if there is no fault.
    ///
    /// # Errors
    /// The faults, if there is any.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self { kept: vec![fault], more: 0 }
    }
}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = std::slice::Iter<'a, Fault>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Faults {
    /// One fault a line, without a line break at the end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.kept.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        match self.more {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Faults {}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(message: &str) -> Fault {
        Fault {
            source: "harbor.json".into(),
            position: Some(Position { offset: 100, line: 12, column: 7 }),
            part: Some(r#"entity 12 ("guardian")"#.into()),
            entity: Some(12),
            key: Some("maxHelth".into()),
            message: message.into(),
        }
    }

    #[test]
    fn a_fault_names_file_place_entity_and_key() {
        assert_eq!(
            fault(r#"did you mean "maxHealth"?"#).to_string(),
            r#"harbor.json:12:7: entity 12 ("guardian"): key "maxHelth": did you mean "maxHealth"?"#
        );
        let bare =
            Fault { position: None, part: None, entity: None, key: None, ..fault("the file is empty") };
        assert_eq!(bare.to_string(), "harbor.json: the file is empty");
    }

    #[test]
    fn the_first_faults_are_kept_and_the_rest_counted() {
        let mut faults = Faults::new();
        assert_eq!(faults.clone().into_result(1), Ok(1));
        let mut made = 0;
        for index in 0..Faults::KEPT + 7 {
            faults.push_with(|| {
                made += 1;
                fault(&index.to_string())
            });
        }
        assert_eq!(
            (faults.len(), faults.iter().count(), made),
            (Faults::KEPT + 7, Faults::KEPT, Faults::KEPT)
        );
        faults.append(faults.clone());
        assert_eq!(faults.len(), 2 * (Faults::KEPT + 7));
        assert!(faults.to_string().ends_with("\nand 114 more"), "{faults}");
        assert_eq!(faults.clone().into_result(1), Err(faults));
    }
}
