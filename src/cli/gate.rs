//! `qualm gate`: whether a candidate is worse than its baseline, as an exit code.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::compared::{Loaded, Sources};
use super::tasks::TasksArgs;
use super::{out, report};
use crate::engine::{Gauge, VersusOptions};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::report::{GateFormat, GateReport};
use crate::scorers::Scorer;

#[derive(Debug, clap::Args)]
#[command(after_long_help = "Exit codes: 0 not worse, 3 worse, 4 inconclusive; 1 failed, 2 wrong \
usage. A cell is not worse if the lower end of the interval of its difference is above minus the margin, \
otherwise worse if the upper end is below 0, otherwise inconclusive. Of several cells, one that is worse \
gives 3, otherwise one that is inconclusive gives 4.")]
pub(super) struct Args {
    /// The store or result files to decide on
    #[arg(required = true, value_name = "CANDIDATE")]
    paths: Vec<PathBuf>,
    /// The store or result file to compare with, or a cell of CANDIDATE: DATASET/MODEL/CONDITION, or the
    /// part of it that differs
    #[arg(long, value_name = "BASE")]
    baseline: String,
    /// Only cells of this name: DATASET/MODEL/CONDITION, or a part of it
    #[arg(long, value_name = "CELL")]
    candidate: Option<String>,
    /// What is compared: success, pass@3 (or passk:3), pass^3, or a metric with a scorer, such as
    /// auroc:ter
    #[arg(long, default_value = "success", value_parser = gauge)]
    on: Gauge,
    /// How much worse the candidate may be
    #[arg(long, default_value_t = 0.02, value_parser = margin)]
    margin: f64,
    /// The confidence of the interval
    #[arg(long, default_value_t = Interval::CONFIDENCE, value_parser = confidence)]
    confidence: f64,
    /// The output format
    #[arg(long, default_value = "table", value_parser = format_parser())]
    format: GateFormat,
    #[command(flatten)]
    tasks: TasksArgs,
    /// Resamples of the intervals, from 100 to 100,000
    #[arg(long, default_value_t = Resampling::default().resamples, value_parser = resamples)]
    resamples: usize,
    /// Seed of the resamples
    #[arg(long, default_value_t = Resampling::default().seed)]
    seed: u64,
}

/// The fewest resamples that an interval can be decided by.
const FEWEST_RESAMPLES: usize = 100;

fn resamples(text: &str) -> Result<usize, String> {
    let enough = |count: &usize| *count >= FEWEST_RESAMPLES;
    report::resamples(text)
        .ok()
        .filter(enough)
        .ok_or_else(|| format!("give a number from {FEWEST_RESAMPLES} to 100,000"))
}

fn gauge(text: &str) -> Result<Gauge, String> {
    let metrics = Metric::ALL.map(Metric::id).join(", ");
    Gauge::parse(text).ok_or_else(|| {
        format!("give success, pass@K, pass^K, passk:K or METRIC:SCORER; metrics are {metrics}")
    })
}

fn margin(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|margin| (0.0..=1.0).contains(margin));
    share.ok_or_else(|| "give a number from 0 to 1; 0.02 is two points of success".to_owned())
}

fn confidence(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|confidence| (0.5..1.0).contains(confidence));
    share.ok_or_else(|| "give a number from 0.5 to below 1, such as 0.95".to_owned())
}

fn format_parser() -> impl TypedValueParser<Value = GateFormat> {
    PossibleValuesParser::new(GateFormat::ALL.map(GateFormat::id)).try_map(|id| {
        GateFormat::ALL.into_iter().find(|format| format.id() == id).ok_or("unknown format")
    })
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !args.tasks.selects(),
        "--select lists tasks, and a gate lists none; --where decides on some tasks"
    );
    let candidate = Loaded::open(&args.paths, &args.tasks)?;
    let base = PathBuf::from(&args.baseline);
    let (sources, name) = if base.exists() {
        let baseline = Loaded::open(&[base], &args.tasks)?;
        (Sources { baseline, candidate: Some(candidate) }, None)
    } else {
        (Sources { baseline: candidate, candidate: None }, Some(args.baseline.as_str()))
    };
    let looks_like_path = Path::new(&args.baseline)
        .extension()
        .is_some_and(|ending| ending == "qualm" || ending == "json");
    anyhow::ensure!(
        name.is_none() || !looks_like_path,
        "{}: there is no such store or result file; check the path",
        args.baseline
    );
    let pairs = sources.pairs([name, args.candidate.as_deref()])?;
    let scorers = scorers(args, &sources)?;
    let options = VersusOptions {
        scorers: &scorers,
        metric: match &args.on {
            Gauge::Metric(metric, _) => *metric,
            Gauge::Success | Gauge::Pass(..) => Metric::Auroc,
        },
        resampling: Some(Resampling { resamples: args.resamples, seed: args.seed }),
        confidence: args.confidence,
    };
    let compared = sources.compare(&pairs, &options)?;
    let report = GateReport::new(args.on.clone(), args.margin, args.confidence, &compared);
    require_draws(args, &sources, &report)?;
    out::print(&report.render(args.format))?;
    report.notes.iter().for_each(|note| out::complain(note));
    let sound = sources.tell_damage()?;
    let decided = ExitCode::from(report.decision().exit_code());
    Ok(if sound == ExitCode::SUCCESS { decided } else { sound })
}

/// The scorer that is compared; both stores must have values of it.
fn scorers(args: &Args, sources: &Sources) -> anyhow::Result<Vec<Scorer>> {
    let Gauge::Metric(_, scorer) = &args.on else { return Ok(Vec::new()) };
    for loaded in [&sources.baseline, sources.candidate()] {
        anyhow::ensure!(
            loaded.engine.has_values(scorer),
            "{}: no values of {scorer}, which --on names; `qualm scorers {}` lists what there is",
            loaded.shown,
            loaded.shown
        );
    }
    Ok(vec![scorer.clone()])
}

/// Fails if no task has as many draws as are asked for.
fn require_draws(args: &Args, sources: &Sources, report: &GateReport) -> anyhow::Result<()> {
    let Gauge::Pass(_, k) = &args.on else { return Ok(()) };
    let lacking = report.rows.iter().find(|row| row.compared.tasks == 0);
    if let Some(row) = lacking {
        let cell = &row.cells[1];
        anyhow::bail!(
            "{}: no task of {cell} has {k} draws of one temperature in both; ask for fewer with --on",
            sources.candidate().shown
        );
    }
    Ok(())
}
