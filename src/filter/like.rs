/// SQL's `LIKE`: `%` stands for any characters, `_` for one. `fold` leaves case out of account.
pub(super) fn like(text: &str, pattern: &str, fold: bool) -> bool {
    let same = |a: char, b: char| a == b || (fold && a.to_lowercase().eq(b.to_lowercase()));
    let (mut text, mut pattern) = (text.chars(), pattern.chars());
    // Where to go on when the rest does not fit: behind the last `%`, one character further.
    let mut retry = None;
    loop {
        let text_here = text.clone();
        let fits = match (text.next(), pattern.next()) {
            (_, Some('%')) => {
                retry = Some((text_here.clone(), pattern.clone()));
                text = text_here;
                true
            }
            (None, None) => return true,
            (Some(_), Some('_')) => true,
            (Some(a), Some(b)) => same(a, b),
            // What is left of the text cannot become more.
            (None, Some(_)) => return false,
            (Some(_), None) => false,
        };
        if !fits {
            let Some((mut from, behind)) = retry else { return false };
            // The text cannot have ended before, or the pattern would have.
            from.next();
            (text, pattern) = (from.clone(), behind.clone());
            retry = Some((from, behind));
        }
    }
}
