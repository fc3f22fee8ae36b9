//! What the aggregator changes: a heatmap of one base score, the tasks whose ranks move, and why.
//!
//! ```text
//!                │bfcl-v4            │airline
//!   LNSP·         4o-mi oss-2 Qwen2   4o-mi oss-2
//!   mean          .70   .52†  .68     .41†  .52
//! ▸ min           .68   .45†  .65    ▐.45†▌ .59
//!   swing         .14   .20   .18     .14   .10
//!  β ────●─────── 10
//!  rank mean → min            │ task 17: .94 .71 .31 …
//!   17  ✗  12 → 48  ▼36       │ █ ▅ ▂ ▇ ▇      ● min  ○ mean
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

use super::heat::{self, Columns, Value};
use super::{marks, put};
use crate::app::{App, Hit, Layout, Lens, Load, Pane, same_kind, scrolled};
use crate::engine::TaskId;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::text::visible;
use crate::theme::Shade;
use crate::widgets::{floor, padded, slider, two};

/// Columns for the names of aggregators.
const LABEL: u16 = 16;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let theme = &app.theme;
    let base = app.lens.base();
    let none = app
        .data
        .engine()
        .is_some_and(|engine| !engine.scorers().iter().any(|own| own.base() == Some(base)));
    if none {
        let text = format!(
            "No reference of this store has log-probabilities for `{}`, so there is nothing to \
             aggregate: import runs that recorded them (docs/import.md).",
            base.id()
        );
        return super::paragraph(buffer, area, &text, theme.dim);
    }
    if let Load::Waiting = app.data.loaded {
        return super::paragraph(buffer, area, "Reading the store …", theme.dim);
    }
    let scorers = app.rule_scorers();
    let heads = heat::head_lines(app);
    let [top, slide, rule, lower] = Split::vertical([
        Constraint::Length(heads + scorers.len() as u16 + 1),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
    ])
    .areas(area);
    let offset = draw_heatmap(buffer, top, app, &scorers, layout);
    draw_slider(buffer, slide, app, layout);
    put(buffer, rule, Line::styled("─".repeat(usize::from(area.width)), theme.rule));
    let [list, gap, chart] =
        Split::horizontal([Constraint::Percentage(45), Constraint::Length(1), Constraint::Min(1)])
            .areas(lower);
    for row in gap.rows() {
        put(buffer, row, Line::styled("│", theme.rule));
    }
    let first = draw_moves(buffer, list, app, layout);
    if let Some(id) = app.task {
        draw_chart(buffer, chart, app, id);
    }
    layout.aggregators = Some((offset, first));
}

fn draw_heatmap(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    scorers: &[Scorer],
    layout: &mut Layout,
) -> usize {
    let theme = &app.theme;
    let all: Vec<usize> = (0..app.columns.len()).collect();
    let columns = Columns::new(app, area, LABEL, &all, app.aggregators.offset.0);
    let heads = heat::head_lines(app);
    let [head, body] = Split::vertical([Constraint::Length(heads), Constraint::Min(1)]).areas(area);
    heat::draw_heads(buffer, head, app, &columns, layout);
    let corner = Rect { y: head.bottom() - 1, height: 1, width: LABEL, ..head };
    let base = app.lens.base().id().to_uppercase();
    put(buffer, corner, Line::styled(format!("  {base}"), theme.header));
    let current = app.lens.scorer.aggregator();
    let best: Vec<Option<f64>> =
        (0..app.columns.len()).map(|cell| app.best_in(cell, scorers)).collect();
    for ((place, scorer), line) in scorers.iter().enumerate().zip(body.rows()) {
        let rule = scorer.aggregator().unwrap_or(Aggregator::Mean);
        let selected = current.is_some_and(|own| same_kind(own, rule));
        let compared = same_kind(app.aggregators.compared, rule);
        let mark = if selected { "▸" } else { " " };
        let dot = if compared { "○" } else { " " };
        let style = if selected { theme.selected } else { theme.text };
        let name = Rect { width: LABEL, ..line };
        put(buffer, name, Line::styled(format!("{mark}{dot}{}", rule.id()), style));
        layout.hit(name, Hit::Rule(place, None));
        for (at, &cell) in columns.cells.iter().enumerate() {
            let area = columns.area(at, line);
            let value = app.data.numbers.value(scorer, cell);
            let own = Value {
                scorer,
                cell,
                among: scorers,
                best: value.is_some() && value == best[cell],
                selected: selected && cell == app.cell && app.aggregators.pane == Pane::Heatmap,
            };
            heat::draw_value(buffer, area, app, &own);
            layout.hit(area, Hit::Rule(place, Some(cell)));
        }
    }
    let swing = Rect { y: body.y + scorers.len() as u16, height: 1, ..body };
    put(buffer, Rect { width: LABEL, ..swing }, Line::styled("  swing", theme.header));
    for (at, &cell) in columns.cells.iter().enumerate() {
        let text = app.swing(cell).map_or("–".to_owned(), |(swing, ..)| two(swing));
        let own = columns.area(at, swing);
        put(buffer, own, Line::styled(format!(" {text}"), theme.header));
    }
    columns.offset
}

