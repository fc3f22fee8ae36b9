//! A table as aligned columns.

use unicode_width::UnicodeWidthStr as _;

use super::short;
use crate::report::{Table, WideRow, WideTable, WideValue};
use crate::text::visible;

pub(super) fn render(table: &Table) -> String {
    let header: Vec<String> =
        table.columns().iter().map(|column| column.name.to_string()).collect();
    let mut lines = vec![header];
    for row in table.rows() {
        let values = short(table, row).into_iter();
        lines.push(values.map(|value| visible(&value).into_owned()).collect());
    }
    let columns = 0..table.columns().len();
    let sides: Vec<bool> = columns.map(|column| table.stands_right(column)).collect();
    aligned(&lines, &sides)
}

/// Lines of values, those of a column below each other; `right` says which columns stand on the right.
fn aligned(lines: &[Vec<String>], right: &[bool]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].width()).max().unwrap_or(0);
    let layout: Vec<(usize, bool)> =
        right.iter().enumerate().map(|(column, right)| (width(column), *right)).collect();
    let mut text = String::new();
    for line in lines {
        let mut shown = String::new();
        for (value, (width, right)) in line.iter().zip(&layout) {
            let space = " ".repeat(width - value.width());
            match right {
                true => shown.extend([space.as_str(), value, "  "]),
                false => shown.extend([value, space.as_str(), "  "]),
            }
        }
        text.extend([shown.trim_end(), "\n"]);
    }
    text
}

/// A grid with a column per cell: datasets, which stand over their first column, then models.
pub(super) fn render_wide(wide: &WideTable) -> String {
    let shown = |text: &str| visible(text).into_owned();
    let mut datasets = vec![String::new()];
    for span in wide.datasets() {
        datasets.push(shown(span.name));
        datasets.extend(std::iter::repeat_n(String::new(), span.columns - 1));
    }
    let mut lines = vec![datasets];
    let corners = std::iter::once(wide.corner.as_str()).chain(std::iter::repeat(""));
    for (corner, names) in corners.zip(wide.names()) {
        lines.push(std::iter::once(corner).chain(names).map(shown).collect());
    }
    for row in &wide.rows {
        let mut line = match row {
            WideRow::Head(name) => vec![shown(name)],
            WideRow::Values(name, values) => {
                let name = std::iter::once(format!(" {}", visible(name)));
                name.chain(values.iter().map(value)).collect()
            }
        };
        line.resize(wide.columns.len() + 1, String::new());
        lines.push(line);
    }
    for (name, values) in &wide.foot {
        lines.push(std::iter::once(name).chain(values).map(|text| shown(text)).collect());
    }
    let text = aligned(&lines, &vec![false; wide.columns.len() + 1]);
    wide.remarks.iter().fold(text, |text, remark| text + &visible(remark) + "\n")
}

fn value(value: &WideValue) -> String {
    let dagger = if value.is_flagged { "†" } else { "" };
    let interval = value.interval.as_ref().map_or(String::new(), |ends| format!(" {ends}"));
    format!("{}{dagger}{interval}", value.text)
}

#[cfg(test)]
mod tests {
    use crate::report::table::{ColumnKind, TableColumn, text};
    use crate::report::{Datum, OutputFormat, Table};

    #[test]
    fn columns_align_whatever_the_width_of_the_words() {
        let large = TableColumn { name: "n".into(), kind: ColumnKind::LargeCount };
        let share = TableColumn { name: "solved".into(), kind: ColumnKind::Share };
        let mut table = Table::new("", &[text("name"), large, share]);
        table.push(vec!["日本".into(), 7usize.into(), Datum::Share(1, 1)]);
        table.push(vec!["a\u{1b}b".into(), 1_000usize.into(), Datum::Share(0, 0)]);
        let expected = "name      n  solved\n日本      7    100%\na␛b   1,000       –\n";
        assert_eq!(table.render(OutputFormat::Table), expected);
    }
}
