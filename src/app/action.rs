use crate::engine::Column;
use crate::metrics::Metric;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;

/// A screen, under the number that opens it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Screen {
    /// What the store holds.
    Cells,
    /// Scorers × cells.
    Grid,
    /// Tasks of a cell or of all.
    Tasks,
    /// One task's trajectory.
    Compare,
    /// Aggregators × cells, and why they differ.
    Aggregators,
}

impl Screen {
    /// All of them, by number.
    pub const ALL: [Self; 5] =
        [Self::Cells, Self::Grid, Self::Tasks, Self::Compare, Self::Aggregators];

    /// The key that opens it.
    pub fn number(self) -> usize {
        Self::ALL.iter().position(|own| *own == self).unwrap_or(0)
    }

    /// The name in flags and state.
    pub fn id(self) -> &'static str {
        match self {
            Self::Cells => "cells",
            Self::Grid => "grid",
            Self::Tasks => "tasks",
            Self::Compare => "compare",
            Self::Aggregators => "aggregators",
        }
    }

    /// The name on screen.
    pub fn title(self) -> &'static str {
        match self {
            Self::Cells => "Cells",
            Self::Grid => "Grid",
            Self::Tasks => "Tasks",
            Self::Compare => "Compare",
            Self::Aggregators => "Aggregators",
        }
    }

    /// The screen of that name.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.id() == id)
    }
}

/// A filter that one key sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// The reference failed.
    Failures,
    /// It failed among the most confident quarter of its cell.
    ConfidentFailures,
    /// It succeeded among the least confident quarter.
    DoubtfulSuccesses,
    /// Some draws succeeded and some failed.
    Mixed,
    /// No draw succeeded, and they agree.
    Stuck,
}

impl Preset {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 5] = [
        Self::Failures,
        Self::ConfidentFailures,
        Self::DoubtfulSuccesses,
        Self::Mixed,
        Self::Stuck,
    ];

    /// The filter it stands for.
    pub fn filter(self) -> &'static str {
        match self {
            Self::Failures => "not success",
            Self::ConfidentFailures => "not success and top <= 0.25",
            Self::DoubtfulSuccesses => "success and bottom <= 0.25",
            Self::Mixed => "solved > 0 and solved < draws",
            Self::Stuck => crate::engine::STUCK_FILTER,
        }
    }
}

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
    /// The next task, keeping the screen.
    NextTask,
    /// The previous task.
    PreviousTask,
    /// The next pane or draw.
    NextPane,
    /// The previous pane or draw.
    PreviousPane,
    /// Open what is selected.
    Drill,
    /// Go back one step.
    Back,
    /// Open a screen.
    Open(Screen),
    /// The next aggregator.
    NextAggregator,
    /// The previous aggregator.
    PreviousAggregator,
    /// Set the aggregator.
    SetAggregator(Aggregator),
    /// A larger β or window.
    More,
    /// A smaller β or window.
    Less,
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
    /// Write the filter.
    EditFilter,
    /// Set the filter; an empty one is none.
    SetFilter(String),
    /// Set or, if it is set, lift a filter that is often wanted.
    Preset(Preset),
    /// Search for words.
    Search,
    /// The next hit of the search.
    NextHit,
    /// The previous hit.
    PreviousHit,
    /// Show values in the next way.
    NextShow,
    /// Order the rows by the selected column, or as they were.
    SortRows,
    /// Order the columns by the selected row, or as they were.
    SortColumns,
    /// Fold or unfold a family.
    Fold,
    /// Fold or unfold all families.
    FoldAll,
    /// Pin what is selected, or let it go.
    Pin,
    /// List the columns to sort by.
    ChooseSort,
    /// Sort by a column; by the same one again, the other way round.
    SetSort(Column),
    /// Turn the order round.
    Reverse,
    /// List the score columns to show.
    ChooseColumns,
    /// Show or hide a score column.
    ToggleColumn(Scorer),
    /// One cell's tasks, or all.
    Scope,
    /// Go to a cell.
    SetCell(usize),
    /// The next weak turn.
    NextWeak,
    /// The previous weak turn.
    PreviousWeak,
    /// Show or hide what was said around the turns.
    FoldTexts,
    /// Copy what is selected.
    Copy,
    /// Copy the command that reopens this view.
    CopyCommand,
    /// Write this screen to a file.
    Export,
    /// The dark or the light theme.
    SwitchTheme,
    /// The list of all commands.
    Palette,
    /// The list of keys.
    Help,
    /// Draw everything anew.
    Redraw,
    /// Leave.
    Quit,
}
