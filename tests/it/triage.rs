//! The screens for stuck policies, judges and votes, driven by keys.

use std::path::PathBuf;

use qualm::engine::{Against, Engine, JudgeSpec, Scope, StuckTreatment};
use qualm::metrics::Metric;
use qualm::scorers::Scorer;
use qualm::store::{Ruling, Store, votes};
use qualm::ui::Screen;
use qualm::ui::panel::Comparison;
use qualm::ui::screens::stuck::Group;
use qualm::ui::screens::{judges, stuck};

use crate::explorer::{Driver, demo};
use crate::support::{demo_at, home};

/// A demo store that the test may write to.
fn writable_demo(tasks: usize) -> (tempfile::TempDir, PathBuf) {
    let home = home();
    let path = home.path().join("demo.qualm");
    demo_at(&path, tasks);
    (home, path)
}

/// The number of entries of the list over the screen.
fn listed(driver: &Driver) -> usize {
    match driver.app().overlays.last() {
        Some(qualm::ui::overlays::Overlay::Picker(picker)) => picker.shown.len(),
        other => panic!("no list: {other:?}"),
    }
}

/// The row of the pair on Triage in its queue.
fn row_in_queue(driver: &Driver) -> usize {
    let triage = &driver.app().screens.triage;
    let items = &triage.queue(driver.shared()).expect("a queue").items;
    items.iter().position(|item| Some(item.pair) == triage.pair).expect("the pair is queued")
}

/// The runs of the pair on Triage, all read.
fn voted_on(driver: &Driver) -> Comparison {
    let panel = &driver.app().screens.triage.panel;
    panel.comparison(driver.shared()).expect("read").expect("whole")
}

#[test]
fn every_number_of_the_table_opens_what_it_counts() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("6");
    let scorers = stuck::scorers(driver.shared());
    let engine = driver.shared().engine().expect("loaded").clone();
    let first = driver.app().screens.stuck.cells(driver.shared());
    assert!(matches!(first, Scope::Cell(_)), "{first}");
    for _ in 0..4 {
        let scope = driver.app().screens.stuck.cells(driver.shared());
        driver.press("g");
        for scorer in &scorers {
            for (index, group) in Group::ALL.into_iter().enumerate() {
                driver.press(&format!("{}{}", "h".repeat(6), "l".repeat(index)));
                let n = match group {
                    Group::Pairs(group) => engine.pairs_counted(&scope, scorer, group).len(),
                    Group::Tasks(group) => engine.tasks_counted(&scope, scorer, group).len(),
                };
                let view = driver.app().screens.stuck.numbers(driver.shared()).expect("counted");
                let shown = match group {
                    Group::Pairs(group) => view
                        .pairs
                        .iter()
                        .find(|row| row.scorer == *scorer && row.group == group)
                        .map(|row| row.n),
                    Group::Tasks(group) => view
                        .tasks
                        .iter()
                        .find(|row| row.scorer == *scorer && row.group == group)
                        .map(|row| row.n),
                };
                assert_eq!(shown, Some(n), "{scope} {scorer} {group:?}");
                let screen = driver.press("<Enter>");
                if n == 0 {
                    assert!(screen.contains("is counted there"), "{screen}");
                } else {
                    assert_eq!(listed(&driver), n);
                    driver.press("<Esc>");
                }
            }
            driver.press("j");
        }
        driver.press("v");
    }
    assert_eq!(driver.app().screens.stuck.cells(driver.shared()), first, "round");
}

#[test]
fn a_listed_pair_opens_side_by_side() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("6hhhhhll<Enter><Enter>");
    assert_eq!(driver.app().screen, Screen::Compare);
    let keys = &driver.panel().keys;
    let outcomes: Vec<_> = keys
        .iter()
        .map(|key| driver.shared().task_of(key.id).expect("a task").outcome(key.draw))
        .collect();
    assert_eq!((keys[0].draw, outcomes), (0, vec![Some(false), Some(false)]), "failure-failure");
    driver.press("<Esc>");
    assert_eq!(driver.app().screen, Screen::Stuck);
}

#[test]
fn stuck_tasks_are_ranked_and_open() {
    let mut driver = Driver::new(demo(), 120, 40);
    let screen = driver.press("6<Tab>");
    assert_eq!(driver.app().screens.stuck.pane, stuck::Pane::List);
    let list = driver.app().screens.stuck.numbers(driver.shared()).expect("counted").list.clone();
    assert!(list.windows(2).all(|two| two[0].score >= two[1].score));
    assert!(list.iter().all(|task| {
        driver
            .shared()
            .task_of(task.id)
            .is_some_and(|task| task.samples.iter().all(|sample| sample.success == Some(false)))
    }));
    assert!(screen.contains(" of 4 draws"), "{screen}");
    driver.press("j<Enter>");
    assert_eq!((driver.app().screen, driver.shared().task), (Screen::Compare, Some(list[1].id)));
}

