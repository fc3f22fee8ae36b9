//! Runs scorers and metrics over a store: every screen and every report asks it.

mod curves;
mod difference;
mod facts;
mod families;
mod find;
mod fit;
mod frame;
mod grid;
mod judges;
mod load;
mod locate;
mod look;
mod methods;
mod narrowed;
mod overview;
mod paired;
mod pool;
mod score;
mod signal;
mod stopping;
mod stuck;
mod tasks;
mod threshold;
mod triage;
mod usual;
mod versus;

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::model::Cell;
use crate::scorers::Scorer;
use crate::store::{Manifest, Vote};

pub use curves::{Curves, HISTOGRAM_BINS, ScorerCurves};
pub use difference::ScorerDifference;
pub use facts::CellFacts;
pub use families::{
    Baseline, Best, Cost, FamilySummary, Paired, Point, ScorerPair, Swing, best, families,
};
pub use fit::{CalibrationRow, EnsembleRow, FOLD_SEED, Fitted, NoFit};
pub use frame::{Frame, PairValues, Sample, Scale, Task, TaskValues};
pub use grid::{Counts, GridValue};
pub use judges::{
    Against, Audited, JudgeRow, JudgeSpec, JudgeTer, JudgeWord, LeftOut, NoTruth, VoteEffect,
    VoteSources, VoteSubject, vote_effects,
};
pub use load::Needs;
pub use locate::{LocateRow, MarkedRun, locate, runs_of};
pub use look::Resampled;
pub use methods::{MethodBest, MethodFamily};
pub use narrowed::name_cells;
pub use overview::Overview;
pub use paired::{Favours, PairedCell, PairedVerdict};
pub use score::{
    NamedRecipe, ScoreOptions, ScoreSummary, WrongName, check_values, copied, keep_recipe, recipes,
    refresh, score,
};
pub use signal::{BINS, Signal, SignalBy, TurnGroup, TurnMean, TurnMeans, TurnRef};
pub use stopping::{RunTotals, StopIntervals, StopPoint, StoppedRun, Stopping};
pub use stuck::{
    PairOutcome, STUCK_AGREEMENT, STUCK_FILTER, SampleBand, SampleRow, Scope, ScopeEffect,
    Solvability, StuckEffect, StuckRow, StuckTask, StuckTreatment, TreatedValue,
};
pub use tasks::{Column, Kept, Noted, Outcomes, PairId, TaskId, TaskQuery, TaskTable};
pub use threshold::{BestThreshold, Estimate, HeldOut, NearRun, NearRuns};
pub use triage::{Opinion, PairOrder, Reason, TriageItem, TriageOptions, TriageQueue};
pub use usual::{Coverage, usual};
pub use versus::{
    CellDraws, CellPairs, CellVersus, Change, Compared, Decision, Effort, Gauge, LeftOutRuns,
    Noise, Pass, PassRow, ScorerVersus, Side, Source, Standing, Tests, Versus, VersusOptions,
    VersusTask, in_points, left_out_notes, pair_cells, paired_variance, pass_of_cell,
};

/// A column with fewer tasks of the rarer outcome is flagged, since its numbers are too uncertain.
pub const FEW: usize = 20;

/// A store in memory. A copy shares the columns, so variants under another judge, with more votes or
/// with another treatment of stuck tasks cost little.
#[derive(Clone, Debug)]
pub struct Engine {
    frames: Vec<Frame>,
    scorers: Vec<Scorer>,
    /// What a filter can name; follows from the scorers.
    named: OnceLock<tasks::Named>,
    judges: judges::Judges,
    orphans: Arc<Vec<judges::OrphanVerdict>>,
    /// The votes that count.
    votes: Arc<Vec<Vote>>,
    manifest: Arc<Manifest>,
    narrowed: narrowed::Narrowed,
}

impl Engine {
    /// An engine over cells that are in memory already, with the scorers that they have values of.
    pub fn from_frames(frames: Vec<Frame>) -> Self {
        let scorers = load::scorers(&frames);
        Self {
            frames,
            scorers,
            named: OnceLock::new(),
            judges: judges::Judges::new(Vec::new(), None),
            orphans: Arc::default(),
            votes: Arc::default(),
            manifest: Arc::new(Manifest::new()),
            narrowed: narrowed::Narrowed::default(),
        }
    }

    /// The cells, in the store's order.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The scorers that have a value somewhere, by family.
    pub fn scorers(&self) -> &[Scorer] {
        &self.scorers
    }

    /// The judges, in the order they appear in the store; then people, if there are votes.
    pub fn judges(&self) -> &[String] {
        &self.judges.names
    }

    /// What the store says about itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether every draw is a row in some cell.
    pub fn is_pooled(&self) -> bool {
        self.frames.iter().any(Frame::is_pooled)
    }

    /// Whether a scorer has a value somewhere.
    pub fn has_values(&self, scorer: &Scorer) -> bool {
        self.frames.iter().any(|frame| frame.has(scorer))
    }

    /// Adds a scorer that is not among those of [`Engine::scorers`], if it has a value somewhere.
    pub fn add_scorer(&mut self, scorer: Scorer) {
        if self.has_values(&scorer) && !self.scorers.contains(&scorer) {
            self.scorers.push(scorer);
            self.named = OnceLock::new();
        }
    }

    /// The same engine with only some tasks of each cell, by index. All scorers stay, even without a
    /// value, and a cell beyond the end of `kept` stays whole.
    #[must_use]
    pub fn filtered(&self, kept: &[Vec<u32>]) -> Self {
        let frames = self.frames.par_iter().enumerate().map(|(cell, frame)| {
            kept.get(cell).map_or_else(|| frame.clone(), |tasks| frame.subset(tasks))
        });
        Self {
            frames: frames.collect(),
            scorers: self.scorers.clone(),
            named: self.named.clone(),
            judges: self.judges.clone(),
            // They are about no task of the store, and so about none that is kept.
            orphans: Arc::default(),
            votes: self.votes.clone(),
            manifest: self.manifest.clone(),
            narrowed: self.narrowed.clone(),
        }
    }

    /// Keeps only some cells and scorers.
    pub fn retain(&mut self, cells: impl Fn(&Cell) -> bool, scorers: impl Fn(&Scorer) -> bool) {
        if !self.frames.iter().all(|frame| cells(&frame.cell)) {
            self.narrowed.note_cells(self.frames.iter().map(|frame| &frame.cell));
        }
        self.frames.retain(|frame| cells(&frame.cell));
        self.scorers.retain(|scorer| scorers(scorer));
        self.named = OnceLock::new();
        Arc::make_mut(&mut self.orphans).retain(|orphan| cells(&orphan.cell));
        Arc::make_mut(&mut self.manifest).cells.retain(|summary| cells(&summary.cell));
    }
}
