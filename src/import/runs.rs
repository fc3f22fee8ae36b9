//! Finds the runs of a store that the rows of a user's table name.

use std::collections::{BTreeSet, HashMap};

use super::sheet::{Problem, Row};
use crate::model::Cell;
use crate::store::{OutlineNeeds, Store, StoreError};

/// What a row may say of its run.
pub(super) const KEYS: [&str; 5] = ["dataset", "model", "condition", "task", "draw"];

/// What to do about a run that is not there.
const REMEDY: &str = "import the results first, or correct the names";

/// Cells that an error names at most.
const MOST_NAMED: usize = 3;

/// The runs of a store.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The draws of every task, by the task's id and its cell.
    draws: HashMap<String, Vec<(Cell, BTreeSet<u32>)>>,
    /// The cells in which no draw is the reference.
    pooled: Vec<Cell>,
}

impl Runs {
    /// The runs of a store.
    pub(super) fn of(store: &Store) -> Result<Self, StoreError> {
        let outline = store.outline(OutlineNeeds::default())?;
        let mut runs = Self { pooled: store.manifest().pooled.clone(), ..Self::default() };
        for (cell, tasks) in &outline.cells {
            for task in tasks.clone() {
                let draws = outline.rows(task).map(|row| outline.draw[row]).collect();
                let id = outline.tasks.get(task).to_owned();
                runs.draws.entry(id).or_default().push((cell.clone(), draws));
            }
        }
        Ok(runs)
    }

    /// Fails where a row that names no draw could be about any draw of its task.
    pub(super) fn require_reference(&self, cell: &Cell, task: &str) -> Result<(), Problem> {
        if self.pooled.contains(cell) {
            let why = format!("{cell}, task {task}: there is no reference, and no draw is named");
            return Err((why, "name the draw in a column"));
        }
        Ok(())
    }

    /// Fails when there is no such run.
    pub(super) fn require(&self, cell: &Cell, task: &str, draw: u32) -> Result<(), Problem> {
        let cells = self.draws.get(task).map(Vec::as_slice).unwrap_or_default();
        let Some((_, draws)) = cells.iter().find(|(known, _)| known == cell) else {
            return Err((format!("{cell}, task {task}: there is no such task"), REMEDY));
        };
        if draws.contains(&draw) {
            return Ok(());
        }
        Err((format!("{cell}, task {task}: there is no draw {draw}"), REMEDY))
    }

    /// The run that a row names by what it says of dataset, model, condition, task and draw. Without a
    /// draw it is the reference. It must be one run.
    pub(super) fn find(&self, row: &Row<'_>) -> Result<(Cell, String, u32), Problem> {
        let task = row.need("task")?;
        let says = |name: &str, value: &str| row.get(name).is_none_or(|wanted| wanted == value);
        let cells = self.draws.get(&task).map(Vec::as_slice).unwrap_or_default();
        let mut fitting = cells.iter().filter(|(cell, _)| {
            says("dataset", &cell.dataset)
                && says("model", &cell.model)
                && says("condition", &cell.condition)
        });
        let Some((cell, _)) = fitting.next() else {
            let said =
                ["dataset", "model", "condition"].into_iter().filter_map(|name| row.get(name));
            let said: Vec<&str> = said.chain([task.as_str()]).collect();
            return Err((format!("there is no task {}", said.join(" / ")), REMEDY));
        };
        let others: Vec<String> = fitting.map(|(cell, _)| cell.to_string()).collect();
        if !others.is_empty() {
            let named = others.iter().take(MOST_NAMED - 1).cloned();
            let named: Vec<String> = [cell.to_string()].into_iter().chain(named).collect();
            let count = others.len() + 1;
            let why = format!("task {task} is in {count} cells, such as {}", named.join(" and "));
            return Err((why, "add columns `dataset`, `model` or `condition` that say which"));
        }
        let stated: Option<u32> = row.number("draw")?;
        if stated.is_none() {
            self.require_reference(cell, &task)?;
        }
        self.require(cell, &task, stated.unwrap_or(0)).map_err(
            |(problem, remedy)| match stated {
                Some(_) => (problem, remedy),
                None => {
                    (format!("{cell}, task {task}: there is no reference"), "add a column `draw`")
                }
            },
        )?;
        Ok((cell.clone(), task, stated.unwrap_or(0)))
    }
}
