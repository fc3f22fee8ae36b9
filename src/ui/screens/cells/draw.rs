//! Draws the contents of the store, one row per cell.
//!
//! ```text
//!  dataset   model          tasks  runs  solved [95%]         disagree   scorers  log-probs  turns
//!  airline   gpt-4o-mini       50   200   24% [14, 37] ━━╸         36%  16 of 19        25%  2,140
//!  ─────────────────────────────────────────────────────────────────────────────────────────────
//!  airline · gpt-4o-mini: 12 of 50 references solved …
//!  200 runs of 50 tasks, draws disagree on 18 of 50 …
//!  16 of 19 scorers have values; what would add more: an encoder (prop-dist, prop-pd, prop-hmm)
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Row, StatefulWidget as _, Table, TableState};

use super::{Cells, Layout, Spot};
use crate::engine::CellFacts;
use crate::metrics::wilson;
use crate::model::{self, Unscored};
use crate::scorers::SPECS;
use crate::store::CellSummary;
use crate::text::{counted, grouped, percent, visible};
use crate::ui::hits::Hits;
use crate::ui::shared::Shared;
use crate::ui::theme::Theme;
use crate::ui::widgets::{self, fit, paragraph, put, rule, short_names, wrap_some};

/// Spaces between columns.
const GAP: u16 = 2;

/// The mark before the selected row.
const MARK: u16 = 1;

/// Lines of words about the selected cell, at least.
const FEWEST_LINES: u16 = 4;

/// Names are not cut to less.
const SHORTEST_NAME: u16 = 8;

/// A shorter bar shows nothing, a longer one nothing more.
const SHORTEST_BAR: u16 = 4;
const LONGEST_BAR: u16 = 24;

pub(super) fn draw(
    cells: &Cells,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let theme = &shared.theme;
    let shown = cells.shown(shared);
    let selected = cells.selected(shared);
    let row = shown.iter().position(|(index, _)| Some(*index) == selected).unwrap_or(0);
    // The words have at least a few lines, and those that a short table leaves.
    let left = area.height.saturating_sub(shown.len() as u16 + 2).max(FEWEST_LINES);
    let words = shown.get(row).map_or(Vec::new(), |(_, summary)| {
        in_words(summary, shared, usize::from(area.width), usize::from(left))
    });
    let high = (words.len() as u16).max(FEWEST_LINES);
    let [table, line, detail] =
        Split::vertical([Constraint::Min(3), Constraint::Length(1), Constraint::Length(high)])
            .areas(area);
    rule(buffer, line, theme.rule);
    if shown.is_empty() {
        paragraph(buffer, table, &empty(cells, shared), theme.dim);
    } else {
        draw_table(buffer, table, shared, &shown, row, hits);
    }
    for (line, row) in words.into_iter().zip(detail.rows()) {
        put(buffer, row, line);
    }
    Layout { page: usize::from(table.height.saturating_sub(1)) }
}

