//! What screens do with the room there is, and styles that must not collide.

use qualm::model::Cell;
use qualm::ui::theme::Theme;
use ratatui::style::Modifier;
use serde_json::json;

use crate::explorer::{Driver, demo, view};
use crate::first_screen::store;
use crate::support::{home, qualm, text};

/// The line of column titles, and where a title ends in it.
fn heads(screen: &str) -> &str {
    screen.lines().find(|line| line.contains("task  ") || line.contains(" task ")).unwrap_or("")
}

#[test]
fn long_ids_of_all_cells_leave_room_for_scores() {
    let home = home();
    let tasks: Vec<_> = (0..4)
        .map(|index| {
            let id = format!("[service_issue]airplane_mode_on|overdue_bill_{index}[PERSONA:None]");
            (id, vec![(index % 2 == 0, vec!["look"; index + 1])])
        })
        .collect();
    let solo = Cell { condition: "llm_agent_solo".to_owned(), ..Cell::new("telecom", "gpt-4.1") };
    let cells = [(Cell::new("telecom", "gpt-4.1"), tasks.clone()), (solo, tasks)];
    let path = store(home.path(), &cells);
    for size in [(80, 24), (100, 24), (120, 40), (200, 50)] {
        let mut driver = Driver::new(&path, size.0, size.1);
        let screen = driver.press("2v");
        let heads = heads(&screen);
        for title in ["dataset", "model", "cond.", "score▾"] {
            assert!(heads.contains(title), "{title} at {size:?}\n{screen}");
        }
        assert!(screen.contains("telecom"), "{screen}");
    }
}

#[test]
fn wide_screens_show_what_turns_say() {
    let mut driver = Driver::new(demo(), 200, 50);
    let screen = driver.press("<Enter>");
    let turns = screen.lines().skip_while(|line| !line.contains("turns of the reference"));
    let first = turns.clone().nth(1).expect("a turn");
    assert!(first.contains('{') || first.split("message").count() > 1, "{screen}");
    // The bar of a full score is longer than on narrow screens.
    assert!(screen.contains(&"━".repeat(20)), "{screen}");
}

#[test]
fn columns_of_an_empty_list_do_not_lack_room() {
    let mut driver = Driver::new(demo(), 120, 40);
    let screen = driver.press("<Enter>&turns > 9999<Enter>|");
    assert!(screen.contains("No task of 6 fits"), "{screen}");
    assert!(!screen.contains("no room"), "{screen}");
}

#[test]
fn a_narrow_top_line_cuts_no_counts_of_marks() {
    let mut driver = Driver::new(demo(), 80, 24);
    let screen = driver.press("<Enter>&turns > 1 and tools >= 0<Enter><Space>");
    let top = screen.lines().next().expect("a line");
    assert!(top.contains("●1") || top.contains("(1 marked)"), "{screen}");
    // A task has its cell on a line of its own where the top line has no room for both.
    let screen = driver.press("k<Enter>");
    let named = screen.lines().take(4).collect::<String>();
    assert!(named.contains("bfcl-v4/gpt-4o-mini") && named.contains("task "), "{screen}");
}

#[test]
fn nothing_on_a_reversed_row_is_dim() {
    let screens = ["grid", "tasks", "compare", "aggregators", "stuck", "judges", "cells", "versus"];
    let screens = screens.map(|screen| json!({"screen": screen})).into_iter();
    let pages = ["plots", "combine", "signal", "stopping", "families"];
    let pages = pages.map(|page| json!({"screen": "curves", "page": page, "with": ["ter"]}));
    for screen in screens.chain(pages) {
        let opened = view(screen.clone());
        let mut driver = Driver::with(demo(), opened, &Theme::plain(), (120, 40));
        for keys in ["j", "B", "<Tab>", "s", "<Esc>$", "<Esc>:", "<Esc>&", "<Esc>?"] {
            driver.press(keys);
            let buffer = driver.0.draw();
            for line in buffer.area.rows() {
                let cells: Vec<_> = line.positions().map(|position| &buffer[position]).collect();
                let collides = |cell: &&&ratatui::buffer::Cell| {
                    cell.modifier.contains(Modifier::REVERSED | Modifier::DIM)
                };
                assert_eq!(cells.iter().find(collides), None, "{screen} after {keys}");
                let gaps = cells.windows(2).filter(|two| {
                    let blank = |cell: &ratatui::buffer::Cell| {
                        cell.symbol() == " " && cell.modifier.contains(Modifier::UNDERLINED)
                    };
                    blank(two[0]) && blank(two[1])
                });
                assert_eq!(gaps.count(), 0, "underlined blanks on {screen} after {keys}");
            }
        }
    }
}

