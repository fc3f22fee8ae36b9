//! Ways round the rule that somebody who votes sees nothing of pairs that are not voted on: counts,
//! scopes, lists of runs, and screens that are looked at between two visits to a pair.

use std::path::Path;

use qualm::engine::{PairId, TaskId};
use qualm::store::{ChosenBy, Store};
use qualm::ui::Screen;

use crate::explorer::{Driver, made as demo_store};
use crate::support::{Draw, home, made, verdict};

fn open_pair(driver: &Driver) -> PairId {
    driver.app().screens.triage.pair.expect("a pair")
}

fn chosen_by(path: &Path) -> Vec<Option<ChosenBy>> {
    let votes = Store::open(path).expect("a store").votes().expect("votes");
    votes.iter().map(|vote| vote.chosen_by).collect()
}

/// An expression that fits one task only.
fn only(driver: &Driver, id: TaskId) -> String {
    let frame = &driver.shared().engine().expect("loaded").frames()[id.cell as usize];
    let task = &frame.tasks[id.task as usize].id;
    format!(
        "task = '{task}' and model = '{}' and dataset = '{}'",
        frame.cell.model, frame.cell.dataset
    )
}

#[test]
fn the_list_of_runs_has_no_outcomes_of_held_back_tasks() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 160, 40);
    let screen = driver.press("2<Enter>o");
    assert!(screen.contains("This pane shows") && screen.contains("solved"), "{screen}");
    driver.press("<Esc>7<Enter>2<Enter>");
    let screen = driver.press("o");
    assert!(screen.contains("This pane shows") && screen.contains("hidden"), "{screen}");
    for word in ["✗ failed", "✓ solved", "not graded"] {
        assert!(!screen.contains(word), "{screen}");
    }
}

/// What a typed expression would list is counted among tasks that are voted on, where it tells.
#[test]
fn the_count_of_a_typed_expression_tells_nothing() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 160, 40);
    let all = driver.shared().engine().expect("loaded").frames().iter();
    let all: usize = all.map(|frame| frame.tasks.len()).sum();
    driver.press("7<Enter>");
    for expression in ["success", "not success", "ter >= 0", "solved > 0", "reward >= 0"] {
        for scope in ["", "<Ctrl-s>"] {
            let screen = driver.press(&format!("&{expression}{scope}"));
            let verb = if scope.is_empty() { "lists" } else { "numbers on" };
            let words =
                format!("{verb} 0 of {all} tasks, without tasks that you have not voted on");
            assert!(screen.contains(&words), "{expression}: {screen}");
            driver.press("<Esc>");
        }
    }
    let screen = driver.press("&turns > 0");
    assert!(screen.contains(&format!("lists {all} of {all} tasks")), "{screen}");
    assert!(!screen.contains("without tasks"), "{screen}");
}

/// Numbers on a few tasks, or on tasks that are all held back, are those of the open pair.
#[test]
fn a_small_scope_shows_no_numbers_while_voting() {
    let (home, path) = demo_store(6);
    let mut driver = Driver::new(&path, 160, 40);
    driver.press("7<Enter>");
    let scope = only(&driver, open_pair(&driver).id);
    let screen = driver.press(&format!("&{scope}<Ctrl-s><Enter>"));
    assert!(!screen.contains("leaves only"), "{screen}");
    let sentence = "The scope is too small to show numbers while you vote";
    for key in ["1", "4", "6", "7"] {
        let screen = driver.press(key);
        assert!(screen.contains(sentence), "{key}: {screen}");
        assert!(!screen.contains("leaves only") && !screen.contains("AUROC ."), "{screen}");
        let file = home.path().join(format!("screen{key}.json"));
        let screen = driver.press(&format!("E<Ctrl-u>{}<Enter>", file.display()));
        assert!(!file.exists() && screen.contains("too small"), "{key}: {screen}");
        driver.press("<Esc>");
        assert!(!driver.press("y").contains("copied"), "{key}: {}", driver.screen());
    }
    // With the scope lifted, numbers are back.
    assert!(!driver.press("1%").contains(sentence), "{}", driver.screen());
}

