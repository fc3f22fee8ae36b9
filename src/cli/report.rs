//! `qualm report`: a table of a store or of the paper, without a terminal.

mod decisions;
mod grid;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::cells::CellArgs;
use super::tasks::{Chosen, TasksArgs};
use super::{damage, format, out, results};
use crate::engine::{CellPairs, Engine, JudgeSpec, Needs, StuckTreatment, pair_cells};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::model::Cell;
use crate::report::{
    OutputFormat, PublishedFilter, PublishedKind, Table, TableKind, TableOptions, TableRequest,
    published, table,
};
use crate::scorers::Scorer;
use crate::store::Store;
use crate::text::grouped;

#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "flags of a command")]
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
    #[arg(long, default_value = "table", value_parser = format::parser(&OutputFormat::REPORTS))]
    format: OutputFormat,
    /// The file to write, which must not exist yet; standard output by default
    #[arg(short, long, value_name = "FILE", required_if_eq("format", "parquet"))]
    output: Option<PathBuf>,
    /// The metric, for tables about one metric
    #[arg(long, default_value = "auroc", value_parser = metric_parser())]
    metric: Metric,
    #[command(flatten)]
    cells: CellArgs,
    #[command(flatten)]
    tasks: TasksArgs,
    /// Only this scorer, under the paper's aggregators, or under a single one, also beyond the paper's: `lnsp.min`,
    /// `lnsp.product`, `lnsp.q10`, `lnsp.softmin-10`, `lnsp.window-3`
    /// Several at once: `--scorer lnsp.min,ter`, or repeated
    #[arg(long)]
    scorer: Vec<String>,
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
    /// In `stopping`, every threshold and not only those that stop each further 5% of the runs
    #[arg(long)]
    all_thresholds: bool,
    /// In `paired`, the scorer that `--scorer`, or every other one, is compared with; in `counts`, the one
    /// that others are counted against, by default that with the best mean
    #[arg(long, value_name = "SCORER")]
    versus: Option<String>,
    /// In `versus`, the first cell: DATASET/MODEL/CONDITION, or the part of it that differs
    #[arg(long, value_name = "CELL")]
    baseline: Option<String>,
    /// In `versus`, the second cell; differences are candidate minus baseline
    #[arg(long, value_name = "CELL")]
    candidate: Option<String>,
    #[command(flatten)]
    grid: grid::GridArgs,
    #[command(flatten)]
    decisions: decisions::DecisionArgs,
    /// Write the text of CSV exactly as it is: by default control characters are replaced by marks, and
    /// an apostrophe is put before text that a spreadsheet would interpret as a formula
    #[arg(long)]
    raw_text: bool,
    /// The paper's own figures in place of a store: grid, families or counts
    #[arg(long)]
    published: bool,
}

/// Reads a number of resamples. Beyond the most, an interval no longer changes in its third decimal.
pub(super) fn resamples(text: &str) -> Result<usize, String> {
    let most = Resampling::MOST;
    let count = text.parse().ok().filter(|count| *count <= most);
    count.ok_or_else(|| format!("give a number from 0 to {}", grouped(most as u64)))
}

fn table_parser() -> impl TypedValueParser<Value = String> {
    PossibleValuesParser::new(TableKind::ALL.map(TableKind::id))
}

pub(super) fn metric_parser() -> impl TypedValueParser<Value = Metric> {
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
    out::ensure_absent(args.output.as_deref())?;
    args.grid.check(&args.table, args.format)?;
    if args.published {
        anyhow::ensure!(!args.tasks.is_given(), "--where and --select are about tasks of a store");
        args.grid.check_published()?;
        return print(of_paper(args)?, args);
    }
    let store = results::open(&args.paths)?;
    print(of_store(&store, args)?, args)?;
    damage::tell(&store)
}

/// Prints a table, and on stderr what its reader must know.
fn print(mut table: Table, args: &Args) -> anyhow::Result<ExitCode> {
    table.raw_text = args.raw_text;
    args.grid.shape(&mut table, args.format);
    let store = results::shown(&args.paths);
    table.provenance.origin = Some(out::origin(store, args.tasks.selection()));
    out::write(&table, args.format, args.output.as_deref())?;
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
        "passk" => "no run here has a known outcome; import results with labels",
        "positions" | "tools" | "stopping" => {
            "no run here has a label and the log-probabilities of a turn, or --scorer is no white-box scorer"
        }
        "methods" => "no scorer of the paper has a value here",
        _ => "no row: nothing in this store fits the options",
    }
}

