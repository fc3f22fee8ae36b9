//! Suggests names for a misspelt one.

pub(super) use crate::text::nearest;
use crate::text::visible;

/// `a`, `b` or `c`, as a question.
pub(super) fn did_you_mean(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", shown(name))).collect();
    let list = match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    };
    format!("did you mean {list}?")
}

/// Makes part of an expression safe and short enough to quote in an error.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let safe = visible(text);
    if safe.chars().count() <= LONGEST {
        return safe.into_owned();
    }
    safe.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_short_and_safe() {
        assert_eq!(did_you_mean(&["a"]), "did you mean `a`?");
        assert_eq!(did_you_mean(&["a", "b", "c"]), "did you mean `a`, `b` or `c`?");
        assert_eq!(shown(&"é".repeat(50)).chars().count(), 40);
        assert_eq!(shown("a\nb"), "a␊b");
    }
}
