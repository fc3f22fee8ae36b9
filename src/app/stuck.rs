//! Stuck policies: agreement by outcome, the tasks that repeat a failing plan, what they do to the
//! numbers.

use super::action::{Action, Screen};
use super::jobs::StuckView;
use super::picker::Choice;
use super::{App, Overlay, Picker};
use crate::engine::{PairId, PairOutcome, Scope, Solvability, TaskId};
use crate::text::grouped;
use crate::widgets::two;

/// Which cells are looked at together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScopeKind {
    /// All.
    #[default]
    All,
    /// Those of the selected cell's dataset.
    Dataset,
    /// Those of its model.
    Model,
    /// It alone.
    Cell,
}

impl ScopeKind {
    /// All of them, in the order they are gone through.
    pub const ALL: [Self; 4] = [Self::All, Self::Dataset, Self::Model, Self::Cell];

    /// The name in flags.
    pub fn id(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Dataset => "dataset",
            Self::Model => "model",
            Self::Cell => "cell",
        }
    }

    /// The scope of that name.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.id() == id)
    }

    fn next(self) -> Self {
        let place = Self::ALL.iter().position(|own| *own == self).unwrap_or(0);
        Self::ALL[(place + 1) % Self::ALL.len()]
    }
}

/// The panes of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StuckPane {
    /// Agreement by outcome.
    #[default]
    Table,
    /// The ranked tasks.
    List,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Pairs.
    Pairs(PairOutcome),
    /// Tasks.
    Tasks(Solvability),
}

impl Group {
    /// All of them, in the order they stand.
    pub const ALL: [Self; 6] = [
        Self::Pairs(PairOutcome::BothSucceed),
        Self::Pairs(PairOutcome::OneSucceeds),
        Self::Pairs(PairOutcome::BothFail),
        Self::Tasks(Solvability::Always),
        Self::Tasks(Solvability::Sometimes),
        Self::Tasks(Solvability::Never),
    ];

    /// The name in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs(own) => own.id(),
            Self::Tasks(Solvability::Always) => "always solved",
            Self::Tasks(Solvability::Sometimes) => "sometimes solved",
            Self::Tasks(Solvability::Never) => "never solved",
        }
    }

    /// What is counted.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Pairs(_) => "pair",
            Self::Tasks(_) => "task",
        }
    }
}

/// The state of the screen.
#[derive(Clone, Debug, Default)]
pub struct Stuck {
    /// Which cells.
    pub scope: ScopeKind,
    /// The pane that has the keys.
    pub pane: StuckPane,
    /// The selected scorer of the table, by place.
    pub row: usize,
    /// The selected group, by place.
    pub column: usize,
    /// The selected task of the list.
    pub place: usize,
    /// The first task on screen.
    pub offset: usize,
}

/// Entries that a list offers at most; the title says how many there are.
pub(super) const MOST_LISTED: usize = 20_000;

impl App {
    /// The cells that are looked at together.
    pub fn scope(&self) -> Scope {
        let Some(cell) = self.columns.get(self.cell) else { return Scope::All };
        match self.stuck.scope {
            ScopeKind::All => Scope::All,
            ScopeKind::Dataset => Scope::Dataset(cell.dataset.clone()),
            ScopeKind::Model => Scope::Model(cell.model.clone()),
            ScopeKind::Cell => Scope::Cell(cell.clone()),
        }
    }

    /// What is known of it, once it answers what is asked; new votes may still be counted.
    pub fn stuck_view(&self) -> Option<&StuckView> {
        let (key, own) = self.data.stuck.as_ref()?;
        let filter = self.data.kept.as_ref().map(|(key, _)| key.source.as_str());
        let current = key.scope == self.scope()
            && key.cell == self.cell
            && key.metric == self.lens.metric
            && Some(key.filter.source.as_str()) == filter;
        current.then_some(own.as_ref())
    }

    /// The consistency scorers of the table.
    pub fn stuck_scorers(&self) -> Vec<String> {
        self.data.engine().map(|own| own.consistency_ids()).unwrap_or_default()
    }

    pub(super) fn update_stuck(&mut self, action: &Action) {
        let scorers = self.stuck_scorers().len();
        let listed = self.stuck_view().map_or(0, |own| own.list.len());
        let half = (self.layout.page / 2).max(1);
        let own = &mut self.stuck;
        let last = listed.saturating_sub(1);
        let table = own.pane == StuckPane::Table;
        match action {
            Action::NextPane | Action::PreviousPane => {
                own.pane = if table { StuckPane::List } else { StuckPane::Table };
            }
            Action::Scope => {
                own.scope = own.scope.next();
                (own.place, own.offset) = (0, 0);
            }
            Action::PreviousCell => self.step_cell(false),
            Action::NextCell => self.step_cell(true),
            Action::Left => own.column = own.column.saturating_sub(1),
            Action::Right => own.column = (own.column + 1).min(Group::ALL.len() - 1),
            Action::Down if table => own.row = (own.row + 1).min(scorers.saturating_sub(1)),
            Action::Up if table => own.row = own.row.saturating_sub(1),
            Action::First if table => own.row = 0,
            Action::Last if table => own.row = scorers.saturating_sub(1),
            Action::Down => own.place = (own.place + 1).min(last),
            Action::Up => own.place = own.place.saturating_sub(1),
            Action::HalfPageDown => own.place = (own.place + half).min(last),
            Action::HalfPageUp => own.place = own.place.saturating_sub(half),
            Action::First => own.place = 0,
            Action::Last => own.place = last,
            _ => {}
        }
    }

