//! A table in Markdown.

use std::fmt::Write as _;

use super::short;
use crate::report::{Table, WideRow, WideTable, WideValue};
use crate::text::visible;

/// Writes the wide form of a table where it has one, after a comment that says what made it.
pub(super) fn render(table: &Table, wide: Option<&WideTable>) -> String {
    let text = wide.map_or_else(|| long(table), of_wide);
    match table.origin_in_words() {
        // Only this would end the comment.
        Some(origin) => format!("<!-- {} -->\n\n{text}", origin.replace("-->", "-- >")),
        None => text,
    }
}

fn long(table: &Table) -> String {
    let names = table.columns().iter().map(|column| column.name.to_string()).collect();
    let columns = 0..table.columns().len();
    let sides: Vec<bool> = columns.map(|column| table.stands_right(column)).collect();
    let mut text = line(names) + &rule(&sides);
    for row in table.rows() {
        text += &line(short(table, row).iter().map(|value| escaped(value)).collect());
    }
    text
}

fn line(cells: Vec<String>) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The line below the head; numbers stand on the right.
fn rule(right: &[bool]) -> String {
    let sides = right.iter().map(|right| if *right { "--:" } else { "---" });
    format!("|{}|\n", sides.collect::<Vec<_>>().join("|"))
}

fn escaped(text: &str) -> String {
    visible(text).replace('|', "\\|")
}

/// A grid with a column per cell: its dataset over its model in the head.
fn of_wide(wide: &WideTable) -> String {
    let mut heads = vec![wide.corner.clone()];
    let names = wide.names();
    for (column, cell) in wide.columns.iter().enumerate() {
        let names = names.iter().map(|line| line[column]).filter(|name| !name.is_empty());
        let lines: Vec<String> =
            std::iter::once(cell.dataset.as_str()).chain(names).map(escaped).collect();
        heads.push(lines.join("<br>"));
    }
    let mut sides = vec![true; heads.len()];
    sides[0] = false;
    let mut text = line(heads) + &rule(&sides);
    for row in &wide.rows {
        let mut cells = match row {
            WideRow::Head(name) => vec![format!("*{}*", escaped(name))],
            WideRow::Values(name, values) => {
                std::iter::once(escaped(name)).chain(values.iter().map(value)).collect()
            }
        };
        cells.resize(sides.len(), String::new());
        text += &line(cells);
    }
    for (name, values) in &wide.foot {
        text += &line(std::iter::once(name).chain(values).map(|cell| escaped(cell)).collect());
    }
    let remarks = wide.remarks_with_bold();
    if !remarks.is_empty() {
        let _ = writeln!(text, "\n{}", escaped(&remarks.join("; ")));
    }
    text
}

fn value(value: &WideValue) -> String {
    let mut text = escaped(&value.text);
    if value.is_best {
        text = format!("**{text}**");
    }
    if value.is_flagged {
        text.push('†');
    }
    if let Some(interval) = &value.interval {
        text = format!("{text} {interval}");
    }
    text
}
