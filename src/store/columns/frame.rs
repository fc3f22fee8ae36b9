//! Reads the columns of a table in memory.

use std::path::PathBuf;

use polars::prelude::{Column, DataFrame, ListChunked, Series};

use super::encode::{NONE, Names, encode};
use crate::store::StoreError;

/// A table in memory, with the path of its file for errors.
pub(in crate::store) struct Frame {
    frame: DataFrame,
    path: PathBuf,
}

/// A column read from top to bottom.
pub(in crate::store) struct Cursor<'f, T> {
    rows: Box<dyn Iterator<Item = Option<T>> + 'f>,
    column: &'static str,
    frame: &'f Frame,
}

impl<T> Cursor<'_, T> {
    /// The value of the next row; none where it is null.
    pub(in crate::store) fn next(&mut self) -> Option<T> {
        self.rows.next().flatten()
    }

    /// The value of the next row, which must not be null.
    pub(in crate::store) fn need(&mut self) -> Result<T, StoreError> {
        self.next().ok_or_else(|| self.frame.wrong(self.column))
    }
}

impl Cursor<'_, &str> {
    /// The next row as a `String`; none where it is null.
    pub(in crate::store) fn next_owned(&mut self) -> Option<String> {
        self.next().map(str::to_owned)
    }

    /// The next row as a `String`, which must not be null.
    pub(in crate::store) fn need_owned(&mut self) -> Result<String, StoreError> {
        self.need().map(str::to_owned)
    }
}

