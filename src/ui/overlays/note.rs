//! A note that is being written.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Widget as _};
use ratatui_textarea::{CursorMove, TextArea};

use super::{Overlay, centred};
use crate::engine::TaskId;
use crate::store::Note;
use crate::text::visible;
use crate::ui::hits::{Hit, Hits};
use crate::ui::renewal::NewIds;
use crate::ui::screens::{Go, Spot};
use crate::ui::shared::{About, Shared};
use crate::ui::widgets::{fit, put};

/// A note that is being written.
#[derive(Debug)]
pub struct NoteEditor {
    /// What it could be about, from the turn to the task.
    choices: Vec<About>,
    /// Which of these it is about.
    chosen: usize,
    /// Further tasks that it is put on, too.
    others: Vec<TaskId>,
    /// The note that it replaces.
    edits: Option<Note>,
    area: TextArea<'static>,
}

/// What a key did.
pub(in crate::ui) enum Written {
    Typing,
    Save,
    Withdraw,
    Leave,
}

/// What a note is about. A task that is not the selected one is named: an older draft may be about it.
fn named(about: About, shared: &Shared) -> String {
    let words = about.words();
    let (Some(cell), Some(task)) = (shared.cell_of(about.id), shared.task_of(about.id)) else {
        return words;
    };
    if shared.task == Some(about.id) || shared.pair.is_some_and(|pair| pair.id == about.id) {
        return words;
    }
    let name = format!("{} of {cell}", task.id);
    format!("{words}, task {}", fit(&visible(&name), 40))
}

impl NoteEditor {
    fn new(mut choices: Vec<About>, draft: Option<(About, String)>, edits: Option<Note>) -> Self {
        // An unsaved note keeps its subject.
        let text = draft.map_or(String::new(), |(about, text)| {
            choices.retain(|choice| *choice != about);
            choices.insert(0, about);
            text
        });
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_cursor_line_style(Style::default());
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        // A note that is changed stays where it is.
        choices.truncate(if edits.is_some() { 1 } else { choices.len() });
        Self { choices, chosen: 0, others: Vec::new(), edits, area }
    }

    /// Opens a note on one of these, or goes on with one that was left.
    pub(in crate::ui) fn open(choices: Vec<About>, shared: &mut Shared) -> Go {
        let draft = shared.notes.draft.take();
        if choices.is_empty() && draft.is_none() {
            shared.say("there is no task to write on");
            return Go::Stay;
        }
        let edits = shared.notes.draft_edits.take();
        let others = std::mem::take(&mut shared.notes.draft_others);
        let editor = Self { others, ..Self::new(choices, draft, edits) };
        Go::Show(Overlay::Note(Box::new(editor)))
    }

    /// Opens one note that is put on several tasks. One that was left unsaved comes first.
    pub(in crate::ui) fn open_on_each(
        about: About,
        others: Vec<TaskId>,
        shared: &mut Shared,
    ) -> Go {
        if shared.notes.draft.is_none() {
            shared.notes.draft_others = others;
        }
        Self::open(vec![about], shared)
    }

    /// Opens a note on a task to change it. One that was left unsaved comes first.
    pub(in crate::ui) fn edit(id: TaskId, note: &Note, shared: &mut Shared) -> Go {
        let about = About { id, draw: note.draw, turn: note.turn };
        if shared.notes.draft.is_none() {
            shared.notes.keep_draft(about, note.note.clone());
            shared.notes.draft_edits = Some(note.clone());
        }
        Self::open(vec![about], shared)
    }

    /// It is about the same in another reading of the store. Where the task is gone, the first task is
    /// offered, so that the text is not lost.
    pub(in crate::ui) fn renew(&mut self, ids: &NewIds<'_>) {
        let about = self.about().and_then(|about| ids.about(about));
        self.choices = self.choices.iter().filter_map(|about| ids.about(*about)).collect();
        self.choices.dedup();
        if self.choices.is_empty() {
            self.choices.push(About::task(TaskId { cell: 0, task: 0 }));
        }
        self.chosen = self.choices.iter().position(|other| Some(*other) == about).unwrap_or(0);
        self.others = self.others.iter().filter_map(|id| ids.task(*id)).collect();
    }

    /// Further tasks that it is put on, too.
    pub fn others(&self) -> &[TaskId] {
        &self.others
    }

    /// The note that it replaces.
    pub fn edits(&self) -> Option<&Note> {
        self.edits.as_ref()
    }

    /// What it is about.
    pub fn about(&self) -> Option<About> {
        self.choices.get(self.chosen).copied()
    }

    /// What was written.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    pub(in crate::ui) fn paste(&mut self, text: &str) {
        self.area.insert_str(text.replace("\r\n", "\n").replace('\r', "\n"));
    }

    pub(in crate::ui) fn key(&mut self, key: KeyEvent) -> Written {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Esc => return Written::Leave,
            KeyCode::Char('c') if ctrl => return Written::Leave,
            KeyCode::Char('s') if ctrl => return Written::Save,
            KeyCode::Char('x') if ctrl && self.edits.is_some() => return Written::Withdraw,
            KeyCode::Enter if alt || ctrl => return Written::Save,
            KeyCode::Tab => self.chosen = (self.chosen + 1) % self.choices.len().max(1),
            _ => drop(self.area.input(key)),
        }
        Written::Typing
    }

    pub(super) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        shared: &Shared,
        hits: &mut Hits<Spot>,
    ) {
        let theme = &shared.theme;
        let frame = centred(area, area.width.saturating_sub(8).min(84), 12);
        Clear.render(frame, buffer);
        hits.add(area, Hit::Nothing);
        let about = self.about().map_or(String::new(), |about| named(about, shared));
        let what = if self.edits.is_some() { "Change the note" } else { "Note" };
        let about = match self.others.len() {
            0 => about,
            more => format!("each of {} marked tasks", more + 1),
        };
        let title = format!(" {what} on {about}, by {} ", fit(&visible(&shared.author), 20));
        let title = Line::styled(title, theme.overlay.patch(theme.title));
        let block = Block::bordered().border_style(theme.border).style(theme.overlay).title(title);
        let inner = block.inner(frame);
        block.render(frame, buffer);
        self.area.render(Rect { height: inner.height.saturating_sub(1), ..inner }, buffer);
        let below = Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner };
        let about = match (&self.edits, self.choices.len()) {
            (Some(_), _) => "  Ctrl-x withdraw",
            (None, 2..) => "  Tab turn, run or task",
            _ => "",
        };
        let keys = format!("Ctrl-s save{about}  Esc leave, the text is kept");
        put(buffer, below, Line::styled(keys, theme.dim));
    }
}
