//! The Compare screen, driven by keys.

mod search;
mod tree;

use std::path::{Path, PathBuf};

use crossterm::event::{MouseButton, MouseEventKind};
use qualm::compare::Measure;
use qualm::import::{ImportOptions, import};
use qualm::model::Role;
use qualm::store::{Extras, Manifest, Store, StoreWriter};
use qualm::ui::panel::{Comparison, Detail};
use qualm::ui::theme::Theme;
use qualm::ui::{Screen, View};
use serde_json::{Value, json};

use crate::explorer::{Driver, demo};
use crate::support::{demo_at, home};

/// Opens Compare on the first task of a cell whose draws end differently.
fn opened() -> Driver {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("lllll<Enter>x<Enter>");
    assert_eq!(driver.app().screen, Screen::Compare);
    driver
}

fn open_comparison(driver: &Driver) -> Comparison {
    driver.comparison()
}

fn row(driver: &Driver) -> usize {
    let comparison = open_comparison(driver);
    driver.panel().row_in(&comparison.sheet, driver.panel().focus)
}

fn draws(driver: &Driver) -> Vec<u32> {
    driver.panel().keys.iter().map(|key| key.draw).collect()
}

#[test]
fn a_run_opens_beside_one_with_another_outcome() {
    let driver = opened();
    let comparison = open_comparison(&driver);
    let [a, b] = [0, 1].map(|pane| comparison.run(pane).head.outcome.success.expect("graded"));
    assert_ne!(a, b);
    assert_eq!(draws(&driver)[0], 0, "the reference comes first");
}

/// The ranks on a screen that `would rank` says, as rank and number ranked.
fn would_rank(screen: &str) -> Vec<(f64, f64)> {
    let number = |text: &str| -> f64 {
        let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.');
        text[..end.unwrap_or(text.len())].parse().expect("a number")
    };
    let rank = |text: &str| text.split_once('/').map(|(rank, of)| (number(rank), number(of)));
    screen.split("would rank ").skip(1).filter_map(rank).collect()
}

#[test]
fn a_sample_has_a_confidence_and_a_rank_in_place_of_its_reference() {
    let mut driver = opened();
    let mut seen = 0;
    for _ in 0..4 {
        for (rank, of) in would_rank(&driver.screen()) {
            assert!((1.0..=of).contains(&rank), "{}", driver.screen());
            seen += 1;
        }
        driver.press("L");
    }
    assert!(seen >= 4, "{seen}");
}

#[test]
fn panes_can_be_chosen_added_swapped_and_removed() {
    let mut driver = opened();
    let first = draws(&driver);
    driver.press("++");
    assert_eq!(draws(&driver).len(), 4);
    assert!(driver.press("+").contains("four panes at most"));
    driver.press("<Tab>-");
    assert_eq!(draws(&driver).len(), 3);
    assert!(!draws(&driver).contains(&first[1]));
    driver.press("--");
    assert_eq!(draws(&driver), [0], "from the focused one on, the first last");
    assert!(driver.press("-").contains("the last pane stays"));
    driver.press("+");
    assert_eq!(draws(&driver), [0, 1]);
    driver.press("<Tab>>");
    assert_eq!(draws(&driver), [0, 2]);
    driver.press("<");
    assert_eq!(draws(&driver), [0, 1]);
    driver.press("p");
    assert_eq!((draws(&driver), driver.panel().focus), (vec![1, 0], 0));
    driver.press("osample 3 of airline/gpt-4o-mini<Enter>");
    assert_eq!(draws(&driver), [3, 0]);
}

#[test]
fn another_models_run_of_the_task_can_be_added() {
    let mut driver = opened();
    driver.press("<Tab>oreference of airline/gpt-oss<Enter>");
    let keys = driver.panel().keys.clone();
    assert_ne!(keys[0].id.cell, keys[1].id.cell);
    let names = [0, 1].map(|pane| open_comparison(&driver).run(pane).head.task.clone());
    assert_eq!(names[0], names[1]);
    assert!(driver.screen().contains("reference of gpt-oss-20b"), "{}", driver.screen());
    let view = driver.app().view();
    assert_eq!(view.screens.compare.draws.as_deref(), Some("0,0@gpt-oss-20b/default"));
    let again = Driver::with(demo(), view, &Theme::plain(), (120, 40));
    assert_eq!(again.panel().keys, keys);
    assert_eq!(again.panel().focus, 1);
    driver.press("L");
    let after = &driver.panel().keys;
    assert_eq!(after[1].id.cell, keys[1].id.cell, "the panes stay");
    assert_ne!(after[1].id.task, keys[1].id.task);
}

