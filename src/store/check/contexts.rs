//! Whether contexts are what their keys say, and are those of the trajectories.

use std::collections::HashSet;

use serde::de::IgnoredAny;

use super::Problems;
use crate::store::table::TableName;
use crate::store::{Entry, Store};

/// Compares the table `contexts` with the keys of the trajectories and with its own.
pub(super) fn check(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let contexts = match store.contexts() {
        Ok(contexts) => contexts,
        Err(error) => return problems.add_error(&error),
    };
    let needed: HashSet<u64> = entries.iter().filter_map(|entry| entry.head.context).collect();
    let mut seen = HashSet::new();
    for (key, context) in &contexts {
        let mut add = |problem: &str| {
            problems.add(TableName::Contexts, format!("{key:016x}: {problem}"));
        };
        if !seen.insert(*key) {
            add("occurs twice");
        }
        if context.key() != *key {
            add("the key is not that of its content");
        }
        if !needed.contains(key) {
            add("is of no trajectory");
        }
        let is_list = |tools: &str| serde_json::from_str::<Vec<IgnoredAny>>(tools).is_ok();
        if context.tools.as_deref().is_some_and(|tools| !is_list(tools)) {
            add("the tools are no JSON list");
        }
    }
    let is_missing = |entry: &&Entry| entry.head.context.is_some_and(|key| !seen.contains(&key));
    let mut missing = entries.iter().filter(is_missing);
    if let Some(Entry { id, .. }) = missing.next() {
        let more = match missing.count() {
            0 => String::new(),
            more => format!(" ({more} more)"),
        };
        problems.add(TableName::Contexts, format!("has none for trajectory {id}{more}"));
    }
}
