//! Votes are appended, never lost, and can be merged between stores.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use qualm::store::{Note, Ruling, Store, Vote, votes};

use crate::support::{Draw, assert_whole, home, made, rows, run, text, verdict, vote};

const FILE: &str = "annotations.jsonl";

/// Writes three tasks with a reference and two samples each, and the verdicts of two judges.
fn store(home: &Path) -> std::path::PathBuf {
    let draw =
        |reaches| Draw { success: Some(reaches), db_match: Some(reaches), actions: vec!["a"] };
    let tasks = vec![vec![draw(true), draw(true), draw(false)]; 3];
    let mut judged = verdict("b, \"quoted\"", 1, 2, None);
    judged.confidence = Some(0.1 + 0.2);
    made(
        home,
        &tasks,
        vec![verdict("a", 0, 1, Some(true)), verdict("a", 0, 2, Some(false)), judged],
    )
}

fn read(path: &Path) -> Vec<Vote> {
    Store::open(path).expect("a store").votes().expect("votes")
}

#[test]
fn votes_and_notes_share_a_file() {
    let home = home();
    let path = store(home.path());
    let first =
        Vote { note: Some("why\n\u{1b}[31m".to_owned()), ..vote("ada", 0, 1, Ruling::Unsure) };
    let second = vote("bob", 2, 2, Ruling::Withdrawn);
    let note = Note {
        time: 1,
        author: "ada".to_owned(),
        cell: first.cell.clone(),
        task: "0".to_owned(),
        draw: None,
        turn: None,
        note: "odd".to_owned(),
    };
    crate::support::add_vote(&path, &first).expect("appended");
    crate::support::add_note(&path, &note).expect("appended");
    crate::support::add_vote(&path, &second).expect("appended");
    assert_eq!(read(&path), [first, second]);
    assert_eq!(Store::open(&path).expect("a store").notes().expect("notes"), [note]);
    let file = fs::read_to_string(path.join(FILE)).expect("read");
    assert!(file.contains(r#""draw_a":0,"draw_b":1,"verdict":"unsure","note":"why\n"#), "{file}");
    assert_whole(&path);
}

#[test]
fn invalid_lines_are_named() {
    let home = home();
    let path = store(home.path());
    crate::support::add_vote(&path, &vote("ada", 0, 1, Ruling::Different)).expect("appended");
    let json = |vote: &Vote| serde_json::to_string(vote).expect("JSON") + "\n";
    let mut file = fs::OpenOptions::new().append(true).open(path.join(FILE)).expect("open");
    let mut later = serde_json::to_value(vote("ada", 0, 1, Ruling::Unsure)).expect("JSON");
    later["kind"] = "wager".into();
    let lines = [
        json(&vote("ada", 7, 1, Ruling::Different)),
        json(&vote("ada", 0, 9, Ruling::Different)),
        json(&vote("ada", 0, 0, Ruling::Different)),
        later.to_string() + "\n",
    ];
    file.write_all(lines.concat().as_bytes()).expect("written");
    // What is about nothing here, or from a newer version, is left out; the check names it.
    assert_eq!(read(&path).len(), 1);
    let out = run(home.path(), &["check", "made.qualm"]);
    let said = text(&out.stdout);
    for part in [
        "annotations.jsonl, line 2: d/m, task 7: there is no such task",
        "annotations.jsonl, line 3: d/m, task 0: there is no such draw",
        "annotations.jsonl, line 4: d/m, task 0: a pair needs two different draws",
        "annotations.jsonl, line 5: was written by a newer qualm",
    ] {
        assert!(said.contains(part), "{part:?} in\n{said}");
    }
    assert_eq!(said.lines().count(), 4, "{said}");
    file.write_all(b"{\"verdict\": \"maybe\"}\n").expect("written");
    let damaged = Store::open(&path).expect("a store").annotations().expect("read").damaged;
    let said = damaged[0].to_string();
    assert!(said.contains("annotations.jsonl: line 6 is not a vote ("), "{said}");
    assert_eq!(read(&path).len(), 1, "the rest is read");
}

/// The environment variables with the store and the name of the voter below.
const VOTER: [&str; 3] = ["QUALM_VOTER_STORE", "QUALM_VOTER_NAME", "QUALM_VOTER_VOTES"];

/// Votes and acknowledges each vote. The tests below run this as another process.
#[test]
fn voter() {
    let given = VOTER.map(|name| std::env::var(name).ok());
    let home = home();
    let (path, name, count) = match given {
        [Some(path), Some(name), Some(count)] => {
            (path.into(), name, count.parse().expect("a count"))
        }
        _ => (store(home.path()), "ada".to_owned(), 5),
    };
    for number in 0..count {
        let task = usize::try_from(number % 3).expect("small");
        let vote_now = Vote { time: number, ..vote(&name, task, 1, Ruling::Different) };
        crate::support::add_vote(&path, &vote_now).expect("appended");
        let mut out = std::io::stdout().lock();
        writeln!(out, "voted {number}").and_then(|()| out.flush()).expect("written");
    }
    let mine = Store::open(&path).expect("a store").votes().expect("votes").into_iter();
    assert_eq!(mine.filter(|vote| vote.author == name).count() as u64, count);
}

fn start(store: &Path, name: &str, votes: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "votes::voter", "--nocapture", "--test-threads", "1"]);
    command.env(VOTER[0], store).env(VOTER[1], name).env(VOTER[2], votes.to_string());
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started")
}