#[test]
fn rows_have_the_edits_that_aec_counts() {
    let driver = opened();
    let comparison = open_comparison(&driver);
    let key = driver.panel().keys[1];
    let engine = driver.shared().engine().expect("loaded").clone();
    let frame = &engine.frames()[key.id.cell as usize];
    let index =
        frame.tasks[key.id.task as usize].samples.iter().position(|sample| sample.draw == key.draw);
    let aec =
        frame.pair_values("aec").expect("values").of(key.id.task as usize)[index.expect("there")];
    let longer = comparison.sheet.steps.iter().map(Vec::len).max().expect("panes") as f64;
    let edits = comparison.sheet.edits(1) as f64;
    assert!((aec - (1.0 - edits / longer)).abs() < 1e-12, "{aec} {edits} {longer}");
}

#[test]
fn keys_jump_to_differences_and_weak_turns() {
    let mut driver = opened();
    let comparison = open_comparison(&driver);
    let parts: Vec<usize> = (0..comparison.sheet.rows.len())
        .filter(|row| comparison.sheet.rows[*row].diverges())
        .collect();
    assert!(parts.len() > 1);
    driver.press("Gd");
    assert_eq!(row(&driver), parts[0], "the first, from anywhere");
    driver.press("d");
    assert_eq!(row(&driver), parts[1]);
    driver.press("w");
    let views = driver.shared().turn_views(comparison.run(0));
    let weakest = views.iter().position(|view| view.weakest).expect("one is");
    assert_eq!(driver.panel().turn, weakest);
    let least = views.iter().filter_map(|view| view.confidence).fold(1.0, f64::min);
    assert_eq!(views[weakest].confidence, Some(least));
    assert_eq!(views[weakest].rank, views.iter().filter_map(|view| view.rank).max());
    driver.press("g]");
    let mut all: Vec<f64> = views.iter().filter_map(|view| view.confidence).collect();
    all.sort_by(f64::total_cmp);
    let weak = views[driver.panel().turn].confidence.expect("a confidence");
    assert!(weak <= all[all.len().div_ceil(4) - 1], "in the weaker quarter");
    let turn = driver.panel().turn;
    driver.press("][");
    assert_eq!(driver.panel().turn, turn);
}

#[test]
fn keys_jump_to_failed_calls_and_truncated_runs() {
    let home = home();
    let path = store(
        home.path(),
        &[vec![say("Hi"), call("look", &json!({})), answer("no", true)], vec![]],
    );
    let mut driver = Driver::new(&path, 100, 30);
    driver.press("2<Enter>ge");
    let comparison = open_comparison(&driver);
    assert!(comparison.sheet.rows[row(&driver)].error);
    assert!(driver.screen().contains("look ! failed"), "{}", driver.screen());
    driver.press("e");
    assert_eq!(row(&driver), comparison.sheet.rows.len() - 1, "the end, since a run was cut off");
    assert!(driver.screen().contains("ended max_steps"));
}

#[test]
fn the_next_task_keeps_the_panes() {
    let mut driver = opened();
    driver.press("<Tab>>");
    let before = draws(&driver);
    let task = driver.shared().task;
    driver.press("xL");
    assert_ne!(driver.shared().task, task);
    assert_eq!((draws(&driver), driver.panel().focus), (before.clone(), 1));
    driver.press("H");
    assert_eq!((driver.shared().task, draws(&driver)), (task, before));
}

#[test]
fn switching_the_lens_stays_on_the_row() {
    let mut driver = opened();
    driver.press("jj");
    let (at, screen) = (row(&driver), driver.screen());
    let next = driver.press("a");
    assert_eq!(row(&driver), at);
    let head = |screen: &str| screen.lines().find(|line| line.contains("rank")).map(str::to_owned);
    assert_ne!(head(&screen).expect("a head"), head(&next).expect("a head"), "score and rank");
    driver.press("spm<Enter>");
    assert_eq!(row(&driver), at);
    driver.press("ster<Enter>");
    assert!(driver.screen().contains("turns by LNSP"), "{}", driver.screen());
}

