//! Progress bars.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::text::counted;

/// A progress bar on stderr that appears when the work takes more than a second, on a terminal only.
pub(super) struct Bar {
    started: Instant,
    template: &'static str,
    noun: &'static str,
    total: AtomicU64,
    done: AtomicU64,
    things: AtomicU64,
    /// What stands beside the bar in place of the number of things.
    message: Mutex<Option<String>>,
    drawn: OnceLock<ProgressBar>,
}

impl Bar {
    const PATIENCE: Duration = Duration::from_secs(1);
    const TICK: Duration = Duration::from_millis(120);

    /// A bar of bytes that also counts things of this name.
    pub(super) fn bytes(noun: &'static str) -> Self {
        Self::new("{spinner} {wide_bar} {bytes}/{total_bytes}  {msg}", noun)
    }

    /// A bar of things of this name.
    pub(super) fn count(noun: &'static str) -> Self {
        Self::new("{spinner} {wide_bar} {pos}/{len}  {msg}", noun)
    }

    fn new(template: &'static str, noun: &'static str) -> Self {
        Self {
            started: Instant::now(),
            template,
            noun,
            total: AtomicU64::new(0),
            done: AtomicU64::new(0),
            things: AtomicU64::new(0),
            message: Mutex::new(None),
            drawn: OnceLock::new(),
        }
    }

    pub(super) fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Adds to what is done.
    pub(super) fn advance(&self, by: u64) {
        self.done.fetch_add(by, Ordering::Relaxed);
        self.show();
    }

    /// Sets what is done in all.
    pub(super) fn set(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.show();
    }

    /// Counts one more thing.
    pub(super) fn thing(&self) {
        self.things.fetch_add(1, Ordering::Relaxed);
        self.show();
    }

    /// Sets what stands beside the bar.
    pub(super) fn set_message(&self, message: String) {
        *self.message.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
    }

    fn show(&self) {
        if self.started.elapsed() < Self::PATIENCE {
            return;
        }
        // indicatif itself draws nothing where stderr is no terminal.
        let bar = self.drawn.get_or_init(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(self.template);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_length(self.total.load(Ordering::Relaxed));
            bar.enable_steady_tick(Self::TICK);
            bar
        });
        bar.set_position(self.done.load(Ordering::Relaxed));
        if let Some(message) = &*self.message.lock().unwrap_or_else(PoisonError::into_inner) {
            return bar.set_message(message.clone());
        }
        let things = self.things.load(Ordering::Relaxed);
        bar.set_message(if things > 0 { counted(things, self.noun) } else { self.noun.to_owned() });
    }
}

impl Drop for Bar {
    /// Removes the bar before anything else is printed, also before an error.
    fn drop(&mut self) {
        if let Some(bar) = self.drawn.get() {
            bar.finish_and_clear();
        }
    }
}
