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
    /// The datasets that are named.
    pub(super) fn datasets(&self) -> &[String] {
        &self.dataset
    }

    /// The models that are named.
    pub(super) fn models(&self) -> &[String] {
        &self.model
    }

    /// Whether the flags name a cell.
    fn accept(&self, cell: &Cell) -> bool {
        let named = |wanted: &[String], name: &String| wanted.is_empty() || wanted.contains(name);
        named(&self.dataset, &cell.dataset)
            && named(&self.model, &cell.model)
            && named(&self.condition, &cell.condition)
    }

    /// Keeps the cells that the flags name; none is an error.
    pub(super) fn narrow(&self, engine: &mut Engine, store: &str) -> anyhow::Result<()> {
        let parts: [(&str, &[String], fn(&Cell) -> &String); 3] = [
            ("dataset", &self.dataset, |cell| &cell.dataset),
            ("model", &self.model, |cell| &cell.model),
            ("condition", &self.condition, |cell| &cell.condition),
        ];
        for (flag, wanted, part) in parts.iter().filter(|(_, wanted, _)| wanted.len() > 1) {
            let is_known =
                |name: &&String| engine.frames().iter().any(|frame| part(&frame.cell) == *name);
            if let Some(unknown) = wanted.iter().find(|name| !is_known(name)) {
                anyhow::bail!(
                    "{store}: no cell has --{flag} {unknown}; `qualm report {store} --table cells` lists them"
                );
            }
        }
        let is_given = [&self.dataset, &self.model, &self.condition].iter().any(|f| !f.is_empty());
        engine.retain(|cell| self.accept(cell), |_| true);
        anyhow::ensure!(
            !is_given || !engine.manifest().cells.is_empty(),
            "{store}: no cell fits --dataset, --model and --condition; `qualm report {store} --table cells` lists them"
        );
        Ok(())
    }
}
