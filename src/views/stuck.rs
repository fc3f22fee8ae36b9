//! Is the agent consistent because it is right, or because it is stuck?
//!
//! ```text
//!            pairs                                       tasks
//!            ✓✓            ✓✗            ✗✗             always       sometimes    never
//!  ▸TER      .91 ±.02 812  .24 ±.03 702  ▐.55 ±.02 976▌  …
//!  TER · failure-failure · all: .551 [.527, .574] over 976 pairs
//!  AUROC in airline/gpt-4o-mini: counted .61 n 50 · dropped .70 n 38 · as failures .83 n 50
//!  stuck tasks  38 of 1,102 never solved
//!  1.00 ter  airline/gpt-4o-mini  17  4 of 4 draws: get_user → get_order ×3 → transfer
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::put;
use crate::app::{App, Group, Hit, Layout, StuckPane, jobs::StuckView, scrolled};
use crate::engine::{StuckTreatment, TreatedValue};
use crate::metrics::bootstrap::Interval;
use crate::text::{counted, grouped, visible};
use crate::widgets::{fit, padded, signed, two, wrap_some};

/// Columns of the scorers' names.
const LABEL: u16 = 9;

/// From this width on effect and samples of all scorers stand below the table.
const WIDE: u16 = 110;

/// One number of the table.
struct Value {
    mean: Option<f64>,
    interval: Option<Interval>,
    n: usize,
}

fn value(view: &StuckView, scorer: &str, group: Group) -> Option<Value> {
    match group {
        Group::Pairs(own) => {
            let row = view.pairs.iter().find(|row| row.scorer == scorer && row.group == own)?;
            Some(Value { mean: row.mean, interval: row.interval, n: row.n })
        }
        Group::Tasks(own) => {
            let row = view.tasks.iter().find(|row| row.scorer == scorer && row.group == own)?;
            Some(Value { mean: row.mean, interval: row.interval, n: row.n })
        }
    }
}

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let scorers = app.stuck_scorers();
    let Some(view) = app.stuck_view() else {
        let text = if app.data.engine().is_some() { "Counting pairs …" } else { "" };
        return super::paragraph(buffer, area, text, app.theme.dim);
    };
    if scorers.is_empty() {
        let text =
            "No task has a sample beside its reference, so there is no agreement to look at.";
        return super::paragraph(buffer, area, text, app.theme.dim);
    }
    let rows = scorers.len() as u16;
    let all = area.width >= WIDE && area.height >= 30;
    // In the list the lines below the table are the pattern of the selected task.
    let in_list = app.stuck.pane == StuckPane::List;
    let more = if all { rows + 2 } else { 2 };
    let line = if in_list && all { 2 } else { 1 };
    let [head, table, detail, effect, rule, list] = Split::vertical([
        Constraint::Length(2),
        Constraint::Length(rows),
        Constraint::Length(line),
        Constraint::Length(more),
        Constraint::Length(1),
        Constraint::Min(1),
    ])
    .areas(area);
    draw_table(buffer, head, table, app, view, &scorers, layout);
    if !in_list {
        draw_detail(buffer, detail, app, view, &scorers);
    } else if all {
        draw_pattern(buffer, detail, app, view);
    }
    if all {
        draw_effects(buffer, effect, app, view, &scorers);
    } else if in_list {
        draw_pattern(buffer, Rect { y: detail.y, height: 3, ..detail }, app, view);
    } else if let Some(scorer) = scorers.get(app.stuck.row) {
        let [first, second] =
            Split::vertical([Constraint::Length(1), Constraint::Length(1)]).areas(effect);
        put(buffer, first, effect_line(app, view, scorer));
        put(buffer, second, sample_line(app, view, scorer));
    }
    draw_list(buffer, rule, list, app, view, layout);
}