/// A pattern that its row truncates is shown completely above the list.
#[test]
fn the_pattern_of_the_selected_task_is_shown_completely() {
    let mut driver = Driver::new(demo(), 80, 24);
    driver.press("6<Tab>");
    let view = driver.app().screens.stuck.numbers(driver.shared()).expect("counted").clone();
    let mut long = 0;
    for pattern in &view.patterns {
        let text = pattern.as_ref().map_or(String::new(), ToString::to_string);
        if (79..200).contains(&text.chars().count()) {
            let shown: Vec<String> =
                driver.screen().split_whitespace().map(str::to_owned).collect();
            assert!(shown.join(" ").contains(&text), "{text}\n{}", driver.screen());
            long += 1;
        }
        driver.press("j");
    }
    assert!(long > 0, "some pattern needs more than a line");
}

#[test]
fn the_treatment_of_stuck_tasks_changes_only_consistency() {
    let mut driver = Driver::new(demo(), 120, 40);
    let engine = driver.shared().engine().expect("loaded").clone();
    let value = |engine: &Engine, scorer: &Scorer, cell: usize| {
        let values = engine.grid_of(std::slice::from_ref(scorer), Metric::Auroc, None);
        values.into_iter().find(|value| value.cell == cell).map(|value| (value.value, value.counts))
    };
    let dropped = engine.with_stuck(StuckTreatment::Dropped);
    driver.press("S");
    assert!(driver.screen().contains("stuck dropped"), "{}", driver.screen());
    let mut moved = 0;
    for cell in 0..driver.shared().cells.len() {
        for scorer in [Scorer::Ter, Scorer::Turns] {
            let shown = driver
                .shared()
                .numbers
                .number(&scorer, cell)
                .map(|number| (number.value, number.counts));
            assert_eq!(shown, value(&dropped, &scorer, cell), "{scorer} {cell}");
            let counted = value(&engine, &scorer, cell);
            moved += usize::from(shown != counted);
            assert!(scorer == Scorer::Ter || shown == counted);
        }
    }
    assert!(moved > 0, "some task of the demo is stuck");
    driver.press("SS");
    let shown =
        driver.shared().numbers.number(&Scorer::Ter, 0).map(|number| (number.value, number.counts));
    assert_eq!(shown, value(&engine, &Scorer::Ter, 0));
}

#[test]
fn confusion_counts_open_their_pairs() {
    let mut driver = Driver::new(demo(), 140, 40);
    driver.press("7<Tab><Tab>");
    assert_eq!(driver.app().screens.judges.pane, judges::Pane::Truth);
    let engine = driver.shared().engine().expect("loaded").clone();
    let row = driver
        .app()
        .screens
        .judges
        .numbers(driver.shared())
        .expect("compared")
        .rows
        .iter()
        .find(|row| row.against == Against::Database)
        .expect("a row")
        .clone();
    let counts = [
        row.confusion.true_positives,
        row.confusion.false_positives,
        row.confusion.false_negatives,
        row.confusion.true_negatives,
    ];
    for (index, (said, truth)) in judges::COUNTS.into_iter().enumerate() {
        let pairs = engine.judge_pairs(&row.judge, &Against::Database, said, truth);
        assert_eq!(pairs.len(), counts[index] as usize);
        if pairs.is_empty() {
            continue;
        }
        driver.press(&format!("hhhh{}<Enter>", "l".repeat(index)));
        assert_eq!(listed(&driver), pairs.len());
        driver.press("<Esc>");
    }
}

#[test]
fn a_judge_can_be_put_into_the_lens() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("7");
    let specs = driver.shared().engine().expect("loaded").judge_specs();
    assert!(specs.len() > 1);
    driver.press("<Tab><Tab><Tab>j<Enter>");
    assert_eq!(driver.shared().lens.judge.as_ref(), Some(&specs[1]));
    let engine = driver.shared().engine().expect("loaded");
    assert_eq!(engine.judge().as_ref(), Some(&specs[1]));
    let view = driver.app().view();
    assert_eq!(view.lens.judge.as_deref(), Some(specs[1].to_string().as_str()));
    let again = Driver::with(demo(), view, &qualm::ui::theme::Theme::plain(), (120, 40));
    assert_eq!(again.shared().engine().expect("loaded").judge().as_ref(), Some(&specs[1]));
    driver.press("J");
    assert_eq!(driver.shared().lens.judge.as_ref(), Some(&specs[2 % specs.len()]));
}

