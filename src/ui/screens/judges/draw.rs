//! Judges compared with each other and the database, TER under each, and the pairs to review.
//!
//! ```text
//!  agreement (raw, κ, n)        flash-lite              flash                       human
//!  flash-lite                   –                       .91 κ.78 [.75,.81] 7,170    .80 κ.55 12†‡
//!  against the database  precision      recall         F1      ✓≡  ✗≡  ✗≢  ✓≢  unparsed
//!  TER in airline/gpt-4o-mini   mean   AUROC          n    Δ
//!  queue: 12 of 47 pairs done
//!  ✓   1 airline/gpt-4o-mini  task 17, draw 2   judges disagree, against the database
//!      2 airline/gpt-4o-mini  task 3, draw 1    not voted on
//! ```

mod matrix;
mod queue;
mod ter;
mod truth;

use std::collections::HashMap;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use super::{Judges, JudgesAnswer, Layout, Pane, Spot};
use crate::engine::{Against, JudgeRow, JudgeTer};
use crate::metrics::bootstrap::Interval;
use crate::text::visible;
use crate::ui::hits::{Hits, scrolled};
use crate::ui::shared::Shared;
use crate::ui::widgets::{self, fit, paragraph, put, sentence_above, short_names, two};

/// Rows of the queue that stay in sight, however many judges there are.
const QUEUE: u16 = 4;

/// What the drawing is of.
struct Drawing<'a> {
    screen: &'a Judges,
    shared: &'a Shared,
    numbers: &'a JudgesAnswer,
    names: &'a [String],
    ters: Vec<&'a JudgeTer>,
    /// The names that stand left of the tables, by what they are short for.
    short: HashMap<String, String>,
}

pub(super) fn draw(
    screen: &Judges,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let (theme, names) = (&shared.theme, super::names(shared));
    if shared.engine().is_none() {
        return Layout::default();
    }
    if names.is_empty() && screen.queue(shared).is_some_and(|queue| queue.items.is_empty()) {
        let text = "No judge has said whether samples reach the same outcome as their reference. \
                    `qualm import verdicts.csv -o STORE` adds verdicts; r offers all pairs to vote \
                    on, in random order.";
        paragraph(buffer, area, text, theme.dim);
        return Layout::default();
    }
    let Some(numbers) = screen.shown() else {
        paragraph(buffer, area, "Comparing judges …", theme.dim);
        return Layout::default();
    };
    let metric = shared.lens.metric;
    let undefined = format!("so TER has no {} here", metric.id().to_uppercase());
    let why = shared.scope_leaves(&[shared.cell], &undefined);
    let why = why.filter(|_| !metric.needs_probabilities());
    let area = sentence_above(buffer, area, why.as_deref(), theme.notice);
    let ters: Vec<&JudgeTer> = numbers.ter.iter().filter(|ter| ter.cell == shared.cell).collect();
    let short = short_labels(names, &ters, area);
    Drawing { screen, shared, numbers, names, ters, short }.draw(buffer, area, hits)
}

/// The names of judges, and of those that make TER with a mark before them, in the room for labels.
fn short_labels(names: &[String], ters: &[&JudgeTer], area: Rect) -> HashMap<String, String> {
    let room = usize::from(label(area)).saturating_sub(3);
    let judges = names.iter().map(|name| visible(name).into_owned());
    let of_ter = ters.iter().map(|ter| visible(&ter.judge.words()).into_owned());
    let tables = [(judges.collect::<Vec<_>>(), room), (of_ter.collect(), room.saturating_sub(2))];
    let short = tables.into_iter().map(|(names, room)| {
        let short = short_names(&names, room);
        names.into_iter().zip(short)
    });
    // A name that stands in both tables has the room of the narrower one.
    short.flatten().collect()
}

impl Drawing<'_> {
    fn draw(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) -> Layout {
        if self.names.is_empty() {
            let [rule, queue] =
                Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
            self.draw_queue_rule(buffer, rule);
            return self.draw_queue(buffer, queue, hits);
        }
        // Three tables with their heads, the rule and the queue.
        let most = (area.height.saturating_sub(QUEUE + 4) / 3).max(1);
        let judges = (self.names.len() as u16).min(most);
        let rest = area.height.saturating_sub(QUEUE + 4 + 2 * judges);
        let ters = (self.ters.len() as u16).min(most.max(rest));
        let [matrix, truth, ter, rule, queue] = Split::vertical([
            Constraint::Length(judges + 1),
            Constraint::Length(judges + 1),
            Constraint::Length(ters + 1),
            Constraint::Length(1),
            Constraint::Min(1),
        ])
        .areas(area);
        self.draw_matrix(buffer, matrix, hits);
        self.draw_truth(buffer, truth, hits);
        self.draw_ter(buffer, ter, hits);
        self.draw_queue_rule(buffer, rule);
        self.draw_queue(buffer, queue, hits)
    }

    fn has_keys(&self, pane: Pane) -> bool {
        self.screen.pane == pane
    }

    /// The title of a table, with how many of its rows are not in sight.
    fn draw_head(&self, buffer: &mut Buffer, area: Rect, pane: Pane, title: &str, rows: usize) {
        let theme = &self.shared.theme;
        let (mark, style) =
            if self.has_keys(pane) { ("▸", theme.selected) } else { (" ", theme.header) };
        let hidden = (rows + 1).saturating_sub(usize::from(area.height));
        let more = if hidden > 0 { format!(" +{hidden} ↓") } else { String::new() };
        let width = label(area);
        let room = usize::from(width).saturating_sub(1);
        // Where there is no room for all, the first of what a title lists says enough.
        let whole = format!("{mark}{title}{more}");
        let text = if widgets::width(&whole) <= room {
            whole
        } else {
            let first = title.split(',').next().unwrap_or(title);
            fit(&format!("{mark}{first}{more}"), room)
        };
        put(buffer, Rect { height: 1, width, ..area }, Line::styled(text, style));
    }

    /// The name of a row after what stands before it, with a mark on the selected one.
    fn draw_name(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        (before, name): (&str, &str),
        selected: bool,
    ) {
        let theme = &self.shared.theme;
        let (mark, style) = if selected { ("▸", theme.selected) } else { (" ", theme.text) };
        let width = label(line);
        let name = visible(name);
        let name = self.short.get(&*name).map_or(&*name, String::as_str);
        let text = format!(" {mark}{before}{name}");
        put(buffer, Rect { width, ..line }, Line::styled(text, style));
    }

    fn row(&self, judge: &str, against: &Against) -> Option<&JudgeRow> {
        self.numbers.rows.iter().find(|row| row.judge == judge && row.against == *against)
    }
}

/// Columns of the judges' names.
fn label(area: Rect) -> u16 {
    if area.width >= 118 { 34 } else { (area.width / 4).clamp(16, 28) }
}

/// What is right of the names.
fn right_of_label(line: Rect) -> Rect {
    let left = label(line);
    Rect { x: line.x + left, width: line.width.saturating_sub(left), ..line }
}

/// The first row of a table below its head so that the selected one is in sight.
fn first_row(area: Rect, selected: usize, count: usize) -> usize {
    let room = usize::from(area.height.saturating_sub(1));
    scrolled(0, selected.min(count.saturating_sub(1)), room, count)
}

/// A value with its interval, where there is room.
fn ranged(value: (Option<f64>, Option<Interval>), roomy: bool) -> String {
    match value {
        (None, _) => "–".to_owned(),
        (Some(value), Some(range)) if roomy => {
            format!("{} [{},{}]", two(value), two(range.lo), two(range.hi))
        }
        (Some(value), _) => two(value),
    }
}
