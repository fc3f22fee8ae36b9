//! Validation of a store: every problem, not only the first.

mod contexts;
mod drift;
mod keys;
mod tables;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::table::TableName;
use super::{Entry, Store, StoreError};
use crate::model::{Cell, Head, Role, TokenSeq, Trajectory};

/// The number of runs that are read at once to check their text.
const BATCH: usize = 200;

/// Lists every problem of a store; an empty list means that it is sound. `progress` gets the number of
/// trajectories read so far and of all.
pub fn check(path: &Path, progress: &dyn Fn(usize, usize)) -> Vec<String> {
    match Store::open(path) {
        Ok(store) => check_open(&store, progress),
        Err(error) => vec![error.to_string()],
    }
}

/// Lists every problem of an open store, as [`check`] does.
pub fn check_open(store: &Store, progress: &dyn Fn(usize, usize)) -> Vec<String> {
    let mut problems = Problems::default();
    tables::check(store, &mut problems);
    if store.table(TableName::Trajectories).is_none() {
        // Without it, every other row would be reported as belonging to no trajectory.
        check_readable(store, &mut problems);
        return problems.list;
    }
    match store.entries() {
        Ok(entries) => {
            check_entries(&entries, &mut problems);
            tables::check_order(&entries, &mut problems);
            tables::check_cells(store, &entries, &mut problems);
            keys::check(store, &entries, &mut problems);
            contexts::check(store, &entries, &mut problems);
            check_rows(store, &entries, &mut problems);
            check_text(store, &entries, &mut problems, progress);
            check_values(store, &entries, &mut problems);
            drift::check(store, &entries, &mut problems);
            check_annotations(store, &mut problems);
        }
        Err(error) => {
            problems.add_error(&error);
            check_readable(store, &mut problems);
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
        store.contexts().map(drop),
        store.drift_rows().map(drop),
    ];
    results.into_iter().filter_map(Result::err).for_each(|error| problems.add_error(&error));
    check_annotations(store, problems);
}

#[derive(Default)]
struct Problems {
    list: Vec<String>,
}

impl Problems {
    fn add(&mut self, table: TableName, problem: impl std::fmt::Display) {
        self.list.push(format!("{}: {problem}", table.as_str()));
    }

    /// Adds an error once, although several checks may run into the same unreadable table.
    fn add_error(&mut self, error: &StoreError) {
        let text = error.to_string();
        if !self.list.contains(&text) {
            self.list.push(text);
        }
    }
}

fn check_entries(entries: &[Entry], problems: &mut Problems) {
    let table = TableName::Trajectories;
    let mut draws: BTreeMap<(&Cell, &str), Vec<u32>> = BTreeMap::new();
    let mut ids = HashSet::new();
    for Entry { id, head, .. } in entries {
        draws.entry((&head.cell, &head.task)).or_default().push(head.draw);
        if !ids.insert(id) {
            problems.add(table, format!("the number {id} is used twice"));
        }
        let numbers = [head.outcome.reward, head.cost, head.user_cost, head.duration];
        for wrong in numbers.into_iter().flatten().filter_map(not_finite) {
            problems.add(table, format!("{}, task {}: a number is {wrong}", head.cell, head.task));
        }
    }
    for ((cell, task), mut draws) in draws {
        draws.sort_unstable();
        let repeated = draws.windows(2).find(|pair| pair[0] == pair[1]);
        if let Some([draw, ..]) = repeated {
            problems.add(table, format!("{cell}, task {task}: draw {draw} occurs twice"));
        }
    }
}

/// What a number is that is none.
fn not_finite(number: f64) -> Option<&'static str> {
    match number {
        _ if number.is_nan() => Some("NaN"),
        _ if number.is_infinite() => Some("infinite"),
        _ => None,
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
        (TableName::Checks, sum(|entry| entry.rows.checks)),
        (TableName::UserTokens, sum(|entry| entry.rows.user_tokens)),
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
    // A run without texts has its counts in its row alone.
    if head.messages > 0 && counts(&run.head) != counts(head) {
        problems
            .add(TableName::Messages, format!("{subject}: the counts do not match the messages"));
    }
    for (number, turn) in run.turns.iter().enumerate() {
        let subject = format!("{subject}, turn {}", number + 1);
        if let Some(wrong) = turn.tokens.as_ref().and_then(wrong_logprob) {
            problems.add(TableName::Tokens, format!("{subject}: a log-probability is {wrong}"));
        }
        let Some(scores) = turn.scores else { continue };
        let others = [Some(scores.lnsp), scores.atn, scores.pm].into_iter().flatten();
        if let Some(wrong) = wrong_log(scores.sp_log).or(others.into_iter().find_map(not_finite)) {
            problems.add(TableName::Turns, format!("{subject}: a score is {wrong}"));
        }
    }
    for said in &run.user_tokens {
        let subject = format!("{subject}, message {}", said.message);
        let message = run.messages.get(said.message as usize);
        if message.is_some_and(|message| message.role != Role::User) {
            problems.add(TableName::UserTokens, format!("{subject}: is not of the user"));
        }
        if let Some(wrong) = wrong_logprob(&said.tokens) {
            problems.add(TableName::UserTokens, format!("{subject}: a log-probability is {wrong}"));
        }
    }
}

/// What a log is that is none. A probability of zero has a log of minus infinity.
fn wrong_log(log: f64) -> Option<&'static str> {
    not_finite(log).filter(|_| log != f64::NEG_INFINITY)
}

