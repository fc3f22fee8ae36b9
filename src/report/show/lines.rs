//! Text of transcripts as lines that are safe to print, wrapped and cut.

use crate::compare::{Change, JsonLine, Piece, changes, lay_out, lay_out_container};
use crate::text::{visible, width, wrap};

/// Columns of a text that is not printed whole.
pub(super) const WIDTH: usize = 90;
/// Lines of it.
const LINES: usize = 6;
/// Lines beyond these that are printed because they differ.
const DIFFERING: usize = 20;

/// The marks before and after text that differs.
pub(super) type Marks = (&'static str, &'static str);
/// The marks of what the first run has.
pub(super) const OLD: Marks = ("[-", "-]");
/// The marks of what the other run has.
pub(super) const NEW: Marks = ("{+", "+}");

/// A part of a line: text that is safe to print, and the marks around it where it differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinePiece {
    pub(super) text: String,
    pub(super) marks: Option<Marks>,
}

/// A line, and whether something in it differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) pieces: Vec<LinePiece>,
    differs: bool,
}

impl Line {
    /// A line in which nothing differs.
    fn plain(text: String) -> Self {
        let pieces = vec![LinePiece { text, marks: None }];
        Self { pieces, differs: false }
    }

    /// The line with its marks.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            let (open, close) = piece.marks.unwrap_or_default();
            text.extend([open, &piece.text, close]);
        }
        text
    }
}

/// Text of a transcript on one line, safe to print: a line break is shown as a mark.
pub(super) fn safe(text: &str) -> String {
    visible(&text.replace('\t', "    ")).into_owned()
}

/// The lines of a text.
pub(super) fn plain(text: &str) -> Vec<Line> {
    text.lines().map(|line| Line::plain(safe(line))).collect()
}

/// What a tool returned: lists and objects are laid out.
pub(super) fn returned(text: &str) -> Vec<Line> {
    lay_out_container(text).map_or_else(|| plain(text), |lines| laid_out(&lines, OLD))
}

/// Arguments of a call; what differs from those of another call is marked.
pub(super) fn arguments(arguments: &str, other: Option<&str>, marks: Marks) -> Vec<Line> {
    laid_out(&lay_out(arguments, other), marks)
}

/// Two texts merged into one, with what only one of them has marked.
pub(super) fn merged(first: &str, second: &str) -> Vec<Line> {
    let mut lines = Lines::default();
    for change in changes(first, second) {
        match change {
            Change::Same(text) => lines.push(&text, None),
            Change::First(text) => lines.push(&text, Some(OLD)),
            Change::Second(text) => lines.push(&text, Some(NEW)),
        }
    }
    lines.finish()
}

/// A value that replaces another; either may be missing.
pub(super) fn replaced(first: Option<&str>, second: Option<&str>) -> Vec<Line> {
    let mut lines = Lines::default();
    first.iter().for_each(|text| lines.push(text, Some(OLD)));
    if first.is_some() && second.is_some() {
        lines.push(" ", None);
    }
    second.iter().for_each(|text| lines.push(text, Some(NEW)));
    lines.finish()
}

/// JSON in lines or, where that is short, on one line.
fn laid_out(json: &[JsonLine], marks: Marks) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    for line in json {
        let indent = "  ".repeat(line.indent);
        let mut lines = Lines::indented(&indent);
        for piece in joined(&line.pieces) {
            lines.push(&piece.text, piece.differs.then_some(marks));
        }
        all.extend(lines.finish());
    }
    let total: usize = all.iter().map(|line| width(&line.text())).sum();
    let short = all.len() == json.len() && total < WIDTH;
    if short && all.len() > 1 { vec![on_one_line(&all)] } else { all }
}

/// Lines of JSON on one, without their indents.
fn on_one_line(lines: &[Line]) -> Line {
    let mut all = Line::default();
    for line in lines {
        if all.text().ends_with(',') {
            all.pieces.push(LinePiece { text: " ".to_owned(), marks: None });
        }
        // The first piece is the indent.
        all.pieces.extend(line.pieces.iter().skip(1).cloned());
        all.differs |= line.differs;
    }
    all
}

