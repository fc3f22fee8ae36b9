//! SQL's `LIKE`.

/// Whether a text matches a pattern, in which `%` stands for any text and `_` for one character.
pub(super) fn like(text: &str, pattern: &str, ignore_case: bool) -> bool {
    let same = |a: char, b: char| a == b || (ignore_case && a.to_lowercase().eq(b.to_lowercase()));
    let (mut text, mut pattern) = (text.chars(), pattern.chars());
    // Where to continue when the rest does not match: after the last `%`, one character further on.
    let mut retry = None;
    loop {
        let text_here = text.clone();
        let matches = match (text.next(), pattern.next()) {
            (_, Some('%')) => {
                retry = Some((text_here.clone(), pattern.clone()));
                text = text_here;
                true
            }
            (None, None) => return true,
            (Some(_), Some('_')) => true,
            (Some(a), Some(b)) => same(a, b),
            // A later start leaves even less of the text.
            (None, Some(_)) => return false,
            (Some(_), None) => false,
        };
        if !matches {
            let Some((mut from, rest)) = retry else { return false };
            // There is a next character, since the text did not end before the pattern.
            from.next();
            (text, pattern) = (from.clone(), rest.clone());
            retry = Some((from, rest));
        }
    }
}
