//! What a merge took from where, and which votes and labels contradict each other.

use crate::report::table::{Table, count, text};
use crate::store::{Cause, Merged, StepLabel};

/// The lines of every author in every file: how many were taken, known already or left out.
pub fn taken(merged: &Merged) -> Table {
    let columns = [
        text("from"),
        text("author"),
        count("new"),
        count("withdrawn"),
        count("already there"),
        count("conflicts"),
        count("left out"),
    ];
    let mut table = Table::new("what was taken from where", &columns);
    for ((path, author), taken) in &merged.taken {
        table.push(vec![
            path.display().to_string().into(),
            author.as_str().into(),
            taken.new.into(),
            taken.withdrawn.into(),
            taken.known.into(),
            taken.conflicts.into(),
            taken.unknown_tasks.into(),
        ]);
    }
    table
}

/// Votes of one author on one pair that contradict each other, with both rulings and the one that
/// counts.
pub fn conflicts(merged: &Merged, newest: bool) -> Table {
    let columns = [
        text("conflict: author"),
        text("cell"),
        text("task"),
        text("draws"),
        text("here"),
        text("there"),
        text("counts"),
        text("from"),
    ];
    let mut table = Table::new("votes that contradict each other", &columns);
    for conflict in &merged.conflicts {
        let (present, other) = (&conflict.present, &conflict.other);
        let counts = if newest && other.time >= present.time { other } else { present };
        table.push(vec![
            present.author.as_str().into(),
            present.cell.to_string().into(),
            present.task.as_str().into(),
            format!("{}, {}", present.draw_a, present.draw_b).into(),
            present.verdict.id().into(),
            other.verdict.id().into(),
            counts.verdict.id().into(),
            conflict.path.display().to_string().into(),
        ]);
    }
    table
}

/// Labels of one author on one run that contradict each other, with both turns and the one that counts.
/// Turns are counted from 1, as on screen.
pub fn label_conflicts(merged: &Merged, newest: bool) -> Table {
    let columns = [
        text("label conflict: author"),
        text("cell"),
        text("task"),
        count("draw"),
        text("here"),
        text("there"),
        text("counts"),
        text("from"),
    ];
    let said = |label: &StepLabel| match label.cause {
        Cause::Withdrawn => Cause::Withdrawn.id().to_owned(),
        cause => format!("turn {}, {}", label.turn + 1, cause.id()),
    };
    let mut table = Table::new("labels that contradict each other", &columns);
    for conflict in &merged.label_conflicts {
        let (present, other) = (&conflict.present, &conflict.other);
        let counts = if newest && other.time >= present.time { other } else { present };
        table.push(vec![
            present.author.as_str().into(),
            present.cell.to_string().into(),
            present.task.as_str().into(),
            u64::from(present.draw).into(),
            said(present).into(),
            said(other).into(),
            said(counts).into(),
            conflict.path.display().to_string().into(),
        ]);
    }
    table
}
