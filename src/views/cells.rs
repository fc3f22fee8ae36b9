//! What the store holds, a row a cell.
//!
//! ```text
//!  qualm  demo › Cells   SYNTHETIC DATA              20 cells · 2,390 tasks · 9,560 trajectories
//!  ─────────────────────────────────────────────────────────────────────────────────────────────
//!  dataset   model          tasks  runs  solved             turns  log-probs
//!  airline   gpt-4o-mini       50   200   24% ██▍         2,140        25%
//!  ─────────────────────────────────────────────────────────────────────────────────────────────
//!  airline · gpt-4o-mini: 12 of 50 references solved …
//!  j ↓ next  k ↑ previous  / search  Esc back  ? F1 help  q quit
//! ```

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row, Table, TableState};

use crate::app::{App, Layout, Overlay, keymap};
use crate::model;
use crate::store::CellSummary;
use crate::text::{counted, grouped, percent, visible};
use crate::theme::Theme;
use crate::widgets;

/// Under this width the columns that say least are left out.
const WIDE: u16 = 100;

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, app: &App, theme: &Theme) -> Layout {
    let [top, rule, table, second_rule, detail, bottom] = Split::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(1),
        Constraint::Length(2),
        Constraint::Length(1),
    ])
    .areas(area);
    frame.render_widget(title(app, theme, top.width), top);
    let line = || Span::styled("─".repeat(usize::from(area.width)), theme.dim);
    frame.render_widget(line(), rule);
    frame.render_widget(line(), second_rule);
    let shown = app.shown();
    if shown.is_empty() {
        frame.render_widget(Line::styled(empty(app), theme.dim), table);
    } else {
        draw_table(frame, table, app, &shown, theme);
    }
    if let Some(cell) = shown.get(app.selected) {
        let [first, second] = Split::vertical([Constraint::Length(1); 2]).areas(detail);
        let [what, more] = describe(cell);
        frame.render_widget(Line::from(format!(" {what}")), first);
        frame.render_widget(Line::styled(format!(" {more}"), theme.dim), second);
    }
    draw_bottom(frame, bottom, app, theme);
    Layout { rows: usize::from(table.height.saturating_sub(1)) }
}

fn empty(app: &App) -> String {
    if app.cells.is_empty() {
        " The store is empty: `qualm import` adds results.".to_owned()
    } else {
        format!(" No cell holds “{}”: Esc forgets the search.", visible(&app.search))
    }
}

fn title<'a>(app: &App, theme: &Theme, width: u16) -> Line<'a> {
    let sum = |count: fn(&CellSummary) -> u64| app.cells.iter().map(count).sum();
    let counts = [
        counted(app.cells.len() as u64, "cell"),
        counted(sum(|own| own.tasks), "task"),
        counted(sum(|own| own.trajectories), "trajectory"),
    ]
    .join(" · ");
    let mut spans = vec![
        Span::styled(" qualm ", theme.brand),
        Span::styled(format!(" {} › Cells ", visible(&app.name)), theme.title),
    ];
    if app.synthetic {
        spans.push(Span::styled(" synthetic data ", theme.notice));
    }
    let used: usize = spans.iter().map(Span::width).sum();
    let room = usize::from(width).saturating_sub(used + 1);
    let counts = if counts.chars().count() <= room { counts } else { String::new() };
    spans.push(Span::styled(format!("{counts:>room$} "), theme.dim));
    Line::from(spans)
}

fn draw_table(frame: &mut Frame<'_>, area: Rect, app: &App, shown: &[&CellSummary], theme: &Theme) {
    let wide = area.width >= WIDE;
    let conditions =
        app.cells.iter().any(|own| own.cell.condition != model::Cell::DEFAULT_CONDITION);
    let width = |name: fn(&CellSummary) -> &str, header: &str, most: u16| {
        let names = shown.iter().map(|own| Span::raw(visible(name(own))).width() as u16);
        names.chain([header.len() as u16]).max().unwrap_or(0).min(most)
    };
    let mut columns: Vec<(&str, Constraint, bool)> = vec![
        ("dataset", Constraint::Length(width(|own| &own.cell.dataset, "dataset", 24)), false),
        ("model", Constraint::Length(width(|own| &own.cell.model, "model", 28)), false),
    ];
    if conditions {
        let length = width(|own| &own.cell.condition, "condition", 18);
        columns.push(("condition", Constraint::Length(length), false));
    }
    columns.push(("tasks", Constraint::Length(6), true));
    columns.push(("runs", Constraint::Length(7), true));
    columns.push(("solved", Constraint::Length(if wide { 24 } else { 14 }), false));
    columns.push(("log-probs", Constraint::Length(9), true));
    if wide {
        columns.push(("turns", Constraint::Length(9), true));
        columns.push(("unlabelled", Constraint::Length(10), true));
        columns.push(("skipped", Constraint::Length(7), true));
    }
    let right = |text: String, right: bool| {
        let line = Line::from(text);
        Cell::from(if right { line.right_aligned() } else { line })
    };
    let rows = shown.iter().map(|own| {
        Row::new(columns.iter().map(|(name, size, to_right)| match *name {
            "solved" => solved(own, *size, theme),
            name => right(value(own, name), *to_right),
        }))
    });
    let header = columns.iter().map(|(name, _, to_right)| right((*name).to_owned(), *to_right));
    let table = Table::new(rows, columns.iter().map(|(_, size, _)| *size))
        .header(Row::new(header).style(theme.header))
        .column_spacing(2)
        .highlight_symbol("▸")
        .row_highlight_style(theme.selected);
    let mut state = TableState::default().with_selected(Some(app.selected));
    frame.render_stateful_widget(table, area, &mut state);
}

fn value(own: &CellSummary, column: &str) -> String {
    match column {
        "dataset" => visible(&own.cell.dataset).into_owned(),
        "model" => visible(&own.cell.model).into_owned(),
        "condition" => visible(&own.cell.condition).into_owned(),
        "tasks" => grouped(own.tasks),
        "runs" => grouped(own.trajectories),
        "log-probs" => percent(own.turns_with_logprobs, own.turns),
        "turns" => grouped(own.turns),
        "unlabelled" => grouped(own.trajectories - own.labelled),
        _ => grouped(own.skipped),
    }
}

/// The share of references that succeeded, as number and bar.
fn solved<'a>(own: &CellSummary, size: Constraint, theme: &Theme) -> Cell<'a> {
    let number = percent(own.reference_successes, own.references_labelled);
    let Constraint::Length(width) = size else { return Cell::from(number) };
    let bar = widgets::bar(own.success_rate().unwrap_or(0.0), usize::from(width).saturating_sub(5));
    Cell::from(Line::from(vec![
        Span::styled(format!("{number:>4} "), Style::new()),
        Span::styled(bar, theme.bar),
    ]))
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

fn draw_bottom(frame: &mut Frame<'_>, area: Rect, app: &App, theme: &Theme) {
    if let Some(Overlay::Search(prompt)) = app.overlays.last() {
        let [mark, rest] =
            Split::horizontal([Constraint::Length(3), Constraint::Min(1)]).areas(area);
        frame.render_widget(Span::styled(" / ", theme.key), mark);
        frame.render_widget(prompt.widget(), rest);
        return;
    }
    let mut spans = vec![Span::raw(" ")];
    for binding in keymap::BINDINGS {
        if let Some(short) = binding.short {
            spans.push(Span::styled(binding.shown, theme.key));
            spans.push(Span::styled(format!(" {short}  "), theme.dim));
        }
    }
    frame.render_widget(Line::from(spans), area);
}
