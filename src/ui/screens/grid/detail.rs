//! The two lines below the grid: the selected number with its interval, and what it decides.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Row;
use crate::engine::Counts;
use crate::metrics::bootstrap::Interval;
use crate::model::Cell;
use crate::scorers::{Family, Formula, Need, Scorer};
use crate::text::{counted, visible};
use crate::ui::heatmap::Heatmap;
use crate::ui::shared::{Number, Shared};
use crate::ui::widgets::{fit, put, signed, two};

/// Scorers that are named among those whose intervals overlap.
const MOST_NAMED: usize = 3;

pub(super) fn draw_detail(
    buffer: &mut Buffer,
    area: Rect,
    heatmap: &Heatmap<'_>,
    row: Option<&Row>,
) {
    let shared = heatmap.shared;
    let theme = &shared.theme;
    let [first, second] = Split::vertical([Constraint::Length(1); 2]).areas(area);
    let Some(cell) = shared.current_cell() else { return };
    let cell_name = name(cell);
    let label = shared.lens.scorer.label();
    let label = visible(&label);
    if let Some(Row::Folded(family, members)) = row {
        let best = heatmap.best_value(shared.cell, members);
        let best = best.map_or("–".to_owned(), |value| format!("{value:.2}"));
        let count = counted(members.len() as u64, "scorer");
        let text = format!(" {cell_name} · {}  best of {count}: {label} {best}", family.id());
        put(buffer, first, Line::styled(text, theme.text));
        put(buffer, second, Line::styled(" z unfolds the family", theme.dim));
        return;
    }
    let mut spans = vec![Span::styled(format!(" {cell_name} · {label}  "), theme.title)];
    spans.extend(value_spans(shared));
    put(buffer, first, Line::from(spans));
    let verdict = verdict(heatmap).unwrap_or_default();
    let text = fit(&verdict, usize::from(second.width).saturating_sub(2));
    put(buffer, second, Line::styled(format!(" {text}"), theme.dim));
}

fn name(cell: &Cell) -> String {
    let name = format!("{} · {}", visible(&cell.dataset), visible(&cell.model));
    if cell.condition == Cell::DEFAULT_CONDITION {
        return name;
    }
    format!("{name} · {}", visible(&cell.condition))
}

/// The value with its interval, how it compares with chance, and what it rests on.
fn value_spans<'a>(shared: &Shared) -> Vec<Span<'a>> {
    let theme = &shared.theme;
    let (scorer, cell) = (&shared.lens.scorer, shared.cell);
    let metric = shared.lens.metric.id().to_uppercase();
    let Some(Number { value, counts }) = shared.numbers.number(scorer, cell) else {
        let waiting = shared.numbers.row(scorer).is_none();
        let text = if waiting { "…" } else { why_absent(shared) };
        return vec![Span::styled(format!("{metric} {text}"), theme.dim)];
    };
    let mut spans = Vec::new();
    if let Some(value) = value {
        let interval = shared.numbers.interval(scorer, cell).get();
        spans.push(Span::styled(format!("{metric} {value:.2}"), theme.title));
        spans.push(Span::styled(
            format!(" {}", interval.map_or("…".to_owned(), bracketed)),
            theme.text,
        ));
        let against_chance = interval.and_then(|interval| against_chance(interval, counts, shared));
        let words = against_chance.map(|(words, style)| Span::styled(format!("  {words}"), style));
        spans.extend(words);
    } else {
        let why = shared.lens.metric.undefined(counts.tasks, counts.successes);
        let why = why.map_or("n/a".to_owned(), |why| why.to_string());
        spans.push(Span::styled(format!("{metric} {why}"), theme.warn));
    }
    let failures = counts.tasks - counts.successes;
    let n = format!("  n {} ({} ✓ / {failures} ✗)", counts.tasks, counts.successes);
    spans.push(Span::styled(n, theme.text));
    if counts.is_flagged() {
        let few = format!("  † minority {}", counts.minority());
        spans.push(Span::styled(few, theme.warn));
    }
    spans
}

fn bracketed(interval: Interval) -> String {
    let skipped = match interval.skipped {
        0 => String::new(),
        some => format!(" ({some} skipped)"),
    };
    format!("[{:.2}, {:.2}]{skipped}", interval.lo, interval.hi)
}

