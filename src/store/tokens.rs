//! Converts turns and their tokens to and from the tables `turns` and `tokens`.

use std::collections::BTreeMap;

use polars::prelude::{Column, DataFrame, PolarsResult};

use super::columns::{self as col, Frame};
use super::{Entry, StoreError};
use crate::model::{Span, TokenSeq, Trajectory, Turn, TurnScores, Unscored};

/// A turn with the id of its run and its index there.
struct TurnRow<'a> {
    id: u32,
    index: u32,
    turn: &'a Turn,
}

fn rows(ids: impl Iterator<Item = u32>, runs: &[Trajectory]) -> Vec<TurnRow<'_>> {
    let numbered = ids.zip(runs);
    numbered
        .flat_map(|(id, run)| {
            (0..).zip(&run.turns).map(move |(index, turn)| TurnRow { id, index, turn })
        })
        .collect()
}

/// The rows of the turns of runs with these ids.
pub(super) fn turns_frame(
    ids: impl Iterator<Item = u32>,
    runs: &[Trajectory],
) -> PolarsResult<DataFrame> {
    let rows = rows(ids, runs);
    let tokens = || rows.iter().map(|row| row.turn.tokens.as_ref());
    let scores = || rows.iter().map(|row| row.turn.scores.as_ref());
    DataFrame::new(
        rows.len(),
        vec![
            col::small("trajectory", rows.iter().map(|row| row.id)),
            col::small("turn", rows.iter().map(|row| row.index)),
            col::small("message", rows.iter().map(|row| row.turn.message)),
            col::small_opt(
                "tokens",
                tokens().map(|tokens| tokens.map(|tokens| tokens.len() as u32)),
            ),
            col::small_opt(
                "action_tokens",
                tokens().map(|tokens| tokens.map(|tokens| tokens.count(Span::Action) as u32)),
            ),
            col::real("sp_log", scores().map(|scores| scores.map(|scores| scores.sp_log))),
            col::real("lnsp", scores().map(|scores| scores.map(|scores| scores.lnsp))),
            col::real("atn", scores().map(|scores| scores.and_then(|scores| scores.atn))),
            col::real("pm", scores().map(|scores| scores.and_then(|scores| scores.pm))),
            col::small_opt(
                "scored_tokens",
                scores().map(|scores| scores.map(|scores| scores.tokens)),
            ),
            col::text_opt(UNSCORED, rows.iter().map(|row| row.turn.unscored.map(Unscored::id))),
        ],
    )
}

/// The columns of `turns` with scores.
pub(super) const SCORES: [&str; 5] = ["sp_log", "lnsp", "atn", "pm", "scored_tokens"];

/// The column of `turns` that says why a turn has no tokens. Older stores lack it.
const UNSCORED: &str = "unscored";

/// The columns of `turns` that a run is made of.
pub(super) const OF_RUN: [&str; 6] = ["sp_log", "lnsp", "atn", "pm", "scored_tokens", UNSCORED];

/// Why the turns of a frame have no tokens, where the results said so.
pub(super) fn unscored(frame: &Frame) -> Result<Vec<Option<Unscored>>, StoreError> {
    if !frame.has(UNSCORED) {
        return Ok(vec![None; frame.height()]);
    }
    let mut why = frame.text(UNSCORED)?;
    Ok((0..frame.height()).map(|_| why.next().and_then(Unscored::parse)).collect())
}

/// The white-box scores of the turns of a frame.
pub(super) fn turn_scores(frame: &Frame) -> Result<Vec<Option<TurnScores>>, StoreError> {
    let (mut sp_log, mut lnsp) = (frame.real("sp_log")?, frame.real("lnsp")?);
    let (mut atn, mut pm) = (frame.real("atn")?, frame.real("pm")?);
    let mut tokens = frame.small("scored_tokens")?;
    let row = |_| {
        let (sp_log, lnsp, atn, pm) = (sp_log.next(), lnsp.next(), atn.next(), pm.next());
        let tokens = tokens.next();
        Some(TurnScores { sp_log: sp_log?, lnsp: lnsp?, atn, pm, tokens: tokens? })
    };
    Ok((0..frame.height()).map(row).collect())
}

