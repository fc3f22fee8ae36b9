//! Selection and scope on every screen: how many tasks are listed, on how many tasks numbers are
//! computed, and a line that shows the scope.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::engine::Kept;
use crate::text::{counted, grouped, visible};
use crate::ui::screens::Heading;
use crate::ui::shared::Shared;
use crate::ui::widgets::{fit, fit_middle, put, width};

/// Letters of the scope's expression, at least.
const LEAST: usize = 8;

/// What the top line says of tasks: the selection's expression, if there is room for all of it, and the
/// counts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub expression: Option<String>,
    pub counts: String,
}

/// How many tasks are selected and in scope, in at most so many columns.
pub(super) fn counted_tasks(shared: &Shared, heading: &Heading, room: usize) -> Counted {
    let counts = Counts::of(shared, heading);
    let expression = visible(&shared.lens.selection);
    // The sign before the expression and the dot behind it.
    let beside = if counts.selected.is_some() { width(&expression) + 5 } else { 0 };
    let all = [Words::All, Words::Fewer, Words::Fewest].map(|words| counts.in_words(words));
    let first = |room: usize| all.iter().find(|text| width(text) <= room);
    if let Some(text) = first(room.saturating_sub(beside)) {
        let expression = counts.selected.is_some().then(|| expression.into_owned());
        return Counted { expression, counts: text.clone() };
    }
    let [.., fewest] = &all;
    Counted { expression: None, counts: first(room).unwrap_or(fewest).clone() }
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
        // Tasks that are held back are not counted where that would tell something of them.
        let blind = shared.blind();
        let count = |kept: &Kept, cell: usize, tells: bool| match blind.as_ref().filter(|_| tells) {
            Some(blind) => blind.value.count_known(kept, cell),
            None => kept.count(cell),
        };
        let scope_tells = blind.is_some() && shared.scope_tells();
        let tells = blind.is_some() && shared.selection_tells(&shared.task_query());
        let in_scope = scope.map(|kept| sum(&|cell| count(&kept.value, cell, scope_tells)));
        let selected = (!shared.lens.selection.is_empty()).then(|| {
            let known = shared.selected();
            known.map_or("…".to_owned(), |known| {
                grouped(sum(&|cell| count(&known.value, cell, tells)))
            })
        });
        let in_scope = in_scope.filter(|_| !heading.unfiltered);
        let scope = scope.filter(|_| !heading.unfiltered);
        let whole = || sum(&|cell| engine.frames()[cell].task_count());
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
            (None, _) => tasks,
            (Some(some), Words::All) => format!("numbers on {some} of {tasks}"),
            (Some(some), Words::Fewer) => format!("numbers on {some} of {all}"),
            (Some(some), Words::Fewest) => format!("scope {some} of {all}"),
        };
        let Some(selected) = &self.selected else { return numbers };
        if words == Words::Fewest && self.in_scope.is_none() {
            return format!("{selected} of {all} selected");
        }
        format!("{selected} selected · {numbers}")
    }
}

/// Draws the cell and the whole id of a task for which the top line has no room.
pub(super) fn draw_task(buffer: &mut Buffer, area: Rect, shared: &Shared, cell: &str, id: &str) {
    let before = format!(" {cell} · task ");
    // A long id has the line for itself.
    let is_long = width(&before) + width(id) >= usize::from(area.width);
    let before = if is_long { " task ".to_owned() } else { before };
    let room = usize::from(area.width).saturating_sub(width(&before) + 1);
    let line = Line::from(vec![
        Span::styled(before, shared.theme.dim),
        Span::styled(fit_middle(id, room), shared.theme.text),
    ]);
    put(buffer, area, line);
}

/// Draws the expression of a selection for which the top line has no room.
/// The counts stand here, too, where the top line has no room for them either.
pub(super) fn draw_selection(
    buffer: &mut Buffer,
    area: Rect,
    shared: &Shared,
    counts: Option<&str>,
) {
    let key = shared.keymap.key_of("lift-selection").unwrap_or(":");
    let counts = counts.map_or(String::new(), |counts| format!(" · {counts}"));
    let rest = format!("{counts} · {key} lifts it");
    draw_line(buffer, area, shared, (" selected ", &shared.lens.selection), &rest);
}

/// Draws a label, an expression cut to the room there is, and what follows from it.
fn draw_line(
    buffer: &mut Buffer,
    area: Rect,
    shared: &Shared,
    (label, expression): (&'static str, &str),
    rest: &str,
) {
    let theme = &shared.theme;
    let room = usize::from(area.width).saturating_sub(width(label) + width(rest) + 1);
    let expression = fit(&visible(expression), room.max(LEAST));
    let line = Line::from(vec![
        Span::styled(label, theme.notice),
        Span::styled(format!(" {expression}"), theme.warn),
        Span::styled(rest.to_owned(), theme.dim),
    ]);
    put(buffer, area, line);
}

/// Draws what the scope is, and what follows from it.
pub(super) fn draw_scope(
    buffer: &mut Buffer,
    area: Rect,
    shared: &Shared,
    heading: &Heading,
    counts: Option<&str>,
) {
    let mut rest = counts.map_or(String::new(), |counts| format!(" · {counts}"));
    if shared.scope_depends_on_outcomes() {
        rest.push_str(" · depends on outcomes");
    }
    if heading.unfiltered {
        rest.push_str(" · not here: this screen shows the whole store");
    } else if let Some(left) = shared.only_outcome(heading.cell.as_slice()) {
        rest.push_str(" · leaves ");
        rest.push_str(left);
    }
    rest.push_str(" · ");
    rest.push_str(shared.keymap.key_of("lift-scope").unwrap_or(":"));
    rest.push_str(" lifts it");
    draw_line(buffer, area, shared, (" scope ", &shared.lens.scope), &rest);
}