#[test]
fn panes_scroll_together_until_unlocked() {
    let mut driver = opened();
    driver.press("jjj");
    let locked = row(&driver);
    driver.press("b");
    assert!(driver.screen().contains("unlocked"));
    driver.press("jj");
    let comparison = open_comparison(&driver);
    let other = driver.panel().row_in(&comparison.sheet, 1);
    assert!(row(&driver) > locked && other == locked);
    assert!(
        comparison.sheet.step(row(&driver), 0).is_some()
            || row(&driver) + 1 == comparison.sheet.rows.len()
    );
    driver.press("b");
    let comparison = open_comparison(&driver);
    assert_eq!(driver.panel().row_in(&comparison.sheet, 1), row(&driver));
    driver.press("<Ctrl-d>");
    let scrolls = driver.panel().scrolls.clone();
    assert!(scrolls[0].0 > 0 && scrolls[0] == scrolls[1], "{scrolls:?}");
}

#[test]
fn the_level_of_detail_can_be_changed() {
    let mut driver = opened();
    let count = |driver: &mut Driver| {
        let comparison = open_comparison(driver);
        let blocks = driver.panel().blocks(&comparison, &[(0, 60), (1, 60)], driver.shared());
        blocks.panes.iter().flatten().map(Vec::len).sum::<usize>()
    };
    let short = count(&mut driver);
    driver.press("z");
    let one = count(&mut driver);
    driver.press("zZ");
    assert_eq!(driver.shared().display.detail, Detail::Whole);
    let whole = count(&mut driver);
    driver.press("Z");
    assert_eq!(count(&mut driver), 0);
    assert!(short <= one && one < whole, "{short} {one} {whole}");
}

#[test]
fn the_cursor_moves_through_tokens() {
    let mut driver = opened();
    let screen = driver.press("wt");
    assert_eq!(driver.shared().display.heat, Some(Measure::Probability));
    assert!(screen.contains("probability") && screen.contains("5–95%"), "{screen}");
    let comparison = open_comparison(&driver);
    let tokens = driver.panel().tokens(&comparison).expect("tokens").clone();
    let least = driver.panel().token(&tokens, driver.shared().display);
    let p = |index: usize| tokens.get(index).logprob;
    let action = |index: &usize| tokens.get(*index).span == qualm::model::Span::Action;
    assert!((0..tokens.len()).filter(action).all(|index| p(index) >= p(least)));
    // The alternatives of the token at the cursor, with their probabilities.
    let shown = |text: &str| qualm::text::visible(text).replace(' ', "·");
    for other in tokens.alternatives(least) {
        let two = format!("{:.2}", other.logprob.exp());
        let two = two.strip_prefix('0').unwrap_or(&two).to_owned();
        let line =
            screen.lines().any(|line| line.contains(&shown(other.text)) && line.contains(&two));
        assert!(line, "{:?} {two}\n{screen}", other.text);
    }
    driver.press("l");
    assert_eq!(
        driver.panel().token(&tokens, driver.shared().display),
        (least + 1).min(tokens.len() - 1)
    );
    driver.press("hhW");
    assert_eq!(driver.panel().token(&tokens, driver.shared().display), least);
    driver.press("t");
    assert_eq!(driver.shared().display.heat, Some(Measure::Entropy));
    driver.press("tt");
    assert_eq!(driver.shared().display.heat, None);
}

#[test]
fn an_action_can_be_read_whole_and_searched() {
    let home = home();
    let words: Vec<String> = (0..400).map(|line| format!("line {line} of the Answer\n")).collect();
    let words = words.concat();
    let path = store(
        home.path(),
        &[vec![say("Hi"), call("look", &json!({"a": 1})), answer(&words, false)]],
    );
    let mut driver = Driver::new(&path, 80, 24);
    driver.press("2<Enter>gj");
    let screen = driver.press("<Enter>");
    assert_eq!(driver.app().screen, Screen::Read);
    assert!(screen.contains("call look") && screen.contains("line 0 of"), "{screen}");
    let screen = driver.press("/LINE 377 of<Enter>");
    assert!(screen.contains("line 377 of") && screen.contains("hit 1 of 1"), "{screen}");
    driver.press("/<Ctrl-u>answer<Enter>");
    assert_eq!(driver.app().screens.read.hits.len(), 400);
    driver.press("N");
    assert!(driver.screen().contains("of 400"));
    assert!(driver.press("G").contains("line 399 of"));
    driver.press("y");
    let copied = driver.0.copied.clone().expect("copied");
    assert!(copied.contains("line 0 of") && copied.contains("line 399 of"), "all of it");
    driver.press("<Esc>");
    assert_eq!(driver.app().screen, Screen::Compare);
    driver.press("/answer<Enter>");
    assert_eq!(row(&driver), 1, "the row that holds it");
}

