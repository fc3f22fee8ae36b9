//! The tasks whose ranks move between two aggregators: which is selected, how they are drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::{Aggregators, Pane, Spot};
use crate::engine::{TaskId, TaskTable};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::ui::action::Action;
use crate::ui::hits::{Hits, scrolled};
use crate::ui::marks;
use crate::ui::screens::Go;
use crate::ui::selection::Rows;
use crate::ui::shared::Shared;
use crate::ui::widgets::{padded, paragraph, put};

impl Aggregators {
    /// The tasks, if they are those of the lens as it is now.
    pub(super) fn current_table(&self, shared: &Shared) -> Option<&TaskTable> {
        self.moves.answer_to(&self.moves_query(shared)?).map(|table| &**table)
    }

    /// Keeps the selected task selected when the order changes, else the row.
    pub(super) fn keep_task(&mut self, shared: &mut Shared) {
        let Some(table) = self.current_table(shared) else { return };
        let last = table.rows.len().saturating_sub(1);
        let row = |id: TaskId| table.rows.iter().position(|row| *row == id);
        let index = match shared.task {
            Some(id) if table.rows.get(self.index) == Some(&id) => return,
            Some(id) => row(id).unwrap_or(self.index).min(last),
            None => 0,
        };
        shared.task = table.rows.get(index).copied();
        self.index = index;
    }

    /// Selects a row, or the last one.
    pub(super) fn select_task(&mut self, index: usize, shared: &mut Shared) {
        // Rows of a table that is about to go are not what the user will see.
        let Some(table) = self.current_table(shared) else { return };
        let index = index.min(table.rows.len().saturating_sub(1));
        shared.task = table.rows.get(index).copied();
        self.index = index;
    }

    /// Moves the selection over the tasks.
    pub(super) fn move_task(&mut self, action: &Action, shared: &mut Shared) -> Go {
        let count = self.table().map_or(0, |table| table.rows.len());
        let rows = Rows { count, page: self.layout.page };
        let Some(index) = rows.step(action, self.index) else { return Go::Pass };
        self.select_task(index, shared);
        Go::Stay
    }
}

/// Draws the tasks of the cell; returns the first row on screen.
pub(super) fn draw_moves(
    screen: &Aggregators,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> usize {
    let theme = &shared.theme;
    let [head, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    let name = |scorer: &Scorer| scorer.aggregator().map(Aggregator::id).unwrap_or_default();
    let (from, to) = (name(&screen.compared_scorer(shared)), name(&shared.lens.scorer));
    let focus = screen.pane == Pane::Tasks;
    let style = if focus { theme.header.patch(theme.selected) } else { theme.header };
    put(buffer, head, Line::styled(format!("  ranks under {from} → {to}"), style));
    let Some(table) = screen.table() else { return 0 };
    if table.rows.is_empty() {
        let text = match table.held_back {
            0 if table.total == 0 => shared.no_task_in_scope(),
            0 => "no task fits the selection".to_owned(),
            _ => "held back until you have voted".to_owned(),
        };
        let [_, body] = Split::horizontal([Constraint::Length(2), Constraint::Min(1)]).areas(body);
        paragraph(buffer, body, &text, theme.dim);
        return 0;
    }
    let room = usize::from(body.height);
    let offset = scrolled(screen.layout.task, screen.index, room, table.rows.len());
    for ((index, &id), line) in table.rows.iter().enumerate().skip(offset).zip(body.rows()) {
        let Some(moved) = moved_line(id, table, shared) else { continue };
        if focus && Some(id) == shared.task {
            buffer.set_style(line, theme.selected_row);
        }
        put(buffer, line, moved);
        hits.spot(line, Spot::Task(index));
    }
    offset
}

/// A task: its name, its outcomes, its ranks before and now.
fn moved_line<'a>(id: TaskId, table: &TaskTable, shared: &Shared) -> Option<Line<'a>> {
    let theme = &shared.theme;
    let task = shared.task_of(id)?;
    let mark = if Some(id) == shared.task { "▸ " } else { "  " };
    let longest = table.longest_id.clamp(4, 16);
    let draws = table.most_draws.min(marks::MOST_DRAWS) + 1;
    let mut spans = vec![
        Span::styled(mark, theme.selected),
        Span::styled(padded(&shared.short_id(id, longest), longest + 1), theme.text),
    ];
    if shared.holds_back(id) {
        spans.push(Span::styled(padded("hidden", draws + 1), theme.dim));
    } else {
        spans.extend(marks::outcomes(task, draws + 1, theme));
    }
    let number = |rank: Option<f64>| rank.map_or("–".to_owned(), |rank| format!("{rank:.0}"));
    let (rank, moved) = (table.rank(id), table.moved(id));
    let before = rank.zip(moved).map(|(rank, moved)| rank + moved);
    let ranks = format!("{:>4} → {:<4} ", number(before), number(rank));
    spans.push(Span::styled(ranks, theme.text));
    let (arrow, style) = marks::moved(moved, theme);
    spans.push(Span::styled(arrow, style));
    Some(Line::from(spans))
}
