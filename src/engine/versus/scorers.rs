//! The metric of every scorer in two cells, on the tasks that both have.

use super::{Compared, Plan, Side, VersusOptions, VersusTask};
use crate::engine::Frame;
use crate::engine::grid::{Counts, resample_in};
use crate::metrics::Metric;
use crate::scorers::Scorer;

/// A scorer in both cells.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorerVersus {
    /// The scorer.
    pub scorer: Scorer,
    /// Its metric in both, and the difference.
    pub compared: Compared,
    /// What the value of each cell rests on.
    pub counts: [Counts; 2],
}

/// The scores of one scorer in both cells, NaN where a task has none in one of them.
type Scores = [Vec<f64>; 2];

pub(super) fn compare(
    sides: [Side<'_>; 2],
    tasks: &[VersusTask],
    options: &VersusOptions<'_>,
    plan: &Plan,
) -> Vec<ScorerVersus> {
    if options.scorers.is_empty() || tasks.is_empty() {
        return Vec::new();
    }
    let frames = [0, 1].map(|index| {
        let frame = sides[index].frame;
        let rows = tasks.iter().flat_map(|task| frame.rows_of(task.rows[index] as usize));
        frame.subset(&rows.map(|row| row as u32).collect::<Vec<u32>>())
    });
    let metric = options.metric;
    let known: Vec<(&Scorer, Scores)> = options
        .scorers
        .iter()
        .filter_map(|scorer| Some((scorer, scores(&frames, scorer, metric)?)))
        .collect();
    let labels = [0, 1].map(|index| frames[index].labels());
    let drawn = plan.resampling.map(|resampling| {
        [0, 1].map(|index| {
            let samples: Vec<(&[f64], &[bool])> =
                known.iter().map(|(_, scores)| (&scores[index][..], &labels[index][..])).collect();
            resample_in(plan.stream, metric, &samples, &frames[index], resampling)
        })
    });
    let row = |(index, (scorer, scores)): (usize, &(&Scorer, Scores))| {
        let counts = [0, 1].map(|side| Counts::of(&scores[side], &labels[side], &frames[side]));
        let values = [0, 1].map(|side| metric.value(&scores[side], &labels[side]));
        let can = counts.iter().all(|counts| counts.can_be_resampled());
        let drawn = drawn.as_ref().filter(|_| can);
        let drawn = drawn.map(|drawn| [drawn[0][index].clone(), drawn[1][index].clone()]);
        let compared = Compared::of(values, drawn, counts[0].tasks, plan);
        ScorerVersus { scorer: (*scorer).clone(), compared, counts }
    };
    known.iter().enumerate().map(row).collect()
}

/// The scores of a scorer in two cells of the same tasks; none where a cell has no value.
fn scores(frames: &[Frame; 2], scorer: &Scorer, metric: Metric) -> Option<Scores> {
    let mut scores = [frames[0].sample(scorer, metric)?.0, frames[1].sample(scorer, metric)?.0];
    let has = [0, 1].map(|side| with_score(&frames[side], &scores[side]));
    for (side, frame) in frames.iter().enumerate() {
        let mut task = 0;
        for (row, score) in scores[side].iter_mut().enumerate() {
            task += usize::from(row > 0 && frame.is_first(row));
            if !(has[0][task] && has[1][task]) {
                *score = f64::NAN;
            }
        }
    }
    Some(scores)
}

/// Whether each task has a score.
fn with_score(frame: &Frame, scores: &[f64]) -> Vec<bool> {
    let mut tasks: Vec<bool> = Vec::new();
    for (row, score) in scores.iter().enumerate() {
        match tasks.last_mut().filter(|_| !frame.is_first(row)) {
            Some(has) => *has |= !score.is_nan(),
            None => tasks.push(!score.is_nan()),
        }
    }
    tasks
}
