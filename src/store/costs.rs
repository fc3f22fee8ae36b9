//! What accepting and reviewing runs costs: `costs.jsonl` beside `annotations.jsonl`, one JSON object per
//! line, only ever appended to. The last line counts.

use serde::{Deserialize, Serialize};

use super::annotations::{self, append_to};
use super::{Store, StoreError};
use crate::model::Costs;

/// The file's name.
const FILE: &str = "costs.jsonl";

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    /// When it was written, in seconds since 1970.
    time: u64,
    /// Who wrote it; empty where nobody was named.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    author: String,
    failure: f64,
    review: f64,
    run: f64,
    /// The store it is of, where several share the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    store: Option<String>,
}

impl Store {
    /// The costs that were last kept; none where none were.
    pub fn costs(&self) -> Result<Option<Costs>, StoreError> {
        let lines = self.lines_beside_log::<Line>(FILE, |line| &line.store)?;
        let mut costs = lines.iter().rev().map(|line| Costs {
            failure: line.failure,
            review: line.review,
            run: line.run,
        });
        Ok(costs.find(Costs::are_valid))
    }

    /// Keeps costs in place of earlier ones.
    pub fn keep_costs(&self, costs: Costs, author: &str, time: u64) -> Result<(), StoreError> {
        let line = Line {
            time,
            author: author.to_owned(),
            failure: costs.failure,
            review: costs.review,
            run: costs.run,
            store: self.name_in_log(),
        };
        append_to(&self.log(), FILE, |path| {
            let mut text = annotations::json(&line, path)?;
            text.push(b'\n');
            Ok(text)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::{Extras, Manifest, StoreWriter};

    #[test]
    fn the_last_costs_count_and_a_shared_file_keeps_stores_apart() {
        let home = tempfile::tempdir().expect("a folder");
        let open = |name: &str| {
            let path = home.path().join(name);
            let writer = StoreWriter::create(&path).expect("free");
            writer.finish(Manifest::new(), &Extras::default()).expect("written");
            Store::open(&path).expect("a store")
        };
        let (cheap, dear) = (Costs::default(), Costs { failure: 99.0, ..Costs::default() });
        let store = open("a.qualm");
        assert_eq!(store.costs().expect("read"), None);
        store.keep_costs(dear, "ada", 1).expect("kept");
        store.keep_costs(cheap, "ada", 2).expect("kept");
        assert_eq!(store.costs().expect("read"), Some(cheap));
        let file = store.path().join(FILE);
        let text = fs::read_to_string(&file).expect("there");
        let more = "{\"time\":3,\"failure\":-1,\"review\":1,\"run\":0}\n{\"time\":4,\"fail";
        fs::write(&file, text + more).expect("written");
        assert_eq!(store.costs().expect("read"), Some(cheap), "what is no cost is left out");
        let log = home.path().join("data/annotations.jsonl");
        let shared = |name: &str| open(name).with_log(log.clone());
        shared("b.qualm").keep_costs(dear, "", 1).expect("kept");
        assert_eq!(shared("b.qualm").costs().expect("read"), Some(dear));
        assert_eq!(shared("c.qualm").costs().expect("read"), None);
    }
}
