//! Which runs of a store a command is about: a task of a cell, and some of its draws.

use std::ops::Range;

use crate::compare::{Wanted, usual_draws};
use crate::model::{Cell, Trajectory, natural_order};
use crate::store::{Entry, Outline, Store};

/// The task, and the cell where several hold it.
#[derive(Debug, clap::Args)]
pub(super) struct TaskArgs {
    /// The task
    #[arg(long)]
    pub(super) task: String,
    /// Its dataset; need not be said where only one has the task
    #[arg(long)]
    pub(super) dataset: Option<String>,
    /// The model, likewise
    #[arg(long)]
    pub(super) model: Option<String>,
    /// The condition, likewise
    #[arg(long)]
    pub(super) condition: Option<String>,
}

/// Names that an error lists.
const NAMES: usize = 6;

/// A task in one cell.
struct Place {
    cell: Cell,
    rows: Range<u64>,
}

/// The runs of a task that may be chosen from.
pub(super) struct Picked {
    store: String,
    task: String,
    /// The cell that is asked about, then the others of the dataset that hold the task.
    places: Vec<Place>,
}

impl Picked {
    /// Finds the task; only names, draws and counts are read.
    pub(super) fn find(store: &Store, args: &TaskArgs) -> anyhow::Result<Self> {
        let path = store.path().display().to_string();
        let outline = store.outline()?;
        let says = |wanted: &Option<String>, own: &String| wanted.as_ref().is_none_or(|w| w == own);
        let fits = |own: &Cell| {
            says(&args.dataset, &own.dataset)
                && says(&args.model, &own.model)
                && says(&args.condition, &own.condition)
        };
        anyhow::ensure!(
            outline.cells.iter().any(|own| fits(&own.0)),
            "{path}: no cell fits --dataset, --model and --condition; it has {}",
            listed(outline.cells.iter().map(|own| own.0.to_string()).collect())
        );
        let mut all = places(&outline, &args.task);
        let mut own: Vec<usize> = (0..all.len()).filter(|place| fits(&all[*place].cell)).collect();
        anyhow::ensure!(
            own.len() < 2,
            "{path}: {} cells have a task {}: {}; name one with --dataset, --model and --condition",
            own.len(),
            args.task,
            listed(own.iter().map(|place| all[*place].cell.to_string()).collect())
        );
        let Some(own) = own.pop() else {
            let near = nearest(&outline, &args.task, &fits);
            anyhow::bail!("{path}: there is no task {}; the nearest are {near}", args.task);
        };
        all.swap(0, own);
        let dataset = all[0].cell.dataset.clone();
        all.retain(|place| place.cell.dataset == dataset);
        Ok(Self { store: path, task: args.task.clone(), places: all })
    }

    /// The cell that is asked about.
    pub(super) fn cell(&self) -> &Cell {
        &self.places[0].cell
    }

    /// What is shown when nothing is said: the first draw, and the first other whose outcome differs,
    /// else the next.
    pub(super) fn usual(&self, store: &Store) -> anyhow::Result<Vec<Wanted>> {
        let entries = self.entries(store, 0)?;
        let draws: Vec<(u32, Option<bool>)> =
            entries.iter().map(|own| (own.head.draw, own.head.outcome.success)).collect();
        let own = |draw| Wanted { draw, cell: None };
        Ok(usual_draws(&draws).into_iter().map(own).collect())
    }

    /// Reads the runs that are wanted, in their order.
    pub(super) fn runs(&self, store: &Store, wanted: &[Wanted]) -> anyhow::Result<Vec<Trajectory>> {
        let places: Vec<usize> =
            wanted.iter().map(|own| self.place(own)).collect::<anyhow::Result<_>>()?;
        for (place, own) in wanted.iter().enumerate() {
            let again =
                |other: usize| places[other] == places[place] && wanted[other].draw == own.draw;
            anyhow::ensure!(
                !(0..place).any(again),
                "draw {} is named twice; name each run once",
                own.draw
            );
        }
        let mut runs: Vec<Option<Trajectory>> = vec![None; wanted.len()];
        for place in 0..self.places.len() {
            let own: Vec<usize> = (0..wanted.len()).filter(|own| places[*own] == place).collect();
            if own.is_empty() {
                continue;
            }
            let entries = self.entries(store, place)?;
            let chosen: Vec<Entry> = own
                .iter()
                .map(|own| self.chosen(&entries, place, wanted[*own].draw))
                .collect::<anyhow::Result<_>>()?;
            // Draws of one task adjoin, so one reading has them all; other cells lie far away.
            for (own, run) in own.into_iter().zip(store.trajectories(&chosen)?) {
                runs[own] = Some(run);
            }
        }
        Ok(runs.into_iter().flatten().collect())
    }