/// Two stores that differ in outcomes only say the same of a selection and a scope by outcomes.
#[test]
fn counts_of_selected_and_held_back_tasks_do_not_depend_on_outcomes() {
    let mut seen: Vec<Vec<String>> = Vec::new();
    for success in [true, false] {
        let home = home();
        let draw = |success| Draw { success: Some(success), db_match: None, actions: vec!["a"] };
        let mut tasks = vec![vec![draw(true), draw(false)]; 7];
        tasks[0] = vec![draw(success), draw(success)];
        let verdicts = ["j", "k"]
            .into_iter()
            .flat_map(|judge| (0..7).map(move |task| verdict(judge, task, 1, Some(judge == "j"))));
        let verdicts = verdicts.collect();
        let path = made(home.path(), &tasks, verdicts);
        let mut driver = Driver::new(&path, 160, 40);
        driver.press("7<Enter>");
        assert!(driver.shared().is_voting, "{}", driver.screen());
        let mut screens = Vec::new();
        for keys in
            ["2&task = '0' and success<Enter>", "4", "\\2&task = '0' and success<Ctrl-s><Enter>"]
        {
            screens.push(driver.press(keys));
        }
        driver.press("%6<Tab>");
        for column in 0..6 {
            screens.push(driver.press(&format!("hhhhhh{}<Enter>", "l".repeat(column))));
        }
        let lists = screens.iter().map(|screen| {
            let kept = screen.lines().filter(|line| {
                ["selected", "held back", "scope", "numbers on"]
                    .iter()
                    .any(|word| line.contains(word))
            });
            kept.collect::<Vec<_>>().join("\n")
        });
        let lists: Vec<String> = lists.collect();
        assert!(lists[0].contains("7 tasks"), "{}", screens[0]);
        seen.push(lists);
    }
    assert_eq!(seen[0], seen[1]);
}

/// The lists behind numbers of Judges leave out pairs that are not voted on, also after Esc.
#[test]
fn lists_of_judges_leave_out_open_pairs_for_a_voter() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 160, 40);
    let pairs: usize = {
        let frames = driver.shared().engine().expect("loaded").frames().iter();
        frames.flat_map(|frame| frame.tasks.iter()).map(|task| task.samples.len()).sum()
    };
    driver.press("7<Enter><Esc>");
    assert!(!driver.shared().is_voting);
    let screen = driver.press("<Tab><Tab><Enter>");
    assert!(driver.app().overlays.is_empty(), "{screen}");
    let words =
        format!("{} held back until you have voted", qualm::text::counted(pairs as u64, "pair"));
    assert!(screen.contains(&words), "{words}: {screen}");
}

/// A task whose outcomes were on screen after its pair was opened is voted on directly.
#[test]
fn outcomes_seen_between_two_visits_make_a_vote_direct() {
    // Only Judges is looked at in between: it shows nothing of the pair.
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 160, 40);
    driver.press("7<Enter><Esc><Enter>=");
    assert_eq!(chosen_by(&path), [Some(ChosenBy::Queue)]);
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 160, 40);
    driver.press("7<Enter>");
    let pair = open_pair(&driver);
    let screen = driver.press("<Esc>2");
    assert_eq!(driver.shared().cell, pair.id.cell as usize);
    assert!(screen.contains("will not count in the audit"), "{screen}");
    let screen = driver.press("7<Enter>");
    assert_eq!(open_pair(&driver), pair);
    assert!(screen.contains("chosen directly"), "{screen}");
    driver.press("=");
    assert_eq!(chosen_by(&path), [Some(ChosenBy::Direct)]);
}

/// From a pair that is voted on, Compare shows what Triage shows.
#[test]
fn compare_of_a_voted_pair_shows_outcomes() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 160, 40);
    let screen = driver.press("7<Enter>=3");
    assert_eq!(driver.app().screen, Screen::Compare);
    assert!(screen.contains('✓') || screen.contains('✗'), "{screen}");
}

/// A low screen says that there are more verdicts than it shows.
#[test]
fn verdicts_that_do_not_fit_end_in_an_ellipsis() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 80, 15);
    let screen = driver.press("7<Enter>=");
    let line = screen.lines().find(|line| line.contains("you: ")).expect("a line").trim_end();
    assert!(line.ends_with('…'), "{screen}");
}

#[test]
fn messages_about_hidden_values_are_plain() {
    let (_home, path) = demo_store(4);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("7<Enter>H");
    assert!(screen.contains("(wrapped round)"), "{screen}");
    let screen = driver.press("2<Enter>*");
    assert!(screen.contains("the outcome is hidden until you have voted"), "{screen}");
    let screen = driver.press("6<Enter>");
    assert!(screen.contains("would reveal how runs ended"), "{screen}");
}
