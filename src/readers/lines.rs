//! JSON lines: one document per line, in a file of any size.

use std::io::{BufRead, Read as _};
use std::path::Path;

use serde::Deserialize;

use super::{Content, ReadError, UTF8_BOM, json};

/// The longest line that is taken: a longer one is no record.
const LONGEST_LINE: u64 = 1 << 30;

/// The lines of a file that hold something, one at a time in memory.
pub(crate) struct Lines<'a> {
    path: &'a Path,
    from: Box<dyn BufRead + 'a>,
    line: Vec<u8>,
    number: usize,
}

impl<'a> Lines<'a> {
    /// The lines of a file.
    pub(crate) fn of(content: &'a Content) -> Result<Self, ReadError> {
        let from = content.reader()?;
        Ok(Self { path: content.path(), from, line: Vec::new(), number: 0 })
    }

    /// The next line that is not blank, as JSON that a parser takes; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        loop {
            self.line.clear();
            let mut limited = (&mut self.from).take(LONGEST_LINE);
            let read = limited
                .read_until(b'\n', &mut self.line)
                .map_err(|error| ReadError::unreadable(self.path, &error))?;
            self.number += 1;
            if read == 0 {
                return Ok(None);
            }
            if read as u64 == LONGEST_LINE && !self.line.ends_with(b"\n") {
                let problem = format!("a line is longer than {} MiB", LONGEST_LINE >> 20);
                let error = ReadError::new(self.path, problem, "split the record");
                return Err(error.at(format!("line {}", self.number)));
            }
            if self.number == 1 && self.line.starts_with(UTF8_BOM) {
                self.line.drain(..UTF8_BOM.len());
            }
            if !self.line.trim_ascii().is_empty() {
                json::mend(&mut self.line);
                return Ok(Some(&self.line));
            }
        }
    }

    /// The next record with the number of its line, from 1; none at the end.
    pub(super) fn parse_next<'s, T: Deserialize<'s>>(
        &'s mut self,
    ) -> Result<Option<(usize, T)>, ReadError> {
        if self.next()?.is_none() {
            return Ok(None);
        }
        let record = serde_json::from_slice(&self.line).map_err(|error| self.error(&error))?;
        Ok(Some((self.number, record)))
    }

    /// The number of lines that hold something.
    pub(super) fn count(content: &'a Content) -> Result<u64, ReadError> {
        let mut lines = Self::of(content)?;
        let mut count = 0;
        while lines.skip()? {
            count += 1;
        }
        Ok(count)
    }

    /// Passes over the next line that is not blank, without keeping it; false at the end.
    fn skip(&mut self) -> Result<bool, ReadError> {
        let mut is_blank = true;
        loop {
            let unreadable = |error| ReadError::unreadable(self.path, &error);
            let buffer = self.from.fill_buf().map_err(unreadable)?;
            let end = memchr::memchr(b'\n', buffer);
            let piece = &buffer[..end.unwrap_or(buffer.len())];
            is_blank = is_blank && piece.trim_ascii().is_empty();
            let (is_last, taken) = (buffer.is_empty(), piece.len() + usize::from(end.is_some()));
            self.from.consume(taken);
            if is_last || (end.is_some() && !is_blank) {
                return Ok(!is_blank);
            }
        }
    }

    /// The same, with the number of the line.
    pub(crate) fn next_numbered(&mut self) -> Result<Option<(usize, &[u8])>, ReadError> {
        if self.next()?.is_none() {
            return Ok(None);
        }
        Ok(Some((self.number, &self.line)))
    }

    /// A parser's error about the line that came last.
    pub(crate) fn error(&self, error: &serde_json::Error) -> ReadError {
        let position = format!("line {}, column {}", self.number, error.column());
        ReadError::json(self.path, &self.line, error).at(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &[u8]) -> Content {
        Content::stream(Path::new("x.jsonl"), text).expect("taken")
    }

    #[test]
    fn lines_are_counted_as_an_editor_does() {
        let content = content(b"\xEF\xBB\xBF{\"a\": 1}\r\n\n  \n{\"a\": NaN}");
        let mut lines = Lines::of(&content).expect("opened");
        let mut seen = Vec::new();
        while let Some(record) = lines.parse_next::<serde_json::Value>().expect("read") {
            seen.push(record);
        }
        let records = [(1, serde_json::json!({"a": 1})), (4, serde_json::json!({"a": ""}))];
        assert_eq!(seen, records);
        assert_eq!(Lines::count(&content), Ok(2));
        let error = {
            let content = self::content(b"{}\n\n{\"a\": ]}\n");
            let mut lines = Lines::of(&content).expect("opened");
            lines.parse_next::<serde_json::Value>().expect("read");
            lines.parse_next::<serde_json::Value>().expect_err("no JSON").to_string()
        };
        assert!(error.starts_with("x.jsonl, line 3, column 7: is not JSON"), "{error}");
    }

    #[test]
    fn blank_lines_do_not_count() {
        for (text, count) in [("", 0), ("\n \n", 0), ("a", 1), ("a\n\n b\r\n \r\nc\n", 3)] {
            assert_eq!(Lines::count(&content(text.as_bytes())), Ok(count), "{text:?}");
        }
    }
}
