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
    /// A piece that both have, or that is compared with nothing.
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

/// A text in pieces, with what another text lacks marked.
pub fn differing(text: &str, other: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for change in changes(text, other) {
        let (text, differs) = match change {
            Change::Same(text) => (text, false),
            Change::First(text) => (text, true),
            Change::Second(_) => continue,
        };
        match pieces.last_mut() {
            Some(last) if last.differs == differs => last.text.push_str(&text),
            _ => pieces.push(Piece { text, differs }),
        }
    }
    pieces
}

/// A piece of two texts that are merged into one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Both have it.
    Same(String),
    /// Only the first has it.
    First(String),
    /// Only the second has it.
    Second(String),
}

/// Merges two texts: what both have, and what only one of them has. Neighbouring words that changed
/// are one change, although both texts have the spaces between them.
pub fn changes(first: &str, second: &str) -> Vec<Change> {
    let (mut tidy, mut a, mut b) = (Vec::new(), String::new(), String::new());
    let mut gap = String::new();
    for edit in edits(first, second) {
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
            Change::First(text) => a.push_str(&text),
            Change::Second(text) | Change::Same(text) => b.push_str(&text),
        }
    }
    flush(&mut a, &mut b, &mut tidy);
    tidy.extend((!gap.is_empty()).then_some(Change::Same(gap)));
    tidy
}

/// Ends a change.
fn flush(a: &mut String, b: &mut String, tidy: &mut Vec<Change>) {
    tidy.extend((!a.is_empty()).then(|| Change::First(std::mem::take(a))));
    tidy.extend((!b.is_empty()).then(|| Change::Second(std::mem::take(b))));
}

/// The edits that lead from one text to the other.
fn edits(first: &str, second: &str) -> Vec<Change> {
    if first == second {
        return vec![Change::Same(first.to_owned())];
    }
    let (mut a, mut b) = (words(first), words(second));
    if a.len().max(b.len()) > MOST_WORDS {
        (a, b) = (lines(first), lines(second));
        if a.len().max(b.len()) > MOST_WORDS {
            return vec![Change::First(first.to_owned()), Change::Second(second.to_owned())];
        }
    }
    let mut changes = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &a, &b) {
        let (first, second) = (a[op.old_range()].concat(), b[op.new_range()].concat());
        if matches!(op, DiffOp::Equal { .. }) {
            changes.push(Change::Same(first));
            continue;
        }
        changes.extend((!first.is_empty()).then_some(Change::First(first)));
        changes.extend((!second.is_empty()).then_some(Change::Second(second)));
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
    for (byte, c) in text.char_indices() {
        let class = class(c);
        if last.is_some_and(|last| last != class || class == 2) {
            words.push(&text[start..byte]);
            start = byte;
        }
        last = Some(class);
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

    fn marked(text: &str, other: &str) -> String {
        let mark = |Piece { text, differs }| if differs { format!("[{text}]") } else { text };
        differing(text, other).into_iter().map(mark).collect()
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
        let shown = |first: &str, second: &str| -> String {
            let piece = |change| match change {
                Change::Same(text) => text,
                Change::First(text) => format!("[-{text}-]"),
                Change::Second(text) => format!("{{+{text}+}}"),
            };
            changes(first, second).into_iter().map(piece).collect()
        };
        assert_eq!(shown("the red car", "the blue car"), "the [-red-]{+blue+} car");
        assert_eq!(shown("the car", "the red car"), "the {+red +}car");
        assert_eq!(shown("a red car.", "a big blue ox."), "a [-red car-]{+big blue ox+}.");
        let texts =
            ["I can help you.", "You can, can't you?\nYes", "  ", "", "a b c d", "a x c\ny d"];
        for first in texts {
            for second in texts {
                let side = |skip: fn(&Change) -> bool| -> String {
                    let kept = changes(first, second).into_iter().filter(|change| !skip(change));
                    kept.map(|(Change::Same(t) | Change::First(t) | Change::Second(t))| t).collect()
                };
                assert_eq!(side(|change| matches!(change, Change::Second(_))), first);
                assert_eq!(side(|change| matches!(change, Change::First(_))), second);
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
