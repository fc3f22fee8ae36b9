//! Others' texts as lines that are safe to print, wrapped and cut.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::comparison::Held;
use crate::compare::{self, Change, Piece, changes, lay_out, lay_out_container};
use crate::text::visible;

/// Columns of a text that is not printed whole.
pub(super) const WIDTH: usize = 90;
/// Lines of it.
const LINES: usize = 6;
/// Lines beyond these that are printed because something in them differs.
const DIFFERING: usize = 20;

/// What stands around text that differs.
pub(super) type Marks = (&'static str, &'static str);
/// Around what the first of two has.
pub(super) const OLD: Marks = ("[-", "-]");
/// Around what the other has.
pub(super) const NEW: Marks = ("{+", "+}");

/// A line, and whether something in it differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) text: String,
    differs: bool,
}

/// One line of others' words, safe to print: a line break is shown as a mark.
pub(super) fn safe(text: &str) -> String {
    visible(&text.replace('\t', "    ")).into_owned()
}

/// The lines of a text.
pub(super) fn plain(text: &str) -> Vec<Line> {
    text.lines().map(|line| Line { text: safe(line), differs: false }).collect()
}

/// What a tool returned: lists and objects are laid out.
pub(super) fn returned(text: &str) -> Vec<Line> {
    lay_out_container(text).map_or_else(|| plain(text), |lines| laid_out(&lines, OLD))
}

/// Arguments of a call, with what differs marked.
pub(super) fn arguments(held: Held<'_>, marks: Marks) -> Vec<Line> {
    laid_out(&lay_out(held.own, held.other), marks)
}

/// Two texts told as one.
pub(super) fn told_as_one(own: &str, other: &str) -> Vec<Line> {
    let mut lines = Lines::default();
    for change in changes(own, other) {
        match change {
            Change::Same(text) => lines.push(&text, None),
            Change::Own(text) => lines.push(&text, Some(OLD)),
            Change::Other(text) => lines.push(&text, Some(NEW)),
        }
    }
    lines.finish()
}

/// A value in place of another; either may be missing.
pub(super) fn replaced(own: Option<&str>, other: Option<&str>) -> Vec<Line> {
    let mut lines = Lines::default();
    own.iter().for_each(|own| lines.push(own, Some(OLD)));
    if own.is_some() && other.is_some() {
        lines.push(" ", None);
    }
    other.iter().for_each(|other| lines.push(other, Some(NEW)));
    lines.finish()
}

/// JSON in lines or, where that is short, on one line.
fn laid_out(lines: &[compare::Line], marks: Marks) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    for line in lines {
        let indent = "  ".repeat(line.indent);
        let mut own = Lines::indented(&indent);
        for piece in joined(&line.pieces) {
            own.push(&piece.text, piece.differs.then_some(marks));
        }
        all.extend(own.finish());
    }
    let short =
        all.len() == lines.len() && all.iter().map(|own| own.text.width()).sum::<usize>() < WIDTH;
    if !short || all.len() < 2 {
        return all;
    }
    let differs = all.iter().any(|own| own.differs);
    let mut text = String::new();
    for (line, own) in lines.iter().zip(&all) {
        if text.ends_with(',') {
            text.push(' ');
        }
        text.push_str(&own.text[2 * line.indent..]);
    }
    vec![Line { text, differs }]
}

/// Neighbouring pieces that both differ, or both do not, as one.
fn joined(pieces: &[Piece]) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for piece in pieces.iter().filter(|own| !own.text.is_empty()) {
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
        let last = Line { text: indent.to_owned(), differs: false };
        Self { indent: indent.to_owned(), done: Vec::new(), last }
    }

    /// Adds text; marks do not span lines, so that each can be found by itself.
    fn push(&mut self, text: &str, marks: Option<Marks>) {
        for (place, segment) in text.split('\n').enumerate() {
            if place > 0 {
                let next = Line { text: self.indent.clone(), differs: false };
                self.done.push(std::mem::replace(&mut self.last, next));
            }
            let segment = safe(segment.strip_suffix('\r').unwrap_or(segment));
            match marks {
                None => self.last.text.push_str(&segment),
                Some((open, close)) => {
                    self.last.differs = true;
                    if !segment.is_empty() {
                        self.last.text.extend([open, &segment, close]);
                    }
                }
            }
        }
    }

    fn finish(mut self) -> Vec<Line> {
        self.done.push(self.last);
        self.done
    }
}

