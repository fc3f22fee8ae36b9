//! Finds words in a text, ignoring case.

use std::ops::Range;

/// Whether a text contains some words, ignoring case.
pub fn holds(text: &str, words: &str) -> bool {
    if text.is_ascii() && words.is_ascii() {
        let (text, words) = (text.as_bytes(), words.as_bytes());
        return text.windows(words.len().max(1)).any(|part| part.eq_ignore_ascii_case(words));
    }
    text.to_lowercase().contains(&words.to_lowercase())
}

/// Finds all occurrences of some words in a text, ignoring case; they do not overlap.
pub fn find_all(text: &str, words: &str) -> Vec<Range<usize>> {
    let wanted: Vec<char> = words.chars().flat_map(char::to_lowercase).collect();
    let Some(first) = wanted.first() else { return Vec::new() };
    let mut found = Vec::new();
    let mut next = 0;
    for (start, letter) in text.char_indices() {
        if start < next || letter.to_lowercase().next() != Some(*first) {
            continue;
        }
        let mut left = wanted.as_slice();
        let mut end = start;
        for letter in text[start..].chars() {
            let folded: Vec<char> = letter.to_lowercase().collect();
            let Some(rest) = left.strip_prefix(folded.as_slice()) else { break };
            (left, end) = (rest, end + letter.len_utf8());
            if left.is_empty() {
                found.push(start..end);
                next = end;
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whatever_their_case() {
        assert_eq!(find_all("Ab ab aB", "AB"), [0..2, 3..5, 6..8]);
        assert_eq!(find_all("aaaaa", "aa"), [0..2, 2..4]);
        assert_eq!(find_all("Über über", "ÜBER"), [0..5, 6..11]);
        assert_eq!(find_all("x", ""), [0..0; 0]);
        assert!(holds("a Task", "tASK") && holds("ÜB", "üb") && !holds("ab", "abc"));
    }
}
