//! Tables as papers have them: the wide grid, pinned differences, what a file says of how it was made, and
//! that LaTeX compiles.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use qualm::engine::Engine;
use qualm::metrics::Metric;
use qualm::metrics::bootstrap::Resampling;
use qualm::report::{
    GridLayout, Origin, OutputFormat, Show, Table, TableKind, TableOptions, TableRequest, table,
};
use qualm::scorers::{Family, Scorer};
use serde_json::Value;

use crate::explorer::{Driver, RESAMPLES, demo as explored};
use crate::support::{demo, home, rows, run, text};

fn quick() -> TableOptions {
    let resampling = Resampling { resamples: 40, seed: 3 };
    TableOptions { resampling, ..TableOptions::default() }
}

/// The output of a command that must succeed.
fn report(home: &Path, args: &[&str]) -> String {
    let out = run(home, &[&["report", "demo.qualm", "--resamples", "40"], args].concat());
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

/// The cells of a table in Markdown, line by line, without its comment and its remarks.
fn cells(markdown: &str) -> Vec<Vec<String>> {
    let lines = markdown.lines().filter(|line| line.starts_with("| "));
    let cells = |line: &str| {
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    };
    lines.map(cells).collect()
}

/// A number to two decimals without the zero before the point.
fn short(value: f64) -> String {
    format!("{value:.2}").replacen("0.", ".", 1)
}

#[test]
fn the_wide_grid_shows_the_values_of_the_long_one() {
    let home = home();
    let store = demo(home.path(), 24);
    let long = rows(home.path(), store.path(), &["--resamples", "0"]);
    let wide = cells(&report(home.path(), &["--format", "md"]));
    let (head, body) = wide.split_first().expect("a head");
    let value = |row: &Value| row["value"].as_f64();
    let name = |row: &Value| format!("{}<br>{}", text_of(&row["dataset"]), text_of(&row["model"]));
    let mut best: HashMap<String, f64> = HashMap::new();
    for row in &long {
        let best = best.entry(name(row)).or_insert(f64::NEG_INFINITY);
        *best = best.max(value(row).unwrap_or(f64::NEG_INFINITY));
    }
    assert_eq!(head.len(), 21, "a column per cell: {head:?}");
    let mut compared = 0;
    for row in &long {
        let rule = row["aggregator"].as_str().map_or(String::new(), |rule| format!(".{rule}"));
        let label = Scorer::parse(&format!("{}{rule}", text_of(&row["scorer"]))).label();
        let line = body.iter().find(|line| line[0] == label).unwrap_or_else(|| panic!("{label}"));
        let column = head.iter().position(|head| *head == name(row)).expect("a column");
        let mut expected = value(row).map_or("n/a".to_owned(), short);
        if value(row).is_some() {
            if (value(row).expect("a value") - best[&name(row)]).abs() < 1e-12 {
                expected = format!("**{expected}**");
            }
            if row["flagged"] == true {
                expected.push('†');
            }
        }
        assert_eq!(line[column], expected, "{label} in {}", head[column]);
        compared += 1;
    }
    assert!(compared > 500, "{compared}");
    let rates = body.iter().find(|line| line[0] == "success rate").expect("success rates");
    for cell in rows(home.path(), store.path(), &["--table", "cells"]) {
        let share = cell["references_solved"].as_f64().expect("a share");
        let column = head.iter().position(|head| *head == name(&cell)).expect("a column");
        assert_eq!(rates[column], format!("{:.0}%", share * 100.0));
    }
}

fn text_of(value: &Value) -> &str {
    value.as_str().expect("words")
}

/// The rows of the long grid keep their columns; a pinned scorer adds some at the end.
#[test]
fn a_pinned_scorer_gives_the_differences_of_the_table_paired() {
    let home = home();
    let store = demo(home.path(), 24);
    let get = |args: &[&str]| {
        rows(
            home.path(),
            store.path(),
            &[&["--resamples", "40", "--dataset", "airline"], args].concat(),
        )
    };
    let pinned = get(&["--pin", "lnsp.min", "--scorer", "ter,asc"]);
    let paired = get(&["--table", "paired", "--versus", "lnsp.min", "--scorer", "ter,asc"]);
    assert_eq!(pinned.len(), 3 * 5, "the pinned scorer is a row, too");
    let mut compared = 0;
    for row in &pinned {
        let expected = paired
            .iter()
            .find(|other| other["model"] == row["model"] && other["scorer"] == row["scorer"]);
        assert_eq!(row["pinned"], "lnsp.min");
        let Some(expected) = expected else {
            assert_eq!((&row["scorer"], row["difference"].as_f64()), (&"lnsp".into(), Some(0.0)));
            continue;
        };
        let fields =
            [("difference", "difference"), ("difference_lo", "lo"), ("difference_hi", "hi")];
        for (field, of_paired) in fields {
            assert_eq!(row[field], expected[of_paired], "{field}\n{row}\n{expected}");
        }
        assert_eq!(row["difference_n"], expected["n"]);
        compared += 1;
    }
    assert_eq!(compared, 10);
    let wide = cells(&report(
        home.path(),
        &["--dataset", "airline", "--pin", "lnsp.min", "--scorer", "ter,asc", "--format", "md"],
    ));
    let signed = |value: &Value| {
        let value = value.as_f64().expect("a number");
        if short(value).starts_with('-') { short(value) } else { format!("+{}", short(value)) }
    };
    let ter: Vec<&Value> = pinned.iter().filter(|row| row["scorer"] == "ter").collect();
    let line = wide.iter().find(|line| line[0] == "TER").expect("a row");
    for (row, shown) in ter.iter().zip(&line[1..]) {
        let (difference, lo, hi) =
            (&row["difference"], &row["difference_lo"], &row["difference_hi"]);
        assert!(shown.contains(&signed(difference)), "{shown} {row}");
        assert!(shown.ends_with(&format!("[{}, {}]", signed(lo), signed(hi))), "{shown} {row}");
    }
    let level = wide.iter().find(|line| line[0] == "LNSP·min").expect("a row");
    assert!(level[1..].iter().all(|shown| !shown.contains(['+', '['])), "values: {level:?}");
}

#[test]
fn rows_and_columns_are_ordered_and_folded() {
    let home = home();
    demo(home.path(), 24);
    let number = |shown: &str| -> Option<f64> {
        shown.trim_matches(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').parse().ok()
    };
    let base = ["--format", "md", "--dataset", "airline", "--dataset", "retail"];
    let wide = |args: &[&str]| cells(&report(home.path(), &[&base[..], args].concat()));
    let ordered = wide(&["--order-rows", "retail/gpt-4o-mini"]);
    let column = ordered[0].iter().position(|head| head == "retail<br>gpt-4o-mini").expect("it");
    let body = &ordered[1..ordered.len() - 2];
    let values: Vec<f64> = body.iter().filter_map(|line| number(&line[column])).collect();
    assert!(values.len() > 20 && values.is_sorted_by(|a, b| a >= b), "{values:?}");
    assert!(body.iter().all(|line| !line[0].starts_with('*')), "families have no heads");
    let ordered = wide(&["--order-columns", "ter"]);
    let ter = ordered.iter().find(|line| line[0] == "TER").expect("a row");
    let values: Vec<f64> = ter[1..].iter().filter_map(|shown| number(shown)).collect();
    assert!(values.len() > 5 && values.is_sorted_by(|a, b| a >= b), "{values:?}");
    let whole = wide(&[]);
    let folded = wide(&["--fold", "white-box"]);
    let best = folded.iter().find(|line| line[0].starts_with("white-box, best of ")).expect("it");
    let start = whole.iter().position(|line| line[0] == "*white-box*").expect("a head");
    let members = whole[start + 1..].iter().take_while(|line| !line[0].starts_with('*'));
    let members: Vec<&Vec<String>> = members.collect();
    for column in 1..best.len() {
        let most = members.iter().filter_map(|line| number(&line[column])).fold(f64::NAN, f64::max);
        assert_eq!(number(&best[column]), Some(most), "{}", whole[0][column]);
    }
    let json = |args: &[&str]| rows(home.path(), &home.path().join("demo.qualm"), args).len();
    assert_eq!(
        json(&["--resamples", "0"]) - json(&["--resamples", "0", "--fold", "white-box"]),
        (members.len() - 1) * 20
    );
}

/// A file says what made it, where that breaks no reader.
#[test]
fn a_comment_says_what_made_a_table() {
    let home = home();
    demo(home.path(), 6);
    let scope = ["--dataset", "airline", "--where", "turns > 1"];
    let with = |format: &str| {
        report(home.path(), &[&scope[..], &["--seed", "7", "--format", format]].concat())
    };
    let expected = [
        &*format!("qualm {}", env!("CARGO_PKG_VERSION")),
        "store demo.qualm (synthetic)",
        "scope airline where turns > 1: 5 cells, ",
        "40 resamples, seed 7",
        "made by: qualm report demo.qualm --resamples 40 --dataset airline --where 'turns > 1' --seed 7",
    ];
    let latex = with("latex");
    let markdown = with("md");
    for (text, start) in [(&latex, "% "), (&markdown, "<!-- ")] {
        let line = text.lines().next().expect("a line");
        assert!(line.starts_with(start), "{line}");
        for words in expected {
            assert!(line.contains(words), "{words}\n{line}");
        }
    }
    assert!(markdown.lines().next().is_some_and(|line| line.ends_with(" -->")));
    assert!(with("csv").starts_with("dataset,model,"));
    assert!(with("json").starts_with('['));
    assert!(with("table").starts_with("dataset "));
    // An expression cannot end the comment.
    let wild = ["--where", "turns > 1 or task = '--> <b>'", "--format", "md"];
    let text = report(home.path(), &wild);
    assert_eq!(text.matches("-->").count(), 1, "{text}");
}

/// A scope that is not everything is never called `all`.
#[test]
fn a_scope_is_named_as_what_it_is() {
    let home = home();
    let store = demo(home.path(), 12);
    let scopes = |table: &str, args: &[&str]| -> Vec<String> {
        let table = ["--table", table, "--resamples", "0"];
        let rows = rows(home.path(), store.path(), &[&table[..], args].concat());
        let field = if rows[0]["scope"].is_null() { "cell" } else { "scope" };
        let mut scopes: Vec<String> =
            rows.iter().map(|row| text_of(&row[field]).to_owned()).collect();
        scopes.dedup();
        scopes
    };
    for (table, args, first) in [
        ("stuck-pairs", &[][..], "all"),
        ("stuck-pairs", &["--dataset", "airline"], "airline"),
        ("stuck-pairs", &["--dataset", "airline", "--dataset", "retail"], "airline, retail"),
        ("stuck-tasks", &["--model", "gpt-4o-mini"], "*/gpt-4o-mini"),
        ("stuck-tasks", &["--where", "turns > 1"], "where turns > 1"),
        ("families", &["--dataset", "airline", "--where", "turns > 1"], "airline where turns > 1"),
        ("families", &[], "all"),
    ] {
        let scopes = scopes(table, args);
        assert_eq!(scopes[0], first, "{table} {args:?}");
        assert!(scopes[1..].iter().all(|scope| scope != "all" && scope != first), "{scopes:?}");
    }
    let paper = run(
        home.path(),
        &[
            "report",
            "--published",
            "--table",
            "families",
            "--dataset",
            "airline",
            "--format",
            "csv",
        ],
    );
    let paper = text(&paper.stdout);
    assert!(!paper.contains(",all,") && paper.contains(",airline,"), "{paper}");
}

#[test]
fn flags_of_the_layout_are_refused_where_they_mean_nothing() {
    let home = home();
    demo(home.path(), 3);
    for (args, expected) in [
        (&["--pin", "nothing"][..], "the grid has no --pin nothing"),
        (&["--table", "cells", "--pin", "ter"], "--pin: only the table grid"),
        (&["--heat"], "--heat: only the wide grid in LaTeX"),
        (&["--layout", "wide", "--format", "csv"], "--layout wide: csv has a row per value"),
        (&["--show", "rank"], "--show and --show-empty: only the wide grid"),
        (&["--order-rows", "airline"], "--order-rows airline names several cells"),
        (&["--order-columns", "x"], "the grid has no --order-columns x"),
        (&["--dataset", "airline", "--dataset", "x"], "no cell has --dataset x"),
    ] {
        let out = run(home.path(), &[&["report", "demo.qualm"], args].concat());
        let said = text(&out.stderr);
        assert!(!out.status.success() && out.stdout.is_empty(), "{args:?}");
        assert!(said.contains(expected) && said.lines().count() == 1, "{args:?}: {said}");
    }
    let wide = report(home.path(), &["--layout", "wide"]);
    assert!(wide.lines().nth(1).is_some_and(|line| line.starts_with("AUROC ")), "{wide}");
    let long = report(home.path(), &["--layout", "long", "--format", "latex"]);
    assert!(long.contains("dataset & model & condition"), "{long}");
}

#[test]
fn what_cannot_be_written_is_one_sentence_and_leaves_nothing() {
    let home = home();
    demo(home.path(), 3);
    fs::write(home.path().join("taken.tex"), "mine").expect("written");
    let names = || {
        let entries = fs::read_dir(home.path()).expect("a folder").flatten();
        entries.map(|entry| entry.file_name()).collect::<std::collections::BTreeSet<_>>()
    };
    let before = names();
    for (command, file, expected) in [
        (
            "report",
            "none/x.tex",
            "cannot be written (no such file or directory); create the folder first",
        ),
        (
            "figure --what roc",
            "none/x.svg",
            "cannot be written (no such file or directory); create the folder first",
        ),
        (
            "export --what tasks",
            "none/x.csv",
            "cannot be written (no such file or directory); create the folder first",
        ),
        ("report", "taken.tex", "is there already; name another file"),
    ] {
        let mut words = command.split(' ');
        let command = words.next().expect("a command");
        let args =
            [&[command, "demo.qualm"], &words.collect::<Vec<_>>()[..], &["-o", file]].concat();
        let out = run(home.path(), &args);
        assert_eq!(out.status.code(), Some(1), "{args:?}");
        assert_eq!(text(&out.stderr).trim_end(), format!("qualm: {file}: {expected}"), "{args:?}");
        assert_eq!(names(), before, "{args:?}");
    }
    assert_eq!(fs::read_to_string(home.path().join("taken.tex")).expect("read"), "mine");
}

/// What `E` writes on the grid is what the command in its comment prints.
#[test]
#[cfg(unix)]
fn the_grid_on_screen_is_written_as_its_command_prints_it() {
    let home = home();
    for (keys, ending) in
        [("", "tex"), ("Pji", "md"), ("lljRz", "tex"), ("rRv", "md"), ("P", "csv")]
    {
        let mut driver = Driver::new(explored(), 120, 40);
        driver.press(keys);
        let path = home.path().join(format!("grid.{ending}"));
        let screen = driver.press(&format!("<Esc>E<Ctrl-u>{}<Enter>", path.display()));
        let written = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{keys}: {screen}"));
        fs::remove_file(&path).expect("removed");
        if ending == "csv" {
            assert!(written.lines().next().is_some_and(|head| head.contains(",difference,")));
            continue;
        }
        let (comment, body) = written.split_once('\n').expect("a comment");
        let command = comment.split_once("made by: qualm ").expect("a command").1;
        let command = command.trim_end_matches(" -->");
        let line = format!(
            "exec '{}' {command} --resamples {RESAMPLES} --seed 0",
            env!("CARGO_BIN_EXE_qualm")
        );
        let out = Command::new("sh").args(["-c", &line]).output().expect("sh runs");
        assert!(out.status.success(), "{command}: {}", text(&out.stderr));
        let printed = text(&out.stdout);
        let (_, printed) = printed.split_once('\n').expect("a comment");
        assert_eq!(body, printed, "{keys}: {command}");
    }
}

#[test]
fn the_grid_on_screen_is_written_as_parquet() {
    let home = home();
    let path = home.path().join("grid.parquet");
    let mut driver = Driver::new(explored(), 120, 40);
    let screen = driver.press(&format!("E<Ctrl-u>{}<Enter>", path.display()));
    let bytes = fs::read(&path).unwrap_or_else(|_| panic!("{screen}"));
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

/// A document with tables.
fn document(tables: &[String]) -> String {
    let head = "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}\n\
                \\usepackage[table]{xcolor}\n\\begin{document}\n";
    format!("{head}{}\n\\end{{document}}\n", tables.join("\n\\clearpage\n"))
}

/// Whether pdflatex is installed.
fn has_pdflatex() -> bool {
    Command::new("pdflatex").arg("--version").output().is_ok_and(|out| out.status.success())
}

#[test]
fn latex_compiles() {
    if !has_pdflatex() {
        eprintln!("pdflatex is not installed: skipped");
        return;
    }
    let home = home();
    let store = demo(home.path(), 3);
    let engine = Engine::load(&store, None).expect("loaded");
    let mut tables: Vec<String> = Vec::new();
    let mut add = |mut made: Table| {
        let wild = Origin {
            store: "50%_of \\ {them}\nü".to_owned(),
            selection: "日本 & $".to_owned(),
            command: "qualm".to_owned(),
        };
        made.provenance.origin = Some(wild);
        let rows = std::cell::Cell::new(0);
        made.retain(|_| {
            rows.set(rows.get() + 1);
            rows.get() < 60
        });
        tables.push(made.render(OutputFormat::Latex));
    };
    for kind in TableKind::ALL {
        add(table(&kind.into(), &engine, Some(&store), &quick()).expect("a table"));
    }
    let pinned = Some(Scorer::parse("lnsp.min"));
    let layouts = [
        GridLayout { heat: true, ..GridLayout::default() },
        GridLayout { pinned, heat: true, ..GridLayout::default() },
        GridLayout { show: Show::HalfRange, order_rows: Some(2), ..GridLayout::default() },
        GridLayout { show: Show::Interval, ..GridLayout::default() },
        GridLayout { show: Show::Rank, folded: Family::ALL.into(), ..GridLayout::default() },
    ];
    for layout in layouts {
        let scorers = engine.scorers().to_vec();
        for metric in [Metric::Auroc, Metric::Prr, Metric::Ece] {
            let options = TableOptions { metric, ..quick() };
            let request = TableRequest::Grid { scorers: scorers.clone(), layout: layout.clone() };
            add(table(&request, &engine, Some(&store), &options).expect("a table"));
        }
    }
    add(hostile());
    fs::write(home.path().join("tables.tex"), document(&tables)).expect("written");
    let out = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "tables.tex"])
        .current_dir(home.path())
        .output()
        .expect("pdflatex runs");
    let said = text(&out.stdout);
    let errors: Vec<&str> =
        said.lines().filter(|line| line.starts_with(['!', 'l']) && line.len() > 1).collect();
    assert!(out.status.success(), "{}", errors.join("\n"));
    assert!(home.path().join("tables.pdf").exists());
}

/// A table of words that mean something in LaTeX, or that some engines do not know.
fn hostile() -> Table {
    use qualm::report::{ColumnKind, TableColumn};
    let column = TableColumn { name: "100%_{sure}".into(), kind: ColumnKind::Text };
    let mut made = Table::new("wild", &[column]);
    for words in [
        "[1] first",
        "* star",
        "\\input{/etc/passwd}",
        "a & b $x^2$ #1 ~ {",
        "日本 ≥ τ² ✓ ␛ 🙂",
        "<|im_end|>",
        "é ß ł ő",
        "``quotes''",
        "",
        "\u{1b}[31m",
    ] {
        made.push(vec![words.into()]);
    }
    made
}