/// The setting of an adjustable aggregator, or what the choice means for the selected cell.
fn draw_slider(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let theme = &app.theme;
    let (name, step, steps, shown) = match app.lens.scorer.aggregator() {
        Some(Aggregator::Softmin { beta }) => {
            let step = Lens::BETAS.iter().position(|own| *own >= beta);
            let step = step.unwrap_or(Lens::BETAS.len() - 1);
            ("softmin β ", step, Lens::BETAS.len(), format!("{beta}"))
        }
        Some(Aggregator::Window { turns }) => {
            ("window k ", turns.clamp(1, Lens::WIDEST) - 1, Lens::WIDEST, turns.to_string())
        }
        _ => {
            let Some((swing, low, high)) = app.swing(app.cell) else { return };
            let cell = app.columns.get(app.cell).map(ToString::to_string).unwrap_or_default();
            let text = format!(
                " {}: from {} to {} the choice moves {} by {}",
                visible(&cell),
                low.id(),
                high.id(),
                app.lens.metric.id().to_uppercase(),
                two(swing)
            );
            return put(buffer, area, Line::styled(text, theme.dim));
        }
    };
    let start = area.x + 1 + crate::widgets::width(name) as u16;
    // Two letters a step, so that a knob is easily hit.
    let track: String = slider(step, steps).chars().flat_map(|own| [own, '─']).collect();
    let spans = vec![
        Span::styled(format!(" {name}"), theme.header),
        Span::styled(track, theme.accent),
        Span::styled(format!(" {shown}"), theme.title),
        Span::styled("   - and + change it, or drag", theme.dim),
    ];
    put(buffer, area, Line::from(spans));
    for step in 0..steps {
        let own = Rect { x: start + 2 * step as u16, width: 2, ..area };
        layout.hit(own.intersection(area), Hit::Slider(step));
    }
}

