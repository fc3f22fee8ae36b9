//! Short numbers.

/// A number to two decimals, without the zero before the point: `.52`, `-.12`, `1.00`.
pub fn two(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.strip_prefix("-0.") {
        Some("00") => ".00".to_owned(),
        Some(rest) => format!("-.{rest}"),
        None => text.strip_prefix('0').map_or(text.clone(), str::to_owned),
    }
}

/// A difference with its sign: `+.05`, `-.12`.
pub fn signed(value: f64) -> String {
    let text = two(value);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_decimals() {
        let cases =
            [(0.524, ".52"), (1.0, "1.00"), (-0.12, "-.12"), (-0.001, ".00"), (-12.5, "-12.50")];
        for (value, text) in cases {
            assert_eq!(two(value), text);
        }
        assert_eq!(signed(0.05), "+.05");
        assert_eq!(signed(-0.05), "-.05");
    }
}
