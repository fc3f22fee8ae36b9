//! Refuses a table that would fill the memory although its file is small.
//!
//! The footer states how large everything is in memory, which must be in proportion to the file.
//! Pages state it too, and must not exceed what the footer states.

use std::fs::File;
use std::ops::Range;

use polars::prelude::{Column, DataFrame, FileMetadataRef, ListChunked, StringChunked};

use super::page::Page;
use super::{Chunk, Table, chunks};
use crate::files::read_at;
use crate::store::StoreError;

/// Bytes in memory that any table may have.
const ALWAYS: u64 = 1 << 28;

/// Bytes in memory for a byte of the file. The text of a store compresses to a tenth, what repeats in
/// it to a hundredth.
const EXPANSION: u64 = 1000;

/// Bytes that a value needs in memory.
const VALUE: u64 = 8;

/// Bytes and values by which pages may exceed the footer, for writers that do not count all of them.
const SLACK: u64 = 1 << 20;

/// Bytes in which the header of a page is looked for, first and again: it may hold long statistics.
const HEADERS: [usize; 2] = [1 << 10, 1 << 20];

/// The bytes in memory that a file of some length needs by its footer, if that is far more than such a
/// file can hold.
pub(in crate::store) fn excess(footer: &FileMetadataRef, length: u64) -> Option<u64> {
    let mut total = 0u64;
    for group in &footer.row_groups {
        let columns = group.parquet_columns();
        let rows = (group.num_rows() as u64).saturating_mul(columns.len() as u64);
        total = total.saturating_add(rows.saturating_mul(VALUE));
        for column in columns {
            let values = u64::try_from(column.num_values()).unwrap_or(u64::MAX);
            let size = u64::try_from(column.uncompressed_size()).unwrap_or(u64::MAX);
            total = total.saturating_add(size.max(values.saturating_mul(VALUE)));
        }
    }
    (total > limit(length)).then_some(total)
}

/// Bytes in memory that are in proportion to a file of some length.
fn limit(length: u64) -> u64 {
    length.saturating_mul(EXPANSION).saturating_add(ALWAYS)
}

/// Why a table that needs so many bytes is refused.
pub(in crate::store) fn refusal(bytes: u64) -> String {
    format!("it would need {} MiB of memory, far beyond its size", bytes >> 20)
}

impl Table {
    /// Fails if the table needs far more memory than a file of its size can hold.
    pub(super) fn check_size(&self, footer: &FileMetadataRef) -> Result<(), StoreError> {
        excess(footer, self.length()).map_or(Ok(()), |total| Err(self.expands(total)))
    }

    /// Fails if the text of a frame is far more than a file of its size can hold. In memory a text that
    /// repeats is there once; whoever copies the rows has it many times.
    pub(super) fn check_text(&self, frame: &DataFrame) -> Result<(), StoreError> {
        let length = |texts: &StringChunked| -> u64 {
            texts.downcast_iter().map(|chunk| chunk.total_bytes_len() as u64).sum()
        };
        let of_column = |column: &Column| match column.str() {
            Ok(texts) => length(texts),
            Err(_) => match column.list().map(ListChunked::get_inner) {
                Ok(inner) => inner.str().map_or(0, length),
                Err(_) => 0,
            },
        };
        let total = frame.columns().iter().map(of_column).fold(0, u64::saturating_add);
        if total > limit(self.length()) { Err(self.expands(total)) } else { Ok(()) }
    }

    fn length(&self) -> u64 {
        self.blob.size().unwrap_or(0)
    }

    /// Fails if a page of some rows and columns claims to be larger than the footer says; no list of
    /// columns means all.
    pub(super) fn check_pages(
        &self,
        file: &File,
        rows: &Range<u64>,
        columns: Option<&[&str]>,
    ) -> Result<(), StoreError> {
        for chunk in chunks(self.footer()?, rows, columns) {
            self.check_chunk(file, &chunk)?;
        }
        Ok(())
    }

    /// Fails if the pages of a column claim more bytes or values than the footer.
    fn check_chunk(&self, file: &File, chunk: &Chunk) -> Result<(), StoreError> {
        let Chunk { bytes, size, values } = chunk;
        let mut start = bytes.start;
        let (mut seen_size, mut seen_values) = (0u64, 0u64);
        while start < bytes.end && seen_values < *values {
            let page = HEADERS.into_iter().find_map(|length| {
                let mut block = vec![0; length];
                let count = read_at(file, &mut block, start).ok()?;
                Page::read(&block[..count])
            });
            let page = page.ok_or_else(|| self.unreadable_because("a page has no header"))?;
            seen_size = seen_size.saturating_add(page.size);
            seen_values = seen_values.saturating_add(page.values);
            if seen_size > size.saturating_add(SLACK) || seen_values > values.saturating_add(SLACK)
            {
                return Err(self.expands(seen_size.max(seen_values.saturating_mul(VALUE))));
            }
            start = start.saturating_add(page.header + page.stored);
        }
        Ok(())
    }

    fn expands(&self, bytes: u64) -> StoreError {
        self.unreadable_because(&refusal(bytes))
    }
}
