//! One pair to vote on: what each run changed, then both transcripts. What others say of it, and how
//! the runs were graded, is kept back until the user has voted.
//!
//! ```text
//!  12 of 47 done · airline/gpt-4o-mini · task 17, draw 2
//!  2 judges and the database spoke: shown once you have voted
//!  both changed     cancel_reservation {"reservation_id": "EHGLP3"}
//!  only reference   nothing
//!  only sample 2    send_certificate {"amount": 100}
//!  ────────────────────────────────────────────────
//!  (the runs side by side)
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{compare, put};
use crate::app::{App, Comparison, Layout};
use crate::compare::Effect;
use crate::engine::PairId;
use crate::store::Ruling;
use crate::text::{grouped, visible};
use crate::widgets::{fit, two, wrap};

/// Changing calls of one side that are listed; the transcripts have them all.
const MOST: usize = 4;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let Some(pair) = app.judges.triaging.pair else {
        let text = "There is no pair to look at: Esc goes back.";
        return super::paragraph(buffer, area, text, app.theme.dim);
    };
    let room = usize::from(area.width);
    let mut lines = vec![title(app, pair)];
    lines.extend(verdicts(app, pair, room));
    if let Some(Ok(own)) = app.comparison() {
        lines.extend(effects(app, &own, room));
    }
    let high = (lines.len() as u16).min(area.height / 2);
    let [top, rule, body] =
        Split::vertical([Constraint::Length(high), Constraint::Length(1), Constraint::Min(1)])
            .areas(area);
    for (line, row) in lines.into_iter().zip(top.rows()) {
        put(buffer, row, line);
    }
    put(buffer, rule, Line::styled("─".repeat(room), app.theme.rule));
    compare::draw(buffer, body, app, layout);
}

fn title<'a>(app: &App, pair: PairId) -> Line<'a> {
    let theme = &app.theme;
    let cell = app.columns.get(pair.id.cell as usize).map_or(String::new(), ToString::to_string);
    let task = app.task_of(pair.id).map_or("", |own| own.id.as_str());
    let progress = match app.judges_view() {
        Some(own) => {
            let (done, all) = (own.triage.done() as u64, own.triage.items.len() as u64);
            format!(" {} of {} done", grouped(done), grouped(all))
        }
        None => " …".to_owned(),
    };
    let outside = app.judges_view().is_some() && app.triage_item().is_none();
    let outside = if outside { " · not in the queue under this filter" } else { "" };
    Line::from(vec![
        Span::styled(progress, theme.accent),
        Span::styled(
            format!(" · {} · task {}, draw {}", visible(&cell), visible(task), pair.draw),
            theme.title,
        ),
        Span::styled(outside, theme.warn),
    ])
}

/// What judges and database say, once the person has voted: nobody is to be led.
fn verdicts<'a>(app: &App, pair: PairId, room: usize) -> Vec<Line<'a>> {
    let theme = &app.theme;
    let Some(item) = app.triage_item() else { return Vec::new() };
    let Some(own) = app.own_vote(pair) else {
        let judges = item.opinions.len();
        let truth = if item.truth.is_some() { " and the database" } else { "" };
        let plural = if judges == 1 { "" } else { "s" };
        let text = format!(" {judges} judge{plural}{truth} spoke: shown once you have voted");
        return vec![Line::styled(text, theme.notice)];
    };
    let word = |own: bool| if own { "≡ equivalent" } else { "≢ different" };
    let vote = own.equivalent().map_or("? unsure", word);
    let names = app.data.engine().map(|own| own.judges().to_vec()).unwrap_or_default();
    let mut said = vec![format!("you: {vote}")];
    for own in &item.opinions {
        let name = names.get(own.judge).map_or("?", String::as_str);
        let sure = own.confidence.map_or(String::new(), |own| format!(" {}", two(own)));
        said.push(format!("{}: {}{sure}", visible(name), word(own.equivalent)));
    }
    said.extend(item.truth.map(|truth| format!("database: {}", word(truth))));
    said.push(super::judges::reasons(&item.reasons));
    let text = said.join("   ");
    let lines = wrap(&text, room.saturating_sub(2)).into_iter();
    let style = if own == Ruling::Unsure { theme.warn } else { theme.accent };
    lines.map(|line| Line::styled(format!(" {line}"), style)).collect()
}

fn effects<'a>(app: &App, own: &Comparison, room: usize) -> Vec<Line<'a>> {
    let theme = &app.theme;
    if own.opened.len() < 2 {
        return Vec::new();
    }
    let all = app.effects(own);
    let [both, first, second] = all.as_ref();
    let names = [
        ("both changed".to_owned(), both, theme.text),
        (format!("only {}", app.pane_name(0)), first, theme.bad),
        (format!("only {}", app.pane_name(1)), second, theme.good),
    ];
    let lines = names
        .into_iter()
        .flat_map(|(name, effects, style)| effect_lines(app, &name, effects, style, room));
    lines.collect()
}

fn effect_lines<'a>(
    app: &App,
    name: &str,
    all: &[Effect],
    style: Style,
    room: usize,
) -> Vec<Line<'a>> {
    let head = format!(" {:<16} ", fit(name, 16));
    let blank = " ".repeat(head.chars().count());
    let dim = app.theme.dim;
    if all.is_empty() {
        return vec![Line::from(vec![Span::styled(head, dim), Span::styled("nothing", dim)])];
    }
    let mut lines = Vec::new();
    for (place, own) in all.iter().take(MOST).enumerate() {
        let times = if own.times > 1 { format!(" ×{}", own.times) } else { String::new() };
        let text = visible(&format!("{}{times} {}", own.name, own.arguments)).into_owned();
        let text = fit(&text, room.saturating_sub(head.chars().count() + 1));
        let label = if place == 0 { head.clone() } else { blank.clone() };
        lines.push(Line::from(vec![Span::styled(label, dim), Span::styled(text, style)]));
    }
    if all.len() > MOST {
        let more = format!("{blank}… {} more below", all.len() - MOST);
        lines.push(Line::styled(more, dim));
    }
    lines
}
