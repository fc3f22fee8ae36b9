//! What another judge would make of `ter`.

use rayon::prelude::*;

use super::spec::JudgeSpec;
use super::{Engine, TER};
use crate::engine::frame::{Frame, mean};
use crate::engine::grid::{Counts, resample_all};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::model::{HUMAN, is_human};
use crate::scorers::Scorer;

/// `ter` of one cell under one judge.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeTer {
    /// Place of the cell.
    pub cell: usize,
    /// Whose verdicts.
    pub judge: JudgeSpec,
    /// Pairs with a verdict.
    pub pairs: usize,
    /// Mean over the tasks that have a value.
    pub mean: Option<f64>,
    /// The metric; none where it is not defined.
    pub value: Option<f64>,
    /// Its 95% interval, where it was asked for.
    pub interval: Option<Interval>,
    /// What it rests on.
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
    /// Every judge, one after the other, and with votes also people before each model: what can be
    /// asked for.
    pub fn judge_specs(&self) -> Vec<JudgeSpec> {
        let alone = self.judges.names.iter().cloned().map(JudgeSpec::Judge);
        let voted = self.judges.place(HUMAN).is_some();
        let models = self.judges.names.iter().filter(|own| voted && !is_human(own));
        alone.chain(models.cloned().map(JudgeSpec::HumanElse)).collect()
    }

    /// `ter` under every judge in every cell, and how far it is from the current judge's.
    pub fn judge_ter(&self, metric: Metric, resampling: Option<Resampling>) -> Vec<JudgeTer> {
        let (specs, current) = (self.judge_specs(), self.judge());
        let cells = (0..self.frames.len()).into_par_iter().map(|cell| {
            let frame = &self.frames[cell];
            let success = frame.labels();
            let own = specs.iter().map(|spec| self.swapped(cell, spec, metric, &success));
            let mut own: Vec<Swapped> = own.collect();
            let reference = own.iter().position(|own| Some(&own.row.judge) == current.as_ref());
            compare(&mut own, reference, frame, metric, resampling);
            own.into_iter().map(|own| own.row).collect::<Vec<_>>()
        });
        cells.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    fn swapped(&self, cell: usize, spec: &JudgeSpec, metric: Metric, success: &[bool]) -> Swapped {
        let mut frame = self.frames[cell].clone();
        frame.judge_by(self.judges.chosen(spec));
        let values = frame.values(&Scorer::Ter);
        let known = |own: f64| Some(own).filter(|value| !value.is_nan());
        let average = values.as_ref().and_then(|own| known(mean(own.rank.iter().copied())));
        let judged = frame
            .pair_values(TER)
            .map_or(0, |own| own.iter().flatten().filter(|value| !value.is_nan()).count());
        let scores = match values {
            Some(values) => frame.labelled(values.for_metric(metric)),
            None => vec![f64::NAN; frame.tasks.len()],
        };
        let row = JudgeTer {
            cell,
            judge: spec.clone(),
            pairs: judged,
            mean: average,
            value: metric.value(&scores, success),
            interval: None,
            counts: Counts::of(&scores, success),
            difference: None,
            paired: None,
        };
        Swapped { row, scores }
    }
}

/// Adds intervals, and the differences to the one at the place `reference`.
fn compare(
    all: &mut [Swapped],
    reference: Option<usize>,
    frame: &Frame,
    metric: Metric,
    resampling: Option<Resampling>,
) {
    let base = reference.and_then(|place| all[place].row.value);
    for own in all.iter_mut() {
        own.row.difference = own.row.value.zip(base).map(|(value, base)| value - base);
    }
    let Some(resampling) = resampling else { return };
    let success = frame.labels();
    let samples: Vec<(&[f64], &[bool])> =
        all.iter().map(|own| (&own.scores[..], &success[..])).collect();
    let drawn = resample_all(metric, &samples, frame, resampling);
    let base: Option<Vec<f64>> = reference.map(|place| drawn[place].clone());
    for (own, drawn) in all.iter_mut().zip(drawn) {
        // A resample may be defined where the data itself is not.
        if own.row.difference.is_some() {
            let base = base.iter().flatten();
            own.row.paired = Interval::of(drawn.iter().zip(base).map(|(a, b)| a - b).collect());
        }
        own.row.interval = Interval::of(drawn).filter(|_| own.row.value.is_some());
    }
}
