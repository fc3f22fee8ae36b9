//! The selected task beside the table: what it asks, how its draws went, where the doubt is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::compare::TurnView;
use crate::model::Trajectory;
use crate::text::{counted, visible};
use crate::ui::marks;
use crate::ui::shared::{Load, RunKey, Shared};
use crate::ui::widgets::{fit, fit_middle, put, two, wrap};

/// Lines of one text, at most.
const MOST_LINES: usize = 6;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, shared: &Shared) {
    let Some(lines) = lines(shared, usize::from(area.width).saturating_sub(2)) else { return };
    for (line, row) in lines.into_iter().zip(area.rows()) {
        let row = Rect { x: row.x + 1, width: row.width.saturating_sub(2), ..row };
        put(buffer, row, line);
    }
}

fn lines(shared: &Shared, room: usize) -> Option<Vec<Line<'_>>> {
    let theme = &shared.theme;
    let id = shared.task?;
    let task = shared.task_of(id)?;
    let cell = shared.cell_of(id)?;
    let name = shared.short_id(id, room.saturating_sub(20));
    let mut title = vec![Span::styled(format!("task {name}  "), theme.title)];
    let held_back = shared.holds_back(id);
    if held_back {
        title.push(Span::styled("outcomes are hidden until you have voted", theme.notice));
    } else {
        title.extend(marks::outcomes(task, 0, theme));
    }
    let mut lines = vec![Line::from(title)];
    lines.push(Line::styled(fit_middle(&visible(&cell.to_string()), room), theme.dim));
    let tells = held_back && shared.lens.scorer.base().is_none();
    if let Some(table) = shared.tasks.table().filter(|_| !tells) {
        let score = table.score(id).map_or("–".to_owned(), marks::score);
        let rank = table
            .rank(id)
            .map_or("no rank".to_owned(), |rank| format!("rank {rank} of {}", table.ranked(id)));
        let label = visible(&shared.lens.scorer.label()).into_owned();
        lines.push(Line::styled(format!("{label} {score}  {rank}"), theme.text));
    }
    let ended = task.termination.as_deref().unwrap_or("–");
    let counts = match (task.turns, task.tools) {
        (Some(turns), Some(tools)) => format!(
            "{} · {} · ended {}",
            counted(u64::from(turns), "turn"),
            counted(u64::from(tools), "tool call"),
            visible(ended)
        ),
        _ => "no reference run: counts in no metric".to_owned(),
    };
    lines.push(Line::styled(fit(&counts, room), theme.dim));
    let mut section = |title: &str, text: &str, style: Style| {
        lines.push(Line::default());
        lines.push(Line::styled(title.to_owned(), theme.header));
        // No more than could be shown: a text may be megabytes.
        let some: String = text.chars().take(room * (MOST_LINES + 1)).collect();
        let safe = some.split('\n').map(visible).collect::<Vec<_>>().join("\n");
        let mut wrapped = wrap(&safe, room);
        let cut = wrapped.len() > MOST_LINES || some.len() < text.len();
        wrapped.truncate(MOST_LINES);
        if let Some(last) = wrapped.last_mut().filter(|_| cut) {
            last.push('…');
        }
        lines.extend(wrapped.into_iter().map(|line| Line::styled(line, style)));
    };
    let draw = task.draw_numbers().next();
    let whose = if shared.is_pooled(id.cell) { "the draw" } else { "the reference" };
    match draw.and_then(|draw| shared.runs.get(RunKey { id, draw })) {
        Some(Load::Ready(opened)) => {
            if let Some(instruction) = &opened.instruction {
                section("asks (hidden from the agent)", instruction, theme.text);
            }
            if let Some(words) = &opened.run.head.final_message {
                section(&format!("last words of {whose}"), words, theme.agent);
            }
            lines.push(Line::default());
            lines.push(Line::styled(format!("turns of {whose}"), theme.header));
            lines.extend(turns(shared, &opened.run, room));
        }
        Some(Load::Failed(error)) => section("the run cannot be read", error, theme.error),
        _ => section("…", "", theme.dim),
    }
    Some(lines)
}

/// A line a turn: its confidence and what it did.
fn turns<'a>(shared: &Shared, run: &Trajectory, room: usize) -> Vec<Line<'a>> {
    let theme = &shared.theme;
    let views = shared.turn_views(run);
    let heights = marks::heights(&views);
    let line = |(turn, view): (usize, &TurnView)| {
        let (glyph, number, style) = match view.confidence {
            Some(value) => (theme.glyph(heights[turn]), two(value), theme.confidence(value)),
            None => (' ', "–".to_owned(), theme.dim),
        };
        let action = visible(&run.action(turn)).into_owned();
        let weakest = if view.weakest { "  ◂ weakest" } else { "" };
        Line::from(vec![
            Span::styled(format!("{:>3} ", turn + 1), theme.dim),
            Span::styled(format!("{glyph} {number:>4} "), style),
            Span::styled(fit(&action, room.saturating_sub(22)), theme.text),
            Span::styled(weakest, theme.warn),
        ])
    };
    views.iter().enumerate().map(line).collect()
}
