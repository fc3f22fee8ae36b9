//! Draws one row per task, and reads only the tasks on screen.
//!
//! ```text
//!   task   outcome  score        rank      turns tools  ended
//! ▸ 17     ✗ ✓✓✗    ━━╸    .310  48 ▼12      9     5  user_stop
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::columns::{self, Shown};
use super::{Layout, Spot, Tasks, preview};
use crate::engine::{Column, Task, TaskId, TaskTable};
use crate::model::Cell;
use crate::text::{counted, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::marks;
use crate::ui::names::ShortIds;
use crate::ui::shared::{Load, Shared};
use crate::ui::theme::Theme;
use crate::ui::widgets::{bar, fit, padded, paragraph, put, short_names, width};

/// From this width on the selected task is shown beside the table.
const WITH_PREVIEW: u16 = 100;

/// Columns of what is shown beside the table, at least.
const LEAST_PREVIEW: u16 = 36;

pub(super) fn draw(
    screen: &Tasks,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let theme = &shared.theme;
    let Some(table) = shared.tasks.table() else {
        let text = match shared.data.loaded {
            Load::Waiting => "Reading the store …",
            _ => "Looking through the tasks …",
        };
        paragraph(buffer, area, text, theme.dim);
        return Layout::default();
    };
    if table.rows.is_empty() {
        paragraph(buffer, area, &empty(shared, table), theme.dim);
        return Layout::default();
    }
    let sheet = Sheet { screen, shared, table };
    if area.width < WITH_PREVIEW {
        return sheet.draw(buffer, area, hits);
    }
    // The table takes what its columns need, the selected task the rest.
    let most = area.width - LEAST_PREVIEW.max(area.width / 4);
    let wide = (columns::widest(shared, table, usize::from(area.width)) as u16 + 1).min(most);
    let [table, side] =
        Split::horizontal([Constraint::Length(wide), Constraint::Min(1)]).areas(area);
    let layout = sheet.draw(buffer, table, hits);
    preview::draw(buffer, side, shared);
    layout
}

fn empty(shared: &Shared, table: &TaskTable) -> String {
    let key = |id: &str| shared.keymap.key_of(id).unwrap_or(":");
    if table.total == 0 && table.held_back == 0 {
        return shared.no_task_in_scope();
    }
    let selection = visible(&shared.lens.selection);
    if table.held_back > 0 {
        let count = counted(table.held_back as u64, "task");
        return format!(
            "This list would reveal how a task ended, or what judges say of it: {count} held back \
             until you have voted. {} lifts the selection, {} the scope.",
            key("lift-selection"),
            key("lift-scope")
        );
    }
    format!(
        "No task of {} fits the selection `{selection}`: {} changes it, {} lifts it.",
        table.total,
        key("filter"),
        key("lift-selection")
    )
}

/// The names of cells and tasks, as wide as their columns.
struct Names {
    datasets: Vec<String>,
    models: Vec<String>,
    conditions: Vec<String>,
    ids: ShortIds,
}

impl Names {
    fn new(shared: &Shared, table: &TaskTable, columns: &[Shown]) -> Self {
        let room = |column: &Column| {
            columns.iter().find(|shown| shown.column == *column).map_or(0, |shown| shown.width)
        };
        let short = |column: &Column, name: fn(&Cell) -> &String| {
            let names = shared.cells.iter().map(|cell| visible(name(cell)));
            short_names(&names.collect::<Vec<_>>(), room(column))
        };
        let cell = (!shared.tasks.all_cells).then_some(shared.cell);
        let is_pooled = shared.engine().is_some_and(|engine| engine.is_pooled());
        let draw_width = if is_pooled { draw_mark(table.most_draws as u32).len() } else { 0 };
        Self {
            datasets: short(&Column::Dataset, |cell| &cell.dataset),
            models: short(&Column::Model, |cell| &cell.model),
            conditions: short(&Column::Condition, |cell| &cell.condition),
            ids: shared.short_ids(cell, room(&Column::Task).saturating_sub(draw_width)),
        }
    }
}

/// The table with what its rows need.
struct Sheet<'a> {
    screen: &'a Tasks,
    shared: &'a Shared,
    table: &'a TaskTable,
}

