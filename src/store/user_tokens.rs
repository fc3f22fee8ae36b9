//! Converts the tokens of the simulated user to and from the table `user_tokens`.

use polars::prelude::{DataFrame, PolarsResult};

use super::columns::{self as col, Frame};
use super::table::TableName;
use super::{Entry, Store, StoreError, span, tokens};
use crate::model::{MessageTokens, TokenSeq, Trajectory};

/// The rows of the user's messages that have tokens, of runs with these ids.
pub(super) fn frame(
    ids: impl Iterator<Item = u32>,
    runs: &[Trajectory],
) -> PolarsResult<DataFrame> {
    let rows: Vec<(u32, &MessageTokens)> = ids
        .zip(runs)
        .flat_map(|(id, run)| run.user_tokens.iter().map(move |said| (id, said)))
        .collect();
    let sequences: Vec<&TokenSeq> = rows.iter().map(|(_, said)| &said.tokens).collect();
    let mut columns = vec![
        col::small("trajectory", rows.iter().map(|(id, _)| *id)),
        col::small("message", rows.iter().map(|(_, said)| said.message)),
    ];
    columns.extend(tokens::token_columns(&sequences));
    DataFrame::new(rows.len(), columns)
}

/// The tokens of the user in one run, from a frame that begins at `first_row` of the table.
fn of_run(
    frame: Option<&Frame>,
    entry: &Entry,
    first_row: u64,
) -> Result<Vec<MessageTokens>, StoreError> {
    let (row, rows) = (entry.rows.user_token, entry.rows.user_tokens);
    let Some(frame) = frame.filter(|_| rows > 0) else { return Ok(Vec::new()) };
    let frame = frame.slice(row - first_row, rows);
    if frame.height() != rows as usize {
        return Err(frame.wrong("message"));
    }
    let sequences = tokens::sequences(&frame, entry, "message")?.into_iter();
    Ok(sequences.map(|(message, tokens)| MessageTokens { message, tokens }).collect())
}

impl Store {
    /// The tokens of the user in some trajectories, read at once from the first of their rows to the last.
    pub(super) fn user_tokens(
        &self,
        entries: &[Entry],
    ) -> Result<Vec<Vec<MessageTokens>>, StoreError> {
        let rows = span(entries, |entry| (entry.rows.user_token, entry.rows.user_tokens));
        let frame = self.rows(TableName::UserTokens, &rows)?;
        entries.iter().map(|entry| of_run(frame.as_ref(), entry, rows.start)).collect()
    }
}
