//! Rows and columns of the grid: their order, which are folded, which is selected.

use super::{Grid, heatmap};
use crate::report::{GridRow as Row, columns_by_dataset, rows_by_family};
use crate::scorers::{Family, Scorer};
use crate::text::counted;
use crate::ui::shared::{Number, Shared};

/// Cells and scorers without any value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Empty {
    /// Cells in which no scorer has a value.
    pub cells: Vec<usize>,
    /// Scorers without a value in any cell.
    pub scorers: Vec<Scorer>,
}

impl Empty {
    /// What is without a value, once all values are known; nothing where there is none at all. The
    /// selected cell and scorer are never among it.
    fn new(shared: &Shared) -> Self {
        let scorers = shared.scorers();
        let rows: Option<Vec<&[Option<Number>]>> =
            scorers.iter().map(|scorer| shared.numbers.row(scorer)).collect();
        let Some(rows) = rows else { return Self::default() };
        let has_value =
            |number: &Option<Number>| number.is_some_and(|number| number.value.is_some());
        let cells = (0..shared.cells.len()).filter(|&cell| {
            let empty = rows.iter().all(|row| !row.get(cell).is_some_and(has_value));
            empty && cell != shared.cell
        });
        let cells: Vec<usize> = cells.collect();
        if cells.len() + 1 >= shared.cells.len()
            && !rows.iter().any(|row| row.iter().any(has_value))
        {
            return Self::default();
        }
        let empty = scorers.iter().zip(&rows).filter(|(_, row)| !row.iter().any(has_value));
        let empty = empty.filter(|(scorer, _)| **scorer != shared.lens.scorer);
        Self { cells, scorers: empty.map(|(scorer, _)| scorer.clone()).collect() }
    }

    /// What is hidden, in words; none where nothing is.
    pub fn words(&self) -> Option<String> {
        let count = |count: usize, noun: &str| (count > 0).then(|| counted(count as u64, noun));
        let parts = [count(self.cells.len(), "cell"), count(self.scorers.len(), "scorer")];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}

impl Grid {
    /// The cells and scorers that are hidden because they have no value.
    pub fn empty(&self, shared: &Shared) -> Empty {
        if self.show_empty { Empty::default() } else { Empty::new(shared) }
    }

    /// The rows from top to bottom.
    pub fn rows(&self, shared: &Shared) -> Vec<Row> {
        let mut scorers = shared.scorers();
        let empty = self.empty(shared);
        scorers.retain(|scorer| !empty.scorers.contains(scorer));
        if self.sort_rows {
            let heatmap = heatmap(shared);
            let value = |scorer: &Scorer| heatmap.value(scorer, shared.cell);
            scorers.sort_by(|a, b| heatmap.better_first(value(a), value(b)));
            return scorers.into_iter().map(Row::Scorer).collect();
        }
        rows_by_family(&scorers, &self.folded)
    }

    /// The cells from left to right.
    pub fn columns(&self, shared: &Shared) -> Vec<usize> {
        let mut cells = columns_by_dataset(&shared.cells);
        let empty = self.empty(shared);
        cells.retain(|cell| !empty.cells.contains(cell));
        if let Some(scorer) = &self.sort_columns {
            let heatmap = heatmap(shared);
            let value = |cell: usize| heatmap.value(scorer, cell);
            cells.sort_by(|&a, &b| heatmap.better_first(value(a), value(b)));
        }
        cells
    }

    /// The selected row: the lens's scorer, or the folded family in its place.
    pub fn selected_row(&self, rows: &[Row], shared: &Shared) -> Option<usize> {
        let folded = |row: &Row| match row {
            Row::Folded(family, _) => Some(*family) == self.on_family,
            _ => false,
        };
        let lens = |row: &Row| match row {
            Row::Scorer(scorer) => *scorer == shared.lens.scorer,
            Row::Folded(_, members) => members.contains(&shared.lens.scorer),
            Row::Head(_) => false,
        };
        rows.iter().position(folded).or_else(|| rows.iter().position(lens))
    }

    /// Selects a row, or the nearest one that can be selected.
    pub(super) fn select_row(
        &mut self,
        rows: &[Row],
        index: usize,
        down: bool,
        shared: &mut Shared,
    ) {
        let selectable = |row: &&Row| !matches!(row, Row::Head(_));
        let index = index.min(rows.len().saturating_sub(1));
        let row = if down {
            rows[index..].iter().find(selectable).or(rows.iter().rfind(selectable))
        } else {
            rows[..=index].iter().rfind(selectable).or(rows.iter().find(selectable))
        };
        let (family, scorer) = match row {
            Some(Row::Scorer(scorer)) => (None, Some(scorer)),
            // What the row shows is what is looked through: the best of the family here.
            Some(Row::Folded(family, members)) => {
                (Some(*family), heatmap(shared).best_scorer(shared.cell, members))
            }
            _ => return,
        };
        self.on_family = family;
        if let Some(scorer) = scorer {
            shared.lens.scorer = scorer.clone();
            self.seen = Some(scorer.clone());
        }
    }

    /// Folds or unfolds the family of a row.
    pub(super) fn fold(&mut self, row: &Row, shared: &mut Shared) {
        let family = row.family();
        self.sort_rows = false;
        if !self.folded.remove(&family) {
            self.folded.insert(family);
            self.on_family = Some(family);
            return;
        }
        self.on_family = None;
        if shared.lens.scorer.family() != family {
            let rows = self.rows(shared);
            let head = rows.iter().position(|row| *row == Row::Head(family)).unwrap_or(0);
            self.select_row(&rows, head + 1, true, shared);
        }
    }

    /// Folds all families, or unfolds those that are folded.
    pub(super) fn fold_all(&mut self, shared: &Shared) {
        if self.folded.is_empty() {
            self.folded = Family::ALL.into_iter().collect();
            self.on_family = Some(shared.lens.scorer.family());
        } else {
            self.folded.clear();
            self.on_family = None;
        }
        self.sort_rows = false;
    }
}
