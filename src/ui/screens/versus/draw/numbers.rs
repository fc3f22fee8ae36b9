//! The numbers of both cells, and their differences.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Drawing;
use crate::engine::Standing;
use crate::text::{counted, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::screens::versus::rows::Row;
use crate::ui::screens::versus::{Pane, Spot};
use crate::ui::widgets::{fit, padded, put, short_names, titled_rule, width};

/// Columns of the names of rows, at least and at most.
const LABEL: [usize; 2] = [16, 28];

/// The column in which any value has its interval, and the same for a difference.
const WITH_INTERVAL: [usize; 2] = [21, 25];

/// The widths of the columns: differences have more room where values have enough.
fn columns(area: Rect, label: usize) -> [usize; 3] {
    let room = usize::from(area.width).saturating_sub(label + 1).max(18);
    let [value, difference] = WITH_INTERVAL;
    let last = (room / 3).max(difference.min(room.saturating_sub(2 * value)));
    let first = (room - last) / 2;
    [first, first, room - 2 * first]
}

/// The names of rows in the room that numbers leave them: all of it where intervals have theirs.
fn labels(rows: &[Row], area: Rect) -> (usize, Vec<String>) {
    let names: Vec<_> = rows.iter().map(|row| visible(&row.label)).collect();
    let [least, most] = LABEL;
    let [value, difference] = WITH_INTERVAL;
    let left = usize::from(area.width).saturating_sub(2 * value + difference + 1);
    let longest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let room = (longest + 1).min(left).clamp(least, most);
    // A space parts the name from its number.
    (room, short_names(&names, room - 1))
}

impl Drawing<'_> {
    /// Draws the rows that fit; returns how many do.
    pub(super) fn draw_numbers(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> usize {
        let theme = &self.shared.theme;
        let versus = &self.answer.one.versus;
        let tasks = counted(versus.labelled() as u64, "shared task");
        let draws = counted(u64::from(versus.usual_draws()), "draw");
        let title =
            format!(" {tasks} · {draws} · {} ", self.shared.lens.metric.id().to_uppercase());
        let in_numbers = self.screen.pane == Pane::Numbers;
        let style = if in_numbers { theme.selected } else { theme.dim };
        titled_rule(buffer, Rect { height: 1, ..area }, theme.rule, &title, style);
        let rows = self.screen.rows(self.shared);
        let (label, names) = labels(&rows, area);
        let columns = columns(area, label);
        let heads = ["baseline", "candidate", "difference"].into_iter().zip(columns);
        let heads: String = heads.map(|(head, wide)| padded(head, wide)).collect();
        let head = Rect { y: area.y + 1, height: 1, ..area }.intersection(area);
        put(buffer, head, Line::styled(format!("{}{heads}", " ".repeat(label + 1)), theme.dim));
        let top = 2.min(area.height);
        let body = Rect { y: area.y + top, height: area.height - top, ..area };
        let page = usize::from(body.height);
        let selected = self.screen.row.min(rows.len().saturating_sub(1));
        // The first rows are the answer, so the table begins there until it is moved through.
        let offset = scrolled(0, selected, page, rows.len());
        for ((index, row), line) in rows.iter().enumerate().skip(offset).zip(body.rows()) {
            let here = in_numbers && index == selected;
            let name = padded(&names[index], label);
            self.draw_row(buffer, line, (row, name), columns, here);
            hits.spot(line, Spot::Row(index));
        }
        page
    }

    fn draw_row(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        (row, name): (&Row, String),
        columns: [usize; 3],
        here: bool,
    ) {
        let theme = &self.shared.theme;
        if here {
            buffer.set_style(line, theme.selected_row);
        }
        let mark = if here { "▸" } else { " " };
        let is_lens = row.scorer.as_ref() == Some(self.shared.chosen_scorer());
        let style = if is_lens { theme.accent } else { theme.text };
        let mut spans = vec![Span::raw(mark), Span::styled(name, style)];
        if let Some(words) = &row.words {
            spans.push(Span::styled(words.clone(), theme.text));
            put(buffer, line, Line::from(spans));
            return;
        }
        for (column, (value, interval)) in row.cells.iter().enumerate() {
            let style = match (column, row.standing) {
                (2, Some(standing @ (Standing::Better | Standing::Worse))) => {
                    self.style_of(standing)
                }
                _ => theme.text,
            };
            let wide = columns[column];
            let value = fit(value, wide.saturating_sub(1));
            // The last column needs no space behind it.
            let room = if column == 2 { wide } else { wide - 1 };
            let rest = format!(" {interval}");
            let fits = width(&value) + width(&rest) <= room;
            let rest = padded(if fits { &rest } else { "" }, wide - width(&value));
            spans.push(Span::styled(value, style));
            spans.push(Span::styled(rest, theme.dim));
        }
        put(buffer, line, Line::from(spans));
    }
}
