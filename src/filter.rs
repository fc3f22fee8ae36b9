//! The expression language of the explorer's filter: the `WHERE` clause of SQL over named columns.
//!
//! A filter is compiled once against a list of columns, which checks names and types, and then evaluated
//! row by row. docs/filter.md describes the language for its users.
//!
//! ```
//! use qualm::filter::{Field, FieldKind, Filter, Value};
//!
//! let fields = [
//!     Field { name: "success".to_owned(), kind: FieldKind::Bool },
//!     Field { name: "lnsp_min".to_owned(), kind: FieldKind::Number },
//! ];
//! let filter = Filter::parse("not success and lnsp_min > 0.8", &fields).expect("a condition");
//! let row = [Value::Bool(false), Value::Number(0.9)];
//! assert!(filter.keeps(&|column| row[column].clone()));
//!
//! let error = Filter::parse("lnsp_mni > 0.8", &fields).expect_err("no such column");
//! assert_eq!(error.to_string(), "unknown column `lnsp_mni`; did you mean `lnsp_min`?");
//! assert_eq!(error.at, 0..8);
//! ```

mod check;
mod complete;
mod conjuncts;
mod eval;
mod lex;
mod like;
mod names;
mod parse;
mod sql;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

pub use complete::{Completion, Completions, complete};
pub use conjuncts::{conjuncts, joined};
use eval::Operand as _;
pub use sql::SqlWords;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// Yes or no.
    Bool,
    /// A number.
    Number,
    /// Text.
    Text,
}

impl FieldKind {
    /// The name of the type on screen.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bool => "yes/no",
            Self::Number => "number",
            Self::Text => "text",
        }
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A column that a filter may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the column.
    pub name: String,
    /// The type of its values.
    pub kind: FieldKind,
}

/// The value of one row in one column. NaN and a value of another type than the column's count as null.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Not known.
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

    /// The columns that the expression reads, each once, as indices into the list it was compiled against.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Whether the expression is true for one row, and not false or null. `value` returns the row's value
    /// in a column, by the column's index.
    pub fn keeps<'a>(&self, value: &dyn Fn(usize) -> Value<'a>) -> bool {
        self.test.eval(value) == Some(true)
    }
}

/// Why an expression is not a filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    /// The range in bytes of the part that is wrong; empty where something is missing.
    pub at: Range<usize>,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl FilterError {
    fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}
