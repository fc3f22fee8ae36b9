//! Any table as a Parquet file of its own.

use std::fs::File;
use std::io;
use std::path::Path;

use polars::prelude::{DataFrame, ParquetCompression, ParquetWriter, PolarsError};

use super::{StoreError, columns as col};

/// A column of values that may be absent.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Words.
    Text(Vec<Option<String>>),
    /// Measured numbers.
    Real(Vec<Option<f64>>),
    /// Counts.
    Count(Vec<Option<u64>>),
    /// Yes or no.
    Flag(Vec<Option<bool>>),
}

/// Writes named columns of one length into a file, which `path` names in errors.
pub fn write_parquet(
    file: &File,
    path: &Path,
    rows: usize,
    columns: &[(&str, Values)],
) -> Result<(), StoreError> {
    let failed = |error: PolarsError| StoreError::write(path, &io::Error::other(error.to_string()));
    let column = |(name, values): &(&str, Values)| match values {
        Values::Text(own) => col::text_opt(name, own.iter().map(Option::as_deref)),
        Values::Real(own) => col::real(name, own.iter().copied()),
        Values::Count(own) => col::large_opt(name, own.iter().copied()),
        Values::Flag(own) => col::flag_opt(name, own.iter().copied()),
    };
    let table = DataFrame::new(rows, columns.iter().map(column).collect()).map_err(failed)?;
    let writer = ParquetWriter::new(file).with_compression(ParquetCompression::Zstd(None));
    let mut writer = writer.batched(table.schema()).map_err(failed)?;
    writer.write_batch(&table).map_err(failed)?;
    writer.finish().map_err(failed)?;
    file.sync_all().map_err(|error| StoreError::write(path, &error))
}
