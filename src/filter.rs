//! The expression language of the explorer's filter: the `WHERE` clause of SQL over named columns.
//!
//! A filter is compiled once against a list of columns, where names and types are checked, and then
//! asked row by row. docs/filter.md describes the language for its users.
//!
//! ```
//! use qualm::filter::{Field, Filter, Kind, Value};
//!
//! let fields = [Field::new("success", Kind::Bool), Field::new("lnsp_min", Kind::Number)];
//! let filter = Filter::parse("not success and lnsp_min > 0.8", &fields).expect("a condition");
//! let row = [Value::Bool(false), Value::Number(0.9)];
//! assert!(filter.keeps(&|place| row[place].clone()));
//!
//! let error = Filter::parse("lnsp_mni > 0.8", &fields).expect_err("no such column");
//! assert_eq!(error.to_string(), "unknown column `lnsp_mni`; did you mean `lnsp_min`?");
//! assert_eq!(error.at, 0..8);
//! ```

mod check;
mod complete;
mod eval;
mod lex;
mod like;
mod names;
mod parse;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

pub use complete::{Completion, Completions, complete};
use eval::Operand as _;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Yes or no.
    Bool,
    /// A number.
    Number,
    /// Text.
    Text,
}

impl Kind {
    /// The word for it on screen.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bool => "yes/no",
            Self::Number => "number",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A column that a filter may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

impl Field {
    /// A column.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind }
    }
}

/// One row's value in one column. A value of another kind than the column's counts as null, as does
/// NaN.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Nothing is known.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(Cow<'a, str>),
}

/// A filter, compiled against a list of columns.
#[derive(Clone, Debug)]
pub struct Filter {
    source: String,
    columns: Vec<usize>,
    test: eval::Test,
}

impl Filter {
    /// Compiles an expression over these columns.
    pub fn parse(source: &str, fields: &[Field]) -> Result<Self, FilterError> {
        let tree = parse::parse(source)?;
        let (test, columns) = check::check(source, &tree, fields)?;
        Ok(Self { source: source.to_owned(), columns, test })
    }

    /// The expression as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The columns that it reads, each once, as places in the list it was compiled against.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Whether the expression is true of one row; where it is null, it is not. `column` is asked for
    /// the row's values by their place.
    pub fn keeps<'a>(&self, column: &dyn Fn(usize) -> Value<'a>) -> bool {
        self.test.of(column) == Some(true)
    }
}

/// Why an expression is no filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    /// The bytes of the expression that are at fault; empty where something is missing.
    pub at: Range<usize>,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl FilterError {
    fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}
