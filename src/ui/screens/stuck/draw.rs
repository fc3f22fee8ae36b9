//! Is the agent consistent because it is right, or because it is stuck?
//!
//! ```text
//!            pairs, airline/gpt-4o-mini                  tasks
//!            ✓✓            ✓✗            ✗✗             always       sometimes    never
//!  ▸TER      .91 ±.02 812  .24 ±.03 702  ▐.55 ±.02 976▌  …
//!  TER · failure-failure: .551 [.527, .574] over 976 pairs
//!  AUROC: counted .61 n 50 · dropped .70 n 38 · as failures .83 n 50
//!  4 stuck of 38 tasks never solved
//!  1.00 ter  17  4 of 4 draws: get_user → get_order ×3 → transfer
//! ```

mod chart;
mod effect;
mod list;
mod table;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::{Line, Span};

use super::{Group, GroupValue, Layout, Pane, Spot, Stuck, StuckAnswer};
use crate::text::{counted, visible};
use crate::ui::hits::Hits;
use crate::ui::shared::Shared;
use crate::ui::widgets::{paragraph, put, sentence_above, wrap_some};

/// Columns of the scorers' names.
const LABEL: u16 = 8;

/// From this width on effect and samples of all scorers stand below the table.
const WIDE: u16 = 110;

/// From this height on they do.
const HIGH: u16 = 30;

/// Lines around the table at least: heads, the selected number, the effect, a rule, two tasks.
const AROUND: u16 = 8;

/// What the drawing is of.
struct Drawing<'a> {
    screen: &'a Stuck,
    shared: &'a Shared,
    numbers: &'a StuckAnswer,
    scorers: &'a [String],
}

pub(super) fn draw(
    screen: &Stuck,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let scorers = &super::scorers(shared)[..];
    let Some(numbers) = screen.shown(shared) else {
        let text = if shared.engine().is_some() { "Counting pairs …" } else { "" };
        paragraph(buffer, area, text, shared.theme.dim);
        return Layout::default();
    };
    if scorers.is_empty() {
        let text =
            "No task has a sample beside its reference, so there is no agreement to look at.";
        paragraph(buffer, area, text, shared.theme.dim);
        return Layout::default();
    }
    let why = shared.one_outcome(&shared.cells_of(&screen.cells(shared)));
    let area = sentence_above(buffer, area, why.as_deref(), shared.theme.notice);
    Drawing { screen, shared, numbers, scorers }.draw(buffer, area, hits)
}

impl Drawing<'_> {
    fn draw(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) -> Layout {
        let rows = self.scorers.len() as u16;
        let roomy = area.width >= WIDE && area.height >= HIGH;
        let in_list = self.screen.pane == Pane::List;
        let [head, table, detail, effect, rule, list] = Split::vertical([
            Constraint::Length(2),
            Constraint::Length(rows.min(area.height.saturating_sub(AROUND).max(1))),
            Constraint::Length(if in_list && roomy { 2 } else { 1 }),
            Constraint::Length(if roomy { rows + 2 } else { 2 }),
            Constraint::Length(1),
            Constraint::Min(1),
        ])
        .areas(area);
        self.draw_table(buffer, head, table, hits);
        // In the list the lines below the table are the pattern of the selected task.
        match (in_list, roomy) {
            (true, true) => self.draw_pattern(buffer, detail),
            (true, false) => self.draw_pattern(buffer, Rect { height: 3, ..detail }),
            (false, _) => self.draw_detail(buffer, detail),
        }
        if roomy {
            self.draw_effects(buffer, effect);
        } else if !in_list {
            self.draw_effect(buffer, effect);
        }
        self.draw_list(buffer, rule, list, hits)
    }

    /// The cells that are looked at together, in words.
    fn scope(&self) -> String {
        self.screen.scope.words(self.shared)
    }

    /// Whether every run counts in some cell.
    fn is_pooled(&self) -> bool {
        self.shared.engine().is_some_and(|engine| engine.is_pooled())
    }

    /// The selected number, whole.
    fn draw_detail(&self, buffer: &mut Buffer, area: Rect) {
        let theme = &self.shared.theme;
        let Some(scorer) = self.scorers.get(self.screen.row) else { return };
        let group = Group::ALL[self.screen.column];
        let name = format!(" {} · {}: ", scorer.to_uppercase(), group.name());
        let text = match self.numbers.value(scorer, group) {
            Some(GroupValue { mean: Some(mean), interval, n, tasks }) => {
                let interval = interval.map_or(String::new(), |interval| {
                    format!(" [{:.3}, {:.3}]", interval.lo, interval.hi)
                });
                let over = counted(n as u64, group.noun());
                let of = match group {
                    // A task may have many pairs.
                    Group::Pairs(_) if self.is_pooled() => {
                        format!(" of {}", counted(tasks as u64, "task"))
                    }
                    _ => String::new(),
                };
                format!("{mean:.3}{interval} over {over}{of}")
            }
            _ => format!("no {} counts", group.noun()),
        };
        let spans = vec![Span::styled(name, theme.title), Span::styled(text, theme.accent)];
        put(buffer, area, Line::from(spans));
    }

    /// What the draws of the selected task repeat, whole.
    fn draw_pattern(&self, buffer: &mut Buffer, area: Rect) {
        let Some(Some(pattern)) = self.numbers.patterns.get(self.screen.index) else { return };
        let text = visible(&pattern.to_string()).into_owned();
        let room = usize::from(area.width).saturating_sub(2);
        let (lines, more) = wrap_some(&text, room, usize::from(area.height));
        let last = lines.len().saturating_sub(1);
        for ((index, line), row) in lines.into_iter().enumerate().zip(area.rows()) {
            let end = if more && index == last { "…" } else { "" };
            put(buffer, row, Line::styled(format!(" {line}{end}"), self.shared.theme.accent));
        }
    }
}