#[test]
fn the_side_pane_shows_what_the_agent_did_not_see() {
    let mut driver = Driver::with(demo(), View::default(), &Theme::plain(), (180, 40));
    let screen = driver.press("lllll<Enter>x<Enter>");
    for words in
        ["hidden from the agent", "the task asks", "reward", "AEC", "equivalent", "different"]
    {
        let either = ["equivalent", "different"].contains(&words)
            && (screen.contains("≡ equivalent") || screen.contains("≢ different"));
        assert!(either || screen.contains(words), "{words}\n{screen}");
    }
    assert!(!driver.press("O").contains("hidden from the agent"));
    let read = driver.press("I");
    assert!(read.contains("hidden from the agent") && read.contains("the task asks"), "{read}");
}

#[test]
fn a_note_is_saved_and_shown() {
    let home = home();
    let path = home.path().join("demo.qualm");
    demo_at(&path, 2);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("<Enter><Enter>j");
    let turn = driver.panel().turn;
    driver.press("codd <Enter>second line<Esc>");
    assert!(driver.screen().contains("not saved"), "left, but kept");
    assert!(Store::open(&path).expect("a store").notes().expect("notes").is_empty());
    let screen = driver.press("c<Ctrl-s>");
    assert!(screen.contains("note saved") && screen.contains("✎"), "{screen}");
    let notes = Store::open(&path).expect("a store").notes().expect("notes");
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].note, "odd \nsecond line");
    assert_eq!((notes[0].draw, notes[0].turn), (Some(0), Some(turn as u32)));
    assert!(notes[0].time > 1_700_000_000 && notes[0].author == "ada");
    driver.press("c<Tab><Tab>about the task<Ctrl-s>");
    let notes = Store::open(&path).expect("a store").notes().expect("notes");
    assert_eq!((notes[1].draw, notes[1].turn), (None, None));
    let screen = driver.press("2");
    assert!(screen.contains("✎"), "{screen}");
    driver.press("&note<Enter>");
    assert_eq!(driver.shared().tasks.table().expect("a table").rows.len(), 1);
    let file = home.path().join("tasks.csv");
    driver.press(&format!("E<Ctrl-u>{}<Enter>", file.display()));
    let written = std::fs::read_to_string(&file).expect("written");
    assert!(written.lines().next().is_some_and(|line| line.ends_with(",notes")), "{written}");
    assert!(written.contains("about the task"), "{written}");
    driver.press("cthird<Ctrl-s>");
    assert_eq!(driver.shared().notes.on(driver.shared().task.expect("a task")).len(), 3);
}

#[test]
fn a_note_that_cannot_be_saved_is_not_lost() {
    let home = home();
    let path = home.path().join("demo.qualm");
    demo_at(&path, 2);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("<Enter>");
    // A folder with the file's name makes appending fail.
    std::fs::create_dir(path.join("annotations.jsonl")).expect("made");
    let screen = driver.press("cmind this<Ctrl-s>");
    assert!(screen.contains("the note is not saved"), "{screen}");
    std::fs::remove_dir(path.join("annotations.jsonl")).expect("removed");
    let screen = driver.press("c");
    assert!(screen.contains("mind this"), "{screen}");
    driver.press("<Ctrl-s>");
    let notes = Store::open(&path).expect("a store").notes().expect("notes");
    assert_eq!(notes[0].note, "mind this");
}

#[test]
fn the_mouse_selects_rows_and_panes() {
    let mut driver = opened();
    driver.mouse(MouseEventKind::Down(MouseButton::Left), 90, 12);
    assert_eq!(driver.panel().focus, 1);
    let selected = row(&driver);
    driver.mouse(MouseEventKind::ScrollDown, 90, 12);
    assert_eq!(row(&driver), selected, "the wheel only scrolls");
    driver.mouse(MouseEventKind::ScrollUp, 90, 12);
    driver.mouse(MouseEventKind::Down(MouseButton::Left), 90, 12);
    assert_eq!(driver.app().screen, Screen::Read, "a second click reads");
}

