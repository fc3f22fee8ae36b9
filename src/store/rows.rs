//! Reads any Parquet table row by row, as JSON, a part of it at a time.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::thread;

use polars::prelude::{
    AnyValue, DataFrame, FileMetadataRef, ParallelStrategy, ParquetReader, PolarsError,
    PolarsResult, SerReader as _,
};
use serde_json::{Map, Value};

use super::table::{READING_THREAD, bounds};

/// Bytes of a table that are decoded at a time, about.
const PART: u64 = 1 << 26;

/// Depth of lists and structs that is followed.
const DEEPEST: usize = 32;

/// The names of the columns of a Parquet file.
pub fn parquet_columns(file: File) -> io::Result<Vec<String>> {
    guarded(move || {
        let mut reader = ParquetReader::new(file);
        let schema = reader.schema()?;
        Ok(schema.iter_names().map(ToString::to_string).collect())
    })
}

/// Hands every row of a Parquet file to `take`, until that returns false; with `columns`, only their
/// cells, so that columns of a kind which is not known do no harm.
pub fn each_parquet_row(
    file: &File,
    columns: Option<&[String]>,
    take: &mut dyn FnMut(Map<String, Value>) -> bool,
) -> io::Result<()> {
    let length = file.metadata()?.len();
    let footer = {
        let file = file.try_clone()?;
        guarded(move || {
            let mut reader = ParquetReader::new(file);
            let footer = reader.get_metadata()?.clone();
            if let Some(needed) = bounds::excess(&footer, length) {
                return Err(PolarsError::ComputeError(bounds::refusal(needed).into()));
            }
            Ok(footer)
        })?
    };
    for rows in parts(&footer) {
        let (file, footer) = (file.try_clone()?, footer.clone());
        let wanted = columns.map(<[String]>::to_vec);
        let decoded = guarded(move || {
            let mut reader = ParquetReader::new(file);
            reader.set_metadata(footer);
            let schema = reader.schema()?;
            let wanted = wanted.map(|names| {
                names.into_iter().filter(|name| schema.contains(name)).collect::<Vec<_>>()
            });
            let reader = reader.with_columns(wanted);
            let slice = (rows.start, rows.end - rows.start);
            let reader = reader.with_slice(Some(slice));
            json_rows(&reader.read_parallel(ParallelStrategy::RowGroups).finish()?)
        })?;
        if !decoded.into_iter().all(&mut *take) {
            break;
        }
    }
    Ok(())
}

/// The rows of a table in parts: row groups, large ones divided.
fn parts(footer: &FileMetadataRef) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for group in &footer.row_groups {
        let rows = group.num_rows();
        let bytes: u64 = group
            .parquet_columns()
            .iter()
            .map(|column| u64::try_from(column.uncompressed_size()).unwrap_or(0))
            .sum();
        let count = usize::try_from(bytes / PART + 1).unwrap_or(1);
        let most = rows.div_ceil(count).max(1);
        parts.extend((0..rows).step_by(most).map(|at| start + at..start + (at + most).min(rows)));
        start += rows;
    }
    parts
}

fn json_rows(table: &DataFrame) -> PolarsResult<Vec<Map<String, Value>>> {
    let columns: Vec<_> = table.columns().iter().map(|column| (column.name(), column)).collect();
    let row = |index: usize| {
        let cells = columns.iter().map(|(name, column)| {
            let value = column.get(index)?;
            Ok((name.to_string(), json(&value, 0)))
        });
        // Empty cells are no fields.
        let cells = cells.filter(|cell| !matches!(cell, Ok((_, Value::Null))));
        cells.collect::<PolarsResult<Map<String, Value>>>()
    };
    (0..table.height()).map(row).collect()
}

/// A value of a table as JSON; null where JSON has nothing like it.
fn json(value: &AnyValue<'_>, depth: usize) -> Value {
    match value {
        _ if depth > DEEPEST => Value::Null,
        AnyValue::Boolean(flag) => Value::from(*flag),
        AnyValue::String(text) => Value::from(*text),
        AnyValue::StringOwned(text) => Value::from(text.as_str()),
        AnyValue::List(list) => list.iter().map(|value| json(&value, depth + 1)).collect(),
        AnyValue::Struct(_, _, fields) => {
            let values = value._iter_struct_av();
            object(fields.iter().map(|field| field.name().to_string()), values, depth)
        }
        AnyValue::StructOwned(inside) => {
            let (values, fields) = &**inside;
            let names = fields.iter().map(|field| field.name().to_string());
            object(names, values.iter().cloned(), depth)
        }
        other => number(other),
    }
}

fn object<'v>(
    names: impl Iterator<Item = String>,
    values: impl Iterator<Item = AnyValue<'v>>,
    depth: usize,
) -> Value {
    let fields = names.zip(values).map(|(name, value)| (name, json(&value, depth + 1)));
    Value::Object(fields.filter(|(_, value)| !value.is_null()).collect())
}

fn number(value: &AnyValue<'_>) -> Value {
    if value.is_integer()
        && let Some(whole) = value.extract::<i64>()
    {
        return Value::from(whole);
    }
    value.extract::<f64>().filter(|number| number.is_finite()).map_or(Value::Null, Value::from)
}

/// Runs a reading on a thread of its own: polars panics on some damaged files.
fn guarded<T: Send + 'static>(
    read: impl FnOnce() -> PolarsResult<T> + Send + 'static,
) -> io::Result<T> {
    let thread = thread::Builder::new().name(READING_THREAD.to_owned()).spawn(read)?;
    match thread.join() {
        Ok(read) => read.map_err(|error| {
            io::Error::other(error.to_string().lines().next().unwrap_or_default().to_owned())
        }),
        Err(_) => Err(io::Error::other("it is damaged")),
    }
}
