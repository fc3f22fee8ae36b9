//! Walks over one JSON document without holding it: only one of its values is in memory at a time.
//!
//! The values are found by their brackets and quotes alone. What is in them is for the parser that gets
//! their bytes; what is passed over is not looked at.

mod along;
mod scan;

use std::fmt;
use std::io::BufRead;
use std::path::Path;

use memchr::{memchr_iter, memrchr};
use serde::Deserialize;
use serde::de::DeserializeSeed;

use super::{Content, ReadError, UTF8_BOM, json};
pub(super) use along::along;
use scan::{Scan, State};

/// The longest value that is taken: one run is not longer.
const LONGEST_VALUE: usize = 2 << 30;

/// What is wanted of a member of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// Nothing.
    Skip,
    /// All of it at once.
    Whole,
    /// Its elements one by one, if it is a list; else nothing.
    Elements,
    /// Nothing more of the document.
    Stop,
}

/// Where something begins in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// Bytes before it.
    pub(super) byte: u64,
    /// Its line, from 1.
    pub(super) line: usize,
    /// Bytes before it in its line.
    pub(super) column: usize,
}

impl Position {
    /// The beginning of the document.
    pub(super) const START: Self = Self { byte: 0, line: 1, column: 0 };

    fn advance(&mut self, bytes: &[u8]) {
        self.byte += bytes.len() as u64;
        match memrchr(b'\n', bytes) {
            Some(last) => {
                self.line += memchr_iter(b'\n', bytes).count();
                self.column = bytes.len() - last - 1;
            }
            None => self.column += bytes.len(),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} (line {}, column {})", self.byte, self.line, self.column)
    }
}

/// A value of the document.
pub(super) struct Value<'a> {
    path: &'a Path,
    start: Position,
    bytes: &'a [u8],
}

impl<'a> Value<'a> {
    /// Its text, as JSON that a parser takes.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Parses it by a seed; an error names its position in the document.
    pub(super) fn parse_with<S: DeserializeSeed<'a>>(
        &self,
        seed: S,
    ) -> Result<S::Value, ReadError> {
        let mut parser = serde_json::Deserializer::from_slice(self.bytes);
        seed.deserialize(&mut parser)
            .and_then(|value| parser.end().map(|()| value))
            .map_err(|error| ReadError::json_from(self.path, self.bytes, &error, self.start))
    }

    /// Parses it; an error names its position in the document.
    pub(super) fn parse<T: Deserialize<'a>>(&self) -> Result<T, ReadError> {
        serde_json::from_slice(self.bytes)
            .map_err(|error| ReadError::json_from(self.path, self.bytes, &error, self.start))
    }
}

