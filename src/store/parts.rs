//! A table whose rows are in several files: its own, and the parts that were appended.
//!
//! The rows of the table are those of its files one after the other. A part is in
//! `TABLE/dataset=NAME/part-NUMBER.parquet`, which other engines read as a partitioned table.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use super::columns::Frame;
use super::manifest::TablePart;
use super::table::{Piece, Table, TableName};
use super::{Manifest, StoreError};

/// The files of a table, in the order of their rows; at least one.
#[derive(Debug)]
pub(super) struct Parted {
    name: TableName,
    files: Vec<Table>,
}

impl Parted {
    /// A table of one file.
    pub(super) fn of(file: Table) -> Self {
        Self { name: file.name(), files: vec![file] }
    }

    /// A table of several files; none without a file.
    pub(super) fn new(name: TableName, files: Vec<Table>) -> Option<Self> {
        (!files.is_empty()).then_some(Self { name, files })
    }

    pub(super) fn name(&self) -> TableName {
        self.name
    }

    /// The files, in the order of their rows.
    pub(super) fn files(&self) -> &[Table] {
        &self.files
    }

    /// The file that is not a part; none where all are.
    pub(super) fn without_parts(&self, store: &Path) -> Option<&Table> {
        let is_part = |file: &Table| {
            let parent = file.path().parent();
            parent.is_some_and(|folder| folder.starts_with(store.join(self.name.as_str())))
        };
        self.files.first().filter(|file| !is_part(file))
    }

    pub(super) fn rows(&self) -> Result<u64, StoreError> {
        self.files.iter().map(Table::rows).sum()
    }

    /// Every file with its rows in the table.
    fn placed(&self) -> Result<Vec<(&Table, Range<u64>)>, StoreError> {
        let mut end = 0;
        let with_rows = |file| {
            let start = end;
            end += Table::rows(file)?;
            Ok((file, start..end))
        };
        self.files.iter().map(with_rows).collect()
    }

    /// Reads the wanted rows of every file that has some, and joins them.
    fn joined(
        &self,
        rows: &Range<u64>,
        read: impl Fn(&Table, &Range<u64>) -> Result<Frame, StoreError>,
    ) -> Result<Frame, StoreError> {
        if let [only] = &self.files[..] {
            return read(only, rows);
        }
        let mut joined: Option<Frame> = None;
        let placed = self.placed()?;
        let last = placed.len() - 1;
        for (index, (file, of_file)) in placed.into_iter().enumerate() {
            let start = rows.start.max(of_file.start);
            let end = rows.end.min(of_file.end);
            // An empty range is read too where there is nothing else, for its columns.
            if start >= end && (joined.is_some() || index < last) {
                continue;
            }
            let inside =
                start.min(of_file.end) - of_file.start..end.max(of_file.start) - of_file.start;
            let frame = read(file, &(inside.start.min(inside.end)..inside.end))?;
            joined = Some(match joined {
                Some(before) => before.followed_by(&frame)?,
                None => frame,
            });
        }
        joined.ok_or_else(|| StoreError::damaged(self.files[0].path(), "has no rows"))
    }

    /// The whole table.
    pub(super) fn read_all(&self) -> Result<Frame, StoreError> {
        match &self.files[..] {
            [only] => only.read_all(),
            _ => self.joined(&(0..self.rows()?), |file, _| file.read_all()),
        }
    }

    /// Some rows; reads only the row groups of these rows.
    pub(super) fn read_rows(&self, rows: &Range<u64>) -> Result<Frame, StoreError> {
        self.joined(rows, Table::read_rows)
    }

    /// Some columns of some rows.
    pub(super) fn read_columns(
        &self,
        rows: &Range<u64>,
        columns: &[&str],
    ) -> Result<Frame, StoreError> {
        self.joined(rows, |file, rows| file.read_columns(rows, columns))
    }

