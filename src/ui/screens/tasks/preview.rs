//! The selected task beside the table: its instruction, the outcomes of its draws, its weak turns.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::compare::TurnView;
use crate::engine::{Column, Task, TaskId};
use crate::model::Trajectory;
use crate::text::{counted, visible};
use crate::ui::marks;
use crate::ui::shared::{Load, RunKey, Shared};
use crate::ui::widgets::{fit, fit_middle, put, two, width, wrap};

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
    let mut lines = heading(shared, id, task, room);
    let cell = shared.cell_of(id)?;
    lines.push(Line::styled(fit_middle(&visible(&cell.to_string()), room), theme.dim));
    lines.extend(scored(shared, id));
    lines.push(Line::styled(fit(&counts(task), room), theme.dim));
    let draw = task.draw_numbers().next();
    let whose = if shared.is_pooled(id.cell) { "the draw" } else { "the reference" };
    match draw.and_then(|draw| shared.runs.get(RunKey { id, draw })) {
        Some(Load::Ready(opened)) => {
            if let Some(instruction) = &opened.instruction {
                let title = "asks (hidden from the agent)";
                lines.extend(section(shared, title, instruction, theme.text, room));
            }
            if let Some(words) = &opened.run.head.final_message {
                let title = format!("last words of {whose}");
                lines.extend(section(shared, &title, words, theme.agent, room));
            }
            lines.push(Line::default());
            lines.push(Line::styled(format!("turns of {whose}"), theme.header));
            lines.extend(turns(shared, &opened.run, room));
        }
        Some(Load::Failed(error)) => {
            lines.extend(section(shared, "the run cannot be read", error, theme.error, room));
        }
        _ => lines.extend(section(shared, "…", "", theme.dim, room)),
    }
    Some(lines)
}

/// The whole id of the task, on lines of its own where it is long, and how its draws ended.
fn heading<'a>(shared: &Shared, id: TaskId, task: &Task, room: usize) -> Vec<Line<'a>> {
    let theme = &shared.theme;
    let outcomes = if shared.holds_back(id) {
        vec![Span::styled("outcomes are hidden until you have voted", theme.notice)]
    } else {
        marks::outcomes(task, 0, theme)
    };
    let name = visible(&task.id).into_owned();
    let beside: usize = outcomes.iter().map(Span::width).sum();
    if width(&name) + "task   ".len() + beside <= room {
        let mut line = vec![Span::styled(format!("task {name}  "), theme.title)];
        line.extend(outcomes);
        return vec![Line::from(line)];
    }
    let mut lines = wrap(&format!("task {name}"), room);
    lines.truncate(MOST_LINES);
    let mut lines: Vec<Line<'_>> =
        lines.into_iter().map(|line| Line::styled(line, theme.title)).collect();
    lines.push(Line::from(outcomes));
    lines
}

/// Score and rank under the lens, unless they would tell how judges decided.
fn scored<'a>(shared: &Shared, id: TaskId) -> Option<Line<'a>> {
    let scorer = &shared.lens.scorer;
    let tells = shared.holds_back(id) && shared.column_tells(&Column::Rank);
    let table = shared.tasks.table().filter(|_| !tells)?;
    let score = table.score(id).map_or("–".to_owned(), marks::score);
    let runs = if shared.is_pooled(id.cell) { " runs" } else { "" };
    let rank = table
        .rank(id)
        .map_or("no rank".to_owned(), |rank| format!("rank {rank} of {}{runs}", table.ranked(id)));
    let label = visible(&scorer.label()).into_owned();
    Some(Line::styled(format!("{label} {score}  {rank}"), shared.theme.text))
}

/// How long the reference is and why it ended.
fn counts(task: &Task) -> String {
    let ended = task.termination.as_deref().unwrap_or("–");
    match (task.turns, task.tools) {
        (Some(turns), Some(tools)) => format!(
            "{} · {} · ended {}",
            counted(u64::from(turns), "turn"),
            counted(u64::from(tools), "tool call"),
            visible(ended)
        ),
        _ => "no reference run: counts in no metric".to_owned(),
    }
}

/// A text under its title, as much of it as a few lines hold.
fn section<'a>(
    shared: &Shared,
    title: &str,
    text: &str,
    style: Style,
    room: usize,
) -> Vec<Line<'a>> {
    // No more than could be shown: a text may be megabytes.
    let some: String = text.chars().take(room * (MOST_LINES + 1)).collect();
    let safe = some.split('\n').map(visible).collect::<Vec<_>>().join("\n");
    let mut wrapped = wrap(&safe, room);
    let cut = wrapped.len() > MOST_LINES || some.len() < text.len();
    wrapped.truncate(MOST_LINES);
    if let Some(last) = wrapped.last_mut().filter(|_| cut) {
        last.push('…');
    }
    let mut lines = vec![Line::default(), Line::styled(title.to_owned(), shared.theme.header)];
    lines.extend(wrapped.into_iter().map(|line| Line::styled(line, style)));
    lines
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
            Span::styled(fit(&action, room.saturating_sub(11 + width(weakest))), theme.text),
            Span::styled(weakest, theme.warn),
        ])
    };
    views.iter().enumerate().map(line).collect()
}
