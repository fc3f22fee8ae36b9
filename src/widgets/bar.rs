/// A share as a bar of eighths of a character: 0.5 of 4 is `██  `.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    let part = EIGHTHS[eighths % 8];
    let filled = eighths / 8 + usize::from(!part.is_empty());
    format!("{}{part}{}", "█".repeat(eighths / 8), " ".repeat(width - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_keep_their_width() {
        assert_eq!(bar(0.0, 4), "    ");
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(0.5, 3), "█▌ ");
        assert_eq!(bar(2.0, 2), "██");
        assert_eq!(bar(f64::NAN, 2), "  ");
        assert_eq!(bar(0.3, 0), "");
    }
}
