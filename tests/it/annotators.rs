//! People who vote and mark: blind lists, what a vote changed, random audit, adjudication, and turns
//! marked as decisive errors.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use qualm::engine::{
    Against, Engine, JudgeSpec, MarkedRun, PairId, PairOrder, TriageOptions, VoteSubject, locate,
    vote_effects,
};
use qualm::metrics::Metric;
use qualm::metrics::bootstrap::Resampling;
use qualm::model::{Cell, TurnScores};
use qualm::scorers::whitebox::Base;
use qualm::store::{Cause, ChosenBy, Ruling, StepLabel, Store, Vote};
use qualm::ui::shared::RunKey;
use qualm::ui::theme::Theme;
use qualm::ui::{Config, Screen, View};

use crate::explorer::{Driver, demo, made as demo_store};
use crate::support::{Draw, add_vote, assert_whole, home, made, rows, run, text, verdict, vote};

fn load(path: &Path) -> Engine {
    Engine::load(&Store::open(path).expect("a store"), None).expect("loaded")
}

fn votes(path: &Path) -> Vec<Vote> {
    Store::open(path).expect("a store").votes().expect("votes")
}

/// A vote on a pair of the demo by somebody else.
fn vote_on(engine: &Engine, pair: PairId, author: &str, verdict: Ruling) -> Vote {
    let frame = &engine.frames()[pair.id.cell as usize];
    Vote {
        cell: frame.cell.clone(),
        task: frame.tasks[pair.id.task as usize].id.clone(),
        ..vote(author, 0, pair.draw, verdict)
    }
}

fn of_order(order: PairOrder) -> TriageOptions {
    TriageOptions { order, ..TriageOptions::default() }
}

fn pairs(engine: &Engine, order: PairOrder) -> Vec<PairId> {
    engine.triage(&of_order(order)).items.iter().map(|item| item.pair).collect()
}

/// Words that tell how a run ended, or what judges, people and the database say of a pair.
const TELLING: [&str; 14] = [
    "✓✓",
    "✓✗",
    "✗✓",
    "✗✗",
    " ✓ ",
    " ✗ ",
    "reward",
    "gold state",
    "against the database",
    "judges disagree",
    "is unsure",
    "≡ equivalent",
    "≢ different",
    "people disagree",
];

/// Everything that is seen from opening the list to the vote, in every order and under TER, tells
/// nothing of the pairs that are not voted on.
#[test]
fn nothing_before_the_vote_tells_what_others_say() {
    let (_home, path) = demo_store(4);
    let engine = load(&path);
    for pair in pairs(&engine, PairOrder::Queue).into_iter().take(3) {
        for (author, ruling) in [("bob", Ruling::Equivalent), ("eve", Ruling::Different)] {
            add_vote(&path, &vote_on(&engine, pair, author, ruling)).expect("added");
        }
    }
    for size in [(80, 24), (120, 40), (200, 50)] {
        let mut driver = Driver::new(&path, size.0, size.1);
        // TER is the scorer, so that every screen would show it.
        driver.press("ster<Enter>7");
        for _ in 0..3 {
            assert!(driver.screen().contains("not voted on"), "{}", driver.screen());
            let list = driver.screen();
            let list = &list[list.rfind("──").unwrap_or(0)..];
            assert_blind(list, &driver);
            driver.press("<Enter>");
            assert_eq!(driver.app().screen, Screen::Triage);
            for _ in 0..2 {
                walk_blind(&mut driver);
                driver.press("L");
            }
            // The message names the list; the next key clears it.
            driver.press("<Esc>rjk");
        }
    }
}

/// Looks at a pair in all ways that the keys offer.
fn walk_blind(driver: &mut Driver) {
    let mut frames = vec![driver.screen()];
    for keys in ["G", "Z", "Z", "<Enter>", "<Esc>", "I", "<Esc>", "]", "d", "<Tab>", "t", "t"] {
        frames.push(driver.press(keys));
    }
    driver.press("ttg");
    // The table of tasks, opened while the pair waits for its vote.
    frames.push(driver.press("2"));
    assert!(driver.screen().contains("hidden"), "{}", driver.screen());
    frames.push(driver.press("<Esc>"));
    assert_eq!(driver.app().screen, Screen::Triage);
    let pair = driver.app().screens.triage.pair.expect("a pair");
    assert_eq!(driver.shared().vote_on(pair), None, "still blind");
    frames.iter().for_each(|frame| assert_blind(frame, driver));
}

