//! Stores at an address: the same numbers as on this disk, few bytes, and every fault of a server.

use std::fs;
use std::path::Path;
use std::time::Duration;

use qualm::engine::Engine;
use qualm::metrics::Metric;
use qualm::remote::Settings;
use qualm::scorers::Scorer;
use qualm::store::{Note, Store};

use crate::object_server::{Asked, Fault, ObjectServer};
use crate::support::{demo_at, home, qualm, run, text};

/// Settings that wait for nothing.
fn settings(home: &Path) -> Settings {
    let mut settings = Settings::new(home.join("addresses"));
    settings.first_pause = Duration::from_millis(1);
    settings
}

/// A folder with a demo store.
fn stored() -> tempfile::TempDir {
    let home = home();
    demo_at(&home.path().join("demo.qualm"), 12);
    home
}

fn open(server: &ObjectServer, home: &Path) -> Store {
    Store::open_at(&server.url("demo.qualm"), &settings(home)).expect("a store")
}

fn why<T: std::fmt::Debug>(result: Result<T, impl std::fmt::Display>) -> String {
    result.map_err(|error| error.to_string()).expect_err("refused")
}

/// The numbers of some scorers in all cells.
fn numbers(store: &Store) -> Vec<Option<f64>> {
    let engine = Engine::load(store, None).expect("loaded");
    let scorers = ["lnsp.min", "fac", "ter", "turns"].map(Scorer::parse);
    engine.grid_of(&scorers, Metric::Auroc, None).into_iter().map(|number| number.value).collect()
}

/// All that a store says of its first and last run.
fn runs(store: &Store) -> String {
    let entries = store.entries().expect("entries");
    let ends = [&entries[0], &entries[entries.len() - 1]];
    format!("{:?}", ends.map(|entry| store.trajectory(entry).expect("a run")))
}

fn assert_same(found: &Store, home: &Path) {
    let local = Store::open(&home.join("demo.qualm")).expect("a store");
    assert_eq!(found.manifest(), local.manifest());
    assert_eq!(numbers(found), numbers(&local));
    assert!(numbers(found).iter().any(Option::is_some));
    assert_eq!(runs(found), runs(&local));
}

fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.metadata().expect("there").len()).sum()
}

#[test]
fn a_store_at_an_address_is_the_store_on_this_disk() {
    let home = stored();
    let server = ObjectServer::start(home.path());
    let store = open(&server, home.path());
    assert_eq!(store.name(), "demo");
    assert_eq!(server.asked().len(), 1, "opening reads the manifest only");
    assert_same(&store, home.path());
    assert!(server.asked().iter().all(|asked| asked.path.contains("demo.qualm/")));
}

#[test]
fn one_run_needs_a_small_part_and_a_second_look_hardly_anything() {
    let home = stored();
    let server = ObjectServer::start(home.path());
    let all = size(&home.path().join("demo.qualm"));
    let first = runs(&open(&server, home.path()));
    let sent = server.sent();
    assert!(sent < all, "{sent} of {all} bytes");

    assert_eq!(runs(&open(&server, home.path())), first);
    let more = server.sent() - sent;
    assert!(more < sent, "{more} bytes again after {sent}");
}

#[test]
fn a_busy_server_that_drops_connections_gives_everything_in_the_end() {
    let home = stored();
    let faults = |_: &Asked, number: usize| match number % 5 {
        0 => Fault::Status(503, "<Error><Code>SlowDown</Code></Error>"),
        1 => Fault::CutAfter(40_000),
        2 => Fault::InDrops,
        3 => Fault::Status(429, ""),
        _ => Fault::None,
    };
    let server = ObjectServer::with_faults(home.path(), faults);
    assert_same(&open(&server, home.path()), home.path());
}

#[test]
fn a_server_that_knows_no_parts_will_do() {
    let home = stored();
    let server = ObjectServer::with_faults(home.path(), |_, _| Fault::Whole);
    assert_same(&open(&server, home.path()), home.path());
}

