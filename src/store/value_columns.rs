//! Stored values of scorers, pairs and judges as flat columns.

use std::collections::HashMap;

use super::columns::{Frame, NONE, Names};
use super::outline::{Texts, task_rows};
use super::table::{Piece, TableName};
use super::{Store, StoreError};
use crate::model::Cell;

/// Rows of `scores`, `pairs` or `judgments` as columns.
#[derive(Clone, Debug, Default)]
pub struct ValueColumns {
    /// The cells that occur.
    pub cells: Vec<Cell>,
    /// The scorers or judges that occur.
    pub names: Vec<String>,
    /// Consecutive rows about one task: the index of its cell, and the end of the rows.
    pub subjects: Vec<(u32, u32)>,
    /// The task of each subject.
    pub tasks: Texts,
    /// The draw that was scored, or the first draw of a pair.
    pub draw: Vec<u32>,
    /// The second draw of a pair; empty in `scores`.
    pub other: Vec<u32>,
    /// The index of the scorer or judge in `names`.
    pub name: Vec<u32>,
    /// The value, NaN where absent; a verdict is 1 or 0.
    pub value: Vec<f64>,
    /// The confidence that a judge states, NaN where it states none; empty outside `judgments`.
    pub confidence: Vec<f64>,
    /// The fold of a run, NaN where there is none; empty where no row has one.
    pub fold: Vec<f64>,
}

impl ValueColumns {
    /// The cells and tasks of the wanted rows, with all other columns empty.
    fn subjects(frame: &Frame, wanted: &[bool]) -> Result<Self, StoreError> {
        let (cells, groups, tasks) = task_rows(frame, |row| wanted[row])?;
        let mut end = 0;
        let subjects = groups.into_iter().map(|group| {
            end += group.rows;
            (group.cell, end)
        });
        Ok(Self { cells, subjects: subjects.collect(), tasks, ..Self::default() })
    }
}

/// The columns of `scores` beside the scorer's name.
const SCORES: [&str; 8] =
    ["dataset", "model", "condition", "task", "draw", "aggregator", "value", "fold"];

/// The columns of `judgments` beside the judge's name.
const JUDGMENTS: [&str; 8] =
    ["dataset", "model", "condition", "task", "draw_a", "draw_b", "equivalent", "confidence"];

/// The folds of the wanted rows, NaN where one has none; nothing where none has one. Older stores have no
/// such column.
fn folds(frame: &Frame, wanted: &[bool]) -> Result<Vec<f64>, StoreError> {
    if !frame.has("fold") {
        return Ok(Vec::new());
    }
    let mut folds: Vec<f64> = frame.smalls_or_any("fold")?.into_iter().map(f64::from).collect();
    if let Some(known) = frame.known(&["fold"])? {
        let unknown = folds.iter_mut().zip(known).filter(|(_, known)| !known);
        unknown.for_each(|(fold, _)| *fold = f64::NAN);
    }
    let folds = kept(&folds, wanted);
    Ok(if folds.iter().all(|fold| fold.is_nan()) { Vec::new() } else { folds })
}

/// The values of the wanted rows.
fn kept<T: Copy>(column: &[T], wanted: &[bool]) -> Vec<T> {
    column.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(value, _)| *value).collect()
}

/// The column with the scorer or judge of every row.
struct NameColumn {
    codes: Vec<u32>,
    names: Vec<String>,
    /// Which rows are wanted.
    wanted: Vec<bool>,
}

