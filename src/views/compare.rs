//! One trajectory, turn by turn.
//!
//! ```text
//!  reference ✗ 0.310  rank 48 of 50 · 9 turns · ended user_stop        draws ▸0 ✗  1 ✓  2 ✗
//!   1 ▇ .94 get_user_details │  turn 3  ▂ .31  weight 1.00  ◂ weakest
//!   2 ▅ .71 get_reservation  │    I can confirm that your booking …
//! ▸ 3 ▂ .31 message          │
//! ```

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::{WIDE, marks, put};
use crate::app::{App, Hit, Layout, Load, Said, TurnView, lines, scrolled};
use crate::model::Trajectory;
use crate::text::{counted, visible};
use crate::widgets::{fit, two};

/// Columns of the list of turns.
const LIST: u16 = 38;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let [head, rule, body] =
        Split::vertical([Constraint::Length(1), Constraint::Length(1), Constraint::Min(1)])
            .areas(area);
    put(buffer, rule, Line::styled("─".repeat(usize::from(area.width)), app.theme.rule));
    let run = match app.opened() {
        Some(Load::Ready(own)) => &own.run,
        Some(Load::Failed(error)) => {
            let text = format!("The run cannot be read. {}", visible(error));
            return super::paragraph(buffer, body, &text, app.theme.error);
        }
        None if app.task.is_none() && app.data.engine().is_some() => {
            let text =
                "No task is selected: none fits the filter, or none was chosen in Tasks (2).";
            return super::paragraph(buffer, body, text, app.theme.dim);
        }
        _ => return super::paragraph(buffer, body, "Reading the run …", app.theme.dim),
    };
    draw_head(buffer, head, app, run);
    let views = app.turn_views(run);
    let text = if area.width >= WIDE {
        let [list, gap, text] = Split::horizontal([
            Constraint::Length(LIST),
            Constraint::Length(1),
            Constraint::Min(1),
        ])
        .areas(body);
        for row in gap.rows() {
            put(buffer, row, Line::styled("│", app.theme.rule));
        }
        draw_list(buffer, list, app, run, &views, layout);
        text
    } else {
        body
    };
    if run.turns.is_empty() && run.messages.is_empty() {
        return super::paragraph(buffer, text, "This run holds no messages.", app.theme.dim);
    }
    draw_text(buffer, text, app, run, &views, layout);
}

fn draw_head(buffer: &mut Buffer, area: Rect, app: &App, run: &Trajectory) {
    let theme = &app.theme;
    let name = match run.head.draw {
        0 => "reference".to_owned(),
        draw => format!("sample {draw}"),
    };
    let outcome = match run.head.outcome.success {
        Some(true) => Span::styled("✓", theme.good),
        Some(false) => Span::styled("✗", theme.bad),
        None => Span::styled("not graded", theme.unknown),
    };
    let mut spans = vec![Span::styled(format!(" {name} "), theme.title), outcome];
    if let (Some(table), Some(id), 0) = (app.table(), app.task, run.head.draw) {
        let score = table.score(id).map_or("–".to_owned(), marks::score);
        let rank = table
            .rank(id)
            .map_or(String::new(), |rank| format!("  rank {rank} of {}", table.ranked(id)));
        let label = visible(&app.lens.scorer.label()).into_owned();
        spans.push(Span::styled(format!("  {label} {score}{rank}"), theme.text));
    }
    let turns = Some(counted(u64::from(run.head.turns), "turn"));
    let ended = run.head.termination.as_ref().map(|own| format!("ended {}", visible(own)));
    let cost = run.head.cost.map(|cost| format!("cost {cost:.4}"));
    // Under a scorer of whole runs the turns are still shown by a base score.
    let base = (app.lens.scorer.base().is_none() && run.head.turns_with_logprobs > 0)
        .then(|| format!("turns by {}", app.lens.base().id().to_uppercase()));
    let facts: Vec<String> = [turns, base, ended, cost].into_iter().flatten().collect();
    let facts = format!("  · {}", facts.join(" · "));
    spans.push(Span::styled(facts, theme.dim));
    let size = draw_draws(buffer, area, app);
    put(buffer, Rect { width: area.width.saturating_sub(size + 1), ..area }, Line::from(spans));
}

/// The draws of the task, at the right end; returns the columns they take.
fn draw_draws(buffer: &mut Buffer, area: Rect, app: &App) -> u16 {
    let theme = &app.theme;
    let Some(task) = app.task.and_then(|id| app.task_of(id)) else { return 0 };
    let outcome = |draw: u32| match draw {
        0 => task.success,
        draw => task.samples.iter().find(|own| own.draw == draw).and_then(|own| own.success),
    };
    let mut spans = vec![Span::styled("draws ", theme.dim)];
    for draw in task.draw_numbers().take(10) {
        let open = draw == app.compare.draw;
        let name = format!("{}{draw}", if open { "▸" } else { " " });
        spans.push(Span::styled(name, if open { theme.selected } else { theme.dim }));
        spans.extend([marks::outcome(outcome(draw), theme), Span::raw(" ")]);
    }
    let line = Line::from(spans);
    let size = (line.width() as u16).min(area.width / 3);
    let place = Rect { x: area.right() - size, width: size, ..area };
    put(buffer, place, line);
    size
}

