//! Rows of named fields, and the formats they are written in.

use std::fmt::Write as _;

use super::{Align, Table};
use crate::text::{is_hidden, visible};

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// Words.
    Text(String),
    /// A measured number.
    Real(f64),
    /// A count.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// Marked with a dagger, or not.
    Mark(bool),
    /// Nothing, and why.
    NotApplicable(&'static str),
    /// Nothing.
    Missing,
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<f64> for Field {
    fn from(value: f64) -> Self {
        if value.is_finite() { Self::Real(value) } else { Self::Missing }
    }
}

impl From<usize> for Field {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<u64> for Field {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<bool> for Field {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl<T: Into<Field>> From<Option<T>> for Field {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// The formats of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns, numbers to three decimals.
    #[default]
    Table,
    /// An array of flat objects, numbers in full.
    Json,
    /// Comma-separated values, numbers in full.
    Csv,
    /// A Markdown table.
    Markdown,
    /// A LaTeX tabular.
    Latex,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Table, Self::Json, Self::Csv, Self::Markdown, Self::Latex];

    /// The id that `--format` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Markdown => "md",
            Self::Latex => "latex",
        }
    }
}

/// Rows under named columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    columns: Vec<&'static str>,
    rows: Vec<Vec<Field>>,
}

impl Rows {
    /// No rows yet.
    pub fn new(columns: &[&'static str]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row, a field a column.
    pub fn push(&mut self, row: Vec<Field>) {
        debug_assert_eq!(row.len(), self.columns.len(), "a field a column");
        self.rows.push(row);
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> &[&'static str] {
        &self.columns
    }

    /// The rows.
    pub(super) fn rows(&self) -> &[Vec<Field>] {
        &self.rows
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the rows.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Table => self.table(),
            Format::Json => self.json(),
            Format::Csv => self.csv(),
            Format::Markdown => self.markdown(),
            Format::Latex => self.latex(),
        }
    }

    /// Whether a column holds numbers: no field in it is a word.
    fn is_number(&self, column: usize) -> bool {
        let words =
            |field: &Field| matches!(field, Field::Text(_) | Field::Flag(_) | Field::Mark(_));
        !self.rows.iter().any(|row| words(&row[column]))
    }

    fn table(&self) -> String {
        let header: Vec<(&str, Align)> = self
            .columns
            .iter()
            .enumerate()
            .map(|(column, name)| {
                (*name, if self.is_number(column) { Align::Right } else { Align::Left })
            })
            .collect();
        let mut table = Table::new(&header);
        self.rows.iter().for_each(|row| table.row(row.iter().map(short)));
        table.to_string()
    }

    /// A row as a flat object.
    fn object(&self, row: &[Field]) -> String {
        let fields = self.columns.iter().zip(row).map(|(name, field)| {
            let value = match field {
                Field::Text(text) => {
                    without_hidden(&serde_json::Value::from(text.as_str()).to_string())
                }
                other => full(other).unwrap_or_else(|| "null".to_owned()),
            };
            format!("\"{name}\": {value}")
        });
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    }

    fn json(&self) -> String {
        let objects: Vec<String> =
            self.rows.iter().map(|row| format!("  {}", self.object(row))).collect();
        if objects.is_empty() {
            "[]\n".to_owned()
        } else {
            format!("[\n{}\n]\n", objects.join(",\n"))
        }
    }

    /// A flat object a line.
    pub fn json_lines(&self) -> String {
        self.rows.iter().map(|row| self.object(row) + "\n").collect()
    }

    fn csv(&self) -> String {
        let quoted = |text: &str| {
            let text = visible(text);
            if text.contains([',', '"']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text.into_owned()
            }
        };
        let mut csv = self.columns.join(",") + "\n";
        for row in &self.rows {
            let fields = row.iter().map(|field| match field {
                Field::Text(text) => quoted(text),
                other => full(other).unwrap_or_default(),
            });
            csv += &(fields.collect::<Vec<_>>().join(",") + "\n");
        }
        csv
    }

    fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|name| (*name).to_owned()).collect());
        let rule = (0..self.columns.len())
            .map(|column| if self.is_number(column) { "--:" } else { "---" });
        let _ = writeln!(text, "|{}|", rule.collect::<Vec<_>>().join("|"));
        for row in &self.rows {
            let cell = |field| visible(&short(field)).replace('|', "\\|");
            text += &line(row.iter().map(cell).collect());
        }
        text
    }

    fn latex(&self) -> String {
        let sides =
            (0..self.columns.len()).map(|column| if self.is_number(column) { 'r' } else { 'l' });
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let mut text = format!("\\begin{{tabular}}{{{}}}\n\\toprule\n", sides.collect::<String>());
        text += &line(self.columns.iter().map(|name| escaped(name)).collect());
        text += "\\midrule\n";
        for row in &self.rows {
            text += &line(row.iter().map(|field| escaped(&visible(&short(field)))).collect());
        }
        text + "\\bottomrule\n\\end{tabular}\n"
    }
}