fn draw_table(
    buffer: &mut Buffer,
    head: Rect,
    area: Rect,
    app: &App,
    view: &StuckView,
    scorers: &[String],
    layout: &mut Layout,
) {
    let theme = &app.theme;
    let wide = (area.width.saturating_sub(LABEL) / 6).clamp(8, 24);
    let column = |place: usize| area.x + LABEL + place as u16 * wide;
    let titles = ["✓✓", "✓✗", "✗✗", "always", "sometimes", "never"];
    let scope = visible(&app.scope().to_string()).into_owned();
    let over = [
        (0, format!("pairs, {}", if scope == "all" { "all cells" } else { &scope })),
        (3, "tasks, by how often they are solved".to_owned()),
    ];
    for (place, text) in over {
        let line = Rect {
            x: column(place),
            width: (wide * 3).min(area.right().saturating_sub(column(place))),
            height: 1,
            ..head
        };
        put(buffer, line, Line::styled(fit(&text, usize::from(line.width)), theme.header));
    }
    for (place, title) in titles.iter().enumerate() {
        let line = Rect { x: column(place), y: head.y + 1, width: wide, height: 1 };
        put(buffer, line.intersection(head), Line::styled(*title, theme.dim));
    }
    for ((row, scorer), line) in scorers.iter().enumerate().zip(area.rows()) {
        let selected = row == app.stuck.row;
        let mark = if selected { "▸" } else { " " };
        let style = if selected { theme.selected } else { theme.text };
        put(
            buffer,
            Rect { width: LABEL, ..line },
            Line::styled(format!("{mark}{}", visible(&scorer.to_uppercase())), style),
        );
        for (place, group) in Group::ALL.into_iter().enumerate() {
            let cell =
                Rect { x: column(place), width: wide.saturating_sub(1), ..line }.intersection(line);
            layout.hit(cell, Hit::StuckCell(row, place));
            let Some(own) = value(view, scorer, group) else { continue };
            let here = selected && place == app.stuck.column && app.stuck.pane == StuckPane::Table;
            draw_value(buffer, cell, app, &own, here);
        }
    }
}

fn draw_value(buffer: &mut Buffer, area: Rect, app: &App, own: &Value, here: bool) {
    let theme = &app.theme;
    let Some(mean) = own.mean else {
        return put(buffer, area, Line::styled("–", if here { theme.cursor } else { theme.dim }));
    };
    let room = usize::from(area.width);
    let half = own.interval.map(|own| format!(" ±{}", two((own.hi - own.lo) / 2.0)));
    let n = grouped(own.n as u64);
    let mut text = format!("{}{} {n}", two(mean), half.unwrap_or_default());
    if text.chars().count() > room {
        text = format!("{} {n}", two(mean));
    }
    let style = if here { theme.cursor } else { theme.confidence(mean) };
    put(buffer, area, Line::styled(fit(&text, room), style));
}

fn draw_detail(buffer: &mut Buffer, area: Rect, app: &App, view: &StuckView, scorers: &[String]) {
    let theme = &app.theme;
    let Some(scorer) = scorers.get(app.stuck.row) else { return };
    let group = Group::ALL[app.stuck.column];
    let scope = visible(&app.scope().to_string()).into_owned();
    let name = format!(" {} · {} · {scope}: ", scorer.to_uppercase(), group.name());
    let text = match value(view, scorer, group) {
        Some(Value { mean: Some(mean), interval, n }) => {
            let interval =
                interval.map_or(String::new(), |own| format!(" [{:.3}, {:.3}]", own.lo, own.hi));
            format!("{mean:.3}{interval} over {}", counted(n as u64, group.noun()))
        }
        _ => format!("no {} counts", group.noun()),
    };
    put(
        buffer,
        area,
        Line::from(vec![Span::styled(name, theme.title), Span::styled(text, theme.accent)]),
    );
}

/// A value with n, and with its interval where there is room.
fn treated(own: &TreatedValue, wide: bool) -> String {
    let value = own.value.map_or("n/a".to_owned(), two);
    let interval = own.interval.filter(|_| wide);
    let interval =
        interval.map_or(String::new(), |own| format!(" [{}, {}]", two(own.lo), two(own.hi)));
    format!("{value} n {}{interval}", own.counts.tasks)
}

