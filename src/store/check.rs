//! Validation of a store: every problem, not only the first.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::annotations::{self, Annotation};
use super::table::{Table, TableName};
use super::{Entry, Store, StoreError};
use crate::model::{Cell, Head, TokenSeq, Trajectory};

/// The number of runs that are read at once to check their text.
const BATCH: usize = 200;

/// Lists every problem of a store; an empty list means that it is sound. `progress` gets the number of
/// trajectories read so far and of all.
pub fn check(path: &Path, progress: &dyn Fn(usize, usize)) -> Vec<String> {
    let store = match Store::open(path) {
        Ok(store) => store,
        Err(error) => return vec![error.to_string()],
    };
    let mut problems = Problems::default();
    check_tables(&store, &mut problems);
    if store.table(TableName::Trajectories).is_none() {
        // Without it, every other row would be reported as belonging to no trajectory.
        check_readable(&store, &mut problems);
        return problems.list;
    }
    match store.entries() {
        Ok(entries) => {
            check_entries(&store, &entries, &mut problems);
            check_rows(&store, &entries, &mut problems);
            check_text(&store, &entries, &mut problems, progress);
            check_values(&store, &entries, &mut problems);
            check_annotations(&store, &entries, &mut problems);
        }
        Err(error) => {
            problems.add_error(&error);
            check_readable(&store, &mut problems);
        }
    }
    problems.list
}

/// Reports the tables that cannot be read, where trajectories are not needed to read them.
fn check_readable(store: &Store, problems: &mut Problems) {
    let results = [
        store.turn_scores().map(drop),
        store.scores().map(drop),
        store.pairs().map(drop),
        store.judgments().map(drop),
        store.tasks().map(drop),
        store.annotations().map(drop),
    ];
    results.into_iter().filter_map(Result::err).for_each(|error| problems.add_error(&error));
}

#[derive(Default)]
struct Problems {
    list: Vec<String>,
}

impl Problems {
    fn add(&mut self, table: TableName, problem: impl std::fmt::Display) {
        self.list.push(format!("{}: {problem}", table.as_str()));
    }

    fn add_line(&mut self, line: usize, subject: Option<(&Cell, &str)>, problem: &str) {
        let file = annotations::FILE;
        let about = subject.map(|(cell, task)| format!(" {cell}, task {task}:"));
        self.list.push(format!("{file}, line {line}:{} {problem}", about.unwrap_or_default()));
    }

    /// Adds an error once, although several checks may run into the same unreadable table.
    fn add_error(&mut self, error: &StoreError) {
        let text = error.to_string();
        if !self.list.contains(&text) {
            self.list.push(text);
        }
    }
}

