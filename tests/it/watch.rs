//! Results and stores that grow while they are watched.

use std::fs;
use std::path::{Path, PathBuf};

use portable_pty::CommandBuilder;
use qualm::import::{ImportOptions, import};
use qualm::store::{Note, Store};
use qualm::ui::overlays::Overlay;
use qualm::watch::{News, Watch, empty_store};
use serde_json::{Value, json};

use crate::explorer::Driver;
use crate::support::home;
use crate::terminal::Session;

/// A simulation of tau2: a task, a trial, and how many turns the agent takes.
fn simulation(task: &str, trial: u32, turns: usize) -> Value {
    let turn = |index: usize| json!({"role": "assistant", "content": format!("Step {index}.")});
    let mut messages = vec![json!({"role": "user", "content": format!("Task {task} please.")})];
    messages.extend((0..turns).map(turn));
    json!({
        "id": format!("{task}-{trial}"), "task_id": task, "trial": trial,
        "termination_reason": "user_stop", "reward_info": {"reward": 1.0}, "messages": messages,
    })
}

/// A document of tau2 with these runs, as the harness writes it.
fn document(runs: &[Value]) -> String {
    let info = json!({
        "agent_info": {"llm": "gpt-x", "implementation": "llm_agent"},
        "environment_info": {"domain_name": "airline"},
    });
    format!("{{\"info\": {info}, \"tasks\": [], \"simulations\": {}}}", json!(runs))
}

/// A line of BFCL results.
fn line(task: &str) -> String {
    json!({"id": task, "result": [[["{\"a\": 1}"]]]}).to_string()
}

/// Results that are watched from nothing on.
struct Watched {
    home: tempfile::TempDir,
    watch: Watch,
}

