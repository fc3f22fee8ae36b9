//! `qualm report`: a table of a store or of the paper, without a terminal.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::tasks::{Chosen, TasksArgs};
use super::{damage, format, out, results};
use crate::engine::{Engine, JudgeSpec, StuckTreatment};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::report::{
    OutputFormat, PublishedFilter, PublishedKind, Table, TableKind, TableOptions, TableRequest,
    published, table,
};
use crate::scorers::Scorer;
use crate::store::Store;
use crate::text::grouped;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to report on, or result files
    #[arg(
        required_unless_present = "published",
        conflicts_with = "published",
        value_name = "PATH"
    )]
    paths: Vec<PathBuf>,
    /// The table
    #[arg(long, default_value = "grid", value_parser = table_parser())]
    table: String,
    /// The output format
    #[arg(long, default_value = "table", value_parser = format::parser(&OutputFormat::TABLES))]
    format: OutputFormat,
    /// The metric, for tables about one metric
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
    #[command(flatten)]
    tasks: TasksArgs,
    /// Only this scorer, under the paper's aggregators, or under a single one, also beyond the paper's: `lnsp.min`,
    /// `lnsp.product`, `lnsp.q10`, `lnsp.softmin-10`, `lnsp.window-3`
    #[arg(long)]
    scorer: Option<String>,
    /// The judge whose verdicts give `ter`; by default the store's first. `human>NAME`: people
    /// where they voted, otherwise NAME
    #[arg(long)]
    judge: Option<String>,
    /// How consistency scorers treat stuck tasks
    #[arg(long, default_value = "counted", value_parser = treatment_parser())]
    stuck: StuckTreatment,
    /// How tied scores rank in PRR
    #[arg(long, default_value = "average", value_parser = ["average", "row-order"])]
    ties: String,
    /// Resamples of the intervals, at most 100,000; 0 for none
    #[arg(long, default_value_t = Resampling::default().resamples, value_parser = resamples)]
    resamples: usize,
    /// Seed of the resamples
    #[arg(long, default_value_t = Resampling::default().seed)]
    seed: u64,
    /// In `families` and `counts`, all white-box scorers and not only those of the paper's main table
    #[arg(long)]
    all_scorers: bool,
    /// In `counts`, the scorer that others are counted against; by default the one with the best mean
    #[arg(long, value_name = "SCORER")]
    versus: Option<String>,
    /// Write the text of CSV exactly as it is: by default control characters are replaced by marks, and
    /// an apostrophe is put before text that a spreadsheet would interpret as a formula
    #[arg(long)]
    raw_text: bool,
    /// The paper's own figures in place of a store: grid, families or counts
    #[arg(long)]
    published: bool,
}

/// Reads a number of resamples. Beyond the most, an interval no longer changes in its third decimal.
fn resamples(text: &str) -> Result<usize, String> {
    let most = Resampling::MOST;
    let count = text.parse().ok().filter(|count| *count <= most);
    count.ok_or_else(|| format!("give a number from 0 to {}", grouped(most as u64)))
}

fn table_parser() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(TableKind::ALL.map(TableKind::id))
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
    if args.published {
        anyhow::ensure!(!args.tasks.is_given(), "--where and --select are about tasks of a store");
        return print(of_paper(args)?, args);
    }
    let store = results::open(&args.paths)?;
    print(of_store(&store, args)?, args)?;
    damage::tell(&store)
}

/// Prints a table, and on stderr what its reader must know.
fn print(mut table: Table, args: &Args) -> anyhow::Result<ExitCode> {
    table.raw_text = args.raw_text;
    out::print(&table.render(args.format))?;
    table.notes.iter().for_each(|note| out::complain(note));
    if table.is_empty() && table.notes.is_empty() {
        out::complain(why_empty(&args.table));
    }
    Ok(ExitCode::SUCCESS)
}

