//! Decimal numbers: exact addition and multiplication, division to eighteen digits after the point.

use std::cmp::Ordering;
use std::fmt;

/// Digits after the point that a quotient has at most.
const QUOTIENT_DIGITS: u32 = 18;
/// More digits than this would not fit.
const MAX_SCALE: u32 = 36;

/// `digits / 10^scale`, without needless zeros at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decimal {
    digits: i128,
    scale: u32,
}

impl Decimal {
    pub(super) fn new(digits: i128, scale: u32) -> Decimal {
        let (mut digits, mut scale) = (digits, scale);
        while scale > 0 && digits % 10 == 0 {
            digits /= 10;
            scale -= 1;
        }
        Decimal { digits, scale }
    }

    /// Optional sign, digits with an optional point; nothing if it is no decimal or has too many digits.
    pub(super) fn parse(text: &str) -> Option<Decimal> {
        let (negative, body) = match text.as_bytes().first()? {
            b'-' => (true, &text[1..]),
            b'+' => (false, &text[1..]),
            _ => (false, text),
        };
        let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
        let fraction = fraction.trim_end_matches('0');
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) || !body.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let scale = u32::try_from(fraction.len()).ok().filter(|&scale| scale <= MAX_SCALE)?;
        let mut digits: i128 = 0;
        for byte in whole.bytes().chain(fraction.bytes()) {
            digits = digits.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
        }
        Some(Decimal::new(if negative { -digits } else { digits }, scale))
    }

    /// The value itself, to as many digits as there is room for; not the shortest digits that would read back the same.
    /// Nothing for what is not finite or too large.
    pub(super) fn from_f64(value: f64) -> Option<Decimal> {
        if !value.is_finite() {
            return None;
        }
        let whole = value.abs().log10().floor().max(0.0) as usize + 1;
        let places = (MAX_SCALE as usize).checked_sub(whole)?;
        Decimal::parse(&format!("{value:.places$}"))
    }

    pub(super) fn to_f64(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// The whole part, towards zero.
    pub(super) fn truncate(self) -> i128 {
        self.digits / power(self.scale).unwrap_or(i128::MAX)
    }

    pub(super) fn floor(self) -> i128 {
        self.digits.div_euclid(power(self.scale).unwrap_or(i128::MAX))
    }

    pub(super) fn ceiling(self) -> i128 {
        -Decimal { digits: -self.digits, ..self }.floor()
    }

    pub(super) fn is_zero(self) -> bool {
        self.digits == 0
    }

    pub(super) fn negate(self) -> Decimal {
        Decimal { digits: -self.digits, ..self }
    }

    pub(super) fn add(self, other: Decimal) -> Option<Decimal> {
        let (left, right, scale) = self.aligned(other)?;
        Some(Decimal::new(left.checked_add(right)?, scale))
    }

    pub(super) fn multiply(self, other: Decimal) -> Option<Decimal> {
        Some(Decimal::new(self.digits.checked_mul(other.digits)?, self.scale + other.scale).cut(MAX_SCALE))
    }

    /// The caller has made sure that `other` is not zero.
    pub(super) fn divide(self, other: Decimal) -> Option<Decimal> {
        // digits / 10^s : digits' / 10^s' is digits * 10^(s' + n) / digits' / 10^(s + n)
        let mut extra = QUOTIENT_DIGITS;
        loop {
            if let Some(dividend) = power(other.scale + extra).and_then(|shift| self.digits.checked_mul(shift)) {
                let quotient = Decimal::new(dividend.checked_div(other.digits)?, self.scale + extra);
                return Some(quotient.cut(QUOTIENT_DIGITS));
            }
            extra = extra.checked_sub(1)?;
        }
    }

    pub(super) fn remainder(self, other: Decimal) -> Option<Decimal> {
        let (left, right, scale) = self.aligned(other)?;
        Some(Decimal::new(left.checked_rem(right)?, scale))
    }

    /// Rounded to so many digits after the point: half up, or half to even. Digits before it count negative.
    pub(super) fn round(self, places: i32, half_to_even: bool) -> Option<Decimal> {
        let drop = i64::from(self.scale) - i64::from(places);
        if drop <= 0 {
            return Some(self);
        }
        let Some(unit) = u32::try_from(drop).ok().and_then(power) else { return Some(Decimal::from(0)) };
        let (below, rest) = (self.digits.div_euclid(unit), self.digits.rem_euclid(unit));
        let up = match rest.cmp(&(unit / 2)) {
            Ordering::Greater => true,
            Ordering::Less => false,
            Ordering::Equal => !half_to_even || below % 2 != 0,
        };
        let rounded = below + i128::from(up);
        match u32::try_from(places) {
            Ok(scale) => Some(Decimal::new(rounded, scale)),
            Err(_) => Some(Decimal::new(rounded.checked_mul(power(places.unsigned_abs())?)?, 0)),
        }
    }

    pub(super) fn compare(self, other: Decimal) -> Ordering {
        match self.aligned(other) {
            Some((left, right, _)) => left.cmp(&right),
            None => self.to_f64().total_cmp(&other.to_f64()),
        }
    }

    fn cut(self, scale: u32) -> Decimal {
        match self.scale.checked_sub(scale).and_then(power) {
            Some(unit) => Decimal::new(self.digits / unit, scale),
            None => self,
        }
    }

    fn aligned(self, other: Decimal) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let left = self.digits.checked_mul(power(scale - self.scale)?)?;
        let right = other.digits.checked_mul(power(scale - other.scale)?)?;
        Some((left, right, scale))
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Decimal {
        Decimal { digits: i128::from(value), scale: 0 }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let digits = self.digits.unsigned_abs().to_string();
        let scale = self.scale as usize;
        if scale == 0 {
            return write!(f, "{sign}{digits}");
        }
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        write!(f, "{sign}{whole}.{fraction}")
    }
}

