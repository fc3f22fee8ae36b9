//! Scorers by family × cells by dataset and model.
//!
//! ```text
//!              │bfcl-v4                  │airline
//!               4o-mi oss-2 Qwen2         4o-mi oss-2 Qwen2
//!  white-box
//!   LNSP·mean   .70   .52†  .68           .41†  .52   .17†
//!  ▸LNSP·min    .68   .45†  .65          ▐.45†▌ .59   .39†
//!  ───────────────────────────────────────────────────────
//!  airline · gpt-4o-mini · LNSP·min  AUROC 0.45 [0.25, 0.65]  n 50 (12 ✓ / 38 ✗)  † minority 12
//!  not decisive: its interval overlaps with those of TER, AEC and 20 more
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::heat::{self, Columns, Value};
use super::put;
use crate::app::{App, Hit, Layout, Load, Row, chance, scrolled};
use crate::metrics::bootstrap::Interval;
use crate::scorers::{Family, Scorer};
use crate::text::{counted, visible};
use crate::widgets::{fit, signed, two, width};

/// Columns for the names of scorers, at least and at most.
const LABELS: (usize, usize) = (14, 24);

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let [body, rule, detail] =
        Split::vertical([Constraint::Min(3), Constraint::Length(1), Constraint::Length(2)])
            .areas(area);
    put(buffer, rule, Line::styled("─".repeat(usize::from(area.width)), app.theme.rule));
    let rows = app.grid_rows();
    let label = label_width(&rows);
    let heads = heat::head_lines(app);
    let [head, table] =
        Split::vertical([Constraint::Length(heads), Constraint::Min(1)]).areas(body);
    let columns = Columns::new(app, body, label as u16, &app.grid_columns(), app.grid.offset.1);
    heat::draw_heads(buffer, head, app, &columns, layout);
    if rows.is_empty() {
        draw_empty(buffer, table, app);
        layout.grid = Some((0, columns.offset));
        return;
    }
    let selected = app.grid_selected(&rows);
    let room = usize::from(table.height);
    let mut offset = scrolled(app.grid.offset.0, selected.unwrap_or(0), room, rows.len());
    // The head of the first family belongs to its first scorer.
    if selected == Some(1) && offset == 1 {
        offset = 0;
    }
    let lines = Lines::new(app, &rows);
    for (place, line) in (offset..rows.len()).zip(table.rows()) {
        lines.draw(buffer, line, place, selected == Some(place), &columns, label, layout);
    }
    let below = rows.len() - offset;
    if below < room {
        let rest = Rect { y: table.y + below as u16, height: table.height - below as u16, ..table };
        draw_missing(buffer, rest, app);
    }
    draw_detail(buffer, detail, app, &rows);
    layout.page = room;
    layout.grid = Some((offset, columns.offset));
}

fn label_width(rows: &[Row]) -> usize {
    let names = rows.iter().map(|row| match row {
        Row::Scorer(own) => width(&visible(&own.label())) + 3,
        Row::Folded(family, _) => family.id().len() + 5,
        // A head has its line to itself.
        Row::Head(_) => 0,
    });
    names.max().unwrap_or(0).clamp(LABELS.0, LABELS.1)
}

/// What every row needs to know of the others.
struct Lines<'a> {
    app: &'a App,
    rows: &'a [Row],
    scorers: Vec<Scorer>,
    best: Vec<Option<f64>>,
}

impl<'a> Lines<'a> {
    fn new(app: &'a App, rows: &'a [Row]) -> Self {
        let scorers = app.grid_scorers();
        let best = (0..app.columns.len()).map(|cell| app.best_in(cell, &scorers)).collect();
        Self { app, rows, scorers, best }
    }

