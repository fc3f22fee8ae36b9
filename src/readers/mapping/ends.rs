//! Where the runs of a file end whose records are gathered.

use std::collections::HashMap;

use serde_json::Value;

use super::Mapping;

/// The runs of a file by their keys, and the record that each ends with.
#[derive(Debug, Default)]
pub(in crate::readers) struct Ends {
    by_key: HashMap<String, usize>,
    /// The number of the last record of every run.
    last: Vec<u64>,
    /// The run of the record that came last; a record without a key belongs to it.
    current: usize,
    /// Records that were seen.
    seen: u64,
}

impl Ends {
    /// Takes a record in on the first way through a file.
    pub(in crate::readers) fn note(&mut self, mapping: &Mapping, record: &Value) {
        let number = self.seen;
        self.seen += 1;
        if mapping.skips(record) {
            return;
        }
        if let Some(key) = mapping.key(record) {
            // Records before the first key belong to its run.
            let next = self.by_key.len();
            self.current = *self.by_key.entry(key).or_insert(next);
        }
        if self.last.len() <= self.current {
            self.last.resize(self.current + 1, number);
        }
        self.last[self.current] = number;
    }

    /// The run of the next record on the second way through the file, and whether it ends with it.
    pub(super) fn next(&mut self, key: Option<&str>) -> (usize, bool) {
        if let Some(index) = key.and_then(|key| self.by_key.get(key)) {
            self.current = *index;
        }
        (self.current, self.last.get(self.current) == Some(&self.seen))
    }

    /// Goes past a record on the second way through the file.
    pub(super) fn pass(&mut self) {
        self.seen += 1;
    }

    /// Goes back to the beginning of the file.
    pub(in crate::readers) fn rewind(&mut self) {
        (self.current, self.seen) = (0, 0);
    }
}

impl Mapping {
    /// Whether the messages of a run stand in several records, which a key holds together.
    pub(in crate::readers) fn gathers_by_key(&self) -> bool {
        self.records.run.is_some()
    }

    /// The fields that tell which run a record belongs to; none where all may be needed.
    pub(in crate::readers) fn key_fields(&self) -> Option<Vec<String>> {
        let pointers = [&self.records.run, &self.records.skip].into_iter().flatten();
        pointers.map(|pointer| pointer.first().map(str::to_owned)).collect()
    }

    /// Whether a record is left out.
    pub(super) fn skips(&self, record: &Value) -> bool {
        let skip = self.records.skip.as_ref().and_then(|skip| skip.text(record));
        skip.is_some_and(|skip| !matches!(skip.as_str(), "false" | "0" | ""))
    }

    /// What holds the records of a run together.
    pub(super) fn key(&self, record: &Value) -> Option<String> {
        self.records.run.as_ref()?.text(record).filter(|key| !key.is_empty())
    }
}
