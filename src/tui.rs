//! The terminal: set up, drawn to, and given back as it was, whatever happens.

use std::io;

use crossterm::event::{self, Event, KeyEventKind};
use ratatui::DefaultTerminal;

use crate::app::{App, Layout};
use crate::store::{Store, is_reading_thread};
use crate::theme::Theme;
use crate::views;

/// Opens the explorer on a store, until the user leaves.
pub fn run(store: &Store) -> io::Result<()> {
    let mut app = App::new(store);
    let theme = Theme::from_env();
    with_terminal(|terminal| explore(terminal, &mut app, &theme))
}

/// Runs with the terminal in raw mode on its other screen. It is given back on return, on error and,
/// by a hook that runs before the message is printed, on panic.
pub fn with_terminal<T>(body: impl FnOnce(&mut DefaultTerminal) -> io::Result<T>) -> io::Result<T> {
    let mut terminal = ratatui::try_init()?;
    // The hook that gives the terminal back must not run for a damaged table.
    silence_reading_panics();
    let result = body(&mut terminal);
    // The cursor was hidden by drawing.
    let shown = terminal.show_cursor();
    ratatui::try_restore()?;
    shown?;
    result
}

/// Lets a panic that a damaged table causes become the error that it is caught as, unprinted.
pub fn silence_reading_panics() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !is_reading_thread() {
            print(panic);
        }
    }));
}

/// Draws when something changed and waits otherwise.
fn explore(terminal: &mut DefaultTerminal, app: &mut App, theme: &Theme) -> io::Result<()> {
    while !app.done {
        let mut layout = Layout::default();
        terminal.draw(|frame| layout = views::draw(frame, app, theme))?;
        loop {
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => app.key(key, layout),
                Event::Resize(..) => {}
                _ => continue,
            }
            break;
        }
    }
    Ok(())
}
