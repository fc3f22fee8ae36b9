//! Two cells compared on the tasks that they share: success, noise, pass@k, scorers and effort, and the
//! tasks that changed. Both cells are resampled with the same tasks.

mod draws;
mod gate;
mod noise;
mod pairs;
mod passk;
mod scorers;
mod verdict;

use std::collections::HashMap;

use super::frame::{mean, name_stream};
use super::{Engine, Frame};
use crate::metrics::bootstrap::{Interval, Resampling, resampled_means};
use crate::metrics::paired::{McNemar, Permutation, permutation};
use crate::metrics::power::{PairedVariance, repeat_deviation};
use crate::metrics::{Metric, Repeats};
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::store::RunColumns;
use crate::text::counted;

pub use draws::{CellDraws, Effort, LeftOutRuns, left_out_notes};
pub use gate::{Decision, Gauge};
pub use noise::{Noise, pass_of_cell};
pub use pairs::{CellPairs, pair_cells};
pub use passk::{Pass, PassRow};
pub use scorers::ScorerVersus;
pub use verdict::{Standing, in_points};

/// One of two cells that are compared.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The cell.
    pub frame: &'a Frame,
    /// What the runs of its store took.
    pub runs: &'a RunColumns,
    /// Its draws of one temperature.
    pub draws: &'a CellDraws,
}

/// How two cells are compared.
#[derive(Clone, Copy, Debug)]
pub struct VersusOptions<'a> {
    /// The scorers to compare.
    pub scorers: &'a [Scorer],
    /// Their metric.
    pub metric: Metric,
    /// How intervals are drawn; none for no intervals.
    pub resampling: Option<Resampling>,
    /// The confidence of the intervals.
    pub confidence: f64,
}

/// A number in both cells and its difference, on the tasks that have it in both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Compared {
    /// The value in the first and in the second cell.
    pub values: [Option<f64>; 2],
    /// Their intervals.
    pub intervals: [Option<Interval>; 2],
    /// Second minus first.
    pub difference: Option<f64>,
    /// The interval of the difference, both cells resampled with the same tasks.
    pub interval: Option<Interval>,
    /// The tasks behind it.
    pub tasks: usize,
}

/// What became of a task from the first cell to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// Most draws of the second cell solve it, and most of the first do not.
    Fixed,
    /// Most draws of the first cell solve it, and most of the second do not.
    Broken,
    /// Otherwise solved by some draws only, in one of the cells.
    Shaky,
    /// All draws of both solve it.
    Solved,
    /// No draw of either solves it.
    Failed,
}

impl Change {
    /// Those that are listed, in their order.
    pub const LISTED: [Self; 3] = [Self::Fixed, Self::Broken, Self::Shaky];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Broken => "broken",
            Self::Shaky => "shaky",
            Self::Solved => "solved by both",
            Self::Failed => "solved by neither",
        }
    }

    /// What became of a task; none where a cell has no draw of it with a known outcome.
    pub fn of([first, second]: [Repeats; 2]) -> Option<Self> {
        let (before, after) = (first.rate()?, second.rate()?);
        Some(match (before, after) {
            _ if before < 0.5 && after > 0.5 => Self::Fixed,
            _ if before > 0.5 && after < 0.5 => Self::Broken,
            _ if first.is_mixed() || second.is_mixed() => Self::Shaky,
            _ if after > 0.5 => Self::Solved,
            _ => Self::Failed,
        })
    }
}

/// A task of both cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VersusTask {
    /// The row in which the task begins, in the first and in the second cell.
    pub rows: [u32; 2],
    /// How often its draws succeed in both.
    pub repeats: [Repeats; 2],
    /// What became of it; none where outcomes are not known.
    pub change: Option<Change>,
    /// A draw of each cell that shows what became of it: where they can, the two end differently.
    pub draws: [u32; 2],
}

/// The tests of the difference in success.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tests {
    /// References that only one of the cells solves; none where no task has a labelled reference in both.
    pub mcnemar: Option<McNemar>,
    /// The permutation test of the tasks' shares of solved draws.
    pub permutation: Option<Permutation>,
}

/// A store of which cells are compared.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The store in memory.
    pub engine: &'a Engine,
    /// What its runs took.
    pub runs: &'a RunColumns,
}

