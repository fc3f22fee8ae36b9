//! A table as a LaTeX tabular that any LaTeX compiles.

use std::fmt::Write as _;

use super::short;
use crate::colour::Rgb;
use crate::report::{Table, WideRow, WideTable, WideValue};
use crate::text::visible;

/// Writes the wide form of a table where it has one, after a comment that says what made it.
pub(super) fn render(table: &Table, wide: Option<&WideTable>) -> String {
    let mut text = String::new();
    if let Some(origin) = table.origin_in_words() {
        let _ = writeln!(text, "% {origin}");
        let colours = wide.is_some_and(WideTable::has_colours);
        let colours = if colours { " and \\usepackage[table]{xcolor}" } else { "" };
        let _ = writeln!(text, "% needs \\usepackage{{booktabs}}{colours}");
    }
    text + &wide.map_or_else(|| long(table), of_wide)
}

fn long(table: &Table) -> String {
    let columns = 0..table.columns().len();
    let sides = columns.map(|column| if table.stands_right(column) { 'r' } else { 'l' });
    let mut text = begin(&sides.collect::<String>());
    text += &line(table.columns().iter().map(|column| escaped(&column.name)).collect());
    text += "\\midrule\n";
    for row in table.rows() {
        let values = short(table, row).into_iter();
        text += &line(values.map(|value| escaped(&visible(&value))).collect());
    }
    text + END
}

fn begin(sides: &str) -> String {
    format!("\\begin{{tabular}}{{{sides}}}\n\\toprule\n")
}

const END: &str = "\\bottomrule\n\\end{tabular}\n";

/// A row. What begins with a bracket or a star is put in braces: after the end of the row before it would
/// be taken for an option.
fn line(mut cells: Vec<String>) -> String {
    if let Some(first) = cells.first_mut().filter(|first| first.starts_with(['[', '*'])) {
        *first = format!("{{{first}}}");
    }
    format!("{} \\\\\n", cells.join(" & "))
}

/// A grid as papers print it: datasets over models, the best values bold, intervals below their values.
fn of_wide(wide: &WideTable) -> String {
    let count = wide.columns.len();
    let mut text = begin(&format!("l{}", "r".repeat(count)));
    text += &heads(wide);
    text += "\\midrule\n";
    for (index, row) in wide.rows.iter().enumerate() {
        match row {
            WideRow::Head(name) => {
                if index > 0 {
                    text += "\\addlinespace\n";
                }
                let _ = writeln!(
                    text,
                    "\\multicolumn{{{}}}{{l}}{{\\textit{{{}}}}} \\\\",
                    count + 1,
                    escaped(name)
                );
            }
            WideRow::Values(name, values) => {
                let name = std::iter::once(escaped(&visible(name)));
                text += &line(name.chain(values.iter().map(value)).collect());
                text += &intervals(values);
            }
        }
    }
    text += "\\midrule\n";
    for (name, values) in &wide.foot {
        let cells = std::iter::once(name).chain(values);
        text += &line(cells.map(|cell| escaped(&visible(cell))).collect());
    }
    text += "\\bottomrule\n";
    for remark in wide.remarks_with_bold() {
        let remark = escaped(&visible(&remark));
        let _ =
            writeln!(text, "\\multicolumn{{{}}}{{l}}{{\\footnotesize {remark}}} \\\\", count + 1);
    }
    text + "\\end{tabular}\n"
}

fn heads(wide: &WideTable) -> String {
    let (mut datasets, mut rules) = (vec![String::new()], String::new());
    let mut first = 2;
    for span in wide.datasets() {
        let name = escaped(&visible(span.name));
        datasets.push(format!("\\multicolumn{{{}}}{{c}}{{{name}}}", span.columns));
        let last = first + span.columns - 1;
        let _ = write!(rules, "\\cmidrule(lr){{{first}-{last}}}");
        first = last + 1;
    }
    let mut text = line(datasets) + &rules + "\n";
    let corners = std::iter::once(wide.corner.as_str()).chain(std::iter::repeat(""));
    for (corner, names) in corners.zip(wide.names()) {
        let names = names.into_iter().map(|name| escaped(&visible(name)));
        text += &line(std::iter::once(escaped(corner)).chain(names).collect());
    }
    text
}

/// A value on its colour. A dagger takes no room, so that decimal points stay below each other.
fn value(value: &WideValue) -> String {
    let mut text = escaped_number(&value.text);
    if value.is_best {
        text = format!("\\textbf{{{text}}}");
    }
    if value.is_flagged {
        text += "\\rlap{$^\\dagger$}";
    }
    let Some(colour) = value.colour else { return text };
    if colour.text() != Rgb::hex(0) {
        text = format!("\\textcolor[HTML]{{{}}}{{{text}}}", hexadecimal(colour.text()));
    }
    format!("\\cellcolor[HTML]{{{}}}{text}", hexadecimal(colour))
}

/// The row of intervals below a row of values; none where there are none.
fn intervals(values: &[WideValue]) -> String {
    if values.iter().all(|value| value.interval.is_none()) {
        return String::new();
    }
    let below = values.iter().map(|value| match &value.interval {
        Some(interval) => format!("{{\\scriptsize {}}}", escaped_number(interval)),
        None => String::new(),
    });
    line(std::iter::once(String::new()).chain(below).collect())
}

fn hexadecimal(colour: Rgb) -> String {
    colour.css().trim_start_matches('#').to_uppercase()
}

/// A number with a minus sign and not a hyphen.
fn escaped_number(text: &str) -> String {
    escaped(&text.replace('-', "−"))
}

/// Text as LaTeX sets it with any engine: letters that not every engine knows are named by their number.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            _ => match command(c) {
                Some(command) => escaped.push_str(command),
                None if is_known(c) => escaped.push(c),
                None => {
                    let _ = write!(escaped, "U+{:04X}", u32::from(c));
                }
            },
        }
    }
    escaped
}

/// Whether every engine sets a letter as it is: those of ASCII and of western and central Europe.
fn is_known(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a1}'..='\u{17e}')
}

/// The command for a sign that is special in LaTeX, or that some engines do not know.
fn command(c: char) -> Option<&'static str> {
    Some(match c {
        '\\' => "\\textbackslash{}",
        '~' => "\\textasciitilde{}",
        '^' => "\\textasciicircum{}",
        '<' => "\\textless{}",
        '>' => "\\textgreater{}",
        '|' => "\\textbar{}",
        '†' => "$^\\dagger$",
        '–' => "--",
        '—' => "---",
        '…' => "\\ldots{}",
        '·' => "$\\cdot$",
        '±' => "$\\pm$",
        '×' => "$\\times$",
        '−' => "$-$",
        '≤' => "$\\leq$",
        '≥' => "$\\geq$",
        '≠' => "$\\neq$",
        '→' => "$\\rightarrow$",
        '²' => "$^2$",
        '³' => "$^3$",
        'α' => "$\\alpha$",
        'β' => "$\\beta$",
        'κ' => "$\\kappa$",
        'τ' => "$\\tau$",
        '“' => "``",
        '”' => "''",
        '‘' => "`",
        '’' => "'",
        _ => return None,
    })
}
