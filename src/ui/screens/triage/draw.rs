//! Draws a pair to vote on: what each run changed, then both transcripts. The verdicts of others
//! and the grading of the runs are hidden until the user has voted.
//!
//! ```text
//!  queue: 12 of 47 done · airline/gpt-4o-mini · task 17, draw 2
//!  Judges, database and others: shown once you have voted
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
use crate::engine::{PairId, PairOrder, VoteEffect};
use crate::model::is_human;
use crate::store::{ChosenBy, Ruling};
use crate::text::{counted, grouped, visible};
use crate::ui::hits::Hits;
use crate::ui::lists::pair_draws;
use crate::ui::marks;
use crate::ui::panel::{Comparison, Layout, Spot};
use crate::ui::shared::Shared;
use crate::ui::widgets::{
    fit, fit_middle, padded, paragraph, put, rule, sentence_above, short_names, signed, two, width,
    wrap,
};

/// Changing calls of one side that are listed; the transcripts have them all.
const MOST: usize = 4;

/// Columns before a call: whose it is.
const HEAD: usize = 18;

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
    let why = shared.scope_leaves(&[pair.id.cell as usize], "which tells outcomes");
    let why = why.or_else(|| shared.telling_scope());
    let area = sentence_above(buffer, area, why.as_deref(), shared.theme.warn);
    let room = usize::from(area.width);
    let comparison = triage.panel.ready(shared);
    let low = area.height < LOW;
    let mut lines = vec![title(triage, pair, shared)];
    lines.extend(verdicts(triage, pair, shared, (room, low)));
    let changed = effect_lines(triage.effects(shared), shared, (room, low));
    // A low screen has what the vote changed in place of what both runs did.
    let left_out = usize::from(low && !changed.is_empty());
    lines.extend(changed.into_iter().map(|line| Line::styled(line, shared.theme.text)));
    if let Ok(comparison) = &comparison {
        let most = if low { 1 } else { MOST };
        lines.extend(side_effects(triage, comparison, shared, (room, most)).skip(left_out));
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
    let draws = pair_draws(pair, shared);
    let queue = triage.queue(shared);
    let chosen = match triage.chosen_by(shared) {
        ChosenBy::Audit => "random audit: ",
        ChosenBy::Adjudication => "adjudication: ",
        ChosenBy::Direct => "chosen directly; queue: ",
        ChosenBy::Queue => "",
    };
    // Whether the pair fits a scope by outcomes, and so how many do, tells how it ended.
    let may_tell = shared.vote_on(pair).is_some() || !shared.scope_tells();
    let progress = queue.filter(|_| may_tell).map_or(" …".to_owned(), |queue| {
        let (done, all) = (queue.done() as u64, queue.items.len() as u64);
        if queue.order == PairOrder::Adjudication {
            return format!(" {chosen}{} of {} settled", grouped(done), counted(all, "pair"));
        }
        format!(" {chosen}{} of {} done", grouped(done), grouped(all))
    });
    let author = fit(&visible(&shared.author), 20);
    let author = match shared.order {
        _ if author.is_empty() => author,
        // Whoever settled them.
        PairOrder::Adjudication => format!("; you are {author}"),
        _ => format!(" by {author}"),
    };
    let is_direct = triage.chosen_by(shared) == ChosenBy::Direct;
    let outside = may_tell && queue.is_some() && triage.item(shared).is_none() && !is_direct;
    let outside = if outside { " · not in the queue in this scope" } else { "" };
    // Old counts stand until new ones come.
    let style = if triage.is_queue_stale() { theme.dim } else { theme.accent };
    Line::from(vec![
        Span::styled(format!("{progress}{author}"), style),
        Span::styled(
            format!(" · {} · task {}, {draws}", visible(&cell), visible(task)),
            theme.title,
        ),
        Span::styled(outside, theme.warn),
    ])
}

