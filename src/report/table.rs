//! A table as data: typed columns, rows, and where the numbers come from.

use std::borrow::Cow;
use std::{fmt, io};

use super::{OutputFormat, WideTable};
use crate::metrics::Undefined;
use crate::metrics::bootstrap::Resampling;
use crate::store::{Manifest, Values, write_parquet};
use crate::text::{counted, visible};

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Words.
    Text,
    /// A measured number.
    Real,
    /// A count.
    Count,
    /// A count that people read with separated thousands.
    LargeCount,
    /// A share of a whole that people read as a percentage.
    Share,
    /// Yes or no.
    Flag,
    /// A dagger, or nothing.
    Mark,
}

impl ColumnKind {
    /// Whether the values are numbers, which stand on the right of their column.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Real | Self::Count | Self::LargeCount | Self::Share)
    }
}

/// A column: its name, which is also its JSON field, and what its values are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// The name.
    pub name: Cow<'static, str>,
    /// What its values are.
    pub kind: ColumnKind,
}

/// A column of words.
pub(super) const fn text(name: &'static str) -> TableColumn {
    TableColumn { name: Cow::Borrowed(name), kind: ColumnKind::Text }
}

/// A column of measured numbers.
pub(super) const fn real(name: &'static str) -> TableColumn {
    TableColumn { name: Cow::Borrowed(name), kind: ColumnKind::Real }
}

/// A column of counts.
pub(super) const fn count(name: &'static str) -> TableColumn {
    TableColumn { name: Cow::Borrowed(name), kind: ColumnKind::Count }
}

/// A column of yes and no.
pub(super) const fn flag(name: &'static str) -> TableColumn {
    TableColumn { name: Cow::Borrowed(name), kind: ColumnKind::Flag }
}

/// A column of daggers.
pub(super) const fn mark(name: &'static str) -> TableColumn {
    TableColumn { name: Cow::Borrowed(name), kind: ColumnKind::Mark }
}

/// One value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// Words, which may be anybody's.
    Text(String),
    /// A measured number.
    Real(f64),
    /// A count.
    Count(u64),
    /// A part of a whole.
    Share(u64, u64),
    /// Yes or no.
    Flag(bool),
    /// No value, and why.
    Undefined(Undefined),
    /// No value.
    Missing,
}

impl Datum {
    /// Whether it may stand in a column of this kind. A count is a number like any other.
    fn fits(&self, kind: ColumnKind) -> bool {
        match self {
            Self::Text(_) => kind == ColumnKind::Text,
            Self::Real(_) => kind == ColumnKind::Real,
            Self::Count(_) => {
                matches!(kind, ColumnKind::Real | ColumnKind::Count | ColumnKind::LargeCount)
            }
            Self::Share(..) => kind == ColumnKind::Share,
            Self::Flag(_) => matches!(kind, ColumnKind::Flag | ColumnKind::Mark),
            Self::Undefined(_) | Self::Missing => true,
        }
    }

    /// Whether there is a value.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self, Self::Undefined(_) | Self::Missing)
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Real(value) => Some(*value),
            Self::Count(count) => Some(*count as f64),
            Self::Share(part, whole) => (*whole > 0).then(|| *part as f64 / *whole as f64),
            _ => None,
        }
    }
}

impl From<&str> for Datum {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Datum {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Datum {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Real(value) } else { Self::Missing }
    }
}

impl From<usize> for Datum {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<u64> for Datum {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<bool> for Datum {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<T: Into<Datum>> From<Option<T>> for Datum {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// Where the numbers of a table come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// The program that wrote the store, with its version.
    pub written_by: String,
    /// The results are made up.
    pub synthetic: bool,
    /// The files that were imported.
    pub sources: Vec<String>,
    /// How intervals were drawn; none for a table without intervals.
    pub resampling: Option<Resampling>,
    /// What made the table; none where no file is to say so.
    pub origin: Option<Origin>,
}

/// What made a table: a comment in its file says so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// The store or the results.
    pub store: String,
    /// The tasks that it lists, as an expression; empty for all in scope.
    pub selection: String,
    /// The command that makes it.
    pub command: String,
}

impl Provenance {
    /// What a store says about its results.
    pub(super) fn of(manifest: &Manifest) -> Self {
        Self {
            written_by: manifest.written_by.clone(),
            synthetic: manifest.synthetic,
            sources: manifest.sources.iter().map(|source| source.path.clone()).collect(),
            resampling: None,
            origin: None,
        }
    }
}

/// Rows under typed columns, with a title, a scope and a provenance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the table shows, in one phrase.
    pub title: String,
    /// Which cells and tasks it is about, in words.
    pub scope: String,
    /// Where its numbers come from.
    pub provenance: Provenance,
    /// What a reader of the numbers must know, one sentence each.
    pub notes: Vec<String>,
    /// CSV and Parquet get words exactly as they are, also where a terminal or a spreadsheet would act
    /// on them.
    pub raw_text: bool,
    /// The table with a column per cell: what LaTeX and Markdown get in place of the rows.
    pub wide: Option<WideTable>,
    /// Aligned text is of the wide table, too.
    pub is_wide_text: bool,
    columns: Vec<TableColumn>,
    rows: Vec<Vec<Datum>>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: impl Into<String>, columns: &[TableColumn]) -> Self {
        Self { title: title.into(), columns: columns.to_vec(), ..Self::default() }
    }

