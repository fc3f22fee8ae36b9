//! `--dataset`, `--model` and `--condition`: which cells a command is about.

use crate::engine::Engine;
use crate::model::Cell;

/// Which cells.
#[derive(Debug, Default, clap::Args)]
pub(super) struct CellArgs {
    /// Only this dataset; may be repeated
    #[arg(long)]
    dataset: Vec<String>,
    /// Only this model; may be repeated
    #[arg(long)]
    model: Vec<String>,
    /// Only this condition; may be repeated
    #[arg(long)]
    condition: Vec<String>,
}

impl CellArgs {
    /// Whether the flags name a cell.
    fn accept(&self, cell: &Cell) -> bool {
        let named = |wanted: &[String], name: &String| wanted.is_empty() || wanted.contains(name);
        named(&self.dataset, &cell.dataset)
            && named(&self.model, &cell.model)
            && named(&self.condition, &cell.condition)
    }

    /// Keeps the cells that the flags name; none is an error.
    pub(super) fn narrow(&self, engine: &mut Engine, store: &str) -> anyhow::Result<()> {
        let is_given = [&self.dataset, &self.model, &self.condition].iter().any(|f| !f.is_empty());
        engine.retain(|cell| self.accept(cell), |_| true);
        anyhow::ensure!(
            !is_given || !engine.manifest().cells.is_empty(),
            "{store}: no cell fits --dataset, --model and --condition; `qualm report {store} --table cells` lists them"
        );
        Ok(())
    }
}