#[test]
fn what_a_server_refuses_is_said_in_a_sentence() {
    let home = stored();
    let refused = |status, body| {
        let server =
            ObjectServer::with_faults(home.path(), move |_, _| Fault::Status(status, body));
        let url = server.url("demo.qualm");
        (why(Store::open_at(&url, &settings(home.path()))), format!("{url}/manifest.json"))
    };
    let denied = "<Error><Code>AccessDenied</Code><Message>No</Message></Error>";
    let (said, object) = refused(403, denied);
    let expected =
        format!("{object}: access is denied (403 AccessDenied: No); ask its owner for access");
    assert_eq!(said, expected);
    let (said, object) = refused(404, "");
    assert_eq!(said, format!("{object}: there is no such object; check the address"));
    let (said, object) = refused(503, "");
    let remedy = "check the address and the network, and try again";
    assert_eq!(said, format!("{object}: cannot be read (503); {remedy}"));
    let (said, _) = refused(200, "{}");
    assert!(said.contains("is not a manifest"), "{said}");
}

#[test]
fn nobody_answers_at_the_address() {
    let home = home();
    let url = {
        let server = ObjectServer::start(home.path());
        server.url("demo.qualm")
    };
    let said = why(Store::open_at(&url, &settings(home.path())));
    assert!(said.contains("cannot be read") && said.contains("check the address"), "{said}");
}

#[test]
fn a_table_that_is_replaced_while_it_is_open_is_noticed() {
    let home = stored();
    let server = ObjectServer::start(home.path());
    // Nothing is kept, so that everything is asked for.
    let none = Settings { limit: 0, ..settings(home.path()) };
    let store = Store::open_at(&server.url("demo.qualm"), &none).expect("a store");
    let entries = store.entries().expect("entries");
    store.trajectory(&entries[0]).expect("a run");
    // Another store of the same tasks, with tables of other bytes.
    let demo = home.path().join("demo.qualm");
    for table in ["messages", "tokens"] {
        let path = demo.join(table).with_extension("parquet");
        let mut bytes = fs::read(&path).expect("a table");
        bytes[100] ^= 1;
        fs::write(&path, bytes).expect("written");
    }
    let last = &entries[entries.len() - 1];
    let said = why(store.trajectory(last));
    assert!(said.contains("was replaced while it was open; open the store again"), "{said}");
    // A table that was not read before, beside a manifest that is another.
    let manifest = demo.join("manifest.json");
    fs::write(&manifest, fs::read_to_string(&manifest).expect("there") + " ").expect("written");
    let said = why(store.judgments());
    assert!(said.contains("was replaced while it was open"), "{said}");
}

#[test]
fn tables_of_a_change_that_was_not_completed_are_found() {
    let home = stored();
    let demo = home.path().join("demo.qualm");
    let expected = runs(&Store::open(&demo).expect("a store"));
    let manifest = fs::read_to_string(demo.join("manifest.json")).expect("there");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    let newer = demo.join(manifest["handover"]["folder"].as_str().expect("a change"));
    fs::create_dir(&newer).expect("free");
    fs::rename(demo.join("messages.parquet"), newer.join("messages.parquet")).expect("moved");
    // An older table of that name is still there.
    fs::rename(demo.join("turns.parquet"), newer.join("turns.parquet")).expect("moved");
    fs::write(demo.join("turns.parquet"), "older").expect("written");
    let server = ObjectServer::start(home.path());
    assert_eq!(runs(&open(&server, home.path())), expected);
}

#[test]
fn damage_in_the_cache_is_repaired() {
    let home = stored();
    let server = ObjectServer::start(home.path());
    let whole = runs(&open(&server, home.path()));
    for entry in fs::read_dir(home.path().join("addresses")).expect("a cache").flatten() {
        if entry.path().extension().is_some_and(|ending| ending == "data") {
            let length = entry.metadata().expect("there").len();
            fs::write(entry.path(), vec![7; length as usize]).expect("written");
        }
    }
    assert_eq!(runs(&open(&server, home.path())), whole);
}

