//! What comes from a terminal.

use crossterm::event::{KeyEvent, MouseEvent, MouseEventKind};

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// The mouse was used.
    Mouse(MouseEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has another size.
    Resize,
}

impl Input {
    /// Whether the user wants something by it: a button that is let go says nothing new.
    pub(super) fn is_wish(&self) -> bool {
        match self {
            Self::Key(_) | Self::Paste(_) => true,
            Self::Mouse(mouse) => !matches!(
                mouse.kind,
                MouseEventKind::Up(_) | MouseEventKind::Moved | MouseEventKind::Drag(_)
            ),
            Self::Resize => false,
        }
    }
}