fn power(exponent: u32) -> Option<i128> {
    10_i128.checked_pow(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or(Decimal { digits: i128::MIN, scale: 0 })
    }

    #[test]
    fn decimals_are_read_and_written() {
        for (text, written) in
            [("1.50", "1.5"), ("-0.05", "-0.05"), (".5", "0.5"), ("5.", "5"), ("+7", "7"), ("0.0", "0")]
        {
            assert_eq!(decimal(text).to_string(), written);
        }
        for text in ["", "-", ".", "1e3", "1.2.3", " 1", "1,5"] {
            assert_eq!(Decimal::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn doubles_keep_their_exact_value() {
        assert_eq!(Decimal::from_f64(0.5), Some(decimal("0.5")));
        assert_eq!(Decimal::from_f64(-1e15), Some(decimal("-1000000000000000")));
        assert_eq!(Decimal::from_f64(59.45), Some(decimal("59.4500000000000028421709430404007435")));
        assert_eq!(Decimal::from_f64(0.0), Some(decimal("0")));
        assert_eq!(Decimal::from_f64(f64::NAN), None);
        assert_eq!(Decimal::from_f64(1e300), None);
    }

    #[test]
    fn sums_and_products_are_exact() {
        assert_eq!(decimal("0.1").add(decimal("0.2")), Some(decimal("0.3")));
        assert_eq!(decimal("1.25").multiply(decimal("-0.4")), Some(decimal("-0.5")));
        assert_eq!(decimal("7.5").remainder(decimal("2")), Some(decimal("1.5")));
        assert_eq!(decimal("-7.5").remainder(decimal("2")), Some(decimal("-1.5")));
    }

    #[test]
    fn quotients_have_eighteen_digits() {
        assert_eq!(decimal("1").divide(decimal("3")).map(|d| d.to_string()).as_deref(), Some("0.333333333333333333"));
        assert_eq!(decimal("10").divide(decimal("4")), Some(decimal("2.5")));
        assert_eq!(decimal("1").divide(decimal("0.001")), Some(decimal("1000")));
        let (long, small) =
            (decimal("1234567890123456789012345678901"), decimal("0.000000000000000000000000000000000001"));
        assert_eq!(long.divide(decimal("1")), Some(long));
        assert_eq!(
            decimal("0.5").divide(small).map(|d| d.truncate()),
            Some(500_000_000_000_000_000_000_000_000_000_000_000)
        );
        assert_eq!(small.multiply(decimal("0.1")), Some(decimal("0")));
    }

    #[test]
    fn rounding_has_two_ways_for_halves() {
        assert_eq!(decimal("2.5").round(0, false), Some(decimal("3")));
        assert_eq!(decimal("-2.5").round(0, false), Some(decimal("-2")));
        assert_eq!(decimal("2.5").round(0, true), Some(decimal("2")));
        assert_eq!(decimal("1.125").round(2, false), Some(decimal("1.13")));
        assert_eq!(decimal("8452").round(-2, false), Some(decimal("8500")));
        assert_eq!(decimal("8452").round(-99, false), Some(decimal("0")));
        assert_eq!((decimal("-1.5").floor(), decimal("-1.5").ceiling(), decimal("-1.5").truncate()), (-2, -1, -1));
    }
}