/// The vote that a line of its output acknowledges.
fn acknowledged(line: &str) -> Option<u64> {
    // The test harness may have started the line.
    line.rsplit_once("voted ")?.1.trim().parse().ok()
}

#[test]
fn a_killed_voter_loses_no_acknowledged_vote() {
    let home = home();
    let path = store(home.path());
    let mut expected = BTreeSet::new();
    for round in 0..8u64 {
        let name = format!("v{round}");
        let mut voter = start(&path, &name, u64::MAX);
        let mut lines = BufReader::new(voter.stdout.take().expect("a pipe")).lines();
        let mut acknowledged_votes = Vec::new();
        while acknowledged_votes.len() < 1 + 3 * round as usize {
            let line = lines.next().expect("it votes until it is killed").expect("text");
            acknowledged_votes.extend(acknowledged(&line));
        }
        voter.kill().expect("killed");
        voter.wait().expect("ended");
        // Output before its death counts, too; a truncated line acknowledges nothing.
        for line in lines.map_while(Result::ok) {
            acknowledged_votes.extend(acknowledged(&line));
        }
        expected.extend(acknowledged_votes.into_iter().map(|number| (name.clone(), number)));
        let found: BTreeSet<(String, u64)> =
            read(&path).into_iter().map(|vote| (vote.author, vote.time)).collect();
        let lost: Vec<_> = expected.difference(&found).collect();
        assert!(lost.is_empty(), "round {round}: {lost:?}");
        assert_whole(&path);
    }
}

#[test]
fn two_processes_lose_nothing() {
    let home = home();
    let path = store(home.path());
    let voters: Vec<Child> = ["ada", "bob"].map(|name| start(&path, name, 120)).into();
    for voter in voters {
        let out = voter.wait_with_output().expect("ended");
        assert!(out.status.success());
        assert_eq!(text(&out.stdout).lines().filter_map(acknowledged).count(), 120);
    }
    let found: BTreeSet<(String, u64)> =
        read(&path).into_iter().map(|vote| (vote.author, vote.time)).collect();
    assert_eq!(found.len(), 240);
    assert_eq!(read(&path).len(), 240);
    assert_whole(&path);
    let left = home.path().read_dir().expect("a folder").count();
    assert_eq!(left, 1, "no lock stays behind");
}

/// Copies a store, like somebody who gives it to a colleague.
fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder");
    for entry in from.read_dir().expect("a folder").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

