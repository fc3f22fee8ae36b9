//! Keeps what is still valid of an older store when new results are imported.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::alike::Alike;
use crate::model::{Cell, DriftRow, Head, Score, Skip, Span, Trajectory};
use crate::readers::special;
use crate::scorers::whitebox::{self, Spans};
use crate::scorers::{Level, Need, SPECS, Spec};
use crate::store::{
    Amendment, Entry, Extras, Manifest, ScorerSettings, Store, StoreError, StoreWriter,
};

/// Runs that are copied together.
const BATCH: usize = 200;

/// What was kept of an older store: the old draws of its runs, in the order in which they were
/// written, and its values.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) draws: Vec<u32>,
    /// The old numbers of these runs.
    numbers: Vec<u32>,
    pub(super) replaced: u64,
    gone: Vec<(Cell, String)>,
    /// Files whose runs came in again from another file: the cell, the older and the newer file.
    superseded: HashSet<(Cell, String, String)>,
    /// Old draws and numbers of replaced runs that came in again word for word, by the index of the new
    /// run.
    again: HashMap<usize, (u32, u32)>,
    extras: Extras,
}

/// Stored values that no longer hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    /// Those that `qualm score` makes again.
    pub computed: u64,
    /// Scores of models and of the user.
    pub brought: u64,
    /// Verdicts of judges.
    pub verdicts: u64,
}

impl Dropped {
    /// All of them.
    pub fn total(self) -> u64 {
        self.computed + self.brought + self.verdicts
    }

    fn count(extras: &Extras) -> Self {
        let scorers = (extras.scores.iter().map(|row| &row.scorer))
            .chain(extras.pairs.iter().map(|row| &row.scorer));
        let is_computed =
            |scorer: &String| Spec::find(scorer).is_some_and(|spec| spec.formula.is_some());
        let computed = scorers.filter(|scorer| is_computed(scorer)).count();
        let brought = extras.scores.len() + extras.pairs.len() - computed;
        Self {
            computed: computed as u64,
            brought: brought as u64,
            verdicts: extras.judgments.len() as u64,
        }
    }
}

/// Copies the runs of the older store that are not among the new results. An empty run goes when the
/// new results skip it.
pub(super) fn keep(
    older: &Store,
    writer: &mut StoreWriter,
    skipped: &[Skip],
    spans: Spans,
    alike: &mut Alike,
) -> Result<Kept, StoreError> {
    older.require_all_tables()?;
    older.require_sound_runs()?;
    let mut kept = Kept::default();
    let mut staying = {
        let fresh = Identities::of(writer.entries_mut());
        let is_skipped = |head: &Head| {
            head.turns == 0
                && skipped.iter().any(|skip| {
                    (&skip.cell, &skip.task, skip.trial)
                        == (&head.cell, &head.task, head.origin.trial)
                        && skip.source == head.origin.source
                })
        };
        let goes = |entry: &Entry| fresh.holds(&entry.head) || is_skipped(&entry.head);
        let (staying, going): (Vec<_>, Vec<_>) =
            older.entries()?.into_iter().partition(|entry| !goes(entry));
        kept.replaced = going.len() as u64;
        for Entry { id, head, .. } in going {
            if let Some(newer) = fresh.other_source(&head) {
                let older = head.origin.source.clone();
                kept.superseded.insert((head.cell.clone(), older, newer.to_owned()));
            }
            // The same words are the same run: what is known about it still holds.
            let same = fresh.same(&head).filter(|index| !kept.again.contains_key(index));
            match same {
                Some(index) => drop(kept.again.insert(index, (head.draw, id))),
                None => kept.gone.push((head.cell, head.task)),
            }
        }
        staying
    };
    staying.sort_by_key(|entry| entry.rows.message);
    for batch in staying.chunks(BATCH) {
        let heads: Vec<&Head> = batch.iter().map(|entry| &entry.head).collect();
        let contexts = older.contexts_of(&heads)?;
        for (run, context) in older.trajectories(batch)?.into_iter().zip(contexts) {
            let mut run = without_special_tokens(run, spans);
            run.context = context;
            alike.meet(&run);
            writer.push(run)?;
        }
    }
    writer.flush()?;
    kept.draws = staying.iter().map(|entry| entry.head.draw).collect();
    kept.numbers = staying.iter().map(|entry| entry.id).collect();
    kept.extras = Extras {
        scores: older.scores()?,
        pairs: older.pairs()?,
        judgments: older.judgments()?,
        tasks: older.tasks()?,
        drift: older.drift_rows()?,
    };
    Ok(kept)
}

