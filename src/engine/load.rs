//! Loads a store into frames.

mod needs;
mod rows;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::frame::{Frame, Sample, Task, TurnSpan, Turns};
use super::judges::{JudgeSpec, Judges};
use super::narrowed::Narrowed;
use super::{Engine, Scorer};
use crate::scorers::consistency::{Consistency, PairComparison};
use crate::scorers::{Direction, Formula, Spec};
use crate::store::{
    Manifest, Outline, ScorerSettings, Store, StoreError, TurnColumns, ValueColumns, Vote,
};
pub use needs::Needs;

impl Engine {
    /// Reads everything but text and tokens. `ter` is by the given judge; by default by the store's
    /// first or, where no model judged, by people.
    pub fn load(store: &Store, judge: Option<&JudgeSpec>) -> Result<Self, StoreError> {
        Self::load_for(store, judge, &Needs::all())
    }

    /// Reads only what some numbers are computed from. Scorers that need more have no values, and which tasks
    /// are stuck is not known.
    pub fn load_for(
        store: &Store,
        judge: Option<&JudgeSpec>,
        needs: &Needs,
    ) -> Result<Self, StoreError> {
        Self::with_turns(store, judge, needs, None)
    }

    /// The same with other scores of the turns.
    pub(super) fn with_turns(
        store: &Store,
        judge: Option<&JudgeSpec>,
        needs: &Needs,
        turns: Option<TurnColumns>,
    ) -> Result<Self, StoreError> {
        let runs = || {
            let outline = store.outline(needs.outline())?;
            let turns = match turns {
                Some(turns) => turns,
                None => store.turn_columns(needs.turns, &counted(&outline, store.manifest()))?,
            };
            Ok((outline, turns))
        };
        // While the pieces of one table are joined, another keeps the cores busy.
        let (runs, tables) = rayon::join(runs, || Tables::read(store, needs));
        let ((outline, turns), tables) = (runs?, tables?);
        let turns = Arc::new(turns);
        let mut frames: Vec<Frame> = (0..outline.cells.len())
            .into_par_iter()
            .map(|cell| frame(&outline, cell, &turns, store.manifest(), needs))
            .collect();
        drop(outline);
        let reversed = Arc::new(reversed(store.manifest()));
        frames.iter_mut().for_each(|frame| frame.reversed = reversed.clone());
        let ((stored, pairs), verdicts) = rayon::join(
            || {
                let stored = || rows::stored(&tables.scores, &frames);
                rayon::join(stored, || rows::pairs(&tables.pairs, &frames))
            },
            || rows::verdicts(&tables.judgments, &frames),
        );
        stored.add_to(&mut frames);
        pairs.add_to(&mut frames);
        let (judges, orphans) = verdicts.add_to(&mut frames);
        let mut engine = Self {
            frames,
            scorers: Vec::new(),
            named: OnceLock::new(),
            judges: Judges::new(judges, judge.cloned()),
            orphans: Arc::new(orphans),
            votes: Arc::default(),
            manifest: Arc::new(store.manifest().clone()),
            narrowed: Narrowed::default(),
        };
        engine.set_votes(&tables.votes);
        engine.judge_anew();
        engine.scorers = scorers(&engine.frames);
        Ok(engine)
    }
}

/// The scorers of which smaller values are surer, by what the user said of them.
fn reversed(manifest: &Manifest) -> BTreeSet<String> {
    let is_reversed =
        |settings: &ScorerSettings| Direction::of(settings.direction.as_deref()).is_reversed();
    let scorers = manifest.scorers.iter().filter(|(_, settings)| is_reversed(settings));
    scorers.map(|(scorer, _)| scorer.clone()).collect()
}

/// Whether values of pairs under this id count. Those of computed scorers follow from the runs; only
/// judged equivalence may be there, of stores that name no judge.
pub(super) fn reads_pairs(scorer: &str) -> bool {
    matches!(formula(scorer), None | Some(Formula::Equivalence))
}

/// How the engine computes a scorer; none where the store's values count.
fn formula(scorer: &str) -> Option<Formula> {
    Spec::find(scorer).and_then(|spec| spec.formula)
}

/// The rows of a store that values come from.
struct Tables {
    scores: Vec<ValueColumns>,
    pairs: Vec<ValueColumns>,
    judgments: Vec<ValueColumns>,
    votes: Vec<Vote>,
}

impl Tables {
    /// Reads verdicts, and the values that the engine does not compute. Those that it computes follow
    /// from the runs, whatever copy of them the store holds; that also costs less than reading them.
    fn read(store: &Store, needs: &Needs) -> Result<Self, StoreError> {
        let (mut scores, mut pairs) = (Vec::new(), Vec::new());
        if needs.reads_stored() {
            let is_needed = |scorer: &str| formula(scorer).is_none() && needs.stored(scorer);
            scores = store.score_columns(&is_needed)?;
        }
        if needs.reads_stored() || needs.verdicts {
            let is_needed = |scorer: &str| match formula(scorer) {
                None => needs.stored(scorer),
                Some(_) => reads_pairs(scorer) && needs.verdicts,
            };
            pairs = store.pair_columns(&is_needed)?;
        }
        let judgments = if needs.verdicts { store.judgment_columns()? } else { Vec::new() };
        let votes = if needs.verdicts { store.votes()? } else { Vec::new() };
        Ok(Self { scores, pairs, judgments, votes })
    }
}

