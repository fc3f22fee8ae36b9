//! `qualm score`: computes the scorers that need no model and keeps their values in the store.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::progress::Bar;
use super::{damage, out};
use crate::engine::{ScoreOptions, score};
use crate::scorers::SPECS;
use crate::scorers::whitebox::Spans;
use crate::store::Store;
use crate::text::{counted, visible};

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
}

fn scorer_parser() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(SPECS.iter().map(|spec| spec.id))
}

fn span_parser() -> impl TypedValueParser<Value = Spans> {
    PossibleValuesParser::new(Spans::ALL.map(Spans::id))
        .try_map(|id| Spans::ALL.into_iter().find(|spans| spans.id() == id).ok_or("unknown span"))
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let bar = Bar::count("trajectory");
    let options = ScoreOptions { scorers: args.scorers.clone(), span: args.span };
    let summary = score(&args.store, &options, &|done, of| {
        bar.set_total(of as u64);
        bar.set(done as u64);
    })?;
    drop(bar);
    if let Some(damage) = &summary.damage {
        out::warn(&args.store, damage);
    }
    let mut lines = vec![format!("{}:", args.store.display())];
    if let Some(span) = args.span.filter(|_| summary.rescored) {
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
    let lines = lines.iter().map(|line| visible(line).into_owned() + "\n");
    out::print(&lines.collect::<String>())?;
    damage::tell(&Store::open(&args.store)?)
}
