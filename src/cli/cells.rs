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
        self.check_names(engine, store)?;
        let is_given = [&self.dataset, &self.model, &self.condition].iter().any(|f| !f.is_empty());
        engine.retain(|cell| self.accept(cell), |_| true);
        anyhow::ensure!(
            !is_given || !engine.manifest().cells.is_empty(),
            "{store}: no cell fits --dataset, --model and --condition; `qualm report {store} --table cells` lists them"
        );
        Ok(())
    }

    /// Fails where a name among several is that of no cell: what the others narrow to would hide it.
    fn check_names(&self, engine: &Engine, store: &str) -> anyhow::Result<()> {
        let check = |flag: &str, wanted: &[String], part: fn(&Cell) -> &String| {
            let is_known =
                |name: &&String| engine.frames().iter().any(|frame| part(&frame.cell) == *name);
            let unknown = wanted.iter().find(|name| wanted.len() > 1 && !is_known(name));
            unknown.map_or(Ok(()), |unknown| {
                Err(anyhow::anyhow!(
                    "{store}: no cell has --{flag} {unknown}; `qualm report {store} --table cells` lists them"
                ))
            })
        };
        check("dataset", &self.dataset, |cell| &cell.dataset)?;
        check("model", &self.model, |cell| &cell.model)?;
        check("condition", &self.condition, |cell| &cell.condition)
    }
}
