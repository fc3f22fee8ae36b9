//! Columns from rows of plain structs, and back.

use std::path::PathBuf;

use polars::prelude::{
    BooleanChunked, Column, DataFrame, DataType, Float64Chunked, Float64Type, Int64Chunked,
    IntoColumn, ListBuilderTrait, ListChunked, ListPrimitiveChunkedBuilder,
    ListStringChunkedBuilder, NewChunkedArray, PolarsNumericType, Series, StringChunked,
    UInt32Chunked, UInt32Type, UInt64Chunked,
};

use super::StoreError;

pub(super) fn text<'a>(name: &str, rows: impl Iterator<Item = &'a str>) -> Column {
    StringChunked::from_iter_values(name.into(), rows).into_column()
}

pub(super) fn text_opt<'a>(name: &str, rows: impl Iterator<Item = Option<&'a str>>) -> Column {
    StringChunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn flag(name: &str, rows: impl Iterator<Item = bool>) -> Column {
    BooleanChunked::from_iter_values(name.into(), rows).into_column()
}

pub(super) fn flag_opt(name: &str, rows: impl Iterator<Item = Option<bool>>) -> Column {
    BooleanChunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn real(name: &str, rows: impl Iterator<Item = Option<f64>>) -> Column {
    Float64Chunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn small(name: &str, rows: impl Iterator<Item = u32>) -> Column {
    UInt32Chunked::from_iter_values(name.into(), rows).into_column()
}

pub(super) fn small_opt(name: &str, rows: impl Iterator<Item = Option<u32>>) -> Column {
    UInt32Chunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn large(name: &str, rows: impl Iterator<Item = u64>) -> Column {
    UInt64Chunked::from_iter_values(name.into(), rows).into_column()
}

pub(super) fn large_opt(name: &str, rows: impl Iterator<Item = Option<u64>>) -> Column {
    UInt64Chunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn signed_opt(name: &str, rows: impl Iterator<Item = Option<i64>>) -> Column {
    Int64Chunked::from_iter_options(name.into(), rows).into_column()
}

pub(super) fn texts<'a, L>(name: &str, rows: impl ExactSizeIterator<Item = L>) -> Column
where
    L: Iterator<Item = &'a str>,
{
    let mut builder = ListStringChunkedBuilder::new(name.into(), rows.len(), rows.len() * 8);
    for list in rows {
        builder.append_values_iter(list);
    }
    builder.finish().into_column()
}

pub(super) fn reals<L: Iterator<Item = f64>>(
    name: &str,
    rows: impl ExactSizeIterator<Item = L>,
) -> Column {
    numbers::<Float64Type, L>(name, DataType::Float64, rows)
}

pub(super) fn smalls<L: Iterator<Item = u32>>(
    name: &str,
    rows: impl ExactSizeIterator<Item = L>,
) -> Column {
    numbers::<UInt32Type, L>(name, DataType::UInt32, rows)
}

fn numbers<T, L>(name: &str, kind: DataType, rows: impl ExactSizeIterator<Item = L>) -> Column
where
    T: PolarsNumericType,
    L: Iterator<Item = T::Native>,
{
    let mut builder =
        ListPrimitiveChunkedBuilder::<T>::new(name.into(), rows.len(), rows.len() * 32, kind);
    for list in rows {
        builder.append_values_iter(list);
    }
    builder.finish().into_column()
}

/// A table in memory that names its file when a column is not as expected.
pub(super) struct Frame {
    frame: DataFrame,
    path: PathBuf,
}

/// A column read from top to bottom.
pub(super) struct Cursor<'f, T> {
    rows: Box<dyn Iterator<Item = Option<T>> + 'f>,
    column: &'static str,
    frame: &'f Frame,
}

impl<T> Cursor<'_, T> {
    /// The value of the next row; none where it is null.
    pub(super) fn next(&mut self) -> Option<T> {
        self.rows.next().flatten()
    }

    /// The value of the next row, which must not be null.
    pub(super) fn need(&mut self) -> Result<T, StoreError> {
        self.next().ok_or_else(|| self.frame.wrong(self.column))
    }
}

impl Cursor<'_, &str> {
    /// The next row as a string of its own; none where it is null.
    pub(super) fn next_owned(&mut self) -> Option<String> {
        self.next().map(str::to_owned)
    }

    /// The next row as a string of its own.
    pub(super) fn need_owned(&mut self) -> Result<String, StoreError> {
        self.need().map(str::to_owned)
    }
}

macro_rules! cursors {
    ($($name:ident: $getter:ident -> $kind:ty),*) => {
        $(pub(super) fn $name(&self, column: &'static str) -> Result<Cursor<'_, $kind>, StoreError> {
            let rows = self.column(column)?.$getter().map_err(|_| self.wrong(column))?;
            Ok(Cursor { rows: Box::new(rows.iter()), column, frame: self })
        })*
    };
}

impl Frame {
    pub(super) fn new(frame: DataFrame, path: PathBuf) -> Self {
        Self { frame, path }
    }

    /// Some of the rows.
    pub(super) fn slice(&self, from: u64, rows: u32) -> Self {
        Self {
            frame: self.frame.slice(i64::try_from(from).unwrap_or(i64::MAX), rows as usize),
            path: self.path.clone(),
        }
    }

    pub(super) fn height(&self) -> usize {
        self.frame.height()
    }

    cursors!(
        text: str -> &str,
        flag: bool -> bool,
        real: f64 -> f64,
        small: u32 -> u32,
        large: u64 -> u64,
        signed: i64 -> i64
    );

    /// A column of lists, read by row.
    pub(super) fn lists(&self, column: &'static str) -> Result<Lists<'_>, StoreError> {
        let lists = self.column(column)?.list().map_err(|_| self.wrong(column))?;
        Ok(Lists { lists, column, frame: self })
    }

    fn column(&self, column: &str) -> Result<&Column, StoreError> {
        self.frame.column(column).map_err(|_| {
            StoreError::damaged(&self.path, format!("the column `{column}` is missing"))
        })
    }

    /// The error of a column of another type, or with a value that cannot be.
    pub(super) fn wrong(&self, column: &str) -> StoreError {
        StoreError::damaged(&self.path, format!("the column `{column}` is not as expected"))
    }
}

/// A column of lists.
pub(super) struct Lists<'f> {
    lists: &'f ListChunked,
    column: &'static str,
    frame: &'f Frame,
}

impl Lists<'_> {
    pub(super) fn texts(&self, row: usize) -> Result<Vec<String>, StoreError> {
        self.values(row, |list| {
            Some(list.str().ok()?.iter().flatten().map(str::to_owned).collect())
        })
    }

    pub(super) fn reals(&self, row: usize) -> Result<Vec<f64>, StoreError> {
        self.values(row, |list| Some(list.f64().ok()?.iter().flatten().collect()))
    }

    pub(super) fn smalls(&self, row: usize) -> Result<Vec<u32>, StoreError> {
        self.values(row, |list| Some(list.u32().ok()?.iter().flatten().collect()))
    }

    fn values<T>(
        &self,
        row: usize,
        read: impl FnOnce(&Series) -> Option<Vec<T>>,
    ) -> Result<Vec<T>, StoreError> {
        let list = self.lists.get_as_series(row);
        list.as_ref().and_then(read).ok_or_else(|| self.frame.wrong(self.column))
    }
}
