//! The shortest exact form for the numbers of one property.
//!
//! Numbers that lie on a grid are stored as their place on it. Two families of grids are tried: powers of ten,
//! for numbers written by people, and powers of two, for numbers that came out of binary fractions. On the grid
//! that suits best the greatest step and several offsets are tried, beside single precision for numbers on no
//! grid. What each costs is measured on a sample; a number that does not fit costs as much as keeping its entity
//! an object.

use super::definition::{Property, PropertyKind};
use super::encode::stored_number;
use super::scale::Scale;
use super::varint;
use crate::random::Stream;

/// How many numbers are enough to tell the costs of two forms apart.
const SAMPLE: usize = 1024;

/// The numbers that one property has.
pub(super) struct Numbers<'a> {
    all: &'a [f64],
    /// Some of them; empty if they are few enough to look at them all.
    drawn: Vec<f64>,
}

/// What a form needs for all the numbers, in bytes, estimated.
#[derive(Clone, Copy)]
struct Cost {
    digits: f64,
    /// How many numbers it does not fit.
    misfits: f64,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(all: &'a [f64]) -> Self {
        let mut drawn = Vec::new();
        if all.len() > SAMPLE {
            // At random, for numbers may repeat in any rhythm; the same ones each time, so that a save is too.
            let mut random = Stream::new(0);
            drawn.extend((0..SAMPLE).map(|_| all[random.int(0, all.len() as i64) as usize]));
        }
        Self { all, drawn }
    }

    /// The cheapest form, if any number fits one. A number that does not fit costs `penalty` bytes.
    pub(super) fn cheapest(&self, penalty: f64) -> Option<PropertyKind> {
        let mut grids = self.grids();
        let grid = match grids.len() {
            0 | 1 => grids.pop(),
            _ => least(grids, 1.0, |grid| {
                let cost = |kind| {
                    let cost = self.cost_of(kind).at_least(grid.misfits);
                    cost.bytes(penalty) + text_length("", kind) as f64
                };
                let kinds = grid.kinds(self.sample(), self.sample()).into_iter();
                Some(kinds.map(cost).fold(f64::INFINITY, f64::min))
            }),
        };
        let mut kinds = grid.map_or_else(Vec::new, |grid| grid.kinds(self.all, self.sample()));
        kinds.push(PropertyKind::Float32);
        // Costs measured on a sample differ by chance too: the simpler form is taken then.
        let chance = if self.drawn.is_empty() { 1.0 } else { 1.01 };
        least(kinds, chance, |kind| {
            let cost = self.cost_of(*kind);
            // Whatever fits has a digit at least.
            (cost.digits > 0.0).then(|| cost.bytes(penalty) + text_length("", *kind) as f64)
        })
    }

    /// What all the numbers need in this form, in bytes, estimated.
    pub(super) fn cost(&self, kind: PropertyKind, penalty: f64) -> f64 {
        self.cost_of(kind).bytes(penalty)
    }

    fn cost_of(&self, kind: PropertyKind) -> Cost {
        let mut digits = 0;
        let mut misfits = 0;
        for number in self.sample() {
            match stored_number(&kind, *number) {
                Some(stored) => digits += varint::length(stored),
                None => misfits += 1,
            }
        }
        let weight = self.all.len() as f64 / self.sample().len().max(1) as f64;
        Cost { digits: f64::from(digits) * weight, misfits: f64::from(misfits) * weight }
    }

    fn sample(&self) -> &[f64] {
        if self.drawn.is_empty() { self.all } else { &self.drawn }
    }