#[test]
fn a_vote_is_saved_shown_undone_and_changes_ter() {
    let (_home, path) = writable_demo(4);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("7<Enter>");
    assert_eq!(driver.app().screen, Screen::Triage);
    let all = driver.app().screens.judges.queue(driver.shared()).expect("found").items.len();
    assert!(screen.contains(&format!("0 of {all} done")), "{screen}");
    assert!(
        screen.contains("shown once you have voted") && !screen.contains("database: "),
        "{screen}"
    );
    let item = driver.app().screens.triage.item(driver.shared()).expect("a pair").clone();
    let screen = driver.press("!");
    assert!(
        screen.contains("you: ≢ different") && screen.contains(&format!("1 of {all} done")),
        "{screen}"
    );
    let saved = Store::open(&path).expect("a store").votes().expect("votes");
    assert_eq!(saved.len(), 1);
    assert_eq!(
        (saved[0].verdict, saved[0].draw_b, saved[0].author.as_str()),
        (Ruling::Different, item.pair.draw, "ada")
    );
    assert!(saved[0].time > 1_700_000_000);
    driver.press("=");
    let votes = votes::current(&Store::open(&path).expect("a store").votes().expect("votes"));
    assert_eq!((votes.len(), votes[0].verdict), (1, Ruling::Equivalent), "the newest counts");
    driver.press("U");
    assert_eq!(driver.shared().vote_on(item.pair), Some(Ruling::Different), "as it was before");
    let screen = driver.press("U");
    assert_eq!(driver.shared().vote_on(item.pair), None);
    assert!(screen.contains(&format!("0 of {all} done")), "{screen}");
    assert!(driver.press("U").contains("no vote of this session"));

    // Contradict the judge in use, so that TER changes.
    let said = item.opinions.first().expect("an opinion").equivalent;
    driver.press(if said { "!" } else { "=" });
    let name = driver.shared().engine().expect("loaded").judges()[item.opinions[0].judge].clone();
    let before = ter(&driver, item.pair.id);
    let composite = JudgeSpec::HumanElse(name.clone());
    for _ in 0..8 {
        if driver.shared().lens.judge.as_ref() == Some(&composite) {
            break;
        }
        driver.press("J");
    }
    assert_eq!(driver.shared().lens.judge.as_ref(), Some(&composite));
    let after = ter(&driver, item.pair.id);
    let draws = driver.shared().task_of(item.pair.id).expect("a task").samples.len() as f64;
    assert!(((after - before).abs() - 1.0 / draws).abs() < 1e-9, "{before} {after}");
    // Loading the file again gives the same.
    let fresh =
        Engine::load(&Store::open(&path).expect("a store"), Some(&composite)).expect("loaded");
    let values = fresh.frames()[item.pair.id.cell as usize].values(&Scorer::Ter).expect("values");
    assert!((values.confidence(item.pair.id.task as usize) - after).abs() < 1e-12);
}

fn ter(driver: &Driver, id: qualm::engine::TaskId) -> f64 {
    let engine = driver.shared().engine().expect("loaded");
    let values = engine.frames()[id.cell as usize].values(&Scorer::Ter).expect("values");
    values.confidence(id.task as usize)
}

#[test]
fn space_skips_and_finished_pairs_are_skipped() {
    let (_home, path) = writable_demo(4);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("7<Enter>");
    let all = driver.app().screens.judges.queue(driver.shared()).expect("found").items.len();
    assert!(all > 2, "{all}");
    driver.press("L");
    assert_eq!(row_in_queue(&driver), 1, "skipped, not voted");
    driver.press("~L");
    assert_eq!(row_in_queue(&driver), 2);
    driver.press("H");
    assert_eq!(row_in_queue(&driver), 1);
    assert!(driver.screen().contains("you: ? unsure"));
    driver.press("HL");
    assert_eq!(row_in_queue(&driver), 2, "the second is done");
    driver.press("<Esc>");
    assert_eq!(driver.app().screen, Screen::Judges);
    assert_eq!(driver.app().screens.judges.index, 2, "the queue is where one was");
    for _ in 0..all {
        if driver.app().screen != Screen::Triage {
            driver.press("<Enter>");
        }
        driver.press("=L");
    }
    let screen = driver.screen();
    assert!(screen.contains(&format!("{all} of {all} done")), "{screen}");
}

