//! A query as a chain of named parts, each defined once and after those that it reads.

use std::fmt::Write as _;

use super::Dialect;

/// The parts of a query so far.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) dialect: Dialect,
    parts: Vec<Part>,
}

/// A common table expression with what it is.
#[derive(Clone, Debug)]
struct Part {
    name: &'static str,
    about: &'static str,
    body: String,
}

impl Script {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, parts: Vec::new() }
    }

    /// Whether a part is defined.
    pub(super) fn has(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.name == name)
    }

    /// Defines a part.
    pub(super) fn define(&mut self, name: &'static str, about: &'static str, body: String) {
        debug_assert!(!self.has(name), "{name} is defined twice");
        self.parts.push(Part { name, about, body });
    }

    /// The whole query, with lines of comment above it.
    pub(super) fn finish(&self, comments: &[String], last: &str) -> String {
        let mut sql = String::new();
        comments.iter().for_each(|line| sql.extend(["-- ", line.as_str(), "\n"]));
        for (index, Part { name, about, body }) in self.parts.iter().enumerate() {
            let (with, end) = (
                if index == 0 { "WITH\n" } else { "" },
                if index + 1 == self.parts.len() { "" } else { "," },
            );
            let _ = writeln!(sql, "{with}-- {about}\n{name} AS (\n{}\n){end}", indented(body));
        }
        sql.push_str(last.trim());
        sql.push_str(";\n");
        sql
    }
}

/// Every line of a text two columns further right.
pub(super) fn indented(text: &str) -> String {
    let lines = text.trim().lines().map(|line| format!("  {line}").trim_end().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

/// A table with a row for every label, to make rows of columns without reading the columns again.
pub(super) fn labels(dialect: Dialect, column: &str, labels: &[String]) -> String {
    let rows = labels.iter().map(|label| format!("({})", dialect.text(label)));
    format!("(VALUES {}) AS {column}s({column})", rows.collect::<Vec<_>>().join(", "))
}

/// The expression of each label, given the column with the label.
pub(super) fn by_label(dialect: Dialect, column: &str, cases: &[(String, String)]) -> String {
    let cases = cases
        .iter()
        .map(|(label, expression)| format!("\n    WHEN {} THEN {expression}", dialect.text(label)));
    format!("CASE {column}{}\n  END", cases.collect::<String>())
}

/// Texts as the items of a list in parentheses; a text that is nowhere stands for an empty list.
pub(super) fn text_list(dialect: Dialect, texts: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = texts.map(|text| dialect.text(&text)).collect();
    if all.is_empty() { "('')".to_owned() } else { format!("({})", all.join(", ")) }
}
