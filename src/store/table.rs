use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use polars::prelude::{
    BatchedWriter, DataFrame, FileMetadataRef, ParallelStrategy, ParquetCompression, ParquetReader,
    ParquetWriter, PolarsError, PolarsResult, SchemaRef, SerReader, StatisticsOptions,
};

use super::StoreError;
use super::columns::Frame;
use super::swap::Draft;

/// The tables of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum TableName {
    Trajectories,
    Messages,
    Turns,
    Tokens,
    Scores,
    Pairs,
    Judgments,
    Tasks,
}

impl TableName {
    pub(super) const ALL: [Self; 8] = [
        Self::Trajectories,
        Self::Messages,
        Self::Turns,
        Self::Tokens,
        Self::Scores,
        Self::Pairs,
        Self::Judgments,
        Self::Tasks,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Trajectories => "trajectories",
            Self::Messages => "messages",
            Self::Turns => "turns",
            Self::Tokens => "tokens",
            Self::Scores => "scores",
            Self::Pairs => "pairs",
            Self::Judgments => "judgments",
            Self::Tasks => "tasks",
        }
    }

    pub(super) fn path(self, store: &Path) -> PathBuf {
        store.join(self.as_str()).with_extension("parquet")
    }

    /// Rows that wait for each other before they become a row group. Text and tokens wait for
    /// nothing: their batches are the groups that one run is fetched from.
    fn group_rows(self) -> usize {
        match self {
            Self::Messages | Self::Tokens => 0,
            Self::Trajectories => 1 << 15,
            Self::Turns | Self::Scores | Self::Pairs | Self::Judgments | Self::Tasks => 1 << 16,
        }
    }
}

/// Bytes a page: inside a large row group, a reader skips the pages it does not need.
const PAGE: usize = 1 << 17;

/// Rows that one thread decodes at a time, at least.
const PIECE: u64 = 1 << 15;

/// The name of the threads on which tables are decoded.
const READING_THREAD: &str = "qualm-read";

/// Whether a panic on the current thread is a damaged table being read: it becomes an error, and
/// whoever prints panics should not print it.
pub fn is_reading_thread() -> bool {
    let current = thread::current();
    let name = current.name().unwrap_or_default();
    name == READING_THREAD || name.starts_with("polars-")
}

/// An open table: the file as it was when the store was opened, and its footer once it was needed.
#[derive(Debug)]
pub(super) struct Table {
    name: TableName,
    path: PathBuf,
    file: File,
    footer: OnceLock<FileMetadataRef>,
}

