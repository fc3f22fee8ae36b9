//! Columns from rows of plain structs, and back.

use std::collections::HashMap;
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

/// The code of a null.
pub(super) const NONE: u32 = u32::MAX;

/// Names with a code each, which is their place in the list.
#[derive(Default)]
pub(super) struct Names {
    codes: HashMap<String, u32>,
    list: Vec<String>,
}

impl Names {
    pub(super) fn code(&mut self, name: &str) -> u32 {
        if let Some(code) = self.codes.get(name) {
            return *code;
        }
        let code = self.list.len() as u32;
        self.codes.insert(name.to_owned(), code);
        self.list.push(name.to_owned());
        code
    }

    pub(super) fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// Bits of the number of places in which [`encode`] remembers what it has met.
const PLACES: u32 = 9;

/// Hands the code of every row to `take`.
fn encode(rows: &StringChunked, names: &mut Names, mut take: impl FnMut(u32)) {
    for (chunk, array) in rows.downcast_iter().zip(rows.chunks()) {
        let known = array.validity();
        // What was met is remembered by a short key, so that few names are hashed.
        let mut met = vec![(0u128, NONE); 1 << PLACES];
        let mut last = (0u128, NONE);
        for (row, view) in chunk.views().iter().enumerate() {
            if known.is_some_and(|known| !known.get_bit(row)) {
                take(NONE);
                continue;
            }
            // Equal views are equal strings, and neighbours are mostly equal.
            if last.0 == view.as_u128() && last.1 != NONE {
                take(last.1);
                continue;
            }
            // The view of a short string is the string; a long one has its length and beginning.
            let is_short = view.is_inline();
            let key = match chunk.value(row).as_bytes().last_chunk::<8>() {
                Some(end) if !is_short => {
                    let start = u128::from(view.length) << 96 | u128::from(view.prefix) << 64;
                    start | u128::from(u64::from_le_bytes(*end))
                }
                _ => view.as_u128(),
            };
            let mixed = ((key >> 64) as u64 ^ key as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let place = &mut met[(mixed >> (64 - PLACES)) as usize];
            let is_met = place.0 == key
                && place.1 != NONE
                && (is_short || names.list[place.1 as usize] == chunk.value(row));
            if !is_met {
                *place = (key, names.code(chunk.value(row)));
            }
            last = (view.as_u128(), place.1);
            take(place.1);
        }
    }
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

    /// A column of numbers, NaN where null.
    pub(super) fn reals(&self, column: &'static str) -> Result<Vec<f64>, StoreError> {
        let rows = self.column(column)?.f64().map_err(|_| self.wrong(column))?;
        let mut all = Vec::with_capacity(rows.len());
        for chunk in rows.downcast_iter() {
            let start = all.len();
            all.extend_from_slice(chunk.values());
            if let Some(known) = chunk.validity() {
                let unknown = all[start..].iter_mut().zip(known).filter(|(_, known)| !known);
                unknown.for_each(|(value, _)| *value = f64::NAN);
            }
        }
        Ok(all)
    }

    /// Some rows of a column of numbers, in order, NaN where null.
    pub(super) fn reals_at(
        &self,
        column: &'static str,
        rows: &[usize],
    ) -> Result<Vec<f64>, StoreError> {
        let column = self.column(column)?.f64().map_err(|_| self.wrong(column))?;
        let mut all = Vec::with_capacity(rows.len());
        let (mut rest, mut before) = (rows, 0);
        for chunk in column.downcast_iter() {
            let values = &chunk.values()[..];
            let end = before + values.len();
            let (own, others) = rest.split_at(rest.partition_point(|row| *row < end));
            match chunk.validity() {
                Some(known) => all.extend(own.iter().map(|row| {
                    let row = row - before;
                    if known.get_bit(row) { values[row] } else { f64::NAN }
                })),
                None => all.extend(own.iter().map(|row| values[row - before])),
            }
            (rest, before) = (others, end);
        }
        Ok(all)
    }

    /// A column of small numbers, none of which may be null.
    pub(super) fn smalls(&self, column: &'static str) -> Result<Vec<u32>, StoreError> {
        if self.column(column)?.null_count() > 0 {
            return Err(self.wrong(column));
        }
        self.smalls_or_any(column)
    }

    /// A column of small numbers, with any number where it is null.
    pub(super) fn smalls_or_any(&self, column: &'static str) -> Result<Vec<u32>, StoreError> {
        let rows = self.column(column)?.u32().map_err(|_| self.wrong(column))?;
        Ok(rows.downcast_iter().flat_map(|chunk| chunk.values().iter().copied()).collect())
    }

    /// A column of large numbers, none of which may be null.
    pub(super) fn larges(&self, column: &'static str) -> Result<Vec<u64>, StoreError> {
        let rows = self.column(column)?.u64().map_err(|_| self.wrong(column))?;
        if rows.null_count() > 0 {
            return Err(self.wrong(column));
        }
        Ok(rows.downcast_iter().flat_map(|chunk| chunk.values().iter().copied()).collect())
    }

    /// A column of flags.
    pub(super) fn flags(&self, column: &'static str) -> Result<Vec<Option<bool>>, StoreError> {
        Ok(self.column(column)?.bool().map_err(|_| self.wrong(column))?.iter().collect())
    }

    /// Which rows have a value in all of some columns; none when all do.
    pub(super) fn known(&self, columns: &[&str]) -> Result<Option<Vec<bool>>, StoreError> {
        let mut all: Option<Vec<bool>> = None;
        for column in columns {
            let column = self.column(column)?;
            if column.null_count() == 0 {
                continue;
            }
            let all = all.get_or_insert_with(|| vec![true; self.height()]);
            let mut rows = all.iter_mut();
            for chunk in column.as_materialized_series().chunks() {
                let own = rows.by_ref().take(chunk.len());
                match chunk.validity() {
                    Some(known) => own.zip(known).for_each(|(all, known)| *all &= known),
                    None => own.for_each(drop),
                }
            }
        }
        Ok(all)
    }

    /// A column of text, none of which may be null.
    pub(super) fn strs(
        &self,
        column: &'static str,
    ) -> Result<impl Iterator<Item = &str>, StoreError> {
        let rows = self.column(column)?.str().map_err(|_| self.wrong(column))?;
        if rows.null_count() > 0 {
            return Err(self.wrong(column));
        }
        Ok(rows.downcast_iter().flat_map(|chunk| chunk.values_iter()))
    }

    /// A column of text as codes, [`NONE`] where null.
    pub(super) fn codes(
        &self,
        column: &'static str,
        names: &mut Names,
    ) -> Result<Vec<u32>, StoreError> {
        let rows = self.column(column)?.str().map_err(|_| self.wrong(column))?;
        let mut codes = Vec::with_capacity(rows.len());
        encode(rows, names, |code| codes.push(code));
        Ok(codes)
    }

    /// A column of lists of text as codes laid end to end, and where each list ends. A null inside a
    /// list is left out.
    pub(super) fn code_lists(
        &self,
        column: &'static str,
        names: &mut Names,
    ) -> Result<(Vec<u32>, Vec<usize>), StoreError> {
        let lists = self.column(column)?.list().map_err(|_| self.wrong(column))?;
        let inner = lists.get_inner();
        let inner = inner.str().map_err(|_| self.wrong(column))?;
        if lists.null_count() > 0 {
            return Err(self.wrong(column));
        }
        let mut all = Vec::with_capacity(inner.len());
        encode(inner, names, |code| all.push(code));
        let mut ends = Vec::with_capacity(lists.len());
        let mut before = 0;
        if inner.null_count() == 0 && lists.downcast_iter().all(|own| own.offsets().first() == &0) {
            for chunk in lists.downcast_iter() {
                ends.extend(chunk.offsets().iter().skip(1).map(|end| before + *end as usize));
                before += chunk.values().len();
            }
            return Ok((all, ends));
        }
        let mut codes = Vec::with_capacity(all.len());
        for chunk in lists.downcast_iter() {
            for ends_of in chunk.offsets().windows(2) {
                let own = &all[before + ends_of[0] as usize..before + ends_of[1] as usize];
                codes.extend(own.iter().filter(|code| **code != NONE));
                ends.push(codes.len());
            }
            before += chunk.values().len();
        }
        Ok((codes, ends))
    }

    /// A column of lists, read by row.
    pub(super) fn lists(&self, column: &'static str) -> Result<Lists<'_>, StoreError> {
        let lists = self.column(column)?.list().map_err(|_| self.wrong(column))?;
        Ok(Lists { lists, column, frame: self })
    }

    fn column(&self, name: &str) -> Result<&Column, StoreError> {
        let column = self.frame.column(name).map_err(|_| {
            StoreError::damaged(&self.path, format!("the column `{name}` is missing"))
        })?;
        // A damaged file may have a column that is shorter than the table.
        if column.len() == self.height() { Ok(column) } else { Err(self.wrong(name)) }
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
