//! One pair to vote on: what each run changed, then both transcripts, the verdicts last.
//!
//! ```text
//!  pair 13 of 47 · 12 done · airline/gpt-4o-mini · task 17, draw 2
//!  both did      cancel_reservation {"reservation_id": "EHGLP3"}
//!  only reference  –
//!  only sample 2   send_certificate {"amount": 100}
//!  verdicts are hidden until you vote: = equivalent  ! different  ~ unsure  Space next
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{compare, put};
use crate::app::{App, Comparison, Layout};
use crate::compare::{Effect, beside};
use crate::engine::TriageItem;
use crate::store::Ruling;
use crate::text::{grouped, visible};
use crate::widgets::{fit, two};

/// Changing calls of one side that are listed; the transcripts have them all.
const MOST: usize = 4;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let Some(item) = app.triage_item() else {
        return super::paragraph(
            buffer,
            area,
            "There is no pair to look at: Esc goes back.",
            app.theme.dim,
        );
    };
    let lines = match app.comparison() {
        Some(Ok(own)) => lines(app, &own, item, usize::from(area.width)),
        _ => vec![title(app, item)],
    };
    let high = (lines.len() as u16).min(area.height / 2);
    let [top, rule, body] =
        Split::vertical([Constraint::Length(high), Constraint::Length(1), Constraint::Min(1)])
            .areas(area);
    for (line, row) in lines.into_iter().zip(top.rows()) {
        put(buffer, row, line);
    }
    put(buffer, rule, Line::styled("─".repeat(usize::from(area.width)), app.theme.rule));
    compare::draw(buffer, body, app, layout);
}

fn title<'a>(app: &App, item: &TriageItem) -> Line<'a> {
    let theme = &app.theme;
    let view = app.judges_view();
    let (done, all) = view.map_or((0, 0), |own| (own.triage.done(), own.triage.items.len()));
    let place = app.judges.triaging.place + 1;
    let reasons = super::judges::reasons(&item.reasons);
    Line::from(vec![
        Span::styled(
            format!(" {} of {} done", grouped(done as u64), grouped(all as u64)),
            theme.accent,
        ),
        Span::styled(format!(" · pair {place}, draw {} · ", item.pair.draw), theme.title),
        Span::styled(reasons, theme.dim),
    ])
}

fn lines<'a>(app: &App, own: &Comparison, item: &TriageItem, room: usize) -> Vec<Line<'a>> {
    let theme = &app.theme;
    let mut lines = vec![title(app, item)];
    if own.opened.len() > 1 {
        let [both, first, second] = beside(own.run(0), own.run(1));
        let names = [
            ("both changed".to_owned(), both, theme.text),
            (format!("only {}", app.pane_name(0)), first, theme.bad),
            (format!("only {}", app.pane_name(1)), second, theme.good),
        ];
        for (name, effects, style) in names {
            lines.extend(effect_lines(app, &name, &effects, style, room));
        }
    }
    lines.push(verdicts(app, item));
    lines
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

/// What judges and database say, once the person has voted: nobody is to be led.
fn verdicts<'a>(app: &App, item: &TriageItem) -> Line<'a> {
    let theme = &app.theme;
    let kept = app.data.kept.as_ref();
    let id = kept.map_or(item.pair.id, |(_, kept)| kept.whole_id(item.pair.id));
    let own = app.own_vote(crate::engine::PairId { id, ..item.pair });
    let word = |own: bool| if own { "≡ equivalent" } else { "≢ different" };
    let Some(own) = own.filter(|own| *own != Ruling::Withdrawn) else {
        let judges = item.opinions.len();
        let truth = if item.truth.is_some() { " and the database" } else { "" };
        let plural = if judges == 1 { "" } else { "s" };
        let text = format!(" {judges} judge{plural}{truth} spoke: shown once you have voted");
        return Line::styled(text, theme.notice);
    };
    let vote = match own {
        Ruling::Equivalent => "≡ equivalent",
        Ruling::Different => "≢ different",
        _ => "? unsure",
    };
    let mut spans = vec![Span::styled(format!(" you: {vote}  "), theme.accent)];
    let names = app.data.engine().map(|own| own.judges().to_vec()).unwrap_or_default();
    for said in &item.opinions {
        let name = names.get(said.judge).map_or("?", String::as_str);
        let sure = said.confidence.map_or(String::new(), |own| format!(" {}", two(own)));
        let text = format!("{}: {}{sure}  ", visible(name), word(said.equivalent));
        spans.push(Span::styled(text, theme.text));
    }
    if let Some(truth) = item.truth {
        spans.push(Span::styled(format!("database: {}", word(truth)), theme.warn));
    }
    Line::from(spans)
}
