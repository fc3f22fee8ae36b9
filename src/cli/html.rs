//! `qualm html`: a store as one page for a browser.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use super::cells::CellArgs;
use super::report::resamples;
use super::tasks::TasksArgs;
use super::{damage, out, results};
use crate::engine::Engine;
use crate::files::{self, Overwrite};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::report::page::{PageOptions, page};
use crate::scorers::Scorer;
use crate::text::{shell_word, sized};
use crate::ui::view::one_of;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store, or result files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The file to write, which must not exist yet
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The title of the page; by default the name of the store
    #[arg(long)]
    title: Option<String>,
    /// A metric of the grid; may be repeated. The first is that of the tables
    #[arg(long, default_value = "auroc", value_parser = one_of::<Metric>())]
    metric: Vec<Metric>,
    /// The scorer that runs are shown under, such as `lnsp.min`
    #[arg(long)]
    scorer: Option<String>,
    /// Put the runs of these tasks into the page, such as `not success and rank <= 5`. By default the runs
    /// of all tasks, or of many tasks the most confident failures and the least confident successes
    #[arg(id = "tasks", long = "tasks", value_name = "EXPR", allow_hyphen_values = true)]
    with_runs: Option<String>,
    /// The most pairs on which judges disagree
    #[arg(long, value_name = "PAIRS", default_value_t = PageOptions::default().disagreements)]
    disagreements: usize,
    /// Resamples of the intervals, at most 100,000; 0 for none
    #[arg(long, default_value_t = Resampling::default().resamples, value_parser = resamples)]
    resamples: usize,
    /// Seed of the resamples
    #[arg(long, default_value_t = Resampling::default().seed)]
    seed: u64,
    #[command(flatten)]
    cells: CellArgs,
    #[command(flatten)]
    chosen: TasksArgs,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    out::ensure_absent(Some(&args.output))?;
    let store = results::open(&args.paths)?;
    let shown = results::shown(&args.paths);
    let mut engine = Engine::load(&store, None)?;
    args.cells.narrow(&mut engine, &shown)?;
    let scorer = args.scorer.as_deref();
    let chosen = args.chosen.choose(&store, engine, scorer)?;
    let with_runs = args.with_runs.as_deref();
    let with_runs = with_runs.map(|source| -> anyhow::Result<_> {
        let fitting = super::tasks::fitting(&store, &chosen.engine, "--tasks", source, scorer)?;
        anyhow::ensure!(!fitting.is_empty(), "--tasks {source}: no task fits it");
        Ok(fitting)
    });
    let options = PageOptions {
        title: args.title.clone(),
        metrics: args.metric.clone(),
        scorer: named_scorer(args, &chosen.engine, &shown)?,
        resampling: Resampling { resamples: args.resamples, seed: args.seed },
        with_runs: with_runs.transpose()?,
        disagreements: args.disagreements,
        made_by: made_by(args),
        listed: chosen.listed,
    };
    let made = page(&chosen.engine, &store, &options).with_context(|| shown.clone())?;
    if chosen.by_outcome {
        out::complain(super::tasks::BY_OUTCOME);
    }
    out::warn_of(&store);
    files::write(&args.output, Overwrite::Never, &made.html)?;
    let size = sized(made.html.len());
    out::print(&format!("{}: {size}: {}\n", args.output.display(), made.summary))?;
    if let Some(warning) = made.warning {
        out::warn(&args.output, &warning);
    }
    damage::tell(&store)
}

/// The scorer that is named, which must have values.
fn named_scorer(args: &Args, engine: &Engine, store: &str) -> anyhow::Result<Option<Scorer>> {
    let Some(name) = &args.scorer else { return Ok(None) };
    let scorer = Some(Scorer::parse(&Scorer::typed(name)));
    let scorer = scorer.filter(|scorer| engine.has_values(scorer)).with_context(|| {
        format!("{store}: no values of --scorer {name}; `qualm report {store}` lists the scorers")
    })?;
    Ok(Some(scorer))
}

/// What chose the tasks, and the command.
fn made_by(args: &Args) -> Vec<(String, String)> {
    let expressions = [
        ("--where", args.chosen.scope()),
        ("--select", args.chosen.selection()),
        ("--tasks", args.with_runs.as_deref()),
    ];
    let named = expressions
        .into_iter()
        .filter_map(|(name, expression)| Some((name.to_owned(), expression?.to_owned())));
    // The folders of this machine are of no use to a reader.
    let shown = |word: OsString| {
        let path = Path::new(&word);
        let name = path.file_name().filter(|_| path.is_absolute());
        shell_word(&name.unwrap_or(&word).to_string_lossy())
    };
    let words: Vec<String> = env::args_os().skip(1).map(shown).collect();
    named.chain([("command".to_owned(), format!("qualm {}", words.join(" ")))]).collect()
}
