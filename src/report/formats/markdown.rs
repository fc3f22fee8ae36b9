//! A table in Markdown.

use std::fmt::Write as _;

use super::short;
use crate::report::Table;
use crate::text::visible;

pub(super) fn render(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut text = line(table.columns().iter().map(|column| column.name.to_string()).collect());
    let columns = 0..table.columns().len();
    let rule = columns.map(|column| if table.stands_right(column) { "--:" } else { "---" });
    let _ = writeln!(text, "|{}|", rule.collect::<Vec<_>>().join("|"));
    for row in table.rows() {
        let values = short(table, row).into_iter();
        text += &line(values.map(|value| visible(&value).replace('|', "\\|")).collect());
    }
    text
}
