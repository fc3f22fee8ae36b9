use proptest::prelude::*;

use super::*;

mod against_duckdb;
mod completions;
mod errors;

fn field(name: &str, kind: Kind) -> Field {
    Field::new(name, kind)
}

fn fields() -> Vec<Field> {
    vec![
        field("success", Kind::Bool),
        field("solved", Kind::Number),
        field("draws", Kind::Number),
        field("top", Kind::Number),
        field("task", Kind::Text),
        field("termination", Kind::Text),
        field("my-score", Kind::Number),
        field("lnsp_min", Kind::Number),
        field("lnsp_mean", Kind::Number),
    ]
}

/// Whether a filter over one row without columns is true; for null, no answer.
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
    // a, b, a and b, a or b, a = b, as in every book on SQL.
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
        let of = |operator: &str| constant(&format!("{} {operator} {}", word(a), word(b)));
        assert_eq!([of("and"), of("&&")], [and, and], "{a:?} and {b:?}");
        assert_eq!([of("or"), of("||")], [or, or], "{a:?} or {b:?}");
        assert_eq!([of("="), of("==")], [equal, equal], "{a:?} = {b:?}");
        assert_eq!(of("!="), equal.map(|own| !own), "{a:?} != {b:?}");
        assert_eq!(of("<>"), equal.map(|own| !own), "{a:?} <> {b:?}");
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
    let fields = [field("x", Kind::Number)];
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
fn names_in_whatever_case_and_the_exact_one_first() {
    let fields = [field("Ter", Kind::Text), field("ter", Kind::Number)];
    let places = |source| Filter::parse(source, &fields).expect("a condition").columns().to_vec();
    assert_eq!(places("ter > 1"), [1]);
    assert_eq!(places("Ter = 'a'"), [0]);
    assert_eq!(places("TER = 'a'"), [0]);
}

#[test]
fn double_quotes_are_a_column_or_text() {
    let keeps = |source: &str| {
        let filter = Filter::parse(source, &fields()).expect("a condition");
        filter.keeps(&|place| match place {
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
fn numbers_as_people_write_them() {
    for source in ["1_000 = 1e3", "1. = 1", ".5 = 0.5", "1E-2 = .01", "2e+1 = 20", "--1 = 1"] {
        assert_eq!(constant(source), Some(true), "{source}");
    }
}

#[test]
fn long_filters_are_no_problem_and_deep_ones_an_error() {
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

/// What people type, and what they type by mistake.
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

fn check_any(source: &str, cursor: usize) {
    let fields = fields();
    match Filter::parse(source, &fields) {
        Ok(filter) => {
            let row = |place: usize| match fields[place].kind {
                Kind::Bool => Value::Bool(true),
                Kind::Number => Value::Number(-0.5),
                Kind::Text => Value::Text(Cow::Borrowed("täsk")),
            };
            filter.keeps(&row);
            filter.keeps(&|_| Value::Null);
        }
        Err(error) => {
            // Panics where the range is not within the source, or cuts a character.
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
    fn nothing_typed_makes_it_panic(source in "\\PC{0,40}|.{0,40}", cursor in 0..50usize) {
        check_any(&source, cursor);
    }

    #[test]
    fn nothing_like_an_expression_makes_it_panic(source in expression(), cursor in 0..80usize) {
        check_any(&source, cursor);
    }
}