/// Why a table has no rows, so that a head alone does not look like a failure.
fn why_empty(table: &str) -> &'static str {
    match table {
        "judges" | "judge-ter" | "triage" => {
            "no judge has given a verdict; `qualm import verdicts.csv -o STORE` adds verdicts"
        }
        "adjudication" => "no two people disagree on a pair",
        "paired" => "no cell has values of both a reflexive and a consistency scorer",
        "samples" | "stuck" | "stuck-pairs" | "stuck-tasks" | "stuck-effect" => {
            "no task here has a sample beside its reference; run each task more than once"
        }
        "checks" => "no run here has a recorded check",
        _ => "no row: nothing in this store fits the options",
    }
}

/// A table of the paper's own figures.
fn of_paper(args: &Args) -> anyhow::Result<Table> {
    let kind = PublishedKind::ALL.into_iter().find(|kind| kind.id() == args.table);
    let kind = kind.with_context(|| {
        format!("there is no published {}; ask for grid, families or counts", args.table)
    })?;
    let filter = PublishedFilter {
        dataset: args.dataset.as_deref(),
        model: args.model.as_deref(),
        scorer: args.scorer.as_deref(),
        versus: args.versus.as_deref(),
        all_scorers: args.all_scorers,
    };
    let made = published(kind, args.metric, &filter);
    made.with_context(|| {
        format!(
            "the paper prints no {} of these; ask for another metric, cell or scorer",
            args.metric.id()
        )
    })
}

/// Whether a flag is not given or gives this very name.
fn accepts(flag: Option<&str>, name: &str) -> bool {
    flag.is_none_or(|wanted| wanted == name)
}

fn of_store(store: &Store, args: &Args) -> anyhow::Result<Table> {
    let kind = TableKind::ALL.into_iter().find(|kind| kind.id() == args.table);
    let kind = kind.context("unknown table")?;
    let shown = results::shown(&args.paths);
    let judge = args.judge.as_deref().map(JudgeSpec::parse);
    let engine = Engine::load(store, judge.as_ref())?.with_stuck(args.stuck);
    let is_known = |judge: &JudgeSpec| engine.judges().iter().any(|name| name == judge.name());
    if let Some(judge) = judge.filter(|judge| !is_known(judge)) {
        let (name, known) = (judge.name(), engine.judges().join(", "));
        anyhow::bail!("{shown}: there is no judge `{name}`; it has: {known}");
    }
    anyhow::ensure!(
        !args.tasks.selects() || kind.lists_tasks(),
        "--select lists tasks, and the table {} lists none; --where computes its numbers on some tasks",
        args.table
    );
    anyhow::ensure!(
        !args.tasks.narrows_numbers() || kind != TableKind::Cells,
        "the table cells covers the whole store; --where changes the numbers of the other tables"
    );
    let mut chosen = args.tasks.choose(store, engine, args.scorer.as_deref())?;
    narrow(&mut chosen.engine, args, &shown)?;
    let Chosen { engine, .. } = &chosen;
    let options = TableOptions {
        metric: args.metric,
        resampling: Resampling { resamples: args.resamples, seed: args.seed },
        row_order: args.ties == "row-order",
        // A scorer that is named is wanted wherever the paper lists it.
        all_scorers: args.all_scorers || args.scorer.is_some(),
    };
    let request = match kind {
        TableKind::Counts => TableRequest::Counts { versus: versus(engine, args, &shown)? },
        _ => kind.into(),
    };
    let mut made = table(&request, engine, Some(store), &options)?;
    chosen.narrow(&mut made);
    out::warn_of(store);
    Ok(made)
}

/// The scorer that others are counted against, if one is named.
fn versus(engine: &Engine, args: &Args, store: &str) -> anyhow::Result<Option<Scorer>> {
    let Some(name) = &args.versus else { return Ok(None) };
    let scorer = Some(Scorer::parse(&Scorer::typed(name)))
        .filter(|scorer| engine.scorers().contains(scorer));
    let scorer = scorer.with_context(|| {
        format!("{store}: no values of --versus {name}; `qualm report {store}` lists the scorers")
    })?;
    Ok(Some(scorer))
}

/// Keeps the cells and scorers that the flags name; a name without any is an error.
fn narrow(engine: &mut Engine, args: &Args, store: &str) -> anyhow::Result<()> {
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
