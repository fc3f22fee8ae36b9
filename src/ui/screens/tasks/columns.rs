//! Which columns of the table of tasks fit on the screen, and how wide they are.

use crate::engine::{Column, TaskTable};
use crate::model::Cell;
use crate::text::visible;
use crate::ui::marks;
use crate::ui::shared::{ColumnChoice, Shared};
use crate::ui::widgets::{short_names, width};

/// Columns of the longest task id that other columns make room for.
const WISHED_ID: usize = 28;

/// Columns of a score without its bar.
pub(super) const NUMBER: usize = 7;

/// Columns of a score with a short bar.
pub(super) const SCORE: usize = 8 + NUMBER;

/// Columns of the title of a scorer, unless the user makes them more.
const TITLE: usize = 12;

/// Columns of the longest bar, and of the narrowest screen that has it.
const LONGEST_BAR: usize = 24;
const WITH_LONG_BARS: usize = 160;

/// A column on screen.
pub(super) struct Shown {
    pub column: Column,
    pub title: String,
    pub width: usize,
    /// Its index among the score columns.
    pub extra: usize,
    /// The user set its width.
    is_fixed: bool,
}

impl Shown {
    fn new(column: Column, title: &str, width: usize) -> Self {
        let width = width.max(title.chars().count());
        Self { column, title: title.to_owned(), width, extra: 0, is_fixed: false }
    }

    pub(super) fn is_right_aligned(&self) -> bool {
        use Column::{Agreement, Cost, Draws, Reward, Scorer, Solved, Tools, Turns};
        matches!(
            self.column,
            Turns | Tools | Solved | Draws | Agreement | Reward | Cost | Scorer(_)
        )
    }
}

/// The shown columns, as wide as they want to be or as the user wants them.
fn wanted_columns(shared: &Shared, table: &TaskTable) -> Vec<Shown> {
    let mut columns = Vec::new();
    let mut extra = 0;
    for choice in shared.tasks.columns.all() {
        let wanted = choice.shown.then(|| match &choice.column {
            Column::Scorer(_) => Some(score_column(choice, extra, shared)),
            column => wanted_column(column, shared, table),
        });
        let wanted = wanted.flatten();
        if let Some(wanted) = wanted {
            let width = choice.width.unwrap_or(wanted.width);
            let is_fixed = choice.width.is_some();
            columns.push(Shown { width, extra, is_fixed, ..wanted });
        }
        extra += usize::from(matches!(choice.column, Column::Scorer(_)));
    }
    columns
}

/// The column of a scorer, an index among those of all scorers; its title differs from theirs.
fn score_column(choice: &ColumnChoice, extra: usize, shared: &Shared) -> Shown {
    let scorers = shared.tasks.columns.scorers();
    let labels = scorers.iter().map(|scorer| visible(&scorer.label()).into_owned());
    let titles = short_names(&labels.collect::<Vec<_>>(), choice.width.unwrap_or(TITLE));
    let title = titles.get(extra).map_or("", String::as_str);
    Shown::new(choice.column.clone(), title, width(title).max(6))
}

/// A column, as wide as it wants to be; none where it would say the same of every task.
fn wanted_column(column: &Column, shared: &Shared, table: &TaskTable) -> Option<Shown> {
    let name_width = |name: fn(&Cell) -> &String| {
        shared.cells.iter().map(|cell| width(&visible(name(cell)))).max().unwrap_or(0).min(16)
    };
    let all_cells = shared.tasks.all_cells;
    let conditions = || shared.cells.iter().any(|cell| cell.condition != Cell::DEFAULT_CONDITION);
    let (title, width) = match column {
        Column::Dataset if all_cells => ("dataset", name_width(|cell| &cell.dataset)),
        Column::Model if all_cells => ("model", name_width(|cell| &cell.model)),
        Column::Condition if all_cells && conditions() => {
            ("cond.", name_width(|cell| &cell.condition))
        }
        // With its draw, where every draw is a row.
        Column::Task => ("task", table.longest_id.clamp(4, WISHED_ID)),
        Column::Success => {
            let draws = table.most_draws.min(marks::MOST_DRAWS);
            ("outcome", draws + usize::from(table.most_draws > 1))
        }
        Column::Score => ("score", SCORE),
        Column::Rank => ("rank", if table.has_moves() { 10 } else { 6 }),
        Column::Turns => ("turns", 5),
        Column::Tools => ("tools", 5),
        Column::Termination => ("ended", 12),
        Column::Solved => ("solved", 6),
        Column::Draws => ("draws", 5),
        Column::Agreement => ("agreement", 9),
        Column::Reward => ("reward", 6),
        Column::Cost => ("cost", 6),
        Column::Note if !shared.notes.noted().is_empty() => ("note", 4),
        _ => return None,
    };
    Some(Shown::new(column.clone(), title, width))
}

