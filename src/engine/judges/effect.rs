//! What votes change: `ter` of their task, and the metric of `ter` in their cell.

use super::Engine;
use super::spec::JudgeSpec;
use crate::engine::Frame;
use crate::engine::find::Finder;
use crate::metrics::Metric;
use crate::model::{Cell, HUMAN, is_human};
use crate::scorers::{Formula, Scorer};

/// `ter` under one judge before and after votes.
#[derive(Clone, Debug, PartialEq)]
pub struct VoteEffect {
    /// The judge.
    pub judge: JudgeSpec,
    /// `ter` of the task; none where no pair of it is judged.
    pub ter: [Option<f64>; 2],
    /// The metric of `ter` in the cell; none where it is not defined.
    pub value: [Option<f64>; 2],
    /// `ter` also counts pairs of the task that the author has not voted on, so that its level would
    /// tell what others say of them.
    pub counts_open_pairs: bool,
}

/// The task that votes are on, who voted, and the metric to look at.
#[derive(Clone, Copy, Debug)]
pub struct VoteSubject<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// The task.
    pub task: &'a str,
    /// The draw whose `ter` is looked at: 0, the reference, unless every draw counts.
    pub draw: u32,
    /// Who voted.
    pub author: &'a str,
    /// The metric.
    pub metric: Metric,
}

/// What votes on a task change, under each judge that they enter: `human`, and `human>NAME` for the
/// model that makes `ter`. Empty where the engine does not hold the task.
pub fn vote_effects(before: &Engine, after: &Engine, about: VoteSubject<'_>) -> Vec<VoteEffect> {
    let VoteSubject { cell, task, draw, author, metric } = about;
    let mut finder = Finder::new(&after.frames);
    let Some(frame) = finder.frame(cell) else { return Vec::new() };
    let Some(index) = finder.task(frame, task) else { return Vec::new() };
    let index = after.frames[frame].row_with(index, draw).unwrap_or(index);
    let mine = after.votes.iter().filter(|vote| vote.author == author);
    let mine = mine.filter(|vote| vote.cell == *cell && vote.task == task);
    let counted = after.frames[frame].tasks[index].draw;
    let voted: Vec<u32> = mine
        .filter_map(|vote| match (vote.draw_a, vote.draw_b) {
            (a, b) if a == counted => Some(b),
            (a, b) if b == counted => Some(a),
            _ => None,
        })
        .collect();
    let current = after.judge().map(|spec| spec.name().to_owned());
    let model = current.filter(|name| !is_human(name));
    let model = model.or_else(|| after.judges().iter().find(|name| !is_human(name)).cloned());
    let people = JudgeSpec::Judge(HUMAN.to_owned());
    let specs = model.map(JudgeSpec::HumanElse).into_iter().chain([people]);
    let effect = |judge: JudgeSpec| {
        let [was, is] = [before, after].map(|engine| engine.judged_by(frame, &judge));
        VoteEffect {
            ter: [task_ter(&was, index), task_ter(&is, index)],
            value: [metric_of_ter(&was, metric), metric_of_ter(&is, metric)],
            counts_open_pairs: [&was, &is].iter().any(|frame| counts_others(frame, index, &voted)),
            judge,
        }
    };
    specs.map(effect).collect()
}

impl Engine {
    /// A cell with `ter` by a judge.
    fn judged_by(&self, cell: usize, judge: &JudgeSpec) -> Frame {
        let mut frame = self.frames[cell].clone();
        frame.judge_by(self.judges.chosen(judge));
        frame
    }
}

fn task_ter(frame: &Frame, task: usize) -> Option<f64> {
    let values = frame.values(&Scorer::Ter)?;
    Some(values.confidence(task)).filter(|value| !value.is_nan())
}

fn metric_of_ter(frame: &Frame, metric: Metric) -> Option<f64> {
    let values = frame.values(&Scorer::Ter)?;
    metric.value(&frame.labelled(values.for_metric(metric)), &frame.labels())
}

/// Whether `ter` of a task counts pairs other than these.
pub(super) fn counts_others(frame: &Frame, task: usize, draws: &[u32]) -> bool {
    let Some(values) = frame.pair_values(Formula::Equivalence.id()) else { return false };
    let mut judged = values.of(task).iter().zip(&frame.tasks[task].samples);
    judged.any(|(value, sample)| !value.is_nan() && !draws.contains(&sample.draw))
}
