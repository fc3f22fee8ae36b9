//! What a comparison says, in words.

use super::{Compared, Versus};
use crate::engine::FEW;
use crate::metrics::bootstrap::Interval;
use crate::text::{counted, grouped};

/// How the second cell stands to the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The whole interval of the difference is above 0.
    Better,
    /// The whole interval is below 0.
    Worse,
    /// The interval holds 0.
    Open,
    /// There is no interval.
    Unknown,
}

impl Standing {
    /// How an interval of a difference stands to 0; `higher_is_better` says in which direction better is.
    pub fn of(interval: Option<Interval>, higher_is_better: bool) -> Self {
        let Some(Interval { lo, hi, .. }) = interval else { return Self::Unknown };
        let (above, below) = if higher_is_better {
            (Self::Better, Self::Worse)
        } else {
            (Self::Worse, Self::Better)
        };
        match () {
            () if lo > 0.0 => above,
            () if hi < 0.0 => below,
            () => Self::Open,
        }
    }
}

/// A difference of shares in points, with its sign: `+3.5`, `−12.0`.
pub fn in_points(difference: f64) -> String {
    let text = format!("{:.1}", difference.abs() * 100.0);
    let sign = match () {
        () if text == "0.0" => "±",
        () if difference < 0.0 => "−",
        () => "+",
    };
    format!("{sign}{text}")
}

/// Both ends of an interval in points: whole ones, unless an end is nearer to 0.
fn ends_in_points(interval: Interval) -> String {
    let ends = [interval.lo, interval.hi];
    let whole = ends.iter().all(|end| end.abs() >= 0.01);
    let end = |end: f64| {
        let text = in_points(end);
        if whole {
            let sign = if end < 0.0 { "−" } else { "+" };
            return format!("{sign}{:.0}", end.abs() * 100.0);
        }
        text
    };
    format!("{} to {}", end(ends[0]), end(ends[1]))
}

/// Says that an interval of so few tasks is too narrow; none of enough tasks.
pub(super) fn few_tasks(tasks: usize) -> Option<String> {
    let few = (2..FEW).contains(&tasks);
    few.then(|| format!("intervals of fewer than {FEW} tasks are too narrow"))
}

/// A number of points without a sign: `9`, or `0.6` where it is below one.
fn points(share: f64) -> String {
    let points = share * 100.0;
    if points < 1.0 { format!("{points:.1}") } else { format!("{points:.0}") }
}

impl Compared {
    /// The difference of shares with its interval: `+3.5 points, interval −5 to +12`.
    pub fn words_in_points(&self) -> Option<String> {
        let difference = format!("{} points", in_points(self.difference?));
        let interval =
            self.interval.map(|interval| format!(", interval {}", ends_in_points(interval)));
        Some(difference + &interval.unwrap_or_default())
    }
}

impl Versus {
    /// How the second cell stands to the first.
    pub fn standing(&self) -> Standing {
        Standing::of(self.success.interval, true)
    }

    /// What the difference in success means against the noise of repeating, in one sentence; none without
    /// a shared task whose outcome is known.
    pub fn verdict(&self) -> Option<String> {
        let mut words = format!("{}: {}", self.success.words_in_points()?, self.meaning());
        for more in [self.design(), few_tasks(self.labelled())].into_iter().flatten() {
            words.push_str("; ");
            words.push_str(&more);
        }
        Some(words)
    }

