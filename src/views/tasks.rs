//! Tasks, a row each: only those on screen are looked at.
//!
//! ```text
//!   task   outcome  score        rank      turns tools  ended
//! ▸ 17     ✗ ✓✓✗    ━━╸    .310  48 ▼12      9     5  user_stop
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{WIDE, marks, preview, put};
use crate::app::{App, Hit, Layout, Load, scrolled};
use crate::engine::{Column, Task, TaskId, TaskTable};
use crate::model::Cell;
use crate::text::visible;
use crate::theme::Theme;
use crate::widgets::{bar, fit, padded, width};

/// Cells of a score's bar.
const BAR: usize = 8;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let theme = &app.theme;
    let (table_area, preview_area) = if area.width >= WIDE {
        let side = (area.width * 3 / 8).min(70);
        let [table, side] =
            Split::horizontal([Constraint::Min(50), Constraint::Length(side)]).areas(area);
        (table, Some(side))
    } else {
        (area, None)
    };
    let Some(table) = app.table() else {
        let text = match app.data.loaded {
            Load::Waiting => "Reading the store …",
            _ => "Looking through the tasks …",
        };
        super::paragraph(buffer, area, text, theme.dim);
        return;
    };
    if table.rows.is_empty() {
        super::paragraph(buffer, table_area, &empty(app, table), theme.dim);
        return;
    }
    draw_table(buffer, table_area, app, table, layout);
    if let Some(side) = preview_area {
        preview::draw(buffer, side, app);
    }
}

fn empty(app: &App, table: &TaskTable) -> String {
    if table.total == 0 {
        return "There is no task here: `qualm import` adds results.".to_owned();
    }
    let filter = visible(&app.lens.filter).into_owned();
    format!(
        "No task of {} fits the filter `{filter}`. & changes it; an empty filter lifts it.",
        table.total
    )
}

/// A column on screen.
struct Shown {
    column: Column,
    title: String,
    width: usize,
    /// Place among the score columns.
    extra: usize,
}

fn columns(app: &App, table: &TaskTable, room: usize) -> Vec<Shown> {
    let name_width = |name: fn(&Cell) -> &String| {
        app.columns.iter().map(|own| width(&visible(name(own)))).max().unwrap_or(0).min(16)
    };
    let shown = |column: Column, title: &str, width: usize| Shown {
        column,
        title: title.to_owned(),
        width: width.max(title.len()),
        extra: 0,
    };
    let mut columns = Vec::new();
    if app.tasks.all_cells {
        columns.push(shown(Column::Dataset, "dataset", name_width(|own| &own.dataset)));
        columns.push(shown(Column::Model, "model", name_width(|own| &own.model)));
        if app.columns.iter().any(|own| own.condition != Cell::DEFAULT_CONDITION) {
            columns.push(shown(Column::Condition, "cond.", name_width(|own| &own.condition)));
        }
    }
    columns.push(shown(Column::Task, "task", table.longest_id.clamp(4, 12)));
    let draws = table.most_draws.min(marks::MOST_DRAWS) + usize::from(table.most_draws > 1);
    columns.push(shown(Column::Success, "outcome", draws));
    columns.push(shown(Column::Score, "score", BAR + 7));
    columns.push(shown(Column::Rank, "rank", 10));
    for (extra, scorer) in app.tasks.extra.iter().enumerate() {
        let title = fit(&visible(&scorer.label()), 12);
        let own = shown(Column::Scorer(scorer.clone()), &title, width(&title).max(6));
        columns.push(Shown { extra, ..own });
    }
    columns.push(shown(Column::Turns, "turns", 5));
    columns.push(shown(Column::Tools, "tools", 5));
    columns.push(shown(Column::Termination, "ended", 12));
    if !app.data.noted.is_empty() {
        columns.push(shown(Column::Note, "note", 4));
    }
    // What a narrow screen does without, the first to go first.
    let spare = [Column::Termination, Column::Tools, Column::Turns, Column::Condition];
    let taken = |columns: &[Shown]| columns.iter().map(|own| own.width + 2).sum::<usize>() + 1;
    for column in spare {
        if taken(&columns) > room {
            columns.retain(|own| own.column != column);
        }
    }
    // Score columns that do not fit whole are left out, the last first.
    while taken(&columns) > room
        && let Some(place) = columns.iter().rposition(|own| matches!(own.column, Column::Scorer(_)))
    {
        columns.remove(place);
    }
    // Names take what is left.
    for (column, most) in [(Column::Task, table.longest_id.min(60)), (Column::Termination, 24)] {
        let left = room.saturating_sub(taken(&columns));
        if let Some(own) = columns.iter_mut().find(|own| own.column == column) {
            own.width = own.width.max(most.min(own.width + left));
        }
    }
    columns
}

