//! Selection and scope on every screen: how many tasks are listed, on how many numbers are computed, and
//! a line that says what the scope is.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::text::{counted, grouped, visible};
use crate::ui::screens::Heading;
use crate::ui::shared::Shared;
use crate::ui::widgets::{fit, put, width};

/// Letters of the selection's expression, at least; where there is no room for them it is left out.
const LEAST: usize = 8;

/// What the top line says of tasks: the selection's expression, if there is room for it, and the counts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub expression: Option<String>,
    pub counts: String,
}

/// How many tasks are selected and in scope, in at most so many columns.
pub(super) fn counted_tasks(shared: &Shared, heading: &Heading, room: usize) -> Counted {
    let counts = Counts::of(shared, heading);
    let expression = visible(&shared.lens.selection);
    if counts.selected.is_none() {
        let (long, short) = (counts.in_words(Words::All), counts.in_words(Words::Fewest));
        let counts = if width(&long) <= room { long } else { short };
        return Counted { expression: None, counts };
    }
    for words in [Words::All, Words::Fewer, Words::Fewest] {
        let counts = counts.in_words(words);
        // The sign before it and the dot behind it.
        let left = room.saturating_sub(width(&counts) + 5);
        if left >= LEAST.min(width(&expression)) {
            return Counted { expression: Some(fit(&expression, left)), counts };
        }
    }
    Counted { expression: None, counts: counts.in_words(Words::Fewest) }
}

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    All,
    Fewer,
    Fewest,
}

/// Tasks of the open screen's cells, or runs where every draw is a row in one of them.
struct Counts {
    all: u64,
    /// The number of tasks that the runs in scope belong to; none where rows are tasks.
    tasks: Option<u64>,
    /// Those in scope; none where all are.
    in_scope: Option<u64>,
    /// The selected ones in words, `…` until they are counted; none where nothing is selected.
    selected: Option<String>,
}

impl Counts {
    fn of(shared: &Shared, heading: &Heading) -> Self {
        let Some(engine) = shared.engine() else {
            let all = shared.summaries.iter().map(|summary| summary.tasks).sum();
            return Self { all, tasks: None, in_scope: None, selected: None };
        };
        let fits = |cell: &usize| match heading.cell {
            Some(only) => only == *cell,
            None => heading.cells.is_empty() || heading.cells.contains(cell),
        };
        let cells = (0..engine.frames().len()).filter(fits);
        let is_pooled = cells.clone().any(|cell| engine.frames()[cell].is_pooled());
        let sum = |count: &dyn Fn(usize) -> usize| cells.clone().map(count).sum::<usize>() as u64;
        let all = sum(&|cell| engine.frames()[cell].tasks.len());
        let chosen = &shared.data.chosen;
        let scope = chosen.scope.as_ref().filter(|_| !shared.lens.scope.is_empty());
        let in_scope = scope.map(|kept| sum(&|cell| kept.value.count(cell)));
        let selected = (!shared.lens.selection.is_empty()).then(|| {
            let known = shared.selected();
            known.map_or("…".to_owned(), |known| grouped(sum(&|cell| known.value.count(cell))))
        });
        let whole = || sum(&|cell| engine.frames()[cell].task_count());
        if heading.unfiltered {
            let tasks = is_pooled.then(whole);
            return Self { all, tasks, in_scope: None, selected: None };
        }
        let tasks =
            is_pooled.then(|| scope.map_or_else(whole, |kept| sum(&|cell| kept.value.tasks(cell))));
        Self { all, tasks, in_scope, selected }
    }

    fn in_words(&self, words: Words) -> String {
        let noun = if self.tasks.is_some() { "run" } else { "task" };
        let (all, rows) = (grouped(self.all), counted(self.all, noun));
        // How many tasks the runs that numbers are computed on belong to.
        let tasks = match self.tasks.map(|tasks| counted(tasks, "task")) {
            Some(tasks) if self.in_scope.is_some() => format!("{rows} ({tasks})"),
            Some(tasks) => format!("{rows}, {tasks}"),
            None => rows,
        };
        let numbers = match (self.in_scope.map(grouped), words) {
            (None, Words::All) if self.selected.is_some() => format!("numbers on all {tasks}"),
            (None, Words::Fewer) => format!("numbers on all {all}"),
            (None, Words::Fewest) if self.selected.is_some() => format!("all {all}"),
            (None, _) => tasks,
            (Some(some), Words::All) => format!("numbers on {some} of {tasks}"),
            (Some(some), Words::Fewer) => format!("numbers on {some} of {all}"),
            (Some(some), Words::Fewest) => format!("{some} of {all}"),
        };
        let Some(selected) = &self.selected else { return numbers };
        match words {
            Words::Fewest => format!("{selected} sel · {numbers}"),
            _ => format!("{selected} selected · {numbers}"),
        }
    }
}

/// Draws what the scope is, and what follows from it.
pub(super) fn draw(buffer: &mut Buffer, area: Rect, shared: &Shared, heading: &Heading) {
    let theme = &shared.theme;
    let mut rest = String::new();
    if shared.scope_depends_on_outcomes() {
        rest.push_str(" · depends on outcomes");
    }
    if heading.unfiltered {
        rest.push_str(" · not here: this screen shows the whole store");
    } else if let Some(left) = shared.only_outcome(heading.cell) {
        rest.push_str(" · leaves ");
        rest.push_str(left);
    }
    rest.push_str(" · ");
    rest.push_str(shared.keymap.key_of("lift-scope").unwrap_or(":"));
    rest.push_str(" lifts it");
    let room = usize::from(area.width).saturating_sub(width(&rest) + 8);
    let expression = fit(&visible(&shared.lens.scope), room.max(LEAST));
    let line = Line::from(vec![
        Span::styled(" scope ", theme.notice),
        Span::styled(format!(" {expression}"), theme.warn),
        Span::styled(rest, theme.dim),
    ]);
    put(buffer, area, line);
}
