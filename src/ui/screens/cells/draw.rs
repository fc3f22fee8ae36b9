//! Draws what the store holds, a row a cell.
//!
//! ```text
//!  dataset   model          tasks  runs  solved             log-probs  turns
//!  airline   gpt-4o-mini       50   200   24% ━━╸                 25%  2,140
//!  ─────────────────────────────────────────────────────────────────────────────────────────────
//!  airline · gpt-4o-mini: 12 of 50 references solved …
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row, StatefulWidget as _, Table, TableState};

use super::{Cells, Layout, Spot};
use crate::model;
use crate::store::CellSummary;
use crate::text::{counted, grouped, percent, visible};
use crate::ui::hits::Hits;
use crate::ui::shared::Shared;
use crate::ui::theme::Theme;
use crate::ui::widgets::{self, paragraph, put, rule};

/// Spaces between columns.
const GAP: u16 = 2;

/// The mark before the selected row.
const MARK: u16 = 1;

/// A shorter bar shows nothing, a longer one nothing more.
const SHORTEST_BAR: u16 = 8;
const LONGEST_BAR: u16 = 24;

pub(super) fn draw(
    cells: &Cells,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let theme = &shared.theme;
    let [table, line, detail] =
        Split::vertical([Constraint::Min(3), Constraint::Length(1), Constraint::Length(2)])
            .areas(area);
    rule(buffer, line, theme.rule);
    let shown = cells.shown(shared);
    let selected = cells.selected(shared);
    let row = shown.iter().position(|(index, _)| Some(*index) == selected).unwrap_or(0);
    if shown.is_empty() {
        paragraph(buffer, table, &empty(cells, shared), theme.dim);
    } else {
        draw_table(buffer, table, shared, &shown, row, hits);
    }
    if let Some((_, summary)) = shown.get(row) {
        let [first, second] = Split::vertical([Constraint::Length(1); 2]).areas(detail);
        let [what, more] = describe(summary);
        put(buffer, first, Line::from(format!(" {what}")));
        put(buffer, second, Line::styled(format!(" {more}"), theme.dim));
    }
    Layout { page: usize::from(table.height.saturating_sub(1)) }
}

/// Why no cell is shown.
fn empty(cells: &Cells, shared: &Shared) -> String {
    if shared.summaries.is_empty() {
        "The store is empty: `qualm import` adds results.".to_owned()
    } else {
        format!("No cell holds “{}”: Esc forgets the search.", visible(&cells.search))
    }
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Dataset,
    Model,
    Condition,
    Tasks,
    Runs,
    Solved,
    LogProbs,
    Turns,
    Unlabelled,
    Skipped,
}

impl Column {
    /// From left to right.
    const ALL: [Self; 10] = [
        Self::Dataset,
        Self::Model,
        Self::Condition,
        Self::Tasks,
        Self::Runs,
        Self::Solved,
        Self::LogProbs,
        Self::Turns,
        Self::Unlabelled,
        Self::Skipped,
    ];

    /// Those that a narrow screen does without, the first to go first.
    const SPARE: [Self; 5] =
        [Self::Turns, Self::Unlabelled, Self::Skipped, Self::Runs, Self::LogProbs];

    fn title(self) -> &'static str {
        match self {
            Self::Dataset => "dataset",
            Self::Model => "model",
            Self::Condition => "condition",
            Self::Tasks => "tasks",
            Self::Runs => "runs",
            Self::Solved => "solved",
            Self::LogProbs => "log-probs",
            Self::Turns => "turns",
            Self::Unlabelled => "unlabelled",
            Self::Skipped => "skipped",
        }
    }

    fn is_number(self) -> bool {
        !matches!(self, Self::Dataset | Self::Model | Self::Condition | Self::Solved)
    }

    fn value(self, summary: &CellSummary) -> String {
        match self {
            Self::Dataset => visible(&summary.cell.dataset).into_owned(),
            Self::Model => visible(&summary.cell.model).into_owned(),
            Self::Condition => visible(&summary.cell.condition).into_owned(),
            Self::Tasks => grouped(summary.tasks),
            Self::Runs => grouped(summary.trajectories),
            Self::Solved => percent(summary.reference_successes, summary.references_labelled),
            Self::LogProbs => percent(summary.turns_with_logprobs, summary.turns),
            Self::Turns => grouped(summary.turns),
            Self::Unlabelled => grouped(summary.trajectories - summary.labelled),
            Self::Skipped => grouped(summary.skipped),
        }
    }

    /// The width that shows every cell of the store whole.
    fn width(self, shared: &Shared) -> u16 {
        let values = shared.summaries.iter().map(|summary| Span::raw(self.value(summary)).width());
        values.chain([self.title().len()]).max().unwrap_or(0) as u16
    }
}

