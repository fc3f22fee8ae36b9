//! A store into frames.

use std::sync::Arc;

use rayon::prelude::*;

use super::find::Finder;
use super::frame::{Frame, Sample, Task, Turns};
use super::judges::{JudgeSpec, Judges, Stranger, TER, Verdict};
use super::{Engine, Scorer};
use crate::scorers::Family;
use crate::scorers::consistency::{Comparison, Consistency};
use crate::store::{Outline, Store, StoreError, Told, TurnColumns, Vote};

impl Engine {
    /// Reads everything but text and tokens. `ter` is by the judge that is asked for; when unsaid by
    /// the store's first or, where it has none, by people.
    pub fn load(store: &Store, judge: Option<&JudgeSpec>) -> Result<Self, StoreError> {
        Self::with_turns(store, judge, || store.turn_columns())
    }

    /// The same with other scores of the turns.
    pub(super) fn with_turns(
        store: &Store,
        judge: Option<&JudgeSpec>,
        turns: impl FnOnce() -> Result<TurnColumns, StoreError> + Send,
    ) -> Result<Self, StoreError> {
        // While the pieces of one table are joined, another keeps the cores busy.
        let ((turns, outline), told) =
            rayon::join(|| rayon::join(turns, || store.outline()), || Tables::read(store));
        let (turns, outline, told) = (Arc::new(turns?), outline?, told?);
        let mut frames: Vec<Frame> = (0..outline.cells.len())
            .into_par_iter()
            .map(|cell| frame(&outline, cell, &turns))
            .collect();
        drop(outline);
        add_stored(&told.scores, &mut frames);
        add_pairs(&told.pairs, &mut frames);
        let (judges, strangers) = add_verdicts(&told.judgments, &mut frames);
        let mut engine = Self {
            frames,
            scorers: Vec::new(),
            judges: Judges::new(judges, judge.cloned()),
            strangers: Arc::new(strangers),
            votes: Arc::default(),
            manifest: Arc::new(store.manifest().clone()),
        };
        engine.set_votes(&told.votes);
        engine.judge_anew();
        engine.scorers = scorers(&engine.frames);
        Ok(engine)
    }
}

/// What the store holds about its trajectories.
struct Tables {
    scores: Vec<Told>,
    pairs: Vec<Told>,
    judgments: Vec<Told>,
    votes: Vec<Vote>,
}

impl Tables {
    /// Reads the values that no scorer here computes, and the verdicts.
    fn read(store: &Store) -> Result<Self, StoreError> {
        let scorers = Scorer::offline_ids();
        let pair_scorers = Consistency::ALL.map(Consistency::id);
        Ok(Self {
            scores: store.told_scores(&|scorer| !scorers.contains(&scorer))?,
            // The store may hold the agreement of some pairs only, and computing it costs less than
            // reading it.
            pairs: store.told_pairs(&|scorer| !pair_scorers.contains(&scorer))?,
            judgments: store.told_judgments()?,
            votes: store.votes()?,
        })
    }
}

/// The scorers that have a value somewhere: the offline ones, then what the store brings, by family.
fn scorers(frames: &[Frame]) -> Vec<Scorer> {
    let mut scorers = Scorer::offline();
    let mut brought: Vec<&String> = frames.iter().flat_map(|own| own.stored.keys()).collect();
    brought.sort();
    brought.dedup();
    scorers.extend(brought.into_iter().map(|name| Scorer::Stored(name.clone())));
    scorers.retain(|scorer| frames.iter().any(|frame| frame.has(scorer)));
    let place = |own: &Scorer| Family::ALL.iter().position(|family| *family == own.family());
    scorers.sort_by_key(place);
    scorers
}

