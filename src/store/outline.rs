//! All trajectories as flat columns, without a struct or a string per row: what the engine reads of a
//! large store.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::columns::{Frame, NONE, Names, reserve};
use super::table::{Piece, TableName};
use super::{Store, StoreError};
use crate::model::{Basis, Cell, CheckSummary};

/// What of the trajectories is read beside cells, tasks, draws, outcomes and turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutlineNeeds {
    /// Grading, reward, cost and ending; a column that is not read has no value in any row.
    pub facts: bool,
    /// Action types.
    pub actions: bool,
}

impl OutlineNeeds {
    /// Everything.
    pub const ALL: Self = Self { facts: true, actions: true };
}

/// Strings in one buffer, laid end to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// The number of strings.
    fn len(&self) -> usize {
        self.ends.len()
    }

    /// The string at an index.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }
}

/// All trajectories, in the order of their table. A column has one item per trajectory unless its
/// comment says otherwise.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The cells, each with the indices of its tasks.
    pub cells: Vec<(Cell, Range<usize>)>,
    /// The ids of the tasks.
    pub tasks: Texts,
    /// The end of each task's rows.
    pub task_ends: Vec<u32>,
    /// The draw of each trajectory.
    pub draw: Vec<u32>,
    /// Whether the trajectory succeeded, where that is known.
    pub success: Vec<Option<bool>>,
    /// Whether the gold database was reached.
    pub db_match: Vec<Option<bool>>,
    /// Whether the reward is based on the database.
    pub db_graded: Vec<Option<bool>>,
    /// Rewards, NaN where absent.
    pub reward: Vec<f64>,
    /// Costs, NaN where absent.
    pub cost: Vec<f64>,
    /// Numbers of turns.
    pub turns: Vec<u32>,
    /// Numbers of tool calls.
    pub tools: Vec<u32>,
    /// The first row of the trajectory in the table `turns`.
    pub turn_row: Vec<u64>,
    /// Why runs ended, as indices into `terminations`; beyond its end where unknown.
    pub termination: Vec<u32>,
    /// The distinct reasons why runs ended.
    pub terminations: Vec<Arc<str>>,
    /// What the reward is made of and what the checks come to.
    pub checks: Vec<CheckSummary>,
    /// Action types of all rows, as codes that sort like their names.
    actions: Vec<u32>,
    /// The end of each row's actions; empty when no task has a sample.
    action_ends: Vec<usize>,
}

impl Outline {
    /// The rows of a task.
    pub fn rows(&self, task: usize) -> Range<usize> {
        let start = if task == 0 { 0 } else { self.task_ends[task - 1] as usize };
        start..self.task_ends[task] as usize
    }

    /// The codes of a row's action types; empty when no task has a sample.
    pub fn actions(&self, row: usize) -> &[u32] {
        let Some(&end) = self.action_ends.get(row) else { return &[] };
        let start = if row == 0 { 0 } else { self.action_ends[row - 1] };
        &self.actions[start..end]
    }

    /// Allocates memory for all rows at once.
    fn reserve(&mut self, rows: usize) {
        reserve(&mut self.draw, rows);
        reserve(&mut self.success, rows);
        reserve(&mut self.db_match, rows);
        reserve(&mut self.db_graded, rows);
        reserve(&mut self.reward, rows);
        reserve(&mut self.cost, rows);
        reserve(&mut self.turns, rows);
        reserve(&mut self.tools, rows);
        reserve(&mut self.turn_row, rows);
        reserve(&mut self.termination, rows);
        reserve(&mut self.checks, rows);
    }