    /// The grids worth a trial.
    fn grids(&self) -> Vec<Grid> {
        let mut of_decimals = [0_usize; Scale::MAX_DECIMALS as usize + 1];
        let mut on_none = 0;
        let mut lowest = i32::MAX;
        for number in self.all {
            match decimals_of(*number) {
                Some(decimals) => of_decimals[usize::from(decimals)] += 1,
                None => on_none += 1,
            }
            lowest = lowest.min(lowest_bit(*number));
        }
        let mut grids = Vec::new();
        let mut misfits = self.all.len();
        for (decimals, count) in of_decimals.into_iter().enumerate() {
            misfits -= count;
            // Few numbers on a finer grid are worth it only if they are the last: then everything fits.
            if count * 64 > self.all.len() || (count > 0 && misfits == on_none) {
                grids.extend(Scale::new(1.0, 0.0, decimals as u8).map(|unit| Grid { unit, misfits }));
            }
        }
        // Where the lowest bit is worth 1 or more the numbers are integers, and on the grid of no decimals too.
        if (MIN_POWER..=MAX_POWER).contains(&lowest) && (lowest < 0 || on_none > 0) {
            grids.extend(Scale::new(power_of_two(lowest), 0.0, 0).map(|unit| Grid { unit, misfits: 0 }));
        }
        grids
    }
}

impl Cost {
    /// With no fewer misfits than are known of.
    fn at_least(self, misfits: usize) -> Self {
        Self { misfits: self.misfits.max(misfits as f64), ..self }
    }

    fn bytes(self, penalty: f64) -> f64 {
        self.digits + self.misfits * penalty
    }
}

/// How long the definition of a property is in JSON; no longer for `uint` than for `int`, which is no reason to
/// choose between them.
pub(super) fn text_length(name: &str, kind: PropertyKind) -> usize {
    let kind = if let PropertyKind::Uint(scale) = kind { PropertyKind::Int(scale) } else { kind };
    serde_json::to_string(&Property { name: name.to_owned(), kind }).map_or(0, |text| text.len() + 1)
}

/// Multiples of one number.
struct Grid {
    unit: Scale,
    /// How many numbers are known not to be on it.
    misfits: usize,
}

impl Grid {
    /// Forms on this grid: the simplest first, for the first of the cheapest is taken. The step and the least
    /// number come from `all`; what most numbers have in common comes from `sample`.
    fn kinds(&self, all: &[f64], sample: &[f64]) -> Vec<PropertyKind> {
        let mut kinds = vec![PropertyKind::Uint(self.unit), PropertyKind::Int(self.unit)];
        let mut places: Vec<i64> = sample.iter().filter_map(|number| self.unit.stored(*number)).collect();
        let mut all = all.iter().filter_map(|number| self.unit.stored(*number));
        let (Some(first), false) = (all.next(), places.is_empty()) else { return kinds };
        let mut least = first;
        let mut step = 0;
        for place in all {
            least = least.min(place);
            step = common_divisor(step, place.abs_diff(first));
        }
        let usual_step = usual_step(&places);
        let rest = |place: i64, step: u64| place.rem_euclid((step.max(1)) as i64);
        let usual_rest = most_common(places.iter().map(|place| rest(*place, usual_step)));
        places.sort_unstable();
        let median = places[places.len() / 2];
        // Rare low numbers may cost less as objects than the range they force on all others.
        let low = places[places.len() / 256];
        let usual_low = low + rest(usual_rest - low, usual_step);
        let usual_median = median + rest(usual_rest - median, usual_step);
        let uint: fn(Scale) -> PropertyKind = PropertyKind::Uint;
        let int: fn(Scale) -> PropertyKind = PropertyKind::Int;
        for (kind, step, offset) in [
            (uint, step, rest(first, step)),
            (int, step, rest(first, step)),
            (uint, step, least),
            (int, step, median),
            (uint, step, low),
            (uint, usual_step, usual_rest),
            (int, usual_step, usual_rest),
            (uint, usual_step, usual_low),
            (int, usual_step, usual_median),
        ] {
            let step = step.max(1) as f64 * self.unit.step();
            let kind = Scale::new(step, self.unit.number(offset as f64), self.unit.decimals()).map(kind);
            if let Ok(kind) = kind
                && !kinds.contains(&kind)
            {
                kinds.push(kind);
            }
        }
        kinds
    }
}

