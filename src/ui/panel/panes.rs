//! Which runs the panes show.

use super::{Cursor, Panel};
use crate::compare::{MOST_PANES, usual_draws};
use crate::engine::{Task, TaskId};
use crate::ui::action::Action;
use crate::ui::overlays::{Choice, Overlay, Picker};
use crate::ui::renewal::NewIds;
use crate::ui::screens::Go;
use crate::ui::shared::{RunKey, Shared};

/// What a pane shows of any task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaneSpec {
    /// Another cell that has the same task; none for the selected cell.
    pub cell: Option<u32>,
    /// The draw.
    pub draw: u32,
}

impl PaneSpec {
    /// A draw of the selected cell.
    pub fn draw(draw: u32) -> Self {
        Self { cell: None, draw }
    }

    /// Shows the same run of a task in another reading of the store.
    pub(super) fn renew(&mut self, task: Option<TaskId>, ids: &NewIds<'_>) {
        if let Some(cell) = self.cell {
            self.cell = ids.cell(cell as usize).map(|cell| cell as u32);
        } else if let Some(draw) = task.and_then(|id| ids.draw(id, self.draw)) {
            self.draw = draw;
        }
    }

    /// What shows a run of the selected task.
    pub(in crate::ui) fn of(key: RunKey, shared: &Shared) -> Self {
        let same_cell = shared.task.is_some_and(|id| id.cell == key.id.cell);
        Self { cell: (!same_cell).then_some(key.id.cell), draw: key.draw }
    }
}

/// The task of the same name in another cell of the dataset.
pub(in crate::ui) fn same_task(id: TaskId, cell: u32, shared: &Shared) -> Option<TaskId> {
    let dataset = |cell: u32| shared.cells.get(cell as usize).map(|cell| &cell.dataset);
    if cell == id.cell || dataset(cell)? != dataset(id.cell)? {
        return None;
    }
    task_in(id, cell, shared)
}

/// The task of the same name in a cell, whatever its dataset.
fn task_in(id: TaskId, cell: u32, shared: &Shared) -> Option<TaskId> {
    let name = &shared.task_of(id)?.id;
    let tasks = &shared.engine()?.frames().get(cell as usize)?.tasks;
    let task = tasks.iter().position(|task| task.id == *name)?;
    Some(TaskId { cell, task: task as u32 })
}

/// The runs that a pane could show, those of the selected cell first.
fn choices(shared: &Shared) -> Vec<RunKey> {
    let Some(id) = shared.task else { return Vec::new() };
    let draws = |id: TaskId| {
        let numbers = shared.task_of(id).into_iter().flat_map(Task::draw_numbers);
        numbers.map(move |draw| RunKey { id, draw }).collect::<Vec<_>>()
    };
    let cells = 0..shared.cells.len() as u32;
    let others = cells.filter_map(|cell| same_task(id, cell, shared));
    draws(id).into_iter().chain(others.flat_map(draws)).collect()
}

impl Panel {
    /// Shows the reference beside the first sample that ended otherwise.
    pub(in crate::ui) fn choose_panes(&mut self, shared: &Shared) {
        let Some(id) = shared.task else { return };
        let Some(task) = shared.task_of(id) else { return };
        // A sample that ended otherwise would tell how they ended.
        let hidden = shared.hides_outcomes(id);
        let outcome = |draw: u32| task.outcome(draw).filter(|_| !hidden);
        let draws: Vec<(u32, Option<bool>)> =
            task.draw_numbers().map(|draw| (draw, outcome(draw))).collect();
        self.specs = usual_draws(&draws).into_iter().map(PaneSpec::draw).collect();
        self.focus = 0;
    }