    #[expect(clippy::too_many_arguments, reason = "one line of a table, with its places")]
    fn draw(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        place: usize,
        selected: bool,
        columns: &Columns,
        label: usize,
        layout: &mut Layout,
    ) {
        let theme = &self.app.theme;
        let mark = if selected { "▸" } else { " " };
        let name_area = Rect { width: (label as u16).min(line.width), ..line };
        let style = if selected { theme.selected } else { theme.text };
        match &self.rows[place] {
            Row::Head(family) => {
                put(buffer, line, Line::styled(format!(" {}", family.id()), theme.header));
                layout.hit(line, Hit::Grid(place, None));
                return;
            }
            Row::Folded(family, own) => {
                let name = format!("{mark}{} ▸{}", family.id(), own.len());
                put(buffer, name_area, Line::styled(name, theme.header.patch(style)));
            }
            Row::Scorer(own) => {
                let pinned = self.app.grid.pinned.as_ref() == Some(own);
                let pin = if pinned { "•" } else { " " };
                let name = fit(&visible(&own.label()), label.saturating_sub(3));
                let style = if pinned { theme.pinned } else { style };
                put(buffer, name_area, Line::styled(format!("{mark}{pin}{name}"), style));
            }
        }
        layout.hit(name_area, Hit::Grid(place, None));
        for (at, &cell) in columns.cells.iter().enumerate() {
            let area = columns.area(at, line);
            layout.hit(area, Hit::Grid(place, Some(cell)));
            let scorer = match &self.rows[place] {
                Row::Folded(_, own) => self.best_of(own, cell),
                Row::Scorer(own) => Some(own),
                Row::Head(_) => None,
            };
            let selected = selected && cell == self.app.cell;
            if let Some(scorer) = scorer {
                let value = self.app.data.numbers.value(scorer, cell);
                let best = value.is_some() && value == self.best[cell];
                heat::draw_value(
                    buffer,
                    area,
                    self.app,
                    &Value { scorer, cell, among: &self.scorers, best, selected },
                );
            }
        }
    }

    fn best_of<'s>(&self, scorers: &'s [Scorer], cell: usize) -> Option<&'s Scorer> {
        let best = self.app.best_in(cell, scorers);
        let has = |own: &&Scorer| self.app.data.numbers.value(own, cell) == best;
        scorers.iter().find(has).filter(|_| best.is_some()).or(scorers.first())
    }
}

fn draw_empty(buffer: &mut Buffer, area: Rect, app: &App) {
    if let Load::Waiting = app.data.loaded {
        let tasks = app.summaries.iter().map(|own| own.tasks).sum();
        let text = format!(
            "Reading {} of {} …",
            counted(tasks, "task"),
            counted(app.columns.len() as u64, "cell")
        );
        super::paragraph(buffer, area, &text, app.theme.dim);
        return;
    }
    if app.columns.is_empty() {
        let skipped = app.summaries.iter().map(|own| own.skipped).sum();
        let text = match skipped {
            0 => "The store is empty: `qualm import` adds results.".to_owned(),
            some => format!(
                "No record of these results could be used as a run: {} skipped. `qualm import` \
                 says why.",
                counted(some, "record")
            ),
        };
        super::paragraph(buffer, area, &text, app.theme.dim);
        return;
    }
    draw_missing(buffer, area, app);
}

/// What the store lacks, and what to do about it.
fn draw_missing(buffer: &mut Buffer, area: Rect, app: &App) {
    let Some(engine) = app.data.engine() else { return };
    let sum = |count: fn(&crate::store::CellSummary) -> u64| -> u64 {
        app.summaries.iter().map(count).sum()
    };
    let has = |family: Family| engine.scorers().iter().any(|own| own.family() == family);
    let mut said = Vec::new();
    if sum(|own| own.labelled) == 0 {
        said.push("no run has an outcome: every number here needs graded runs; see docs/import.md");
    }
    if !has(Family::WhiteBox) {
        said.push(if sum(|own| own.turns_with_logprobs) == 0 {
            "no log-probabilities in this store: white-box rows need runs that recorded them; see docs/import.md"
        } else {
            "no reference has log-probabilities that can be scored: white-box rows are over references; see docs/scoring.md"
        });
    }
    if !has(Family::Action) {
        said.push(
            "one run a task: consistency rows need several runs of each task; see docs/scoring.md",
        );
    } else if !has(Family::Judged) {
        said.push("no judge's verdicts: TER needs them; see docs/scoring.md");
    }
    for (text, line) in said.iter().zip(area.rows().skip(1)) {
        let text = fit(text, usize::from(area.width).saturating_sub(4));
        put(buffer, line, Line::styled(format!("  {text}"), app.theme.dim));
    }
}

