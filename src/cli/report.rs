//! `qualm report`: a table of a store or of the paper, without a terminal.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{format, out};
use crate::engine::{Engine, JudgeSpec, StuckTreatment};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::report::{
    OutputFormat, PublishedKind, Table, TableKind, TableOptions, published, table,
};
use crate::scorers::Scorer;
use crate::store::Store;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to report on
    #[arg(required_unless_present = "published", conflicts_with = "published")]
    store: Option<PathBuf>,
    /// Which table
    #[arg(long, default_value = "grid", value_parser = table_parser())]
    table: String,
    /// In which format
    #[arg(long, default_value = "table", value_parser = format::parser(&OutputFormat::TABLES))]
    format: OutputFormat,
    /// Which metric, where the table is about one
    #[arg(long, default_value = "auroc", value_parser = metric_parser())]
    metric: Metric,
    /// Only this dataset
    #[arg(long)]
    dataset: Option<String>,
    /// Only this model
    #[arg(long)]
    model: Option<String>,
    /// Only this condition
    #[arg(long)]
    condition: Option<String>,
    /// Only this scorer, under the paper's aggregators, or under one of them: `lnsp.min`,
    /// `lnsp.product`, `lnsp.q10`, `lnsp.softmin-10`, `lnsp.window-3`
    #[arg(long)]
    scorer: Option<String>,
    /// The judge whose verdicts make `ter`; by default the store's first. `human>NAME`: people
    /// where they voted, else NAME
    #[arg(long)]
    judge: Option<String>,
    /// What stuck tasks are to consistency scorers
    #[arg(long, default_value = "counted", value_parser = treatment_parser())]
    stuck: StuckTreatment,
    /// How tied scores rank in PRR
    #[arg(long, default_value = "average", value_parser = ["average", "row-order"])]
    ties: String,
    /// Resamples of the intervals; 0 for none
    #[arg(long, default_value_t = Resampling::default().resamples)]
    resamples: usize,
    /// Seed of the resamples
    #[arg(long, default_value_t = Resampling::default().seed)]
    seed: u64,
    /// The paper's own figures in place of a store: grid, families or counts
    #[arg(long)]
    published: bool,
}

fn table_parser() -> impl TypedValueParser<Value = String> {
    let mut ids: Vec<&str> = TableKind::ALL.iter().map(|kind| kind.id()).collect();
    ids.push(PublishedKind::Counts.id());
    PossibleValuesParser::new(ids)
}

fn metric_parser() -> impl TypedValueParser<Value = Metric> {
    PossibleValuesParser::new(Metric::ALL.map(Metric::id))
        .try_map(|id| Metric::parse(&id).ok_or("unknown metric"))
}

fn treatment_parser() -> impl TypedValueParser<Value = StuckTreatment> {
    PossibleValuesParser::new(StuckTreatment::ALL.map(StuckTreatment::id)).try_map(|id| {
        StuckTreatment::ALL
            .into_iter()
            .find(|treatment| treatment.id() == id)
            .ok_or("unknown treatment")
    })
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let table = match &args.store {
        Some(path) => of_store(path, args)?,
        None => of_paper(args)?,
    };
    out::print(&table.render(args.format))?;
    Ok(ExitCode::SUCCESS)
}

/// A table of the paper's own figures.
fn of_paper(args: &Args) -> anyhow::Result<Table> {
    let kind = PublishedKind::ALL.into_iter().find(|kind| kind.id() == args.table);
    let kind = kind.with_context(|| {
        format!("there is no published {}; ask for grid, families or counts", args.table)
    })?;
    let made = published(kind, args.metric, |figure| {
        let scorer = match figure.aggregator {
            Some(rule) => format!("{}·{rule}", figure.scorer),
            None => figure.scorer.to_owned(),
        };
        accepts(args.dataset.as_deref(), figure.dataset)
            && accepts(args.model.as_deref(), figure.model)
            && args.scorer.as_ref().is_none_or(|wanted| names(wanted, figure.scorer, &scorer))
    });
    made.with_context(|| {
        format!("the paper prints no {} of these; ask for another metric or cell", args.metric.id())
    })
}

/// Whether a flag is not given or gives this very name.
fn accepts(flag: Option<&str>, name: &str) -> bool {
    flag.is_none_or(|wanted| wanted == name)
}

fn of_store(path: &Path, args: &Args) -> anyhow::Result<Table> {
    let kind = TableKind::ALL.into_iter().find(|kind| kind.id() == args.table);
    let kind = kind.with_context(|| {
        format!("the table {} is made of the paper's figures only; add --published", args.table)
    })?;
    let store = Store::open(path)?;
    let judge = args.judge.as_deref().map(JudgeSpec::parse);
    let mut engine = Engine::load(&store, judge.as_ref())?.with_stuck(args.stuck);
    let is_known = |judge: &JudgeSpec| engine.judges().iter().any(|name| name == judge.name());
    if let Some(judge) = judge.filter(|judge| !is_known(judge)) {
        let (name, known) = (judge.name(), engine.judges().join(", "));
        anyhow::bail!("{}: there is no judge `{name}`; it has: {known}", path.display());
    }
    narrow(&mut engine, args, path)?;
    let options = TableOptions {
        metric: args.metric,
        resampling: Resampling { resamples: args.resamples, seed: args.seed },
        row_order: args.ties == "row-order",
    };
    Ok(table(&kind.into(), &engine, Some(&store), &options)?)
}

/// Whether a wanted scorer is this one, by its id or with its aggregator (`lnsp·min`, `lnsp.min`).
fn names(wanted: &str, id: &str, shown: &str) -> bool {
    wanted == id || wanted.replacen('.', "·", 1) == shown
}

/// Keeps the cells and scorers that the flags name; a name without any is an error.
fn narrow(engine: &mut Engine, args: &Args, path: &Path) -> anyhow::Result<()> {
    // An aggregator beyond the paper's is included only when it is asked for.
    let asked = args.scorer.as_deref().and_then(Scorer::parse_white_box);
    if let Some(scorer) = &asked {
        engine.add_scorer(scorer.clone());
    }
    engine.retain(
        |cell| {
            accepts(args.dataset.as_deref(), &cell.dataset)
                && accepts(args.model.as_deref(), &cell.model)
                && accepts(args.condition.as_deref(), &cell.condition)
        },
        |scorer| match (&asked, &args.scorer) {
            (Some(asked), _) => scorer == asked,
            (None, Some(wanted)) => scorer.id() == wanted,
            (None, None) => true,
        },
    );
    let store = path.display();
    let narrowed = args.dataset.is_some() || args.model.is_some() || args.condition.is_some();
    anyhow::ensure!(
        !narrowed || !engine.manifest().cells.is_empty(),
        "{store}: no cell fits --dataset, --model and --condition; `qualm report {store} --table cells` lists them"
    );
    anyhow::ensure!(
        args.scorer.is_none() || !engine.scorers().is_empty(),
        "{store}: no such scorer has values; `qualm report {store}` lists those that have"
    );
    Ok(())
}
