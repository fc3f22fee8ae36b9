//! The tables that a query reads, and what a store says about them.

use super::script::Script;
use super::{Dialect, SqlError};
use crate::model::{Cell, is_human};
use crate::scorers::whitebox::Spans;
use crate::scorers::{Direction, Spec};
use crate::store::{Manifest, Store, StoreError, TableLayout};

/// The tables of a store, or tables of the usual names in an engine's own catalogue.
#[derive(Clone, Debug)]
pub struct Source {
    /// The tables; none where they are known by name only.
    tables: Option<Vec<TableLayout>>,
    /// What the query says about its source.
    pub(super) name: String,
    /// The cells in which every draw counts.
    pub(super) pooled: Vec<Cell>,
    /// The scorers of which smaller values are surer.
    pub(super) reversed: Vec<String>,
    /// The scorers whose values the store holds.
    pub(super) scorers: Vec<String>,
    /// The judges in the order of the store; none where only the tables know.
    pub(super) judges: Option<Vec<String>>,
    /// The tokens that the turn scores are over.
    pub(super) spans: Spans,
}

impl Source {
    /// The tables of a store.
    pub fn of_store(store: &Store) -> Result<Self, StoreError> {
        let manifest = store.manifest();
        let mut judges: Vec<String> = Vec::new();
        for name in store.judgment_columns()?.into_iter().flat_map(|part| part.names) {
            if !judges.contains(&name) && !is_human(&name) {
                judges.push(name);
            }
        }
        Ok(Self {
            tables: Some(store.layout()?),
            name: store.path().display().to_string(),
            pooled: manifest.pooled.clone(),
            reversed: reversed(manifest),
            scorers: manifest.scorers.keys().filter(|id| is_stored(id)).cloned().collect(),
            judges: Some(judges),
            spans: Spans::of(manifest.span.as_deref()),
        })
    }

    /// Tables that the engine knows by the names that they have in a store.
    pub fn named() -> Self {
        Self {
            tables: None,
            name: "the tables of these names".to_owned(),
            pooled: Vec::new(),
            reversed: Vec::new(),
            scorers: Vec::new(),
            judges: None,
            spans: Spans::default(),
        }
    }

    /// Whether there is a table.
    pub(super) fn has(&self, table: &str) -> bool {
        self.tables.as_ref().is_none_or(|tables| tables.iter().any(|known| known.name == table))
    }

    /// Whether a table has a column.
    fn has_column(&self, table: &str, column: &str) -> bool {
        self.tables.as_ref().is_none_or(|tables| {
            tables
                .iter()
                .any(|known| known.name == table && known.columns.iter().any(|name| name == column))
        })
    }

    /// Defines a part with some columns of a table. A column or table that is not there is null or empty.
    pub(super) fn define(
        &self,
        script: &mut Script,
        part: &'static str,
        table: &'static str,
        about: &'static str,
        columns: &[(&str, ColumnType)],
    ) {
        if script.has(part) {
            return;
        }
        let dialect = script.dialect;
        let of = |(name, kind): &(&str, ColumnType)| {
            if self.has(table) && self.has_column(table, name) {
                kind.read(name)
            } else {
                format!("CAST(NULL AS {}) AS {name}", kind.name())
            }
        };
        let columns: Vec<String> = columns.iter().map(of).collect();
        let columns = columns.join(",\n  ");
        let body = if self.has(table) {
            let files = self.files(dialect, table).into_iter();
            let parts = files.map(|file| format!("SELECT\n  {columns}\nFROM {file}"));
            parts.collect::<Vec<_>>().join("\nUNION ALL\n")
        } else {
            format!("SELECT\n  {columns}\nWHERE FALSE")
        };
        script.define(part, about, body);
    }

    /// The files of a table; its name where the engine knows it.
    fn files(&self, dialect: Dialect, table: &str) -> Vec<String> {
        let tables = self.tables.iter().flatten();
        let mut known = tables.filter(|known| known.name == table);
        known.next().map_or_else(
            || vec![table.to_owned()],
            |known| {
                known.paths.iter().map(|path| dialect.parquet(&path.to_string_lossy())).collect()
            },
        )
    }

    /// Whose verdicts make `ter`, as an expression.
    pub(super) fn judge(&self, dialect: Dialect, asked: Option<&str>) -> Result<String, SqlError> {
        let first = || self.judges.as_ref().and_then(|judges| judges.first().cloned());
        match asked.map(str::to_owned).or_else(first) {
            Some(judge) if is_human(&judge) || judge.starts_with("human>") => {
                Err(SqlError::Human(judge))
            }
            Some(judge) => Ok(dialect.text(&judge)),
            None => Ok("(SELECT min(judge) FROM verdict_rows)".to_owned()),
        }
    }
}

fn reversed(manifest: &Manifest) -> Vec<String> {
    let scorers = manifest
        .scorers
        .iter()
        .filter(|(_, settings)| Direction::of(settings.direction.as_deref()).is_reversed());
    scorers.map(|(scorer, _)| scorer.clone()).collect()
}

fn is_stored(scorer: &str) -> bool {
    Spec::find(scorer).is_none_or(|spec| spec.formula.is_none())
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    /// A whole number; unsigned ones of a store would overflow below 0.
    Whole,
    /// A number, null where it is NaN.
    Real,
    /// Text.
    Text,
    /// Yes or no.
    Flag,
    /// A list, taken as it is.
    List,
}

impl ColumnType {
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "BIGINT",
            Self::Real => "DOUBLE",
            Self::Text | Self::List => "STRING",
            Self::Flag => "BOOLEAN",
        }
    }

    fn read(self, name: &str) -> String {
        match self {
            Self::Whole => format!("CAST({name} AS BIGINT) AS {name}"),
            Self::Real => format!("CASE WHEN isnan({name}) THEN NULL ELSE {name} END AS {name}"),
            Self::Text | Self::Flag | Self::List => name.to_owned(),
        }
    }
}
