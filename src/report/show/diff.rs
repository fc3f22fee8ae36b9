//! Where two runs part.

use serde::Serialize;

use super::comparison::{Beside, Comparison, Kind, Pane, Part, Row};
use super::{ShowFormat, diff_text, json};
use crate::compare::differences;

/// How a diff is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffOptions {
    /// Rows around those that part.
    pub context: usize,
    /// What the agent said is held against each other, too.
    pub words: bool,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { context: 3, words: false }
    }
}

/// Where two runs part, with what stands around.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Diff {
    /// The task's id.
    pub task: String,
    /// Its dataset.
    pub dataset: String,
    /// The scorer of the runs' scores.
    pub scorer: String,
    /// Its aggregator, where it has one.
    pub aggregator: Option<String>,
    /// The runs.
    pub panes: Vec<Pane>,
    /// No row parts.
    pub same: bool,
    /// The words of some message differ, whether or not they are looked at.
    pub words_differ: bool,
    /// Edits that lead from the one's actions to the other's.
    pub edits: usize,
    /// Rows that part, with their neighbours.
    pub hunks: Vec<Hunk>,
}

/// Neighbouring rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hunk {
    /// The rows.
    pub rows: Vec<Parting>,
}

/// How two runs stand in a row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parting {
    /// How they part.
    pub kind: How,
    /// The first run's action.
    pub a: Option<Action>,
    /// The other's.
    pub b: Option<Action>,
    /// Where the arguments differ.
    pub differences: Vec<Value>,
    /// The words are looked at, too.
    #[serde(skip)]
    pub words_shown: bool,
}

/// How two runs part in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// They do not.
    Same,
    /// Only the first acts.
    OnlyA,
    /// Only the other acts.
    OnlyB,
    /// They act otherwise.
    Other,
    /// They call the same with other arguments.
    Arguments,
    /// They do the same in other words.
    Words,
}

/// An action of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Action {
    /// The turn, from 1.
    pub turn: Option<usize>,
    /// The tool's name, or `message`.
    pub action: String,
    /// The turn's confidence.
    pub confidence: Option<f64>,
    /// It is the weakest turn of the run.
    pub weakest: bool,
    /// The call failed.
    pub error: bool,
    /// The call's arguments.
    pub arguments: Option<String>,
    /// What was said with it.
    pub words: Option<String>,
}

/// One place where arguments differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Value {
    /// Its path, such as `items[0].id`.
    pub path: String,
    /// The first run's value.
    pub a: Option<String>,
    /// The other's.
    pub b: Option<String>,
}

impl Diff {
    /// The first two panes of a comparison, held against each other; one alone is the same as itself.
    pub fn new(own: &Comparison, options: DiffOptions) -> Self {
        let actions = own.rows.iter().filter(|row| row.kind == Kind::Action);
        let all: Vec<Parting> = actions.map(|row| parting(row, options.words)).collect();
        // Of three panes, some rows may be the third's alone.
        let all: Vec<Parting> =
            all.into_iter().filter(|row| row.a.is_some() || row.b.is_some()).collect();
        let words_differ = all.iter().any(|row| row.words().is_some());
        Self {
            task: own.task.clone(),
            dataset: own.dataset.clone(),
            scorer: own.scorer.clone(),
            aggregator: own.aggregator.clone(),
            panes: own.panes.iter().take(2).cloned().collect(),
            same: all.iter().all(|row| row.kind == How::Same),
            words_differ,
            edits: own.pairs.first().map_or(0, |pair| pair.edits),
            hunks: hunks(all, options.context),
        }
    }

    /// Writes the diff.
    pub fn render(&self, format: ShowFormat) -> String {
        match format {
            ShowFormat::Text => diff_text::text(self),
            ShowFormat::Markdown => diff_text::markdown(self),
            ShowFormat::Json => json(self),
        }
    }
}

impl Parting {
    /// The words of both, if they differ.
    pub(super) fn words(&self) -> Option<(&str, &str)> {
        let (a, b) = (self.a.as_ref()?, self.b.as_ref()?);
        let words = |own: &'_ Action| own.words.clone().unwrap_or_default();
        (a.action == b.action && words(a) != words(b))
            .then(|| (a.words.as_deref().unwrap_or(""), b.words.as_deref().unwrap_or("")))
    }
}

fn action(part: &Part) -> Action {
    Action {
        turn: part.turn,
        action: part.action.clone().unwrap_or_default(),
        confidence: part.confidence,
        weakest: part.weakest,
        error: part.error,
        arguments: part.arguments.clone(),
        words: part.words.clone(),
    }
}

fn parting(row: &Row, words: bool) -> Parting {
    let cell = |pane: usize| row.cells.get(pane).and_then(Option::as_ref);
    let (a, b) = (cell(0), cell(1));
    let kind = match (a, b) {
        (Some(_), None) if row.cells.len() > 1 => How::OnlyA,
        (None, Some(_)) => How::OnlyB,
        _ => match b.and_then(|own| own.contrast) {
            Some(Beside::Other) => How::Other,
            Some(Beside::Arguments) => How::Arguments,
            _ => How::Same,
        },
    };
    let text = |own: Option<&Part>| own.and_then(|own| own.arguments.clone()).unwrap_or_default();
    let values = match kind {
        How::Arguments => differences(&text(a), &text(b)),
        _ => Vec::new(),
    };
    let value =
        |own: crate::compare::Difference| Value { path: own.path, a: own.own, b: own.other };
    let differences = values.into_iter().map(value).collect();
    let mut own =
        Parting { kind, a: a.map(action), b: b.map(action), differences, words_shown: words };
    if words && kind == How::Same && own.words().is_some() {
        own.kind = How::Words;
    }
    own
}

/// Rows that part, with those around them.
fn hunks(all: Vec<Parting>, context: usize) -> Vec<Hunk> {
    let parting: Vec<usize> = (0..all.len()).filter(|row| all[*row].kind != How::Same).collect();
    let near = |row: usize| {
        let next = parting.partition_point(|own| *own < row);
        let after = parting.get(next).is_some_and(|own| own - row <= context);
        after || next.checked_sub(1).is_some_and(|last| row - parting[last] <= context)
    };
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut open = false;
    for (place, row) in all.into_iter().enumerate() {
        let kept = near(place);
        match hunks.last_mut().filter(|_| open && kept) {
            Some(hunk) => hunk.rows.push(row),
            None if kept => hunks.push(Hunk { rows: vec![row] }),
            None => {}
        }
        open = kept;
    }
    hunks
}
