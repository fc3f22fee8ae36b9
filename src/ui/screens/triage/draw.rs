//! Draws a pair to vote on: what each run changed, then both transcripts. What others say of it, and
//! how the runs were graded, is hidden until the user has voted.
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

use super::Triage;
use crate::compare::{MOST_PANES, SideEffect};
use crate::engine::PairId;
use crate::store::Ruling;
use crate::text::{grouped, visible};
use crate::ui::hits::Hits;
use crate::ui::marks;
use crate::ui::panel::{Comparison, Layout, Spot};
use crate::ui::shared::Shared;
use crate::ui::widgets::{fit, paragraph, put, rule, two, wrap};

/// Changing calls of one side that are listed; the transcripts have them all.
const MOST: usize = 4;

/// Below this height only what a vote needs is shown above the runs.
const LOW: u16 = 18;

pub(super) fn draw(
    triage: &Triage,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let Some(pair) = triage.pair else {
        let text = "There is no pair to look at: Esc goes back.";
        paragraph(buffer, area, text, shared.theme.dim);
        return Layout::default();
    };
    let room = usize::from(area.width);
    let comparison = triage.panel.ready(shared);
    let low = area.height < LOW;
    let mut lines = vec![title(triage, pair, shared)];
    let said = verdicts(triage, pair, shared, room);
    lines.extend(said.into_iter().take(if low { 1 } else { usize::MAX }));
    if let Ok(comparison) = &comparison {
        let most = if low { 1 } else { MOST };
        lines.extend(effects(triage, comparison, shared, (room, most)));
    }
    let high = (lines.len() as u16).min(area.height / 2);
    let [top, below, body] =
        Split::vertical([Constraint::Length(high), Constraint::Length(1), Constraint::Min(1)])
            .areas(area);
    for (line, row) in lines.into_iter().zip(top.rows()) {
        put(buffer, row, line);
    }
    rule(buffer, below, shared.theme.rule);
    match comparison {
        Ok(comparison) => triage.panel.draw(&comparison, MOST_PANES, shared, buffer, body, hits),
        Err((text, style)) => {
            paragraph(buffer, body, &text, style);
            Layout::default()
        }
    }
}

fn title<'a>(triage: &Triage, pair: PairId, shared: &Shared) -> Line<'a> {
    let theme = &shared.theme;
    let cell = shared.cell_of(pair.id).map_or(String::new(), ToString::to_string);
    let task = shared.task_of(pair.id).map_or("", |task| task.id.as_str());
    let queue = triage.queue(shared);
    let progress = queue.map_or(" …".to_owned(), |queue| {
        let (done, all) = (queue.done() as u64, queue.items.len() as u64);
        format!(" {} of {} done", grouped(done), grouped(all))
    });
    let author = fit(&visible(&shared.author), 20);
    let author = if author.is_empty() { author } else { format!(" by {author}") };
    let outside = queue.is_some() && triage.item(shared).is_none();
    let outside = if outside { " · not in the queue under this filter" } else { "" };
    Line::from(vec![
        Span::styled(format!("{progress}{author}"), theme.accent),
        Span::styled(
            format!(" · {} · task {}, draw {}", visible(&cell), visible(task), pair.draw),
            theme.title,
        ),
        Span::styled(outside, theme.warn),
    ])
}

/// What judges and database say, once the user has voted.
fn verdicts<'a>(triage: &Triage, pair: PairId, shared: &Shared, room: usize) -> Vec<Line<'a>> {
    let theme = &shared.theme;
    let Some(item) = triage.item(shared) else { return Vec::new() };
    let Some(vote) = shared.vote_on(pair) else {
        let judges = item.opinions.len();
        let truth = if item.truth.is_ok() { " and the database" } else { "" };
        let plural = if judges == 1 { "" } else { "s" };
        let text = format!(" {judges} judge{plural}{truth} spoke: shown once you have voted");
        let left_out = triage.queue(shared).and_then(|queue| queue.left_out.words());
        let left_out =
            left_out.map(|words| Line::styled(fit(&format!(" {words}"), room), theme.dim));
        return [Line::styled(text, theme.notice)].into_iter().chain(left_out).collect();
    };
    let word = |equivalent: bool| if equivalent { "≡ equivalent" } else { "≢ different" };
    let judges = shared.engine().map_or(&[][..], |engine| engine.judges());
    let mut said = vec![format!("you: {}", vote.equivalent().map_or("? unsure", word))];
    for opinion in &item.opinions {
        let judge = judges.get(opinion.judge).map_or("?", String::as_str);
        let sure = opinion.confidence.map_or(String::new(), |sure| format!(" {}", two(sure)));
        said.push(format!("{}: {}{sure}", visible(judge), word(opinion.equivalent)));
    }
    said.push(match item.truth {
        Ok(truth) => format!("database: {}", word(truth)),
        Err(why) => format!("no database truth: {}", marks::no_truth(why)),
    });
    said.push(marks::reasons(&item.reasons));
    let style = if vote == Ruling::Unsure { theme.warn } else { theme.accent };
    let lines = wrap(&said.join("   "), room.saturating_sub(2)).into_iter();
    lines.map(|line| Line::styled(format!(" {line}"), style)).collect()
}

/// What the runs changed: both, only the first, only the second.
fn effects<'a>(
    triage: &Triage,
    comparison: &Comparison,
    shared: &Shared,
    (room, most): (usize, usize),
) -> Vec<Line<'a>> {
    let theme = &shared.theme;
    if comparison.opened.len() < 2 {
        return Vec::new();
    }
    let effects = triage.panel.effects(comparison);
    let [both, first, second] = effects.as_ref();
    let only = |pane| format!("only {}", triage.panel.pane_name(pane, shared));
    let parts = [
        ("both changed".to_owned(), both, theme.text),
        (only(0), first, theme.bad),
        (only(1), second, theme.good),
    ];
    let lines = parts.into_iter().flat_map(|(name, effects, style)| {
        effect_lines(&name, effects, (style, theme.dim), (room, most))
    });
    lines.collect()
}

fn effect_lines<'a>(
    name: &str,
    effects: &[SideEffect],
    (style, dim): (Style, Style),
    (room, most): (usize, usize),
) -> Vec<Line<'a>> {
    let head = format!(" {:<16} ", fit(name, 16));
    let blank = " ".repeat(head.chars().count());
    if effects.is_empty() {
        return vec![Line::from(vec![Span::styled(head, dim), Span::styled("nothing", dim)])];
    }
    let mut lines = Vec::new();
    for (index, effect) in effects.iter().take(most).enumerate() {
        let times = if effect.times > 1 { format!(" ×{}", effect.times) } else { String::new() };
        let text = format!("{}{times} {}", effect.name, effect.arguments);
        let text = fit(&visible(&text), room.saturating_sub(head.chars().count() + 1));
        let label = if index == 0 { head.clone() } else { blank.clone() };
        lines.push(Line::from(vec![Span::styled(label, dim), Span::styled(text, style)]));
    }
    if effects.len() > most {
        let more = format!("{blank}… {} more below", effects.len() - most);
        lines.push(Line::styled(more, dim));
    }
    lines
}