impl Table {
    /// Opens a table; none when it is not there.
    pub(super) fn open(store: &Path, name: TableName) -> Result<Option<Self>, StoreError> {
        let path = name.path(store);
        match File::open(&path) {
            Ok(file) => Ok(Some(Self { name, path, file, footer: OnceLock::new() })),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::damaged(&path, error.to_string())),
        }
    }

    pub(super) fn name(&self) -> TableName {
        self.name
    }

    pub(super) fn rows(&self) -> Result<u64, StoreError> {
        Ok(self.footer()?.num_rows as u64)
    }

    /// The whole table.
    pub(super) fn read_all(&self) -> Result<Frame, StoreError> {
        self.frame(|reader| reader.read_parallel(ParallelStrategy::Auto))
    }

    /// Some rows; only the row groups that hold them are read.
    pub(super) fn read_rows(&self, rows: &Range<u64>) -> Result<Frame, StoreError> {
        self.frame(|reader| some_rows(reader, rows))
    }

    /// Some columns of some rows.
    pub(super) fn read_columns(
        &self,
        rows: &Range<u64>,
        columns: &[&str],
    ) -> Result<Frame, StoreError> {
        let mut frames = self.on_threads(1, (), |()| self.columns(rows, columns), || ())?;
        frames.pop().ok_or_else(|| self.contradictory())
    }

    /// Hands some columns of the whole table to `decode`, some row groups at a time and on all
    /// cores, and what it makes of them to `take`, in the table's order and as it comes: memory that
    /// a piece needed serves a later one.
    pub(super) fn pieces<T: Send>(
        &self,
        columns: &[&str],
        decode: impl Fn(&Piece<'_>) -> Result<T, StoreError> + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), StoreError> {
        let pieces = self.split()?;
        let next = AtomicUsize::new(0);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.clamp(1, pieces.len().max(1));
        let (sender, receiver) = mpsc::sync_channel(2 * threads);
        let work = |sender: SyncSender<(usize, T)>| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(rows) = pieces.get(number) else { return Ok(()) };
                let own = self
                    .columns(rows, columns)
                    .and_then(|frame| decode(&Piece { table: self, rows: rows.clone(), frame }));
                // After a failure the others need not go on.
                let own = own.inspect_err(|_| next.store(pieces.len(), Ordering::Relaxed))?;
                if sender.send((number, own)).is_err() {
                    return Ok(());
                }
            }
        };
        self.on_threads(threads, sender, work, || {
            let mut early = BTreeMap::new();
            let mut expected = 0;
            for (number, own) in receiver {
                early.insert(number, own);
                while let Some(own) = early.remove(&expected) {
                    take(own);
                    expected += 1;
                }
            }
        })?;
        Ok(())
    }

    /// The rows of whole row groups, several small ones together.
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

    /// Some columns of some rows. For a thread that is guarded already.
    fn columns(&self, rows: &Range<u64>, columns: &[&str]) -> Result<Frame, StoreError> {
        let mut reader = ParquetReader::new(self.file()?);
        reader.set_metadata(self.footer()?.clone());
        let schema = reader.schema().map_err(|error| self.not_whole(&error))?;
        // One that is not there is missed by name, by whoever asks the frame for it.
        let there = columns.iter().filter(|name| schema.contains(name));
        let there = there.map(|name| (*name).to_owned()).collect();
        let reader = some_rows(reader.with_columns(Some(there)), rows);
        let frame = reader.finish().map_err(|error| self.not_whole(&error))?;
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
        set: impl FnOnce(ParquetReader<File>) -> ParquetReader<File>,
    ) -> Result<Frame, StoreError> {
        let footer = self.footer()?.clone();
        let mut reader = set(ParquetReader::new(self.file()?));
        reader.set_metadata(footer);
        let frame = self.guarded(|| reader.finish())?;
        Ok(Frame::new(frame, self.path.clone()))
    }

    fn footer(&self) -> Result<&FileMetadataRef, StoreError> {
        if let Some(footer) = self.footer.get() {
            return Ok(footer);
        }
        let mut reader = ParquetReader::new(self.file()?);
        let footer = self.guarded(|| reader.get_metadata().cloned())?;
        Ok(self.footer.get_or_init(|| footer))
    }

    fn file(&self) -> Result<File, StoreError> {
        self.file.try_clone().map_err(|error| StoreError::damaged(&self.path, error.to_string()))
    }

    /// Decodes on a thread of its own: polars panics on some files with changed bytes, and that
    /// must be an error like any other.
    fn guarded<T: Send>(
        &self,
        decode: impl FnOnce() -> PolarsResult<T> + Send,
    ) -> Result<T, StoreError> {
        let once = Mutex::new(Some(decode));
        let work = |()| {
            let decode = once.lock().ok().and_then(|mut own| own.take());
            decode.map(|decode| decode().map_err(|error| self.not_whole(&error))).transpose()
        };
        let mut done = self.on_threads(1, (), work, || ())?;
        done.pop().flatten().ok_or_else(|| self.contradictory())
    }

    /// Does some work on so many threads, where a panic is an error like any other. Each gets what
    /// it is to be `given`; `meanwhile` runs on this thread.
    fn on_threads<G: Clone + Send, T: Send>(
        &self,
        threads: usize,
        given: G,
        work: impl Fn(G) -> Result<T, StoreError> + Sync,
        meanwhile: impl FnOnce(),
    ) -> Result<Vec<T>, StoreError> {
        thread::scope(|scope| {
            let work = &work;
            let started: Result<Vec<_>, io::Error> = (0..threads)
                .map(|_| {
                    let given = given.clone();
                    let thread = thread::Builder::new().name(READING_THREAD.to_owned());
                    thread.spawn_scoped(scope, move || work(given))
                })
                .collect();
            // What was given ends with the last thread.
            drop(given);
            let started =
                started.map_err(|error| StoreError::damaged(&self.path, error.to_string()))?;
            meanwhile();
            // All are joined, so that no panic is left for the scope.
            let done: Vec<_> = started.into_iter().map(thread::ScopedJoinHandle::join).collect();
            done.into_iter().map(|own| own.unwrap_or_else(|_| Err(self.contradictory()))).collect()
        })
    }

    fn contradictory(&self) -> StoreError {
        self.not_whole_because("its content contradicts itself")
    }

    fn not_whole(&self, error: &PolarsError) -> StoreError {
        self.not_whole_because(error.to_string().lines().next().unwrap_or("unknown error"))
    }

    fn not_whole_because(&self, why: &str) -> StoreError {
        StoreError::damaged(&self.path, format!("is not a whole Parquet file ({why})"))
    }
}

fn some_rows(reader: ParquetReader<File>, rows: &Range<u64>) -> ParquetReader<File> {
    let slice = (rows.start as usize, (rows.end - rows.start) as usize);
    // Other strategies decode a little of every group before the slice.
    reader.with_slice(Some(slice)).read_parallel(ParallelStrategy::RowGroups)
}

/// Some columns of some row groups of a table.
pub(super) struct Piece<'t> {
    table: &'t Table,
    /// Which rows of the table these are.
    pub(super) rows: Range<u64>,
    pub(super) frame: Frame,
}

