//! JSON lines: one document a line, however large the file.

use std::io::{BufRead, Read as _};
use std::path::Path;

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

    /// The number of the line that came last, from 1.
    pub(crate) fn number(&self) -> usize {
        self.number
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

    /// A parser's error about the line that came last.
    pub(crate) fn error(&self, error: &serde_json::Error) -> ReadError {
        let position = format!("line {}, column {}", self.number, error.column());
        ReadError::json(self.path, &self.line, error).at(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_an_editor_does() {
        let text: &[u8] = b"\xEF\xBB\xBF{\"a\": 1}\r\n\n  \n{\"a\": NaN}";
        let content = Content::stream(Path::new("x.jsonl"), text).expect("taken");
        let mut lines = Lines::of(&content).expect("opened");
        let mut seen = Vec::new();
        while let Some(line) = lines.next().expect("read") {
            let line = String::from_utf8(line.trim_ascii().to_vec()).expect("UTF-8");
            seen.push((line, lines.number()));
        }
        assert_eq!(seen, [("{\"a\": 1}".to_owned(), 1), ("{\"a\": \"\" }".to_owned(), 4)]);
    }
}
