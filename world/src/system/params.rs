//! Live parameters of a system, described like the fields of a component.

use crate::component::{Field, FieldValue, Scalar};
use serde::Serialize;

/// Named numbers and truth values a user may change while the system runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Params(Vec<(Field, FieldValue)>);

impl Params {
    pub(crate) fn push(&mut self, field: Field) {
        let value = field.default.clone();
        self.0.push((field, value));
    }

    /// Every parameter with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&Field, &FieldValue)> {
        self.0.iter().map(|(field, value)| (field, value))
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(field, _)| field.name.as_str())
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&FieldValue> {
        self.0.iter().find(|(field, _)| field.name == name).map(|(_, value)| value)
    }

    /// Sets a parameter.
    ///
    /// # Errors
    /// If there is no such parameter, or the value is of another kind or outside the parameter's range.
    pub fn set(&mut self, name: &str, value: FieldValue) -> Result<(), String> {
        let Some((field, old)) = self.0.iter_mut().find(|(field, _)| field.name == name) else {
            let near = crate::scene::suggestion(name, self.0.iter().map(|(field, _)| field.name.as_str()));
            return Err(format!("there is no parameter {name:?}{near}"));
        };
        let value = match (field.scalar, &value) {
            (Scalar::Bool8, FieldValue::Bool(_)) => value,
            (Scalar::Bool8, _) => return Err(format!("{name} takes true or false, not {value}")),
            (Scalar::F32 | Scalar::F64, _) => match value.as_f64() {
                Some(number) if number.is_finite() && !matches!(value, FieldValue::Bool(_)) => {
                    FieldValue::Float(number)
                }
                _ => return Err(format!("{name} takes a number, not {value}")),
            },
            _ => match value.as_f64() {
                Some(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                    if number < 0.0 {
                        FieldValue::Int(number as i64)
                    } else {
                        FieldValue::Uint(number as u64)
                    }
                }
                _ => return Err(format!("{name} takes a whole number, not {value}")),
            },
        };
        if let (Some((least, greatest)), Some(number)) = (field.range, value.as_f64())
            && !(least..=greatest).contains(&number)
        {
            return Err(format!("{name} must be from {least} to {greatest}, not {number}"));
        }
        *old = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_takes_only_values_of_its_kind_and_range() {
        let mut params = Params::default();
        params.push(
            Field::new("damping", Scalar::F64, 0).default_value(FieldValue::Float(0.9)).range(0.0, 1.0),
        );
        params.push(Field::new("on", Scalar::Bool8, 0));
        params.set("damping", FieldValue::Uint(1)).unwrap();
        assert_eq!(params.get("damping"), Some(&FieldValue::Float(1.0)));
        let error = |params: &mut Params, name: &str, value| params.set(name, value).unwrap_err();
        assert_eq!(
            error(&mut params, "damping", FieldValue::Float(2.0)),
            "damping must be from 0 to 1, not 2"
        );
        assert!(error(&mut params, "dampin", FieldValue::Uint(1)).contains("\"damping\""));
        assert_eq!(error(&mut params, "on", FieldValue::Uint(1)), "on takes true or false, not 1");
        assert_eq!(params.get("damping"), Some(&FieldValue::Float(1.0)));
    }
}
