//! Tables and comparisons as text: what the screens show, without a terminal.

mod export;
mod judges;
mod kind;
mod published;
mod rows;
pub mod show;
mod stuck;
mod table;
mod tables;

use crate::store::CellSummary;
use crate::text::{grouped, percent};

pub use export::{ExportKind, export};
pub use judges::annotators;
pub use kind::{TableKind, TableOptions};
pub use published::{PublishedKind, published};
pub use rows::{Field, Format, Rows};
pub use stuck::stuck_list;
pub use table::{Align, Table};
pub use tables::{TASKS, grid_of, table};

/// What a store holds, by cell.
pub fn cells(cells: &[CellSummary]) -> Table {
    let mut table = Table::new(&[
        ("dataset", Align::Left),
        ("model", Align::Left),
        ("condition", Align::Left),
        ("tasks", Align::Right),
        ("trajectories", Align::Right),
        ("labelled", Align::Right),
        ("references solved", Align::Right),
        ("turns", Align::Right),
        ("with logprobs", Align::Right),
        ("skipped", Align::Right),
    ]);
    for own in cells {
        table.row([
            own.cell.dataset.clone(),
            own.cell.model.clone(),
            own.cell.condition.clone(),
            grouped(own.tasks),
            grouped(own.trajectories),
            grouped(own.labelled),
            percent(own.reference_successes, own.references_labelled),
            grouped(own.turns),
            grouped(own.turns_with_logprobs),
            grouped(own.skipped),
        ]);
    }
    table
}
