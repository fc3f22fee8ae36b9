//! The tasks of every cell with their scores and ranks, as JSON for the script.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde::Serialize;

use super::Source;
use super::runs::ComparedRuns;
use crate::engine::{Column, Frame, Kept, Noted, Task, TaskId, TaskQuery, TaskTable};
use crate::scorers::Scorer;
use crate::text::visible;

/// Scores and ranks of a page, at most. Beyond that it has those of one scorer.
const MOST_SCORES: usize = 1_000_000;

#[derive(Serialize)]
struct Data {
    scorers: Vec<String>,
    /// The index of the scorer that runs are shown under.
    scorer: usize,
    cells: Vec<CellData>,
    ended: Vec<String>,
}

#[derive(Serialize)]
struct CellData {
    name: String,
    /// Task, whether it is solved, draws that solved it, draws, turns, calls, how it ended, comparisons.
    tasks: Vec<TaskData>,
    /// Scores and ranks by scorer.
    scores: BTreeMap<usize, ScoresAndRanks>,
}

/// Scores and ranks of the tasks of a cell.
#[derive(Serialize)]
struct ScoresAndRanks(Vec<Option<f64>>, Vec<Option<f64>>);

#[derive(Serialize)]
struct TaskData(
    String,
    Option<u8>,
    usize,
    usize,
    Option<u32>,
    Option<u32>,
    Option<usize>,
    Vec<String>,
);

/// The data of the script, as JSON that no element can end.
pub(super) fn data(source: &Source<'_>, compared: &ComparedRuns) -> String {
    let engine = Arc::new(source.engine.clone());
    let scorers = engine.scorers();
    let rows: usize = engine.frames().iter().map(|frame| frame.tasks.len()).sum();
    let position = scorers.iter().position(|scorer| *scorer == source.scorer).unwrap_or(0);
    let all = Kept::all(engine.clone());
    let table = |scorer: &Scorer| {
        let query = TaskQuery {
            cell: None,
            scorer: scorer.clone(),
            before: None,
            extra: Vec::new(),
            sort: Column::Task,
            descending: false,
        };
        engine.task_table(&query, &all, &all, &Noted::new())
    };
    let is_whole = rows * scorers.len() <= MOST_SCORES;
    let wanted = (0..scorers.len()).filter(|index| is_whole || *index == position);
    let tables: Vec<(usize, TaskTable)> =
        wanted.map(|index| (index, table(&scorers[index]))).collect();
    let mut ended = Vec::new();
    let cells = engine.frames().iter().enumerate().map(|(cell, frame)| {
        let listed: Vec<usize> = (0..frame.tasks.len())
            .filter(|task| source.lists(&frame.cell, &frame.tasks[*task].id))
            .collect();
        CellData {
            name: visible(&frame.cell.to_string()).into_owned(),
            tasks: listed
                .iter()
                .map(|task| {
                    let id = TaskId { cell: cell as u32, task: *task as u32 };
                    task_data(frame, &frame.tasks[*task], id, compared, &mut ended)
                })
                .collect(),
            scores: scores(cell, frame, &listed, &tables, scorers),
        }
    });
    let cells = cells.collect();
    let scorers = scorers.iter().map(|scorer| visible(&scorer.label()).into_owned()).collect();
    escaped(&Data { scorers, scorer: position, cells, ended })
}

fn task_data(
    frame: &Frame,
    task: &Task,
    id: TaskId,
    compared: &ComparedRuns,
    ended: &mut Vec<String>,
) -> TaskData {
    let why = task.termination.as_deref().map(|why| visible(why).into_owned());
    let why = why.map(|why| {
        ended.iter().position(|known| *known == why).unwrap_or_else(|| {
            ended.push(why);
            ended.len() - 1
        })
    });
    let names = compared.by_task.get(&id).into_iter().flatten();
    TaskData(
        visible(&task.label(frame)).into_owned(),
        task.success.map(u8::from),
        task.solved(),
        task.draws(),
        task.turns,
        task.tools,
        why,
        names.map(super::runs::PairName::key).collect(),
    )
}

/// Scores and ranks of the listed tasks under every scorer that has some here.
fn scores(
    cell: usize,
    frame: &Frame,
    listed: &[usize],
    tables: &[(usize, TaskTable)],
    scorers: &[Scorer],
) -> BTreeMap<usize, ScoresAndRanks> {
    let of = |(index, table): &(usize, TaskTable)| {
        let id = |task: &usize| TaskId { cell: cell as u32, task: *task as u32 };
        let scores = listed.iter().map(|task| table.score(id(task)).map(rounded));
        let ranks = listed.iter().map(|task| table.rank(id(task)));
        (*index, ScoresAndRanks(scores.collect(), ranks.collect()))
    };
    let has_values = |(index, _): &&(usize, TaskTable)| frame.values(&scorers[*index]).is_some();
    tables.iter().filter(has_values).map(of).collect()
}

/// A number to five digits: more are not shown.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// JSON without any character that means something to HTML, or ends a line of a script.
fn escaped(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_default();
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_end_its_element() {
        let text = "</script><!-- & \u{2028}\u{2029}";
        let json = escaped(&text);
        assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
    }

    #[test]
    fn numbers_have_five_digits() {
        let numbers = [0.123_456_789, 1.234_567e-30, -12.0].map(|number| rounded(number).to_bits());
        assert_eq!(numbers, [0.123_46, 1.2346e-30, -12.0].map(f64::to_bits));
    }
}
