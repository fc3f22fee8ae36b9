//! The rows of the comparison as lines of some width: wrapped once, drawn often.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{App, Comparison, Detail};
use crate::app::jobs::RunKey;
use crate::compare::{
    Contrast, Piece, RowKind, Step, before, differing, lay_out, lay_out_container,
};
use crate::model::{Message, Role, Trajectory};
use crate::text::{counted, readable, sized, visible};
use crate::widgets::{Memo, fit, wrap_ranges, wrap_some};

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Words of the agent.
    Agent,
    /// A call.
    Call,
    /// What the counterpart lacks, in the first pane.
    Removed,
    /// What the counterpart lacks, in another.
    Added,
    /// What a tool returned.
    Result,
    /// What a failed call returned.
    Error,
    /// The user, or instructions.
    User,
    /// Thoughts, fixed texts, sizes.
    Dim,
    /// A note.
    Note,
}

/// A line: pieces of text.
pub type Line = Vec<(String, Ink)>;

/// What a pane shows in a row, below its head.
pub type Block = Vec<Line>;

/// What the blocks depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockKey {
    /// The runs.
    pub keys: Vec<RunKey>,
    /// The panes that are shown, with their widths.
    pub panes: Vec<(usize, usize)>,
    focus: usize,
    detail: Detail,
    toggled: BTreeSet<usize>,
    words: bool,
    notes: usize,
}

/// The blocks of all rows.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// By shown pane and row.
    pub panes: Vec<Vec<Block>>,
}

/// The blocks that were laid out last.
pub type LaidOut = Memo<BlockKey, Arc<Blocks>>;

/// Lines of one text when it is shown whole; the rest is read on a screen of its own.
const MOST_LINES: usize = 200;

/// A text of more bytes is not looked into for its layout or its words.
const LARGE: usize = 200_000;

impl App {
    /// The blocks of some panes, given their widths.
    pub fn blocks(&self, own: &Comparison, panes: &[(usize, usize)]) -> Arc<Blocks> {
        let key = BlockKey {
            keys: self.compare.keys.clone(),
            panes: panes.to_vec(),
            focus: self.compare.focus,
            detail: self.compare.detail,
            toggled: self.compare.toggled.clone(),
            words: self.compare.words,
            notes: self.data.notes.values().map(Vec::len).sum(),
        };
        self.compare.laid_out.get(key, || {
            let rows = 0..own.sheet.rows.len();
            let pane = |&(pane, room): &(usize, usize)| {
                rows.clone().map(|row| Writer::new(self, own, pane, room).block(row)).collect()
            };
            Arc::new(Blocks { panes: panes.iter().map(pane).collect() })
        })
    }

    /// The pane that another is held against.
    pub fn counterpart(&self, pane: usize) -> Option<usize> {
        let panes = self.compare.keys.len();
        match pane {
            _ if panes < 2 => None,
            0 => Some(self.compare.focus.max(1)),
            _ => Some(0),
        }
    }
}

struct Writer<'a> {
    app: &'a App,
    own: &'a Comparison,
    run: &'a Trajectory,
    pane: usize,
    room: usize,
    whole: bool,
    lines: Block,
}

impl<'a> Writer<'a> {
    fn new(app: &'a App, own: &'a Comparison, pane: usize, room: usize) -> Self {
        let run = own.run(pane);
        // Texts are set in under the head of their row.
        Self {
            app,
            own,
            run,
            pane,
            room: room.saturating_sub(6).max(8),
            whole: false,
            lines: Vec::new(),
        }
    }

    fn block(mut self, row: usize) -> Block {
        self.whole = self.app.is_whole(row);
        if self.app.compare.detail == Detail::Heads && !self.whole {
            return self.lines;
        }
        match (self.own.sheet.rows[row].kind, self.own.sheet.step(row, self.pane)) {
            (RowKind::Before, _) => before(self.run).for_each(|place| self.message(place)),
            (RowKind::Action, Some(step)) => {
                self.step(row, step);
                step.after.iter().for_each(|place| self.message(*place));
                self.notes(step);
            }
            _ => {}
        }
        self.lines
    }

    fn most(&self, short: usize) -> usize {
        if self.whole { MOST_LINES } else { short }
    }