/// A field as people read it.
fn short(field: &Field) -> String {
    match field {
        Field::Text(text) => text.clone(),
        Field::Real(value) => format!("{value:.3}"),
        Field::Count(count) => count.to_string(),
        Field::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Field::Mark(mark) => if *mark { "†" } else { "" }.to_owned(),
        Field::NotApplicable(why) => format!("n/a ({why})"),
        Field::Missing => "–".to_owned(),
    }
}

/// A field as programs read it; none of nothing and of words, which each format quotes its own way.
fn full(field: &Field) -> Option<String> {
    match field {
        Field::Real(value) => serde_json::Number::from_f64(*value).map(|number| number.to_string()),
        Field::Count(count) => Some(count.to_string()),
        Field::Flag(flag) | Field::Mark(flag) => Some(flag.to_string()),
        Field::Text(_) | Field::NotApplicable(_) | Field::Missing => None,
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '†' => escaped.push_str("$^\\dagger$"),
            '–' => escaped.push_str("--"),
            '·' => escaped.push_str("$\\cdot$"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// JSON whose characters that could steer a terminal are written as escapes: the value stays exact.
pub(super) fn without_hidden(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_no_raw_character_that_steers() {
        let text = "a\u{9b}31m\u{202e}b\u{200b}\u{e0041}";
        let json = without_hidden(&serde_json::Value::from(text).to_string());
        assert_eq!(json, r#""a\u009b31m\u202eb\u200b\udb40\udc41""#);
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
    }

    fn rows() -> Rows {
        let mut rows = Rows::new(&["name", "value", "n", "flagged"]);
        rows.push(vec!["a_b, \"c\"\u{1b}".into(), 0.1.into(), 3usize.into(), Field::Mark(true)]);
        rows.push(vec!["d|e".into(), None::<f64>.into(), 12usize.into(), Field::Mark(false)]);
        rows
    }

    #[test]
    fn every_format() {
        let table = rows().render(Format::Table);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "name       value   n  flagged");
        assert_eq!(lines[1], "a_b, \"c\"␛  0.100   3  †");
        assert_eq!(lines[2], "d|e            –  12");
        let json: serde_json::Value =
            serde_json::from_str(&rows().render(Format::Json)).expect("JSON");
        assert_eq!(json[0]["value"], 0.1);
        assert_eq!(json[0]["name"], "a_b, \"c\"\u{1b}");
        assert!(json[1]["value"].is_null());
        assert_eq!(json[1]["flagged"], false);
        let csv = "name,value,n,flagged\n\"a_b, \"\"c\"\"␛\",0.1,3,true\nd|e,,12,false\n";
        assert_eq!(rows().render(Format::Csv), csv);
        assert!(rows().render(Format::Markdown).contains("| d\\|e | – | 12 |  |"));
        assert!(
            rows().render(Format::Latex).contains("a\\_b, \"c\"␛ & 0.100 & 3 & $^\\dagger$ \\\\")
        );
        assert_eq!(Rows::new(&["a"]).render(Format::Json), "[]\n");
    }

    #[test]
    fn no_escape_sequence_leaves_raw() {
        for format in Format::ALL {
            assert!(!rows().render(format).contains('\u{1b}'), "{format:?}");
        }
    }
}
