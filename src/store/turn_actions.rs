//! What every turn of some runs did, read when it is asked for.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;

use super::columns::{Frame, Names};
use super::parts::Parted;
use super::table::{Piece, TableName};
use super::{Store, StoreError};
use crate::model::MESSAGE_ACTION;

/// What one action of a turn is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnAction<'a> {
    /// A message to the user.
    Message,
    /// A call of the tool of this name.
    Call(&'a str),
}

/// The actions of the turns of some runs, by the rows of the runs in `trajectories`.
#[derive(Clone, Debug, Default)]
pub struct TurnActions {
    names: Vec<String>,
    rows: Vec<u32>,
    /// For every row where its actions are.
    runs: Vec<RunActions>,
    /// The actions of all runs: the index of a tool's name, or [`MESSAGE`].
    codes: Vec<u32>,
    /// The ends of the turns of runs in which some turn has several actions, among the run's actions.
    turn_ends: Vec<u32>,
}

/// The code of a message.
const MESSAGE: u32 = u32::MAX;

/// Where the actions of a run are.
#[derive(Clone, Debug)]
struct RunActions {
    codes: Range<usize>,
    turns: Turns,
}

/// How the actions of a run are divided among its turns.
#[derive(Clone, Debug)]
enum Turns {
    /// Every turn has one.
    OneEach,
    /// By their ends in `turn_ends`.
    Ends(Range<usize>),
    /// Its messages are not there to tell.
    Unknown,
}

impl TurnActions {
    /// The actions of a turn of a run, given the run's row; none where they are not known.
    pub fn of(&self, row: u32, turn: u32) -> Option<impl Iterator<Item = TurnAction<'_>>> {
        let run = &self.runs[self.rows.binary_search(&row).ok()?];
        let turn = turn as usize;
        let codes = &self.codes[run.codes.clone()];
        let actions = match &run.turns {
            Turns::OneEach => codes.get(turn..turn + 1)?,
            Turns::Ends(ends) => {
                let ends = &self.turn_ends[ends.clone()];
                let start = if turn == 0 { 0 } else { *ends.get(turn - 1)? as usize };
                codes.get(start..*ends.get(turn)? as usize)?
            }
            Turns::Unknown => return None,
        };
        Some(actions.iter().map(|code| match *code {
            MESSAGE => TurnAction::Message,
            code => TurnAction::Call(&self.names[code as usize]),
        }))
    }

    fn append(&mut self, part: Part, names: &mut Names) {
        let codes: Vec<u32> = part.names.iter().map(|name| names.code(name)).collect();
        let before = self.codes.len();
        let code = |code: &u32| if *code == MESSAGE { MESSAGE } else { codes[*code as usize] };
        self.codes.extend(part.codes.iter().map(code));
        self.rows.extend(part.rows);
        self.runs.extend(part.ends.windows(2).map(|ends| RunActions {
            codes: before + ends[0]..before + ends[1],
            turns: Turns::OneEach,
        }));
    }

    /// Replaces the actions of a run by those of its messages.
    fn set(&mut self, run: usize, turns: &[Vec<u32>]) {
        let (first_code, first_end) = (self.codes.len(), self.turn_ends.len());
        for turn in turns {
            self.codes.extend(turn);
            self.turn_ends.push((self.codes.len() - first_code) as u32);
        }
        self.runs[run] = RunActions {
            codes: first_code..self.codes.len(),
            turns: Turns::Ends(first_end..self.turn_ends.len()),
        };
    }
}

/// The wanted runs of some row groups of `trajectories`.
struct Part {
    names: Vec<String>,
    rows: Vec<u32>,
    codes: Vec<u32>,
    /// The ends of the runs in `codes`, after a 0.
    ends: Vec<usize>,
    /// Runs whose list of actions does not say which turn has which, by index in the part.
    unclear: Vec<(usize, RunMessages)>,
}

/// The messages of a run.
struct RunMessages {
    rows: Range<u64>,
    turns: u32,
}

/// The columns of `trajectories` that tell what turns did.
const OF_RUN: [&str; 5] = ["turns", "tools", "action_types", "message_row", "messages"];

