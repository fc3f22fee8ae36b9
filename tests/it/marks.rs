//! Marked tasks, columns of the table of tasks, and jumping back to where one was.

use qualm::engine::TaskId;
use qualm::store::Store;
use qualm::ui::Screen;
use qualm::ui::theme::Theme;

use crate::explorer::{Driver, demo, made, view};

fn tasks() -> Driver {
    let mut driver = Driver::new(demo(), 120, 40);
    driver.press("<Enter>");
    driver
}

/// The rows of the table.
fn rows(driver: &Driver) -> Vec<TaskId> {
    driver.shared().tasks.table().expect("a table").rows.clone()
}

fn task(driver: &Driver) -> TaskId {
    driver.shared().task.expect("a task")
}

#[test]
fn marks_are_shown_counted_and_cleared() {
    for size in [(80, 24), (120, 40), (200, 50), (80, 15)] {
        let mut driver = Driver::new(demo(), size.0, size.1);
        let screen = driver.press("<Enter><Space>j<Space>");
        let all = rows(&driver);
        assert_eq!(driver.shared().tasks.marked(), [all[0], all[2]], "Space goes on to the next");
        assert_eq!(screen.matches('●').count(), 2, "{screen}");
        assert!(screen.lines().next().is_some_and(|top| top.contains("2 marked")), "{screen}");
        driver.press("k<Space>");
        assert_eq!(driver.shared().tasks.marked(), [all[0]], "Space again takes the mark away");
        let screen = driver.press("<Delete>");
        assert!(screen.contains("1 task no longer marked"), "{screen}");
        assert!(!screen.contains('●') && driver.shared().tasks.marks.is_empty(), "{screen}");
        assert!(driver.press("<Delete>").contains("no task is marked"));
    }
}

#[test]
fn compare_goes_through_the_marked_tasks() {
    let mut driver = tasks();
    driver.press("j<Space>j<Space>j<Space>");
    let all = rows(&driver);
    let screen = driver.press("g<Enter>L");
    assert_eq!(task(&driver), all[1], "from a task without a mark the neighbours are all tasks");
    assert!(!screen.contains("marked"), "{screen}");
    let screen = driver.press("<Esc><Enter>");
    assert!(screen.contains("1 of 3 marked"), "{screen}");
    let screen = driver.press("L");
    assert_eq!(task(&driver), all[3]);
    assert!(screen.contains("2 of 3 marked"), "{screen}");
    let screen = driver.press("LL");
    assert_eq!(task(&driver), all[5]);
    assert!(screen.contains("there is no further marked task"), "{screen}");
    driver.press("H");
    assert_eq!(task(&driver), all[3]);
}

#[test]
fn what_is_written_has_the_rows_and_columns_of_the_screen() {
    let home = crate::support::home();
    let mut driver = tasks();
    let write = |driver: &mut Driver, name: &str| {
        let path = home.path().join(name);
        let prompt = driver.press("E<Ctrl-u>");
        let screen = driver.press(&format!("{}<Enter>", path.display()));
        (std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{screen}")), prompt, screen)
    };
    let (text, prompt, screen) = write(&mut driver, "all.csv");
    let head = "dataset,model,condition,task,success,samples,samples_solved,scorer,aggregator,value,\
                rank,turns,tools,termination,notes";
    assert_eq!(text.lines().next(), Some(head));
    assert_eq!(text.lines().count(), rows(&driver).len() + 1);
    assert!(!prompt.contains("marked") && !screen.contains("marked"), "{screen}");
    // Another order of rows and columns.
    driver.press("R|tools<Enter><Esc>|aec<Enter><Esc>g<Space>j<Space>");
    let marked = driver.shared().tasks.marked();
    let (text, prompt, screen) = write(&mut driver, "marked.csv");
    assert!(prompt.contains("only 2 marked tasks"), "{prompt}");
    assert!(screen.contains("only 2 marked tasks"), "{screen}");
    let head = "dataset,model,condition,task,success,samples,samples_solved,scorer,aggregator,value,\
                rank,aec,turns,termination,notes";
    assert_eq!(text.lines().next(), Some(head));
    let name = |id: &TaskId| driver.shared().task_of(*id).expect("a task").id.clone();
    let written: Vec<String> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(3).expect("a task").to_owned())
        .collect();
    assert_eq!(written, marked.iter().map(name).collect::<Vec<_>>(), "in the order of the rows");
    driver.press("y");
    let copied = driver.0.copied.clone().expect("copied");
    let lines: Vec<&str> = copied.lines().collect();
    assert_eq!(lines.len(), 4, "{copied}");
    assert_eq!(lines[0].matches(" | ").count(), head.matches(',').count(), "{copied}");
    assert!(lines[1].starts_with("|---|"), "{copied}");
    let screen = driver.press("<Delete>y");
    assert!(screen.contains("copied as a Markdown table: this row"), "{screen}");
    assert_eq!(driver.0.copied.clone().expect("copied").lines().count(), 3);
}

#[test]
fn one_note_is_put_on_every_marked_task() {
    let (_home, path) = made(4);
    let mut driver = Driver::new(&path, 120, 40);
    let screen = driver.press("<Enter><Space>j<Space>codd");
    assert!(screen.contains("Note on each of 2 marked tasks"), "{screen}");
    // What is left keeps its tasks.
    driver.press("<Esc><Delete>G");
    let screen = driver.press("c");
    assert!(screen.contains("Note on each of 2 marked tasks"), "{screen}");
    let screen = driver.press("<Ctrl-s>");
    assert!(screen.contains("note saved on 2 tasks, by ada"), "{screen}");
    let notes = Store::open(&path).expect("a store").notes().expect("notes");
    let mut noted: Vec<String> = notes.iter().map(|note| note.task.clone()).collect();
    noted.sort();
    let all = rows(&driver);
    let name = |id: TaskId| driver.shared().task_of(id).expect("a task").id.clone();
    let mut expected = [all[0], all[2]].map(name).to_vec();
    expected.sort();
    assert_eq!(noted, expected);
    assert!(notes.iter().all(|note| note.note == "odd" && note.draw.is_none()));
    assert!(driver.press("cone<Ctrl-s>").contains("note saved, by ada"));
}