/// Why no cell is shown.
fn empty(cells: &Cells, shared: &Shared) -> String {
    if let (true, Some(watching)) = (shared.summaries.is_empty(), &shared.watching) {
        watching.words()
    } else if shared.summaries.is_empty() {
        "The store is empty: `qualm import` adds results.".to_owned()
    } else {
        format!("No cell contains “{}”: Esc clears the search.", visible(&cells.search))
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
    Disagree,
    Scorers,
    LogProbs,
    Turns,
    Unlabelled,
    Skipped,
}

impl Column {
    /// From left to right.
    const ALL: [Self; 12] = [
        Self::Dataset,
        Self::Model,
        Self::Condition,
        Self::Tasks,
        Self::Runs,
        Self::Solved,
        Self::Disagree,
        Self::Scorers,
        Self::LogProbs,
        Self::Turns,
        Self::Unlabelled,
        Self::Skipped,
    ];

    /// Those that hold names.
    const NAMES: [Self; 3] = [Self::Model, Self::Condition, Self::Dataset];

    /// Those that a narrow screen does without, the first to go first.
    const SPARE: [Self; 6] =
        [Self::Turns, Self::Unlabelled, Self::Skipped, Self::LogProbs, Self::Runs, Self::Scorers];

    fn title(self) -> &'static str {
        match self {
            Self::Dataset => "dataset",
            Self::Model => "model",
            Self::Condition => "condition",
            Self::Tasks => "tasks",
            Self::Runs => "runs",
            Self::Solved => "solved [95%]",
            Self::Disagree => "disagree",
            Self::Scorers => "scorers",
            Self::LogProbs => "log-probs",
            Self::Turns => "turns",
            Self::Unlabelled => "unlabelled",
            Self::Skipped => "skipped",
        }
    }

    fn is_name(self) -> bool {
        Self::NAMES.contains(&self)
    }

    fn is_number(self) -> bool {
        !self.is_name() && self != Self::Solved
    }

    fn value(self, summary: &CellSummary, facts: Option<&CellFacts>) -> String {
        // A cell of skipped records alone has nothing that could become known.
        let unknown = if summary.tasks == 0 { "–" } else { "…" };
        let known = |text: &dyn Fn(&CellFacts) -> String| facts.map_or(unknown.to_owned(), text);
        match self {
            Self::Dataset => visible(&summary.cell.dataset).into_owned(),
            Self::Model => visible(&summary.cell.model).into_owned(),
            Self::Condition => visible(&summary.cell.condition).into_owned(),
            Self::Tasks => grouped(summary.tasks),
            Self::Runs => grouped(summary.trajectories),
            Self::Solved => solved_words(summary),
            Self::Disagree => known(&|facts| percent(facts.mixed as u64, facts.repeated as u64)),
            Self::Scorers => known(&|facts| format!("{} of {}", facts.computed.len(), SPECS.len())),
            Self::LogProbs => percent(summary.turns_with_logprobs, summary.turns),
            Self::Turns => grouped(summary.turns),
            Self::Unlabelled => grouped(summary.trajectories - summary.labelled),
            Self::Skipped => grouped(summary.skipped),
        }
    }

    /// The width that shows every cell of the store whole.
    fn width(self, shared: &Shared) -> u16 {
        let values = shared
            .summaries
            .iter()
            .map(|summary| Span::raw(self.value(summary, facts_of(summary, shared))).width());
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
    // Of the names, the longest are cut.
    while taken(&columns) + MARK > room
        && let Some((_, width)) = columns
            .iter_mut()
            .filter(|(column, width)| column.is_name() && *width > SHORTEST_NAME)
            .max_by_key(|(_, width)| *width)
    {
        *width -= 1;
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
    let texts = columns.iter().map(|&(column, width)| {
        let summaries = shown.iter().map(|(_, summary)| *summary);
        let texts = summaries.map(|summary| column.value(summary, facts_of(summary, shared)));
        let texts: Vec<String> = texts.collect();
        if column.is_name() { short_names(&texts, usize::from(width)) } else { texts }
    });
    let texts: Vec<Vec<String>> = texts.collect();
    let rows = shown.iter().enumerate().map(|(row, (_, summary))| {
        Row::new(columns.iter().zip(&texts).map(|(&(column, width), texts)| match column {
            Column::Solved => solved(summary, &texts[row], (width, bar), theme),
            column => aligned(column, texts[row].clone()),
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

/// The share of references that succeeded, as number, interval and bar.
fn solved<'a>(
    summary: &CellSummary,
    number: &str,
    (width, bar): (u16, u16),
    theme: &Theme,
) -> Cell<'a> {
    let bar =
        widgets::bar(summary.success_rate().unwrap_or(0.0), usize::from(bar).saturating_sub(1));
    let number = format!("{number:<0$} ", usize::from(width));
    Cell::from(Line::from(vec![Span::raw(number), Span::styled(bar, theme.bar)]))
}

/// The share of references that succeeded with its 95% interval, in percent.
fn solved_words(summary: &CellSummary) -> String {
    let (successes, known) = (summary.reference_successes, summary.references_labelled);
    let share = percent(successes, known);
    // Runs of one task are not independent, as the interval takes them to be.
    let ends = wilson(successes, known).filter(|_| !summary.pooled);
    ends.map_or(share.clone(), |(lo, hi)| {
        format!("{share:>4} [{:.0}, {:.0}]", 100.0 * lo, 100.0 * hi)
    })
}

/// What the engine knows of a cell; none before the store is read, and of a cell without runs.
fn facts_of<'a>(summary: &CellSummary, shared: &'a Shared) -> Option<&'a CellFacts> {
    let cell = shared.cells.iter().position(|cell| *cell == summary.cell)?;
    shared.data.facts.get(cell)
}

/// The selected cell in words, in so many columns and lines at most.
fn in_words<'a>(
    summary: &CellSummary,
    shared: &Shared,
    columns: usize,
    lines: usize,
) -> Vec<Line<'a>> {
    let theme = &shared.theme;
    let facts = facts_of(summary, shared);
    let room = columns.saturating_sub(2);
    let [what, more] = describe(summary, facts, room);
    let unscored = unscored(summary).map(|words| fit(&words, room));
    let left = lines.saturating_sub(2 + usize::from(unscored.is_some()));
    let (scorers, cut) = wrap_some(&facts.map(scorers).unwrap_or_default(), room, left);
    let last = scorers.len().saturating_sub(1);
    let scorers = scorers.into_iter().enumerate().map(|(index, line)| {
        let mark = if cut && index == last { "…" } else { "" };
        Line::styled(format!(" {line}{mark}"), theme.dim)
    });
    let first = [Line::from(format!(" {what}")), Line::styled(format!(" {more}"), theme.dim)];
    let unscored = unscored.map(|words| Line::styled(format!(" {words}"), theme.dim));
    first.into_iter().chain(unscored).chain(scorers).collect()
}

/// How many scorers have values, and what others would need.
fn scorers(facts: &CellFacts) -> String {
    let have = format!("{} of {} scorers have values", facts.computed.len(), SPECS.len());
    // What one thing would add comes before what takes two.
    let mut possible: Vec<_> = facts.possible.iter().collect();
    possible.sort_by_key(|(needs, _)| needs.len());
    let possible = possible.into_iter().map(|(needs, scorers)| {
        let needs: Vec<&str> = needs.iter().map(|need| need.words()).collect();
        let needs = if needs.is_empty() { "qualm score".to_owned() } else { needs.join(" and ") };
        format!("{needs} ({})", scorers.join(", "))
    });
    let possible: Vec<String> = possible.collect();
    if possible.is_empty() {
        return have;
    }
    format!("{have}; what would add more: {}", possible.join(", "))
}

/// Why turns have no tokens; none where they were all not sent, which is plain from their number.
fn unscored(summary: &CellSummary) -> Option<String> {
    let known = summary.unscored.iter();
    let known = known.filter_map(|(why, count)| Some((Unscored::parse(why)?, *count)));
    let known: Vec<(Unscored, u64)> = known.collect();
    let words =
        known.iter().map(|(why, count)| format!("{} {}", grouped(*count), why.of_several()));
    let words = words.collect::<Vec<_>>().join(", ");
    let is_plain = known.iter().all(|(why, _)| *why == Unscored::NotSent);
    (!is_plain).then(|| format!("turns without tokens: {words}"))
}

/// The selected cell in words.
fn describe(summary: &CellSummary, facts: Option<&CellFacts>, room: usize) -> [String; 2] {
    let solved = match summary.references_labelled {
        0 => "no reference has a label".to_owned(),
        known if summary.pooled => format!(
            "{} of {} runs solved, {} · no draw is the reference, every run counts",
            summary.reference_successes,
            grouped(known),
            solved_words(summary).trim()
        ),
        known => format!(
            "{} of {} references solved, {} (Wilson)",
            summary.reference_successes,
            grouped(known),
            solved_words(summary).trim()
        ),
    };
    let (some, turns) = (summary.turns_with_logprobs, grouped(summary.turns));
    let logprobs = match some {
        0 => "no turn has log-probabilities".to_owned(),
        some => format!("{} of {turns} turns have log-probabilities", grouped(some)),
    };
    let few_words = format!("log-probs: {} of {turns} turns", grouped(some));
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
    let disagree = match facts {
        Some(CellFacts { repeated: 0, .. }) => " · no task has two graded draws".to_owned(),
        Some(CellFacts { repeated, mixed, .. }) => {
            format!(" · draws disagree on {mixed} of {}", counted(*repeated as u64, "task"))
        }
        None => String::new(),
    };
    let runs = counted(summary.trajectories, "run");
    let tasks = counted(summary.tasks, "task");
    let more = format!("{runs} of {tasks}{disagree} · {logprobs}{left_out}");
    let more = if widgets::width(&more) <= room {
        more
    } else {
        format!("{runs}{disagree} · {few_words}{left_out}")
    };
    [format!("{}: {solved}{lacking}", visible(&summary.cell.to_string())), more]
}