/// What a narrow screen does without, the first to go first.
const SPARE: [Column; 3] = [Column::Termination, Column::Tools, Column::Turns];

/// What is cut before numbers go, in this order, and the widths that stay: names and the score's bar.
const CUT: [(Column, usize); 6] = [
    (Column::Task, 22),
    (Column::Score, NUMBER),
    (Column::Condition, 8),
    (Column::Model, 10),
    (Column::Task, 14),
    (Column::Dataset, 7),
];

/// The columns that fit, names and bars as wide as there is room.
pub(super) fn fitting(shared: &Shared, table: &TaskTable, room: usize) -> Vec<Shown> {
    let mut columns = wanted_columns(shared, table);
    for spare in SPARE {
        if taken(&columns) > room {
            columns.retain(|shown| shown.column != spare);
        }
    }
    for (column, least) in CUT {
        let over = taken(&columns).saturating_sub(room);
        if let Some(shown) = free(&mut columns, &column) {
            shown.width = shown.width.saturating_sub(over).max(shown.width.min(least));
        }
    }
    // Score columns that do not fit whole are left out, the last first.
    while taken(&columns) > room
        && let Some(index) =
            columns.iter().rposition(|shown| matches!(shown.column, Column::Scorer(_)))
    {
        columns.remove(index);
    }
    // The score is what the list is about, and without their names rows look alike.
    for spare in [Column::Rank, Column::Condition] {
        if taken(&columns) > room {
            columns.retain(|shown| shown.column != spare);
        }
    }
    // What is wider than the screen is cut.
    while taken(&columns) > room && columns.len() > 1 {
        columns.pop();
    }
    let names = [Column::Dataset, Column::Model, Column::Condition];
    let wanted = wanted_columns(shared, table).into_iter();
    let named = wanted.filter(|shown| names.contains(&shown.column));
    let named = named.map(|shown| (shown.column, shown.width));
    for (column, most) in named.chain(growing(table)) {
        let left = room.saturating_sub(taken(&columns));
        if let Some(shown) = free(&mut columns, &column) {
            shown.width = shown.width.max(most.min(shown.width + left));
        }
    }
    columns
}

/// The width of the table with every column as wide as it may become on a screen of some width.
pub(super) fn widest(shared: &Shared, table: &TaskTable, screen: usize) -> usize {
    let mut columns = wanted_columns(shared, table);
    for (column, most) in growing(table) {
        // Bars are long where the selected task has room enough all the same.
        let grows = column != Column::Score || screen >= WITH_LONG_BARS;
        if let Some(shown) = free(&mut columns, &column).filter(|_| grows) {
            shown.width = shown.width.max(most);
        }
    }
    taken(&columns)
}

/// The columns that become wider where there is room, the first first, and their greatest widths.
fn growing(table: &TaskTable) -> [(Column, usize); 3] {
    [
        (Column::Task, table.longest_id.min(60)),
        (Column::Termination, 18),
        (Column::Score, LONGEST_BAR + NUMBER),
    ]
}

/// The columns of a table with two signs before it and two spaces behind each column.
fn taken(columns: &[Shown]) -> usize {
    columns.iter().map(|shown| shown.width + 2).sum::<usize>() + 2
}

/// A column whose width is not set by the user.
fn free<'a>(columns: &'a mut [Shown], column: &Column) -> Option<&'a mut Shown> {
    columns.iter_mut().find(|shown| shown.column == *column && !shown.is_fixed)
}
