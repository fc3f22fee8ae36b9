//! The draws to compare, as people write them.

use crate::model::Cell;

/// How many runs can be compared at once.
pub const MOST_PANES: usize = 4;

/// A draw as it is asked for: `2`, `0@gpt-4o`, `0@gpt-4o/native`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunName {
    /// The draw.
    pub draw: u32,
    /// The model, or model and condition; none for the cell of the task.
    pub cell: Option<String>,
}

impl RunName {
    /// Reads one draw; an error says what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (draw, cell) = match text.trim().split_once('@') {
            Some((draw, cell)) => (draw, Some(cell.to_owned())),
            None => (text.trim(), None),
        };
        let draw = draw.parse().ok().filter(|_| cell.as_deref() != Some(""));
        let wrong = || {
            format!("`{text}` is no draw; write a number, or DRAW@MODEL or DRAW@MODEL/CONDITION")
        };
        Ok(Self { draw: draw.ok_or_else(wrong)?, cell })
    }

    /// Reads draws separated by commas.
    pub fn list(text: &str) -> Result<Vec<Self>, String> {
        let all: Vec<Self> = text.split(',').map(Self::parse).collect::<Result<_, _>>()?;
        if all.len() > MOST_PANES {
            let count = all.len();
            return Err(format!(
                "{count} draws were asked for; at most {MOST_PANES} fit side by side"
            ));
        }
        Ok(all)
    }

    /// Indices of the cells that a name may mean: those of that very model and condition, else those
    /// of the model, under the condition of the task's cell if there are several.
    pub fn cells(name: &str, task_cell: &Cell, cells: &[&Cell]) -> Vec<usize> {
        let found = |is: &dyn Fn(&Cell) -> bool| -> Vec<usize> {
            (0..cells.len()).filter(|index| is(cells[*index])).collect()
        };
        let exact = found(&|cell| *name == format!("{}/{}", cell.model, cell.condition));
        if !exact.is_empty() {
            return exact;
        }
        let same = found(&|cell| cell.model == name);
        let same_condition = |index: &usize| cells[*index].condition == task_cell.condition;
        let like: Vec<usize> = same.iter().copied().filter(same_condition).collect();
        if same.len() > 1 && !like.is_empty() { like } else { same }
    }
}

/// The default draws: the first, and the first other whose outcome differs, else the next.
pub fn usual_draws(draws: &[(u32, Option<bool>)]) -> Vec<u32> {
    let Some(((first, label), rest)) = draws.split_first() else { return Vec::new() };
    let differs =
        |(_, other): &&(u32, Option<bool>)| label.is_some() && other.is_some() && other != label;
    let other = rest.iter().find(differs).or(rest.first());
    [Some(*first), other.map(|(draw, _)| *draw)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_as_they_are_written() {
        let wanted = |draw, cell: Option<&str>| RunName { draw, cell: cell.map(str::to_owned) };
        let all = RunName::list("0, 2,0@gpt-4o/native").expect("draws");
        assert_eq!(all, [wanted(0, None), wanted(2, None), wanted(0, Some("gpt-4o/native"))]);
        for wrong in ["", "x", "0,,1", "-1", "0@", "@m", "0,1,2,3,4"] {
            assert!(RunName::list(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn cells_by_model_and_condition() {
        let cell = |model: &str, condition: &str| Cell {
            condition: condition.to_owned(),
            ..Cell::new("d", model)
        };
        let task_cell = cell("m", "native");
        let all = [cell("a/b", "native"), cell("a/b", "text"), cell("a", "b")];
        let all: Vec<&Cell> = all.iter().collect();
        assert_eq!(RunName::cells("a/b/text", &task_cell, &all), [1]);
        assert_eq!(RunName::cells("a/b", &task_cell, &all), [2], "model and condition first");
        assert_eq!(
            RunName::cells("a/b", &task_cell, &all[..2]),
            [0],
            "the condition of the task's cell"
        );
        assert_eq!(RunName::cells("c", &task_cell, &all), [0; 0]);
    }

    #[test]
    fn a_run_is_compared_with_one_that_ended_otherwise() {
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(usual_draws(&[(0, no), (1, no), (2, None), (3, yes)]), [0, 3]);
        assert_eq!(usual_draws(&[(0, None), (1, no)]), [0, 1]);
        assert_eq!(usual_draws(&[(2, no)]), [2]);
        assert_eq!(usual_draws(&[]), [0; 0]);
    }
}