impl Source<'_> {
    /// The draws of a cell that are repeats of each other.
    pub fn draws(self, cell: usize) -> CellDraws {
        CellDraws::new(&self.engine.frames()[cell], self.runs, self.engine.manifest())
    }

    /// Its cells.
    pub fn cells(self) -> Vec<Cell> {
        self.engine.frames().iter().map(|frame| frame.cell.clone()).collect()
    }
}

/// Two cells of one store or of two, compared.
#[derive(Clone, Debug)]
pub struct CellVersus {
    /// The first cell, which is the baseline, and the second.
    pub cells: [Cell; 2],
    /// The numbers.
    pub versus: Versus,
}

impl CellVersus {
    /// Compares a cell of one store with a cell of another, which may be the same.
    pub fn new(sources: [Source<'_>; 2], pair: [usize; 2], options: &VersusOptions<'_>) -> Self {
        let draws = [0, 1].map(|side| sources[side].draws(pair[side]));
        let sides = [0, 1].map(|side| Side {
            frame: &sources[side].engine.frames()[pair[side]],
            runs: sources[side].runs,
            draws: &draws[side],
        });
        let cells = sides.map(|side| side.frame.cell.clone());
        Self { cells, versus: Versus::new(sides, options) }
    }

    /// What a reader of some numbers must know, a sentence each: which runs are left out, and which tasks
    /// are in one cell only.
    pub fn notes(all: &[Self]) -> Vec<String> {
        let sides = all.iter().flat_map(|one| {
            let Versus { left_out, temperatures, .. } = &one.versus;
            [0, 1].map(|side| (one.cells[side].to_string(), left_out[side], temperatures[side]))
        });
        let mut notes = left_out_notes(sides);
        notes.extend(all.iter().flat_map(Self::task_notes));
        notes
    }

    /// Which tasks are in one cell only, or have no known outcome.
    fn task_notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (cell, only) in self.cells.iter().zip(self.versus.only) {
            if only > 0 {
                let tasks = counted(only as u64, "task");
                notes.push(format!("{cell}: {tasks} of it {} not in the other", is_or_are(only)));
            }
        }
        let Versus { tasks, resamples, .. } = &self.versus;
        if tasks.len() > Resampling::MANY_TASKS && *resamples > 0 {
            let (tasks, cell) = (counted(tasks.len() as u64, "task"), &self.cells[1]);
            notes.push(format!("{cell}: intervals of {tasks} are from {resamples} resamples"));
        }
        let few = verdict::few_tasks(self.versus.labelled());
        notes.extend(few.map(|words| format!("{}: {words}", self.cells[1])));
        let unlabelled = self.versus.tasks.len() - self.versus.labelled();
        if unlabelled > 0 && self.versus.labelled() > 0 {
            let tasks = counted(unlabelled as u64, "shared task");
            notes.push(format!("{tasks} {} no known outcome in one cell", has_or_have(unlabelled)));
        }
        notes
    }
}

fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn has_or_have(count: usize) -> &'static str {
    if count == 1 { "has" } else { "have" }
}

/// Two cells compared.
#[derive(Clone, Debug, Default)]
pub struct Versus {
    /// The tasks that both have.
    pub tasks: Vec<VersusTask>,
    /// Tasks that only the first and only the second cell has.
    pub only: [usize; 2],
    /// The temperature of the draws of both cells, where it is recorded.
    pub temperatures: [Option<f64>; 2],
    /// Which runs of both cells are left out.
    pub left_out: [Option<LeftOutRuns>; 2],
    /// The mean share of draws that succeed.
    pub success: Compared,
    /// The share of references that succeed.
    pub references: Compared,
    /// Tests of the difference.
    pub tests: Tests,
    /// The noise floor of both cells, on the tasks they share.
    pub noise: [Option<Noise>; 2],
    /// The standard deviation of the difference in success that draws alone make.
    pub deviation: Option<f64>,
    /// What the difference varies by; none with fewer than two tasks.
    pub variance: Option<PairedVariance>,
    /// pass@k and pass^k for every k that the draws allow.
    pub passes: Vec<(u32, [Compared; 2])>,
    /// What runs took.
    pub efforts: Vec<(Effort, Compared)>,
    /// The scorers under the metric.
    pub scorers: Vec<ScorerVersus>,
    /// The resamples of every interval.
    pub resamples: usize,
}

