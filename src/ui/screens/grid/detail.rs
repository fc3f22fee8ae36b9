//! The lines below the grid: the selected number with its interval, its n, and whether it is
//! decisive.

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
use crate::ui::widgets::{fit, fit_middle, put, signed, two};

/// Scorers that are named among those whose intervals overlap.
const MOST_NAMED: usize = 3;

/// Lines below the grid: three where the first two do not fit beside each other.
pub(super) fn detail_lines(area: Rect) -> u16 {
    if area.width < 150 && area.height > 15 { 3 } else { 2 }
}

pub(super) fn draw_detail(
    buffer: &mut Buffer,
    area: Rect,
    heatmap: &Heatmap<'_>,
    row: Option<&Row>,
) {
    let shared = heatmap.shared;
    let theme = &shared.theme;
    let [first, second] = Split::vertical([Constraint::Min(1), Constraint::Length(1)]).areas(area);
    let Some(cell) = shared.current_cell() else { return };
    let cell_name = name(cell);
    let label = shared.lens.scorer.label();
    let label = visible(&label);
    if let Some(Row::Folded(family, members)) = row {
        let best = heatmap.best_scorer(shared.cell, members);
        let best = best.map_or("no value".to_owned(), |scorer| {
            let value = shared.numbers.value(scorer, shared.cell);
            let value = value.map_or("–".to_owned(), |value| format!("{value:.2}"));
            format!("{} {value}", visible(&scorer.label()))
        });
        let count = counted(members.len() as u64, "scorer");
        let text = format!(" {cell_name} · {}  best of {count}: {best}", family.id());
        put(buffer, first, Line::styled(text, theme.text));
        put(buffer, second, Line::styled(" z unfolds the family", theme.dim));
        return;
    }
    let (mut spans, mut basis) = value_spans(shared);
    let beside: usize = spans.iter().map(Span::width).sum();
    let room = usize::from(first.width).saturating_sub(beside + 4);
    let name = fit_middle(&format!("{cell_name} · {label}"), room);
    spans.insert(0, Span::styled(format!(" {name}  "), theme.title));
    if first.height > 1 {
        let below = Rect { y: first.y + 1, height: 1, ..first };
        basis.insert(0, Span::raw(" "));
        put(buffer, below, Line::from(basis));
    } else {
        spans.push(Span::raw("  "));
        spans.append(&mut basis);
    }
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

/// The value with its interval; and how it compares with chance, and what it rests on.
fn value_spans<'a>(shared: &Shared) -> (Vec<Span<'a>>, Vec<Span<'a>>) {
    let theme = &shared.theme;
    let (scorer, cell) = (&shared.lens.scorer, shared.cell);
    let metric = shared.lens.metric.id().to_uppercase();
    let Some(Number { value, counts }) = shared.numbers.number(scorer, cell) else {
        let waiting = shared.numbers.row(scorer).is_none();
        let text = if waiting { "…" } else { why_absent(shared) };
        return (vec![Span::styled(format!("{metric} {text}"), theme.dim)], Vec::new());
    };
    let (mut spans, mut basis) = (Vec::new(), Vec::new());
    if let Some(value) = value {
        let interval = shared.numbers.interval(scorer, cell).get();
        spans.push(Span::styled(format!("{metric} {value:.2}"), theme.title));
        if counts.can_be_resampled() {
            let ends = interval.map_or("…".to_owned(), bracketed);
            spans.push(Span::styled(format!(" {ends}"), theme.text));
        }
        let against_chance = interval.and_then(|interval| against_chance(interval, counts, shared));
        let words = against_chance.map(|(words, style)| Span::styled(format!("{words}  "), style));
        basis.extend(words);
    } else {
        let why = shared.lens.metric.undefined(counts.runs, counts.successes);
        let why = why.map_or("n/a".to_owned(), |why| why.to_string());
        spans.push(Span::styled(format!("{metric} {why}"), theme.warn));
    }
    let failures = counts.runs - counts.successes;
    let n = format!("n {} ({} ✓ / {failures} ✗)", counts.words(), counts.successes);
    basis.push(Span::styled(n, theme.text));
    if counts.is_flagged() {
        let tasks = if counts.is_pooled {
            format!(" in {}", counted(counts.tasks_of_rarer() as u64, "task"))
        } else {
            String::new()
        };
        let few = format!("  † minority {}{tasks}", counts.minority());
        basis.push(Span::styled(few, theme.warn));
    }
    (spans, basis)
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
    let rate = counts.successes as f64 / counts.runs.max(1) as f64;
    let chance = metric.chance(rate)?;
    let Interval { lo, hi, .. } = interval;
    if !counts.can_be_resampled() {
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
            "no values: this cell has one run per task, and consistency needs several"
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
                "not decisive: the interval contains 0"
            } else {
                "decisive: the interval does not contain 0"
            };
            (format!(" [{}, {}]", signed(lo), signed(hi)), said)
        }
        None => (String::new(), "…"),
    };
    let Counts { runs: all, is_pooled, .. } = shared.numbers.number(scorer, cell)?.counts;
    let noun = if is_pooled { "run" } else { "task" };
    let some = difference.filter(|difference| difference.n < all);
    let on = some.map_or(String::new(), |difference| {
        let of = if is_pooled {
            format!(" of {}", counted(difference.tasks as u64, "task"))
        } else {
            String::new()
        };
        format!(" on the {}{of} that both have", counted(difference.n as u64, noun))
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
