//! Earlier positions: `Ctrl-o` jumps back to the last one, whatever its screen, cell and task. Esc
//! goes up one step instead.

use super::App;
use crate::engine::TaskId;
use crate::ui::action::Action;
use crate::ui::input::Input;
use crate::ui::renewal::NewIds;
use crate::ui::screens::{Position, Screen, Target};

/// Places that are remembered at most.
const MOST: usize = 100;

/// Where one was.
#[derive(Clone, Debug)]
pub(super) struct Jump {
    screen: Screen,
    /// The screens that Esc went back to.
    back: Vec<Screen>,
    cell: usize,
    task: Option<TaskId>,
    all_cells: bool,
    position: Position,
}

impl Jump {
    /// Leads to the same in another reading of the store; false where that is gone.
    pub(super) fn renew(&mut self, ids: &NewIds<'_>) -> bool {
        match &mut self.position {
            Position::Compare(position) => position.renew(self.task, ids),
            Position::Triage((pair, position)) => {
                position.renew(self.task, ids);
                *pair = pair.and_then(|pair| ids.pair(pair));
            }
            Position::Tree(position) => position.renew(ids),
            _ => {}
        }
        self.task = self.task.and_then(|id| ids.task(id));
        let cell = ids.cell(self.cell);
        self.cell = cell.unwrap_or(0);
        cell.is_some()
    }
}

impl App {
    fn here(&self) -> Jump {
        Jump {
            screen: self.screen,
            back: self.back.clone(),
            cell: self.shared.cell,
            task: self.shared.task,
            all_cells: self.shared.tasks.all_cells,
            position: self.screens.position(self.screen),
        }
    }

    /// Handles an event, and remembers where one was if it leads away from there. What is typed into a
    /// search moves with every letter: then it counts from where the search was begun.
    pub(super) fn remember(&mut self, input: &Input, handle: impl FnOnce(&mut Self)) {
        let is_step = self.overlays.is_empty() && self.is_step(input);
        let (left, jumps) = (self.left.take(), self.jumps.len());
        // A text that is read lies over the runs, as a popup does.
        let over = !self.overlays.is_empty() || self.screen == Screen::Read;
        let before = left.filter(|_| over).unwrap_or_else(|| self.here());
        handle(self);
        if !self.overlays.is_empty() || self.screen == Screen::Read {
            self.left = Some(before);
        } else if self.jumps.len() == jumps && self.leads_away(&before, is_step) {
            if self.jumps.len() == MOST {
                self.jumps.remove(0);
            }
            self.jumps.push(before);
        }
    }

    /// Whether an event moves by a step, which is easily taken back.
    fn is_step(&self, input: &Input) -> bool {
        let Input::Key(key) = input else { return true };
        let action = self.shared.keymap.action(*key, self.screen);
        matches!(
            action,
            Some(
                Action::Up
                    | Action::Down
                    | Action::Left
                    | Action::Right
                    | Action::HalfPageDown
                    | Action::HalfPageUp
                    | Action::Mark
            )
        )
    }

    fn leads_away(&self, before: &Jump, is_step: bool) -> bool {
        let task_differs = before.cell != self.shared.cell
            || before.task.is_some() && before.task != self.shared.task
            || before.all_cells != self.shared.tasks.all_cells;
        before.screen != self.screen || !is_step && task_differs
    }

    /// Goes back to where one was.
    pub(super) fn jump_back(&mut self) {
        let Some(jump) = self.jumps.pop() else {
            return self.shared.say("there is nowhere to jump back to");
        };
        (self.screen, self.back, self.listed) = (jump.screen, jump.back, None);
        self.shared.tasks.all_cells = jump.all_cells;
        (self.shared.cell, self.shared.task) = (jump.cell, jump.task);
        self.screens.arrive(self.screen, &Target::Screen(self.screen), &mut self.shared);
        self.screens.resume(&jump.position, &mut self.shared);
    }
}