/// What judges, database and other people say, once the user has voted; on a low screen one line.
fn verdicts<'a>(
    triage: &Triage,
    pair: PairId,
    shared: &Shared,
    (room, low): (usize, bool),
) -> Vec<Line<'a>> {
    let theme = &shared.theme;
    let Some(vote) = shared.vote_on(pair) else {
        let text = " Judges, database and others: shown once you have voted";
        return vec![Line::styled(text, theme.notice)];
    };
    let mut said = vec![format!("you: {}", vote.equivalent().map_or("? unsure", word))];
    said.extend(others(pair, shared));
    said.extend(triage.item(shared).map(|item| marks::reasons(&item.reasons)));
    said.retain(|words| !words.is_empty());
    let style = if vote == Ruling::Unsure { theme.warn } else { theme.accent };
    let room = room.saturating_sub(2);
    let lines = if low { vec![fit(&said.join("   "), room)] } else { in_lines(&said, room) };
    lines.into_iter().map(|line| Line::styled(format!(" {line}"), style)).collect()
}

/// What each one says, side by side; nobody's words are on two lines where they fit on one.
fn in_lines(said: &[String], room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for words in said {
        match lines.last_mut() {
            Some(line) if width(line) + 3 + width(words) <= room => {
                line.push_str("   ");
                line.push_str(words);
            }
            _ => lines.extend(wrap(words, room)),
        }
    }
    lines
}

fn word(equivalent: bool) -> &'static str {
    if equivalent { "≡ equivalent" } else { "≢ different" }
}

/// What models, other people and the database say of a pair.
fn others(pair: PairId, shared: &Shared) -> Vec<String> {
    let Some(engine) = shared.engine() else { return Vec::new() };
    let mut said = Vec::new();
    for opinion in engine.words_on(pair) {
        let judge = engine.judges()[opinion.judge].as_str();
        let Some(equivalent) = opinion.equivalent.filter(|_| !is_human(judge)) else { continue };
        let sure = opinion.confidence.map_or(String::new(), |sure| format!(" {}", two(sure)));
        said.push(format!("{}: {}{sure}", visible(judge), word(equivalent)));
    }
    for vote in shared.votes_of_others(pair) {
        let settles = if vote.is_adjudication() { " (adjudication)" } else { "" };
        let words = vote.verdict.equivalent().map_or("? unsure", word);
        said.push(format!("{}: {words}{settles}", visible(&vote.author)));
    }
    said.push(match engine.truth_on(pair) {
        Ok(truth) => format!("database: {}", word(truth)),
        Err(why) => format!("no database truth: {}", marks::no_truth(why)),
    });
    said
}

/// What the vote changed under each judge that it enters: on one line where they fit, else in few
/// words on a line each, on a low screen the first only. The level of TER is not shown where it would tell what is
/// said of pairs that the user has not voted on; its change is.
fn effect_lines(
    effects: &[VoteEffect],
    shared: &Shared,
    (room, low): (usize, bool),
) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or("n/a".to_owned(), two);
    let metric = shared.lens.metric.id().to_uppercase();
    let room = room.saturating_sub(2);
    let words = |effect: &VoteEffect, of_task: &str| {
        let [was, is] = effect.ter;
        let ter = match was.zip(is).filter(|_| effect.counts_open_pairs) {
            Some((was, is)) => signed(is - was),
            None => format!("{} → {}", number(was), number(is)),
        };
        let [before, after] = effect.value.map(number);
        format!(": TER{of_task} {ter}, {metric} {before} → {after}")
    };
    let whole = |effect: &VoteEffect| {
        format!("{}{}", visible(&effect.judge.words()), words(effect, " of the task"))
    };
    let all: Vec<String> = effects.iter().map(whole).collect();
    let together = format!(" effect of the vote  {}", all.join("   "));
    if !low && !all.is_empty() && width(&together) <= room {
        return vec![together];
    }
    let line = |(index, effect): (usize, &VoteEffect)| {
        let (head, words) = (if index == 0 { "effect" } else { "" }, words(effect, ""));
        let left = room.saturating_sub(8 + width(&words));
        format!(" {head:<8}{}{words}", fit_middle(&visible(&effect.judge.words()), left))
    };
    effects.iter().enumerate().take(if low { 1 } else { usize::MAX }).map(line).collect()
}

