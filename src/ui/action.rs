//! What a key, a click or the palette can ask for.

pub use super::overlays::prompt::AimKind;
pub use super::preset::Preset;
use super::renewal::NewIds;
use super::screens::Screen;
use super::shared::{ColumnChange, Narrows, RunKey};
use crate::engine::{Column, PairId, TaskId};
use crate::metrics::Metric;
use crate::metrics::threshold::Aim;
use crate::model::Costs;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::store::{Cause, Note, Ruling};

/// What a key, a click or the palette can ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Select what is below.
    Down,
    /// Select what is above.
    Up,
    /// Select what is to the left.
    Left,
    /// Select what is to the right.
    Right,
    /// Half a page down.
    HalfPageDown,
    /// Half a page up.
    HalfPageUp,
    /// Select the first.
    First,
    /// Select the last.
    Last,
    /// The next task or pair, keeping the screen.
    NextTask,
    /// The previous task or pair.
    PreviousTask,
    /// The next pane or draw.
    NextPane,
    /// The previous pane or draw.
    PreviousPane,
    /// Open what is selected: tasks, a task, the text of a row.
    Drill,
    /// Go back one step.
    Back,
    /// Go back to where one was, whatever screen, cell and task that is.
    JumpBack,
    /// Open a screen.
    Open(Screen),
    /// The next aggregator.
    NextAggregator,
    /// The previous aggregator.
    PreviousAggregator,
    /// Set the aggregator.
    SetAggregator(Aggregator),
    /// More of it: panes, scorers, β, the window.
    More,
    /// Less of it.
    Less,
    /// The next page of the screen.
    NextPage,
    /// The previous page of the screen.
    PreviousPage,
    /// Type a threshold.
    EditThreshold,
    /// Set the threshold to a confidence.
    SetThreshold(f64),
    /// Choose what the best threshold is to achieve.
    ChooseAim,
    /// Type how much of it the best threshold is to achieve.
    EditAim(AimKind),
    /// Find the best threshold for an aim.
    FindThreshold(Aim),
    /// Type what a failure, a review and a run cost.
    EditCosts,
    /// Set these costs.
    SetCosts(Costs),
    /// Show the tasks that an expression selects: those of the cell, or of all cells.
    SelectTasks(String, bool),
    /// Compare one more scorer.
    AddScorer(Scorer),
    /// Type the name under which a combination of scorers is kept.
    KeepScorer,
    /// Keep a combination of scorers under a name.
    KeepScorerAs(String),
    /// List the scorers to choose from.
    ChooseScorer,
    /// Set the scorer.
    SetScorer(Scorer),
    /// The next metric.
    NextMetric,
    /// The previous metric.
    PreviousMetric,
    /// Set the metric.
    SetMetric(Metric),
    /// Write the expression of the selection or the scope.
    EditTasks(Narrows),
    /// Narrow lists or numbers by an expression; an empty one lifts it.
    Narrow(Narrows, String),
    /// Add a selection that is often wanted or, if it is on, take it away.
    Preset(Preset),
    /// Ask for a name under which the selection or the scope is kept with the store.
    NameTasks(Narrows),
    /// Withdraw a named selection or scope.
    ForgetNamed(Narrows, String),
    /// Search for words.
    Search,
    /// The next hit of the search.
    NextHit,
    /// The previous hit.
    PreviousHit,
    /// Show values in the next way.
    NextShow,
    /// Sort: by a column that is chosen, or by the selected one.
    Sort,
    /// Sort the other way: in reverse, or the columns in place of the rows.
    SortOther,
    /// Fold or unfold a family.
    Fold,
    /// Fold or unfold all families.
    FoldAll,
    /// Pin what is selected, or let it go.
    Pin,
    /// Sort by a column; by the same one again, the other way round.
    SetSort(Column),
    /// List the columns to show, hide, move and widen.
    ChooseColumns,
    /// Change a column of the tasks.
    ChangeColumn(Column, ColumnChange),
    /// Mark the selected row, or take its mark away.
    Mark,
    /// Take all marks away.
    ClearMarks,
    /// One cell's tasks, or all.
    Scope,
    /// Go to a cell.
    SetCell(usize),
    /// The next weak turn.
    NextWeak,
    /// The previous weak turn.
    PreviousWeak,
    /// The weakest turn.
    Weakest,
    /// The first row in which the runs diverge, or the next.
    NextDivergence,
    /// The next failed call or run that was cut off.
    NextError,
    /// List what could be shown here: the runs of a pane, the cells.
    Choose,
    /// Show the next of these.
    NextChoice,
    /// Show the one before.
    PreviousChoice,
    /// Compare the selected cell with another.
    SetOther(usize),
    /// Show a run in the focused pane.
    SetPane(RunKey),
    /// Show all draws at once, or go back from there.
    AllDraws,
    /// The focused pane becomes the first.
    SwapPane,
    /// Scroll the panes together, or each on its own.
    Lock,
    /// Hold messages against each other word by word, or not.
    WordDiff,
    /// Colour tokens by the next measure, or not.
    TokenHeat,
    /// The token most in doubt.
    LeastToken,
    /// Show or hide the side pane.
    Side,
    /// Read the side pane whole.
    ReadSide,
    /// Write a note.
    Note,
    /// List the user's notes to change one.
    ChooseNote,
    /// Change a note, or take it back.
    EditNote(Box<Note>),
    /// Open a task, wherever it is.
    OpenTask(TaskId),
    /// Open a task at a turn of the draw that counts, counted from 0.
    OpenTurn(TaskId, u32),
    /// Open a pair, wherever it is.
    OpenPair(PairId),
    /// Open a pair to vote on it.
    VoteOn(PairId),
    /// Mark the selected turn as the decisive error of its run.
    MarkError,
    /// Say what caused the error at a turn, or take the mark back.
    SetCause(RunKey, u32, Cause),
    /// The next judge that makes TER.
    NextJudge,
    /// The next treatment of stuck tasks.
    NextTreatment,
    /// Say what the pair is.
    Vote(Ruling),
    /// Take the last vote back.
    UndoVote,
    /// Copy what is selected.
    Copy,
    /// Copy the command that reopens this view.
    CopyCommand,
    /// Write this screen to a file.
    Export,
    /// The dark or the light theme.
    SwitchTheme,
    /// List every scorer: what it has, needs and costs.
    Scorers,
    /// End the scoring that was started from here.
    StopScoring,
    /// The list of all commands.
    Palette,
    /// The list of keys.
    Help,
    /// Draw everything anew.
    Redraw,
    /// Stop the program until the shell brings it back.
    Suspend,
    /// Leave.
    Quit,
}

impl Action {
    /// Leads to the same in another reading of the store; nowhere, where that is gone.
    pub(super) fn renew(&mut self, ids: &NewIds<'_>) {
        let renewed = match &*self {
            Self::SetCell(cell) => ids.cell(*cell).map(Self::SetCell),
            Self::SetOther(cell) => ids.cell(*cell).map(Self::SetOther),
            Self::OpenTask(id) => ids.task(*id).map(Self::OpenTask),
            Self::OpenTurn(id, turn) => ids.task(*id).map(|id| Self::OpenTurn(id, *turn)),
            Self::OpenPair(pair) => ids.pair(*pair).map(Self::OpenPair),
            Self::VoteOn(pair) => ids.pair(*pair).map(Self::VoteOn),
            _ => return,
        };
        *self = renewed.unwrap_or(Self::Redraw);
    }

    /// Whether what it leads to carries the user's name.
    pub(super) fn needs_author(&self) -> bool {
        matches!(self, Self::Note | Self::ChooseNote | Self::Vote(_) | Self::MarkError)
    }
}
