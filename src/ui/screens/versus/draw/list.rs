//! The tasks that are fixed, broken or shaky.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Drawing;
use crate::engine::Change;
use crate::metrics::Repeats;
use crate::text::{grouped, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::screens::versus::{Layout, ListedTask, Pane, Spot};
use crate::ui::shared::held_back_words;
use crate::ui::widgets::{padded, paragraph, put, rule, width};

/// Tasks whose ids are measured.
const MOST_MEASURED: usize = 2_000;

impl Drawing<'_> {
    pub(super) fn draw_list(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> Layout {
        let theme = &self.shared.theme;
        let top = Rect { height: 1.min(area.height), ..area };
        self.draw_names(buffer, top, hits);
        let body = Rect { y: area.y + top.height, height: area.height - top.height, ..area };
        let tasks = self.screen.listed();
        if tasks.is_empty() {
            let text = self.why_empty();
            paragraph(buffer, Rect { y: body.y.saturating_sub(1), ..body }, &text, theme.dim);
            return Layout::default();
        }
        let page = usize::from(body.height);
        let offset = scrolled(self.screen.offset, self.screen.index, page, tasks.len());
        let ids =
            tasks.iter().take(MOST_MEASURED).filter_map(|task| self.shared.task_of(task.ids[0]));
        let longest = ids.map(|task| width(&visible(&task.id))).max().unwrap_or(0);
        let room = longest.clamp(4, usize::from(area.width).saturating_sub(20).max(4));
        for (index, line) in (offset..tasks.len()).zip(body.rows()) {
            self.draw_task(buffer, line, index, room);
            hits.spot(line, Spot::Task(index));
        }
        Layout { offset: Some(offset), page }
    }

    /// The lists by name, each with the number of its tasks.
    fn draw_names(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let theme = &self.shared.theme;
        rule(buffer, area, theme.rule);
        let mut x = area.x + 1;
        for (index, change) in Change::LISTED.into_iter().enumerate() {
            let count = self.screen.lists.tasks[index].len();
            let name = format!(" {} {} ", change.word(), grouped(count as u64));
            let style = match (index == self.screen.list, self.screen.pane) {
                (true, Pane::List) => theme.selected,
                (true, Pane::Numbers) => theme.text,
                _ => theme.dim,
            };
            let wide = (width(&name) as u16).min(area.right().saturating_sub(x));
            let spot = Rect { x, width: wide, ..area };
            buffer.set_style(spot, Style::reset());
            put(buffer, spot, Line::styled(name, style));
            hits.spot(spot, Spot::List(index));
            x += wide + 1;
        }
        let held_back = held_back_words(self.answer.held_back);
        let rest = Rect { x, width: area.right().saturating_sub(x), ..area };
        if !held_back.is_empty() {
            buffer.set_style(rest, Style::reset());
            put(buffer, rest, Line::styled(held_back, theme.dim));
        }
    }

    fn why_empty(&self) -> String {
        let word = self.screen.change().word();
        let in_scope = self.answer.lists[self.screen.list].len();
        if in_scope > 0 {
            return format!("No task that is {word} is selected: \\ lifts the selection.");
        }
        match self.screen.change() {
            Change::Shaky if self.answer.one.versus.usual_draws() < 2 => {
                "With one draw per task, no task is solved by some draws only.".to_owned()
            }
            _ => format!("No task is {word}."),
        }
    }

    fn draw_task(&self, buffer: &mut Buffer, line: Rect, index: usize, room: usize) {
        let theme = &self.shared.theme;
        let ListedTask { ids, repeats, .. } = self.screen.listed()[index];
        let selected = index == self.screen.index && self.screen.pane == Pane::List;
        if selected {
            buffer.set_style(line, theme.selected_row);
        }
        let short = self.shared.short_ids(Some(ids[0].cell as usize), room);
        let task = self.shared.task_of(ids[0]).map_or("", |task| task.id.as_str());
        let solved = |side: Repeats| format!("{}/{}", side.solved, side.draws);
        let style = |side: Repeats| match side.rate() {
            Some(rate) if rate > 0.5 => theme.good,
            Some(rate) if rate < 0.5 => theme.bad,
            _ => theme.text,
        };
        let spans = vec![
            Span::styled(if selected { "▸ " } else { "  " }, theme.warn),
            Span::styled(padded(&short.of(task), room), theme.text),
            Span::raw("  "),
            Span::styled(solved(repeats[0]), style(repeats[0])),
            Span::styled(" → ", theme.dim),
            Span::styled(solved(repeats[1]), style(repeats[1])),
        ];
        put(buffer, line, Line::from(spans));
    }
}
