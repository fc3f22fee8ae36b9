//! What is on every screen.
//!
//! ```text
//!  qualm  demo › Tasks › airline/gpt-4o-mini › 17        lens LNSP·min · AUROC · & not success · 38 of 50 tasks
//!  0 Cells  1 Grid  2 Tasks ───────────────────────────────────────────────────────────────────
//!  (the screen)
//!  ⏎ open  a aggregator  s scorer  m metric  & filter  : commands  ? help
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::put;
use crate::app::keymap::Keymap;
use crate::app::{App, Hit, Layout, Load, Overlay, Screen};
use crate::text::{counted, grouped, visible};
use crate::widgets::{fit, width};

/// Draws the frame of every screen and returns what is left.
pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) -> Rect {
    let [top, tabs, body, bottom] = Split::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1),
    ])
    .areas(area);
    draw_top(buffer, top, app);
    draw_tabs(buffer, tabs, app, layout);
    draw_footer(buffer, bottom, app, layout);
    body
}

fn draw_top(buffer: &mut Buffer, area: Rect, app: &App) {
    let theme = &app.theme;
    buffer.set_style(area, theme.title_bar);
    let room = usize::from(area.width);
    let right = lens(app, room * 2 / 3);
    let size = (right.width() + 1).min(room);
    let mut left = vec![Span::styled(" qualm ", theme.brand)];
    if app.synthetic {
        let words = if room < 100 { " synthetic " } else { " synthetic data " };
        left.push(Span::styled(words, theme.notice));
    }
    let used: usize = left.iter().map(Span::width).sum();
    let for_crumbs = room.saturating_sub(used + size + 3);
    left.push(Span::styled(format!(" {}", fit_start(&crumbs(app), for_crumbs)), theme.title));
    put(buffer, area, Line::from(left));
    let place = Rect { x: area.right() - size as u16, width: size as u16, ..area };
    put(buffer, place, right);
}

/// The lens: scorer, metric, filter, n. Only the filter is cut where there is no room.
fn lens<'a>(app: &App, room: usize) -> Line<'a> {
    let theme = &app.theme;
    let mut parts = vec![
        (visible(&app.lens.scorer.label()).into_owned(), theme.accent),
        (app.lens.metric.id().to_uppercase(), theme.accent),
        (tasks(app), theme.dim),
    ];
    if let Some(pinned) = app.pinned() {
        let name = visible(&pinned.label()).into_owned();
        parts.insert(2, (format!("Δ to {name}"), theme.pinned));
    }
    // What is not as usual is said.
    if let Some(judge) = &app.lens.judge {
        let name = fit(&visible(&judge.to_string()), 24);
        parts.insert(parts.len() - 1, (format!("TER by {name}"), theme.warn));
    }
    if app.lens.stuck != crate::engine::StuckTreatment::Counted {
        let words = format!("stuck {}", app.lens.stuck.id());
        parts.insert(parts.len() - 1, (words, theme.warn));
    }
    if !app.lens.filter.is_empty() {
        let used: usize = parts.iter().map(|(text, _)| width(text) + 3).sum();
        let filter = fit(&visible(&app.lens.filter), room.saturating_sub(used + 2).max(8));
        parts.insert(parts.len() - 1, (format!("& {filter}"), theme.warn));
    }
    let mut spans = Vec::new();
    for (place, (text, style)) in parts.into_iter().enumerate() {
        if place > 0 {
            spans.push(Span::styled(" · ", theme.dim));
        }
        spans.push(Span::styled(text, style));
    }
    Line::from(spans)
}

/// How many tasks are looked at.
fn tasks(app: &App) -> String {
    let one = match app.screen {
        Screen::Tasks => app.table_cell(),
        Screen::Compare | Screen::Read | Screen::Aggregators | Screen::Triage => Some(app.cell),
        Screen::Stuck if app.stuck.scope == crate::app::ScopeKind::Cell => Some(app.cell),
        Screen::Grid | Screen::Cells | Screen::Stuck | Screen::Judges => None,
    };
    let Some(engine) = app.data.engine() else {
        let all = app.summaries.iter().map(|own| own.tasks).sum();
        return counted(all, "task");
    };
    let cells: Vec<usize> =
        (0..engine.frames().len()).filter(|cell| one.is_none_or(|one| one == *cell)).collect();
    let all: usize = cells.iter().map(|&cell| engine.frames()[cell].tasks.len()).sum();
    match &app.data.kept {
        // What the store holds is not filtered.
        Some((_, kept)) if !app.lens.filter.is_empty() && app.screen != Screen::Cells => {
            let some: usize = cells.iter().map(|&cell| kept.count(cell)).sum();
            format!("{} of {}", grouped(some as u64), counted(all as u64, "task"))
        }
        _ => counted(all as u64, "task"),
    }
}

