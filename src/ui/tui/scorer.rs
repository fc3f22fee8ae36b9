//! The process that scores the store: this program once more, which reports in lines of JSON.

use std::io::{self, BufRead as _, BufReader};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::Event;
use crate::ui::scoring::{ScoringEnd, ScoringNews};

/// The time between two looks whether the process has ended, once it says no more.
const LOOK: Duration = Duration::from_millis(20);

/// A process that scores. Dropping it asks it to end; answers under way are still kept by it.
pub(super) struct Scorer {
    child: Arc<Mutex<Child>>,
}

impl Scorer {
    /// Starts this program with some arguments, and hands on what it reports.
    pub(super) fn start(arguments: &[String], events: Sender<Event>) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        apart(&mut command);
        let mut child = command.spawn()?;
        let stderr = child.stderr.take();
        let child = Arc::new(Mutex::new(child));
        let watched = child.clone();
        thread::Builder::new().spawn(move || {
            let sentence = stderr.and_then(|stderr| report(stderr, &events));
            let code = wait(&watched).ok().and_then(|status| status.code());
            let end = ScoringEnd { code, sentence };
            // Nobody waits for it once the explorer has ended.
            let _ = events.send(Event::Scored(ScoringNews::Ended(end)));
        })?;
        Ok(Self { child })
    }

    /// Asks the process to end.
    pub(super) fn stop(&self) {
        let mut child = locked(&self.child);
        if let Ok(None) = child.try_wait() {
            terminate(&mut child);
        }
    }
}

impl Drop for Scorer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn locked(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands on every line of progress, and returns the last sentence of anything else.
fn report(stderr: ChildStderr, events: &Sender<Event>) -> Option<String> {
    let mut sentence: Option<String> = None;
    for line in BufReader::new(stderr).split(b'\n') {
        let Ok(line) = line else { break };
        if let Ok(progress) = serde_json::from_slice(&line) {
            let _ = events.send(Event::Scored(ScoringNews::Progress(progress)));
            continue;
        }
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        // Wrong flags are explained in several lines, of which the first says what is wrong.
        let is_explained = sentence.as_ref().is_some_and(|known| known.starts_with(WRONG_FLAG));
        if !line.is_empty() && !is_explained {
            sentence = Some(line);
        }
    }
    let words = |sentence: String| {
        let rest = [WRONG_FLAG, FAILED].iter().find_map(|start| sentence.strip_prefix(start));
        rest.unwrap_or(&sentence).to_owned()
    };
    sentence.map(words)
}

/// How a line begins that says which flag is wrong.
const WRONG_FLAG: &str = "error: ";

/// How a line begins that says why the program failed.
const FAILED: &str = "qualm: ";

/// Waits for the end without keeping others from asking for it.
fn wait(child: &Mutex<Child>) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = locked(child).try_wait()? {
            return Ok(status);
        }
        thread::sleep(LOOK);
    }
}

/// Keys that send signals to the explorer, such as Ctrl-Z of a shell, do not reach the process.
#[cfg(unix)]
fn apart(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn apart(_: &mut Command) {}

/// Asks a process to end in good order.
#[cfg(unix)]
fn terminate(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // One that has ended just now needs no signal.
    let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
}

#[cfg(not(unix))]
fn terminate(child: &mut Child) {
    let _ = child.kill();
}
