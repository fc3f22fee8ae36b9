//! The pairs that a person should review.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Drawing;
use super::matrix::{kappa_text, marks_of};
use crate::engine::{Against, JudgeRow, LeftOut, PairOrder, TriageItem};
use crate::text::{counted, grouped, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::lists::pair_draws;
use crate::ui::marks::reasons;
use crate::ui::names::ShortIds;
use crate::ui::screens::judges::{Layout, Pane, Spot};
use crate::ui::widgets::{fit_middle, padded, paragraph, put, titled_rule, two, width};

impl Drawing<'_> {
    /// How far the queue is, and what is selected in the tables.
    pub(super) fn draw_queue_rule(&self, buffer: &mut Buffer, rule: Rect) {
        let theme = &self.shared.theme;
        let queue = self.screen.queue(self.shared);
        let order = match self.shared.order {
            PairOrder::Queue => "queue",
            PairOrder::Audit => "random audit",
            PairOrder::Adjudication => "people disagree",
        };
        let done = match queue {
            None => format!(" {order}: … "),
            Some(queue) => format!(
                " {order}: {} of {} {} ",
                grouped(queue.done() as u64),
                counted(queue.items.len() as u64, "pair"),
                if queue.order == PairOrder::Adjudication { "settled" } else { "done" }
            ),
        };
        let left_out = queue.map_or(LeftOut::default(), |queue| queue.left_out);
        let title = match left_out.words().filter(|_| self.screen.pane == Pane::Queue) {
            Some(words) if done.len() + words.len() + 8 < usize::from(rule.width) => {
                format!("{done}· {words} ")
            }
            Some(_) => {
                let pairs = grouped(left_out.pairs() as u64);
                format!("{done}· {pairs} without database truth ")
            }
            None => done,
        };
        let style = if self.has_keys(Pane::Queue) { theme.selected } else { theme.dim };
        let titled = titled_rule(buffer, rule, theme.rule, &title, style);
        // The tables cut long names, perhaps alike.
        let room = usize::from(rule.right().saturating_sub(titled.right() + 3));
        let name = fit_middle(&visible(&self.selected_name()), room);
        let size = width(&name) as u16;
        let right = Rect { x: rule.right().saturating_sub(size + 1), width: size, ..rule };
        buffer.set_style(right, Style::reset());
        put(buffer, right, Line::styled(name, theme.accent));
    }

    /// What is selected in a table, by its whole name.
    fn selected_name(&self) -> String {
        let screen = self.screen;
        let name = |index: usize| self.names.get(index).map_or("", String::as_str);
        match screen.pane {
            Pane::Matrix => {
                let (judge, other) = (name(screen.matrix.0), name(screen.matrix.1));
                let found = self.agreement(judge, other).filter(|found| found.n > 0);
                let words = found.map_or(String::new(), |found| self.agreement_words(found));
                format!(" {judge} × {other}{words} ")
            }
            Pane::Truth => {
                let judge = name(screen.truth.0);
                let found = self.row(judge, &Against::Database).filter(|found| found.n > 0);
                let words = found.map_or(String::new(), |found| self.agreement_words(found));
                format!(" {judge}{words} ")
            }
            Pane::Ter => {
                let ter = self.ters.get(screen.ter);
                ter.map_or(String::new(), |ter| format!(" {} ", ter.judge.words()))
            }
            Pane::Queue => String::new(),
        }
    }

    /// κ with its interval, and of people's votes where they come from and what those at random say.
    fn agreement_words(&self, row: &JudgeRow) -> String {
        if row.held_back {
            return "  hidden: one pair, which you have not voted on".to_owned();
        }
        let mut words = vec![format!("  {}{}", kappa_text(row.kappa, true), marks_of(row))];
        let is_pooled = self.shared.engine().is_some_and(|engine| engine.is_pooled());
        if is_pooled {
            let (pairs, tasks) = (counted(row.n as u64, "pair"), counted(row.tasks as u64, "task"));
            words.push(format!("{pairs} of {tasks}"));
        }
        if let (Some(votes), Some(audited)) = (row.votes, &row.audited) {
            let counts = votes.counts().into_iter().filter(|(_, count)| *count > 0);
            let counts: Vec<String> =
                counts.map(|(word, count)| format!("{count} {word}")).collect();
            words.push(format!("votes: {}", counts.join(", ")));
            if row.is_biased() {
                let agreement = audited.agreement.0.map_or("n/a".to_owned(), two);
                words.push(format!("audit only {agreement}, n {}", audited.n));
            }
        }
        words.join(" · ")
    }

    pub(super) fn draw_queue(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> Layout {
        let Some(queue) = self.screen.queue(self.shared) else {
            paragraph(buffer, area, "Looking for pairs …", self.shared.theme.dim);
            return Layout::default();
        };
        let items = &queue.items;
        if items.is_empty() {
            let text = match queue.order {
                PairOrder::Audit => "There is no pair: a pair is a reference and a sample.",
                PairOrder::Adjudication => {
                    "No two people disagree on a pair. r goes back to the queue."
                }
                PairOrder::Queue if self.shared.lens.scope.is_empty() => {
                    "The judges agree with each other and the database, and are sure. r offers all \
                     pairs in random order."
                }
                PairOrder::Queue => {
                    "In this scope there is no pair on which judges disagree or are unsure."
                }
            };
            paragraph(buffer, area, text, self.shared.theme.dim);
            return Layout::default();
        }
        let page = usize::from(area.height);
        let selected = self.screen.index.min(items.len() - 1);
        let offset = scrolled(self.screen.offset, selected, page, items.len());
        // Narrow screens keep room for why a pair is here.
        let (cells, ids) =
            (self.shared.short_cells(26), self.shared.short_ids(None, id_room(area)));
        for (row, line) in (offset..items.len()).zip(area.rows()) {
            let here = row == selected && self.has_keys(Pane::Queue);
            self.draw_pair(buffer, line, row, &items[row], here, (&cells, &ids));
            hits.spot(line, Spot { pane: Pane::Queue, row, column: None });
        }
        Layout { offset: Some(offset), page }
    }

    /// A pair of the list. Why it is there, and how urgent, tells what judges say: that is held back
    /// until the user has voted.
    fn draw_pair(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        row: usize,
        item: &TriageItem,
        here: bool,
        (cells, ids): (&[String], &ShortIds),
    ) {
        let (shared, theme) = (self.shared, &self.shared.theme);
        if here {
            buffer.set_style(line, theme.selected_row);
        }
        let id = item.pair.id;
        let cell = cells.get(id.cell as usize).map_or("", String::as_str);
        let task = shared.task_of(id).map_or("", |task| task.id.as_str());
        let done = if item.done { "✓" } else { " " };
        let draws = pair_draws(item.pair, shared);
        let pair = format!("task {}, {draws}", ids.of(task));
        let room = id_room(line) + if shared.is_pooled(id.cell) { 19 } else { 12 };
        let spans = vec![
            Span::styled(if here { "▸" } else { " " }, theme.selected),
            Span::styled(format!("{done} "), theme.good),
            Span::styled(format!("{:>4} ", row + 1), theme.accent),
            Span::styled(padded(cell, 27), theme.dim),
            Span::styled(padded(&pair, room), theme.text),
            match shared.vote_on(item.pair) {
                Some(_) => Span::styled(reasons(&item.reasons), theme.text),
                None => Span::styled("not voted on", theme.dim),
            },
        ];
        put(buffer, line, Line::from(spans));
    }
}

/// Columns of a task's id.
fn id_room(area: Rect) -> usize {
    (usize::from(area.width) / 5).clamp(12, 36)
}
