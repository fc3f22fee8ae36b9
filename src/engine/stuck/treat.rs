//! How consistency scores treat stuck tasks: counted like others, left out, or as failures.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::Scope;
use crate::engine::frame::{Shared, mean};
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

/// One consistency scorer under every treatment of stuck tasks, averaged over cells.
#[derive(Clone, Debug, PartialEq)]
pub struct ScopeEffect {
    /// The scorer.
    pub scorer: Scorer,
    /// The number of stuck tasks with a value.
    pub stuck: usize,
    /// The number of cells that the values are averaged over.
    pub cells: usize,
    /// Its values under every treatment, in the order of [`StuckTreatment::ALL`]; counts are of all cells.
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
        let cells = 0..self.frames.len();
        let effects = cells.flat_map(|cell| {
            let effects = self.scope_effect_in(&[cell], metric, resampling).into_iter();
            effects.map(move |ScopeEffect { scorer, stuck, values, .. }| StuckEffect {
                cell,
                scorer,
                stuck,
                values,
            })
        });
        effects.collect()
    }

    /// Every consistency scorer under every treatment, averaged over the cells of a scope in which all
    /// treatments have a value. Every cell is resampled by itself.
    pub fn scope_effect(
        &self,
        scope: &Scope,
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Vec<ScopeEffect> {
        self.scope_effect_in(&self.cells_of(scope), metric, resampling)
    }

    fn scope_effect_in(
        &self,
        cells: &[usize],
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Vec<ScopeEffect> {
        let scorers: Vec<&Scorer> =
            self.scorers.iter().filter(|scorer| scorer.family().is_consistency()).collect();
        let variants: Vec<[Frame; 3]> = cells
            .iter()
            .map(|&cell| {
                StuckTreatment::ALL.map(|treatment| {
                    let mut frame = self.frames[cell].clone();
                    frame.treat(treatment);
                    frame
                })
            })
            .collect();
        let effect = |scorer: &Scorer| {
            let cells: Vec<CellValues> = variants
                .par_iter()
                .filter_map(|frames| CellValues::new(frames, scorer, metric, resampling))
                .collect();
            let stuck = |cell: &CellValues| cell.counts[0].runs - cell.counts[1].runs;
            let stuck = cells.iter().map(stuck).sum();
            (!cells.is_empty()).then(|| {
                let (count, values) = averaged(&cells);
                ScopeEffect { scorer: scorer.clone(), stuck, cells: count, values }
            })
        };
        scorers.into_par_iter().filter_map(effect).collect()
    }
}

/// One scorer in one cell under every treatment, in the order of [`StuckTreatment::ALL`].
struct CellValues {
    values: [Option<f64>; 3],
    counts: [Counts; 3],
    /// The metric of every resample; NaN where it is not defined.
    drawn: Vec<Vec<f64>>,
}

impl CellValues {
    /// None when the scorer has no value in the cell at all.
    fn new(
        frames: &[Frame; 3],
        scorer: &Scorer,
        metric: Metric,
        resampling: Option<Resampling>,
    ) -> Option<Self> {
        frames[0].values(scorer)?;
        let success = frames[0].labels();
        let scores = frames.each_ref().map(|frame| match frame.values(scorer) {
            Some(values) => frame.labelled(values.for_metric(metric)),
            None => vec![f64::NAN; frame.tasks.len()],
        });
        let samples: Vec<(&[f64], &[bool])> =
            scores.iter().map(|scores| (&scores[..], &success[..])).collect();
        let drawn = resampling.map_or_else(
            || vec![Vec::new(); 3],
            |resampling| resample_all(metric, &samples, &frames[0], resampling),
        );
        Some(Self {
            values: scores.each_ref().map(|scores| metric.value(scores, &success)),
            counts: scores.each_ref().map(|scores| Counts::of(scores, &success, &frames[0])),
            drawn,
        })
    }
}

/// The values under every treatment averaged over cells, and over how many. Cells without a value under
/// some treatment are left out where others have all: the treatments are compared on the same cells.
fn averaged(cells: &[CellValues]) -> (usize, Vec<TreatedValue>) {
    let whole = |cell: &&CellValues| cell.values.iter().all(Option::is_some);
    let compared: Vec<&CellValues> = cells.iter().filter(whole).collect();
    let compared = if compared.is_empty() { cells.iter().collect() } else { compared };
    let value = |treatment: usize| {
        let known: Vec<f64> = compared.iter().filter_map(|cell| cell.values[treatment]).collect();
        (!known.is_empty()).then(|| mean(known.into_iter()))
    };
    let lanes = compared.iter().map(|cell| cell.drawn[0].len()).min().unwrap_or(0);
    let drawn = |of: &dyn Fn(&CellValues, usize) -> f64| -> Vec<f64> {
        (0..lanes).map(|lane| mean(compared.iter().map(|cell| of(cell, lane)))).collect()
    };
    let counted = value(0);
    let values = StuckTreatment::ALL.into_iter().enumerate().map(|(index, treatment)| {
        let value = value(index);
        let difference = value.zip(counted).map(|(value, counted)| value - counted);
        let resamples = drawn(&|cell, lane| cell.drawn[index][lane]);
        let differences = drawn(&|cell, lane| cell.drawn[index][lane] - cell.drawn[0][lane]);
        let counts = compared.iter().map(|cell| cell.counts[index]);
        TreatedValue {
            treatment,
            value,
            interval: value.and_then(|_| Interval::of(resamples)),
            counts: counts.fold(Counts::default(), Counts::plus),
            difference,
            paired: difference.and_then(|_| Interval::of(differences)),
        }
    });
    (compared.len(), values.collect())
}
