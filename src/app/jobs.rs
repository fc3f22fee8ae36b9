//! Work that takes longer than a frame may: what is asked, what comes back, and how it is done. The
//! terminal runs it on threads, tests and pictures at once; neither matters here.

mod export;
mod worker;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::{
    Counts, Engine, JudgeRow, JudgeSpec, JudgeTer, Kept, Noted, PairId, PairOutcome, Resampled,
    SampleRow, Scope, Solvability, StuckEffect, StuckRow, StuckTask, StuckTreatment, TaskId,
    TaskQuery, TaskTable, Triage,
};
use crate::filter::Filter;
use crate::metrics::Metric;
use crate::metrics::bootstrap::Interval;
use crate::model::Trajectory;
use crate::scorers::Scorer;
use crate::scorers::pattern::Pattern;
use crate::store::{Note, Vote};
pub use export::Export;
pub use worker::Worker;

/// Jobs of one lane replace each other: only the newest is of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Reading the store.
    Load,
    /// What the filter leaves.
    Filter,
    /// Values of the grid.
    Points,
    /// Their intervals.
    Intervals,
    /// The table of tasks.
    Table,
    /// The texts of runs.
    Runs,
    /// Search in texts.
    Search,
    /// Writing a file.
    Export,
    /// Writing a note or a vote.
    Note,
    /// Another judge, another treatment, new votes.
    Lens,
    /// Stuck policies.
    Stuck,
    /// Judges.
    Judges,
}

impl Lane {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Load,
        Self::Filter,
        Self::Points,
        Self::Intervals,
        Self::Table,
        Self::Runs,
        Self::Search,
        Self::Export,
        Self::Note,
        Self::Lens,
        Self::Stuck,
        Self::Judges,
    ];

    /// Whether every job of it is done, also when newer ones follow: what is written is written.
    pub fn keeps_all(self) -> bool {
        matches!(self, Self::Export | Self::Note)
    }
}

/// What the kept tasks depend on: the filter and, if it speaks of the score, the scorer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterKey {
    /// The expression; empty keeps all.
    pub source: String,
    /// The current scorer, where it matters, and the one before.
    pub scorer: Option<(String, Option<String>)>,
    /// How many notes there are, where that matters.
    pub notes: usize,
    /// Which engine: it changes with the judge, the treatment of stuck tasks and every vote.
    pub version: u64,
}

/// What the engine depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LensKey {
    /// Who makes TER.
    pub judge: Option<JudgeSpec>,
    /// What stuck tasks do.
    pub stuck: StuckTreatment,
    /// How many lines of votes.
    pub votes: usize,
}

/// What is asked of stuck policies.
#[derive(Clone, Debug, PartialEq)]
pub struct StuckKey {
    /// Which tasks.
    pub filter: FilterKey,
    /// Which cells.
    pub scope: Scope,
    /// Of which cell the effect and the number of samples.
    pub cell: usize,
    /// The metric of the effect.
    pub metric: Metric,
}

/// Stuck policies.
#[derive(Clone, Debug, Default)]
pub struct StuckView {
    /// Agreement by the outcome of pairs.
    pub pairs: Vec<StuckRow<PairOutcome>>,
    /// Agreement by how often tasks are solved.
    pub tasks: Vec<StuckRow<Solvability>>,
    /// The metric under each treatment, in the selected cell.
    pub effect: Vec<StuckEffect>,
    /// AUROC by the number of samples, in the selected cell.
    pub samples: Vec<SampleRow>,
    /// The tasks, the most stuck first.
    pub list: Vec<StuckTask>,
    /// What the draws of the first of them repeat.
    pub patterns: Vec<Option<Pattern>>,
}

/// What is asked of judges.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgesKey {
    /// Which tasks.
    pub filter: FilterKey,
    /// The metric of TER.
    pub metric: Metric,
}

/// Judges.
#[derive(Clone, Debug, Default)]
pub struct JudgesView {
    /// Every judge against every later one and the database.
    pub rows: Vec<JudgeRow>,
    /// TER under every judge.
    pub ter: Vec<JudgeTer>,
    /// The pairs to look at.
    pub triage: Triage,
}

/// What the numbers of a grid depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumbersKey {
    /// Which tasks.
    pub filter: FilterKey,
    /// Which metric.
    pub metric: Metric,
}

/// What a table of tasks depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct TableKey {
    /// Which tasks.
    pub filter: FilterKey,
    /// Of which cell.
    pub cell: Option<usize>,
    /// Scorers and order, as text.
    pub order: String,
    /// How many notes there are.
    pub notes: usize,
}

/// One draw of one task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunKey {
    /// The task.
    pub id: TaskId,
    /// The draw.
    pub draw: u32,
}

/// A value of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The metric; none where it is not defined.
    pub value: Option<f64>,
    /// What it rests on.
    pub counts: Counts,
}

