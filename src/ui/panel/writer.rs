//! Lays out a row of a pane as lines of a given width: messages, calls, results and notes.

use super::blocks::{Block, Ink, InkLine};
use super::{Comparison, Detail, Panel};
use crate::compare::{
    CallPosition, Contrast, ExpectedCall, JsonLine, Piece, RowKind, Step, before, differing,
    expectation, lay_out, lay_out_container, missing_calls,
};
use crate::model::{Message, Role, Trajectory};
use crate::store::Note;
use crate::text::{counted, readable, sized, visible};
use crate::ui::shared::Shared;
use crate::ui::widgets::{fit, wrap_ranges, wrap_some};

/// Lines of one text when it is shown whole; the rest is read on a screen of its own.
const MOST_LINES: usize = 200;

/// The same in the row of the selected hit, which may stand at the end of a long text.
const MOST_SEARCHED: usize = 20_000;

/// Messages of one row; the rest is read on a screen of its own.
const MOST_MESSAGES: usize = 1_000;

/// A text of more bytes is not searched for its layout or its words.
const LARGE: usize = 200_000;

/// Writes the block of a row in a pane.
pub(super) struct Writer<'a> {
    panel: &'a Panel,
    shared: &'a Shared,
    comparison: &'a Comparison,
    run: &'a Trajectory,
    pane: usize,
    room: usize,
    whole: bool,
    /// Lines of one text when it is shown whole.
    longest: usize,
    lines: Block,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        panel: &'a Panel,
        shared: &'a Shared,
        comparison: &'a Comparison,
        pane: usize,
        room: usize,
    ) -> Self {
        let run = comparison.run(pane);
        // Texts are indented below the head of their row.
        let room = room.saturating_sub(6).max(8);
        let (whole, longest, lines) = (false, MOST_LINES, Vec::new());
        Self { panel, shared, comparison, run, pane, room, whole, longest, lines }
    }

    pub(super) fn block(mut self, row: usize) -> Block {
        let (sheet, detail) = (&self.comparison.sheet, self.shared.display.detail);
        self.whole = self.panel.is_whole(row, detail);
        if self.panel.hit.is_some_and(|hit| hit.row == row) {
            self.longest = MOST_SEARCHED;
        }
        if detail == Detail::Heads && !self.whole {
            return self.lines;
        }
        match (sheet.rows[row].kind, sheet.step(row, self.pane)) {
            (RowKind::Before, _) => self.messages(before(self.run)),
            (RowKind::Action, Some(step)) => {
                self.step(row, step);
                self.messages(step.after.iter().copied());
                self.notes(step);
            }
            (RowKind::End, _) => self.missing_calls(),
            _ => {}
        }
        self.lines
    }

    /// The expected calls that were never made.
    fn missing_calls(&mut self) {
        let expected = self.panel.expected(self.comparison);
        let calls = missing_calls(self.run, &expected[self.pane]);
        let calls: Vec<String> = calls.map(expectation).collect();
        for call in calls {
            self.text("✗ ", &format!("never made: {call}"), Ink::Note, 2);
        }
    }

    /// What was expected instead of a call's arguments.
    fn expected(&mut self, position: CallPosition) {
        let expected = self.panel.expected(self.comparison);
        let call = ExpectedCall::otherwise_at(&expected[self.pane], position);
        if let Some(words) = call.and_then(ExpectedCall::difference_words) {
            self.text("≠ ", &format!("expected {words}"), Ink::Note, 3);
        }
    }

    fn most(&self, short: usize) -> usize {
        if self.whole { self.longest } else { short }
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
                self.push("  ", vec![("(empty)".to_owned(), Ink::Aside)]);
            }
        }
        if let Some(call) = step.call(self.run) {
            self.arguments(row, &call.arguments);
        }
        step.position(self.run).into_iter().for_each(|position| self.expected(position));
    }

    /// The action of the counterpart in a row.
    fn beside(&self, row: usize) -> Option<(&'a Step, &'a Trajectory)> {
        let pane = self.panel.counterpart(self.pane)?;
        let comparison = self.comparison;
        Some((comparison.sheet.step(row, pane)?, comparison.run(pane)))
    }

    fn words(&mut self, row: usize, words: &str, short: usize) {
        let other = self.beside(row).filter(|_| self.shared.display.words);
        let other = other.and_then(|(step, run)| step.message(run).words());
        match other.filter(|other| other.len().max(words.len()) <= LARGE) {
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
        let pane = self.panel.counterpart(self.pane).map(|other| other.max(self.pane));
        let contrast = pane.map(|pane| self.comparison.sheet.contrast(row, pane));
        let other = other.filter(|_| matches!(contrast, Some(Contrast::Arguments(_))));
        if arguments.len() > LARGE {
            return self.text("  ", arguments, Ink::Call, 1);
        }
        if !self.whole && other.is_none() {
            return self.arguments_on_a_line(arguments);
        }
        let mut lines = lay_out(arguments, other.map(|call| call.arguments.as_str()));
        if !self.whole {
            lines.retain(JsonLine::differs);
        }
        let most = self.most(8);
        let more = lines.len().saturating_sub(most);
        for line in lines.into_iter().take(most) {
            let indent = "  ".repeat(if self.whole { line.indent + 1 } else { 1 });
            let pieces = self.marked(line.pieces, Ink::Call);
            self.pieces(&indent, pieces, 0, self.longest);
        }
        self.more_lines("  ", more);
    }

    fn arguments_on_a_line(&mut self, arguments: &str) {
        let lines = lay_out(arguments, None);
        let empty = lines.len() == 1 && lines[0].pieces.iter().all(|piece| piece.text == "{}");
        let line: String = arguments.split_whitespace().collect::<Vec<_>>().join(" ");
        if !empty && !line.is_empty() {
            let line = fit(&visible(&line), self.room);
            self.push("  ", vec![(line, Ink::Call)]);
        }
    }

    fn messages(&mut self, messages: impl ExactSizeIterator<Item = usize>) {
        let more = messages.len().saturating_sub(MOST_MESSAGES);
        messages.take(MOST_MESSAGES).for_each(|message| self.message(message));
        if more > 0 {
            let more = format!("… {} more, ⏎ reads all", counted(more as u64, "message"));
            self.push("  ", vec![(more, Ink::Aside)]);
        }
    }

    /// A message of somebody else, or a result.
    fn message(&mut self, index: usize) {
        let message = &self.run.messages[index];
        let text = message.content.as_deref().unwrap_or_default();
        let only_calls = !message.tool_calls.is_empty() && text.trim().is_empty();
        match message.role {
            _ if only_calls => {}
            Role::Tool => self.result(message, text),
            Role::User => self.text("› ", text, Ink::User, 2),
            Role::System => self.text("§ ", text, Ink::Dim, 1),
            Role::Assistant => self.text("≡ ", text, Ink::Dim, 1),
        }
        for (call, made) in message.tool_calls.iter().enumerate() {
            let line = format!("calls {}({})", made.name, made.arguments);
            self.text("› ", &line, Ink::User, 1);
            self.expected(CallPosition { message: index, call });
        }
    }

    fn result(&mut self, message: &Message, text: &str) {
        let ink = if message.error { Ink::Error } else { Ink::Result };
        let mark = match (message.error, message.for_user) {
            (true, _) => "! ",
            (false, true) => "›↳",
            (false, false) => "↳ ",
        };
        let failed = if message.error { " failed" } else { "" };
        let size = format!("{}{failed}", sized(text.len()));
        if !self.whole {
            let some: String = text.chars().take(self.room).collect();
            let some = some.split_whitespace().collect::<Vec<_>>().join(" ");
            let left = self.room.saturating_sub(size.len() + 2);
            let line = vec![(format!("{size}  "), Ink::Aside), (fit(&visible(&some), left), ink)];
            return self.push(mark, line);
        }
        self.push(mark, vec![(size, Ink::Aside)]);
        let lines = if text.len() > LARGE { None } else { lay_out_container(text) };
        let Some(lines) = lines else { return self.text("    ", text, ink, self.longest) };
        let more = lines.len().saturating_sub(self.longest);
        for line in lines.into_iter().take(self.longest) {
            let indent = "  ".repeat(line.indent + 2);
            let pieces = line.pieces.into_iter().map(|piece| (piece.text, ink)).collect();
            self.pieces(&indent, pieces, 0, self.longest);
        }
        self.more_lines("    ", more);
    }

    fn notes(&mut self, step: &Step) {
        let Some(key) = self.panel.keys.get(self.pane).filter(|_| step.is_first()) else { return };
        let here = |note: &&Note| {
            (note.draw, note.turn) == (Some(key.draw), Some(step.turn as u32))
                && self.panel.shows(note, self.shared)
        };
        let notes: Vec<&Note> = self.shared.notes.on(key.id).iter().filter(here).collect();
        for note in notes {
            self.text("✎ ", &format!("{}: {}", note.author, note.note), Ink::Note, 3);
        }
    }

    /// Marks what the counterpart lacks, in signs too: colour may be missing.
    fn marked(&self, pieces: Vec<Piece>, ink: Ink) -> Vec<(String, Ink)> {
        let mark = |piece: Piece| match (piece.differs, self.pane) {
            (false, _) => (piece.text, ink),
            (true, 0) => (format!("[-{}-]", piece.text), Ink::Removed),
            (true, _) => (format!("{{+{}+}}", piece.text), Ink::Added),
        };
        pieces.into_iter().filter(|piece| !piece.text.is_empty()).map(mark).collect()
    }

    /// Text of one ink.
    fn text(&mut self, mark: &str, text: &str, ink: Ink, short: usize) {
        let most = self.most(short);
        // Of a very long text no more than is shown is laid out.
        let enough = (self.room + 1) * (most + 1);
        let end = text.char_indices().nth(enough).map_or(text.len(), |(at, _)| at);
        let (lines, more) = wrap_some(&readable(&text[..end]), self.room, most);
        let more = more || end < text.len();
        let count = lines.len();
        for (index, mut line) in lines.into_iter().enumerate() {
            if more && index + 1 == count && !self.whole {
                line = format!("{}…", fit(&line, self.room - 1).trim_end_matches('…'));
            }
            self.push(if index == 0 { mark } else { "  " }, vec![(line, ink)]);
        }
        if more && self.whole {
            self.more_text(text.len());
        }
    }

    /// Text of several inks.
    fn pieces(&mut self, mark: &str, pieces: Vec<(String, Ink)>, size: usize, most: usize) {
        let pieces: Vec<(String, Ink)> =
            pieces.into_iter().map(|(text, ink)| (readable(&text).into_owned(), ink)).collect();
        let text: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
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
            self.more_text(size);
        }
    }

    fn more_lines(&mut self, mark: &str, more: usize) {
        if more > 0 {
            let more = format!("… {} more, ⏎ reads all", counted(more as u64, "line"));
            self.push(mark, vec![(more, Ink::Aside)]);
        }
    }

    fn more_text(&mut self, size: usize) {
        self.push("  ", vec![(format!("… {} in all, ⏎ reads it", sized(size)), Ink::Aside)]);
    }

    fn push(&mut self, mark: &str, mut line: InkLine) {
        line.insert(0, (format!("    {mark}"), Ink::Dim));
        self.lines.push(line);
    }
}
