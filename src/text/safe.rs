//! Text that others wrote, made safe to show.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar as _;

/// Replaces every character that could steer a terminal, reorder a line, hide in it or pile up over the
/// lines above with a visible mark.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_harmless(text, false) {
        return Cow::Borrowed(text);
    }
    let mut letter = Letter::default();
    Cow::Owned(text.chars().map(|c| letter.shown(c)).collect())
}

/// Makes a text of several lines safe: line breaks stay, tabs become spaces.
pub fn readable(text: &str) -> Cow<'_, str> {
    if is_harmless(text, true) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut letter = Letter::default();
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '\n' => {
                letter = Letter::default();
                safe.push(c);
            }
            '\t' => safe.push_str("    "),
            '\r' if letters.peek() == Some(&'\n') => {}
            _ => safe.push(letter.shown(c)),
        }
    }
    Cow::Owned(safe)
}

/// A word as a shell reads it back. Control characters are no part of any name that was shown.
pub fn shell_word(word: &str) -> String {
    let word = visible(word);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:+=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a command line, with quotes and backslashes as a shell reads them; none where a quote is not
/// closed. Nothing is expanded.
pub fn shell_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = line.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().push(letters.next()?),
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Cuts a text of more than `most` bytes in its middle, so that both its beginning and its end are read.
pub fn bounded(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let is_whole = |at: &usize| text.is_char_boundary(*at);
    let head = (0..=most / 2).rev().find(is_whole).unwrap_or(0);
    let tail = (text.len() - most / 2..text.len()).find(is_whole).unwrap_or(text.len());
    let left_out = crate::text::sized(tail - head);
    Cow::Owned(format!("{} … ({left_out} left out) … {}", &text[..head], &text[tail..]))
}

/// Whether a text can be shown as it is.
fn is_harmless(text: &str, with_lines: bool) -> bool {
    let mut letter = Letter::default();
    text.chars().all(|c| {
        if with_lines && c == '\n' {
            letter = Letter::default();
            return true;
        }
        letter.shown(c) == c
    })
}

/// Marks that one letter may carry. More would pile up over the lines above.
const MOST_MARKS: u8 = 4;

/// The letter that marks without width stand on.
#[derive(Clone, Copy, Debug, Default)]
struct Letter {
    /// How many more marks it may carry; none at the beginning, where they would stand on a neighbour.
    room: u8,
    /// It is a picture, which a selector may ask to be drawn in colour.
    is_picture: bool,
}

impl Letter {
    /// The character as it is shown after the ones before it.
    fn shown(&mut self, c: char) -> char {
        if c.is_ascii() && !c.is_ascii_control() {
            *self = Self { room: MOST_MARKS, is_picture: false };
            return c;
        }
        if matches!(c, '\u{fe0e}' | '\u{fe0f}') && self.is_picture {
            self.is_picture = false;
            return c;
        }
        if let Some(mark) = mark(c) {
            *self = Self::default();
            return mark;
        }
        if c.width() == Some(0) {
            let carried = self.room > 0;
            self.room = self.room.saturating_sub(1);
            return if carried { c } else { HIDDEN };
        }
        *self = Self { room: MOST_MARKS, is_picture: c >= '\u{203c}' && !c.is_alphanumeric() };
        c
    }
}

/// Stands for a character that would not be seen.
const HIDDEN: char = '\u{b7}';

/// The characters of a text, each with whether it must not be shown as it is.
pub fn marked(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut letter = Letter::default();
    text.chars().map(move |c| (c, letter.shown(c) != c))
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
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        // Selectors of variants.
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        // Controls of shorthand and of music.
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Some(HIDDEN),
        '\u{2028}' | '\u{2029}' => Some('\u{23ce}'),
        _ => None,
    }
}

/// Escapes text for XML and HTML. Two characters cannot occur in XML at all and are replaced.
pub fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_command_line() {
        let words = |line: &str| shell_words(line).expect("closed");
        assert_eq!(
            words("  --a b\t'c d' \"e 'f' \\\" g\" h\\ i'j'k '' "),
            ["--a", "b", "c d", "e 'f' \" g", "h ijk", ""]
        );
        assert_eq!(words(""), [""; 0]);
        assert_eq!(words("$HOME `x` *"), ["$HOME", "`x`", "*"], "nothing is expanded");
        for odd in ["it's", "a b", "c\"d", "e\\f", "", "g'h\"i"] {
            assert_eq!(words(&shell_word(odd)), [odd]);
        }
        for open in ["'", "a \"b", "c\\"] {
            assert_eq!(shell_words(open), None, "{open}");
        }
    }

    #[test]
    fn nothing_that_steers_a_terminal_stays() {
        let hostile = "a\u{1b}]0;title\u{7}\u{9b}31m\u{202e}b\u{200b}c\nd\u{7f}";
        assert_eq!(visible(hostile), "a␛]0;title␇�31m↔b·c␊d␡");
        assert!(matches!(visible("plain – ✓ 日本"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_would_not_be_seen_is_seen() {
        let ranges = [
            0xad..=0xad,
            0x34f..=0x34f,
            0x115f..=0x1160,
            0x17b4..=0x17b5,
            0x180b..=0x180f,
            0x200b..=0x200f,
            0x202a..=0x202e,
            0x2060..=0x206f,
            0x3164..=0x3164,
            0xfe00..=0xfe0f,
            0xfeff..=0xfeff,
            0xffa0..=0xffa0,
            0xfff0..=0xfffb,
            0x1bca0..=0x1bca3,
            0x1d173..=0x1d17a,
            0xe0000..=0xe0fff,
        ];
        for c in ranges.into_iter().flatten().filter_map(char::from_u32) {
            let shown = visible(&format!("a{c}b")).into_owned();
            assert_ne!(shown, format!("a{c}b"), "{}", c.escape_unicode());
            assert_eq!(shown.chars().count(), 3);
        }
        assert_eq!(
            visible("\u{2764}\u{fe0f}\u{fe0f}"),
            "\u{2764}\u{fe0f}·",
            "one selector a picture"
        );
    }

    #[test]
    fn marks_do_not_pile_up() {
        let pile = |count: usize| "\u{301}".repeat(count);
        assert!(matches!(visible("cafe\u{301} นี้ हिन्दी"), Cow::Borrowed(_)));
        assert_eq!(visible(&format!("e{}x", pile(7))), format!("e{}···x", pile(4)));
        assert_eq!(visible(&pile(1)), "·", "it would stand on what is left of the text");
        assert_eq!(readable(&format!("e\n{}", pile(1))), "e\n·");
    }

    #[test]
    fn a_long_text_keeps_both_ends() {
        assert_eq!(bounded("short", 10), "short");
        let long = format!("begin {} end", "é".repeat(40_000));
        let cut = bounded(&long, 100);
        assert!(cut.len() < 200 && cut.starts_with("begin é") && cut.ends_with("é end"), "{cut}");
        assert!(cut.contains("left out"), "{cut}");
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(readable("a\r\nb\tc\u{1b}[2J\rd"), "a\nb    c␛[2J␍d");
        assert!(matches!(readable("a\nb"), Cow::Borrowed(_)));
    }
}