macro_rules! cursors {
    ($($name:ident: $getter:ident -> $kind:ty),*) => {
        $(pub(in crate::store) fn $name(&self, column: &'static str) -> Result<Cursor<'_, $kind>, StoreError> {
            let rows = self.column(column)?.$getter().map_err(|_| self.wrong(column))?;
            Ok(Cursor { rows: Box::new(rows.iter()), column, frame: self })
        })*
    };
}

impl Frame {
    pub(in crate::store) fn new(frame: DataFrame, path: PathBuf) -> Self {
        Self { frame, path }
    }

    /// The rows of this frame and then those of another, which must have the same columns.
    pub(in crate::store) fn followed_by(mut self, other: &Self) -> Result<Self, StoreError> {
        let differs =
            |_| StoreError::damaged(&other.path, "has other columns than the part before it");
        self.frame.vstack_mut(&other.frame).map_err(differs)?;
        Ok(self)
    }

    /// Some of the rows.
    pub(in crate::store) fn slice(&self, from: u64, rows: u32) -> Self {
        Self {
            frame: self.frame.slice(i64::try_from(from).unwrap_or(i64::MAX), rows as usize),
            path: self.path.clone(),
        }
    }

    pub(in crate::store) fn height(&self) -> usize {
        self.frame.height()
    }

    /// Whether there is such a column: older versions wrote fewer.
    pub(in crate::store) fn has(&self, column: &str) -> bool {
        self.frame.column(column).is_ok()
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
    pub(in crate::store) fn reals(&self, column: &'static str) -> Result<Vec<f64>, StoreError> {
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
    pub(in crate::store) fn reals_at(
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
            let (here, later) = rest.split_at(rest.partition_point(|row| *row < end));
            match chunk.validity() {
                Some(known) => all.extend(here.iter().map(|row| {
                    let row = row - before;
                    if known.get_bit(row) { values[row] } else { f64::NAN }
                })),
                None => all.extend(here.iter().map(|row| values[row - before])),
            }
            (rest, before) = (later, end);
        }
        Ok(all)
    }

    /// A column of small numbers, none of which may be null.
    pub(in crate::store) fn smalls(&self, column: &'static str) -> Result<Vec<u32>, StoreError> {
        if self.column(column)?.null_count() > 0 {
            return Err(self.wrong(column));
        }
        self.smalls_or_any(column)
    }

    /// A column of small numbers, with an arbitrary number where it is null.
    pub(in crate::store) fn smalls_or_any(
        &self,
        column: &'static str,
    ) -> Result<Vec<u32>, StoreError> {
        let rows = self.column(column)?.u32().map_err(|_| self.wrong(column))?;
        Ok(rows.downcast_iter().flat_map(|chunk| chunk.values().iter().copied()).collect())
    }

    /// A column of large numbers, none of which may be null.
    pub(in crate::store) fn larges(&self, column: &'static str) -> Result<Vec<u64>, StoreError> {
        let rows = self.column(column)?.u64().map_err(|_| self.wrong(column))?;
        if rows.null_count() > 0 {
            return Err(self.wrong(column));
        }
        Ok(rows.downcast_iter().flat_map(|chunk| chunk.values().iter().copied()).collect())
    }

    /// A column of flags.
    pub(in crate::store) fn flags(
        &self,
        column: &'static str,
    ) -> Result<Vec<Option<bool>>, StoreError> {
        Ok(self.column(column)?.bool().map_err(|_| self.wrong(column))?.iter().collect())
    }

    /// Whether each row has a value in all of some columns; none when every row does.
    pub(in crate::store) fn known(
        &self,
        columns: &[&str],
    ) -> Result<Option<Vec<bool>>, StoreError> {
        let mut all: Option<Vec<bool>> = None;
        for column in columns {
            let column = self.column(column)?;
            if column.null_count() == 0 {
                continue;
            }
            let all = all.get_or_insert_with(|| vec![true; self.height()]);
            let mut rows = all.iter_mut();
            for chunk in column.as_materialized_series().chunks() {
                let chunk_rows = rows.by_ref().take(chunk.len());
                match chunk.validity() {
                    Some(known) => {
                        chunk_rows.zip(known).for_each(|(all, known)| *all &= known);
                    }
                    None => chunk_rows.for_each(drop),
                }
            }
        }
        Ok(all)
    }

    /// A column of text, none of which may be null.
    pub(in crate::store) fn strs(
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
    pub(in crate::store) fn codes(
        &self,
        column: &'static str,
        names: &mut Names,
    ) -> Result<Vec<u32>, StoreError> {
        let rows = self.column(column)?.str().map_err(|_| self.wrong(column))?;
        let mut codes = Vec::with_capacity(rows.len());
        encode(rows, names, |code| codes.push(code));
        Ok(codes)
    }

    /// A column of lists of text as codes laid end to end, with the end of each list. Nulls inside a
    /// list are left out.
    pub(in crate::store) fn code_lists(
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
        if inner.null_count() == 0
            && lists.downcast_iter().all(|chunk| chunk.offsets().first() == &0)
        {
            for chunk in lists.downcast_iter() {
                ends.extend(chunk.offsets().iter().skip(1).map(|end| before + *end as usize));
                before += chunk.values().len();
            }
            return Ok((all, ends));
        }
        let mut codes = Vec::with_capacity(all.len());
        for chunk in lists.downcast_iter() {
            for bounds in chunk.offsets().windows(2) {
                let list = &all[before + bounds[0] as usize..before + bounds[1] as usize];
                codes.extend(list.iter().filter(|code| **code != NONE));
                ends.push(codes.len());
            }
            before += chunk.values().len();
        }
        Ok((codes, ends))
    }

    /// A column of lists, read by row.
    pub(in crate::store) fn lists(&self, column: &'static str) -> Result<Lists<'_>, StoreError> {
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

    /// The error of a column with another type or an impossible value.
    pub(in crate::store) fn wrong(&self, column: &str) -> StoreError {
        StoreError::damaged(
            &self.path,
            format!("the column `{column}` has an unexpected type or value"),
        )
    }
}

/// A column of lists.
pub(in crate::store) struct Lists<'f> {
    lists: &'f ListChunked,
    column: &'static str,
    frame: &'f Frame,
}

impl Lists<'_> {
    pub(in crate::store) fn texts(&self, row: usize) -> Result<Vec<String>, StoreError> {
        self.values(row, |list| {
            Some(list.str().ok()?.iter().flatten().map(str::to_owned).collect())
        })
    }

    pub(in crate::store) fn reals(&self, row: usize) -> Result<Vec<f64>, StoreError> {
        self.values(row, |list| Some(list.f64().ok()?.iter().flatten().collect()))
    }

    pub(in crate::store) fn smalls(&self, row: usize) -> Result<Vec<u32>, StoreError> {
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
