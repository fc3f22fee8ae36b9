//! What stays of an older store when new results come in.

use std::collections::{HashMap, HashSet};

use super::alike::Alike;
use super::stream::UNIQUE_ID;
use crate::model::{Cell, Head, Skip};
use crate::store::{Entry, Extras, Store, StoreError, StoreWriter};

/// Runs that are copied together.
const BATCH: usize = 200;

/// Scorers whose value for a task rests on all of its samples.
const OVER_SAMPLES: [&str; 6] = ["fac", "asc", "adc", "aec", "ncp", "ter"];

/// What was kept: the old draws of the runs, in the order in which they were written, and the values
/// that the store held.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) draws: Vec<u32>,
    pub(super) replaced: u64,
    gone: Vec<(Cell, String)>,
    extras: Extras,
}

/// Copies the runs of the older store that the writer does not hold anew. An empty run that was kept
/// goes when it is now skipped.
pub(super) fn keep(
    older: &Store,
    writer: &mut StoreWriter,
    skipped: &[Skip],
    alike: &mut Alike,
) -> Result<Kept, StoreError> {
    older.require_all_tables()?;
    let (staying, going) = {
        let fresh = Identities::of(writer.entries_mut());
        let is_skipped = |head: &Head| {
            head.turns == 0
                && skipped.iter().any(|own| {
                    (&own.cell, &own.task, own.trial) == (&head.cell, &head.task, head.origin.trial)
                        && own.source == head.origin.source
                })
        };
        let goes = |entry: &Entry| fresh.holds(&entry.head) || is_skipped(&entry.head);
        older.entries()?.into_iter().partition::<Vec<_>, _>(|entry| !goes(entry))
    };
    let mut staying = staying;
    staying.sort_by_key(|entry| entry.rows.message);
    for batch in staying.chunks(BATCH) {
        for run in older.trajectories(batch)? {
            alike.meet(&run);
            writer.push(run)?;
        }
    }
    writer.flush()?;
    Ok(Kept {
        draws: staying.iter().map(|entry| entry.head.draw).collect(),
        replaced: going.len() as u64,
        gone: going.into_iter().map(|entry| (entry.head.cell, entry.head.task)).collect(),
        extras: Extras {
            scores: older.scores()?,
            pairs: older.pairs()?,
            judgments: older.judgments()?,
            tasks: older.tasks()?,
        },
    })
}

impl Kept {
    /// The values that still hold, under the new numbers of their draws, and how many do not.
    /// `kept` and `fresh` are the entries of the new store that came from the older one and from
    /// the new results.
    pub(super) fn extras(mut self, kept: &[Entry], fresh: &[Entry]) -> (Extras, u64) {
        let mut renumbered: HashMap<(&Cell, &str, u32), u32> = HashMap::new();
        let mut changed: HashSet<(&Cell, &str)> =
            self.gone.iter().map(|(cell, task)| (cell, task.as_str())).collect();
        changed.extend(fresh.iter().map(|own| (&own.head.cell, own.head.task.as_str())));
        for (entry, old) in kept.iter().zip(&self.draws) {
            let Head { cell, task, draw, .. } = &entry.head;
            renumbered.insert((cell, task, *old), *draw);
            if *old == 0 && *draw != 0 {
                changed.insert((cell, task));
            }
        }
        let renumber = |cell: &Cell, task: &str, draw: &mut u32| {
            let new = renumbered.get(&(cell, task, *draw)).copied();
            *draw = new.unwrap_or(*draw);
            new.is_some()
        };
        let extras = &mut self.extras;
        let before = extras.scores.len() + extras.pairs.len() + extras.judgments.len();
        extras.scores.retain_mut(|row| {
            let stale = OVER_SAMPLES.contains(&row.scorer.as_str())
                && changed.contains(&(&row.cell, row.task.as_str()));
            !stale && renumber(&row.cell, &row.task, &mut row.draw)
        });
        extras.pairs.retain_mut(|row| {
            renumber(&row.cell, &row.task, &mut row.draw_a)
                && renumber(&row.cell, &row.task, &mut row.draw_b)
                && row.draw_a == 0
        });
        extras.judgments.retain_mut(|row| {
            renumber(&row.cell, &row.task, &mut row.draw_a)
                && renumber(&row.cell, &row.task, &mut row.draw_b)
        });
        let after = extras.scores.len() + extras.pairs.len() + extras.judgments.len();
        (self.extras, (before - after) as u64)
    }
}

/// What tells a run from others: its own id, or its place in its file.
#[derive(Default)]
struct Identities<'a> {
    ids: HashSet<(&'a Cell, &'a str, Option<i64>, &'a str)>,
    places: HashSet<(&'a Cell, &'a str, &'a str, Option<i64>, u32)>,
}

impl<'a> Identities<'a> {
    fn of(entries: &'a [Entry]) -> Self {
        let mut identities = Self::default();
        for Entry { head, .. } in entries {
            identities.ids.extend(Self::id(head));
            identities.places.insert(Self::place(head));
        }
        identities
    }

    fn holds(&self, head: &Head) -> bool {
        self.places.contains(&Self::place(head))
            || Self::id(head).is_some_and(|id| self.ids.contains(&id))
    }

    fn id(head: &Head) -> Option<(&Cell, &str, Option<i64>, &str)> {
        let id = head.origin.run_id.as_deref().filter(|id| id.len() >= UNIQUE_ID)?;
        Some((&head.cell, &head.task, head.origin.trial, id))
    }

    fn place(head: &Head) -> (&Cell, &str, &str, Option<i64>, u32) {
        let origin = &head.origin;
        (&head.cell, &head.task, &origin.source, origin.trial, origin.repeat)
    }
}
