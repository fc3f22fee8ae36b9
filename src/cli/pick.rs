//! The runs of a store that a command is about: a task of a cell, and some of its draws.

use std::ops::Range;

use crate::compare::{DrawTree, RunName, TreeDraw, usual_draws};
use crate::model::{Cell, Trajectory, natural_order};
use crate::store::{Entry, Outline, OutlineNeeds, Store};

/// The task, and the cell where several hold it.
#[derive(Debug, clap::Args)]
pub(super) struct TaskArgs {
    /// The task
    #[arg(long)]
    pub(super) task: String,
    /// Its dataset; may be omitted if only one has the task
    #[arg(long)]
    pub(super) dataset: Option<String>,
    /// The model, likewise
    #[arg(long)]
    pub(super) model: Option<String>,
    /// The condition, likewise
    #[arg(long)]
    pub(super) condition: Option<String>,
}

/// How many names an error lists.
const NAMES: usize = 6;

/// A task in one cell.
struct Found {
    cell: Cell,
    /// The rows of its runs in the store.
    rows: Range<u64>,
}

/// The runs of a task that may be chosen from.
pub(super) struct Picked {
    store: String,
    task: String,
    /// The cell that is asked about, then the others of the dataset that hold the task.
    cells: Vec<Found>,
}

impl Picked {
    /// Finds the task; only names, draws and counts are read.
    pub(super) fn find(store: &Store, args: &TaskArgs) -> anyhow::Result<Self> {
        let path = store.path().display().to_string();
        let outline = store.outline(OutlineNeeds::default())?;
        let accepts = |flag: &Option<String>, name: &String| {
            flag.as_ref().is_none_or(|wanted| wanted == name)
        };
        let fits = |cell: &Cell| {
            accepts(&args.dataset, &cell.dataset)
                && accepts(&args.model, &cell.model)
                && accepts(&args.condition, &cell.condition)
        };
        anyhow::ensure!(
            outline.cells.iter().any(|(cell, _)| fits(cell)),
            "{path}: no cell fits --dataset, --model and --condition; it has {}",
            listed(outline.cells.iter().map(|(cell, _)| cell.to_string()).collect())
        );
        let mut all = found(&outline, &args.task);
        let mut fitting: Vec<usize> =
            (0..all.len()).filter(|index| fits(&all[*index].cell)).collect();
        anyhow::ensure!(
            fitting.len() < 2,
            "{path}: {} cells have a task {}: {}; name one with --dataset, --model and --condition",
            fitting.len(),
            args.task,
            listed(fitting.iter().map(|index| all[*index].cell.to_string()).collect())
        );
        let Some(index) = fitting.pop() else {
            let near = nearest(&outline, &args.task, &fits);
            anyhow::bail!("{path}: there is no task {}; the nearest are {near}", args.task);
        };
        all.swap(0, index);
        let dataset = all[0].cell.dataset.clone();
        all.retain(|found| found.cell.dataset == dataset);
        Ok(Self { store: path, task: args.task.clone(), cells: all })
    }

    /// The cell that is asked about.
    pub(super) fn cell(&self) -> &Cell {
        &self.cells[0].cell
    }

    /// The default draws: the first, and the first other whose outcome differs, else the next.
    pub(super) fn usual(&self, store: &Store) -> anyhow::Result<Vec<RunName>> {
        let entries = self.entries(store, 0)?;
        let draws: Vec<(u32, Option<bool>)> =
            entries.iter().map(|entry| (entry.head.draw, entry.head.outcome.success)).collect();
        let wanted = |draw| RunName { draw, cell: None };
        Ok(usual_draws(&draws).into_iter().map(wanted).collect())
    }

    /// All draws as a tree of their actions.
    pub(super) fn tree(&self, store: &Store) -> anyhow::Result<DrawTree> {
        let draw = |Entry { head, .. }: Entry| TreeDraw {
            draw: head.draw,
            success: head.outcome.success,
            actions: head.action_types,
        };
        Ok(DrawTree::new(self.entries(store, 0)?.into_iter().map(draw).collect()))
    }

