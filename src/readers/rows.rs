//! Records of any file as JSON values: lines, lists and documents of JSON, rows of CSV and Parquet.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::lines::Lines;
use super::mapping::Pointer;
use super::{Content, ReadError, UTF8_BOM, walk};
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
    /// Where the records stand in a document, or in a row; each line or row is one where it is not said.
    pub(super) at: Option<&'a Pointer>,
    /// The fields that are looked at; all, where it is not known which.
    pub(super) fields: Option<&'a [String]>,
}

impl Wanted<'_> {
    /// Hands out the records in a row; false when no more are wanted.
    fn inside(&self, row: Value, position: &str, take: TakeValue<'_>) -> Result<bool, ReadError> {
        let Some(at) = self.at else { return take(row, position) };
        for record in at.all(&row) {
            if !take(record.clone(), position)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Hands every record of a file to `take`; one is in memory at a time.
pub(super) fn each(
    content: &Content,
    wanted: Wanted<'_>,
    take: TakeValue<'_>,
) -> Result<(), ReadError> {
    let mut inside = |row: Value, position: &str| wanted.inside(row, position, take);
    match (Kind::of(&content.start(START)?), wanted.at) {
        (Kind::Parquet, at) => {
            let columns = wanted.fields.filter(|_| at.is_none());
            parquet(content, columns, &mut inside)
        }
        (Kind::Csv, _) => csv(content, &mut inside),
        (Kind::Json, Some(at)) => document(content, at, wanted.fields, take),
        (Kind::Json, None) => {
            let first = Lines::of(content)?.next()?.map(|line| {
                let is_list = line.trim_ascii_start().starts_with(b"[");
                let broken = serde_json::from_slice::<IgnoredAny>(line);
                is_list || broken.is_err_and(|error| error.is_eof())
            });
            let is_long = first == Some(true);
            if is_long {
                documents(content, wanted.fields, take)
            } else {
                lines(content, wanted.fields, take)
            }
        }
    }
}

fn lines(
    content: &Content,
    fields: Option<&[String]>,
    take: TakeValue<'_>,
) -> Result<(), ReadError> {
    let mut lines = Lines::of(content)?;
    while let Some((number, line)) = lines.next_numbered()? {
        let mut parser = serde_json::Deserializer::from_slice(line);
        let read = Chosen(fields).deserialize(&mut parser);
        match read.and_then(|value| parser.end().map(|()| value)) {
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

/// The values of one document that a pointer leads to.
fn document(
    content: &Content,
    at: &Pointer,
    fields: Option<&[String]>,
    take: TakeValue<'_>,
) -> Result<(), ReadError> {
    let mut number = 0;
    walk::along(content, at.steps(), &mut |value, rest| {
        if rest.is_empty() {
            number += 1;
            return take(value.parse_with(Chosen(fields))?, &format!("record {number}"));
        }
        let list: Value = value.parse()?;
        for record in Pointer::of(rest).all(&list) {
            number += 1;
            if !take(record.clone(), &format!("record {number}"))? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

/// Documents one after the other, where a list is its elements.
fn documents(
    content: &Content,
    fields: Option<&[String]>,
    take: TakeValue<'_>,
) -> Result<(), ReadError> {
    let mut number = 0;
    walk::documents(content, &mut |value| {
        number += 1;
        take(value.parse_with(Chosen(fields))?, &format!("record {number}"))
    })
}

/// Parses a record, of which an object keeps the chosen fields only.
struct Chosen<'f>(Option<&'f [String]>);

impl<'de> DeserializeSeed<'de> for Chosen<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        match self.0 {
            None => serde::Deserialize::deserialize(from),
            Some(_) => from.deserialize_any(self),
        }
    }
}

macro_rules! plain_values {
    ($($visit:ident($kind:ty)),*) => {
        $(fn $visit<E>(self, value: $kind) -> Result<Value, E> {
            Ok(Value::from(value))
        })*
    };
}

impl<'de> Visitor<'de> for Chosen<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let chosen = self.0.unwrap_or_default();
        let mut fields = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if chosen.contains(&name) {
                fields.insert(name, map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Value::Object(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element()? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    plain_values!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );
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
