//! Tests of the filter language.

use proptest::prelude::*;

use super::*;

mod against_duckdb;
mod completions;
mod errors;

fn field(name: &str, kind: FieldKind) -> Field {
    Field { name: name.to_owned(), kind }
}

fn fields() -> Vec<Field> {
    vec![
        field("success", FieldKind::Bool),
        field("solved", FieldKind::Number),
        field("draws", FieldKind::Number),
        field("top", FieldKind::Number),
        field("task", FieldKind::Text),
        field("termination", FieldKind::Text),
        field("my-score", FieldKind::Number),
        field("lnsp_min", FieldKind::Number),
        field("lnsp_mean", FieldKind::Number),
    ]
}

/// The value of an expression without columns; none for null.
fn constant(source: &str) -> Option<bool> {
    let keeps = |source: &str| {
        Filter::parse(source, &[]).expect("a condition").keeps(&|_| unreachable!("no column"))
    };
    match (keeps(source), keeps(&format!("not ({source})"))) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
        (true, true) => panic!("{source} is true and false"),
    }
}

#[test]
fn three_valued_logic() {
    let (t, f, n) = (Some(true), Some(false), None);
    // The truth tables of SQL: a, b, a and b, a or b, a = b.
    let table = [
        (t, t, t, t, t),
        (t, f, f, t, f),
        (t, n, n, t, n),
        (f, t, f, t, f),
        (f, f, f, f, t),
        (f, n, f, n, n),
        (n, t, n, t, n),
        (n, f, f, n, n),
        (n, n, n, n, n),
    ];
    let word = |value| match value {
        Some(true) => "true",
        Some(false) => "false",
        None => "null",
    };
    for (a, b, and, or, equal) in table {
        let eval = |operator: &str| constant(&format!("{} {operator} {}", word(a), word(b)));
        assert_eq!([eval("and"), eval("&&")], [and, and], "{a:?} and {b:?}");
        assert_eq!([eval("or"), eval("||")], [or, or], "{a:?} or {b:?}");
        assert_eq!([eval("="), eval("==")], [equal, equal], "{a:?} = {b:?}");
        assert_eq!(eval("!="), equal.map(|truth| !truth), "{a:?} != {b:?}");
        assert_eq!(eval("<>"), equal.map(|truth| !truth), "{a:?} <> {b:?}");
    }
    for (a, not) in [(t, f), (f, t), (n, n)] {
        assert_eq!(constant(&format!("not {}", word(a))), not);
        assert_eq!(constant(&format!("!{}", word(a))), not);
        assert_eq!(constant(&format!("{} is null", word(a))), Some(a.is_none()));
        assert_eq!(constant(&format!("{} is not null", word(a))), Some(a.is_some()));
        assert_eq!(constant(&format!("{} is true", word(a))), Some(a == t));
        assert_eq!(constant(&format!("{} is not false", word(a))), Some(a != f));
    }
}

#[test]
fn nan_and_values_of_another_kind_are_null() {
    let fields = [field("x", FieldKind::Number)];
    let is_null = Filter::parse("x is null", &fields).expect("a condition");
    assert!(is_null.keeps(&|_| Value::Number(f64::NAN)));
    assert!(is_null.keeps(&|_| Value::Bool(true)));
    assert!(!is_null.keeps(&|_| Value::Number(f64::INFINITY)));
    assert_eq!(constant("0 / 0 is null"), Some(true));
    assert_eq!(constant("5 % 0 = 0"), None);
    assert_eq!(constant("1 / 0 > 1e300"), Some(true));
}

#[test]
fn columns_are_listed_once() {
    let source = "TOP > 1 and \"my-score\" < `my-score` or \"solved\" = top";
    let filter = Filter::parse(source, &fields()).expect("a condition");
    assert_eq!(filter.columns(), [3, 6, 1]);
    assert_eq!(filter.source(), source);
}

#[test]
fn names_ignore_case_and_an_exact_match_wins() {
    let fields = [field("Ter", FieldKind::Text), field("ter", FieldKind::Number)];
    let columns = |source| Filter::parse(source, &fields).expect("a condition").columns().to_vec();
    assert_eq!(columns("ter > 1"), [1]);
    assert_eq!(columns("Ter = 'a'"), [0]);
    assert_eq!(columns("TER = 'a'"), [0]);
}

