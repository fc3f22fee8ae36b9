//! The output formats of all commands, and tables written in them.

mod aligned;
mod csv;
mod json;
mod latex;
mod markdown;

use std::path::Path;

use super::{Datum, Table};
use crate::report::ColumnKind;
use crate::text::{grouped, percent};

pub(super) use json::without_hidden;

/// A format that something is written in. Every command offers some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// Aligned columns, numbers to three decimals.
    #[default]
    Table,
    /// Lines of text.
    Text,
    /// An array of flat objects, or one object; numbers in full.
    Json,
    /// A flat object on every line, numbers in full.
    JsonLines,
    /// Comma-separated values, numbers in full.
    Csv,
    /// Markdown.
    Markdown,
    /// A LaTeX tabular.
    Latex,
    /// A Parquet file.
    Parquet,
}

impl OutputFormat {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Table,
        Self::Text,
        Self::Json,
        Self::JsonLines,
        Self::Csv,
        Self::Markdown,
        Self::Latex,
        Self::Parquet,
    ];

    /// The formats of `merge` and `scorers`.
    pub const TABLES: [Self; 5] = [Self::Table, Self::Json, Self::Csv, Self::Markdown, Self::Latex];

    /// The formats of `report`.
    pub const REPORTS: [Self; 6] =
        [Self::Table, Self::Json, Self::Csv, Self::Markdown, Self::Latex, Self::Parquet];

    /// The formats of `show` and `diff`.
    pub const RUNS: [Self; 3] = [Self::Text, Self::Markdown, Self::Json];

    /// The formats of `export`.
    pub const RECORDS: [Self; 3] = [Self::Csv, Self::JsonLines, Self::Parquet];

    /// The formats of what a screen writes to a file, apart from pictures.
    pub const SCREENS: [Self; 5] =
        [Self::Csv, Self::Json, Self::Markdown, Self::Latex, Self::Parquet];

    /// The id that `--format` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Text => "text",
            Self::Json => "json",
            Self::JsonLines => "jsonl",
            Self::Csv => "csv",
            Self::Markdown => "md",
            Self::Latex => "latex",
            Self::Parquet => "parquet",
        }
    }

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Table | Self::Text => "txt",
            Self::Latex => "tex",
            Self::Json | Self::JsonLines | Self::Csv | Self::Markdown | Self::Parquet => self.id(),
        }
    }

    /// The format of that id among those offered.
    pub fn parse(id: &str, offered: &[Self]) -> Option<Self> {
        offered.iter().copied().find(|format| format.id() == id)
    }

    /// The format of a file among those offered, by the ending of its name.
    pub fn of_path(path: &Path, offered: &[Self]) -> Option<Self> {
        let ending = path.extension()?.to_str()?;
        offered.iter().copied().find(|format| format.ending() == ending)
    }
}

/// Writes a table as text; of a format that is no text the aligned columns.
pub(super) fn render(table: &Table, format: OutputFormat) -> String {
    let wide = table.wide.as_ref();
    match format {
        OutputFormat::Table | OutputFormat::Text | OutputFormat::Parquet => {
            let wide = wide.filter(|_| table.is_wide_text);
            wide.map_or_else(|| aligned::render(table), aligned::render_wide)
        }
        OutputFormat::Json => json::array(table),
        OutputFormat::JsonLines => json::lines(table),
        OutputFormat::Csv => csv::render(table),
        OutputFormat::Markdown => markdown::render(table, wide),
        OutputFormat::Latex => latex::render(table, wide),
    }
}

/// The rows of a table, values in full and apart by tabs; a value that is missing is empty.
pub(super) fn tab_separated(table: &Table) -> Vec<String> {
    let field = |datum: &Datum| csv::field(datum, table.raw_text);
    let line = |row: &Vec<Datum>| row.iter().map(field).collect::<Vec<_>>().join("\t");
    table.rows().iter().map(line).collect()
}

/// The values of a row as people read them; words are still as they were written.
fn short(table: &Table, row: &[Datum]) -> Vec<String> {
    let columns = table.columns().iter();
    row.iter().zip(columns).map(|(datum, column)| short_value(datum, column.kind)).collect()
}

