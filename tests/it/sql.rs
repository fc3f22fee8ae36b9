//! `qualm sql`: every question for every engine, and the text of the queries. What engines make of them is
//! compared in `tests/engines`.

use std::collections::BTreeSet;

use qualm::metrics::Metric;
use qualm::scorers::Scorer;
use qualm::scorers::whitebox::Spans;
use qualm::sql::{Dialect, Question, Source, SqlError, What, query};

use crate::support::{demo, home, run, text};

fn of(what: What, dialect: Dialect) -> String {
    query(&Source::named(), &Question::new(what, dialect)).expect("a query")
}

/// The text without comments and literals.
fn bare(sql: &str) -> String {
    let lines = sql.lines().filter(|line| !line.trim_start().starts_with("--"));
    let mut bare = String::new();
    for (index, part) in lines.collect::<Vec<_>>().join("\n").split('\'').enumerate() {
        bare.push_str(if index % 2 == 0 { part } else { "?" });
    }
    bare
}

/// The parts of a query: their names and bodies, and the last query.
fn parts(sql: &str) -> (Vec<(String, String)>, String) {
    let mut parts: Vec<(String, String)> = Vec::new();
    let (mut open, mut last) = (false, String::new());
    for line in bare(sql).lines() {
        match line.strip_suffix(" AS (") {
            Some(name) if !line.starts_with(' ') => {
                parts.push((name.to_owned(), String::new()));
                open = true;
            }
            _ if line == ")" || line == ")," => open = false,
            _ if open => parts.last_mut().expect("a part").1.extend([line, "\n"]),
            _ if line == "WITH" => {}
            _ => last.extend([line, "\n"]),
        }
    }
    (parts, last)
}

/// The tables that a query reads.
fn read(sql: &str) -> BTreeSet<&str> {
    let words: Vec<&str> = sql.split_whitespace().collect();
    let after = words.windows(2).filter(|pair| pair[0] == "FROM" || pair[0] == "JOIN");
    let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    after.map(|pair| pair[1].trim_end_matches(is_other)).collect()
}

#[test]
fn every_question_is_written_for_every_engine() {
    for what in What::ALL {
        for dialect in Dialect::ALL {
            let sql = of(what, dialect);
            let name = format!("{} for {}", what.id(), dialect.id());
            let (bare, (parts, last)) = (bare(&sql), parts(&sql));
            assert_eq!(bare.matches('(').count(), bare.matches(')').count(), "{name}");
            assert!(sql.ends_with(";\n") && bare.matches(';').count() == 1, "{name}");
            // A part reads only parts that are above it, and every part is read.
            for (index, (part, _)) in parts.iter().enumerate() {
                let readers = parts
                    .iter()
                    .enumerate()
                    .filter(|(_, (_, body))| read(body).contains(part.as_str()));
                let readers: Vec<usize> = readers.map(|(reader, _)| reader).collect();
                assert!(
                    readers.iter().all(|reader| *reader > index),
                    "{name}: {part} is read above itself"
                );
                let is_read = !readers.is_empty() || read(&last).contains(part.as_str());
                assert!(is_read, "{name}: nothing reads {part}");
            }
            let names: BTreeSet<&String> = parts.iter().map(|(part, _)| part).collect();
            assert_eq!(names.len(), parts.len(), "{name}: a part is defined twice");
        }
    }
}

/// The lines of a query that another engine's has not.
fn only(what: What, dialect: Dialect, other: Dialect) -> Vec<String> {
    let known = of(what, other);
    let known: BTreeSet<&str> = known.lines().collect();
    of(what, dialect).lines().filter(|line| !known.contains(line)).map(str::to_owned).collect()
}

