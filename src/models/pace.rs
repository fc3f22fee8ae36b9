//! How fast questions are asked: a rate limit, and pauses that the server asks for.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The pause before the first new attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause that is chosen here; a server may ask for a longer one.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// The longest pause that a server may ask for.
const LONGEST_WISH: Duration = Duration::from_mins(15);

/// When the next question may be asked, by whichever thread.
#[derive(Debug)]
pub(super) struct Pace {
    /// The time between two questions.
    interval: Duration,
    state: Mutex<State>,
    woken: Condvar,
}

#[derive(Debug)]
struct State {
    next: Instant,
    is_over: bool,
}

impl Pace {
    /// At most so many questions a minute; without a number, no limit.
    pub(super) fn new(per_minute: Option<f64>) -> Self {
        let interval = per_minute.map_or(Duration::ZERO, |rate| {
            Duration::try_from_secs_f64(60.0 / rate).unwrap_or(LONGEST_WISH)
        });
        let state = State { next: Instant::now(), is_over: false };
        Self { interval, state: Mutex::new(state), woken: Condvar::new() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a question may be asked; false when no more are wanted.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.state();
        loop {
            if state.is_over {
                return false;
            }
            let now = Instant::now();
            let Some(rest) = state.next.checked_duration_since(now).filter(|rest| !rest.is_zero())
            else {
                state.next = now + self.interval;
                return true;
            };
            let waited = self.woken.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Lets nobody ask for so long, since the server wishes it.
    pub(super) fn hold(&self, pause: Duration) {
        let mut state = self.state();
        state.next = state.next.max(Instant::now() + pause.min(LONGEST_WISH));
    }

    /// Waits so long; false when no more questions are wanted.
    pub(super) fn pause(&self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        let mut state = self.state();
        while !state.is_over {
            let Some(rest) =
                end.checked_duration_since(Instant::now()).filter(|rest| !rest.is_zero())
            else {
                return true;
            };
            let waited = self.woken.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    /// Ends all waiting: no more questions are wanted.
    pub(super) fn end(&self) {
        self.state().is_over = true;
        self.woken.notify_all();
    }
}

/// The pause before the attempt of this number, from 1: it doubles each time. `spread` in 0..1 keeps
/// threads from asking at the same moment.
pub(super) fn backoff(attempt: u32, spread: f64) -> Duration {
    let doubled = FIRST_PAUSE.saturating_mul(1 << attempt.saturating_sub(1).min(10));
    doubled.min(LONGEST_PAUSE).mul_f64(0.5 + 0.5 * spread.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute() {
        let pause = |attempt| backoff(attempt, 1.0).as_millis();
        assert_eq!([1, 2, 3, 4, 40].map(pause), [500, 1000, 2000, 4000, 60_000]);
        assert_eq!(backoff(2, 0.0), Duration::from_millis(500));
    }

    #[test]
    fn the_end_wakes_who_waits() {
        let pace = Pace::new(None);
        assert!(pace.wait());
        pace.hold(Duration::from_mins(10));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| pace.wait());
            let pausing = scope.spawn(|| pace.pause(Duration::from_mins(10)));
            pace.end();
            assert!(!waiting.join().expect("no panic"));
            assert!(!pausing.join().expect("no panic"));
        });
        assert!(!pace.wait());
    }
}