/// Decodes the wanted runs of a piece. Every turn has an action, so where there are as many actions as
/// turns, each has one; elsewhere the messages must tell, and also where a tool is called as messages are.
fn part(piece: &Piece<'_>, wanted: &[u32]) -> Result<Part, StoreError> {
    let from = |row: u64| wanted.partition_point(|wanted| u64::from(*wanted) < row);
    let rows = &wanted[from(piece.rows.start)..from(piece.rows.end)];
    let (frame, mut names) = (&piece.frame, Names::default());
    let message = names.code(MESSAGE_ACTION);
    let (all, all_ends) = frame.code_lists("action_types", &mut names)?;
    let (turns, tools) = (frame.smalls("turns")?, frame.smalls("tools")?);
    let (message_rows, messages) = (frame.larges("message_row")?, frame.smalls("messages")?);
    let mut part = Part {
        names: names.into_list(),
        rows: rows.to_vec(),
        codes: Vec::new(),
        ends: vec![0],
        unclear: Vec::new(),
    };
    for (index, row) in rows.iter().enumerate() {
        let row = (u64::from(*row) - piece.rows.start) as usize;
        let actions = &all[if row == 0 { 0 } else { all_ends[row - 1] }..all_ends[row]];
        let said = actions.iter().filter(|code| **code == message).count();
        if actions.len() == turns[row] as usize && said + tools[row] as usize == actions.len() {
            let code = |code: &u32| if *code == message { MESSAGE } else { *code };
            part.codes.extend(actions.iter().map(code));
        } else {
            let rows = message_rows[row]..message_rows[row] + u64::from(messages[row]);
            part.unclear.push((index, RunMessages { rows, turns: turns[row] }));
        }
        part.ends.push(part.codes.len());
    }
    Ok(part)
}

/// The name of a call; the rest of it is passed over.
#[derive(Deserialize)]
struct CallName<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
}

/// The actions of every turn of a run, from its messages.
fn of_messages(frame: &Frame, names: &mut Names) -> Result<Vec<Vec<u32>>, StoreError> {
    let (mut turn, mut calls) = (frame.small("turn")?, frame.text("tool_calls")?);
    let mut turns = Vec::new();
    for _ in 0..frame.height() {
        let (turn, calls) = (turn.next(), calls.next());
        if turn.is_none() {
            continue;
        }
        let calls: Vec<CallName<'_>> = match calls {
            Some(json) => serde_json::from_str(json).map_err(|_| frame.wrong("tool_calls"))?,
            None => Vec::new(),
        };
        let codes: Vec<u32> = calls.iter().map(|call| names.code(&call.name)).collect();
        turns.push(if codes.is_empty() { vec![MESSAGE] } else { codes });
    }
    Ok(turns)
}

/// The most rows of `messages` that are read at a time, and the largest gap that is read over.
const MOST_ROWS: u64 = 1 << 14;
const WIDEST_GAP: u64 = 1 << 10;

impl Store {
    /// What every turn of some runs did, given the runs' rows in ascending order. The messages are read
    /// only of runs in which a turn has several actions.
    pub fn turn_actions(&self, rows: &[u32]) -> Result<TurnActions, StoreError> {
        let mut found = TurnActions::default();
        let Some(table) = self.table(TableName::Trajectories) else { return Ok(found) };
        let (mut names, mut unclear) = (Names::default(), Vec::new());
        table.pieces(
            &OF_RUN,
            |piece| part(piece, rows),
            |mut part| {
                let before = found.rows.len();
                let of_part = part.unclear.drain(..);
                unclear.extend(of_part.map(|(index, messages)| (before + index, messages)));
                found.append(part, &mut names);
            },
        )?;
        match self.table(TableName::Messages) {
            Some(table) => ask_messages(table, &unclear, &mut found, &mut names)?,
            None => {
                unclear.iter().for_each(|(run, _)| found.runs[*run].turns = Turns::Unknown);
            }
        }
        found.names = names.into_list();
        Ok(found)
    }
}

/// Divides the actions of some runs among their turns by their messages.
fn ask_messages(
    table: &Parted,
    runs: &[(usize, RunMessages)],
    found: &mut TurnActions,
    names: &mut Names,
) -> Result<(), StoreError> {
    let mut rest = runs;
    while let Some((_, first)) = rest.first() {
        let mut span = first.rows.clone();
        let fits = rest.iter().take_while(|(_, run)| {
            let near = run.rows.start >= span.start && run.rows.start <= span.end + WIDEST_GAP;
            let fits = near && run.rows.end.saturating_sub(span.start) <= MOST_ROWS;
            if fits {
                span.end = span.end.max(run.rows.end);
            }
            fits
        });
        let count = fits.count().max(1);
        let frame = table.read_columns(&span, &["turn", "tool_calls"])?;
        for (run, RunMessages { rows, turns }) in &rest[..count] {
            let of_run = frame.slice(rows.start - span.start, (rows.end - rows.start) as u32);
            let actions = of_messages(&of_run, names)?;
            if actions.len() == *turns as usize {
                found.set(*run, &actions);
            } else {
                found.runs[*run].turns = Turns::Unknown;
            }
        }
        rest = &rest[count..];
    }
    Ok(())
}
