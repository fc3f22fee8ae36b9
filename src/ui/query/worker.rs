//! Answers questions from the store, and keeps what is read only once.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::engine::Engine;
use crate::metrics::bootstrap::Resampling;
use crate::store::{RunColumns, Store, StoreError, TurnActions};

/// A store that is open for questions.
#[derive(Debug)]
pub struct Worker {
    /// The store.
    pub store: Store,
    /// How intervals are taken.
    pub resampling: Resampling,
    rows: OnceLock<HashMap<u32, u32>>,
    runs: OnceLock<(RunColumns, Option<String>)>,
    instructions: OnceLock<HashMap<(String, String), String>>,
    actions: OnceLock<TurnActions>,
}

impl Worker {
    /// A worker on a store.
    pub fn new(store: Store, resampling: Resampling) -> Self {
        Self {
            store,
            resampling,
            rows: OnceLock::new(),
            runs: OnceLock::new(),
            instructions: OnceLock::new(),
            actions: OnceLock::new(),
        }
    }

    /// What the turns of all rows did, given the engine over all tasks; read once.
    pub fn turn_actions(&self, whole: &Engine) -> &TurnActions {
        self.actions.get_or_init(|| whole.turn_actions(&self.store).unwrap_or_default())
    }

    /// What the tasks ask, by dataset and task; read once.
    pub fn instructions(&self) -> &HashMap<(String, String), String> {
        self.instructions.get_or_init(|| self.read_instructions().unwrap_or_default())
    }

    fn read_instructions(&self) -> Result<HashMap<(String, String), String>, StoreError> {
        let tasks = self.store.tasks()?.into_iter();
        Ok(tasks.map(|task| ((task.dataset, task.task), task.instruction)).collect())
    }

    /// What every run took, and why that could not be read; read once.
    pub fn run_columns(&self) -> &(RunColumns, Option<String>) {
        self.runs.get_or_init(|| match self.store.run_columns() {
            Ok(runs) => (runs, None),
            Err(error) => (RunColumns::default(), Some(error.to_string())),
        })
    }

    /// The row in the table `trajectories` of every trajectory's number; read once.
    pub fn rows(&self) -> &HashMap<u32, u32> {
        self.rows.get_or_init(|| {
            let ids = self.store.ids().unwrap_or_default();
            (0..).zip(ids).map(|(row, id)| (id, row)).collect()
        })
    }
}
