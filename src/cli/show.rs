//! `qualm show`: runs of a task side by side, without a terminal.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;

use super::pick::{Picked, TaskArgs};
use super::{damage, format, out, results};
use crate::compare::{RunName, Sheet};
use crate::engine::Engine;
use crate::model::{Cell, Head, Trajectory};
use crate::models::KnownAnswers;
use crate::report::OutputFormat;
use crate::report::show::{RunScores, ShowContext, ShowOptions, ShownTree, SideBySide};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::store::{Store, labels};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store, or result files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    task: TaskArgs,
    /// One to four draws, such as 0,2; DRAW@MODEL or DRAW@MODEL/CONDITION in another cell of the
    /// dataset. Default: the reference and the first sample with a different outcome
    #[arg(long)]
    draws: Option<String>,
    #[command(flatten)]
    lens: LensArgs,
    /// The output format
    #[arg(long, default_value = "text", value_parser = format::parser(&OutputFormat::RUNS))]
    format: OutputFormat,
    /// Long texts in full; in the tree, every action on a line of its own
    #[arg(long)]
    full: bool,
    /// All draws at once, as a tree of their actions
    #[arg(long, conflicts_with_all = ["draws", "scorer", "aggregator"])]
    tree: bool,
}

/// Under which scorer.
#[derive(Debug, clap::Args)]
pub(super) struct LensArgs {
    /// The scorer: lnsp, lnsp.mean, aec, a score of your own …
    #[arg(long)]
    scorer: Option<String>,
    /// The aggregator of a white-box scorer, and of the turns' weights: min, mean, softmin-10 …
    #[arg(long)]
    aggregator: Option<String>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let wanted = args.draws.as_deref().map(RunName::list).transpose();
    let wanted = wanted.map_err(|why| anyhow::anyhow!("--draws: {why}"))?;
    let lens = args.lens.lens()?;
    let store = results::open(&args.paths)?;
    let picked = Picked::find(&store, &args.task)?;
    let options = ShowOptions { format: args.format, full: args.full };
    if args.tree {
        let tree = picked.tree(&store)?;
        let shown = ShownTree { cell: picked.cell(), task: &args.task.task, tree: &tree };
        out::print(&shown.render(options))?;
        return damage::tell(&store);
    }
    let wanted = wanted.map_or_else(|| picked.usual(&store), Ok)?;
    let printed = with_runs(&store, &picked, &wanted, &lens, |shown| shown.render(options))?;
    out::print(&printed)?;
    damage::tell(&store)
}

/// Reads the wanted runs and all that the store knows about them, and passes them on aligned.
pub(super) fn with_runs<T>(
    store: &Store,
    picked: &Picked,
    wanted: &[RunName],
    lens: &Lens,
    use_runs: impl FnOnce(&SideBySide<'_>) -> T,
) -> anyhow::Result<T> {
    let runs = picked.runs(store, wanted)?;
    let runs: Vec<&Trajectory> = runs.iter().collect();
    let Some(first) = runs.first().map(|run| &run.head) else {
        anyhow::bail!("{}: the task has no run; import some", store.path().display());
    };
    let task = store
        .tasks()?
        .into_iter()
        .find(|task| task.dataset == first.cell.dataset && task.task == first.task);
    let heads: Vec<&Head> = runs.iter().map(|run| &run.head).collect();
    let mut contexts: Vec<_> = store.contexts_of(&heads)?.into_iter().flatten().collect();
    // Runs with the same context share it.
    let mut seen = HashSet::new();
    contexts.retain(|context| seen.insert(Arc::as_ptr(context)));
    let mut tasks: Vec<(Cell, String)> =
        heads.iter().map(|head| (head.cell.clone(), head.task.clone())).collect();
    tasks.sort();
    tasks.dedup();
    let context = ShowContext {
        instruction: task.map(|task| task.instruction),
        judgments: store.judgments()?,
        notes: store.notes()?,
        errors: labels::current(&store.labels()?),
        pooled: store.manifest().pooled.clone(),
        contexts: Some(contexts),
        answers: KnownAnswers::about(store, &tasks)?,
    };
    let scores = lens.scores(store, &runs)?;
    out::warn_of(store);
    let sheet = Sheet::new(&runs);
    Ok(use_runs(&SideBySide::new(&runs, &sheet, &scores, &context)))
}

/// The scorer that runs are shown under.
pub(super) struct Lens {
    /// The base score of the turns.
    base: Base,
    /// The aggregator of the turns.
    rule: Aggregator,
    /// The scorer of the runs, if it is not the two above.
    other: Option<Scorer>,
}

impl LensArgs {
    pub(super) fn lens(&self) -> anyhow::Result<Lens> {
        let rule = match &self.aggregator {
            Some(id) => Some(Aggregator::parse(&id.to_lowercase()).with_context(|| {
                let known = Aggregator::ALL.map(Aggregator::id).join(", ");
                format!("--aggregator: there is no `{id}`; it is one of: {known}")
            })?),
            None => None,
        };
        let name = self.scorer.as_deref().unwrap_or(Base::Lnsp.id());
        Ok(match Scorer::parse(&Scorer::typed(name)) {
            Scorer::WhiteBox(base, named) => {
                Lens { base, rule: rule.unwrap_or(named), other: None }
            }
            other => Lens { base: Base::Lnsp, rule: rule.unwrap_or_default(), other: Some(other) },
        })
    }
}

impl Lens {
    /// The scores of runs; a scorer that is not white-box scores references only.
    fn scores(&self, store: &Store, runs: &[&Trajectory]) -> anyhow::Result<RunScores> {
        let Some(scorer) = &self.other else {
            return Ok(RunScores::white_box(runs, self.base, self.rule));
        };
        let engine = Engine::load(store, None)?;
        let path = store.path().display();
        anyhow::ensure!(
            engine.scorers().contains(scorer),
            "{path}: there are no values of `{scorer}`; `qualm report {path}` lists the scorers that have some"
        );
        Ok(RunScores::under(scorer, &engine, runs, (self.base, self.rule)))
    }
}
