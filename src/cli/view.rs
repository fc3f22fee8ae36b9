//! Start flags as a view of a store.

use crate::model::Cell;
use crate::store::Store;
use crate::ui::View;

/// The view that the flags name, if it is one of this store; none when they name nothing.
pub(super) fn of_flags(view: &View, store: &Store) -> anyhow::Result<Option<View>> {
    if *view == View::default() {
        return Ok(None);
    }
    let summaries = &store.manifest().cells;
    let cells: Vec<Cell> = summaries.iter().map(|summary| summary.cell.clone()).collect();
    match view.problem(&cells) {
        Some(problem) => anyhow::bail!("{}: {problem}", store.path().display()),
        None => Ok(Some(view.clone())),
    }
}
