use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;

/// A table that a report can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Every scorer in every cell.
    Grid,
    /// What the store holds.
    Cells,
    /// Every task under every scorer.
    Tasks,
    /// Agreement by the outcomes of pairs.
    StuckPairs,
    /// Agreement by the solvability of tasks.
    StuckTasks,
    /// The tasks that no draw solves, by agreement.
    Stuck,
    /// What stuck tasks do to consistency.
    StuckEffect,
    /// Judges against each other and the database.
    Judges,
    /// What every judge makes of `ter`.
    JudgeTer,
    /// The pairs that a person should look at first.
    Triage,
    /// Best scorer of every family, mean and peak.
    Families,
    /// Best reflexive against best consistency scorer.
    Paired,
    /// AUROC over the number of samples.
    Samples,
    /// What counts alone predict.
    Baselines,
    /// What every family costs.
    Cost,
    /// How far aggregators move a base score.
    Swing,
}

impl TableKind {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Grid,
        Self::Cells,
        Self::Tasks,
        Self::StuckPairs,
        Self::StuckTasks,
        Self::Stuck,
        Self::StuckEffect,
        Self::Judges,
        Self::JudgeTer,
        Self::Triage,
        Self::Families,
        Self::Paired,
        Self::Samples,
        Self::Baselines,
        Self::Cost,
        Self::Swing,
    ];

    /// The id that `--table` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Cells => "cells",
            Self::Tasks => "tasks",
            Self::StuckPairs => "stuck-pairs",
            Self::StuckTasks => "stuck-tasks",
            Self::Stuck => "stuck",
            Self::StuckEffect => "stuck-effect",
            Self::Judges => "judges",
            Self::JudgeTer => "judge-ter",
            Self::Triage => "triage",
            Self::Families => "families",
            Self::Paired => "paired",
            Self::Samples => "samples",
            Self::Baselines => "baselines",
            Self::Cost => "cost",
            Self::Swing => "swing",
        }
    }
}

/// How a table is made.
#[derive(Clone, Copy, Debug)]
pub struct TableOptions {
    /// The metric, where a table is about one.
    pub metric: Metric,
    /// How intervals are drawn.
    pub resampling: Resampling,
    /// PRR with ties in the order of the tasks.
    pub row_order: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self { metric: Metric::Auroc, resampling: Resampling::default(), row_order: false }
    }
}