/// Scores the turns again in which an earlier version counted special tokens.
fn without_special_tokens(mut run: Trajectory, spans: Spans) -> Trajectory {
    for turn in &mut run.turns {
        // Without any text, a token without text is no sign of an end.
        let with_text = turn.tokens.as_mut().filter(|tokens| !tokens.is_textless());
        let Some(tokens) = with_text else { continue };
        let before = tokens.count(Span::Special);
        let blank: Vec<bool> = tokens.iter().map(|token| token.text.is_empty()).collect();
        special::mark(tokens, |index| blank[index]);
        if tokens.count(Span::Special) > before {
            turn.scores = whitebox::turn_scores(tokens, spans);
        }
    }
    run
}

impl Kept {
    /// Forgets records that left no run in a file and are in a newer version of that file as well.
    pub(super) fn forget_repaired(&self, skipped: &mut Vec<Skip>, fresh: &[Entry]) {
        if self.superseded.is_empty() {
            return;
        }
        let runs = fresh.iter().map(|Entry { head, .. }| {
            (&head.cell, head.task.as_str(), head.origin.trial, head.origin.source.as_str())
        });
        let runs: HashSet<_> = runs.collect();
        let records: Vec<Skip> = skipped.clone();
        let records: HashSet<_> = records
            .iter()
            .map(|skip| (&skip.cell, skip.task.as_str(), skip.trial, skip.source.as_str()))
            .collect();
        skipped.retain(|skip| {
            let mut newer = self.superseded.iter().filter(|(cell, older, _)| {
                (cell, older.as_str()) == (&skip.cell, skip.source.as_str())
            });
            !newer.any(|(cell, _, newer)| {
                let attempt = (cell, skip.task.as_str(), skip.trial, newer.as_str());
                runs.contains(&attempt) || records.contains(&attempt)
            })
        });
    }

    /// The values that still hold, under the new numbers of their draws, and the number of those that
    /// do not. `kept` and `fresh` are the entries of the new store that came from the older one and
    /// from the new results.
    pub(super) fn extras(
        mut self,
        kept: &[Entry],
        fresh: &[Entry],
        pooled: &[Cell],
    ) -> (Extras, Dropped) {
        self.extras.drift = self.drift(kept, fresh);
        let mut renumbered: HashMap<(&Cell, &str, u32), u32> = HashMap::new();
        let mut changed: HashSet<(&Cell, &str)> =
            self.gone.iter().map(|(cell, task)| (cell, task.as_str())).collect();
        let news = fresh.iter().enumerate().filter(|(index, _)| !self.again.contains_key(index));
        changed.extend(news.map(|(_, entry)| (&entry.head.cell, entry.head.task.as_str())));
        let again = self.again.iter().map(|(&index, (old, _))| (&fresh[index], old));
        for (entry, old) in kept.iter().zip(&self.draws).chain(again) {
            let Head { cell, task, draw, .. } = &entry.head;
            renumbered.insert((cell, task, *old), *draw);
            if *old == 0 && *draw != 0 && !pooled.contains(cell) {
                changed.insert((cell, task));
            }
        }
        let renumber = |cell: &Cell, task: &str, draw: &mut u32| {
            let new = renumbered.get(&(cell, task, *draw)).copied();
            *draw = new.unwrap_or(*draw);
            new.is_some()
        };
        let before = Dropped::count(&self.extras);
        let Extras { scores, pairs, judgments, .. } = &mut self.extras;
        let in_pairs: HashSet<&str> = pairs.iter().map(|row| row.scorer.as_str()).collect();
        let is_over_pairs = |scorer: &str| {
            let spec = Spec::find(scorer);
            in_pairs.contains(scorer) || spec.is_some_and(|spec| spec.level == Level::Pair)
        };
        scores.retain_mut(|row| {
            // The mean over a task's pairs holds only for the draws that it was taken over.
            let stale =
                is_over_pairs(&row.scorer) && changed.contains(&(&row.cell, row.task.as_str()));
            !stale && renumber(&row.cell, &row.task, &mut row.draw)
        });
        pairs.retain_mut(|row| {
            renumber(&row.cell, &row.task, &mut row.draw_a)
                && renumber(&row.cell, &row.task, &mut row.draw_b)
                && (row.draw_a == 0 || pooled.contains(&row.cell))
        });
        judgments.retain_mut(|row| {
            renumber(&row.cell, &row.task, &mut row.draw_a)
                && renumber(&row.cell, &row.task, &mut row.draw_b)
        });
        let after = Dropped::count(&self.extras);
        let dropped = Dropped {
            computed: before.computed - after.computed,
            brought: before.brought - after.brought,
            verdicts: before.verdicts - after.verdicts,
        };
        (self.extras, dropped)
    }