fn assert_blind(frame: &str, driver: &Driver) {
    for word in TELLING {
        assert!(!frame.contains(word), "{word:?} in\n{frame}");
    }
    // No value of TER: the scorer's name may stand in the top line, a number after it may not.
    let engine = driver.shared().engine().expect("loaded");
    let judges = engine.judges().iter();
    for words in judges.map(|judge| format!("{judge}: ")).chain(["TER 0".into(), "TER 1".into()]) {
        assert!(!frame.contains(&words), "{words:?} in\n{frame}");
    }
}

/// Lists of the pairs behind a number hold back outcomes, and their pairs open to be voted on.
#[test]
fn listed_pairs_are_voted_on_directly() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 120, 40);
    let list = driver.press("7<Tab><Tab><Enter>");
    let entries: Vec<&str> = list.lines().filter(|line| line.contains("not voted on")).collect();
    assert!(!entries.is_empty(), "{list}");
    for word in ["✓✓", "✓✗", "✗✓", "✗✗"] {
        assert!(!list.contains(word), "{list}");
    }
    let screen = driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Triage);
    assert!(screen.contains("chosen directly"), "{screen}");
    driver.press("=");
    assert_eq!(votes(&path)[0].chosen_by, Some(ChosenBy::Direct));
    driver.press("<Esc>");
    assert!(!driver.app().overlays.is_empty(), "the list is there again");
}

/// One line says what the vote changed: the change of TER where its level would tell of other pairs.
#[test]
fn a_vote_shows_what_it_changed() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 200, 50);
    driver.press("7<Enter>");
    let item = driver.app().screens.triage.item(driver.shared()).expect("a pair").clone();
    let judge = load(&path).judges()[item.opinions[0].judge].clone();
    let screen = driver.press(if item.opinions[0].equivalent { "!" } else { "=" });
    let line =
        screen.lines().find(|line| line.contains("effect of the vote")).expect("a line").to_owned();
    let effects = driver.app().screens.triage.effects(driver.shared()).to_vec();
    assert_eq!(effects.len(), 2);
    assert_eq!(effects[0].judge, JudgeSpec::HumanElse(judge.clone()));
    assert_eq!(effects[1].judge, JudgeSpec::parse("human"));
    // The numbers are those of the engine with and without the vote.
    let after = load(&path);
    let before = after.with_votes(&[]);
    let frame = &after.frames()[item.pair.id.cell as usize];
    let subject = VoteSubject {
        cell: &frame.cell,
        task: &frame.tasks[item.pair.id.task as usize].id,
        draw: 0,
        author: "ada",
        metric: Metric::Auroc,
    };
    assert_eq!(effects, vote_effects(&before, &after, subject));
    for (engine, index) in [(&before, 0), (&after, 1)] {
        let ters = engine.with_judge(&effects[0].judge).judge_ter(Metric::Auroc, None);
        let ter = ters.iter().find(|ter| {
            ter.cell == item.pair.id.cell as usize && ter.judge == JudgeSpec::Judge(judge.clone())
        });
        let composite = ters
            .iter()
            .find(|ter| ter.cell == item.pair.id.cell as usize && ter.judge == effects[0].judge);
        assert_eq!(composite.or(ter).expect("a row").value, effects[0].value[index], "{index}");
    }
    let samples = frame.tasks[item.pair.id.task as usize].samples.len() as f64;
    let change = effects[0].ter[1].expect("a value") - effects[0].ter[0].expect("a value");
    assert!((change.abs() - 1.0 / samples).abs() < 1e-9, "{change}");
    assert!(effects[0].counts_open_pairs && !effects[1].counts_open_pairs, "{effects:?}");
    let sign = format!("{change:+.2}").replacen("0.", ".", 1);
    assert!(
        line.contains(&format!("human, else {judge}: TER of the task {sign}, AUROC")),
        "{line}"
    );
    let mine = if change > 0.0 { "1.00" } else { ".00" };
    assert!(line.contains(&format!("human: TER of the task n/a → {mine}, AUROC")), "{line}");
    // Another pair says nothing of it.
    assert!(!driver.press("L").contains("effect of the vote"), "{}", driver.screen());
}

/// Narrow screens have a line a judge, low ones one line in few words; none is wrapped.
#[test]
fn the_effect_of_a_vote_fits_small_screens() {
    for size in [(80, 24), (80, 15)] {
        let (_home, path) = demo_store(4);
        let mut driver = Driver::new(&path, size.0, size.1);
        let screen = driver.press("7<Enter>=");
        let of_effect = |line: &&str| line.contains("AUROC ") && line.contains(" → ");
        let lines: Vec<&str> = screen.lines().filter(of_effect).collect();
        assert_eq!(lines.len(), if size.1 == 15 { 1 } else { 2 }, "{screen}");
        assert!(
            lines[0].contains(" effect  human, else gemini-flash-lite (synthetic): TER"),
            "{screen}"
        );
        assert!(lines.iter().all(|line| line.contains(": TER")), "{screen}");
        for row in ["only reference", "only sample"] {
            assert!(screen.contains(row), "{row}: {screen}");
        }
    }
}