fn draw_detail(buffer: &mut Buffer, area: Rect, app: &App, rows: &[Row]) {
    let theme = &app.theme;
    let [first, second] = Split::vertical([Constraint::Length(1); 2]).areas(area);
    let Some(cell) = app.columns.get(app.cell) else { return };
    let scorer = &app.lens.scorer;
    let mut name = format!(" {} · {}", visible(&cell.dataset), visible(&cell.model));
    if cell.condition != crate::model::Cell::DEFAULT_CONDITION {
        name = format!("{name} · {}", visible(&cell.condition));
    }
    let folded = app.grid_selected(rows).and_then(|place| match &rows[place] {
        Row::Folded(family, own) => Some((*family, own)),
        _ => None,
    });
    if let Some((family, own)) = folded {
        let best =
            app.best_in(app.cell, own).map_or("–".to_owned(), |value| format!("{value:.2}"));
        let text = format!(
            "{name} · {}  best of {}: {} {best}",
            family.id(),
            counted(own.len() as u64, "scorer"),
            visible(&scorer.label())
        );
        put(buffer, first, Line::styled(text, theme.text));
        put(buffer, second, Line::styled(" z unfolds the family", theme.dim));
        return;
    }
    let mut spans =
        vec![Span::styled(format!("{name} · {}  ", visible(&scorer.label())), theme.title)];
    spans.extend(value_spans(app));
    put(buffer, first, Line::from(spans));
    let verdict = verdict(app).unwrap_or_default();
    let text = fit(&verdict, usize::from(second.width).saturating_sub(2));
    put(buffer, second, Line::styled(format!(" {text}"), theme.dim));
}

fn bracketed(interval: Interval) -> String {
    let skipped = match interval.skipped {
        0 => String::new(),
        some => format!(" ({some} skipped)"),
    };
    format!("[{:.2}, {:.2}]{skipped}", interval.lo, interval.hi)
}

fn value_spans<'a>(app: &App) -> Vec<Span<'a>> {
    let theme = &app.theme;
    let (scorer, cell) = (&app.lens.scorer, app.cell);
    let metric = app.lens.metric.id().to_uppercase();
    let Some(number) = app.data.numbers.number(scorer, cell) else {
        let waiting = app.data.numbers.row(scorer).is_none();
        let text = if waiting { "…" } else { why_absent(app) };
        return vec![Span::styled(format!("{metric} {text}"), theme.dim)];
    };
    let counts = number.counts;
    let failures = counts.tasks - counts.successes;
    let n = format!("  n {} ({} ✓ / {failures} ✗)", counts.tasks, counts.successes);
    let mut spans = Vec::new();
    match number.value {
        Some(value) => {
            let interval = app.data.numbers.interval(scorer, cell).get();
            let shown = interval.map_or(" …".to_owned(), |own| format!(" {}", bracketed(own)));
            spans.push(Span::styled(format!("{metric} {value:.2}"), theme.title));
            spans.push(Span::styled(shown, theme.text));
            let rate = counts.successes as f64 / counts.tasks.max(1) as f64;
            if let Some(chance) = chance(app.lens.metric, rate) {
                let higher = app.lens.metric.higher_is_better();
                let sure = |own: Interval| if higher { own.hi < chance } else { own.lo > chance };
                let holds = |own: Interval| own.lo <= chance && own.hi >= chance;
                match interval {
                    Some(own) if sure(own) => {
                        let words = if higher { "below chance" } else { "worse than chance" };
                        spans.push(Span::styled(format!("  {words}"), theme.bad));
                    }
                    Some(own) if holds(own) => {
                        spans.push(Span::styled("  not told from chance", theme.warn));
                    }
                    _ => {}
                }
            }
        }
        None => spans.push(Span::styled(format!("{metric} {}", why_none(counts)), theme.warn)),
    }
    spans.push(Span::styled(n, theme.text));
    if counts.is_flagged() {
        let few = format!("  † minority {}", counts.minority());
        spans.push(Span::styled(few, theme.warn));
    }
    spans
}