    /// Reads the runs that are wanted, in their order.
    pub(super) fn runs(
        &self,
        store: &Store,
        wanted: &[RunName],
    ) -> anyhow::Result<Vec<Trajectory>> {
        let cells: Vec<usize> =
            wanted.iter().map(|draw| self.cell_of(draw)).collect::<anyhow::Result<_>>()?;
        for (index, RunName { draw, .. }) in wanted.iter().enumerate() {
            let again = |other: usize| cells[other] == cells[index] && wanted[other].draw == *draw;
            anyhow::ensure!(
                !(0..index).any(again),
                "draw {draw} is named twice; name each run once"
            );
        }
        let mut runs: Vec<Option<Trajectory>> = vec![None; wanted.len()];
        for cell in 0..self.cells.len() {
            let panes: Vec<usize> = (0..wanted.len()).filter(|pane| cells[*pane] == cell).collect();
            if panes.is_empty() {
                continue;
            }
            let entries = self.entries(store, cell)?;
            let chosen: Vec<Entry> = panes
                .iter()
                .map(|pane| self.chosen(&entries, cell, wanted[*pane].draw))
                .collect::<anyhow::Result<_>>()?;
            // Draws of one task adjoin, so one reading has them all; other cells are far away.
            for (pane, run) in panes.into_iter().zip(store.trajectories(&chosen)?) {
                runs[pane] = Some(run);
            }
        }
        Ok(runs.into_iter().flatten().collect())
    }

    fn entries(&self, store: &Store, cell: usize) -> anyhow::Result<Vec<Entry>> {
        Ok(store.entries_at(self.cells[cell].rows.clone())?)
    }

    fn chosen(&self, entries: &[Entry], cell: usize, draw: u32) -> anyhow::Result<Entry> {
        if let Some(entry) = entries.iter().find(|entry| entry.head.draw == draw) {
            return Ok(entry.clone());
        }
        let known: Vec<String> = entries.iter().map(|entry| entry.head.draw.to_string()).collect();
        let Self { store, task, cells } = self;
        let (cell, known) = (&cells[cell].cell, known.join(", "));
        anyhow::bail!("{store}: task {task} of {cell} has no draw {draw}; it has {known}")
    }

    /// The index of the cell that a draw is asked of.
    fn cell_of(&self, wanted: &RunName) -> anyhow::Result<usize> {
        let Some(name) = &wanted.cell else { return Ok(0) };
        let cells: Vec<&Cell> = self.cells.iter().map(|found| &found.cell).collect();
        let meant = RunName::cells(name, self.cell(), &cells);
        let Self { store, task, .. } = self;
        let names = |cell: &Cell| format!("{}/{}", cell.model, cell.condition);
        match meant.as_slice() {
            [index] => Ok(*index),
            [] => anyhow::bail!(
                "{store}: `@{name}` has no task {task} of {}; those that have are {}",
                self.cell().dataset,
                listed(cells.into_iter().map(names).collect())
            ),
            several => anyhow::bail!(
                "{store}: `@{name}` is several cells; write one of {}",
                listed(several.iter().map(|index| names(cells[*index])).collect())
            ),
        }
    }
}

/// The cells that hold a task.
fn found(outline: &Outline, task: &str) -> Vec<Found> {
    let mut all = Vec::new();
    for (cell, tasks) in &outline.cells {
        for index in tasks.clone().filter(|index| outline.tasks.get(*index) == task) {
            let rows = outline.rows(index);
            all.push(Found { cell: cell.clone(), rows: rows.start as u64..rows.end as u64 });
        }
    }
    all
}

/// Some names, and how many more there are.
fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let list = names.join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

/// The ids most similar to one that is not there: those that contain it first.
fn nearest(outline: &Outline, task: &str, fits: &dyn Fn(&Cell) -> bool) -> String {
    let cells = outline.cells.iter().filter(|(cell, _)| fits(cell));
    let mut ids: Vec<&str> =
        cells.flat_map(|(_, tasks)| tasks.clone().map(|index| outline.tasks.get(index))).collect();
    ids.sort_by(|a, b| natural_order(a, b));
    ids.dedup();
    let wanted = task.to_lowercase();
    ids.sort_by_cached_key(|id| (!id.to_lowercase().contains(&wanted), distance(&wanted, id)));
    ids.truncate(3);
    ids.join(", ")
}

/// Levenshtein's distance of the beginnings of two ids, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let start = |id: &str| id.to_lowercase().chars().take(200).collect::<String>();
    strsim::levenshtein(&start(a), &start(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!((distance("", "ab"), distance("ab", ""), distance("A", "a")), (2, 2, 0));
    }
}