    fn append(&mut self, part: Part) {
        let Part { cells, groups, tasks, flat, terminations, bases } = part;
        let mut row = self.draw.len() as u32;
        for (index, group) in groups.iter().enumerate() {
            let (cell, task) = (&cells[group.cell as usize], tasks.get(index));
            row += group.rows;
            let continues = self.cells.last().is_some_and(|(last, _)| last == cell);
            // Only the first task of a part may continue the last one of the part before.
            if continues && index == 0 && self.tasks.get(self.tasks.len() - 1) == task {
                if let Some(end) = self.task_ends.last_mut() {
                    *end = row;
                }
                continue;
            }
            let next = self.tasks.len();
            match self.cells.last_mut().filter(|_| continues) {
                Some((_, tasks)) => tasks.end = next + 1,
                None => self.cells.push((cell.clone(), next..next + 1)),
            }
            self.tasks.push(task);
            self.task_ends.push(row);
        }
        let codes: Vec<u32> =
            terminations.iter().map(|reason| self.termination_code(reason)).collect();
        let code = |part_code: &u32| codes.get(*part_code as usize).copied().unwrap_or(NONE);
        self.termination.extend(flat.termination.iter().map(code));
        self.checks.extend(flat.basis.iter().map(|code| {
            let basis = bases.get(*code as usize).cloned();
            CheckSummary { basis, ..CheckSummary::default() }
        }));
        self.draw.extend(flat.draw);
        self.success.extend(flat.success);
        self.db_match.extend(flat.db_match);
        self.db_graded.extend(flat.db_graded);
        self.reward.extend(flat.reward);
        self.cost.extend(flat.cost);
        self.turns.extend(flat.turns);
        self.tools.extend(flat.tools);
        self.turn_row.extend(flat.turn_row);
    }

    fn termination_code(&mut self, reason: &str) -> u32 {
        let known = self.terminations.iter().position(|known| **known == *reason);
        known.unwrap_or_else(|| {
            self.terminations.push(reason.into());
            self.terminations.len() - 1
        }) as u32
    }

    fn add_actions(&mut self, part: &ActionPart, names: &mut Names) {
        let codes: Vec<u32> = part.names.iter().map(|name| names.code(name)).collect();
        let before = self.actions.len();
        self.actions.extend(part.codes.iter().map(|&code| codes[code as usize]));
        self.action_ends.extend(part.ends.iter().map(|end| before + end));
    }

    /// Replaces the codes of actions with ones that sort like their names.
    fn order_actions(&mut self, names: &[String]) {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_unstable_by_key(|index| &names[*index]);
        let mut codes = vec![0; names.len()];
        for (code, index) in order.into_iter().enumerate() {
            codes[index] = code as u32;
        }
        self.actions.iter_mut().for_each(|action| *action = codes[*action as usize]);
    }
}

/// Consecutive rows about one task.
pub(super) struct TaskRows {
    /// The index of the task's cell.
    pub(super) cell: u32,
    /// The number of rows.
    pub(super) rows: u32,
}

/// The columns of some row groups of `trajectories`.
struct Part {
    cells: Vec<Cell>,
    groups: Vec<TaskRows>,
    tasks: Texts,
    flat: Flat,
    terminations: Vec<String>,
    bases: Vec<Basis>,
}

/// The columns that are copied as they are.
struct Flat {
    draw: Vec<u32>,
    success: Vec<Option<bool>>,
    db_match: Vec<Option<bool>>,
    db_graded: Vec<Option<bool>>,
    reward: Vec<f64>,
    cost: Vec<f64>,
    turns: Vec<u32>,
    tools: Vec<u32>,
    turn_row: Vec<u64>,
    termination: Vec<u32>,
    basis: Vec<u32>,
}

/// The action types of some row groups, laid end to end.
struct ActionPart {
    names: Vec<String>,
    codes: Vec<u32>,
    ends: Vec<usize>,
}

/// The columns of `trajectories` that an outline needs: first those that every one needs, then facts.
const OUTLINE: [&str; 15] = [
    "dataset",
    "model",
    "condition",
    "task",
    "draw",
    "success",
    "turns",
    "tools",
    "turn_row",
    "db_match",
    "db_graded",
    "reward",
    "cost",
    "termination",
    "reward_basis",
];

/// How many of these columns every outline needs.
const ALWAYS: usize = 9;

/// The columns of `trajectories` that are read.
fn columns(needs: OutlineNeeds) -> &'static [&'static str] {
    if needs.facts { &OUTLINE } else { &OUTLINE[..ALWAYS] }
}

