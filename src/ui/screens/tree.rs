//! All draws of the selected task at once, as a tree of their actions.

mod draw;
mod legend;
mod query;

use std::collections::BTreeSet;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, Screen, ScreenState, Target};
use crate::compare::{DrawTree, TreeLine};
use crate::engine::TaskId;
use crate::report::OutputFormat;
use crate::report::show::{ShowOptions, ShownTree};
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;
use crate::ui::selection::Rows;
use crate::ui::shared::{FileContent, ScreenFigure, Shared};
pub use draw::Layout;
use query::TreeQuery;

/// Why there is no tree to see.
const HIDDEN: &str = "It would tell how the draws ended, which is hidden until you have voted.";

/// Lines that one step of the wheel moves.
const WHEEL: usize = 3;

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Tree {
    /// The selected line.
    pub selected: usize,
    /// The branches whose actions stand one by one.
    pub unfolded: BTreeSet<usize>,
    /// The branch that another is opened beside.
    pub marked: Option<usize>,
    /// The task that all of this is about.
    task: Option<TaskId>,
    answer: Slot<TreeQuery>,
    layout: Layout,
}

/// The settings of the tree.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct TreeView {
    /// The branches of the tree whose actions stand one by one, such as 1,3; they are counted from 1
    #[arg(long, value_parser = unfolded)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfolded: Option<String>,
}

/// Checks the branches that a flag names.
fn unfolded(text: &str) -> Result<String, String> {
    branches(text).map(|_| text.to_owned())
}

/// The branches that a text names, from 0.
fn branches(text: &str) -> Result<BTreeSet<usize>, String> {
    let branch = |part: &str| {
        let number = part.trim().parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        number.ok_or_else(|| format!("`{part}` is no branch; give numbers from 1, such as 1,3"))
    };
    text.split(',').map(branch).collect()
}

/// Where one is in the tree of a task.
#[derive(Clone, Debug)]
pub struct Position {
    task: Option<TaskId>,
    selected: usize,
    unfolded: BTreeSet<usize>,
    marked: Option<usize>,
}

/// A line of the tree.
#[derive(Clone, Debug)]
pub struct Spot(usize);

impl Position {
    pub(in crate::ui) fn renew(&mut self, ids: &NewIds<'_>) {
        self.task = self.task.and_then(|id| ids.task(id));
    }
}

impl Tree {
    /// The tree of the selected task, once it is read; an error says why it cannot be.
    pub fn tree(&self, shared: &Shared) -> Option<Result<&Arc<DrawTree>, &str>> {
        if shared.task.is_some_and(|id| shared.hides_outcomes(id)) {
            return Some(Err(HIDDEN));
        }
        let answer = self.answer.answer_to(&TreeQuery::of(shared.task?, shared)?)?;
        Some(answer.as_ref().as_ref().map_err(String::as_str))
    }

    fn ready(&self, shared: &Shared) -> Option<Arc<DrawTree>> {
        self.tree(shared)?.ok().cloned()
    }

    /// The lines of a tree, as far as they are unfolded.
    pub fn lines(&self, tree: &DrawTree) -> Vec<TreeLine> {
        tree.lines(|branch| self.unfolded.contains(&branch))
    }

    /// Does what a key asks for with the tree.
    fn update_tree(&mut self, action: &Action, tree: &DrawTree, shared: &mut Shared) -> Go {
        let lines = self.lines(tree);
        let Some(line) = lines.get(self.selected).or(lines.last()).cloned() else {
            return Go::Pass;
        };
        match action {
            Action::Drill => return self.compare(tree, &line, shared),
            Action::Fold if tree.branches[line.branch].actions.len() > 1 => {
                if !self.unfolded.remove(&line.branch) {
                    self.unfolded.insert(line.branch);
                }
                self.select_branch(tree, line.branch);
            }
            Action::Fold => shared.say("this branch is one action: there is nothing to unfold"),
            Action::FoldAll => {
                let long = |branch: &usize| tree.branches[*branch].actions.len() > 1;
                let all: BTreeSet<usize> = (0..tree.branches.len()).filter(long).collect();
                self.unfolded = if self.unfolded == all { BTreeSet::new() } else { all };
                self.select_branch(tree, line.branch);
            }
            Action::Mark => {
                let again = self.marked == Some(line.branch);
                self.marked = (!again).then_some(line.branch);
            }
            Action::NextDivergence => {
                let forks = |index: &usize| {
                    let line = &lines[*index];
                    line.action.is_none() && !tree.branches[line.branch].children.is_empty()
                };
                let after = (self.selected + 1..lines.len()).chain(0..=self.selected);
                match after.into_iter().find(forks) {
                    Some(index) => self.selected = index,
                    None => shared.say("all draws do the same: there is no fork"),
                }
            }
            other => {
                let rows = Rows { count: lines.len(), page: self.layout.page };
                let Some(index) = rows.step(other, self.selected) else { return Go::Pass };
                self.selected = index;
            }
        }
        Go::Stay
    }

