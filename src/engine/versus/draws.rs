//! The draws of a cell that are repeats of each other: those of one temperature.

use std::collections::BTreeMap;

use crate::engine::Frame;
use crate::metrics::Repeats;
use crate::store::{Manifest, RunColumns};
use crate::text::counted;

/// A run that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CountedRun {
    draw: u32,
    /// Its row in the table `trajectories`.
    row: u32,
    success: Option<bool>,
}

/// Runs that are no repeats of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOutRuns {
    /// How many.
    pub runs: usize,
    /// Whether they are the references, and nothing else is left out.
    pub references: bool,
    /// Their temperature, where all have the same.
    pub temperature: Option<f64>,
}

/// The draws of every task of a cell that have the same temperature. A greedy reference among sampled
/// runs is none of them.
#[derive(Clone, Debug, Default)]
pub struct CellDraws {
    /// The row of the cell in which every task begins.
    pub rows: Vec<u32>,
    /// How often the draws of every task succeeded.
    pub tasks: Vec<Repeats>,
    /// The temperature of the draws; none where it is not recorded.
    pub temperature: Option<f64>,
    /// The runs that have another temperature.
    pub left_out: Option<LeftOutRuns>,
    runs: Vec<CountedRun>,
    ends: Vec<u32>,
}

/// What a run took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Turns.
    Turns,
    /// Tool calls.
    Tools,
    /// The cost of the agent's calls.
    Cost,
    /// Seconds from start to end.
    Duration,
}

impl Effort {
    /// All of them, in the order they are listed.
    pub const ALL: [Self; 4] = [Self::Turns, Self::Tools, Self::Cost, Self::Duration];

    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Tools => "tools",
            Self::Cost => "cost",
            Self::Duration => "duration",
        }
    }

    fn column(self, runs: &RunColumns) -> &[f64] {
        match self {
            Self::Turns => &runs.turns,
            Self::Tools => &runs.tools,
            Self::Cost => &runs.cost,
            Self::Duration => &runs.duration,
        }
    }
}

/// A run of a task: its draw, its row in the table, its outcome.
type Run = (u32, u32, Option<bool>);

impl CellDraws {
    /// The draws of a cell that are repeats: those of the temperature that most runs have, and of equally
    /// many the higher one. Without recorded temperatures a reference that the user named is left out.
    pub fn new(frame: &Frame, runs: &RunColumns, manifest: &Manifest) -> Self {
        let temperature =
            |row: u32| runs.temperature.get(row as usize).copied().unwrap_or(f64::NAN);
        let tasks: Vec<(u32, Vec<Run>)> =
            frame.first_rows().map(|row| (row as u32, runs_of(frame, row))).collect();
        let all = || tasks.iter().flat_map(|(_, runs)| runs);
        let chosen = most_common(all().map(|(_, row, _)| temperature(*row)));
        let is_stated = chosen.is_nan() && states_reference(manifest) && !frame.is_pooled();
        let several = all().any(|(draw, ..)| *draw > 0);
        let counts = |(draw, row, _): &Run| {
            let same = temperature(*row).total_cmp(&chosen).is_eq();
            (same || (chosen.is_nan() && temperature(*row).is_nan()))
                && !(is_stated && several && *draw == 0)
        };
        let mut draws = Self {
            temperature: Some(chosen).filter(|chosen| !chosen.is_nan()),
            left_out: left_out(all().filter(|run| !counts(run)), &temperature),
            ..Self::default()
        };
        for (row, runs) in &tasks {
            let counted = runs.iter().filter(|run| counts(run));
            let start = draws.runs.len();
            let counted = counted.map(|&(draw, row, success)| CountedRun { draw, row, success });
            draws.runs.extend(counted);
            draws.tasks.push(Repeats::of(draws.runs[start..].iter().map(|run| run.success)));
            draws.rows.push(*row);
            draws.ends.push(draws.runs.len() as u32);
        }
        draws
    }

    fn runs(&self, task: usize) -> &[CountedRun] {
        let start = if task == 0 { 0 } else { self.ends[task - 1] as usize };
        &self.runs[start..self.ends[task] as usize]
    }

    /// The mean of what the draws of a task took; NaN where it is not known.
    pub(super) fn effort(&self, task: usize, effort: Effort, runs: &RunColumns) -> f64 {
        let column = effort.column(runs);
        let values = self.runs(task).iter().filter_map(|run| column.get(run.row as usize));
        crate::engine::frame::mean(values.copied())
    }

    /// The first draw of a task that ended so.
    pub(super) fn draw_with(&self, task: usize, outcome: bool) -> Option<u32> {
        let runs = self.runs(task).iter();
        runs.filter(|run| run.success == Some(outcome)).map(|run| run.draw).next()
    }

    /// The first draw of a task.
    pub(super) fn first_draw(&self, task: usize) -> u32 {
        self.runs(task).first().map_or(0, |run| run.draw)
    }

    /// The fewest and the most draws of a task that has any.
    pub fn draw_range(&self) -> Option<(u32, u32)> {
        range(self.tasks.iter())
    }
}

