//! The tasks just above and below the threshold: as a list, and as an expression that selects them.

use super::query::NEAR;
use super::{Chosen, Plots};
use crate::engine::{NearRun, NearRuns, Scope};
use crate::filter::{conjuncts, joined};
use crate::scorers::Scorer;
use crate::ui::action::Action;
use crate::ui::lists::{self, Listed};
use crate::ui::overlays::Choice;
use crate::ui::screens::Go;
use crate::ui::screens::curves::Subject;
use crate::ui::shared::Shared;

impl Plots {
    /// Lists the tasks beside the threshold; the first entry shows them all in Tasks.
    pub(super) fn drill(&mut self, subject: &Subject, shared: &mut Shared) -> Go {
        let Some(chosen) = self.chosen(subject) else {
            shared.say("no task here has a value of this scorer");
            return Go::Stay;
        };
        let question = self.near_query(subject, shared);
        let Some(near) = question.and_then(|question| self.near.answer_to(&question)) else {
            shared.say("the tasks are still being looked for");
            return Go::Stay;
        };
        let near = near.clone();
        let threshold = chosen.threshold_words();
        let (above, below) = beside(&near);
        let count = above.len() + below.len();
        let label = chosen.curves.scorer.label();
        let title = format!("{label} around {threshold}");
        let choice = |run: &NearRun, sign: &str| Choice {
            name: format!("{sign} {}", run_name(run, shared)),
            hint: format!("{:>7} {}", chosen.value_words(run.score), outcome(run.success)),
            action: Action::OpenTask(run.id),
        };
        // The surest first, so that the threshold is in the middle.
        let mut choices: Vec<Choice> = above.iter().rev().map(|run| choice(run, "≥")).collect();
        choices.extend(below.iter().map(|run| choice(run, "<")));
        if let Some(found) = expression(subject, &near, &chosen, shared) {
            let name = if found.has_more {
                "all of these, and those that tie with them, in Tasks"
            } else {
                "all of these in Tasks"
            };
            let (name, hint) = (name.to_owned(), found.expression.clone());
            let action = Action::SelectTasks(found.expression, found.all_cells);
            choices.insert(0, Choice { name, hint, action });
        }
        let noun = if chosen.curves.counts.is_pooled { "run" } else { "task" };
        lists::list(Listed { title: &title, count, held_back: 0, noun }, choices, shared)
    }
}

/// An expression that selects the tasks beside a threshold.
struct Found {
    expression: String,
    /// Whether it is about several cells.
    all_cells: bool,
    /// Whether it also selects tasks that are not listed, because they tie with the outermost.
    has_more: bool,
}

fn expression(
    subject: &Subject,
    near: &NearRuns,
    chosen: &Chosen<'_>,
    shared: &Shared,
) -> Option<Found> {
    let (above, below) = beside(near);
    let value = |run: &NearRun| chosen.curves.scale.confidence(run.score);
    let inside = above.iter().chain(below).map(value);
    let (low, high) = inside.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    // The next task on each side is outside of the range, unless it ties with the outermost.
    let next = |runs: &[NearRun]| runs.get(NEAR).map(value);
    let next: Vec<f64> = [next(&near.above), next(&near.below)].into_iter().flatten().collect();
    let has_more = next.iter().any(|next| (low..=high).contains(next));
    let least = next.iter().filter(|next| **next <= low).map(|next| next.min(low.next_down()));
    let most = next.iter().filter(|next| **next >= high).map(|next| next.max(high.next_up()));
    let least = least.fold(f64::NEG_INFINITY, f64::max);
    let most = most.fold(f64::INFINITY, f64::min);
    let (low, high) = (rounded(low, least, false)?, rounded(high, most, true)?);
    let column = column(&chosen.curves.scorer, shared);
    let mut parts: Vec<String> =
        conjuncts(&shared.lens.selection).into_iter().map(str::to_owned).collect();
    // What was added here before is about another threshold.
    if is_of_threshold(&shared.lens.selection) {
        parts.clear();
    }
    parts.retain(|part| !part.starts_with(&format!("{column}{BETWEEN}")));
    let quoted = |name: &str| name.replace('\'', "''");
    match &subject.cells {
        Scope::Dataset(name) => parts.push(format!("dataset = '{}'", quoted(name))),
        Scope::Model(name) => parts.push(format!("model = '{}'", quoted(name))),
        Scope::All | Scope::Cell(_) => {}
    }
    parts.dedup();
    parts.push(format!("{column}{BETWEEN}{low} and {high}"));
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let expression = joined(&parts);
    let all_cells = !matches!(subject.cells, Scope::Cell(_));
    let found = Found { expression, all_cells, has_more };
    shared.check(&found.expression).is_ok().then_some(found)
}