    fn meaning(&self) -> &'static str {
        let size = self.success.difference.unwrap_or(0.0).abs();
        let beyond_noise = self.noise_range().map(|range| size > range);
        match (self.standing(), beyond_noise) {
            (Standing::Better, Some(true)) => "better, by more than repeating the same run gives",
            (Standing::Worse, Some(true)) => "worse, by more than repeating the same run gives",
            (Standing::Better, Some(false)) => {
                "better on these tasks, but repeating the same run differs as much"
            }
            (Standing::Worse, Some(false)) => {
                "worse on these tasks, but repeating the same run differs as much"
            }
            (Standing::Better, None) => {
                "better; one draw per task cannot show how far repeating the same run differs"
            }
            (Standing::Worse, None) => {
                "worse; one draw per task cannot show how far repeating the same run differs"
            }
            (Standing::Open, Some(false)) => "not distinguishable from repeating the same run",
            (Standing::Open, Some(true)) => {
                "more than repeating the same run gives, but other tasks could reverse it"
            }
            (Standing::Open, None) => {
                "no difference shown; one draw per task cannot show how far repeating the same run differs"
            }
            (Standing::Unknown, _) if self.labelled() < 2 => "one task cannot show a difference",
            (Standing::Unknown, _) => "without an interval nothing is decided",
        }
    }

    /// What as many tasks and draws would show: `114 tasks × 4 draws would show differences of 9 points or
    /// more`.
    pub fn design(&self) -> Option<String> {
        let detectable = self.detectable().filter(|detectable| *detectable > 0.0)?;
        let tasks = counted(self.labelled() as u64, "task");
        let draws = self.usual_draws();
        let draws = match draws {
            1 => "1 draw".to_owned(),
            _ => format!("{} draws", grouped(u64::from(draws))),
        };
        let points = points(detectable);
        Some(format!("{tasks} × {draws} would show differences of {points} points or more"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::VersusTask;
    use crate::metrics::Repeats;
    use crate::metrics::power::PairedVariance;

    /// A comparison of 114 tasks with so many draws each, with a difference and its interval.
    fn versus(draws: u32, difference: f64, lo: f64, hi: f64) -> Versus {
        let side = Repeats { solved: 1, draws };
        let task = VersusTask { rows: [0; 2], repeats: [side; 2], change: None, draws: [0; 2] };
        // A standard error of 3.2 points: 2.8 of them are 9 points.
        let variance = PairedVariance { tasks: 0.0321f64.powi(2) * 114.0, draw: None };
        Versus {
            tasks: vec![task; 114],
            success: Compared {
                difference: Some(difference),
                interval: Some(Interval { lo, hi, skipped: 0 }),
                tasks: 114,
                ..Compared::default()
            },
            deviation: (draws > 1).then_some(0.03),
            variance: Some(variance),
            ..Versus::default()
        }
    }

    #[test]
    fn a_difference_is_held_against_noise_and_power() {
        let said = |versus: Versus| versus.verdict().expect("a verdict");
        assert_eq!(
            said(versus(4, 0.035, -0.05, 0.12)),
            "+3.5 points, interval −5 to +12: not distinguishable from repeating the same run; 114 \
             tasks × 4 draws would show differences of 9 points or more"
        );
        let starts = [
            (versus(4, 0.12, 0.04, 0.2), "+12.0 points, interval +4 to +20: better, by more than"),
            (
                versus(4, -0.12, -0.2, -0.04),
                "−12.0 points, interval −20 to −4: worse, by more than",
            ),
            (
                versus(4, 0.05, 0.004, 0.1),
                "+5.0 points, interval +0.4 to +10.0: better on these tasks, but",
            ),
            (versus(4, 0.07, -0.01, 0.2), "+7.0 points, interval −1 to +20: more than repeating"),
            (
                versus(1, 0.07, -0.02, 0.2),
                "+7.0 points, interval −2 to +20: no difference shown; one",
            ),
            (
                versus(1, 0.07, 0.02, 0.2),
                "+7.0 points, interval +2 to +20: better; one draw per task",
            ),
        ];
        for (versus, start) in starts {
            let said = said(versus);
            assert!(said.starts_with(start), "{said}");
        }
        let mut few = versus(4, 0.5, 0.1, 0.9);
        few.success.tasks = 4;
        assert!(said(few).ends_with("; intervals of fewer than 20 tasks are too narrow"));
        assert_eq!(Versus::default().verdict(), None);
    }
}
