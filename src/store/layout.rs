//! Which tables a store has, for engines that read them without qualm.

use std::fs;
use std::path::PathBuf;

use super::parts::Parted;
use super::table::Table;
use super::{Store, StoreError};

/// A table of a store: where it is, and its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLayout {
    /// The table's name.
    pub name: &'static str,
    /// Its files, in the order of their rows.
    pub paths: Vec<PathBuf>,
    /// The names of the columns that all of them have; older stores lack some.
    pub columns: Vec<String>,
}

impl Store {
    /// The tables that the store has.
    pub fn layout(&self) -> Result<Vec<TableLayout>, StoreError> {
        let layout = |table: &Parted| {
            let paths = table.files().iter().map(Table::full_path).collect();
            let mut files = table.files().iter();
            let mut columns = files.next().map_or(Ok(Vec::new()), Table::column_names)?;
            for file in files {
                let known = file.column_names()?;
                columns.retain(|column| known.contains(column));
            }
            Ok(TableLayout { name: table.name().as_str(), paths, columns })
        };
        self.tables.iter().map(layout).collect()
    }
}

impl Table {
    fn full_path(&self) -> PathBuf {
        fs::canonicalize(self.path()).unwrap_or_else(|_| self.path().to_owned())
    }

    /// Whether two files have columns of the same names and types.
    pub(super) fn has_columns_of(&self, other: &Self) -> Result<bool, StoreError> {
        let (these, those) =
            (self.footer()?.schema().columns(), other.footer()?.schema().columns());
        let mut pairs = these.iter().zip(those);
        let is_same = these.len() == those.len()
            && pairs
                .all(|(a, b)| a.path_in_schema == b.path_in_schema && a.descriptor == b.descriptor);
        Ok(is_same)
    }

    fn column_names(&self) -> Result<Vec<String>, StoreError> {
        let mut columns: Vec<String> = Vec::new();
        for column in self.footer()?.schema().columns() {
            // A list is a column with columns inside.
            let name = column.path_in_schema.first().map(ToString::to_string);
            columns.extend(name.filter(|name| columns.last() != Some(name)));
        }
        Ok(columns)
    }
}
