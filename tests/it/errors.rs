//! Bad input causes one sentence with file, position and remedy, exit code 1, and leaves no files.

use std::fs;
use std::path::Path;

use crate::support::{assert_whole, data, home, imported, qualm, run, text};

/// Imports a file with these bytes and returns the error.
fn refused(home: &Path, name: &str, bytes: &[u8]) -> String {
    fs::write(home.join(name), bytes).expect("written");
    refusal(home, &["import", name, "-o", "out.qualm"])
}

fn refusal(home: &Path, args: &[&str]) -> String {
    let before = listing(home);
    let out = run(home, args);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert_eq!(said.lines().count(), 1, "one sentence: {said}");
    assert!(said.starts_with("qualm: ") && said.contains("; "), "a remedy: {said}");
    assert_eq!(listing(home), before, "nothing is left behind");
    said
}

fn listing(home: &Path) -> Vec<String> {
    let entries = fs::read_dir(home).expect("a folder").flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn an_import_without_a_run_writes_nothing() {
    let home = home();
    fs::write(home.path().join("a.json"), r#"{"colour": "red"}"#).expect("written");
    fs::write(home.path().join("b.jsonl"), "{\"messages\": []}\n").expect("written");
    let args = ["import", "a.json", "b.jsonl", "--format", "chat", "-o", "out.qualm"];
    let said = refusal(home.path(), &args);
    let problem = "a.json: has no message of an agent when read as chat; choose another --format";
    assert!(said.contains(problem), "{said}");
}

#[test]
fn wrong_paths_are_explained() {
    let home = home();
    let said = refusal(home.path(), &["import", "nowhere.json", "-o", "out.qualm"]);
    assert!(
        said.contains("nowhere.json: there is no such file or folder; check the path"),
        "{said}"
    );
    fs::create_dir(home.path().join("empty")).expect("made");
    let said = refusal(home.path(), &["import", "empty", "-o", "out.qualm"]);
    assert!(said.contains("empty: the folder has no result file that qualm can read"), "{said}");
    let said = refusal(home.path(), &["check", "nowhere.qualm"]);
    assert!(said.contains("1 problem"), "{said}");
}

#[test]
fn files_without_results_are_rejected() {
    let home = home();
    let said = refused(home.path(), "a.json", b"");
    assert!(said.contains("a.json: the file is empty"), "{said}");
    let said = refused(home.path(), "b.json", b"task,correct\n1,0\n");
    assert!(said.contains("b.json, byte 2 (line 1, column 2): is not JSON"), "{said}");
    let said = refused(home.path(), "c.json", b"{\"simulations\": []}");
    assert!(said.contains("c.json: holds no simulations"), "{said}");
    let said = refused(home.path(), "d.json", b"[]");
    assert!(said.contains("d.json: holds no record (it is an empty list)"), "{said}");
    let other = fs::read(data("other-tool.json")).expect("read");
    let said = refused(home.path(), "e.json", &other);
    assert!(said.contains("an object with the keys experiment, episodes, schema"), "{said}");
    let said = refused(home.path(), "f.json", b"{\"a\\u001b[31m\": 1}");
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn truncated_json_names_the_byte() {
    let home = home();
    let whole = fs::read(data("tau2.json")).expect("read");
    let cut = whole.len() * 2 / 3;
    let said = refused(home.path(), "cut.json", &whole[..cut]);
    assert!(said.contains(&format!("cut.json, byte {cut} (line ")), "{said}");
    assert!(said.contains(", after simulation 2: the JSON ends before it is complete"), "{said}");
    let python = fs::read_to_string(data("tau2.json")).expect("read").replacen("12.5", "NaN", 1);
    let cut = python.len() * 2 / 3;
    let said = refused(home.path(), "cut-nan.json", &python.as_bytes()[..cut]);
    assert!(said.contains(&format!("cut-nan.json, byte {cut} (line ")), "{said}");
    let whole = fs::read(data("tau1.json")).expect("read");
    let said = refused(home.path(), "cut1.json", &whole[..whole.len() - 9]);
    assert!(said.contains("after run 3: the JSON ends before it is complete"), "{said}");
}

#[test]
fn malformed_messages_are_rejected() {
    let home = home();
    let json = fs::read_to_string(data("tau2.json")).expect("read");
    let said = refused(home.path(), "r.json", json.replacen("\"user\"", "\"robot\"", 1).as_bytes());
    assert!(said.contains("a message has the unknown role `robot`"), "{said}");
    assert!(said.contains("r.json, byte "), "{said}");
}

#[test]
fn a_bad_file_leaves_the_old_store_unchanged() {
    let fixture = imported(&["tau2.json"]);
    let home = fixture.home.path();
    let cut = &fs::read(data("tau1.json")).expect("read")[..900];
    fs::write(home.join("cut.json"), cut).expect("written");
    refusal(home, &["import", "cut.json", "-o", "s.qualm"]);
    assert_eq!(fixture.entries().len(), 4);
    assert_whole(&fixture.path());
}

#[test]
fn unwritable_outputs_are_explained() {
    let home = home();
    let input = data("tau2.json").display().to_string();
    fs::write(home.path().join("file"), "x").expect("written");
    let said = refusal(home.path(), &["import", &input, "-o", "file"]);
    assert!(said.contains("file: cannot be written (not a directory)"), "{said}");
    let said = refusal(home.path(), &["import", &input, "-o", "file/out.qualm"]);
    assert!(said.contains("cannot be written"), "{said}");
    fs::create_dir(home.path().join("thesis")).expect("made");
    fs::write(home.path().join("thesis/chapter"), "x").expect("written");
    let said = refusal(home.path(), &["import", &input, "-o", "thesis"]);
    assert!(said.contains("thesis: cannot be written (something else lies there)"), "{said}");
}

/// A limit on file sizes makes writing a table fail midway, like a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_store_unchanged() {
    let fixture = imported(&["tau2.json"]);
    let before = listing(&fixture.path());
    let program = qualm(fixture.home.path());
    let script = format!(
        "trap '' XFSZ; ulimit -f 0; exec '{}' import '{}' -o s.qualm",
        program.get_program().to_string_lossy(),
        data("tau2-logprobs-v0.json").display()
    );
    let mut shell = std::process::Command::new("bash");
    let out = shell.args(["-c", &script]).current_dir(fixture.home.path()).output().expect("bash");
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot be written (file too large)"), "{said}");
    assert!(said.contains("nothing was changed"), "{said}");
    assert_eq!(listing(&fixture.path()), before);
    assert_eq!(listing(fixture.home.path()), ["s.qualm"], "no draft is left");
    assert_eq!(fixture.entries().len(), 4);
}

#[test]
fn wrong_usage_exits_with_2() {
    let home = home();
    assert_eq!(run(home.path(), &["import"]).status.code(), Some(2));
    assert_eq!(run(home.path(), &[]).status.code(), Some(2));
    assert_eq!(
        run(home.path(), &["import", "x", "-o", "y", "--format", "z"]).status.code(),
        Some(2)
    );
}