/// One cell, whose rows are by task and draw.
fn frame(outline: &Outline, cell: usize, turns: &Arc<TurnColumns>) -> Frame {
    let (cell, places) = &outline.cells[cell];
    let tasks = places.clone().map(|place| task(outline, place)).collect();
    let spans = places.clone().map(|place| {
        let span = reference(outline, place)
            .map_or(0..0, |row| turns.span(outline.turn_row[row], outline.turns[row]));
        (span.start, span.end)
    });
    let turns = Turns::new(turns.clone(), spans.collect());
    let mut frame = Frame::with(cell.clone(), tasks, turns);
    let mut values = Consistency::ALL.map(|_| Vec::with_capacity(frame.pairs_len()));
    let mut comparison = Comparison::default();
    places.clone().for_each(|place| agreement(outline, place, &mut comparison, &mut values));
    let named = Consistency::ALL.into_iter().map(|own| own.id().to_owned());
    frame.pairs.extend(named.zip(values.map(Arc::new)));
    frame
}

/// The row of a task's reference, if it has one.
fn reference(outline: &Outline, task: usize) -> Option<usize> {
    let first = outline.rows(task).start;
    (outline.draw[first] == 0).then_some(first)
}

fn task(outline: &Outline, place: usize) -> Task {
    let rows = outline.rows(place);
    let row = rows.start as u32;
    let reference = reference(outline, place);
    let samples = rows.skip(usize::from(reference.is_some())).map(|row| Sample {
        draw: outline.draw[row],
        success: outline.success[row],
        db_match: outline.db_match[row],
    });
    let known = |column: &[f64]| reference.map(|row| column[row]).filter(|own| !own.is_nan());
    let word =
        reference.and_then(|row| outline.terminations.get(outline.termination[row] as usize));
    Task {
        id: outline.tasks.get(place).to_owned(),
        success: reference.and_then(|row| outline.success[row]),
        db_match: reference.and_then(|row| outline.db_match[row]),
        turns: reference.map_or(0, |row| outline.turns[row]),
        tools: reference.map_or(0, |row| outline.tools[row]),
        termination: word.cloned(),
        reward: known(&outline.reward),
        cost: known(&outline.cost),
        row,
        has_reference: reference.is_some(),
        samples: samples.collect(),
    }
}

/// Adds the agreement of every sample of a task with its reference, by scorer.
fn agreement(
    outline: &Outline,
    task: usize,
    comparison: &mut Comparison,
    values: &mut [Vec<f64>; 4],
) {
    let Some(reference) = reference(outline, task) else {
        let draws = outline.rows(task).len();
        values.iter_mut().for_each(|own| own.resize(own.len() + draws, f64::NAN));
        return;
    };
    let samples = reference + 1..outline.rows(task).end;
    if samples.is_empty() {
        return;
    }
    comparison.set_reference(outline.actions(reference));
    for row in samples {
        comparison.set_sample(outline.actions(row));
        for (scorer, own) in Consistency::ALL.into_iter().zip(values.iter_mut()) {
            own.push(comparison.agreement(scorer));
        }
    }
}

/// Columns of values by frame and name.
#[derive(Default)]
struct Gathered {
    names: Vec<String>,
    /// By frame, with the place of the name: there are few.
    columns: Vec<Vec<(usize, Vec<f64>)>>,
}

impl Gathered {
    /// The places of a part's names.
    fn places(&mut self, names: &[String]) -> Vec<usize> {
        let mut place = |name: &String| {
            let known = self.names.iter().position(|own| own == name);
            known.unwrap_or_else(|| {
                self.names.push(name.clone());
                self.names.len() - 1
            })
        };
        names.iter().map(&mut place).collect()
    }

    fn set(&mut self, frame: usize, name: usize, length: usize, place: Option<usize>, value: f64) {
        if self.columns.len() <= frame {
            self.columns.resize_with(frame + 1, Vec::new);
        }
        let columns = &mut self.columns[frame];
        let known = columns.iter().position(|own| own.0 == name).unwrap_or_else(|| {
            columns.push((name, vec![f64::NAN; length]));
            columns.len() - 1
        });
        if let Some(place) = place {
            columns[known].1[place] = value;
        }
    }