/// The rows of the turns that have tokens.
pub(super) fn tokens_frame(
    ids: impl Iterator<Item = u32>,
    runs: &[Trajectory],
) -> PolarsResult<DataFrame> {
    let rows = rows(ids, runs);
    let rows: Vec<(&TurnRow, &TokenSeq)> =
        rows.iter().filter_map(|row| Some((row, row.turn.tokens.as_ref()?))).collect();
    let tokens: Vec<&TokenSeq> = rows.iter().map(|(_, tokens)| *tokens).collect();
    let mut columns = vec![
        col::small("trajectory", rows.iter().map(|(row, _)| row.id)),
        col::small("turn", rows.iter().map(|(row, _)| row.index)),
    ];
    columns.extend(token_columns(&tokens));
    DataFrame::new(rows.len(), columns)
}

/// The columns that hold the tokens of every row as lists.
pub(super) fn token_columns(tokens: &[&TokenSeq]) -> [Column; 6] {
    [
        col::texts("token", tokens.iter().map(|tokens| tokens.iter().map(|token| token.text))),
        col::reals("logprob", tokens.iter().map(|tokens| tokens.iter().map(|token| token.logprob))),
        col::smalls(
            "span",
            tokens.iter().map(|tokens| tokens.iter().map(|token| u32::from(token.span.code()))),
        ),
        col::smalls(
            "top_count",
            tokens.iter().map(|tokens| tokens.iter().map(|token| token.top_logprobs.len() as u32)),
        ),
        col::texts(
            "top_token",
            tokens.iter().map(|tokens| tokens.all_alternatives().map(|top| top.text)),
        ),
        col::reals(
            "top_logprob",
            tokens.iter().map(|tokens| tokens.all_alternatives().map(|top| top.logprob)),
        ),
    ]
}

/// The tokens of one run by turn, from a frame that begins at `first_row` of the table.
pub(super) fn tokens(
    frame: Option<&Frame>,
    entry: &Entry,
    first_row: u64,
) -> Result<BTreeMap<u32, TokenSeq>, StoreError> {
    let Some(frame) = frame.filter(|_| entry.rows.tokens > 0) else { return Ok(BTreeMap::new()) };
    let frame = frame.slice(entry.rows.token - first_row, entry.rows.tokens);
    if frame.height() != entry.rows.tokens as usize {
        return Err(frame.wrong("turn"));
    }
    Ok(sequences(&frame, entry, "turn")?.into_iter().collect())
}

/// The sequences in a frame of one run, each with its number in the column `index`.
pub(super) fn sequences(
    frame: &Frame,
    entry: &Entry,
    index: &'static str,
) -> Result<Vec<(u32, TokenSeq)>, StoreError> {
    let mut id = frame.small("trajectory")?;
    let mut number = frame.small(index)?;
    let lists = TokenLists::open(frame)?;
    (0..frame.height())
        .map(|row| {
            if id.need()? != entry.id {
                return Err(frame.wrong("trajectory"));
            }
            Ok((number.need()?, lists.sequence(frame, row)?))
        })
        .collect()
}

struct TokenLists<'f> {
    token: col::Lists<'f>,
    logprob: col::Lists<'f>,
    span: col::Lists<'f>,
    top_count: col::Lists<'f>,
    top_token: col::Lists<'f>,
    top_logprob: col::Lists<'f>,
}

impl<'f> TokenLists<'f> {
    fn open(frame: &'f Frame) -> Result<Self, StoreError> {
        Ok(Self {
            token: frame.lists("token")?,
            logprob: frame.lists("logprob")?,
            span: frame.lists("span")?,
            top_count: frame.lists("top_count")?,
            top_token: frame.lists("top_token")?,
            top_logprob: frame.lists("top_logprob")?,
        })
    }

    fn sequence(&self, frame: &Frame, row: usize) -> Result<TokenSeq, StoreError> {
        let token = self.token.texts(row)?;
        let logprob = self.logprob.reals(row)?;
        let span = self.span.smalls(row)?;
        let top_count = self.top_count.smalls(row)?;
        let mut tops = self.top_token.texts(row)?.into_iter().zip(self.top_logprob.reals(row)?);
        if [logprob.len(), span.len(), top_count.len()] != [token.len(); 3] {
            return Err(frame.wrong("token"));
        }
        let mut tokens = TokenSeq::default();
        for (position, text) in token.iter().enumerate() {
            let code = u8::try_from(span[position]).ok().and_then(Span::from_code);
            let span = code.ok_or_else(|| frame.wrong("span"))?;
            tokens.push(text, logprob[position], span);
            for (text, logprob) in tops.by_ref().take(top_count[position] as usize) {
                tokens.push_alternative(&text, logprob);
            }
        }
        Ok(tokens)
    }
}
