//! TER under each judge, in the selected cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Drawing, first_row, ranged, right_of_label};
use crate::engine::JudgeTer;
use crate::text::visible;
use crate::ui::hits::Hits;
use crate::ui::screens::judges::{Pane, Spot};
use crate::ui::widgets::{put, signed, two};

/// From this width on values have their intervals.
const ROOMY: u16 = 100;

impl Drawing<'_> {
    pub(super) fn draw_ter(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let theme = &self.shared.theme;
        let (roomy, count) = (area.width >= ROOMY, self.ters.len());
        self.draw_head(buffer, area, Pane::Ter, "TER by judge", count);
        let mut lines = area.rows();
        if let Some(line) = lines.next() {
            put(buffer, right_of_label(line), Line::styled(self.ter_titles(roomy), theme.dim));
        }
        let current = self.shared.engine().and_then(|engine| engine.judge());
        let first = first_row(area, self.screen.ter, count);
        for (row, line) in (first..count).zip(lines) {
            let ter = self.ters[row];
            let is_current = current.as_ref() == Some(&ter.judge);
            let mark = if is_current { "● " } else { "  " };
            let selected = self.has_keys(Pane::Ter) && row == self.screen.ter;
            self.draw_name(buffer, line, (mark, &ter.judge.words()), selected);
            let style = if is_current { theme.accent } else { theme.text };
            let text = ter_text(ter, is_current, roomy);
            put(buffer, right_of_label(line), Line::styled(text, style));
            hits.spot(line, Spot { pane: Pane::Ter, row, column: None });
        }
    }

    fn ter_titles(&self, roomy: bool) -> String {
        let cell = self.shared.current_cell().map(ToString::to_string).unwrap_or_default();
        let (cell, metric) = (visible(&cell), self.shared.lens.metric.id().to_uppercase());
        let last = if roomy { "difference to ●, in" } else { "Δ  in" };
        let is_pooled = self.shared.is_pooled(self.shared.cell as u32);
        let n = match (is_pooled, roomy) {
            (false, _) => "n",
            (true, true) => "n/tasks",
            (true, false) => "n/t",
        };
        columns(["mean", &metric, n, &format!("{last} {cell}")], roomy)
    }
}

fn ter_text(ter: &JudgeTer, is_current: bool, roomy: bool) -> String {
    if ter.held_back {
        return "hidden: one task, not all of its pairs voted on".to_owned();
    }
    let mean = ter.mean.map_or("–".to_owned(), two);
    let value = ranged((ter.value, ter.interval), roomy);
    let moved = match ter.difference {
        _ if is_current => "current".to_owned(),
        Some(difference) => {
            let range = difference.interval.filter(|_| roomy);
            let range = range.map_or(String::new(), |range| {
                format!(" [{}, {}]", signed(range.lo), signed(range.hi))
            });
            format!("{}{range}", signed(difference.value))
        }
        None => "–".to_owned(),
    };
    columns([&mean, &value, &ter.counts.short(), &moved], roomy)
}

/// Four texts under each other in every row.
fn columns([mean, value, n, moved]: [&str; 4], roomy: bool) -> String {
    if roomy {
        format!("{mean:<8}{value:<20}{n:<8}{moved}")
    } else {
        format!("{mean:<6}{value:<7}{n:<5}{moved}")
    }
}
