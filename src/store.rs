//! The scored store: a folder `NAME.qualm/` with a `manifest.json` and plain Parquet tables.
//!
//! | table | a row is | used for |
//! |---|---|---|
//! | `trajectories` | a trajectory, without its text | lists, labels, counts |
//! | `messages` | a message | reading a run |
//! | `turns` | a turn of the agent | turn scores |
//! | `tokens` | a turn with log-probabilities, its tokens as lists | token heat, rescoring |
//! | `checks` | something that the harness checked about a run | why a run failed |
//! | `user_tokens` | a message of the simulated user with log-probabilities | reading a run |
//! | `contexts` | a policy, system prompt and list of tools that runs share | asking a model about a run |
//! | `scores` | one scorer's value for one trajectory | stored scorers |
//! | `pairs` | one consistency scorer's value for one pair | stored consistency |
//! | `judgments` | one judge's verdict on one pair | outcome equivalence, agreement of judges |
//! | `tasks` | the instruction of a task | reading a run |
//! | `drift` | a turn whose drift from the task was measured | reading a run |
//!
//! The large tables are sorted by `trajectories.trajectory`, and `trajectories` has the row at
//! which each run's messages, turns, tokens, checks and the user's tokens begin, so that one run is read without the
//! rest. A row group of text or tokens holds about a hundred trajectories; the other tables are also read
//! whole and have larger ones. A missing table counts as empty. Notes, votes and labels of people
//! are beside the tables ([`notes`], [`votes`], [`labels`]).
//!
//! A change of a store takes effect as a whole (see [`StoreWriter`]), and a reader keeps the files
//! it opened, so it never sees half of one store and half of another. This is the only module that
//! uses polars.

mod amend;
mod annotations;
mod answers;
mod blob;
mod check;
mod checks;
mod columns;
mod contexts;
mod copies;
mod costs;
mod disk;
mod drift;
mod error;
mod export;
mod heads;
mod identity;
pub mod labels;
mod layout;
mod lock;
mod manifest;
mod merge;
mod messages;
pub mod notes;
mod outline;
mod parts;
#[cfg(feature = "remote")]
mod remote;
mod retire;
mod rows;
mod run_columns;
mod search;
mod selections;
mod swap;
mod table;
mod tokens;
mod turn_actions;
mod turn_columns;
mod user_tokens;
mod value_columns;
mod values;
pub mod votes;
mod writer;

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::model::{Judgment, Message, PairValue, Score, TaskText, Trajectory, TurnScores};

pub use amend::Amendment;
pub use annotations::{Annotations, DamagedLine, Orphan};
pub use answers::{Answer, AnswerLines, AnswerLog, AnswerReader};
pub use check::{check, check_open};
pub use error::StoreError;
pub use export::{Values, read_parquet, write_parquet};
pub use heads::{Entry, FirstRows};
pub use labels::{Cause, StepLabel};
pub use layout::TableLayout;
pub use manifest::{
    CellSummary, FORMAT, Handover, ImportedFile, Manifest, RecipeSettings, ScorerSettings,
    TableFile, TablePart, VERSION, VERSION_WITH_PARTS,
};
pub use merge::{Conflict, MergeOptions, Merged, Taken, UnknownTask, merge};
pub use notes::Note;
pub use outline::{Outline, OutlineNeeds, Texts};
pub use retire::{move_annotations, retire};
pub use rows::{each_parquet_row, parquet_columns};
pub use run_columns::RunColumns;
pub use search::SearchProgress;
pub use selections::{NamedKind, NamedTasks};
pub use turn_actions::{TurnAction, TurnActions};
pub use turn_columns::{TurnColumns, TurnNeeds};
pub use value_columns::ValueColumns;
pub use votes::{ChosenBy, Ruling, Vote};
pub use writer::{Extras, StoreWriter};

use parts::Parted;
pub use table::is_reading_thread;
use table::{Table, TableName};

/// An open store. Opening reads only the manifest; a table is read when it is needed.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    manifest: Manifest,
    tables: Vec<Parted>,
    /// The file of notes and votes, where it is not the one in the folder.
    shared_log: Option<PathBuf>,
    /// Whether the notes and votes in the folder count beside those in the other file.
    keeps_own_log: bool,
    /// Where its small files are kept, of a store at an address.
    #[cfg(feature = "remote")]
    elsewhere: Option<remote::Elsewhere>,
    contexts: contexts::Known,
}

