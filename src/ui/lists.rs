//! Lists of the pairs or tasks that a number counts.

use super::action::Action;
use super::overlays::{Choice, Overlay, Picker};
use super::screens::Go;
use super::shared::{Shared, held_back_words};
use super::widgets::two;
use crate::engine::{PairId, TaskId};
use crate::text::{counted, grouped};

/// Entries that a list offers at most; the title says how many there are.
pub(super) const MOST_LISTED: usize = 20_000;

/// What a list is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listed<'a> {
    /// What the number is.
    pub title: &'a str,
    /// How many it counts.
    pub count: usize,
    /// How many more are held back from somebody who votes.
    pub held_back: usize,
    /// `pair` or `task`.
    pub noun: &'a str,
}

/// Offers the pairs or tasks that a number counts.
pub(super) fn list(listed: Listed<'_>, choices: Vec<Choice>, shared: &mut Shared) -> Go {
    let Listed { title, count, held_back, noun } = listed;
    if choices.is_empty() && held_back > 0 {
        let held_back = counted(held_back as u64, noun);
        shared.say(format!(
            "this list would reveal how runs ended: {held_back} held back until you have voted"
        ));
        return Go::Stay;
    }
    if choices.is_empty() {
        shared.say(format!("no {noun} is counted there"));
        return Go::Stay;
    }
    let shown = if count > choices.len() {
        format!("the first {} of {}", grouped(choices.len() as u64), grouped(count as u64))
    } else {
        counted(count as u64, noun)
    };
    let more = held_back_words(held_back);
    Go::Show(Overlay::picker(Picker::new(format!("{title}: {shown}{more}"), choices)))
}

/// A pair as an entry of a list.
pub(super) fn pair_choice(pair: PairId, scorer: &str, shared: &Shared) -> Choice {
    let task = shared.task_of(pair.id);
    let sign = |success: Option<bool>| match success {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "·",
    };
    let outcomes = task.map_or(String::new(), |task| {
        format!("{}{}", sign(task.success), sign(task.outcome(pair.draw)))
    });
    let value = pair_value(pair, scorer, shared).map_or(String::new(), two);
    Choice {
        name: pair_name(pair, shared),
        hint: format!("{} {value:>4} {outcomes}", scorer.to_uppercase()),
        action: Action::OpenPair(pair),
    }
}

/// A pair's cell, task and draws.
pub(super) fn pair_name(pair: PairId, shared: &Shared) -> String {
    let cell = shared.cell_of(pair.id).map_or(String::new(), ToString::to_string);
    let task = shared.task_of(pair.id).map_or("", |task| task.id.as_str());
    format!("{cell}  task {task}, {}", pair_draws(pair, shared))
}

/// The draw that is compared with the reference; both draws where none is the reference.
pub(super) fn pair_draws(pair: PairId, shared: &Shared) -> String {
    match shared.task_of(pair.id).filter(|_| shared.is_pooled(pair.id.cell)) {
        Some(task) => format!("draws {} and {}", task.draw, pair.draw),
        None => format!("draw {}", pair.draw),
    }
}

/// A task as an entry of a list, with the mean agreement of its pairs.
pub(super) fn task_choice(id: TaskId, scorer: &str, shared: &Shared) -> Choice {
    let cell = shared.cell_of(id).map_or(String::new(), ToString::to_string);
    let name = shared.task_of(id).map_or("", |task| task.id.as_str());
    let mean = shared.engine().and_then(|engine| {
        let values = engine.frames()[id.cell as usize].pairs_of_task(id.task as usize, scorer);
        let known: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    });
    Choice {
        name: format!("{cell}  task {name}"),
        hint: mean.map_or(String::new(), two),
        action: Action::OpenTask(id),
    }
}

fn pair_value(pair: PairId, scorer: &str, shared: &Shared) -> Option<f64> {
    let frame = &shared.engine()?.frames()[pair.id.cell as usize];
    let samples = &frame.tasks[pair.id.task as usize].samples;
    let index = samples.iter().position(|sample| sample.draw == pair.draw)?;
    let value = *frame.pair_values(scorer)?.of(pair.id.task as usize).get(index)?;
    (!value.is_nan()).then_some(value)
}
