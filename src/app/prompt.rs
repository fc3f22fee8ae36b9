use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_textarea::{CursorMove, TextArea};

use crate::filter::{Completion, Field, Filter, FilterError, complete};

/// What a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Words to search for.
    Search,
    /// A filter over the tasks.
    Filter,
    /// A file to write to.
    Export,
}

/// A line in which the user types.
#[derive(Debug)]
pub struct Prompt {
    /// What it asks for.
    pub ask: Ask,
    area: TextArea<'static>,
    /// What may be typed next, and which of it is marked.
    pub completions: Vec<Completion>,
    /// The marked completion, once one was gone to.
    pub marked: Option<usize>,
    replaces: std::ops::Range<usize>,
    /// What is wrong with what was typed.
    pub error: Option<FilterError>,
    /// What was there before, to go back to.
    pub before: String,
}

/// What a key did to a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Typing,
    Done,
    Cancelled,
}

impl Prompt {
    pub(super) fn new(ask: Ask, text: &str) -> Self {
        Self {
            ask,
            area: area(text),
            completions: Vec::new(),
            marked: None,
            replaces: 0..0,
            error: None,
            before: text.to_owned(),
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Answer {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Answer::Done,
            KeyCode::Esc => return Answer::Cancelled,
            KeyCode::Char('c') if ctrl => return Answer::Cancelled,
            // The area would begin a new line at these.
            KeyCode::Char('m' | 'j') if ctrl => return Answer::Done,
            // As in a shell; the area itself would undo.
            KeyCode::Char('u') if ctrl => drop(self.area.delete_line_by_head()),
            KeyCode::Tab if self.ask == Ask::Filter => self.take_completion(),
            KeyCode::Down if self.ask == Ask::Filter => self.mark(true),
            KeyCode::Up if self.ask == Ask::Filter => self.mark(false),
            KeyCode::Tab | KeyCode::Up | KeyCode::Down => {}
            _ => drop(self.area.input(key)),
        }
        Answer::Typing
    }

    pub(super) fn paste(&mut self, text: &str) {
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.area.insert_str(line);
    }

    /// Looks at what was typed: what is wrong with it, and what could come next.
    pub(super) fn check(&mut self, fields: &[Field]) {
        if self.ask != Ask::Filter {
            self.error = None;
            return;
        }
        let text = self.text();
        let parsed = Filter::parse(&text, fields);
        self.error = parsed.err().filter(|_| !text.trim().is_empty());
        let found = complete(&text, self.cursor(), fields);
        self.replaces = found.at;
        self.completions = found.items;
        self.marked = self.marked.filter(|place| *place < self.completions.len());
    }

    fn mark(&mut self, down: bool) {
        let last = self.completions.len().checked_sub(1);
        self.marked = match (self.marked, down) {
            (None, true) => last.map(|_| 0),
            (None | Some(0), false) => None,
            (Some(place), true) => last.map(|last| (place + 1).min(last)),
            (Some(place), false) => Some(place - 1),
        };
    }

    fn take_completion(&mut self) {
        let Some(own) = self.completions.get(self.marked.unwrap_or(0)) else { return };
        let text = self.text();
        let (before, after) = (&text[..self.replaces.start], &text[self.replaces.end..]);
        let start = format!("{before}{}", own.insert);
        let column = start.chars().count() as u16;
        self.area = area(&format!("{start}{after}"));
        self.area.move_cursor(CursorMove::Jump(0, column));
        self.marked = None;
    }

    /// Where the cursor stands, in bytes.
    fn cursor(&self) -> usize {
        let column = self.area.cursor().1;
        let text = self.text();
        text.char_indices().nth(column).map_or(text.len(), |(byte, _)| byte)
    }

    /// What was typed.
    pub fn text(&self) -> String {
        self.area.lines().join(" ")
    }

    /// The widget that draws it.
    pub fn widget(&self) -> &TextArea<'static> {
        &self.area
    }
}

fn area(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(vec![text.to_owned()]);
    area.move_cursor(CursorMove::End);
    area.set_cursor_line_style(ratatui::style::Style::default());
    area
}
