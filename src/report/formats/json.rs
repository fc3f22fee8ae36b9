//! A table as JSON: flat objects, numbers in full precision.

use std::fmt::Write as _;

use super::exact;
use crate::report::{Datum, Table};
use crate::text::marked;

pub(super) fn array(table: &Table) -> String {
    let objects: Vec<String> =
        table.rows().iter().map(|row| format!("  {}", object(table, row))).collect();
    if objects.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", objects.join(",\n")) }
}

pub(super) fn lines(table: &Table) -> String {
    table.rows().iter().map(|row| object(table, row) + "\n").collect()
}

fn object(table: &Table, row: &[Datum]) -> String {
    let fields = table.columns().iter().zip(row).map(|(column, datum)| {
        let value = match datum {
            Datum::Text(text) => {
                without_hidden(&serde_json::Value::from(text.as_str()).to_string())
            }
            other => exact(other).unwrap_or_else(|| "null".to_owned()),
        };
        format!("\"{}\": {value}", column.name)
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

/// Writes characters of JSON that could steer a terminal as escapes; the values stay exact.
pub(in crate::report) fn without_hidden(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for (c, hidden) in marked(json) {
        if hidden {
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
}
