//! How a stored integer becomes the number it stands for.

use crate::config::Value;
use thiserror::Error;

/// number = stored × step / 10^decimals + offset, in doubles and in this order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    step: f64,
    offset: f64,
    decimals: u8,
    /// 10^decimals, which a double holds exactly.
    divisor: f64,
    /// Step and offset, if both are integers and there are no decimals: then no division of doubles is needed.
    whole: Option<(i64, i64)>,
}

/// Why numbers cannot be scaled like this.
#[derive(Clone, Copy, PartialEq, Debug, Error)]
pub enum ScaleError {
    /// Every number would be the same, or none.
    #[error("the step {0} is of no use: give a number other than 0")]
    Step(f64),
    /// Every number would be none.
    #[error("the offset {0} is of no use: give a finite number")]
    Offset(f64),
    /// A double does not hold this power of ten exactly.
    #[error("{0} decimals are too many: give 0 to {max}", max = Scale::MAX_DECIMALS)]
    Decimals(u8),
}

const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

impl Scale {
    /// The integers as they are.
    pub const PLAIN: Self = Self { step: 1.0, offset: 0.0, decimals: 0, divisor: 1.0, whole: Some((1, 0)) };
    /// 10^22 is the greatest power of ten that a double holds exactly.
    pub const MAX_DECIMALS: u8 = (POWERS_OF_TEN.len() - 1) as u8;
    /// Integers are stored up to this size: beyond it neighbours fall together in a double.
    pub(super) const MAX_STORED: f64 = (1_u64 << 53) as f64;

    /// Numbers `step` / 10^`decimals` apart, one of them `offset`.
    ///
    /// # Errors
    /// If the step is 0, the step or the offset is not finite, or there are more than 22 decimals.
    pub fn new(step: f64, offset: f64, decimals: u8) -> Result<Self, ScaleError> {
        if !step.is_finite() || step == 0.0 {
            return Err(ScaleError::Step(step));
        }
        if !offset.is_finite() {
            return Err(ScaleError::Offset(offset));
        }
        let divisor = *POWERS_OF_TEN.get(usize::from(decimals)).ok_or(ScaleError::Decimals(decimals))?;
        let whole = if decimals == 0 { integer(step).zip(integer(offset)) } else { None };
        Ok(Self { step, offset, decimals, divisor, whole })
    }

    /// What the stored integer is multiplied by. Neither 0 nor infinite.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The number whose stored integer is 0. Finite.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// By which power of ten the product is divided; at most 22.
    pub fn decimals(&self) -> u8 {
        self.decimals
    }

    /// The number that `stored` stands for; infinite if it is beyond the doubles.
    pub(super) fn number(&self, stored: f64) -> f64 {
        self.divided(stored * self.step) + self.offset
    }

    /// Most scales have no decimals, and divisions are slow: one by 1 is left out.
    fn divided(&self, product: f64) -> f64 {
        if self.decimals == 0 { product } else { product / self.divisor }
    }

    /// The integer that stands for exactly this one, if one does.
    pub(super) fn stored_integer(&self, number: i64) -> Option<i64> {
        const MAX: u64 = Scale::MAX_STORED as u64;
        let Some((step, offset)) = self.whole.filter(|_| number.unsigned_abs() <= MAX) else {
            return self.stored(exact_number(&Value::from(number))?);
        };
        let distance = number - offset;
        let stored = if step == 1 { distance } else { distance / step };
        // Up to this size doubles compute as integers do.
        (stored * step == distance && distance.unsigned_abs() <= MAX).then_some(stored)
    }

    /// The integer that stands for exactly this number, if one does.
    pub(super) fn stored(&self, number: f64) -> Option<i64> {
        let steps = (number - self.offset) * self.divisor;
        let stored = rounded(if self.step == 1.0 { steps } else { steps / self.step });
        // Also refuses NaN. Through an integer, as it will be read: it has no -0.
        let fits = stored.abs() <= Self::MAX_STORED;
        let stored = stored as i64;
        (fits && self.number(stored as f64).to_bits() == number.to_bits()).then_some(stored)
    }
}

/// The number as an integer, if it is one: -0 is not.
fn integer(number: f64) -> Option<i64> {
    let exact = number.abs() <= Scale::MAX_STORED && (number as i64 as f64).to_bits() == number.to_bits();
    exact.then_some(number as i64)
}

