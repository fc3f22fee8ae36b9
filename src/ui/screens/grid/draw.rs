//! Draws scorers by family × cells by dataset and model.
//!
//! ```text
//!              │bfcl-v4                  │airline
//!               4o-mi oss-2 Qwen2         4o-mi oss-2 Qwen2
//!  white-box
//!   LNSP·mean   .70   .52†  .68           .41†  .52   .17†
//!  ▸LNSP·min    .68   .45†  .65          ▐.45†▌ .59   .39†
//!  ───────────────────────────────────────────────────────
//!  airline · gpt-4o-mini · LNSP·min  AUROC 0.45 [0.25, 0.65]  n 50 (12 ✓ / 38 ✗)  † minority 12
//!  not decisive: overlaps with TER .65, AEC .61, ASC .60 and 20 more
//! ```

use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use super::detail::{detail_lines, draw_detail};
use super::{Empty, Grid, Layout, Row, Spot, heatmap};
use crate::scorers::{Family, Scorer};
use crate::store::CellSummary;
use crate::text::{counted, visible};
use crate::ui::heatmap::{Columns, Heatmap, Value};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::shared::{Load, Shared};
use crate::ui::widgets::{paragraph, put, rule, short_names, width, wrap};

/// Columns for the names of scorers, at least and at most.
const LABELS: (usize, usize) = (14, 24);

pub(super) fn draw(
    grid: &Grid,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let lines = Constraint::Length(detail_lines(area));
    let [body, line, detail] =
        Split::vertical([Constraint::Min(3), Constraint::Length(1), lines]).areas(area);
    rule(buffer, line, shared.theme.rule);
    let heatmap = heatmap(shared);
    let rows = grid.rows(shared);
    let label = label_width(&rows);
    let [head, table] =
        Split::vertical([Constraint::Length(heatmap.head_lines()), Constraint::Min(1)]).areas(body);
    let columns =
        Columns::new(&heatmap, body, label as u16, &grid.columns(shared), grid.layout.column);
    heatmap.draw_heads(buffer, head, &columns);
    let empty = grid.empty(shared);
    draw_hidden(buffer, Rect { width: (label as u16).min(head.width), ..head }, &empty, shared);
    for (cell, area) in columns.areas(head) {
        hits.spot(area, Spot::Column(cell));
    }
    if let Some(why) = shared.one_outcome(&[]) {
        paragraph(buffer, table, &why, shared.theme.text);
        return Layout { row: 0, column: columns.offset, page: 0 };
    }
    if rows.is_empty() {
        draw_empty(buffer, table, shared);
        return Layout { row: 0, column: columns.offset, page: 0 };
    }
    let selected = grid.selected_row(&rows, shared);
    let room = usize::from(table.height);
    let mut offset = scrolled(grid.layout.row, selected.unwrap_or(0), room, rows.len());
    // The head of the first family belongs to its first scorer.
    if selected == Some(1) && offset == 1 {
        offset = 0;
    }
    let scorers = shared.scorers();
    let best = heatmap.best_values(&scorers);
    let names = names(&rows, label);
    let lines = Lines { heatmap, scorers, best, columns: &columns, label, names };
    for ((index, row), line) in rows.iter().enumerate().skip(offset).zip(table.rows()) {
        lines.draw(buffer, line, row, selected == Some(index));
        lines.add_hits(line, row, index, hits);
    }
    let shown = rows.len() - offset;
    if shown < room {
        let rest = Rect { y: table.y + shown as u16, height: table.height - shown as u16, ..table };
        draw_missing(buffer, rest, shared, empty.words());
    }
    let row = selected.map(|index| &rows[index]);
    draw_detail(buffer, detail, &heatmap, row);
    Layout { row: offset, column: columns.offset, page: room }
}

/// Says in the corner how many cells and scorers are hidden.
fn draw_hidden(buffer: &mut Buffer, corner: Rect, empty: &Empty, shared: &Shared) {
    let hidden = empty.cells.len() + empty.scorers.len();
    if hidden > 0 {
        let corner = Rect { width: corner.width.saturating_sub(1), ..corner };
        put(buffer, corner, Line::styled(format!(" v +{hidden} hidden"), shared.theme.dim));
    }
}

fn label_width(rows: &[Row]) -> usize {
    let names = rows.iter().map(|row| match row {
        Row::Scorer(scorer) => width(&visible(&scorer.label())) + 3,
        Row::Folded(family, _) => family.id().len() + 5,
        // A head has its line to itself.
        Row::Head(_) => 0,
    });
    names.max().unwrap_or(0).clamp(LABELS.0, LABELS.1)
}

/// The labels of scorers in the room there is.
fn names(rows: &[Row], room: usize) -> HashMap<String, String> {
    let labels = rows.iter().filter_map(|row| match row {
        Row::Scorer(scorer) => Some(visible(&scorer.label()).into_owned()),
        _ => None,
    });
    let labels: Vec<String> = labels.collect();
    let short = short_names(&labels, room.saturating_sub(3));
    labels.into_iter().zip(short).collect()
}

/// What every row needs to know of the others.
struct Lines<'a> {
    heatmap: Heatmap<'a>,
    /// All scorers: values are ranked among them.
    scorers: Vec<Scorer>,
    /// The best value of every cell.
    best: Vec<Option<f64>>,
    columns: &'a Columns,
    /// How wide the names of rows are.
    label: usize,
    /// Short names of scorers, by their labels.
    names: HashMap<String, String>,
}

