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
    let mut pieces: Vec<Piece> = Vec::new();
    for change in changes(own, other) {
        let (text, differs) = match change {
            Change::Same(text) => (text, false),
            Change::Own(text) => (text, true),
            Change::Other(_) => continue,
        };
        match pieces.last_mut() {
            Some(last) if last.differs == differs => last.text.push_str(&text),
            _ => pieces.push(Piece { text, differs }),
        }
    }
    pieces
}

/// A piece of two texts that are told as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Both have it.
    Same(String),
    /// Only the first has it.
    Own(String),
    /// Only the second has it.
    Other(String),
}

/// Two texts as one: what both have, and what only one of them has. Words that changed one after the
/// other are one change, although both texts have the spaces between them.
pub fn changes(own: &str, other: &str) -> Vec<Change> {
    let (mut tidy, mut a, mut b) = (Vec::new(), String::new(), String::new());
    let mut gap = String::new();
    for edit in edits(own, other) {
        if let Change::Same(text) = edit {
            let changing = !(a.is_empty() && b.is_empty());
            gap.push_str(&text);
            if !changing || gap.contains('\n') || !gap.trim().is_empty() {
                flush(&mut a, &mut b, &mut tidy);
                tidy.push(Change::Same(std::mem::take(&mut gap)));
            }
            continue;
        }
        a.push_str(&gap);
        b.push_str(&std::mem::take(&mut gap));
        match edit {
            Change::Own(text) => a.push_str(&text),
            Change::Other(text) | Change::Same(text) => b.push_str(&text),
        }
    }
    flush(&mut a, &mut b, &mut tidy);
    tidy.extend((!gap.is_empty()).then_some(Change::Same(gap)));
    tidy
}

/// Ends a change.
fn flush(a: &mut String, b: &mut String, tidy: &mut Vec<Change>) {
    tidy.extend((!a.is_empty()).then(|| Change::Own(std::mem::take(a))));
    tidy.extend((!b.is_empty()).then(|| Change::Other(std::mem::take(b))));
}

/// The edits that lead from one text to the other.
fn edits(own: &str, other: &str) -> Vec<Change> {
    if own == other {
        return vec![Change::Same(own.to_owned())];
    }
    let (mut a, mut b) = (words(own), words(other));
    if a.len().max(b.len()) > MOST_WORDS {
        (a, b) = (lines(own), lines(other));
        if a.len().max(b.len()) > MOST_WORDS {
            return vec![Change::Own(own.to_owned()), Change::Other(other.to_owned())];
        }
    }
    let mut changes = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &a, &b) {
        let (own, other) = (a[op.old_range()].concat(), b[op.new_range()].concat());
        if matches!(op, DiffOp::Equal { .. }) {
            changes.push(Change::Same(own));
            continue;
        }
        changes.extend((!own.is_empty()).then_some(Change::Own(own)));
        changes.extend((!other.is_empty()).then_some(Change::Other(other)));
    }
    changes
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
        assert_eq!(marked("in two days", "by one week"), "[in two days]", "one change, not three");
        assert_eq!(marked("", "x"), "");
        assert_eq!(marked("x", ""), "[x]");
    }

    #[test]
    fn two_texts_as_one_lose_nothing() {
        let shown = |own: &str, other: &str| -> String {
            let piece = |change| match change {
                Change::Same(text) => text,
                Change::Own(text) => format!("[-{text}-]"),
                Change::Other(text) => format!("{{+{text}+}}"),
            };
            changes(own, other).into_iter().map(piece).collect()
        };
        assert_eq!(shown("the red car", "the blue car"), "the [-red-]{+blue+} car");
        assert_eq!(shown("the car", "the red car"), "the {+red +}car");
        assert_eq!(shown("a red car.", "a big blue ox."), "a [-red car-]{+big blue ox+}.");
        let texts =
            ["I can help you.", "You can, can't you?\nYes", "  ", "", "a b c d", "a x c\ny d"];
        for own in texts {
            for other in texts {
                let side = |skip: fn(&Change) -> bool| -> String {
                    let kept = changes(own, other).into_iter().filter(|own| !skip(own));
                    kept.map(|(Change::Same(t) | Change::Own(t) | Change::Other(t))| t).collect()
                };
                assert_eq!(side(|own| matches!(own, Change::Other(_))), own);
                assert_eq!(side(|own| matches!(own, Change::Own(_))), other);
            }
        }
        assert_eq!((shown("", ""), shown("", "x")), (String::new(), "{+x+}".to_owned()));
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