#[test]
fn a_full_cache_keeps_nothing_and_hinders_nothing() {
    let home = stored();
    let server = ObjectServer::start(home.path());
    let none = Settings { limit: 0, ..settings(home.path()) };
    let store = Store::open_at(&server.url("demo.qualm"), &none).expect("a store");
    assert_same(&store, home.path());
    let blocks = fs::read_dir(home.path().join("addresses")).expect("a cache").flatten();
    let blocks = blocks.filter(|entry| entry.path().extension().is_some_and(|end| end == "blocks"));
    assert_eq!(blocks.map(|entry| entry.metadata().expect("there").len()).sum::<u64>(), 0);
}

#[test]
fn what_was_used_longest_ago_leaves_a_full_cache() {
    let home = stored();
    let other = home.path().join("other");
    fs::create_dir(&other).expect("free");
    demo_at(&other.join("demo.qualm"), 13);
    let server = ObjectServer::start(home.path());
    let limit = 2 << 20;
    let small = Settings { limit, ..settings(home.path()) };
    for name in ["demo.qualm", "other/demo.qualm", "demo.qualm"] {
        numbers(&Store::open_at(&server.url(name), &small).expect("a store"));
        let blocks = fs::read_dir(home.path().join("addresses")).expect("a cache").flatten();
        let blocks =
            blocks.filter(|entry| entry.path().extension().is_some_and(|end| end == "blocks"));
        let kept: u64 = blocks.map(|entry| entry.metadata().expect("there").len() / 12).sum();
        assert!(kept << 17 <= limit, "{kept} blocks after {name}");
    }
}

#[test]
fn notes_go_to_a_file_of_the_users_or_nowhere() {
    let home = stored();
    let path = home.path().join("demo.qualm");
    let local = Store::open(&path).expect("a store");
    let entry = local.entries().expect("entries").swap_remove(0);
    let (cell, task) = (&entry.head.cell, &entry.head.task);
    let here = |text: &str| Note {
        time: 1,
        author: "ada".to_owned(),
        cell: cell.clone(),
        task: task.clone(),
        draw: None,
        turn: None,
        note: text.to_owned(),
    };
    local.add_note(&here("of the lab")).expect("added");

    let server = ObjectServer::start(home.path());
    let store = open(&server, home.path());
    let said = why(store.add_note(&here("mine")));
    assert!(
        said.contains("a store at an address is only read") && said.contains("--annotations"),
        "{said}"
    );

    let mine = home.path().join("mine.jsonl");
    let store = store.with_annotations(mine.clone());
    store.add_note(&here("mine")).expect("added");
    let notes = |store: &Store| -> Vec<String> {
        let all = store.annotations().expect("annotations").notes;
        all.into_iter().map(|note| note.note).collect()
    };
    assert_eq!(notes(&store), ["of the lab", "mine"]);
    store.withdraw_note(&here("of the lab"), 2).expect("withdrawn");
    assert_eq!(notes(&store), ["mine"]);
    assert_eq!(notes(&local), ["of the lab"], "the store itself stays as it was");
    assert_eq!(fs::read_to_string(mine).expect("a file").lines().count(), 2);
}

#[test]
fn commands_read_an_address_and_never_write_to_one() {
    let home = stored();
    let server = ObjectServer::start(home.path());
    let url = server.url("demo.qualm");
    let report = |store: &str| {
        let args = ["report", store, "--table", "grid", "--scorer", "ter", "--format", "csv"];
        let output = run(home.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(report(&url), report("demo.qualm"));
    assert!(text(&run(home.path(), &["check", &url]).stdout).contains("no problem found"));
    for args in [&["score", &url][..], &["import", "x.json", "-o", &url], &["demo", "-o", &url]] {
        let output = run(home.path(), args);
        let said = text(&output.stderr);
        assert!(!output.status.success() && said.contains("is only read"), "{args:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    assert!(!home.path().join("http:").exists());
    let limited =
        qualm(home.path()).args(["report", &url]).env("QUALM_CACHE_LIMIT", "much").output();
    let said = text(&limited.expect("the program starts").stderr);
    assert!(said.contains("is not a size"), "{said}");
}