/// A vote is for the pair on screen, whatever happened to the queue meanwhile.
#[test]
fn a_vote_is_for_the_pair_on_screen() {
    let (_home, path) = writable_demo(4);
    let mut driver = Driver::new(&path, 120, 40);
    for detour in
        ["&success<Enter>", "&<Ctrl-u><Enter>", "3L<Esc>", "3><Esc>", "3-<Esc>", "6>7<Esc>", "m"]
    {
        driver.press("7<Enter>");
        driver.press(detour);
        if driver.app().screen != Screen::Triage {
            driver.press("7<Enter>");
        }
        let comparison = voted_on(&driver);
        let (cell, task) =
            (comparison.run(0).head.cell.clone(), comparison.run(0).head.task.clone());
        let draws = [0, 1].map(|pane| comparison.run(pane).head.draw);
        assert!(
            driver.screen().contains(&format!("task {task}, draw {}", draws[1])),
            "{}",
            driver.screen()
        );
        driver.press("=");
        let saved = Store::open(&path).expect("a store").votes().expect("votes");
        let last = saved.last().expect("a vote");
        assert_eq!(
            (&last.cell, &last.task, [last.draw_a, last.draw_b]),
            (&cell, &task, draws),
            "{detour}"
        );
        driver.press("<Esc>");
    }
}

#[test]
fn undo_works_after_a_failed_vote() {
    let (_home, path) = writable_demo(4);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("7<Enter>=");
    let pair = driver.app().screens.triage.pair.expect("a pair");
    let file = path.join("annotations.jsonl");
    let kept = path.join("kept");
    std::fs::rename(&file, &kept).expect("moved");
    std::fs::create_dir(&file).expect("made");
    assert!(driver.press("!").contains("the vote is not saved"));
    assert!(driver.press("U").contains("the vote is not saved"));
    std::fs::remove_dir(&file).expect("removed");
    std::fs::rename(&kept, &file).expect("moved back");
    assert_eq!(driver.shared().vote_on(pair), Some(Ruling::Equivalent));
    driver.press("U");
    assert_eq!(driver.shared().vote_on(pair), None, "the vote that stood is taken back");
}

#[test]
fn verdicts_are_hidden_until_the_vote() {
    let (_home, path) = writable_demo(4);
    let mut driver = Driver::new(&path, 120, 40);
    let items = {
        driver.press("7");
        driver.app().screens.judges.queue(driver.shared()).expect("found").items.clone()
    };
    driver.press("<Enter>");
    for _ in 0..items.len().min(6) {
        let mut seen = driver.press("G");
        seen.push_str(&driver.press("<Enter>"));
        seen.push_str(&driver.press("<Tab>"));
        driver.press("<Esc>");
        let asks = driver.press("I");
        assert!(asks.contains("the task asks"), "{asks}");
        seen.push_str(&asks);
        driver.press("<Esc>");
        for word in ["✓", "✗", "reward", "against the database", "judges disagree", "≡ equivalent"]
        {
            assert!(!seen.contains(word), "{word}\n{seen}");
        }
        let screen = driver.press("=");
        assert!(
            screen.contains("you: ≡ equivalent") && (screen.contains('✓') || screen.contains('✗')),
            "{screen}"
        );
        driver.press("L");
    }
}

#[test]
fn escape_returns_to_the_list() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("6<Enter><Down><Down>");
    let count = listed(&driver);
    driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Compare);
    driver.press("<Esc>");
    assert_eq!((driver.app().screen, listed(&driver)), (Screen::Stuck, count));
    driver.press("<Esc>");
    assert!(driver.app().overlays.is_empty());
}

#[test]
fn a_new_note_updates_a_scope_on_notes() {
    let (_home, path) = writable_demo(4);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("&not note<Ctrl-s><Enter>6<Tab>");
    let before = driver.app().screens.stuck.numbers(driver.shared()).expect("counted").list.clone();
    driver.press("<Enter>codd<Ctrl-s>");
    driver.press("6");
    let view = driver.app().screens.stuck.numbers(driver.shared()).expect("counted");
    assert_eq!(view.list.len(), before.len() - 1);
    assert!(view.list.iter().all(|task| task.id != before[0].id));
    let second = view.list[0].id;
    driver.press("<Enter>");
    assert_eq!(driver.shared().task, Some(second));
}

