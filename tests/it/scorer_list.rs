//! The list of scorers in the explorer, and a scoring that is started from it.

use std::path::{Path, PathBuf};

use qualm::model::{Cell, Head, Message, Role, Trajectory};
use qualm::models::{Price, Prices};
use qualm::scorers::SPECS;
use qualm::store::{Extras, Manifest, Store, StoreWriter};
use qualm::ui::overlays::Overlay;
use qualm::ui::scoring::{ScoreProgress, ScoringEnd, ScoringNews};
use qualm::ui::theme::Theme;
use qualm::ui::{Config, View};
use serde_json::json;

use crate::chat_server::{Behaviour, ChatServer};
use crate::explorer::{Driver, demo};
use crate::support::{Draw, home, made};
use crate::terminal::{Session, qualm};

/// Three tasks without samples and log-probabilities.
fn store(home: &Path) -> PathBuf {
    let run =
        |last| vec![Draw { success: Some(true), db_match: None, actions: vec!["look", last] }];
    made(home, &["book", "cancel", "wait"].map(run), Vec::new())
}

/// The keys that open the list and go to a scorer.
fn keys_to(scorer: &str) -> String {
    let index = SPECS.iter().position(|spec| spec.id == scorer).expect("a scorer");
    format!("${}", "j".repeat(index))
}

fn footer(driver: &mut Driver) -> String {
    driver.screen().lines().last().expect("a footer").trim().to_owned()
}

#[test]
fn every_scorer_is_listed_with_what_it_takes() {
    let home = home();
    let path = store(home.path());
    let mut driver = Driver::new(&path, 120, 60);
    let screen = driver.press(&keys_to("vc"));
    for spec in &SPECS {
        assert!(screen.contains(spec.label), "{}\n{screen}", spec.id);
    }
    let row = screen.lines().find(|line| line.contains("▸ VC")).expect("the selected row");
    let row: Vec<&str> = row.split_whitespace().collect();
    // A call for every task; the settings have no price.
    assert_eq!(row[2..7], ["VC", "0", "of", "3", "3"], "{row:?}");
    assert!(row.contains(&"?") && row.join(" ").contains("the agent's model"), "{row:?}");
    assert!(screen.contains("3 calls, about"), "{screen}");
    driver.press("y");
    let command = driver.0.copied.clone().expect("copied");
    assert_eq!(command, format!("qualm score {} --self-model NAME --scorers vc", path.display()));
    // What no command computes says so, and what is complete needs none.
    driver.0.copied = None;
    let screen = driver.press(&format!("<Esc>{}", keys_to("lnsp")));
    assert!(screen.contains("No command computes what the results lack."), "{screen}");
    driver.press("y");
    assert_eq!(driver.0.copied, None);
    driver.press("<Enter>");
    assert!(matches!(driver.app().overlays[..], [Overlay::Scorers(_)]), "nothing to start");
    for close in ["<Esc>", "q", "$"] {
        driver.press(close);
        assert!(driver.app().overlays.is_empty() && !driver.app().done, "{close}");
        driver.press("$");
    }
}

