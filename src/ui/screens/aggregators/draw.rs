//! Draws what the aggregator changes: a heatmap of one base score, the tasks whose ranks move, and
//! why.
//!
//! ```text
//!                │bfcl-v4            │airline
//!   LNSP          4o-mi oss-2 Qwen2   4o-mi oss-2
//!  ○mean          .70   .52†  .68     .41†  .52
//! ▸ min           .68   .45†  .65    ▐.45†▌ .59
//!   swing         .14   .20   .18     .14   .10
//!  softmin β ────●─────── 10
//!   ranks under mean → min    │ task 17  ● min .31  ○ mean .65
//!   17  ✗  12 → 48  ▼36       │ █ ▅ ▂ ▇ ▇
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::chart::draw_chart;
use super::moves::draw_moves;
use super::rules::swing;
use super::{Aggregators, Layout, Pane, Spot};
use crate::report::columns_by_dataset;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::text::visible;
use crate::ui::heatmap::{Columns, Heatmap, Value};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::shared::{Lens, Load, Shared, same_kind};
use crate::ui::widgets::{paragraph, put, rule, slider, two, vertical_rule, width};

/// Columns for the names of aggregators.
const LABEL: u16 = 16;

/// Lines below the heatmap at least: the setting, a rule, the head and some rows of the tasks.
const BELOW: u16 = 5;

pub(super) fn draw(
    screen: &Aggregators,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let theme = &shared.theme;
    if let Some(text) = nothing_to_show(shared) {
        paragraph(buffer, area, &text, theme.dim);
        return Layout { page: 0, ..screen.layout };
    }
    let heatmap = Heatmap { shared, pinned: None };
    let scorers = Aggregators::rule_scorers(shared);
    let whole = heatmap.head_lines() + scorers.len() as u16 + 1;
    let [top, slider, line, lower] = Split::vertical([
        Constraint::Length(whole.min(area.height.saturating_sub(BELOW))),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Min(1),
    ])
    .areas(area);
    let table = Table { screen, heatmap, scorers };
    let column = match shared.one_outcome(&[]) {
        Some(why) => {
            paragraph(buffer, top, &why, theme.text);
            screen.layout.column
        }
        None => table.draw(buffer, top, hits),
    };
    draw_setting(buffer, slider, shared, hits);
    rule(buffer, line, theme.rule);
    let [list, gap, chart] =
        Split::horizontal([Constraint::Percentage(45), Constraint::Length(1), Constraint::Min(1)])
            .areas(lower);
    vertical_rule(buffer, gap, theme.rule);
    let task = draw_moves(screen, shared, buffer, list, hits);
    if let Some(id) = shared.task {
        draw_chart(screen, shared, buffer, chart, id);
    }
    Layout { column, task, page: usize::from(list.height.saturating_sub(1)) }
}

/// Why there is nothing to show, if so.
fn nothing_to_show(shared: &Shared) -> Option<String> {
    let base = shared.lens.base();
    if let Some(engine) = shared.engine()
        && !engine.scorers().iter().any(|scorer| scorer.base() == Some(base))
    {
        let with_tokens = engine.scorers().iter().any(|scorer| scorer.base().is_some());
        let lacking = if with_tokens { "alternatives of tokens" } else { "log-probabilities" };
        return Some(format!(
            "No run of this store has {lacking} for `{}`, so there is nothing to aggregate: \
             import runs that recorded them (`qualm help import`).",
            base.id()
        ));
    }
    matches!(shared.data.loaded, Load::Waiting).then(|| "Reading the store …".to_owned())
}

/// The heatmap of the base score under every aggregator.
struct Table<'a> {
    screen: &'a Aggregators,
    heatmap: Heatmap<'a>,
    scorers: Vec<Scorer>,
}

