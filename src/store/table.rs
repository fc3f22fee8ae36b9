//! Reads the Parquet tables of a store.

pub(super) mod bounds;
mod page;
mod sound;
mod threads;
mod write;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::thread;

use polars::prelude::{FileMetadataRef, ParallelStrategy, ParquetReader, PolarsError, SerReader};

use super::blob::Blob;
use super::columns::Frame;
use super::{StoreError, TableFile};
use crate::remote::RemoteError;

pub(super) use threads::READING_THREAD;
pub use threads::is_reading_thread;
pub(super) use write::{TableWriter, Written};

/// The tables of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum TableName {
    Trajectories,
    Messages,
    Turns,
    Tokens,
    Checks,
    UserTokens,
    Contexts,
    Scores,
    Pairs,
    Judgments,
    Tasks,
    Drift,
}

impl TableName {
    pub(super) const ALL: [Self; 12] = [
        Self::Trajectories,
        Self::Messages,
        Self::Turns,
        Self::Tokens,
        Self::Checks,
        Self::UserTokens,
        Self::Contexts,
        Self::Scores,
        Self::Pairs,
        Self::Judgments,
        Self::Tasks,
        Self::Drift,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Trajectories => "trajectories",
            Self::Messages => "messages",
            Self::Turns => "turns",
            Self::Tokens => "tokens",
            Self::Checks => "checks",
            Self::UserTokens => "user_tokens",
            Self::Contexts => "contexts",
            Self::Scores => "scores",
            Self::Pairs => "pairs",
            Self::Judgments => "judgments",
            Self::Tasks => "tasks",
            Self::Drift => "drift",
        }
    }

    pub(super) fn path(self, store: &Path) -> PathBuf {
        store.join(self.as_str()).with_extension("parquet")
    }

    /// The minimal number of rows of a row group. Text and tokens have none: each of their batches is a
    /// group, so that one run is read quickly.
    fn group_rows(self) -> usize {
        match self {
            Self::Messages | Self::Tokens | Self::Checks | Self::UserTokens | Self::Contexts => 0,
            Self::Trajectories => 1 << 15,
            Self::Turns
            | Self::Scores
            | Self::Pairs
            | Self::Judgments
            | Self::Tasks
            | Self::Drift => 1 << 16,
        }
    }
}

/// The minimal number of rows that one thread decodes at a time.
const PIECE: u64 = 1 << 15;

/// An open table: the file that was there when the store was opened, and its footer once it is needed.
#[derive(Debug)]
pub(super) struct Table {
    name: TableName,
    path: PathBuf,
    blob: Blob,
    footer: OnceLock<FileMetadataRef>,
    /// The file that was written, where the manifest says it.
    written: Option<TableFile>,
    /// Whether the file is that one, once that is known.
    sound: OnceLock<bool>,
}

impl Table {
    /// Opens the table of a store or of a writer's folder; none when it does not exist.
    pub(super) fn open(folder: &Path, name: TableName) -> Result<Option<Self>, StoreError> {
        Self::open_at(name.path(folder), name)
    }

    /// Opens a file with rows of a table; none when it does not exist.
    pub(super) fn open_at(path: PathBuf, name: TableName) -> Result<Option<Self>, StoreError> {
        match Blob::open(&path) {
            Ok(blob) => Ok(Some(Self::of(name, path, blob))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::damaged(&path, error.to_string())),
        }
    }

    /// The table with some bytes, which errors name by `path`.
    pub(super) fn of(name: TableName, path: PathBuf, blob: Blob) -> Self {
        let (footer, sound) = (OnceLock::new(), OnceLock::new());
        Self { name, path, blob, footer, written: None, sound }
    }

