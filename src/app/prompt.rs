use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_textarea::TextArea;

/// A line in which the user types.
#[derive(Debug)]
pub struct Prompt {
    area: TextArea<'static>,
}

pub(super) enum Answer {
    Typing,
    Done,
    Cancelled,
}

impl Prompt {
    pub(super) fn new(text: &str) -> Self {
        let mut area = TextArea::new(vec![text.to_owned()]);
        area.move_cursor(ratatui_textarea::CursorMove::End);
        area.set_cursor_line_style(ratatui::style::Style::default());
        Self { area }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Answer {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Answer::Done,
            KeyCode::Esc => return Answer::Cancelled,
            KeyCode::Char('c') if ctrl => return Answer::Cancelled,
            // The area would begin a new line at these.
            KeyCode::Char('m' | 'j') if ctrl => return Answer::Done,
            _ => drop(self.area.input(key)),
        }
        Answer::Typing
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