impl Store {
    /// Whether the path is a folder with a manifest.
    pub fn is_store(path: &Path) -> bool {
        swap::bring_back_if_free(path);
        path.join(manifest::FILE).is_file()
    }

    /// Opens the tables that the manifest means: those of a change that is being completed go first.
    fn open_tables(path: &Path, manifest: &Manifest) -> Result<Vec<Parted>, StoreError> {
        let folder = manifest.handover.as_ref().and_then(|handover| handover.folder(path));
        let removed = manifest.handover.as_ref().filter(|_| folder.is_some());
        let is_part = |name: TableName| {
            let handover = manifest.handover.as_ref();
            handover.is_some_and(|handover| handover.parts.contains_key(name.as_str()))
        };
        let open = |name: TableName| {
            if removed.is_some_and(|handover| handover.removes(name)) {
                return Ok(None);
            }
            if let Some(folder) = &folder
                && !is_part(name)
                && let Some(table) = Table::open(folder, name)?
            {
                return Ok(Some(table));
            }
            Table::open(path, name)
        };
        let mut tables = Vec::new();
        for name in TableName::ALL {
            let whole = open(name)?.map(|table| table.expecting(manifest.files.get(name.as_str())));
            let mut files: Vec<Table> = whole.into_iter().collect();
            for part in manifest.parts.get(name.as_str()).into_iter().flatten() {
                files.push(Self::open_part(path, folder.as_deref(), name, part)?);
            }
            tables.extend(Parted::new(name, files));
        }
        Ok(tables)
    }

    /// Opens a part of a table, from the folder of a change that is being completed if it is still there.
    fn open_part(
        store: &Path,
        handover: Option<&Path>,
        name: TableName,
        part: &TablePart,
    ) -> Result<Table, StoreError> {
        let damaged = |why: &str| StoreError::damaged(&store.join(&part.path), why);
        let path = TablePart::path_in(&part.path, store, name)
            .ok_or_else(|| damaged("is named as a part, but is no path of one"))?;
        let table = match Table::open_at(path, name)? {
            Some(table) => Some(table),
            None => handover.map(|folder| Table::open(folder, name)).transpose()?.flatten(),
        };
        let table = table.ok_or_else(|| damaged("the part is missing"))?;
        Ok(table.expecting(Some(&part.file)))
    }

