//! The scores of all turns as flat columns.

use std::ops::Range;

use super::columns::reserve;
use super::table::{Piece, TableName};
use super::{Store, StoreError, tokens};
use crate::model::TurnScores;

/// The scored turns of a store, one column per score.
#[derive(Clone, Debug, Default)]
pub struct TurnColumns {
    /// The rows of the table that are scored; none when all of them are.
    rows: Option<Vec<u32>>,
    /// Natural logs of sequence probabilities.
    pub sp_log: Vec<f64>,
    /// Length-normalised sequence probabilities.
    pub lnsp: Vec<f64>,
    /// Negentropies, NaN where absent.
    pub atn: Vec<f64>,
    /// Margins, NaN where absent.
    pub pm: Vec<f64>,
    /// Numbers of tokens that the scores are over.
    pub tokens: Vec<u32>,
}

impl TurnColumns {
    /// The range in the columns of the scored ones among `count` rows of the table from `first` on.
    pub fn span(&self, first: u64, count: u32) -> Range<u32> {
        let index = |row: u64| match &self.rows {
            Some(rows) => rows.partition_point(|scored| u64::from(*scored) < row),
            None => row.min(self.sp_log.len() as u64) as usize,
        };
        let start = index(first);
        // The end is at most `count` further, so only that much is searched.
        let end = first.saturating_add(u64::from(count));
        let end = match &self.rows {
            Some(rows) => {
                let near = &rows[start..rows.len().min(start + count as usize)];
                start + near.partition_point(|scored| u64::from(*scored) < end)
            }
            None => index(end),
        };
        start as u32..end as u32
    }

    /// The row of the table that a scored turn is, given its index in the columns.
    pub fn row(&self, index: usize) -> u32 {
        self.rows.as_ref().map_or(index as u32, |rows| rows[index])
    }

    /// Allocates memory for so many turns.
    fn reserve(&mut self, turns: usize) {
        for column in [&mut self.sp_log, &mut self.lnsp, &mut self.atn, &mut self.pm] {
            reserve(column, turns);
        }
        reserve(&mut self.tokens, turns);
    }

    /// Appends the scored turns of the next rows of the table.
    fn append(&mut self, rows: &Range<u64>, part: &Self) {
        if self.rows.is_none() && part.rows.is_some() {
            // All earlier rows were scored.
            self.rows = Some((0..rows.start as u32).collect());
        }
        if let Some(all) = &mut self.rows {
            match &part.rows {
                Some(scored) => all.extend_from_slice(scored),
                None => all.extend(rows.start as u32..rows.end as u32),
            }
        }
        self.sp_log.extend_from_slice(&part.sp_log);
        self.lnsp.extend_from_slice(&part.lnsp);
        self.atn.extend_from_slice(&part.atn);
        self.pm.extend_from_slice(&part.pm);
        self.tokens.extend_from_slice(&part.tokens);
    }

    /// Frees the memory that was not needed.
    fn shrink(&mut self) {
        for column in [&mut self.sp_log, &mut self.lnsp, &mut self.atn, &mut self.pm] {
            column.shrink_to_fit();
        }
        self.tokens.shrink_to_fit();
    }

    /// Adds a scored turn.
    pub fn push(&mut self, scores: &TurnScores) {
        self.sp_log.push(scores.sp_log);
        self.lnsp.push(scores.lnsp);
        self.atn.push(scores.atn.unwrap_or(f64::NAN));
        self.pm.push(scores.pm.unwrap_or(f64::NAN));
        self.tokens.push(scores.tokens);
    }

    /// Makes columns of turns in the order of the table.
    pub fn of(turns: &[Option<TurnScores>]) -> Self {
        let mut columns = Self::default();
        let mut rows = Vec::new();
        for (row, scores) in turns.iter().enumerate() {
            if let Some(scores) = scores {
                columns.push(scores);
                rows.push(row as u32);
            }
        }
        columns.rows = (rows.len() < turns.len()).then_some(rows);
        columns
    }
}

/// Decodes the scored turns of some row groups. A turn is scored when it has both probabilities and
/// the number of tokens.
fn turn_part(piece: &Piece<'_>) -> Result<TurnColumns, StoreError> {
    let frame = &piece.frame;
    let tokens = frame.smalls_or_any("scored_tokens")?;
    let Some(scored) = frame.known(&["sp_log", "lnsp", "scored_tokens"])? else {
        return Ok(TurnColumns {
            rows: None,
            sp_log: frame.reals("sp_log")?,
            lnsp: frame.reals("lnsp")?,
            atn: frame.reals("atn")?,
            pm: frame.reals("pm")?,
            tokens,
        });
    };
    let rows: Vec<usize> = (0..scored.len()).filter(|row| scored[*row]).collect();
    Ok(TurnColumns {
        sp_log: frame.reals_at("sp_log", &rows)?,
        lnsp: frame.reals_at("lnsp", &rows)?,
        atn: frame.reals_at("atn", &rows)?,
        pm: frame.reals_at("pm", &rows)?,
        tokens: rows.iter().map(|&row| tokens[row]).collect(),
        rows: Some(rows.iter().map(|&row| (piece.rows.start + row as u64) as u32).collect()),
    })
}

impl Store {
    /// The scored turns as flat columns.
    pub fn turn_columns(&self) -> Result<TurnColumns, StoreError> {
        let Some(table) = self.table(TableName::Turns) else { return Ok(TurnColumns::default()) };
        let mut all = TurnColumns::default();
        all.reserve(table.rows()? as usize);
        let decode = |piece: &Piece<'_>| Ok((piece.rows.clone(), turn_part(piece)?));
        table.pieces(&tokens::SCORES, decode, |(rows, part)| all.append(&rows, &part))?;
        all.shrink();
        Ok(all)
    }
}