    /// Decodes some columns of the whole table; see [`Table::pieces_from`].
    pub(super) fn pieces<T: Send>(
        &self,
        columns: &[&str],
        decode: impl Fn(&Piece<'_>) -> Result<T, StoreError> + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), StoreError> {
        for (file, rows) in self.placed()? {
            file.pieces_from(rows.start, columns, &decode, &mut take)?;
        }
        Ok(())
    }

    /// The same where little of the files is read; see [`Table::pieces_of_few_from`].
    pub(super) fn pieces_of_few<T: Send>(
        &self,
        columns: &[&str],
        decode: impl Fn(&Piece<'_>) -> Result<T, StoreError> + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), StoreError> {
        for (file, rows) in self.placed()? {
            file.pieces_of_few_from(rows.start, columns, &decode, &mut take)?;
        }
        Ok(())
    }

    /// The rows of every row group.
    pub(super) fn groups(&self) -> Result<Vec<Range<u64>>, StoreError> {
        let mut groups = Vec::new();
        for (file, rows) in self.placed()? {
            let of_file = file.groups()?.into_iter();
            groups.extend(of_file.map(|group| group.start + rows.start..group.end + rows.start));
        }
        Ok(groups)
    }

    /// Whether a file is known to be another one than was written.
    pub(super) fn changed(&self) -> impl Iterator<Item = &Table> {
        self.files.iter().filter(|file| file.is_changed())
    }
}

/// What the names of folders and files of parts begin with.
const FOLDER: &str = "dataset=";
const FILE: &str = "part-";

impl TablePart {
    /// The path of a part in a store; none where the manifest says what is no path of a part of the table.
    pub(super) fn path_in(path: &str, store: &Path, table: TableName) -> Option<PathBuf> {
        let names: Option<Vec<&str>> = Path::new(path)
            .components()
            .map(|component| match component {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        let is_part = matches!(names?[..], [name, folder, file] if name == table.as_str()
            && folder.starts_with(FOLDER) && file.starts_with(FILE) && file.ends_with(".parquet"));
        is_part.then(|| store.join(path))
    }
}

/// Where the next part of a dataset goes, in every table: a number that no part of a store has, and no file
/// in the folders of its parts.
pub(super) fn next_part(
    store: &Path,
    manifest: &Manifest,
    dataset: &str,
) -> impl Fn(TableName) -> String + use<> {
    let number = |path: &str| -> Option<u64> {
        let file = path.rsplit_once(FILE)?.1;
        file.strip_suffix(".parquet")?.parse().ok()
    };
    let known = manifest.parts.values().flatten().filter_map(|part| number(&part.path));
    let strays = strays(store, manifest);
    let taken = strays.iter().filter_map(|path| number(path.to_str()?));
    let next = known.chain(taken).max().map_or(1, |last| last + 1);
    let folder = escaped(dataset);
    move |table| format!("{}/{FOLDER}{folder}/{FILE}{next}.parquet", table.as_str())
}

/// A dataset's name as the name of a folder: engines read `%` and two hexadecimal digits as a byte.
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let escape = |byte: u8| match byte {
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(escape).collect()
}

/// The files in the folders of a store's parts that the manifest does not list.
pub(super) fn strays(store: &Path, manifest: &Manifest) -> Vec<PathBuf> {
    let mut strays = Vec::new();
    for table in TableName::ALL {
        let folders = std::fs::read_dir(store.join(table.as_str())).into_iter().flatten().flatten();
        for folder in folders {
            let files = std::fs::read_dir(folder.path()).into_iter().flatten().flatten();
            let known = |path: &Path| {
                let parts = manifest.parts.get(table.as_str()).into_iter().flatten();
                parts.into_iter().any(|part| store.join(&part.path) == path)
            };
            strays.extend(files.map(|file| file.path()).filter(|path| !known(path)));
        }
    }
    strays.sort();
    strays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_and_datasets_escaped() {
        let (store, mut manifest) = (Path::new("s.qualm"), Manifest::new());
        let path = next_part(store, &manifest, "a/b c=1")(TableName::Turns);
        assert_eq!(path, "turns/dataset=a%2Fb%20c%3D1/part-1.parquet");
        assert_eq!(TablePart::path_in(&path, store, TableName::Turns), Some(store.join(&path)));
        for hostile in [
            "../turns/dataset=a/part-1.parquet",
            "turns/dataset=a/../part-1.parquet",
            "/turns/dataset=a/part-1.parquet",
            "turns/part-1.parquet",
        ] {
            assert_eq!(TablePart::path_in(hostile, store, TableName::Turns), None, "{hostile}");
        }
        assert_eq!(TablePart::path_in(&path, store, TableName::Tokens), None);
        manifest.parts.insert("turns".to_owned(), vec![TablePart { path, ..TablePart::default() }]);
        assert_eq!(
            next_part(store, &manifest, "x")(TableName::Tasks),
            "tasks/dataset=x/part-2.parquet"
        );
    }
}
