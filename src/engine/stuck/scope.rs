//! The cells that are analysed together.

use std::fmt;

use crate::engine::Engine;
use crate::model::Cell;

/// Some of the cells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// All cells.
    All,
    /// The cells of a dataset.
    Dataset(String),
    /// The cells of a model.
    Model(String),
    /// One cell.
    Cell(Cell),
}

impl Scope {
    /// Whether a cell is among them.
    pub fn holds(&self, cell: &Cell) -> bool {
        match self {
            Self::All => true,
            Self::Dataset(dataset) => *dataset == cell.dataset,
            Self::Model(model) => *model == cell.model,
            Self::Cell(only) => only == cell,
        }
    }
}

impl fmt::Display for Scope {
    /// `all`, a dataset, `*/model` or `dataset/model`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Dataset(dataset) => f.write_str(dataset),
            Self::Model(model) => write!(f, "*/{model}"),
            Self::Cell(cell) => cell.fmt(f),
        }
    }
}

impl Engine {
    /// All scopes of the store: all cells, every dataset, every model, every cell. One cell alone is
    /// one scope.
    pub fn scopes(&self) -> Vec<Scope> {
        if let [only] = &self.frames[..] {
            return vec![Scope::Cell(only.cell.clone())];
        }
        let cells = || self.frames.iter().map(|frame| &frame.cell);
        let datasets = cells().map(|cell| Scope::Dataset(cell.dataset.clone()));
        let models = cells().map(|cell| Scope::Model(cell.model.clone()));
        let alone = cells().map(|cell| Scope::Cell(cell.clone()));
        let mut scopes = vec![Scope::All];
        for scope in datasets.chain(models).chain(alone) {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        scopes
    }

    /// The indices of a scope's cells.
    pub fn cells_of(&self, scope: &Scope) -> Vec<usize> {
        (0..self.frames.len()).filter(|cell| scope.holds(&self.frames[*cell].cell)).collect()
    }
}