#[test]
fn a_short_table_of_cells_leaves_its_room_to_words() {
    let home = home();
    let tasks = vec![("1".to_owned(), vec![(true, vec!["look"])])];
    let path = store(home.path(), &[(Cell::new("airline", "m"), tasks)]);
    let mut driver = Driver::new(&path, 80, 24);
    let screen = driver.press("0");
    assert!(screen.contains("a judge (TER)"), "what is possible is said to the end\n{screen}");
}

#[test]
fn the_longest_names_of_cells_are_cut_first() {
    let home = home();
    let tasks = vec![("1".to_owned(), vec![(true, vec!["look"])])];
    let long = "discrete_time_audio_native_agent_with_interruptions".to_owned();
    let cell = Cell { condition: long, ..Cell::new("airline", "deepseek-v4") };
    let path = store(home.path(), &[(cell, tasks)]);
    let screen = Driver::new(&path, 80, 24).press("0");
    assert!(screen.contains("deepseek-v4 "), "{screen}");
}

#[test]
fn a_scorer_list_without_calls_shows_what_is_needed() {
    let mut driver = Driver::new(demo(), 80, 24);
    let screen = driver.press("$");
    assert!(!screen.contains("calls"), "no model has to be asked\n{screen}");
    assert!(screen.contains("log-probabilities, alternatives of tokens"), "{screen}");
}

/// Words with some letters in lines that have others before them.
fn names(screen: &str, letters: &str, before: &str) -> Vec<String> {
    let lines = screen.lines().skip(2).filter_map(|line| line.split_once(before));
    let name = |(_, rest): (&str, &str)| {
        rest.split_whitespace().find(|word| word.contains(letters)).map(str::to_owned)
    };
    lines.filter_map(name).collect()
}

