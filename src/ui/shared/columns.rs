//! The columns of the table of tasks: which are shown, in what order, how wide.

use crate::engine::Column;
use crate::scorers::Scorer;
use crate::ui::view::flag_name;

/// The narrowest and the widest column that a user can ask for.
const WIDTHS: (usize, usize) = (3, 120);

/// Cells by which a column is made wider or narrower.
const STEP: usize = 2;

/// What is done to a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnChange {
    /// Show it, or hide it.
    Toggle,
    /// Move it to the left.
    Left,
    /// Move it to the right.
    Right,
    /// Make it wider.
    Wider,
    /// Make it narrower.
    Narrower,
}

/// A column, and how it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnChoice {
    /// The column.
    pub column: Column,
    /// It is on screen, where there is room.
    pub shown: bool,
    /// The width that the user asked for; none for as wide as it needs to be.
    pub width: Option<usize>,
}

/// The columns of the table of tasks, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskColumns(Vec<ColumnChoice>);

/// The columns that can be shown, and whether they are by default. Columns of scorers join them.
const OFFERED: [(Column, bool); 16] = [
    (Column::Dataset, true),
    (Column::Model, true),
    (Column::Condition, true),
    (Column::Task, true),
    (Column::Success, true),
    (Column::Score, true),
    (Column::Rank, true),
    (Column::Turns, true),
    (Column::Tools, true),
    (Column::Termination, true),
    (Column::Solved, false),
    (Column::Draws, false),
    (Column::Agreement, false),
    (Column::Reward, false),
    (Column::Cost, false),
    (Column::Note, true),
];

impl Default for TaskColumns {
    fn default() -> Self {
        let choice = |(column, shown)| ColumnChoice { column, shown, width: None };
        Self(OFFERED.map(choice).to_vec())
    }
}

/// The name of a column in the flag.
fn name_of(column: &Column) -> String {
    match column {
        Column::Scorer(scorer) => flag_name(scorer),
        other => other.name(),
    }
}

impl TaskColumns {
    /// The default columns with some of scorers.
    pub fn with_scorers(scorers: impl IntoIterator<Item = Scorer>) -> Self {
        let mut columns = Self::default();
        scorers.into_iter().for_each(|scorer| columns.toggle(&Column::Scorer(scorer)));
        columns
    }

    /// All of them, also those that are hidden.
    pub fn all(&self) -> &[ColumnChoice] {
        &self.0
    }

    /// Those that are shown.
    pub fn shown(&self) -> impl Iterator<Item = &ColumnChoice> {
        self.0.iter().filter(|choice| choice.shown)
    }

    /// The scorers that have a column, in the order of these.
    pub fn scorers(&self) -> Vec<Scorer> {
        let scorer = |choice: &ColumnChoice| match &choice.column {
            Column::Scorer(scorer) => Some(scorer.clone()),
            _ => None,
        };
        self.0.iter().filter_map(scorer).collect()
    }

    fn index(&self, column: &Column) -> Option<usize> {
        self.0.iter().position(|choice| choice.column == *column)
    }

    /// Changes a column, which is `drawn` so wide.
    pub fn change(&mut self, column: &Column, change: ColumnChange, drawn: usize) {
        match change {
            ColumnChange::Toggle => self.toggle(column),
            ColumnChange::Left | ColumnChange::Right => {
                self.shift(column, change == ColumnChange::Right);
            }
            ColumnChange::Wider => self.set_width(column, drawn + STEP),
            ColumnChange::Narrower => self.set_width(column, drawn.saturating_sub(STEP)),
        }
    }

    /// Shows a column, or hides it. One of a scorer comes after the others of scorers, or the rank.
    fn toggle(&mut self, column: &Column) {
        match self.index(column) {
            Some(index) if matches!(column, Column::Scorer(_)) => drop(self.0.remove(index)),
            Some(index) => self.0[index].shown = !self.0[index].shown,
            None => {
                let last = self
                    .0
                    .iter()
                    .rposition(|choice| matches!(choice.column, Column::Scorer(_) | Column::Rank));
                let at = last.map_or(self.0.len(), |index| index + 1);
                let column = column.clone();
                self.0.insert(at, ColumnChoice { column, shown: true, width: None });
            }
        }
    }