/// The columns that fit, with their widths, and the width that is left for a bar.
fn columns(shared: &Shared, room: u16) -> (Vec<(Column, u16)>, u16) {
    let named = |summary: &CellSummary| summary.cell.condition != model::Cell::DEFAULT_CONDITION;
    let conditions = shared.summaries.iter().any(named);
    let mut columns: Vec<(Column, u16)> = Column::ALL
        .into_iter()
        .filter(|column| conditions || *column != Column::Condition)
        .map(|column| (column, column.width(shared)))
        .collect();
    let taken =
        |columns: &[(Column, u16)]| columns.iter().map(|(_, width)| width + GAP).sum::<u16>();
    for spare in Column::SPARE {
        if taken(&columns) + MARK + SHORTEST_BAR > room {
            columns.retain(|(column, _)| *column != spare);
        }
    }
    let bar = room.saturating_sub(taken(&columns) + MARK).min(LONGEST_BAR);
    (columns, bar)
}

fn draw_table(
    buffer: &mut Buffer,
    area: Rect,
    shared: &Shared,
    shown: &[(usize, &CellSummary)],
    selected: usize,
    hits: &mut Hits<Spot>,
) {
    let theme = &shared.theme;
    let (columns, bar) = columns(shared, area.width);
    let aligned = |column: Column, text: String| {
        let line = Line::from(text);
        Cell::from(if column.is_number() { line.right_aligned() } else { line })
    };
    let rows = shown.iter().map(|(_, summary)| {
        Row::new(columns.iter().map(|(column, _)| match column {
            Column::Solved => solved(summary, bar, theme),
            column => aligned(*column, column.value(summary)),
        }))
    });
    let header = columns.iter().map(|(column, _)| aligned(*column, column.title().to_owned()));
    let widths = columns.iter().map(|(column, width)| match column {
        Column::Solved => Constraint::Length(width + bar),
        _ => Constraint::Length(*width),
    });
    let table = Table::new(rows, widths)
        .header(Row::new(header).style(theme.header))
        .column_spacing(GAP)
        .highlight_symbol("▸")
        .row_highlight_style(theme.selected);
    let mut state = TableState::default().with_selected(Some(selected));
    table.render(area, buffer, &mut state);
    for (line, (index, _)) in area.rows().skip(1).zip(shown.iter().skip(state.offset())) {
        hits.spot(line, Spot(*index));
    }
}

/// The share of references that succeeded, as number and bar.
fn solved<'a>(summary: &CellSummary, bar: u16, theme: &Theme) -> Cell<'a> {
    let number = Column::Solved.value(summary);
    let bar = widgets::bar(summary.success_rate().unwrap_or(0.0), usize::from(bar));
    Cell::from(Line::from(vec![Span::raw(format!("{number:>4}  ")), Span::styled(bar, theme.bar)]))
}

/// The selected cell in words.
fn describe(summary: &CellSummary) -> [String; 2] {
    let solved = match summary.references_labelled {
        0 => "no reference has a label".to_owned(),
        known => format!("{} of {} references solved", summary.reference_successes, grouped(known)),
    };
    let logprobs = match summary.turns_with_logprobs {
        0 => "no turn has log-probabilities".to_owned(),
        some => {
            format!("{} of {} turns have log-probabilities", grouped(some), grouped(summary.turns))
        }
    };
    let left_out = match (summary.trajectories - summary.labelled, summary.skipped) {
        (0, 0) => String::new(),
        (unlabelled, skipped) => {
            format!(" · {unlabelled} without a label · {} skipped", counted(skipped, "record"))
        }
    };
    let lacking = match summary.without_reference {
        0 => String::new(),
        tasks => format!(" · {} without a reference", counted(tasks, "task")),
    };
    [
        format!("{}: {solved}{lacking}", visible(&summary.cell.to_string())),
        format!(
            "{} of {} · {logprobs}{left_out}",
            counted(summary.trajectories, "run"),
            counted(summary.tasks, "task")
        ),
    ]
}