/// Neighbouring pieces that both differ, or both do not, as one.
fn joined(pieces: &[Piece]) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for piece in pieces.iter().filter(|piece| !piece.text.is_empty()) {
        match all.last_mut() {
            Some(last) if last.differs == piece.differs => last.text.push_str(&piece.text),
            _ => all.push(piece.clone()),
        }
    }
    all
}

/// Lines in the making.
#[derive(Default)]
struct Lines {
    indent: String,
    done: Vec<Line>,
    last: Line,
}

impl Lines {
    fn indented(indent: &str) -> Self {
        Self { indent: indent.to_owned(), done: Vec::new(), last: Line::plain(indent.to_owned()) }
    }

    /// Adds text; marks do not span lines, so that each line can be searched by itself.
    fn push(&mut self, text: &str, marks: Option<Marks>) {
        for (index, segment) in text.split('\n').enumerate() {
            if index > 0 {
                let next = Line::plain(self.indent.clone());
                self.done.push(std::mem::replace(&mut self.last, next));
            }
            let segment = safe(segment.strip_suffix('\r').unwrap_or(segment));
            self.last.differs |= marks.is_some();
            if !segment.is_empty() {
                self.last.pieces.push(LinePiece { text: segment, marks });
            }
        }
    }

    fn finish(mut self) -> Vec<Line> {
        self.done.push(self.last);
        self.done
    }
}

/// The lines as they are printed: all of them unchanged, or wrapped and only the first few with those
/// that differ.
pub(super) fn fitted(lines: &[Line], full: bool) -> Vec<String> {
    if full {
        return lines.iter().map(Line::text).collect();
    }
    let wrapped: Vec<(String, bool)> = lines
        .iter()
        .flat_map(|line| wrap(&line.text(), WIDTH).into_iter().map(|text| (text, line.differs)))
        .collect();
    if wrapped.len() <= LINES + 1 {
        return wrapped.into_iter().map(|(text, _)| text).collect();
    }
    let (mut out, mut left_out, mut differing) = (Vec::new(), 0, 0);
    let more = |count: usize| {
        format!("… {count} more {} (--full)", if count == 1 { "line" } else { "lines" })
    };
    for (index, (text, differs)) in wrapped.into_iter().enumerate() {
        let kept = index < LINES || (differs && differing < DIFFERING);
        if !kept {
            left_out += 1;
            continue;
        }
        differing += usize::from(index >= LINES);
        if left_out > 0 {
            out.push(more(std::mem::take(&mut left_out)));
        }
        out.push(text);
    }
    out.extend((left_out > 0).then(|| more(left_out)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(first: &str, other: Option<&str>) -> Vec<String> {
        fitted(&arguments(first, other, OLD), true)
    }

    #[test]
    fn short_arguments_stand_on_one_line() {
        let (a, b) = (r#"{"id": "EHG", "only": [1, 2]}"#, r#"{"id": "EUJ"}"#);
        assert_eq!(shown(a, Some(b)), [r#"{"id": [-"EHG"-], [-"only": [-][-1-], [-2-][-]-]}"#]);
        assert_eq!(shown(a, None), [a]);
        assert_eq!(shown("{\"a\": \"x\\ny\"}", None), ["{", "  \"a\": \"x", "  y\"", "}"]);
        assert_eq!(shown("{}", None), ["{}"]);
    }

    #[test]
    fn long_texts_are_cut_but_not_where_they_differ() {
        let long = (0..30).map(|line| format!("line {line}")).collect::<Vec<_>>().join("\n");
        let cut = fitted(&plain(&long), false);
        assert_eq!(cut.len(), 7);
        assert_eq!(cut[6], "… 24 more lines (--full)");
        assert_eq!(fitted(&plain(&long), true).len(), 30);
        let cut = fitted(&merged(&long, &long.replace("line 20", "line x")), false);
        assert_eq!(
            cut[6..9],
            ["… 14 more lines (--full)", "line [-20-]{+x+}", "… 9 more lines (--full)"]
        );
    }

    #[test]
    fn nothing_of_others_steers() {
        assert_eq!(plain("a\tb\r\nc\u{1b}\rd")[1].text(), "c␛␍d");
        assert_eq!(plain("a\tb")[0].text(), "a    b");
    }
}
