//! The explorer in a terminal: waits for keys, answers and signals, and draws what they change.

mod follow;
mod held;
mod lanes;
mod scorer;
mod signals;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{self, KeyEventKind, MouseEventKind};
use crossterm::execute;

use super::app::App;
use super::effects::Effect;
use super::frame;
use super::input::Input;
use super::query::Worker;
use super::renewal::Renewal;
use super::scoring::{ScoringEnd, ScoringNews};
use super::shared::FileContent;
use crate::watch::Watch;
pub use held::{Held, silence_reading_panics, with_terminal};
use lanes::Lanes;

/// What the loop waits for.
enum Event {
    Input(Input),
    /// An answer lies in its channel.
    Answered,
    /// A look at what is watched found something.
    Renewed(Box<Renewal>),
    /// The process that scores reports something.
    Scored(ScoringNews),
    /// The terminal can be read no more.
    Closed(io::Error),
    /// Asked to end from outside, by a signal.
    Quit(u8),
    /// Asked to stop from outside.
    Stop,
    /// Goes on after it was stopped.
    Continued,
    /// Answering a question panicked; the message is printed once the terminal is given back.
    Broken,
}

/// Opens the explorer until the user leaves, or the terminal goes. What is watched is looked at so often.
/// Returns the signal that ended it, if one did.
pub fn run(
    worker: Worker,
    app: &mut App,
    watch: Option<(Watch, Duration)>,
) -> io::Result<Option<u8>> {
    let (sender, events) = channel();
    // Before the terminal is changed, so that no signal finds it unguarded.
    signals::listen(&sender)?;
    let resampling = worker.resampling;
    let follow = |(watch, every)| follow::start(watch, every, resampling, sender.clone());
    let following = watch.map(follow).transpose()?;
    let mut lanes = Lanes::new(Arc::new(worker), sender.clone());
    let mut ended = None;
    let result = with_terminal(|terminal| {
        read_input(&sender)?;
        ended = explore(terminal, &events, &mut lanes, app)?;
        Ok(())
    });
    drop(following);
    // Waits for notes on their way: one that cannot be saved is a draft again.
    drop(lanes);
    match result {
        // After a signal the terminal may be gone, so that it cannot be given back.
        _ if ended.is_some() => Ok(ended),
        // What fails on a terminal that is gone need not say why.
        Err(error) if is_hangup(&error) || signals::is_closed() => Ok(Some(HANGUP)),
        result => result.map(|()| None),
    }
}

/// Draws when something changed and waits otherwise.
fn explore(
    terminal: &mut Held,
    events: &Receiver<Event>,
    lanes: &mut Lanes,
    app: &mut App,
) -> io::Result<Option<u8>> {
    draw(terminal, app)?;
    let first = app.start();
    perform(first, lanes, terminal, app)?;
    let mut ended = None;
    while !app.done {
        if !app.is_renewing() {
            draw(terminal, app)?;
        }
        ended = take_events(events, lanes, terminal, app)?;
    }
    Ok(ended)
}

fn draw(terminal: &mut Held, app: &mut App) -> io::Result<()> {
    let mut drawn = None;
    terminal.draw(|canvas| drawn = Some(frame::draw(canvas, app)))?;
    drawn.into_iter().for_each(|drawn| app.drawn(drawn));
    Ok(())
}

/// Waits for something, then takes in all that is there: one frame shows it all. Returns the signal that
/// asked to end.
fn take_events(
    events: &Receiver<Event>,
    lanes: &mut Lanes,
    terminal: &mut Held,
    app: &mut App,
) -> io::Result<Option<u8>> {
    let mut next = events.recv().ok();
    while let Some(event) = next {
        let effects = match event {
            Event::Input(input) => app.handle(&input),
            Event::Answered => app.answered(),
            Event::Renewed(renewal) => {
                app.renew(*renewal);
                Vec::new()
            }
            Event::Scored(news) => app.scored(news),
            Event::Closed(error) => return Err(error),
            Event::Broken => {
                return Err(io::Error::other("a background computation failed; please report it"));
            }
            Event::Quit(signal) => {
                app.done = true;
                return Ok(Some(signal));
            }
            Event::Stop => {
                terminal.lend(signals::stop)?;
                Vec::new()
            }
            Event::Continued => {
                terminal.take_again()?;
                Vec::new()
            }
        };
        perform(effects, lanes, terminal, app)?;
        if let Some(worker) = app.take_up() {
            lanes.renew(worker);
            let effects = app.answered();
            perform(effects, lanes, terminal, app)?;
        }
        if app.done {
            break;
        }
        next = events.try_recv().ok();
    }
    Ok(None)
}

/// The signal that a closed terminal sends.
const HANGUP: u8 = 1;

/// Whether the terminal is gone: the signal may come after what else it leads to.
fn is_hangup(error: &io::Error) -> bool {
    const INPUT_OUTPUT_ERROR: i32 = 5;
    error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(INPUT_OUTPUT_ERROR)
}

fn perform(
    effects: Vec<Effect>,
    lanes: &mut Lanes,
    terminal: &mut Held,
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
            Effect::Score(arguments) => {
                if let Err(error) = lanes.score(&arguments) {
                    let sentence = Some(format!("the program cannot be started ({error})"));
                    let end = ScoringEnd { code: None, sentence };
                    left.extend(app.scored(ScoringNews::Ended(end)));
                }
            }
            Effect::StopScoring => lanes.stop_scoring(),
            Effect::Redraw => terminal.clear()?,
            Effect::Suspend => terminal.lend(signals::stop)?,
        }
    }
    Ok(())
}

/// A thread that waits for the terminal. It ends with the program: a read cannot be called off.
fn read_input(sender: &Sender<Event>) -> io::Result<()> {
    let sender = sender.clone();
    let read = move || {
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
    };
    thread::Builder::new().spawn(read).map(|_| ())
}
