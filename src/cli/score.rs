//! `qualm score`: computes scorers and keeps their values in the store. Those that need no model are
//! always computed; those of a model when it is named.

mod chat;
mod local;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::open::config;
use super::progress::Bar;
use super::{damage, out};
use crate::engine::{NamedRecipe, ScoreOptions, ScoreSummary, WrongName, score};
use crate::models::{ModelSummary, Question, Stopped};
use crate::scorers::SPECS;
use crate::scorers::whitebox::Spans;
use crate::store::Store;
use crate::text::{counted, visible};

#[cfg(not(feature = "local-models"))]
pub(super) use local::NO_MODELS;
pub(super) use local::RuntimeArgs;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to score
    store: PathBuf,
    /// Only these scorers
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = scorer_parser())]
    scorers: Option<Vec<String>>,
    /// The tokens that white-box scores are computed over
    #[arg(long, value_parser = span_parser())]
    span: Option<Spans>,
    /// Keep an ensemble of scorers as a scorer, cross-fitted in every cell: `NAME=logistic(lnsp.min,ter,turns)`
    /// or `NAME=rank-average(…)`
    #[arg(long, value_name = "NAME=RECIPE", value_parser = ensemble)]
    ensemble: Vec<NamedRecipe>,
    /// Keep a calibrated scorer, cross-fitted in every cell: `NAME=isotonic(lnsp.min)` or `NAME=platt(…)`
    #[arg(long, value_name = "NAME=RECIPE", value_parser = calibration)]
    calibrate: Vec<NamedRecipe>,
    #[command(flatten)]
    chat: chat::ChatArgs,
    #[command(flatten)]
    local: local::LocalArgs,
}

/// The name that stands for all scorers of resampled next actions.
const PREFIX: &str = "prefix";

fn scorer_parser() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(SPECS.iter().map(|spec| spec.id).chain([PREFIX]))
}

fn ensemble(text: &str) -> Result<NamedRecipe, WrongName> {
    NamedRecipe::parse(text, false)
}

fn calibration(text: &str) -> Result<NamedRecipe, WrongName> {
    NamedRecipe::parse(text, true)
}

fn span_parser() -> impl TypedValueParser<Value = Spans> {
    PossibleValuesParser::new(Spans::ALL.map(Spans::id))
        .try_map(|id| Spans::ALL.into_iter().find(|spans| spans.id() == id).ok_or("unknown span"))
}

impl Args {
    /// The ids of the scorers that were named.
    fn scorers(&self) -> Option<Vec<String>> {
        let ids = |name: &String| match name.as_str() {
            PREFIX => Question::Prefix.scorers().iter().map(|&id| id.to_owned()).collect(),
            _ => vec![name.clone()],
        };
        self.scorers.as_ref().map(|names| names.iter().flat_map(ids).collect())
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let scorers = args.scorers();
    let mut asked = None;
    if args.chat.is_asked() {
        let plan = args.chat.plan(scorers.as_deref(), config()?.prices)?;
        if args.chat.is_dry() {
            let mut lines = vec![format!("{}: nothing is asked", args.store.display())];
            lines.extend(chat::estimate_lines(&plan.estimate(&args.store)?));
            out::print(&shown(&lines))?;
            return Ok(ExitCode::SUCCESS);
        }
        asked = Some(args.chat.ask(&args.store, &plan)?);
    } else if args.chat.is_dry() {
        bail!("--dry-run estimates what models cost; name one with --judge-model or --self-model");
    }
    let is_stopped = asked.as_ref().is_some_and(|summary| summary.stopped.is_some());
    let by_local =
        if is_stopped { ByLocal::default() } else { ByLocal::run(args, scorers.as_deref())? };
    let code = compute(args, scorers.as_deref(), asked.as_ref(), &by_local)?;
    match asked.and_then(|summary| summary.stopped) {
        Some(Stopped::Error(why)) => bail!("{why}"),
        Some(Stopped::Interrupted) => Ok(ExitCode::from(INTERRUPTED)),
        _ => Ok(code),
    }
}

/// The exit code of a run that the user ended.
const INTERRUPTED: u8 = 130;

/// Lines as they are printed.
fn shown(lines: &[String]) -> String {
    lines.iter().map(|line| visible(line).into_owned() + "\n").collect()
}

/// What models on this machine added.
#[derive(Default)]
struct ByLocal {
    lines: Vec<String>,
    /// Whether turns were scored anew for them.
    rescored: bool,
}

impl ByLocal {
    fn run(args: &Args, scorers: Option<&[String]>) -> anyhow::Result<Self> {
        // Turns are weighted as they are scored from now on.
        let rescores = args.local.is_used() && args.span.is_some();
        let rescored = rescores && offline(args, scorers)?.rescored;
        let is_wanted =
            |id: &str| scorers.is_none_or(|wanted| wanted.iter().any(|scorer| scorer == id));
        Ok(Self { lines: args.local.run(&args.store, &is_wanted)?, rescored })
    }
}

/// Computes the scorers that need no model.
fn offline(args: &Args, scorers: Option<&[String]>) -> anyhow::Result<ScoreSummary> {
    let bar = Bar::count("trajectory");
    let options = ScoreOptions {
        scorers: scorers.map(<[String]>::to_vec),
        span: args.span,
        recipes: args.ensemble.iter().chain(&args.calibrate).cloned().collect(),
    };
    Ok(score(&args.store, &options, &|done, of| {
        bar.set_total(of as u64);
        bar.set(done as u64);
    })?)
}

/// Computes the scorers that need no model, and prints what became of all.
fn compute(
    args: &Args,
    scorers: Option<&[String]>,
    asked: Option<&ModelSummary>,
    by_local: &ByLocal,
) -> anyhow::Result<ExitCode> {
    let summary = offline(args, scorers)?;
    if let Some(damage) = &summary.damage {
        out::warn(&args.store, damage);
    }
    let mut lines = vec![format!("{}:", args.store.display())];
    lines.extend(asked.into_iter().flat_map(chat::summary_lines));
    lines.extend(by_local.lines.iter().map(|line| format!("  {line}")));
    if let Some(span) = args.span.filter(|_| summary.rescored || by_local.rescored) {
        lines.push(format!("  turns scored anew over the {} tokens", span.id()));
    }
    let computed = summary.computed.iter();
    lines.extend(computed.map(|(scorer, count)| {
        format!("  {scorer}: {} computed", counted(*count as u64, "value"))
    }));
    if !summary.kept.is_empty() {
        lines.push(format!("  {} already there", counted(summary.kept.len() as u64, "scorer")));
    }
    if summary.dropped > 0 {
        lines.push(format!("  {} dropped: stale", counted(summary.dropped as u64, "value")));
    }
    if summary.obsolete > 0 {
        let values = counted(summary.obsolete as u64, "obsolete value");
        lines.push(format!("  {values} of pairs dropped: qualm computes them"));
    }
    lines.extend(summary.missing.iter().map(|missing| format!("  {missing}")));
    out::print(&shown(&lines))?;
    damage::tell(&Store::open(&args.store)?)
}
