use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use crate::engine::{Engine, Kept, Scope, TaskId, TaskTable};
use crate::metrics::Metric;
use crate::report::{self, Format, Rows, TableKind, TableOptions};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::store::{Store, StoreError};

/// What a file is made of.
#[derive(Debug)]
pub enum Export {
    /// Text as it is.
    Text(String),
    /// The grid of some scorers, in a format of the reports.
    Grid(Arc<Kept>, Vec<Scorer>, Metric, Format),
    /// What the store holds.
    Cells(Arc<Engine>, Format),
    /// The tasks that no draw solves, with what their draws repeat.
    Stuck(Arc<Kept>, Format),
    /// A table of the reports.
    Table(Arc<Kept>, TableKind, Metric, Format),
    /// The tasks of a table under a scorer.
    Tasks {
        /// The engine.
        engine: Arc<Engine>,
        /// The rows, in their order.
        table: Arc<TaskTable>,
        /// The scorer.
        scorer: Scorer,
        /// The notes on every task that has some.
        notes: HashMap<TaskId, String>,
        /// How it is written.
        format: Format,
    },
}

impl Export {
    fn text(self, store: &Store) -> Result<String, StoreError> {
        let options = |metric| TableOptions { metric, ..TableOptions::default() };
        Ok(match self {
            Self::Text(text) => text,
            Self::Stuck(kept, format) => {
                let engine = kept.engine();
                let list = engine.stuck_list(&Scope::All);
                let ids: Vec<TaskId> = list.iter().map(|own| own.id).collect();
                report::stuck_list(engine, &engine.patterns(store, &ids)?).render(format)
            }
            Self::Grid(kept, scorers, metric, format) => {
                report::grid_of(kept.engine(), &scorers, &options(metric)).render(format)
            }
            Self::Table(kept, kind, metric, format) => {
                report::table(kind, kept.engine(), &options(metric)).render(format)
            }
            Self::Cells(engine, format) => {
                report::table(TableKind::Cells, &engine, &TableOptions::default()).render(format)
            }
            Self::Tasks { engine, table, scorer, notes, format } => {
                task_rows(&engine, &table, &scorer, &notes).render(format)
            }
        })
    }

    /// Writes it beside its place and then there: a file is whole or not there.
    pub(super) fn write(self, path: &Path, store: &Store) -> io::Result<()> {
        let text = self.text(store).map_err(io::Error::other)?;
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        let draft = PathBuf::from(name);
        fs::write(&draft, text)?;
        fs::rename(&draft, path).inspect_err(|_| drop(fs::remove_file(&draft)))
    }
}

/// The table of tasks as a report has it, with the notes: the rows on screen, in their order.
fn task_rows(
    engine: &Engine,
    table: &TaskTable,
    scorer: &Scorer,
    notes: &HashMap<TaskId, String>,
) -> Rows {
    let mut columns = report::TASKS.to_vec();
    columns.push("notes");
    let mut rows = Rows::new(&columns);
    for &id in &table.rows {
        let frame = &engine.frames()[id.cell as usize];
        let task = &frame.tasks[id.task as usize];
        rows.push(vec![
            frame.cell.dataset.clone().into(),
            frame.cell.model.clone().into(),
            frame.cell.condition.clone().into(),
            task.id.clone().into(),
            task.success.into(),
            task.samples.len().into(),
            scorer.id().into(),
            scorer.aggregator().map(Aggregator::id).into(),
            table.score(id).into(),
            table.rank(id).into(),
            notes.get(&id).cloned().into(),
        ]);
    }
    rows
}
