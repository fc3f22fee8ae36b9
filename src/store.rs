//! The scored store: a folder `NAME.qualm/` with a `manifest.json` and plain Parquet tables.
//!
//! | table | a row is | used for |
//! |---|---|---|
//! | `trajectories` | a trajectory, without its text | lists, labels, counts |
//! | `messages` | a message | reading a run |
//! | `turns` | a turn of the agent | turn scores |
//! | `tokens` | a turn with log-probabilities, its tokens as lists | token heat, rescoring |
//! | `scores` | one scorer's value for one trajectory | |
//! | `pairs` | one consistency scorer's value for one pair | |
//! | `judgments` | one judge's verdict on one pair | |
//! | `tasks` | what a task asks | |
//!
//! The large tables lie in the order of `trajectories.trajectory`, and `trajectories` knows the row at
//! which each run's messages, turns and tokens begin: one run is fetched without reading the rest.
//! A row group of text or tokens is about a hundred trajectories; the other tables are also read
//! whole, and have large ones. A table that is not there is empty. Beside the
//! tables lies what people wrote and voted ([`notes`], [`votes`]).
//!
//! A store is only ever replaced as a whole (see [`StoreWriter`]); a reader keeps the files it
//! opened, so it never sees half of one store and half of another. This is the only module that
//! knows polars.

mod amend;
mod annotations;
mod check;
mod columns;
mod error;
mod export;
mod heads;
mod lean;
mod manifest;
mod merge;
mod messages;
pub mod notes;
mod search;
mod swap;
mod table;
mod tokens;
mod values;
pub mod votes;
mod writer;

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::model::{Judgment, Message, PairValue, Score, TaskText, Trajectory, TurnScores};

pub use amend::Amendment;
pub use check::check;
pub use error::StoreError;
pub use export::{Values, write_parquet};
pub use heads::{Entry, Rows};
pub use lean::{Outline, Texts, Told, TurnColumns};
pub use manifest::{CellSummary, FORMAT, Manifest, Source, VERSION};
pub use merge::{Merged, Unplaced, merge};
pub use notes::Note;
pub use search::Progress;
pub use votes::{Ruling, Vote};
pub use writer::{Extras, StoreWriter};

pub use table::is_reading_thread;
use table::{Table, TableName};

/// An open store. Opening reads the manifest and nothing else; tables are read when asked for.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    manifest: Manifest,
    tables: Vec<Table>,
}

impl Store {
    /// Whether the path holds something that calls itself a store.
    pub fn is_store(path: &Path) -> bool {
        path.join(manifest::FILE).is_file()
    }

