//! A large store as flat columns: what the engine reads of it, without a struct or a string a row.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::columns::{Frame, NONE, Names};
use super::table::{Piece, TableName};
use super::{Store, StoreError, tokens};
use crate::model::{Cell, TurnScores};

/// Makes room for rows. Their number is what a file says of itself: if there is no such room, the
/// column grows as the rows come.
fn room<T>(column: &mut Vec<T>, rows: usize) {
    let _ = column.try_reserve_exact(rows);
}

/// Strings laid end to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string at a place.
    pub fn get(&self, place: usize) -> &str {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.text[start..self.ends[place]]
    }
}

/// All trajectories, in the order of their table. A column has an item a row where nothing else is
/// said.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The cells, with the places of their tasks.
    pub cells: Vec<(Cell, Range<usize>)>,
    /// The tasks' ids.
    pub tasks: Texts,
    /// Where the rows of every task end.
    pub task_ends: Vec<u32>,
    /// Draws.
    pub draw: Vec<u32>,
    /// Labels.
    pub success: Vec<Option<bool>>,
    /// Whether the gold database was reached.
    pub db_match: Vec<Option<bool>>,
    /// Rewards, NaN where absent.
    pub reward: Vec<f64>,
    /// Costs, NaN where absent.
    pub cost: Vec<f64>,
    /// Counts of turns.
    pub turns: Vec<u32>,
    /// Counts of tool calls.
    pub tools: Vec<u32>,
    /// The first row in the table `turns`.
    pub turn_row: Vec<u64>,
    /// Why runs ended, as places in `terminations`; beyond its end where unknown.
    pub termination: Vec<u32>,
    /// The words for why runs ended.
    pub terminations: Vec<Arc<str>>,
    /// Action types of all rows, as codes that order as their names do.
    actions: Vec<u32>,
    /// Where the actions of every row end; empty where no task has a sample.
    action_ends: Vec<usize>,
}

impl Outline {
    /// The rows of a task.
    pub fn rows(&self, task: usize) -> Range<usize> {
        let start = if task == 0 { 0 } else { self.task_ends[task - 1] as usize };
        start..self.task_ends[task] as usize
    }

    /// The codes of a row's action types. They are read only if some task has a sample.
    pub fn actions(&self, row: usize) -> &[u32] {
        let Some(&end) = self.action_ends.get(row) else { return &[] };
        let start = if row == 0 { 0 } else { self.action_ends[row - 1] };
        &self.actions[start..end]
    }

    /// Makes room for all rows at once.
    fn reserve(&mut self, rows: usize) {
        room(&mut self.draw, rows);
        room(&mut self.success, rows);
        room(&mut self.db_match, rows);
        room(&mut self.reward, rows);
        room(&mut self.cost, rows);
        room(&mut self.turns, rows);
        room(&mut self.tools, rows);
        room(&mut self.turn_row, rows);
        room(&mut self.termination, rows);
    }

