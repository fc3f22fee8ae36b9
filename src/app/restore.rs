//! From a view to the state and back.

use super::action::Screen;
use super::grid::Show;
use super::jobs::RunKey;
use super::view::scorer;
use super::{App, Detail, Lens, PaneSpec, ScopeKind, View};
use crate::compare::{Measure, Wanted};
use crate::engine::{StuckTreatment, TaskId};
use crate::filter::Filter;
use crate::metrics::Metric;
use crate::model::Cell;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::{Family, Scorer};
use crate::text::visible;

/// A scorer's name in flags.
fn flag_name(scorer: &Scorer) -> String {
    match scorer.aggregator() {
        Some(rule) => format!("{}.{}", scorer.id(), rule.id()),
        None => scorer.id().to_owned(),
    }
}

impl App {
    /// What is being looked at now.
    pub fn view(&self) -> View {
        // Before the store is read, what was asked for is not found yet.
        if let (None, Some(wanted)) = (self.data.engine(), &self.wanted) {
            return wanted.clone();
        }
        let cell = self.columns.get(self.cell);
        let alike = |own: &&Cell| {
            cell.is_some_and(|cell| own.dataset == cell.dataset && own.model == cell.model)
        };
        let plain = self.columns.iter().filter(alike).count() == 1
            && cell.is_some_and(|own| own.condition == Cell::DEFAULT_CONDITION);
        let task = self.task.filter(|id| id.cell as usize == self.cell);
        let compare = matches!(self.screen, Screen::Compare | Screen::Read);
        let screen = match self.screen {
            Screen::Read => Screen::Compare,
            Screen::Triage => Screen::Judges,
            other => other,
        };
        let descending = if self.tasks.descending { "-" } else { "" };
        let sort = format!("{descending}{}", self.tasks.sort.name());
        let compared = self.compared_scorer().aggregator().map(Aggregator::id);
        View {
            screen: Some(screen.id().to_owned()),
            dataset: cell.map(|own| own.dataset.clone()),
            model: cell.map(|own| own.model.clone()),
            condition: cell.map(|own| own.condition.clone()).filter(|_| !plain),
            task: task.and_then(|id| Some(self.task_of(id)?.id.clone())),
            draws: compare.then(|| self.draw_names()).filter(|own| !own.is_empty()),
            pane: Some(self.compare.focus + 1).filter(|own| compare && *own > 1),
            turn: compare.then_some(self.compare.turn + 1),
            scorer: Some(self.lens.scorer.id().to_owned()),
            aggregator: self.lens.scorer.aggregator().map(Aggregator::id),
            metric: Some(self.lens.metric.id().to_owned()),
            filter: (!self.lens.filter.is_empty()).then(|| self.lens.filter.clone()),
            show: (self.grid.show != Show::Value).then(|| self.grid.show.id().to_owned()),
            pin: self.grid.pinned.as_ref().map(flag_name),
            sort: (sort != "-score").then_some(sort),
            columns: self.tasks.extra.iter().map(flag_name).collect(),
            all_cells: self.tasks.all_cells,
            order_rows: self.grid.sort_rows,
            order_columns: self.grid.sort_columns.as_ref().map(flag_name),
            fold: self.grid.folded.iter().map(|own| own.id().to_owned()).collect(),
            compare_with: compared.filter(|own| own != "mean"),
            before: self.tasks.before.as_ref().map(flag_name),
            judge: self.lens.judge.as_ref().map(ToString::to_string),
            stuck: (self.lens.stuck != StuckTreatment::Counted)
                .then(|| self.lens.stuck.id().to_owned()),
            scope: (self.stuck.scope != ScopeKind::All).then(|| self.stuck.scope.id().to_owned()),
            search: (!self.tasks.search.is_empty()).then(|| self.tasks.search.clone()),
            detail: (self.compare.detail != Detail::Short)
                .then(|| self.compare.detail.id().to_owned()),
            tokens: self.compare.heat.map(|own| own.id().to_owned()),
            words: self.compare.words,
            unlocked: !self.compare.free.is_empty(),
            side: self.compare.side.map(|own| if own { "on" } else { "off" }.to_owned()),
        }
    }

