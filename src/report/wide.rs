//! A grid as papers print it: a row per scorer, a column per cell.

use crate::colour::Rgb;
use crate::model::Cell;

/// A grid with a column per cell, for formats that people read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WideTable {
    /// What the values are, over the names of the rows.
    pub corner: String,
    /// The cells from left to right.
    pub columns: Vec<Cell>,
    /// The rows from top to bottom.
    pub rows: Vec<WideRow>,
    /// What the cells are like, below their values.
    pub foot: Vec<(String, Vec<String>)>,
    /// What the signs mean, and what is left out.
    pub remarks: Vec<String>,
}

/// A row of a wide table.
#[derive(Clone, Debug, PartialEq)]
pub enum WideRow {
    /// The name of a family, above its scorers.
    Head(String),
    /// A name, and a value in every column.
    Values(String, Vec<WideValue>),
}

/// A value as it is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WideValue {
    /// The value in words.
    pub text: String,
    /// Its interval, where it is shown beside it.
    pub interval: Option<String>,
    /// It is the best of its column.
    pub is_best: bool,
    /// Too few tasks are behind it.
    pub is_flagged: bool,
    /// The colour behind it.
    pub colour: Option<Rgb>,
}

/// A name over one or more columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span<'a> {
    pub(super) name: &'a str,
    /// How many columns.
    pub(super) columns: usize,
}

impl WideTable {
    /// The names of datasets, each over its columns.
    pub(super) fn datasets(&self) -> Vec<Span<'_>> {
        let groups = self.columns.chunk_by(|a, b| a.dataset == b.dataset);
        groups.map(|group| Span { name: &group[0].dataset, columns: group.len() }).collect()
    }

    /// The names over single columns, line by line: models and, where any is stated, conditions.
    pub(super) fn names(&self) -> Vec<Vec<&str>> {
        let models = self.columns.iter().map(|cell| cell.model.as_str()).collect();
        let is_stated = |cell: &Cell| cell.condition != Cell::DEFAULT_CONDITION;
        if !self.columns.iter().any(is_stated) {
            return vec![models];
        }
        let condition = |cell| if is_stated(cell) { cell.condition.as_str() } else { "" };
        vec![models, self.columns.iter().map(condition).collect()]
    }

    /// The remarks, and what bold values are: for formats that have bold text.
    pub(super) fn remarks_with_bold(&self) -> Vec<String> {
        let has_best = self.values().any(|value| value.is_best);
        let bold = has_best.then(|| "bold: best of its column".to_owned());
        bold.into_iter().chain(self.remarks.iter().cloned()).collect()
    }

    /// Whether a value has a colour.
    pub(super) fn has_colours(&self) -> bool {
        self.values().any(|value| value.colour.is_some())
    }

    /// All values.
    pub(super) fn values(&self) -> impl Iterator<Item = &WideValue> {
        self.rows.iter().flat_map(|row| match row {
            WideRow::Head(_) => &[][..],
            WideRow::Values(_, values) => values,
        })
    }
}