    pub(super) fn name(&self) -> TableName {
        self.name
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn rows(&self) -> Result<u64, StoreError> {
        Ok(self.footer()?.num_rows as u64)
    }

    /// The whole table.
    pub(super) fn read_all(&self) -> Result<Frame, StoreError> {
        self.check_sound();
        self.frame(&(0..u64::MAX), |reader| reader.read_parallel(ParallelStrategy::Auto))
    }

    /// Some rows; reads only the row groups of these rows.
    pub(super) fn read_rows(&self, rows: &Range<u64>) -> Result<Frame, StoreError> {
        self.frame(rows, |reader| some_rows(reader, rows))
    }

    /// Some columns of some rows.
    pub(super) fn read_columns(
        &self,
        rows: &Range<u64>,
        columns: &[&str],
    ) -> Result<Frame, StoreError> {
        self.guarded(|| self.columns(rows, columns))
    }

    /// Decodes some columns of the whole table with `decode`, piece by piece on all cores, and passes the
    /// results to `take` in the order of the table. Results are passed on at once, so that their memory
    /// is reused. The rows of the file are those of the table from `first` on.
    pub(super) fn pieces_from<T: Send>(
        &self,
        first: u64,
        columns: &[&str],
        decode: impl Fn(&Piece<'_>) -> Result<T, StoreError> + Sync,
        take: impl FnMut(T),
    ) -> Result<(), StoreError> {
        self.each_piece((first, columns), decode, take, || {
            self.check_sound();
        })
    }

    /// The same where so little of the file is read that its checksum would take longer: the content is not
    /// compared with what was written.
    pub(super) fn pieces_of_few_from<T: Send>(
        &self,
        first: u64,
        columns: &[&str],
        decode: impl Fn(&Piece<'_>) -> Result<T, StoreError> + Sync,
        take: impl FnMut(T),
    ) -> Result<(), StoreError> {
        self.each_piece((first, columns), decode, take, || ())
    }

    /// `meanwhile` runs on this thread while others decode.
    fn each_piece<T: Send>(
        &self,
        (first, columns): (u64, &[&str]),
        decode: impl Fn(&Piece<'_>) -> Result<T, StoreError> + Sync,
        mut take: impl FnMut(T),
        meanwhile: impl Fn(),
    ) -> Result<(), StoreError> {
        let pieces = self.split()?;
        let next = AtomicUsize::new(0);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.clamp(1, pieces.len().max(1));
        let (sender, receiver) = mpsc::sync_channel(2 * threads);
        let decode = |rows: &Range<u64>| {
            let frame = self.columns(rows, columns)?;
            let rows = rows.start + first..rows.end + first;
            decode(&Piece { table: self, first, rows, frame })
        };
        let work = |sender: SyncSender<(usize, T)>| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(rows) = pieces.get(number) else { return Ok(()) };
                // After a failure the other threads need not continue.
                let decoded =
                    decode(rows).inspect_err(|_| next.store(pieces.len(), Ordering::Relaxed))?;
                if sender.send((number, decoded)).is_err() {
                    return Ok(());
                }
            }
        };
        let done = self.on_threads(threads, sender, work, || {
            meanwhile();
            let mut early = BTreeMap::new();
            let mut expected = 0;
            for (number, decoded) in receiver {
                early.insert(number, decoded);
                while let Some(decoded) = early.remove(&expected) {
                    take(decoded);
                    expected += 1;
                }
            }
        });
        if let Some(done) = done {
            return done.map(drop);
        }
        // There are no threads to be had.
        meanwhile();
        pieces.iter().try_for_each(|rows| self.here(|| decode(rows)).map(&mut take))
    }

    /// Splits the table into pieces of whole row groups, several small ones together.
    fn split(&self) -> Result<Vec<Range<u64>>, StoreError> {
        let mut pieces: Vec<Range<u64>> = Vec::new();
        for group in self.groups()? {
            match pieces.last_mut().filter(|last| last.end - last.start < PIECE) {
                Some(last) => last.end = group.end,
                None => pieces.push(group),
            }
        }
        Ok(pieces)
    }

    /// Some columns of some rows. Must be called on a reading thread, since polars may panic.
    fn columns(&self, rows: &Range<u64>, columns: &[&str]) -> Result<Frame, StoreError> {
        let file = self.file_with(rows, Some(columns))?;
        self.check_pages(&file, rows, Some(columns))?;
        let mut reader = ParquetReader::new(file);
        reader.set_metadata(self.footer()?.clone());
        let schema = reader.schema().map_err(|error| self.unreadable(&error))?;
        // A missing column is reported by name when the frame is asked for it.
        let present = columns.iter().filter(|name| schema.contains(name));
        let present = present.map(|name| (*name).to_owned()).collect();
        let reader = some_rows(reader.with_columns(Some(present)), rows);
        let frame = reader.finish().map_err(|error| self.unreadable(&error))?;
        self.check_text(&frame)?;
        Ok(Frame::new(frame, self.path.clone()))
    }

    /// The rows of every row group.
    pub(super) fn groups(&self) -> Result<Vec<Range<u64>>, StoreError> {
        let mut end = 0;
        let groups = self.footer()?.row_groups.iter().map(|group| {
            let start = end;
            end += group.num_rows() as u64;
            start..end
        });
        Ok(groups.collect())
    }

    fn frame(
        &self,
        rows: &Range<u64>,
        configure: impl FnOnce(ParquetReader<File>) -> ParquetReader<File>,
    ) -> Result<Frame, StoreError> {
        let file = self.file_with(rows, None)?;
        self.check_pages(&file, rows, None)?;
        let footer = self.footer()?.clone();
        let mut reader = configure(ParquetReader::new(file));
        reader.set_metadata(footer);
        let frame = self.guarded(move || {
            let frame = reader.finish().map_err(|error| self.unreadable(&error))?;
            self.check_text(&frame)?;
            Ok(frame)
        })?;
        Ok(Frame::new(frame, self.path.clone()))
    }

    pub(super) fn footer(&self) -> Result<&FileMetadataRef, StoreError> {
        if let Some(footer) = self.footer.get() {
            return Ok(footer);
        }
        let file = self.blob.holding_footer().map_err(|error| self.unread(&error))?;
        let mut reader = ParquetReader::new(file);
        let footer = self.guarded(move || {
            reader.get_metadata().cloned().map_err(|error| self.unreadable(&error))
        })?;
        self.check_size(&footer)?;
        Ok(self.footer.get_or_init(|| footer))
    }

    /// In how many of some rows a column is null, by the footer; none where the footer does not say. The rows
    /// must be whole row groups.
    fn nulls(&self, rows: &Range<u64>, column: &str) -> Result<Option<u64>, StoreError> {
        let footer = self.footer()?;
        let groups = self.groups()?.into_iter().zip(&footer.row_groups);
        let inside = groups.filter(|(group, _)| rows.start <= group.start && group.end <= rows.end);
        let mut total = 0;
        for (_, group) in inside {
            let found = group.parquet_columns().iter().find(|chunk| {
                chunk.descriptor().path_in_schema.first().is_some_and(|name| *name == column)
            });
            let statistics = found.and_then(|chunk| chunk.statistics(&footer.footer_buf)?.ok());
            match statistics.and_then(|statistics| u64::try_from(statistics.null_count()?).ok()) {
                Some(nulls) => total += nulls,
                None => return Ok(None),
            }
        }
        Ok(Some(total))
    }

    /// An open file that holds some columns of some rows; no list of columns means all.
    fn file_with(&self, rows: &Range<u64>, columns: Option<&[&str]>) -> Result<File, StoreError> {
        let footer = self.footer()?;
        let ranges = || chunks(footer, rows, columns).map(|chunk| chunk.bytes).collect();
        self.blob.holding(ranges).map_err(|error| self.unread(&error))
    }

    /// The error of a file whose bytes the system does not give.
    fn unread(&self, error: &io::Error) -> StoreError {
        match RemoteError::within(error) {
            Some(error) => StoreError::Remote(error.clone()),
            None => StoreError::damaged(&self.path, error.to_string()),
        }
    }

    fn panicked(&self) -> StoreError {
        self.unreadable_because("its content contradicts itself")
    }

    fn unreadable(&self, error: &PolarsError) -> StoreError {
        self.unreadable_because(error.to_string().lines().next().unwrap_or("unknown error"))
    }

    fn unreadable_because(&self, why: &str) -> StoreError {
        StoreError::damaged(&self.path, format!("is not a complete Parquet file ({why})"))
    }
}

/// The values of one column in one row group.
struct Chunk {
    /// Where they are in the file.
    bytes: Range<u64>,
    /// Their bytes when they are decompressed.
    size: u64,
    /// Their number.
    values: u64,
}

/// The chunks of some columns in the row groups of some rows; no list of columns means all.
fn chunks<'f>(
    footer: &'f FileMetadataRef,
    rows: &'f Range<u64>,
    columns: Option<&'f [&'f str]>,
) -> impl Iterator<Item = Chunk> {
    let groups = footer.row_groups.iter().scan(0, |end, group| {
        let start = *end;
        *end += group.num_rows() as u64;
        Some((start..*end, group))
    });
    let wanted = groups.filter(|(found, _)| found.end > rows.start && found.start < rows.end);
    let columns = wanted.flat_map(|(_, group)| group.parquet_columns()).filter(move |column| {
        let name = column.descriptor().path_in_schema.first();
        columns.is_none_or(|columns| name.is_some_and(|name| columns.contains(&&**name)))
    });
    columns.map(|column| Chunk {
        bytes: column.byte_range(),
        size: u64::try_from(column.uncompressed_size()).unwrap_or(0),
        values: u64::try_from(column.num_values()).unwrap_or(0),
    })
}

fn some_rows(reader: ParquetReader<File>, rows: &Range<u64>) -> ParquetReader<File> {
    let slice = (rows.start as usize, (rows.end - rows.start) as usize);
    // Other strategies decode part of every group before the slice.
    reader.with_slice(Some(slice)).read_parallel(ParallelStrategy::RowGroups)
}

/// Some columns of some row groups of a table.
pub(super) struct Piece<'t> {
    table: &'t Table,
    /// The row of the table that the file begins with.
    first: u64,
    /// The rows of the table that this is.
    pub(super) rows: Range<u64>,
    pub(super) frame: Frame,
}

impl Piece<'_> {
    /// In how many of the rows a column is null, by the footer; none where the footer does not say.
    pub(super) fn nulls(&self, column: &str) -> Result<Option<u64>, StoreError> {
        self.table.nulls(&self.rows_of_file(), column)
    }

    /// Other columns of the same rows.
    pub(super) fn more(&self, columns: &[&str]) -> Result<Frame, StoreError> {
        self.table.columns(&self.rows_of_file(), columns)
    }

    /// The rows of the file that this is.
    fn rows_of_file(&self) -> Range<u64> {
        self.rows.start - self.first..self.rows.end - self.first
    }
}
