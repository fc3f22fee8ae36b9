//! The tasks just above and below the threshold, where there is room beside the plots.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Drawing;
use crate::engine::{NearRun, Scope};
use crate::text::visible;
use crate::ui::screens::curves::plots::chosen::Chosen;
use crate::ui::screens::curves::plots::drill::{beside, outcome, run_name};
use crate::ui::widgets::{fit_middle, put, titled_rule, width};

/// Columns of a value.
const VALUE: usize = 9;

impl Drawing<'_> {
    pub(super) fn draw_near(&self, buffer: &mut Buffer, area: Rect) {
        let theme = &self.shared.theme;
        let Some(chosen) = self.page.chosen(self.subject) else { return };
        put(buffer, area, Line::styled(" Tasks beside the threshold", theme.header));
        let question = self.page.near_query(self.subject, self.shared);
        let near = question.and_then(|question| self.page.near.answer_to(&question));
        let Some((above, below)) = near.map(|near| beside(near)) else { return };
        let body = Rect { y: area.y + 1, height: area.height.saturating_sub(2), ..area };
        // The threshold is in the middle, unless one side has fewer tasks.
        let room = usize::from(body.height.saturating_sub(1));
        let up = above.len().min((room / 2).max(room.saturating_sub(below.len())));
        let mut rows = body.rows();
        for (run, row) in above[..up].iter().rev().zip(&mut rows) {
            put(buffer, row, self.near_line(run, &chosen, row.width));
        }
        if let Some(row) = rows.next() {
            let inner = Rect { width: row.width.saturating_sub(1), ..row };
            titled_rule(
                buffer,
                inner,
                theme.rule,
                &format!(" {} ", chosen.condition()),
                theme.accent,
            );
        }
        for (run, row) in below.iter().zip(rows) {
            put(buffer, row, self.near_line(run, &chosen, row.width));
        }
    }

    fn near_line<'a>(&self, run: &NearRun, chosen: &Chosen<'_>, room: u16) -> Line<'a> {
        let theme = &self.shared.theme;
        let room = usize::from(room).saturating_sub(VALUE + 5);
        let name = match self.subject.cells {
            Scope::Cell(_) => self.shared.short_id(run.id, room),
            _ => fit_middle(&visible(&run_name(run, self.shared)), room),
        };
        let style = match run.success {
            Some(true) => theme.good,
            Some(false) => theme.bad,
            None => theme.unknown,
        };
        let value = chosen.value_words(run.score);
        let before = " ".repeat(VALUE.saturating_sub(width(&value)));
        Line::from(vec![
            Span::styled(format!(" {before}{value} "), theme.text),
            Span::styled(outcome(run.success), style),
            Span::styled(format!(" {name}"), theme.text),
        ])
    }
}
