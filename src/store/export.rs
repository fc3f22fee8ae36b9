//! Writes any table to a Parquet file, and reads one back.

use std::io::{self, Cursor, Write};
use std::thread;

use polars::prelude::{
    Column, DataFrame, DataType, ParquetCompression, ParquetReader, ParquetWriter, PolarsError,
    PolarsResult, SerReader as _,
};

use super::columns as col;
use super::table::{READING_THREAD, bounds};

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

impl Values {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Real(values) => values.len(),
            Self::Count(values) => values.len(),
            Self::Flag(values) => values.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
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

/// Reads the columns of a Parquet file: numbers with a fraction, yes and no, and all else as text.
pub fn read_parquet(bytes: Vec<u8>) -> io::Result<Vec<(String, Values)>> {
    let read = move || -> PolarsResult<Vec<(String, Values)>> {
        let length = bytes.len() as u64;
        let mut reader = ParquetReader::new(Cursor::new(bytes));
        if let Some(needed) = bounds::excess(reader.get_metadata()?, length) {
            return Err(PolarsError::ComputeError(bounds::refusal(needed).into()));
        }
        let table = reader.finish()?;
        let columns = table.columns().iter();
        columns.map(|column| Ok((column.name().to_string(), values(column)?))).collect()
    };
    // Polars panics on some damaged files; on this thread a panic is an error.
    let thread = thread::Builder::new().name(READING_THREAD.to_owned()).spawn(read)?;
    match thread.join() {
        Ok(columns) => columns.map_err(|error| io::Error::other(error.to_string())),
        Err(_) => Err(io::Error::other("it is damaged")),
    }
}

fn values(column: &Column) -> PolarsResult<Values> {
    Ok(match column.dtype() {
        DataType::Float32 | DataType::Float64 => {
            Values::Real(column.cast(&DataType::Float64)?.f64()?.iter().collect())
        }
        DataType::Boolean => Values::Flag(column.bool()?.iter().collect()),
        _ => {
            let texts = column.cast(&DataType::String)?;
            Values::Text(texts.str()?.iter().map(|text| text.map(str::to_owned)).collect())
        }
    })
}
