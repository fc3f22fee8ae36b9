//! Tests of completions.

use super::*;

/// The completions at the `|`.
fn at(marked: &str) -> (Range<usize>, Vec<String>) {
    let cursor = marked.find('|').expect("a cursor");
    let found = complete(&marked.replacen('|', "", 1), cursor, &fields());
    (found.at, found.items.into_iter().map(|item| item.insert).collect())
}

fn words(marked: &str) -> Vec<String> {
    at(marked).1
}

#[test]
fn columns_functions_and_keywords_complete_a_value() {
    assert_eq!(at("not lnsp|"), (4..8, vec!["lnsp_min".to_owned(), "lnsp_mean".to_owned()]));
    assert_eq!(words("su|"), ["success"]);
    // Letters match in their order, the closest together first.
    assert_eq!(words("min|"), ["lnsp_min", "termination"]);
    assert_eq!(words("lmn|"), ["lnsp_min", "lnsp_mean"]);
    assert_eq!(
        words("le|"),
        ["least(", "length(", "coalesce(", "false", "solved", "lower(", "lnsp_mean"]
    );
    assert_eq!(words("score|"), ["\"my-score\""]);
    assert!(words("|").len() > 20);
}

#[test]
fn keywords_complete_what_follows_a_value() {
    assert_eq!(words("success a|"), ["and"]);
    assert_eq!(words("success |"), ["and", "or", "is"]);
    assert_eq!(words("termination l|"), ["like", "ilike"]);
    assert_eq!(words("top |"), ["and", "or", "between", "in", "is", "not"]);
    assert_eq!(words("top is |"), ["null", "not", "true", "false"]);
    assert_eq!(words("top is not n|"), ["null"]);
    assert_eq!(words("task not |"), ["in", "like", "ilike", "between"]);
    assert_eq!(words("(top > 1) o|"), ["or", "not"]);
    assert_eq!(words("top > 1 and not succ|"), ["success"]);
}

#[test]
fn a_word_is_replaced_as_a_whole() {
    assert_eq!(at("lnsp_m|ax > 1").0, 0..8);
    assert_eq!(at("top > |").0, 6..6);
    assert_eq!(at("\"my-s|").0, 0..5);
    assert_eq!(words("top > 1 and `my|"), ["\"my-score\""]);
}

#[test]
fn nothing_completes_text_and_numbers() {
    assert!(words("task = 'su|").is_empty());
    assert!(words("top > 1|").is_empty());
}

#[test]
fn hints_name_the_type_or_role() {
    let hint = |word: &str| complete(word, word.len(), &fields()).items[0].hint.clone();
    assert_eq!(
        ["success", "top", "task", "abs", "null"].map(hint),
        ["yes/no", "number", "text", "function", "keyword"]
    );
}
