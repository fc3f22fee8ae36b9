use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
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
}

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
        let slice = (rows.start as usize, (rows.end - rows.start) as usize);
        // Other strategies decode a little of every group before the slice.
        self.frame(|reader| {
            reader.with_slice(Some(slice)).read_parallel(ParallelStrategy::RowGroups)
        })
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

    /// Some columns of some rows.
    pub(super) fn read_columns(
        &self,
        columns: &[&str],
        rows: &Range<u64>,
    ) -> Result<Frame, StoreError> {
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        let slice = (rows.start as usize, (rows.end - rows.start) as usize);
        self.frame(|reader| {
            reader
                .with_columns(Some(columns))
                .with_slice(Some(slice))
                .read_parallel(ParallelStrategy::RowGroups)
        })
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
        let decoded = thread::scope(|scope| {
            let thread = thread::Builder::new().name(READING_THREAD.to_owned());
            thread.spawn_scoped(scope, decode).map(thread::ScopedJoinHandle::join)
        });
        let why = match decoded {
            Ok(Ok(Ok(value))) => return Ok(value),
            Ok(Ok(Err(error))) => {
                error.to_string().lines().next().unwrap_or("unknown error").to_owned()
            }
            Ok(Err(_)) => "its content contradicts itself".to_owned(),
            Err(error) => return Err(StoreError::damaged(&self.path, error.to_string())),
        };
        Err(StoreError::damaged(&self.path, format!("is not a whole Parquet file ({why})")))
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

/// A table that is being written, one row group a batch.
pub(super) struct TableWriter {
    /// The table's place in the finished store, for errors.
    shown: PathBuf,
    file: File,
    writer: BatchedWriter<Noting>,
    failure: Arc<OnceLock<io::Error>>,
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
            .batched(schema)
            .map_err(|error| unwritten(&shown, &failure, &error))?;
        Ok(Self { shown, file, writer, failure, rows: 0 })
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
        writer.write(&batch)
    }

    /// The row that the next batch begins at.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    fn write(&mut self, batch: &DataFrame) -> Result<(), StoreError> {
        self.rows += batch.height() as u64;
        let result = self.writer.write_batch(batch);
        result.map_err(|error| unwritten(&self.shown, &self.failure, &error))
    }

    /// Ends the file and brings it to the disk.
    pub(super) fn finish(self) -> Result<u64, StoreError> {
        let Self { shown, file, writer, failure, rows } = self;
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
