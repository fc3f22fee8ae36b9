//! What is written for other programs and for people: complete or not there, harmless, bounded.

use std::fs;
use std::path::Path;

use qualm::store::{Ruling, Store};

use crate::support::{data, demo, home, made, run, text, vote};

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Runs the program where no file may have more than some blocks, as on a full disk.
#[cfg(unix)]
fn run_on_full_disk(home: &Path, args: &str) -> std::process::Output {
    let line = format!("ulimit -f 4; exec '{}' {args}", env!("CARGO_BIN_EXE_qualm"));
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &line]).current_dir(home).output().expect("sh runs")
}

#[test]
#[cfg(unix)]
fn a_full_disk_leaves_the_old_file_and_nothing_else() {
    let home = home();
    demo(home.path(), 3);
    let out = home.path().join("out");
    fs::create_dir(&out).expect("made");
    fs::write(out.join("a.svg"), "old").expect("written");
    for args in [
        "shot demo.qualm -o out/a.svg",
        "shot demo.qualm -o out/b.svg",
        "export demo.qualm --what tasks -o out/c.csv",
        "export demo.qualm --what scores --format parquet -o out/d.parquet",
    ] {
        let failed = run_on_full_disk(home.path(), args);
        let said = text(&failed.stderr);
        assert_eq!(failed.status.code(), Some(1), "{args}: {said}");
        assert!(said.contains("cannot be written") && said.contains("; raise the limit"), "{said}");
        assert_eq!(names(&out), ["a.svg"], "{args}");
    }
    assert_eq!(fs::read_to_string(out.join("a.svg")).expect("read"), "old");
    assert!(run(home.path(), &["shot", "demo.qualm", "-o", "out/a.svg"]).status.success());
    assert!(fs::read_to_string(out.join("a.svg")).expect("read").len() > 4 * 1024);
}

