//! Records of any file as JSON values: lines, lists and documents of JSON, rows of CSV and Parquet.

use serde_json::{Map, Value};

use super::lines::Lines;
use super::{Content, ReadError, UTF8_BOM};
use crate::store::{each_parquet_row, parquet_columns};

/// The bytes that a Parquet file begins with.
const PARQUET: &[u8] = b"PAR1";

/// How much of a file is looked at for its columns.
const START: usize = 1 << 16;

/// Takes a value and where it stands; false when no more are wanted.
pub(super) type TakeValue<'t> = &'t mut dyn FnMut(Value, &str) -> Result<bool, ReadError>;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Json,
    Csv,
    Parquet,
}

impl Kind {
    /// The kind of a file, by its first bytes.
    pub(super) fn of(start: &[u8]) -> Self {
        let text = start.strip_prefix(UTF8_BOM).unwrap_or(start);
        match text.trim_ascii_start().first() {
            _ if start.starts_with(PARQUET) => Self::Parquet,
            Some(b'{' | b'[') | None => Self::Json,
            Some(_) => Self::Csv,
        }
    }
}

/// The columns of a CSV or Parquet file; none of JSON, or where they cannot be read.
pub(super) fn columns(content: &Content) -> Option<Vec<String>> {
    let start = content.start(START).ok()?;
    match Kind::of(&start) {
        Kind::Json => None,
        Kind::Parquet => parquet_columns(content.open().ok()?).ok(),
        Kind::Csv => {
            let line = start.split(|byte| *byte == b'\n').next()?;
            std::str::from_utf8(line).ok()?;
            let mut reader = csv_reader(line);
            Some(names(reader.headers().ok()?))
        }
    }
}

/// What of a file is wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted<'a> {
    /// A file of JSON is one value.
    pub(super) whole: bool,
    /// The fields that are looked at; all, where it is not known which.
    pub(super) fields: Option<&'a [String]>,
}

/// Hands every record of a file to `take`.
pub(super) fn each(
    content: &Content,
    wanted: Wanted<'_>,
    take: TakeValue<'_>,
) -> Result<(), ReadError> {
    match Kind::of(&content.start(START)?) {
        Kind::Parquet => parquet(content, wanted.fields, take),
        Kind::Csv => csv(content, take),
        Kind::Json if wanted.whole => document(content, take),
        Kind::Json => {
            let first = Lines::of(content)?.next()?.map(|line| {
                let is_list = line.trim_ascii_start().starts_with(b"[");
                let broken = serde_json::from_slice::<serde::de::IgnoredAny>(line);
                is_list || broken.is_err_and(|error| error.is_eof())
            });
            if first == Some(true) { documents(content, take) } else { lines(content, take) }
        }
    }
}

fn lines(content: &Content, take: TakeValue<'_>) -> Result<(), ReadError> {
    let mut lines = Lines::of(content)?;
    while let Some((number, line)) = lines.next_numbered()? {
        match serde_json::from_slice(line) {
            Ok(value) => {
                if !take(value, &format!("line {number}"))? {
                    break;
                }
            }
            Err(error) => return Err(lines.error(&error)),
        }
    }
    Ok(())
}

/// The whole file as one value.
fn document(content: &Content, take: TakeValue<'_>) -> Result<(), ReadError> {
    let bytes = content.json()?;
    let value = serde_json::from_slice(&bytes)
        .map_err(|error| ReadError::json(content.path(), &bytes, &error))?;
    drop(bytes);
    take(value, "the document").map(drop)
}

/// Documents one after the other, where a list is its elements.
fn documents(content: &Content, take: TakeValue<'_>) -> Result<(), ReadError> {
    let bytes = content.json()?;
    let mut number = 0;
    for value in serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>() {
        let value = value.map_err(|error| ReadError::json(content.path(), &bytes, &error))?;
        let values = if let Value::Array(list) = value { list } else { vec![value] };
        for value in values {
            number += 1;
            if !take(value, &format!("record {number}"))? {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn csv_reader<R: std::io::Read>(from: R) -> csv::Reader<R> {
    csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(from)
}

fn names(header: &csv::StringRecord) -> Vec<String> {
    header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned()).collect()
}

fn csv(content: &Content, take: TakeValue<'_>) -> Result<(), ReadError> {
    let broken = |error: csv::Error| {
        ReadError::new(content.path(), format!("is not valid CSV ({error})"), "correct the file")
    };
    let mut reader = csv_reader(content.reader()?);
    let header = names(reader.headers().map_err(broken)?);
    for record in reader.records() {
        let record = record.map_err(broken)?;
        let line = record.position().map_or(0, csv::Position::line);
        let cells = header.iter().zip(&record).filter(|(_, cell)| !cell.is_empty());
        let row: Map<String, Value> =
            cells.map(|(name, cell)| (name.clone(), Value::from(cell))).collect();
        if !take(Value::Object(row), &format!("line {line}"))? {
            break;
        }
    }
    Ok(())
}

fn parquet(
    content: &Content,
    columns: Option<&[String]>,
    take: TakeValue<'_>,
) -> Result<(), ReadError> {
    let mut failed = None;
    let mut number = 0;
    let read = each_parquet_row(&content.open()?, columns, &mut |row| {
        number += 1;
        take(Value::Object(row), &format!("row {number}")).unwrap_or_else(|error| {
            failed = Some(error);
            false
        })
    });
    if let Some(failed) = failed {
        return Err(failed);
    }
    read.map_err(|error| {
        let problem = format!("cannot be read as Parquet ({error})");
        ReadError::new(content.path(), problem, "write the table again")
    })
}
