//! Every two judges compared: agreement, κ and the number of pairs.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Drawing, first_row, label};
use crate::engine::{Against, JudgeRow};
use crate::metrics::bootstrap::Interval;
use crate::text::{grouped, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::screens::judges::{Pane, Spot};
use crate::ui::widgets::{fit, put, short_names, two};

/// The narrowest column.
const NARROWEST: u16 = 16;

/// From this width on a column has the interval of κ.
const WITH_INTERVAL: usize = 27;

/// The columns on screen.
struct Columns {
    area: Rect,
    width: u16,
    shown: Range<usize>,
}

impl Columns {
    fn new(area: Rect, selected: usize, count: usize) -> Self {
        let room = area.width.saturating_sub(label(area));
        let shown = count.min(usize::from(room / NARROWEST).max(1));
        let first = scrolled(0, selected.min(count - 1), shown, count);
        let width = (room / shown as u16).clamp(8, 30);
        Self { area, width, shown: first..first + shown }
    }

    fn cell(&self, column: usize, line: Rect) -> Rect {
        let x = self.area.x + label(self.area) + (column - self.shown.start) as u16 * self.width;
        Rect { x, width: self.room() as u16, ..line }.intersection(self.area)
    }

    /// Letters in a cell.
    fn room(&self) -> usize {
        usize::from(self.width).saturating_sub(1)
    }
}

impl Drawing<'_> {
    pub(super) fn draw_matrix(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let count = self.names.len();
        let (selected_row, selected_column) = self.screen.matrix;
        let columns = Columns::new(area, selected_column, count);
        let title = match count - columns.shown.len() {
            0 => "agreement, κ, n".to_owned(),
            hidden => format!("κ, n +{hidden} →"),
        };
        self.draw_head(buffer, area, Pane::Matrix, &title, count);
        let mut lines = area.rows();
        if let Some(line) = lines.next() {
            let names: Vec<_> = self.names.iter().map(|name| visible(name)).collect();
            let names = short_names(&names, columns.room());
            for column in columns.shown.clone() {
                let text = Line::styled(names[column].as_str(), self.shared.theme.dim);
                put(buffer, columns.cell(column, line), text);
            }
        }
        for (row, line) in (first_row(area, selected_row, count)..count).zip(lines) {
            let selected = self.has_keys(Pane::Matrix) && row == selected_row;
            self.draw_name(buffer, line, ("", &self.names[row]), selected);
            for column in columns.shown.clone() {
                let cell = columns.cell(column, line);
                let cursor = selected && column == selected_column;
                self.draw_agreement(buffer, cell, (row, column), columns.room(), cursor);
                hits.spot(cell, Spot { pane: Pane::Matrix, row, column: Some(column) });
            }
        }
    }

    fn draw_agreement(
        &self,
        buffer: &mut Buffer,
        cell: Rect,
        (row, column): (usize, usize),
        room: usize,
        cursor: bool,
    ) {
        let theme = &self.shared.theme;
        let found = self.agreement(&self.names[row], &self.names[column]);
        let text = match found {
            _ if row == column => "–".to_owned(),
            Some(found) if found.held_back => "hidden: 1 pair".to_owned(),
            Some(found) if found.n == 0 => "no common pair".to_owned(),
            Some(found) => agreement_text(found, room >= WITH_INTERVAL),
            None => String::new(),
        };
        let kappa = found.and_then(|found| found.kappa.0);
        let style = if cursor {
            theme.cursor
        } else {
            kappa.map_or(theme.dim, |kappa| theme.confidence(kappa))
        };
        put(buffer, cell, Line::styled(fit(&text, room), style));
    }

    /// Two judges compared, whichever comes first.
    pub(super) fn agreement(&self, judge: &str, other: &str) -> Option<&JudgeRow> {
        let against = |name: &str| Against::Judge(name.to_owned());
        self.row(judge, &against(other)).or_else(|| self.row(other, &against(judge)))
    }
}

/// Agreement, κ and the number of pairs; † where κ rests on few, ‡ where pairs were chosen for
/// disagreement.
fn agreement_text(row: &JudgeRow, with_interval: bool) -> String {
    let agreement = row.agreement.0.map_or("–".to_owned(), two);
    let (pairs, marks) = (grouped(row.n as u64), marks_of(row));
    format!("{agreement} {} {pairs}{marks}", kappa_text(row.kappa, with_interval))
}

/// κ with its interval, or that it is not defined.
pub(super) fn kappa_text(
    (value, interval): (Option<f64>, Option<Interval>),
    with_interval: bool,
) -> String {
    match (value, interval) {
        (None, _) => "κ n/a".to_owned(),
        (Some(value), Some(range)) if with_interval => {
            format!("κ{} [{},{}]", two(value), two(range.lo), two(range.hi))
        }
        (Some(value), _) => format!("κ{}", two(value)),
    }
}

/// The marks of a number that rests on few pairs, or on pairs that were not drawn at random.
pub(super) fn marks_of(row: &JudgeRow) -> String {
    let few = if row.is_flagged() { "†" } else { "" };
    let biased = if row.is_biased() { "‡" } else { "" };
    format!("{few}{biased}")
}
