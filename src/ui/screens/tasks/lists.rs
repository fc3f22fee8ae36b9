//! The lists of columns: to sort by, and to show, hide, move and widen.

use super::Tasks;
use crate::engine::Column;
use crate::filter::FieldKind;
use crate::ui::action::Action;
use crate::ui::overlays::{Choice, Picker};
use crate::ui::shared::{ColumnChange, ColumnChoice, Shared};

/// The columns to sort by.
pub(super) fn sorts(shared: &Shared) -> Picker {
    let columns = shared.engine().map(|engine| engine.columns()).unwrap_or_default();
    let choice = |column: &Column| Choice {
        name: column.name(),
        hint: match column {
            Column::Scorer(scorer) => scorer.label(),
            _ if *column == shared.tasks.sort => "again: the other way round".to_owned(),
            _ => String::new(),
        },
        action: Action::SetSort(column.clone()),
    };
    let mut picker = Picker::new("Sort by", columns.iter().map(choice).collect());
    let current = columns.iter().position(|column| *column == shared.tasks.sort);
    picker.marked = current.unwrap_or(0);
    picker
}

/// Sorts by a column; by the same one again, the other way round.
pub(super) fn sort_by(column: &Column, shared: &mut Shared) {
    if shared.is_voting && shared.column_tells(column) {
        shared.say("tasks that you have not voted on stand last, in the order of the store");
    }
    let list = &mut shared.tasks;
    if list.sort == *column {
        list.descending = !list.descending;
        return;
    }
    // What is high is looked at first, what is a name or a rank from its beginning.
    let from_beginning =
        [Column::Rank, Column::Top, Column::Bottom, Column::Quartile].contains(column);
    list.descending = column.kind() != FieldKind::Text && !from_beginning;
    list.sort = column.clone();
}

/// The columns of the table in their order, then the scorers that have none.
pub(super) fn columns(screen: &Tasks, shared: &Shared) -> Picker {
    let columns = &shared.tasks.columns;
    let choice = |choice: &ColumnChoice| {
        let drawn = screen.drawn_width(&choice.column);
        Choice {
            name: column_name(&choice.column),
            hint: match choice.width.or(drawn) {
                _ if !choice.shown => "hidden".to_owned(),
                _ if drawn.is_none() => format!("{} ", why_not_drawn(&choice.column, shared)),
                Some(width) => format!("{width} wide  shown "),
                None => "shown ".to_owned(),
            },
            action: Action::ChangeColumn(choice.column.clone(), ColumnChange::Toggle),
        }
    };
    let with_column = columns.scorers();
    let others = shared.scorers().into_iter().filter(|scorer| !with_column.contains(scorer));
    let others = others.map(|scorer| Choice {
        name: scorer.label(),
        hint: "a scorer, hidden".to_owned(),
        action: Action::ChangeColumn(Column::Scorer(scorer), ColumnChange::Toggle),
    });
    let all = columns.all().iter().map(choice).chain(others).collect();
    let mut picker = Picker::new("Columns: ⏎ Space show or hide  < > move  + - width", all);
    picker.again = Some(Action::ChooseColumns);
    picker.keys = Some(column_key);
    picker
}

/// What a column is called: as it is headed, and as filters name it where that differs.
fn column_name(column: &Column) -> String {
    let heading = match column {
        Column::Scorer(scorer) => return scorer.label(),
        Column::Success => "outcome",
        Column::Termination => "ended",
        other => return other.name(),
    };
    format!("{heading} ({})", column.name())
}

/// Why a column that should be shown is not.
fn why_not_drawn(column: &Column, shared: &Shared) -> &'static str {
    let is_of_cells = matches!(column, Column::Dataset | Column::Model | Column::Condition);
    let has_rows = shared.tasks.table().is_some_and(|table| !table.rows.is_empty());
    match column {
        _ if is_of_cells && !shared.tasks.all_cells => "shown with all cells",
        Column::Note if shared.notes.noted().is_empty() => "there is no note",
        // Without a row there are no columns.
        _ if !has_rows => "shown",
        Column::Condition => "the same in all cells",
        _ => "no room",
    }
}

/// What a letter does to the marked column while nothing is typed.
fn column_key(marked: &Action, letter: char) -> Option<Action> {
    let Action::ChangeColumn(column, _) = marked else { return None };
    let change = match letter {
        ' ' => ColumnChange::Toggle,
        '<' | ',' => ColumnChange::Left,
        '>' | '.' => ColumnChange::Right,
        '+' => ColumnChange::Wider,
        '-' => ColumnChange::Narrower,
        _ => return None,
    };
    Some(Action::ChangeColumn(column.clone(), change))
}