/// The word of a condition that this page adds to a selection.
const BETWEEN: &str = " between ";

/// Whether a selection is nothing but what this page made it: tasks beside a threshold.
pub(super) fn is_of_threshold(selection: &str) -> bool {
    let parts = conjuncts(selection);
    let is_cell =
        |part: &str| ["dataset = '", "model = '"].iter().any(|start| part.starts_with(start));
    parts.iter().any(|part| part.contains(BETWEEN))
        && parts.iter().all(|part| part.contains(BETWEEN) || is_cell(part))
}

/// The tasks on each side that are listed.
pub(super) fn beside(near: &NearRuns) -> (&[NearRun], &[NearRun]) {
    let first = |runs: &'_ Vec<NearRun>| runs.len().min(NEAR);
    (&near.above[..first(&near.above)], &near.below[..first(&near.below)])
}

/// The column of a scorer's values in expressions.
fn column(scorer: &Scorer, shared: &Shared) -> String {
    match scorer {
        scorer if *scorer == shared.lens.scorer => "score".to_owned(),
        // These columns have the counts themselves, of which fewer are surer.
        Scorer::Turns => "-turns".to_owned(),
        Scorer::Tools => "-tools".to_owned(),
        scorer => scorer.column(),
    }
}

/// The name of a run in a list.
pub(super) fn run_name(run: &NearRun, shared: &Shared) -> String {
    let cell = shared.cell_of(run.id).map_or(String::new(), ToString::to_string);
    format!("{cell}  task {}", shared.task_label(run.id).unwrap_or_default())
}

/// How a run ended, as a sign.
pub(super) fn outcome(success: Option<bool>) -> &'static str {
    match success {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "·",
    }
}

/// The shortest number that is as large as a value (or as small), and not as large as the next one.
fn rounded(value: f64, next: f64, up: bool) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let is_between = |number: f64| {
        if up { number >= value && number < next } else { number <= value && number > next }
    };
    (0..=15)
        .find_map(|decimals: i32| {
            let power = 10f64.powi(decimals);
            let scaled = value * power;
            let number = if up { scaled.ceil() } else { scaled.floor() } / power;
            let text = format!("{number:.places$}", places = decimals as usize);
            text.parse::<f64>().is_ok_and(is_between).then_some(text)
        })
        .or_else(|| Some(format!("{value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_as_short_as_the_neighbours_allow() {
        assert_eq!(rounded(0.7312, 0.69, false).as_deref(), Some("0.7"));
        assert_eq!(rounded(0.7312, 0.7309, false).as_deref(), Some("0.731"));
        assert_eq!(rounded(0.8312, 0.9, true).as_deref(), Some("0.84"));
        assert_eq!(rounded(0.8312, 1.2, true).as_deref(), Some("1"));
        assert_eq!(rounded(-12.0, -14.0, false).as_deref(), Some("-12"));
        assert_eq!(rounded(0.5, f64::NEG_INFINITY, false).as_deref(), Some("0"));
        let (value, next) = (0.1 + 0.2, 0.3);
        assert_eq!(rounded(value, next, false), Some(format!("{value}")));
        assert_eq!(rounded(f64::INFINITY, 1.0, true), None);
    }
}
