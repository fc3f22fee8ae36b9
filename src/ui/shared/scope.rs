//! The scope, on which every number is computed, and the selection, which narrows lists and changes no
//! number.

mod query;
mod telling;

use std::sync::Arc;

use super::Shared;
use super::blind::BlindKey;
use crate::engine::{Column, Engine, Kept, Outcomes, TaskId};
use crate::filter::{Filter, FilterError};
use crate::scorers::Scorer;
use crate::text::visible;
use crate::ui::action::Preset;
use crate::ui::query::{Asked, Hint, Keyed};
use crate::ui::widgets::Memo;
use query::{Narrowing, ScopeQuery, SelectionQuery, TriedQuery};

/// What the tasks of an expression depend on: the expression and, if it speaks of the score, the scorer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilterKey {
    /// The expression; empty keeps all.
    pub source: String,
    /// The current scorer, where it matters, and the one that ranks moved against.
    pub scorer: Option<(Scorer, Option<Scorer>)>,
    /// How many notes there are, where that matters.
    pub notes: usize,
    /// Which engine: it changes with the judge, the treatment of stuck tasks and every vote.
    pub version: u64,
}

/// What the selected tasks depend on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectionKey {
    /// The scope that they are selected from.
    pub scope: FilterKey,
    /// The selection.
    pub selection: FilterKey,
}

/// The tasks in scope.
pub type KeptTasks = Keyed<FilterKey, Kept>;

/// The tasks in scope that are selected.
pub type SelectedTasks = Keyed<SelectionKey, Kept>;

/// What an expression narrows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Narrows {
    /// Lists, and no number.
    #[default]
    Selection,
    /// Every number.
    Scope,
}

impl Narrows {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Selection => Self::Scope,
            Self::Scope => Self::Selection,
        }
    }

    /// The word on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Selection => "selection",
            Self::Scope => "scope",
        }
    }
}

/// Which tasks are in scope, and which of them are selected.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The tasks in scope, once they are known.
    pub scope: Option<KeptTasks>,
    /// The selected ones, once they are known.
    pub selection: Option<SelectedTasks>,
    asked_scope: Asked<ScopeQuery>,
    asked_selection: Asked<SelectionQuery>,
    /// How many tasks an expression would keep that is being typed.
    tried: Asked<TriedQuery>,
    would_keep: Option<(Tried, usize)>,
    parsed_scope: Parsed,
    parsed_selection: Parsed,
    parsed_tried: Parsed,
}

/// An expression that is being typed, the tasks that it would be tried on, and what is held back of them.
type Tried = (FilterKey, FilterKey, Option<BlindKey>);

/// An expression as it was parsed last, for its text and the version of the engine.
type Parsed = Memo<(String, u64), Option<Arc<ParsedFilter>>>;

/// An expression, and what its tasks depend on because of it.
#[derive(Debug)]
struct ParsedFilter {
    filter: Filter,
    columns: Vec<Column>,
}

impl ParsedFilter {
    fn new(source: &str, engine: &Engine) -> Option<Self> {
        let columns = engine.columns();
        let filter = Filter::parse(source, &engine.fields()).ok()?;
        let columns = filter.columns().iter().map(|&index| columns[index].clone()).collect();
        Some(Self { filter, columns })
    }

    fn follows_scorer(&self) -> bool {
        self.columns.iter().any(Column::follows_scorer)
    }

    fn depends_on_outcomes(&self) -> bool {
        self.columns.iter().any(Column::depends_on_outcomes)
    }
}

impl Chosen {
    pub(super) fn is_waiting(&self) -> bool {
        self.asked_scope.is_waiting() || self.asked_selection.is_waiting()
    }

    /// Takes in which tasks are in scope and selected; says whether the scope is another one.
    pub(super) fn poll(&mut self) -> bool {
        let before = self.scope.as_ref().map(|scope| scope.key.source.clone());
        for kept in self.asked_scope.take() {
            let key = self.asked_scope.question().map(|question| question.0.key.clone());
            self.scope = key.map(|key| Keyed { key, value: Arc::new(kept) });
        }
        let is_other = self.scope.as_ref().map(|scope| &scope.key.source) != before.as_ref();
        for kept in self.asked_selection.take() {
            let key = self.asked_selection.question().map(|question| question.0.selection_key());
            self.selection = key.map(|key| Keyed { key, value: Arc::new(kept) });
        }
        for count in self.tried.take() {
            let key = self.tried.question().map(TriedQuery::tried_key);
            self.would_keep = key.map(|key| (key, count));
        }
        is_other
    }
}

impl Shared {
    /// Whether no task of the selected cell is in scope.
    pub fn is_scope_empty(&self) -> bool {
        let Some(frame) = self.engine().and_then(|engine| engine.frames().get(self.cell)) else {
            return true;
        };
        let scope = self.data.chosen.scope.as_ref().filter(|_| !self.lens.scope.is_empty());
        scope.map_or(frame.tasks.len(), |kept| kept.value.count(self.cell)) == 0
    }