    /// Moves a column past the next one that is shown.
    fn shift(&mut self, column: &Column, right: bool) {
        let Some(index) = self.index(column).filter(|index| self.0[*index].shown) else { return };
        let neighbour = if right {
            (index + 1..self.0.len()).find(|other| self.0[*other].shown)
        } else {
            (0..index).rfind(|other| self.0[*other].shown)
        };
        let Some(neighbour) = neighbour else { return };
        let choice = self.0.remove(index);
        self.0.insert(neighbour, choice);
    }

    fn set_width(&mut self, column: &Column, width: usize) {
        let Some(index) = self.index(column) else { return };
        self.0[index].width = Some(width.clamp(WIDTHS.0, WIDTHS.1));
    }

    /// The shown columns as the flag names them; none where they are as they are by default.
    pub fn flag(&self) -> Option<String> {
        if *self == Self::with_scorers(self.scorers()) {
            return None;
        }
        let name = |choice: &ColumnChoice| {
            let width = choice.width.map_or(String::new(), |width| format!(":{width}"));
            format!("{}{width}", name_of(&choice.column))
        };
        Some(self.shown().map(name).collect::<Vec<_>>().join(","))
    }

    /// Shows the columns of a flag in its order, and hides the others but those of scorers; an error
    /// names what is no column.
    pub fn arrange(&mut self, flag: &str) -> Result<(), String> {
        let mut arranged: Vec<ColumnChoice> = Vec::new();
        for (name, width) in named_widths(flag)? {
            let is_named = |choice: &ColumnChoice| name_of(&choice.column) == name;
            if arranged.iter().any(is_named) {
                return Err(format!("`{name}` is named twice"));
            }
            let index = self.0.iter().position(is_named);
            let index = index.ok_or_else(|| {
                let known: Vec<String> =
                    self.0.iter().map(|choice| name_of(&choice.column)).collect();
                format!("there is no column `{name}`; it is one of: {}", known.join(", "))
            })?;
            arranged.push(ColumnChoice { shown: true, width, ..self.0.remove(index) });
        }
        for mut choice in std::mem::take(&mut self.0) {
            choice.shown = matches!(choice.column, Column::Scorer(_));
            arranged.push(choice);
        }
        self.0 = arranged;
        Ok(())
    }
}

/// The names and widths of a flag such as `task,score:20`.
fn named_widths(flag: &str) -> Result<Vec<(&str, Option<usize>)>, String> {
    flag.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(named_width).collect()
}

/// A name, and a width after a colon.
fn named_width(entry: &str) -> Result<(&str, Option<usize>), String> {
    let Some((name, width)) = entry.split_once(':') else { return Ok((entry, None)) };
    let (least, most) = WIDTHS;
    match width.parse().ok().filter(|width| (least..=most).contains(width)) {
        Some(width) => Ok((name, Some(width))),
        None => Err(format!("`{width}` is no width; give a number from {least} to {most}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ter() -> Column {
        Column::Scorer(Scorer::parse("ter"))
    }

    #[test]
    fn columns_are_hidden_moved_and_widened() {
        let mut columns = TaskColumns::default();
        assert_eq!(columns.flag(), None);
        columns.change(&ter(), ColumnChange::Toggle, 0);
        assert_eq!(columns.flag(), None, "the flag of scorers names it");
        columns.change(&Column::Tools, ColumnChange::Toggle, 5);
        columns.change(&Column::Turns, ColumnChange::Right, 5);
        columns.change(&Column::Score, ColumnChange::Wider, 15);
        let flag = columns.flag().expect("changed");
        assert_eq!(
            flag,
            "dataset,model,condition,task,success,score:17,rank,ter,termination,turns,note"
        );
        let mut again = TaskColumns::with_scorers(columns.scorers());
        again.arrange(&flag).expect("known");
        assert_eq!(again.flag(), Some(flag));
        columns.change(&Column::Turns, ColumnChange::Left, 5);
        columns.change(&Column::Dataset, ColumnChange::Left, 5);
        columns.change(&Column::Tools, ColumnChange::Right, 5);
        let names: Vec<String> = columns.shown().map(|choice| choice.column.name()).collect();
        assert_eq!(names[names.len() - 3..], ["turns", "termination", "note"]);
        assert_eq!(names[0], "dataset", "it is the first already");
    }

    #[test]
    fn a_wrong_column_is_named() {
        let said = |flag: &str| TaskColumns::default().arrange(flag).expect_err("wrong");
        assert!(said("task,speed").starts_with("there is no column `speed`; it is one of: "));
        assert_eq!(said("task,task"), "`task` is named twice");
        assert_eq!(said("task:x"), "`x` is no width; give a number from 3 to 120");
    }
}
