//! `qualm versus`: two cells, of one store or of two, on the tasks they share.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use super::compared::{self, Loaded, Sources};
use super::tasks::TasksArgs;
use super::{format, open, out, report, results};
use crate::engine::{CellVersus, VersusOptions, pair_cells};
use crate::import::{apart, cells_of};
use crate::metrics::Metric;
use crate::metrics::bootstrap::{Interval, Resampling};
use crate::model::Cell;
use crate::report::{OutputFormat, Table, changed_tasks, of_changed, of_versus};
use crate::ui::{Screen, View};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A store or results with both cells, or the two to compare, the baseline first
    #[arg(required = true, num_args = 1..=2, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The first cell: DATASET/MODEL/CONDITION, or the part of it that differs
    #[arg(long, value_name = "CELL")]
    baseline: Option<String>,
    /// The second cell; differences are candidate minus baseline
    #[arg(long, value_name = "CELL")]
    candidate: Option<String>,
    /// Print the tables in this format, also in a terminal
    #[arg(long, value_parser = format::parser(&OutputFormat::TABLES))]
    format: Option<OutputFormat>,
    /// Print only the tasks that are fixed, broken or shaky
    #[arg(long)]
    changed: bool,
    /// The metric of scorers
    #[arg(long, default_value = "auroc", value_parser = report::metric_parser())]
    metric: Metric,
    #[command(flatten)]
    tasks: TasksArgs,
    /// Resamples of the intervals, at most 100,000; 0 for none
    #[arg(long, default_value_t = Resampling::default().resamples, value_parser = report::resamples)]
    resamples: usize,
    /// Seed of the resamples
    #[arg(long, default_value_t = Resampling::default().seed)]
    seed: u64,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let prints = args.format.is_some() || args.changed || !std::io::stdout().is_terminal();
    if prints { print(args) } else { explore(args) }
}

/// Opens the explorer on the two cells. Two stores are put together first, so that runs of both stand side
/// by side.
fn explore(args: &Args) -> anyhow::Result<ExitCode> {
    let first = results::open(&args.paths[..1])?;
    let (store, cells) = if let Some(path) = args.paths.get(1) {
        let second = results::open(std::slice::from_ref(path))?;
        let name = compared::distinct_names([&args.paths[0], path])[1].clone();
        let cells = [&first, &second].map(cells_of);
        let renamed = apart(&cells[0], &cells[1], &name);
        let pair = first_pair(args, [&cells[0], &cells[1]], false)?;
        let store = results::together([&first, &second], &name)?;
        (store, [cells[0][pair[0]].clone(), renamed[pair[1]].clone()])
    } else {
        let cells = cells_of(&first);
        let named = args.baseline.is_some() || args.candidate.is_some();
        // Without names the screen chooses.
        let pair = first_pair(args, [&cells; 2], true);
        let pair = if named { Some(pair?) } else { pair.ok() };
        let Some(pair) = pair else {
            return open::open(first, None, &args.view(None));
        };
        (first, pair.map(|cell| cells[cell].clone()))
    };
    open::open(store, None, &args.view(Some(cells)))
}

fn first_pair(args: &Args, cells: [&[Cell]; 2], is_one: bool) -> anyhow::Result<[usize; 2]> {
    let names = [args.baseline.as_deref(), args.candidate.as_deref()];
    let shown = results::shown(&args.paths);
    let pairs = pair_cells(cells, names, is_one)
        .map_err(|why| anyhow::anyhow!("{shown}: {why}; `qualm PATH` lists the cells"))?;
    pairs.first().copied().ok_or_else(|| anyhow::anyhow!("{shown}: there is no cell to compare"))
}

impl Args {
    /// The view of the explorer: Versus, with these cells.
    fn view(&self, cells: Option<[Cell; 2]>) -> View {
        let mut view = View { screen: Some(Screen::Versus), ..View::default() };
        view.lens.metric = Some(self.metric).filter(|metric| *metric != Metric::Auroc);
        view.lens.scope = self.tasks.scope().map(str::to_owned);
        if let Some([first, second]) = cells {
            let Cell { dataset, model, condition } = first;
            view.location.dataset = Some(dataset);
            view.location.model = Some(model);
            view.location.condition = Some(condition);
            let Cell { dataset, model, condition } = second;
            view.screens.versus.candidate = Some(format!("{dataset}/{model}/{condition}"));
        }
        view
    }
}

/// What people read of one pair of cells; other formats have all columns.
const SHORT: [&str; 11] = [
    "measure",
    "scorer",
    "aggregator",
    "baseline_value",
    "candidate_value",
    "difference",
    "difference_lo",
    "difference_hi",
    "p",
    "tasks",
    "draws",
];

fn print(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !args.tasks.selects(),
        "--select lists tasks, and the comparison uses all in scope; --where narrows it"
    );
    let load = |path: &PathBuf| Loaded::open(std::slice::from_ref(path), &args.tasks);
    let sources = Sources {
        baseline: load(&args.paths[0])?,
        candidate: args.paths.get(1).map(load).transpose()?,
    };
    let pairs = sources.pairs([args.baseline.as_deref(), args.candidate.as_deref()])?;
    let options = VersusOptions {
        scorers: sources.candidate().engine.scorers(),
        metric: args.metric,
        resampling: (args.resamples > 0)
            .then_some(Resampling { resamples: args.resamples, seed: args.seed }),
        confidence: Interval::CONFIDENCE,
    };
    let mut compared = sources.compare(&pairs, &options)?;
    if let Some(second) = args.paths.get(1) {
        let name = compared::distinct_names([&args.paths[0], second])[1].clone();
        sources.tell_apart(&pairs, &name, &mut compared);
    }
    let changed = |(pair, one): (&[usize; 2], &CellVersus)| {
        let frame = &sources.baseline.engine.frames()[pair[0]];
        of_changed(&one.cells, &changed_tasks(one, frame))
    };
    let tables: Vec<Table> = pairs.iter().zip(&compared).map(changed).collect();
    let numbers = of_versus(&compared, args.metric);
    let format = args.format.unwrap_or_default();
    if !args.changed {
        let is_short = format == OutputFormat::Table && compared.len() == 1;
        let shown = if is_short { numbers.clone().with_columns(&SHORT) } else { numbers.clone() };
        out::print(&shown.render(format))?;
    }
    if args.changed || format == OutputFormat::Table {
        for table in tables.iter().filter(|table| args.changed || !table.is_empty()) {
            let gap = if args.changed { "" } else { "\n" };
            out::print(&format!("{gap}{}", table.render(format)))?;
        }
    }
    numbers.notes.iter().for_each(|note| out::complain(note));
    sources.tell_damage()
}