#[test]
fn text_that_a_spreadsheet_would_run_is_guarded_and_comes_back() {
    let home = home();
    let tasks =
        vec![vec![crate::support::Draw { success: None, db_match: None, actions: vec!["a"] }; 2]];
    let path = made(home.path(), &tasks, Vec::new());
    let wild = "=HYPERLINK(\"http://x\")";
    let mut cast = vote(wild, 0, 1, Ruling::Different);
    cast.note = Some("+1".to_owned() + " for it");
    crate::support::add_vote(&path, &cast).expect("saved");
    let export = |args: &[&str]| {
        let command = ["export", "made.qualm", "--what", "judgments"];
        let out = run(home.path(), &[&command, args].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stdout)
    };
    let written = export(&[]);
    assert!(written.contains("\"'=HYPERLINK(\"\"http://x\"\")\""), "{written}");
    assert!(written.contains("'+1 for it"), "{written}");
    let raw = export(&["--raw-text"]);
    assert!(!raw.contains("'=") && raw.contains("=HYPERLINK"), "{raw}");
    // Into a copy that has no votes.
    fs::write(home.path().join("votes.csv"), written).expect("written");
    fs::remove_file(path.join("annotations.jsonl")).expect("removed");
    let out = run(home.path(), &["import", "votes.csv", "-o", "made.qualm"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let read = Store::open(&path).expect("a store").votes().expect("votes");
    assert_eq!(read[0].author, wild);
    assert_eq!(read[0].note.as_deref(), Some("+1 for it"));
}

#[test]
fn arguments_are_shown_cleaned_and_cut() {
    let home = home();
    let hostile = "--\u{1b}]0;owned\u{7}\u{202e}";
    let long = "x".repeat(100_000);
    for argument in [hostile, "--table=\u{9b}31m\u{1b}[2J", &format!("--table={long}")] {
        let out = run(home.path(), &["report", argument]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{said}");
        crate::hostile::assert_safe(&said);
        assert!(said.len() < 3_000, "{}", said.len());
    }
}

#[test]
fn resamples_have_a_stated_maximum() {
    let home = home();
    for wrong in ["100001", "18446744073709551616", "-1", "many"] {
        let out = run(home.path(), &["report", "x.qualm", &format!("--resamples={wrong}")]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{said}");
        assert!(said.contains("give a number from 0 to 100,000"), "{said}");
    }
    let help = text(&run(home.path(), &["report", "--help"]).stdout);
    assert!(help.contains("at most 100,000"), "{help}");
}

#[test]
fn an_error_is_short_whatever_it_quotes() {
    let home = home();
    let mut results: serde_json::Value =
        serde_json::from_slice(&fs::read(data("tau2.json")).expect("read")).expect("JSON");
    let long = "role ".repeat(400_000);
    results["simulations"][0]["messages"][0]["role"] = long.clone().into();
    fs::write(home.path().join("role.json"), results.to_string()).expect("written");
    let out = run(home.path(), &["import", "role.json", "-o", "out.qualm"]);
    let said = text(&out.stderr) + &text(&out.stdout);
    assert!(said.contains("unknown role") && said.len() < 5_000, "{} bytes", said.len());
}

#[test]
fn a_table_without_rows_says_why() {
    let home = home();
    let results = data("tau2.json").display().to_string();
    let out = run(home.path(), &["report", &results, "--table", "judges"]);
    assert_eq!(out.status.code(), Some(0));
    assert!(text(&out.stdout).starts_with("judge "), "the head is printed");
    assert_eq!(text(&out.stdout).lines().count(), 1);
    assert!(text(&out.stderr).contains("no judge has given a verdict"), "{}", text(&out.stderr));
}

#[test]
fn a_moving_picture_shows_every_key() {
    let home = home();
    demo(home.path(), 2);
    let shot = |args: &[&str]| {
        run(home.path(), &[&["shot", "demo.qualm", "--keys", "&turns<Enter><Esc>2"], args].concat())
    };
    assert!(shot(&["--animate", "-o", "a.svg"]).status.success());
    let svg = fs::read_to_string(home.path().join("a.svg")).expect("read");
    for caption in ["&amp;  select tasks by an expression (Ctrl-s: the scope)", "2  Tasks"] {
        assert_eq!(svg.matches(&format!(">{caption}<")).count(), 1, "{caption}");
    }
    // Letters that are typed are no keys of the table: the caption stays, and the frame is short.
    assert!(!svg.contains("  threshold") && svg.contains("step-end infinite"), "{svg}");
    let seconds = |svg: &str| {
        let time = svg.split("animation: f1 ").nth(1).and_then(|rest| rest.split('s').next());
        time.and_then(|time| time.parse::<f64>().ok()).expect("a time")
    };
    // The screen as it opens, `&`, five letters, Enter, Esc, and the last one for twice as long.
    assert!((seconds(&svg) - (2.0 + 2.0 + 5.0 * 0.2 + 2.0 + 2.0 + 4.0)).abs() < 1e-9);
    assert!(!svg.contains("<script") && !svg.contains("href"));
    assert!(shot(&["--animate=1", "-o", "b.svg"]).status.success());
    let faster = fs::read_to_string(home.path().join("b.svg")).expect("read");
    assert!((2.0 * seconds(&faster) - seconds(&svg)).abs() < 1e-9);

    for (args, sentence) in [
        (&["--animate"][..], "--animate makes an SVG; name a file that ends in .svg with -o"),
        (&["--animate", "-o", "c.txt"], "--animate makes an SVG"),
        (&["--animate=0"], "0.5 to 60 seconds"),
    ] {
        let said = text(&shot(args).stderr);
        assert!(said.contains(sentence), "{args:?}: {said}");
    }
    assert_eq!(names(home.path()), ["a.svg", "b.svg", "demo.qualm"]);
}

/// The commands that `--help` and `qualm help` list.
fn commands(home: &Path) -> Vec<String> {
    let of = |args: &[&str], head: &str| -> Vec<String> {
        let said = text(&run(home, args).stdout);
        let lines = said.lines().skip_while(|line| !line.starts_with(head)).skip(1);
        let listed = lines.take_while(|line| line.starts_with("  "));
        let names = listed.filter(|line| !line.starts_with("    "));
        names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    [of(&["--help"], "Commands:"), of(&["help"], "Commands that")].concat()
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let home = home();
    let commands = commands(home.path());
    assert!(commands.len() > 15, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let out = run(home.path(), &["completions", shell]);
        let script = text(&out.stdout);
        for word in commands.iter().map(String::as_str).chain(["--order-rows"]) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert!(run(home.path(), &["man", "pages"]).status.success());
    let pages = names(&home.path().join("pages"));
    let of_commands = commands.iter().map(|name| format!("qualm-{name}.1"));
    for page in of_commands.chain(["qualm.1".to_owned(), "qualm-models-check.1".to_owned()]) {
        assert!(pages.contains(&page), "{page} in {pages:?}");
    }
    fs::write(home.path().join("taken"), "").expect("written");
    let out = run(home.path(), &["man", "taken"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("taken: cannot be made; name another folder"));
}
