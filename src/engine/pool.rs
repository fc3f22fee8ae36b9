//! The rows of some cells together, each task with its cell.

mod draws;

use super::frame::name_stream;
use super::{Counts, Engine, Frame, Scale};
use crate::metrics::bootstrap::Resampling;
use crate::metrics::folds::{self, NO_FOLD, Stratum};
use crate::scorers::Scorer;

pub(super) use draws::PoolRow;

/// Up to this many rows, as many resamples as are asked for; beyond it fewer, so that the work stays about
/// the same.
const MANY_ROWS: usize = 100_000;

/// The fewest resamples of many rows.
const FEWEST: usize = 50;

/// The rows of some cells. Resamples are those of each cell, so that every cell keeps its number of tasks.
pub(super) struct Pool<'e> {
    frames: Vec<&'e Frame>,
    /// Whether each row succeeded; false without a label.
    pub(super) success: Vec<bool>,
}

/// The values of a scorer for the rows of a pool.
pub(super) struct PoolValues {
    /// The numbers that rows are ranked by; NaN where score or label is absent.
    pub(super) rank: Vec<f64>,
    pub(super) scale: Scale,
    /// The fold of every row, where the scorer was cross-fitted; those of two cells differ.
    pub(super) folds: Option<Vec<u16>>,
}

impl PoolValues {
    /// The values as the scorer gives them.
    pub(super) fn confidences(&self) -> Vec<f64> {
        self.rank.iter().map(|rank| self.scale.confidence(*rank)).collect()
    }
}

impl<'e> Pool<'e> {
    pub(super) fn new(engine: &'e Engine, cells: &[usize]) -> Self {
        let frames: Vec<&Frame> = cells.iter().map(|cell| &engine.frames[*cell]).collect();
        let success = frames.iter().flat_map(|frame| frame.labels()).collect();
        Self { frames, success }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.success.len()
    }

    /// The values of a scorer; none when no row has one.
    pub(super) fn values(&self, scorer: &Scorer) -> Option<PoolValues> {
        let mut all = PoolValues { rank: Vec::new(), scale: Scale::default(), folds: None };
        let (mut any, mut first_fold) = (false, 0);
        for frame in &self.frames {
            let before = all.rank.len();
            let Some(values) = frame.values(scorer) else {
                all.rank.resize(before + frame.tasks.len(), f64::NAN);
                continue;
            };
            (any, all.scale) = (true, values.scale());
            if let Some(folds) = &values.folds {
                let known = all.folds.get_or_insert_default();
                known.resize(before, NO_FOLD);
                let moved = |fold: &u16| if *fold == NO_FOLD { *fold } else { fold + first_fold };
                known.extend(folds.iter().map(moved));
                first_fold += folds::count(folds) as u16;
            }
            all.rank.extend(frame.labelled(values.rank));
        }
        if let Some(folds) = &mut all.folds {
            folds.resize(all.rank.len(), NO_FOLD);
        }
        any.then_some(all)
    }

    /// The runs and tasks with a score.
    pub(super) fn counts(&self, scores: &[f64]) -> Counts {
        let mut start = 0;
        let counts = self.frames.iter().map(|frame| {
            let rows = start..start + frame.tasks.len();
            start = rows.end;
            Counts::of(&scores[rows.clone()], &self.success[rows], frame)
        });
        counts.reduce(Counts::plus).unwrap_or_default()
    }

    /// The resamples of a pool of this size: as many as are asked for, or fewer of many rows.
    pub(super) fn affordable(&self, resampling: Resampling) -> Resampling {
        let most = (MANY_ROWS * Resampling::default().resamples / self.rows().max(1)).max(FEWEST);
        let is_large = self.rows() > MANY_ROWS;
        let resamples =
            if is_large { resampling.resamples.min(most) } else { resampling.resamples };
        Resampling { resamples, ..resampling }
    }

    /// How often every row was drawn in one resample.
    pub(super) fn draw(&self, resample: usize, seed: u64) -> Vec<u16> {
        let mut drawn = Vec::with_capacity(self.rows());
        for frame in &self.frames {
            drawn.extend(frame.weights(resample..resample + 1, seed).lane(0));
        }
        drawn
    }