/// How many decimals the number has, if 22 and 15 digits are enough for it.
fn decimals_of(number: f64) -> Option<u8> {
    if number.abs() <= Scale::MAX_STORED && number.trunc() == number {
        // No integer is -0.
        return (number != 0.0 || number.is_sign_positive()).then_some(0);
    }
    // As many decimals as 15 digits allow, which is where the rounding of the product is still harmless: whatever
    // has fewer shows with these. The logarithm of two turns the exponent into digits, at most one too many.
    let exponent = (number.to_bits() >> 52 & 0x7FF) as i32 - 1023;
    let mut decimals = ((50 - exponent) * 30_103 / 100_000).clamp(0, Scale::MAX_DECIMALS.into()) as u8;
    let mut scale = Scale::new(1.0, 0.0, decimals).ok()?;
    if decimals > 0 && number.abs() > scale.number(1e15) {
        decimals -= 1;
        scale = Scale::new(1.0, 0.0, decimals).ok()?;
    }
    let mut place = scale.stored(number)?;
    while decimals > 0 && place % 10 == 0 {
        place /= 10;
        decimals -= 1;
    }
    Some(decimals)
}

/// The powers of two between which steps are written without loss or surprise.
const MIN_POWER: i32 = -1000;
const MAX_POWER: i32 = 900;

/// Which power of two the lowest bit of a number is worth; the greatest for 0.
fn lowest_bit(number: f64) -> i32 {
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7FF) as i32;
    let fraction = bits & ((1 << 52) - 1);
    match (exponent, fraction) {
        (0, 0) => i32::MAX,
        (0, _) => fraction.trailing_zeros() as i32 - 1074,
        _ => (fraction | 1 << 52).trailing_zeros() as i32 + exponent - 1075,
    }
}

/// Two to a power of at least -1022 and at most 1023.
fn power_of_two(power: i32) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

/// The first of those that cost at most `chance` times as much as the cheapest; what has no cost is left out.
fn least<T>(candidates: Vec<T>, chance: f64, cost: impl Fn(&T) -> Option<f64>) -> Option<T> {
    let costs = candidates.into_iter().filter_map(|candidate| Some((cost(&candidate)?, candidate)));
    let costs: Vec<_> = costs.collect();
    let limit = costs.iter().map(|(cost, _)| *cost).fold(f64::INFINITY, f64::min) * chance;
    costs.into_iter().find(|(cost, _)| *cost <= limit).map(|(_, candidate)| candidate)
}

/// The greatest divisor of both; 0 only for two zeros.
fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    // The usual case by far: a step is found, and the next number has it.
    if a == 1 || (a != 0 && b.is_multiple_of(a)) {
        return a;
    }
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The step that most of these places have, but for a few that are off it.
fn usual_step(places: &[i64]) -> u64 {
    // A handful of places has the step of all of them, as a rule, and as a rule none of the few is among them.
    const HANDFULS: usize = 64;
    const HANDFUL: usize = 6;
    let mut random = Stream::new(0);
    let mut draw = || places[random.int(0, places.len() as i64) as usize];
    let steps = (0..HANDFULS).map(|_| {
        let first = draw();
        (1..HANDFUL).fold(0, |step, _| common_divisor(step, draw().abs_diff(first)))
    });
    // A handful of equal places says nothing.
    most_common(steps.filter(|step| *step > 0))
}

