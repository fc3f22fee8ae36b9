//! Runs of a task side by side.

mod draw;
mod view;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, Screen, ScreenState, Target};
use crate::engine::TaskId;
use crate::report::OutputFormat;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::panel::{self, PaneSpec, Panel, PanelPosition, Spot};
use crate::ui::renewal::NewIds;
use crate::ui::shared::{FileContent, ScreenFigure, Shared};
pub use draw::Layout;
pub use view::{CompareView, Switch};

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Compare {
    /// The runs.
    pub panel: Panel,
    /// Whether the side pane is shown; by the room there is until it was asked for.
    pub side: Option<bool>,
    /// The neighbours of the task are the marked ones.
    pub through_marks: bool,
    /// The side pane was there when the screen was drawn last.
    side_drawn: bool,
}

impl Compare {
    /// Shows a task wherever it is: its reference beside a draw, or beside the usual one.
    fn open_task(&mut self, id: TaskId, draw: Option<u32>, shared: &mut Shared) {
        if shared.task_of(id).is_none() {
            return;
        }
        // A task from elsewhere is one of its cell; the selected one stays in the list it is in.
        if draw.is_some() || shared.task != Some(id) {
            shared.tasks.all_cells = false;
        }
        (shared.cell, shared.task) = (id.cell as usize, Some(id));
        self.panel.leave_position();
        self.panel.search.clear();
        self.panel.choose_panes(shared);
        self.show_draw(draw, shared);
    }

    /// Shows a draw beside that of the selected row, where one is named, instead of the usual one.
    fn show_draw(&mut self, draw: Option<u32>, shared: &Shared) {
        let first = shared.task.and_then(|id| shared.task_of(id)).map(|task| task.draw);
        if let (Some(first), Some(draw)) = (first, draw) {
            self.panel.specs = [first, draw].map(PaneSpec::draw).to_vec();
        }
    }

    /// Shows the runs of the selected task, without outcomes where they are held back.
    fn follow_task(&mut self, shared: &mut Shared) {
        self.panel.blind = shared.task.is_some_and(|id| shared.hides_outcomes(id));
        self.panel.follow_task(shared);
    }

    /// The next task of the list, or the one before.
    fn step_task(&mut self, forwards: bool, shared: &mut Shared) {
        match Self::next_marked(forwards, shared).filter(|_| self.through_marks) {
            Some(index) if index == shared.tasks.index => {
                shared.say("there is no further marked task in this direction");
            }
            Some(index) => shared.select_task(index),
            None => shared.step_task(forwards),
        }
        self.follow_task(shared);
    }
}

impl Compare {
    /// The row of the next marked task, or of the one before; at an end the row of the task itself.
    fn next_marked(forwards: bool, shared: &Shared) -> Option<usize> {
        let (rows, index) = (&shared.current_table()?.rows, shared.tasks.index);
        let is_marked = |row: &usize| shared.tasks.marks.contains(&rows[*row]);
        let next = if forwards {
            (index + 1..rows.len()).find(is_marked)
        } else {
            (0..index.min(rows.len())).rfind(is_marked)
        };
        Some(next.unwrap_or(index))
    }

    /// Which of the marked tasks is open, and how many there are.
    fn among_marked(&self, shared: &Shared) -> Option<(usize, usize)> {
        let marked = shared.tasks.marked();
        let index = marked.iter().position(|id| Some(*id) == shared.task)?;
        self.through_marks.then_some((index + 1, marked.len()))
    }
}

impl ScreenState for Compare {
    type View = CompareView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = PanelPosition;

    const ABOUT: &'static str = "Compare: runs of the selected task side by side";
    const NEEDS: Needs = Needs::Task;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = panel::LEGEND;