#[test]
fn columns_are_hidden_moved_widened_and_remembered() {
    let mut driver = Driver::new(demo(), 200, 50);
    driver.press("<Enter>");
    let heads = |driver: &mut Driver| driver.screen().lines().nth(2).expect("heads").to_owned();
    let before = heads(&mut driver);
    let at = |heads: &str, title: &str| heads.find(title).unwrap_or_else(|| panic!("{heads}"));
    assert!(at(&before, "outcome") < at(&before, "score"), "{before}");
    // The list begins with dataset, model, condition, task, success, score, rank.
    let screen = driver.press("|<Down><Down><Down><Down><Down>");
    assert!(screen.contains("▸ score"), "{screen}");
    driver.press("<");
    let moved = heads(&mut driver);
    assert!(at(&moved, "score") < at(&moved, "outcome"), "{moved}");
    let screen = driver.press("++");
    assert!(screen.contains("▸ score") && screen.contains("35 wide  shown"), "{screen}");
    driver.press("<Esc>|rank<Enter><Esc>");
    let hidden = heads(&mut driver);
    assert!(!hidden.contains("rank") && hidden.contains("turns"), "{hidden}");
    assert_eq!(at(&hidden, "outcome") - at(&moved, "outcome"), 4, "{hidden}");
    driver.press("Y");
    let command = driver.0.copied.clone().expect("copied");
    let layout =
        "--layout dataset,model,condition,task,score:35,success,turns,tools,termination,note";
    assert!(command.contains(layout), "{command}");
    let view = driver.app().view();
    let mut again = Driver::with(demo(), view.clone(), &Theme::plain(), (200, 50));
    assert_eq!(again.app().view(), view);
    assert_eq!(heads(&mut again), hidden);
    // Only what the flag names is shown.
    let flags = view_of("task,agreement,score:8");
    let mut driver = Driver::with(demo(), flags, &Theme::plain(), (120, 40));
    let shown = heads(&mut driver);
    let shown: Vec<&str> = shown.split_whitespace().take(3).collect();
    assert_eq!(shown, ["task", "agreement", "score▾"]);
    let problems = |layout: &str| {
        let driver = Driver::with(demo(), view_of(layout), &Theme::plain(), (120, 40));
        driver.app().problems.join("; ")
    };
    assert!(problems("task,speed").starts_with("--layout: there is no column `speed`"));
    assert!(problems("task:0").starts_with("--layout: `0` is no width"));
}

fn view_of(layout: &str) -> qualm::ui::View {
    view(serde_json::json!({"screen": "tasks", "layout": layout}))
}

#[test]
fn every_column_can_be_shown_at_any_width() {
    let driver = tasks();
    let all = driver.shared().tasks.columns.all().iter();
    let names: Vec<String> = all.map(|choice| choice.column.name()).collect();
    for name in names {
        for width in [3, 120] {
            let flags = view_of(&format!("{name}:{width}"));
            let screen = Driver::with(demo(), flags, &Theme::plain(), (60, 15)).screen();
            assert!(screen.contains("2 Tasks"), "{name}:{width}\n{screen}");
        }
    }
}

#[test]
fn ctrl_o_jumps_back_to_where_one_was() {
    let mut driver = tasks();
    assert!(Driver::new(demo(), 120, 40).press("<Ctrl-o>").contains("nowhere to jump back to"));
    driver.press("jj");
    let (cell, first) = (driver.shared().cell, task(&driver));
    driver.press("<Enter>jjd");
    let turn = driver.panel().row;
    driver.press("6");
    driver.press("2>>");
    assert_ne!(driver.shared().cell, cell);
    driver.press("<Ctrl-o><Ctrl-o>");
    assert_eq!((driver.app().screen, driver.shared().cell), (Screen::Tasks, cell), "the cells");
    assert_eq!(driver.shared().task, Some(first), "and its task");
    driver.press("<Ctrl-o>");
    assert_eq!(driver.app().screen, Screen::Stuck);
    driver.press("<Ctrl-o>");
    assert_eq!((driver.app().screen, task(&driver)), (Screen::Compare, first));
    assert_eq!(driver.panel().row, turn, "and the row");
    driver.press("L<Ctrl-o>");
    assert_eq!(task(&driver), first, "from one task to another");
    driver.press("<Esc>");
    assert_eq!(driver.app().screen, Screen::Tasks, "Esc goes up as it would have then");
    driver.press("<Ctrl-o><Ctrl-o><Ctrl-o>");
    assert_eq!(driver.app().screen, Screen::Grid);
}

#[test]
fn a_search_is_one_jump_and_scrolling_is_kept() {
    let mut driver = Driver::new(demo(), 120, 24);
    driver.press("<Enter>v<Ctrl-d><Ctrl-d><Ctrl-d>kkk");
    let (before, screen) = (task(&driver), driver.screen());
    driver.press("/find_user_by_email<Enter>");
    assert_ne!(task(&driver), before);
    driver.press("<Esc><Enter><Esc><Ctrl-o><Ctrl-o>");
    let again = driver.press("<Ctrl-o>");
    assert_eq!(task(&driver), before);
    let body = |screen: &str| screen.lines().skip(2).take(20).collect::<Vec<_>>().join("\n");
    assert_eq!(body(&again), body(&screen), "the same rows on screen");
}
