//! A writer that is killed at any moment leaves a sound store, and everything that others put there.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use qualm::model::Cell;
use qualm::store::{Note, Store};

use crate::support::{assert_whole, data, imported, is_long_run, qualm};

/// Puts into a store what a user might, and returns the paths.
fn furnish(store: &Path) -> Vec<std::path::PathBuf> {
    let folders = ["figures", "empty", "a/b"].map(|name| store.join(name));
    folders.iter().for_each(|folder| fs::create_dir_all(folder).expect("made"));
    let files = ["figures/paper.txt", "a/b/c", ".hidden", "readme.md"].map(|name| store.join(name));
    files.iter().for_each(|file| fs::write(file, "precious").expect("written"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        fs::set_permissions(&folders[1], fs::Permissions::from_mode(0o555)).expect("set");
        symlink("../team.jsonl", store.join("annotations.jsonl")).expect("linked");
    }
    [&folders[..], &files].concat()
}

fn note(number: u64) -> Note {
    Note {
        time: number,
        author: "ada".to_owned(),
        cell: Cell::new("airline", "owl-7b"),
        task: "0".to_owned(),
        draw: None,
        turn: None,
        note: number.to_string(),
    }
}

/// Kills a process after some time, unless it ends before.
fn kill_after(command: &mut Command, time: Duration) {
    let mut process = command.spawn().expect("the program starts");
    let deadline = Instant::now() + time;
    while Instant::now() < deadline && matches!(process.try_wait(), Ok(None)) {
        std::thread::yield_now();
    }
    let _ = process.kill();
    process.wait().expect("ended");
}

#[test]
fn a_killed_writer_leaves_the_old_store_or_the_new_one() {
    let fixture = imported(&["tau2.json"]);
    let path = fixture.path();
    fs::write(fixture.home.path().join("team.jsonl"), "").expect("written");
    let foreign = furnish(&path);
    let inputs = ["tau2.json", "tau1.json", "tau2-runs", "tau2-logprobs-v0.json"].map(data);
    let quiet = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    };
    let import = || {
        let mut command = qualm(fixture.home.path());
        command.arg("import").args(&inputs).args(["-o", "s.qualm"]);
        quiet(&mut command);
        command
    };
    let score = |span: &str| {
        let mut command = qualm(fixture.home.path());
        command.args(["score", "s.qualm", "--span", span]);
        quiet(&mut command);
        command
    };
    // The duration of an undisturbed command determines when to kill the others.
    let time = |command: &mut Command| {
        let begin = Instant::now();
        assert!(command.status().expect("the program starts").success());
        begin.elapsed()
    };
    let (import_time, score_time) = (time(&mut import()), time(&mut score("all")));
    let all = Store::open(&path).expect("whole").entries().expect("entries").len();
    let rounds = if is_long_run() { 400 } else { 40 };
    for round in 0..rounds {
        let part = |whole: Duration| whole * round * 5 / (rounds * 4) + Duration::from_micros(200);
        let span = if round % 4 == 1 { "action" } else { "all" };
        match round % 2 {
            0 => kill_after(&mut import(), part(import_time)),
            _ => kill_after(&mut score(span), part(score_time)),
        }
        crate::support::add_note(&path, &note(u64::from(round))).expect("acknowledged");
        assert_whole(&path);
        let store = Store::open(&path).expect("whole");
        assert_eq!(store.entries().expect("entries").len(), all, "round {round}");
        assert_eq!(store.notes().expect("notes").len() as u32, round + 1, "no note is lost");
        let lost = foreign.iter().find(|path| !path.exists());
        assert!(lost.is_none(), "round {round}: {lost:?}");
    }
    println!("{rounds} kills");
    // The next import removes what the killed ones left.
    assert!(import().status().expect("the program starts").success());
    let left: Vec<_> = fixture.home.path().read_dir().expect("a folder").flatten().collect();
    assert_eq!(left.len(), 2, "{left:?}");
    let hidden = path.read_dir().expect("a folder").flatten();
    let hidden = hidden.filter(|entry| entry.file_name().to_string_lossy().starts_with(".q"));
    assert_eq!(hidden.count(), 0);
    #[cfg(unix)]
    assert!(path.join("annotations.jsonl").is_symlink());
}