    /// The drift of the turns of runs that are still there, under their new numbers.
    fn drift(&mut self, kept: &[Entry], fresh: &[Entry]) -> Vec<DriftRow> {
        let staying = self.numbers.iter().copied().zip(kept.iter().map(|entry| entry.id));
        let again = self.again.iter().map(|(&index, (_, old))| (*old, fresh[index].id));
        let numbers: HashMap<u32, u32> = staying.chain(again).collect();
        let renumbered = |row: DriftRow| {
            let trajectory = *numbers.get(&row.trajectory)?;
            Some(DriftRow { trajectory, ..row })
        };
        let rows = std::mem::take(&mut self.extras.drift).into_iter();
        let mut rows: Vec<DriftRow> = rows.filter_map(renumbered).collect();
        rows.sort_by_key(|row| (row.trajectory, row.turn));
        rows
    }
}

/// Keeps the settings of scorers that still have a value, and recipes, by which values are made again.
pub(super) fn keep_settings(settings: &mut BTreeMap<String, ScorerSettings>, extras: &Extras) {
    let scores = extras.scores.iter().map(|row| row.scorer.as_str());
    let pairs = extras.pairs.iter().map(|row| row.scorer.as_str());
    let valued: HashSet<&str> = scores.chain(pairs).collect();
    settings
        .retain(|scorer, settings| settings.recipe.is_some() || valued.contains(scorer.as_str()));
}

/// Forgets what copies of computed values were made from, where no copy is left.
pub(super) fn forget_copies(manifest: &mut Manifest, extras: &Extras) {
    let is_computed = |row: &Score| {
        let counts = row.draw == 0 || manifest.is_pooled(&row.cell);
        counts && Spec::find(&row.scorer).is_some_and(|spec| spec.formula.is_some())
    };
    if !extras.scores.iter().any(is_computed) {
        manifest.computed_from = None;
    }
}

/// Drops the stored values that verdicts make. New verdicts of one task may change those of all: the
/// judge that counts is the store's first, and people where no model judged.
pub(super) fn drop_judged(amendment: &mut Amendment) -> Result<(), StoreError> {
    let is_judged =
        |row: &Score| Spec::find(&row.scorer).is_some_and(|spec| spec.needs(Need::Judge));
    let mut scores = amendment.store().scores()?;
    let before = scores.len();
    scores.retain(|row| !is_judged(row));
    if scores.len() == before {
        return Ok(());
    }
    for spec in SPECS.iter().filter(|spec| spec.needs(Need::Judge)) {
        if scores.iter().all(|row| row.scorer != spec.id) {
            amendment.settings(spec.id, None);
        }
    }
    amendment.scores(&scores)
}

/// A new run: its index, the fingerprint of its messages, and its file.
#[derive(Clone, Copy)]
struct Fresh<'a> {
    index: usize,
    print: Option<u64>,
    source: &'a str,
}

/// What tells a run from others: the harness's id, or the position in its file.
#[derive(Default)]
struct Identities<'a> {
    ids: HashMap<(&'a Cell, &'a str, Option<i64>, &'a str, u64), Fresh<'a>>,
    positions: HashMap<(&'a Cell, &'a str, &'a str, Option<i64>, u32), Fresh<'a>>,
}

impl<'a> Identities<'a> {
    fn of(entries: &'a [Entry]) -> Self {
        let mut identities = Self::default();
        for (index, Entry { head, .. }) in entries.iter().enumerate() {
            let fresh = Fresh { index, print: head.fingerprint, source: &head.origin.source };
            identities.ids.extend(Self::id(head).map(|id| (id, fresh)));
            identities.positions.insert(Self::position(head), fresh);
        }
        identities
    }

    fn holds(&self, head: &Head) -> bool {
        self.replacing(head).iter().any(Option::is_some)
    }

    /// The new runs that replace an older one, by its id and by its position.
    fn replacing(&self, head: &Head) -> [Option<Fresh<'a>>; 2] {
        let by_id = Self::id(head).and_then(|id| self.ids.get(&id));
        [by_id.copied(), self.positions.get(&Self::position(head)).copied()]
    }

    /// The index of the new run that replaces an older one and has the same words.
    fn same(&self, head: &Head) -> Option<usize> {
        let print = head.fingerprint?;
        let mut replacing = self.replacing(head).into_iter().flatten();
        replacing.find(|fresh| fresh.print == Some(print)).map(|fresh| fresh.index)
    }

    /// The other file from which a run came in again.
    fn other_source(&self, head: &Head) -> Option<&'a str> {
        let [by_id, _] = self.replacing(head);
        by_id.map(|fresh| fresh.source).filter(|source| *source != head.origin.source)
    }

    fn id(head: &Head) -> Option<(&Cell, &str, Option<i64>, &str, u64)> {
        let id = head.origin.unique_id()?;
        Some((&head.cell, &head.task, head.origin.trial, id, head.distinction()))
    }

    fn position(head: &Head) -> (&Cell, &str, &str, Option<i64>, u32) {
        let origin = &head.origin;
        (&head.cell, &head.task, &origin.source, origin.trial, origin.repeat)
    }
}
