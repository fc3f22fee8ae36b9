//! Signals from the system: to end, to stop, to continue, and that the terminal is gone.

use std::io;
use std::sync::mpsc::Sender;

use super::Event;

/// Hands signals on as events. A signal to end is a wish to leave: the terminal is given back, and view
/// and draft are kept.
#[cfg(unix)]
pub(super) fn listen(events: &Sender<Event>) -> io::Result<()> {
    use std::thread;
    use std::time::{Duration, Instant};

    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// Whoever asks again after so long wants it now. A closed window alone sends several signals.
    const PATIENCE: Duration = Duration::from_secs(3);

    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
    let sender = events.clone();
    thread::Builder::new().spawn(move || {
        let mut asked: Option<Instant> = None;
        for signal in signals.forever() {
            let event = match signal {
                SIGTSTP => Event::Stop,
                SIGCONT => Event::Continued,
                _ if asked.is_some_and(|asked| asked.elapsed() > PATIENCE) => {
                    let _ = super::held::leave();
                    let _ = emulate_default_handler(signal);
                    return;
                }
                _ => {
                    asked.get_or_insert_with(Instant::now);
                    Event::Quit(signal as u8)
                }
            };
            // Once the loop has ended, there is nothing left to ask for but to hurry.
            let _ = sender.send(event);
        }
    })?;
    watch(events)
}

#[cfg(not(unix))]
pub(super) fn listen(_: &Sender<Event>) -> io::Result<()> {
    Ok(())
}

/// Waits for the terminal to close. A terminal that is not the controlling one sends no signal, and
/// reading it waits for nothing then.
#[cfg(unix)]
fn watch(events: &Sender<Event>) -> io::Result<()> {
    use std::thread;

    use rustix::event::{PollFd, PollFlags, poll};

    let sender = events.clone();
    thread::Builder::new().spawn(move || {
        let terminal = io::stdout();
        loop {
            let mut watched = [PollFd::new(&terminal, PollFlags::empty())];
            match poll(&mut watched, None) {
                Ok(_) if watched[0].revents().contains(PollFlags::HUP) => {
                    let _ = sender.send(Event::Closed(io::ErrorKind::BrokenPipe.into()));
                    return;
                }
                Err(rustix::io::Errno::INTR) => {}
                // Some systems cannot watch a terminal.
                _ => return,
            }
        }
    })?;
    Ok(())
}

/// Whether the terminal has closed.
#[cfg(unix)]
pub(super) fn is_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let terminal = io::stdout();
    let mut looked_at = [PollFd::new(&terminal, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut looked_at, Some(&at_once)).is_ok() && looked_at[0].revents().contains(PollFlags::HUP)
}

#[cfg(not(unix))]
pub(super) fn is_closed() -> bool {
    false
}

/// Stops the program as the signal would have, until it is told to go on.
#[cfg(unix)]
pub(super) fn stop() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
}

#[cfg(not(unix))]
pub(super) fn stop() -> io::Result<()> {
    Ok(())
}
