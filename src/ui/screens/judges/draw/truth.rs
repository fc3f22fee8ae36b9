//! Each judge compared with the database: precision, recall, F1 and the counts behind them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Drawing, first_row, label, ranged};
use crate::engine::{Against, JudgeRow};
use crate::text::grouped;
use crate::ui::hits::Hits;
use crate::ui::screens::judges::{Pane, Spot};
use crate::ui::widgets::put;

/// How many columns are ratios; counts follow.
const RATIOS: u16 = 3;

/// The widths of a ratio with its interval, and of a count.
const ROOMY: (u16, u16) = (14, 8);

/// How many columns are counts.
const COUNTS: u16 = 5;

/// Where the columns stand.
struct Columns {
    left: u16,
    roomy: bool,
}

impl Columns {
    fn new(area: Rect) -> Self {
        let needed = label(area) + RATIOS * ROOMY.0 + COUNTS * ROOMY.1;
        Self { left: area.x + label(area), roomy: area.width >= needed }
    }

    /// The widths of a ratio and of a count.
    fn widths(&self) -> (u16, u16) {
        if self.roomy { ROOMY } else { (6, 8) }
    }

    fn cell(&self, column: u16, line: Rect) -> Rect {
        let (ratio, count) = self.widths();
        let x = self.left + column.min(RATIOS) * ratio + column.saturating_sub(RATIOS) * count;
        let width = if column < RATIOS { ratio } else { count };
        Rect { x, width: width - 1, ..line }
    }

    fn titles(&self) -> [&'static str; 8] {
        let [precision, recall] =
            if self.roomy { ["precision", "recall"] } else { ["prec.", "rec."] };
        [precision, recall, "F1", "≡ right", "≡ wrong", "≢ wrong", "≢ right", "unparsed"]
    }

    fn texts(&self, row: &JudgeRow) -> Vec<String> {
        if row.held_back {
            return ["hidden", "", "", "", "", "", ""]
                .map(str::to_owned)
                .into_iter()
                .chain([grouped(row.unparsed as u64)])
                .collect();
        }
        let ratios = [row.precision, row.recall, row.f1].map(|ratio| ranged(ratio, self.roomy));
        let confusion = row.confusion;
        let counts = [
            confusion.true_positives,
            confusion.false_positives,
            confusion.false_negatives,
            confusion.true_negatives,
            row.unparsed as f64,
        ];
        ratios.into_iter().chain(counts.map(|count| grouped(count as u64))).collect()
    }
}

impl Drawing<'_> {
    pub(super) fn draw_truth(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let count = self.names.len();
        self.draw_head(buffer, area, Pane::Truth, "vs. database", count);
        let columns = Columns::new(area);
        let mut lines = area.rows();
        if let Some(line) = lines.next() {
            for (column, title) in (0..).zip(columns.titles()) {
                let cell = columns.cell(column, line);
                let cell = Rect { width: cell.width.max(8), ..cell }.intersection(line);
                put(buffer, cell, Line::styled(title, self.shared.theme.dim));
            }
        }
        let first = first_row(area, self.screen.truth.0, count);
        for (row, line) in (first..count).zip(lines) {
            self.draw_judge(buffer, line, row, &columns, hits);
        }
    }

    fn draw_judge(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        row: usize,
        columns: &Columns,
        hits: &mut Hits<Spot>,
    ) {
        let theme = &self.shared.theme;
        let judge = &self.names[row];
        let (selected_row, selected_count) = self.screen.truth;
        let selected = self.has_keys(Pane::Truth) && row == selected_row;
        let against = self.row(judge, &Against::Database);
        let biased = against.is_some_and(JudgeRow::is_biased);
        let mark = if biased { "‡" } else { "" };
        self.draw_name(buffer, line, (mark, judge), selected);
        let Some(against) = against else { return };
        for (column, text) in (0..).zip(columns.texts(against)) {
            let cell = columns.cell(column, line).intersection(line);
            let count = column.checked_sub(RATIOS).map(usize::from);
            let style = match count {
                Some(count) if selected && count == selected_count => theme.cursor,
                // Wrongly equivalent, wrongly different.
                Some(1 | 2) => theme.warn,
                _ => theme.text,
            };
            put(buffer, cell, Line::styled(text, style));
            if count.is_some() {
                hits.spot(cell, Spot { pane: Pane::Truth, row, column: count });
            }
        }
    }
}