    /// Puts the draw of the selected row into the first pane, where every draw is a row.
    pub(super) fn lead_with_row(&mut self, shared: &Shared) {
        let row = shared.task.filter(|id| shared.is_pooled(id.cell));
        let Some(task) = row.and_then(|id| shared.task_of(id)) else { return };
        let (first, panes) = (PaneSpec::draw(task.draw), self.specs.len().max(1));
        self.specs.retain(|spec| *spec != first);
        self.specs.insert(0, first);
        self.specs.truncate(panes);
    }

    /// Finds the panes' runs of the selected task; one that the task lacks makes way for another.
    pub(in crate::ui) fn settle_panes(&mut self, shared: &Shared) {
        let Some(id) = shared.task.filter(|id| shared.task_of(*id).is_some()) else {
            self.keys.clear();
            return;
        };
        if self.specs.is_empty() {
            self.choose_panes(shared);
        }
        let mut keys: Vec<RunKey> = Vec::new();
        for spec in &self.specs {
            let id = match spec.cell {
                // A cell that was chosen may be of another dataset.
                Some(cell) => task_in(id, cell, shared),
                None => Some(id),
            };
            keys.extend(id.and_then(|id| free_run(id, spec.draw, &keys, shared)));
        }
        if keys.is_empty() {
            keys.extend(choices(shared).first());
        }
        if self.keys != keys {
            self.keys = keys;
            self.toggled.clear();
        }
        let panes = self.keys.len();
        self.focus = self.focus.min(panes.saturating_sub(1));
        if !self.free.is_empty() {
            self.free.resize(panes, Cursor::default());
        }
    }

    /// Shows other runs; every pane that stays keeps its turn.
    fn set_keys(&mut self, keys: &[RunKey], shared: &Shared) {
        let before = self.compared(shared);
        let turn_of = |key: &RunKey| {
            let sheet = &before.as_ref()?.sheet;
            let pane = self.keys.iter().position(|shown| shown == key)?;
            sheet.turn_at(self.row_in(sheet, pane), pane)
        };
        let turns: Vec<Option<usize>> = keys.iter().map(turn_of).collect();
        self.specs = keys.iter().map(|key| PaneSpec::of(*key, shared)).collect();
        self.keep_turn();
        self.settle_panes(shared);
        self.turn = turns.get(self.focus).copied().flatten().unwrap_or(self.turn);
        // Rows are numbered anew, so panes on their own begin where the focused one is.
        self.free.iter_mut().for_each(|cursor| *cursor = Cursor::default());
    }

    /// Shows a run in the focused pane; one that another pane shows is swapped with it.
    fn set_pane(&mut self, key: RunKey, shared: &Shared) {
        let mut keys = self.keys.clone();
        match keys.iter().position(|shown| *shown == key) {
            Some(pane) => keys.swap(pane, self.focus),
            None if self.focus < keys.len() => keys[self.focus] = key,
            None => keys.push(key),
        }
        self.set_keys(&keys, shared);
    }

    pub(super) fn update_panes(&mut self, action: &Action, shared: &mut Shared) -> Go {
        let panes = self.keys.len();
        let mut keys = self.keys.clone();
        match action {
            Action::NextPane | Action::PreviousPane => {
                let step = if *action == Action::NextPane { 1 } else { panes.max(1) - 1 };
                self.focus_pane((self.focus + step) % panes.max(1), shared);
            }
            Action::NextChoice => self.step_draw(true, shared),
            Action::PreviousChoice => self.step_draw(false, shared),
            Action::More if panes == MOST_PANES => shared.say("there are four panes at most"),
            Action::More => match choices(shared).iter().find(|key| !keys.contains(key)) {
                Some(next) => {
                    keys.push(*next);
                    self.set_keys(&keys, shared);
                }
                None => shared.say("there is no other run of this task"),
            },
            Action::Less if panes > 1 => {
                keys.remove(self.focus);
                self.focus = self.focus.min(panes - 2);
                self.set_keys(&keys, shared);
            }
            Action::Less => shared.say("the last pane stays"),
            Action::SwapPane if panes > 1 => {
                // From the first pane it is swapped with the second.
                keys.swap(0, self.focus.max(1));
                self.focus = usize::from(self.focus == 0);
                self.set_keys(&keys, shared);
            }
            Action::SwapPane => shared.say("there is only one pane: + adds another"),
            Action::Choose => return Go::Show(Overlay::picker(self.picker(shared))),
            Action::SetPane(key) => self.set_pane(*key, shared),
            _ => return Go::Pass,
        }
        Go::Stay
    }

