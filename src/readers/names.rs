//! The names of a run's cell: from the user, from the input, or guessed.

use std::path::Path;

use super::ReadOptions;
use super::content::unpacked_name;
use crate::model::Cell;

/// What an input says about the cell of its runs.
#[derive(Clone, Debug, Default)]
pub(super) struct CellNames {
    pub(super) dataset: Option<String>,
    pub(super) model: Option<String>,
    pub(super) condition: Option<String>,
}

impl CellNames {
    /// Fills in what neither the input nor the user names, and says so in `notes`: `dataset` for the
    /// dataset, the file's name for the model.
    pub(super) fn guess(
        &mut self,
        path: &Path,
        options: &ReadOptions,
        dataset: &str,
        notes: &mut Vec<String>,
    ) {
        if options.dataset.is_none() && self.dataset.is_none() {
            notes.push(format!(
                "does not name its dataset: {dataset} is used; --dataset overrides it"
            ));
            self.dataset = Some(dataset.to_owned());
        }
        if options.model.is_none() && self.model.is_none() {
            let stem = unpacked_name(path).and_then(|name| Path::new(name).file_stem());
            let stem = stem.or_else(|| path.file_stem());
            let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
            let model = stem.unwrap_or_else(|| "unnamed".to_owned());
            notes.push(format!("does not name its model: {model} is used; --model overrides it"));
            self.model = Some(model);
        }
    }

    /// The cell; what the user says goes over what the input says.
    pub(super) fn cell(self, options: &ReadOptions) -> Cell {
        let choose = |by_user: &Option<String>, by_input: Option<String>, last: &str| {
            by_user.clone().or(by_input).unwrap_or_else(|| last.to_owned())
        };
        Cell {
            dataset: choose(&options.dataset, self.dataset, "unnamed"),
            model: choose(&options.model, self.model, "unnamed"),
            condition: choose(&options.condition, self.condition, Cell::DEFAULT_CONDITION),
        }
    }
}

/// A model's name without the provider that served it: `openrouter/qwen/qwen3` is `qwen3`.
pub(super) fn model_name(llm: &str) -> String {
    llm.rsplit('/').find(|part| !part.is_empty()).unwrap_or(llm).to_owned()
}