/// The scorers that have a value somewhere, by family: the offline ones and those the store holds.
pub(super) fn scorers(frames: &[Frame]) -> Vec<Scorer> {
    let mut scorers = Scorer::offline();
    let names = frames.iter().flat_map(|frame| frame.stored.keys().chain(frame.pairs.keys()));
    let is_stored = |name: &&String| formula(name).is_none();
    let mut stored: Vec<&String> = names.filter(is_stored).collect();
    stored.sort();
    stored.dedup();
    scorers.extend(stored.into_iter().map(|name| Scorer::Stored(name.clone())));
    scorers.retain(|scorer| frames.iter().any(|frame| frame.has(scorer)));
    scorers.sort_by_key(Scorer::position);
    scorers
}

/// The rows of the table `turns` that count, in order: those of references, or of all draws where these have
/// no order.
fn counted(outline: &Outline, manifest: &Manifest) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    for (cell, tasks) in &outline.cells {
        let is_pooled = manifest.is_pooled(cell);
        for task in tasks.clone() {
            let reference = reference(outline, task).map_or(0..0, |row| row..row + 1);
            let rows = if is_pooled { outline.rows(task) } else { reference };
            ranges.extend(rows.map(|row| {
                let first = outline.turn_row[row];
                first..first.saturating_add(u64::from(outline.turns[row]))
            }));
        }
    }
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable_by_key(|range| range.start);
    // Neighbours become one, and a damaged table may say that runs share turns.
    ranges.dedup_by(|next, range| {
        let continues = next.start <= range.end;
        range.end = if continues { range.end.max(next.end) } else { range.end };
        continues
    });
    ranges
}

/// One cell. Its rows are the references of its tasks or, where draws have no order, all draws.
fn frame(
    outline: &Outline,
    cell: usize,
    turns: &Arc<TurnColumns>,
    manifest: &Manifest,
    needs: &Needs,
) -> Frame {
    let (cell, indices) = &outline.cells[cell];
    let is_pooled = manifest.is_pooled(cell);
    let rows = || {
        indices.clone().flat_map(|index| {
            let draws = if is_pooled { outline.rows(index) } else { 0..0 };
            let reference = (!is_pooled).then(|| reference(outline, index));
            draws.map(Some).chain(reference).map(move |counted| (index, counted))
        })
    };
    let task = |(index, counted)| task(outline, index, counted, needs.samples());
    let tasks = rows().map(task).collect();
    let spans = rows().map(|(_, counted)| {
        let first = counted.map_or(0, |row| outline.turn_row[row]);
        let span = counted.map_or(0..0, |row| turns.span(first, outline.turns[row]));
        TurnSpan { start: span.start, end: span.end, first_row: first as u32 }
    });
    let turns = Turns::new(turns.clone(), spans.collect());
    let mut frame = Frame::with(cell.clone(), tasks, turns);
    if is_pooled {
        frame.pool();
    }
    let scorers = &needs.consistency;
    let column = |_: &Consistency| Vec::with_capacity(frame.pairs_len());
    let mut values: Vec<Vec<f64>> = scorers.iter().map(column).collect();
    let mut comparison = PairComparison::default();
    if !scorers.is_empty() {
        rows().for_each(|row| agreement(outline, row, &mut comparison, scorers, &mut values));
    }
    let names = scorers.iter().map(|scorer| scorer.id().to_owned());
    frame.pairs.extend(names.zip(values.into_iter().map(Arc::new)));
    frame
}

/// The row of a task's reference, if it has one.
fn reference(outline: &Outline, task: usize) -> Option<usize> {
    let first = outline.rows(task).start;
    (outline.draw[first] == 0).then_some(first)
}

/// A task, of which the outcome and the scores of one trajectory count, if there is one.
fn task(outline: &Outline, index: usize, reference: Option<usize>, with_samples: bool) -> Task {
    let rows = outline.rows(index);
    let row = rows.start as u32;
    let others = if with_samples { rows } else { 0..0 };
    let samples = others.filter(|row| Some(*row) != reference).map(|row| Sample {
        draw: outline.draw[row],
        success: outline.success[row],
        db_match: outline.db_match[row],
        db_graded: outline.db_graded[row],
        checks: outline.checks[row].clone(),
    });
    let known = |column: &[f64]| reference.map(|row| column[row]).filter(|value| !value.is_nan());
    let termination =
        reference.and_then(|row| outline.terminations.get(outline.termination[row] as usize));
    Task {
        id: outline.tasks.get(index).to_owned(),
        draw: reference.map_or(0, |row| outline.draw[row]),
        success: reference.and_then(|row| outline.success[row]),
        db_match: reference.and_then(|row| outline.db_match[row]),
        db_graded: reference.and_then(|row| outline.db_graded[row]),
        checks: reference.map(|row| outline.checks[row].clone()).unwrap_or_default(),
        turns: reference.map(|row| outline.turns[row]),
        tools: reference.map(|row| outline.tools[row]),
        termination: termination.cloned(),
        reward: known(&outline.reward),
        cost: known(&outline.cost),
        row,
        has_reference: reference.is_some(),
        samples: samples.collect(),
    }
}

/// Appends the agreement of every other draw of a task with the one that counts, by scorer.
fn agreement(
    outline: &Outline,
    (task, counted): (usize, Option<usize>),
    comparison: &mut PairComparison,
    scorers: &[Consistency],
    values: &mut [Vec<f64>],
) {
    let Some(reference) = counted else {
        let draws = outline.rows(task).len();
        values.iter_mut().for_each(|column| column.resize(column.len() + draws, f64::NAN));
        return;
    };
    if outline.rows(task).len() < 2 {
        return;
    }
    comparison.set_reference(outline.actions(reference));
    for row in outline.rows(task).filter(|row| *row != reference) {
        comparison.set_sample(outline.actions(row));
        for (scorer, column) in scorers.iter().zip(values.iter_mut()) {
            column.push(comparison.agreement(*scorer));
        }
    }
}
