//! The demo as numbers alone, of any size and in little memory.
//!
//! The first tasks of a cell are those of the paper's number, with the values they have in a store with
//! texts. Further ones vary them: the same actions, outcomes and verdicts, other probabilities and values.

use std::path::Path;

use rayon::prelude::*;

use super::plan::SAMPLES;
use super::write::manifest;
use super::{AHEAD, CellData, DemoOptions, Order, assemble};
use crate::model::{Judgment, PairValue, Score, Trajectory, Turn, TurnScores};
use crate::published::{Figure, figures};
use crate::rng::Rng;
use crate::scorers::whitebox::{self, Spans};
use crate::store::{AnswerLines, Extras, Manifest, StoreError, StoreWriter};

/// Tasks that are in memory at once.
const BATCH: usize = 2048;

/// How far the log-probability of a turn is from that of the run that it varies, as a factor.
const SURER: std::ops::Range<f64> = 0.8..1.25;

/// How far a value between 0 and 1 is from the one that it varies.
const NEAR: std::ops::Range<f64> = -0.03..0.03;

/// How many parts are written.
pub fn parts(options: &DemoOptions) -> usize {
    Order::cells(options).into_iter().map(|(_, tasks)| tasks.div_ceil(BATCH)).sum()
}

/// Writes the store, and calls `progress` after every part.
pub fn write(
    path: &Path,
    options: &DemoOptions,
    progress: &dyn Fn(),
) -> Result<Manifest, StoreError> {
    let figures: Vec<Figure> = figures().collect();
    let mut writer = StoreWriter::create(path)?;
    let mut trajectories = 0;
    for cells in Order::cells(options).chunks(AHEAD) {
        let first_parts: Vec<FirstPart> =
            cells.par_iter().map(|(order, _)| FirstPart::new(*order, &figures)).collect();
        for ((_, tasks), first_part) in cells.iter().zip(first_parts) {
            for start in (0..*tasks).step_by(BATCH) {
                let range = start..(start + BATCH).min(*tasks);
                trajectories += (range.len() * (SAMPLES + 1)) as u64;
                let made: Vec<NumberedTask> =
                    range.into_par_iter().map(|task| first_part.task(task)).collect();
                let mut extras = Extras::default();
                for NumberedTask { runs, scores, pairs, judgments } in made {
                    runs.into_iter().try_for_each(|run| writer.push(run))?;
                    extras.scores.extend(scores);
                    extras.pairs.extend(pairs);
                    extras.judgments.extend(judgments);
                }
                writer.settle(&extras)?;
                progress();
            }
        }
    }
    writer.finish(manifest(trajectories), &Extras::default())
}

/// All numbers of one task.
struct NumberedTask {
    runs: Vec<Trajectory>,
    scores: Vec<Score>,
    pairs: Vec<PairValue>,
    judgments: Vec<Judgment>,
}

/// The tasks of a cell that are as in a store with texts.
struct FirstPart {
    order: Order,
    data: CellData,
    /// The indices of the verdicts of every task.
    verdicts: Vec<Vec<usize>>,
    /// Stored values of a task.
    scores: usize,
}

impl FirstPart {
    fn new(order: Order, figures: &[Figure]) -> Self {
        let mut data = assemble::cell(order, figures);
        data.trajectories.par_iter_mut().for_each(without_texts);
        let mut verdicts = vec![Vec::new(); order.tasks];
        for index in 0..data.judgments.len() {
            verdicts[index / SAMPLES % order.tasks].push(index);
        }
        let scores = data.scores.len() / order.tasks.max(1);
        let data = CellData { answers: AnswerLines::default(), ..data };
        Self { order, data, verdicts, scores }
    }

    /// A task of the cell by its number, which may be beyond the paper's.
    fn task(&self, number: usize) -> NumberedTask {
        let index = number % self.order.tasks;
        let slice = |each: usize| index * each..(index + 1) * each;
        let verdicts = self.verdicts[index].iter().map(|verdict| &self.data.judgments[*verdict]);
        let mut task = NumberedTask {
            runs: self.data.trajectories[slice(SAMPLES + 1)].to_vec(),
            scores: self.data.scores[slice(self.scores)].to_vec(),
            pairs: self.data.pairs[slice(SAMPLES)].to_vec(),
            judgments: verdicts.cloned().collect(),
        };
        if number != index {
            task.vary(&number.to_string(), &mut self.rng(number));
        }
        task
    }

    fn rng(&self, task: usize) -> Rng {
        let part = Order { first: task / self.order.tasks * self.order.full(), ..self.order };
        Rng::new(part.seed(0x0A12), self.order.stream() * 8000 + (task % self.order.tasks) as u64)
    }
}

impl NumberedTask {
    /// Makes it another task like it.
    fn vary(&mut self, name: &str, rng: &mut Rng) {
        let near = |value: &mut f64, rng: &mut Rng| {
            let moved = *value + rng.range(NEAR.start, NEAR.end);
            *value = if *value < 0.0 { moved.min(0.0) } else { moved.clamp(0.0, 1.0) };
        };
        for run in &mut self.runs {
            name.clone_into(&mut run.head.task);
            let turns = run.turns.iter_mut().filter_map(|turn| turn.scores.as_mut());
            turns.for_each(|scores| vary_turn(scores, rng));
            let dear = rng.range(SURER.start, SURER.end);
            let costs = [&mut run.head.cost, &mut run.head.user_cost, &mut run.head.duration];
            costs.into_iter().flatten().for_each(|cost| *cost *= dear);
        }
        for score in &mut self.scores {
            name.clone_into(&mut score.task);
            score.value.as_mut().into_iter().for_each(|value| near(value, rng));
        }
        for pair in &mut self.pairs {
            name.clone_into(&mut pair.task);
            pair.value.as_mut().into_iter().for_each(|value| near(value, rng));
        }
        self.judgments.iter_mut().for_each(|judgment| name.clone_into(&mut judgment.task));
    }
}

/// Makes a turn more or less certain; all its scores follow.
fn vary_turn(scores: &mut TurnScores, rng: &mut Rng) {
    let factor = rng.range(SURER.start, SURER.end);
    scores.sp_log *= factor;
    scores.lnsp = (scores.sp_log / f64::from(scores.tokens.max(1))).exp();
    let certain = |value: f64| (1.0 - (1.0 - value) * factor).clamp(0.0, 1.0);
    (scores.atn, scores.pm) = (scores.atn.map(certain), scores.pm.map(certain));
}

/// Scores the turns of a run, and leaves only its numbers.
fn without_texts(run: &mut Trajectory) {
    whitebox::score_turns(run, Spans::Action);
    for (message, turn) in (0..).zip(&mut run.turns) {
        *turn = Turn { message, scores: turn.scores, ..Turn::default() };
    }
    run.messages = Vec::new();
    run.context = None;
    let head = &mut run.head;
    (head.messages, head.fingerprint, head.final_message) = (0, None, None);
}
