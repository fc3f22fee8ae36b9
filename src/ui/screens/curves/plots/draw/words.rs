//! What the threshold does, and what the best one would have achieved, in sentences.

use super::Drawing;
use super::table::percent;
use crate::engine::{BestThreshold, Estimate, HeldOut};
use crate::metrics::bootstrap::Resampling;
use crate::metrics::threshold::{Aim, Decision};
use crate::text::{counted, grouped, visible};

impl Drawing<'_> {
    /// The sentences below the table, the most wanted first.
    pub(super) fn sentences(&self) -> Vec<String> {
        let resamples = self.page.shown().and_then(|shown| shown.resamples);
        let words = resamples
            .map(|count| format!("The band is that of {} resamples.", grouped(count as u64)));
        // Fewer than usual are said even where there is room for one line only.
        let usual = Resampling::default().resamples;
        if resamples.is_some_and(|count| count < usual) {
            [words, self.aimed(), self.decided()].into_iter().flatten().collect()
        } else {
            [self.aimed(), self.decided(), words].into_iter().flatten().collect()
        }
    }

    /// What the threshold accepts and leaves to a person.
    fn decided(&self) -> Option<String> {
        let chosen = self.page.chosen(self.subject)?;
        let label = visible(&chosen.curves.scorer.label()).into_owned();
        let decision = chosen.decision();
        let Decision { runs, successes, accepted, accepted_successes } = decision;
        let noun = if chosen.curves.counts.is_pooled { "run" } else { "task" };
        let count = |count: usize| grouped(count as u64);
        let costs = self.shared.costs.current;
        let cost = decision.cost(&costs).map_or(String::new(), |cost| {
            format!(
                " A {noun} costs {cost:.2} (failure {}, review {}, run {}).",
                costs.failure, costs.review, costs.run
            )
        });
        let without = percent((runs > 0).then(|| successes as f64 / runs as f64));
        Some(format!(
            "{label} {} accepts {} of {}: {} of them succeed ({}, {without} without a threshold). \
             Among the {} to review are {} of {} and {} of {}.{cost}",
            chosen.condition(),
            count(accepted),
            counted(runs as u64, noun),
            count(accepted_successes),
            percent(decision.retained()),
            count(decision.reviewed()),
            count(decision.failures_caught()),
            counted(decision.failures() as u64, "failure"),
            count(decision.successes_lost()),
            success_words(successes),
        ))
    }

    /// What the best threshold for the aim would have achieved out of sample.
    fn aimed(&self) -> Option<String> {
        let aim = self.page.aim?;
        let aim_words = aim_words(aim);
        let question = self.page.best_query(self.subject, self.shared)?;
        let Some(best) = self.page.best.answer_to(&question) else {
            return Some(format!("{aim_words}: looking for the threshold …"));
        };
        let label = visible(&question.scorer.label()).into_owned();
        let Some(best) = best.as_ref() else {
            return Some(format!("{aim_words}: no task here has a value of {label}."));
        };
        Some(best_words(best, &aim_words, &label))
    }
}

fn success_words(successes: usize) -> String {
    let noun = if successes == 1 { "success" } else { "successes" };
    format!("{} {noun}", grouped(successes as u64))
}

/// An aim in words.
fn aim_words(aim: Aim) -> String {
    match aim {
        Aim::Success(share) => format!("To keep at least {} success", percent(Some(share))),
        Aim::Review(share) => format!("To review at most {}", percent(Some(share))),
        Aim::Cost => "For the least cost".to_owned(),
        Aim::Score(score) => format!("At a confidence of {score}"),
    }
}

fn best_words(best: &BestThreshold, aim: &str, label: &str) -> String {
    let Some(threshold) = best.threshold else {
        return format!("{aim}: no threshold of {label} does.");
    };
    let condition = if threshold.is_infinite() {
        "accept nothing".to_owned()
    } else {
        let sign = if best.scale.direction.is_reversed() { "≤" } else { "≥" };
        let value = crate::ui::screens::curves::plots::chosen::value_words(best.scale, threshold);
        format!("accept {label} {sign} {value}")
    };
    let Some(held_out) = &best.held_out else {
        return format!(
            "{aim}: {condition}. Too few tasks of one outcome to say what it achieves on other tasks."
        );
    };
    format!("{aim}: {condition}. {}", held_out_words(held_out, best.aim))
}

/// What thresholds that were chosen on other tasks achieve, the aim's own number first.
fn held_out_words(held_out: &HeldOut, aim: Aim) -> String {
    let share = |estimate: Estimate| {
        let ends = estimate.interval.map_or(String::new(), |interval| {
            format!(" [{}, {}]", percent(Some(interval.lo)), percent(Some(interval.hi)))
        });
        format!("{}{ends}", percent(estimate.value))
    };
    let reviewed = Estimate {
        value: held_out.coverage.value.map(|share| 1.0 - share),
        interval: held_out.coverage.interval.map(|interval| {
            let (lo, hi) = (1.0 - interval.hi, 1.0 - interval.lo);
            crate::metrics::bootstrap::Interval { lo, hi, ..interval }
        }),
    };
    let cost = held_out.cost.value.map_or("–".to_owned(), |cost| format!("{cost:.2}"));
    let ends = held_out
        .cost
        .interval
        .map_or(String::new(), |interval| format!(" [{:.2}, {:.2}]", interval.lo, interval.hi));
    let success = format!("{} of the accepted succeed", share(held_out.retained));
    let review = format!("{} are reviewed", share(reviewed));
    let cost = format!("a task costs {cost}{ends}");
    let parts = match aim {
        Aim::Review(_) => [review, success, cost],
        Aim::Cost => [cost, success, review],
        Aim::Success(_) | Aim::Score(_) => [success, review, cost],
    };
    let unachieved = match held_out.unachieved {
        0 => String::new(),
        count => format!(
            " In {count} of {} folds no threshold of the others does: all of their tasks are reviewed.",
            held_out.folds
        ),
    };
    format!(
        "On tasks that did not choose it ({} folds): {}; {} of failures are caught.{unachieved}",
        held_out.folds,
        parts.join(", "),
        share(held_out.caught),
    )
}