/// Why the selected cell has no values of the scorer.
fn why_absent(app: &App) -> &'static str {
    let frame = app.data.engine().and_then(|engine| engine.frames().get(app.cell));
    let own = app.summary_place().and_then(|place| app.summaries.get(place));
    let logprobs = own.is_some_and(|own| own.turns_with_logprobs > 0);
    let single = own.is_some_and(|own| own.tasks == own.trajectories);
    match app.lens.scorer.family() {
        Family::WhiteBox | Family::Propagation if !logprobs => {
            "no values: no run of this cell recorded log-probabilities"
        }
        family if family.is_consistency() && single => {
            "no values: this cell has one run a task, and consistency needs several"
        }
        _ if frame.is_some_and(|own| own.tasks.is_empty()) => "no task fits the filter",
        _ => "no values in this cell",
    }
}

fn why_none(counts: crate::engine::Counts) -> &'static str {
    match (counts.tasks, counts.successes) {
        (0, _) => "n/a (no labels)",
        (_, 0) => "n/a (all failed)",
        (tasks, successes) if tasks == successes => "n/a (all passed)",
        _ => "n/a (needs scores between 0 and 1)",
    }
}

/// What the number decides, in words.
fn verdict(app: &App) -> Option<String> {
    let (scorer, cell) = (&app.lens.scorer, app.cell);
    let numbers = &app.data.numbers;
    if let Some(pinned) = app.grid.pinned.as_ref().filter(|own| *own != scorer) {
        let value = app.grid_value(scorer, cell)?;
        let name = visible(&pinned.label()).into_owned();
        let interval = numbers.paired(scorer, cell).get();
        let said = match interval {
            Some(own) if own.lo <= 0.0 && own.hi >= 0.0 => "not decisive: the interval holds 0",
            Some(_) => "decisive: the interval does not hold 0",
            None => "…",
        };
        let ends = interval
            .map_or(String::new(), |own| format!(" [{}, {}]", signed(own.lo), signed(own.hi)));
        return Some(format!("difference to {name} {}{ends}, {said}", signed(value)));
    }
    let own = numbers.interval(scorer, cell).get()?;
    let mut others: Vec<(f64, String)> = app
        .grid_scorers()
        .iter()
        .filter(|other| *other != scorer)
        .filter_map(|other| {
            let interval = numbers.interval(other, cell).get()?;
            let overlaps = interval.lo <= own.hi && own.lo <= interval.hi;
            overlaps.then_some(())?;
            Some((numbers.value(other, cell)?, visible(&other.label()).into_owned()))
        })
        .collect();
    let higher = app.lens.metric.higher_is_better();
    others.sort_by(|a, b| if higher { b.0.total_cmp(&a.0) } else { a.0.total_cmp(&b.0) });
    if others.is_empty() {
        let value = numbers.value(scorer, cell);
        let best = app.best_in(cell, &app.grid_scorers());
        let words = if value == best { "best" } else { "not the best" };
        return Some(format!("decisive: {words}, and its interval overlaps with no other"));
    }
    let named: Vec<String> =
        others.iter().take(3).map(|(value, name)| format!("{name} {}", two(*value))).collect();
    let more = match others.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("not decisive: overlaps with {}{more}", named.join(", ")))
}
