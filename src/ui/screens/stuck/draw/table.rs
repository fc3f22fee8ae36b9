//! Agreement by outcome: scorers × groups.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::{Drawing, LABEL};
use crate::text::{grouped, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::screens::stuck::{Group, GroupValue, Pane, Spot};
use crate::ui::widgets::{fit, put, two, width};

/// The groups as column heads, in the order of [`Group::ALL`].
const TITLES: [&str; 6] = ["✓✓", "✓✗", "✗✗", "always", "sometimes", "never"];

/// Where the columns stand.
struct Columns {
    left: u16,
    width: u16,
    /// Whether every value has room for half its interval.
    with_half: bool,
}

impl Columns {
    fn new(area: Rect) -> Self {
        let width = (area.width.saturating_sub(LABEL) / 6).clamp(8, 24);
        Self { left: area.x + LABEL, width, with_half: false }
    }

    fn x(&self, column: usize) -> u16 {
        self.left + column as u16 * self.width
    }
}

impl Drawing<'_> {
    pub(super) fn draw_table(
        &self,
        buffer: &mut Buffer,
        head: Rect,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) {
        let mut columns = Columns::new(area);
        let room = usize::from(columns.width).saturating_sub(1);
        let mut values = self.scorers.iter().flat_map(|scorer| {
            Group::ALL.into_iter().filter_map(|group| self.numbers.value(scorer, group))
        });
        columns.with_half = values.all(|value| width(&value_text(&value, true)) <= room);
        self.draw_titles(buffer, head, &columns);
        let count = self.scorers.len();
        let first = scrolled(0, self.screen.row, usize::from(area.height), count);
        for (row, line) in (first..count).zip(area.rows()) {
            self.draw_row(buffer, line, row, &columns, hits);
        }
    }

    fn draw_titles(&self, buffer: &mut Buffer, head: Rect, columns: &Columns) {
        let theme = &self.shared.theme;
        let scope = self.scope();
        let pairs = if self.is_pooled() { "pairs of runs" } else { "pairs" };
        let pairs = format!("{pairs}, {scope}");
        let tasks = if columns.width < 12 {
            "tasks, by times solved"
        } else {
            "tasks, by how often they are solved"
        };
        let tasks = tasks.to_owned();
        for (column, text) in [(0, pairs), (3, tasks)] {
            let x = columns.x(column);
            let width = (columns.width * 3).min(head.right().saturating_sub(x));
            let line = Rect { x, width, height: 1, ..head };
            put(buffer, line, Line::styled(fit(&text, usize::from(width)), theme.header));
        }
        for (column, title) in TITLES.into_iter().enumerate() {
            let (x, width) = (columns.x(column), columns.width);
            let line = Rect { x, y: head.y + 1, width, height: 1 };
            put(buffer, line.intersection(head), Line::styled(title, theme.dim));
        }
    }

    fn draw_row(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        row: usize,
        columns: &Columns,
        hits: &mut Hits<Spot>,
    ) {
        let theme = &self.shared.theme;
        let scorer = &self.scorers[row];
        let selected = row == self.screen.row;
        let (mark, style) = if selected { ("▸", theme.selected) } else { (" ", theme.text) };
        let name = format!("{mark}{}", visible(&scorer.to_uppercase()));
        put(buffer, Rect { width: LABEL, ..line }, Line::styled(name, style));
        let in_table = self.screen.pane == Pane::Table;
        for (column, group) in Group::ALL.into_iter().enumerate() {
            let (x, width) = (columns.x(column), columns.width.saturating_sub(1));
            let cell = Rect { x, width, ..line }.intersection(line);
            hits.spot(cell, Spot::Cell(row, column));
            if let Some(value) = self.numbers.value(scorer, group) {
                let here = selected && in_table && column == self.screen.column;
                self.draw_value(buffer, cell, (&value, columns.with_half), here);
            }
        }
    }

    fn draw_value(
        &self,
        buffer: &mut Buffer,
        cell: Rect,
        (value, with_half): (&GroupValue, bool),
        here: bool,
    ) {
        let theme = &self.shared.theme;
        let style = match value.mean {
            _ if here => theme.cursor,
            Some(mean) => theme.confidence(mean),
            None => theme.dim,
        };
        let text = fit(&value_text(value, with_half), usize::from(cell.width));
        put(buffer, cell, Line::styled(text, style));
    }
}

/// A mean, perhaps half its interval, and n.
fn value_text(value: &GroupValue, with_half: bool) -> String {
    let Some(mean) = value.mean else { return "–".to_owned() };
    let half = value.interval.filter(|_| with_half);
    let half = half.map(|interval| format!(" ±{}", two((interval.hi - interval.lo) / 2.0)));
    format!("{}{} {}", two(mean), half.unwrap_or_default(), grouped(value.n as u64))
}
