//! Converts what agents were given to and from the table `contexts`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use polars::prelude::{DataFrame, PolarsResult};

use super::columns::{self as col, Frame};
use super::table::TableName;
use super::{Entry, Store, StoreError};
use crate::model::{Context, Head, RecentContexts, Trajectory};

/// The rows of the contexts of runs that are not written yet. Gives every run the key of its context.
pub(super) fn frame(
    runs: &mut [Trajectory],
    written: &mut HashSet<u64>,
) -> PolarsResult<DataFrame> {
    let mut rows: Vec<(u64, Arc<Context>)> = Vec::new();
    for run in runs {
        let key =
            run.context.as_deref().map(|context| run.head.context.unwrap_or_else(|| context.key()));
        run.head.context = key;
        let context = key.zip(run.context.take());
        rows.extend(context.filter(|(key, _)| written.insert(*key)));
    }
    let contexts = || rows.iter().map(|(_, context)| context.given());
    DataFrame::new(
        rows.len(),
        vec![
            col::large("context", rows.iter().map(|(key, _)| *key)),
            col::text_opt("policy", contexts().map(|given| given.policy)),
            col::text_opt("system_prompt", contexts().map(|given| given.system)),
            col::text_opt("tools", contexts().map(|given| given.tools)),
        ],
    )
}

fn contexts(frame: &Frame) -> Result<Vec<(u64, Arc<Context>)>, StoreError> {
    let mut key = frame.large("context")?;
    let mut policy = frame.text("policy")?;
    let mut system = frame.text("system_prompt")?;
    let mut tools = frame.text("tools")?;
    let row = |_| {
        let context = Context {
            policy: policy.next_owned(),
            system: system.next_owned(),
            tools: tools.next_owned(),
        };
        Ok((key.need()?, Arc::new(context)))
    };
    (0..frame.height()).map(row).collect()
}

/// What an open store has read of its contexts.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The rows of all contexts by their keys.
    rows: OnceLock<HashMap<u64, u64>>,
    recent: Mutex<RecentContexts>,
}

/// Rows between two needed ones that are read along with them.
const GAP: u64 = 8;

/// Ascending rows as ranges with small gaps.
fn ranges(rows: &[u64]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for &row in rows {
        match ranges.last_mut().filter(|last| row <= last.end + GAP) {
            Some(last) => last.end = row + 1,
            None => ranges.push(row..row + 1),
        }
    }
    ranges
}

impl Store {
    /// All contexts of the store with their keys.
    pub fn contexts(&self) -> Result<Vec<(u64, Arc<Context>)>, StoreError> {
        self.read(TableName::Contexts, contexts)
    }

    /// What the agent of a run was given; none where the results do not say, or an older version of qualm
    /// imported them. Runs with the same context share it.
    pub fn context(&self, entry: &Entry) -> Result<Option<Arc<Context>>, StoreError> {
        let mut contexts = self.contexts_of(&[&entry.head])?;
        Ok(contexts.pop().flatten())
    }

    /// What the agents of some runs were given, in the order of the runs. Every context is read once.
    pub fn contexts_of(&self, heads: &[&Head]) -> Result<Vec<Option<Arc<Context>>>, StoreError> {
        let mut found: HashMap<u64, Arc<Context>> = HashMap::new();
        let mut missing = Vec::new();
        {
            let recent = self.contexts.recent.lock().unwrap_or_else(PoisonError::into_inner);
            let keys: HashSet<u64> = heads.iter().filter_map(|head| head.context).collect();
            for key in keys {
                match recent.get(key) {
                    Some(context) => drop(found.insert(key, context)),
                    None => missing.push(key),
                }
            }
        }
        if !missing.is_empty() {
            for (key, context) in self.read_contexts(&missing)? {
                let mut recent =
                    self.contexts.recent.lock().unwrap_or_else(PoisonError::into_inner);
                found.insert(key, recent.add(key, context));
            }
        }
        let of_run = |head: &&Head| {
            let Some(key) = head.context else { return Ok(None) };
            let context = found.get(&key).cloned();
            let missing = || {
                let problem = format!("the context {key:016x} is missing");
                StoreError::damaged(&TableName::Contexts.path(&self.path), problem)
            };
            context.map(Some).ok_or_else(missing)
        };
        heads.iter().map(of_run).collect()
    }

    /// The contexts with these keys that the table has.
    fn read_contexts(&self, keys: &[u64]) -> Result<Vec<(u64, Arc<Context>)>, StoreError> {
        let by_key = self.context_rows()?;
        let mut rows: Vec<u64> = keys.iter().filter_map(|key| by_key.get(key).copied()).collect();
        rows.sort_unstable();
        let mut read = Vec::new();
        for range in ranges(&rows) {
            if let Some(frame) = self.rows(TableName::Contexts, &range)? {
                read.extend(contexts(&frame)?.into_iter().filter(|(key, _)| keys.contains(key)));
            }
        }
        Ok(read)
    }

    /// The keys of all contexts.
    pub(super) fn context_keys(&self) -> Result<impl Iterator<Item = u64>, StoreError> {
        Ok(self.context_rows()?.keys().copied())
    }

    /// The rows of all contexts by their keys.
    fn context_rows(&self) -> Result<&HashMap<u64, u64>, StoreError> {
        if let Some(rows) = self.contexts.rows.get() {
            return Ok(rows);
        }
        let mut rows = HashMap::new();
        if let Some(table) = self.table(TableName::Contexts) {
            let frame = table.read_columns(&(0..table.rows()?), &["context"])?;
            let mut key = frame.large("context")?;
            for row in 0..frame.height() as u64 {
                rows.entry(key.need()?).or_insert(row);
            }
        }
        Ok(self.contexts.rows.get_or_init(|| rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_lie_close_are_read_together() {
        assert_eq!(ranges(&[]), []);
        assert_eq!(ranges(&[0, 1, 2 + GAP, 40, 41]), [0..3 + GAP, 40..42]);
    }
}
