//! The scorers and metrics as SQL over the tables of a store, for engines that people already have.
//!
//! A query is a chain of named parts (`script.rs`), from the tables (`source.rs`) to the answer. The text
//! is the same for every engine but for the few functions of `dialect.rs`. Definitions are those of
//! [`crate::scorers`], [`crate::metrics`] and [`crate::engine`]; `tests/engines` compares the numbers.

mod cells;
mod consistency;
mod dialect;
mod grid;
mod judges;
mod pairs;
mod runs;
mod scope;
mod script;
mod source;
mod stuck;
mod tokens;
mod turns;
mod values;

use std::rc::Rc;

use crate::filter::FilterError;
use crate::metrics::Metric;
use crate::scorers::Scorer;
use crate::scorers::whitebox::Spans;

pub use dialect::Dialect;
use scope::Scope;
use script::Script;
pub use source::Source;
use values::Groups;

/// What a query answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// The scores of every turn from the log-probabilities of its tokens.
    Turns,
    /// Turn scores under every aggregator.
    Aggregates,
    /// Agreement of the draws of a task, pair by pair.
    Consistency,
    /// The values of scorers: the table `scores` of a store.
    Scores,
    /// The counts and the success rate of every cell.
    Cells,
    /// The metrics of every scorer in every cell.
    Grid,
    /// Agreement by the outcomes of pairs and by the solvability of tasks.
    Stuck,
    /// Judges compared with each other and with the database.
    Judges,
}

impl What {
    /// All of them, from tokens to tables.
    pub const ALL: [Self; 8] = [
        Self::Turns,
        Self::Aggregates,
        Self::Consistency,
        Self::Scores,
        Self::Cells,
        Self::Grid,
        Self::Stuck,
        Self::Judges,
    ];

    /// The id that `--what` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Aggregates => "aggregates",
            Self::Consistency => "consistency",
            Self::Scores => "scores",
            Self::Cells => "cells",
            Self::Grid => "grid",
            Self::Stuck => "stuck",
            Self::Judges => "judges",
        }
    }

    /// What its rows are.
    pub fn about(self) -> &'static str {
        match self {
            Self::Turns => "scores of turns from the log-probabilities of their tokens",
            Self::Aggregates => "turn scores of every run under every aggregator",
            Self::Consistency => "agreement of the draws of a task, pair by pair",
            Self::Scores => "values of scorers: the table `scores` of a store",
            Self::Cells => "counts and success rate of every cell",
            Self::Grid => "metrics of every scorer in every cell",
            Self::Stuck => "agreement by the outcomes of pairs and the solvability of tasks",
            Self::Judges => "judges compared with each other and with the database",
        }
    }
}

/// A question, and how it is narrowed.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is asked.
    pub what: What,
    /// The engine that will run the query.
    pub dialect: Dialect,
    /// The scorers; by default all that the tables have values of.
    pub scorers: Option<Vec<Scorer>>,
    /// The metrics of a grid.
    pub metrics: Vec<Metric>,
    /// Whose verdicts make `ter`; by default the store's first judge.
    pub judge: Option<String>,
    /// Scores turns anew over these tokens, instead of reading the scores that the table `turns` has.
    pub spans: Option<Spans>,
    /// The expression that chooses tasks.
    pub scope: Option<String>,
}

impl Question {
    /// A question about all tasks and scorers.
    pub fn new(what: What, dialect: Dialect) -> Self {
        Self {
            what,
            dialect,
            scorers: None,
            metrics: Metric::ALL.to_vec(),
            judge: None,
            spans: None,
            scope: None,
        }
    }
}

/// Why there is no query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SqlError {
    /// The verdicts of people are not in a table.
    #[error(
        "--judge {0}: votes of people are in annotations.jsonl, which engines do not read; name a judge of the table judgments"
    )]
    Human(String),
    /// The scope cannot be written.
    #[error("--where: {0}")]
    Scope(FilterError),
    /// A column of the scope is no column of the tables.
    #[error(
        "--where: `{0}` is known to qualm only, not to the tables; use other columns, or `qualm report --where`"
    )]
    Column(String),
    /// Turns are not chosen by task.
    #[error("--where chooses tasks, and --what {0} is of all runs; leave it out")]
    NoScope(&'static str),
    /// An aggregator's setting is too small for sums of doubles.
    #[error("{0}: SQL has no exact sum for a softmin that blunt; use a setting of 0.001 or more")]
    TooBlunt(String),
}

/// Writes the query of a question.
pub fn query(source: &Source, question: &Question) -> Result<String, SqlError> {
    let scope = Scope::of(source, question)?.map(Rc::new);
    let mut writer = Writer {
        script: Script::new(question.dialect),
        groups: Groups::of(question, scope.as_deref()),
        scope,
        source,
        question,
        dialect: question.dialect,
    };
    let last = match question.what {
        What::Turns => writer.turns(),
        What::Aggregates => writer.aggregates(),
        What::Consistency => writer.consistency(),
        What::Scores => writer.scores(),
        What::Cells => writer.cells(),
        What::Grid => writer.grid(),
        What::Stuck => writer.stuck(),
        What::Judges => writer.judges(),
    }?;
    let comments = [
        format!("{} of {}, for {}.", question.what.id(), source.name, question.dialect.label()),
        format!("Rows: {}.", question.what.about()),
    ];
    Ok(writer.script.finish(&comments, &last))
}

/// Adds the parts of a query, each after those that it reads.
struct Writer<'q> {
    script: Script,
    source: &'q Source,
    question: &'q Question,
    dialect: Dialect,
    /// The tasks that count; none where all do.
    scope: Option<Rc<Scope>>,
    /// The scorers that are computed.
    groups: Groups,
}
