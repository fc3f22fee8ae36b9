//! Looks at what is watched, on a thread.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::Event;
use crate::metrics::bootstrap::Resampling;
use crate::ui::renewal::Renewal;
use crate::watch::Watch;

/// Ends the looking when it is dropped. An import that is under way may go on until the program ends: it
/// takes effect as a whole or not at all.
pub(super) struct Following {
    _stop: Sender<()>,
}

/// Looks now and again, and hands on what was found.
pub(super) fn start(
    mut watch: Watch,
    every: Duration,
    resampling: Resampling,
    events: Sender<Event>,
) -> io::Result<Following> {
    let (stop, stopped) = channel::<()>();
    let sender = events.clone();
    let mut look = move || {
        let began = Instant::now();
        let found = watch.poll().map(|news| Box::new(Renewal::new(news, resampling)));
        let is_open = found.is_none_or(|renewal| sender.send(Event::Renewed(renewal)).is_ok());
        // What takes long is not done all the time.
        is_open.then(|| every.max(began.elapsed()))
    };
    thread::Builder::new().spawn(move || {
        loop {
            match catch_unwind(AssertUnwindSafe(&mut look)) {
                Ok(Some(pause)) => {
                    if stopped.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
                Ok(None) => return,
                Err(_) => return drop(events.send(Event::Broken)),
            }
        }
    })?;
    Ok(Following { _stop: stop })
}