/// A table of the paper's own figures.
fn of_paper(args: &Args) -> anyhow::Result<Table> {
    let kind = PublishedKind::ALL.into_iter().find(|kind| kind.id() == args.table);
    let kind = kind.with_context(|| {
        format!("there is no published {}; ask for grid, families or counts", args.table)
    })?;
    anyhow::ensure!(args.scorer.len() < 2, "a table of the paper takes one --scorer");
    let filter = PublishedFilter {
        datasets: args.cells.datasets(),
        models: args.cells.models(),
        scorer: args.scorer.first().map(String::as_str),
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

fn of_store(store: &Store, args: &Args) -> anyhow::Result<Table> {
    let kind = TableKind::ALL.into_iter().find(|kind| kind.id() == args.table);
    let kind = kind.context("unknown table")?;
    let shown = results::shown(&args.paths);
    let judge = args.judge.as_deref().map(JudgeSpec::parse);
    let engine = Engine::load_for(store, judge.as_ref(), &needs(kind, args))?;
    let engine = engine.with_stuck(args.stuck);
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
    let names_pair = args.baseline.is_some() || args.candidate.is_some();
    anyhow::ensure!(
        !names_pair || kind == TableKind::Versus,
        "--baseline and --candidate name the cells of the table versus; --dataset, --model and \
         --condition narrow the table {}",
        args.table
    );
    let wanted = wanted(&engine, args);
    let mut chosen = args.tasks.choose(store, engine, wanted.first().map(String::as_str))?;
    narrow(&mut chosen.engine, args, &wanted, &shown)?;
    let Chosen { engine, .. } = &chosen;
    let options = TableOptions {
        metric: args.metric,
        resampling: Resampling { resamples: args.resamples, seed: args.seed },
        row_order: args.ties == "row-order",
        // A scorer that is named is wanted wherever the paper lists it.
        all_scorers: args.all_scorers || !wanted.is_empty(),
        all_thresholds: args.all_thresholds,
    };
    let request = match kind {
        TableKind::Counts => {
            let is_listed = |scorer: &Scorer| engine.scorers().contains(scorer);
            TableRequest::Counts { versus: versus(args, &shown, is_listed)? }
        }
        TableKind::Paired => match versus(args, &shown, |scorer| engine.has_values(scorer))? {
            Some(versus) => TableRequest::Paired { scorers: engine.scorers().to_vec(), versus },
            None => kind.into(),
        },
        TableKind::Versus => TableRequest::Versus(pairs(engine, args, &shown)?),
        TableKind::Grid => TableRequest::Grid {
            scorers: engine.scorers().to_vec(),
            layout: args.grid.layout(engine, &shown)?,
        },
        kind => {
            let request = args.decisions.request(kind, engine, store, !wanted.is_empty())?;
            request.unwrap_or_else(|| kind.into())
        }
    };
    let mut made = table(&request, engine, Some(store), &options)?;
    // Before the notes about the scope, which do not say why there is no row.
    if made.is_empty() && made.notes.is_empty() {
        made.notes.push(why_empty(&args.table).to_owned());
    }
    chosen.narrow(&mut made);
    out::warn_of(store);
    Ok(made)
}

/// What the table is computed from. Few tables need nothing but the values of the scorers that are named.
fn needs(kind: TableKind, args: &Args) -> Needs {
    // Which tasks are stuck follows from the agreement of their draws under another scorer.
    let is_plain = !args.tasks.is_given() && args.stuck == StuckTreatment::Counted;
    if !kind.needs_only_values() || args.scorer.is_empty() || !is_plain {
        return Needs::all();
    }
    let whole = args.scorer.iter().map(String::as_str);
    let parts = args.scorer.iter().flat_map(|names| names.split(',').map(str::trim));
    let needs = Needs::of_scorers(whole.chain(parts).chain(args.grid.pin()));
    if args.judge.is_some() { needs.with_verdicts() } else { needs }
}

/// The scorers that are named. A name with a comma is one scorer where there is such a one.
fn wanted(engine: &Engine, args: &Args) -> Vec<String> {
    let is_known = |name: &str| engine.has_values(&Scorer::Stored(name.to_owned()));
    let names = |name: &String| -> Vec<String> {
        if is_known(name) {
            return vec![name.clone()];
        }
        name.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    };
    let mut wanted: Vec<String> = args.scorer.iter().flat_map(names).collect();
    // What the others are compared with is a row, too.
    if let (false, Some(pinned)) = (wanted.is_empty(), args.grid.pin()) {
        wanted.push(Scorer::typed(pinned));
    }
    wanted
}

/// The scorer that others are compared with, if one is named; it must be known.
fn versus(
    args: &Args,
    store: &str,
    is_known: impl Fn(&Scorer) -> bool,
) -> anyhow::Result<Option<Scorer>> {
    let Some(name) = &args.versus else { return Ok(None) };
    let scorer = Some(Scorer::parse(&Scorer::typed(name))).filter(is_known);
    let scorer = scorer.with_context(|| {
        format!("{store}: no values of --versus {name}; `qualm report {store}` lists the scorers")
    })?;
    Ok(Some(scorer))
}

/// The cells of the table `versus`.
fn pairs(engine: &Engine, args: &Args, store: &str) -> anyhow::Result<CellPairs> {
    let cells: Vec<Cell> = engine.frames().iter().map(|frame| frame.cell.clone()).collect();
    let names = [args.baseline.as_deref(), args.candidate.as_deref()];
    pair_cells([&cells, &cells], names, true).map_err(|why| {
        anyhow::anyhow!("{store}: {why}; `qualm report {store} --table cells` lists the cells")
    })
}

/// Keeps the cells and scorers that the flags name; a name without any is an error.
fn narrow(engine: &mut Engine, args: &Args, wanted: &[String], store: &str) -> anyhow::Result<()> {
    // An aggregator beyond the paper's is included only when it is asked for.
    let pinned = args.grid.pin().map(Scorer::typed);
    for scorer in wanted.iter().chain(&pinned).filter_map(|name| Scorer::parse_white_box(name)) {
        engine.add_scorer(scorer);
    }
    args.cells.narrow(engine, store)?;
    engine.retain(
        |_| true,
        |scorer| {
            let is_meant = |name: &String| match Scorer::parse_white_box(name) {
                Some(asked) => *scorer == asked,
                None => scorer.id() == name,
            };
            wanted.is_empty() || wanted.iter().any(is_meant)
        },
    );
    anyhow::ensure!(
        wanted.is_empty() || !engine.scorers().is_empty(),
        "{store}: no such scorer has values; `qualm report {store}` lists those that have"
    );
    Ok(())
}
