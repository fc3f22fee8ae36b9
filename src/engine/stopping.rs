//! Early stopping, simulated on recorded runs: a run is stopped, or a person asked, at the first turn
//! after which its score so far is below a threshold.

mod intervals;

use super::pool::Pool;
use super::signal::ScoredTurns;
use super::{Counts, Engine, TaskId};
use crate::metrics::TIE;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::running;
use crate::scorers::whitebox::Base;

pub use intervals::StopIntervals;

/// Early stopping by one scorer over some cells, at all thresholds.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopping {
    /// The cells, by index.
    cells: Vec<usize>,
    /// Whether thresholds are natural logs of confidences.
    pub is_log: bool,
    /// The runs and tasks that count: those with a label and a score.
    pub counts: Counts,
    /// What the runs took without stopping.
    pub whole: RunTotals,
    /// What stopping does, by ascending threshold. A point holds for all thresholds up to its own that
    /// are above the one before.
    pub points: Vec<StopPoint>,
    /// The runs, by row of the cells together.
    runs: Vec<Option<Run>>,
    /// The turns after which a run's score is lower than ever before, by ascending score.
    lows: Vec<Low>,
}

/// What some runs took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunTotals {
    /// Failed runs.
    pub failures: usize,
    /// Successful runs.
    pub successes: usize,
    /// Turns of all runs.
    pub turns: u64,
    /// The cost of the runs that have one.
    pub cost: f64,
    /// The number of runs that have one.
    pub with_cost: usize,
}

/// What stopping does at a threshold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StopPoint {
    /// The threshold, as the scorer ranks: a run is stopped when its score is below.
    pub threshold: f64,
    /// Failed runs that are stopped.
    pub failures: usize,
    /// Successful runs that are stopped.
    pub successes: usize,
    /// Turns after the stops.
    pub turns: u64,
    /// Those of failed runs among them.
    pub turns_of_failures: u64,
    /// What these turns cost: the share of a run's cost that its turns after the stop are of its turns.
    pub cost: f64,
}

impl StopPoint {
    /// The number of runs that are stopped.
    pub fn stopped(&self) -> usize {
        self.failures + self.successes
    }
}

/// A run that is stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppedRun {
    /// The task.
    pub id: TaskId,
    /// The draw that counts.
    pub draw: u32,
    /// The turn after which it is stopped, from 0.
    pub turn: u32,
    /// The number of its turns.
    pub turns: u32,
    /// Whether it would have succeeded.
    pub success: bool,
    /// Its score at the stop, as the scorer ranks.
    pub score: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    id: TaskId,
    draw: u32,
    turns: u32,
    success: bool,
    cost: Option<f64>,
}

impl Run {
    /// The cost of the turns after one.
    fn cost_after(&self, turn: u32) -> f64 {
        let saved = f64::from(self.turns - turn - 1) / f64::from(self.turns);
        self.cost.map_or(0.0, |cost| cost * saved)
    }
}

/// A turn after which a run's score is lower than ever before.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Low {
    score: f64,
    row: u32,
    turn: u32,
}

impl Engine {
    /// Early stopping by a base score under an aggregator, over some cells together; none where no run
    /// has a label and a score.
    pub fn stopping(&self, cells: &[usize], base: Base, rule: Aggregator) -> Option<Stopping> {
        let pool = Pool::new(self, cells);
        let (mut runs, mut lows) = (vec![None; pool.rows()], Vec::new());
        let mut last = vec![f64::NAN; pool.rows()];
        for found in pool.each() {
            let Some(turns) = ScoredTurns::of(found.frame, found.task, base) else { continue };
            let (row, task) = (found.index, &found.frame.tasks[found.task]);
            runs[row] = Some(Run {
                id: found.id(cells),
                draw: task.draw,
                turns: turns.all,
                success: pool.success[row],
                cost: task.cost,
            });
            let mut least = f64::INFINITY;
            let scores = running(base, rule, &turns.values);
            for (score, turn) in scores.into_iter().zip(turns.numbers) {
                last[row] = score;
                if score < least {
                    least = score;
                    lows.push(Low { score, row: row as u32, turn });
                }
            }
        }
        lows.sort_by(|a, b| a.score.total_cmp(&b.score));
        let counts = pool.counts(&last);
        let whole = totals(&runs);
        let is_log = base.ranks_by_log_under(rule);
        let points = points(&runs, &lows);
        let cells = cells.to_vec();
        (counts.runs > 0).then_some(Stopping { cells, is_log, counts, whole, points, runs, lows })
    }
}