fn word(treatment: StuckTreatment) -> &'static str {
    match treatment {
        StuckTreatment::Counted => "counted",
        StuckTreatment::Dropped => "dropped",
        StuckTreatment::AsFailures => "as failures",
    }
}

/// The metric of one scorer with stuck tasks counted, dropped and scored as failures.
fn effect_line<'a>(app: &App, view: &StuckView, scorer: &str) -> Line<'a> {
    let theme = &app.theme;
    let mut spans =
        vec![Span::styled(format!(" {} ", app.lens.metric.id().to_uppercase()), theme.dim)];
    let Some(own) = view.effect.iter().find(|own| own.scorer.id() == scorer) else {
        spans.push(Span::styled("no value", theme.dim));
        return Line::from(spans);
    };
    for value in &own.values {
        let style = if value.treatment == app.lens.stuck { theme.accent } else { theme.text };
        spans.push(Span::styled(
            format!("{} {}  ", word(value.treatment), treated(value, false)),
            style,
        ));
    }
    spans.push(Span::styled(format!("({} stuck)", own.stuck), theme.dim));
    Line::from(spans)
}

/// AUROC of one scorer by the number of samples.
fn sample_line<'a>(app: &App, view: &StuckView, scorer: &str) -> Line<'a> {
    let theme = &app.theme;
    let mut spans = vec![Span::styled(" AUROC by samples  ", theme.dim)];
    let own: Vec<_> = view.samples.iter().filter(|own| own.scorer == scorer).collect();
    if own.is_empty() {
        spans.push(Span::styled("no sample", theme.dim));
    }
    for row in own {
        spans.extend(sample(app, row.samples, row.value));
    }
    Line::from(spans)
}

fn sample<'a>(app: &App, samples: usize, value: Option<f64>) -> [Span<'a>; 2] {
    let theme = &app.theme;
    let text = value.map_or("n/a".to_owned(), two);
    let glyph = value.map_or(' ', |own| theme.glyph(own));
    let style = value.map_or(theme.dim, |own| theme.diverging((own - 0.5) * 2.0));
    [Span::styled(format!("{samples} "), theme.dim), Span::styled(format!("{glyph}{text} "), style)]
}

/// Effect and samples of all scorers, side by side.
fn draw_effects(buffer: &mut Buffer, area: Rect, app: &App, view: &StuckView, scorers: &[String]) {
    let theme = &app.theme;
    let cell = app
        .columns
        .get(app.cell)
        .map_or(String::new(), |own| visible(&own.to_string()).into_owned());
    let stuck = view.effect.first().map_or(0, |own| own.stuck);
    let mut rows = area.rows();
    let (Some(title), Some(head)) = (rows.next(), rows.next()) else { return };
    let wide = area.width.saturating_sub(LABEL) * 3 / 4 / 3;
    let place = |column: u16| area.x + LABEL + column * wide;
    let right = place(3);
    let text = format!(
        " {} in {cell}, with {}",
        app.lens.metric.id().to_uppercase(),
        counted(stuck as u64, "stuck task")
    );
    put(buffer, title, Line::styled(text, theme.header));
    for (column, treatment) in (0..).zip(StuckTreatment::ALL) {
        let style = if treatment == app.lens.stuck { theme.accent } else { theme.dim };
        let cell = Rect { x: place(column), width: wide, ..head };
        put(buffer, cell, Line::styled(word(treatment), style));
    }
    let rest = Rect { x: right, width: area.right().saturating_sub(right), ..head };
    put(buffer, rest, Line::styled("AUROC by samples", theme.dim));
    for (scorer, line) in scorers.iter().zip(rows) {
        put(
            buffer,
            Rect { width: LABEL, ..line },
            Line::styled(format!(" {}", scorer.to_uppercase()), theme.text),
        );
        if let Some(own) = view.effect.iter().find(|own| own.scorer.id() == scorer) {
            for (column, value) in own.values.iter().enumerate() {
                let cell = Rect { x: place(column as u16), width: wide.saturating_sub(1), ..line };
                let style =
                    if value.treatment == app.lens.stuck { theme.accent } else { theme.text };
                let mut text = treated(value, cell.width > 22);
                let moved = value.difference.filter(|_| value.treatment != StuckTreatment::Counted);
                if let Some(difference) = moved {
                    text = format!("{text} {}", signed(difference));
                }
                put(buffer, cell, Line::styled(fit(&text, usize::from(cell.width)), style));
            }
        }
        let rest = Rect { x: right, width: area.right().saturating_sub(right), ..line };
        let samples = view.samples.iter().filter(|own| own.scorer == *scorer);
        let spans: Vec<Span<'_>> =
            samples.flat_map(|own| sample(app, own.samples, own.value)).collect();
        put(buffer, rest, Line::from(spans));
    }
}