/// What a log-probability of a token or an alternative is that is none.
fn wrong_logprob(tokens: &TokenSeq) -> Option<&'static str> {
    let mut logprobs =
        tokens.iter().flat_map(|token| token.top_logprobs.iter().copied().chain([token.logprob]));
    logprobs.find_map(wrong_log)
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
            if let Some(wrong) = value.and_then(not_finite) {
                problems.add(table, format!("{subject}, draw {}: the value is {wrong}", draws[0]));
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
                repeated.push((table, format!("{subject}: occurs twice")));
            }
        }
    });
    // A pair is the same whichever of its draws is named first.
    let pair = |[a, b]: [u32; 2]| (a.min(b), a.max(b));
    let pairs = store.pairs().map(|rows| {
        let mut seen = HashSet::new();
        for row in rows {
            let (table, draws) = (TableName::Pairs, [row.draw_a, row.draw_b]);
            check_value(table, &row.cell, &row.task, &draws, &row.scorer, row.value);
            let subject = format!("`{}` of {}, task {}, draws", row.scorer, row.cell, row.task);
            if !seen.insert((row.cell, row.task, pair(draws), row.scorer)) {
                let [a, b] = draws;
                repeated.push((table, format!("{subject} {a} and {b}: occurs twice")));
            }
        }
    });
    let judgments = store.judgments().map(|rows| {
        let mut seen = HashSet::new();
        for row in rows {
            let (table, draws) = (TableName::Judgments, [row.draw_a, row.draw_b]);
            check_value(table, &row.cell, &row.task, &draws, &row.judge, row.confidence);
            let subject = format!("`{}` of {}, task {}, draws", row.judge, row.cell, row.task);
            if !seen.insert((row.cell, row.task, pair(draws), row.judge)) {
                let [a, b] = draws;
                repeated.push((table, format!("{subject} {a} and {b}: is judged twice")));
            }
        }
    });
    let tasks = store.tasks().map(drop);
    repeated.into_iter().for_each(|(table, problem)| problems.add(table, problem));
    for result in [scores, pairs, judgments, tasks] {
        if let Err(error) = result {
            problems.add_error(&error);
        }
    }
}

/// Checks that every note and vote can be read and is about a run that exists.
fn check_annotations(store: &Store, problems: &mut Problems) {
    let found = match store.annotations() {
        Ok(found) => found,
        Err(error) => return problems.add_error(&error),
    };
    let newer = |line: &usize| {
        (
            *line,
            format!("annotations.jsonl, line {line}: was written by a newer qualm; update qualm"),
        )
    };
    let damaged = found.damaged.iter().map(|damaged| (damaged.line, damaged.to_string()));
    let orphans = found.orphans.iter().map(|orphan| (orphan.line, orphan.to_string()));
    let mut all: Vec<(usize, String)> =
        damaged.chain(orphans).chain(found.newer.iter().map(newer)).collect();
    all.sort();
    problems.list.extend(all.into_iter().map(|(_, problem)| problem));
}
