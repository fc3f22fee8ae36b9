//! From a view to the state and back.

use super::App;
use crate::engine::JudgeSpec;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::text::visible;
use crate::ui::shared::{Lens, Narrows};
use crate::ui::view::{LensView, View};

impl App {
    /// What is being looked at now.
    pub fn view(&self) -> View {
        // Before the store is read, what was asked for is not found yet.
        if let (None, Some(wanted)) = (self.shared.engine(), &self.wanted) {
            return wanted.clone();
        }
        let (lens, scorer) = (&self.shared.lens, self.shared.chosen_scorer());
        View {
            screen: Some(self.screen.reopened()),
            location: self.shared.location(),
            lens: LensView {
                scorer: Some(scorer.id().to_owned()),
                aggregator: scorer.aggregator().map(Aggregator::id),
                metric: Some(lens.metric),
                scope: Some(lens.scope.clone()).filter(|scope| !scope.is_empty()),
                selection: Some(lens.selection.clone()).filter(|text| !text.is_empty()),
                judge: lens.judge.as_ref().map(ToString::to_string),
                stuck: Some(lens.stuck).filter(|stuck| *stuck != Lens::default().stuck),
            },
            screens: self.screens.views(self.screen, &self.shared),
        }
    }

    /// Takes up a view; what it says of tasks and scores waits until the store is read.
    pub(super) fn restore(&mut self, view: View) {
        self.screen = view.screen.unwrap_or(self.screen);
        self.shared.cell = view.location.cell(&self.shared.cells).unwrap_or(self.shared.cell);
        let lens = &mut self.shared.lens;
        let rule = view.lens.aggregator.as_deref();
        let named = view.lens.scorer.as_deref().and_then(|id| Lens::parse_scorer(id, rule));
        self.named.scorer |= named.is_some() || rule.is_some();
        self.named.cell |= view.location.cell(&self.shared.cells).is_some();
        if let Some(scorer) = named {
            lens.scorer = scorer;
        } else if let (Some(base), Some(rule)) =
            (lens.scorer.base(), rule.and_then(Aggregator::parse))
        {
            lens.scorer = Scorer::WhiteBox(base, rule);
        }
        lens.metric = view.lens.metric.unwrap_or(lens.metric);
        lens.stuck = view.lens.stuck.unwrap_or(lens.stuck);
        let trimmed = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
        (lens.scope, lens.selection) = (trimmed(&view.lens.scope), trimmed(&view.lens.selection));
        self.screens.restore(&view.screens, &mut self.shared);
        self.shared.lens.remember();
        self.wanted = Some(view);
    }

    /// The store is read: what the view names is looked up. What is not there is said.
    pub(super) fn resolve(&mut self) {
        let Some(engine) = self.shared.engine().cloned() else { return };
        // What the view names may still come.
        if self.shared.watching.is_some() && engine.frames().is_empty() {
            return;
        }
        let before = self.shared.current_cell().cloned();
        self.shared.cells = engine.frames().iter().map(|frame| frame.cell.clone()).collect();
        let cell =
            before.and_then(|cell| self.shared.cells.iter().position(|known| *known == cell));
        self.shared.cell = cell.unwrap_or(0);
        let view = self.wanted.take().unwrap_or_default();
        let mut problems = Vec::new();
        let has_values = engine.has_values(&self.shared.lens.scorer);
        if let (false, Some(id)) = (has_values, &view.lens.scorer) {
            self.shared.find_scorer("scorer", id, &mut problems);
        }
        if !(self.named.scorer && has_values)
            && let Some((scorer, cell)) = engine.usual_view()
        {
            self.shared.lens.scorer = scorer;
            if !self.named.cell {
                self.shared.cell = cell;
            }
        }
        problems.extend(view.location.task.as_deref().and_then(|task| self.shared.find_task(task)));
        problems.extend(view.lens.judge.as_deref().and_then(|judge| self.find_judge(judge)));
        problems.extend(self.screens.resolve(&view.screens, &mut self.shared));
        problems.extend(self.check_narrowing(Narrows::Scope, "where"));
        problems.extend(self.check_narrowing(Narrows::Selection, "select"));
        self.shared.lens.remember();
        self.take_up_draft();
        if !problems.is_empty() {
            self.shared.say(visible(&problems.join("; ")));
        }
        self.problems = problems;
    }

    /// Lifts an expression that means nothing, and offers it again with what is wrong with it.
    fn check_narrowing(&mut self, narrows: Narrows, flag: &str) -> Option<String> {
        let error = self.shared.check(self.shared.narrowed_by(narrows)).err()?;
        self.edit_tasks(narrows);
        self.shared.narrow(narrows, "");
        Some(format!("--{flag}: {}", error.message))
    }

    /// Takes the judge that a view names; a problem when the store lacks it.
    fn find_judge(&mut self, name: &str) -> Option<String> {
        let wanted = JudgeSpec::parse(name);
        let engine = self.shared.engine()?;
        if engine.judge_specs().contains(&wanted)
            || engine.judges().iter().any(|judge| judge == wanted.name())
        {
            self.shared.lens.judge = Some(wanted);
            return None;
        }
        Some(format!("--judge: there is no judge `{}`", wanted.name()))
    }

    /// The command that reopens this view.
    pub(super) fn view_command(&self) -> String {
        // Whole, so that it works from any folder.
        let path = &self.shared.path;
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        self.view().command(&path.display().to_string())
    }

    /// Copies the command that reopens this view.
    pub(super) fn copy_command(&mut self) {
        let command = self.view_command();
        self.shared.copy(command);
    }
}