fn totals(runs: &[Option<Run>]) -> RunTotals {
    let mut whole = RunTotals::default();
    for run in runs.iter().flatten() {
        let count = if run.success { &mut whole.successes } else { &mut whole.failures };
        *count += 1;
        whole.turns += u64::from(run.turns);
        whole.cost += run.cost.unwrap_or(0.0);
        whole.with_cost += usize::from(run.cost.is_some());
    }
    whole
}

/// What stopping does as the threshold rises. Every low is passed once: the first that is passed stops
/// its run, and each further one of the same run stops it at an earlier turn.
fn points(runs: &[Option<Run>], lows: &[Low]) -> Vec<StopPoint> {
    let Some(first) = lows.first() else { return Vec::new() };
    let mut point = StopPoint { threshold: first.score, ..StopPoint::default() };
    let mut points = vec![point];
    let mut stopped: Vec<Option<u32>> = vec![None; runs.len()];
    for (index, low) in lows.iter().enumerate() {
        let Some(run) = &runs[low.row as usize] else { continue };
        let before = stopped[low.row as usize].replace(low.turn);
        let saved = before.map_or(run.turns - 1, |turn| turn) - low.turn;
        point.turns += u64::from(saved);
        if before.is_none() {
            let count = if run.success { &mut point.successes } else { &mut point.failures };
            *count += 1;
        }
        if !run.success {
            point.turns_of_failures += u64::from(saved);
        }
        point.cost += run.cost_after(low.turn) - before.map_or(0.0, |turn| run.cost_after(turn));
        // Tied scores are passed together.
        let next = lows.get(index + 1).map(|next| next.score);
        if next.is_none_or(|next| next - low.score >= TIE) {
            // Above all scores the threshold is beyond a tie with the highest.
            point.threshold = next.unwrap_or(low.score + 2.0 * TIE);
            points.push(point);
        }
    }
    points
}

impl Stopping {
    /// What stopping does at a threshold, as the scorer ranks.
    pub fn at(&self, threshold: f64) -> StopPoint {
        let index = self.points.partition_point(|point| point.threshold < threshold);
        let point = self.points.get(index).or(self.points.last()).copied().unwrap_or_default();
        StopPoint { threshold, ..point }
    }

    /// A threshold as a confidence.
    pub fn confidence(&self, threshold: f64) -> f64 {
        if self.is_log { threshold.exp() } else { threshold }
    }

    /// The points that stop 0, 1, … of so many equal shares of the runs, or as many as come next below,
    /// and the first and the last that stop all.
    pub fn levels(&self, shares: usize) -> Vec<StopPoint> {
        let runs = self.counts.runs;
        let level = |share: usize| {
            let fits = |point: &StopPoint| point.stopped() * shares <= share * runs;
            let end = self.points.partition_point(fits);
            self.points[..end].last().copied()
        };
        let mut levels: Vec<StopPoint> = (0..=shares).filter_map(level).collect();
        // Once every run is stopped, a higher threshold only stops them earlier.
        let all = self.points.partition_point(|point| point.stopped() < runs);
        levels.extend(self.points.get(all));
        levels.sort_by(|a, b| a.threshold.total_cmp(&b.threshold));
        levels.dedup();
        levels
    }

    /// The first turn of every row after which its score is below a threshold.
    fn first_below(&self, threshold: f64) -> Vec<Option<&Low>> {
        let mut first = vec![None; self.runs.len()];
        // By ascending score, so that the last one of a run is its first turn below.
        for low in self.lows.iter().take_while(|low| low.score < threshold) {
            first[low.row as usize] = Some(low);
        }
        first
    }

    /// The runs that a threshold stops, the lowest scores first.
    pub fn stopped(&self, threshold: f64) -> Vec<StoppedRun> {
        let first = self.first_below(threshold);
        let stops = first.into_iter().zip(&self.runs).filter_map(|(low, run)| {
            let (low, run) = (low?, run.as_ref()?);
            Some(StoppedRun {
                id: run.id,
                draw: run.draw,
                turn: low.turn,
                turns: run.turns,
                success: run.success,
                score: low.score,
            })
        });
        let mut stops: Vec<StoppedRun> = stops.collect();
        stops.sort_by(|a, b| a.score.total_cmp(&b.score));
        stops
    }
}
