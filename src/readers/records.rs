//! Files of JSON records: one a line, a list of them, or one document after the other.

use std::path::Path;

use serde_json::value::RawValue;

use super::fields::Fields;
use super::lines::Lines;
use super::{Content, ReadError, walk};

/// A record, and where it stands in its file.
pub(super) struct FileRecord<'a> {
    path: &'a Path,
    pub(super) fields: Fields<'a>,
    /// Such as `line 3`.
    pub(super) position: String,
}

impl FileRecord<'_> {
    /// The error of a parser about one field.
    pub(super) fn error(&self, field: &str, value: &str, error: &serde_json::Error) -> ReadError {
        let position = format!("{}, `{field}`", self.position);
        ReadError::json(self.path, value.as_bytes(), error).at(position)
    }
}

/// Takes a record; false when no more are wanted.
pub(super) type Take<'t> = &'t mut dyn FnMut(&FileRecord<'_>) -> Result<bool, ReadError>;

/// Hands every record of a file to `take`; one is in memory at a time. A last line that was cut off is
/// left out, which the returned note says.
pub(super) fn each(content: &Content, take: Take<'_>) -> Result<Option<String>, ReadError> {
    let mut lines = Lines::of(content)?;
    let Some(first) = lines.next()? else { return Ok(None) };
    let is_list = first.trim_ascii_start().starts_with(b"[");
    if is_list || serde_json::from_slice::<&RawValue>(first).is_err_and(|error| error.is_eof()) {
        return each_document(content, take).map(|()| None);
    }
    each_line(content, take)
}

fn each_line(content: &Content, take: Take<'_>) -> Result<Option<String>, ReadError> {
    let path = content.path();
    let mut lines = Lines::of(content)?;
    let mut seen = 0;
    while let Some((number, line)) = lines.next_numbered()? {
        let is_ended = line.ends_with(b"\n");
        match serde_json::from_slice(line) {
            Ok(fields) => {
                seen += 1;
                if !take(&FileRecord { path, fields, position: format!("line {number}") })? {
                    break;
                }
            }
            Err(error) if error.is_eof() && !is_ended && seen > 0 => {
                return Ok(Some(format!("ends in the middle of line {number}, which is left out")));
            }
            Err(error) => return Err(lines.error(&error)),
        }
    }
    Ok(None)
}

/// Documents one after the other, where a list is its elements. One is in memory at a time.
fn each_document(content: &Content, take: Take<'_>) -> Result<(), ReadError> {
    let path = content.path();
    let (mut seen, mut failed) = (0, None);
    let read = walk::documents(content, &mut |value| {
        let fields = value.parse()?;
        seen += 1;
        let record = FileRecord { path, fields, position: format!("record {seen}") };
        Ok(take(&record).unwrap_or_else(|error| {
            failed = Some(error);
            false
        }))
    });
    match failed {
        Some(failed) => Err(failed),
        None => read.map_err(|error| after(error, seen)),
    }
}

/// The same error, with how many records could be read before it.
fn after(error: ReadError, seen: usize) -> ReadError {
    match seen {
        0 => error,
        seen => error.after(&format!("record {seen}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of `a` in every record, and the note or error.
    fn values(text: &str) -> (Vec<String>, String) {
        let content = Content::stream(Path::new("x"), text.as_bytes()).expect("taken");
        let mut seen = Vec::new();
        let read = each(&content, &mut |record| {
            seen.push(record.fields.facts().get("a").unwrap_or("none").to_owned());
            Ok(seen.len() < 3)
        });
        (seen, read.map_or_else(|error| error.to_string(), Option::unwrap_or_default))
    }

    #[test]
    fn records_come_in_lines_lists_and_documents() {
        let expected = ["1", "2"].map(str::to_owned).to_vec();
        for text in [
            "{\"a\": 1}\n\n{\"a\": 2}\n",
            "[{\"a\": 1},\n {\"a\": 2}]",
            "{\n \"a\": 1\n}\n{\n \"a\": 2\n}",
        ] {
            assert_eq!(values(text), (expected.clone(), String::new()), "{text}");
        }
        let many = "{\"a\": 1}\n".repeat(5);
        assert_eq!(values(&many).0.len(), 3, "until no more are wanted");
        let list = format!("[{}]", ["{\"a\": 1}"; 5].join(","));
        assert_eq!(values(&list).0.len(), 3, "until no more are wanted");
    }

    #[test]
    fn what_is_broken_is_named() {
        let (seen, note) = values("{\"a\": 1}\n{\"a\": ");
        assert_eq!(
            (seen.len(), note.as_str()),
            (1, "ends in the middle of line 2, which is left out")
        );
        let (_, error) = values("{\"a\": 1}\n{\"a\": \n{\"a\": 2}\n");
        assert!(error.starts_with("x, line 2, column "), "{error}");
        let (_, error) = values("[{\"a\": 1}, 3]");
        assert!(error.contains("after record 1: invalid type: integer `3`"), "{error}");
        let (_, error) = values("{\"a\": 1}\n[1]\n");
        assert!(error.contains("line 2") && error.contains("expected an object"), "{error}");
    }
}
