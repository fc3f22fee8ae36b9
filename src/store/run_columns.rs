//! What runs took, as flat columns: what comparisons of all draws need beside their outcomes.

use super::columns::{Frame, reserve};
use super::table::{Piece, TableName};
use super::{Store, StoreError};

/// What every trajectory took, in the order of the table `trajectories`. NaN where it is not known.
#[derive(Clone, Debug, Default)]
pub struct RunColumns {
    /// Sampling temperatures.
    pub temperature: Vec<f64>,
    /// Numbers of turns.
    pub turns: Vec<f64>,
    /// Numbers of tool calls.
    pub tools: Vec<f64>,
    /// Costs of the agent's calls.
    pub cost: Vec<f64>,
    /// Seconds from start to end.
    pub duration: Vec<f64>,
}

/// The columns of the table.
const COLUMNS: [&str; 5] = ["temperature", "turns", "tools", "cost", "duration"];

impl RunColumns {
    fn part(frame: &Frame) -> Result<Self, StoreError> {
        let counts = |column| {
            Ok::<_, StoreError>(frame.smalls(column)?.into_iter().map(f64::from).collect())
        };
        Ok(Self {
            temperature: frame.reals("temperature")?,
            turns: counts("turns")?,
            tools: counts("tools")?,
            cost: frame.reals("cost")?,
            duration: frame.reals("duration")?,
        })
    }

    fn all(&mut self) -> [&mut Vec<f64>; 5] {
        let Self { temperature, turns, tools, cost, duration } = self;
        [temperature, turns, tools, cost, duration]
    }

    fn append(&mut self, mut part: Self) {
        for (column, more) in self.all().into_iter().zip(part.all()) {
            column.append(more);
        }
    }
}

impl Store {
    /// What every trajectory took. Only comparisons of all draws need it, so it is read when they are
    /// asked for.
    pub fn run_columns(&self) -> Result<RunColumns, StoreError> {
        let mut columns = RunColumns::default();
        let Some(table) = self.table(TableName::Trajectories) else { return Ok(columns) };
        let rows = table.rows()? as usize;
        columns.all().into_iter().for_each(|column| reserve(column, rows));
        let decode = |piece: &Piece<'_>| RunColumns::part(&piece.frame);
        table.pieces(&COLUMNS, decode, |part| columns.append(part))?;
        Ok(columns)
    }
}
