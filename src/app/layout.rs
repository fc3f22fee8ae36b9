use ratatui::layout::{Position, Rect};

use super::action::{Action, Screen};
use super::judges::JudgePane;
use crate::engine::Column;

/// Something on screen that can be clicked.
#[derive(Clone, Debug, PartialEq)]
pub enum Hit {
    /// A key of the footer, or a word that stands for an action.
    Action(Action),
    /// The name of a screen.
    Screen(Screen),
    /// A row of the grid, and the cell if a value was hit.
    Grid(usize, Option<usize>),
    /// The head of a grid's column.
    GridColumn(usize),
    /// A row of the tasks, by place.
    Task(usize),
    /// The head of a column of the tasks.
    TaskColumn(Column),
    /// A cell of the store, by place.
    Cell(usize),
    /// A row of the comparison, in a pane.
    Row(usize, usize),
    /// A number of the table of stuck policies, by scorer and group.
    StuckCell(usize, usize),
    /// A stuck task, by place.
    StuckTask(usize),
    /// A row of a pane of the judges, and the column where one was hit.
    Judge(JudgePane, usize, Option<usize>),
    /// A token of the selected turn.
    Token(usize),
    /// An aggregator, and the cell if a value was hit.
    Rule(usize, Option<usize>),
    /// A place on the slider of the aggregator.
    Slider(usize),
    /// An entry of a list.
    Choice(usize),
    /// A part of an overlay that does nothing, but hides what is below.
    Nothing,
}

/// What drawing has to tell the update.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// What stands where; later ones lie over earlier ones.
    pub hits: Vec<(Rect, Hit)>,
    /// Rows of the list that has the keys.
    pub page: usize,
    /// The first row and column of the grid.
    pub grid: Option<(usize, usize)>,
    /// The first row of the tasks.
    pub tasks: Option<usize>,
    /// The first column and task of the aggregators.
    pub aggregators: Option<(usize, usize)>,
    /// The first task of the stuck ones.
    pub stuck: Option<usize>,
    /// The first pair of the queue.
    pub judges: Option<usize>,
    /// For every pane of the comparison its first line, and how far it could be scrolled.
    pub scrolls: Vec<(usize, usize)>,
    /// The side pane is there.
    pub side: bool,
    /// Columns that a text is wrapped to.
    pub room: usize,
    /// The first line of a text.
    pub scroll: usize,
    /// How far it could be scrolled.
    pub hidden: usize,
}

impl Layout {
    /// Notes what stands in an area.
    pub fn hit(&mut self, area: Rect, hit: Hit) {
        self.hits.push((area, hit));
    }

    /// What stands at a place.
    pub fn at(&self, column: u16, row: u16) -> Option<&Hit> {
        let place = Position { x: column, y: row };
        self.hits.iter().rev().find(|(area, _)| area.contains(place)).map(|(_, hit)| hit)
    }
}

/// The first line to show so that the selected one is in sight, moving as little as possible.
pub fn scrolled(offset: usize, selected: usize, room: usize, all: usize) -> usize {
    let room = room.max(1);
    let offset = offset.min(all.saturating_sub(room));
    if selected < offset {
        selected
    } else if selected >= offset + room {
        selected + 1 - room
    } else {
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolls_as_little_as_possible() {
        assert_eq!(scrolled(0, 4, 5, 20), 0);
        assert_eq!(scrolled(0, 5, 5, 20), 1);
        assert_eq!(scrolled(9, 3, 5, 20), 3);
        assert_eq!(scrolled(18, 19, 5, 20), 15);
        assert_eq!(scrolled(3, 0, 0, 0), 0);
    }
}
