//! `qualm sql`: the scorers and metrics as SQL for other engines.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::out;
use crate::metrics::Metric;
use crate::scorers::Scorer;
use crate::scorers::whitebox::Spans;
use crate::sql::{Dialect, Question, Source, What, query};
use crate::store::Store;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store whose tables are read; without one, tables of these names in the engine's own catalogue
    store: Option<PathBuf>,
    /// The engine that will run the query
    #[arg(long, value_parser = dialect_parser())]
    engine: Dialect,
    /// What the query answers
    #[arg(long, value_parser = what_parser())]
    what: What,
    /// Only these scorers, such as `lnsp.min` or `aec`; repeatable; by default all of the store
    #[arg(long = "scorer", value_name = "SCORER", value_delimiter = ',')]
    scorers: Vec<String>,
    /// Only these metrics of a grid; repeatable
    #[arg(long = "metric", value_name = "METRIC", value_delimiter = ',', value_parser = metric_parser())]
    metrics: Vec<Metric>,
    /// Whose verdicts make `ter`; by default the store's first judge
    #[arg(long, value_name = "NAME")]
    judge: Option<String>,
    /// Score turns anew over these tokens; by default the scores of the table `turns` are read
    #[arg(long, value_parser = span_parser())]
    span: Option<Spans>,
    /// Only these tasks: an expression such as `turns > 5` (see `qualm help filter`)
    #[arg(id = "where", long, value_name = "EXPR", allow_hyphen_values = true)]
    scope: Option<String>,
}

fn dialect_parser() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::id))
        .try_map(|id| Dialect::ALL.into_iter().find(|known| known.id() == id).ok_or("unknown"))
}

fn what_parser() -> impl TypedValueParser<Value = What> {
    PossibleValuesParser::new(What::ALL.map(What::id))
        .try_map(|id| What::ALL.into_iter().find(|known| known.id() == id).ok_or("unknown"))
}

fn metric_parser() -> impl TypedValueParser<Value = Metric> {
    PossibleValuesParser::new(Metric::ALL.map(Metric::id))
        .try_map(|id| Metric::parse(&id).ok_or("unknown"))
}

fn span_parser() -> impl TypedValueParser<Value = Spans> {
    PossibleValuesParser::new(Spans::ALL.map(Spans::id))
        .try_map(|id| Spans::ALL.into_iter().find(|known| known.id() == id).ok_or("unknown"))
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let source = match &args.store {
        Some(path) => Source::of_store(&Store::open(path)?)?,
        None => Source::named(),
    };
    let scorers = args.scorers.iter().map(|name| Scorer::parse(&Scorer::typed(name)));
    let question = Question {
        scorers: (!args.scorers.is_empty()).then(|| scorers.collect()),
        metrics: if args.metrics.is_empty() { Metric::ALL.to_vec() } else { args.metrics.clone() },
        judge: args.judge.clone(),
        spans: args.span,
        scope: args.scope.clone(),
        ..Question::new(args.what, args.engine)
    };
    out::print(&query(&source, &question)?)?;
    Ok(ExitCode::SUCCESS)
}