fn part(frame: &Frame, needs: OutlineNeeds) -> Result<Part, StoreError> {
    let (cells, groups, tasks) = task_rows(frame, |_| true)?;
    let (mut terminations, mut bases) = (Names::default(), Names::default());
    let flags = |column, is_read: bool| {
        if is_read { frame.flags(column) } else { Ok(vec![None; frame.height()]) }
    };
    let reals = |column| {
        if needs.facts { frame.reals(column) } else { Ok(vec![f64::NAN; frame.height()]) }
    };
    let codes = |column, is_read: bool, names: &mut Names| {
        if is_read { frame.codes(column, names) } else { Ok(vec![NONE; frame.height()]) }
    };
    let flat = Flat {
        draw: frame.smalls("draw")?,
        success: frame.flags("success")?,
        db_match: flags("db_match", needs.facts)?,
        db_graded: flags("db_graded", frame.has("db_graded"))?,
        reward: reals("reward")?,
        cost: reals("cost")?,
        turns: frame.smalls("turns")?,
        tools: frame.smalls("tools")?,
        turn_row: frame.larges("turn_row")?,
        termination: codes("termination", needs.facts, &mut terminations)?,
        basis: codes("reward_basis", frame.has("reward_basis"), &mut bases)?,
    };
    let bases = bases.into_list().into_iter().map(|ids| Basis::new([ids])).collect();
    Ok(Part { cells, groups, tasks, flat, terminations: terminations.into_list(), bases })
}

/// Groups the wanted rows by task: their cells, the groups, and the task of each group.
pub(super) fn task_rows(
    frame: &Frame,
    wanted: impl Fn(usize) -> bool,
) -> Result<(Vec<Cell>, Vec<TaskRows>, Texts), StoreError> {
    let mut names = Names::default();
    let mut code = |column| {
        let codes = frame.codes(column, &mut names)?;
        if codes.contains(&NONE) { Err(frame.wrong(column)) } else { Ok(codes) }
    };
    let (dataset, model, condition) = (code("dataset")?, code("model")?, code("condition")?);
    let names = names.into_list();
    let (mut cells, mut groups, mut tasks) = (Vec::new(), Vec::<TaskRows>::new(), Texts::default());
    let mut indices: HashMap<[u32; 3], u32> = HashMap::new();
    let mut last: Option<([u32; 3], &str)> = None;
    for (row, task) in frame.strs("task")?.enumerate() {
        let cell_codes = [dataset[row], model[row], condition[row]];
        if !wanted(row) {
            continue;
        }
        if let Some(group) = groups.last_mut().filter(|_| last == Some((cell_codes, task))) {
            group.rows += 1;
            continue;
        }
        let same_cell = groups.last().filter(|_| last.is_some_and(|last| last.0 == cell_codes));
        let cell = match same_cell {
            Some(group) => group.cell,
            None => *indices.entry(cell_codes).or_insert_with(|| {
                let [dataset, model, condition] =
                    cell_codes.map(|code| names[code as usize].clone());
                cells.push(Cell { dataset, model, condition });
                cells.len() as u32 - 1
            }),
        };
        groups.push(TaskRows { cell, rows: 1 });
        tasks.push(task);
        last = Some((cell_codes, task));
    }
    Ok((cells, groups, tasks))
}

impl Store {
    /// All trajectories as flat columns, of which only some are read.
    pub fn outline(&self, needs: OutlineNeeds) -> Result<Outline, StoreError> {
        let mut outline = Outline::default();
        let Some(table) = self.table(TableName::Trajectories) else { return Ok(outline) };
        let rows = table.rows()? as usize;
        outline.reserve(rows);
        let decode = |piece: &Piece<'_>| part(&piece.frame, needs);
        let take = |part| outline.append(part);
        if needs.facts {
            table.pieces(columns(needs), decode, take)?;
        } else {
            table.pieces_of_few(columns(needs), decode, take)?;
        }
        if needs.facts && self.has_checks() {
            self.sum_checks(&self.ids()?, &mut outline.checks)?;
        }
        // Action types are most of the table, and only agreement between draws needs them.
        if needs.actions && outline.draw.iter().any(|draw| *draw > 0) {
            reserve(&mut outline.action_ends, rows);
            let mut names = Names::default();
            let decode = |piece: &Piece<'_>| {
                let mut names = Names::default();
                let (codes, ends) = piece.frame.code_lists("action_types", &mut names)?;
                Ok(ActionPart { names: names.into_list(), codes, ends })
            };
            let take = |part: ActionPart| outline.add_actions(&part, &mut names);
            table.pieces(&["action_types"], decode, take)?;
            outline.order_actions(&names.into_list());
        }
        Ok(outline)
    }
}