fn confidence<'a>(app: &App, own: &TurnView) -> Span<'a> {
    match own.confidence {
        Some(value) => {
            let glyph = app.theme.glyph(own.height);
            Span::styled(format!("{glyph} {:>4} ", two(value)), app.theme.confidence(value))
        }
        None => Span::styled("     – ", app.theme.dim),
    }
}

fn draw_list(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    run: &Trajectory,
    views: &[TurnView],
    layout: &mut Layout,
) {
    let theme = &app.theme;
    let room = usize::from(area.height);
    let middle = app.compare.turn.saturating_sub(room / 2);
    let offset = scrolled(middle, app.compare.turn, room, views.len());
    for (turn, line) in (offset..views.len()).zip(area.rows()) {
        let selected = turn == app.compare.turn;
        let mark = if selected { "▸" } else { " " };
        let style = if selected { theme.selected } else { theme.text };
        let weakest = if views[turn].weakest { " ◂" } else { "" };
        let name = fit(&visible(&run.action(turn)), usize::from(area.width).saturating_sub(16));
        if selected {
            buffer.set_style(line, theme.selected_row);
        }
        let spans = vec![
            Span::styled(format!("{mark}{:>3} ", turn + 1), style),
            confidence(app, &views[turn]),
            Span::styled(name, style),
            Span::styled(weakest, theme.warn),
        ];
        put(buffer, line, Line::from(spans));
        layout.hit(line, Hit::Turn(turn));
    }
}

fn draw_text(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    run: &Trajectory,
    views: &[TurnView],
    layout: &mut Layout,
) {
    let Some(key) = app.run_key() else { return };
    let room = usize::from(area.width);
    let folded = app.compare.folded;
    let said: Arc<Vec<Said>> =
        app.compare.lines.get((key, room, folded), || Arc::new(lines(run, room, folded)));
    let height = usize::from(area.height);
    let last = said.len().saturating_sub(height);
    let selected = Said::Turn(app.compare.turn);
    let turn = said.iter().position(|own| *own == selected).unwrap_or(0);
    // What led to the turn is seen above it.
    let offset = app.compare.scroll.unwrap_or(turn.saturating_sub(height / 4)).min(last);
    for (own, line) in said.iter().skip(offset).zip(area.rows()) {
        draw_said(buffer, line, app, run, views, own);
        if let Said::Turn(turn) = own {
            layout.hit(line, Hit::Turn(*turn));
        }
    }
    layout.page = height;
    layout.scroll = offset;
    layout.hidden = last;
}

fn draw_said(
    buffer: &mut Buffer,
    line: Rect,
    app: &App,
    run: &Trajectory,
    views: &[TurnView],
    own: &Said,
) {
    let theme = &app.theme;
    let (indent, text, style) = match own {
        Said::Gap => return,
        Said::Turn(turn) => return draw_turn(buffer, line, app, run, &views[*turn], *turn),
        Said::Agent(text) => ("    ", text, theme.agent),
        Said::Scripted(text) => ("  ≡ ", text, theme.dim),
        Said::Call(text) => ("    ", text, theme.accent),
        Said::Thought(text) => ("  ~ ", text, theme.dim),
        Said::User(text) => ("  › ", text, theme.user),
        Said::Tool(text, true) => ("  ! ", text, theme.error),
        Said::Tool(text, false) => ("  ⎿ ", text, theme.tool),
    };
    let spans = vec![Span::styled(indent, theme.dim), Span::styled(text.clone(), style)];
    put(buffer, line, Line::from(spans));
}

fn draw_turn(
    buffer: &mut Buffer,
    line: Rect,
    app: &App,
    run: &Trajectory,
    own: &TurnView,
    turn: usize,
) {
    let theme = &app.theme;
    let selected = turn == app.compare.turn;
    let style = if selected { theme.selected } else { theme.title };
    let mut spans = vec![
        Span::styled(format!("{}{:>3} ", if selected { "▸" } else { " " }, turn + 1), style),
        confidence(app, own),
        Span::styled(fit(&visible(&run.action(turn)), 40), style),
    ];
    if let (Some(weight), true) = (own.weight, app.lens.scorer.base().is_some()) {
        spans.push(Span::styled(format!("  weight {}", two(weight)), theme.dim));
    }
    if let Some(scores) = run.turns[turn].scores {
        let tokens = counted(u64::from(scores.tokens), "token");
        spans.push(Span::styled(format!("  {tokens}"), theme.dim));
    }
    if own.weakest {
        spans.push(Span::styled("  ◂ weakest", theme.warn));
    }
    if selected {
        buffer.set_style(line, theme.selected_row);
    }
    put(buffer, line, Line::from(spans));
}
