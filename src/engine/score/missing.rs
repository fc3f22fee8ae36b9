//! Says which scorers have no values, or only some, and what they need.

use crate::engine::{Engine, Frame};
use crate::scorers::whitebox::Base;
use crate::scorers::{Need, SPECS, Scorer, Spec};

/// A line for everything that some wanted scorer needs and that is not there for all tasks.
pub(super) fn missing(engine: &Engine, wanted: &dyn Fn(&Spec) -> bool) -> Vec<String> {
    let tasks: usize = engine.frames().iter().map(|frame| frame.tasks.len()).sum();
    let is_pooled = engine.is_pooled();
    let wanted: Vec<&Spec> = SPECS.iter().filter(|spec| wanted(spec)).collect();
    let mut lines = Vec::new();
    for need in Need::ALL {
        let scorers = wanted.iter().filter(|spec| spec.needs(need));
        // Data is missing for all scorers alike; of a model, each has values of its own.
        let counts: Vec<(String, usize)> = match need {
            Need::LogProbabilities => {
                let scored = |frame: &Frame, task| !frame.turn_values(task, Base::Lnsp).is_empty();
                scorers.take(1).map(|_| ("white-box".to_owned(), count(engine, scored))).collect()
            }
            Need::Alternatives => {
                let scored = |frame: &Frame, task| !frame.turn_values(task, Base::Lnsp).is_empty();
                let compared = |frame: &Frame, task| {
                    frame.turn_values(task, Base::Atn).iter().any(|value| !value.is_nan())
                };
                // Without log-probabilities, those are what is missing.
                let some = count(engine, scored) > 0;
                let names = scorers.map(|spec| spec.id).collect::<Vec<_>>().join(", ");
                let named = some && !names.is_empty();
                if named { vec![(names, count(engine, compared))] } else { Vec::new() }
            }
            Need::Samples => {
                let sampled = |frame: &Frame, task: usize| !frame.tasks[task].samples.is_empty();
                scorers
                    .take(1)
                    .map(|_| ("consistency".to_owned(), count(engine, sampled)))
                    .collect()
            }
            Need::Judge | Need::Nli | Need::ChatModel | Need::NextActions | Need::Encoder => {
                scorers
                    .map(|spec| (spec.id.to_owned(), engine.valued(&Scorer::of_spec(spec))))
                    .collect()
            }
        };
        let incomplete = counts.into_iter().filter(|(_, count)| *count < tasks);
        lines.extend(incomplete.map(|(who, count)| {
            let what = if is_pooled { runs_with(need) } else { counted_as(need) };
            format!("{who}: {count} of {tasks} {what}; {}", need.remedy())
        }));
    }
    lines
}

/// What is counted where something is needed.
fn counted_as(need: Need) -> &'static str {
    match need {
        Need::LogProbabilities => "references have log-probabilities",
        Need::Alternatives => "references have alternatives of their tokens",
        Need::Samples => "tasks have a sample",
        Need::Judge => "tasks have a judged pair",
        Need::Nli => "tasks have a value",
        Need::ChatModel | Need::NextActions | Need::Encoder => "references have a value",
    }
}

/// The same where every draw counts, so that rows are runs.
fn runs_with(need: Need) -> &'static str {
    match need {
        Need::LogProbabilities => "runs have log-probabilities",
        Need::Alternatives => "runs have alternatives of their tokens",
        Need::Samples => "runs have another run of their task",
        Need::Judge => "runs are in a judged pair",
        Need::Nli | Need::ChatModel | Need::NextActions | Need::Encoder => "runs have a value",
    }
}

/// The number of tasks that have something.
fn count(engine: &Engine, has: impl Fn(&Frame, usize) -> bool) -> usize {
    let in_frame = |frame: &Frame| (0..frame.tasks.len()).filter(|task| has(frame, *task)).count();
    engine.frames().iter().map(in_frame).sum()
}
