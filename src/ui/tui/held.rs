//! The terminal itself: taken over, lent back while the program is stopped, and given back as it
//! was.
//!
//! Nothing here queries the terminal: the thread that reads keys would take the answer.

use std::io::{self, Write as _};
use std::mem::ManuallyDrop;
use std::panic::{set_hook, take_hook};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossterm::cursor::Show;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::execute;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
    is_raw_mode_enabled,
};
use ratatui::backend::{Backend as _, ClearType, CrosstermBackend};
use ratatui::layout::Size;
use ratatui::{DefaultTerminal, Frame, Terminal};

use crate::store::is_reading_thread;
use crate::text::readable;

/// The terminal in raw mode on its other screen. Dropping it gives the terminal back.
#[derive(Debug)]
pub struct Held {
    /// Its own drop prints where the terminal is gone, and printing panics there.
    terminal: ManuallyDrop<DefaultTerminal>,
    messages: Messages,
    given_back: bool,
}

/// What panics of other threads said, to be printed once the terminal is given back.
type Messages = Arc<Mutex<Vec<String>>>;

/// Runs with the terminal in raw mode on its other screen, and gives it back on return, error and panic.
pub fn with_terminal<T>(body: impl FnOnce(&mut Held) -> io::Result<T>) -> io::Result<T> {
    let mut held = Held::take()?;
    let result = body(&mut held);
    let given_back = held.give_back();
    let value = result?;
    given_back?;
    Ok(value)
}

impl Held {
    fn take() -> io::Result<Self> {
        let messages = Messages::default();
        give_back_on_panic(messages.clone());
        match enter().and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout()))) {
            Ok(terminal) => {
                let terminal = ManuallyDrop::new(terminal);
                Ok(Self { terminal, messages, given_back: false })
            }
            Err(error) => {
                let _ = leave();
                Err(error)
            }
        }
    }

    /// Draws a frame.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw).map(|_| ())
    }

    /// Columns and rows.
    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Empties the screen, so that the next frame is drawn as a whole.
    pub fn clear(&mut self) -> io::Result<()> {
        self.terminal.backend_mut().clear_region(ClearType::All)?;
        // The frame that was drawn last is forgotten; the other buffer is empty already.
        self.terminal.swap_buffers();
        Ok(())
    }

    /// Lends the terminal back while `stopped` runs.
    pub fn lend(&mut self, stopped: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        leave()?;
        stopped()?;
        self.take_again()
    }

    /// Takes the terminal again, whose modes somebody else may have changed.
    pub fn take_again(&mut self) -> io::Result<()> {
        // Raw mode is only set where it is not believed to be on.
        disable_raw_mode()?;
        enter()?;
        self.clear()
    }

    fn give_back(&mut self) -> io::Result<()> {
        self.given_back = true;
        let left = leave();
        let mut messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        for message in messages.drain(..) {
            let _ = writeln!(io::stderr(), "{}", readable(&message));
        }
        left
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !self.given_back {
            // A terminal that cannot be written to cannot be helped either.
            let _ = self.give_back();
        }
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)
}

/// Gives the terminal back; every step is taken, whatever became of the others.
pub(super) fn leave() -> io::Result<()> {
    let cooked = disable_raw_mode();
    let left = execute!(
        io::stdout(),
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    );
    cooked.and(left)
}

/// Gives the terminal back before a panic of this thread is printed. What panics of other threads say is
/// kept: this thread may be drawing, and learns of them by an event.
fn give_back_on_panic(messages: Messages) {
    let (print, this) = (take_hook(), thread::current().id());
    set_hook(Box::new(move |panic| {
        let held = is_raw_mode_enabled().unwrap_or(false);
        if held && thread::current().id() != this {
            // A damaged table becomes the error that its panic is caught as.
            if !is_reading_thread() {
                let mut messages = messages.lock().unwrap_or_else(PoisonError::into_inner);
                messages.push(panic.to_string());
            }
            return;
        }
        if held {
            let _ = leave();
        }
        print(panic);
    }));
}

/// Lets a panic that a damaged table causes become the error that it is caught as, unprinted.
pub fn silence_reading_panics() {
    let print = take_hook();
    set_hook(Box::new(move |panic| {
        if !is_reading_thread() {
            print(panic);
        }
    }));
}
