//! Writing notes on tasks, runs and turns.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_textarea::{CursorMove, TextArea};

use super::action::Screen;
use super::jobs::{Request, RunKey};
use super::{App, Overlay};
use crate::engine::TaskId;
use crate::store::Note;
use crate::text::visible;

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The task.
    pub id: TaskId,
    /// The run; none for the whole task.
    pub draw: Option<u32>,
    /// The turn of the run; none for the whole run.
    pub turn: Option<u32>,
}

impl About {
    /// In words.
    pub fn words(self) -> String {
        match (self.draw, self.turn) {
            (None, _) => "the task".to_owned(),
            (Some(draw), None) => format!("draw {draw}"),
            (Some(draw), Some(turn)) => format!("draw {draw}, turn {}", turn + 1),
        }
    }
}

/// A note that is being written.
#[derive(Debug)]
pub struct NoteEditor {
    /// What it could be about, from the turn to the task.
    pub choices: Vec<About>,
    /// Which of these it is about.
    pub chosen: usize,
    area: TextArea<'static>,
}

/// What a key did.
enum Written {
    Typing,
    Save,
    Leave,
}

impl NoteEditor {
    fn new(choices: Vec<About>, text: &str) -> Self {
        let mut own = Self { choices, chosen: 0, area: TextArea::default() };
        own.set_text(text);
        own
    }

    fn set_text(&mut self, text: &str) {
        self.area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        self.area.set_cursor_line_style(ratatui::style::Style::default());
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// What it is about.
    pub fn about(&self) -> Option<About> {
        self.choices.get(self.chosen).copied()
    }

    /// What was written.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// The widget that draws it.
    pub fn widget(&self) -> &TextArea<'static> {
        &self.area
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.area.insert_str(text.replace("\r\n", "\n").replace('\r', "\n"));
    }

    fn key(&mut self, key: KeyEvent) -> Written {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Esc => return Written::Leave,
            KeyCode::Char('c') if ctrl => return Written::Leave,
            KeyCode::Char('s') if ctrl => return Written::Save,
            KeyCode::Enter if alt || ctrl => return Written::Save,
            KeyCode::Tab => self.chosen = (self.chosen + 1) % self.choices.len().max(1),
            _ => drop(self.area.input(key)),
        }
        Written::Typing
    }
}

impl App {
    /// The notes on a task, the oldest first.
    pub fn notes_of(&self, id: TaskId) -> &[Note] {
        self.data.notes.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Begins a note on what is selected, or goes on with one that was left.
    pub(super) fn write_note(&mut self) {
        let mut choices = Vec::new();
        let task = |id| About { id, draw: None, turn: None };
        if let (Screen::Compare | Screen::Triage, Some(own)) = (self.screen, self.compared()) {
            let pane = self.compare.focus;
            let RunKey { id, draw } = self.compare.keys[pane];
            let turn = own.sheet.turn_at(self.row_in(&own.sheet, pane), pane);
            let run = About { id, draw: Some(draw), turn: None };
            choices.extend(turn.map(|turn| About { turn: Some(turn as u32), ..run }));
            choices.extend([run, task(id)]);
        } else if let Some(id) = self.task {
            choices.push(task(id));
        }
        if choices.is_empty() {
            return self.say("there is no task to write on");
        }
        // A note that was left is about what it was about.
        let text = self.draft.take().map_or(String::new(), |(about, text)| {
            choices.retain(|own| *own != about);
            choices.insert(0, about);
            text
        });
        self.overlays.push(Overlay::Note(Box::new(NoteEditor::new(choices, &text))));
    }

    pub(super) fn note_key(&mut self, key: KeyEvent) {
        let Some(Overlay::Note(editor)) = self.overlays.last_mut() else { return };
        match editor.key(key) {
            Written::Typing => {}
            Written::Leave => {
                let draft = editor.about().map(|about| (about, editor.text()));
                self.overlays.pop();
                self.draft = draft.filter(|(_, text)| !text.trim().is_empty());
                if self.draft.is_some() {
                    self.warned = false;
                    self.say("not saved; c goes on with it");
                }
            }
            Written::Save => self.save_note(),
        }
    }

    fn save_note(&mut self) {
        let Some(Overlay::Note(editor)) = self.overlays.last() else { return };
        let (text, Some(about)) = (editor.text(), editor.about()) else { return };
        let (Some(task), Some(cell)) =
            (self.task_of(about.id), self.columns.get(about.id.cell as usize))
        else {
            return;
        };
        let note = Note {
            time: 0,
            author: self.author.clone(),
            cell: cell.clone(),
            task: task.id.clone(),
            draw: about.draw,
            turn: about.turn,
            note: text.trim().to_owned(),
        };
        self.overlays.pop();
        if note.note.is_empty() {
            return self.say("nothing was written, so nothing is saved");
        }
        self.say("saving the note …");
        self.ask(Request::Note { id: about.id, note: Box::new(note) });
    }

    /// A note is on the disk, or why not.
    pub(super) fn noted(&mut self, id: TaskId, note: Note, saved: Result<(), String>) {
        match saved {
            Ok(()) => {
                let author = visible(&note.author).into_owned();
                self.say(format!("note saved, by {author}"));
                self.data.add_note(id, note);
            }
            Err(why) => {
                let about = About { id, draw: note.draw, turn: note.turn };
                let later =
                    self.draft.take().map_or(String::new(), |(_, text)| format!("\n{text}"));
                self.draft = Some((about, format!("{}{later}", note.note)));
                self.warned = false;
                self.say(format!("the note is not saved: {}; c goes on with it", visible(&why)));
            }
        }
    }
}