fn say(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn call(name: &str, arguments: &Value) -> Value {
    let call = json!({"id": "c", "name": name, "arguments": arguments, "requestor": "assistant"});
    json!({"role": "assistant", "content": null, "tool_calls": [call]})
}

fn answer(text: &str, error: bool) -> Value {
    json!({"role": "tool", "id": "c", "content": text, "requestor": "assistant", "error": error})
}

/// Writes a store with one task and these runs.
fn store(home: &Path, runs: &[Vec<Value>]) -> PathBuf {
    let end = json!({"role": "assistant", "content": "That is all."});
    let simulations: Vec<Value> = (0..runs.len())
        .map(|trial| {
            let mut messages = runs[trial].clone();
            messages.push(end.clone());
            json!({"id": format!("r{trial}"), "task_id": "1", "trial": trial, "messages": messages,
                "termination_reason": "max_steps", "reward_info": {"reward": 0.0}})
        })
        .collect();
    let file = home.join("results.json");
    std::fs::write(&file, json!({"simulations": simulations}).to_string()).expect("written");
    let path = home.join("s.qualm");
    import(&[file], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    path
}

/// Keys that use every function of Compare.
const EVERYWHERE: &str = "jjjZjjZdd]][[wezz<Tab>>+pbjjjkbt<Right>WtttO<Enter>GgjI<Esc>D<Ctrl-d><Ctrl-u>G<Enter><Tab><Esc>g";

#[test]
fn unusual_texts_do_not_break_the_layout() {
    let home = home();
    let wide = "日本語のテキスト".repeat(30);
    let emoji = "family 👨‍👩‍👧‍👦 heart ❤️ flag 🇩🇪 ".repeat(20);
    let right = "שלום עולם مرحبا بالعالم ".repeat(20);
    let tabs = "a\tb\tc\r\nd\n\n\n".repeat(20);
    let large = format!("[{}\"end\"]", "\"some item of a very long list\", ".repeat(40_000));
    assert!(large.len() > 1_000_000);
    let empty = json!({"role": "assistant", "content": ""});
    let run = |text: &str| {
        vec![
            say(text),
            call("look", &json!({"text": text, "n": [1, {"deep": [text]}]})),
            answer(text, false),
            empty.clone(),
        ]
    };
    let runs = [&wide, &emoji, &right, &tabs, &large].map(|text| run(text));
    let path = store(home.path(), &runs);
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        let mut driver = Driver::new(&path, width, height);
        driver.press("2<Enter>++");
        for key in [
            "j", "j", "z", "Z", "Z", "<Enter>", "G", "<Esc>", "<Tab>", "D", "b", "j", "t", "O",
            "I", "<Esc>", "<Tab>", "<Enter>", "<Esc>",
        ] {
            driver.press(key);
            let buffer = driver.0.draw();
            let text = qualm::ui::picture::text(&buffer);
            // Text that overflows its pane would break the line between panes.
            let bars = |line: &str| line.matches('│').count();
            if driver.app().screen == Screen::Compare && driver.shared().display.heat.is_none() {
                let lines: Vec<&str> = text.lines().collect();
                let counts: Vec<usize> =
                    lines[6..lines.len() - 1].iter().map(|line| bars(line)).collect();
                assert!(counts.windows(2).all(|two| two[0] == two[1]), "{key} {width}\n{text}");
            }
        }
    }
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("2<Enter>osample 4<Enter>gj<Enter>");
    let page = driver.app().screens.read.page().expect("a text");
    assert!(page.text.len() > large.len(), "nothing is cut");
    assert!(driver.press("G").contains("\"end\""));
}

#[test]
fn a_run_of_five_hundred_turns_opens() {
    let home = home();
    let mut messages = vec![say("go")];
    for turn in 0..500 {
        messages.push(call("step", &json!({"turn": turn})));
        messages.push(answer(&"x".repeat(4_000), false));
    }
    let mut other = messages.clone();
    other.drain(201..203);
    let path = store(home.path(), &[messages, other]);
    let mut driver = Driver::new(&path, 120, 40);
    driver.press("2<Enter>d");
    let comparison = open_comparison(&driver);
    assert_eq!(comparison.sheet.edits(1), 1);
    assert_eq!(comparison.run(0).turns.len(), 501);
    assert_eq!(driver.panel().turn, 100);
    assert!(driver.press("G").contains("ended max_steps"));
}

#[test]
fn only_open_runs_stay_in_memory() {
    let mut driver = opened();
    let first = driver.panel().keys.clone();
    driver.press("xLLL");
    let app = driver.app();
    assert!(app.screens.compare.panel.keys.iter().all(|key| app.shared.runs.get(*key).is_some()));
    assert!(first.iter().all(|key| app.shared.runs.get(*key).is_none()));
}

#[test]
fn a_store_without_messages_says_so() {
    let home = home();
    let path = home.path().join("e.qualm");
    let writer = StoreWriter::create(&path).expect("begun");
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    let mut driver = Driver::new(&path, 100, 24);
    let screen = driver.press(&format!("3{EVERYWHERE}3"));
    assert!(screen.contains("There is no task here: `qualm import` adds results"), "{screen}");
}

/// Compares real results with parallel calls, empty messages, calls by users and long runs.
#[test]
fn real_runs_are_compared() {
    let Some(folder) = crate::real_data::folder() else { return };
    let files = [
        "tau2/airline-grok-3-4x4.json",
        "tau2/telecom-gpt-4.1-solo-5x4.json",
        "tau2/telecom-gpt-4.1-1trial.json",
        "tau-bench/airline-gpt-4o-50x4.json",
        "tau2/irregular-deepseek.json",
        "tau2/airline-qwen2.5-7b-1trial.json",
        "tau2/retail-gpt-4o-gpt4o/run1.json",
    ];
    let mut seen = [0usize; 4];
    for name in files {
        let home = home();
        let path = home.path().join("s.qualm");
        import(&[folder.join(name)], &path, &ImportOptions::default(), &|_| {}).expect(name);
        let mut driver = Driver::new(&path, 120, 40);
        driver.press("2vrturns<Enter>g<Enter>");
        for step in 0..50 {
            driver.press(if step < 4 { EVERYWHERE } else { "d" });
            let comparison = open_comparison(&driver);
            for (pane, opened) in comparison.opened.iter().enumerate() {
                let run = &opened.run;
                // Every message is shown in exactly one row, or before the first.
                let shown: usize =
                    comparison.sheet.steps[pane].iter().map(|step| step.after.len()).sum();
                let first = qualm::compare::before(run).len();
                assert_eq!(first + shown + run.turns.len(), run.messages.len(), "{name}");
                seen[0] += run
                    .messages
                    .iter()
                    .filter(|message| message.is_turn() && message.tool_calls.len() > 1)
                    .count();
                seen[1] += run
                    .messages
                    .iter()
                    .filter(|message| {
                        message.is_turn()
                            && message.tool_calls.is_empty()
                            && message.words().is_none()
                    })
                    .count();
                seen[2] += run
                    .messages
                    .iter()
                    .filter(|message| message.role == Role::User && !message.tool_calls.is_empty())
                    .count();
                seen[3] = seen[3].max(run.messages.len());
            }
            if driver.press("L").contains("no further task") {
                break;
            }
        }
        driver.press("q");
        assert!(driver.app().done, "{name}");
    }
    assert!(seen[..3].iter().all(|count| *count > 0) && seen[3] > 100, "{seen:?}");
}

#[test]
fn the_header_names_the_cell_of_the_open_task() {
    let mut driver = Driver::new(demo(), 160, 40);
    let header = |screen: &str| screen.lines().next().unwrap_or_default().to_owned();
    let cell_of_task = |driver: &Driver| {
        let id = driver.shared().task.expect("a task");
        driver.shared().cell_of(id).expect("a cell").to_string()
    };
    // Tasks of all cells; a filter leaves out the selected one, whose row another cell's task takes.
    driver.press("llllll2v");
    for keys in ["fX3", "X", "2gF3", "2GfF<Enter>", "u"] {
        let screen = driver.press(keys);
        assert_eq!(driver.app().screen, Screen::Compare, "{keys}");
        let (cell, header) = (cell_of_task(&driver), header(&screen));
        assert!(header.contains(&cell), "{keys}: {cell} is not in {header}");
        assert!(!header.contains(" 0 of "), "{keys}: {header}");
        let view = driver.app().view();
        assert!(view.location.task.is_some(), "{keys}: Y would lose the task");
    }
}