impl Piece<'_> {
    /// Other columns of the same rows.
    pub(super) fn more(&self, columns: &[&str]) -> Result<Frame, StoreError> {
        self.table.columns(&self.rows, columns)
    }
}

/// A file that remembers why it could not be written: polars keeps only the words.
struct Noting {
    file: BufWriter<File>,
    failure: Arc<OnceLock<io::Error>>,
}

impl Noting {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let words = error.to_string();
            let kind = error.kind();
            // Only the first failure tells the cause.
            let _ = self.failure.set(error);
            io::Error::new(kind, words)
        })
    }
}

impl Write for Noting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.file.write(bytes);
        self.note(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.file.flush();
        self.note(result)
    }
}

/// A table that is being written, its batches gathered to row groups.
pub(super) struct TableWriter {
    /// The table's place in the finished store, for errors.
    shown: PathBuf,
    file: File,
    writer: BatchedWriter<Noting>,
    failure: Arc<OnceLock<io::Error>>,
    waiting: Option<DataFrame>,
    group_rows: usize,
    rows: u64,
}

impl TableWriter {
    fn create(draft: &Draft, name: TableName, schema: &SchemaRef) -> Result<Self, StoreError> {
        let shown = name.path(draft.store());
        let failed = |error: &io::Error| StoreError::write(&shown, error);
        let file = File::create(name.path(draft.folder())).map_err(|error| failed(&error))?;
        let copy = file.try_clone().map_err(|error| failed(&error))?;
        let failure = Arc::new(OnceLock::new());
        let noting =
            Noting { file: BufWriter::with_capacity(1 << 20, copy), failure: failure.clone() };
        let writer = ParquetWriter::new(noting)
            .with_compression(ParquetCompression::Zstd(None))
            .with_statistics(StatisticsOptions::default())
            .with_data_page_size((name.group_rows() > 0).then_some(PAGE))
            .batched(schema)
            .map_err(|error| unwritten(&shown, &failure, &error))?;
        let group_rows = name.group_rows();
        Ok(Self { shown, file, writer, failure, waiting: None, group_rows, rows: 0 })
    }

    /// Adds a batch to a table, which is created for its first; an empty batch creates none.
    pub(super) fn append(
        table: &mut Option<Self>,
        draft: &Draft,
        name: TableName,
        batch: PolarsResult<DataFrame>,
    ) -> Result<(), StoreError> {
        let batch = batch.map_err(|error| {
            // Columns of one length always make a table; should they ever not, it is an error too.
            StoreError::write(&name.path(draft.store()), &io::Error::other(error.to_string()))
        })?;
        if batch.height() == 0 {
            return Ok(());
        }
        let writer = match table {
            Some(writer) => writer,
            None => table.insert(Self::create(draft, name, batch.schema())?),
        };
        writer.add(batch)
    }

    /// The row that the next batch begins at.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    fn add(&mut self, batch: DataFrame) -> Result<(), StoreError> {
        self.rows += batch.height() as u64;
        let failed = |error| unwritten(&self.shown, &self.failure, &error);
        let waiting = match self.waiting.take() {
            Some(mut waiting) => {
                waiting.vstack_mut_owned(batch).map_err(failed)?;
                waiting
            }
            None => batch,
        };
        let is_enough = waiting.height() >= self.group_rows;
        self.waiting = Some(waiting);
        if is_enough { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), StoreError> {
        let Some(mut group) = self.waiting.take() else { return Ok(()) };
        // Chunks would become row groups of their own.
        group.rechunk_mut();
        let result = self.writer.write_batch(&group);
        result.map_err(|error| unwritten(&self.shown, &self.failure, &error))
    }

    /// Ends the file and brings it to the disk.
    pub(super) fn finish(mut self) -> Result<u64, StoreError> {
        self.write_group()?;
        let Self { shown, file, writer, failure, rows, .. } = self;
        // Without the Arrow schema that polars would add: it says "string view", which pandas cannot
        // read inside lists. The Parquet schema says all there is to say.
        let footer = match writer.get_writer().lock() {
            Ok(mut writer) => writer.end(Some(Vec::new())),
            Err(_) => {
                return Err(StoreError::write(&shown, &io::Error::other("a writer panicked")));
            }
        };
        footer.map_err(|error| unwritten(&shown, &failure, &error))?;
        drop(writer);
        file.sync_all().map_err(|error| StoreError::write(&shown, &error))?;
        Ok(rows)
    }
}

fn unwritten(shown: &Path, failure: &OnceLock<io::Error>, error: &PolarsError) -> StoreError {
    match failure.get() {
        Some(cause) => StoreError::write(shown, cause),
        None => StoreError::write(shown, &io::Error::other(error.to_string())),
    }
}
