//! How the actions of several runs are aligned.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use super::{Contrast, RowKind, SheetRow};
use crate::compare::align::{AlignOptions, Fit, Pair, Replace, align};
use crate::compare::arguments::{canonical, differing_keys};
use crate::compare::steps::Step;
use crate::model::Trajectory;
use crate::scorers::consistency::distance;

/// The distance of longer runs is not computed before they are aligned.
const MOST_PAIRS: usize = 1 << 36;

/// Arguments of more bytes are not compared key by key.
const LARGE: usize = 200_000;

/// Runs with their steps, to be aligned.
pub(super) struct Aligned<'s> {
    runs: &'s [&'s Trajectory],
    steps: &'s [Vec<Step>],
    /// For every step a hash of its kind and arguments: parsing arguments anew for every pair would
    /// take too long.
    said: Vec<Vec<u64>>,
    /// For every step a number of its kind, the same for the same kind in all runs.
    kinds: Vec<Vec<u32>>,
}

impl<'s> Aligned<'s> {
    /// Hashes and numbers all steps of the runs.
    pub(super) fn new(runs: &'s [&'s Trajectory], steps: &'s [Vec<Step>]) -> Self {
        let number = |run: &Trajectory, step: &Step| {
            let mut hasher = DefaultHasher::new();
            step.kind(run).hash(&mut hasher);
            step.call(run).map(|call| canonical(&call.arguments)).hash(&mut hasher);
            hasher.finish()
        };
        let said = runs
            .iter()
            .zip(steps)
            .map(|(run, steps)| steps.iter().map(|step| number(run, step)).collect());
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut kinds = Vec::with_capacity(runs.len());
        for (run, steps) in runs.iter().zip(steps) {
            let mut number = |step: &Step| {
                let next = known.len() as u32;
                *known.entry(step.kind(run)).or_insert(next)
            };
            kinds.push(steps.iter().map(&mut number).collect());
        }
        Self { runs, steps, said: said.collect(), kinds }
    }

    /// The row of some steps, compared with the first pane's.
    pub(super) fn row(&self, steps: Vec<Option<usize>>) -> SheetRow {
        let contrasts = (0..steps.len()).map(|pane| self.contrast(&steps, pane)).collect();
        let mut there = steps.iter().enumerate().filter_map(|(pane, step)| Some((pane, (*step)?)));
        let error = there.any(|position| {
            let (run, step) = self.at(position);
            step.failed(run)
        });
        SheetRow { kind: RowKind::Action, steps, contrasts, error, number: 0 }
    }

    fn contrast(&self, steps: &[Option<usize>], pane: usize) -> Contrast {
        if pane == 0 {
            return Contrast::None;
        }
        match (steps[0], steps[pane]) {
            (None, None) => Contrast::None,
            (None, Some(_)) => Contrast::OnlyHere,
            (Some(_), None) => Contrast::Missing,
            (Some(first), Some(step)) => match self.fit((0, first), (pane, step)) {
                Fit::Same => Contrast::Same,
                Fit::Different => Contrast::Other,
                Fit::Alike => {
                    let arguments = |position| {
                        let (run, step) = self.at(position);
                        step.call(run).map_or("", |call| call.arguments.as_str())
                    };
                    let (first, other) = (arguments((0, first)), arguments((pane, step)));
                    // For such large arguments a list of keys does not help and takes long to find.
                    if first.len().max(other.len()) > LARGE {
                        return Contrast::Arguments(vec![String::new()]);
                    }
                    Contrast::Arguments(differing_keys(first, other))
                }
            },
        }
    }

    /// Aligns every pane to the first, then shares rows among what only the others have.
    pub(super) fn rows(&self) -> Vec<Vec<Option<usize>>> {
        let panes = self.steps.len();
        let first = self.steps.first().map_or(0, Vec::len);
        let mut with_first = vec![vec![None; panes]; first];
        with_first.iter_mut().enumerate().for_each(|(step, row)| row[0] = Some(step));
        // What each pane has before every action of the first, and after the last.
        let mut between = vec![vec![Vec::new(); panes]; first + 1];
        for pane in 1..panes {
            let mut next = 0;
            for pair in self.with_first(pane) {
                match pair {
                    (Some(a), step) => {
                        with_first[a][pane] = step;
                        next = a + 1;
                    }
                    (None, Some(step)) => between[next][pane].push(step),
                    (None, None) => {}
                }
            }
        }
        let mut rows = Vec::with_capacity(first);
        let mut actions = with_first.into_iter();
        for lists in between {
            rows.extend(self.together(&lists));
            rows.extend(actions.next());
        }
        rows
    }

    /// Aligns a pane to the first.
    fn with_first(&self, pane: usize) -> Vec<Pair> {
        let [(a, kinds_a), (b, kinds_b)] =
            [0, pane].map(|pane| (&self.said[pane][..], &self.kinds[pane][..]));
        let known =
            (a.len().saturating_mul(b.len()) <= MOST_PAIRS).then(|| distance(kinds_a, kinds_b));
        let options = AlignOptions::default();
        let options = AlignOptions { edits: known.unwrap_or(options.edits), ..options };
        align((a.len(), b.len()), options, |i, j| {
            if a[i] == b[j] {
                Fit::Same
            } else if kinds_a[i] == kinds_b[j] {
                Fit::Alike
            } else {
                Fit::Different
            }
        })
    }

    fn fit(&self, a: (usize, usize), b: (usize, usize)) -> Fit {
        if self.said[a.0][a.1] == self.said[b.0][b.1] {
            return Fit::Same;
        }
        if self.kinds[a.0][a.1] == self.kinds[b.0][b.1] { Fit::Alike } else { Fit::Different }
    }

    fn at(&self, (pane, step): (usize, usize)) -> (&Trajectory, &Step) {
        (self.runs[pane], &self.steps[pane][step])
    }

    /// Aligns the steps that the first pane lacks, given by pane.
    fn together(&self, lists: &[Vec<usize>]) -> Vec<Vec<Option<usize>>> {
        let mut rows: Vec<Vec<Option<usize>>> = Vec::new();
        for (pane, list) in lists.iter().enumerate().filter(|(_, list)| !list.is_empty()) {
            let taken = std::mem::take(&mut rows);
            // Some pane has a step in every row.
            let any = |row: &Vec<Option<usize>>| {
                let there = row.iter().enumerate().find_map(|(pane, step)| Some((pane, (*step)?)));
                there.unwrap_or_default()
            };
            let there: Vec<(usize, usize)> = taken.iter().map(any).collect();
            let options = AlignOptions { replace: Replace::Never, ..AlignOptions::default() };
            let pairs = align((taken.len(), list.len()), options, |row, item| {
                self.fit(there[row], (pane, list[item]))
            });
            for (row, item) in pairs {
                let mut next =
                    row.map_or_else(|| vec![None; lists.len()], |row| taken[row].clone());
                if let Some(item) = item {
                    next[pane] = Some(list[item]);
                }
                rows.push(next);
            }
        }
        rows
    }
}
