//! The contents of a store: its cells, verdicts, votes, notes and labels.

use super::{CELL, cell_row, checks};
use crate::engine::Engine;
use crate::model::HUMAN;
use crate::report::table::{
    ColumnKind, Datum, Provenance, Table, TableColumn, count, flag, real, text,
};
use crate::report::{TableKind, TableOptions, TableRequest};
use crate::store::{Cause, CellSummary, ChosenBy, Ruling, Store, StoreError, labels, votes};

/// The cells of a store: what `report`, `import` and `demo` print.
pub fn cells(cells: &[CellSummary]) -> Table {
    let large =
        |name: &'static str| TableColumn { name: name.into(), kind: ColumnKind::LargeCount };
    let counts = [
        large("tasks"),
        large("trajectories"),
        large("labelled"),
        large("successes"),
        TableColumn { name: "references_solved".into(), kind: ColumnKind::Share },
        large("turns"),
        large("turns_with_logprobs"),
        large("skipped"),
        large("without_reference"),
    ];
    let mut table = Table::new("what the store contains", &[&CELL[..], &counts].concat());
    for summary in cells {
        let mut row = cell_row(&summary.cell);
        let draws = [summary.tasks, summary.trajectories, summary.labelled, summary.successes];
        row.extend(draws.map(Datum::from));
        row.push(Datum::Share(summary.reference_successes, summary.references_labelled));
        let turns = [
            summary.turns,
            summary.turns_with_logprobs,
            summary.skipped,
            summary.without_reference,
        ];
        row.extend(turns.map(Datum::from));
        table.push(row);
    }
    table
}

/// The cells of an engine's store, with a note where every run counts.
pub(crate) fn cells_in(engine: &Engine) -> Table {
    let mut table = cells(&engine.manifest().cells);
    if engine.is_pooled() {
        let counted = "every run counts: references_solved is the share of solved runs";
        table.notes.push(counted.to_owned());
    }
    table
}

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// Verdicts of judges, then the votes of people that count.
    Judgments,
    /// What people wrote.
    Notes,
    /// The turns that people marked as decisive errors.
    Labels,
    /// What the harness checked about every run.
    Checks,
    /// Every task under every scorer.
    Scores,
    /// Every task once.
    Tasks,
}

impl ExportKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Judgments, Self::Notes, Self::Labels, Self::Checks, Self::Scores, Self::Tasks];

    /// The id that `--what` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Judgments => "judgments",
            Self::Notes => "notes",
            Self::Labels => "labels",
            Self::Checks => "checks",
            Self::Scores => "scores",
            Self::Tasks => "tasks",
        }
    }
}

/// Reads from a store what `export` writes.
pub fn export(kind: ExportKind, store: &Store) -> Result<Table, StoreError> {
    match kind {
        ExportKind::Scores | ExportKind::Tasks => {
            export_in(kind, store, &Engine::load(store, None)?)
        }
        _ => records(kind, store),
    }
}

/// The same, with what is computed from an engine over some of the store's tasks.
pub fn export_in(kind: ExportKind, store: &Store, engine: &Engine) -> Result<Table, StoreError> {
    let request: TableRequest = match kind {
        ExportKind::Scores => TableKind::Tasks.into(),
        ExportKind::Tasks => TableRequest::TaskFacts,
        _ => return records(kind, store),
    };
    crate::report::table(&request, engine, Some(store), &TableOptions::default())
}

/// What people, judges and harnesses said, as it stands in the store.
fn records(kind: ExportKind, store: &Store) -> Result<Table, StoreError> {
    let made = match kind {
        ExportKind::Notes => notes(store)?,
        ExportKind::Labels => step_labels(store)?,
        ExportKind::Checks => checks::records(store)?,
        _ => judgments(store)?,
    };
    Ok(made.in_scope("all", Provenance::of(store.manifest())))
}

fn judgments(store: &Store) -> Result<Table, StoreError> {
    let values = [
        text("task"),
        count("draw_a"),
        count("draw_b"),
        text("judge"),
        flag("equivalent"),
        real("confidence"),
        text("status"),
        text("author"),
        count("time"),
        text("note"),
        text("chosen_by"),
    ];
    let mut table =
        Table::new("verdicts of judges and votes of people", &[&CELL[..], &values].concat());
    for judgment in store.judgments()? {
        let status = if judgment.equivalent.is_some() { "parsed" } else { "unparsed" };
        let mut row = cell_row(&judgment.cell);
        row.push(judgment.task.into());
        row.extend([judgment.draw_a, judgment.draw_b].map(|draw| u64::from(draw).into()));
        row.extend([judgment.judge.into(), judgment.equivalent.into(), judgment.confidence.into()]);
        row.push(status.into());
        row.extend(std::iter::repeat_n(Datum::Missing, 4));
        table.push(row);
    }
    for vote in votes::current(&store.votes()?) {
        let unsure = vote.verdict == Ruling::Unsure;
        let status = if unsure { vote.verdict.id() } else { "parsed" };
        let mut row = cell_row(&vote.cell);
        row.push(vote.task.into());
        row.extend([vote.draw_a, vote.draw_b].map(|draw| u64::from(draw).into()));
        row.extend([HUMAN.into(), vote.verdict.equivalent().into(), Datum::Missing]);
        row.extend([status.into(), vote.author.into(), vote.time.into(), vote.note.into()]);
        row.push(vote.chosen_by.map(ChosenBy::id).into());
        table.push(row);
    }
    Ok(table)
}

fn notes(store: &Store) -> Result<Table, StoreError> {
    let values =
        [text("task"), count("draw"), count("turn"), text("author"), count("time"), text("note")];
    let mut table = Table::new("what people wrote", &[&CELL[..], &values].concat());
    for note in store.notes()? {
        let mut row = cell_row(&note.cell);
        row.push(note.task.into());
        row.extend([note.draw, note.turn].map(|number| number.map(u64::from).into()));
        row.extend([note.author.into(), note.time.into(), note.note.into()]);
        table.push(row);
    }
    Ok(table)
}

/// Turns are counted from 0 here, as in the lines of `annotations.jsonl` and the store's tables.
fn step_labels(store: &Store) -> Result<Table, StoreError> {
    let values =
        [text("task"), count("draw"), count("turn"), text("cause"), text("author"), count("time")];
    let title = "the turns that people marked as decisive errors";
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    for label in labels::current(&store.labels()?) {
        let mut row = cell_row(&label.cell);
        row.push(label.task.into());
        row.extend([label.draw, label.turn].map(|number| u64::from(number).into()));
        row.extend([Cause::id(label.cause).into(), label.author.into(), label.time.into()]);
        table.push(row);
    }
    Ok(table)
}
