//! One list of formats feeds the command line, the errors and the documentation.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use qualm::readers::{self, Gives};

use crate::support::{assert_whole, data, home, qualm, run, text};

fn gives(reader: &dyn readers::Reader) -> String {
    let words: Vec<&str> = reader.info().gives.iter().copied().map(Gives::word).collect();
    words.join(", ")
}

#[test]
fn the_documentation_has_a_row_for_every_format() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/import.md");
    let docs = fs::read_to_string(path).expect("docs");
    for reader in readers::ALL.iter().copied() {
        let info = reader.info();
        let row = format!("| {} | `{}` | {} | {} |", info.name, info.id, info.looks, gives(reader));
        assert!(docs.lines().any(|line| line == row), "docs/import.md lacks the row\n{row}");
    }
}

#[test]
fn every_format_is_listed_and_offered() {
    let home = home();
    let listed = text(&run(home.path(), &["formats"]).stdout);
    let help = text(&run(home.path(), &["import", "--help"]).stdout);
    for reader in readers::ALL.iter().copied() {
        let info = reader.info();
        assert!(listed.contains(&format!("{}: {}\n", info.id, info.name)), "{listed}");
        assert!(listed.contains(&gives(reader)) && listed.contains(info.looks), "{listed}");
        assert!(help.contains(&format!("- {}:", info.id)), "{help}");
    }
}

#[test]
fn a_format_that_is_misspelt_gets_a_hint() {
    let home = home();
    let out = run(home.path(), &["import", "x", "-o", "y", "--format", "tau3"]);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(2));
    assert!(said.contains("a similar value exists: 'tau2'"), "{said}");
}

#[test]
fn what_no_reader_knows_gets_the_list() {
    let home = home();
    let other = data("other-tool.json").display().to_string();
    let said = text(&run(home.path(), &["import", &other, "-o", "s.qualm"]).stderr);
    let names: Vec<&str> = qualm::readers::ALL.iter().map(|reader| reader.info().name).collect();
    let list = format!("; qualm reads: {}; --format forces", names.join(", "));
    assert!(said.contains(&list) && list.contains("tau2-bench, tau-bench"), "{said}");
}

/// Imports what a pipe brings, and returns what was said.
fn piped(home: &std::path::Path, bytes: &[u8]) -> (bool, String) {
    let mut command = qualm(home);
    command.args(["import", "-", "-o", "s.qualm"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("piped").write_all(bytes).expect("sent");
    let out = child.wait_with_output().expect("ended");
    (out.status.success(), text(&out.stdout) + &text(&out.stderr))
}

#[test]
fn standard_input_is_read() {
    let home = home();
    let bytes = fs::read(data("tau2.json")).expect("read");
    let (done, said) = piped(home.path(), &bytes);
    assert!(done && said.contains("4 trajectories from 1 file"), "{said}");
    assert_whole(&home.path().join("s.qualm"));
    let (done, said) = piped(home.path(), &bytes);
    assert!(done && said.contains("0 kept, 4 replaced"), "the same content again: {said}");
    let other = fs::read(data("tau2-bare.json")).expect("read");
    let (done, said) = piped(home.path(), &other);
    assert!(done && said.contains("4 kept, 0 replaced"), "other content: {said}");
    assert!(said.contains("standard input does not name its model"), "{said}");
    let (done, said) = piped(home.path(), b"{\"simulations\": [");
    assert!(!done && said.contains("qualm: standard input, byte 17 (line 1,"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_pipe_that_is_named_is_read() {
    let home = home();
    let mut shell = std::process::Command::new("bash");
    let program = qualm(home.path()).get_program().to_string_lossy().into_owned();
    let script = format!("'{program}' import <(cat '{}') -o s.qualm", data("tau1.json").display());
    let out = shell.args(["-c", &script]).current_dir(home.path()).output().expect("bash");
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert_whole(&home.path().join("s.qualm"));
}