#[test]
fn prices_make_a_cost() {
    let home = home();
    let path = store(home.path());
    // A judge that gave a verdict is known by its name, and so is its price.
    let prices = Prices([("owl".to_owned(), Price { input: 1000.0, output: 0.0 })].into());
    let config = Config { prices, ..Config::default() };
    let server =
        ChatServer::start(|_, _| Behaviour::says(r#"{"guess": "Yes", "probability": 0.5}"#));
    let url = server.url();
    let args = [
        "score",
        "made.qualm",
        "--base-url",
        &url,
        "--self-model",
        "owl",
        "--scorers",
        "vc",
        "--limit",
        "1",
    ];
    let out = crate::support::run(home.path(), &args);
    assert!(out.status.success(), "{}", crate::support::text(&out.stderr));
    let store = Store::open(&path).expect("a store");
    let mut driver = Driver::configured(store, View::default(), &config, &Theme::plain(), (80, 24));
    let screen = driver.press(&keys_to("vc"));
    assert!(screen.contains("1 of 3") && screen.contains("2 calls, about"), "{screen}");
    let row = screen.lines().find(|line| line.contains("▸ VC")).expect("the selected row");
    let cost = row.split_whitespace().rev().find_map(|word| word.parse::<f64>().ok());
    assert!(cost.is_some_and(|cost| cost > 0.1), "{row}");
    assert!(screen.contains("--self-model owl --scorers vc"), "the model is known\n{screen}");
}

/// The rows of `qualm scorers` by scorer.
fn listed(home: &Path, store: &str) -> std::collections::HashMap<String, serde_json::Value> {
    let out = crate::support::run(home, &["scorers", store, "--format", "json"]);
    assert!(out.status.success(), "{}", crate::support::text(&out.stderr));
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&out.stdout).expect("JSON");
    let id = |row: &serde_json::Value| row["scorer"].as_str().expect("an id").to_owned();
    rows.into_iter().map(|row| (id(&row), row)).collect()
}

#[test]
fn a_command_names_every_model_and_only_what_can_be_computed() {
    let home = home();
    store(home.path());
    // No task has another run, so no judge has a pair.
    let rows = listed(home.path(), "made.qualm");
    for scorer in ["ter", "ncp"] {
        assert_eq!(rows[scorer]["command"], json!(null), "{scorer}");
    }
    assert_eq!(rows["vc"]["cost"], json!(null), "no price is known");
    let mut writer = StoreWriter::create(&home.path().join("two.qualm")).expect("free");
    for (model, task) in [("owl", "1"), ("a b", "1"), ("owl", "2")] {
        let head = Head::new(Cell::new("d", model), task);
        let messages = [(Role::User, "hello"), (Role::Assistant, "done")];
        let messages = messages.map(|(role, words)| Message::text(role, words)).to_vec();
        writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
    }
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    let settings = home.path().join("config/qualm/config.toml");
    std::fs::create_dir_all(settings.parent().expect("a folder")).expect("made");
    // The agents' models have prices of their own, so that the cost is known before anybody is asked.
    let prices = "[prices]\nowl = { input = 1000.0, output = 0.0 }\n\"a b\" = { input = 0.0, output = 0.0 }\n";
    std::fs::write(&settings, prices).expect("written");
    let rows = listed(home.path(), "two.qualm");
    let command =
        "qualm score two.qualm --self-model 'a b=NAME' --self-model owl=NAME --scorers vc";
    assert_eq!(rows["vc"]["command"], command);
    let (tokens, cost) = (&rows["vc"]["tokens"], &rows["vc"]["cost"]);
    // Two of the three questions have a price, of 1000 per million tokens sent.
    let (tokens, cost) = (tokens.as_f64().expect("tokens"), cost.as_f64().expect("a cost"));
    assert!(cost > 0.0 && cost < tokens * 2.0 / 3.0 / 1000.0, "{tokens} {cost}");
}

#[test]
fn the_list_fits_small_and_large_terminals() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut driver = Driver::new(demo(), width, height);
        let screen = driver.press("$");
        let body: Vec<&str> = screen.lines().skip(2).collect();
        insta::assert_snapshot!(format!("scorer-list-{width}x{height}"), body.join("\n"));
    }
    let empty = home();
    let path = empty.path().join("empty.qualm");
    qualm::watch::empty_store(&path).expect("written");
    let screen = Driver::new(&path, 80, 24).press("$");
    assert!(screen.contains("The store has no task."), "{screen}");
}

