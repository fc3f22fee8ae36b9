//! Files that are written in the background.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Shared;
use crate::engine::{Engine, Kept, Scope};
use crate::files::{self, Overwrite};
use crate::metrics::Metric;
use crate::report::figure::{FigureFormat, FigureKind, FigureOptions};
use crate::report::{self, Origin, OutputFormat, TableOptions, TableRequest};
use crate::ui::query::{Errands, Hint, Lane, Query, Worker};

/// Files on their way to the disk.
#[derive(Debug, Default)]
pub struct Export(Errands<WriteFile>);

/// A file that is written now, or why it is not.
pub type Written = (PathBuf, Result<(), String>);

/// The content of a file.
#[derive(Clone, Debug)]
pub enum FileContent {
    /// Text as it is.
    Text(String),
    /// A table of the reports.
    Table {
        /// Which table.
        request: Box<TableRequest>,
        /// The tasks it is made of.
        kept: Arc<Kept>,
        /// The metric.
        metric: Metric,
        /// How it is written.
        format: OutputFormat,
        /// What made it; the command is empty until it is known.
        origin: Origin,
    },
    /// A figure.
    Figure {
        /// Which figure, and how it is made.
        figure: Box<ScreenFigure>,
        /// The tasks it is made of.
        kept: Arc<Kept>,
        /// How it is written.
        format: FigureFormat,
    },
}

/// The figure of a screen.
#[derive(Clone, Debug)]
pub struct ScreenFigure {
    /// Which figure.
    pub kind: FigureKind,
    /// How it is made.
    pub options: FigureOptions,
    /// The cells it is of.
    pub cells: Scope,
}

impl ScreenFigure {
    /// A figure of all cells under the metric and the base score of the lens, for print.
    pub fn new(kind: FigureKind, shared: &Shared) -> Self {
        let (metric, base) = (shared.lens.metric, shared.lens.base());
        let options = FigureOptions { metric, base, ..FigureOptions::default() };
        Self { kind, options, cells: Scope::All }
    }
}

impl FileContent {
    /// The same content, saying which command makes it, unless it says so already.
    #[must_use]
    pub fn made_by(mut self, made_by: impl FnOnce() -> String) -> Self {
        if let Self::Table { origin: Origin { command, .. }, .. } = &mut self
            && command.is_empty()
        {
            *command = made_by();
        }
        self
    }

    fn bytes(self, worker: &Worker) -> Result<Vec<u8>, String> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Table { request, kept, metric, format, origin } => {
                let resampling = worker.resampling;
                let options = TableOptions { metric, resampling, ..TableOptions::default() };
                let table = report::table(&request, kept.engine(), Some(&worker.store), &options);
                let mut table = table.map_err(|error| error.to_string())?;
                table.provenance.origin = Some(origin);
                table.bytes(format).map_err(|error| error.to_string())
            }
            Self::Figure { figure, kept, format } => {
                let ScreenFigure { kind, options, .. } = *figure;
                let drawn =
                    report::figure::figure(kind, kept.engine(), Some(&worker.store), &options);
                let drawn = drawn.map_err(|error| error.to_string())?;
                drawn.bytes(format).map_err(|error| error.to_string())
            }
        }
    }

    /// Writes it to a new file.
    fn write(self, path: &Path, worker: &Worker) -> Result<(), String> {
        let bytes = self.bytes(worker)?;
        files::write(path, Overwrite::Never, bytes).map_err(|error| error.to_string())
    }
}

impl Shared {
    /// A table of the tasks in scope, or why it cannot be made yet.
    pub fn table_content(
        &self,
        request: impl Into<TableRequest>,
        format: OutputFormat,
    ) -> Result<FileContent, String> {
        let kept = self.data.chosen.scope.as_ref().map(|kept| kept.value.clone());
        self.content_of(kept, request.into(), format)
    }

    /// A table of the tasks of some cells in scope, or why it cannot be made yet.
    pub fn table_of_cells(
        &self,
        cells: &Scope,
        request: TableRequest,
        format: OutputFormat,
    ) -> Result<FileContent, String> {
        self.content_of(self.kept_cells(cells), request, format)
    }

    /// A figure of the tasks in scope, or why it cannot be made yet.
    pub fn figure_content(
        &self,
        figure: ScreenFigure,
        format: FigureFormat,
    ) -> Result<FileContent, String> {
        let kept = self.kept_cells(&figure.cells).ok_or("the store is still being read")?;
        Ok(FileContent::Figure { figure: Box::new(figure), kept, format })
    }

    /// The tasks of some cells in scope, once they are there.
    fn kept_cells(&self, cells: &Scope) -> Option<Arc<Kept>> {
        let kept = self.data.chosen.scope.as_ref()?;
        let mut engine = Engine::clone(kept.value.engine());
        engine.retain(|cell| cells.holds(cell), |_| true);
        Some(Arc::new(Kept::all(Arc::new(engine))))
    }

    /// A table of all tasks, whatever the scope.
    pub fn whole_table_content(
        &self,
        request: impl Into<TableRequest>,
        format: OutputFormat,
    ) -> Result<FileContent, String> {
        let all = self.engine().map(|engine| Arc::new(Kept::all(engine.clone())));
        self.content_of(all, request.into(), format)
    }

    fn content_of(
        &self,
        kept: Option<Arc<Kept>>,
        request: TableRequest,
        format: OutputFormat,
    ) -> Result<FileContent, String> {
        let kept = kept.ok_or_else(|| "the store is still being read".to_owned())?;
        let lists_tasks = matches!(request, TableRequest::TaskList(_));
        let selection = if lists_tasks { self.lens.selection.clone() } else { String::new() };
        let store = self.path.display().to_string();
        let origin = Origin { store, selection, command: String::new() };
        let (request, metric) = (Box::new(request), self.lens.metric);
        Ok(FileContent::Table { request, kept, metric, format, origin })
    }

    /// The first row of a table whose numbers are known already, as it is copied.
    pub fn table_row(&self, request: &TableRequest) -> Option<String> {
        let options = TableOptions { metric: self.lens.metric, ..TableOptions::default() };
        let table = report::table(request, self.engine()?, None, &options).ok()?;
        table.tab_separated().into_iter().next()
    }

    /// A table whose numbers are known already, as text.
    pub fn table_text(&self, request: &TableRequest, format: OutputFormat) -> Option<String> {
        let options = TableOptions { metric: self.lens.metric, ..TableOptions::default() };
        let table = report::table(request, self.engine()?, None, &options).ok()?;
        Some(table.render(format))
    }

    /// Writes a file.
    pub fn write_file(&mut self, path: PathBuf, content: FileContent) {
        self.export.0.send(WriteFile { path, content: Hint(content) }, &mut self.effects);
    }

    /// Files that are written since the last call, or could not be.
    pub fn take_written(&mut self) -> Vec<Written> {
        self.export.0.take().into_iter().map(|(file, written)| (file.path, written)).collect()
    }
}

/// Write a file.
#[derive(Clone, PartialEq)]
struct WriteFile {
    path: PathBuf,
    content: Hint<FileContent>,
}

impl Query for WriteFile {
    type Answer = Result<(), String>;
    const LANE: Lane = Lane::Export;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let Self { path, content } = self;
        send(content.0.write(&path, worker));
    }
}
