//! Which runs the panes show.

use super::{App, Cursor};
use crate::app::action::Action;
use crate::app::jobs::RunKey;
use crate::compare::{MOST_PANES, usual_draws};
use crate::engine::{Task, TaskId};

/// What a pane shows of any task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaneSpec {
    /// The same task in another cell; none for the task's own.
    pub cell: Option<u32>,
    /// The draw.
    pub draw: u32,
}

impl App {
    /// The runs that a pane could show, the task's own first.
    pub(in crate::app) fn pane_choices(&self) -> Vec<RunKey> {
        let Some(id) = self.task else { return Vec::new() };
        let draws = |id: TaskId| {
            let numbers = self.task_of(id).into_iter().flat_map(Task::draw_numbers);
            numbers.map(move |draw| RunKey { id, draw }).collect::<Vec<_>>()
        };
        let others = (0..self.columns.len() as u32).filter_map(|cell| self.same_task(id, cell));
        draws(id).into_iter().chain(others.flat_map(draws)).collect()
    }

    /// The task of the same id in another cell of the dataset.
    pub(in crate::app) fn same_task(&self, id: TaskId, cell: u32) -> Option<TaskId> {
        let dataset = |cell: u32| self.columns.get(cell as usize).map(|own| &own.dataset);
        if cell == id.cell || dataset(cell)? != dataset(id.cell)? {
            return None;
        }
        let name = &self.task_of(id)?.id;
        let tasks = &self.data.engine()?.frames()[cell as usize].tasks;
        let task = tasks.iter().position(|own| own.id == *name)?;
        Some(TaskId { cell, task: task as u32 })
    }

    pub(in crate::app) fn spec_of(&self, key: RunKey) -> PaneSpec {
        let own = self.task.is_some_and(|id| id.cell == key.id.cell);
        PaneSpec { cell: (!own).then_some(key.id.cell), draw: key.draw }
    }

    /// Puts the reference beside the first sample that ended otherwise.
    pub(in crate::app) fn choose_panes(&mut self) {
        let Some(task) = self.task.and_then(|id| self.task_of(id)) else { return };
        let draws: Vec<(u32, Option<bool>)> =
            task.draw_numbers().map(|draw| (draw, task.outcome(draw))).collect();
        let specs = usual_draws(&draws).into_iter().map(|draw| PaneSpec { cell: None, draw });
        self.compare.specs = specs.collect();
        self.compare.focus = 0;
    }

    /// Finds the panes' runs of the selected task; one that the task lacks makes way for another.
    pub(in crate::app) fn settle_panes(&mut self) {
        let Some(id) = self.task.filter(|id| self.task_of(*id).is_some()) else {
            self.compare.keys.clear();
            return;
        };
        if self.compare.specs.is_empty() {
            self.choose_panes();
        }
        let mut keys: Vec<RunKey> = Vec::new();
        for spec in self.compare.specs.clone() {
            let there = match spec.cell {
                Some(cell) => self.same_task(id, cell),
                None => Some(id),
            };
            let Some(task) = there.and_then(|id| self.task_of(id)) else { continue };
            let free =
                |draw: &u32| !keys.iter().any(|own| Some(own.id) == there && own.draw == *draw);
            let draws: Vec<u32> = task.draw_numbers().filter(free).collect();
            let same = draws.iter().find(|draw| **draw == spec.draw);
            let near =
                same.or_else(|| draws.iter().rfind(|draw| **draw < spec.draw)).or(draws.first());
            if let (Some(id), Some(draw)) = (there, near) {
                keys.push(RunKey { id, draw: *draw });
            }
        }
        if keys.is_empty() {
            keys.extend(self.pane_choices().first());
        }
        if self.compare.keys != keys {
            self.compare.keys = keys;
            self.compare.toggled.clear();
        }
        let panes = self.compare.keys.len();
        self.compare.focus = self.compare.focus.min(panes.saturating_sub(1));
        if !self.compare.free.is_empty() {
            self.compare.free.resize(panes, Cursor::default());
        }
    }

