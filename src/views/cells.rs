//! What the store holds, a row a cell.
//!
//! ```text
//!  dataset   model          tasks  runs  solved             turns  log-probs
//!  airline   gpt-4o-mini       50   200   24% ━━╸         2,140        25%
//!  ─────────────────────────────────────────────────────────────────────────────────────────────
//!  airline · gpt-4o-mini: 12 of 50 references solved …
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row, StatefulWidget as _, Table, TableState};

use super::put;
use crate::app::{App, Hit, Layout};
use crate::model;
use crate::store::CellSummary;
use crate::text::{counted, grouped, percent, visible};
use crate::theme::Theme;
use crate::widgets;

/// Spaces between columns.
const GAP: u16 = 2;

/// The mark before the selected row.
const MARK: u16 = 1;

/// A shorter bar shows nothing, a longer one nothing more.
const SHORTEST_BAR: u16 = 8;
const LONGEST_BAR: u16 = 24;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let theme = &app.theme;
    let [table, rule, detail] =
        Split::vertical([Constraint::Min(3), Constraint::Length(1), Constraint::Length(2)])
            .areas(area);
    put(buffer, rule, Line::styled("─".repeat(usize::from(area.width)), theme.rule));
    let shown = app.shown_cells();
    let place = app.summary_place();
    let selected = shown.iter().position(|(own, _)| Some(*own) == place).unwrap_or(0);
    if shown.is_empty() {
        super::paragraph(buffer, table, &empty(app), theme.dim);
    } else {
        draw_table(buffer, table, app, &shown, selected, layout);
    }
    if let Some((_, cell)) = shown.get(selected) {
        let [first, second] = Split::vertical([Constraint::Length(1); 2]).areas(detail);
        let [what, more] = describe(cell);
        put(buffer, first, Line::from(format!(" {what}")));
        put(buffer, second, Line::styled(format!(" {more}"), theme.dim));
    }
    layout.page = usize::from(table.height.saturating_sub(1));
}

fn empty(app: &App) -> String {
    if app.summaries.is_empty() {
        "The store is empty: `qualm import` adds results.".to_owned()
    } else {
        format!("No cell holds “{}”: Esc forgets the search.", visible(&app.cell_search))
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

    fn value(self, own: &CellSummary) -> String {
        match self {
            Self::Dataset => visible(&own.cell.dataset).into_owned(),
            Self::Model => visible(&own.cell.model).into_owned(),
            Self::Condition => visible(&own.cell.condition).into_owned(),
            Self::Tasks => grouped(own.tasks),
            Self::Runs => grouped(own.trajectories),
            Self::Solved => percent(own.reference_successes, own.references_labelled),
            Self::LogProbs => percent(own.turns_with_logprobs, own.turns),
            Self::Turns => grouped(own.turns),
            Self::Unlabelled => grouped(own.trajectories - own.labelled),
            Self::Skipped => grouped(own.skipped),
        }
    }

    /// The width that shows every cell of the store whole.
    fn width(self, app: &App) -> u16 {
        let values = app.summaries.iter().map(|own| Span::raw(self.value(own)).width() as u16);
        values.chain([self.title().len() as u16]).max().unwrap_or(0)
    }
}

/// The columns that fit, with their widths, and the width that is left for a bar.
fn columns(app: &App, room: u16) -> (Vec<(Column, u16)>, u16) {
    let conditions =
        app.summaries.iter().any(|own| own.cell.condition != model::Cell::DEFAULT_CONDITION);
    let mut columns: Vec<(Column, u16)> = Column::ALL
        .into_iter()
        .filter(|column| conditions || *column != Column::Condition)
        .map(|column| (column, column.width(app)))
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
    app: &App,
    shown: &[(usize, &CellSummary)],
    selected: usize,
    layout: &mut Layout,
) {
    let theme = &app.theme;
    let (columns, bar) = columns(app, area.width);
    let aligned = |column: Column, text: String| {
        let line = Line::from(text);
        Cell::from(if column.is_number() { line.right_aligned() } else { line })
    };
    let rows = shown.iter().map(|(_, own)| {
        Row::new(columns.iter().map(|(column, _)| match column {
            Column::Solved => solved(own, bar, theme),
            column => aligned(*column, column.value(own)),
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
    for (line, (place, _)) in area.rows().skip(1).zip(shown.iter().skip(state.offset())) {
        layout.hit(line, Hit::Cell(*place));
    }
}

/// The share of references that succeeded, as number and bar.
fn solved<'a>(own: &CellSummary, bar: u16, theme: &Theme) -> Cell<'a> {
    let number = Column::Solved.value(own);
    let bar = widgets::bar(own.success_rate().unwrap_or(0.0), usize::from(bar));
    Cell::from(Line::from(vec![Span::raw(format!("{number:>4}  ")), Span::styled(bar, theme.bar)]))
}

/// The selected cell in words.
fn describe(own: &CellSummary) -> [String; 2] {
    let solved = match own.references_labelled {
        0 => "no reference has a label".to_owned(),
        known => format!("{} of {} references solved", own.reference_successes, grouped(known)),
    };
    let logprobs = match own.turns_with_logprobs {
        0 => "no turn has log-probabilities".to_owned(),
        some => format!("{} of {} turns have log-probabilities", grouped(some), grouped(own.turns)),
    };
    let left_out = match (own.trajectories - own.labelled, own.skipped) {
        (0, 0) => String::new(),
        (unlabelled, skipped) => {
            format!(" · {unlabelled} without a label · {} skipped", counted(skipped, "record"))
        }
    };
    [
        format!("{}: {solved}", visible(&own.cell.to_string())),
        format!(
            "{} of {} · {logprobs}{left_out}",
            counted(own.trajectories, "run"),
            counted(own.tasks, "task")
        ),
    ]
}