impl NameColumn {
    /// Reads the column; none when no row is wanted.
    fn read(
        piece: &Piece<'_>,
        column: &'static str,
        is_wanted: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Option<Self>, StoreError> {
        let mut names = Names::default();
        let codes = piece.frame.codes(column, &mut names)?;
        if codes.contains(&NONE) {
            return Err(piece.frame.wrong(column));
        }
        let names = names.into_list();
        let wanted_names: Vec<bool> = names.iter().map(|name| is_wanted(name)).collect();
        let wanted = codes.iter().map(|&code| wanted_names[code as usize]).collect();
        Ok(wanted_names.contains(&true).then_some(Self { codes, names, wanted }))
    }
}

impl Store {
    /// The stored values of the wanted scorers, in parts. A scorer with an aggregator is named with both:
    /// `lnsp·min`.
    pub fn score_columns(
        &self,
        wanted: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Vec<ValueColumns>, StoreError> {
        self.value_columns(TableName::Scores, "scorer", &|piece| {
            let Some(named) = NameColumn::read(piece, "scorer", wanted)? else {
                return Ok(ValueColumns::default());
            };
            let NameColumn { codes: scorer, names: scorers, wanted } = named;
            let frame = piece.more(&SCORES)?;
            let mut aggregators = Names::default();
            let aggregator = frame.codes("aggregator", &mut aggregators)?;
            let aggregators = aggregators.into_list();
            let mut names = Names::default();
            let mut codes: HashMap<(u32, u32), u32> = HashMap::new();
            let mut name = |scorer: u32, aggregator: u32| {
                *codes.entry((scorer, aggregator)).or_insert_with(|| {
                    let scorer = &scorers[scorer as usize];
                    match aggregators.get(aggregator as usize) {
                        Some(aggregator) => names.code(&format!("{scorer}·{aggregator}")),
                        None => names.code(scorer),
                    }
                })
            };
            let codes: Vec<u32> =
                scorer.iter().zip(&aggregator).map(|(a, b)| name(*a, *b)).collect();
            Ok(ValueColumns {
                name: kept(&codes, &wanted),
                names: names.into_list(),
                draw: kept(&frame.smalls("draw")?, &wanted),
                value: kept(&frame.reals("value")?, &wanted),
                fold: folds(&frame, &wanted)?,
                ..ValueColumns::subjects(&frame, &wanted)?
            })
        })
    }

    /// The stored pair values of the wanted scorers, in parts.
    pub fn pair_columns(
        &self,
        wanted: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Vec<ValueColumns>, StoreError> {
        self.value_columns(TableName::Pairs, "scorer", &|piece| {
            let Some(named) = NameColumn::read(piece, "scorer", wanted)? else {
                return Ok(ValueColumns::default());
            };
            let NameColumn { codes: name, names, wanted } = named;
            let columns = ["dataset", "model", "condition", "task", "draw_a", "draw_b", "value"];
            let frame = piece.more(&columns)?;
            Ok(ValueColumns {
                name: kept(&name, &wanted),
                names,
                draw: kept(&frame.smalls("draw_a")?, &wanted),
                other: kept(&frame.smalls("draw_b")?, &wanted),
                value: kept(&frame.reals("value")?, &wanted),
                ..ValueColumns::subjects(&frame, &wanted)?
            })
        })
    }

    /// The verdicts of judges, in parts.
    pub fn judgment_columns(&self) -> Result<Vec<ValueColumns>, StoreError> {
        self.value_columns(TableName::Judgments, "judge", &|piece| {
            let Some(named) = NameColumn::read(piece, "judge", &|_| true)? else {
                return Ok(ValueColumns::default());
            };
            let NameColumn { codes: name, names, wanted } = named;
            let frame = piece.more(&JUDGMENTS)?;
            let verdict =
                |flag: Option<bool>| flag.map_or(f64::NAN, |flag| f64::from(u8::from(flag)));
            Ok(ValueColumns {
                name,
                names,
                draw: frame.smalls("draw_a")?,
                other: frame.smalls("draw_b")?,
                value: frame.flags("equivalent")?.into_iter().map(verdict).collect(),
                confidence: frame.reals("confidence")?,
                ..ValueColumns::subjects(&frame, &wanted)?
            })
        })
    }

    /// Decodes a table piece by piece; `first` is the column that says whether a piece is needed.
    fn value_columns(
        &self,
        table: TableName,
        first: &'static str,
        decode: &(dyn Fn(&Piece<'_>) -> Result<ValueColumns, StoreError> + Sync),
    ) -> Result<Vec<ValueColumns>, StoreError> {
        let mut parts = Vec::new();
        if let Some(table) = self.table(table) {
            table.pieces(&[first], decode, |part| parts.push(part))?;
        }
        Ok(parts)
    }
}