    fn entries(&self, store: &Store, place: usize) -> anyhow::Result<Vec<Entry>> {
        Ok(store.entries_at(self.places[place].rows.clone())?)
    }

    fn chosen(&self, entries: &[Entry], place: usize, draw: u32) -> anyhow::Result<Entry> {
        if let Some(own) = entries.iter().find(|own| own.head.draw == draw) {
            return Ok(own.clone());
        }
        let known: Vec<String> = entries.iter().map(|own| own.head.draw.to_string()).collect();
        let Self { store, task, places } = self;
        let (cell, known) = (&places[place].cell, known.join(", "));
        anyhow::bail!("{store}: task {task} of {cell} has no draw {draw}; it has {known}")
    }

    /// The cell that a draw is asked of.
    fn place(&self, wanted: &Wanted) -> anyhow::Result<usize> {
        let Some(name) = &wanted.cell else { return Ok(0) };
        let cells: Vec<&Cell> = self.places.iter().map(|own| &own.cell).collect();
        let all = Wanted::cells(name, self.cell(), &cells);
        let Self { store, task, places } = self;
        let names = |own: &Place| format!("{}/{}", own.cell.model, own.cell.condition);
        match all.as_slice() {
            [place] => Ok(*place),
            [] => anyhow::bail!(
                "{store}: `@{name}` has no task {task} of {}; those that have are {}",
                self.cell().dataset,
                listed(places.iter().map(names).collect())
            ),
            several => anyhow::bail!(
                "{store}: `@{name}` is several cells; write one of {}",
                listed(several.iter().map(|own| names(&places[*own])).collect())
            ),
        }
    }
}

/// The cells that hold a task.
fn places(outline: &Outline, task: &str) -> Vec<Place> {
    let mut places = Vec::new();
    for (cell, tasks) in &outline.cells {
        for own in tasks.clone().filter(|own| outline.tasks.get(*own) == task) {
            let rows = outline.rows(own);
            places.push(Place { cell: cell.clone(), rows: rows.start as u64..rows.end as u64 });
        }
    }
    places
}

/// Some names, and how many more there are.
fn listed(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let list = names.join(", ");
    if more > 0 { format!("{list} and {more} more") } else { list }
}

/// The ids most like one that is not there: those that hold it first.
fn nearest(outline: &Outline, task: &str, fits: &dyn Fn(&Cell) -> bool) -> String {
    let cells = outline.cells.iter().filter(|own| fits(&own.0));
    let mut ids: Vec<&str> =
        cells.flat_map(|own| own.1.clone().map(|place| outline.tasks.get(place))).collect();
    ids.sort_by(|a, b| natural_order(a, b));
    ids.dedup();
    let wanted = task.to_lowercase();
    let far = |id: &str| (!id.to_lowercase().contains(&wanted), distance(&wanted, id));
    let mut far: Vec<_> = ids.into_iter().map(|id| (far(id), id)).collect();
    far.sort_by_key(|own| own.0);
    far.truncate(3);
    far.into_iter().map(|own| own.1).collect::<Vec<_>>().join(", ")
}

/// Levenshtein's distance of the beginnings, whatever their case.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (
        a.to_lowercase().chars().take(200).collect(),
        b.to_lowercase().chars().take(200).collect(),
    );
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, own) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let both = diagonal + usize::from(own != other);
            diagonal = row[j + 1];
            row[j + 1] = both.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
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
