//! What votes change: `ter` of their task, and the metric of `ter` in their cell.

use super::Engine;
use super::spec::JudgeSpec;
use crate::engine::find::Finder;
use crate::metrics::Metric;
use crate::model::{Cell, HUMAN, is_human};
use crate::scorers::Scorer;

/// `ter` under one judge before and after votes.
#[derive(Clone, Debug, PartialEq)]
pub struct VoteEffect {
    /// The judge.
    pub judge: JudgeSpec,
    /// `ter` of the task; none where no pair of it is judged.
    pub ter: [Option<f64>; 2],
    /// The metric of `ter` in the cell; none where it is not defined.
    pub value: [Option<f64>; 2],
}

/// What votes on a task change, under each judge that they enter: `human`, and `human>NAME` for the
/// model that makes `ter`. Empty where the engine does not hold the task.
pub fn vote_effects(
    before: &Engine,
    after: &Engine,
    cell: &Cell,
    task: &str,
    metric: Metric,
) -> Vec<VoteEffect> {
    let mut finder = Finder::new(&after.frames);
    let Some(frame) = finder.frame(cell) else { return Vec::new() };
    let Some(index) = finder.task(frame, task) else { return Vec::new() };
    let current = after.judge().map(|spec| spec.name().to_owned());
    let model = current.filter(|name| !is_human(name));
    let model = model.or_else(|| after.judges().iter().find(|name| !is_human(name)).cloned());
    let people = JudgeSpec::Judge(HUMAN.to_owned());
    let specs = model.map(JudgeSpec::HumanElse).into_iter().chain([people]);
    let effect = |judge: JudgeSpec| {
        let [was, is] = [before, after].map(|engine| engine.ter_of(frame, index, &judge, metric));
        VoteEffect { judge, ter: [was.0, is.0], value: [was.1, is.1] }
    };
    specs.map(effect).collect()
}

impl Engine {
    /// `ter` of a task under a judge, and its metric in the cell.
    fn ter_of(
        &self,
        cell: usize,
        task: usize,
        judge: &JudgeSpec,
        metric: Metric,
    ) -> (Option<f64>, Option<f64>) {
        let mut frame = self.frames[cell].clone();
        frame.judge_by(self.judges.chosen(judge));
        let Some(values) = frame.values(&Scorer::Ter) else { return (None, None) };
        let ter = Some(values.confidence(task)).filter(|value| !value.is_nan());
        let scores = frame.labelled(values.for_metric(metric));
        (ter, metric.value(&scores, &frame.labels()))
    }
}
