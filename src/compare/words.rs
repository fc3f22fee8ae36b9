//! Which words of two texts differ.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A piece of a text, and whether its counterpart lacks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// The counterpart does not have it there.
    pub differs: bool,
}

impl Piece {
    /// A piece that both have, or that is held against nothing.
    pub fn same(text: impl Into<String>) -> Self {
        Self { text: text.into(), differs: false }
    }

    /// A piece that the counterpart does not have.
    pub fn other(text: impl Into<String>) -> Self {
        Self { text: text.into(), differs: true }
    }
}

/// Texts of more words are compared by lines.
const MOST_WORDS: usize = 4_000;

/// A text in pieces, by what another one lacks.
pub fn differing(own: &str, other: &str) -> Vec<Piece> {
    if own == other {
        return vec![Piece::same(own)];
    }
    let (mut a, mut b) = (words(own), words(other));
    if a.len().max(b.len()) > MOST_WORDS {
        (a, b) = (lines(own), lines(other));
        if a.len().max(b.len()) > MOST_WORDS {
            return vec![Piece::other(own)];
        }
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &a, &b) {
        let text = a[op.old_range()].concat();
        if text.is_empty() {
            continue;
        }
        let differs = !matches!(op, DiffOp::Equal { .. });
        match pieces.last_mut() {
            Some(last) if last.differs == differs => last.text.push_str(&text),
            _ => pieces.push(Piece { text, differs }),
        }
    }
    pieces
}

/// Words, the spaces between them, and every other character alone.
fn words(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 0,
        _ if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (place, c) in text.char_indices() {
        let own = class(c);
        if last.is_some_and(|last| last != own || own == 2) {
            words.push(&text[start..place]);
            start = place;
        }
        last = Some(own);
    }
    words.extend((start < text.len()).then(|| &text[start..]));
    words
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(own: &str, other: &str) -> String {
        let piece = |own: Piece| if own.differs { format!("[{}]", own.text) } else { own.text };
        differing(own, other).into_iter().map(piece).collect()
    }

    #[test]
    fn only_what_differs_is_marked() {
        assert_eq!(marked("the red car", "the blue car"), "the [red] car");
        assert_eq!(marked("the red car", "the car"), "the [red ]car");
        assert_eq!(marked("the car", "the red car"), "the car");
        assert_eq!(marked("日本 語", "日本 人"), "日本 [語]");
        assert_eq!(marked("a,b", "a;b"), "a[,]b");
        assert_eq!(marked("", "x"), "");
        assert_eq!(marked("x", ""), "[x]");
    }

    #[test]
    fn long_texts_are_compared_by_lines() {
        let line = "one two three four five six\n";
        let long = line.repeat(2_000);
        let other = format!("{long}seven\n");
        assert_eq!(differing(&long, &other), [Piece::same(long.as_str())]);
        assert_eq!(differing(&other, &long)[1], Piece::other("seven\n"));
    }
}
