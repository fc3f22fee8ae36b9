//! The cells that a screen looks at together.

use super::Shared;
use crate::engine::Scope;
use crate::text::{counted, visible};
use crate::ui::view::Named;

/// Which cells are looked at together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Together {
    /// All.
    All,
    /// Those of the selected cell's dataset.
    Dataset,
    /// Those of its model.
    Model,
    /// It alone.
    #[default]
    Cell,
}

impl Named for Together {
    const ALL: &'static [Self] = &[Self::All, Self::Dataset, Self::Model, Self::Cell];

    fn id(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Dataset => "dataset",
            Self::Model => "model",
            Self::Cell => "cell",
        }
    }
}

impl Together {
    /// The cells, given the selected one.
    pub fn cells(self, shared: &Shared) -> Scope {
        let Some(cell) = shared.current_cell() else { return Scope::All };
        match self {
            Self::All => Scope::All,
            Self::Dataset => Scope::Dataset(cell.dataset.clone()),
            Self::Model => Scope::Model(cell.model.clone()),
            Self::Cell => Scope::Cell(cell.clone()),
        }
    }

    /// The cell that is looked at, where it is one alone.
    pub fn only_cell(self, shared: &Shared) -> Option<usize> {
        (self == Self::Cell).then_some(shared.cell)
    }

    /// The same in words.
    pub fn words(self, shared: &Shared) -> String {
        let scope = self.cells(shared);
        let cells = counted(shared.cells_of(&scope).len() as u64, "cell");
        match &scope {
            Scope::All if shared.cells.len() == 1 => {
                visible(&shared.cells[0].to_string()).into_owned()
            }
            Scope::All => format!("all {cells}"),
            Scope::Dataset(name) | Scope::Model(name) => format!("{}, {cells}", visible(name)),
            Scope::Cell(cell) => visible(&cell.to_string()).into_owned(),
        }
    }
}

impl Shared {
    /// The indices of some cells.
    pub fn cells_of(&self, scope: &Scope) -> Vec<usize> {
        (0..self.cells.len()).filter(|cell| scope.holds(&self.cells[*cell])).collect()
    }
}
