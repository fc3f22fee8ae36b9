//! Which runs are references, and how the others are numbered.

use super::*;
use crate::model::Origin;
use crate::store::FirstRows;

/// A run of task 1 by its file, trial and temperature.
fn entry(source: &str, trial: i64, temperature: Option<f64>) -> Entry {
    of_task("1", source, trial, temperature)
}

fn of_task(task: &str, source: &str, trial: i64, temperature: Option<f64>) -> Entry {
    let mut head = Head::new(Cell::new("d", "m"), task);
    head.origin = Origin { source: source.to_owned(), trial: Some(trial), ..Origin::default() };
    head.temperature = temperature;
    Entry { id: 0, head, rows: FirstRows::default() }
}

/// The record of a run that left no trajectory.
fn crashed(run: &Entry) -> Skip {
    Skip {
        cell: run.head.cell.clone(),
        task: run.head.task.clone(),
        trial: run.head.origin.trial,
        source: run.head.origin.source.clone(),
        reason: "crashed".to_owned(),
        repeat: 0,
        temperature: run.head.temperature,
        copy: false,
    }
}

fn file(path: &str, unordered: bool) -> ImportedFile {
    ImportedFile { path: path.to_owned(), unordered, ..ImportedFile::default() }
}

const FILES: [&str; 3] = ["x/a.json", "b.json", "c.json"];

fn draws_with(entries: &mut [Entry], skipped: &[Skip], reference: Option<&str>) -> Vec<u32> {
    let reference = reference.map(Reference::parse);
    let files = FILES.map(|path| file(path, false));
    let numbering = Numbering::new(&files, skipped, reference.as_ref());
    let Numbered { without, .. } = numbering.number(entries);
    let tasks: HashSet<&str> = entries.iter().map(|entry| entry.head.task.as_str()).collect();
    let references = entries.iter().filter(|entry| entry.head.draw == 0).count();
    assert_eq!(tasks.len(), references + without.len());
    entries.iter().map(|entry| entry.head.draw).collect()
}

fn draws(entries: &mut [Entry], reference: Option<&str>) -> Vec<u32> {
    draws_with(entries, &[], reference)
}

#[test]
fn by_trial_then_by_file() {
    let mut runs =
        [entry("b.json", 0, None), entry("x/a.json", 1, None), entry("x/a.json", 0, None)];
    assert_eq!(draws(&mut runs, None), [1, 2, 0]);
    assert_eq!(draws(&mut runs, Some("1")), [2, 0, 1]);
    assert_eq!(draws(&mut runs, Some("b.json")), [0, 2, 1]);
    assert_eq!(draws(&mut runs, Some("a.json")), [1, 2, 0]);
    assert_eq!(draws(&mut runs, Some("7")), [2, 3, 1], "no run is of that trial");
    assert_eq!(draws(&mut runs, Some("c.json")), [1, 2, 0], "the file is of another cell");
}

#[test]
fn greedy_wins_among_sampled_only() {
    let mut mixed = [
        entry("x/a.json", 0, Some(0.7)),
        entry("b.json", 0, Some(0.0)),
        entry("x/a.json", 1, Some(0.7)),
    ];
    assert_eq!(draws(&mut mixed, None), [1, 0, 2]);
    assert_eq!(draws(&mut mixed, Some("0")), [0, 1, 2]);
    let mut greedy = [entry("b.json", 0, Some(0.0)), entry("x/a.json", 0, Some(0.0))];
    assert_eq!(draws(&mut greedy, None), [1, 0]);
}

#[test]
fn a_crashed_greedy_run_is_not_replaced() {
    let greedy = |task| of_task(task, "b.json", 0, Some(0.0));
    let sample = |task, trial| of_task(task, "x/a.json", trial, Some(0.7));
    let mut runs = [sample("1", 0), sample("1", 1), sample("2", 0), greedy("2")];
    for skipped in [vec![], vec![crashed(&greedy("1"))]] {
        assert_eq!(draws_with(&mut runs, &skipped, None), [1, 2, 1, 0]);
        assert_eq!(draws_with(&mut runs, &skipped, Some("b.json")), [1, 2, 1, 0]);
        assert_eq!(draws_with(&mut runs, &skipped, Some("any")), [0, 1, 1, 0]);
    }
    // A later greedy run of the task is its reference, also from a file that repeats others.
    let again = |task| of_task(task, "c.json", 0, Some(0.0));
    let mut rerun = [sample("1", 0), sample("2", 0), greedy("2"), again("1"), again("2")];
    assert_eq!(draws_with(&mut rerun, &[crashed(&greedy("1"))], None), [1, 1, 0, 0, 2]);
    // Nothing but crashes is left of the greedy file.
    let skipped = [crashed(&greedy("1"))];
    let mut samples = [sample("1", 0), sample("1", 1)];
    assert_eq!(draws_with(&mut samples, &skipped, None), [1, 2]);
    assert_eq!(draws_with(&mut samples, &skipped, Some("b.json")), [1, 2]);
    // The samples crashed: the greedy run is the reference, whichever file comes first.
    let skipped = [crashed(&sample("1", 0)), crashed(&sample("1", 1))];
    assert_eq!(draws_with(&mut [greedy("1")], &skipped, None), [0]);
}

