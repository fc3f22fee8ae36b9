//! Two cells, of one store or of two: what `versus` and `gate` have in common.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::tasks::{BY_OUTCOME, TasksArgs};
use super::{damage, out, results};
use crate::engine::{CellPairs, CellVersus, Engine, Source, VersusOptions, pair_cells};
use crate::import::apart;
use crate::model::Cell;
use crate::store::{RunColumns, Store};

/// A store in memory, with what its runs took.
pub(super) struct Loaded {
    store: Store,
    pub(super) engine: Engine,
    runs: RunColumns,
    /// Its path as messages name it.
    pub(super) shown: String,
}

impl Loaded {
    /// Opens a store or results, and narrows them to the tasks in scope.
    pub(super) fn open(paths: &[PathBuf], tasks: &TasksArgs) -> anyhow::Result<Self> {
        let store = results::open(paths)?;
        let chosen = tasks.choose(&store, Engine::load(&store, None)?, None)?;
        if chosen.by_outcome {
            out::complain(BY_OUTCOME);
        }
        let runs = store.run_columns()?;
        Ok(Self { store, engine: chosen.engine, runs, shown: results::shown(paths) })
    }

    fn source(&self) -> Source<'_> {
        Source { engine: &self.engine, runs: &self.runs }
    }

    fn cells(&self) -> Vec<Cell> {
        self.source().cells()
    }
}

/// The baseline and the candidate, which may be cells of one store.
pub(super) struct Sources {
    pub(super) baseline: Loaded,
    /// None where both are in one store.
    pub(super) candidate: Option<Loaded>,
}

impl Sources {
    /// The store of the candidate.
    pub(super) fn candidate(&self) -> &Loaded {
        self.candidate.as_ref().unwrap_or(&self.baseline)
    }

    /// The cells to compare.
    pub(super) fn pairs(&self, names: [Option<&str>; 2]) -> anyhow::Result<CellPairs> {
        let (first, second) = (self.baseline.cells(), self.candidate().cells());
        let is_one = self.candidate.is_none();
        pair_cells([&first, &second], names, is_one).map_err(|why| {
            let (first, second) = (&self.baseline.shown, &self.candidate().shown);
            let both = if is_one { first.clone() } else { format!("{first}, {second}") };
            anyhow::anyhow!("{both}: {why}; `qualm report {second} --table cells` lists the cells")
        })
    }

    /// Compares cells.
    pub(super) fn compare(
        &self,
        pairs: &CellPairs,
        options: &VersusOptions<'_>,
    ) -> anyhow::Result<Vec<CellVersus>> {
        let sources = [self.baseline.source(), self.candidate().source()];
        let mut all = Vec::new();
        for pair in pairs {
            let one = CellVersus::new(sources, *pair, options);
            let [baseline, candidate] = &one.cells;
            anyhow::ensure!(
                !one.versus.tasks.is_empty(),
                "{}: {candidate} shares no task with {baseline} of {}; name cells of the same tasks \
                 with --baseline and --candidate",
                self.candidate().shown,
                self.baseline.shown
            );
            anyhow::ensure!(
                one.versus.labelled() > 0,
                "{}: no task that {candidate} shares with {baseline} of {} has known outcomes in both; \
                 import results with labels",
                self.candidate().shown,
                self.baseline.shown
            );
            all.push(one);
        }
        Ok(all)
    }

    /// Names the second cells after their store where the first has cells of the same names.
    pub(super) fn tell_apart(&self, pairs: &CellPairs, store: &str, compared: &mut [CellVersus]) {
        let renamed = apart(&self.baseline.cells(), &self.candidate().cells(), store);
        for (pair, one) in pairs.iter().zip(compared) {
            one.cells[1] = renamed[pair[1]].clone();
        }
    }

    /// Says what casts doubt on the stores; the exit code is that of a failure where one is damaged.
    pub(super) fn tell_damage(&self) -> anyhow::Result<ExitCode> {
        let mut sound = ExitCode::SUCCESS;
        for loaded in std::iter::once(&self.baseline).chain(&self.candidate) {
            out::warn_of(&loaded.store);
            let code = damage::tell(&loaded.store)?;
            if code != ExitCode::SUCCESS {
                sound = code;
            }
        }
        Ok(sound)
    }
}

/// Names that tell two paths apart: their file names, with the folders before them where these are equal.
pub(super) fn distinct_names(paths: [&Path; 2]) -> [String; 2] {
    let parts = paths.map(|path| {
        let full = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let parts: Vec<String> = full
            .with_extension("")
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        parts
    });
    let most = parts[0].len().max(parts[1].len());
    let name =
        |parts: &[String], count: usize| parts[parts.len().saturating_sub(count)..].join("/");
    let found = (1..=most).map(|count| [name(&parts[0], count), name(&parts[1], count)]);
    let mut apart = found.filter(|[first, second]| first != second);
    apart.next().unwrap_or_else(|| ["first".to_owned(), "second".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_paths_apart() {
        let names = |first: &str, second: &str| distinct_names([first, second].map(Path::new));
        assert_eq!(names("/x/a.qualm", "/x/b.qualm"), ["a", "b"]);
        assert_eq!(names("/old/run.qualm", "/new/run.qualm"), ["old/run", "new/run"]);
        assert_eq!(names("/x/run.json", "/x/run.json"), ["first", "second"]);
    }
}
