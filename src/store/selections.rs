//! Named selections and scopes: `selections.jsonl` beside `annotations.jsonl`, one JSON object per
//! line, only ever appended to. The last line of a kind and name counts.

use std::io::ErrorKind;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::annotations::{self, append_to};
use super::{Store, StoreError};
use crate::files;

/// The file's name.
const FILE: &str = "selections.jsonl";

/// What a named expression narrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NamedKind {
    /// Lists.
    Selection,
    /// Numbers.
    Scope,
}

/// An expression that is kept under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedTasks {
    /// What it narrows.
    pub kind: NamedKind,
    /// The name.
    pub name: String,
    /// The expression.
    pub expression: String,
}

/// Who wrote a line, and when.
pub(super) type Written = (String, u64);

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    /// When it was written, in seconds since 1970.
    time: u64,
    /// Who wrote it; empty where nobody was named.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    author: String,
    kind: NamedKind,
    name: String,
    /// None withdraws the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expression: Option<String>,
    /// The store it is of, where several share the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    store: Option<String>,
}

impl Store {
    /// The selections and scopes that are kept under a name, by name.
    pub fn named_tasks(&self) -> Result<Vec<NamedTasks>, StoreError> {
        Ok(self.named_lines()?.into_iter().map(|(named, _)| named).collect())
    }

    /// The same, with who wrote them and when.
    pub(super) fn named_lines(&self) -> Result<Vec<(NamedTasks, Written)>, StoreError> {
        let mut all: Vec<(NamedTasks, Written)> = Vec::new();
        for line in self.lines_beside_log::<Line>(FILE, |line| &line.store)? {
            all.retain(|(known, _)| (known.kind, &known.name) != (line.kind, &line.name));
            let (kind, name, written) = (line.kind, line.name, (line.author, line.time));
            let named = line.expression.map(|expression| NamedTasks { kind, name, expression });
            all.extend(named.map(|named| (named, written)));
        }
        all.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        Ok(all)
    }

    /// Keeps an expression under a name, in place of an earlier one of that name.
    pub fn keep_named(
        &self,
        named: &NamedTasks,
        author: &str,
        time: u64,
    ) -> Result<(), StoreError> {
        self.append_named(named.kind, &named.name, Some(&named.expression), author, time)
    }

    /// Withdraws a name; the lines about it stay in the file.
    pub fn withdraw_named(
        &self,
        kind: NamedKind,
        name: &str,
        author: &str,
        time: u64,
    ) -> Result<(), StoreError> {
        self.append_named(kind, name, None, author, time)
    }

    fn append_named(
        &self,
        kind: NamedKind,
        name: &str,
        expression: Option<&str>,
        author: &str,
        time: u64,
    ) -> Result<(), StoreError> {
        let expression = expression.map(str::to_owned);
        self.append_lines(&[Line {
            time,
            author: author.to_owned(),
            kind,
            name: name.to_owned(),
            expression,
            store: self.name_in_log(),
        }])
    }

    /// Keeps expressions under names in one step, as they were written.
    pub(super) fn keep_all_named(&self, all: &[(NamedTasks, Written)]) -> Result<(), StoreError> {
        let line = |(named, (author, time)): &(NamedTasks, Written)| Line {
            time: *time,
            author: author.clone(),
            kind: named.kind,
            name: named.name.clone(),
            expression: Some(named.expression.clone()),
            store: self.name_in_log(),
        };
        let lines: Vec<Line> = all.iter().map(line).collect();
        if lines.is_empty() { Ok(()) } else { self.append_lines(&lines) }
    }

    fn append_lines(&self, lines: &[Line]) -> Result<(), StoreError> {
        append_to(&self.log(), FILE, |path| {
            let mut text = Vec::new();
            for line in lines {
                text.extend(annotations::json(line, path)?);
                text.push(b'\n');
            }
            Ok(text)
        })
    }

    /// The lines about this store in a file beside the notes. One that is damaged, or of a newer version,
    /// stays in the file.
    pub(super) fn lines_beside_log<L: DeserializeOwned>(
        &self,
        name: &str,
        store_of: impl Fn(&L) -> &Option<String>,
    ) -> Result<Vec<L>, StoreError> {
        let mut all = Vec::new();
        for path in self.logs(name)? {
            let bytes = match files::read(&path, u64::MAX) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => {
                    let why = format!("cannot be read ({error})");
                    return Err(StoreError::Notes { path, why });
                }
            };
            let store = self.name_in(&path);
            let lines = bytes.split(|byte| *byte == b'\n');
            let lines = lines.filter_map(|line| serde_json::from_slice::<L>(line).ok());
            all.extend(lines.filter(|line| *store_of(line) == store));
        }
        Ok(all)
    }

    /// What lines call this store in a file that several share: the name of its folder, which stays when
    /// the store is made anew.
    pub(super) fn name_in_log(&self) -> Option<String> {
        self.name_in(&self.log().path())
    }

    /// The same for a file; none in the store's own, which is about no other.
    fn name_in(&self, file: &Path) -> Option<String> {
        let folder = self.shared_log.as_ref()?.parent();
        let name = self.path().file_name().filter(|_| file.parent() == folder)?;
        Some(name.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::{Extras, Manifest, StoreWriter};

    fn named(kind: NamedKind, name: &str, expression: &str) -> NamedTasks {
        NamedTasks { kind, name: name.to_owned(), expression: expression.to_owned() }
    }

    fn write(path: &std::path::Path) -> Store {
        let writer = StoreWriter::create(path).expect("free");
        writer.finish(Manifest::new(), &Extras::default()).expect("written");
        Store::open(path).expect("a store")
    }

    #[test]
    fn the_last_line_of_a_name_counts_and_writers_leave_the_file() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("s.qualm");
        let store = write(&path);
        let long = named(NamedKind::Selection, "long", "turns > 5");
        let longer = named(NamedKind::Selection, "long", "turns > 9");
        let scope = named(NamedKind::Scope, "long", "turns > 3");
        for one in [&long, &scope, &longer] {
            store.keep_named(one, "ada", 1).expect("kept");
        }
        assert_eq!(store.named_tasks().expect("read"), [scope.clone(), longer.clone()]);
        // A torn line does not take the others with it.
        let file = path.join(FILE);
        let text = fs::read_to_string(&file).expect("there") + "{\"kind\":\"sel";
        fs::write(&file, text).expect("written");
        drop(write(&path));
        let store = Store::open(&path).expect("a store");
        assert_eq!(store.named_tasks().expect("read").len(), 2, "written anew, the names stay");
        store.withdraw_named(NamedKind::Selection, "long", "ada", 2).expect("withdrawn");
        assert_eq!(store.named_tasks().expect("read"), [scope]);
    }

    #[test]
    fn a_shared_file_keeps_stores_apart_and_outlives_them() {
        let home = tempfile::tempdir().expect("a folder");
        let log = home.path().join("data/annotations.jsonl");
        let (a, b) = (home.path().join("a.qualm"), home.path().join("b.qualm"));
        let open = |path| write(path).with_log(log.clone());
        let long = named(NamedKind::Scope, "long", "turns > 5");
        open(&a).keep_named(&long, "", 1).expect("kept");
        assert_eq!(open(&b).named_tasks().expect("read"), []);
        fs::remove_dir_all(&a).expect("removed");
        assert_eq!(open(&a).named_tasks().expect("read"), [long]);
    }
}