    /// All columns with the place of their frame.
    fn into_columns(self) -> impl Iterator<Item = (usize, String, Vec<f64>)> {
        let Self { names, columns } = self;
        let columns = columns.into_iter().enumerate();
        let columns = columns.flat_map(|(frame, own)| own.into_iter().map(move |own| (frame, own)));
        columns.map(move |(frame, (name, own))| (frame, names[name].clone(), own))
    }
}

/// Calls `each` for every row, with the places of the frame and task it is about, if they are there,
/// and its subject.
fn for_rows(
    finder: &mut Finder,
    told: &Told,
    mut each: impl FnMut(usize, Option<(usize, usize)>, usize),
) {
    let frames: Vec<Option<usize>> = told.cells.iter().map(|cell| finder.frame(cell)).collect();
    let mut row = 0;
    for (subject, &(cell, end)) in told.subjects.iter().enumerate() {
        let frame = frames[cell as usize];
        let found = frame.and_then(|frame| {
            finder.task(frame, told.tasks.get(subject)).map(|task| (frame, task))
        });
        while row < end as usize {
            each(row, found, subject);
            row += 1;
        }
    }
}

/// Values of references.
fn add_stored(parts: &[Told], frames: &mut [Frame]) {
    let mut gathered = Gathered::default();
    let mut finder = Finder::new(frames);
    for told in parts {
        let names = gathered.places(&told.names);
        for_rows(&mut finder, told, |row, found, _| {
            if let Some((frame, task)) = found.filter(|_| told.draw[row] == 0) {
                let name = names[told.name[row] as usize];
                let tasks = frames[frame].tasks.len();
                gathered.set(frame, name, tasks, Some(task), told.value[row]);
            }
        });
    }
    for (frame, name, column) in gathered.into_columns() {
        frames[frame].stored.insert(name, Arc::new(column));
    }
}

/// Values of pairs.
fn add_pairs(parts: &[Told], frames: &mut [Frame]) {
    let mut gathered = Gathered::default();
    let mut finder = Finder::new(frames);
    for told in parts {
        let names = gathered.places(&told.names);
        for_rows(&mut finder, told, |row, found, _| {
            if let Some((frame, task)) = found {
                let name = names[told.name[row] as usize];
                let own = &frames[frame];
                let place = own.pair_place(task, told.other[row]);
                gathered.set(frame, name, own.pairs_len(), place, told.value[row]);
            }
        });
    }
    for (frame, name, column) in gathered.into_columns() {
        let column = Arc::new(column);
        if name == TER {
            frames[frame].unnamed_ter = Some(column);
        } else {
            frames[frame].pairs.insert(name, column);
        }
    }
}

/// The store's verdicts. Returns the judges, and the verdicts on tasks that are not there.
fn add_verdicts(parts: &[Told], frames: &mut [Frame]) -> (Vec<String>, Vec<Stranger>) {
    let mut gathered = Gathered::default();
    let places: Vec<Vec<usize>> = parts.iter().map(|told| gathered.places(&told.names)).collect();
    let mut strangers = Vec::new();
    let mut verdicts: Vec<Vec<Verdict>> = vec![Vec::new(); frames.len()];
    let mut finder = Finder::new(frames);
    for (told, names) in parts.iter().zip(&places) {
        for_rows(&mut finder, told, |row, found, subject| {
            let value = told.value[row];
            let verdict = Verdict {
                task: found.map_or(0, |(_, task)| task as u32),
                // A pair is the same whichever of its draws is named first.
                draw_a: told.draw[row].min(told.other[row]),
                draw_b: told.draw[row].max(told.other[row]),
                judge: names[told.name[row] as usize] as u32,
                equivalent: (!value.is_nan()).then_some(value > 0.0),
                confidence: told.confidence[row],
            };
            if let Some((frame, _)) = found {
                verdicts[frame].push(verdict);
            } else {
                let cell = told.cells[told.subjects[subject].0 as usize].clone();
                let task = told.tasks.get(subject).to_owned();
                strangers.push(Stranger { cell, task, verdict });
            }
        });
    }
    frames.iter_mut().zip(verdicts).for_each(|(frame, own)| frame.verdicts = Arc::new(own));
    (gathered.names, strangers)
}