    fn select_branch(&mut self, tree: &DrawTree, branch: usize) {
        let lines = self.lines(tree);
        let line = lines.iter().position(|line| line.branch == branch && line.action.is_none());
        self.selected = line.unwrap_or(0);
    }

    /// Opens two runs where they diverge, or at the selected action.
    fn compare(&self, tree: &DrawTree, line: &TreeLine, shared: &mut Shared) -> Go {
        let Some(id) = shared.task else { return Go::Stay };
        match tree.pair(line.branch, self.marked) {
            Some(pair) => {
                let action = line.action.unwrap_or(pair.action);
                Go::Open(Target::Fork(id, pair.draws, action))
            }
            // All draws take this branch: the usual two are compared.
            None => Go::Open(Target::Task(id, None)),
        }
    }

    /// The tree as text.
    fn written(&self, format: OutputFormat, shared: &Shared) -> Option<String> {
        let (tree, id) = (self.ready(shared)?, shared.task?);
        let (cell, task) = (shared.cell_of(id)?, &shared.task_of(id)?.id);
        let full = !self.unfolded.is_empty();
        Some(ShownTree { cell, task, tree: &tree }.render(ShowOptions { format, full }))
    }
}

impl ScreenState for Tree {
    type View = TreeView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = Position;

    const ABOUT: &'static str = "Tree: all draws of the selected task at once";
    const NEEDS: Needs = Needs::Task;
    const ENDING: &'static str = "md";
    const LEGEND: Legend = legend::LEGEND;

    fn arrive(&mut self, _target: &Target, _shared: &mut Shared) {}

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::AllDraws => return Go::Open(Target::Screen(Screen::Compare)),
            Action::NextTask => shared.step_task(true),
            Action::PreviousTask => shared.step_task(false),
            other => {
                return match self.ready(shared) {
                    Some(tree) => self.update_tree(other, &tree, shared),
                    None => Go::Pass,
                };
            }
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, shared: &mut Shared) -> Go {
        let step = if down { Action::Down } else { Action::Up };
        (0..WHEEL).for_each(|_| drop(self.update(&step, shared)));
        Go::Stay
    }

    fn search(&mut self, _words: &str, _done: bool, _shared: &mut Shared) {}

    fn adjust(&mut self, shared: &mut Shared) {
        if self.task != shared.task {
            let (answer, layout) = (std::mem::take(&mut self.answer), self.layout);
            *self = Self { task: shared.task, answer, layout, ..Self::default() };
        }
    }

    fn refresh(&mut self, shared: &mut Shared) {
        shared.refresh_tasks();
        self.answer.poll();
        if let Some(question) = shared.task.and_then(|id| TreeQuery::of(id, shared)) {
            self.answer.want(question, &mut shared.effects);
        }
    }

    fn renew(&mut self, ids: &NewIds<'_>) {
        self.task = self.task.and_then(|id| ids.task(id));
        self.answer = Slot::default();
    }

    fn is_waiting(&self, shared: &Shared) -> bool {
        shared.tasks.is_waiting() || self.answer.is_waiting()
    }

    fn is_stale(&self, _shared: &Shared) -> bool {
        // An older tree is not drawn.
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
        self.layout = layout;
    }

    fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
        let again = self.selected == spot.0;
        self.selected = spot.0;
        if again && !dragged { self.update(&Action::Drill, shared) } else { Go::Stay }
    }

    fn position(&self) -> Position {
        let Self { task, selected, marked, .. } = *self;
        Position { task, selected, unfolded: self.unfolded.clone(), marked }
    }

    fn resume(&mut self, position: &Position, _: &mut Shared) {
        let Position { task, selected, marked, .. } = *position;
        (self.task, self.selected, self.marked) = (task, selected, marked);
        self.unfolded.clone_from(&position.unfolded);
    }

    fn heading(&self, shared: &Shared) -> Heading {
        Heading { plain: true, ..Heading::of_task(shared) }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        self.written(OutputFormat::Text, shared)
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        if !matches!(format, OutputFormat::Markdown | OutputFormat::Json) {
            return Err("the tree is written as .md or .json, or as a picture".to_owned());
        }
        if let Some(Err(why)) = self.tree(shared) {
            return Err(why.to_owned());
        }
        let written = self.written(format, shared).map(FileContent::Text);
        written.ok_or_else(|| "the draws are still being read".to_owned())
    }

    fn figure(&self, _: &Shared) -> Option<ScreenFigure> {
        None
    }

    fn view(&self, open: bool, _shared: &Shared) -> TreeView {
        let numbers: Vec<String> = self.unfolded.iter().map(|one| (one + 1).to_string()).collect();
        TreeView { unfolded: (open && !numbers.is_empty()).then(|| numbers.join(",")) }
    }

    fn restore(&mut self, _view: &TreeView, _shared: &mut Shared) {}

    fn resolve(&mut self, view: &TreeView, shared: &mut Shared) -> Vec<String> {
        // Branches are those of the task that the view names.
        if let Some(branches) = view.unfolded.as_deref().and_then(|text| branches(text).ok()) {
            (self.task, self.unfolded) = (shared.task, branches);
        }
        Vec::new()
    }
}
