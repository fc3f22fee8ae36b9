//! A synthetic set of agent trajectories that resembles the paper's: five models on four datasets,
//! a reference and three samples per task, tokens with log-probabilities, two judges.
//!
//! No model or person wrote any of it. Conversations are filled templates; success rates and AUROCs
//! are adjusted to the figures of [`crate::published`], so that every screen shows what it would
//! show for real runs: aggregators that disagree, agreement that misleads, judges that err. The
//! same version gives the same data on every machine.
//!
//! A cell is made in this order:
//!
//! | step | file |
//! |---|---|
//! | tasks, and what the agent does in each draw | `plan`, `shape` |
//! | which references succeed, so that the agreement of actions predicts it as published | `plan`, `steer` |
//! | which samples succeed, and the judges' verdicts on the pairs | `outcomes`, `verdicts` |
//! | the same where the paper reports agreement by outcome | `stuck` |
//! | the model's self-assessment | `reflexive` |
//! | its confidence in every turn and token | `confidence`, `standings`, `tokens`, `tokenize`, `words` |
//! | the drift of every turn, and the doubt of all turns weighted by it | `propagated`, `standings` |
//! | the agreement of resampled next actions | `prefix`, `standings` |
//! | the answers that would have given these values | `answers` |
//! | the texts of the conversation, and what the agent was given | `talk`, `script`, `given`, and one file per domain |
//!
//! A cell with more tasks than in the paper is made in parts, each like the paper's cell and with its own
//! random numbers. A store of numbers alone (`numbers`) makes only the first part so; the runs of the
//! others vary those of the first, so that millions of them are quickly there.

mod airline;
mod answers;
mod assemble;
mod bfcl;
mod confidence;
mod given;
mod numbers;
mod outcomes;
mod plan;
mod prefix;
mod propagated;
mod reflexive;
mod retail;
mod script;
mod shape;
mod standings;
mod steer;
mod stuck;
mod talk;
mod telecom;
mod tokenize;
mod tokens;
mod verdicts;
mod words;
mod write;

#[cfg(test)]
mod tests;

use rayon::prelude::*;

use crate::model::{Cell, Drift, Judgment, PairValue, Score, TaskText, Trajectory};
use crate::published::{Figure, figures};
use crate::store::AnswerLines;
use script::Domain;
pub use write::{is_current, write};

/// Raised whenever the generated data changes.
pub const VERSION: u32 = 6;
/// The seed of all random numbers.
pub const SEED: u64 = 0x7175_616C_6D01;
/// The source of every trajectory.
pub const SOURCE: &str = "synthetic demo";

const MODELS: [&str; 5] = ["gpt-4o-mini", "gpt-oss-20b", "Qwen2.5-7B", "Qwen3.5-9B", "MiniMax-M3"];
/// Datasets with their numbers of tasks.
const DATASETS: [(&str, usize); 4] =
    [("bfcl-v4", 200), ("airline", 50), ("telecom", 114), ("retail", 114)];

/// Cells held in memory at once, at most.
const AHEAD: usize = 4;

/// What to generate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DemoOptions {
    /// This many tasks per cell; by default as many as in the paper.
    pub tasks: Option<usize>,
    /// Numbers alone: no messages, tokens, contexts, instructions, drift and answers of models.
    pub no_texts: bool,
}

/// Everything about one cell, or about a part of a cell that is larger than in the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct CellData {
    /// The cell.
    pub cell: Cell,
    /// Its trajectories, by task and draw.
    pub trajectories: Vec<Trajectory>,
    /// Scores of every reference that need a model to compute.
    pub scores: Vec<Score>,
    /// `ncp` of every pair.
    pub pairs: Vec<PairValue>,
    /// The verdicts of both judges on every pair.
    pub judgments: Vec<Judgment>,
    /// The text of every task, the same for all cells of a dataset.
    pub tasks: Vec<TaskText>,
    /// The drift of every turn of every reference.
    pub drift: Vec<Vec<Drift>>,
    /// The answers of judges and of the agent's model that give the verdicts and values.
    pub answers: AnswerLines,
}

/// Tasks to be made, at most as many as the paper has in their cell: indices into the tables above, the
/// number of the first task, and how many there are.
#[derive(Clone, Copy)]
struct Order {
    dataset: usize,
    model: usize,
    first: usize,
    tasks: usize,
}

impl Order {
    fn all(options: &DemoOptions) -> Vec<Self> {
        Self::cells(options).into_iter().flat_map(|(cell, tasks)| cell.parts(tasks)).collect()
    }

    /// The first part of every cell, with the number of tasks of the whole cell.
    fn cells(options: &DemoOptions) -> Vec<(Self, usize)> {
        let datasets = DATASETS.iter().enumerate();
        datasets
            .flat_map(|(dataset, (_, full))| {
                let tasks = options.tasks.unwrap_or(*full);
                let first = move |model| Self { dataset, model, first: 0, tasks: tasks.min(*full) };
                (0..MODELS.len()).map(move |model| (first(model), tasks))
            })
            .collect()
    }

    /// The parts of a cell with so many tasks.
    fn parts(self, tasks: usize) -> impl Iterator<Item = Self> {
        let full = self.full();
        let of = move |first: usize| Self { first, tasks: full.min(tasks - first), ..self };
        (0..tasks.max(1)).step_by(full).map(of)
    }

    fn cell(self) -> Cell {
        Cell::new(DATASETS[self.dataset].0, MODELS[self.model])
    }

    /// The number of tasks in the paper.
    fn full(self) -> usize {
        DATASETS[self.dataset].1
    }

    /// The name of a task of this part.
    fn task(self, index: usize) -> String {
        (self.first + index).to_string()
    }

    /// The seed of the part's random numbers, which its cell and a purpose have streams of.
    fn seed(self, purpose: u64) -> u64 {
        SEED ^ purpose ^ (((self.first / self.full()) as u64) << 48)
    }

    /// The number of the cell, from 1.
    fn stream(self) -> u64 {
        (self.dataset * 16 + self.model + 1) as u64
    }

    /// Whether the part is as large as the paper's cell.
    fn is_full(self) -> bool {
        self.tasks == self.full()
    }
}

/// The cells in the order in which [`generate`] makes them, each with its number of tasks.
pub fn cells(options: &DemoOptions) -> Vec<(Cell, usize)> {
    Order::cells(options).into_iter().map(|(order, tasks)| (order.cell(), tasks)).collect()
}

/// How many parts [`write()`] makes the cells in.
pub fn parts(options: &DemoOptions) -> usize {
    if options.no_texts { numbers::parts(options) } else { Order::all(options).len() }
}

/// Makes one cell after the other, a large one in parts, and hands each to `sink`; the first error of the
/// sink ends it.
pub fn generate<E>(
    options: &DemoOptions,
    mut sink: impl FnMut(CellData) -> Result<(), E>,
) -> Result<(), E> {
    let figures: Vec<Figure> = figures().collect();
    let ahead = rayon::current_num_threads().clamp(1, AHEAD);
    for orders in Order::all(options).chunks(ahead) {
        let made: Vec<CellData> =
            orders.par_iter().map(|order| assemble::cell(*order, &figures)).collect();
        for cell in made {
            sink(cell)?;
        }
    }
    Ok(())
}

fn domain(dataset: &str) -> &'static Domain {
    match dataset {
        "airline" => &airline::DOMAIN,
        "telecom" => &telecom::DOMAIN,
        "retail" => &retail::DOMAIN,
        _ => &bfcl::DOMAIN,
    }
}
