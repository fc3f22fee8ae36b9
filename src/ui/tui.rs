//! The terminal: set up, drawn to, and given back as it was, whatever happens.

mod lanes;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    KeyEventKind, MouseEventKind,
};
use crossterm::execute;
use ratatui::DefaultTerminal;

use super::app::App;
use super::effects::Effect;
use super::frame;
use super::input::Input;
use super::query::Worker;
use super::shared::FileContent;
use crate::store::is_reading_thread;
use lanes::Lanes;

/// What the loop waits for.
enum Event {
    Input(Input),
    /// An answer lies in its channel.
    Answered,
    /// The terminal can be read no more.
    Closed(io::Error),
    /// Asked to end from outside.
    Quit,
    /// Answering a question panicked; the message is printed already.
    Broken,
}

/// Opens the explorer until the user leaves, or the terminal goes.
pub fn run(worker: Worker, app: &mut App) -> io::Result<()> {
    let worker = Arc::new(worker);
    with_terminal(|terminal| explore(terminal, worker, app))
}

/// Runs with the terminal in raw mode on its other screen. It is given back on return, on error and,
/// by a hook that runs before the message is printed, on panic.
pub fn with_terminal<T>(body: impl FnOnce(&mut DefaultTerminal) -> io::Result<T>) -> io::Result<T> {
    let mut terminal = ratatui::try_init()?;
    release_mouse_on_panic();
    // The hook that gives the terminal back must not run for a damaged table.
    silence_reading_panics();
    let result = execute!(io::stdout(), EnableMouseCapture, EnableBracketedPaste)
        .and_then(|()| body(&mut terminal));
    let released = execute!(io::stdout(), DisableMouseCapture, DisableBracketedPaste);
    // The cursor was hidden by drawing.
    let shown = terminal.show_cursor();
    ratatui::try_restore()?;
    released?;
    shown?;
    result
}

fn release_mouse_on_panic() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // A terminal that cannot be written to cannot be helped either.
        let _ = execute!(io::stdout(), DisableMouseCapture, DisableBracketedPaste);
        print(panic);
    }));
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
fn explore(terminal: &mut DefaultTerminal, worker: Arc<Worker>, app: &mut App) -> io::Result<()> {
    let (sender, events) = channel();
    let mut lanes = Lanes::new(worker, sender.clone());
    read_input(&sender);
    end_on_signals(&sender)?;
    draw(terminal, app)?;
    let first = app.start();
    perform(first, &mut lanes, terminal, app)?;
    while !app.done {
        take_events(&events, &mut lanes, terminal, app)?;
        draw(terminal, app)?;
    }
    Ok(())
}

fn draw(terminal: &mut DefaultTerminal, app: &mut App) -> io::Result<()> {
    let mut drawn = None;
    terminal.draw(|canvas| drawn = Some(frame::draw(canvas, app)))?;
    drawn.into_iter().for_each(|drawn| app.drawn(drawn));
    Ok(())
}

/// Waits for something, then takes in all that is there: one frame shows it all.
fn take_events(
    events: &Receiver<Event>,
    lanes: &mut Lanes,
    terminal: &mut DefaultTerminal,
    app: &mut App,
) -> io::Result<()> {
    let mut next = events.recv().ok();
    while let Some(event) = next {
        let effects = match event {
            Event::Input(input) => app.handle(&input),
            Event::Answered => app.answered(),
            Event::Closed(error) => return Err(error),
            Event::Broken => {
                return Err(io::Error::other("a background computation failed; please report it"));
            }
            Event::Quit => {
                app.done = true;
                Vec::new()
            }
        };
        perform(effects, lanes, terminal, app)?;
        if app.done {
            break;
        }
        next = events.try_recv().ok();
    }
    Ok(())
}

fn perform(
    effects: Vec<Effect>,
    lanes: &mut Lanes,
    terminal: &mut DefaultTerminal,
    app: &mut App,
) -> io::Result<()> {
    let mut left = VecDeque::from(effects);
    while let Some(effect) = left.pop_front() {
        match effect {
            Effect::Job(job) => lanes.submit(job),
            Effect::Copy(text) => {
                execute!(io::stdout(), CopyToClipboard::to_clipboard_from(text))?;
            }
            Effect::Picture(path) => {
                let size = terminal.size()?;
                let ending = path.extension().and_then(|ending| ending.to_str());
                let size = (size.width, size.height);
                let text = frame::picture(app, size, ending.unwrap_or_default());
                app.shared.write_file(path, FileContent::Text(text));
                left.extend(app.answered());
            }
            Effect::Redraw => terminal.clear()?,
        }
    }
    Ok(())
}

/// A thread that waits for the terminal. It ends with the program: a read cannot be called off.
fn read_input(sender: &Sender<Event>) {
    let sender = sender.clone();
    thread::spawn(move || {
        loop {
            let input = match event::read() {
                Ok(event::Event::Key(key)) if key.kind != KeyEventKind::Release => Input::Key(key),
                Ok(event::Event::Mouse(mouse)) if mouse.kind != MouseEventKind::Moved => {
                    Input::Mouse(mouse)
                }
                Ok(event::Event::Paste(text)) => Input::Paste(text),
                Ok(event::Event::Resize(..)) => Input::Resize,
                Ok(_) => continue,
                Err(error) => {
                    let _ = sender.send(Event::Closed(error));
                    return;
                }
            };
            if sender.send(Event::Input(input)).is_err() {
                return;
            }
        }
    });
}

/// A signal to end is a wish to leave: the terminal is given back and the view remembered.
#[cfg(unix)]
fn end_on_signals(sender: &Sender<Event>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT])?;
    let sender = sender.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            if sender.send(Event::Quit).is_err() {
                return;
            }
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn end_on_signals(_: &Sender<Event>) -> io::Result<()> {
    Ok(())
}