#[test]
fn engines_differ_in_few_lines() {
    for what in What::ALL {
        for dialect in [Dialect::Spark, Dialect::DataFusion] {
            let lines = only(what, dialect, Dialect::DuckDb);
            assert!((1..20).contains(&lines.len()), "{}: {lines:#?}", what.id());
        }
    }
    let spark = only(What::Turns, Dialect::Spark, Dialect::DuckDb).join("\n");
    assert!(
        spark.contains("LATERAL VIEW posexplode(arrays_zip(logprob, span, top_count))"),
        "{spark}"
    );
    let datafusion = only(What::Turns, Dialect::DataFusion, Dialect::DuckDb).join("\n");
    assert!(datafusion.contains("cardinality(logprob)"), "{datafusion}");
}

#[test]
fn a_question_is_narrowed() {
    let question = |what| Question::new(what, Dialect::Spark);
    let grid = Question {
        scorers: Some(vec![Scorer::parse("lnsp.min"), Scorer::parse("sp.window-2")]),
        metrics: vec![Metric::Auroc],
        scope: Some("task = 'it''s \\ odd' and lnsp_mean > 0.5 and turns / tools > 1".to_owned()),
        ..question(What::Grid)
    };
    let sql = query(&Source::named(), &grid).expect("a query");
    // A backslash and a quote are escaped in Spark, and a division by 0 is infinite.
    assert!(sql.contains("fact.task = 'it\\'s \\\\ odd'"), "{sql}");
    assert!(sql.contains("nullif(fact.tools, 0e0)"), "{sql}");
    // The scope needs a value that the question does not ask for.
    assert!(sql.contains("NOT ((value.scorer = 'lnsp' AND value.aggregator = 'mean'))"), "{sql}");
    assert!(sql.contains("lag(score, 1)") && !sql.contains("lag(score, 2)"), "{sql}");
    assert!(
        sql.contains("WHEN 'auroc' THEN ranking.auroc") && !sql.contains("ranking.prr\n"),
        "{sql}"
    );
    let reasoning = Question { spans: Some(Spans::Reasoning), ..question(What::Turns) };
    let sql = query(&Source::named(), &reasoning).expect("a query");
    assert!(sql.contains("WHERE span = 0"), "{sql}");
}

#[test]
fn what_no_table_knows_is_refused() {
    let question = |what| Question::new(what, Dialect::DuckDb);
    let refused = |question: &Question| query(&Source::named(), question).expect_err("refused");
    let scope = |what, scope: &str| Question { scope: Some(scope.to_owned()), ..question(what) };
    let rank = refused(&scope(What::Grid, "quartile = 1"));
    assert_eq!(rank, SqlError::Column("quartile".to_owned()));
    assert!(rank.to_string().starts_with("--where: `quartile` is known to qualm only"));
    assert_eq!(
        refused(&scope(What::Grid, "lnsp_mni > 1")).to_string(),
        "--where: unknown column `lnsp_mni`; did you mean `lnsp_min`?"
    );
    assert_eq!(refused(&scope(What::Turns, "turns > 1")), SqlError::NoScope("turns"));
    let people = Question { judge: Some("human".to_owned()), ..question(What::Scores) };
    assert_eq!(refused(&people), SqlError::Human("human".to_owned()));
    let blunt = Scorer::parse("sp.softmin-0.0001");
    let blunt = Question { scorers: Some(vec![blunt]), ..question(What::Scores) };
    assert!(refused(&blunt).to_string().contains("use a setting of 0.001 or more"));
}

#[test]
fn a_store_says_which_tables_and_runs_there_are() {
    let home = home();
    let source = Source::of_store(&demo(home.path(), 5)).expect("its tables");
    let sql = query(&source, &Question::new(What::Grid, Dialect::DuckDb)).expect("a query");
    assert!(sql.contains("trajectories.parquet"), "{sql}");
    assert!(sql.contains("judge = '"), "the judge is named");
}

#[test]
fn the_command_prints_what_the_library_writes() {
    let home = home();
    let args = ["sql", "--engine", "spark", "--what", "judges"];
    let output = run(home.path(), &args);
    assert_eq!(text(&output.stdout), of(What::Judges, Dialect::Spark));
    let missing = run(home.path(), &["sql", "none.qualm", "--engine", "duckdb", "--what", "grid"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("none.qualm: there is no such store"));
}
