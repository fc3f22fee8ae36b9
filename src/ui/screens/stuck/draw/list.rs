//! The tasks that no draw solves, the most stuck first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Drawing;
use crate::text::{counted, grouped, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::screens::stuck::{Layout, Pane, Spot};
use crate::ui::widgets::{fit, padded, paragraph, put, titled_rule, two};

impl Drawing<'_> {
    pub(super) fn draw_list(
        &self,
        buffer: &mut Buffer,
        rule: Rect,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> Layout {
        let theme = &self.shared.theme;
        let tasks = &self.numbers.list;
        let stuck = tasks.iter().filter(|task| task.is_stuck).count();
        let title = format!(
            " {} stuck of {} never solved (S: {}) ",
            grouped(stuck as u64),
            counted(tasks.len() as u64, "task"),
            self.shared.lens.stuck.words()
        );
        let style = if self.screen.pane == Pane::List { theme.selected } else { theme.dim };
        titled_rule(buffer, rule, theme.rule, &title, style);
        if tasks.is_empty() {
            let text = "Every task with samples is solved by some draw.";
            paragraph(buffer, area, text, theme.dim);
            return Layout::default();
        }
        let page = usize::from(area.height);
        let offset = scrolled(self.screen.offset, self.screen.index, page, tasks.len());
        for (index, line) in (offset..tasks.len()).zip(area.rows()) {
            self.draw_task(buffer, line, index);
            hits.spot(line, Spot::Task(index));
        }
        Layout { offset: Some(offset), page }
    }

    fn draw_task(&self, buffer: &mut Buffer, line: Rect, index: usize) {
        let (shared, theme) = (self.shared, &self.shared.theme);
        let stuck = &self.numbers.list[index];
        let selected = index == self.screen.index && self.screen.pane == Pane::List;
        if selected {
            buffer.set_style(line, theme.selected_row);
        }
        let cell = shared.cell_of(stuck.id).map(ToString::to_string).unwrap_or_default();
        let task = shared.task_of(stuck.id).map_or("", |task| task.id.as_str());
        let pattern = match self.numbers.patterns.get(index) {
            Some(Some(pattern)) => pattern.to_string(),
            Some(None) => format!("{} draws, none like another", stuck.draws),
            None => String::new(),
        };
        let mark = if selected { "▸" } else { " " };
        let sign = if stuck.is_stuck { "●" } else { " " };
        let score = format!("{:>4} {} ", two(stuck.score), stuck.by);
        let spans = vec![
            Span::styled(format!("{mark}{sign} "), theme.warn),
            Span::styled(score, theme.confidence(stuck.score)),
            Span::styled(format!("{} ", padded(&fit(&visible(&cell), 26), 26)), theme.dim),
            Span::styled(format!("{} ", padded(&fit(&visible(task), 8), 8)), theme.text),
            Span::styled(visible(&pattern).into_owned(), theme.text),
        ];
        put(buffer, line, Line::from(spans));
    }
}