/// The lines as they are printed: all as they stand, or wrapped and the first few, with those that
/// differ.
pub(super) fn fitted(lines: Vec<Line>, full: bool) -> Vec<String> {
    if full {
        return lines.into_iter().map(|own| own.text).collect();
    }
    let wrapped: Vec<Line> = lines
        .iter()
        .flat_map(|own| wrap(&own.text).into_iter().map(|text| Line { text, ..*own }))
        .collect();
    if wrapped.len() <= LINES + 1 {
        return wrapped.into_iter().map(|own| own.text).collect();
    }
    let (mut out, mut left_out, mut differing) = (Vec::new(), 0, 0);
    let more = |count: usize| {
        format!("… {count} more {} (--full)", if count == 1 { "line" } else { "lines" })
    };
    for (place, line) in wrapped.into_iter().enumerate() {
        let kept = place < LINES || (line.differs && differing < DIFFERING);
        if !kept {
            left_out += 1;
            continue;
        }
        differing += usize::from(place >= LINES);
        if left_out > 0 {
            out.push(more(std::mem::take(&mut left_out)));
        }
        out.push(line.text);
    }
    out.extend((left_out > 0).then(|| more(left_out)));
    out
}

/// A line in lines that fit, broken at spaces where there are any.
fn wrap(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        let mut width = 0;
        let fits = rest.char_indices().find(|(_, c)| {
            width += c.width().unwrap_or(0);
            width > WIDTH
        });
        let Some((end, _)) = fits else {
            out.push(rest.to_owned());
            return out;
        };
        let indent = rest.len() - rest.trim_start().len();
        // The space after the last word that fits need not fit itself.
        let next = end + usize::from(rest[end..].starts_with(' '));
        let space = rest[..next].rfind(' ').filter(|place| *place >= indent.max(1));
        let cut = space.map_or(end, |place| place + 1);
        out.push(rest[..cut].trim_end().to_owned());
        rest = &rest[cut..];
    }
}

/// The beginning of a text on one line of so many columns.
pub(super) fn excerpt(text: &str, width: usize) -> String {
    let line = safe(text.trim());
    let mut used = 0;
    let beyond = line.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > width
    });
    match beyond {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(own: &str, other: Option<&str>) -> Vec<String> {
        fitted(arguments(Held { own, other }, OLD), true)
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
        let cut = fitted(plain(&long), false);
        assert_eq!(cut.len(), 7);
        assert_eq!(cut[6], "… 24 more lines (--full)");
        assert_eq!(fitted(plain(&long), true).len(), 30);
        let cut = fitted(told_as_one(&long, &long.replace("line 20", "line x")), false);
        assert_eq!(
            cut[6..9],
            ["… 14 more lines (--full)", "line [-20-]{+x+}", "… 9 more lines (--full)"]
        );
    }

    #[test]
    fn lines_are_broken_at_spaces_and_lose_nothing() {
        let text = "word ".repeat(60).trim_end().to_owned();
        let lines = wrap(&text);
        assert!(
            lines.len() > 3 && lines.iter().all(|own| own.width() <= WIDTH && !own.ends_with(' '))
        );
        assert_eq!((lines.join(" "), lines[0].len()), (text, 89));
        assert_eq!(wrap(&format!("{} b", "a".repeat(WIDTH)))[0].len(), WIDTH);
        let lines = wrap(&"日".repeat(200));
        assert!(lines.iter().all(|own| own.width() <= WIDTH));
        assert_eq!(lines.concat(), "日".repeat(200));
        assert_eq!(wrap(""), [""]);
    }

    #[test]
    fn nothing_of_others_steers() {
        assert_eq!(plain("a\tb\r\nc\u{1b}\rd")[1].text, "c␛␍d");
        assert_eq!(plain("a\tb")[0].text, "a    b");
        assert_eq!(excerpt("a\nbcdefgh", 4), "a␊bc…");
    }
}
