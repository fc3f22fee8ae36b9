//! Which tables a store has, for engines that read them without qualm.

use std::fs;
use std::path::PathBuf;

use super::table::Table;
use super::{Store, StoreError};

/// A table of a store: where it is, and its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableLayout {
    /// The table's name.
    pub name: &'static str,
    /// Its file.
    pub path: PathBuf,
    /// The names of its columns; older stores lack some.
    pub columns: Vec<String>,
}

impl Store {
    /// The tables that the store has.
    pub fn layout(&self) -> Result<Vec<TableLayout>, StoreError> {
        self.tables.iter().map(Table::layout).collect()
    }
}

impl Table {
    fn layout(&self) -> Result<TableLayout, StoreError> {
        let path = fs::canonicalize(self.path()).unwrap_or_else(|_| self.path().to_owned());
        let mut columns: Vec<String> = Vec::new();
        for column in self.footer()?.schema().columns() {
            // A list is a column with columns inside.
            let name = column.path_in_schema.first().map(ToString::to_string);
            columns.extend(name.filter(|name| columns.last() != Some(name)));
        }
        Ok(TableLayout { name: self.name().as_str(), path, columns })
    }
}