fn crumbs(app: &App) -> String {
    let mut crumbs = vec![visible(&app.name).into_owned(), app.screen.title().to_owned()];
    let cell = || app.columns.get(app.cell).map(|own| visible(&own.to_string()).into_owned());
    match app.screen {
        Screen::Cells | Screen::Grid => {}
        Screen::Tasks if app.tasks.all_cells => crumbs.push("all cells".to_owned()),
        Screen::Tasks | Screen::Aggregators | Screen::Stuck | Screen::Judges => {
            crumbs.extend(cell());
        }
        Screen::Compare | Screen::Read | Screen::Triage => {
            crumbs.extend(cell());
            let task = app.task.and_then(|id| app.task_of(id));
            crumbs.extend(task.map(|own| format!("task {}", fit(&visible(&own.id), 24))));
        }
    }
    crumbs.join(" › ")
}

/// Cuts at the start: where one is matters more than where one came from.
fn fit_start(text: &str, room: usize) -> String {
    let mut text = text;
    while width(text) > room {
        match text.split_once(" › ") {
            Some((_, rest)) => text = rest,
            None => return fit(text, room),
        }
    }
    text.to_owned()
}

fn draw_tabs(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let theme = &app.theme;
    put(buffer, area, Line::styled("─".repeat(usize::from(area.width)), theme.rule));
    let mut x = area.x + 1;
    // A text that is read is of the comparison.
    let open = match app.screen {
        Screen::Read => Screen::Compare,
        Screen::Triage => Screen::Judges,
        other => other,
    };
    for (screen, number) in Screen::NUMBERED.iter().filter_map(|own| Some((*own, own.number()?))) {
        let name = format!(" {number} {} ", screen.title());
        let style = if screen == open { theme.selected } else { theme.dim };
        let own =
            Rect { x, width: (name.len() as u16).min(area.right().saturating_sub(x)), ..area };
        buffer.set_style(own, Style::reset());
        put(buffer, own, Line::styled(name, style));
        layout.hit(own, Hit::Screen(screen));
        x += own.width + 1;
    }
    let state = match &app.data.loaded {
        Load::Waiting => " reading the store … ",
        _ if app.is_waiting() => " … ",
        _ => return,
    };
    let size = (width(state) as u16).min(area.width);
    let own = Rect { x: area.right() - size, width: size, ..area };
    buffer.set_style(own, Style::reset());
    put(buffer, own, Line::styled(state, theme.notice));
}

fn draw_footer(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let theme = &app.theme;
    if let Some(notice) = &app.notice {
        let text = fit(&visible(notice), usize::from(area.width).saturating_sub(2));
        put(buffer, area, Line::styled(format!(" {text}"), theme.notice));
        return;
    }
    if matches!(app.overlays.last(), Some(Overlay::Prompt(_) | Overlay::Note(_))) {
        return;
    }
    // What changes numbers changes nothing in a text.
    let of_numbers = ["next-aggregator", "scorer", "next-metric", "filter"];
    let reading = app.screen == Screen::Read;
    let keys = Keymap::on(app.screen)
        .filter(|own| !own.short.is_empty())
        .filter(|own| !reading || !of_numbers.contains(&own.id));
    let mut keys: Vec<_> = keys.map(|own| (app.keymap.shown(own), own)).collect();
    keys.retain(|(shown, _)| !shown.is_empty());
    let size = |(shown, own): &(String, &crate::app::keymap::Binding)| {
        let first = shown.split(' ').next().unwrap_or_default();
        width(first) + width(own.short) + 3
    };
    // The way to the rest of the keys stays when there is no room for all.
    let mut total: usize = keys.iter().map(size).sum();
    let mut place = keys.len();
    while total + 1 > usize::from(area.width) && place > 0 {
        place -= 1;
        if !["help", "palette"].contains(&keys[place].1.id) {
            total -= size(&keys[place]);
            keys.remove(place);
        }
    }
    let mut x = area.x + 1;
    for (shown, own) in keys {
        let first = shown.split(' ').next().unwrap_or_default().to_owned();
        let line = Line::from(vec![
            Span::styled(first, theme.key),
            Span::styled(format!(" {}", own.short), theme.footer),
        ]);
        let size = (line.width() as u16).min(area.right().saturating_sub(x));
        let place = Rect { x, width: size, ..area };
        put(buffer, place, line);
        layout.hit(place, Hit::Action(own.action.clone()));
        x += size + 2;
    }
}
