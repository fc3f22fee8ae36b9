//! Text cells of CSV, escaped so that spreadsheets do not interpret them as formulas.

use std::borrow::Cow;

/// A text cell that no spreadsheet takes for a formula: an apostrophe stands before one that begins like
/// one. A text that is a plain number stays as it is.
pub fn guarded(text: &str) -> Cow<'_, str> {
    if is_tempting(text) && !is_number(text) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text of a cell that [`guarded`] may have written.
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_tempting(text)).unwrap_or(cell)
}

/// Whether a text begins like a formula, perhaps after apostrophes: those count too, so that what is
/// guarded can be told from what was written that way.
fn is_tempting(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r'])
}

fn is_number(text: &str) -> bool {
    // Words such as `-inf` are numbers to Rust and formulas to others.
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
        && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_come_back() {
        for text in ["=1+1", "+cmd", "-a", "@SUM(A1)", "\tx", "\rx", "-inf", "-", "'=1", "''-a"] {
            assert_eq!(guarded(text), format!("'{text}"));
            assert_eq!(unguarded(&guarded(text)), text);
        }
        for text in ["", "a=b", "'", "'quoted'", " =1", "-1", "+2.5e-3", "-.5", "0", "日本"] {
            assert_eq!(guarded(text), text);
            assert_eq!(unguarded(text), text);
        }
    }
}