    /// Opens a store.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        swap::bring_back_if_free(path);
        let mut manifest = Manifest::read(path)?;
        if let Some(handover) = &manifest.handover {
            swap::complete_if_free(path, handover);
        }
        loop {
            let tables = Self::open_tables(path, &manifest);
            // A writer may have changed the store after its manifest was read.
            let current = Manifest::read(path)?;
            if current == manifest {
                let tables = tables?;
                return Ok(Self {
                    path: path.to_owned(),
                    manifest,
                    tables,
                    shared_log: None,
                    keeps_own_log: true,
                    #[cfg(feature = "remote")]
                    elsewhere: None,
                    contexts: contexts::Known::default(),
                });
            }
            manifest = current;
        }
    }

    /// Fails if a table that the manifest lists is missing: rewriting such a store would lose the table
    /// for good.
    pub(crate) fn require_all_tables(&self) -> Result<(), StoreError> {
        let is_missing =
            |name: &&String| self.tables.iter().all(|table| table.name().as_str() != **name);
        match self.manifest.tables.keys().find(is_missing) {
            Some(name) => {
                Err(StoreError::damaged(&self.path, format!("the table {name} is missing")))
            }
            None => Ok(()),
        }
    }

    /// What casts doubt on the numbers of the store, a sentence each: what [`Store::damage`] says, and
    /// that copies of computed values are stale.
    pub fn doubts(&self) -> Vec<String> {
        let stale = "scores.parquet holds computed values from before the last change; `qualm score` \
                     writes them again";
        let stale = self.has_stale_copies().then(|| stale.to_owned());
        self.damage().into_iter().chain(stale).collect()
    }

    /// Which tables are not the files that were written, as far as they have been read.
    pub fn damage(&self) -> Option<String> {
        let changed = self.tables.iter().flat_map(Parted::changed);
        let names: Vec<String> = changed.map(|file| self.name_of(file)).collect();
        let is = if names.len() == 1 {
            "is not as qualm wrote it"
        } else {
            "are not as qualm wrote them"
        };
        let names = names.join(", ");
        (!names.is_empty()).then(|| format!("{names} {is}; `qualm check` says more"))
    }

    /// Fails if a table that a new store is copied from is not the file that was written: with a new
    /// checksum, nobody could see the damage any more.
    pub(crate) fn require_sound_runs(&self) -> Result<(), StoreError> {
        let runs = self.tables.iter().filter(|table| table.name() < TableName::Scores);
        match runs.flat_map(Parted::files).find(|file| !file.check_sound()) {
            Some(file) => Err(StoreError::damaged(file.path(), "is not as qualm wrote it")),
            None => Ok(()),
        }
    }

    /// The name of a file in the store.
    fn name_of(&self, file: &Table) -> String {
        let usual = || file.name().path(Path::new(""));
        let inside = file.path().strip_prefix(&self.path).ok();
        // A file that still has to be renamed is in a folder that nobody knows.
        let hidden = Handover::PREFIX;
        let shown = inside.filter(|path| !path.to_string_lossy().starts_with(hidden));
        shown.map_or_else(usual, Path::to_owned).display().to_string()
    }

    /// The store's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the store's folder, without `.qualm`; of results in the cache, that of their file
    /// or folder.
    pub fn name(&self) -> String {
        // Results that were opened directly: the folder has a name that only the cache needs.
        if let (false, [first, more @ ..]) = (self.keeps_own_log, &self.manifest.sources[..]) {
            let path = Path::new(&first.path);
            let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            return match (more.len(), self.opened_folder(path)) {
                (0, _) => file.into_owned(),
                (count, None) => format!("{file} and {count} more"),
                (count, Some(folder)) => format!("{folder} ({} files)", count + 1),
            };
        }
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        name.strip_suffix(".qualm").unwrap_or(&name).to_owned()
    }

    /// The folder that was opened, where one was: the cache names a store after what was opened first.
    fn opened_folder(&self, source: &Path) -> Option<String> {
        let cached = self.path.file_stem()?.to_str()?;
        let (opened, _print) = cached.rsplit_once('-')?;
        let is_opened = |folder: &&Path| folder.file_stem().is_some_and(|stem| stem == opened);
        let folder = source.ancestors().skip(1).find(is_opened)?;
        Some(folder.file_name()?.to_string_lossy().into_owned())
    }

    /// The store's summary of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// All trajectories without their text, sorted by cell, task and draw.
    pub fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        self.read(TableName::Trajectories, heads::entries)
    }

    /// The trajectories of some rows of the table; reads only the row groups of these rows.
    pub fn entries_at(&self, rows: Range<u64>) -> Result<Vec<Entry>, StoreError> {
        let frame = self.rows(TableName::Trajectories, &rows)?;
        frame.as_ref().map_or(Ok(Vec::new()), heads::entries)
    }

    /// The trajectory in one row of the table.
    pub fn entry(&self, row: u64) -> Result<Entry, StoreError> {
        let mut entries = self.entries_at(row..row.saturating_add(1))?;
        let missing = || StoreError::damaged(&self.path, format!("there is no trajectory {row}"));
        entries.pop().ok_or_else(missing)
    }

    /// The [`Entry::id`]s of all trajectories, in the order of the table `trajectories`.
    pub fn ids(&self) -> Result<Vec<u32>, StoreError> {
        let Some(table) = self.table(TableName::Trajectories) else { return Ok(Vec::new()) };
        let frame = table.read_columns(&(0..table.rows()?), &["trajectory"])?;
        let mut id = frame.small("trajectory")?;
        (0..frame.height()).map(|_| id.need()).collect()
    }

    /// The fingerprints of the words of all trajectories, in the order of the table `trajectories`; none
    /// of a store that an older version wrote.
    pub fn fingerprints(&self) -> Result<Vec<Option<u64>>, StoreError> {
        let Some(table) = self.table(TableName::Trajectories) else { return Ok(Vec::new()) };
        let frame = table.read_columns(&(0..table.rows()?), &["fingerprint"])?;
        if !frame.has("fingerprint") {
            return Ok(Vec::new());
        }
        let mut print = frame.large("fingerprint")?;
        Ok((0..frame.height()).map(|_| print.next()).collect())
    }

    /// The action types of the trajectories of some rows, range by range. Reads only this column, once
    /// from the first row to the last.
    pub fn action_types(&self, rows: &[Range<u64>]) -> Result<Vec<Vec<Vec<String>>>, StoreError> {
        let all = cover(rows.iter().filter(|range| !range.is_empty()).cloned());
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
        let texts = |row| lists.texts((row - all.start) as usize);
        rows.iter().map(|range| range.clone().map(texts).collect()).collect()
    }

    /// One run with its text and tokens but without its context; reads only the row groups of its rows.
    pub fn trajectory(&self, entry: &Entry) -> Result<Trajectory, StoreError> {
        let mut runs = self.trajectories(std::slice::from_ref(entry))?;
        runs.pop().ok_or_else(|| StoreError::damaged(&self.path, "an empty answer"))
    }

    /// Several runs with their text and tokens but without their contexts, read at once from the first of their rows to the last.
    pub fn trajectories(&self, entries: &[Entry]) -> Result<Vec<Trajectory>, StoreError> {
        let messages = span(entries, |entry| (entry.rows.message, entry.head.messages));
        let turns = span(entries, |entry| (entry.rows.turn, entry.head.turns));
        let tokens = span(entries, |entry| (entry.rows.token, entry.rows.tokens));
        let message_frame = self.rows(TableName::Messages, &messages)?;
        // A row group of turns holds many runs, so only the needed columns are decoded.
        let turn_frame = match self.table(TableName::Turns).filter(|_| !turns.is_empty()) {
            Some(table) => Some(table.read_columns(&turns, &tokens::OF_RUN)?),
            None => None,
        };
        let token_frame = self.rows(TableName::Tokens, &tokens)?;
        let scores = turn_frame.as_ref().map(tokens::turn_scores).transpose()?.unwrap_or_default();
        let checks = self.checks(entries)?;
        let user_tokens = self.user_tokens(entries)?;
        let drift = self.drift(entries)?;
        let why = turn_frame.as_ref().map(tokens::unscored).transpose()?.unwrap_or_default();
        entries
            .iter()
            .zip(checks.into_iter().zip(user_tokens).zip(drift))
            .map(|(entry, ((checks, user_tokens), drift))| {
                let said = messages::messages(message_frame.as_ref(), entry, messages.start)?;
                let mut by_turn = tokens::tokens(token_frame.as_ref(), entry, tokens.start)?;
                let mut turn_numbers = 0u32..;
                let mut turn_number =
                    |message: &Message| message.is_turn().then(|| turn_numbers.next()).flatten();
                let turn_of: Vec<Option<u32>> = said.iter().map(&mut turn_number).collect();
                let mut run = Trajectory::new(entry.head.clone(), said, |index| {
                    turn_of[index].and_then(|turn| by_turn.remove(&turn))
                });
                let first = entry.rows.turn.saturating_sub(turns.start) as usize;
                let known = scores.iter().zip(&why).skip(first);
                for (turn, (scores, why)) in run.turns.iter_mut().zip(known) {
                    (turn.scores, turn.unscored) = (*scores, *why);
                }
                for row in drift {
                    let turn = run.turns.get_mut(row.turn as usize);
                    turn.into_iter().for_each(|turn| turn.drift = Some(row.drift));
                }
                (run.checks, run.user_tokens) = (checks, user_tokens);
                Ok(run)
            })
            .collect()
    }

    /// The white-box scores of all turns, in the order of the table `turns`.
    pub fn turn_scores(&self) -> Result<Vec<Option<TurnScores>>, StoreError> {
        self.read(TableName::Turns, tokens::turn_scores)
    }

    /// The stored values of scorers.
    pub fn scores(&self) -> Result<Vec<Score>, StoreError> {
        self.read(TableName::Scores, values::scores)
    }

    /// The stored values of pairs.
    pub fn pairs(&self) -> Result<Vec<PairValue>, StoreError> {
        self.read(TableName::Pairs, values::pairs)
    }

    /// The verdicts of judges.
    pub fn judgments(&self) -> Result<Vec<Judgment>, StoreError> {
        self.read(TableName::Judgments, values::judgments)
    }

    /// The instructions of tasks.
    pub fn tasks(&self) -> Result<Vec<TaskText>, StoreError> {
        self.read(TableName::Tasks, values::tasks)
    }

    fn table(&self, name: TableName) -> Option<&Parted> {
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

/// The rows from the first to the last that the entries need; `rows` returns the first row of an entry
/// and their number.
fn span(entries: &[Entry], rows: impl Fn(&Entry) -> (u64, u32)) -> Range<u64> {
    let needed = entries.iter().map(rows).filter(|(_, count)| *count > 0);
    let rows = needed.map(|(start, count)| start..start.saturating_add(u64::from(count)));
    cover(rows).unwrap_or(0..0)
}

/// The smallest range that covers all ranges; none when there are none.
fn cover(ranges: impl Iterator<Item = Range<u64>>) -> Option<Range<u64>> {
    ranges.reduce(|all, range| all.start.min(range.start)..all.end.max(range.end))
}
