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
use crate::ui::shared::{Load, Opened, RunKey, Shared};
use crate::ui::widgets::{fit, fit_middle, put, two, width, wrap};

/// Lines of a text that are shown however many turns there are.
const FEWEST_LINES: usize = 6;

/// Longer lines of text are hard to read.
const WIDEST_TEXT: usize = 100;

/// From this width on a turn shows what was said or called with.
const WITH_WORDS: usize = 60;

/// The room for the selected task.
#[derive(Clone, Copy)]
struct Room {
    columns: usize,
    lines: usize,
}

pub(super) fn draw(buffer: &mut Buffer, area: Rect, shared: &Shared) {
    let columns = usize::from(area.width).saturating_sub(2);
    let room = Room { columns, lines: usize::from(area.height) };
    let Some(lines) = lines(shared, room) else { return };
    for (line, row) in lines.into_iter().zip(area.rows()) {
        let row = Rect { x: row.x + 1, width: row.width.saturating_sub(2), ..row };
        put(buffer, row, line);
    }
}

fn lines(shared: &Shared, room: Room) -> Option<Vec<Line<'_>>> {
    let theme = &shared.theme;
    let id = shared.task?;
    let task = shared.task_of(id)?;
    let mut lines = heading(shared, id, task, room.columns);
    let cell = shared.cell_of(id)?;
    lines.push(Line::styled(fit_middle(&visible(&cell.to_string()), room.columns), theme.dim));
    lines.extend(scored(shared, id));
    lines.push(Line::styled(fit(&counts(task), room.columns), theme.dim));
    let draw = task.draw_numbers().next();
    let whose = if shared.is_pooled(id.cell) { "the draw" } else { "the reference" };
    match draw.and_then(|draw| shared.runs.get(RunKey { id, draw })) {
        Some(Load::Ready(opened)) => {
            let left = Room { lines: room.lines.saturating_sub(lines.len()), ..room };
            lines.extend(texts(shared, opened, whose, left));
            lines.push(Line::default());
            lines.push(Line::styled(format!("turns of {whose}"), theme.header));
            lines.extend(turns(shared, &opened.run, room.columns));
        }
        Some(Load::Failed(error)) => {
            lines.extend(section(shared, "the run cannot be read", error, theme.error, room));
        }
        _ => lines.extend(section(shared, "…", "", theme.dim, room)),
    }
    Some(lines)
}

/// What the task asks, and the last words of a run, in the room that its turns leave.
fn texts<'a>(shared: &Shared, opened: &Opened, whose: &str, room: Room) -> Vec<Line<'a>> {
    let theme = &shared.theme;
    let asked = opened.instruction.as_deref().unwrap_or_default();
    let last = opened.run.head.final_message.as_deref().unwrap_or_default();
    // A blank line and a title before each text, and before the turns.
    let free = room.lines.saturating_sub(opened.run.turns.len() + 6);
    let wanted = [asked, last].map(|text| some_lines(text, room).len());
    let [asked_lines, last_lines] = shares(wanted, free);
    let title = format!("last words of {whose}");
    let mut lines = Vec::new();
    if !asked.is_empty() {
        let room = Room { lines: asked_lines, ..room };
        lines.extend(section(shared, "asks (hidden from the agent)", asked, theme.text, room));
    }
    if !last.is_empty() {
        let room = Room { lines: last_lines, ..room };
        lines.extend(section(shared, &title, last, theme.agent, room));
    }
    lines
}

/// How many lines two texts get, each at least a few.
fn shares([first, second]: [usize; 2], room: usize) -> [usize; 2] {
    let room = room.max(2 * FEWEST_LINES);
    let first = first.min(room - second.min(room / 2));
    [first, second.min(room - first)]
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
    lines.truncate(FEWEST_LINES);
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

/// A text under its title, as much of it as there is room for.
fn section<'a>(
    shared: &Shared,
    title: &str,
    text: &str,
    style: Style,
    room: Room,
) -> Vec<Line<'a>> {
    let mut wrapped = some_lines(text, room);
    if wrapped.len() > room.lines {
        wrapped.truncate(room.lines);
        wrapped.last_mut().into_iter().for_each(|last| last.push('…'));
    }
    let mut lines = vec![Line::default(), Line::styled(title.to_owned(), shared.theme.header)];
    lines.extend(wrapped.into_iter().map(|line| Line::styled(line, style)));
    lines
}

/// The lines of a text, one more than there is room for where it is longer: it may be megabytes.
fn some_lines(text: &str, room: Room) -> Vec<String> {
    let columns = room.columns.min(WIDEST_TEXT);
    let some: String = text.chars().take((columns + 1) * (room.lines + 1)).collect();
    let safe = some.split('\n').map(visible).collect::<Vec<_>>().join("\n");
    let mut lines = wrap(&safe, columns);
    lines.truncate(room.lines + 1);
    lines
}

/// A line a turn: its confidence, what it did and, where there is room, with which words.
fn turns<'a>(shared: &Shared, run: &Trajectory, room: usize) -> Vec<Line<'a>> {
    let theme = &shared.theme;
    let views = shared.turn_views(run);
    let heights = marks::heights(&views);
    let line = |(turn, view): (usize, &TurnView)| {
        let (glyph, number, style) = match view.confidence {
            Some(value) => (theme.glyph(heights[turn]), two(value), theme.confidence(value)),
            None => (' ', "–".to_owned(), theme.dim),
        };
        let weakest = if view.weakest { "  ◂ weakest" } else { "" };
        let left = room.saturating_sub(11 + width(weakest));
        let action = fit(&visible(&run.action(turn)), left);
        let words = if room < WITH_WORDS { String::new() } else { words_of(run, turn, left) };
        let words = fit(&words, left.saturating_sub(width(&action) + 2));
        let mut spans = vec![
            Span::styled(format!("{:>3} ", turn + 1), theme.dim),
            Span::styled(format!("{glyph} {number:>4} "), style),
            Span::styled(action, theme.text),
            Span::styled(weakest, theme.warn),
        ];
        if !words.is_empty() {
            spans.push(Span::styled(format!("  {words}"), theme.dim));
        }
        Line::from(spans)
    };
    views.iter().enumerate().map(line).collect()
}

/// What a turn says, or the arguments of its only call, on one line of some columns at most.
fn words_of(run: &Trajectory, turn: usize, room: usize) -> String {
    let message = &run.messages[run.turns[turn].message as usize];
    let text = match &message.tool_calls[..] {
        [] => message.words().unwrap_or_default(),
        [call] => &call.arguments,
        _ => return String::new(),
    };
    let some: String = text.chars().take(room).collect();
    visible(&some.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_share_the_room() {
        assert_eq!(shares([3, 4], 30), [3, 4]);
        assert_eq!(shares([30, 4], 20), [16, 4]);
        assert_eq!(shares([4, 30], 20), [4, 16]);
        assert_eq!(shares([30, 30], 20), [10, 10]);
        assert_eq!(shares([30, 30], 2), [FEWEST_LINES, FEWEST_LINES]);
    }
}
