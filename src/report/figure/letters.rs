//! The width of words. The embedded font, Helvetica and Arial have the same widths, so that a figure has
//! the same layout in every format.

/// Widths of the letters from the space to the tilde, in thousandths of the size.
const PLAIN: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The same of bold letters.
const BOLD: [u16; 95] = [
    278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667,
    611, 778, 722, 278, 556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 333, 278, 333, 584, 556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556,
    278, 889, 611, 611, 611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
];

/// The width of a letter, for a size of 1.
fn letter(c: char, bold: bool) -> f64 {
    let widths = if bold { &BOLD } else { &PLAIN };
    let known = (c as usize).checked_sub(' ' as usize).and_then(|index| widths.get(index));
    let thousandths = match c {
        _ if known.is_some() => known.copied().unwrap_or_default(),
        '·' => 333,
        '–' | '†' | '‡' => 556,
        '−' | '×' | '±' | '≥' | '≤' => 584,
        // A wide letter takes the room of two; of others the width of most is enough.
        c if crate::text::width(c.encode_utf8(&mut [0; 4])) > 1 => 1000,
        '—' | '…' | '→' => 1000,
        _ => 667,
    };
    f64::from(thousandths) / 1000.0
}

/// The width of words in points.
pub(super) fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    text.chars().map(|c| letter(c, bold)).sum::<f64>() * size
}

/// The widest of some words.
pub(super) fn widest<S: AsRef<str>>(texts: &[S], size: f64) -> f64 {
    texts.iter().map(|text| text_width(text.as_ref(), size, false)).fold(0.0, f64::max)
}

/// Words in lines of a width. A word that is wider is cut.
pub(super) fn lines(text: &str, size: f64, room: f64) -> Vec<String> {
    let width = |text: &str| text_width(text, size, false);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}")) <= room => {
                line.push(' ');
                line.push_str(word);
                continue;
            }
            _ => lines.push(String::new()),
        }
        for letter in word.chars() {
            let line = lines.last().map_or("", String::as_str);
            if !line.is_empty() && width(&format!("{line}{letter}")) > room {
                lines.push(String::new());
            }
            lines.last_mut().into_iter().for_each(|line| line.push(letter));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_wide_as_in_helvetica() {
        // Adobe's metrics of Helvetica: A 667, space 278, i 222; bold A 722, i 278.
        assert!((text_width("A i", 10.0, false) - 11.67).abs() < 1e-9);
        assert!((text_width("Ai", 10.0, true) - 10.0).abs() < 1e-9);
        assert!((text_width("模", 7.0, false) - 7.0).abs() < 1e-9);
    }

    #[test]
    fn lines_have_room_and_lose_no_letter() {
        let text = "one two three-four-five-six seven";
        let found = lines(text, 10.0, 40.0);
        // In thousandths: `three-fo` 3446, with `u` 4002; `ur-five-si` 3833, with `x` 4333.
        assert_eq!(found, ["one two", "three-fo", "ur-five-si", "x seven"]);
        assert_eq!(lines(text, 1.0, 400.0), [text]);
        assert!(found.iter().all(|line| text_width(line, 10.0, false) <= 40.0));
    }
}
