//! `--where` and `--select`: on which tasks numbers are computed, and which are listed.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::Context as _;

use crate::engine::{Column, Engine, Kept, Noted, TaskId, TaskQuery};
use crate::filter::Filter;
use crate::model::Cell;
use crate::report::{Datum, Table};
use crate::scorers::Scorer;
use crate::store::Store;
use crate::ui::shared::Lens;

/// Which tasks.
#[derive(Debug, Default, clap::Args)]
pub(super) struct TasksArgs {
    /// The scope: compute every number on these tasks only, an expression such as `turns > 5`
    #[arg(id = "where", long, value_name = "EXPR", allow_hyphen_values = true)]
    scope: Option<String>,
    /// The selection: list only these tasks, which changes no number, such as `not success`
    #[arg(id = "select", long, alias = "filter", value_name = "EXPR", allow_hyphen_values = true)]
    selection: Option<String>,
}

/// Warns of a scope that depends on outcomes.
pub(super) const BY_OUTCOME: &str =
    "--where depends on outcomes: these tasks are picked by how runs were graded";

/// The tasks that the flags name.
pub(super) struct Chosen {
    /// The engine over the tasks in scope.
    pub(super) engine: Engine,
    /// The tasks that are listed; none where all in scope are.
    pub(super) listed: Option<HashSet<(Cell, String)>>,
    /// The scope depends on how runs were graded.
    pub(super) by_outcome: bool,
}

impl TasksArgs {
    /// Whether any flag is given.
    pub(super) fn is_given(&self) -> bool {
        self.scope.is_some() || self.selection.is_some()
    }

    /// The expression of the scope.
    pub(super) fn scope(&self) -> Option<&str> {
        self.scope.as_deref()
    }

    /// The expression of the selection.
    pub(super) fn selection(&self) -> Option<&str> {
        self.selection.as_deref()
    }

    /// Whether numbers are narrowed.
    pub(super) fn narrows_numbers(&self) -> bool {
        self.scope.is_some()
    }

    /// Whether lists are narrowed, beyond the scope.
    pub(super) fn selects(&self) -> bool {
        self.selection.is_some()
    }

    /// Narrows an engine. `score`, `rank` and `quartile` are those of the scorer that is asked for, else
    /// of the explorer's first.
    pub(super) fn choose(
        &self,
        store: &Store,
        engine: Engine,
        scorer: Option<&str>,
    ) -> anyhow::Result<Chosen> {
        if !self.is_given() {
            return Ok(Chosen { engine, listed: None, by_outcome: false });
        }
        let engine = Arc::new(engine);
        let (query, noted) = (query(&engine, scorer), noted(&engine, store)?);
        let mut scope = Kept::all(engine.clone());
        let mut by_outcome = false;
        if let Some(source) = &self.scope {
            let filter = Filter::parse(source, &engine.fields()).context("--where")?;
            let columns = engine.columns();
            by_outcome =
                filter.columns().iter().any(|&index| Column::depends_on_outcomes(&columns[index]));
            scope = engine.keep(&filter, &query, &noted);
            anyhow::ensure!(scope.total() > 0, "--where {source}: no task fits it");
        }
        let listed = match &self.selection {
            Some(source) => {
                let filter = Filter::parse(source, &engine.fields()).context("--select")?;
                Some(names(&engine, &engine.keep_within(&scope, &filter, &query, &noted)))
            }
            None => None,
        };
        let engine = Engine::clone(scope.engine());
        Ok(Chosen { engine, listed, by_outcome })
    }
}

impl Chosen {
    /// Leaves the rows of a table that are about listed tasks, and says what its reader must know.
    pub(super) fn narrow(&self, table: &mut Table) {
        if self.by_outcome {
            table.notes.push(BY_OUTCOME.to_owned());
        }
        if let Some(listed) = &self.listed {
            retain(table, listed);
        }
    }

    /// Leaves the rows of a table that are about tasks in scope and listed ones.
    pub(super) fn narrow_rows(&self, table: &mut Table) {
        let inside = names(&self.engine, &Kept::all(Arc::new(self.engine.clone())));
        retain(table, &inside);
        self.narrow(table);
    }
}

/// The tasks of an engine that fit the expression of a flag.
pub(super) fn fitting(
    store: &Store,
    engine: &Engine,
    flag: &'static str,
    source: &str,
    scorer: Option<&str>,
) -> anyhow::Result<HashSet<(Cell, String)>> {
    let engine = Arc::new(engine.clone());
    let filter = Filter::parse(source, &engine.fields()).context(flag)?;
    let kept = engine.keep(&filter, &query(&engine, scorer), &noted(&engine, store)?);
    Ok(names(&engine, &kept))
}

fn retain(table: &mut Table, tasks: &HashSet<(Cell, String)>) {
    let text = |datum: Option<&Datum>| match datum {
        Some(Datum::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let index = |name: &str| table.columns().iter().position(|column| column.name == name);
    let columns = ["dataset", "model", "condition", "task"].map(index);
    table.retain(|row| {
        let [dataset, model, condition, task] =
            columns.map(|index| text(index.and_then(|index| row.get(index))));
        tasks.contains(&(Cell { dataset, model, condition }, task))
    });
}

/// The cells and ids of the kept tasks.
fn names(engine: &Engine, kept: &Kept) -> HashSet<(Cell, String)> {
    let mut names = HashSet::new();
    for (cell, frame) in engine.frames().iter().enumerate() {
        let name = |task: usize| (frame.cell.clone(), frame.tasks[task].id.clone());
        match kept.of(cell) {
            Some(tasks) => names.extend(tasks.iter().map(|task| name(*task as usize))),
            None => names.extend((0..frame.tasks.len()).map(name)),
        }
    }
    names
}

/// The scorer of `score`, `rank` and `quartile`.
fn query(engine: &Engine, scorer: Option<&str>) -> TaskQuery {
    let asked = scorer.map(|name| Scorer::parse(&Scorer::typed(name)));
    let usual = Lens::default().scorer;
    let known = asked.into_iter().chain([usual.clone()]).find(|scorer| engine.has_values(scorer));
    let scorer = known.or_else(|| engine.scorers().first().cloned()).unwrap_or(usual);
    let (sort, extra) = (Column::Task, Vec::new());
    TaskQuery { cell: None, scorer, before: None, extra, sort, descending: false }
}

/// The tasks that somebody wrote a note on.
fn noted(engine: &Engine, store: &Store) -> anyhow::Result<Noted> {
    let mut noted = Noted::new();
    for note in store.notes()? {
        let cell = engine.frames().iter().position(|frame| frame.cell == note.cell);
        let Some((cell, frame)) = cell.map(|cell| (cell, &engine.frames()[cell])) else { continue };
        let task = frame.tasks.iter().position(|task| task.id == note.task);
        let rows = task.into_iter().flat_map(|task| frame.rows_of(task));
        noted.extend(rows.map(|task| TaskId { cell: cell as u32, task: task as u32 }));
    }
    Ok(noted)
}
