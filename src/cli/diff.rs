//! `qualm diff`: where two runs of a task differ.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use super::pick::{Picked, TaskArgs};
use super::show::{LensArgs, with_runs};
use super::{damage, format, out, results};
use crate::compare::RunName;
use crate::report::OutputFormat;
use crate::report::show::{Diff, DiffOptions, SideBySide};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store, or result files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    task: TaskArgs,
    /// The first draw, DRAW@MODEL or DRAW@MODEL/CONDITION in another cell. Default: the reference
    #[arg(long)]
    a: Option<String>,
    /// The second draw, likewise. Default: the first sample with a different outcome
    #[arg(long)]
    b: Option<String>,
    #[command(flatten)]
    lens: LensArgs,
    /// Rows of context around those that differ
    #[arg(long, default_value_t = DiffOptions::default().context)]
    context: usize,
    /// Compare messages word by word, too
    #[arg(long)]
    words: bool,
    /// The output format
    #[arg(long, default_value = "text", value_parser = format::parser(&OutputFormat::RUNS))]
    format: OutputFormat,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let parsed = |text: &Option<String>| {
        text.as_deref().map(RunName::parse).transpose().map_err(anyhow::Error::msg)
    };
    let (a, b) = (parsed(&args.a).context("--a")?, parsed(&args.b).context("--b")?);
    let lens = args.lens.lens()?;
    let store = results::open(&args.paths)?;
    let picked = Picked::find(&store, &args.task)?;
    let wanted = match (a, b) {
        (Some(a), Some(b)) => vec![a, b],
        (a, b) => {
            // A run that is not named is the first of the usual two that the other is not.
            let usual = picked.usual(&store)?;
            let not = |other: &Option<RunName>| {
                usual.iter().find(|draw| Some(*draw) != other.as_ref()).cloned()
            };
            let a = a.or_else(|| not(&b));
            let b = b.or_else(|| not(&a));
            a.into_iter().chain(b).collect()
        }
    };
    anyhow::ensure!(
        wanted.len() == 2,
        "{}: task {} of {} has one run only; name the other with --b DRAW@MODEL",
        results::shown(&args.paths),
        args.task.task,
        picked.cell()
    );
    let options = DiffOptions { context: args.context, words: args.words };
    let print = |shown: &SideBySide<'_>| Diff::new(shown, options).render(args.format);
    out::print(&with_runs(&store, &picked, &wanted, &lens, print)?)?;
    damage::tell(&store)
}