/// The value that occurs most often, the least of them if there are several; the default if there is none.
fn most_common<T: Ord + Copy + Default>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    let mut best = (0, T::default());
    for run in values.chunk_by(|a, b| a == b) {
        if run.len() > best.0 {
            best = (run.len(), run[0]);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PENALTY: f64 = 50.0;

    fn cheapest(numbers: &[f64]) -> PropertyKind {
        Numbers::new(numbers).cheapest(PENALTY).unwrap()
    }

    fn scale(step: f64, offset: f64, decimals: u8) -> Scale {
        Scale::new(step, offset, decimals).unwrap()
    }

    fn misfits(kind: PropertyKind, numbers: &[f64]) -> usize {
        numbers.iter().filter(|number| stored_number(&kind, **number).is_none()).count()
    }

    #[test]
    fn positions_on_a_grid_get_its_step_and_offset() {
        let numbers: Vec<f64> = (0..3000).map(|n| f64::from(n * 7 % 3000 * 32 + 16)).collect();
        assert_eq!(cheapest(&numbers), PropertyKind::Uint(scale(32.0, 16.0, 0)));
    }

    #[test]
    fn a_few_numbers_off_the_grid_do_not_spoil_it() {
        let mut numbers: Vec<f64> = (0..3000).map(|n| f64::from(n * 7 % 3000 * 320 + 16)).collect();
        numbers[1700] += 1.0;
        numbers[800] += 0.123;
        let kind = cheapest(&numbers);
        assert_eq!(kind, PropertyKind::Uint(scale(320.0, 16.0, 0)));
        assert_eq!(misfits(kind, &numbers), 2);
    }

    #[test]
    fn decimals_are_found_and_binary_fractions_too() {
        let hundredths: Vec<f64> = (0..500).map(|n| f64::from(n * 37 % 500 - 250) / 100.0).collect();
        assert!(
            matches!(cheapest(&hundredths), PropertyKind::Uint(s) | PropertyKind::Int(s) if s.decimals() == 2)
        );
        let fractions: Vec<f64> = (0..500).map(|n| f64::from(n * 37 % 500) / 4096.0).collect();
        let kind = cheapest(&fractions);
        assert!(matches!(kind, PropertyKind::Uint(s) if s.step() == 1.0 / 4096.0), "{kind:?}");
        assert_eq!(misfits(kind, &fractions), 0);
    }

    #[test]
    fn numbers_around_a_value_are_counted_from_it() {
        let numbers: Vec<f64> =
            (0..1000).map(|n| if n % 50 == 0 { 1e6 + f64::from(n) } else { 100_000.0 }).collect();
        let kind = cheapest(&numbers);
        assert_eq!(Numbers::new(&numbers).cost(kind, PENALTY) as usize / 1000, 1, "{kind:?}");
    }

    #[test]
    fn single_precision_is_for_numbers_on_no_grid() {
        let mut random = Stream::new(3);
        let singles: Vec<f64> = (0..500).map(|_| f64::from((random.next() * 60.0).exp() as f32)).collect();
        assert_eq!(cheapest(&singles), PropertyKind::Float32);
        let mixed = [-0.0, 0.5, 1e30_f32.into()];
        assert_eq!(misfits(cheapest(&mixed), &mixed), 0);
    }

    #[test]
    fn numbers_that_nothing_fits_have_no_form() {
        assert!(
            Numbers::new(&[0.1 + 0.2, 1e300 / 3.0])
                .cheapest(PENALTY)
                .is_some_and(|kind| { misfits(kind, &[0.1 + 0.2, 1e300 / 3.0]) < 2 })
        );
        assert!(Numbers::new(&[]).cheapest(PENALTY).is_none());
    }

    #[test]
    fn integers_of_more_than_53_bits_are_exact_by_their_step() {
        let numbers: Vec<f64> = (1..100).map(|n| f64::from(n) * (1_u64 << 60) as f64).collect();
        assert_eq!(misfits(cheapest(&numbers), &numbers), 0);
    }

    proptest! {
        #[test]
        fn decimals_are_counted_right(digits in 1..1_000_000_000_000_000_i64, decimals in 0..22_u8) {
            let number: f64 = format!("{digits}e-{decimals}").parse().unwrap();
            let zeros = (0..i32::from(decimals)).take_while(|n| digits % 10_i64.pow(*n as u32 + 1) == 0).count();
            prop_assert_eq!(decimals_of(number), Some(decimals - zeros as u8));
            prop_assert_eq!(decimals_of(-number), Some(decimals - zeros as u8));
        }

        #[test]
        fn any_numbers_have_a_form_or_none(numbers in prop::collection::vec(any::<f64>(), 0..50)) {
            if let Some(kind) = Numbers::new(&numbers).cheapest(PENALTY) {
                prop_assert!(misfits(kind, &numbers) < numbers.len());
            }
        }

        #[test]
        fn the_lowest_bit_divides_the_number(number in any::<f64>()) {
            prop_assume!(number.is_finite() && number != 0.0);
            let power = lowest_bit(number);
            if (MIN_POWER..=MAX_POWER).contains(&power) {
                let quotient = number / power_of_two(power);
                prop_assert_eq!(quotient % 2.0, 1.0_f64.copysign(number));
            }
        }
    }
}
