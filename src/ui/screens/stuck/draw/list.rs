//! The tasks that no draw solves, the most stuck first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Drawing;
use crate::text::{counted, grouped, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::names::ShortIds;
use crate::ui::screens::stuck::{Layout, Pane, Spot};
use crate::ui::shared::held_back_words;
use crate::ui::widgets::{padded, paragraph, put, titled_rule, two, width};

/// Columns of a cell's name, at most.
const MOST_OF_CELL: usize = 30;

/// Tasks whose ids are measured.
const MOST_MEASURED: usize = 2_000;

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
            " {} stuck of {} never solved{} (S: {}) ",
            grouped(stuck as u64),
            counted(tasks.len() as u64, "task"),
            held_back_words(self.numbers.held_back),
            self.shared.lens.stuck.words()
        );
        let style = if self.screen.pane == Pane::List { theme.selected } else { theme.dim };
        titled_rule(buffer, rule, theme.rule, &title, style);
        if tasks.is_empty() && self.numbers.held_back > 0 {
            let text = "This list would reveal how the draws ended: tasks are held back until you have \
                        voted on their pairs.";
            paragraph(buffer, area, text, theme.dim);
            return Layout::default();
        }
        if tasks.is_empty() {
            let has_samples = self.numbers.pairs.iter().any(|row| row.n > 0);
            let text = if has_samples {
                "Every task with samples is solved by some draw."
            } else {
                "No task here has samples: agreement needs several runs of a task. > goes to another \
                 cell, v to all of them."
            };
            paragraph(buffer, area, text, theme.dim);
            return Layout::default();
        }
        let page = usize::from(area.height);
        let offset = scrolled(self.screen.offset, self.screen.index, page, tasks.len());
        let names = Names::new(self, area);
        for (index, line) in (offset..tasks.len()).zip(area.rows()) {
            self.draw_task(buffer, line, index, &names);
            hits.spot(line, Spot::Task(index));
        }
        Layout { offset: Some(offset), page }
    }

    fn draw_task(&self, buffer: &mut Buffer, line: Rect, index: usize, names: &Names) {
        let (shared, theme) = (self.shared, &self.shared.theme);
        let stuck = &self.numbers.list[index];
        let selected = index == self.screen.index && self.screen.pane == Pane::List;
        if selected {
            buffer.set_style(line, theme.selected_row);
        }
        let task = shared.task_of(stuck.id).map_or("", |task| task.id.as_str());
        let pattern = match self.numbers.patterns.get(index) {
            Some(Some(pattern)) => pattern.to_string(),
            Some(None) => format!("{} draws, none like another", stuck.draws),
            None => String::new(),
        };
        let mark = if selected { "▸" } else { " " };
        let sign = if stuck.is_stuck { "●" } else { " " };
        let score = format!("{} {}", two(stuck.score), stuck.by);
        let spans = vec![
            Span::styled(format!("{mark}{sign} "), theme.warn),
            // The widest value is 1.00; a space would be underlined where there is no colour.
            Span::raw(" ".repeat(4_usize.saturating_sub(two(stuck.score).len()))),
            Span::styled(score, theme.confidence(stuck.score)),
            Span::raw(" "),
            Span::styled(names.cell(stuck.id.cell as usize), theme.dim),
            Span::styled(names.task(task), theme.text),
            Span::styled(visible(&pattern).into_owned(), theme.text),
        ];
        put(buffer, line, Line::from(spans));
    }
}

/// The names of cells and tasks in the room that the list has for them.
struct Names {
    /// Of every cell; none where one cell is looked at.
    cells: Vec<String>,
    ids: ShortIds,
    /// How wide the ids are.
    room: usize,
}

impl Names {
    fn new(drawing: &Drawing<'_>, area: Rect) -> Self {
        let shared = drawing.shared;
        let only = drawing.screen.scope.only_cell(shared);
        let cells = if only.is_some() { Vec::new() } else { shared.short_cells(MOST_OF_CELL) };
        let most = (usize::from(area.width) * 2 / 5).clamp(8, 60);
        let most = if only.is_some() { most } else { most.min(24) };
        let ids = drawing.numbers.list.iter().filter_map(|task| shared.task_of(task.id));
        let longest = ids.take(MOST_MEASURED).map(|task| width(&visible(&task.id))).max();
        let room = longest.unwrap_or(0).clamp(4, most);
        Self { cells, ids: shared.short_ids(only, room), room }
    }

    fn cell(&self, cell: usize) -> String {
        let widest = self.cells.iter().map(|name| width(name)).max().unwrap_or(0);
        self.cells.get(cell).map_or(String::new(), |name| format!("{} ", padded(name, widest)))
    }

    fn task(&self, id: &str) -> String {
        format!("{}  ", padded(&self.ids.of(id), self.room))
    }
}