    /// The table with its scope in words and where its numbers come from.
    pub(super) fn in_scope(self, scope: impl Into<String>, provenance: Provenance) -> Self {
        Self { scope: scope.into(), provenance, ..self }
    }

    /// Adds a row with one value for every column.
    pub fn push(&mut self, row: Vec<Datum>) {
        debug_assert_eq!(row.len(), self.columns.len(), "one value for every column");
        debug_assert!(
            row.iter().zip(&self.columns).all(|(datum, column)| datum.fits(column.kind)),
            "{row:?} does not fit {:?}",
            self.columns
        );
        self.rows.push(row);
    }

    /// Writes a note into the last column of the rows with this first value.
    pub(super) fn note_row(&mut self, first: &str, note: &str) {
        for row in &mut self.rows {
            if row.first() == Some(&Datum::from(first))
                && let Some(last) = row.last_mut()
            {
                *last = note.into();
            }
        }
    }

    /// The same table with some of its columns, in their order.
    #[must_use]
    pub fn with_columns(mut self, names: &[&str]) -> Self {
        let kept: Vec<bool> =
            self.columns.iter().map(|column| names.contains(&column.name.as_ref())).collect();
        let mut of_columns = kept.iter();
        self.columns.retain(|_| of_columns.next() == Some(&true));
        for row in &mut self.rows {
            let mut of_row = kept.iter();
            row.retain(|_| of_row.next() == Some(&true));
        }
        self
    }

    /// The same table without the columns of some names.
    #[must_use]
    pub(super) fn without(self, unwanted: impl Fn(&str) -> bool) -> Self {
        let names = self.columns.iter().map(|column| column.name.to_string());
        let kept: Vec<String> = names.filter(|name| !unwanted(name)).collect();
        self.with_columns(&kept.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The columns.
    pub fn columns(&self) -> &[TableColumn] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Datum>] {
        &self.rows
    }

    /// Leaves only some rows.
    pub fn retain(&mut self, wanted: impl Fn(&[Datum]) -> bool) {
        self.rows.retain(|row| wanted(row));
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether some column is the end of an interval.
    pub(super) fn has_intervals(&self) -> bool {
        self.columns.iter().any(|column| column.name == "lo" || column.name.ends_with("_lo"))
    }

    /// Whether a column stands on the right: it holds numbers, or nothing at all.
    pub(super) fn stands_right(&self, column: usize) -> bool {
        self.columns[column].kind.is_number() || !self.rows.iter().any(|row| row[column].is_known())
    }

    /// What made the table, in one line: the store, the tasks, how intervals were drawn, the version and
    /// the command.
    pub(super) fn origin_in_words(&self) -> Option<String> {
        let Origin { store, selection, command } = self.provenance.origin.as_ref()?;
        let mut parts = vec![format!("qualm {}", env!("CARGO_PKG_VERSION"))];
        if !store.is_empty() {
            let synthetic = if self.provenance.synthetic { " (synthetic)" } else { "" };
            parts.push(format!("store {store}{synthetic}"));
        }
        if !self.scope.is_empty() {
            parts.push(format!("scope {}", self.scope));
        }
        if !selection.is_empty() {
            parts.push(format!("selection {selection}"));
        }
        if let Some(Resampling { resamples, seed }) = self.provenance.resampling {
            parts.push(format!("{}, seed {seed}", counted(resamples as u64, "resample")));
        }
        parts.push(format!("made by: {command}"));
        Some(visible(&parts.join("; ")).into_owned())
    }

    /// The table as text; of a format that is no text the aligned columns.
    pub fn render(&self, format: OutputFormat) -> String {
        super::formats::render(self, format)
    }

    /// The rows without a header, values in full and apart by tabs: what a spreadsheet takes.
    pub fn tab_separated(&self) -> Vec<String> {
        super::formats::tab_separated(self)
    }

    /// The table as the content of a file.
    pub fn bytes(&self, format: OutputFormat) -> io::Result<Vec<u8>> {
        if format != OutputFormat::Parquet {
            return Ok(self.render(format).into_bytes());
        }
        let columns: Vec<(&str, Values)> = (0..self.columns.len())
            .map(|column| (&*self.columns[column].name, self.values(column)))
            .collect();
        let mut bytes = Vec::new();
        write_parquet(&mut bytes, self.rows.len(), &columns)?;
        Ok(bytes)
    }

    /// The values of a column, words made safe to show unless they are wanted raw.
    fn values(&self, column: usize) -> Values {
        let data = self.rows.iter().map(|row| &row[column]);
        match self.columns[column].kind {
            ColumnKind::Text => {
                let words = data.map(|datum| match datum {
                    Datum::Text(words) if self.raw_text => Some(words.clone()),
                    Datum::Text(words) => Some(visible(words).into_owned()),
                    _ => None,
                });
                Values::Text(words.collect())
            }
            ColumnKind::Real | ColumnKind::Share => Values::Real(data.map(Datum::number).collect()),
            ColumnKind::Count | ColumnKind::LargeCount => {
                let counts = data.map(|datum| match datum {
                    Datum::Count(count) => Some(*count),
                    _ => None,
                });
                Values::Count(counts.collect())
            }
            ColumnKind::Flag | ColumnKind::Mark => {
                let flags = data.map(|datum| match datum {
                    Datum::Flag(flag) => Some(*flag),
                    _ => None,
                });
                Values::Flag(flags.collect())
            }
        }
    }
}

impl fmt::Display for Table {
    /// Aligned columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(OutputFormat::Table))
    }
}