    fn step(&mut self, row: usize, step: &Step) {
        let message = step.message(self.run);
        if step.is_first() {
            if let Some(thought) = &message.reasoning {
                self.text("~ ", thought, Ink::Dim, 1);
            }
            if let Some(words) = message.words() {
                let short = if step.call.is_some() { 1 } else { 3 };
                self.words(row, words, short);
            } else if step.call.is_none() {
                self.push("  ", vec![("(empty)".to_owned(), Ink::Dim)]);
            }
        }
        if let Some(call) = step.call(self.run) {
            self.arguments(row, &call.arguments);
        }
    }

    /// The action of the counterpart in a row.
    fn beside(&self, row: usize) -> Option<(&'a Step, &'a Trajectory)> {
        let pane = self.app.counterpart(self.pane)?;
        let own = self.own;
        Some((own.sheet.step(row, pane)?, own.run(pane)))
    }

    fn words(&mut self, row: usize, words: &str, short: usize) {
        let other = self.beside(row).filter(|_| self.app.compare.words);
        let other = other.and_then(|(step, run)| step.message(run).words());
        match other.filter(|own| own.len().max(words.len()) <= LARGE) {
            Some(other) => {
                let pieces = self.marked(differing(words, other), Ink::Agent);
                let most = self.most(short.max(12));
                self.pieces("  ", pieces, words.len(), most);
            }
            None => self.text("  ", words, Ink::Agent, short),
        }
    }

    fn arguments(&mut self, row: usize, arguments: &str) {
        let other = self.beside(row).and_then(|(step, run)| step.call(run));
        let pane = self.app.counterpart(self.pane).map(|own| own.max(self.pane));
        let contrast = pane.map(|pane| self.own.sheet.contrast(row, pane));
        let other = other.filter(|_| matches!(contrast, Some(Contrast::Arguments(_))));
        if arguments.len() > LARGE {
            return self.text("  ", arguments, Ink::Call, 1);
        }
        if !self.whole && other.is_none() {
            let text = lay_out(arguments, None);
            let empty = text.len() == 1 && text[0].pieces.iter().all(|own| own.text == "{}");
            let line: String = arguments.split_whitespace().collect::<Vec<_>>().join(" ");
            if !empty && !line.is_empty() {
                let line = fit(&visible(&line), self.room);
                self.push("  ", vec![(line, Ink::Call)]);
            }
            return;
        }
        let mut lines = lay_out(arguments, other.map(|own| own.arguments.as_str()));
        if !self.whole {
            lines.retain(crate::compare::Line::differs);
        }
        let most = self.most(8);
        let more = lines.len().saturating_sub(most);
        for line in lines.into_iter().take(most) {
            let indent = "  ".repeat(if self.whole { line.indent + 1 } else { 1 });
            let pieces = self.marked(line.pieces, Ink::Call);
            self.pieces(&indent, pieces, 0, MOST_LINES);
        }
        if more > 0 {
            let more = format!("… {} more, ⏎ reads all", counted(more as u64, "line"));
            self.push("  ", vec![(more, Ink::Dim)]);
        }
    }

    /// A message of somebody else, or a result.
    fn message(&mut self, place: usize) {
        let own = &self.run.messages[place];
        let text = own.content.as_deref().unwrap_or_default();
        match own.role {
            Role::Tool => self.result(own, text),
            Role::User => self.text("› ", text, Ink::User, 2),
            Role::System => self.text("§ ", text, Ink::Dim, 1),
            Role::Assistant => self.text("≡ ", text, Ink::Dim, 1),
        }
        for call in &own.tool_calls {
            let line = format!("calls {}({})", call.name, call.arguments);
            self.text("› ", &line, Ink::User, 1);
        }
    }

