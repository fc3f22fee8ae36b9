//! Overlays: help, a list to choose from, the list of scorers, a prompt, a note. The last one gets the keys.

pub mod help;
pub mod note;
pub mod picker;
pub mod prompt;
pub mod scorers;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::hits::Hits;
use super::renewal::NewIds;
use super::screens::{Screen, Spot};
use super::shared::Shared;
pub use help::Help;
pub use note::NoteEditor;
pub use picker::{Choice, Picker};
pub use prompt::{Ask, Prompt};
pub use scorers::ScorerList;

/// Something over the screen.
#[derive(Debug)]
pub enum Overlay {
    /// The list of keys.
    Help(Help),
    /// A line in which something is typed.
    Prompt(Box<Prompt>),
    /// A list to choose from.
    Picker(Box<Picker>),
    /// What every scorer has and would cost.
    Scorers(ScorerList),
    /// A note that is being written.
    Note(Box<NoteEditor>),
}

impl Overlay {
    /// A list to choose from.
    pub fn picker(picker: Picker) -> Self {
        Self::Picker(Box::new(picker))
    }

    /// A search that begins with these words.
    pub fn search(words: &str) -> Self {
        Self::Prompt(Box::new(Prompt::new(Ask::Search, words)))
    }

    /// Its keys, for the bottom line; empty where it has a line of its own for them.
    pub(super) fn keys(&self) -> &'static str {
        match self {
            Self::Help(help) => help.keys(),
            Self::Picker(picker) => picker.keys_in_words(),
            Self::Scorers(_) => "↓ ↑ select  Esc close",
            Self::Prompt(_) | Self::Note(_) => "",
        }
    }

    /// Leads to the same in another reading of the store.
    pub(super) fn renew(&mut self, ids: &NewIds<'_>) {
        match self {
            Self::Picker(picker) => picker.renew(ids),
            Self::Note(editor) => editor.renew(ids),
            Self::Help(_) | Self::Prompt(_) | Self::Scorers(_) => {}
        }
    }

    /// Draws it over a screen; of help, how far it could be scrolled comes back.
    pub(super) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        screen: Screen,
        shared: &Shared,
        hits: &mut Hits<Spot>,
    ) -> help::Layout {
        match self {
            Self::Help(help) => return help.draw(buffer, area, screen, shared, hits),
            Self::Picker(picker) => picker.draw(buffer, area, &shared.theme, hits),
            Self::Prompt(prompt) => prompt.draw(buffer, area, &shared.theme, hits),
            Self::Scorers(list) => list.draw(buffer, area, shared, hits),
            Self::Note(editor) => editor.draw(buffer, area, shared, hits),
        }
        help::Layout::default()
    }
}

/// An area of this size in the middle of another.
fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}