/// The nearest integer. The processor has no instruction for this that every machine knows, but its additions
/// round: next to this number doubles are integers.
fn rounded(number: f64) -> f64 {
    const COARSE: f64 = 1.5 * (1_u64 << 52) as f64;
    if number.abs() < (1_u64 << 51) as f64 { (number + COARSE) - COARSE } else { number.round() }
}

/// The value as a double, if that is exactly the number.
pub(super) fn exact_number(value: &Value<'_>) -> Option<f64> {
    let number = value.as_f64()?;
    let exact = match value {
        Value::Uint(n) if *n <= 1 << 53 => true,
        Value::Float(_) | Value::Single(_) => number.is_finite(),
        _ => Value::from(number) == *value,
    };
    exact.then_some(number)
}

/// Signed integers as unsigned ones, small where they are near 0.
pub(super) fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

/// The signed integer of an unsigned one.
pub(super) fn unzigzag(n: u64) -> i64 {
    (n >> 1) as i64 ^ -((n & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_power_of_ten_is_exact() {
        let mut power = 1_u128;
        for decimals in 0..=Scale::MAX_DECIMALS {
            let scale = Scale::new(1.0, 0.0, decimals).unwrap();
            assert_eq!(scale.divisor as u128, power);
            power *= 10;
        }
        assert_eq!(Scale::new(1.0, 0.0, 23), Err(ScaleError::Decimals(23)));
    }

    #[test]
    fn a_step_of_nothing_and_numbers_that_are_none_are_refused() {
        assert_eq!(Scale::new(0.0, 0.0, 0), Err(ScaleError::Step(0.0)));
        assert!(matches!(Scale::new(f64::NAN, 0.0, 0), Err(ScaleError::Step(_))));
        assert_eq!(Scale::new(1.0, f64::INFINITY, 0), Err(ScaleError::Offset(f64::INFINITY)));
    }

    #[test]
    fn only_exact_numbers_are_stored() {
        let hundredths = Scale::new(1.0, 0.0, 2).unwrap();
        assert_eq!(hundredths.stored(0.07), Some(7));
        assert_eq!(hundredths.stored(0.075), None);
        assert_eq!(hundredths.stored(-0.0), None);
        assert_eq!(Scale::PLAIN.stored(9_007_199_254_740_992.0), Some(1 << 53));
        assert_eq!(Scale::PLAIN.stored(9_007_199_254_740_994.0), None);
        assert_eq!(Scale::PLAIN.stored(f64::NAN), None);
    }

    #[test]
    fn integers_that_a_double_rounds_are_no_exact_numbers() {
        assert_eq!(exact_number(&Value::Uint(1 << 53)), Some(9_007_199_254_740_992.0));
        assert_eq!(exact_number(&Value::Uint((1 << 53) + 1)), None);
        assert_eq!(exact_number(&Value::Uint(u64::MAX)), None);
        assert_eq!(exact_number(&Value::Int(i64::MIN)), Some(i64::MIN as f64));
        assert_eq!(exact_number(&Value::Int(i64::MIN + 1)), None);
        assert_eq!(exact_number(&Value::Bool(true)), None);
    }

    #[test]
    fn rounding_gives_the_nearest_integer() {
        for (number, nearest) in
            [(0.0, 0.0), (0.49, 0.0), (0.51, 1.0), (-7.6, -8.0), (4e15 + 1.0, 4e15 + 1.0)]
        {
            assert_eq!(rounded(number), nearest);
        }
    }

    proptest! {
        #[test]
        fn zigzag_goes_both_ways(n in any::<i64>()) {
            prop_assert_eq!(unzigzag(zigzag(n)), n);
        }

        #[test]
        fn integers_are_stored_as_doubles_would_be(
            number in prop_oneof![-1000..1000_i64, any::<i64>(), -(1_i64 << 54)..1 << 54],
            step in prop_oneof![-9..9_i64, any::<i64>()],
            offset in prop_oneof![Just(0), -1000..1000_i64, any::<i64>()],
        ) {
            prop_assume!(step != 0);
            let scale = Scale::new(step as f64, offset as f64, 0).unwrap();
            let exact = exact_number(&Value::from(number));
            let stored = scale.stored_integer(number);
            prop_assert_eq!(stored, exact.and_then(|number| scale.stored(number)));
        }

        #[test]
        fn decimals_are_stored(n in -1_000_000_000_000_i64..1_000_000_000_000, decimals in 0..7_u8) {
            let scale = Scale::new(1.0, 0.0, decimals).unwrap();
            let number: f64 = format!("{n}e-{decimals}").parse().unwrap();
            prop_assert_eq!(scale.stored(number), Some(n));
        }
    }
}