/// The way back through the pairs says where one is, also round the end.
#[test]
fn a_step_back_says_which_pair_it_is() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("7<Enter>");
    let all = driver.app().screens.triage.queue(driver.shared()).expect("a queue").items.len();
    let screen = driver.press("H");
    assert!(screen.contains(&format!("pair {all} of {all} (wrapped round)")), "{screen}");
    let screen = driver.press("H");
    assert!(screen.contains(&format!(" pair {} of {all}\n", all - 1)), "{screen}");
    let screen = driver.press("LL");
    assert!(screen.contains(&format!("pair 1 of {all} (wrapped round)")), "{screen}");
    assert!(!driver.press("L").contains(" pair 2 of"), "{}", driver.screen());
}

#[test]
fn the_random_order_holds_all_pairs_and_stays() {
    let engine = load(demo());
    let all = pairs(&engine, PairOrder::Audit);
    let expected: usize = engine
        .frames()
        .iter()
        .flat_map(|frame| frame.tasks.iter())
        .filter(|task| task.has_reference)
        .map(|task| task.samples.len())
        .sum();
    assert_eq!(all.len(), expected);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), expected, "each once");
    assert_eq!(pairs(&load(demo()), PairOrder::Audit), all, "reproducible");
    let cast = vote_on(&engine, all[5], "ada", Ruling::Equivalent);
    assert_eq!(pairs(&engine.with_votes(&[cast]), PairOrder::Audit), all, "stable under votes");
    // A filter leaves the order of the rest as it is.
    let kept: Vec<Vec<u32>> = engine.frames().iter().map(|_| vec![0, 2]).collect();
    let few: Vec<PairId> = pairs(&engine.filtered(&kept), PairOrder::Audit)
        .into_iter()
        .map(|mut pair| {
            pair.id.task = kept[pair.id.cell as usize][pair.id.task as usize];
            pair
        })
        .collect();
    let rest: Vec<PairId> =
        all.iter().copied().filter(|pair| [0, 2].contains(&pair.id.task)).collect();
    assert_eq!(few, rest);
    // Every cell comes early and late: the mean place of its pairs is near the middle.
    for cell in 0..engine.frames().len() as u32 {
        let positions = all.iter().enumerate().filter(|(_, pair)| pair.id.cell == cell);
        let positions: Vec<f64> =
            positions.map(|(position, _)| position as f64 / expected as f64).collect();
        let mean = positions.iter().sum::<f64>() / positions.len() as f64;
        assert!((0.25..0.75).contains(&mean), "cell {cell}: {mean}");
    }
}

/// A pair that was voted on from the queue counts in the audit once that has passed it: the audit would
/// else leave out just the pairs that were chosen for disagreement.
#[test]
fn the_audit_counts_what_it_passes() {
    let (_home, path) = demo_store(4);
    let engine = load(&path);
    let order = pairs(&engine, PairOrder::Audit);
    let queued = Vote {
        chosen_by: Some(ChosenBy::Queue),
        ..vote_on(&engine, order[1], "ada", Ruling::Different)
    };
    add_vote(&path, &queued).expect("added");
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("7r");
    assert!(screen.contains("random audit: 1 of"), "{screen}");
    driver.press("<Enter>=L");
    assert_eq!(driver.app().screens.triage.pair, Some(order[2]), "the second is done");
    assert_eq!(votes(&path).len(), 2, "nothing is passed yet");
    driver.press("!");
    let written = votes(&path);
    assert_eq!(written.len(), 4);
    let (again, last) = (&written[2], &written[3]);
    assert_eq!((again.verdict, again.chosen_by), (Ruling::Different, Some(ChosenBy::Audit)));
    assert_eq!(
        (&again.cell, &again.task, again.draw_b),
        (&queued.cell, &queued.task, queued.draw_b)
    );
    assert_eq!((last.verdict, last.chosen_by), (Ruling::Different, Some(ChosenBy::Audit)));
    let table = rows(path.parent().expect("a folder"), &path, &["--table", "judges"]);
    let row = table.iter().find(|row| row["against"] == "human").expect("a row of people");
    let counts = ["n", "votes_audit", "votes_queue", "audit_n"].map(|name| row[name].as_u64());
    assert_eq!(counts, [3, 3, 0, 3].map(Some), "{row}");
}