#[test]
fn every_view_can_be_reopened() {
    for keys in ["7<Enter>", "6vv<Tab>", "2<Enter><Enter>", "2<Enter>+<Tab>d", "7J", "6S"] {
        let mut driver = Driver::new(demo(), 120, 40);
        driver.press(keys);
        let view = driver.app().view();
        let cells = driver.shared().cells.clone();
        assert_eq!(view.problem(&cells), None, "{keys}");
        let again =
            Driver::with(demo(), view.clone(), &qualm::ui::theme::Theme::plain(), (120, 40));
        assert!(again.app().problems.is_empty(), "{keys}: {:?}", again.app().problems);
        assert_eq!(again.app().view(), view, "{keys}");
    }
}

/// The tree of a task is reopened with the branches that were unfolded.
#[test]
fn a_tree_is_reopened_as_it_was() {
    let mut driver = Driver::new(demo(), 300, 40);
    let screen = driver.press("2<Enter>BZ");
    let unfolded = |driver: &Driver| driver.app().screens.tree.unfolded.clone();
    assert!(!unfolded(&driver).is_empty(), "{screen}");
    let view = driver.app().view();
    let named = view.screens.tree.unfolded.clone().expect("named");
    assert!(driver.press("Y").contains(&format!("--unfolded {named}")), "{}", driver.screen());
    let plain = qualm::ui::theme::Theme::plain();
    let mut again = Driver::with(demo(), view, &plain, (300, 40));
    assert_eq!((again.app().screen, unfolded(&again)), (Screen::Tree, unfolded(&driver)));
    let body = |screen: &str| screen.lines().skip(2).take(36).collect::<Vec<_>>().join("\n");
    assert_eq!(body(&again.screen()), body(&driver.press("jk")));
    // Elsewhere it is not part of the view.
    driver.press("1");
    assert_eq!(driver.app().view().screens.tree.unfolded, None);
}

#[test]
fn a_picture_writes_nothing() {
    let (home, path) = writable_demo(4);
    let store = path.display().to_string();
    for (screen, keys) in
        [("judges", "<Enter>="), ("tasks", "chello<Ctrl-s>"), ("grid", "E<Enter>")]
    {
        let args = ["shot", &store, "--screen", screen, "--keys", keys];
        let said = crate::support::run(home.path(), &args);
        assert!(said.status.success());
    }
    assert!(!path.join("annotations.jsonl").exists());
    let files: Vec<_> = std::fs::read_dir(home.path())
        .expect("read")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(files.iter().all(|name| !name.to_string_lossy().ends_with(".csv")), "{files:?}");
}

#[test]
fn a_vote_that_cannot_be_saved_is_reported() {
    let (_home, path) = writable_demo(4);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("7<Enter>");
    std::fs::create_dir(path.join("annotations.jsonl")).expect("made");
    let screen = driver.press("=");
    assert!(screen.contains("the vote is not saved") && screen.contains("shown once"), "{screen}");
}

#[test]
fn a_scope_narrows_tables_and_queue_and_opens_the_right_tasks() {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("7");
    let all = driver.app().screens.judges.queue(driver.shared()).expect("found").items.len();
    driver.press("&dataset = 'retail'<Ctrl-s><Enter>");
    let some = driver.app().screens.judges.queue(driver.shared()).expect("found").items.len();
    assert!(some > 0 && some < all, "{some} {all}");
    driver.press("<Tab><BackTab><Enter>");
    assert_eq!(driver.shared().cells[driver.shared().cell].dataset, "retail");
    let comparison = voted_on(&driver);
    assert_eq!(comparison.run(0).head.cell.dataset, "retail");
    driver.press("6hhhhh<Enter>");
    if matches!(driver.app().overlays.last(), Some(qualm::ui::overlays::Overlay::Picker(_))) {
        driver.press("<Enter>");
        let comparison = driver.comparison();
        assert_eq!(comparison.run(0).head.cell.dataset, "retail");
        assert_eq!(comparison.run(0).head.outcome.success, Some(true), "success-success");
    }
}

#[test]
fn stores_without_samples_or_judges_say_so() {
    let fixture = crate::support::imported(&["tau2-bare.json"]);
    let mut driver = Driver::new(&fixture.path(), 100, 30);
    let screen = driver.press("6");
    assert!(
        screen.contains("no agreement to look at") || screen.contains("never solved"),
        "{screen}"
    );
    let screen = driver.press("7");
    assert!(screen.contains("No judge has said"), "{screen}");
    driver.press("<Enter><Tab>jkhl<Enter>vJSU=!~6<Enter><Tab><Enter>");
}