/// Which runs of some cells are left out and why, a sentence each: one for cells that are alike. Every cell
/// comes with the temperature of its draws.
pub fn left_out_notes(
    cells: impl IntoIterator<Item = (String, Option<LeftOutRuns>, Option<f64>)>,
) -> Vec<String> {
    let mut groups: Vec<(LeftOutRuns, Option<f64>, Vec<String>)> = Vec::new();
    for (name, runs, ours) in cells {
        let Some(runs) = runs else { continue };
        let alike = groups.iter_mut().find(|(known, theirs, _)| {
            (known.references, known.temperature, *theirs)
                == (runs.references, runs.temperature, ours)
        });
        match alike {
            Some((_, _, names)) if names.contains(&name) => {}
            Some((known, _, names)) => {
                known.runs += runs.runs;
                names.push(name);
            }
            None => groups.push((runs, ours, vec![name])),
        }
    }
    let note = |(runs, ours, names): (LeftOutRuns, Option<f64>, Vec<String>)| {
        let subject = match &names[..] {
            [only] => only.clone(),
            several => counted(several.len() as u64, "cell"),
        };
        format!("{subject}: {}", runs.words(ours))
    };
    groups.into_iter().map(note).collect()
}

impl LeftOutRuns {
    /// What is left out of draws at a temperature, where that is known.
    pub fn words(self, temperature: Option<f64>) -> String {
        let noun = if self.references { "reference" } else { "run" };
        let who = counted(self.runs as u64, noun);
        let is = if self.runs == 1 { "is" } else { "are" };
        match (self.temperature, temperature) {
            (Some(theirs), Some(ours)) => {
                format!(
                    "{who} at temperature {theirs} {is} left out: the draws compared are at {ours}"
                )
            }
            (None, Some(ours)) => {
                format!("{who} {is} left out: the draws compared are at temperature {ours}")
            }
            (_, None) if self.references => {
                format!("{who} {is} left out: named as the reference of sampled runs")
            }
            (_, None) => format!(
                "{who} {is} left out: only runs without a recorded temperature are compared"
            ),
        }
    }
}

/// The fewest and the most draws of tasks that have any.
pub(super) fn range<'t>(tasks: impl Iterator<Item = &'t Repeats>) -> Option<(u32, u32)> {
    let draws = tasks.map(|task| task.draws).filter(|draws| *draws > 0);
    draws.fold(None, |range, draws| {
        let (least, most) = range.unwrap_or((draws, draws));
        Some((draws.min(least), draws.max(most)))
    })
}

/// Whether the user named the reference of the store.
fn states_reference(manifest: &Manifest) -> bool {
    manifest.reference.as_deref().is_some_and(|named| !matches!(named, "any" | "all"))
}

/// The runs of the task that begins in a row: all draws or, where every draw is a row, those in the cell.
fn runs_of(frame: &Frame, first: usize) -> Vec<Run> {
    let task = &frame.tasks[first];
    let numbers = task.draws_in_order();
    let row_of = |draw: u32| {
        let index = numbers.iter().position(|known| *known == draw);
        index.map(|index| task.row + index as u32)
    };
    if frame.is_pooled() {
        let rows = frame.rows_of(first).map(|row| &frame.tasks[row]);
        return rows.filter_map(|row| Some((row.draw, row_of(row.draw)?, row.success))).collect();
    }
    numbers.iter().filter_map(|&draw| Some((draw, row_of(draw)?, task.outcome(draw)))).collect()
}

/// The number that occurs most often; of equally many the largest. NaN counts as a number.
fn most_common(values: impl Iterator<Item = f64>) -> f64 {
    let mut counts: BTreeMap<u64, (usize, f64)> = BTreeMap::new();
    for value in values {
        let key = if value.is_nan() { u64::MAX } else { value.to_bits() };
        counts.entry(key).or_insert((0, value)).0 += 1;
    }
    let order = |value: f64| if value.is_nan() { f64::NEG_INFINITY } else { value };
    let most = counts
        .into_values()
        .max_by(|a, b| a.0.cmp(&b.0).then_with(|| order(a.1).total_cmp(&order(b.1))));
    most.map_or(f64::NAN, |(_, value)| value)
}

fn left_out<'r>(
    runs: impl Iterator<Item = &'r Run>,
    temperature: &impl Fn(u32) -> f64,
) -> Option<LeftOutRuns> {
    let mut left: Option<LeftOutRuns> = None;
    for (draw, row, _) in runs {
        let theirs = Some(temperature(*row)).filter(|theirs| !theirs.is_nan());
        let known =
            left.get_or_insert(LeftOutRuns { runs: 0, references: true, temperature: theirs });
        known.runs += 1;
        known.references &= *draw == 0;
        known.temperature = known.temperature.filter(|known| Some(*known) == theirs);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_temperature_of_most_runs_counts() {
        assert!((most_common([0.0, 0.7, 0.7].into_iter()) - 0.7).abs() < 1e-12);
        assert!((most_common([0.0, 0.7].into_iter()) - 0.7).abs() < 1e-12, "the higher one");
        assert!(most_common([f64::NAN, f64::NAN, 0.0].into_iter()).is_nan());
        assert!((most_common([f64::NAN, 0.0].into_iter())).abs() < 1e-12);
        assert!(most_common(std::iter::empty()).is_nan());
    }
}
