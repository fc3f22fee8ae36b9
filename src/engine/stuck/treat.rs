//! How stuck tasks enter consistency scores: counted like others, left out, or as failures.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::engine::frame::Shared;
use crate::engine::grid::{Counts, resample_all};
use crate::engine::{Engine, Frame};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::scorers::Scorer;

/// How stuck tasks enter the values of consistency scorers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StuckTreatment {
    /// Like any other task.
    #[default]
    Counted,
    /// Without a value, so that n shrinks.
    Dropped,
    /// With the value 0, the least confident.
    AsFailures,
}

impl StuckTreatment {
    /// All treatments, in the order they are listed.
    pub const ALL: [Self; 3] = [Self::Counted, Self::Dropped, Self::AsFailures];

    /// The id that `--stuck` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Dropped => "dropped",
            Self::AsFailures => "as-failures",
        }
    }

    /// The treatment in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Counted => "counted like others",
            Self::Dropped => "dropped",
            Self::AsFailures => "scored as failures",
        }
    }

    /// The treatment of that id.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|treatment| treatment.id() == id)
    }
}

/// The stuck tasks of a cell, where they are not counted like others.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Treated {
    treatment: StuckTreatment,
    is_stuck: Shared<bool>,
}

impl Frame {
    pub(in crate::engine) fn treatment(&self) -> StuckTreatment {
        self.stuck.as_ref().map_or(StuckTreatment::Counted, |treated| treated.treatment)
    }

    /// Sets the treatment, and finds the stuck tasks where it needs them.
    pub(in crate::engine) fn treat(&mut self, treatment: StuckTreatment) {
        self.stuck = (treatment != StuckTreatment::Counted).then(|| {
            let is_stuck = (0..self.tasks.len()).map(|task| self.is_stuck(task));
            Treated { treatment, is_stuck: Arc::new(is_stuck.collect()) }
        });
    }

    /// The values of a consistency scorer for some tasks, after the treatment of stuck ones.
    pub(in crate::engine) fn treated(&self, mut values: Vec<f64>, tasks: Range<usize>) -> Vec<f64> {
        let Some(treated) = &self.stuck else { return values };
        let changed = if treated.treatment == StuckTreatment::Dropped { f64::NAN } else { 0.0 };
        let stuck = values.iter_mut().zip(&treated.is_stuck[tasks]).filter(|(_, stuck)| **stuck);
        stuck.filter(|(value, _)| !value.is_nan()).for_each(|(value, _)| *value = changed);
        values
    }
}

/// A scorer of one cell under one treatment.
#[derive(Clone, Debug, PartialEq)]
pub struct TreatedValue {
    /// The treatment.
    pub treatment: StuckTreatment,
    /// The metric; none where it is not defined.
    pub value: Option<f64>,
    /// Its 95% interval, where it was asked for.
    pub interval: Option<Interval>,
    /// The tasks behind the value.
    pub counts: Counts,
    /// The value minus that with stuck tasks counted.
    pub difference: Option<f64>,
    /// The interval of the difference, both resampled together.
    pub paired: Option<Interval>,
}

/// One consistency scorer of one cell under every treatment of stuck tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct StuckEffect {
    /// The index of the cell.
    pub cell: usize,
    /// The scorer.
    pub scorer: Scorer,
    /// The number of stuck tasks with a value.
    pub stuck: usize,
    /// Its values under every treatment, in the order of [`StuckTreatment::ALL`].
    pub values: Vec<TreatedValue>,
}

impl Engine {
    /// How stuck tasks enter the values of consistency scorers.
    pub fn stuck_treatment(&self) -> StuckTreatment {
        self.frames.first().map_or(StuckTreatment::Counted, Frame::treatment)
    }

    /// The same engine under another treatment of stuck tasks, which every number of a consistency
    /// scorer follows. Nothing is read, and the columns are shared.
    #[must_use]
    pub fn with_stuck(&self, treatment: StuckTreatment) -> Self {
        let mut engine = self.clone();
        engine.frames.par_iter_mut().for_each(|frame| frame.treat(treatment));
        engine
    }

    /// Every consistency scorer in every cell under every treatment.
    pub fn stuck_effect(&self, metric: Metric, resampling: Option<Resampling>) -> Vec<StuckEffect> {
        self.stuck_effect_in(0..self.frames.len(), metric, resampling)
    }

    /// The same in some cells.
    pub fn stuck_effect_in(
        &self,
        cells: Range<usize>,
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Vec<StuckEffect> {
        let scorers: Vec<&Scorer> =
            self.scorers.iter().filter(|scorer| scorer.family().is_consistency()).collect();
        let variants = StuckTreatment::ALL.map(|treatment| self.with_stuck(treatment));
        let rows: Vec<(usize, &Scorer)> =
            cells.flat_map(|cell| scorers.iter().map(move |scorer| (cell, *scorer))).collect();
        let effect = |(cell, scorer): (usize, &Scorer)| {
            let frames = variants.each_ref().map(|variant| &variant.frames[cell]);
            let values = treated_values(frames, scorer, metric, resampling)?;
            let n = |treatment: usize| values[treatment].counts.tasks;
            let stuck = n(0) - n(1);
            Some(StuckEffect { cell, scorer: scorer.clone(), stuck, values })
        };
        rows.into_par_iter().filter_map(effect).collect()
    }
}

/// The metric under every treatment; none when the scorer has no value in the cell at all.
fn treated_values(
    frames: [&Frame; 3],
    scorer: &Scorer,
    metric: Metric,
    resampling: Option<Resampling>,
) -> Option<Vec<TreatedValue>> {
    frames[0].values(scorer)?;
    let success = frames[0].labels();
    let scores = frames.map(|frame| match frame.values(scorer) {
        Some(values) => frame.labelled(values.for_metric(metric)),
        None => vec![f64::NAN; frame.tasks.len()],
    });
    let samples: Vec<(&[f64], &[bool])> =
        scores.iter().map(|scores| (&scores[..], &success[..])).collect();
    let drawn = resampling.map(|resampling| resample_all(metric, &samples, frames[0], resampling));
    let drawn = drawn.unwrap_or_else(|| vec![Vec::new(); frames.len()]);
    let counted = metric.value(&scores[0], &success);
    let values = StuckTreatment::ALL.into_iter().zip(&scores).zip(&drawn);
    let values = values.map(|((treatment, scores), resamples)| {
        let value = metric.value(scores, &success);
        let difference = value.zip(counted).map(|(value, counted)| value - counted);
        let differences =
            || resamples.iter().zip(&drawn[0]).map(|(value, counted)| value - counted).collect();
        TreatedValue {
            treatment,
            value,
            interval: value.and_then(|_| Interval::of(resamples.clone())),
            counts: Counts::of(scores, &success),
            difference,
            paired: difference.and_then(|_| Interval::of(differences())),
        }
    });
    Some(values.collect())
}
