//! Tables of the user, as CSV or Parquet: rows of text cells under named columns.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::readers::{Content, ReadError, UTF8_BOM};
use crate::store::{Values, read_parquet};
use crate::text::unguarded;

/// The bytes that a Parquet file begins with.
const PARQUET: &[u8] = b"PAR1";

/// How much of a file is looked at for its columns.
const START: usize = 1 << 16;

/// What is wrong with a row, and what to do.
pub(super) type Problem = (String, &'static str);

/// All rows of a file; an empty cell is text without letters.
#[derive(Debug)]
pub(super) struct Sheet {
    path: PathBuf,
    pub(super) header: Vec<String>,
    rows: Vec<(String, Vec<String>)>,
}

impl Sheet {
    /// The columns of a CSV or Parquet file; none of other files.
    pub(super) fn columns(path: &Path) -> Option<Vec<String>> {
        let start = Content::at(path).start(START).ok()?;
        if start.starts_with(PARQUET) {
            // Why a damaged file cannot be read is said when it is read.
            return Some(Self::read(path).map_or(Vec::new(), |sheet| sheet.header));
        }
        let line = start.split(|byte| *byte == b'\n').next()?;
        let text = line.strip_prefix(UTF8_BOM).unwrap_or(line);
        // A document in one line may have the names of columns between its commas.
        if matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')) {
            return None;
        }
        let is_text = std::str::from_utf8(text).is_ok();
        is_text.then(|| names(reader(line).headers().ok()))
    }

    /// Whether a file is Parquet, by its first bytes.
    pub(super) fn is_parquet(path: &Path) -> bool {
        Content::at(path).start(PARQUET.len()).is_ok_and(|start| start == PARQUET)
    }

    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, ReadError> {
        let mut sheet = Self { path: path.to_owned(), header: Vec::new(), rows: Vec::new() };
        let bytes =
            fs::read(path).map_err(|error| sheet.failed(format!("cannot be read ({error})")))?;
        if bytes.starts_with(PARQUET) {
            sheet.parquet(bytes)?;
        } else {
            sheet.csv(&bytes)?;
        }
        let names = &sheet.header;
        let again = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name));
        match again {
            Some((_, name)) if !name.is_empty() => {
                Err(sheet.failed(format!("has two columns `{name}`")))
            }
            _ => Ok(sheet),
        }
    }

    /// The rows of JSON objects, each with its position: a column a key, text as it is, other values as
    /// JSON writes them.
    pub(super) fn of_records(path: &Path, records: &[(String, Map<String, Value>)]) -> Self {
        let keys: BTreeSet<&String> = records.iter().flat_map(|(_, row)| row.keys()).collect();
        let header: Vec<String> = keys.into_iter().cloned().collect();
        let cell = |value: Option<&Value>| match value {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(other) => other.to_string(),
        };
        let cells =
            |row: &Map<String, Value>| header.iter().map(|key| cell(row.get(key))).collect();
        let rows = records.iter().map(|(position, row)| (position.clone(), cells(row))).collect();
        Self { path: path.to_owned(), header, rows }
    }

    fn csv(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        let broken = |error: &csv::Error| format!("is not valid CSV ({error})");
        let mut reader = reader(bytes);
        self.header = names(Some(reader.headers().map_err(|error| self.failed(broken(&error)))?));
        for record in reader.records() {
            let record = record.map_err(|error| self.failed(broken(&error)))?;
            let line = record.position().map_or(0, csv::Position::line);
            let cells = record.iter().map(|cell| unguarded(cell.trim()).to_owned());
            self.rows.push((format!("line {line}"), cells.collect()));
        }
        Ok(())
    }

    fn parquet(&mut self, bytes: Vec<u8>) -> Result<(), ReadError> {
        let columns = read_parquet(bytes).map_err(|error| {
            self.failed(format!("is not a Parquet table of plain columns ({error})"))
        })?;
        let rows = columns.first().map_or(0, |(_, values)| values.len());
        let cells =
            |row| columns.iter().map(|(_, values)| cell(values, row).into_owned()).collect();
        self.rows = (0..rows).map(|row| (format!("row {}", row + 1), cells(row))).collect();
        self.header = columns.into_iter().map(|(name, _)| name).collect();
        Ok(())
    }

    /// The error about the file as a whole.
    pub(super) fn failed(&self, problem: String) -> ReadError {
        ReadError::new(&self.path, problem, "correct the file")
    }

    /// Calls `each` for every row until one is wrong, which the error names.
    pub(super) fn for_rows(
        &self,
        mut each: impl FnMut(&Row<'_>) -> Result<(), Problem>,
    ) -> Result<(), ReadError> {
        for (position, cells) in &self.rows {
            let row = Row { position, header: &self.header, cells };
            each(&row).map_err(|(problem, remedy)| {
                ReadError::new(&self.path, problem, remedy).at(position.clone())
            })?;
        }
        Ok(())
    }

    /// The cells of a column that are not empty.
    pub(super) fn cells(&self, column: usize) -> impl Iterator<Item = &str> {
        let cells = self.rows.iter().filter_map(move |(_, cells)| cells.get(column));
        cells.map(String::as_str).filter(|cell| !cell.is_empty())
    }
}

fn reader(bytes: &[u8]) -> csv::Reader<&[u8]> {
    let bytes = bytes.strip_prefix(UTF8_BOM).unwrap_or(bytes);
    csv::ReaderBuilder::new().trim(csv::Trim::Headers).from_reader(bytes)
}

fn names(header: Option<&csv::StringRecord>) -> Vec<String> {
    let names = header.into_iter().flatten();
    names.map(|name| unguarded(name).to_owned()).collect()
}

/// A value as CSV has it.
fn cell(values: &Values, row: usize) -> Cow<'_, str> {
    let text = match values {
        Values::Text(values) => return values[row].as_deref().unwrap_or_default().trim().into(),
        Values::Real(values) => values[row].map(|value| value.to_string()),
        Values::Count(values) => values[row].map(|value| value.to_string()),
        Values::Flag(values) => values[row].map(|value| value.to_string()),
    };
    text.unwrap_or_default().into()
}

/// A row of a file, with the names of its columns.
pub(super) struct Row<'r> {
    position: &'r str,
    header: &'r [String],
    cells: &'r [String],
}

impl Row<'_> {
    /// Where it stands in its file.
    pub(super) fn position(&self) -> &str {
        self.position
    }

    /// A cell; none when it is empty or there is no such column.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let column = self.header.iter().position(|column| column == name)?;
        self.cells.get(column).map(String::as_str).filter(|cell| !cell.is_empty())
    }

    pub(super) fn need(&self, name: &str) -> Result<String, Problem> {
        self.get(name).map(str::to_owned).ok_or((format!("`{name}` is empty"), "fill it in"))
    }

    pub(super) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, Problem> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let wrong = || (format!("`{name}` is `{text}`, which is not a valid number"), "mend it");
        text.parse().map(Some).map_err(|_| wrong())
    }
}
