//! How far the asking has come: a bar on a terminal, or lines of JSON for other programs.

use std::cell::Cell;
use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::cli::progress::Bar;
use crate::models::AskProgress;

/// Shows how far the asking has come.
pub(super) struct News {
    bar: Bar,
    started: Instant,
    last: Cell<Option<Instant>>,
    is_json: bool,
}

impl News {
    /// The time between two lines of JSON.
    const EVERY: Duration = Duration::from_millis(250);

    pub(super) fn new(is_json: bool) -> Self {
        Self { bar: Bar::count("call"), started: Instant::now(), last: None.into(), is_json }
    }

    pub(super) fn tell(&self, progress: &AskProgress, is_ending: bool) {
        let is_early = self.last.get().is_some_and(|last| last.elapsed() < Self::EVERY);
        if is_early && progress.done() < progress.total {
            return;
        }
        self.last.set(Some(Instant::now()));
        if self.is_json {
            let line = json!({
                "total": progress.total, "done": progress.done(), "asked": progress.asked,
                "known": progress.known, "failed": progress.failed, "unparsed": progress.unparsed,
                "cost": progress.cost, "last_failure": progress.last_failure,
            });
            // There is nobody left to tell when that fails.
            let _ = writeln!(std::io::stderr(), "{line}");
            return;
        }
        self.bar.set_total(progress.total as u64);
        self.bar.set_message(self.words(progress, is_ending));
        self.bar.set(progress.done() as u64);
    }

    fn words(&self, progress: &AskProgress, is_ending: bool) -> String {
        if is_ending {
            return "waiting for answers under way; Ctrl-C again leaves at once".to_owned();
        }
        let rate = progress.asked as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let mut words = vec![format!("{rate:.1}/s")];
        if progress.failed > 0 {
            words.push(format!("{} failed", progress.failed));
        }
        if progress.unparsed > 0 {
            words.push(format!("{} unparsed", progress.unparsed));
        }
        let cost = progress.cost.filter(|cost| *cost > 0.0);
        words.extend(cost.map(|cost| format!("cost {cost:.2}")));
        if rate > 0.0 {
            let left = (progress.total - progress.done()) as f64 / rate;
            words.push(format!("{} left", duration(left)));
        }
        words.join(" · ")
    }
}

fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