pub(super) fn short_value(datum: &Datum, kind: ColumnKind) -> String {
    match datum {
        Datum::Text(text) => text.clone(),
        Datum::Real(value) => format!("{value:.3}"),
        Datum::Count(count) if kind == ColumnKind::LargeCount => grouped(*count),
        Datum::Count(count) => count.to_string(),
        Datum::Share(part, whole) => percent(*part, *whole),
        Datum::Flag(true) if kind == ColumnKind::Mark => "†".to_owned(),
        Datum::Flag(false) if kind == ColumnKind::Mark => String::new(),
        Datum::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
        Datum::Undefined(why) => why.to_string(),
        Datum::Missing => "–".to_owned(),
    }
}

/// A number or flag as programs read it; none for a missing value and for words, which every format
/// quotes in its own way.
pub(super) fn exact(datum: &Datum) -> Option<String> {
    let real = |value: f64| serde_json::Number::from_f64(value).map(|number| number.to_string());
    match datum {
        Datum::Real(value) => real(*value),
        Datum::Count(count) => Some(count.to_string()),
        Datum::Share(part, whole) => real(*part as f64 / *whole as f64),
        Datum::Flag(flag) => Some(flag.to_string()),
        Datum::Text(_) | Datum::Undefined(_) | Datum::Missing => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Undefined;
    use crate::report::table::{count, mark, real, text};

    fn table() -> Table {
        let columns = [text("name"), real("value"), count("n"), mark("flagged")];
        let mut table = Table::new("a test", &columns);
        table.push(vec!["a_b, \"c\"\u{1b}".into(), 0.1.into(), 3usize.into(), true.into()]);
        table.push(vec!["d|e".into(), None::<f64>.into(), 12usize.into(), false.into()]);
        table
    }

    #[test]
    fn every_format() {
        let aligned = table().render(OutputFormat::Table);
        let lines: Vec<&str> = aligned.lines().collect();
        assert_eq!(lines[0], "name       value   n  flagged");
        assert_eq!(lines[1], "a_b, \"c\"␛  0.100   3  †");
        assert_eq!(lines[2], "d|e            –  12");
        let json: serde_json::Value =
            serde_json::from_str(&table().render(OutputFormat::Json)).expect("JSON");
        assert_eq!(json[0]["value"], 0.1);
        assert_eq!(json[0]["name"], "a_b, \"c\"\u{1b}");
        assert!(json[1]["value"].is_null());
        assert_eq!(json[1]["flagged"], false);
        let lines = table().render(OutputFormat::JsonLines);
        let objects: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(serde_json::Value::from(objects), json);
        let csv = "name,value,n,flagged\n\"a_b, \"\"c\"\"␛\",0.1,3,true\nd|e,,12,false\n";
        assert_eq!(table().render(OutputFormat::Csv), csv);
        assert!(table().render(OutputFormat::Markdown).contains("| d\\|e | – | 12 |  |"));
        let latex = table().render(OutputFormat::Latex);
        assert!(latex.contains("a\\_b, \"c\"U+241B & 0.100 & 3 & $^\\dagger$ \\\\"));
        assert_eq!(Table::new("", &[text("a")]).render(OutputFormat::Json), "[]\n");
    }

    #[test]
    fn no_escape_sequence_leaves_raw() {
        for format in OutputFormat::ALL {
            assert!(!table().render(format).contains('\u{1b}'), "{format:?}");
        }
    }

    #[test]
    fn why_there_is_no_value_is_for_people_only() {
        let mut table = Table::new("", &[real("value")]);
        table.push(vec![Datum::Undefined(Undefined::AllFailed)]);
        assert!(table.render(OutputFormat::Table).contains("n/a (all failed)"));
        assert_eq!(table.render(OutputFormat::Csv), "value\n\"\"\n");
        assert!(table.render(OutputFormat::Json).contains("null"));
    }

    #[test]
    fn a_format_is_known_by_its_id_and_its_ending() {
        for offered in [&OutputFormat::TABLES[..], &OutputFormat::RECORDS, &OutputFormat::RUNS] {
            for format in offered {
                assert_eq!(OutputFormat::parse(format.id(), offered), Some(*format));
            }
        }
        assert_eq!(OutputFormat::parse("parquet", &OutputFormat::TABLES), None);
        for format in OutputFormat::SCREENS {
            let path = Path::new("a.b").with_extension(format.ending());
            assert_eq!(OutputFormat::of_path(&path, &OutputFormat::SCREENS), Some(format));
        }
        assert_eq!(OutputFormat::of_path(Path::new("csv"), &OutputFormat::SCREENS), None);
    }
}