impl Sheet<'_> {
    fn draw(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) -> Layout {
        let columns = columns::fitting(self.shared, self.table, usize::from(area.width));
        let [head, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
        self.draw_heads(buffer, head, &columns, hits);
        let room = usize::from(body.height);
        let rows = self.table.rows.len();
        let offset = scrolled(self.screen.offset, self.shared.tasks.index, room, rows);
        let names = Names::new(self.shared, self.table, &columns);
        for (index, line) in (offset..rows).zip(body.rows()) {
            self.draw_row(buffer, line, index, &columns, &names);
            hits.spot(line, Spot::Row(index));
        }
        draw_scrollbar(buffer, body, &self.shared.theme, offset, rows);
        let widths = columns.into_iter().map(|shown| (shown.column, shown.width)).collect();
        // Rows that are about to go leave the position of those to come alone.
        let is_current = self.shared.current_table().is_some();
        Layout { offset: is_current.then_some(offset), page: room, widths }
    }

    fn draw_heads(
        &self,
        buffer: &mut Buffer,
        head: Rect,
        columns: &[Shown],
        hits: &mut Hits<Spot>,
    ) {
        let (theme, list) = (&self.shared.theme, &self.shared.tasks);
        let mut x = head.x + 2;
        for shown in columns {
            let sorted = shown.column == list.sort;
            let mark = match (sorted, list.descending) {
                (false, _) => "",
                (true, false) => "▴",
                (true, true) => "▾",
            };
            let wide = (shown.width as u16 + 1).min(head.right().saturating_sub(x));
            let area = Rect { x, width: wide, ..head };
            let style = if sorted { theme.header.patch(theme.selected) } else { theme.header };
            let title = format!("{}{mark}", shown.title);
            let title = if shown.is_right_aligned() {
                // The mark stands in the gap, so that titles stay above their numbers.
                right(&title, shown.width + width(mark))
            } else {
                title
            };
            put(buffer, area, Line::styled(fit(&title, shown.width + 1), style));
            hits.spot(area, Spot::Head(shown.column.clone()));
            x += shown.width as u16 + 2;
        }
    }

    fn draw_row(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        index: usize,
        columns: &[Shown],
        names: &Names,
    ) {
        let theme = &self.shared.theme;
        let id = self.table.rows[index];
        let Some(task) = self.shared.task_of(id) else { return };
        let selected = index == self.shared.tasks.index;
        let marked = if self.shared.tasks.marks.contains(&id) { "●" } else { " " };
        let mut spans = vec![
            Span::styled(if selected { "▸" } else { " " }, theme.selected),
            Span::styled(marked, theme.accent),
        ];
        for shown in columns {
            spans.extend(self.cell_spans(id, task, shown, names));
            spans.push(Span::raw("  "));
        }
        if selected {
            buffer.set_style(line, theme.selected_row);
        }
        put(buffer, line, Line::from(spans));
    }

    /// Whether a value tells how the task ended or what judges say, while the user votes on its pairs.
    fn is_held_back(&self, id: TaskId, column: &Column) -> bool {
        self.shared.column_tells(column) && self.shared.holds_back(id)
    }

    fn cell_spans<'s>(
        &self,
        id: TaskId,
        task: &Task,
        shown: &Shown,
        names: &Names,
    ) -> Vec<Span<'s>> {
        let theme = &self.shared.theme;
        let cell = id.cell as usize;
        let room = shown.width;
        let text = |text: &str, style: Style| {
            vec![Span::styled(padded(&fit(&visible(text), room), room), style)]
        };
        let number = |text: &str| vec![Span::styled(right(text, room), theme.text)];
        let opt = |value: Option<f64>| number(&value.map_or("–".to_owned(), marks::score));
        let count =
            |count: Option<u32>| number(&count.map_or("–".to_owned(), |count| count.to_string()));
        match &shown.column {
            column if self.is_held_back(id, column) => text("hidden", theme.dim),
            Column::Dataset => text(&names.datasets[cell], theme.dim),
            Column::Model => text(&names.models[cell], theme.dim),
            Column::Condition => text(&names.conditions[cell], theme.dim),
            Column::Task => {
                let hit = self.screen.search.is_hit(id, self.shared);
                let mut name = names.ids.of(&task.id);
                if self.shared.is_pooled(id.cell) {
                    name.push_str(&draw_mark(task.draw));
                }
                text(&name, if hit { theme.match_ } else { theme.text })
            }
            Column::Success => marks::outcomes(task, room, theme),
            Column::Score => score(self.table, id, room, theme),
            Column::Rank => rank(self.table, id, room, theme),
            Column::Turns => count(task.turns),
            Column::Tools => count(task.tools),
            Column::Solved => count(Some(task.solved() as u32)),
            Column::Draws => count(Some(task.draws() as u32)),
            Column::Agreement => opt(self.agreement(id)),
            Column::Reward => opt(task.reward),
            Column::Cost => opt(task.cost),
            Column::Termination => text(task.termination.as_deref().unwrap_or("–"), theme.dim),
            Column::Note => {
                let noted = self.shared.notes.noted().contains(&id);
                text(if noted { "✎" } else { "" }, theme.accent)
            }
            Column::Scorer(_) => opt(self.table.extra(id, shown.extra)),
            _ => Vec::new(),
        }
    }

    /// How far the draws of a task agree.
    fn agreement(&self, id: TaskId) -> Option<f64> {
        let frame = self.shared.engine()?.frames().get(id.cell as usize)?;
        Some(frame.agreement(id.task as usize)).filter(|value| !value.is_nan())
    }
}