fn draw_list(
    buffer: &mut Buffer,
    rule: Rect,
    area: Rect,
    app: &App,
    view: &StuckView,
    layout: &mut Layout,
) {
    let theme = &app.theme;
    let stuck = view.list.iter().filter(|own| own.is_stuck).count();
    let title = format!(
        " {} stuck of {} never solved (S: {}) ",
        grouped(stuck as u64),
        counted(view.list.len() as u64, "task"),
        app.lens.stuck.words()
    );
    let style = if app.stuck.pane == StuckPane::List { theme.selected } else { theme.dim };
    super::titled_rule(buffer, rule, theme.rule, &title, style);
    if view.list.is_empty() {
        return super::paragraph(
            buffer,
            area,
            "Every task with samples is solved by some draw.",
            theme.dim,
        );
    }
    let room = usize::from(area.height);
    let offset = scrolled(app.stuck.offset, app.stuck.place, room, view.list.len());
    layout.stuck = Some(offset);
    layout.page = room;
    for (place, line) in (offset..view.list.len()).zip(area.rows()) {
        draw_task(buffer, line, app, view, place);
        layout.hit(line, Hit::StuckTask(place));
    }
}

/// What the draws of the selected task repeat, whole.
fn draw_pattern(buffer: &mut Buffer, area: Rect, app: &App, view: &StuckView) {
    let Some(Some(pattern)) = view.patterns.get(app.stuck.place) else { return };
    let text = visible(&pattern.to_string()).into_owned();
    let (lines, more) =
        wrap_some(&text, usize::from(area.width).saturating_sub(2), usize::from(area.height));
    let count = lines.len();
    for ((place, line), row) in lines.into_iter().enumerate().zip(area.rows()) {
        let end = if more && place + 1 == count { "…" } else { "" };
        put(buffer, row, Line::styled(format!(" {line}{end}"), app.theme.accent));
    }
}

fn draw_task(buffer: &mut Buffer, line: Rect, app: &App, view: &StuckView, place: usize) {
    let theme = &app.theme;
    let own = &view.list[place];
    let selected = place == app.stuck.place && app.stuck.pane == StuckPane::List;
    if selected {
        buffer.set_style(line, theme.selected_row);
    }
    let cell = app.columns.get(own.id.cell as usize).map_or(String::new(), ToString::to_string);
    let task = app.task_of(own.id).map_or("", |own| own.id.as_str());
    let pattern = match view.patterns.get(place) {
        Some(Some(pattern)) => pattern.to_string(),
        Some(None) => format!("{} draws, none like another", own.draws),
        None => String::new(),
    };
    let mark = if selected { "▸" } else { " " };
    let sign = if own.is_stuck { "●" } else { " " };
    let name = padded(&fit(&visible(&cell), 26), 26);
    let spans = vec![
        Span::styled(format!("{mark}{sign} "), theme.warn),
        Span::styled(format!("{:>4} {} ", two(own.score), own.by), theme.confidence(own.score)),
        Span::styled(format!("{name} "), theme.dim),
        Span::styled(format!("{} ", padded(&fit(&visible(task), 8), 8)), theme.text),
        Span::styled(visible(&pattern).into_owned(), theme.text),
    ];
    put(buffer, line, Line::from(spans));
}
