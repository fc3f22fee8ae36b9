//! Small signs that several screens show.

use ratatui::style::Style;
use ratatui::text::Span;

use crate::compare::TurnView;
use crate::engine::{NoTruth, Reason, Task};
use crate::ui::theme::Theme;
use crate::ui::widgets::floor;

/// The most draws that are shown one by one.
pub(in crate::ui) const MOST_DRAWS: usize = 12;

/// Whether a draw succeeded.
pub(in crate::ui) fn outcome<'a>(success: Option<bool>, theme: &Theme) -> Span<'a> {
    match success {
        Some(true) => Span::styled("✓", theme.good),
        Some(false) => Span::styled("✗", theme.bad),
        None => Span::styled("·", theme.unknown),
    }
}

/// Whether each draw succeeded, the reference first, filled to a width.
pub(in crate::ui) fn outcomes<'a>(task: &Task, room: usize, theme: &Theme) -> Vec<Span<'a>> {
    let reference = if task.has_reference {
        outcome(task.success, theme)
    } else {
        Span::styled("–", theme.dim)
    };
    let mut spans = vec![reference];
    if !task.samples.is_empty() {
        spans.push(Span::raw(" "));
        let samples = task.samples.iter().take(MOST_DRAWS - 1);
        spans.extend(samples.map(|sample| outcome(sample.success, theme)));
    }
    let used = spans.len();
    spans.push(Span::raw(" ".repeat(room.saturating_sub(used))));
    spans
}

/// How high the bar of every turn is: from the lowest of the run, or so, to 1. NaN without a value.
pub(in crate::ui) fn heights(views: &[TurnView]) -> Vec<f64> {
    let floor = floor(views.iter().filter_map(|view| view.confidence));
    let height =
        |view: &TurnView| view.confidence.map_or(f64::NAN, |value| (value - floor) / (1.0 - floor));
    views.iter().map(height).collect()
}

/// By how many ranks a task rose or fell.
pub(in crate::ui) fn moved(by: Option<f64>, theme: &Theme) -> (String, Style) {
    match by {
        Some(by) if by >= 0.5 => (format!("▲{}", ranks(by)), theme.good),
        Some(by) if by <= -0.5 => (format!("▼{}", ranks(-by)), theme.bad),
        Some(_) => ("=".to_owned(), theme.dim),
        None => (String::new(), theme.dim),
    }
}

/// A number of ranks in three letters; tied tasks move by halves.
fn ranks(by: f64) -> String {
    if by < 10.0 && by.fract() != 0.0 { format!("{by:.1}") } else { format!("{by:.0}") }
}

/// A confidence in five letters or so.
pub(in crate::ui) fn score(score: f64) -> String {
    let small = score != 0.0 && score.abs() < 0.001;
    if small {
        format!("{score:.0e}")
    } else if score.abs() >= 10.0 || score.fract() == 0.0 {
        format!("{score:.0}")
    } else {
        format!("{score:.3}")
    }
}

/// Why the database says nothing about a pair.
pub(in crate::ui) fn no_truth(why: NoTruth) -> &'static str {
    match why {
        NoTruth::NotGraded => "the reward is not based on it",
        NoTruth::NotRecorded => "the final state is not recorded",
        NoTruth::Neither => "neither run reaches the gold state",
    }
}

/// Why a pair is to be looked at, in words.
pub(in crate::ui) fn reasons(reasons: &[Reason]) -> String {
    let word = |reason: &Reason| match reason {
        Reason::JudgesDisagree => "judges disagree",
        Reason::AgainstDatabase => "against the database",
        Reason::LowConfidence => "a judge is unsure",
        Reason::PeopleDisagree => "people disagree",
    };
    reasons.iter().map(word).collect::<Vec<_>>().join(", ")
}
