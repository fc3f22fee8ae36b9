//! Whether the rows of the large tables belong to the trajectories, in the same order.

use std::collections::HashSet;

use super::Problems;
use crate::model::Head;
use crate::store::table::{Piece, TableName};
use crate::store::{Entry, Store, StoreError};
use crate::text::counted;

/// A row of a large table: its trajectory, its number there, and a number that may be absent.
#[derive(Clone, Copy)]
struct Key {
    id: u32,
    index: u32,
    other: Option<u32>,
}

/// Compares keys and order of `messages`, `turns`, `tokens`, `checks` and `user_tokens` with the trajectories and each other.
pub(super) fn check(store: &Store, entries: &[Entry], problems: &mut Problems) {
    let mut by_id: Vec<&Entry> = entries.iter().collect();
    by_id.sort_by_key(|entry| entry.id);
    check_first_rows(&by_id, problems);
    let rows = |count: fn(&Entry) -> u32| {
        by_id.iter().flat_map(move |entry| (0..count(entry)).map(|index| (entry.id, index)))
    };
    let mut read = |table, index, other| match keys(store, table, index, other) {
        Ok(keys) => Some(keys),
        Err(error) => {
            problems.add_error(&error);
            None
        }
    };
    let messages = read(TableName::Messages, "message", "turn");
    let turns = read(TableName::Turns, "turn", "message");
    let tokens = read(TableName::Tokens, "turn", "trajectory");
    let checks = read(TableName::Checks, "check", "trajectory");
    let user_tokens = read(TableName::UserTokens, "message", "trajectory");
    if let Some(checks) = &checks {
        compare(TableName::Checks, "check", checks, rows(|entry| entry.rows.checks), problems);
    }
    if let Some(messages) = &messages {
        compare(
            TableName::Messages,
            "message",
            messages,
            rows(|entry| entry.head.messages),
            problems,
        );
    }
    if let (Some(messages), Some(tokens)) = (&messages, &user_tokens) {
        let tokens =
            Tokens { table: TableName::UserTokens, what: "message", keys: tokens, of: messages };
        tokens.check(&by_id, |entry| entry.rows.user_tokens, problems);
    }
    let Some(turns) = &turns else { return };
    compare(TableName::Turns, "turn", turns, rows(|entry| entry.head.turns), problems);
    if let Some(messages) = &messages {
        // The messages that say which turn they are, and the turns that say which message.
        let of_messages = messages.iter().filter_map(|key| Some((key.id, key.other?, key.index)));
        let bare = by_id.iter().filter(|entry| entry.head.messages == 0);
        let bare: HashSet<u32> = bare.map(|entry| entry.id).collect();
        let with_texts = turns.iter().filter(|key| !bare.contains(&key.id));
        let of_turns = with_texts.filter_map(|key| Some((key.id, key.index, key.other?)));
        if !of_messages.eq(of_turns) {
            problems.add(TableName::Turns, "are not the turns that `messages` has, in their order");
        }
    }
    if let Some(tokens) = tokens {
        let tokens = Tokens { table: TableName::Tokens, what: "turn", keys: &tokens, of: turns };
        tokens.check(&by_id, |entry| entry.rows.tokens, problems);
    }
}

/// The row numbers of trajectories follow one another.
fn check_first_rows(by_id: &[&Entry], problems: &mut Problems) {
    let mut next = [0u64; 5];
    for entry in by_id {
        let rows = entry.rows;
        if [rows.message, rows.turn, rows.token, rows.check, rows.user_token] != next {
            let id = entry.id;
            let problem = format!("trajectory {id}: its first rows do not follow those before it");
            return problems.add(TableName::Trajectories, problem);
        }
        let Head { messages, turns, .. } = entry.head;
        let counts = [messages, turns, rows.tokens, rows.checks, rows.user_tokens];
        next = [0, 1, 2, 3, 4].map(|table| next[table] + u64::from(counts[table]));
    }
}

/// The keys of a table of tokens, and of what these are the tokens of.
struct Tokens<'k> {
    table: TableName,
    what: &'static str,
    keys: &'k [Key],
    of: &'k [Key],
}

impl Tokens<'_> {
    /// Tokens are of turns or messages that there are, in their order, as many as the trajectory says.
    fn check(&self, by_id: &[&Entry], rows: fn(&Entry) -> u32, problems: &mut Problems) {
        let mut of = self.of.iter().map(|key| (key.id, key.index));
        let mut is_next = |key: &Key| of.any(|next| next == (key.id, key.index));
        if let Some(row) = self.keys.iter().position(|key| !is_next(key)) {
            let (Key { id, index, .. }, what) = (self.keys[row], self.what);
            let problem =
                format!("row {row}: {what} {index} of trajectory {id} is not the next one");
            return problems.add(self.table, problem);
        }
        let mut rest = self.keys;
        for entry in by_id {
            let count = rest.iter().take_while(|key| key.id == entry.id).count();
            if count != rows(entry) as usize {
                let (id, rows) = (entry.id, rows(entry));
                let problem = format!("trajectory {id} has {count} rows, not {rows}");
                return problems.add(self.table, problem);
            }
            rest = &rest[count..];
        }
    }
}

/// Names the first row that is not the expected one, and counts the others.
fn compare(
    table: TableName,
    what: &str,
    found: &[Key],
    expected: impl Iterator<Item = (u32, u32)>,
    problems: &mut Problems,
) {
    // Another number of rows is a problem of its own.
    let wrong =
        |(_, (key, expected)): &(usize, (&Key, (u32, u32)))| (key.id, key.index) != *expected;
    let mut wrong = found.iter().zip(expected).enumerate().filter(wrong);
    if let Some((row, (key, (id, index)))) = wrong.next() {
        let also = match wrong.count() {
            0 => String::new(),
            more => format!(", and {} more", counted(more as u64, "such row")),
        };
        problems.add(
            table,
            format!(
                "row {row} is {what} {} of trajectory {}, where {what} {index} of trajectory {id} \
                 belongs{also}",
                key.index, key.id
            ),
        );
    }
}

/// Reads the keys of a table; none of one that is missing.
fn keys(
    store: &Store,
    table: TableName,
    index: &'static str,
    other: &'static str,
) -> Result<Vec<Key>, StoreError> {
    let mut keys = Vec::new();
    let Some(table) = store.table(table) else { return Ok(keys) };
    let decode = |piece: &Piece<'_>| {
        let frame = &piece.frame;
        let (ids, indices) = (frame.smalls("trajectory")?, frame.smalls(index)?);
        let (others, known) = (frame.smalls_or_any(other)?, frame.known(&[other])?);
        let is_known = |row: usize| known.as_ref().is_none_or(|known| known[row]);
        let key = |row: usize| Key {
            id: ids[row],
            index: indices[row],
            other: Some(others[row]).filter(|_| is_known(row)),
        };
        Ok((0..ids.len()).map(key).collect::<Vec<_>>())
    };
    let columns = ["trajectory", index, other];
    let columns = if other == "trajectory" { &columns[..2] } else { &columns[..] };
    table.pieces(columns, decode, |part| keys.extend(part))?;
    Ok(keys)
}
