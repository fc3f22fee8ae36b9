//! Bars that show a share.

/// Where bars begin: at 0, or higher where all values are so high that they would look alike.
pub fn floor(values: impl Iterator<Item = f64>) -> f64 {
    let Some(least) = values.reduce(f64::min) else { return 0.0 };
    let floor = ((least - 0.05) * 10.0).floor() / 10.0;
    if floor >= 0.3 { floor.min(0.9) } else { 0.0 }
}

/// A share as a line of half characters: 0.5 of 3 is `━╸ `.
pub fn bar(share: f64, width: usize) -> String {
    let halves = (share.clamp(0.0, 1.0) * width as f64 * 2.0).round() as usize;
    let rest = " ".repeat(width - halves.div_ceil(2));
    format!("{}{}{rest}", "━".repeat(halves / 2), "╸".repeat(halves % 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_keep_their_width() {
        assert_eq!(bar(0.0, 4), "    ");
        assert_eq!(bar(1.0, 4), "━━━━");
        assert_eq!(bar(0.5, 3), "━╸ ");
        assert_eq!(bar(2.0, 2), "━━");
        assert_eq!(bar(f64::NAN, 2), "  ");
        assert_eq!(bar(0.3, 0), "");
    }
}