/// Takes a value, and the key of the member that it is or is in; false ends the walk.
type Take<'t> = &'t mut dyn FnMut(&str, &Value<'_>) -> Result<bool, ReadError>;

/// Walks over the members of an object.
pub(super) fn members(
    content: &Content,
    want: &mut dyn FnMut(&str) -> Want,
    take: Take<'_>,
) -> Result<(), ReadError> {
    let mut walk = Walk::of(content)?;
    if walk.next()? != Some(b'{') {
        return Err(walk.wrong("expected an object"));
    }
    walk.skip(1);
    let mut is_first = true;
    while walk.begins_item(b'}', &mut is_first)? {
        let key = walk.key()?;
        match want(&key) {
            Want::Stop => return Ok(()),
            Want::Elements if walk.next()? == Some(b'[') => {
                if !walk.elements(&key, take)? {
                    return Ok(());
                }
            }
            Want::Whole => {
                let value = walk.value(true)?;
                if !take(&key, &value)? {
                    return Ok(());
                }
            }
            Want::Skip | Want::Elements => {
                walk.value(false)?;
            }
        }
    }
    walk.end()
}

/// Walks over the elements of a list.
pub(super) fn elements(
    content: &Content,
    take: &mut dyn FnMut(&Value<'_>) -> Result<bool, ReadError>,
) -> Result<(), ReadError> {
    let mut walk = Walk::of(content)?;
    if walk.next()? != Some(b'[') {
        return Err(walk.wrong("expected a list"));
    }
    if walk.elements("", &mut |_, value| take(value))? { walk.end() } else { Ok(()) }
}

/// Walks over documents one after the other, where a list is its elements.
pub(super) fn documents(
    content: &Content,
    take: &mut dyn FnMut(&Value<'_>) -> Result<bool, ReadError>,
) -> Result<(), ReadError> {
    let mut walk = Walk::of(content)?;
    while let Some(next) = walk.next()? {
        let wanted = if next == b'[' {
            walk.elements("", &mut |_, value| take(value))?
        } else {
            take(&walk.value(true)?)?
        };
        if !wanted {
            break;
        }
    }
    Ok(())
}

struct Walk<'a> {
    path: &'a Path,
    from: Box<dyn BufRead>,
    position: Position,
    /// The value that was read last.
    text: Vec<u8>,
}

impl<'a> Walk<'a> {
    fn of(content: &'a Content) -> Result<Self, ReadError> {
        let from = content.reader()?;
        let path = content.path();
        let mut walk = Self { path, from, position: Position::START, text: Vec::new() };
        if walk.block()?.starts_with(UTF8_BOM) {
            walk.from.consume(UTF8_BOM.len());
        }
        Ok(walk)
    }

    /// The bytes that come next; none at the end.
    fn block(&mut self) -> Result<&[u8], ReadError> {
        self.from.fill_buf().map_err(|error| ReadError::unreadable(self.path, &error))
    }

    /// The next byte that is not white space, which stays.
    fn next(&mut self) -> Result<Option<u8>, ReadError> {
        loop {
            let block = self.block()?;
            if block.is_empty() {
                return Ok(None);
            }
            let space = block.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let next = block.get(space).copied();
            self.skip(space);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Goes past some bytes of the block.
    fn skip(&mut self, count: usize) {
        if let Ok(block) = self.from.fill_buf() {
            self.position.advance(&block[..count]);
            self.from.consume(count);
        }
    }

    /// The key of a member, and the colon behind it.
    fn key(&mut self) -> Result<String, ReadError> {
        if self.next()? != Some(b'"') {
            return Err(self.wrong("expected a key in quotes"));
        }
        let key = self.value(true)?.parse()?;
        match self.next()? {
            Some(b':') => self.skip(1),
            Some(_) => return Err(self.wrong("expected `:`")),
            None => return Err(self.cut_off()),
        }
        Ok(key)
    }

    /// Goes past the comma before the next element or member, or past the bracket that closes; says whether
    /// there is a next one.
    fn begins_item(&mut self, close: u8, is_first: &mut bool) -> Result<bool, ReadError> {
        match self.next()? {
            Some(byte) if byte == close => {
                self.skip(1);
                return Ok(false);
            }
            Some(b',') if !*is_first => self.skip(1),
            Some(_) if *is_first => {}
            Some(_) if close == b'}' => return Err(self.wrong("expected `,` or `}`")),
            Some(_) => return Err(self.wrong("expected `,` or `]`")),
            None => return Err(self.cut_off()),
        }
        *is_first = false;
        Ok(true)
    }

    /// Hands out the elements of the list that begins here; false when no more are wanted.
    fn elements(&mut self, key: &str, take: Take<'_>) -> Result<bool, ReadError> {
        self.skip(1);
        let mut is_first = true;
        while self.begins_item(b']', &mut is_first)? {
            let value = self.value(true)?;
            if !take(key, &value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads the value that comes next, and keeps its text if it is wanted.
    fn value(&mut self, keep: bool) -> Result<Value<'_>, ReadError> {
        self.text.clear();
        if self.next()?.is_none() {
            return Err(self.cut_off());
        }
        let start = self.position;
        let mut scan = Scan::default();
        loop {
            let block =
                self.from.fill_buf().map_err(|error| ReadError::unreadable(self.path, &error))?;
            if block.is_empty() {
                // Only a number or a word may end with the document.
                if scan.is_plain() {
                    break;
                }
                return Err(self.cut_off());
            }
            let found = scan.feed(block);
            let used = &block[..found.used];
            if keep {
                self.text.extend_from_slice(used);
            }
            self.position.advance(used);
            self.from.consume(found.used);
            match found.state {
                State::Open if self.text.len() > LONGEST_VALUE => {
                    return Err(self.wrong("a value is longer than 2 GiB"));
                }
                State::Open => {}
                State::Done => break,
                State::Wrong(problem) => return Err(self.wrong(problem)),
            }
        }
        if start == self.position {
            return Err(self.wrong("expected a value"));
        }
        json::mend(&mut self.text);
        Ok(Value { path: self.path, start, bytes: &self.text })
    }

    /// Nothing may follow the document.
    fn end(&mut self) -> Result<(), ReadError> {
        match self.next()? {
            None => Ok(()),
            Some(_) => Err(self.wrong("trailing characters")),
        }
    }

    fn wrong(&self, problem: &str) -> ReadError {
        ReadError::no_json(self.path, problem, self.position)
    }

    fn cut_off(&self) -> ReadError {
        ReadError::cut_off(self.path, self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        Content::stream(Path::new("x.json"), text.as_bytes()).expect("taken")
    }

    /// What a walk over the members hands out, with the elements of `runs`.
    fn walked(text: &str) -> Result<Vec<(String, String)>, String> {
        let mut seen = Vec::new();
        let mut want = |key: &str| match key {
            "runs" => Want::Elements,
            "skip" => Want::Skip,
            "stop" => Want::Stop,
            _ => Want::Whole,
        };
        members(&content(text), &mut want, &mut |key, value| {
            let text = String::from_utf8_lossy(value.bytes()).into_owned();
            seen.push((key.to_owned(), text));
            Ok(true)
        })
        .map(|()| seen)
        .map_err(|error| error.to_string())
    }

    fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn members_and_elements_come_one_by_one() {
        let text = "\u{feff} {\"a\" : 1 ,\n \"b\":\"x \\\" } ]\", \"skip\":[[\"]\"]], \
                    \"runs\" : [ {\"q\": [1, {}]} , \"\\\\\", null ] , \"c\": NaN}\n";
        let expected = [
            ("a", "1"),
            ("b", "\"x \\\" } ]\""),
            ("runs", "{\"q\": [1, {}]}"),
            ("runs", "\"\\\\\""),
            ("runs", "null"),
            ("c", "\"\" "),
        ];
        assert_eq!(walked(text), Ok(pairs(&expected)));
        assert_eq!(walked("{}"), Ok(Vec::new()));
        assert_eq!(walked(r#"{"runs": null, "a": {}}"#), Ok(pairs(&[("a", "{}")])));
        assert_eq!(walked(r#"{"a": 1, "stop": ]"#), Ok(pairs(&[("a", "1")])), "no further");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_position() {
        let problem = |text: &str| walked(text).expect_err("wrong");
        let cut = problem("{\"a\": 1,\n \"runs\": [{\"b\": \"x");
        assert!(cut.contains("byte 27 (line 2, column 18): the JSON ends before"), "{cut}");
        assert!(problem(r#"{"a": [1}"#).contains("brackets do not match"));
        assert!(problem(r#"{"a": 1 "b": 2}"#).contains("expected `,` or `}`"));
        assert!(problem(r#"{"a" 1}"#).contains("expected `:`"));
        assert!(problem(r#"{"a": }"#).contains("expected a value"));
        assert!(problem("{\"a\": 1}]").contains("trailing characters"));
        assert!(problem("[1]").contains("expected an object"));
        let deep = format!("{{\"a\": {}", "[".repeat(100_000));
        assert!(problem(&deep).contains("nested too deeply"));
    }

    #[test]
    fn a_wrong_value_is_found_in_the_document() {
        let text = "[{\"n\": 1},\n {\"n\": 2},\n  {\"n\": \"x\"}]";
        let mut sum = 0;
        let error = elements(&content(text), &mut |value| {
            #[derive(Deserialize)]
            struct Row {
                n: u32,
            }
            sum += value.parse::<Row>()?.n;
            Ok(true)
        })
        .expect_err("no number");
        assert_eq!(sum, 3);
        assert!(error.to_string().contains("byte 33 (line 3, column 11)"), "{error}");
    }

    #[test]
    fn documents_come_one_by_one() {
        let seen = |text: &str| {
            let mut seen = Vec::new();
            let read = documents(&content(text), &mut |value| {
                seen.push(String::from_utf8_lossy(value.bytes()).into_owned());
                Ok(seen.len() < 4)
            });
            (seen, read.err().map(|error| error.to_string()))
        };
        let text = "{\"a\":\n 1}{\"b\": NaN} [3, [4]]\n{\"c\": 5} oh no";
        let expected = ["{\"a\":\n 1}", "{\"b\": \"\" }", "3", "[4]"].map(str::to_owned).to_vec();
        assert_eq!(seen(text), (expected, None), "until no more are wanted");
        assert_eq!(seen(""), (Vec::new(), None));
        let (read, error) = seen("{} , {}");
        assert_eq!(read.len(), 1);
        assert!(error.expect("a comma").contains("byte 3 (line 1, column 3): is not JSON"));
        let (read, error) = seen("{}\n{\"a\": [");
        assert_eq!(read.len(), 1);
        assert!(error.expect("cut off").contains("the JSON ends before it is complete"));
    }

    #[test]
    fn a_pointer_is_followed_without_the_rest() {
        let found = |text: &str, steps: &[&str]| {
            let steps: Vec<String> = steps.iter().map(|step| (*step).to_owned()).collect();
            let mut seen = Vec::new();
            let read = along(&content(text), &steps, &mut |value, rest| {
                let text = String::from_utf8_lossy(value.bytes()).into_owned();
                seen.push((text, rest.join("/")));
                Ok(true)
            });
            read.map(|()| seen).map_err(|error| error.to_string())
        };
        let text = r#"{"x": [1], "a": [{"b": [1, {"c": 2}]}, {"z": 0}, 7, {"b": [3]}], "y": "]"}"#;
        let plain = |values: &[&str]| -> Result<Vec<(String, String)>, String> {
            Ok(values.iter().map(|value| ((*value).to_owned(), String::new())).collect())
        };
        assert_eq!(found(text, &["a", "*", "b", "*"]), plain(&["1", r#"{"c": 2}"#, "3"]));
        assert_eq!(found(text, &["a", "*", "b"]), plain(&["1", r#"{"c": 2}"#, "3"]));
        assert_eq!(found(text, &["a", "*"]).map(|found| found.len()), Ok(4));
        assert_eq!(found(text, &["q", "b"]), plain(&[]));
        assert_eq!(found(text, &["y", "*"]), plain(&[]));
        assert_eq!(found(text, &["x"]), plain(&["1"]));
        assert_eq!(found("[[1, 2], 3]", &["*"]), plain(&["[1, 2]", "3"]));
        let by_index = Ok(vec![("[1]".to_owned(), "0".to_owned())]);
        assert_eq!(found(text, &["x", "0"]), by_index);
        assert!(found(r#"{"a": [1, 2"#, &["a"]).expect_err("cut off").contains("ends before"));
        assert!(found(r#"{"a": 1} 2"#, &["a"]).expect_err("more").contains("trailing characters"));
    }

    #[test]
    fn a_list_may_be_left_early() {
        let mut seen = 0;
        let all = elements(&content("[1, 2, 3, oh no"), &mut |_| {
            seen += 1;
            Ok(seen < 2)
        });
        assert_eq!((all, seen), (Ok(()), 2));
    }
}