    /// Other runs in the panes: every pane that stays keeps its turn.
    fn set_keys(&mut self, keys: &[RunKey]) {
        let before = self.compared();
        let turn_of = |key: &RunKey| {
            let own = before.as_ref()?;
            let pane = self.compare.keys.iter().position(|own| own == key)?;
            own.sheet.turn_at(self.row_in(&own.sheet, pane), pane)
        };
        let turns: Vec<Option<usize>> = keys.iter().map(turn_of).collect();
        self.compare.specs = keys.iter().map(|key| self.spec_of(*key)).collect();
        self.keep_turn();
        self.settle_panes();
        let turn = turns.get(self.compare.focus).copied().flatten();
        self.compare.turn = turn.unwrap_or(self.compare.turn);
        // Rows are numbered anew, so panes on their own begin where the focused one is.
        self.compare.free.iter_mut().for_each(|own| *own = Cursor::default());
    }

    /// Shows a run in the focused pane; one that another pane shows changes places with it.
    pub(in crate::app) fn set_pane(&mut self, key: RunKey) {
        let mut keys = self.compare.keys.clone();
        let focus = self.compare.focus;
        match keys.iter().position(|own| *own == key) {
            Some(place) => keys.swap(place, focus),
            None if focus < keys.len() => keys[focus] = key,
            None => keys.push(key),
        }
        self.set_keys(&keys);
    }

    pub(super) fn update_panes(&mut self, action: &Action) {
        let panes = self.compare.keys.len();
        let focus = self.compare.focus;
        let mut keys = self.compare.keys.clone();
        match action {
            Action::NextPane => self.focus_pane((focus + 1) % panes.max(1)),
            Action::PreviousPane => self.focus_pane((focus + panes.max(1) - 1) % panes.max(1)),
            Action::NextDraw | Action::PreviousDraw => self.step_draw(*action == Action::NextDraw),
            Action::AddPane if panes == MOST_PANES => self.say("there are four panes at most"),
            Action::AddPane => {
                let all = self.pane_choices();
                match all.iter().find(|own| !keys.contains(own)) {
                    Some(next) => {
                        keys.push(*next);
                        self.set_keys(&keys);
                    }
                    None => self.say("there is no other run of this task"),
                }
            }
            Action::RemovePane if panes > 1 => {
                keys.remove(focus);
                self.compare.focus = focus.min(panes - 2);
                self.set_keys(&keys);
            }
            Action::RemovePane => self.say("the last pane stays"),
            Action::SwapPane if panes > 1 => {
                // From the first pane it is the second that changes places.
                let other = if focus == 0 { 1 } else { focus };
                keys.swap(0, other);
                self.compare.focus = usize::from(focus == 0);
                self.set_keys(&keys);
            }
            Action::SwapPane => self.say("there is only one pane: + adds another"),
            _ => {}
        }
    }

    pub(in crate::app) fn focus_pane(&mut self, pane: usize) {
        self.compare.focus = pane.min(self.compare.keys.len().saturating_sub(1));
        self.compare.token = None;
        if let Some(own) = self.compared() {
            let row = self.row_in(&own.sheet, self.compare.focus);
            self.compare.turn = own.sheet.turn_at(row, self.compare.focus).unwrap_or(0);
            self.compare.row = Some(row);
        }
    }

    /// The next run of the task that no pane shows, into the focused one.
    fn step_draw(&mut self, forwards: bool) {
        let Some(current) = self.compare.keys.get(self.compare.focus).copied() else { return };
        let shown = |own: &RunKey| self.compare.keys.contains(own) && *own != current;
        let all: Vec<RunKey> = self
            .pane_choices()
            .into_iter()
            .filter(|own| own.id == current.id && !shown(own))
            .collect();
        let Some(place) = all.iter().position(|own| *own == current) else { return };
        let step = if forwards { 1 } else { all.len() - 1 };
        let next = all[(place + step) % all.len()];
        if next == current {
            self.say("there is no other draw that no pane shows");
        } else {
            self.set_pane(next);
        }
    }
}
