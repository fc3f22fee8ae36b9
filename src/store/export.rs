//! Writes any table to a Parquet file.

use std::io::{self, Write};

use polars::prelude::{DataFrame, ParquetCompression, ParquetWriter, PolarsError};

use super::columns as col;

/// A column of values that may be absent.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Text.
    Text(Vec<Option<String>>),
    /// Measured numbers.
    Real(Vec<Option<f64>>),
    /// Counts.
    Count(Vec<Option<u64>>),
    /// Yes or no.
    Flag(Vec<Option<bool>>),
}

/// Writes named columns of one length as Parquet.
pub fn write_parquet(out: impl Write, rows: usize, columns: &[(&str, Values)]) -> io::Result<()> {
    let failed = |error: PolarsError| io::Error::other(error.to_string());
    let column = |(name, values): &(&str, Values)| match values {
        Values::Text(values) => col::text_opt(name, values.iter().map(Option::as_deref)),
        Values::Real(values) => col::real(name, values.iter().copied()),
        Values::Count(values) => col::large_opt(name, values.iter().copied()),
        Values::Flag(values) => col::flag_opt(name, values.iter().copied()),
    };
    let table = DataFrame::new(rows, columns.iter().map(column).collect()).map_err(failed)?;
    let writer = ParquetWriter::new(out).with_compression(ParquetCompression::Zstd(None));
    let mut writer = writer.batched(table.schema()).map_err(failed)?;
    writer.write_batch(&table).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(())
}
