//! What a threshold does, in sentences.

use super::{Stopping, share, short};
use crate::engine::{self, StopIntervals, StopPoint};
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::text::{counted, grouped, visible};
use crate::ui::screens::curves::Subject;
use crate::ui::screens::curves::stopping::label;
use crate::ui::shared::Shared;

/// What the chosen threshold does: what it stops, what that saves, and what runs take without it.
pub(in crate::ui::screens::curves::stopping) fn sentences(
    page: &Stopping,
    simulated: &engine::Stopping,
    subject: &Subject,
    shared: &Shared,
) -> Vec<String> {
    let rank = page.rank(simulated);
    let point = simulated.at(rank);
    let question = page.intervals_query(subject, shared);
    let known = question.and_then(|question| page.intervals.answer_to(&question));
    let intervals = known.map_or_else(StopIntervals::default, |known| known.0);
    let name = label(shared);
    let below = format!("{} below {}", visible(&name), short(simulated.confidence(rank)));
    let fewer = known.filter(|known| known.1 < Resampling::default().resamples);
    let fewer = fewer.map(|known| format!("Intervals are of {} resamples.", known.1));
    let mut all = vec![
        stops(&below, simulated, &point, &intervals),
        saves(simulated, &point, &intervals),
        without(simulated, &point),
    ];
    all.extend(fewer);
    all
}

fn stops(
    below: &str,
    simulated: &engine::Stopping,
    point: &StopPoint,
    intervals: &StopIntervals,
) -> String {
    let whole = &simulated.whole;
    let part = |stopped: usize, all: usize, interval, noun: &str| {
        let share = percent(stopped as f64, all as f64, interval);
        format!("{} of {} {noun} ({share})", grouped(stopped as u64), grouped(all as u64))
    };
    format!(
        "{below} stops {} of {}: {} and {}{}.",
        grouped(point.stopped() as u64),
        counted(simulated.counts.runs as u64, "run"),
        part(point.failures, whole.failures, intervals.failures, "failures"),
        part(point.successes, whole.successes, intervals.successes, "successes"),
        if simulated.counts.is_flagged() { " †" } else { "" },
    )
}

fn saves(simulated: &engine::Stopping, point: &StopPoint, intervals: &StopIntervals) -> String {
    let whole = &simulated.whole;
    let cost = has_cost(simulated).then(|| {
        let share = percent(point.cost, whole.cost, intervals.cost);
        format!(", and {share} of the cost, by the share of a run's turns")
    });
    format!(
        "It saves {} of {} ({}), {} of them in failures{}.",
        grouped(point.turns),
        counted(whole.turns, "turn"),
        percent(point.turns as f64, whole.turns as f64, intervals.turns),
        grouped(point.turns_of_failures),
        cost.unwrap_or_default(),
    )
}

fn without(simulated: &engine::Stopping, point: &StopPoint) -> String {
    let whole = &simulated.whole;
    let per_run = |turns: u64| format!("{:.1}", turns as f64 / simulated.counts.runs as f64);
    let cost = has_cost(simulated).then(|| {
        let per_run = |cost: f64| money(cost / whole.with_cost as f64);
        format!("; it costs {}, with it {}", per_run(whole.cost), per_run(whole.cost - point.cost))
    });
    format!(
        "Without it a run takes {} turns, with it {}{}.",
        per_run(whole.turns),
        per_run(whole.turns - point.turns),
        cost.unwrap_or_default(),
    )
}

/// Whether runs cost anything, as far as is known.
fn has_cost(simulated: &engine::Stopping) -> bool {
    simulated.whole.with_cost > 0 && simulated.whole.cost > 0.0
}

/// A share in percent with its interval: `21% [8, 35]`.
fn percent(part: f64, all: f64, interval: Option<Interval>) -> String {
    let Some(share) = share(part, all) else { return "none".to_owned() };
    let round = |value: f64| (value * 100.0).round();
    let ends = interval.map(|ends| format!(" [{}, {}]", round(ends.lo), round(ends.hi)));
    format!("{}%{}", round(share), ends.unwrap_or_default())
}

/// A cost to a few digits, or as a power of ten where it is tiny.
fn money(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 0.01 => format!("{value:.3}"),
        value if value >= 0.0001 => format!("{value:.5}"),
        value => format!("{value:.3e}"),
    }
}
