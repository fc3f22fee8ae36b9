use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use polars::prelude::{
    BatchedWriter, DataFrame, FileMetadataRef, ParallelStrategy, ParquetCompression, ParquetReader,
    ParquetWriter, PolarsError, PolarsResult, SchemaRef, SerReader, StatisticsOptions,
};

use super::StoreError;
use super::columns::Frame;

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
            Err(error) => Err(StoreError::damaged(&path, error)),
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

    fn frame(
        &self,
        set: impl FnOnce(ParquetReader<File>) -> ParquetReader<File>,
    ) -> Result<Frame, StoreError> {
        let footer = self.footer()?.clone();
        let file = self.file.try_clone().map_err(|error| StoreError::damaged(&self.path, error))?;
        let mut reader = set(ParquetReader::new(file));
        reader.set_metadata(footer);
        let frame = reader.finish().map_err(|error| self.unreadable(&error))?;
        Ok(Frame::new(frame, self.path.clone()))
    }

    fn footer(&self) -> Result<&FileMetadataRef, StoreError> {
        if let Some(footer) = self.footer.get() {
            return Ok(footer);
        }
        let file = self.file.try_clone().map_err(|error| StoreError::damaged(&self.path, error))?;
        let mut reader = ParquetReader::new(file);
        let footer = reader.get_metadata().map_err(|error| self.unreadable(&error))?.clone();
        Ok(self.footer.get_or_init(|| footer))
    }

    fn unreadable(&self, error: &PolarsError) -> StoreError {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or("unknown error");
        StoreError::damaged(&self.path, format!("is not a whole Parquet file ({line})"))
    }
}

/// A table that is being written, one row group a batch.
pub(super) struct TableWriter {
    path: PathBuf,
    file: File,
    writer: BatchedWriter<BufWriter<File>>,
    rows: u64,
}

impl TableWriter {
    pub(super) fn create(
        store: &Path,
        name: TableName,
        schema: &SchemaRef,
    ) -> Result<Self, StoreError> {
        let path = name.path(store);
        let failed = |error: &std::io::Error| StoreError::write(&path, error);
        let file = File::create(&path).map_err(|error| failed(&error))?;
        let copy = file.try_clone().map_err(|error| failed(&error))?;
        let writer = ParquetWriter::new(BufWriter::with_capacity(1 << 20, copy))
            .with_compression(ParquetCompression::Zstd(None))
            .with_statistics(StatisticsOptions::default())
            .batched(schema)
            .map_err(|error| StoreError::write_table(&path, &error))?;
        Ok(Self { path, file, writer, rows: 0 })
    }

    /// The row that the next batch begins at.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn write(&mut self, batch: PolarsResult<DataFrame>) -> Result<(), StoreError> {
        let result = batch.and_then(|batch| {
            self.rows += batch.height() as u64;
            self.writer.write_batch(&batch)
        });
        result.map_err(|error| StoreError::write_table(&self.path, &error))
    }

    /// Ends the file and brings it to the disk.
    pub(super) fn finish(self) -> Result<u64, StoreError> {
        let Self { path, file, writer, rows } = self;
        writer.finish().map_err(|error| StoreError::write_table(&path, &error))?;
        drop(writer);
        let failed = |error: std::io::Error| StoreError::write(&path, &error);
        let mut file = file;
        file.flush().map_err(failed)?;
        file.sync_all().map_err(failed)?;
        Ok(rows)
    }
}