/// A vote on a pair of which its author knew the verdicts never enters the audit.
#[test]
fn the_audit_leaves_out_votes_that_were_not_blind() {
    let (_home, path) = demo_store(4);
    let engine = load(&path);
    let order = pairs(&engine, PairOrder::Audit);
    let direct = Vote {
        chosen_by: Some(ChosenBy::Direct),
        ..vote_on(&engine, order[0], "ada", Ruling::Different)
    };
    add_vote(&path, &direct).expect("added");
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("7r<Enter>L");
    assert_eq!(driver.app().screens.triage.pair, Some(order[1]));
    driver.press("E<Ctrl-u>x.json<Enter>");
    assert!(driver.screen().contains("hidden until you have voted"), "{}", driver.screen());
    driver.press("<Esc><Esc>");
    driver.press("7<Enter>L!");
    let written: Vec<Option<ChosenBy>> = votes(&path).iter().map(|vote| vote.chosen_by).collect();
    assert_eq!(written, [Some(ChosenBy::Direct), Some(ChosenBy::Audit)]);
}

/// The verdict of people on six pairs and of a judge, and which of them came up at random.
fn six(home: &Path) -> PathBuf {
    let draw =
        |reaches| Draw { success: Some(reaches), db_match: Some(reaches), actions: vec!["a"] };
    let judge = [true, true, false, true, false, true];
    let verdicts = judge.iter().enumerate().map(|(task, said)| verdict("j", task, 1, Some(*said)));
    let path = made(home, &vec![vec![draw(true), draw(true)]; 6], verdicts.collect());
    let people = [true, false, true, true, false, false];
    let by = [
        Some(ChosenBy::Audit),
        Some(ChosenBy::Queue),
        None,
        Some(ChosenBy::Audit),
        Some(ChosenBy::Audit),
        Some(ChosenBy::Audit),
    ];
    for (task, (said, chosen_by)) in people.into_iter().zip(by).enumerate() {
        let ruling = if said { Ruling::Equivalent } else { Ruling::Different };
        add_vote(&path, &Vote { chosen_by, ..vote("ada", task, 1, ruling) }).expect("added");
    }
    path
}

