//! Text that others wrote, made safe to show.
//!
//! Transcripts, names and paths come from models, users and tools. None of their control or escape
//! sequences may reach a terminal: each such character is shown as a visible mark instead.

use std::borrow::Cow;

/// The text with every character that could steer a terminal, reorder a line or hide in it
/// replaced by a visible mark.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| mark(c).is_none()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| mark(c).unwrap_or(c)).collect())
}

/// Whether a character may not be shown as it is.
pub fn is_hidden(c: char) -> bool {
    mark(c).is_some()
}

/// The mark that stands for a character, if it may not be shown as it is.
fn mark(c: char) -> Option<char> {
    match c {
        // Control pictures: ␀ stands 0x2400 after NUL.
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32),
        '\u{7f}' => Some('\u{2421}'),
        // C1 controls, among them a one-character escape sequence introducer.
        '\u{80}'..='\u{9f}' => Some('\u{fffd}'),
        // Marks and overrides of direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some('\u{2194}')
        }
        // Characters without width, and line breaks of their own.
        '\u{ad}'
        | '\u{34f}'
        // Letters that are drawn as nothing.
        | '\u{115f}'
        | '\u{1160}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => Some('\u{b7}'),
        '\u{2028}' | '\u{2029}' => Some('\u{23ce}'),
        _ => None,
    }
}

/// A count with its thousands apart: 2390 is `2,390`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun: `1 task`, `2,390 tasks`.
pub fn counted(count: u64, noun: &str) -> String {
    let ending = match noun.strip_suffix('y') {
        _ if count == 1 => return format!("1 {noun}"),
        Some(stem) => format!("{stem}ies"),
        None => format!("{noun}s"),
    };
    format!("{} {ending}", grouped(count))
}

/// A share as a whole percentage that says 0% and 100% only of none and all.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    match part {
        0 => "0%".to_owned(),
        _ if part == whole => "100%".to_owned(),
        _ => format!("{:.0}%", (part as f64 / whole as f64 * 100.0).clamp(1.0, 99.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_stays() {
        let hostile = "a\u{1b}]0;title\u{7}\u{9b}31m\u{202e}b\u{200b}c\nd\u{7f}";
        assert_eq!(visible(hostile), "a␛]0;title␇�31m↔b·c␊d␡");
        assert!(matches!(visible("plain – ✓ 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn numbers_as_people_write_them() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "trajectory"), "1 trajectory");
        assert_eq!(counted(2390, "trajectory"), "2,390 trajectories");
        assert_eq!(counted(0, "task"), "0 tasks");
    }

    #[test]
    fn only_none_and_all_are_0_and_100_percent() {
        assert_eq!(percent(0, 10), "0%");
        assert_eq!(percent(1, 1000), "1%");
        assert_eq!(percent(999, 1000), "99%");
        assert_eq!(percent(10, 10), "100%");
        assert_eq!(percent(0, 0), "–");
    }
}