    /// Opens a store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let mut manifest = Manifest::read(path)?;
        loop {
            let tables = TableName::ALL
                .into_iter()
                .filter_map(|name| Table::open(path, name).transpose())
                .collect::<Result<_, _>>()?;
            // A writer may have put another store in place between the manifest and the tables.
            let now = Manifest::read(path)?;
            if now == manifest {
                return Ok(Self { path: path.to_owned(), manifest, tables });
            }
            manifest = now;
        }
    }

    /// Fails if a table that the manifest lists is not there: what would be written from such a store
    /// would lose the rest for good.
    pub(crate) fn require_all_tables(&self) -> Result<(), StoreError> {
        let lost = |name: &&String| self.tables.iter().all(|table| table.name().as_str() != **name);
        match self.manifest.tables.keys().find(lost) {
            Some(name) => {
                Err(StoreError::damaged(&self.path, format!("the table {name} is missing")))
            }
            None => Ok(()),
        }
    }

    /// Where the store lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The store's name: its folder's, without the ending.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        name.strip_suffix(".qualm").unwrap_or(&name).to_owned()
    }

    /// What the store says about itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All trajectories without their text, in the order of the table: by cell, task and draw.
    pub fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        self.read(TableName::Trajectories, heads::entries)
    }

    /// The trajectories of some rows of the table; reads only the row groups that hold them.
    pub fn entries_at(&self, rows: Range<u64>) -> Result<Vec<Entry>, StoreError> {
        let frame = self.rows(TableName::Trajectories, &rows)?;
        frame.as_ref().map_or(Ok(Vec::new()), heads::entries)
    }

    /// The trajectory of one row of the table.
    pub fn entry(&self, row: u64) -> Result<Entry, StoreError> {
        let mut entries = self.entries_at(row..row.saturating_add(1))?;
        let missing = || StoreError::damaged(&self.path, format!("there is no trajectory {row}"));
        entries.pop().ok_or_else(missing)
    }

    /// The numbers of all trajectories, in the order of the table `trajectories`.
    pub fn ids(&self) -> Result<Vec<u32>, StoreError> {
        let Some(table) = self.table(TableName::Trajectories) else { return Ok(Vec::new()) };
        let frame = table.read_columns(&(0..table.rows()?), &["trajectory"])?;
        let mut id = frame.small("trajectory")?;
        (0..frame.height()).map(|_| id.need()).collect()
    }

    /// The action types of the trajectories of some rows, range by range. Only this column is read,
    /// once from the first row to the last.
    pub fn action_types(&self, rows: &[Range<u64>]) -> Result<Vec<Vec<Vec<String>>>, StoreError> {
        let needed = rows.iter().filter(|own| !own.is_empty()).cloned();
        let all = needed.reduce(|all, own| all.start.min(own.start)..all.end.max(own.end));
        let table = self.table(TableName::Trajectories);
        let (Some(all), Some(table)) = (all, table) else {
            return Ok(vec![Vec::new(); rows.len()]);
        };
        let missing =
            || StoreError::damaged(&self.path, format!("there is no trajectory {}", all.end));
        if all.end > table.rows()? {
            return Err(missing());
        }
        let frame = table.read_columns(&all, &["action_types"])?;
        let lists = frame.lists("action_types")?;
        let of = |own: &Range<u64>| own.clone().map(|row| lists.texts((row - all.start) as usize));
        rows.iter().map(|own| of(own).collect()).collect()
    }

    /// One run with its text and tokens; reads only the row groups that hold it.
    pub fn trajectory(&self, entry: &Entry) -> Result<Trajectory, StoreError> {
        let mut runs = self.trajectories(std::slice::from_ref(entry))?;
        runs.pop().ok_or_else(|| StoreError::damaged(&self.path, "an empty answer"))
    }

    /// Several runs with their text and tokens, in one reading when their rows adjoin.
    pub fn trajectories(&self, entries: &[Entry]) -> Result<Vec<Trajectory>, StoreError> {
        let messages = span(entries, |own| (own.rows.message, own.head.messages));
        let turns = span(entries, |own| (own.rows.turn, own.head.turns));
        let tokens = span(entries, |own| (own.rows.token, own.rows.tokens));
        let message_frame = self.rows(TableName::Messages, &messages)?;
        // A row group of them is many runs', so only what is needed is decoded.
        let turn_frame = match self.table(TableName::Turns).filter(|_| !turns.is_empty()) {
            Some(table) => Some(table.read_columns(&turns, &tokens::SCORES)?),
            None => None,
        };
        let token_frame = self.rows(TableName::Tokens, &tokens)?;
        let scores = turn_frame.as_ref().map(tokens::turn_scores).transpose()?.unwrap_or_default();
        entries
            .iter()
            .map(|entry| {
                let own = messages::messages(message_frame.as_ref(), entry, messages.start)?;
                let mut by_turn = tokens::tokens(token_frame.as_ref(), entry, tokens.start)?;
                let mut turn_numbers = 0u32..;
                let mut next = |own: &Message| own.is_turn().then(|| turn_numbers.next()).flatten();
                let turn_of: Vec<Option<u32>> = own.iter().map(&mut next).collect();
                let mut run = Trajectory::new(entry.head.clone(), own, |index| {
                    turn_of[index].and_then(|turn| by_turn.remove(&turn))
                });
                let first = entry.rows.turn.saturating_sub(turns.start) as usize;
                for (turn, scores) in run.turns.iter_mut().zip(scores.iter().skip(first)) {
                    turn.scores = *scores;
                }
                Ok(run)
            })
            .collect()
    }

    /// The white-box scores of all turns, in the order of the table `turns`.
    pub fn turn_scores(&self) -> Result<Vec<Option<TurnScores>>, StoreError> {
        self.read(TableName::Turns, tokens::turn_scores)
    }

    /// Values of scorers that are kept in the store.
    pub fn scores(&self) -> Result<Vec<Score>, StoreError> {
        self.read(TableName::Scores, values::scores)
    }

    /// Values of pairs that are kept in the store.
    pub fn pairs(&self) -> Result<Vec<PairValue>, StoreError> {
        self.read(TableName::Pairs, values::pairs)
    }

    /// Verdicts of judges.
    pub fn judgments(&self) -> Result<Vec<Judgment>, StoreError> {
        self.read(TableName::Judgments, values::judgments)
    }

    /// What the tasks ask.
    pub fn tasks(&self) -> Result<Vec<TaskText>, StoreError> {
        self.read(TableName::Tasks, values::tasks)
    }

    fn table(&self, name: TableName) -> Option<&Table> {
        self.tables.iter().find(|table| table.name() == name)
    }

    fn read<T>(
        &self,
        name: TableName,
        decode: impl FnOnce(&columns::Frame) -> Result<Vec<T>, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        match self.table(name) {
            Some(table) => decode(&table.read_all()?),
            None => Ok(Vec::new()),
        }
    }

    fn rows(
        &self,
        name: TableName,
        rows: &Range<u64>,
    ) -> Result<Option<columns::Frame>, StoreError> {
        match self.table(name) {
            Some(table) if !rows.is_empty() => table.read_rows(rows).map(Some),
            _ => Ok(None),
        }
    }
}

/// The rows from the first to the last that the entries need, from where each entry's begin and how
/// many they are.
fn span(entries: &[Entry], rows: impl Fn(&Entry) -> (u64, u32)) -> Range<u64> {
    let needed = entries.iter().map(rows).filter(|(_, count)| *count > 0);
    needed
        .map(|(start, count)| start..start + u64::from(count))
        .reduce(|all, own| all.start.min(own.start)..all.end.max(own.end))
        .unwrap_or(0..0)
}