    /// Why there is no task, where none is in scope.
    pub fn no_task_in_scope(&self) -> String {
        if self.lens.scope.is_empty() {
            return "There is no task here: `qualm import` adds results.".to_owned();
        }
        let lift = self.keymap.key_of("lift-scope").unwrap_or(":");
        format!("No task here fits the scope `{}`: {lift} lifts it.", visible(&self.lens.scope))
    }

    /// Goes to the first cell in scope, where the selected one is not.
    pub(super) fn enter_scope(&mut self) {
        // To be led to a cell would tell where tasks fit.
        let Some(scope) = &self.data.chosen.scope else { return };
        if self.is_voting && self.scope_tells() {
            return;
        }
        let is_inside = |cell: &usize| scope.value.count(*cell) > 0;
        if !is_inside(&self.cell)
            && let Some(cell) = (0..self.cells.len()).find(is_inside)
        {
            self.select_cell(cell);
        }
    }

    /// The tasks in scope, if they answer the scope as it is now.
    pub fn kept(&self) -> Option<&KeptTasks> {
        let key = self.key_of(&self.lens.scope, &self.data.chosen.parsed_scope)?;
        self.data.chosen.scope.as_ref().filter(|kept| kept.key == key)
    }

    /// The selected tasks, if they answer scope and selection as they are now.
    pub fn selected(&self) -> Option<&SelectedTasks> {
        let scope = self.kept()?.key.clone();
        let selection = self.key_of(&self.lens.selection, &self.data.chosen.parsed_selection)?;
        let key = SelectionKey { scope, selection };
        self.data.chosen.selection.as_ref().filter(|selected| selected.key == key)
    }

    /// A task of the engine over the tasks in scope, as an id among all.
    pub fn whole_id(&self, id: TaskId) -> TaskId {
        self.data.chosen.scope.as_ref().map_or(id, |kept| kept.value.whole_id(id))
    }

    /// Whether a key's tasks are those of the scope on screen. New votes may still be counted.
    pub fn is_of_scope(&self, key: &FilterKey) -> bool {
        self.lens.scope == key.source
    }

    /// Whether the scope depends on how runs were graded.
    pub fn scope_depends_on_outcomes(&self) -> bool {
        !self.lens.scope.is_empty()
            && self
                .parsed(&self.lens.scope, &self.data.chosen.parsed_scope)
                .is_some_and(|parsed| parsed.depends_on_outcomes())
    }

    /// Why no metric has a value, where the scope leaves one outcome only in each of these cells; no
    /// cells are all of them.
    pub fn one_outcome(&self, cells: &[usize]) -> Option<String> {
        // A calibration error is defined for one outcome, too.
        let metric = Some(self.lens.metric).filter(|metric| !metric.needs_probabilities())?;
        let metric = metric.id().to_uppercase();
        self.scope_leaves(cells, &format!("so no scorer has {metric} here"))
    }

    /// A sentence about a scope that leaves one outcome only in each of these cells: what follows, and
    /// the key that lifts it.
    pub fn scope_leaves(&self, cells: &[usize], what_follows: &str) -> Option<String> {
        let left = self.only_outcome(cells)?;
        let key = self.keymap.key_of("lift-scope").unwrap_or(":");
        Some(format!("The scope leaves {left}, {what_follows}: {key} lifts the scope."))
    }