fn check_tables(store: &Store, problems: &mut Problems) {
    for (name, rows) in &store.manifest().tables {
        let Some(table) = TableName::ALL.into_iter().find(|table| table.as_str() == name) else {
            problems
                .list
                .push(format!("manifest: names the table `{name}`, which qualm does not know"));
            continue;
        };
        match store.table(table).map(Table::rows) {
            None => problems.add(table, format!("the file is missing ({rows} rows were written)")),
            // Other programs may add rows of scores and verdicts.
            Some(Ok(found)) if found != *rows && table < TableName::Scores => {
                problems.add(table, format!("has {found} rows, the manifest says {rows}"));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => problems.add_error(&error),
        }
    }
    for table in &store.tables {
        if !store.manifest().tables.contains_key(table.name().as_str()) {
            problems.add(table.name(), "exists but is not in the manifest");
        }
    }
}

fn check_entries(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let table = TableName::Trajectories;
    let mut draws: BTreeMap<(&Cell, &str), Vec<u32>> = BTreeMap::new();
    let mut ids = HashSet::new();
    for Entry { id, head, .. } in entries {
        draws.entry((&head.cell, &head.task)).or_default().push(head.draw);
        if !ids.insert(id) {
            problems.add(table, format!("the number {id} is used twice"));
        }
        let numbers = [head.outcome.reward, head.cost, head.user_cost, head.duration];
        if numbers.iter().flatten().any(|number| number.is_nan()) {
            problems.add(table, format!("{}, task {}: a number is NaN", head.cell, head.task));
        }
    }
    for ((cell, task), mut draws) in draws {
        draws.sort_unstable();
        let repeated = draws.windows(2).find(|pair| pair[0] == pair[1]);
        if let Some([draw, ..]) = repeated {
            problems.add(table, format!("{cell}, task {task}: draw {draw} occurs twice"));
        }
        if draws[0] != 0 {
            problems.add(table, format!("{cell}, task {task}: there is no reference (draw 0)"));
        }
    }
    let listed: u64 = store.manifest().cells.iter().map(|cell| cell.trajectories).sum();
    if listed != entries.len() as u64 {
        let count = entries.len();
        problems
            .add(table, format!("the manifest's cells count {listed} trajectories, not {count}"));
    }
}

/// Compares the rows of the large tables with the counts of all trajectories.
fn check_rows(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let sum =
        |count: fn(&Entry) -> u32| entries.iter().map(|entry| u64::from(count(entry))).sum::<u64>();
    let expected = [
        (TableName::Messages, sum(|entry| entry.head.messages)),
        (TableName::Turns, sum(|entry| entry.head.turns)),
        (TableName::Tokens, sum(|entry| entry.rows.tokens)),
    ];
    for (table, expected) in expected {
        let found = match store.table(table) {
            Some(open) => open.rows(),
            None => Ok(0),
        };
        match found {
            Ok(found) if found != expected => {
                problems.add(table, format!("has {found} rows, the trajectories need {expected}"));
            }
            Ok(_) => {}
            Err(error) => problems.add_error(&error),
        }
    }
}

fn check_text(
    store: &Store,
    entries: &[Entry],
    problems: &mut Problems,
    progress: &dyn Fn(usize, usize),
) {
    let mut by_row: Vec<Entry> = entries.to_vec();
    by_row.sort_by_key(|entry| entry.rows.message);
    for (number, batch) in by_row.chunks(BATCH).enumerate() {
        progress(number * BATCH, entries.len());
        if let Ok(runs) = store.trajectories(batch) {
            runs.iter().zip(batch).for_each(|(run, entry)| check_run(run, entry, problems));
            continue;
        }
        // Read one by one to name the runs that are damaged.
        for entry in batch {
            match store.trajectory(entry) {
                Ok(run) => check_run(&run, entry, problems),
                Err(error) => problems.add_error(&error),
            }
        }
    }
}

fn check_run(run: &Trajectory, entry: &Entry, problems: &mut Problems) {
    let Entry { id, head, .. } = entry;
    let subject =
        format!("trajectory {id} ({}, task {}, draw {})", head.cell, head.task, head.draw);
    let counts = |head: &Head| {
        (head.turns, head.tools, head.messages, head.turns_with_logprobs, head.action_types.clone())
    };
    if counts(&run.head) != counts(head) {
        problems
            .add(TableName::Messages, format!("{subject}: the counts do not match the messages"));
    }
    for (number, turn) in run.turns.iter().enumerate() {
        let subject = format!("{subject}, turn {}", number + 1);
        let tokens = turn.tokens.iter().flat_map(TokenSeq::iter);
        let mut logprobs = tokens.flat_map(|token| {
            token.top_logprobs.iter().chain([&token.logprob]).copied().collect::<Vec<_>>()
        });
        if logprobs.any(f64::is_nan) {
            problems.add(TableName::Tokens, format!("{subject}: a log-probability is NaN"));
        }
        let scores =
            turn.scores.map(|turn| [Some(turn.sp_log), Some(turn.lnsp), turn.atn, turn.pm]);
        if scores.into_iter().flatten().flatten().any(f64::is_nan) {
            problems.add(TableName::Turns, format!("{subject}: a score is NaN"));
        }
    }
}

fn check_values(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let known: HashSet<(&Cell, &str, u32)> = entries
        .iter()
        .map(|Entry { head, .. }| (&head.cell, head.task.as_str(), head.draw))
        .collect();
    let mut check_value =
        |table, cell: &Cell, task: &str, draws: &[u32], name: &str, value: Option<f64>| {
            let subject = format!("`{name}` of {cell}, task {task}");
            for draw in draws.iter().filter(|draw| !known.contains(&(cell, task, **draw))) {
                problems
                    .add(table, format!("{subject}: there is no such trajectory (draw {draw})"));
            }
            if value.is_some_and(f64::is_nan) {
                problems.add(table, format!("{subject}, draw {}: the value is NaN", draws[0]));
            }
        };
    let mut repeated = Vec::new();
    let scores = store.scores().map(|rows| {
        let mut seen = HashSet::new();
        for row in rows {
            let table = TableName::Scores;
            check_value(table, &row.cell, &row.task, &[row.draw], &row.scorer, row.value);
            let subject =
                format!("`{}` of {}, task {}, draw {}", row.scorer, row.cell, row.task, row.draw);
            if !seen.insert((row.cell, row.task, row.draw, row.scorer, row.aggregator)) {
                repeated.push(format!("{subject}: occurs twice"));
            }
        }
    });
    let pairs = store.pairs().map(|rows| {
        for row in rows {
            let draws = [row.draw_a, row.draw_b];
            check_value(TableName::Pairs, &row.cell, &row.task, &draws, &row.scorer, row.value);
        }
    });
    let judgments = store.judgments().map(|rows| {
        for row in rows {
            let draws = [row.draw_a, row.draw_b];
            check_value(
                TableName::Judgments,
                &row.cell,
                &row.task,
                &draws,
                &row.judge,
                row.confidence,
            );
        }
    });
    let tasks = store.tasks().map(drop);
    repeated.into_iter().for_each(|problem| problems.add(TableName::Scores, problem));
    for result in [scores, pairs, judgments, tasks] {
        if let Err(error) = result {
            problems.add_error(&error);
        }
    }
}

/// The number of turns of every draw of a task.
type TurnsByDraw = BTreeMap<u32, u32>;

/// Checks that every note and vote is about a run that exists.
fn check_annotations(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let lines = match store.annotation_lines() {
        Ok(lines) => lines,
        Err(error) => return problems.add_error(&error),
    };
    let mut turns: BTreeMap<(&Cell, &str), TurnsByDraw> = BTreeMap::new();
    for Entry { head, .. } in entries {
        turns.entry((&head.cell, &head.task)).or_default().insert(head.draw, head.turns);
    }
    for line in lines {
        let annotation = match line.annotation {
            Ok(annotation) => annotation,
            Err(error) => {
                problems.add_error(&error);
                continue;
            }
        };
        let subject = annotation.subject();
        let problem = match subject.map(|subject| turns.get(&subject)) {
            Some(None) => Some("there is no such task"),
            Some(Some(draws)) => missing_subject(&annotation, draws),
            None => Some("was written by a newer qualm; update qualm"),
        };
        if let Some(problem) = problem {
            problems.add_line(line.number, subject, problem);
        }
    }
}

/// Says which draw or turn of the task an annotation refers to in vain, if any.
fn missing_subject(annotation: &Annotation, draws: &TurnsByDraw) -> Option<&'static str> {
    match annotation {
        Annotation::Note(note) => {
            // A turn without a draw belongs to the reference.
            match note.draw.or(note.turn.map(|_| 0)).map(|draw| draws.get(&draw)) {
                Some(None) => Some("there is no such draw"),
                Some(Some(turns)) if note.turn.is_some_and(|turn| turn >= *turns) => {
                    Some("there is no such turn")
                }
                _ => None,
            }
        }
        Annotation::Vote(vote) if vote.draw_a == vote.draw_b => {
            Some("a pair needs two different draws")
        }
        Annotation::Vote(vote) => {
            let exist = [vote.draw_a, vote.draw_b].iter().all(|draw| draws.contains_key(draw));
            (!exist).then_some("there is no such draw")
        }
        Annotation::Newer(_) => None,
    }
}