    /// Gives a pane the keys.
    pub(in crate::ui) fn focus_pane(&mut self, pane: usize, shared: &Shared) {
        self.focus = pane.min(self.keys.len().saturating_sub(1));
        self.token = None;
        if let Some(comparison) = self.compared(shared) {
            let row = self.row_in(&comparison.sheet, self.focus);
            self.turn = comparison.sheet.turn_at(row, self.focus).unwrap_or(0);
            self.row = Some(row);
            self.hit = None;
        }
    }

    /// Comes back from reading a pane.
    pub(in crate::ui) fn return_to(&mut self, pane: usize, shared: &Shared) {
        if pane != self.focus {
            self.focus_pane(pane, shared);
        }
    }

    /// Shows the next run of the task that no pane shows in the focused one.
    fn step_draw(&mut self, forwards: bool, shared: &mut Shared) {
        let Some(current) = self.keys.get(self.focus).copied() else { return };
        let is_free = |key: &RunKey| *key == current || !self.keys.contains(key);
        let runs: Vec<RunKey> = choices(shared)
            .into_iter()
            .filter(|key| key.id == current.id && is_free(key))
            .collect();
        let Some(index) = runs.iter().position(|key| *key == current) else { return };
        let step = if forwards { 1 } else { runs.len() - 1 };
        let next = runs[(index + step) % runs.len()];
        if next == current {
            shared.say("every draw is already in a pane");
        } else {
            self.set_pane(next, shared);
        }
    }

    /// A list of the runs that the focused pane could show.
    fn picker(&self, shared: &Shared) -> Picker {
        let choice = |key: &RunKey| {
            let cell = shared.cell_of(key.id).map_or(String::new(), ToString::to_string);
            let outcome = shared.task_of(key.id).and_then(|task| task.outcome(key.draw));
            let outcome = match outcome {
                _ if self.blind || shared.hides_outcomes(key.id) => "hidden",
                Some(true) => "✓ solved",
                Some(false) => "✗ failed",
                None => "· not graded",
            };
            let shown = if self.keys.contains(key) { "shown" } else { "" };
            Choice {
                name: format!("{} of {cell}", draw_name(*key, shared)),
                hint: format!("{shown:<6} {outcome:<12}"),
                action: Action::SetPane(*key),
            }
        };
        let runs = choices(shared);
        let mut picker = Picker::new("This pane shows", runs.iter().map(choice).collect());
        let current = self.keys.get(self.focus);
        picker.marked = runs.iter().position(|key| Some(key) == current).unwrap_or(0);
        picker
    }
}

/// `reference` or `sample 2`; `draw 2` where none is the reference.
pub(super) fn draw_name(key: RunKey, shared: &Shared) -> String {
    match key.draw {
        draw if shared.is_pooled(key.id.cell) => format!("draw {draw}"),
        0 => "reference".to_owned(),
        draw => format!("sample {draw}"),
    }
}

/// The run of a task with this draw, or the nearest before it, that is not taken yet.
fn free_run(id: TaskId, draw: u32, taken: &[RunKey], shared: &Shared) -> Option<RunKey> {
    let keys = shared.task_of(id)?.draw_numbers().map(|draw| RunKey { id, draw });
    let free: Vec<RunKey> = keys.filter(|key| !taken.contains(key)).collect();
    let same = free.iter().find(|key| key.draw == draw);
    let before = || free.iter().rfind(|key| key.draw < draw);
    same.or_else(before).or(free.first()).copied()
}