fn draw_table(buffer: &mut Buffer, area: Rect, app: &App, table: &TaskTable, layout: &mut Layout) {
    let theme = &app.theme;
    let columns = columns(app, table, usize::from(area.width));
    let [head, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    let mut x = head.x + 2;
    for own in &columns {
        let sorted = own.column == app.tasks.sort;
        let mark = match (sorted, app.tasks.descending) {
            (false, _) => "",
            (true, false) => "▴",
            (true, true) => "▾",
        };
        let place =
            Rect { x, width: (own.width as u16 + 1).min(head.right().saturating_sub(x)), ..head };
        let style = if sorted { theme.header.patch(theme.selected) } else { theme.header };
        let title = format!("{}{mark}", own.title);
        let title = if own.right() {
            // The mark stands in the gap, so that titles stay above their numbers.
            right(&title, own.width + width(mark))
        } else {
            title
        };
        put(buffer, place, Line::styled(fit(&title, own.width + 1), style));
        layout.hit(place, Hit::TaskColumn(own.column.clone()));
        x += own.width as u16 + 2;
    }
    let room = usize::from(body.height);
    let offset = scrolled(app.tasks.offset, app.tasks.place, room, table.rows.len());
    for (place, line) in (offset..table.rows.len()).zip(body.rows()) {
        draw_row(buffer, line, app, table, place, &columns);
        layout.hit(line, Hit::Task(place));
    }
    draw_scrollbar(buffer, body, app, offset, table.rows.len());
    layout.page = room;
    layout.tasks = Some(offset);
}

/// How far down the table is, where not all of it is on screen; and its edge.
fn draw_scrollbar(buffer: &mut Buffer, area: Rect, app: &App, offset: usize, rows: usize) {
    let room = usize::from(area.height);
    let all = rows <= room || room == 0;
    if all && area.right() == buffer.area.right() {
        return;
    }
    let size = if all { 0 } else { (room * room / rows).max(1) };
    let start = if all { 0 } else { offset * (room - size) / (rows - room) };
    for (place, line) in area.rows().enumerate() {
        let inside = (start..start + size).contains(&place);
        let own = Rect { x: area.right() - 1, width: 1, ..line };
        let (glyph, style) = if inside { ("┃", app.theme.dim) } else { ("│", app.theme.rule) };
        buffer.set_style(own, Style::reset());
        put(buffer, own, Line::styled(glyph, style));
    }
}

impl Shown {
    fn right(&self) -> bool {
        matches!(self.column, Column::Turns | Column::Tools | Column::Scorer(_))
    }
}

fn right(text: &str, room: usize) -> String {
    let text = fit(text, room);
    format!("{}{text}", " ".repeat(room.saturating_sub(width(&text))))
}

fn draw_row(
    buffer: &mut Buffer,
    line: Rect,
    app: &App,
    table: &TaskTable,
    place: usize,
    columns: &[Shown],
) {
    let theme = &app.theme;
    let id = table.rows[place];
    let Some(task) = app.task_of(id) else { return };
    let selected = place == app.tasks.place;
    let mut spans = vec![Span::styled(if selected { "▸ " } else { "  " }, theme.selected)];
    for own in columns {
        spans.extend(cell_spans(app, table, id, task, own));
        spans.push(Span::raw("  "));
    }
    if selected {
        buffer.set_style(line, theme.selected_row);
    }
    put(buffer, line, Line::from(spans));
}

fn cell_spans<'a>(
    app: &'a App,
    table: &TaskTable,
    id: TaskId,
    task: &'a Task,
    own: &Shown,
) -> Vec<Span<'a>> {
    let theme = &app.theme;
    let cell = &app.columns[id.cell as usize];
    let text =
        |text: &str, style: Style| vec![Span::styled(padded(&visible(text), own.width), style)];
    match &own.column {
        Column::Dataset => text(&cell.dataset, theme.dim),
        Column::Model => text(&cell.model, theme.dim),
        Column::Condition => text(&cell.condition, theme.dim),
        Column::Task => text(&task.id, if app.is_hit(id) { theme.match_ } else { theme.text }),
        Column::Success => marks::outcomes(task, own.width, theme),
        Column::Score => score(table, id, own.width, theme),
        Column::Rank => rank(table, id, own.width, theme),
        Column::Turns => vec![Span::styled(right(&task.turns.to_string(), own.width), theme.text)],
        Column::Tools => vec![Span::styled(right(&task.tools.to_string(), own.width), theme.text)],
        Column::Termination => text(task.termination.as_deref().unwrap_or("–"), theme.dim),
        Column::Note => text(if app.data.noted.contains(&id) { "✎" } else { "" }, theme.accent),
        Column::Scorer(_) => {
            let value = table.extra(id, own.extra).map_or("–".to_owned(), marks::score);
            vec![Span::styled(right(&value, own.width), theme.text)]
        }
        _ => Vec::new(),
    }
}

fn score<'a>(table: &TaskTable, id: TaskId, room: usize, theme: &Theme) -> Vec<Span<'a>> {
    let Some(score) = table.score(id) else {
        return vec![Span::styled(right("–", room), theme.dim)];
    };
    let share = table.range(id.cell).map_or(0.0, |(lo, hi)| (score - lo) / (hi - lo));
    // All alike: a full bar says as little as an empty one.
    let share = if share.is_finite() { share } else { 1.0 };
    let number = right(&marks::score(score), room - BAR);
    let (bar, style) = (bar(share, BAR), theme.confidence(share));
    vec![Span::styled(bar, style), Span::styled(number, theme.text)]
}

fn rank<'a>(table: &TaskTable, id: TaskId, room: usize, theme: &Theme) -> Vec<Span<'a>> {
    let Some(rank) = table.rank(id) else {
        return vec![Span::styled(padded("–", room), theme.dim)];
    };
    // Tied tasks share the mean of their ranks, which may lie between two.
    let number = if rank.fract() == 0.0 { format!("{rank:.0}") } else { format!("{rank:.1}") };
    let (moved, style) = marks::moved(table.moved(id), theme);
    let number = padded(&number, 6);
    let rest = padded(&moved, room.saturating_sub(6));
    vec![Span::styled(number, theme.text), Span::styled(rest, style)]
}