/// The tasks of the cell whose ranks move most between two aggregators.
fn draw_moves(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) -> usize {
    let theme = &app.theme;
    let [head, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    let name = |scorer: &Scorer| scorer.aggregator().map(Aggregator::id).unwrap_or_default();
    let (from, to) = (name(&app.compared_scorer()), name(&app.lens.scorer));
    let focus = app.aggregators.pane == Pane::Tasks;
    let style = if focus { theme.header.patch(theme.selected) } else { theme.header };
    put(buffer, head, Line::styled(format!("  ranks under {from} → {to}"), style));
    let Some(table) = app.table() else { return 0 };
    if table.rows.is_empty() {
        put(buffer, body, Line::styled("  no task fits the filter", theme.dim));
        return 0;
    }
    let room = usize::from(body.height);
    let offset = scrolled(app.aggregators.offset.1, app.tasks.place, room, table.rows.len());
    let wide = table.longest_id.clamp(4, 16);
    let draws = table.most_draws.min(marks::MOST_DRAWS) + 1;
    for (place, line) in (offset..table.rows.len()).zip(body.rows()) {
        let id = table.rows[place];
        let Some(task) = app.task_of(id) else { continue };
        let selected = Some(id) == app.task;
        if selected && focus {
            buffer.set_style(line, theme.selected_row);
        }
        let number = |rank: Option<f64>| rank.map_or("–".to_owned(), |rank| format!("{rank:.0}"));
        let (rank, moved) = (table.rank(id), table.moved(id));
        let before = rank.zip(moved).map(|(rank, moved)| rank + moved);
        let (arrow, style) = marks::moved(moved, theme);
        let mut spans = vec![
            Span::styled(if selected { "▸ " } else { "  " }, theme.selected),
            Span::styled(padded(&visible(&task.id), wide + 1), theme.text),
        ];
        spans.extend(marks::outcomes(task, draws + 1, theme));
        spans.push(Span::styled(
            format!("{:>4} → {:<4} ", number(before), number(rank)),
            theme.text,
        ));
        spans.push(Span::styled(arrow, style));
        put(buffer, line, Line::from(spans));
        layout.hit(line, Hit::Task(place));
    }
    if focus {
        layout.page = room;
    }
    offset
}

/// The turns of a task as bars, with the weight that each aggregator gives them drawn over.
fn draw_chart(buffer: &mut Buffer, area: Rect, app: &App, id: TaskId) {
    let theme = &app.theme;
    let Some(task) = app.task_of(id) else { return };
    let rule = app.lens.scorer.aggregator().unwrap_or(Aggregator::Mean);
    let compared = app.compared_scorer().aggregator().unwrap_or(Aggregator::Mean);
    let [head, body, foot] =
        Split::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(2)])
            .areas(area);
    let turns = app.weighted_turns(id, rule);
    let others = app.weighted_turns(id, compared);
    let value = |rule: Aggregator, turns: &[(f64, f64)]| {
        let scores: Vec<f64> = turns.iter().map(|own| own.0).collect();
        rule.apply(&scores).map_or("–".to_owned(), two)
    };
    let mut title = vec![
        Span::styled(format!(" task {}  ", visible(&task.id)), theme.title),
        Span::styled(format!("● {} {}  ", rule.id(), value(rule, &turns)), theme.accent),
    ];
    if rule != compared {
        let text = format!("○ {} {}", compared.id(), value(compared, &others));
        title.push(Span::styled(text, theme.warn));
    }
    let floor = floor(turns.iter().map(|own| own.0));
    if floor > 0.0 {
        title.push(Span::styled(format!("   bars from {}", two(floor)), theme.dim));
    }
    put(buffer, head, Line::from(title));
    if turns.is_empty() {
        let text = "no turn of its reference has log-probabilities";
        return put(buffer, body, Line::styled(format!("  {text}"), theme.dim));
    }
    let room = usize::from(body.width.saturating_sub(2));
    let wide = (room / turns.len()).clamp(5, 8);
    let fitting = (room / wide).max(1);
    // The turn that counts most is in sight.
    let heaviest = turns.iter().enumerate().max_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let heaviest = heaviest.map_or(0, |(place, _)| place);
    let first = scrolled(0, heaviest, fitting, turns.len());
    let last = (first + fitting).min(turns.len());
    let most = turns.iter().chain(&others).map(|own| own.1).fold(f64::MIN, f64::max);
    for place in first..last {
        let x = body.x + 1 + ((place - first) * wide) as u16;
        let column =
            Rect { x, width: (wide as u16 - 1).min(body.right().saturating_sub(x)), ..body };
        let value = turns[place].0;
        draw_bar(buffer, column, app, (value - floor) / (1.0 - floor), value);
        if rule != compared {
            draw_dot(buffer, column, others[place].1 / most, "○", theme.warn, theme.shade());
        }
        draw_dot(buffer, column, turns[place].1 / most, "●", theme.accent, theme.shade());
        let own = Rect { y: foot.y, height: 1, width: wide as u16, ..column };
        let below = Rect { y: own.y + 1, ..own };
        put(buffer, own.intersection(foot), Line::styled(two(value), theme.confidence(value)));
        let number = format!("{}", place + 1);
        put(buffer, below.intersection(foot), Line::styled(number, theme.dim));
    }
}

/// A bar from the bottom, in eighths of a line.
fn draw_bar(buffer: &mut Buffer, area: Rect, app: &App, share: f64, value: f64) {
    const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let height = usize::from(area.height);
    let eighths = (share.clamp(0.0, 1.0) * (height * 8) as f64).round() as usize;
    let style = app.theme.confidence(value);
    for (from_top, line) in area.rows().enumerate() {
        let below = (height - 1 - from_top) * 8;
        let own = eighths.saturating_sub(below).min(8);
        put(buffer, line, Line::styled(EIGHTHS[own].repeat(usize::from(area.width)), style));
    }
}

/// A dot at the height of a share.
fn draw_dot(buffer: &mut Buffer, area: Rect, share: f64, dot: &str, style: Style, shade: Shade) {
    let lines = f64::from(area.height.saturating_sub(1));
    let up = (share.clamp(0.0, 1.0) * lines).round() as u16;
    let middle = area.x + area.width / 2;
    if share > 0.0 && area.height > 0 && area.width > 0 {
        let cell = &mut buffer[(middle, area.bottom() - 1 - up)];
        // On a bar the dot stands on the bar's own colour, which is light on dark and dark on light.
        let ink = if shade == Shade::Dark { Color::Black } else { Color::White };
        let style = if cell.symbol() == "█" && cell.fg != Color::Reset {
            Style::new().fg(ink).bg(cell.fg)
        } else {
            style
        };
        cell.set_symbol(dot).set_style(style);
    }
}