#[test]
fn a_missing_trial_0_is_not_replaced() {
    let run = |task, trial| of_task(task, "x/a.json", trial, None);
    let mut runs = [run("1", 1), run("1", 2), run("2", 0), run("2", 1)];
    assert_eq!(draws(&mut runs, None), [1, 2, 0, 1]);
    let mut from_one = [run("1", 1), run("1", 2), run("2", 1)];
    assert_eq!(draws(&mut from_one, None), [0, 1, 0], "trials are counted from 1 here");
    let skipped = [crashed(&run("2", 0))];
    assert_eq!(draws_with(&mut from_one, &skipped, None), [1, 2, 1]);
}

#[test]
fn files_are_draws_where_they_share_tasks_and_parts_where_not() {
    let run = |task, file| of_task(task, file, 0, None);
    let mut draw_files = [run("1", "x/a.json"), run("1", "b.json"), run("2", "b.json")];
    assert_eq!(draws(&mut draw_files, None), [0, 1, 1], "task 2 is missing in the first file");
    let mut parts = [run("1", "x/a.json"), run("2", "b.json"), run("2", "c.json")];
    assert_eq!(draws(&mut parts, None), [0, 0, 1]);
    let skipped = [crashed(&run("2", "x/a.json"))];
    assert_eq!(draws_with(&mut parts, &skipped, None), [0, 0, 1], "b.json ran 2 again");
    let mut draw_files = [run("1", "x/a.json"), run("1", "b.json"), run("2", "b.json")];
    assert_eq!(draws_with(&mut draw_files, &skipped, None), [0, 1, 1], "b.json ran all again");
    let skipped = [crashed(&run("1", "x/a.json")), crashed(&run("2", "x/a.json"))];
    let mut samples = [run("1", "b.json"), run("2", "b.json")];
    assert_eq!(draws_with(&mut samples, &skipped, None), [1, 1], "nothing of a.json is left");
}

#[test]
fn every_draw_counts_where_the_user_says_so_or_draws_have_no_order() {
    let ordered = entry("x/a.json", 0, Some(0.7));
    let runs = || {
        let other = |trial| Entry {
            head: Head { cell: Cell::new("d", "other"), ..entry("b.json", trial, None).head },
            ..entry("b.json", trial, None)
        };
        let late = of_task("2", "x/a.json", 1, None);
        vec![ordered.clone(), entry("x/a.json", 1, Some(0.0)), late, other(1), other(0)]
    };
    let files = [file("x/a.json", false), file("b.json", true)];
    let numbered = |reference: Option<&str>| {
        let reference = reference.map(Reference::parse);
        let mut runs = runs();
        let numbered = Numbering::new(&files, &[], reference.as_ref()).number(&mut runs);
        let draws: Vec<u32> = runs.iter().map(|run| run.head.draw).collect();
        let pooled = numbered.pooled.iter().map(|cell| cell.model.clone());
        (draws, pooled.collect::<Vec<_>>().join(" "), numbered.without.len())
    };
    // The greedy run of the first cell is its reference; the other cell has no order.
    assert_eq!(numbered(None), (vec![1, 0, 1, 1, 0], "other".to_owned(), 1));
    assert_eq!(numbered(Some("all")), (vec![0, 1, 0, 1, 0], "m other".to_owned(), 0));
    assert_eq!(numbered(Some("1")), (vec![1, 0, 0, 0, 1], String::new(), 0));
    // One run of every task needs no pooling.
    let mut alone = [entry("b.json", 0, None), of_task("2", "b.json", 1, None)];
    let found = Numbering::new(&files, &[], None).number(&mut alone);
    assert_eq!((found.pooled.len(), found.without.len()), (0, 1));
}

#[test]
fn a_second_copy_of_a_run_is_no_attempt() {
    let copy = Skip { copy: true, ..crashed(&entry("x/a.json", 0, None)) };
    assert_eq!(draws_with(&mut [entry("b.json", 0, None)], &[copy], None), [0]);
}
