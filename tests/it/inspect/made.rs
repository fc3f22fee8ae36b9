//! Archives made from the fixture, whole and broken.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Write as _};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::support::data;

/// Stands for NaN, which Python writes and JSON has not.
const NAN: &str = "\"stands for NaN\"";

/// The entries of a log, in the order of an archive.
pub struct Log {
    pub entries: Vec<(String, String)>,
    document: String,
}

impl Log {
    /// The fixture, as Inspect would write it into an archive: samples in the order in which they ended.
    pub fn fixture() -> Self {
        let document = fs::read_to_string(data("inspect.json")).expect("text");
        let json = document.replace("NaN", NAN);
        let mut log: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&json).expect("JSON");
        let samples = log.remove("samples").expect("samples");
        // As they are written: the order of their keys means something.
        let samples: Vec<&RawValue> = serde_json::from_str(samples.get()).expect("a list");
        let start = json!({"version": 2, "eval": log["eval"], "plan": log["plan"]});
        let mut entries = vec![("_journal/start.json".to_owned(), start.to_string())];
        let mut summaries = Vec::new();
        for raw in samples.iter().rev() {
            let sample: Value = serde_json::from_str(raw.get()).expect("a sample");
            let id = sample["id"].as_str().map_or_else(|| sample["id"].to_string(), str::to_owned);
            let name = format!("samples/{id}_epoch_{}.json", sample["epoch"]);
            entries.push((name, raw.get().to_owned()));
            summaries.push(json!({"id": sample["id"], "epoch": sample["epoch"], "scores": {}}));
        }
        let summaries = Value::from(summaries).to_string();
        entries.push(("_journal/summaries/1.json".to_owned(), summaries.clone()));
        entries.push(("summaries.json".to_owned(), summaries));
        entries.push(("header.json".to_owned(), json!(log).to_string()));
        for (_, entry) in &mut entries {
            *entry = entry.replace(NAN, "NaN");
        }
        Self { entries, document }
    }

    pub fn document(&self) -> String {
        self.document.clone()
    }

    pub fn entry(&self, name: &str) -> String {
        let found = self.entries.iter().find(|(entry, _)| entry == name);
        found.unwrap_or_else(|| panic!("no entry {name}")).1.clone()
    }

    pub fn archive(&self, method: CompressionMethod) -> Vec<u8> {
        archive(self.entries.iter().map(|(name, text)| (name.as_str(), text.as_bytes())), method)
    }
}

/// A zip archive of these entries.
pub fn archive<'a>(
    entries: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    method: CompressionMethod,
) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in entries {
        writer.start_file(name, options).expect("started");
        writer.write_all(bytes).expect("written");
    }
    writer.finish().expect("finished").into_inner()
}

/// The position of the record of an entry in the central directory of an archive.
pub fn record(archive: &[u8], name: &str) -> usize {
    let records = (0..archive.len()).filter(|at| archive[*at..].starts_with(b"PK\x01\x02"));
    let named = |at: &usize| archive[*at + 46..].starts_with(name.as_bytes());
    records.into_iter().find(named).expect("a record")
}

/// Changes two or four bytes of a record in the central directory.
pub fn patch(archive: &mut [u8], name: &str, offset: usize, bytes: &[u8]) {
    let at = record(archive, name) + offset;
    archive[at..at + bytes.len()].copy_from_slice(bytes);
}
