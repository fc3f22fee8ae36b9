//! Chooses the reference among the runs of a task, and numbers the others.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::model::{Cell, Head};
use crate::store::Entry;

/// Which runs are the references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The runs of one trial.
    Trial(i64),
    /// The runs of one file.
    File(PathBuf),
}

impl Reference {
    /// Parses a trial number or a file; a file that does not exist is matched by the end of its path.
    pub fn parse(text: &str) -> Self {
        let file = || std::fs::canonicalize(text).unwrap_or_else(|_| PathBuf::from(text));
        text.parse().map_or_else(|_| Self::File(file()), Self::Trial)
    }

    pub(super) fn fits(&self, head: &Head) -> bool {
        match self {
            Self::Trial(trial) => trial_or_repeat(head) == *trial,
            Self::File(file) => Path::new(&head.origin.source).ends_with(file),
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trial(trial) => write!(f, "{trial}"),
            Self::File(file) => write!(f, "{}", file.display()),
        }
    }
}

/// The trial, or the number of earlier records of the task where no trial was recorded.
fn trial_or_repeat(head: &Head) -> i64 {
    head.origin.trial.unwrap_or(i64::from(head.origin.repeat))
}

/// Numbers the draws of every task by trial, then by the order of the sources. Draw 0 is the run that
/// `reference` names; without it a run at temperature 0 among sampled ones, else the first. Returns the
/// number of tasks in which no run fits `reference`.
pub(super) fn number(
    entries: &mut [Entry],
    order: &HashMap<&str, usize>,
    reference: Option<&Reference>,
) -> u64 {
    let mut tasks: BTreeMap<(&Cell, &str), Vec<usize>> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        tasks.entry((&entry.head.cell, &entry.head.task)).or_default().push(index);
    }
    let mut without = 0;
    let mut numbered: Vec<(usize, u32)> = Vec::with_capacity(entries.len());
    for mut draws in tasks.into_values() {
        draws.sort_by_key(|&index| {
            let head = &entries[index].head;
            let source = order.get(head.origin.source.as_str());
            (trial_or_repeat(head), source.copied(), head.origin.repeat, entries[index].id)
        });
        let heads = || draws.iter().map(|&index| &entries[index].head);
        let chosen = match reference {
            Some(reference) => {
                let chosen = heads().position(|head| reference.fits(head));
                without += u64::from(chosen.is_none());
                chosen
            }
            None => greedy_among_sampled(heads().map(|head| head.temperature)),
        };
        draws[..=chosen.unwrap_or(0)].rotate_right(1);
        numbered.extend(draws.into_iter().zip(0..));
    }
    for (index, draw) in numbered {
        entries[index].head.draw = draw;
    }
    without
}

/// The first run at temperature 0, if others were sampled.
fn greedy_among_sampled(temperatures: impl Iterator<Item = Option<f64>> + Clone) -> Option<usize> {
    let sampled = temperatures.clone().flatten().any(|temperature| temperature > 0.0);
    let mut temperatures = temperatures;
    temperatures.position(|temperature| temperature == Some(0.0)).filter(|_| sampled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Origin;
    use crate::store::FirstRows;

    /// A run by its file, trial and temperature.
    fn entry(source: &str, trial: i64, temperature: Option<f64>) -> Entry {
        let mut head = Head::new(Cell::new("d", "m"), "1");
        head.origin = Origin { source: source.to_owned(), trial: Some(trial), ..Origin::default() };
        head.temperature = temperature;
        Entry { id: 0, head, rows: FirstRows::default() }
    }

    fn draws(entries: &mut [Entry], reference: Option<&str>) -> (Vec<u32>, u64) {
        let order = HashMap::from([("x/a.json", 0), ("b.json", 1)]);
        let without = number(entries, &order, reference.map(Reference::parse).as_ref());
        (entries.iter().map(|entry| entry.head.draw).collect(), without)
    }

    #[test]
    fn by_trial_then_by_file() {
        let mut runs =
            [entry("b.json", 0, None), entry("x/a.json", 1, None), entry("x/a.json", 0, None)];
        assert_eq!(draws(&mut runs, None), (vec![1, 2, 0], 0));
        assert_eq!(draws(&mut runs, Some("1")), (vec![2, 0, 1], 0));
        assert_eq!(draws(&mut runs, Some("b.json")), (vec![0, 2, 1], 0));
        assert_eq!(draws(&mut runs, Some("a.json")), (vec![1, 2, 0], 0));
        assert_eq!(draws(&mut runs, Some("7")), (vec![1, 2, 0], 1));
    }

    #[test]
    fn greedy_wins_among_sampled_only() {
        let mut mixed = [
            entry("x/a.json", 0, Some(0.7)),
            entry("b.json", 0, Some(0.0)),
            entry("x/a.json", 1, Some(0.7)),
        ];
        assert_eq!(draws(&mut mixed, None).0, [1, 0, 2]);
        assert_eq!(draws(&mut mixed, Some("0")).0, [0, 1, 2]);
        let mut greedy = [entry("b.json", 0, Some(0.0)), entry("x/a.json", 0, Some(0.0))];
        assert_eq!(draws(&mut greedy, None).0, [1, 0]);
    }
}