#[test]
fn copies_are_merged() {
    let home = home();
    let path = store(home.path());
    crate::support::add_vote(&path, &vote("ada", 0, 1, Ruling::Equivalent)).expect("appended");
    let other = home.path().join("other.qualm");
    copy(&path, &other);
    let given = [
        vote("bob", 0, 1, Ruling::Equivalent),
        vote("bob", 1, 1, Ruling::Different),
        vote("bob", 9, 1, Ruling::Different),
    ];
    Store::open(&other).and_then(|store| store.add_votes(&given)).expect("appended");
    crate::support::add_vote(&path, &vote("ada", 1, 1, Ruling::Equivalent)).expect("appended");
    let before = fs::read(other.join(FILE)).expect("read");
    // The same copy twice.
    let args = ["merge", "made.qualm", "other.qualm", "other.qualm", "--format", "json"];
    let out = run(home.path(), &args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let said = text(&out.stderr);
    assert!(said.contains("2 lines added, 4 there already"), "{said}");
    assert!(said.contains("line 4 left out: there is no d/m, task 9"), "{said}");
    let table: Vec<serde_json::Value> = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(table.len(), 1);
    assert_eq!(
        (&table[0]["judge"], &table[0]["against"]),
        (&"human:ada".into(), &"human:bob".into())
    );
    assert_eq!((&table[0]["n"], &table[0]["agreement"]), (&2.into(), &0.5.into()));
    assert_eq!(read(&path).len(), 4);
    assert_eq!(fs::read(other.join(FILE)).expect("read"), before, "the other stays");
    // Merging again, and with itself, adds nothing.
    let said = text(&run(home.path(), &args).stderr);
    assert!(said.contains("0 lines added, 6 there already"), "{said}");
    let said = text(&run(home.path(), &["merge", "made.qualm", "made.qualm"]).stderr);
    assert!(said.contains("0 lines added, 4 there already"), "{said}");
    assert_whole(&path);
    let out = run(home.path(), &["merge", "made.qualm", "nowhere.qualm"]);
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn exported_votes_can_be_imported() {
    let home = home();
    let path = store(home.path());
    let mut with_note = vote("ada", 1, 1, Ruling::Different);
    with_note.note = Some("a, \"b\"".to_owned());
    let given =
        [vote("ada", 0, 1, Ruling::Unsure), with_note, vote("bob", 1, 1, Ruling::Withdrawn)];
    Store::open(&path).and_then(|store| store.add_votes(&given)).expect("appended");
    let export = ["export", "made.qualm", "--what", "judgments", "-o", "out.csv"];
    assert!(run(home.path(), &export).status.success());
    let csv = fs::read_to_string(home.path().join("out.csv")).expect("read");
    assert_eq!(csv.lines().count(), 1 + 3 + 2, "{csv}");
    let refused = run(home.path(), &export);
    assert!(text(&refused.stderr).contains("is there already"), "{}", text(&refused.stderr));
    assert_eq!(home.path().read_dir().expect("a folder").count(), 2, "no draft stays");

    let judgments = Store::open(&path).expect("a store").judgments().expect("judgments");
    let other = home.path().join("other");
    fs::create_dir(&other).expect("a folder");
    let tasks = vec![vec![Draw { success: None, db_match: None, actions: vec!["a"] }; 3]; 3];
    let fresh =
        made(&other, &tasks, vec![verdict("a", 0, 1, Some(false)), verdict("c", 0, 1, None)]);
    let import = ["import", "out.csv", "-o", "other/made.qualm"];
    let out = run(home.path(), &import);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("1 older verdict replaced"), "{}", text(&out.stdout));
    let mut expected = judgments;
    expected.insert(0, verdict("c", 0, 1, None));
    let sorted = |mut judgments: Vec<qualm::model::Judgment>| {
        judgments.sort_by_key(|row| (row.judge.clone(), row.task.clone(), row.draw_b));
        judgments
    };
    let found = Store::open(&fresh).expect("a store").judgments().expect("judgments");
    assert_eq!(sorted(found), sorted(expected));
    assert_eq!(read(&fresh), votes::current(&given));
    // Importing again changes nothing.
    let out = run(home.path(), &import);
    assert!(
        text(&out.stdout).contains("0 votes added, 2 already present"),
        "{}",
        text(&out.stdout)
    );
    assert_whole(&fresh);
}

#[test]
fn a_wrong_verdict_is_named_and_nothing_is_imported() {
    let home = home();
    let path = store(home.path());
    let header = "dataset,model,task,draw_b,judge,equivalent,confidence";
    for (line, said) in [
        ("d,m,9,1,c,true,", "line 3: d/m, task 9: there is no such task; import the results first"),
        ("d,m,0,7,c,yes,", "line 3: d/m, task 0: there is no draw 7"),
        ("d,m,0,0,c,1,", "line 3: d/m, task 0: both draws of the pair are the same"),
        ("d,m,0,1,c,maybe,", "line 3: `equivalent` is `maybe`; write true or false"),
        ("d,m,0,1,c,no,2", "line 3: `confidence` is 2; give a number from 0 to 1"),
        ("d,m,0,x,c,no,", "line 3: `draw_b` is `x`, which is not a valid number"),
        ("d,m,0,2,c,no,", "line 3: d/m, task 0: c judges the pair twice; keep one"),
        ("d,m,0,1,human,no,", "line 3: a verdict of `human` without an author"),
        ("d,m,0,1", "is not valid CSV ("),
    ] {
        let csv = format!("\u{feff}{header}\nd,m,0,2,c,different,0.5\n{line}\n");
        fs::write(home.path().join("v.csv"), csv).expect("written");
        let out = run(home.path(), &["import", "v.csv", "-o", "made.qualm"]);
        assert_eq!(out.status.code(), Some(1), "{line}");
        let words = text(&out.stderr);
        assert!(words.contains("v.csv") && words.contains(said), "{said:?} in {words}");
        let judgments = Store::open(&path).expect("a store").judgments().expect("judgments");
        assert_eq!(judgments.len(), 3);
    }
    let file = home.path().join("v.csv");
    fs::write(&file, format!("{header}\nd,m,0,2,c,Different,\nd,m,1,2,c,,0.25\n"))
        .expect("written");
    assert!(run(home.path(), &["import", "v.csv", "-o", "made.qualm"]).status.success());
    let table = rows(home.path(), &path, &["--table", "judges"]);
    let row = table.iter().find(|row| row["judge"] == "c" && row["against"] == "database");
    assert_eq!(
        (&row.expect("a row")["n"], &row.expect("a row")["unparsed"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn every_export_has_every_format() {
    use polars::prelude::{ParquetReader, SerReader as _};
    let home = home();
    let path = store(home.path());
    let mut hostile = vote("eve\u{1b}[2J", 0, 1, Ruling::Different);
    hostile.note = Some("a\u{9b}31m\u{202e}b".to_owned());
    crate::support::add_vote(&path, &hostile).expect("appended");
    crate::support::add_note(
        &path,
        &Note {
            time: 1,
            author: "ada".to_owned(),
            cell: hostile.cell.clone(),
            task: "0".to_owned(),
            draw: Some(0),
            turn: None,
            note: "\u{1b}]0;x\u{7}".to_owned(),
        },
    )
    .expect("appended");
    for (what, count) in [("judgments", 4), ("notes", 1), ("tasks", 3), ("scores", 3 * 7)] {
        let csv = run(home.path(), &["export", "made.qualm", "--what", what]);
        let csv = text(&csv.stdout);
        assert_eq!(csv.lines().count(), count + 1, "{what}: {csv}");
        let args = ["export", "made.qualm", "--what", what, "--format", "jsonl"];
        let lines = text(&run(home.path(), &args).stdout);
        for line in lines.lines() {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        }
        assert_eq!(lines.lines().count(), count);
        let name = format!("{what}.parquet");
        let args = ["export", "made.qualm", "--what", what, "--format", "parquet", "-o", &name];
        assert!(run(home.path(), &args).status.success());
        let file = fs::File::open(home.path().join(&name)).expect("written");
        let frame = ParquetReader::new(file).finish().expect("Parquet");
        assert_eq!(frame.height(), count);
        let header: Vec<String> =
            csv.lines().next().expect("a header").split(',').map(str::to_owned).collect();
        let names: Vec<String> = frame.get_column_names().iter().map(ToString::to_string).collect();
        assert_eq!(names, header);
        let shown = format!("{csv}{lines}{frame:?}");
        for raw in ['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}'] {
            assert!(!shown.contains(raw), "{what}: {raw:?}");
        }
    }
    let out = run(home.path(), &["export", "made.qualm", "--what", "notes", "--format", "parquet"]);
    assert_eq!(out.status.code(), Some(2));
}