#[test]
fn double_quotes_are_a_column_or_text() {
    let keeps = |source: &str| {
        let filter = Filter::parse(source, &fields()).expect("a condition");
        filter.keeps(&|column| match column {
            4 => Value::Text(Cow::Borrowed("say \"hi\" `now`")),
            _ => Value::Number(1.0),
        })
    };
    assert!(keeps("\"my-score\" = 1"));
    assert!(keeps("task = \"say \"\"hi\"\" `now`\""));
    assert!(keeps("contains(task, \"\"\"hi\"\"\")"));
    assert!(!keeps("task = \"other\""));
}

#[test]
fn numbers_have_many_spellings() {
    for source in ["1_000 = 1e3", "1. = 1", ".5 = 0.5", "1E-2 = .01", "2e+1 = 20", "--1 = 1"] {
        assert_eq!(constant(source), Some(true), "{source}");
    }
}

#[test]
fn long_filters_are_parsed_and_deep_ones_rejected() {
    let long = vec!["top > 1"; 50_000].join(" or ");
    Filter::parse(&long, &fields()).expect("long, not deep");
    let sum = format!("{} > 1", vec!["top"; 50_000].join(" + "));
    Filter::parse(&sum, &fields()).expect("long, not deep");
    let nested = |levels: usize| format!("{}top > 1{}", "(".repeat(levels), ")".repeat(levels));
    Filter::parse(&nested(99), &fields()).expect("not that deep");
    for deep in ["(", "not ", "-", "! ", "abs(", "top in (", "- (not "] {
        let error = Filter::parse(&deep.repeat(1_000_000), &fields()).expect_err("too deep");
        assert!(error.message.contains("100 levels"), "{deep}: {error}");
    }
}

/// Expressions from words that people type on purpose or by mistake.
fn expression() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "success",
        "top",
        "task",
        "\"my-score\"",
        "`",
        "'",
        "\"",
        "'a'",
        "''",
        "(",
        ")",
        ",",
        "and",
        "or",
        "not",
        "in",
        "between",
        "is",
        "null",
        "like",
        "ilike",
        "true",
        "1",
        ".5",
        "1e9",
        "=",
        "!=",
        "<",
        ">=",
        "=<",
        "+",
        "-",
        "*",
        "/",
        "%",
        "&&",
        "|",
        "!",
        "abs",
        "round",
        "coalesce",
        "least",
        "length",
        "lower",
        "contains",
        "Ä",
        "“",
        "\u{1b}",
        "1x",
        "nope",
        "\u{202e}",
    ]);
    let parts = prop::collection::vec((words, prop::sample::select(vec!["", " "])), 0..24);
    parts.prop_map(|parts| parts.into_iter().flat_map(|(word, gap)| [word, gap]).collect())
}

fn check_no_panic(source: &str, cursor: usize) {
    let fields = fields();
    match Filter::parse(source, &fields) {
        Ok(filter) => {
            let row = |column: usize| match fields[column].kind {
                FieldKind::Bool => Value::Bool(true),
                FieldKind::Number => Value::Number(-0.5),
                FieldKind::Text => Value::Text(Cow::Borrowed("täsk")),
            };
            filter.keeps(&row);
            filter.keeps(&|_| Value::Null);
        }
        Err(error) => {
            // Panics if the range is outside the source or splits a character.
            let _ = &source[error.at.clone()];
            assert!(error.message.contains([';', '?']), "no remedy: {error}");
            assert!(!error.message.contains(char::is_control), "{error:?}");
        }
    }
    let completions = complete(source, cursor, &fields);
    let _ = &source[completions.at];
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_text_does_not_panic(source in "\\PC{0,40}|.{0,40}", cursor in 0..50usize) {
        check_no_panic(&source, cursor);
    }

    #[test]
    fn arbitrary_expressions_do_not_panic(source in expression(), cursor in 0..80usize) {
        check_no_panic(&source, cursor);
    }
}
