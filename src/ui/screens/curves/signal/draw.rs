//! Draws the plot over the run, the list of actions, and the selected number in words.
//!
//! ```text
//!  AUROC over the run                      action            AUROC          turns/runs
//!   1┤                                     all turns          .47 .37–.57    536/50
//!  .5┤⠤⠤⠒⠒⠤⠤⠤⠤⠤⠤●⠤⠤ turns                  ▸messages           .48 .39–.58    270/50
//!   0└┬────┬────┬                          get_user_details   .43 .27–.62     50/50
//!     0    .5   1
//!  LNSP, turns at 30–40% of the run: AUROC .42, 95% interval .24 to .60 …
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::{Pane, Signal, Spot, group_words, scorer_label};
use crate::engine::{self, BINS, TurnGroup};
use crate::metrics::Metric;
use crate::text::{counted, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::screens::curves::Subject;
use crate::ui::shared::Shared;
use crate::ui::widgets::{
    Area, Axis, Curve, Mark, Plot, Stroke, fit, paragraph, put, sentence_above, short_names, two,
    width, wrap,
};

/// Columns of the list of actions at most.
const WIDEST_LIST: u16 = 70;

pub(super) fn draw(
    page: &Signal,
    subject: &Subject,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    if page.found.get().is_none() {
        let text = if shared.engine().is_some() { "Ranking turns …" } else { "" };
        return paragraph(buffer, area, text, shared.theme.dim);
    }
    if page.of(Pane::Turns).iter().all(|signal| signal.turns == 0) {
        let text =
            "No graded run here has a turn with log-probabilities, so no turn has a confidence.";
        return paragraph(buffer, area, text, shared.theme.dim);
    }
    let why = shared.one_outcome(&shared.cells_of(&subject.cells));
    let area = sentence_above(buffer, area, why.as_deref(), shared.theme.notice);
    let room = usize::from(area.width).saturating_sub(2);
    let lines: Vec<String> =
        sentences(page, shared).iter().flat_map(|text| wrap(text, room)).collect();
    let high = (lines.len() as u16).min(area.height.saturating_sub(8));
    let [top, words] = Split::vertical([Constraint::Min(1), Constraint::Length(high)]).areas(area);
    let list = (top.width / 2).min(WIDEST_LIST);
    let [plot, list] = Split::horizontal([Constraint::Min(1), Constraint::Length(list)]).areas(top);
    draw_plot(page, shared, buffer, plot, hits);
    draw_actions(page, shared, buffer, list, hits);
    for (line, row) in lines.into_iter().zip(words.rows()) {
        put(buffer, row, Line::styled(format!(" {line}"), shared.theme.text));
    }
}

/// Where a part of the run stands in the plot.
fn at(signal: &engine::Signal) -> Option<f64> {
    match signal.group {
        TurnGroup::Position(bin) => Some((bin as f64 + 0.5) / BINS as f64),
        TurnGroup::Share(share) => Some((share as f64 + 1.0) / BINS as f64),
        _ => None,
    }
}

fn draw_plot(
    page: &Signal,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    let theme = &shared.theme;
    let points = |pane: Pane| {
        let known = page.of(pane).iter().filter_map(|signal| Some((at(signal)?, signal.value?)));
        known.collect::<Vec<_>>()
    };
    let curve = |pane: Pane, index: usize, name: &str| Curve {
        points: points(pane),
        stroke: Stroke::CURVES[index],
        style: theme.series(index),
        names: vec![name.to_owned()],
    };
    let mut plot = Plot::new(Axis::share(), Axis::share());
    plot.title = title(page, shared);
    let focus = if page.pane == Pane::SoFar { Pane::SoFar } else { Pane::Turns };
    let mut curves = vec![curve(Pane::Turns, 0, "turns"), curve(Pane::SoFar, 1, "so far")];
    if focus == Pane::SoFar {
        curves.reverse();
    }
    let chance = vec![(0.0, 0.5), (1.0, 0.5)];
    curves.push(Curve {
        points: chance,
        stroke: Stroke::Faint,
        style: theme.dim,
        names: vec!["chance".to_owned()],
    });
    plot.curves = curves;
    let band = page.of(focus).iter().filter_map(|signal| {
        signal.interval.and_then(|interval| Some((at(signal)?, interval.lo, interval.hi)))
    });
    plot.area = Some(Area { points: band.collect(), style: theme.rule });
    if page.pane != Pane::Actions
        && let Some(signal) = page.selected()
        && let (Some(x), Some(y)) = (at(signal), signal.value)
    {
        plot.cursor = Some(x);
        plot.marks.push(Mark { at: (x, y), sign: '●', style: theme.accent });
    }
    let drawn = plot.draw(buffer, area, theme);
    for column in drawn.inner.columns() {
        let (x, _) = drawn.at(column.x, column.y);
        let bin = match focus {
            Pane::SoFar => (x * BINS as f64 - 0.5).max(0.0),
            _ => x * BINS as f64,
        };
        hits.spot(column, Spot::Bin((bin as usize).min(BINS - 1)));
    }
}

fn title<'a>(page: &Signal, shared: &Shared) -> Line<'a> {
    let theme = &shared.theme;
    let style = |pane: Pane| if page.pane == pane { theme.selected } else { theme.header };
    let mark = |pane: Pane| if page.pane == pane { "▸" } else { " " };
    let base = shared.lens.base().id().to_uppercase();
    Line::from(vec![
        Span::styled(format!("{}AUROC of {base} turns", mark(Pane::Turns)), style(Pane::Turns)),
        Span::styled(format!(" {}of runs so far", mark(Pane::SoFar)), style(Pane::SoFar)),
    ])
}

fn draw_actions(
    page: &Signal,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    let theme = &shared.theme;
    let [head, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    let has_keys = page.pane == Pane::Actions;
    let (mark, style) = if has_keys { ("▸", theme.selected) } else { (" ", theme.header) };
    let numbers = format!("{:>5}  {:<9} {:>10} ", "AUROC", "95%", "turns/runs");
    let room = usize::from(area.width).saturating_sub(width(&numbers));
    let name = fit(&format!("{mark}by action"), room);
    put(buffer, Rect { width: room as u16, ..head }, Line::styled(name, style));
    let right = Rect { x: head.x + room as u16, width: head.width - room as u16, ..head };
    put(buffer, right, Line::styled(numbers, theme.dim));
    let actions = page.of(Pane::Actions);
    let selected = page.row.min(actions.len().saturating_sub(1));
    let first = scrolled(0, selected, usize::from(body.height), actions.len());
    let names = action_names(actions, room);
    for ((index, signal), line) in actions.iter().enumerate().skip(first).zip(body.rows()) {
        let here = has_keys && index == selected;
        let mark = if here { "▸" } else { " " };
        let name = format!("{mark}{}", names[index]);
        let style = if here { theme.selected } else { theme.text };
        put(buffer, Rect { width: room as u16, ..line }, Line::styled(name, style));
        let right = Rect { x: line.x + room as u16, width: line.width - room as u16, ..line };
        put(buffer, right, Line::styled(row_numbers(signal), style));
        hits.spot(line, Spot::Action(index));
    }
}

/// The names of actions behind a sign, tools indented.
fn action_names(actions: &[engine::Signal], room: usize) -> Vec<String> {
    let name = |signal: &engine::Signal| match &signal.group {
        TurnGroup::Tool(name) => format!(" {}", visible(name)),
        group => group_words(group),
    };
    short_names(&actions.iter().map(name).collect::<Vec<_>>(), room.saturating_sub(1))
}

/// The value of an action, its interval, and how many turns and runs it rests on.
fn row_numbers(signal: &engine::Signal) -> String {
    let value = signal.value.map_or("n/a".to_owned(), two);
    let ends = signal.interval.map(|ends| format!("{}–{}", two(ends.lo), two(ends.hi)));
    let flag = if signal.counts.is_flagged() { "†" } else { " " };
    let counts = format!("{}/{}", signal.turns, signal.counts.runs);
    format!("{value:>5}{flag} {:<9} {counts:>10} ", ends.unwrap_or_default())
}

/// A number in words.
pub(super) fn words(signal: &engine::Signal) -> String {
    let counts = signal.counts;
    let why = || Metric::Auroc.undefined(counts.runs, counts.successes);
    let value = signal.value.map(two).or_else(|| why().map(|why| why.to_string()));
    let value = format!("AUROC {}", value.unwrap_or("n/a".to_owned()));
    let interval = signal.interval.map_or(String::new(), |ends| {
        let side = match (ends.lo > 0.5, ends.hi < 0.5) {
            (true, _) => "better than chance",
            (_, true) => "worse than chance",
            _ => "not distinguishable from chance",
        };
        format!(", 95% interval {} to {}: {side}", two(ends.lo), two(ends.hi))
    });
    let turns = match signal.group {
        TurnGroup::Share(_) => String::new(),
        _ => format!("{} of ", counted(signal.turns as u64, "turn")),
    };
    let flag = if counts.is_flagged() { " †" } else { "" };
    let runs = counted(counts.runs as u64, "run");
    let (good, bad) = (counts.successes, counts.runs - counts.successes);
    format!(
        "{}: {value}{interval}; {turns}{runs} ({good} ✓ / {bad} ✗){flag}",
        group_words(&signal.group)
    )
}

fn sentences(page: &Signal, shared: &Shared) -> Vec<String> {
    let label = match page.pane {
        Pane::SoFar => visible(&scorer_label(shared)).into_owned(),
        Pane::Turns | Pane::Actions => shared.lens.base().id().to_uppercase(),
    };
    let selected = page.selected().map(|signal| format!("{label}, {}.", words(signal)));
    let asked = page.found.get().and_then(|found| found.resamples);
    let early = asked.map(|resamples| earliest(page, shared, resamples));
    selected.into_iter().chain(early).collect()
}

/// From which part of the run on the score so far separates failures, up to the end.
fn earliest(page: &Signal, shared: &Shared, resamples: usize) -> String {
    let name = scorer_label(shared);
    let label = visible(&name);
    let separates = |signal: &&engine::Signal| signal.interval.is_some_and(|ends| ends.lo > 0.5);
    let so_far = page.of(Pane::SoFar);
    let from = so_far.len() - so_far.iter().rev().take_while(separates).count();
    let usual = crate::metrics::bootstrap::Resampling::default().resamples;
    let fewer = if resamples < usual { format!(" ({resamples} resamples)") } else { String::new() };
    match so_far.get(from) {
        None => format!(
            "{label} is not distinguishably better than chance even at the end of the run{fewer}."
        ),
        Some(_) => format!(
            "{label} separates failures from {}% of the run on{fewer}.",
            (from + 1) * 100 / BINS
        ),
    }
}
