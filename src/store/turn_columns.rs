//! The scores of all turns as flat columns.

use std::ops::Range;

use super::columns::reserve;
use super::table::{Piece, TableName};
use super::{Store, StoreError, tokens};
use crate::model::TurnScores;

/// Which columns of turns are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "a flag for every column")]
pub struct TurnNeeds {
    /// Natural logs of sequence probabilities.
    pub sp_log: bool,
    /// Length-normalised sequence probabilities.
    pub lnsp: bool,
    /// Negentropies.
    pub atn: bool,
    /// Margins.
    pub pm: bool,
    /// Numbers of tokens.
    pub tokens: bool,
}

impl TurnNeeds {
    /// All columns.
    pub const ALL: Self = Self { sp_log: true, lnsp: true, atn: true, pm: true, tokens: true };

    /// The columns of the table that are read.
    fn columns(self) -> Vec<&'static str> {
        let wanted = [self.sp_log, self.lnsp, self.atn, self.pm, self.tokens];
        let named = tokens::SCORES.into_iter().zip(wanted);
        named.filter(|(_, wanted)| *wanted).map(|(name, _)| name).collect()
    }
}

/// The scored turns of a store, one column per score. A column that was not read is empty.
#[derive(Clone, Debug, Default)]
pub struct TurnColumns {
    /// How many turns are scored.
    len: usize,
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
            None => row.min(self.len as u64) as usize,
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

    /// The number of scored turns.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no turn is scored.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Allocates memory for so many turns.
    fn reserve(&mut self, turns: usize, needs: TurnNeeds) {
        let columns = [
            (&mut self.sp_log, needs.sp_log),
            (&mut self.lnsp, needs.lnsp),
            (&mut self.atn, needs.atn),
            (&mut self.pm, needs.pm),
        ];
        columns.into_iter().filter(|(_, needed)| *needed).for_each(|(column, _)| {
            reserve(column, turns);
        });
        if needs.tokens {
            reserve(&mut self.tokens, turns);
        }
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
        self.len += part.len;
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
        self.len += 1;
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

/// Decodes the scored turns among the wanted rows of some row groups. A turn is scored when it has both
/// probabilities and the number of tokens.
fn turn_part(
    piece: &Piece<'_>,
    needs: TurnNeeds,
    wanted: &[Range<u64>],
) -> Result<TurnColumns, StoreError> {
    let frame = &piece.frame;
    let scored = scored(piece)?;
    let Some(rows) = chosen(&piece.rows, wanted, scored.as_deref()) else {
        let reals = |column, needed| if needed { frame.reals(column) } else { Ok(Vec::new()) };
        return Ok(TurnColumns {
            len: (piece.rows.end - piece.rows.start) as usize,
            rows: None,
            sp_log: reals("sp_log", needs.sp_log)?,
            lnsp: reals("lnsp", needs.lnsp)?,
            atn: reals("atn", needs.atn)?,
            pm: reals("pm", needs.pm)?,
            tokens: if needs.tokens { frame.smalls_or_any("scored_tokens")? } else { Vec::new() },
        });
    };
    let reals = |column, needed| {
        if needed { frame.reals_at(column, &rows) } else { Ok(Vec::new()) }
    };
    let tokens = if needs.tokens { frame.smalls_or_any("scored_tokens")? } else { Vec::new() };
    Ok(TurnColumns {
        len: rows.len(),
        sp_log: reals("sp_log", needs.sp_log)?,
        lnsp: reals("lnsp", needs.lnsp)?,
        atn: reals("atn", needs.atn)?,
        pm: reals("pm", needs.pm)?,
        tokens: if needs.tokens { rows.iter().map(|&row| tokens[row]).collect() } else { tokens },
        rows: Some(rows.iter().map(|&row| (piece.rows.start + row as u64) as u32).collect()),
    })
}

/// The numbers in a piece of its rows that are both wanted and scored; none when all of them are.
fn chosen(
    piece: &Range<u64>,
    wanted: &[Range<u64>],
    scored: Option<&[bool]>,
) -> Option<Vec<usize>> {
    let first = wanted.partition_point(|range| range.end <= piece.start);
    let here = wanted[first..].iter().take_while(|range| range.start < piece.end);
    let clipped = here.map(|range| range.start.max(piece.start)..range.end.min(piece.end));
    let clipped = clipped.map(|range| (range.start - piece.start)..(range.end - piece.start));
    let rows = clipped.flat_map(|range| range.start as usize..range.end as usize);
    let rows: Vec<usize> = match scored {
        Some(scored) => rows.filter(|row| scored[*row]).collect(),
        None => rows.collect(),
    };
    (rows.len() as u64 != piece.end - piece.start).then_some(rows)
}

/// The columns without which a turn is not scored.
const SCORED: [&str; 3] = ["scored_tokens", "sp_log", "lnsp"];

/// Which turns of a piece are scored; none when all of them are. Where the footer says so already, the
/// columns are not read for it: qualm writes the three of them together, so where they are null in as many
/// rows, these are the same rows.
fn scored(piece: &Piece<'_>) -> Result<Option<Vec<bool>>, StoreError> {
    let [first, second, third] = SCORED.map(|column| piece.nulls(column));
    let nulls = [first?, second?, third?];
    if nulls == [Some(0); 3] {
        return Ok(None);
    }
    let (here, absent): (Vec<&str>, Vec<&str>) =
        SCORED.into_iter().partition(|column| piece.frame.has(column));
    if let Some(column) = here.first().filter(|_| nulls[0].is_some() && nulls == [nulls[0]; 3]) {
        return piece.frame.known(&[*column]);
    }
    let known_here = piece.frame.known(&here)?;
    if absent.is_empty() {
        return Ok(known_here);
    }
    let known_there = piece.more(&absent)?.known(&absent)?;
    Ok(match (known_here, known_there) {
        (Some(here), Some(there)) => {
            Some(here.into_iter().zip(there).map(|(here, there)| here && there).collect())
        }
        (here, there) => here.or(there),
    })
}

impl Store {
    /// The scored turns among some rows of the table as flat columns, of which only some are read. The ranges
    /// are in order and apart.
    pub fn turn_columns(
        &self,
        needs: TurnNeeds,
        rows: &[Range<u64>],
    ) -> Result<TurnColumns, StoreError> {
        let Some(table) = self.table(TableName::Turns) else { return Ok(TurnColumns::default()) };
        let mut all = TurnColumns::default();
        let columns = needs.columns();
        if columns.is_empty() {
            return Ok(all);
        }
        let wanted: u64 = rows.iter().map(|range| range.end - range.start).sum();
        all.reserve(wanted.min(table.rows()?) as usize, needs);
        let decode = |piece: &Piece<'_>| Ok((piece.rows.clone(), turn_part(piece, needs, rows)?));
        let take = |(rows, part): (Range<u64>, TurnColumns)| all.append(&rows, &part);
        if needs == TurnNeeds::ALL {
            table.pieces(&columns, decode, take)?;
        } else {
            table.pieces_of_few(&columns, decode, take)?;
        }
        all.shrink();
        Ok(all)
    }
}
