//! Converts scores, pair values, judgments and task texts to and from their tables.

use polars::prelude::{Column, DataFrame, PolarsResult};

use super::StoreError;
use super::columns::{self as col, Frame};
use super::heads::CellColumns;
use crate::model::{Cell, Judgment, PairValue, Score, TaskText};

/// The columns that say which cell and task a row is about.
fn cell_columns<'a>(rows: impl Iterator<Item = (&'a Cell, &'a str)> + Clone) -> Vec<Column> {
    vec![
        col::text("dataset", rows.clone().map(|(cell, _)| cell.dataset.as_str())),
        col::text("model", rows.clone().map(|(cell, _)| cell.model.as_str())),
        col::text("condition", rows.clone().map(|(cell, _)| cell.condition.as_str())),
        col::text("task", rows.map(|(_, task)| task)),
    ]
}

pub(super) fn scores_frame(rows: &[Score]) -> PolarsResult<DataFrame> {
    let mut columns = cell_columns(rows.iter().map(|row| (&row.cell, row.task.as_str())));
    columns.extend([
        col::small("draw", rows.iter().map(|row| row.draw)),
        col::text("scorer", rows.iter().map(|row| row.scorer.as_str())),
        col::text_opt("aggregator", rows.iter().map(|row| row.aggregator.as_deref())),
        col::real("value", rows.iter().map(|row| row.value)),
        col::real("log", rows.iter().map(|row| row.log)),
        col::small_opt("fold", rows.iter().map(|row| row.fold)),
    ]);
    DataFrame::new(rows.len(), columns)
}

pub(super) fn scores(frame: &Frame) -> Result<Vec<Score>, StoreError> {
    let mut cells = CellColumns::open(frame)?;
    let mut draw = frame.small("draw")?;
    let mut scorer = frame.text("scorer")?;
    let mut aggregator = frame.text("aggregator")?;
    let mut value = frame.real("value")?;
    // Earlier versions and other programs write none.
    let mut log = if frame.has("log") { Some(frame.real("log")?) } else { None };
    let mut fold = if frame.has("fold") { Some(frame.small("fold")?) } else { None };
    let row = |_| {
        let (cell, task) = cells.next()?;
        let (draw, scorer) = (draw.need()?, scorer.need_owned()?);
        let aggregator = aggregator.next_owned();
        let (value, log) = (value.next(), log.as_mut().and_then(col::Cursor::next));
        let fold = fold.as_mut().and_then(col::Cursor::next);
        Ok(Score { cell, task, draw, scorer, aggregator, value, log, fold })
    };
    (0..frame.height()).map(row).collect()
}

pub(super) fn pairs_frame(rows: &[PairValue]) -> PolarsResult<DataFrame> {
    let mut columns = cell_columns(rows.iter().map(|row| (&row.cell, row.task.as_str())));
    columns.extend([
        col::small("draw_a", rows.iter().map(|row| row.draw_a)),
        col::small("draw_b", rows.iter().map(|row| row.draw_b)),
        col::text("scorer", rows.iter().map(|row| row.scorer.as_str())),
        col::real("value", rows.iter().map(|row| row.value)),
    ]);
    DataFrame::new(rows.len(), columns)
}

pub(super) fn pairs(frame: &Frame) -> Result<Vec<PairValue>, StoreError> {
    let mut cells = CellColumns::open(frame)?;
    let (mut draw_a, mut draw_b) = (frame.small("draw_a")?, frame.small("draw_b")?);
    let mut scorer = frame.text("scorer")?;
    let mut value = frame.real("value")?;
    let row = |_| {
        let (cell, task) = cells.next()?;
        let (draw_a, draw_b) = (draw_a.need()?, draw_b.need()?);
        let scorer = scorer.need_owned()?;
        Ok(PairValue { cell, task, draw_a, draw_b, scorer, value: value.next() })
    };
    (0..frame.height()).map(row).collect()
}

/// The two values of `judgments.status`.
const PARSED: &str = "parsed";
const UNPARSED: &str = "unparsed";

pub(super) fn judgments_frame(rows: &[Judgment]) -> PolarsResult<DataFrame> {
    let mut columns = cell_columns(rows.iter().map(|row| (&row.cell, row.task.as_str())));
    let status = |row: &Judgment| if row.equivalent.is_some() { PARSED } else { UNPARSED };
    columns.extend([
        col::small("draw_a", rows.iter().map(|row| row.draw_a)),
        col::small("draw_b", rows.iter().map(|row| row.draw_b)),
        col::text("judge", rows.iter().map(|row| row.judge.as_str())),
        col::flag_opt("equivalent", rows.iter().map(|row| row.equivalent)),
        col::real("confidence", rows.iter().map(|row| row.confidence)),
        col::text("status", rows.iter().map(status)),
    ]);
    DataFrame::new(rows.len(), columns)
}

pub(super) fn judgments(frame: &Frame) -> Result<Vec<Judgment>, StoreError> {
    let mut cells = CellColumns::open(frame)?;
    let (mut draw_a, mut draw_b) = (frame.small("draw_a")?, frame.small("draw_b")?);
    let mut judge = frame.text("judge")?;
    let mut equivalent = frame.flag("equivalent")?;
    let mut confidence = frame.real("confidence")?;
    let row = |_| {
        let (cell, task) = cells.next()?;
        let (draw_a, draw_b) = (draw_a.need()?, draw_b.need()?);
        let (equivalent, confidence) = (equivalent.next(), confidence.next());
        Ok(Judgment {
            cell,
            task,
            draw_a,
            draw_b,
            judge: judge.need_owned()?,
            equivalent,
            confidence,
        })
    };
    (0..frame.height()).map(row).collect()
}

pub(super) fn tasks_frame(rows: &[TaskText]) -> PolarsResult<DataFrame> {
    let columns = vec![
        col::text("dataset", rows.iter().map(|row| row.dataset.as_str())),
        col::text("task", rows.iter().map(|row| row.task.as_str())),
        col::text("instruction", rows.iter().map(|row| row.instruction.as_str())),
    ];
    DataFrame::new(rows.len(), columns)
}

pub(super) fn tasks(frame: &Frame) -> Result<Vec<TaskText>, StoreError> {
    let mut dataset = frame.text("dataset")?;
    let mut task = frame.text("task")?;
    let mut instruction = frame.text("instruction")?;
    let row = |_| {
        let (dataset, task) = (dataset.need_owned()?, task.need_owned()?);
        Ok(TaskText { dataset, task, instruction: instruction.need_owned()? })
    };
    (0..frame.height()).map(row).collect()
}
