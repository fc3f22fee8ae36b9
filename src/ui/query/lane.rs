//! Lanes: one thread each, in which a newer question overtakes an older one.

/// Where a question is answered. In a lane only the newest question is of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Reading the store.
    Load,
    /// The engine under another judge, another treatment of stuck tasks, new votes.
    Lens,
    /// Which tasks are in scope.
    Scope,
    /// Which of them are selected.
    Selection,
    /// How many tasks an expression would keep.
    Tried,
    /// Values of the grid.
    Points,
    /// Their intervals.
    Intervals,
    /// The table of tasks.
    Table,
    /// The tasks whose ranks move between two aggregators.
    Moves,
    /// The texts of runs.
    Runs,
    /// What models answered about runs.
    Answers,
    /// What every scorer has and would cost.
    Outlook,
    /// The actions of all draws of a task.
    Tree,
    /// Search in texts.
    Search,
    /// Curves of scorers.
    Curves,
    /// Their bands.
    Bands,
    /// The best threshold for an aim.
    Threshold,
    /// The tasks just above and below a threshold.
    Near,
    /// Ensembles and calibrations.
    Combine,
    /// Where the signal comes from.
    Signal,
    /// The turns behind a number, or the runs that are stopped.
    Behind,
    /// Early stopping.
    Stopping,
    /// Its intervals at a threshold.
    StopIntervals,
    /// The best scorers of the families of methods.
    Families,
    /// Two scorers in all cells.
    Paired,
    /// Stuck policies.
    Stuck,
    /// Two cells compared.
    Versus,
    /// Judges.
    Judges,
    /// The queue of pairs to vote on, which must not overtake what judges are asked for.
    Triage,
    /// What a vote changed.
    VoteEffect,
    /// Writing a file.
    Export,
    /// Writing a note, a vote or a label.
    Annotate,
}

impl Lane {
    /// Whether everything asked in it is done, also when more follows: what is written is written.
    pub fn keeps_all(self) -> bool {
        matches!(self, Self::Export | Self::Annotate)
    }
}