    /// Takes up a view; what it says of tasks and scores waits until the store is read.
    pub(super) fn apply_view(&mut self, view: View) {
        if let Some(screen) = view.screen.as_deref().and_then(Screen::parse) {
            self.screen = screen;
        }
        if let Some(cell) = view.cell(&self.columns) {
            self.cell = cell;
        }
        let rule = view.aggregator.as_deref().and_then(Aggregator::parse);
        if let Some(own) =
            view.scorer.as_deref().and_then(|id| scorer(id, view.aggregator.as_deref()))
        {
            self.lens.scorer = own;
        } else if let (Some(base), Some(rule)) = (self.lens.scorer.base(), rule) {
            self.lens.scorer = Scorer::WhiteBox(base, rule);
        }
        if let Some(metric) = view.metric.as_deref().and_then(Metric::parse) {
            self.lens.metric = metric;
        }
        if let Some(show) = view.show.as_deref().and_then(Show::parse) {
            self.grid.show = show;
        }
        self.tasks.all_cells = view.all_cells;
        self.grid.sort_rows = view.order_rows;
        self.grid.folded = Family::ALL
            .into_iter()
            .filter(|own| view.fold.iter().any(|id| id == own.id()))
            .collect();
        if let Some(rule) = view.compare_with.as_deref().and_then(Aggregator::parse) {
            self.aggregators.compared = rule;
            self.lens.remember_rule(rule);
        }
        self.lens.remember();
        if let Some(scope) = view.scope.as_deref().and_then(ScopeKind::parse) {
            self.stuck.scope = scope;
        }
        if let Some(stuck) = view.stuck.as_deref().and_then(StuckTreatment::parse) {
            self.lens.stuck = stuck;
        }
        self.tasks.search = view.search.clone().unwrap_or_default();
        self.compare.detail = view.detail.as_deref().and_then(Detail::parse).unwrap_or_default();
        let measure = |id: &str| Measure::ALL.into_iter().find(|own| own.id() == id);
        self.compare.heat = view.tokens.as_deref().and_then(measure);
        self.compare.words = view.words;
        self.compare.side = view.side.as_deref().map(|own| own == "on");
        self.compare.focus = view.pane.unwrap_or(1).saturating_sub(1);
        self.compare.turn = view.turn.unwrap_or(1).saturating_sub(1);
        self.lens.filter = view.filter.clone().unwrap_or_default();
        self.wanted = Some(view);
    }

    /// The runs side by side, as flags name them.
    fn draw_names(&self) -> String {
        let name = |key: &RunKey| match self.spec_of(*key).cell {
            None => key.draw.to_string(),
            Some(cell) => {
                let cell = &self.columns[cell as usize];
                format!("{}@{}/{}", key.draw, cell.model, cell.condition)
            }
        };
        self.compare.keys.iter().map(name).collect::<Vec<_>>().join(",")
    }

    /// The runs that a view names, or what is wrong with them.
    fn find_draws(&mut self, view: &View) -> Vec<String> {
        let focus = self.compare.focus;
        let named = view.draws.as_deref().and_then(|own| Wanted::list(own).ok());
        let Some(id) = self.task else {
            // The task is the first of the table, which is not there yet: any has draws.
            let own = named.unwrap_or_default().into_iter().filter(|own| own.cell.is_none());
            self.compare.specs = own.map(|own| PaneSpec { cell: None, draw: own.draw }).collect();
            return Vec::new();
        };
        let (mut specs, mut problems) = (Vec::new(), Vec::new());
        for Wanted { draw, cell } in named.unwrap_or_default() {
            let there = cell.as_deref().map_or(Some(id), |name| self.cell_named(id, name));
            let task = there.and_then(|id| self.task_of(id));
            match (there, task.and_then(|own| own.row_of(draw))) {
                (Some(id), Some(_)) => specs.push(self.spec_of(RunKey { id, draw })),
                (Some(_), None) => problems.push(format!("--draws: the task has no draw {draw}")),
                (None, _) => {
                    let cell = cell.unwrap_or_default();
                    problems.push(format!(
                        "--draws: `@{cell}` names no cell with this task, or several"
                    ));
                }
            }
        }
        self.compare.specs = specs;
        self.settle_panes();
        self.compare.focus = focus.min(self.compare.keys.len().saturating_sub(1));
        if view.unlocked {
            self.compare.free = vec![super::Cursor::default(); self.compare.keys.len()];
        }
        problems
    }