#[test]
fn names_of_cells_and_scorers_stay_apart_on_curves_and_versus() {
    let home = home();
    let tasks = |seed: usize| {
        let task = |index: usize| {
            (
                index.to_string(),
                vec![(!(index + seed).is_multiple_of(3), vec!["look"; index % 4 + 1])],
            )
        };
        (0..12).map(task).collect::<Vec<_>>()
    };
    let cell = |kind: &str| Cell {
        condition: format!("discrete_time_audio_native_{kind}_with_interruptions_on"),
        ..Cell::new("telecom", "deepseek-v4")
    };
    let path = store(home.path(), &[(cell("loud"), tasks(0)), (cell("calm"), tasks(1))]);
    let row = |task: usize, kind: &str| {
        let condition = cell(kind).condition;
        format!("{task},{condition},{},{}\n", task % 5, (task + 2) % 7)
    };
    let scores: String =
        (0..12).flat_map(|task| ["loud", "calm"].map(|kind| row(task, kind))).collect();
    let heads = "uncertainty_of_the_whole_first_answer,uncertainty_of_the_whole_final_answer";
    std::fs::write(home.path().join("mine.csv"), format!("task,condition,{heads}\n{scores}"))
        .expect("written");
    let out = crate::support::run(home.path(), &["import", "mine.csv", "-o", "made.qualm"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let lens = json!({"scorer": "uncertainty_of_the_whole_first_answer"});
    for size in [(80, 24), (120, 40), (200, 50)] {
        let open = |keys: &str, more: serde_json::Value| {
            let mut opened = lens.clone();
            more.as_object().expect("settings").iter().for_each(|(name, value)| {
                opened[name] = value.clone();
            });
            Driver::with(&path, view(opened), &Theme::plain(), size).press(keys)
        };
        let with = json!({"screen": "curves", "with": ["uncertainty_of_the_whole_final_answer"]});
        for (keys, part, before) in
            [("", "unc", "⠤⠤⠤"), ("}", "telecom", ""), ("}}}}<Tab>", "telecom", "")]
        {
            let screen = open(keys, with.clone());
            let found = names(&screen, part, before);
            let apart: std::collections::BTreeSet<_> = found.iter().collect();
            assert!(found.len() > 1 && apart.len() > 1, "{keys} at {size:?}: {found:?}\n{screen}");
        }
        let screen = open("", json!({"screen": "versus"}));
        for line in ["baseline  telecom", "candidate  telecom"] {
            assert!(screen.contains(line), "{screen}");
        }
        let [first, second] = ["baseline", "candidate"]
            .map(|side| screen.lines().find(|line| line.contains(&format!("{side}  "))))
            .map(|line| line.expect("a cell").split_whitespace().nth(1).expect("a name"));
        assert_ne!(first, second, "{screen}");
        let screen = open("<Tab>G", json!({"screen": "versus"}));
        let rows: Vec<&str> = screen
            .lines()
            .filter_map(|line| line.trim_start_matches(['▸', ' ']).split_whitespace().next())
            .filter(|name| name.contains("unc") || name.contains("answer"))
            .collect();
        let apart: std::collections::BTreeSet<_> = rows.iter().collect();
        assert!(rows.len() == 2 && apart.len() == 2, "{rows:?}\n{screen}");
    }
}

#[test]
fn the_palette_cuts_no_keys() {
    let mut driver = Driver::new(demo(), 80, 24);
    let screen = driver.press(":");
    let line = screen.lines().find(|line| line.contains("count stuck tasks")).expect("a command");
    assert!(line.trim_end_matches(['│', ' ', '▸']).ends_with(" S"), "{screen}");
}

#[test]
fn tabs_have_whole_names_at_80_columns() {
    let mut driver = Driver::new(demo(), 80, 24);
    let screen = driver.press("1");
    let tabs = screen.lines().nth(1).expect("tabs");
    for name in ["0 Cells", "1 Grid", "2 Tasks", "3 Compare", "5 Curves", "7 Judges", "8 Versus"] {
        assert!(tabs.contains(name), "{screen}");
    }
}

#[test]
fn a_search_says_how_many_tasks_fit() {
    let mut driver = Driver::new(demo(), 120, 40);
    let screen = driver.press("<Enter>/the<Enter>");
    assert!(screen.contains("“the”: ") && screen.contains(" of 6 tasks"), "{screen}");
}

#[test]
fn the_only_error_or_divergence_is_said_to_be_the_only_one() {
    let home = home();
    let draws = vec![(true, vec!["look", "act"]), (false, vec!["look", "ask"])];
    let cells = [(Cell::new("a", "m"), vec![("1".to_owned(), draws)])];
    let path = store(home.path(), &cells);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("2<Enter>d");
    assert!(!screen.contains("the only divergence"), "{screen}");
    let screen = driver.press("d");
    assert!(screen.contains("this is the only divergence"), "{screen}");
}

#[test]
fn opened_folders_are_named() {
    let home = home();
    let folder = home.path().join("results");
    std::fs::create_dir(&folder).expect("a folder");
    for name in ["a.json", "b.json"] {
        let run = json!({"id": name, "task_id": name, "reward_info": {"reward": 1},
            "messages": [{"role": "assistant", "content": "Hello"}]});
        let file = json!({"simulations": [run]});
        std::fs::write(folder.join(name), file.to_string()).expect("written");
    }
    let out = qualm(home.path()).arg("results").output().expect("run");
    let said = text(&out.stdout);
    assert!(said.starts_with("results (2 files)\n"), "{said}{}", text(&out.stderr));
}