impl Versus {
    /// Compares two cells on the tasks of equal id.
    pub fn new(sides: [Side<'_>; 2], options: &VersusOptions<'_>) -> Self {
        let shared = shared(sides);
        let tasks: Vec<VersusTask> = shared.iter().map(|pair| task(sides, *pair)).collect();
        let resampling = options.resampling.map(|resampling| resampling.at_scale(tasks.len()));
        let plan = Plan { resampling, confidence: options.confidence, stream: stream(sides) };
        let repeats: Vec<[Repeats; 2]> = tasks.iter().map(|task| task.repeats).collect();
        let labelled: Vec<[Repeats; 2]> =
            repeats.iter().copied().filter(|task| Change::of(*task).is_some()).collect();
        let side = |index: usize| repeats.iter().map(|task| task[index]).collect::<Vec<Repeats>>();
        let means = Means::of(sides, &shared, &repeats);
        let mut compared = means.compare(tasks.len(), &plan).into_iter();
        let mut next = || compared.next().unwrap_or_default();
        let (success, references) = (next(), next());
        let efforts = Effort::ALL.map(|effort| (effort, next()));
        let passes = (1..=means.most).map(|k| (k, [next(), next()])).collect();
        Self {
            only: [0, 1].map(|index| sides[index].draws.rows.len() - tasks.len()),
            temperatures: sides.map(|side| side.draws.temperature),
            left_out: sides.map(|side| side.draws.left_out),
            success,
            references,
            tests: tests(sides, &tasks, resampling),
            noise: [0, 1].map(|index| Noise::of(&side(index), plan.stream, resampling)),
            deviation: repeat_deviation(&labelled),
            variance: PairedVariance::of(&labelled),
            passes,
            efforts: efforts.into_iter().filter(|(_, value)| value.tasks > 0).collect(),
            scorers: scorers::compare(sides, &tasks, options, &plan),
            resamples: resampling.map_or(0, |resampling| resampling.resamples),
            tasks,
        }
    }

    /// The tasks that a change happened to, those that changed most first.
    pub fn changed(&self, change: Change) -> Vec<&VersusTask> {
        let mut tasks: Vec<&VersusTask> =
            self.tasks.iter().filter(|task| task.change == Some(change)).collect();
        let moved = |task: &VersusTask| {
            let [before, after] = task.repeats.map(|side| side.rate().unwrap_or(f64::NAN));
            (after - before).abs()
        };
        tasks.sort_by(|a, b| moved(b).total_cmp(&moved(a)));
        tasks
    }

    /// Shared tasks with a known outcome in both cells.
    pub fn labelled(&self) -> usize {
        self.success.tasks
    }

    /// The usual number of draws of a shared task: the most common one, of both cells the smaller.
    pub fn usual_draws(&self) -> u32 {
        let usual = |side: usize| {
            let mut counts: HashMap<u32, usize> = HashMap::new();
            for task in self.tasks.iter().filter(|task| task.repeats[side].draws > 0) {
                *counts.entry(task.repeats[side].draws).or_default() += 1;
            }
            counts.into_iter().max_by_key(|(draws, count)| (*count, *draws)).map(|(draws, _)| draws)
        };
        usual(0).zip(usual(1)).map_or(0, |(first, second)| first.min(second))
    }

    /// The smallest difference in success that as many tasks and draws as there are show.
    pub fn detectable(&self) -> Option<f64> {
        let variance = self.variance?;
        Some(variance.detectable(self.labelled(), self.usual_draws()))
    }

    /// Smallest differences for other numbers of tasks and draws: the numbers of draws, and for every number
    /// of tasks one difference for each of them.
    #[expect(clippy::type_complexity, reason = "a head and rows, as the sentence above says")]
    pub fn power(&self) -> Option<(Vec<u32>, Vec<(usize, Vec<f64>)>)> {
        let (variance, tasks, usual) = (self.variance?, self.labelled(), self.usual_draws());
        let mut draws = vec![usual];
        if variance.draw.is_some() {
            draws.extend([1, 2, 4, 8]);
        }
        draws.sort_unstable();
        draws.dedup();
        let counts = [tasks.div_ceil(2), tasks, 2 * tasks, 4 * tasks];
        let row = |count: usize| {
            (count, draws.iter().map(|draws| variance.detectable(count, *draws)).collect())
        };
        let rows = counts.into_iter().map(row).collect();
        Some((draws, rows))
    }

    /// The range, above and below 0, in which 95% of differences lie that draws alone make.
    pub fn noise_range(&self) -> Option<f64> {
        self.deviation.map(noise::range_of)
    }
}

/// What the difference in success of two cells varies by; none with fewer than two shared tasks. Beside it
/// their number, and the usual number of draws of each.
pub fn paired_variance(sides: [Side<'_>; 2]) -> Option<(PairedVariance, usize, u32)> {
    let tasks: Vec<VersusTask> = shared(sides).into_iter().map(|pair| task(sides, pair)).collect();
    let repeats = tasks.iter().map(|task| task.repeats);
    let labelled: Vec<[Repeats; 2]> = repeats.filter(|task| Change::of(*task).is_some()).collect();
    let usual = Versus { tasks, ..Versus::default() }.usual_draws();
    Some((PairedVariance::of(&labelled)?, labelled.len(), usual))
}

/// How intervals are drawn.
struct Plan {
    resampling: Option<Resampling>,
    confidence: f64,
    stream: u64,
}

impl Plan {
    fn interval(&self, values: Vec<f64>) -> Option<Interval> {
        Interval::at(values, self.confidence)
    }
}

/// The stream of random numbers of two cells. It is the same for both orders, so that the interval of the
/// reversed difference is the reversed interval, and does not depend on the condition, which a cell of a
/// second store may get in the explorer only.
fn stream(sides: [Side<'_>; 2]) -> u64 {
    let mut names =
        sides.map(|side| format!("{}/{}", side.frame.cell.dataset, side.frame.cell.model));
    names.sort();
    name_stream(&names.each_ref().map(String::as_str))
}

/// The tasks of both cells, by their indices among the draws of each.
fn shared([first, second]: [Side<'_>; 2]) -> Vec<[usize; 2]> {
    let there: HashMap<&str, usize> = ids(second).zip(0..).collect();
    let pairs = ids(first).enumerate().filter_map(|(index, id)| Some([index, *there.get(id)?]));
    pairs.collect()
}

fn ids(side: Side<'_>) -> impl Iterator<Item = &str> {
    side.draws.rows.iter().map(move |row| side.frame.tasks[*row as usize].id.as_str())
}

fn task(sides: [Side<'_>; 2], pair: [usize; 2]) -> VersusTask {
    let each = [(sides[0], pair[0]), (sides[1], pair[1])];
    let repeats = each.map(|(side, index)| side.draws.tasks[index]);
    let change = Change::of(repeats);
    VersusTask {
        rows: each.map(|(side, index)| side.draws.rows[index]),
        repeats,
        change,
        draws: telling_draws(each.map(|(side, index)| (side.draws, index)), change),
    }
}

/// Draws that show a change best: one that failed and one that succeeded, in the order of the change.
fn telling_draws(sides: [(&CellDraws, usize); 2], change: Option<Change>) -> [u32; 2] {
    let [(first, a), (second, b)] = sides;
    let with = |outcome: bool| Some([first.draw_with(a, outcome)?, second.draw_with(b, !outcome)?]);
    let worsens = change == Some(Change::Broken);
    let found = with(worsens).or_else(|| with(!worsens));
    found.unwrap_or_else(|| [first.first_draw(a), second.first_draw(b)])
}

/// The outcomes of a task's references; none where a cell has no reference or no label.
fn references(sides: [Side<'_>; 2], task: &VersusTask) -> Option<(bool, bool)> {
    let outcome = |index: usize| {
        let frame = sides[index].frame;
        let row = &frame.tasks[task.rows[index] as usize];
        row.success.filter(|_| !frame.is_pooled())
    };
    outcome(0).zip(outcome(1))
}

fn tests(sides: [Side<'_>; 2], tasks: &[VersusTask], resampling: Option<Resampling>) -> Tests {
    let pairs: Vec<(bool, bool)> =
        tasks.iter().filter_map(|task| references(sides, task)).collect();
    let difference = |task: &VersusTask| {
        let [first, second] = task.repeats.map(Repeats::rate);
        Some(second? - first?)
    };
    let differences: Vec<f64> = tasks.iter().filter_map(difference).collect();
    Tests {
        mcnemar: (!pairs.is_empty()).then(|| McNemar::of(pairs)),
        permutation: permutation(&differences, resampling.map_or(0, |resampling| resampling.seed)),
    }
}

/// Numbers of every shared task in both cells, of which means are compared.
struct Means {
    /// Two columns for every number: one per cell. NaN where a cell lacks it.
    columns: Vec<Vec<f64>>,
    /// The most draws that some task has in both cells.
    most: u32,
}

impl Means {
    /// The columns in the order in which [`Versus::new`] takes them.
    fn of(sides: [Side<'_>; 2], shared: &[[usize; 2]], repeats: &[[Repeats; 2]]) -> Self {
        let most = repeats.iter().map(|task| task[0].draws.min(task[1].draws)).max().unwrap_or(0);
        let mut means = Self { columns: Vec::new(), most };
        let rate = |side: Repeats| side.rate().unwrap_or(f64::NAN);
        means.add(repeats.iter().map(|task| task.map(rate)));
        means.add(shared.iter().map(|pair| {
            let outcomes = references(sides, &task(sides, *pair));
            outcomes
                .map_or([f64::NAN; 2], |(a, b)| [a, b].map(|solved| f64::from(u8::from(solved))))
        }));
        for effort in Effort::ALL {
            means.add(shared.iter().map(|pair| {
                [0, 1].map(|index| {
                    let side = sides[index];
                    side.draws.effort(pair[index], effort, side.runs)
                })
            }));
        }
        for k in 1..=most {
            for pass in Pass::ALL {
                means.add(repeats.iter().map(|task| task.map(|side| pass.of(side, k))));
            }
        }
        means
    }

    /// Adds a number. A task that lacks it in one cell has it in neither.
    fn add(&mut self, values: impl Iterator<Item = [f64; 2]>) {
        let both = |[a, b]: [f64; 2]| if a.is_nan() || b.is_nan() { [f64::NAN; 2] } else { [a, b] };
        let (first, second) = values.map(both).map(|[a, b]| (a, b)).unzip();
        self.columns.extend([first, second]);
    }

    fn compare(&self, tasks: usize, plan: &Plan) -> Vec<Compared> {
        let drawn = plan
            .resampling
            .map(|resampling| resampled_means(tasks, &self.columns, resampling, plan.stream));
        let pair = |index: usize| {
            let (a, b) = (&self.columns[index], &self.columns[index + 1]);
            let tasks = a.iter().filter(|value| !value.is_nan()).count();
            let values = [a, b]
                .map(|column| Some(mean(column.iter().copied())).filter(|value| !value.is_nan()));
            let drawn = drawn.as_ref().filter(|_| tasks > 1);
            let drawn = drawn.map(|drawn| [drawn[index].clone(), drawn[index + 1].clone()]);
            Compared::of(values, drawn, tasks, plan)
        };
        (0..self.columns.len()).step_by(2).map(pair).collect()
    }
}

impl Compared {
    /// Two values with what became of them in every resample.
    fn of(
        values: [Option<f64>; 2],
        drawn: Option<[Vec<f64>; 2]>,
        tasks: usize,
        plan: &Plan,
    ) -> Self {
        let difference = values[0].zip(values[1]).map(|(first, second)| second - first);
        let Some(drawn) = drawn else {
            return Self { values, difference, tasks, ..Self::default() };
        };
        let differences = drawn[0].iter().zip(&drawn[1]).map(|(first, second)| second - first);
        let interval = plan.interval(differences.collect()).filter(|_| difference.is_some());
        let known = values.map(|value| value.is_some());
        let [first, second] = drawn.map(|drawn| plan.interval(drawn));
        let intervals = [first.filter(|_| known[0]), second.filter(|_| known[1])];
        Self { values, intervals, difference, interval, tasks }
    }
}
