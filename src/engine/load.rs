//! A store into frames.

use std::collections::HashMap;

use rayon::prelude::*;

use super::frame::{Frame, Sample, Task};
use super::judges::Verdict;
use super::{Engine, Scorer};
use crate::model::{Cell, TurnScores};
use crate::scorers::Family;
use crate::scorers::consistency::Consistency;
use crate::store::{Entry, Store, StoreError};

impl Engine {
    /// Reads everything but text and tokens. `ter` is by the judge named, or the store's first.
    pub fn load(store: &Store, judge: Option<&str>) -> Result<Self, StoreError> {
        Self::with_turns(store, judge, &store.turn_scores()?)
    }

    /// The same with other scores of the turns, in the order of the store's table.
    pub(super) fn with_turns(
        store: &Store,
        judge: Option<&str>,
        scores: &[Option<TurnScores>],
    ) -> Result<Self, StoreError> {
        let entries = store.entries()?;
        let mut frames: Vec<Frame> = entries
            .chunk_by(|a, b| a.head.cell == b.head.cell)
            .map(|cell| frame(cell, scores))
            .collect();
        let place: HashMap<Cell, usize> =
            frames.iter().enumerate().map(|(place, own)| (own.cell.clone(), place)).collect();
        let judgments: Vec<Verdict> = store.judgments()?.into_iter().map(Verdict::from).collect();
        let mut judges: Vec<String> = Vec::new();
        for own in &judgments {
            if !judges.contains(&own.judge) {
                judges.push(own.judge.clone());
            }
        }
        add_stored(store, &mut frames, &place)?;
        add_pairs(store, &entries, &mut frames, &place)?;
        let judge = judge.or(judges.first().map(String::as_str));
        add_verdicts(&judgments, judge, &mut frames, &place);
        let scorers = scorers(&frames);
        let manifest = store.manifest().clone();
        Ok(Self { frames, scorers, judgments, judges, manifest })
    }
}

/// The scorers that have a value somewhere: the offline ones, then what the store brings, by family.
fn scorers(frames: &[Frame]) -> Vec<Scorer> {
    let mut scorers = Scorer::offline();
    let mut brought: Vec<&String> = frames.iter().flat_map(|own| own.stored.keys()).collect();
    brought.sort();
    brought.dedup();
    scorers.extend(brought.into_iter().map(|name| Scorer::Stored(name.clone())));
    scorers.retain(|scorer| frames.iter().any(|frame| frame.values(scorer).is_some()));
    let place = |own: &Scorer| Family::ALL.iter().position(|family| *family == own.family());
    scorers.sort_by_key(place);
    scorers
}

/// One cell's entries, which are by task and draw.
fn frame(entries: &[Entry], scores: &[Option<TurnScores>]) -> Frame {
    let draws = || entries.chunk_by(|a, b| a.head.task == b.head.task).map(split_reference);
    let tasks = draws().map(|(reference, samples)| task(reference, samples)).collect();
    let turns = draws().map(|(reference, _)| {
        let (first, count) = reference.map_or((0, 0), |own| (own.rows.turn, own.head.turns));
        scores.iter().skip(first as usize).take(count as usize).flatten().copied()
    });
    Frame::new(entries[0].head.cell.clone(), tasks, turns)
}

/// The reference of a task, if it has one, and its samples.
fn split_reference(draws: &[Entry]) -> (Option<&Entry>, &[Entry]) {
    match draws.split_first() {
        Some((first, rest)) if first.head.draw == 0 => (Some(first), rest),
        _ => (None, draws),
    }
}

fn task(reference: Option<&Entry>, samples: &[Entry]) -> Task {
    let head = reference.map(|entry| &entry.head);
    let id = head.or(samples.first().map(|entry| &entry.head)).map(|head| head.task.clone());
    let sample = |Entry { head, .. }: &Entry| Sample {
        draw: head.draw,
        success: head.outcome.success,
        db_match: head.outcome.db_match,
    };
    Task {
        id: id.unwrap_or_default(),
        success: head.and_then(|head| head.outcome.success),
        db_match: head.and_then(|head| head.outcome.db_match),
        turns: head.map_or(0, |head| head.turns),
        tools: head.map_or(0, |head| head.tools),
        samples: samples.iter().map(sample).collect(),
    }
}

/// Where tasks stand in their frames.
struct Index(HashMap<(usize, String), usize>);

