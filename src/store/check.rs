//! Validation of a store: every problem, not only the first.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::annotations::{self, Annotation};
use super::table::{Table, TableName};
use super::{Entry, Store, StoreError};
use crate::model::{Cell, Head, TokenSeq, Trajectory};

/// Runs that are read together while their text is checked.
const BATCH: usize = 200;

/// Lists every problem of the store at the path; none means that it is whole. `progress` is told how
/// many of how many trajectories were read.
pub fn check(path: &Path, progress: &dyn Fn(usize, usize)) -> Vec<String> {
    let store = match Store::open(path) {
        Ok(store) => store,
        Err(error) => return vec![error.to_string()],
    };
    let mut problems = Problems::default();
    check_tables(&store, &mut problems);
    if store.table(TableName::Trajectories).is_none() {
        // Without it everything else would be a stranger.
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
            problems.error(&error);
            check_readable(&store, &mut problems);
        }
    }
    problems.list
}

/// Whether the tables that can be read by themselves can be read.
fn check_readable(store: &Store, problems: &mut Problems) {
    let read = [
        store.turn_scores().map(drop),
        store.scores().map(drop),
        store.pairs().map(drop),
        store.judgments().map(drop),
        store.tasks().map(drop),
        store.annotations().map(drop),
    ];
    read.into_iter().filter_map(Result::err).for_each(|error| problems.error(&error));
}

#[derive(Default)]
struct Problems {
    list: Vec<String>,
}

impl Problems {
    fn add(&mut self, table: TableName, what: impl std::fmt::Display) {
        self.list.push(format!("{}: {what}", table.as_str()));
    }

    fn line(&mut self, line: usize, subject: Option<(&Cell, &str)>, what: &str) {
        let file = annotations::FILE;
        let about = subject.map(|(cell, task)| format!(" {cell}, task {task}:"));
        self.list.push(format!("{file}, line {line}:{} {what}", about.unwrap_or_default()));
    }

