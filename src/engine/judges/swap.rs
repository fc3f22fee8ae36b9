//! `ter` under every judge, compared with the current one.

use rayon::prelude::*;

use super::Engine;
use super::spec::JudgeSpec;
use crate::engine::frame::{Frame, mean};
use crate::engine::grid::{Counts, resample_all};
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
    pub difference: Option<f64>,
    /// The interval of the difference, both resampled together.
    pub paired: Option<Interval>,
}

/// One judge's scores of a cell.
struct Swapped {
    row: JudgeTer,
    scores: Vec<f64>,
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
            let success = frame.labels();
            let all = specs.iter().map(|spec| self.swapped(cell, spec, metric, &success));
            let mut all: Vec<Swapped> = all.collect();
            let base = all.iter().position(|swapped| Some(&swapped.row.judge) == current.as_ref());
            compare(&mut all, base, frame, metric, resampling);
            all.into_iter().map(|swapped| swapped.row).collect::<Vec<_>>()
        });
        cells.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    fn swapped(&self, cell: usize, spec: &JudgeSpec, metric: Metric, success: &[bool]) -> Swapped {
        let mut frame = self.frames[cell].clone();
        frame.judge_by(self.judges.chosen(spec));
        let values = frame.values(&Scorer::Ter);
        let average = values.as_ref().map(|values| mean(values.rank.iter().copied()));
        let judged = frame
            .pair_values(Formula::Equivalence.id())
            .map_or(0, |pairs| pairs.iter().flatten().filter(|value| !value.is_nan()).count());
        let scores = match values {
            Some(values) => frame.labelled(values.for_metric(metric)),
            None => vec![f64::NAN; frame.tasks.len()],
        };
        let row = JudgeTer {
            cell,
            judge: spec.clone(),
            pairs: judged,
            mean: average.filter(|value| !value.is_nan()),
            value: metric.value(&scores, success),
            interval: None,
            counts: Counts::of(&scores, success),
            difference: None,
            paired: None,
        };
        Swapped { row, scores }
    }
}

/// Adds intervals, and the differences to the judge at the index `base`.
fn compare(
    all: &mut [Swapped],
    base: Option<usize>,
    frame: &Frame,
    metric: Metric,
    resampling: Option<Resampling>,
) {
    let base_value = base.and_then(|index| all[index].row.value);
    for Swapped { row, .. } in all.iter_mut() {
        row.difference = row.value.zip(base_value).map(|(value, base)| value - base);
    }
    let Some(resampling) = resampling else { return };
    let success = frame.labels();
    let samples: Vec<(&[f64], &[bool])> =
        all.iter().map(|swapped| (&swapped.scores[..], &success[..])).collect();
    let drawn = resample_all(metric, &samples, frame, resampling);
    let base_drawn: Option<Vec<f64>> = base.map(|index| drawn[index].clone());
    for (Swapped { row, .. }, drawn) in all.iter_mut().zip(drawn) {
        // A resample may be defined where the data itself is not.
        if row.difference.is_some() {
            let base = base_drawn.iter().flatten();
            row.paired = Interval::of(drawn.iter().zip(base).map(|(a, b)| a - b).collect());
        }
        row.interval = Interval::of(drawn).filter(|_| row.value.is_some());
    }
}