    /// Folds over whole tasks, alike in outcomes, of the rows that are wanted; none where an outcome has
    /// too few tasks.
    pub(super) fn folds(&self, is_wanted: impl Fn(usize) -> bool, seed: u64) -> Option<Vec<u16>> {
        let (mut strata, mut task_of) = (Vec::new(), vec![None; self.rows()]);
        let mut start = 0;
        for frame in &self.frames {
            for first in frame.first_rows() {
                let rows = frame.rows_of(first);
                let wanted: Vec<usize> = rows.filter(|row| is_wanted(start + row)).collect();
                let outcomes = wanted.iter().map(|row| frame.tasks[*row].success);
                strata.push((!wanted.is_empty()).then(|| Stratum::of(outcomes)));
                wanted.iter().for_each(|row| task_of[start + row] = Some(strata.len() - 1));
            }
            start += frame.tasks.len();
        }
        let folds = folds::stratified(&strata, seed, name_stream(&["folds"]))?;
        Some(task_of.into_iter().map(|task| task.map_or(NO_FOLD, |task| folds[task])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::fit::tests::task;
    use crate::metrics::bootstrap::Interval;
    use crate::metrics::{Metric, auroc};
    use crate::model::Cell;

    fn frame(model: &str, tasks: usize) -> Frame {
        let list = (0..tasks).map(|id| task(id, Some(id % 3 == 0))).collect();
        let mut frame = Frame::new(Cell::new("d", model), list, (0..tasks).map(|_| Vec::new()));
        let scores = (0..tasks).map(|id| ((id * 7) % 11) as f64).collect();
        frame.stored.insert("a".to_owned(), std::sync::Arc::new(scores));
        frame
    }

    #[test]
    fn resamples_are_those_of_the_grid_and_of_each_cell() {
        let mut twice = frame("two", 12);
        // Two draws of each task are rows.
        std::sync::Arc::make_mut(&mut twice.tasks).iter_mut().enumerate().for_each(
            |(row, task)| {
                task.id = (row / 2).to_string();
            },
        );
        twice.pool();
        let engine = Engine::from_frames(vec![frame("one", 20), twice]);
        let (scorer, resampling) =
            (Scorer::Stored("a".to_owned()), Resampling { resamples: 50, seed: 4 });
        let alone = |cell: usize, resample| Pool::new(&engine, &[cell]).draw(resample, 4);
        for resample in [0, 7, 49] {
            let both = Pool::new(&engine, &[0, 1]).draw(resample, 4);
            assert_eq!(both, [alone(0, resample), alone(1, resample)].concat());
            let rows = alone(1, resample);
            assert!(rows.chunks(2).all(|task| task[0] == task[1]), "whole tasks are drawn");
        }
        let grid = engine.grid_of(std::slice::from_ref(&scorer), Metric::Auroc, Some(resampling));
        for value in grid {
            let frame = &engine.frames[value.cell];
            let (scores, success) = frame.sample(&scorer, Metric::Auroc).expect("values");
            let of_resample = |resample| {
                let drawn = alone(value.cell, resample).into_iter().enumerate();
                let rows = drawn.flat_map(|(row, n)| std::iter::repeat_n(row, usize::from(n)));
                let (scores, success): (Vec<f64>, Vec<bool>) =
                    rows.map(|row| (scores[row], success[row])).unzip();
                auroc(&scores, &success).unwrap_or(f64::NAN)
            };
            let ends = Interval::of((0..50).map(of_resample).collect()).expect("values");
            let same = value.interval.expect("resampled");
            assert!((ends.lo - same.lo).abs() < 1e-12 && (ends.hi - same.hi).abs() < 1e-12);
        }
    }

    #[test]
    fn many_rows_have_fewer_resamples() {
        let engine = Engine::from_frames(vec![frame("one", 20)]);
        let pool = Pool { frames: vec![&engine.frames[0]], success: vec![true; 1_000_000] };
        let drawn = |pool: &Pool<'_>, resamples| {
            pool.affordable(Resampling { resamples, seed: 0 }).resamples
        };
        assert_eq!((drawn(&pool, 1000), drawn(&pool, 60)), (100, 60));
        assert_eq!(drawn(&Pool::new(&engine, &[0]), 1000), 1000);
    }
}