    /// What the scope leaves, where it leaves one outcome only in each of these cells; no cells are all
    /// of them. Nothing is said of tasks that are held back.
    pub fn only_outcome(&self, cells: &[usize]) -> Option<&'static str> {
        if self.lens.scope.is_empty() {
            return None;
        }
        let kept = &self.kept()?.value;
        let outcomes = kept.outcomes();
        let is_meant = |cell: usize| cells.is_empty() || cells.contains(&cell);
        let mut meant = (0..outcomes.len()).filter(|cell| is_meant(*cell));
        let mut is_held_back = || meant.any(|cell| kept.ids(cell).any(|id| self.holds_back(id)));
        if self.is_voting && (self.scope_tells() || is_held_back()) {
            return None;
        }
        let meant = (0..).zip(outcomes).filter(|(cell, _)| is_meant(*cell));
        let cells: Vec<Outcomes> = meant.map(|(_, outcomes)| *outcomes).collect();
        let labelled = || cells.iter().filter(|cell| cell.successes + cell.failures > 0);
        let Some(any) = labelled().next() else { return Some("no graded task") };
        Some(match any.only() {
            _ if labelled().any(|cell| cell.only().is_none()) => return None,
            Some(first) if labelled().all(|cell| cell.only() == Some(first)) => {
                if first {
                    "only successes"
                } else {
                    "only failures"
                }
            }
            _ => "one outcome in every cell",
        })
    }

    /// What an expression keeps depends on; none when it means nothing.
    fn key_of(&self, source: &str, memo: &Parsed) -> Option<FilterKey> {
        if source.is_empty() {
            return Some(FilterKey { version: self.data.version, ..FilterKey::default() });
        }
        let parsed = self.parsed(source, memo)?;
        let scorer = || {
            let query = self.task_query();
            (query.scorer, query.before.filter(|_| parsed.columns.contains(&Column::Moved)))
        };
        Some(FilterKey {
            source: source.to_owned(),
            scorer: parsed.follows_scorer().then(scorer),
            notes: if parsed.columns.contains(&Column::Note) { self.notes.version() } else { 0 },
            version: self.data.version,
        })
    }

    /// An expression; none when it means nothing.
    fn parsed(&self, source: &str, memo: &Parsed) -> Option<Arc<ParsedFilter>> {
        let engine = self.engine()?;
        memo.get((source.to_owned(), self.data.version), || {
            ParsedFilter::new(source, engine).map(Arc::new)
        })
    }

    /// The question which of these tasks an expression keeps.
    fn narrowing(&self, within: KeptTasks, source: &str, memo: &Parsed) -> Option<Narrowing> {
        Some(Narrowing {
            key: self.key_of(source, memo)?,
            within,
            engine: Hint(self.engine()?.clone()),
            filter: Hint(self.parsed(source, memo)?.filter.clone()),
            query: Hint(self.task_query()),
            noted: Hint(self.notes.noted().clone()),
        })
    }

    /// All tasks.
    fn all_tasks(&self) -> Option<KeptTasks> {
        let key = FilterKey { version: self.data.version, ..FilterKey::default() };
        Some(Keyed { key, value: Arc::new(Kept::all(self.engine()?.clone())) })
    }

    /// Asks which tasks are in scope, and which of them are selected.
    pub(super) fn refresh_chosen(&mut self) {
        self.refresh_scope();
        self.refresh_selection();
    }

    fn refresh_scope(&mut self) {
        if self.kept().is_some() {
            self.data.chosen.asked_scope.forget();
            return;
        }
        let Some(all) = self.all_tasks() else { return };
        if self.lens.scope.is_empty() {
            self.data.chosen.asked_scope.forget();
            self.data.chosen.scope = Some(all);
            return;
        }
        let memo = &self.data.chosen.parsed_scope;
        if let Some(question) = self.narrowing(all, &self.lens.scope, memo) {
            self.data.chosen.asked_scope.want(ScopeQuery(question), &mut self.effects);
        }
    }

    fn refresh_selection(&mut self) {
        if self.selected().is_some() {
            self.data.chosen.asked_selection.forget();
            return;
        }
        let Some(scope) = self.kept().cloned() else { return };
        let memo = &self.data.chosen.parsed_selection;
        if self.lens.selection.is_empty() {
            let Some(selection) = self.key_of("", memo) else { return };
            let key = SelectionKey { scope: scope.key, selection };
            self.data.chosen.asked_selection.forget();
            self.data.chosen.selection = Some(Keyed { key, value: scope.value });
        } else if let Some(question) = self.narrowing(scope, &self.lens.selection, memo) {
            self.data.chosen.asked_selection.want(SelectionQuery(question), &mut self.effects);
        }
    }

    /// Asks how many tasks an expression would keep, and returns the number once it is known.
    pub(in crate::ui) fn would_keep(&mut self, source: &str, narrows: Narrows) -> Option<usize> {
        let within = match narrows {
            Narrows::Selection => self.kept().cloned()?,
            Narrows::Scope => self.all_tasks()?,
        };
        let blind = self.blind().filter(|_| self.counts_known_only(source, narrows));
        if source.is_empty() {
            let cells = 0..self.cells.len();
            return Some(match blind {
                Some(blind) => cells.map(|cell| blind.value.count_known(&within.value, cell)).sum(),
                None => within.value.total(),
            });
        }
        let narrowing = self.narrowing(within, source, &self.data.chosen.parsed_tried)?;
        let question = TriedQuery { narrowing, blind };
        let known = self.data.chosen.would_keep.as_ref();
        let count = known.filter(|(key, _)| *key == question.tried_key()).map(|(_, count)| *count);
        self.data.chosen.tried.want(question, &mut self.effects);
        count
    }

    /// The expression that lists or numbers are narrowed by; empty for none.
    pub fn narrowed_by(&self, narrows: Narrows) -> &str {
        match narrows {
            Narrows::Selection => &self.lens.selection,
            Narrows::Scope => &self.lens.scope,
        }
    }

    /// Narrows lists or numbers by an expression; one that means nothing is refused.
    pub fn narrow(&mut self, narrows: Narrows, source: &str) {
        let source = source.trim();
        if let Err(error) = self.check(source) {
            return self.say(error.message);
        }
        match narrows {
            Narrows::Selection => source.clone_into(&mut self.lens.selection),
            Narrows::Scope => source.clone_into(&mut self.lens.scope),
        }
    }

    /// Whether an expression means something; an empty one does.
    pub fn check(&self, source: &str) -> Result<(), FilterError> {
        match self.engine().filter(|_| !source.is_empty()) {
            Some(engine) => Filter::parse(source, &engine.fields()).map(drop),
            None => Ok(()),
        }
    }

    /// Adds a preset to the selection or, where it is part of it, takes it away.
    pub(in crate::ui) fn toggle_preset(&mut self, preset: Preset) {
        let selection = preset.toggled(&self.lens.selection);
        self.narrow(Narrows::Selection, &selection);
    }
}
