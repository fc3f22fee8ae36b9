//! A table as aligned columns.

use unicode_width::UnicodeWidthStr as _;

use super::short;
use crate::report::Table;
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
    let width = |column: usize| lines.iter().map(|line| line[column].width()).max().unwrap_or(0);
    let layout: Vec<(usize, bool)> =
        columns.map(|column| (width(column), table.stands_right(column))).collect();
    let mut text = String::new();
    for line in &lines {
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