#[test]
fn a_scoring_is_started_watched_and_ended() {
    let home = home();
    let path = store(home.path());
    let mut driver = Driver::new(&path, 100, 30);
    driver.press("K");
    assert!(footer(&mut driver).contains("no scoring was started here"));
    let screen = driver.press(&format!("{}<Enter>", keys_to("vc")));
    assert!(screen.contains("--self-model  --scorers vc"), "{screen}");
    let screen = driver.press("<Enter>");
    assert!(screen.contains("type the model's name after --self-model"), "{screen}");
    assert_eq!(driver.0.started, None);
    driver.press("'big owl'@http://127.0.0.1:9/v1<Enter>");
    let started = driver.0.started.clone().expect("started");
    let store = path.display().to_string();
    let expected = [
        "score",
        &store,
        "--self-model",
        "big owl@http://127.0.0.1:9/v1",
        "--scorers",
        "vc",
        "--progress",
        "json",
    ];
    assert_eq!(started, expected);
    assert!(driver.app().overlays.is_empty());
    assert!(footer(&mut driver).starts_with("scoring vc …"), "{}", driver.screen());
    let progress = ScoreProgress {
        total: 300,
        done: 120,
        asked: 120,
        failed: 2,
        cost: Some(0.12),
        last_failure: Some("HTTP 500\u{1b}[2J".to_owned()),
        ..ScoreProgress::default()
    };
    driver.0.scored(ScoringNews::Progress(progress));
    let said = "scoring vc: 120 of 300 · 2 failed · cost 0.12 · K ends it";
    assert!(footer(&mut driver).starts_with(said), "{}", driver.screen());
    assert!(footer(&mut driver).contains("? help"), "the way to the keys stays");
    // One at a time, and leaving is asked about once.
    driver.press(&format!("{}<Enter>", keys_to("ptrue")));
    assert!(footer(&mut driver).contains("one scoring runs at a time"), "{}", driver.screen());
    driver.press("<Esc>q");
    assert!(!driver.app().done && footer(&mut driver).contains("quitting ends the scoring"));
    driver.press("K");
    assert_eq!(driver.0.started, None, "it was asked to end");
    driver.press("2");
    assert!(footer(&mut driver).contains("ending"), "{}", driver.screen());
    let end = ScoringEnd { code: Some(130), sentence: None };
    driver.0.scored(ScoringNews::Ended(end));
    let said = footer(&mut driver);
    assert!(said.starts_with("scoring vc was ended: 120 questions asked"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    assert!(driver.shared().scoring.is_none());
    driver.press("q");
    assert!(driver.app().done);
}

#[test]
fn results_that_are_opened_directly_need_a_store_first() {
    let home = home();
    let store = Store::open(&store(home.path())).expect("a store");
    let store = store.with_log(home.path().join("annotations.jsonl"));
    let size = (120, 40);
    let config = Config::default();
    let mut driver = Driver::configured(store, View::default(), &config, &Theme::plain(), size);
    let screen = driver.press(&format!("{}<Enter>", keys_to("vc")));
    assert!(screen.contains("`qualm import` makes one of results"), "{screen}");
    assert!(screen.contains("qualm score STORE --self-model"), "{screen}");
    assert!(matches!(driver.app().overlays[..], [Overlay::Scorers(_)]), "nothing is asked");
}

/// The explorer starts itself as the process that asks, and shows the values that it wrote.
#[test]
fn values_of_a_started_scoring_appear_without_a_restart() {
    let home = home();
    store(home.path());
    let server =
        ChatServer::start(|_, _| Behaviour::says(r#"{"guess": "Yes", "probability": 0.5}"#));
    let mut session = Session::start(qualm(home.path(), &["made.qualm"]));
    session.wait_for("3 tasks");
    session.send(&keys_to("vc"));
    session.wait_for("▸ VC");
    session.wait_for("0 of 3");
    session.send("\r");
    session.wait_for("--self-model  --scorers vc");
    session.send(&format!("owl@{}\r", server.url()));
    session.wait_for("scoring vc is done: 3 questions asked");
    assert_eq!(server.count(), 3);
    session.send(&keys_to("vc"));
    session.wait_for("▸ VC");
    session.wait_for("Every task has a value.");
    session.send("q");
    session.wait_until("closed", |session| !session.shows("Esc close"));
    session.send("q");
    assert_eq!(session.end().0, 0);
}

#[test]
fn a_scoring_that_cannot_work_says_why() {
    let home = home();
    store(home.path());
    let error = json!({ "error": { "message": "no such model" } });
    let server = ChatServer::start(move |_, _| Behaviour::json(404, &error));
    let mut session = Session::start(qualm(home.path(), &["made.qualm"]));
    session.wait_for("3 tasks");
    session.send(&keys_to("vc"));
    session.wait_for("0 of 3");
    session.send("\r");
    session.wait_for("--self-model  --scorers vc");
    session.send(&format!("owl@{}\r", server.url()));
    session.wait_for("scoring vc failed: ");
    session.send("q");
    assert_eq!(session.end().0, 0);
}