    /// The same task in the cell of that name.
    fn cell_named(&self, id: TaskId, name: &str) -> Option<TaskId> {
        let own = &self.columns[id.cell as usize];
        let alike = |cell: &u32| *cell == id.cell || self.same_task(id, *cell).is_some();
        let places: Vec<u32> = (0..self.columns.len() as u32).filter(alike).collect();
        let cells: Vec<&Cell> = places.iter().map(|place| &self.columns[*place as usize]).collect();
        // A name that fits several cells names none.
        let [place] = Wanted::cells(name, own, &cells)[..] else { return None };
        let cell = places[place];
        if cell == id.cell { Some(id) } else { self.same_task(id, cell) }
    }

    /// The store is read: what the view names is looked up. What is not there is said.
    pub(super) fn find_wanted(&mut self) {
        let Some(engine) = self.data.engine().cloned() else { return };
        let view = self.wanted.take().unwrap_or_default();
        let mut problems = Vec::new();
        let mut find = |flag: &str, id: &str| {
            let found = scorer(id, None).filter(|own| engine.has_values(own));
            if found.is_none() {
                problems.push(format!("--{flag}: no values of `{id}` in this store"));
            }
            found
        };
        if !engine.has_values(&self.lens.scorer) {
            view.scorer.as_deref().and_then(|id| find("scorer", id));
            let usual = Lens::default().scorer;
            let first = engine.scorers().contains(&usual).then_some(usual);
            let first = first.or_else(|| engine.scorers().first().cloned());
            self.lens.scorer = first.unwrap_or_else(|| self.lens.scorer.clone());
        }
        self.grid.pinned = view.pin.as_deref().and_then(|id| find("pin", id));
        self.grid.sort_columns =
            view.order_columns.as_deref().and_then(|id| find("order-columns", id));
        self.tasks.before = view.before.as_deref().and_then(|id| find("before", id));
        self.tasks.shown = self.tasks.before.as_ref().map(|_| self.lens.scorer.clone());
        self.tasks.extra = view.columns.iter().filter_map(|id| find("columns", id)).collect();
        if let Some(sort) = &view.sort {
            let (name, descending) =
                sort.strip_prefix('-').map_or((sort.as_str(), false), |name| (name, true));
            match engine.columns().into_iter().find(|own| own.name() == name) {
                Some(column) => (self.tasks.sort, self.tasks.descending) = (column, descending),
                None => problems.push(format!("--sort: there is no column `{name}`")),
            }
        }
        if let Some(task) = &view.task {
            let frame = engine.frames().get(self.cell);
            let place = frame.and_then(|own| own.tasks.iter().position(|own| own.id == *task));
            match (place, frame) {
                (Some(place), _) => {
                    self.task = Some(TaskId { cell: self.cell as u32, task: place as u32 });
                }
                (None, Some(frame)) => {
                    problems.push(format!("--task: there is no task `{task}` in {}", frame.cell));
                }
                (None, None) => {}
            }
        }
        problems.extend(self.find_judge(&view));
        problems.extend(self.find_draws(&view));
        if let (false, Err(error)) =
            (self.lens.filter.is_empty(), Filter::parse(&self.lens.filter, &engine.fields()))
        {
            problems.push(format!("--filter: {}", error.message));
            // It is offered again, with what is wrong with it.
            self.edit_filter();
            self.lens.filter.clear();
        }
        if !problems.is_empty() {
            self.say(visible(&problems.join("; ")));
        }
        self.problems = problems;
    }
}
