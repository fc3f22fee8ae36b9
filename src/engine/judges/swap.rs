//! `ter` under every judge, compared with the current one.

use rayon::prelude::*;

use super::Engine;
use super::spec::JudgeSpec;
use crate::engine::difference::{Drawn, ScorerDifference};
use crate::engine::frame::mean;
use crate::engine::grid::Counts;
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::model::{HUMAN, is_human};
use crate::scorers::{Formula, Scorer};

/// `ter` of one cell under one judge.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeTer {
    /// The index of the cell.
    pub cell: usize,
    /// The judge.
    pub judge: JudgeSpec,
    /// Pairs with a verdict.
    pub pairs: usize,
    /// Mean over the tasks that have a value.
    pub mean: Option<f64>,
    /// The metric; none where it is not defined.
    pub value: Option<f64>,
    /// Its 95% interval, where it was asked for.
    pub interval: Option<Interval>,
    /// The tasks behind the value.
    pub counts: Counts,
    /// The value minus that under the current judge.
    pub difference: Option<ScorerDifference>,
    /// It is blanked, since it would tell a verdict to somebody who votes.
    pub held_back: bool,
}

impl Engine {
    /// The choices of a judge: every judge alone, and with votes also people before each model.
    pub fn judge_specs(&self) -> Vec<JudgeSpec> {
        let alone = self.judges.names.iter().cloned().map(JudgeSpec::Judge);
        let voted = self.judges.index(HUMAN).is_some();
        let models = self.judges.names.iter().filter(|judge| voted && !is_human(judge));
        alone.chain(models.cloned().map(JudgeSpec::HumanElse)).collect()
    }

    /// `ter` under every judge in every cell, and how far it is from the current judge's.
    pub fn judge_ter(&self, metric: Metric, resampling: Option<Resampling>) -> Vec<JudgeTer> {
        let (specs, current) = (self.judge_specs(), self.judge());
        let cells = (0..self.frames.len()).into_par_iter().map(|cell| {
            let frame = &self.frames[cell];
            let swapped = specs.iter().map(|spec| self.swapped(cell, spec, metric));
            let (mut rows, lists): (Vec<JudgeTer>, Vec<_>) = swapped.unzip();
            let drawn = Drawn::all(lists, metric, frame, resampling);
            let base = rows.iter().position(|row| Some(&row.judge) == current.as_ref());
            let base = base.and_then(|index| drawn[index].as_ref());
            for (row, drawn) in rows.iter_mut().zip(drawn.iter().flatten()) {
                (row.value, row.interval) = (drawn.value, drawn.interval());
                row.difference = base.and_then(|base| drawn.minus(base, metric, frame, resampling));
            }
            rows
        });
        cells.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// `ter` under a judge, before its metric is known, and the scores of the cell.
    fn swapped(
        &self,
        cell: usize,
        spec: &JudgeSpec,
        metric: Metric,
    ) -> (JudgeTer, Option<Vec<f64>>) {
        let mut frame = self.frames[cell].clone();
        frame.judge_by(self.judges.chosen(spec));
        let values = frame.values(&Scorer::Ter);
        let average = values.as_ref().map(|values| mean(values.rank.iter().copied()));
        let judged = frame.pair_values(Formula::Equivalence.id()).map_or(0, |pairs| {
            let judged = frame.first_rows().flat_map(|row| frame.task_pairs(row, pairs));
            judged.filter(|value| !value.is_nan()).count()
        });
        let scores = match values {
            Some(values) => frame.labelled(values.for_metric(metric)),
            None => vec![f64::NAN; frame.tasks.len()],
        };
        let row = JudgeTer {
            cell,
            judge: spec.clone(),
            pairs: judged,
            mean: average.filter(|value| !value.is_nan()),
            value: None,
            interval: None,
            counts: Counts::of(&scores, &frame.labels(), &frame),
            difference: None,
            held_back: false,
        };
        (row, Some(scores))
    }
}
