//! What a store holds: its cells, verdicts, votes and notes.

use super::{CELL, cell_row};
use crate::engine::Engine;
use crate::model::HUMAN;
use crate::report::table::{
    ColumnKind, Datum, Provenance, Table, TableColumn, count, flag, real, text,
};
use crate::report::{TableKind, TableOptions, TableRequest};
use crate::store::{CellSummary, Ruling, Store, StoreError, votes};

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
    let mut table = Table::new("what the store holds", &[&CELL[..], &counts].concat());
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

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// Verdicts of judges, then the votes of people that count.
    Judgments,
    /// What people wrote.
    Notes,
    /// Every task under every scorer.
    Scores,
    /// Every task once.
    Tasks,
}

impl ExportKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Judgments, Self::Notes, Self::Scores, Self::Tasks];

    /// The id that `--what` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Judgments => "judgments",
            Self::Notes => "notes",
            Self::Scores => "scores",
            Self::Tasks => "tasks",
        }
    }
}

/// Reads from a store what `export` writes.
pub fn export(kind: ExportKind, store: &Store) -> Result<Table, StoreError> {
    let of_engine = |request: TableRequest| {
        let engine = Engine::load(store, None)?;
        crate::report::table(&request, &engine, Some(store), &TableOptions::default())
    };
    let made = match kind {
        ExportKind::Judgments => judgments(store)?,
        ExportKind::Notes => notes(store)?,
        ExportKind::Scores => return of_engine(TableKind::Tasks.into()),
        ExportKind::Tasks => return of_engine(TableRequest::TaskFacts),
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
    ];
    let mut table =
        Table::new("verdicts of judges and votes of people", &[&CELL[..], &values].concat());
    for judgment in store.judgments()? {
        let status = if judgment.equivalent.is_some() { "parsed" } else { "unparsed" };
        let mut row = cell_row(&judgment.cell);
        row.push(judgment.task.into());
        row.extend([judgment.draw_a, judgment.draw_b].map(|draw| u64::from(draw).into()));
        row.extend([judgment.judge.into(), judgment.equivalent.into(), judgment.confidence.into()]);
        row.extend([status.into(), Datum::Missing, Datum::Missing, Datum::Missing]);
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