#[test]
fn agreement_says_where_its_votes_come_from() {
    let home = home();
    let path = six(home.path());
    let table = rows(home.path(), &path, &["--table", "judges"]);
    let row = table.iter().find(|row| row["against"] == "human").expect("a row");
    // from sklearn.metrics import accuracy_score as acc, cohen_kappa_score as kappa
    // h = [1, 0, 1, 1, 0, 0]; j = [1, 1, 0, 1, 0, 1]
    // acc(h, j), kappa(h, j) = 0.5, 0.0; on [0, 3, 4, 5]: 0.75, 0.5
    let real = |name: &str| row[name].as_f64().unwrap_or(f64::NAN);
    for (name, expected) in
        [("agreement", 0.5), ("kappa", 0.0), ("audit_agreement", 0.75), ("audit_kappa", 0.5)]
    {
        assert!((real(name) - expected).abs() < 1e-12, "{name}: {row}");
        assert!(real(&format!("{name}_lo")) <= expected, "{name}: {row}");
        assert!(real(&format!("{name}_hi")) >= expected, "{name}: {row}");
    }
    for (name, count) in [
        ("votes_queue", 1),
        ("votes_audit", 4),
        ("votes_adjudication", 0),
        ("votes_direct", 0),
        ("votes_unknown", 1),
        ("audit_n", 4),
        ("n", 6),
        ("minority", 2),
    ] {
        assert_eq!(row[name], count, "{name}: {row}");
    }
    assert_eq!(row["flagged"], true, "two pairs of the rarer answer are few");
    // The database says the same of all pairs, so that κ has no value, and never 0.
    let row = table.iter().find(|row| row["against"] == "database").expect("a row");
    assert_eq!(
        (&row["kappa"], &row["kappa_lo"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    let out = run(home.path(), &["report", "made.qualm", "--table", "judges"]);
    let said = text(&out.stdout) + &text(&out.stderr);
    assert!(
        said.contains("n/a (one answer only)") && said.contains("chosen for disagreement"),
        "{said}"
    );
    let screen = Driver::new(&path, 160, 40).press("7<Tab>l");
    assert!(screen.contains(".50 κ.00 ["), "{screen}");
    assert!(screen.contains("6†‡"), "{screen}");
    assert!(
        screen.contains("votes: 1 queue, 4 audit, 1 unknown · audit only .75, n 4"),
        "{screen}"
    );
    assert!(screen.contains("‡human"), "{screen}");
}

/// A person is compared with the others, not with a majority that holds the person's vote.
#[test]
fn a_person_is_compared_with_the_others() {
    let home = home();
    let draw = || Draw { success: Some(true), db_match: Some(true), actions: vec!["a"] };
    let path = made(home.path(), &vec![vec![draw(), draw()]; 8], Vec::new());
    let said = [
        ("ada", [1, 1, 0, 1, 0, 1, 0, 0]),
        ("bob", [1, 0, 0, 1, 1, 1, 0, 1]),
        ("eve", [1, 0, 1, 1, 1, 0, 0, 0]),
    ];
    for (author, rulings) in said {
        for (task, equivalent) in rulings.into_iter().enumerate() {
            let ruling = if equivalent == 1 { Ruling::Equivalent } else { Ruling::Different };
            add_vote(&path, &vote(author, task, 1, ruling)).expect("added");
        }
    }
    // from sklearn.metrics import accuracy_score as acc, cohen_kappa_score as kappa
    // votes = {"ada": [1,1,0,1,0,1,0,0], "bob": [1,0,0,1,1,1,0,1], "eve": [1,0,1,1,1,0,0,0]}
    // for name, own in votes.items():
    //     a, b = [v for other, v in votes.items() if other != name]
    //     both = [i for i in range(8) if a[i] == b[i]]  # where the others are not even
    //     x, y = [own[i] for i in both], [a[i] for i in both]
    //     print(name, len(both), acc(x, y), kappa(x, y))
    let rows = load(&path).judge_rows(None);
    for (name, n, agreement, kappa) in
        [("ada", 5, 0.6, 1.0 / 6.0), ("bob", 4, 0.75, 0.5), ("eve", 5, 0.6, 1.0 / 6.0)]
    {
        let against = Against::Judge(format!("human:{name}"));
        let row = rows.iter().find(|row| row.judge == "human" && row.against == against);
        let row = row.expect("a row");
        assert_eq!((row.n, row.votes.expect("people").unknown), (n, 3 * n), "{name}");
        assert!((row.agreement.0.unwrap_or(f64::NAN) - agreement).abs() < 1e-12, "{row:?}");
        assert!((row.kappa.0.unwrap_or(f64::NAN) - kappa).abs() < 1e-12, "{row:?}");
        let listed: usize = [(true, true), (true, false), (false, true), (false, false)]
            .into_iter()
            .map(|(a, b)| load(&path).judge_pairs("human", &against, a, b).len())
            .sum();
        assert_eq!(listed, n, "the lists hold what the number counts");
    }
}

/// The explorer of somebody, on the first pair of an order.
fn on_first_pair(path: &Path, author: &str, order: &str) -> Driver {
    let store = Store::open(path).expect("a store");
    let config = Config { author: Some(author.to_owned()), ..Config::default() };
    let mut driver =
        Driver::configured(store, View::default(), &config, &Theme::plain(), (120, 40));
    driver.press(&format!("7{order}<Enter>"));
    driver
}

/// The same on screen: two people vote on a pair, one of the other, a third finds the pair in the order of
/// adjudication and settles it.
#[test]
fn three_people_settle_a_pair_on_screen() {
    let (_home, path) = demo_store(4);
    let mut ada = on_first_pair(&path, "ada", "");
    let pair = ada.app().screens.triage.pair;
    ada.press("=L=");
    let mut bob = on_first_pair(&path, "bob", "");
    assert_eq!(bob.app().screens.triage.pair, pair, "the queue is the same for everybody");
    let before = bob.screen();
    assert!(!before.contains("ada"), "{before}");
    let after = bob.press("!");
    assert!(after.contains("you: ≢ different") && after.contains("ada: ≡ equivalent"), "{after}");
    bob.press("L=");
    let mut eve = on_first_pair(&path, "eve", "rr");
    assert_eq!(eve.app().screens.triage.pair, pair);
    let before = eve.screen();
    assert!(before.contains("adjudication: 0 of 1 pair settled; you are eve"), "{before}");
    assert!(!before.contains("ada") && !before.contains("bob"), "{before}");
    let after = eve.press("=");
    for words in ["adjudication: 1 of 1 pair settled", "ada: ≡ equivalent", "bob: ≢ different"]
    {
        assert!(after.contains(words), "{words}: {after}");
    }
    let list = eve.press("<Esc>");
    assert!(list.contains("people disagree: 1 of 1 pair settled"), "{list}");
    let cast: Vec<(String, Option<ChosenBy>)> =
        votes(&path).into_iter().map(|vote| (vote.author, vote.chosen_by)).collect();
    let queue = |author: &str| (author.to_owned(), Some(ChosenBy::Queue));
    let settled = ("eve".to_owned(), Some(ChosenBy::Adjudication));
    let expected = [queue("ada"), queue("ada"), queue("bob"), queue("bob"), settled];
    assert_eq!(cast, expected);
}

/// Two people disagree, a third settles it: `human` follows the adjudication, and the independent votes
/// stay what they are.
#[test]
fn an_adjudication_settles_what_people_disagree_on() {
    let (home, path) = demo_store(4);
    let engine = load(&path);
    let order = pairs(&engine, PairOrder::Queue);
    let (contested, agreed) = (order[2], order[3]);
    for (author, pair, ruling) in [
        ("bob", contested, Ruling::Equivalent),
        ("eve", contested, Ruling::Different),
        ("bob", agreed, Ruling::Equivalent),
        ("eve", agreed, Ruling::Unsure),
    ] {
        add_vote(&path, &vote_on(&engine, pair, author, ruling)).expect("added");
    }
    let engine = load(&path);
    assert_eq!(pairs(&engine, PairOrder::Adjudication), [contested], "unsure contradicts nobody");
    let said = |engine: &Engine| {
        let index = engine.judges().iter().position(|judge| judge == "human").expect("people");
        let words = engine.words_on(contested);
        words.iter().find(|word| word.judge == index).and_then(|word| word.equivalent)
    };
    assert_eq!(said(&engine), None, "even");
    let mut driver = Driver::new(&path, 200, 50);
    let screen = driver.press("7rr");
    assert!(screen.contains("people disagree: 0 of 1 pair settled"), "{screen}");
    let screen = driver.press("<Enter>");
    assert!(screen.contains("adjudication: 0 of 1 pair settled; you are ada"), "{screen}");
    assert!(!screen.contains("bob"), "{screen}");
    let screen = driver.press("!");
    assert!(
        screen.contains("bob: ≡ equivalent") && screen.contains("eve: ≢ different"),
        "{screen}"
    );
    assert!(screen.contains("adjudication: 1 of 1 pair settled; you are ada"), "{screen}");
    let written = votes(&path);
    let last = written.last().expect("a vote");
    assert_eq!((last.chosen_by, last.author.as_str()), (Some(ChosenBy::Adjudication), "ada"));
    let engine = load(&path);
    assert_eq!(said(&engine), Some(false), "settled");
    assert!(!engine.judges().contains(&"human:ada".to_owned()), "no independent opinion");
    let row = engine.judge_rows(None).into_iter().find(|row| {
        row.judge == "human:bob" && row.against == Against::Judge("human:eve".to_owned())
    });
    assert_eq!(
        row.map(|row| (row.n, row.agreement.0)),
        Some((1, Some(0.0))),
        "they disagree still"
    );
    let table = rows(home.path(), &path, &["--table", "adjudication"]);
    assert_eq!(table.len(), 1);
    assert!(table[0]["reasons"].as_str().is_some_and(|why| why.contains("people-disagree")));
    assert_eq!(table[0]["done"], true);
    let people = ["people_equivalent", "people_different", "settled_by"];
    assert_eq!(people.map(|name| table[0][name].as_str()), ["bob", "eve", "ada"].map(Some));
    // Withdrawn, the pair is even again.
    let screen = driver.press("U");
    assert!(screen.contains("withdrawn"), "{screen}");
    assert_eq!(said(&load(&path)), None);
}

/// Marks a turn of a failed run, changes the cause, moves the mark and withdraws it.
#[test]
fn a_key_marks_the_decisive_error() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 140, 40);
    driver.press("2f<Enter>");
    let key = driver.panel().keys[0];
    assert_eq!(driver.comparison().run(0).head.outcome.success, Some(false));
    let labels = || Store::open(&path).expect("a store").labels().expect("labels");
    let standing =
        |driver: &Driver| driver.shared().label_on(key).map(|label| (label.turn, label.cause));
    let screen = driver.press("gj*");
    assert!(
        screen.contains("Decisive error at turn") && screen.contains("simulated user"),
        "{screen}"
    );
    driver.press("q");
    assert!(driver.app().overlays.is_empty() && labels().is_empty(), "q closes");
    let screen = driver.press("*u");
    assert!(screen.contains("✱ simulated user"), "{screen}");
    let (turn, cause) = standing(&driver).expect("marked");
    assert_eq!(cause, Cause::User);
    // The same turn again: another cause, or no mark.
    let screen = driver.press("*t");
    assert!(screen.contains("✱ tool") && !screen.contains("✱ simulated user"), "{screen}");
    assert_eq!(standing(&driver), Some((turn, Cause::Tool)));
    let mut other = turn as usize;
    while other == turn as usize {
        driver.press("j");
        let sheet = driver.comparison().sheet;
        other = driver.panel().turn_in_focus(&sheet).unwrap_or(other);
    }
    let screen = driver.press("*a");
    assert_eq!(standing(&driver), Some((other as u32, Cause::Agent)), "one turn a run: {screen}");
    assert!(!screen.contains("✱ tool"), "{screen}");
    let screen = driver.press("*w");
    assert!(screen.contains("withdrawn") && !screen.contains("✱"), "{screen}");
    assert_eq!((standing(&driver), labels().len()), (None, 4), "the file only grows");
    driver.press("*g");
    drop(driver);
    let mut driver = Driver::new(&path, 140, 40);
    driver.press("2f<Enter>");
    let mut seen = driver.press("g");
    (0..12).for_each(|_| seen.push_str(&driver.press("j")));
    assert!(seen.contains("✱ grader"), "{seen}");
    assert_whole(&path);
    // Blind, a mark would tell that the run failed.
    assert!(driver.shared().labels.on(key).count() == 1);
}

#[test]
fn a_success_has_no_decisive_error() {
    let (home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 140, 40);
    driver.press("2&success<Enter><Enter>");
    assert_eq!(driver.comparison().run(0).head.outcome.success, Some(true));
    let screen = driver.press("j*");
    assert!(screen.contains("this run is a success"), "{screen}");
    assert!(driver.app().overlays.is_empty());
    // A line that says otherwise counts nowhere, and the check names it.
    let RunKey { id, draw } = driver.panel().keys[0];
    let engine = load(&path);
    let frame = &engine.frames()[id.cell as usize];
    let label = StepLabel {
        time: 1,
        author: "ada".to_owned(),
        cell: frame.cell.clone(),
        task: frame.tasks[id.task as usize].id.clone(),
        draw,
        turn: 0,
        cause: Cause::Agent,
    };
    let store = Store::open(&path).expect("a store");
    store.add_label(&label).expect("added");
    assert_eq!(store.labels().expect("labels"), []);
    let out = run(home.path(), &["check", "demo.qualm"]);
    assert!(text(&out.stdout).contains("its run is a success"), "{out:?}");
}

/// Labels are lines like others: exported, merged, bound to their run and kept by imports.
#[test]
fn labels_follow_their_runs() {
    let home = home();
    let draw = |success| Draw { success: Some(success), db_match: None, actions: vec!["a", "b"] };
    let path = made(home.path(), &[vec![draw(false), draw(true)]], Vec::new());
    let other = home.path().join("other.qualm");
    fs::create_dir(&other).expect("made");
    for entry in fs::read_dir(&path).expect("read").flatten() {
        fs::copy(entry.path(), other.join(entry.file_name())).expect("copied");
    }
    let label = StepLabel {
        time: 7,
        author: "bob".to_owned(),
        cell: Cell::new("d", "m"),
        task: "0".to_owned(),
        draw: 0,
        turn: 1,
        cause: Cause::Grader,
    };
    let theirs = Store::open(&other).expect("a store");
    theirs.add_label(&label).expect("added");
    let line = fs::read_to_string(other.join("annotations.jsonl")).expect("read");
    assert!(line.starts_with(r#"{"kind":"label","time":7,"author":"bob""#), "{line}");
    assert!(line.contains(r#""turn":1,"cause":"grader","run":{"text":"#), "{line}");
    let out = run(home.path(), &["merge", "made.qualm", "other.qualm"]);
    assert!(text(&out.stdout).contains("bob       1"), "{out:?}");
    let store = Store::open(&path).expect("a store");
    assert_eq!(store.labels().expect("labels").first(), Some(&label));
    assert_whole(&path);
    let out = run(home.path(), &["export", "made.qualm", "--what", "labels"]);
    let said = text(&out.stdout);
    assert!(said.contains("d,m,default,0,0,1,grader,bob,7"), "{said}");
    // A turn that the run does not have is named.
    store.add_label(&StepLabel { turn: 9, ..label }).expect("added");
    let out = run(home.path(), &["check", "made.qualm"]);
    assert!(text(&out.stdout).contains("there is no such turn"), "{out:?}");
}

fn marked(task: &str, values: &[f64], turn: u32, cause: Cause) -> MarkedRun {
    let label = StepLabel {
        time: 0,
        author: "ada".to_owned(),
        cell: Cell::new("d", "m"),
        task: task.to_owned(),
        draw: 0,
        turn,
        cause,
    };
    let scores = |value: &f64| TurnScores {
        sp_log: value.ln(),
        lnsp: *value,
        atn: Some(*value).filter(|_| task != "2"),
        pm: None,
        tokens: 3,
    };
    let turns = values.iter().map(|value| Some(scores(value))).chain([None]).collect();
    MarkedRun { label, turns }
}

/// ```python
/// import numpy as np; from scipy.stats import rankdata
/// runs = [([.9, .2, .5, .2], 1), ([.4, .8], 1), ([.3, .6, .7, .1, .5], 0), ([.5] * 5, 2)]
/// for x, i in runs:
///     r = rankdata(x)[i]; lo = rankdata(x, "min")[i]; hi = rankdata(x, "max")[i]
///     top = lambda k: np.clip((k - lo + 1) / (hi - lo + 1), 0, 1)
/// # means of r, top(1), top(3), (T + 1)/2, 1/T, min(3, T)/T:
/// # 2.125 0.175 0.9 2.5 0.2875 0.7375
/// ```
#[test]
fn located_errors_are_ranked_as_scipy_ranks_them() {
    let runs = [
        marked("0", &[0.9, 0.2, 0.5, 0.2], 1, Cause::Agent),
        marked("0", &[0.4, 0.8], 1, Cause::User),
        marked("1", &[0.3, 0.6, 0.7, 0.1, 0.5], 0, Cause::Agent),
        marked("2", &[0.5; 5], 2, Cause::Agent),
    ];
    let table = locate(&runs, Some(Resampling { resamples: 200, seed: 0 }));
    let row = |base: Base, cause: Option<Cause>| {
        table.iter().find(|row| row.base == base && row.cause == cause).expect("a row")
    };
    let close = |value: Option<f64>, expected: f64| {
        let value = value.unwrap_or(f64::NAN);
        assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    };
    for base in [Base::Sp, Base::Lnsp] {
        let all = row(base, None);
        assert_eq!((all.n, all.tasks, all.unscored), (4, 3, 0));
        for ((value, interval), expected) in [(all.rank, 2.125), (all.top1, 0.175), (all.top3, 0.9)]
        {
            close(value, expected);
            let interval = interval.expect("three tasks");
            assert!(interval.lo <= expected && expected <= interval.hi, "{interval:?}");
        }
        close(all.rank_chance, 2.5);
        close(all.top1_chance, 0.2875);
        close(all.top3_chance, 0.7375);
        close(all.turns, 4.0);
        assert!(all.is_flagged());
    }
    let user = row(Base::Lnsp, Some(Cause::User));
    assert_eq!(
        (user.n, user.tasks, user.rank),
        (1, 1, (Some(2.0), None)),
        "one task has no interval"
    );
    // Without a value the marked turn is counted, not ranked.
    let atn = row(Base::Atn, None);
    assert_eq!((atn.n, atn.unscored), (3, 1));
    let pm = row(Base::Pm, None);
    assert_eq!((pm.n, pm.unscored, pm.rank.0), (0, 4, None));
    assert!(!table.iter().any(|row| row.cause == Some(Cause::Tool)), "no such mark");
}

/// The report of the demo, marked in Compare, ranks the turns that the screen ranks.
#[test]
fn the_report_locates_marks_made_on_screen() {
    let (home, path) = demo_store(4);
    let none = rows(home.path(), &path, &["--table", "locate"]);
    assert!(none.is_empty());
    let mut driver = Driver::new(&path, 140, 40);
    driver.press("2f<Enter>w*a");
    let key = driver.panel().keys[driver.panel().focus];
    assert!(driver.shared().label_on(key).is_some(), "{}", driver.screen());
    let table = rows(home.path(), &path, &["--table", "locate"]);
    let row = table.iter().find(|row| row["scorer"] == "lnsp" && row["cause"] == "all");
    let row = row.unwrap_or_else(|| panic!("{table:?}"));
    // `w` goes to the weakest turn under the lens, which is lnsp.
    assert_eq!((&row["n"], &row["rank"], &row["top1"]), (&1.into(), &1.0.into(), &1.0.into()));
    assert_eq!(row["top1_chance"].as_f64(), row["turns"].as_f64().map(|turns| 1.0 / turns));
    assert_eq!(table.iter().filter(|row| row["cause"] == "agent").count(), 4, "four base scores");
}
