//! Compares the rows that filters keep with those of `DuckDB`.
//!
//! The expected rows are the answer of `DuckDB` 2.0.0 to
//! `select id from t where EXPRESSION order by id` over the table
//!
//! ```sql
//! create table t as select * from (values
//!   (0, true,  4.0::double, 4.0::double, 0.05::double, 'book_1', 'user_stop'),
//!   (1, false, 0.0,         4.0,         0.25,         'book_2', 'max_steps'),
//!   (2, null,  2.0,         4.0,         0.5,          'Cancel', null),
//!   (3, false, 1.0,         3.0,         null,         'cancel', 'max_errors'),
//!   (4, true,  null,        3.0,         -1.5,         'it''s',  ''),
//!   (5, null,  3.0,         3.0,         2.5,          'Ärger',  'MAX_STEPS'),
//!   (6, false, 7.0,         0.0,         1000.0,       'x%y_z',  'agent_stop'))
//!   v(id, success, solved, draws, top, task, termination);
//! ```

use super::*;

type Row = (Option<bool>, [Option<f64>; 3], &'static str, Option<&'static str>);

const ROWS: [Row; 7] = [
    (Some(true), [Some(4.0), Some(4.0), Some(0.05)], "book_1", Some("user_stop")),
    (Some(false), [Some(0.0), Some(4.0), Some(0.25)], "book_2", Some("max_steps")),
    (None, [Some(2.0), Some(4.0), Some(0.5)], "Cancel", None),
    (Some(false), [Some(1.0), Some(3.0), None], "cancel", Some("max_errors")),
    (Some(true), [None, Some(3.0), Some(-1.5)], "it's", Some("")),
    (None, [Some(3.0), Some(3.0), Some(2.5)], "Ärger", Some("MAX_STEPS")),
    (Some(false), [Some(7.0), Some(0.0), Some(1000.0)], "x%y_z", Some("agent_stop")),
];

fn value(row: &Row, column: usize) -> Value<'static> {
    let text = |text| Value::Text(Cow::Borrowed(text));
    let (success, numbers, task, termination) = *row;
    match column {
        0 => success.map_or(Value::Null, Value::Bool),
        1..=3 => numbers[column - 1].map_or(Value::Null, Value::Number),
        4 => text(task),
        5 => termination.map_or(Value::Null, text),
        _ => panic!("no expression asks for column {column}"),
    }
}

#[test]
fn keeps_the_rows_that_duckdb_keeps() {
    let table: &[(&str, &[usize])] = &[
        ("not success and top <= 0.25", &[1]),
        ("success or top > 0.4", &[0, 2, 4, 5, 6]),
        ("success and top > 0", &[0]),
        ("not (success and top > 0)", &[1, 3, 4, 6]),
        ("success = true", &[0, 4]),
        ("success != false", &[0, 4]),
        ("success is null", &[2, 5]),
        ("success is not true", &[1, 2, 3, 5, 6]),
        ("solved between 1 and draws - 1", &[2, 3]),
        ("solved not between 1 and draws - 1", &[0, 1, 5, 6]),
        ("solved between null and 2", &[]),
        ("solved not between null and 2", &[0, 5, 6]),
        ("termination like 'max%'", &[1, 3]),
        ("termination not like 'max%'", &[0, 4, 5, 6]),
        ("termination ilike 'max%'", &[1, 3, 5]),
        ("termination like '%_s%p%'", &[0, 1, 6]),
        ("task like '____'", &[4]),
        ("task like 'book__'", &[0, 1]),
        ("task like '%'", &[0, 1, 2, 3, 4, 5, 6]),
        ("termination like ''", &[4]),
        ("task in ('cancel', 'Cancel')", &[2, 3]),
        ("task not in ('cancel', null)", &[]),
        ("solved in (0, null, 2)", &[1, 2]),
        ("solved not in (0, 1, 2)", &[0, 5, 6]),
        ("termination is null or termination = ''", &[2, 4]),
        ("top * 2 + 1 > 1.4", &[1, 2, 5, 6]),
        ("top - 1 - 1 < 0", &[0, 1, 2, 4]),
        ("-top > 0", &[4]),
        ("top % 1 = 0.5", &[2, 5]),
        ("top % 1 = -0.5", &[4]),
        ("solved / draws >= 0.5", &[0, 2, 5, 6]),
        ("draws > 0 and draws / 0 > 1", &[0, 1, 2, 3, 4, 5]),
        ("solved / draws > 100", &[6]),
        ("2 + 3 * 2 = 8 and 10 - 4 - 3 = 3 and 2 * 3 % 4 = 2", &[0, 1, 2, 3, 4, 5, 6]),
        ("abs(top) >= 1.5", &[4, 5, 6]),
        ("round(top) = 3 or round(top) = -2 or round(top, 1) = 0.1", &[0, 4, 5]),
        ("round(top, -2) = 1000 or round(top, -1) = 0", &[0, 1, 2, 4, 5, 6]),
        ("least(solved, 2) = 2", &[0, 2, 4, 5, 6]),
        ("greatest(solved, draws) = 3", &[3, 4, 5]),
        ("least(null, top) > 0", &[0, 1, 2, 5, 6]),
        ("coalesce(solved, 9) > 3", &[0, 4, 6]),
        ("coalesce(termination, task) < 'c'", &[2, 4, 5, 6]),
        ("lower(task) = 'cancel'", &[2, 3]),
        ("lower(task) = 'ärger'", &[5]),
        ("length(task) = 5", &[5, 6]),
        ("contains(task, 'book')", &[0, 1]),
        ("contains(task, '')", &[0, 1, 2, 3, 4, 5, 6]),
        ("starts_with(termination, 'max')", &[1, 3]),
        ("ends_with(task, '_1') or ends_with(task, '''s')", &[0, 4]),
        ("task < 'a'", &[2]),
        ("task >= 'cancel'", &[3, 4, 5, 6]),
        ("success < true", &[1, 3, 6]),
        ("success >= success", &[0, 1, 3, 4, 6]),
        ("null is null and not (null is not null)", &[0, 1, 2, 3, 4, 5, 6]),
        ("null = null or top > 1", &[5, 6]),
        ("not success or null", &[1, 3, 6]),
        ("success and null", &[]),
        ("1e3 = top or .5 = top or 2.5e0 = top", &[2, 5, 6]),
        ("not success = true", &[1, 3, 6]),
        ("not not success", &[0, 4]),
        ("true", &[0, 1, 2, 3, 4, 5, 6]),
        ("false", &[]),
        ("null", &[]),
        ("solved <> draws and not (solved > draws)", &[1, 2, 3]),
        ("success in (true, null)", &[0, 4]),
        ("success = (top > 0)", &[0]),
        ("(solved > 1) = (draws > 3)", &[0, 2, 3]),
        ("least(task, 'c') = 'c'", &[3, 4, 5, 6]),
        ("greatest(success, false)", &[0, 4]),
    ];
    let fields = fields();
    for (source, expected) in table {
        let filter = Filter::parse(source, &fields).unwrap_or_else(|error| {
            panic!("{source}: {error}");
        });
        let kept: Vec<usize> = (0..ROWS.len())
            .filter(|row| filter.keeps(&|column| value(&ROWS[*row], column)))
            .collect();
        assert_eq!(kept, *expected, "{source}");
    }
}
