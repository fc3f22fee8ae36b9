//! Splits an expression into conditions joined by `and`, and joins them again.

use super::parse::{Node, parse};

/// The conditions that `and` joins at the top of an expression, without the parentheses around each;
/// the whole where it is one condition, or where it cannot be read.
pub fn conjuncts(source: &str) -> Vec<&str> {
    let source = source.trim();
    if source.is_empty() {
        return Vec::new();
    }
    match parse(source) {
        // In parentheses of its own, the list is one condition.
        Ok(tree) => match &tree.node {
            Node::All(items) if items[0].at.start == tree.at.start => {
                items.iter().map(|item| bare(&source[item.at.clone()])).collect()
            }
            _ => vec![bare(source)],
        },
        Err(_) => vec![source],
    }
}

/// The expression that holds where all conditions do.
pub fn joined<T: AsRef<str>>(conditions: &[T]) -> String {
    match conditions {
        [only] => only.as_ref().to_owned(),
        all => all.iter().map(|one| grouped(one.as_ref())).collect::<Vec<_>>().join(" and "),
    }
}

/// A condition without parentheses around the whole of it.
fn bare(condition: &str) -> &str {
    let inner = condition.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    inner.map(str::trim).filter(|inner| parse(inner).is_ok()).unwrap_or(condition)
}

/// A condition that can stand beside `and`.
fn grouped(condition: &str) -> String {
    match parse(condition).map(|tree| tree.node) {
        Ok(Node::All(_) | Node::Any(_)) => format!("({condition})"),
        _ => condition.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_taken_apart_and_joined_again() {
        let cases: [(&str, &[&str]); 8] = [
            ("", &[]),
            ("not success", &["not success"]),
            ("a = 1 and (b or c) and d between 1 and 2", &["a = 1", "b or c", "d between 1 and 2"]),
            ("a or b", &["a or b"]),
            ("(a and b)", &["a and b"]),
            ("(a and b) and c", &["a and b", "c"]),
            ("(a) = (b)", &["(a) = (b)"]),
            ("a and", &["a and"]),
        ];
        for (source, conditions) in cases {
            assert_eq!(conjuncts(source), conditions, "{source}");
        }
        assert_eq!(joined(&["a or b"]), "a or b");
        assert_eq!(joined(&["a or b", "c and d", "not e"]), "(a or b) and (c and d) and not e");
        assert_eq!(joined::<&str>(&[]), "");
    }
}