impl Lines<'_> {
    fn draw(&self, buffer: &mut Buffer, line: Rect, row: &Row, selected: bool) {
        let theme = &self.heatmap.shared.theme;
        let mark = if selected { "▸" } else { " " };
        let style = if selected { theme.selected } else { theme.text };
        let name = match row {
            Row::Head(family) => {
                put(buffer, line, Line::styled(format!(" {}", family.id()), theme.header));
                return;
            }
            Row::Folded(family, members) => {
                let name = format!("{mark}{} ▸{}", family.id(), members.len());
                Line::styled(name, theme.header.patch(style))
            }
            Row::Scorer(scorer) => {
                let pinned = self.heatmap.pinned == Some(scorer);
                let pin = if pinned { "•" } else { " " };
                let label = visible(&scorer.label()).into_owned();
                let name = self.names.get(&label).unwrap_or(&label);
                let style = if pinned { theme.pinned } else { style };
                Line::styled(format!("{mark}{pin}{name}"), style)
            }
        };
        put(buffer, self.name_area(line), name);
        for (cell, area) in self.columns.areas(line) {
            self.draw_value(buffer, area, row, cell, selected);
        }
    }

    fn draw_value(&self, buffer: &mut Buffer, area: Rect, row: &Row, cell: usize, selected: bool) {
        let scorer = match row {
            Row::Folded(_, members) => self.heatmap.best_scorer(cell, members),
            Row::Scorer(scorer) => Some(scorer),
            Row::Head(_) => None,
        };
        let Some(scorer) = scorer else { return };
        let value = self.heatmap.shared.numbers.value(scorer, cell);
        let best = value.is_some() && value == self.best[cell];
        let selected = selected && cell == self.heatmap.shared.cell;
        let value = Value { scorer, cell, among: &self.scorers, best, selected };
        self.heatmap.draw_value(buffer, area, &value);
    }

    fn add_hits(&self, line: Rect, row: &Row, index: usize, hits: &mut Hits<Spot>) {
        if let Row::Head(_) = row {
            hits.spot(line, Spot::Row(index, None));
            return;
        }
        hits.spot(self.name_area(line), Spot::Row(index, None));
        for (cell, area) in self.columns.areas(line) {
            hits.spot(area, Spot::Row(index, Some(cell)));
        }
    }

    fn name_area(&self, line: Rect) -> Rect {
        Rect { width: (self.label as u16).min(line.width), ..line }
    }
}

/// Says why there are no rows.
fn draw_empty(buffer: &mut Buffer, area: Rect, shared: &Shared) {
    let sum = |count: fn(&CellSummary) -> u64| shared.summaries.iter().map(count).sum::<u64>();
    let text = if let Load::Waiting = shared.data.loaded {
        let tasks = counted(sum(|summary| summary.tasks), "task");
        format!("Reading {tasks} of {} …", counted(shared.cells.len() as u64, "cell"))
    } else if let (true, Some(watching)) = (shared.cells.is_empty(), &shared.watching) {
        watching.words()
    } else if shared.cells.is_empty() {
        match sum(|summary| summary.skipped) {
            0 => "The store is empty: `qualm import` adds results.".to_owned(),
            skipped => format!(
                "No record of these results could be used as a run: {} skipped. `qualm import` \
                 says why.",
                counted(skipped, "record")
            ),
        }
    } else {
        return draw_missing(buffer, area, shared, None);
    };
    paragraph(buffer, area, &text, shared.theme.dim);
}

/// Says what the store lacks, and what to do about it.
fn draw_missing(buffer: &mut Buffer, area: Rect, shared: &Shared, hidden: Option<String>) {
    if shared.engine().is_none() {
        return;
    }
    let none =
        |count: fn(&CellSummary) -> u64| shared.summaries.iter().all(|summary| count(summary) == 0);
    let hidden = hidden.map(|hidden| {
        let them =
            if hidden.starts_with("1 ") && !hidden.contains(" and ") { "it" } else { "them" };
        format!("{hidden} without a value hidden: v shows {them}")
    });
    let mut said: Vec<&str> = hidden.as_deref().into_iter().collect();
    if none(|summary| summary.labelled) {
        said.push(
            "no run has an outcome: every number here needs graded runs; see `qualm help import`",
        );
    }
    if !shared.has_family(Family::WhiteBox) {
        said.push(if none(|summary| summary.turns_with_logprobs) {
            "no log-probabilities in this store: white-box rows need runs that recorded them; see `qualm help import`"
        } else {
            "no reference has log-probabilities that can be scored: white-box rows are over references; see `qualm help scoring`"
        });
    }
    if !shared.has_family(Family::Action) {
        said.push(
            "one run per task: consistency rows need several runs of each task; see `qualm help scoring`",
        );
    } else if !shared.has_family(Family::Judged) {
        said.push("no judge's verdicts: TER needs them; see `qualm help scoring`");
    }
    let room = usize::from(area.width).saturating_sub(4);
    let said = said.iter().flat_map(|text| wrap(text, room));
    for (text, line) in said.zip(area.rows().skip(1)) {
        put(buffer, line, Line::styled(format!("  {text}"), shared.theme.dim));
    }
}