impl Table<'_> {
    /// Draws it; returns the first column on screen.
    fn draw(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) -> usize {
        let (shared, heatmap) = (self.heatmap.shared, &self.heatmap);
        let all = columns_by_dataset(&shared.cells);
        let columns = Columns::new(heatmap, area, LABEL, &all, self.screen.layout.column);
        let [head, body] =
            Split::vertical([Constraint::Length(heatmap.head_lines()), Constraint::Min(1)])
                .areas(area);
        heatmap.draw_heads(buffer, head, &columns);
        for (cell, area) in columns.areas(head) {
            hits.spot(area, Spot::Column(cell));
        }
        let corner = Rect { y: head.bottom() - 1, height: 1, width: LABEL, ..head };
        let base = shared.lens.base().id().to_uppercase();
        put(buffer, corner, Line::styled(format!("  {base}"), shared.theme.header));
        let best = heatmap.best_values(&self.scorers);
        // On a low screen the rows about the selected one, and the swing.
        let room = body.height.saturating_sub(1);
        let current = shared.lens.scorer.aggregator();
        let is_current = |scorer: &Scorer| {
            current.zip(scorer.aggregator()).is_some_and(|(current, rule)| same_kind(current, rule))
        };
        let selected = self.scorers.iter().position(is_current).unwrap_or(0);
        let offset = scrolled(0, selected, usize::from(room), self.scorers.len());
        let lines = Rect { height: room, ..body }.rows();
        for (index, line) in (offset..self.scorers.len()).zip(lines) {
            self.draw_rule(buffer, line, index, &columns, &best);
            hits.spot(Rect { width: LABEL, ..line }, Spot::Rule(index, None));
            for (cell, area) in columns.areas(line) {
                hits.spot(area, Spot::Rule(index, Some(cell)));
            }
        }
        let last = Rect { y: body.bottom().saturating_sub(1), height: 1, ..body };
        draw_swings(buffer, last, &columns, shared);
        columns.offset
    }

    fn draw_rule(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        index: usize,
        columns: &Columns,
        best: &[Option<f64>],
    ) {
        let shared = self.heatmap.shared;
        let scorer = &self.scorers[index];
        let rule = scorer.aggregator().unwrap_or(Aggregator::Mean);
        let current = shared.lens.scorer.aggregator();
        let selected = current.is_some_and(|current| same_kind(current, rule));
        let mark = if selected { "▸" } else { " " };
        let dot = if same_kind(self.screen.compared, rule) { "○" } else { " " };
        let style = if selected { shared.theme.selected } else { shared.theme.text };
        let name = Rect { width: LABEL, ..line };
        put(buffer, name, Line::styled(format!("{mark}{dot}{}", rule.id()), style));
        let selected = selected && self.screen.pane == Pane::Heatmap;
        for (cell, area) in columns.areas(line) {
            let value = shared.numbers.value(scorer, cell);
            let value = Value {
                scorer,
                cell,
                among: &self.scorers,
                best: value.is_some() && value == best[cell],
                selected: selected && cell == shared.cell,
            };
            self.heatmap.draw_value(buffer, area, &value);
        }
    }
}

/// How far the choice moves the metric, in every cell.
fn draw_swings(buffer: &mut Buffer, line: Rect, columns: &Columns, shared: &Shared) {
    let style = shared.theme.header;
    put(buffer, Rect { width: LABEL, ..line }, Line::styled("  swing", style));
    for (cell, area) in columns.areas(line) {
        let text = swing(cell, shared).map_or("–".to_owned(), |swing| two(swing.by));
        put(buffer, area, Line::styled(format!(" {text}"), style));
    }
}

/// The setting of an adjustable aggregator, or what the choice means for the selected cell.
fn draw_setting(buffer: &mut Buffer, area: Rect, shared: &Shared, hits: &mut Hits<Spot>) {
    let theme = &shared.theme;
    let (name, step, steps, shown) = match shared.lens.scorer.aggregator() {
        Some(Aggregator::Softmin { beta }) => {
            let step = Lens::BETAS.iter().position(|step| *step >= beta);
            let step = step.unwrap_or(Lens::BETAS.len() - 1);
            ("softmin β ", step, Lens::BETAS.len(), format!("{beta}"))
        }
        Some(Aggregator::Window { turns }) => {
            ("window k ", turns.clamp(1, Lens::WIDEST) - 1, Lens::WIDEST, turns.to_string())
        }
        _ => return draw_choice(buffer, area, shared),
    };
    let start = area.x + 1 + width(name) as u16;
    // Two letters a step, so that a knob is easily hit.
    let track: String = slider(step, steps).chars().flat_map(|letter| [letter, '─']).collect();
    let spans = vec![
        Span::styled(format!(" {name}"), theme.header),
        Span::styled(track, theme.accent),
        Span::styled(format!(" {shown}"), theme.title),
        Span::styled("   - and + change it, or drag", theme.dim),
    ];
    put(buffer, area, Line::from(spans));
    for step in 0..steps {
        let knob = Rect { x: start + 2 * step as u16, width: 2, ..area };
        hits.spot(knob.intersection(area), Spot::Slider(step));
    }
}

fn draw_choice(buffer: &mut Buffer, area: Rect, shared: &Shared) {
    let Some(swing) = swing(shared.cell, shared) else { return };
    let cell = shared.current_cell().map(ToString::to_string).unwrap_or_default();
    let text = format!(
        " {}: from {} to {} the choice moves {} by {}",
        visible(&cell),
        swing.low.id(),
        swing.high.id(),
        shared.lens.metric.id().to_uppercase(),
        two(swing.by)
    );
    put(buffer, area, Line::styled(text, shared.theme.dim));
}