impl Watched {
    fn new(path: &str) -> Self {
        let home = home();
        let store = home.path().join("cache.qualm");
        empty_store(&store).expect("made");
        let paths = [home.path().join(path)];
        let watch = Watch::of_results(&paths, &Store::open(&store).expect("a store"));
        Self { home, watch }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file and looks.
    fn write(&mut self, name: &str, text: &str) -> News {
        self.write_again(name, text).expect("something new")
    }

    /// The same, where there may be nothing new.
    fn write_again(&mut self, name: &str, text: &str) -> Option<News> {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
        self.watch.poll()
    }

    /// The store's tasks, and the trials of each.
    fn runs(&self) -> Vec<(String, Option<i64>)> {
        let store = Store::open(&self.path("cache.qualm")).expect("a store");
        let entries = store.entries().expect("entries").into_iter();
        entries.map(|entry| (entry.head.task, entry.head.origin.trial)).collect()
    }
}

fn named(runs: &[(&str, i64)]) -> Vec<(String, Option<i64>)> {
    runs.iter().map(|(task, trial)| ((*task).to_owned(), Some(*trial))).collect()
}

#[test]
fn a_document_that_is_rewritten_keeps_what_was_read() {
    let mut watched = Watched::new("results.json");
    let news = watched.watch.poll().expect("a word");
    assert!(news.store.is_none());
    let waits_for = news.waits_for.expect("waiting");
    assert!(waits_for.contains("no such file"), "{waits_for}");
    assert!(watched.watch.poll().is_none(), "said once");

    let [a, b, c] = [("7", 0), ("7", 1), ("8", 0)].map(|(task, trial)| simulation(task, trial, 2));
    let news = watched.write("results.json", &document(&[a.clone(), b.clone()]));
    assert_eq!(news.words.as_deref(), Some("2 new runs came in"));
    assert_eq!(news.waits_for, None);
    assert_eq!(watched.runs(), named(&[("7", 0), ("7", 1)]));
    assert!(watched.watch.poll().is_none(), "nothing changed");

    // Rewritten with a third run, and seen in the middle of the second.
    let whole = document(&[a.clone(), b, c]);
    let cut = whole.find("7-1").expect("the second run") + 20;
    let news = watched.write("results.json", &whole[..cut]);
    let waits_for = news.waits_for.expect("cut off");
    assert!(waits_for.contains("ends before it is complete"), "{waits_for}");
    assert_eq!(watched.runs(), named(&[("7", 0), ("7", 1)]), "the old ones stay");
    let news = watched.write("results.json", "");
    assert!(news.waits_for.expect("empty").contains("empty"));
    assert_eq!(watched.runs().len(), 2);

    let news = watched.write("results.json", &whole);
    assert_eq!((news.words.as_deref(), news.waits_for), (Some("1 new run came in"), None));
    assert_eq!(watched.runs(), named(&[("7", 0), ("7", 1), ("8", 0)]));

    fs::remove_file(watched.path("results.json")).expect("removed");
    let news = watched.watch.poll().expect("gone");
    assert!(news.waits_for.expect("gone").contains("no such file"));
    assert_eq!(watched.runs().len(), 3, "what was read stays");

    // The harness begins anew.
    let news = watched.write("results.json", &document(&[a]));
    assert_eq!((news.words.as_deref(), news.waits_for), (Some("the store changed"), None));
    assert_eq!(watched.runs(), named(&[("7", 0)]));
}

#[test]
fn complete_runs_before_a_cut_are_shown() {
    let mut watched = Watched::new("results.json");
    let runs = [simulation("7", 0, 2), simulation("8", 0, 2)];
    let whole = document(&runs);
    let cut = whole.rfind("Step").expect("the second run");
    let news = watched.write("results.json", &whole[..cut]);
    assert_eq!(news.words.as_deref(), Some("1 new run came in"));
    assert!(news.waits_for.is_some());
    assert_eq!(watched.runs(), named(&[("7", 0)]));
    // Left like this, the results are read anew when they are opened without watching.
    assert_eq!(Store::open(&watched.path("cache.qualm")).expect("a store").manifest().stamp, None);
    // Written again as it was, it is no news.
    let news = watched.write_again("results.json", &whole[..cut]);
    assert!(news.is_none_or(|news| news.words.is_none()));
    watched.write("results.json", &whole);
    assert_eq!(watched.runs().len(), 2);
}

#[test]
fn half_a_line_is_waited_for() {
    let name = "result/gpt-x/BFCL_v4_multi_turn_base_result.json";
    let mut watched = Watched::new("result");
    let [first, second] = ["multi_turn_base_1", "multi_turn_base_2"].map(line);
    let half = &second[..second.len() / 2];
    let news = watched.write(name, &format!("{first}\n{half}"));
    assert_eq!(news.words.as_deref(), Some("1 new run came in"));
    let waits_for = news.waits_for.expect("cut off");
    assert!(waits_for.contains("line 2"), "{waits_for}");
    // Whole, though no newline ends it yet.
    let news = watched.write(name, &format!("{first}\n{second}"));
    assert_eq!((news.words.as_deref(), news.waits_for), (Some("1 new run came in"), None));
    let tasks: Vec<String> = watched.runs().into_iter().map(|(task, _)| task).collect();
    assert_eq!(tasks, ["multi_turn_base_1", "multi_turn_base_2"]);
}

#[test]
fn a_folder_fills() {
    let mut watched = Watched::new("runs");
    fs::create_dir(watched.path("runs")).expect("made");
    let news = watched.watch.poll().expect("a word");
    assert!(news.waits_for.expect("waiting").contains("has no result file"));
    watched.write("runs/b.json", &document(&[simulation("7", 1, 1)]));
    watched.write("runs/deep/a.json", &document(&[simulation("8", 0, 1)]));
    assert_eq!(watched.runs(), named(&[("7", 1), ("8", 0)]));
    let late = document(&[simulation("9", 0, 1)]);
    fs::write(watched.path("runs/c.json"), &late[..10]).expect("written");
    assert!(watched.watch.poll().is_none(), "not known as results yet");
    assert_eq!(watched.write("runs/c.json", &late).words.as_deref(), Some("1 new run came in"));
    fs::remove_file(watched.path("runs/b.json")).expect("removed");
    let news = watched.watch.poll().expect("a word");
    let waits_for = news.waits_for.expect("gone");
    assert!(
        waits_for.ends_with("b.json: is gone; the runs that were read of it stay"),
        "{waits_for}"
    );
    assert_eq!(watched.runs(), named(&[("7", 1), ("8", 0), ("9", 0)]));
    assert!(watched.watch.poll().is_none(), "idle");
}

#[test]
fn simulations_beside_an_index_are_seen() {
    let mut watched = Watched::new("results.json");
    let index = document(&[]);
    fs::write(watched.path("results.json"), &index).expect("written");
    assert!(watched.watch.poll().expect("a word").waits_for.is_some());
    watched.write("simulations/1.json", &simulation("7", 0, 1).to_string());
    assert_eq!(watched.runs(), named(&[("7", 0)]));
    while watched.watch.poll().is_some() {}
    watched.write("simulations/2.json", &simulation("8", 0, 1).to_string());
    assert_eq!(watched.runs(), named(&[("7", 0), ("8", 0)]));
}

/// Adds runs to a store, as another program does.
fn add(store: &Path, name: &str, runs: &[Value]) {
    let results = store.with_file_name(name);
    fs::write(&results, document(runs)).expect("written");
    import(&[results], store, &ImportOptions::default(), &|_| {}).expect("imported");
}

fn note(task: &str, text: &str) -> Note {
    Note {
        time: 1,
        author: "bob".to_owned(),
        cell: qualm::model::Cell::new("airline", "gpt-x"),
        task: task.to_owned(),
        draw: None,
        turn: None,
        note: text.to_owned(),
    }
}

#[test]
fn a_store_that_others_write_into_is_read_again() {
    let home = home();
    let path = home.path().join("s.qualm");
    add(&path, "a.json", &[simulation("7", 0, 1)]);
    let mut watch = Watch::of_store(&Store::open(&path).expect("a store"));
    assert!(watch.poll().is_none());
    add(&path, "b.json", &[simulation("8", 0, 1), simulation("9", 0, 1)]);
    assert_eq!(watch.poll().expect("runs").words.as_deref(), Some("2 new runs came in"));
    let store = Store::open(&path).expect("a store");
    store.add_note(&note("8", "odd")).expect("written");
    let news = watch.poll().expect("a note");
    assert!(news.store.is_some());
    assert_eq!(news.words, None, "notes come in without a word");
    assert!(watch.poll().is_none());
    fs::write(path.join("manifest.json"), "{").expect("damaged");
    assert!(watch.poll().expect("a word").waits_for.is_some(), "an error is no end");
}

/// A store that is open is followed without being asked to, but for what its user writes.
#[test]
fn tables_that_others_write_are_seen_without_being_watched() {
    let home = home();
    let path = home.path().join("s.qualm");
    add(&path, "a.json", &[simulation("7", 0, 1)]);
    let store = Store::open(&path).expect("a store");
    let mut watch = Watch::of_tables(&store);
    store.add_note(&note("7", "odd")).expect("written");
    assert!(watch.poll().is_none(), "a note is no reason to read everything again");
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("2");
    add(&path, "b.json", &[simulation("8", 0, 1)]);
    let news = watch.poll().expect("runs");
    // A note that is written while the tables are read keeps them from being taken up.
    store.add_note(&note("7", "even odder")).expect("written");
    drop(news);
    let news = watch.poll().expect("again");
    assert!(news.store.is_some() && news.words.is_none());
    driver.0.renew(news);
    assert!(watch.poll().is_none());
    assert_eq!(driver.shared().current_table().expect("a table").rows.len(), 2);
    assert!(driver.shared().watching.is_none() && !driver.screen().contains(" watching "));
}

#[test]
fn everything_stays_where_it_is_when_runs_come_in() {
    let home = home();
    let path = home.path().join("s.qualm");
    let runs: Vec<Value> = ["5", "7", "9"]
        .iter()
        .flat_map(|task| (0..3).map(move |trial| simulation(task, trial, 6 + trial as usize)))
        .collect();
    add(&path, "a.json", &runs);
    let mut watch = Watch::of_store(&Store::open(&path).expect("a store"));
    let mut driver = Driver::new(&path, 120, 40);
    driver.0.app.watch();
    driver.press("2");
    // Marks the first task, goes to the last, opens it, goes down, and writes.
    let marked = |driver: &Driver| -> Vec<String> {
        let shared = driver.shared();
        let marks = shared.tasks.marks.iter();
        marks.map(|id| shared.task_of(*id).expect("a task").id.clone()).collect()
    };
    driver.press("mm&turns > 1<Enter>");
    driver.press("g<Space>G<Enter>");
    let before = marked(&driver);
    assert_eq!(before.len(), 1);
    driver.press("jjjc");
    driver.press("half a thought");
    let selected = |driver: &Driver| {
        let shared = driver.shared();
        let id = shared.task.expect("a task");
        (shared.task_of(id).expect("there").id.clone(), shared.cell_of(id).cloned())
    };
    let position = |driver: &Driver| {
        let panel = driver.panel();
        (panel.focus, panel.turn, panel.row, panel.specs.clone())
    };
    let screen = driver.screen();
    let (task, before_all, lens) =
        (selected(&driver), position(&driver), driver.shared().lens.clone());
    assert!(screen.contains("half a thought"), "{screen}");
    assert!(screen.contains(" watching "), "{screen}");

    // Tasks come before all others, and the cell is another by its number.
    let mut early: Vec<Value> = (0..3).map(|trial| simulation("1", trial, 2)).collect();
    early.push(simulation("9", 3, 2));
    let results = path.with_file_name("b.json");
    let text = document(&early).replace("\"airline\"", "\"aaa\"");
    fs::write(&results, text).expect("written");
    import(&[results], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    add(&path, "c.json", &early);
    driver.0.renew(watch.poll().expect("news"));

    let screen = driver.screen();
    assert!(screen.contains("half a thought"), "{screen}");
    assert!(screen.contains("8 new runs came in"), "{screen}");
    assert_eq!(selected(&driver), task);
    assert_eq!(position(&driver), before_all);
    assert_eq!(marked(&driver), before);
    let after = &driver.shared().lens;
    assert_eq!((&after.selection, after.metric), (&lens.selection, lens.metric));
    assert_eq!(after.scorer, lens.scorer);
    let Some(Overlay::Note(editor)) = driver.app().overlays.last() else { panic!("no note") };
    let about = editor.about().expect("a task");
    assert_eq!(driver.shared().task_of(about.id).expect("there").id, task.0);
    // The new tasks are there.
    driver.press("<Ctrl-s>");
    let screen = driver.press("2");
    let engine = driver.shared().engine().expect("read");
    assert_eq!(engine.frames().iter().map(|frame| frame.tasks.len()).sum::<usize>(), 6, "{screen}");
}

#[test]
fn notes_of_others_come_in_and_a_known_one_changes_nothing() {
    let home = home();
    let path = home.path().join("s.qualm");
    add(&path, "a.json", &[simulation("7", 0, 2), simulation("8", 0, 2)]);
    let mut watch = Watch::of_store(&Store::open(&path).expect("a store"));
    let mut driver = Driver::new(&path, 120, 40);
    driver.0.app.watch();
    driver.press("2cmine<Ctrl-s>");
    let version = driver.shared().data.version;
    driver.0.renew(watch.poll().expect("a note"));
    assert_eq!(driver.shared().data.version, version, "nothing is new");
    Store::open(&path).expect("a store").add_note(&note("8", "theirs")).expect("written");
    driver.0.renew(watch.poll().expect("a note"));
    assert!(driver.shared().data.version > version);
    let notes: Vec<&str> =
        driver.shared().notes.all().values().flatten().map(|note| note.note.as_str()).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
}

#[test]
fn runs_that_come_into_an_empty_store_are_shown_as_if_they_had_been_there() {
    let mut watched = Watched::new("results.json");
    let mut driver = Driver::new(&watched.path("cache.qualm"), 80, 24);
    driver.0.app.watch();
    driver.0.renew(watched.watch.poll().expect("a word"));
    let screen = driver.screen();
    assert!(screen.contains(" waiting ") && screen.contains("waiting for runs"), "{screen}");
    assert!(screen.contains("No run is there yet"), "{screen}");
    for key in ["0", "1", "2", "3", "4", "6", "7"] {
        driver.press(key);
    }
    let runs = [simulation("7", 0, 2), simulation("7", 1, 3)];
    driver.0.renew(watched.write("results.json", &document(&runs)));
    let screen = driver.press("2");
    assert!(screen.contains("airline") && !screen.contains(" waiting "), "{screen}");
    assert_eq!(driver.shared().cells.len(), 1);
    assert!(driver.press("<Enter>").contains("Step 0."));
}

/// The program on a terminal, with separate folders.
fn on_terminal(home: &Path, command: &str) -> Session {
    let mut shell = CommandBuilder::new("sh");
    shell.args(["-c", command]);
    for name in ["CACHE", "STATE", "CONFIG", "DATA"] {
        shell.env(format!("XDG_{name}_HOME"), home.join(name.to_lowercase()));
    }
    shell.env("QUALM", env!("CARGO_BIN_EXE_qualm"));
    shell.cwd(home);
    Session::start(shell)
}

#[test]
fn a_run_in_progress_is_followed_in_a_terminal() {
    let home = home();
    let mut session = on_terminal(home.path(), "exec \"$QUALM\" results.json --watch=0.1");
    session.wait_for("waiting for runs");
    let whole = document(&[simulation("7", 0, 2), simulation("8", 0, 2)]);
    let results = home.path().join("results.json");
    fs::write(&results, &whole[..whole.len() - 40]).expect("written");
    session.wait_for("1 new run came in");
    fs::write(&results, &whole).expect("written");
    session.wait_until("complete", |session| session.shows(" watching "));
    session.send("2");
    session.wait_for("2 tasks");
    // The way out is not blocked by the looking.
    session.send("q");
    assert_eq!(session.end().0, 0);
}

#[test]
fn piped_results_open_in_the_explorer() {
    let home = home();
    fs::write(home.path().join("r.json"), document(&[simulation("7", 0, 2)])).expect("written");
    let mut session = on_terminal(home.path(), "cat r.json | \"$QUALM\" - --screen tasks");
    session.wait_for("standard input");
    session.wait_for("1 task");
    session.send("q");
    assert_eq!(session.end().0, 0);
    let mut session = on_terminal(home.path(), "\"$QUALM\" - ; echo code $?");
    session.wait_for("standard input: is a terminal");
    session.wait_for("code 1");
    assert_eq!(session.end().0, 0);
}
