//! Text that others wrote, made safe to show.

use std::borrow::Cow;

/// Replaces every character that could steer a terminal, reorder a line or hide in it with a visible
/// mark.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| mark(c).is_none()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| mark(c).unwrap_or(c)).collect())
}

/// Makes a text of several lines safe: line breaks stay, tabs become spaces.
pub fn readable(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || mark(c).is_none()) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '\n' => safe.push(c),
            '\t' => safe.push_str("    "),
            '\r' if letters.peek() == Some(&'\n') => {}
            _ => safe.push(mark(c).unwrap_or(c)),
        }
    }
    Cow::Owned(safe)
}

/// Whether a character must not be shown as it is.
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
        // Characters without width.
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
    fn lines_stay_lines() {
        assert_eq!(readable("a\r\nb\tc\u{1b}[2J\rd"), "a\nb    c␛[2J␍d");
        assert!(matches!(readable("a\nb"), Cow::Borrowed(_)));
    }
}