/// A job.
#[derive(Debug)]
pub enum Request {
    /// Read the store.
    Load,
    /// Apply a filter.
    Filter {
        /// Comes back with the answer.
        key: FilterKey,
        /// All tasks.
        engine: Arc<Engine>,
        /// The filter.
        filter: Filter,
        /// Scorer and the one before.
        query: Box<TaskQuery>,
        /// Tasks with notes.
        noted: Arc<Noted>,
    },
    /// Values of some scorers in all cells.
    Points {
        /// Comes back with the answer.
        key: NumbersKey,
        /// Which tasks.
        kept: Arc<Kept>,
        /// Which scorers.
        scorers: Vec<Scorer>,
    },
    /// Intervals of some scorers, cell by cell.
    Intervals {
        /// Comes back with the answers.
        key: NumbersKey,
        /// Which tasks.
        kept: Arc<Kept>,
        /// Which scorers.
        scorers: Vec<Scorer>,
        /// The scorer that differences are taken to.
        pinned: Option<Scorer>,
        /// Which cells, the most wanted first.
        cells: Vec<usize>,
    },
    /// The table of tasks.
    Table {
        /// Comes back with the answer.
        key: TableKey,
        /// All tasks.
        engine: Arc<Engine>,
        /// Which tasks.
        kept: Arc<Kept>,
        /// Scorers and order.
        query: Box<TaskQuery>,
        /// Tasks with notes.
        noted: Arc<Noted>,
    },
    /// The texts of runs, with their rows in the store's table.
    Runs(Vec<(RunKey, u32)>),
    /// Runs whose texts hold these words.
    Search {
        /// The words.
        words: String,
    },
    /// Write a file.
    Export {
        /// Where.
        path: PathBuf,
        /// What.
        content: Export,
    },
    /// The same engine under another lens.
    Lens {
        /// Comes back with the answer.
        key: LensKey,
        /// The engine.
        engine: Arc<Engine>,
        /// All lines of votes.
        votes: Arc<Vec<Vote>>,
    },
    /// Stuck policies.
    Stuck {
        /// Comes back with the answer.
        key: Box<StuckKey>,
        /// Which tasks.
        kept: Arc<Kept>,
    },
    /// Judges.
    Judges {
        /// Comes back with the answer.
        key: JudgesKey,
        /// Which tasks.
        kept: Arc<Kept>,
        /// Whose votes mark what is done.
        author: String,
    },
    /// Add a vote to the store.
    Vote {
        /// Comes back with the answer.
        number: u64,
        /// The pair it is on.
        pair: PairId,
        /// The vote; its time is when it is written.
        vote: Box<Vote>,
    },
    /// Add a note to the store.
    Note {
        /// The task it is on.
        id: TaskId,
        /// The note; its time is when it is written.
        note: Box<Note>,
    },
}

impl Request {
    /// The lane it runs in.
    pub fn lane(&self) -> Lane {
        match self {
            Self::Load => Lane::Load,
            Self::Filter { .. } => Lane::Filter,
            Self::Points { .. } => Lane::Points,
            Self::Intervals { .. } => Lane::Intervals,
            Self::Table { .. } => Lane::Table,
            Self::Runs(_) => Lane::Runs,
            Self::Search { .. } => Lane::Search,
            Self::Export { .. } => Lane::Export,
            Self::Note { .. } | Self::Vote { .. } => Lane::Note,
            Self::Lens { .. } => Lane::Lens,
            Self::Stuck { .. } => Lane::Stuck,
            Self::Judges { .. } => Lane::Judges,
        }
    }
}

/// What the store holds beside numbers.
#[derive(Debug)]
pub struct Loaded {
    /// The engine.
    pub engine: Arc<Engine>,
    /// The notes, by task.
    pub notes: HashMap<TaskId, Vec<Note>>,
}

/// A run with its text.
#[derive(Debug)]
pub struct Opened {
    /// The run.
    pub run: Trajectory,
    /// What its task asks: hidden from the agent.
    pub asks: Option<String>,
}

/// What comes back.
#[derive(Debug)]
pub enum Reply {
    /// The store was read.
    Loaded(Result<Box<Loaded>, String>),
    /// What the filter leaves.
    Filtered(FilterKey, Arc<Kept>),
    /// Values by scorer and cell.
    Points(NumbersKey, Vec<(Scorer, Vec<Option<Number>>)>),
    /// Intervals of one cell, by scorer.
    Intervals {
        /// The question.
        key: NumbersKey,
        /// The scorer that differences are to.
        pinned: Option<Scorer>,
        /// The cell.
        cell: usize,
        /// The scorers with their intervals.
        intervals: Vec<(Scorer, Resampled)>,
    },
    /// The table of tasks.
    Table(TableKey, Arc<TaskTable>),
    /// The text of a run.
    Run(RunKey, Result<Arc<Opened>, String>),
    /// Runs that a search found, by row, and how much of the store was searched.
    Found {
        /// The words.
        words: String,
        /// Rows of `trajectories`, ascending.
        rows: Vec<u32>,
        /// Tasks whose instructions hold them, by dataset; told first.
        asks: HashMap<String, HashSet<String>>,
        /// Share of the texts that was searched.
        done: f64,
    },
    /// A job could not be done, and why.
    Failed(String),
    /// A file was written, or why not.
    Exported(Result<PathBuf, String>),
    /// The engine under another lens.
    Lens(LensKey, Arc<Engine>),
    /// Stuck policies; first without intervals.
    Stuck(StuckKey, Arc<StuckView>),
    /// Judges; first without intervals.
    Judges(JudgesKey, Arc<JudgesView>),
    /// A vote is on the disk, or why not.
    Voted {
        /// The vote's number.
        number: u64,
        /// The pair it is on.
        pair: PairId,
        /// The vote.
        vote: Box<Vote>,
        /// Whether it is on the disk.
        saved: Result<(), String>,
    },
    /// A note is on the disk, or why not.
    Noted(TaskId, Box<Note>, Result<(), String>),
}

/// An interval that may still be computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pending {
    /// Not yet known.
    #[default]
    Waiting,
    /// Known; none where it is not defined.
    Known(Option<Interval>),
}

impl Pending {
    /// The interval, if it is known and there is one.
    pub fn get(self) -> Option<Interval> {
        match self {
            Self::Waiting => None,
            Self::Known(interval) => interval,
        }
    }
}