/// What the runs changed: both, only the first, only the second.
fn side_effects<'a>(
    triage: &Triage,
    comparison: &Comparison,
    shared: &Shared,
    (room, most): (usize, usize),
) -> impl Iterator<Item = Line<'a>> {
    let theme = &shared.theme;
    let count = if comparison.opened.len() < 2 { 0 } else { usize::MAX };
    let effects = triage.panel.effects(comparison);
    let [both, first, second] = effects.as_ref();
    let only = |pane| format!("only {}", triage.panel.pane_name(pane, shared));
    let parts = [
        ("both changed".to_owned(), both, theme.text),
        (only(0), first, theme.bad),
        (only(1), second, theme.good),
    ];
    let shown = effects.iter().flat_map(|part| part.iter().take(most));
    let texts: Vec<String> =
        shown.map(|effect| visible(&effect_text(effect)).into_owned()).collect();
    let mut texts = fit_apart(&texts, room.saturating_sub(HEAD + 1)).into_iter();
    let lines = parts.into_iter().flat_map(|(name, effects, style)| {
        let texts: Vec<String> = texts.by_ref().take(effects.len().min(most)).collect();
        let more = effects.len() - texts.len();
        side_effect_lines(&name, texts, (style, theme.dim), more)
    });
    lines.collect::<Vec<_>>().into_iter().take(count)
}

/// A call, how often it was made, and its arguments.
fn effect_text(effect: &SideEffect) -> String {
    let times = if effect.times > 1 { format!(" ×{}", effect.times) } else { String::new() };
    format!("{}{times} {}", effect.name, effect.arguments)
}

/// Texts cut at their ends, or where they do not differ if several would then look alike.
fn fit_apart(texts: &[String], room: usize) -> Vec<String> {
    let mut cut: Vec<String> = texts.iter().map(|text| fit(text, room)).collect();
    let looks_like_another = |index: &usize| {
        let others = texts.iter().zip(&cut).filter(|(text, _)| **text != texts[*index]);
        others.map(|(_, other)| other).any(|other| *other == cut[*index])
    };
    let alike: Vec<usize> = (0..texts.len()).filter(looks_like_another).collect();
    let apart = short_names(&alike.iter().map(|index| &texts[*index]).collect::<Vec<_>>(), room);
    for (index, text) in alike.into_iter().zip(apart) {
        cut[index] = text;
    }
    cut
}

fn side_effect_lines<'a>(
    name: &str,
    texts: Vec<String>,
    (style, dim): (Style, Style),
    more: usize,
) -> Vec<Line<'a>> {
    let head = format!(" {} ", padded(name, HEAD - 2));
    let blank = " ".repeat(HEAD);
    if texts.is_empty() {
        return vec![Line::from(vec![Span::styled(head, dim), Span::styled("nothing", dim)])];
    }
    let mut lines = Vec::new();
    for (index, text) in texts.into_iter().enumerate() {
        let label = if index == 0 { head.clone() } else { blank.clone() };
        lines.push(Line::from(vec![Span::styled(label, dim), Span::styled(text, style)]));
    }
    if more > 0 {
        let more = format!("{blank}… {more} more below");
        lines.push(Line::styled(more, dim));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_says_stays_on_a_line() {
        let said = ["you: yes", "ada: perhaps", "a judge: no"].map(str::to_owned);
        assert_eq!(in_lines(&said, 24), ["you: yes   ada: perhaps", "a judge: no"]);
        assert_eq!(in_lines(&said, 12), ["you: yes", "ada: perhaps", "a judge: no"]);
        assert_eq!(in_lines(&said[..2], 8), ["you: yes", "ada:", "perhaps"]);
    }

    #[test]
    fn texts_that_would_look_alike_show_where_they_differ() {
        let texts = [
            r#"change_address {"street": "144 Lakeview Drive", "city": "New York", "zip": "10001"}"#,
            r#"change_address {"street": "144 Lakeview Drive", "city": "Newcastle", "zip": "10001"}"#,
            r#"cancel_order {"order": "W1"}"#,
        ]
        .map(str::to_owned);
        let cut = fit_apart(&texts, 50);
        assert!(cut[0].contains("York") && cut[1].contains("castle"), "{cut:?}");
        assert_eq!(cut[2], texts[2]);
        assert!(cut.iter().all(|text| width(text) <= 50), "{cut:?}");
        let same = [texts[0].clone(), texts[0].clone()];
        assert_eq!(fit_apart(&same, 50), [fit(&texts[0], 50), fit(&texts[0], 50)]);
    }
}