    fn arrive(&mut self, target: &Target, shared: &mut Shared) {
        self.panel.forget_scrolls();
        let is_task = matches!(
            target,
            Target::Task(..)
                | Target::Found(..)
                | Target::Runs(..)
                | Target::Turn(..)
                | Target::Marked(_)
        );
        if is_task {
            self.through_marks = matches!(target, Target::Marked(_));
        }
        match target {
            Target::Found(id, draw, _) => {
                self.open_task(*id, None, shared);
                self.show_draw(*draw, shared);
            }
            Target::Fork(id, draws, _) => {
                self.open_task(*id, None, shared);
                self.panel.specs = draws.map(PaneSpec::draw).to_vec();
                // These draws stay, whichever is that of the row.
                self.panel.stay_on(shared);
            }
            Target::Runs(id, runs) => {
                self.open_task(*id, None, shared);
                self.panel.specs = runs.map(|run| PaneSpec::of(run, shared)).to_vec();
                self.panel.stay_on(shared);
            }
            Target::Task(id, draw) => self.open_task(*id, *draw, shared),
            Target::Marked(id) | Target::Turn(id, _) => self.open_task(*id, None, shared),
            Target::Screen(_) => self.panel.keep_position(shared),
            _ => {}
        }
        self.follow_task(shared);
        match target {
            Target::Pane(pane) => self.panel.return_to(*pane, shared),
            Target::Found(_, _, words) => self.panel.carry_search(words, shared),
            Target::Fork(_, _, action) => {
                self.panel.focus_pane(1, shared);
                self.panel.seek_action(*action, shared);
            }
            Target::Turn(_, turn) => {
                self.panel.focus_pane(0, shared);
                self.panel.seek_turn(*turn as usize, shared);
            }
            _ => {}
        }
    }

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::NextTask => self.step_task(true, shared),
            Action::PreviousTask => self.step_task(false, shared),
            Action::AllDraws => return Go::Open(Target::Screen(Screen::Tree)),
            Action::Side => self.side = Some(!self.side.unwrap_or(self.side_drawn)),
            other => return self.panel.update(other, shared),
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, _shared: &mut Shared) -> Go {
        self.panel.wheel(down)
    }

    fn search(&mut self, words: &str, _done: bool, shared: &mut Shared) {
        self.panel.search_for(words, shared);
    }

    fn adjust(&mut self, shared: &mut Shared) {
        self.follow_task(shared);
    }

    fn refresh(&mut self, shared: &mut Shared) {
        // The list says which task comes next; it may drop the selected one.
        shared.refresh_tasks();
        self.follow_task(shared);
        shared.want_runs(&self.panel.keys);
        self.panel.want_answers(shared);
        self.panel.settle_position(shared);
    }

    fn renew(&mut self, ids: &NewIds<'_>) {
        self.panel.renew(ids);
    }

    fn is_waiting(&self, shared: &Shared) -> bool {
        shared.tasks.is_waiting() || self.panel.awaits_answers()
    }

    fn is_stale(&self, _shared: &Shared) -> bool {
        false
    }

    fn draw(
        &self,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> Layout {
        draw::draw(self, shared, buffer, area, hits)
    }

    fn drawn(&mut self, layout: Layout) {
        self.side_drawn = layout.side;
        self.panel.drawn(layout.panel);
    }

    fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
        self.panel.click(spot, dragged, shared)
    }

    fn position(&self) -> PanelPosition {
        self.panel.position()
    }

    fn resume(&mut self, position: &PanelPosition, shared: &mut Shared) {
        self.panel.resume(position, shared);
    }

    fn heading(&self, shared: &Shared) -> Heading {
        let through_marks = self.among_marked(shared);
        Heading { through_marks, ..Heading::of_task(shared) }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        self.panel.copied(shared)
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        self.panel.export(format, shared)
    }

    fn figure(&self, _: &Shared) -> Option<ScreenFigure> {
        None
    }

    fn view(&self, open: bool, shared: &Shared) -> CompareView {
        view::view(self, open, shared)
    }

    fn restore(&mut self, view: &CompareView, shared: &mut Shared) {
        view::restore(self, view, shared);
    }

    fn resolve(&mut self, view: &CompareView, shared: &mut Shared) -> Vec<String> {
        view::find_draws(&mut self.panel, view, shared)
    }
}