    fn result(&mut self, own: &Message, text: &str) {
        let ink = if own.error { Ink::Error } else { Ink::Result };
        let mark = match (own.error, own.for_user) {
            (true, _) => "! ",
            (false, true) => "›↳",
            (false, false) => "↳ ",
        };
        let failed = if own.error { " failed" } else { "" };
        let size = format!("{}{failed}", sized(text.len()));
        if !self.whole {
            let some: String = text.chars().take(self.room).collect();
            let some = some.split_whitespace().collect::<Vec<_>>().join(" ");
            let left = self.room.saturating_sub(size.len() + 2);
            let line = vec![(format!("{size}  "), Ink::Dim), (fit(&visible(&some), left), ink)];
            return self.push(mark, line);
        }
        self.push(mark, vec![(size, Ink::Dim)]);
        let lines = if text.len() > LARGE { None } else { lay_out_container(text) };
        match lines {
            Some(lines) => {
                let more = lines.len().saturating_sub(MOST_LINES);
                for line in lines.into_iter().take(MOST_LINES) {
                    let indent = "  ".repeat(line.indent + 2);
                    let pieces = line.pieces.into_iter().map(|own| (own.text, ink)).collect();
                    self.pieces(&indent, pieces, 0, MOST_LINES);
                }
                if more > 0 {
                    let more = format!("… {} more, ⏎ reads all", counted(more as u64, "line"));
                    self.push("    ", vec![(more, Ink::Dim)]);
                }
            }
            None => self.text("    ", text, ink, MOST_LINES),
        }
    }

    fn notes(&mut self, step: &Step) {
        let Some(key) = self.app.compare.keys.get(self.pane).filter(|_| step.is_first()) else {
            return;
        };
        let here = |own: &&crate::store::Note| {
            own.draw == Some(key.draw) && own.turn == Some(step.turn as u32)
        };
        for note in self.app.notes_of(key.id).iter().filter(here) {
            let text = format!("{}: {}", note.author, note.note);
            let short = 3;
            self.text("✎ ", &text, Ink::Note, short);
        }
    }

    fn marked(&self, pieces: Vec<Piece>, ink: Ink) -> Vec<(String, Ink)> {
        let mark = |own: Piece| match (own.differs, self.pane) {
            (false, _) => (own.text, ink),
            (true, 0) => (format!("[-{}-]", own.text), Ink::Removed),
            (true, _) => (format!("{{+{}+}}", own.text), Ink::Added),
        };
        pieces.into_iter().filter(|own| !own.text.is_empty()).map(mark).collect()
    }

    /// Text of one ink.
    fn text(&mut self, mark: &str, text: &str, ink: Ink, short: usize) {
        let most = self.most(short);
        // Of a very long text no more than is shown is looked at.
        let enough = (self.room + 1) * (most + 1);
        let end = text.char_indices().nth(enough).map_or(text.len(), |(at, _)| at);
        let (lines, more) = wrap_some(&readable(&text[..end]), self.room, most);
        let more = more || end < text.len();
        let count = lines.len();
        for (place, mut line) in lines.into_iter().enumerate() {
            let last = place + 1 == count;
            if more && last && !self.whole {
                line = format!("{}…", fit(&line, self.room - 1).trim_end_matches('…'));
            }
            self.push(if place == 0 { mark } else { "  " }, vec![(line, ink)]);
        }
        if more && self.whole {
            let more = format!("… {} in all, ⏎ reads it", sized(text.len()));
            self.push("  ", vec![(more, Ink::Dim)]);
        }
    }

    /// Text of several inks.
    fn pieces(&mut self, mark: &str, pieces: Vec<(String, Ink)>, size: usize, most: usize) {
        let pieces: Vec<(String, Ink)> =
            pieces.into_iter().map(|(text, ink)| (readable(&text).into_owned(), ink)).collect();
        let text: String = pieces.iter().map(|own| own.0.as_str()).collect();
        let room = (self.room + 2).saturating_sub(mark.len()).max(8);
        let ranges = wrap_ranges(&text, room);
        let more = ranges.len() > most;
        for range in ranges.into_iter().take(most) {
            let mut line = Vec::new();
            let mut start = 0;
            for (piece, ink) in &pieces {
                let end = start + piece.len();
                let (from, to) = (range.start.max(start), range.end.min(end));
                if from < to {
                    line.push((text[from..to].to_owned(), *ink));
                }
                start = end;
            }
            self.push(mark, line);
        }
        if more {
            self.push("  ", vec![(format!("… {} in all, ⏎ reads it", sized(size)), Ink::Dim)]);
        }
    }

    fn push(&mut self, mark: &str, mut line: Line) {
        line.insert(0, (format!("    {mark}"), Ink::Dim));
        self.lines.push(line);
    }
}
