//! Tables and comparisons as text: what the screens show, without a terminal.
//!
//! [`table`] makes any table, [`Table::render`] writes it in any [`OutputFormat`]. [`show`] prints
//! runs side by side, and [`mod@figure`] draws figures.

pub mod figure;
mod formats;
mod gate;
mod layout;
pub mod page;
mod request;
pub mod show;
mod table;
mod tables;
mod wide;

pub use formats::OutputFormat;
pub use gate::{GateFormat, GateReport, GateRow};
pub use layout::{
    FAINT, GridLayout, GridRow, Show, columns_by_dataset, heat, holds_chance, holds_zero,
    rows_by_family,
};
pub use request::{TableKind, TableOptions, TableRequest, TaskListing, TurnEntry, table};
pub use table::{ColumnKind, Datum, Origin, Provenance, Table, TableColumn};
pub use tables::merge::{conflicts, label_conflicts, taken};
pub use tables::published::{PublishedFilter, PublishedKind, published};
pub use tables::scorers::scorers;
pub use tables::store::{ExportKind, cells, export, export_in};
pub use tables::versus::{ChangedTask, changed_tasks, of_changed, of_versus};
pub use wide::{WideRow, WideTable, WideValue};
