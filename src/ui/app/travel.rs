//! Goes from screen to screen, and back.

use super::App;
use crate::engine::TaskId;
use crate::ui::overlays::Overlay;
use crate::ui::screens::{Go, Needs, Screen, Target};

impl App {
    /// Carries out what a screen wants.
    pub(super) fn go(&mut self, go: Go) {
        match go {
            Go::Pass | Go::Stay => {}
            Go::Open(target) => self.open(&target),
            Go::Back(target) => self.go_back(target.as_ref()),
            Go::Show(Overlay::Prompt(prompt)) => self.ask(*prompt),
            Go::Show(overlay) => self.overlays.push(overlay),
        }
    }

    /// Opens a screen, from which Esc goes back.
    pub(super) fn open(&mut self, target: &Target) {
        let Some(screen) = target.screen() else { return };
        if matches!(target, Target::Screen(_)) && screen == self.screen {
            return self.shared.say(format!("this is {}", screen.title()));
        }
        if screen != self.screen {
            self.listed = self.listed.take().filter(|(from, _)| *from != screen);
            // Switching between two screens does not make the way back longer.
            self.back.retain(|earlier| *earlier != screen);
            self.back.push(self.screen);
        }
        self.enter(screen, target);
    }

    fn enter(&mut self, screen: Screen, target: &Target) {
        self.screen = screen;
        let triage = Screen::Triage;
        self.shared.is_voting = screen == triage || self.back.contains(&triage);
        self.screens.arrive(screen, target, &mut self.shared);
    }

    /// Marks tasks as known whose pair was left without a vote, once the open screen shows how they ended.
    pub(super) fn disclose(&mut self) {
        let of_tasks =
            [Screen::Tasks, Screen::Aggregators, Screen::Curves, Screen::Stuck, Screen::Versus];
        let of_runs = [Screen::Compare, Screen::Tree, Screen::Read];
        if of_tasks.contains(&self.screen) {
            let heading = self.screens.heading(self.screen, &self.shared);
            let all = heading.cell.is_none() && heading.cells.is_empty();
            let cells: Vec<usize> = heading.cell.into_iter().chain(heading.cells).collect();
            self.shared.disclose(|id| all || cells.contains(&(id.cell as usize)));
        } else if of_runs.contains(&self.screen) {
            let runs = self.screens.compare.panel.keys.iter().map(|key| key.id);
            let shown: Vec<TaskId> = runs.chain(self.shared.task).collect();
            self.shared.disclose(|id| shown.contains(&id));
        }
    }

    /// Goes back one step, and opens the list again that one came from.
    pub(super) fn go_back(&mut self, target: Option<&Target>) {
        // A screen that was opened by a view goes back to the one it belongs to.
        let tab = Some(self.screen.tab()).filter(|tab| *tab != self.screen);
        let Some(screen) = self.back.pop().or(tab) else {
            let quit = self.shared.keymap.key_of("quit").unwrap_or(":").to_owned();
            return self.shared.say(format!("there is no step back from here; {quit} quits"));
        };
        self.enter(screen, target.unwrap_or(&Target::Screen(screen)));
        if let Some((_, list)) = self.listed.take_if(|(from, _)| *from == screen) {
            self.overlays.push(Overlay::Picker(list));
        }
    }

    /// Selects a cell. Without a task, screens of one task are left.
    pub(super) fn select_cell(&mut self, cell: usize) {
        self.shared.select_cell(cell);
        while self.shared.task.is_none()
            && self.screen.needs() == Needs::Task
            && !self.back.is_empty()
        {
            self.go_back(None);
        }
    }
}
