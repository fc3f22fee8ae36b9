//! Tests of the error messages.

use super::*;

/// Wrong expressions, with the marked part and the message.
const WRONG: &[(&str, &str, &str)] = &[
    ("", "", "the filter is empty; write a condition such as `not success`"),
    ("lnsp_mni > 1", "lnsp_mni", "unknown column `lnsp_mni`; did you mean `lnsp_min`?"),
    (
        "termination = max_steps",
        "max_steps",
        "unknown column `max_steps`; put text in single quotes: 'max_steps'",
    ),
    ("top > abs", "abs", "`abs` is a function; write `abs(number)`"),
    ("roud(top) > 1", "roud", "unknown function `roud`; did you mean `round`?"),
    ("top (1)", "top", "`top` is a column, not a function; put an operator before `(`"),
    (
        "contains(task)",
        "contains(task)",
        "`contains` does not take 1 value; write `contains(text, part)`",
    ),
    ("task = 12", "task = 12", "`task` is text and `12` is a number; write '12' in quotes"),
    (
        "top > '0.5'",
        "top > '0.5'",
        "`top` is a number and `'0.5'` is text; write 0.5 without quotes",
    ),
    (
        "success = 1",
        "success = 1",
        "`success` is yes/no and `1` is a number; write `success` or `not success` alone",
    ),
    (
        "top in (1, task)",
        "top in (1, task",
        "`top` is a number and `task` is text; compare values of one kind",
    ),
    (
        "\"my-scor\" > 1",
        "\"my-scor\" > 1",
        "`\"my-scor\"` is text and `1` is a number; no column has this name, so it is text; did you \
         mean `my-score`?",
    ),
    (
        "not top",
        "top",
        "`top` is a number, and a condition is yes/no; compare it, as in `top > 0.5`",
    ),
    (
        "task",
        "task",
        "`task` is text, and a condition is yes/no; compare it, as in `task = 'text'`",
    ),
    (
        "abs(task) > 1",
        "task",
        "`task` is text, and a number is needed here; name a number column or write a number",
    ),
    (
        "top like '1%'",
        "top",
        "`top` is a number, and text is needed here; name a text column or write 'text'",
    ),
    ("task = 'book", "'book", "this quote is not closed; add ' where its text ends"),
    ("(top > 1", "(", "this parenthesis is not closed; add `)`"),
    ("top > 1)", ")", "this `)` closes nothing; remove it or add a `(`"),
    ("(top > 1 top", "top", "`top` cannot follow here; a `)` or an operator is missing"),
    ("success top", "top", "`top` cannot follow here; join conditions with `and` or `or`"),
    ("0 < top < 1", "<", "comparisons do not chain; join two with `and`"),
    ("top >", "", "a value is missing at the end; write a column, a number or 'text'"),
    ("top > and 1", "and", "a value is missing before `and`; write a column, a number or 'text'"),
    ("top is 3", "3", "`is` goes with null, true and false; compare with `=`"),
    (
        "top in 3",
        "3",
        "`in` needs a list in parentheses: `in ('a', 'b')`; a single value goes with `=`",
    ),
    ("top in ()", "top in ()", "the list of `in` is empty; write at least one value"),
    ("top between 1", "", "`between` needs two values; write `between 1 and 3`"),
    ("top =< 1", "=<", "`=<` is not an operator; write `<=`"),
    ("success & top > 1", "&", "`&` is not an operator here; write `and`"),
    (
        "top > 3x",
        "3x",
        "a number runs into letters; put a name that begins with a digit in double quotes",
    ),
    ("top > 1e999", "1e999", "this number is too large; write one below 1e308"),
    ("top # 1", "#", "`#` has no meaning here; put names with such characters in double quotes"),
    ("task = “a”", "“", "this quote has no meaning here; write text in straight quotes: 'text'"),
];

#[test]
fn errors_mark_the_part_and_name_a_remedy() {
    for (source, part, message) in WRONG {
        let error = Filter::parse(source, &fields()).expect_err(source);
        assert_eq!(error.message, *message, "{source}");
        assert_eq!(&source[error.at.clone()], *part, "{source}");
    }
}

#[test]
fn the_right_occurrence_is_marked() {
    let at = |source: &str| Filter::parse(source, &fields()).expect_err(source).at;
    assert_eq!(at("0 < top < 1"), 8..9);
    assert_eq!(at("top > 1 and topp > 1"), 12..16);
    assert_eq!(at("top > "), 6..6);
}
