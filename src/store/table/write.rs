//! Writes a table.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use polars::polars_utils::compression::ZstdLevel;
use polars::prelude::{
    BatchedWriter, DataFrame, ParquetCompression, ParquetWriter, PolarsError, PolarsResult,
    SchemaRef, StatisticsOptions,
};

use xxhash_rust::xxh3::Xxh3Default;

use super::TableName;
use crate::store::swap::Draft;
use crate::store::{StoreError, TableFile, disk};

/// Bytes per page: a reader skips the pages of a large row group that it does not need.
const PAGE: usize = 1 << 17;

/// How hard pages are compressed. The default, 3, makes texts 5% smaller and writing a fifth slower.
const LEVEL: i32 = 1;

/// A file that keeps the error of a failed write, because polars keeps only its message.
struct RecordingFile {
    file: BufWriter<HashedFile>,
    failure: Arc<OnceLock<io::Error>>,
}

impl RecordingFile {
    fn record<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let message = error.to_string();
            let kind = error.kind();
            // Only the first failure is the cause.
            let _ = self.failure.set(error);
            io::Error::new(kind, message)
        })
    }
}

impl Write for RecordingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.file.write(bytes);
        self.record(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.file.flush();
        self.record(result)
    }
}

/// A file with the checksum of what was written to it.
struct HashedFile {
    file: File,
    content: Arc<Mutex<Content>>,
}

/// What a file holds so far.
#[derive(Default)]
struct Content {
    hash: Xxh3Default,
    bytes: u64,
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        if let Ok(mut content) = self.content.lock() {
            content.hash.update(&bytes[..count]);
            content.bytes += count as u64;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A table that was written: its rows and its file.
#[derive(Clone, Debug)]
pub(in crate::store) struct Written {
    pub(in crate::store) rows: u64,
    pub(in crate::store) file: TableFile,
}

/// A table that is being written. Batches are collected into row groups.
pub(in crate::store) struct TableWriter {
    /// The table's path in the finished store, for errors.
    final_path: PathBuf,
    file: File,
    content: Arc<Mutex<Content>>,
    writer: BatchedWriter<RecordingFile>,
    failure: Arc<OnceLock<io::Error>>,
    waiting: Option<DataFrame>,
    group_rows: usize,
    rows: u64,
}

impl TableWriter {
    fn create(draft: &Draft, name: TableName, schema: &SchemaRef) -> Result<Self, StoreError> {
        let final_path = name.path(draft.store());
        let failed = |error: &io::Error| StoreError::write(&final_path, error);
        let file = draft.create(name).map_err(|error| failed(&error))?;
        let copy = file.try_clone().map_err(|error| failed(&error))?;
        let (failure, content) = (Arc::new(OnceLock::new()), Arc::<Mutex<Content>>::default());
        let hashed = HashedFile { file: copy, content: content.clone() };
        let recording = RecordingFile {
            file: BufWriter::with_capacity(1 << 20, hashed),
            failure: failure.clone(),
        };
        let writer = ParquetWriter::new(recording)
            .with_compression(ParquetCompression::Zstd(ZstdLevel::try_new(LEVEL).ok()))
            .with_statistics(StatisticsOptions::default())
            // Polars would only look for repeated values on other threads; the rest is done here anyway.
            .set_parallel(false)
            .with_data_page_size((name.group_rows() > 0).then_some(PAGE))
            .batched(schema)
            .map_err(|error| write_error(&final_path, &failure, &error))?;
        let group_rows = name.group_rows();
        Ok(Self { final_path, file, content, writer, failure, waiting: None, group_rows, rows: 0 })
    }

    /// Adds a batch to a table, which the first batch with rows creates.
    pub(in crate::store) fn append(
        table: &mut Option<Self>,
        draft: &Draft,
        name: TableName,
        batch: PolarsResult<DataFrame>,
    ) -> Result<(), StoreError> {
        let batch = batch.map_err(|error| {
            // Cannot happen: the columns have the same length.
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

    /// The number of rows so far, which is the first row of the next batch.
    pub(in crate::store) fn rows(&self) -> u64 {
        self.rows
    }

    fn add(&mut self, batch: DataFrame) -> Result<(), StoreError> {
        self.rows += batch.height() as u64;
        let failed = |error| write_error(&self.final_path, &self.failure, &error);
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
        // Each chunk would become a separate row group.
        group.rechunk_mut();
        let result = self.writer.write_batch(&group);
        result.map_err(|error| write_error(&self.final_path, &self.failure, &error))
    }

    /// Completes the file and syncs it to the disk.
    pub(in crate::store) fn finish(mut self) -> Result<Written, StoreError> {
        self.write_group()?;
        let Self { final_path, file, content, writer, failure, rows, .. } = self;
        // Leaves out the Arrow schema that polars would add: it says "string view", which pandas cannot
        // read inside lists. The Parquet schema is enough.
        let panicked = || StoreError::write(&final_path, &io::Error::other("a writer panicked"));
        let footer = match writer.get_writer().lock() {
            Ok(mut writer) => writer.end(Some(Vec::new())),
            Err(_) => return Err(panicked()),
        };
        footer.map_err(|error| write_error(&final_path, &failure, &error))?;
        drop(writer);
        disk::sync(&file).map_err(|error| StoreError::write(&final_path, &error))?;
        let content = content.lock().map_err(|_| panicked())?;
        let file = TableFile::new(content.bytes, content.hash.digest());
        Ok(Written { rows, file })
    }
}

/// The error of a failed write, by its cause where that is known.
fn write_error(
    final_path: &Path,
    failure: &OnceLock<io::Error>,
    error: &PolarsError,
) -> StoreError {
    match failure.get() {
        Some(cause) => StoreError::write(final_path, cause),
        None => StoreError::write(final_path, &io::Error::other(error.to_string())),
    }
}