    pub(super) fn step_cell(&mut self, forwards: bool) {
        let cell = if forwards { self.cell + 1 } else { self.cell.saturating_sub(1) };
        self.select_cell(cell);
        (self.stuck.place, self.stuck.offset) = (0, 0);
    }

    /// Lists exactly what the selected number counts, or opens the selected task.
    pub(super) fn drill_stuck(&mut self) {
        if self.stuck.pane == StuckPane::List {
            let id =
                self.stuck_view().and_then(|own| own.list.get(self.stuck.place)).map(|own| own.id);
            if let Some(id) = id {
                self.open_task_at(id, None);
            }
            return;
        }
        let (Some(kept), scorers) =
            (self.data.kept.as_ref().map(|own| own.1.clone()), self.stuck_scorers())
        else {
            return;
        };
        let Some(scorer) = scorers.get(self.stuck.row) else { return };
        let (scope, engine) = (self.scope(), kept.engine());
        let name = scorer.to_uppercase();
        let group = Group::ALL[self.stuck.column];
        let (count, choices) = match group {
            Group::Pairs(outcome) => {
                let all = engine.pairs_counted(&scope, scorer, outcome);
                let some = all
                    .iter()
                    .take(MOST_LISTED)
                    .map(|pair| self.pair_choice(self.whole_pair(*pair), scorer));
                (all.len(), some.collect::<Vec<_>>())
            }
            Group::Tasks(solvability) => {
                let all = engine.tasks_counted(&scope, scorer, solvability);
                let some = all
                    .iter()
                    .take(MOST_LISTED)
                    .map(|id| self.task_choice(self.whole_id(*id), scorer));
                (all.len(), some.collect())
            }
        };
        let title = format!("{name}, {}, {scope}", group.name());
        self.list(&title, count, group.noun(), choices);
    }

    /// Offers a list of pairs or tasks that a number counts.
    pub(super) fn list(&mut self, title: &str, count: usize, noun: &str, choices: Vec<Choice>) {
        if choices.is_empty() {
            return self.say(format!("no {noun} is counted there"));
        }
        let shown = if count > choices.len() {
            format!("the first {} of {}", grouped(choices.len() as u64), grouped(count as u64))
        } else {
            crate::text::counted(count as u64, noun)
        };
        let picker = Picker::new(format!("{title}: {shown}"), choices);
        self.overlays.push(Overlay::Picker(Box::new(picker)));
    }

    /// A task of the filtered engine among all.
    pub(super) fn whole_id(&self, id: TaskId) -> TaskId {
        self.data.kept.as_ref().map_or(id, |(_, kept)| kept.whole_id(id))
    }

    pub(super) fn whole_pair(&self, pair: PairId) -> PairId {
        PairId { id: self.whole_id(pair.id), ..pair }
    }

    /// A pair as an entry of a list.
    pub(super) fn pair_choice(&self, pair: PairId, scorer: &str) -> Choice {
        let cell =
            self.columns.get(pair.id.cell as usize).map_or(String::new(), ToString::to_string);
        let task = self.task_of(pair.id);
        let sign = |own: Option<bool>| match own {
            Some(true) => "✓",
            Some(false) => "✗",
            None => "·",
        };
        let outcomes = task.map_or(String::new(), |own| {
            format!("{}{}", sign(own.outcome(0)), sign(own.outcome(pair.draw)))
        });
        let value = self.pair_value(pair, scorer).map_or(String::new(), two);
        let id = task.map_or("", |own| own.id.as_str());
        Choice {
            name: format!("{cell}  task {id}, draw {}", pair.draw),
            hint: format!("{} {value:>4} {outcomes}", scorer.to_uppercase()),
            action: Action::OpenPair(pair),
        }
    }

    fn task_choice(&self, id: TaskId, scorer: &str) -> Choice {
        let cell = self.columns.get(id.cell as usize).map_or(String::new(), ToString::to_string);
        let name = self.task_of(id).map_or("", |own| own.id.as_str());
        let values = self.data.engine().and_then(|own| {
            let values = own.frames()[id.cell as usize].pair_values(scorer)?.of(id.task as usize);
            let known: Vec<f64> = values.iter().copied().filter(|own| !own.is_nan()).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        });
        Choice {
            name: format!("{cell}  task {name}"),
            hint: values.map_or(String::new(), two),
            action: Action::OpenTask(id),
        }
    }

    fn pair_value(&self, pair: PairId, scorer: &str) -> Option<f64> {
        let frame = &self.data.engine()?.frames()[pair.id.cell as usize];
        let place = frame.tasks[pair.id.task as usize]
            .samples
            .iter()
            .position(|own| own.draw == pair.draw)?;
        let value = *frame.pair_values(scorer)?.of(pair.id.task as usize).get(place)?;
        (!value.is_nan()).then_some(value)
    }

    /// Opens a task wherever it is, with some sample beside the reference.
    pub(super) fn open_task_at(&mut self, id: TaskId, draw: Option<u32>) {
        if self.task_of(id).is_none() {
            return;
        }
        self.tasks.all_cells = false;
        (self.cell, self.task) = (id.cell as usize, Some(id));
        self.leave_place();
        self.compare.search.clear();
        self.choose_panes();
        if let Some(draw) = draw {
            self.compare.specs =
                [0, draw].map(|draw| super::PaneSpec { cell: None, draw }).to_vec();
        }
        self.open(Screen::Compare);
        self.settle_panes();
    }
}
