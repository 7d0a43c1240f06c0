//! Sums of money in whole cents, and the tax on them.

/// Writes cents with two decimals: `-1205` → `-12.05`.
pub(crate) fn text(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    let cents = cents.unsigned_abs();
    format!("{sign}{}.{:02}", cents / 100, cents % 100)
}

/// Gives the nearest floating-point number, as SQLite keeps a decimal column of WordPress.
pub(crate) fn real(cents: i64) -> f64 {
    cents as f64 / 100.0
}

/// Divides and rounds half away from zero.
pub(crate) fn divide(amount: i64, by: i64) -> i64 {
    let half = by / 2;
    if amount < 0 { (amount - half) / by } else { (amount + half) / by }
}

/// Gives the tax on `cents` at `rate` hundredths of a percent (2100 = 21 %), rounded to a cent.
pub(crate) fn tax(cents: i64, rate: i64) -> i64 {
    divide(cents * rate, 10_000)
}

/// Writes the tax before rounding, as WooCommerce keeps it a rate: up to six decimals, trailing zeros cut.
pub(crate) fn exact_tax(cents: i64, rate: i64) -> String {
    let millionths = cents * rate;
    let sign = if millionths < 0 { "-" } else { "" };
    let n = millionths.unsigned_abs();
    let text = format!("{sign}{}.{:06}", n / 1_000_000, n % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cents_are_written_with_two_decimals() {
        assert_eq!(text(0), "0.00");
        assert_eq!(text(5), "0.05");
        assert_eq!(text(123_456), "1234.56");
        assert_eq!(text(-1205), "-12.05");
    }

    #[test]
    fn tax_rounds_half_away_from_zero() {
        assert_eq!(tax(1250, 2100), 263); // 2.625
        assert_eq!(tax(-1250, 2100), -263);
        assert_eq!(tax(1000, 900), 90);
        assert_eq!(exact_tax(1250, 2100), "2.625");
        assert_eq!(exact_tax(1000, 2100), "2.1");
        assert_eq!(exact_tax(-1250, 2100), "-2.625");
        assert_eq!(exact_tax(0, 2100), "0");
    }
}