/// Whether an interval says that a value is worse than chance, or no different from it.
fn against_chance(
    interval: Interval,
    counts: Counts,
    shared: &Shared,
) -> Option<(&'static str, Style)> {
    let metric = shared.lens.metric;
    let rate = counts.successes as f64 / counts.tasks.max(1) as f64;
    let chance = metric.chance(rate)?;
    let Interval { lo, hi, .. } = interval;
    // With one task of an outcome, every resample ranks the same one.
    if counts.minority() < 2 {
        return Some(("too few tasks of the rarer outcome to tell", shared.theme.warn));
    }
    if metric.higher_is_better() && hi < chance {
        Some(("below chance", shared.theme.bad))
    } else if !metric.higher_is_better() && lo > chance {
        Some(("worse than chance", shared.theme.bad))
    } else {
        (lo <= chance && hi >= chance)
            .then_some(("not distinguishable from chance", shared.theme.warn))
    }
}

/// Why the selected cell has no values of the scorer.
fn why_absent(shared: &Shared) -> &'static str {
    let frame = shared.engine().and_then(|engine| engine.frames().get(shared.cell));
    let summary = shared.current_summary();
    let has_logprobs = summary.is_some_and(|summary| summary.turns_with_logprobs > 0);
    let single = summary.is_some_and(|summary| summary.tasks == summary.trajectories);
    match shared.lens.scorer.family() {
        Family::WhiteBox | Family::Propagation if !has_logprobs => {
            "no values: no run of this cell recorded log-probabilities"
        }
        Family::WhiteBox if has_logprobs && needs_alternatives(&shared.lens.scorer) => {
            "no values: no alternatives of tokens were recorded, and this scorer compares them"
        }
        family if family.is_consistency() && single => {
            "no values: this cell has one run a task, and consistency needs several"
        }
        _ if frame.is_some_and(|frame| frame.tasks.is_empty()) => "no task is in scope",
        _ => "no values in this cell",
    }
}

/// Whether a scorer is one of the alternatives of tokens.
fn needs_alternatives(scorer: &Scorer) -> bool {
    scorer.base().is_some_and(|base| Formula::WhiteBox(base).spec().needs(Need::Alternatives))
}

/// What the selected number decides, in words.
fn verdict(heatmap: &Heatmap<'_>) -> Option<String> {
    let scorer = &heatmap.shared.lens.scorer;
    match heatmap.pinned.filter(|pinned| *pinned != scorer) {
        Some(pinned) => difference(heatmap, pinned),
        None => overlaps(heatmap),
    }
}

/// Whether the difference to the pinned scorer is decisive.
fn difference(heatmap: &Heatmap<'_>, pinned: &Scorer) -> Option<String> {
    let shared = heatmap.shared;
    let (scorer, cell) = (&shared.lens.scorer, shared.cell);
    let value = signed(heatmap.value(scorer, cell)?);
    let label = pinned.label();
    let difference = shared.numbers.difference(scorer, cell).get();
    let (ends, said) = match difference.and_then(|difference| difference.interval) {
        Some(Interval { lo, hi, .. }) => {
            let said = if lo <= 0.0 && hi >= 0.0 {
                "not decisive: the interval holds 0"
            } else {
                "decisive: the interval does not hold 0"
            };
            (format!(" [{}, {}]", signed(lo), signed(hi)), said)
        }
        None => (String::new(), "…"),
    };
    let all = shared.numbers.number(scorer, cell)?.counts.tasks;
    let some = difference.filter(|difference| difference.n < all);
    let on = some.map_or(String::new(), |difference| {
        format!(" on the {} that both have", counted(difference.n as u64, "task"))
    });
    Some(format!("difference to {} {value}{ends}{on}, {said}", visible(&label)))
}

/// Whether the interval overlaps with those of other scorers.
fn overlaps(heatmap: &Heatmap<'_>) -> Option<String> {
    let (shared, numbers) = (heatmap.shared, &heatmap.shared.numbers);
    let (scorer, cell) = (&shared.lens.scorer, shared.cell);
    let interval = numbers.interval(scorer, cell).get()?;
    let scorers = shared.scorers();
    let overlapping = scorers.iter().filter(|other| *other != scorer).filter_map(|other| {
        let others = numbers.interval(other, cell).get()?;
        let overlaps = others.lo <= interval.hi && interval.lo <= others.hi;
        overlaps.then_some((numbers.value(other, cell)?, other))
    });
    let mut overlapping: Vec<(f64, &Scorer)> = overlapping.collect();
    overlapping.sort_by(|a, b| heatmap.better_first(Some(a.0), Some(b.0)));
    if overlapping.is_empty() {
        let best = numbers.value(scorer, cell) == heatmap.best_value(cell, &scorers);
        let words = if best { "best" } else { "not the best" };
        return Some(format!("decisive: {words}, and its interval overlaps with no other"));
    }
    let named = overlapping.iter().take(MOST_NAMED);
    let named =
        named.map(|(value, scorer)| format!("{} {}", visible(&scorer.label()), two(*value)));
    let named: Vec<String> = named.collect();
    let more = match overlapping.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("not decisive: overlaps with {}{more}", named.join(", ")))
}