/// The draw of a row, behind its task.
fn draw_mark(draw: u32) -> String {
    format!(" #{draw}")
}

/// How far down the table is, where not all of it is on screen; and its edge.
fn draw_scrollbar(buffer: &mut Buffer, area: Rect, theme: &Theme, offset: usize, rows: usize) {
    let room = usize::from(area.height);
    let all = rows <= room || room == 0;
    if all && area.right() == buffer.area.right() {
        return;
    }
    let size = if all { 0 } else { (room * room / rows).max(1) };
    let start = if all { 0 } else { offset * (room - size) / (rows - room) };
    for (index, line) in area.rows().enumerate() {
        let inside = (start..start + size).contains(&index);
        let edge = Rect { x: area.right() - 1, width: 1, ..line };
        let (glyph, style) = if inside { ("┃", theme.dim) } else { ("│", theme.rule) };
        buffer.set_style(edge, Style::reset());
        put(buffer, edge, Line::styled(glyph, style));
    }
}

fn right(text: &str, room: usize) -> String {
    let text = fit(text, room);
    format!("{}{text}", " ".repeat(room.saturating_sub(width(&text))))
}

fn score<'a>(table: &TaskTable, id: TaskId, room: usize, theme: &Theme) -> Vec<Span<'a>> {
    let Some(score) = table.score(id) else {
        return vec![Span::styled(right("–", room), theme.dim)];
    };
    let share = table.range(id.cell).map_or(0.0, |(lo, hi)| (score - lo) / (hi - lo));
    // All alike: a full bar says as little as an empty one.
    let share = if share.is_finite() { share } else { 1.0 };
    // A narrow column has no room for the bar.
    if room < columns::SCORE - 1 {
        return vec![Span::styled(right(&marks::score(score), room), theme.text)];
    }
    let length = room - columns::NUMBER;
    let number = right(&marks::score(score), columns::NUMBER);
    let (bar, style) = (bar(share, length), theme.confidence(share));
    // Without colour a low score is underlined: only the bar, not the space behind it.
    let (line, space) = bar.split_at(bar.trim_end().len());
    vec![
        Span::styled(line.to_owned(), style),
        Span::raw(space.to_owned()),
        Span::styled(number, theme.text),
    ]
}

fn rank<'a>(table: &TaskTable, id: TaskId, room: usize, theme: &Theme) -> Vec<Span<'a>> {
    let Some(rank) = table.rank(id) else {
        return vec![Span::styled(padded("–", room), theme.dim)];
    };
    // Tied tasks share the mean of their ranks, which may lie between two.
    let number = if rank.fract() == 0.0 { format!("{rank:.0}") } else { format!("{rank:.1}") };
    let (moved, style) = marks::moved(table.moved(id), theme);
    let number = padded(&number, room.min(6));
    let rest = padded(&moved, room.saturating_sub(6));
    vec![Span::styled(number, theme.text), Span::styled(rest, style)]
}
