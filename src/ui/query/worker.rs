//! Answers questions from the store, and keeps what is read only once.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::metrics::bootstrap::Resampling;
use crate::store::{Store, StoreError};

/// A store that is open for questions.
#[derive(Debug)]
pub struct Worker {
    /// The store.
    pub store: Store,
    /// How intervals are taken.
    pub resampling: Resampling,
    rows: OnceLock<HashMap<u32, u32>>,
    instructions: OnceLock<HashMap<(String, String), String>>,
}

impl Worker {
    /// A worker on a store.
    pub fn new(store: Store, resampling: Resampling) -> Self {
        Self { store, resampling, rows: OnceLock::new(), instructions: OnceLock::new() }
    }

    /// What the tasks ask, by dataset and task; read once.
    pub fn instructions(&self) -> &HashMap<(String, String), String> {
        self.instructions.get_or_init(|| self.read_instructions().unwrap_or_default())
    }

    fn read_instructions(&self) -> Result<HashMap<(String, String), String>, StoreError> {
        let tasks = self.store.tasks()?.into_iter();
        Ok(tasks.map(|task| ((task.dataset, task.task), task.instruction)).collect())
    }

    /// The row in the table `trajectories` of every trajectory's number; read once.
    pub fn rows(&self) -> &HashMap<u32, u32> {
        self.rows.get_or_init(|| {
            let ids = self.store.ids().unwrap_or_default();
            (0..).zip(ids).map(|(row, id)| (id, row)).collect()
        })
    }
}