    fn append(&mut self, part: Part) {
        let Part { cells, runs, tasks, flat, words } = part;
        let mut row = self.draw.len() as u32;
        for (place, run) in runs.iter().enumerate() {
            let (cell, task) = (&cells[run.cell as usize], tasks.get(place));
            row += run.rows;
            let continues = self.cells.last().is_some_and(|(last, _)| last == cell);
            // Only the first run of a part may go on with the last of the part before.
            if continues && place == 0 && self.tasks.get(self.tasks.len() - 1) == task {
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
        let codes: Vec<u32> = words.into_iter().map(|word| self.word(&word)).collect();
        let code = |own: &u32| codes.get(*own as usize).copied().unwrap_or(NONE);
        self.termination.extend(flat.termination.iter().map(code));
        self.draw.extend(flat.draw);
        self.success.extend(flat.success);
        self.db_match.extend(flat.db_match);
        self.reward.extend(flat.reward);
        self.cost.extend(flat.cost);
        self.turns.extend(flat.turns);
        self.tools.extend(flat.tools);
        self.turn_row.extend(flat.turn_row);
    }

    fn word(&mut self, word: &str) -> u32 {
        let known = self.terminations.iter().position(|own| **own == *word);
        known.unwrap_or_else(|| {
            self.terminations.push(word.into());
            self.terminations.len() - 1
        }) as u32
    }

    fn add_actions(&mut self, part: &ActionPart, names: &mut Names) {
        let codes: Vec<u32> = part.names.iter().map(|name| names.code(name)).collect();
        let before = self.actions.len();
        self.actions.extend(part.codes.iter().map(|&own| codes[own as usize]));
        self.action_ends.extend(part.ends.iter().map(|end| before + end));
    }

    /// Gives actions the codes that order as their names do.
    fn order_actions(&mut self, names: &[String]) {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_unstable_by_key(|place| &names[*place]);
        let mut codes = vec![0; names.len()];
        for (code, place) in order.into_iter().enumerate() {
            codes[place] = code as u32;
        }
        self.actions.iter_mut().for_each(|own| *own = codes[*own as usize]);
    }
}

/// Neighbouring rows about one task.
struct Run {
    cell: u32,
    rows: u32,
}

/// What is taken from some row groups of `trajectories`.
struct Part {
    cells: Vec<Cell>,
    runs: Vec<Run>,
    tasks: Texts,
    flat: Flat,
    words: Vec<String>,
}

struct Flat {
    draw: Vec<u32>,
    success: Vec<Option<bool>>,
    db_match: Vec<Option<bool>>,
    reward: Vec<f64>,
    cost: Vec<f64>,
    turns: Vec<u32>,
    tools: Vec<u32>,
    turn_row: Vec<u64>,
    termination: Vec<u32>,
}

struct ActionPart {
    names: Vec<String>,
    codes: Vec<u32>,
    ends: Vec<usize>,
}

const OUTLINE: [&str; 13] = [
    "dataset",
    "model",
    "condition",
    "task",
    "draw",
    "success",
    "db_match",
    "reward",
    "cost",
    "turns",
    "tools",
    "turn_row",
    "termination",
];

fn part(frame: &Frame) -> Result<Part, StoreError> {
    let (cells, runs, tasks) = runs(frame, |_| true)?;
    let mut words = Names::default();
    let flat = Flat {
        draw: frame.smalls("draw")?,
        success: frame.flags("success")?,
        db_match: frame.flags("db_match")?,
        reward: frame.reals("reward")?,
        cost: frame.reals("cost")?,
        turns: frame.smalls("turns")?,
        tools: frame.smalls("tools")?,
        turn_row: frame.larges("turn_row")?,
        termination: frame.codes("termination", &mut words)?,
    };
    Ok(Part { cells, runs, tasks, flat, words: words.into_list() })
}

/// The cells of the rows that are wanted, and these rows by task.
fn runs(
    frame: &Frame,
    wanted: impl Fn(usize) -> bool,
) -> Result<(Vec<Cell>, Vec<Run>, Texts), StoreError> {
    let mut names = Names::default();
    let mut code = |column| {
        let codes = frame.codes(column, &mut names)?;
        if codes.contains(&NONE) { Err(frame.wrong(column)) } else { Ok(codes) }
    };
    let (dataset, model, condition) = (code("dataset")?, code("model")?, code("condition")?);
    let names = names.into_list();
    let (mut cells, mut runs, mut tasks) = (Vec::new(), Vec::<Run>::new(), Texts::default());
    let mut places: HashMap<[u32; 3], u32> = HashMap::new();
    let mut last: Option<([u32; 3], &str)> = None;
    for (row, task) in frame.strs("task")?.enumerate() {
        let own = ([dataset[row], model[row], condition[row]], task);
        if !wanted(row) {
            continue;
        }
        if let Some(run) = runs.last_mut().filter(|_| last == Some(own)) {
            run.rows += 1;
            continue;
        }
        let before = runs.last().filter(|_| last.is_some_and(|last| last.0 == own.0));
        let cell = match before {
            Some(run) => run.cell,
            None => *places.entry(own.0).or_insert_with(|| {
                let [dataset, model, condition] = own.0.map(|code| names[code as usize].clone());
                cells.push(Cell { dataset, model, condition });
                cells.len() as u32 - 1
            }),
        };
        runs.push(Run { cell, rows: 1 });
        tasks.push(own.1);
        last = Some(own);
    }
    Ok((cells, runs, tasks))
}

/// The scored turns of a store, one column a score.
#[derive(Clone, Debug, Default)]
pub struct TurnColumns {
    /// The rows of the table that are scored; none when all are.
    rows: Option<Vec<u32>>,
    /// Natural logs of sequence probabilities.
    pub sp_log: Vec<f64>,
    /// Length-normalised sequence probabilities.
    pub lnsp: Vec<f64>,
    /// Negentropies, NaN where absent.
    pub atn: Vec<f64>,
    /// Margins, NaN where absent.
    pub pm: Vec<f64>,
    /// Tokens that the scores are over.
    pub tokens: Vec<u32>,
}

impl TurnColumns {
    /// Where the scored ones of these rows of the table stand in the columns.
    pub fn span(&self, first: u64, count: u32) -> Range<u32> {
        let place = |row: u64| match &self.rows {
            Some(rows) => rows.partition_point(|own| u64::from(*own) < row),
            None => row.min(self.sp_log.len() as u64) as usize,
        };
        let start = place(first);
        // A run's turns are mostly scored all or none, which needs no search.
        let end = first.saturating_add(u64::from(count));
        let end = match &self.rows {
            Some(rows) => {
                let near = &rows[start..rows.len().min(start + count as usize)];
                start + near.partition_point(|own| u64::from(*own) < end)
            }
            None => place(end),
        };
        start as u32..end as u32
    }

    /// Makes room for so many turns; memory is taken only as they come.
    fn reserve(&mut self, turns: usize) {
        for column in [&mut self.sp_log, &mut self.lnsp, &mut self.atn, &mut self.pm] {
            room(column, turns);
        }
        room(&mut self.tokens, turns);
    }

    /// Adds those of these rows of the table, which follow what is there.
    fn append(&mut self, rows: &Range<u64>, part: &Self) {
        if self.rows.is_none() && part.rows.is_some() {
            // All rows before were scored.
            self.rows = Some((0..rows.start as u32).collect());
        }
        if let Some(all) = &mut self.rows {
            match &part.rows {
                Some(own) => all.extend_from_slice(own),
                None => all.extend(rows.start as u32..rows.end as u32),
            }
        }
        self.sp_log.extend_from_slice(&part.sp_log);
        self.lnsp.extend_from_slice(&part.lnsp);
        self.atn.extend_from_slice(&part.atn);
        self.pm.extend_from_slice(&part.pm);
        self.tokens.extend_from_slice(&part.tokens);
    }

    /// Gives back the room that was not needed.
    fn shrink(&mut self) {
        for column in [&mut self.sp_log, &mut self.lnsp, &mut self.atn, &mut self.pm] {
            column.shrink_to_fit();
        }
        self.tokens.shrink_to_fit();
    }

    /// Adds a scored turn.
    pub fn push(&mut self, own: &TurnScores) {
        self.sp_log.push(own.sp_log);
        self.lnsp.push(own.lnsp);
        self.atn.push(own.atn.unwrap_or(f64::NAN));
        self.pm.push(own.pm.unwrap_or(f64::NAN));
        self.tokens.push(own.tokens);
    }

    /// The columns of turns in the order of the table.
    pub fn of(turns: &[Option<TurnScores>]) -> Self {
        let mut columns = Self::default();
        let mut rows = Vec::new();
        for (row, own) in turns.iter().enumerate() {
            if let Some(own) = own {
                columns.push(own);
                rows.push(row as u32);
            }
        }
        columns.rows = (rows.len() < turns.len()).then_some(rows);
        columns
    }
}

/// Scored turns of some row groups. A turn is scored if these are there: both probabilities and the
/// count.
fn turn_part(piece: &Piece<'_>) -> Result<TurnColumns, StoreError> {
    let frame = &piece.frame;
    let tokens = frame.smalls_or_any("scored_tokens")?;
    let Some(scored) = frame.known(&["sp_log", "lnsp", "scored_tokens"])? else {
        return Ok(TurnColumns {
            rows: None,
            sp_log: frame.reals("sp_log")?,
            lnsp: frame.reals("lnsp")?,
            atn: frame.reals("atn")?,
            pm: frame.reals("pm")?,
            tokens,
        });
    };
    let rows: Vec<usize> = (0..scored.len()).filter(|row| scored[*row]).collect();
    Ok(TurnColumns {
        sp_log: frame.reals_at("sp_log", &rows)?,
        lnsp: frame.reals_at("lnsp", &rows)?,
        atn: frame.reals_at("atn", &rows)?,
        pm: frame.reals_at("pm", &rows)?,
        tokens: rows.iter().map(|&row| tokens[row]).collect(),
        rows: Some(rows.iter().map(|&row| (piece.rows.start + row as u64) as u32).collect()),
    })
}

/// Rows of `scores`, `pairs` or `judgments` from some row groups.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The cells that rows are about.
    pub cells: Vec<Cell>,
    /// Scorers or judges.
    pub names: Vec<String>,
    /// Neighbouring rows about one task: the place of its cell, and where they end.
    pub subjects: Vec<(u32, u32)>,
    /// The task of each subject.
    pub tasks: Texts,
    /// The draw that was scored, or the first of a pair.
    pub draw: Vec<u32>,
    /// The second of a pair; empty where there are no pairs.
    pub other: Vec<u32>,
    /// The place of the name.
    pub name: Vec<u32>,
    /// The value, NaN where absent; a verdict is 1 or 0.
    pub value: Vec<f64>,
    /// How sure a judge says it is, NaN where it does not; empty where there are no judges.
    pub confidence: Vec<f64>,
}

impl Told {
    /// The rows that are wanted, by what they are about.
    fn about(frame: &Frame, wanted: &[bool]) -> Result<Self, StoreError> {
        let (cells, runs, tasks) = runs(frame, |row| wanted[row])?;
        let mut end = 0;
        let subjects = runs.into_iter().map(|run| {
            end += run.rows;
            (run.cell, end)
        });
        Ok(Self { cells, subjects: subjects.collect(), tasks, ..Self::default() })
    }
}

/// What is read of a verdict beside the judge's name.
const JUDGMENTS: [&str; 8] =
    ["dataset", "model", "condition", "task", "draw_a", "draw_b", "equivalent", "confidence"];

/// The items of the rows that are wanted.
fn kept<T: Copy>(column: &[T], wanted: &[bool]) -> Vec<T> {
    column.iter().zip(wanted).filter(|(_, wanted)| **wanted).map(|(own, _)| *own).collect()
}

/// The column that names scorer or judge.
struct Named {
    codes: Vec<u32>,
    names: Vec<String>,
    /// Which rows are wanted.
    wanted: Vec<bool>,
}

impl Named {
    /// Reads the column; none when no row of it is wanted.
    fn read(
        piece: &Piece<'_>,
        column: &'static str,
        is_wanted: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Option<Self>, StoreError> {
        let mut names = Names::default();
        let codes = piece.frame.codes(column, &mut names)?;
        if codes.contains(&NONE) {
            return Err(piece.frame.wrong(column));
        }
        let names = names.into_list();
        let kinds: Vec<bool> = names.iter().map(|name| is_wanted(name)).collect();
        let wanted = codes.iter().map(|&code| kinds[code as usize]).collect();
        Ok(kinds.contains(&true).then_some(Self { codes, names, wanted }))
    }
}

impl Store {
    /// All trajectories as flat columns.
    pub fn outline(&self) -> Result<Outline, StoreError> {
        let mut outline = Outline::default();
        let Some(table) = self.table(TableName::Trajectories) else { return Ok(outline) };
        let rows = table.rows()? as usize;
        outline.reserve(rows);
        table.pieces(&OUTLINE, |piece| part(&piece.frame), |part| outline.append(part))?;
        // They are most of the table, and only agreement between draws needs them.
        if outline.draw.iter().any(|draw| *draw > 0) {
            room(&mut outline.action_ends, rows);
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

    /// The scored turns as flat columns.
    pub fn turn_columns(&self) -> Result<TurnColumns, StoreError> {
        let Some(table) = self.table(TableName::Turns) else { return Ok(TurnColumns::default()) };
        let mut all = TurnColumns::default();
        all.reserve(table.rows()? as usize);
        let decode = |piece: &Piece<'_>| Ok((piece.rows.clone(), turn_part(piece)?));
        table.pieces(&tokens::SCORES, decode, |(rows, part)| all.append(&rows, &part))?;
        all.shrink();
        Ok(all)
    }

    /// Values of the scorers that are wanted, part by part. The name of one under an aggregator has
    /// it after a dot: `lnsp·min`.
    pub fn told_scores(
        &self,
        wanted: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Vec<Told>, StoreError> {
        self.told(TableName::Scores, "scorer", &|piece| {
            let Some(named) = Named::read(piece, "scorer", wanted)? else {
                return Ok(Told::default());
            };
            let Named { codes: scorer, names: scorers, wanted } = named;
            let columns = ["dataset", "model", "condition", "task", "draw", "aggregator", "value"];
            let frame = piece.more(&columns)?;
            let mut rules = Names::default();
            let rule = frame.codes("aggregator", &mut rules)?;
            let rules = rules.into_list();
            let mut names = Names::default();
            let mut both: HashMap<(u32, u32), u32> = HashMap::new();
            let mut name = |scorer: u32, rule: u32| {
                *both.entry((scorer, rule)).or_insert_with(|| {
                    let scorer = &scorers[scorer as usize];
                    match rules.get(rule as usize) {
                        Some(rule) => names.code(&format!("{scorer}·{rule}")),
                        None => names.code(scorer),
                    }
                })
            };
            let all: Vec<u32> = scorer.iter().zip(&rule).map(|(a, b)| name(*a, *b)).collect();
            Ok(Told {
                name: kept(&all, &wanted),
                names: names.into_list(),
                draw: kept(&frame.smalls("draw")?, &wanted),
                value: kept(&frame.reals("value")?, &wanted),
                ..Told::about(&frame, &wanted)?
            })
        })
    }

    /// Values of pairs by the scorers that are wanted, part by part.
    pub fn told_pairs(
        &self,
        wanted: &(dyn Fn(&str) -> bool + Sync),
    ) -> Result<Vec<Told>, StoreError> {
        self.told(TableName::Pairs, "scorer", &|piece| {
            let Some(named) = Named::read(piece, "scorer", wanted)? else {
                return Ok(Told::default());
            };
            let Named { codes: name, names, wanted } = named;
            let columns = ["dataset", "model", "condition", "task", "draw_a", "draw_b", "value"];
            let frame = piece.more(&columns)?;
            Ok(Told {
                name: kept(&name, &wanted),
                names,
                draw: kept(&frame.smalls("draw_a")?, &wanted),
                other: kept(&frame.smalls("draw_b")?, &wanted),
                value: kept(&frame.reals("value")?, &wanted),
                ..Told::about(&frame, &wanted)?
            })
        })
    }

    /// Verdicts of judges, part by part.
    pub fn told_judgments(&self) -> Result<Vec<Told>, StoreError> {
        self.told(TableName::Judgments, "judge", &|piece| {
            let Some(named) = Named::read(piece, "judge", &|_| true)? else {
                return Ok(Told::default());
            };
            let Named { codes: name, names, wanted } = named;
            let frame = piece.more(&JUDGMENTS)?;
            let verdict = |own: Option<bool>| own.map_or(f64::NAN, |own| f64::from(u8::from(own)));
            Ok(Told {
                name,
                names,
                draw: frame.smalls("draw_a")?,
                other: frame.smalls("draw_b")?,
                value: frame.flags("equivalent")?.into_iter().map(verdict).collect(),
                confidence: frame.reals("confidence")?,
                ..Told::about(&frame, &wanted)?
            })
        })
    }

    fn told(
        &self,
        table: TableName,
        first: &'static str,
        decode: &(dyn Fn(&Piece<'_>) -> Result<Told, StoreError> + Sync),
    ) -> Result<Vec<Told>, StoreError> {
        let mut all = Vec::new();
        if let Some(table) = self.table(table) {
            table.pieces(&[first], decode, |part| all.push(part))?;
        }
        Ok(all)
    }
}
