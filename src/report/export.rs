//! What a store holds as plain rows, for other tools.

use super::rows::{Field, Rows};
use super::tables::{cell_fields, tasks};
use crate::engine::{Engine, Solvability};
use crate::model::HUMAN;
use crate::store::{Ruling, Store, StoreError, Values, votes};
use crate::text::visible;

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportKind {
    /// Verdicts of judges, then the votes of people that count.
    Judgments,
    /// What people wrote.
    Notes,
    /// Every task under every scorer.
    Scores,
    /// A row a task.
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

/// Reads what is to be exported.
pub fn export(kind: ExportKind, store: &Store) -> Result<Rows, StoreError> {
    match kind {
        ExportKind::Judgments => judgments(store),
        ExportKind::Notes => notes(store),
        ExportKind::Scores => Ok(tasks(&Engine::load(store, None)?)),
        ExportKind::Tasks => Ok(task_rows(&Engine::load(store, None)?)),
    }
}

fn judgments(store: &Store) -> Result<Rows, StoreError> {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "task",
        "draw_a",
        "draw_b",
        "judge",
        "equivalent",
        "confidence",
        "status",
        "author",
        "time",
        "note",
    ]);
    for own in store.judgments()? {
        let mut row = cell_fields(&own.cell).to_vec();
        let status = if own.equivalent.is_some() { "parsed" } else { "unparsed" };
        row.push(own.task.into());
        row.extend([own.draw_a, own.draw_b].map(|draw| u64::from(draw).into()));
        row.extend([own.judge.into(), own.equivalent.into(), own.confidence.into()]);
        row.extend([status.into(), Field::Missing, Field::Missing, Field::Missing]);
        rows.push(row);
    }
    for own in votes::current(&store.votes()?) {
        let mut row = cell_fields(&own.cell).to_vec();
        let status = if own.verdict == Ruling::Unsure { own.verdict.id() } else { "parsed" };
        row.push(own.task.into());
        row.extend([own.draw_a, own.draw_b].map(|draw| u64::from(draw).into()));
        row.extend([HUMAN.into(), own.verdict.equivalent().into(), Field::Missing]);
        row.extend([status.into(), own.author.into(), own.time.into(), own.note.into()]);
        rows.push(row);
    }
    Ok(rows)
}

fn notes(store: &Store) -> Result<Rows, StoreError> {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "task",
        "draw",
        "turn",
        "author",
        "time",
        "note",
    ]);
    for own in store.notes()? {
        let mut row = cell_fields(&own.cell).to_vec();
        row.push(own.task.into());
        row.extend([own.draw, own.turn].map(|place| place.map(u64::from).into()));
        row.extend([own.author.into(), own.time.into(), own.note.into()]);
        rows.push(row);
    }
    Ok(rows)
}

fn task_rows(engine: &Engine) -> Rows {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "task",
        "success",
        "draws",
        "solved",
        "solvability",
        "agreement",
        "stuck",
        "turns",
        "tools",
        "termination",
        "reward",
        "cost",
        "db_match",
    ]);
    for frame in engine.frames() {
        for (place, task) in frame.tasks.iter().enumerate() {
            let mut row = cell_fields(&frame.cell).to_vec();
            row.extend([task.id.clone().into(), task.success.into()]);
            row.extend([task.draws().into(), task.solved().into()]);
            row.push(task.solvability().map(Solvability::id).into());
            row.extend([frame.agreement(place).into(), frame.is_stuck(place).into()]);
            row.extend([u64::from(task.turns).into(), u64::from(task.tools).into()]);
            row.push(task.termination.as_deref().into());
            row.extend([task.reward.into(), task.cost.into(), task.db_match.into()]);
            rows.push(row);
        }
    }
    rows
}

impl Rows {
    /// The columns with their names, words made safe to show.
    pub fn columns(&self) -> Vec<(&'static str, Values)> {
        let names = self.names().iter().enumerate();
        names
            .map(|(place, name)| (*name, values(self.rows().iter().map(|row| &row[place]))))
            .collect()
    }
}

/// The values of a column, of the kind of the first that is there.
fn values<'r>(fields: impl Iterator<Item = &'r Field> + Clone) -> Values {
    let there = |field: &&Field| !matches!(field, Field::Missing | Field::NotApplicable(_));
    let real = |field: &Field| if let Field::Real(own) = field { Some(*own) } else { None };
    let count = |field: &Field| if let Field::Count(own) = field { Some(*own) } else { None };
    let flag = |field: &Field| match field {
        Field::Flag(own) | Field::Mark(own) => Some(*own),
        _ => None,
    };
    let text = |field: &Field| match field {
        Field::Text(own) => Some(visible(own).into_owned()),
        _ => None,
    };
    match fields.clone().find(there) {
        Some(Field::Real(_)) => Values::Real(fields.map(real).collect()),
        Some(Field::Count(_)) => Values::Count(fields.map(count).collect()),
        Some(Field::Flag(_) | Field::Mark(_)) => Values::Flag(fields.map(flag).collect()),
        _ => Values::Text(fields.map(text).collect()),
    }
}