impl Index {
    fn new(frames: &[Frame]) -> Self {
        let tasks = frames.iter().enumerate().flat_map(|(place, frame)| {
            let ids = frame.tasks.iter().enumerate();
            ids.map(move |(task, own)| ((place, own.id.clone()), task))
        });
        Self(tasks.collect())
    }

    fn find(
        &self,
        place: &HashMap<Cell, usize>,
        cell: &Cell,
        task: &str,
    ) -> Option<(usize, usize)> {
        let frame = *place.get(cell)?;
        Some((frame, *self.0.get(&(frame, task.to_owned()))?))
    }
}

/// Values of references that no scorer here computes.
fn add_stored(
    store: &Store,
    frames: &mut [Frame],
    place: &HashMap<Cell, usize>,
) -> Result<(), StoreError> {
    let computed = Scorer::offline_ids();
    let index = Index::new(frames);
    for row in store.scores()? {
        if row.draw != 0 || computed.contains(&row.scorer.as_str()) {
            continue;
        }
        if let Some((frame, task)) = index.find(place, &row.cell, &row.task) {
            let frame = &mut frames[frame];
            let tasks = frame.tasks.len();
            let name = match row.aggregator {
                Some(rule) => format!("{}·{rule}", row.scorer),
                None => row.scorer,
            };
            let column = frame.stored.entry(name).or_insert_with(|| vec![f64::NAN; tasks]);
            column[task] = row.value.unwrap_or(f64::NAN);
        }
    }
    Ok(())
}

/// Agreement of actions for every pair: as the store holds it, else computed.
fn add_pairs(
    store: &Store,
    entries: &[Entry],
    frames: &mut [Frame],
    place: &HashMap<Cell, usize>,
) -> Result<(), StoreError> {
    let stored = store.pairs()?;
    let index = Index::new(frames);
    for row in &stored {
        if let Some((frame, task)) = index.find(place, &row.cell, &row.task) {
            frames[frame].set_pair(&row.scorer, task, row.draw_b, row.value.unwrap_or(f64::NAN));
        }
    }
    let cells: Vec<&[Entry]> = entries.chunk_by(|a, b| a.head.cell == b.head.cell).collect();
    frames.par_iter_mut().zip(cells).for_each(|(frame, entries)| {
        for scorer in Consistency::ALL {
            // The store may hold the pairs of some samples only, as after an import.
            let complete = frame
                .pairs
                .get(scorer.id())
                .is_some_and(|own| !own.iter().flatten().any(|value| value.is_nan()));
            if !complete {
                let values = entries.chunk_by(|a, b| a.head.task == b.head.task);
                let values: Vec<Vec<f64>> = values.map(|draws| agreement(scorer, draws)).collect();
                frame.pairs.insert(scorer.id().to_owned(), values);
            }
        }
    });
    Ok(())
}

/// Agreement of every sample of a task with its reference.
pub(super) fn agreement(scorer: Consistency, draws: &[Entry]) -> Vec<f64> {
    let Some((reference, samples)) = draws.split_first() else { return Vec::new() };
    if reference.head.draw != 0 {
        return vec![f64::NAN; draws.len()];
    }
    let actions =
        |entry: &Entry| scorer.pair(&reference.head.action_types, &entry.head.action_types);
    samples.iter().map(actions).collect()
}

fn add_verdicts(
    judgments: &[Verdict],
    judge: Option<&str>,
    frames: &mut [Frame],
    place: &HashMap<Cell, usize>,
) {
    let index = Index::new(frames);
    for own in judgments.iter().filter(|own| Some(own.judge.as_str()) == judge && own.draw_a == 0) {
        let Some(equivalent) = own.equivalent else { continue };
        if let Some((frame, task)) = index.find(place, &own.cell, &own.task) {
            let value = f64::from(u8::from(equivalent));
            frames[frame].set_pair("ter", task, own.draw_b, value);
        }
    }
}

impl Frame {
    fn set_pair(&mut self, scorer: &str, task: usize, draw: u32, value: f64) {
        let tasks = &self.tasks;
        let empty = || tasks.iter().map(|task| vec![f64::NAN; task.samples.len()]).collect();
        if !self.pairs.contains_key(scorer) {
            self.pairs.insert(scorer.to_owned(), empty());
        }
        let sample = tasks[task].samples.iter().position(|sample| sample.draw == draw);
        if let (Some(values), Some(sample)) = (self.pairs.get_mut(scorer), sample) {
            values[task][sample] = value;
        }
    }
}
