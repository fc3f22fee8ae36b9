//! A table as a LaTeX tabular.

use super::short;
use crate::report::Table;
use crate::text::visible;

pub(super) fn render(table: &Table) -> String {
    let columns = 0..table.columns().len();
    let sides = columns.map(|column| if table.stands_right(column) { 'r' } else { 'l' });
    let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    let mut text = format!("\\begin{{tabular}}{{{}}}\n\\toprule\n", sides.collect::<String>());
    text += &line(table.columns().iter().map(|column| escaped(&column.name)).collect());
    text += "\\midrule\n";
    for row in table.rows() {
        let values = short(table, row).into_iter();
        text += &line(values.map(|value| escaped(&visible(&value))).collect());
    }
    text + "\\bottomrule\n\\end{tabular}\n"
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