    /// A table that cannot be read is met in several places, and told once.
    fn error(&mut self, error: &StoreError) {
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
            // Rows of scores and verdicts may be added by others.
            Some(Ok(found)) if found != *rows && table < TableName::Scores => {
                problems.add(table, format!("has {found} rows, the manifest says {rows}"));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => problems.error(&error),
        }
    }
    for table in &store.tables {
        if !store.manifest().tables.contains_key(table.name().as_str()) {
            problems.add(table.name(), "is there, but the manifest does not know it");
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
            problems.add(table, format!("the number {id} is given twice"));
        }
        let numbers = [head.outcome.reward, head.cost, head.user_cost, head.duration];
        if numbers.iter().flatten().any(|number| number.is_nan()) {
            problems.add(table, format!("{}, task {}: a number is NaN", head.cell, head.task));
        }
    }
    for ((cell, task), mut draws) in draws {
        draws.sort_unstable();
        let doubled = draws.windows(2).find(|pair| pair[0] == pair[1]);
        if let Some([draw, ..]) = doubled {
            problems.add(table, format!("{cell}, task {task}: draw {draw} is there twice"));
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

/// Every row of a large table belongs to some trajectory.
fn check_rows(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let sum =
        |count: fn(&Entry) -> u32| entries.iter().map(|own| u64::from(count(own))).sum::<u64>();
    let expected = [
        (TableName::Messages, sum(|own| own.head.messages)),
        (TableName::Turns, sum(|own| own.head.turns)),
        (TableName::Tokens, sum(|own| own.rows.tokens)),
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
            Err(error) => problems.error(&error),
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
        // Something in here is wrong: find out which runs.
        for entry in batch {
            match store.trajectory(entry) {
                Ok(run) => check_run(&run, entry, problems),
                Err(error) => problems.error(&error),
            }
        }
    }
}

fn check_run(run: &Trajectory, entry: &Entry, problems: &mut Problems) {
    let Entry { id, head, .. } = entry;
    let place = format!("trajectory {id} ({}, task {}, draw {})", head.cell, head.task, head.draw);
    let counts = |own: &Head| {
        (own.turns, own.tools, own.messages, own.turns_with_logprobs, own.action_types.clone())
    };
    if counts(&run.head) != counts(head) {
        problems.add(TableName::Messages, format!("{place}: the counts do not match the messages"));
    }
    for (number, turn) in run.turns.iter().enumerate() {
        let place = format!("{place}, turn {}", number + 1);
        let tokens = turn.tokens.iter().flat_map(TokenSeq::iter);
        let mut logprobs = tokens.flat_map(|token| {
            token.top_logprobs.iter().chain([&token.logprob]).copied().collect::<Vec<_>>()
        });
        if logprobs.any(f64::is_nan) {
            problems.add(TableName::Tokens, format!("{place}: a log-probability is NaN"));
        }
        let scores = turn.scores.map(|own| [Some(own.sp_log), Some(own.lnsp), own.atn, own.pm]);
        if scores.into_iter().flatten().flatten().any(f64::is_nan) {
            problems.add(TableName::Turns, format!("{place}: a score is NaN"));
        }
    }
}

fn check_values(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let known: HashSet<(&Cell, &str, u32)> = entries
        .iter()
        .map(|Entry { head, .. }| (&head.cell, head.task.as_str(), head.draw))
        .collect();
    let mut about =
        |table, cell: &Cell, task: &str, draws: &[u32], name: &str, value: Option<f64>| {
            let place = format!("`{name}` of {cell}, task {task}");
            for draw in draws.iter().filter(|draw| !known.contains(&(cell, task, **draw))) {
                problems.add(table, format!("{place}: there is no such trajectory (draw {draw})"));
            }
            if value.is_some_and(f64::is_nan) {
                problems.add(table, format!("{place}, draw {}: the value is NaN", draws[0]));
            }
        };
    let mut doubled = Vec::new();
    let scores = store.scores().map(|rows| {
        let mut seen = HashSet::new();
        for row in rows {
            let table = TableName::Scores;
            about(table, &row.cell, &row.task, &[row.draw], &row.scorer, row.value);
            let place =
                format!("`{}` of {}, task {}, draw {}", row.scorer, row.cell, row.task, row.draw);
            if !seen.insert((row.cell, row.task, row.draw, row.scorer, row.aggregator)) {
                doubled.push(format!("{place}: is there twice"));
            }
        }
    });
    let pairs = store.pairs().map(|rows| {
        for row in rows {
            let draws = [row.draw_a, row.draw_b];
            about(TableName::Pairs, &row.cell, &row.task, &draws, &row.scorer, row.value);
        }
    });
    let judgments = store.judgments().map(|rows| {
        for row in rows {
            let draws = [row.draw_a, row.draw_b];
            about(TableName::Judgments, &row.cell, &row.task, &draws, &row.judge, row.confidence);
        }
    });
    let tasks = store.tasks().map(drop);
    doubled.into_iter().for_each(|problem| problems.add(TableName::Scores, problem));
    for result in [scores, pairs, judgments, tasks] {
        if let Err(error) = result {
            problems.error(&error);
        }
    }
}

/// Turns of every draw of a task.
type Draws = BTreeMap<u32, u32>;

/// Every line is a note or a vote on something that is there.
fn check_annotations(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let lines = match store.annotation_lines() {
        Ok(lines) => lines,
        Err(error) => return problems.error(&error),
    };
    let mut turns: BTreeMap<(&Cell, &str), Draws> = BTreeMap::new();
    for Entry { head, .. } in entries {
        turns.entry((&head.cell, &head.task)).or_default().insert(head.draw, head.turns);
    }
    for line in lines {
        let says = match line.says {
            Ok(says) => says,
            Err(error) => {
                problems.error(&error);
                continue;
            }
        };
        let subject = says.subject();
        let wrong = match subject.map(|subject| turns.get(&subject)) {
            Some(None) => Some("there is no such task"),
            Some(Some(draws)) => wrong_place(&says, draws),
            None => Some("is of a kind that a later qualm wrote; update qualm"),
        };
        if let Some(wrong) = wrong {
            problems.line(line.number, subject, wrong);
        }
    }
}

/// What of a task a line is about that is not there.
fn wrong_place(says: &Annotation, draws: &Draws) -> Option<&'static str> {
    match says {
        Annotation::Note(note) => {
            // A turn without a draw is the reference's.
            match note.draw.or(note.turn.map(|_| 0)).map(|draw| draws.get(&draw)) {
                Some(None) => Some("there is no such draw"),
                Some(Some(turns)) if note.turn.is_some_and(|turn| turn >= *turns) => {
                    Some("there is no such turn")
                }
                _ => None,
            }
        }
        Annotation::Vote(vote) if vote.draw_a == vote.draw_b => Some("a draw is no pair"),
        Annotation::Vote(vote) => {
            let there = [vote.draw_a, vote.draw_b].iter().all(|draw| draws.contains_key(draw));
            (!there).then_some("there is no such draw")
        }
        Annotation::Newer(_) => None,
    }
}
