//! `qualm figure`: a figure for a paper or a page.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::cells::CellArgs;
use super::tasks::TasksArgs;
use super::{damage, out, results};
use crate::engine::{CellPairs, Engine, pair_cells};
use crate::files::{self, Overwrite};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::model::Cell;
use crate::report::figure::{FigureFormat, FigureKind, FigureOptions, figure};
use crate::scorers::Scorer;
use crate::scorers::whitebox::Base;
use crate::ui::config;
use crate::ui::view::one_of;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to draw, or result files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The figure
    #[arg(long, value_parser = kind_parser())]
    what: FigureKind,
    /// The file to write, which must not exist yet and ends in .svg, .png or .pdf; by default an SVG on
    /// standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The metric, for figures of one; by default prr of `families` and auroc of the others
    #[arg(long, value_parser = one_of::<Metric>())]
    metric: Option<Metric>,
    /// A scorer of curves, `versus` or `grid`, such as `lnsp.min`; up to four, in a grid any number
    #[arg(long)]
    scorer: Vec<String>,
    /// The base score of `aggregators` and `turns`
    #[arg(long, default_value = "lnsp", value_parser = base_parser())]
    base: Base,
    /// The first cell of `versus` and `noise`: DATASET/MODEL/CONDITION, or the part of it that differs
    #[arg(long, value_name = "CELL")]
    baseline: Option<String>,
    /// The second cell; differences are candidate minus baseline
    #[arg(long, value_name = "CELL")]
    candidate: Option<String>,
    /// The background: light for print, dark for slides
    #[arg(long, default_value = "light", value_parser = ["light", "dark"])]
    theme: String,
    #[command(flatten)]
    cells: CellArgs,
    #[command(flatten)]
    tasks: TasksArgs,
}

fn kind_parser() -> impl TypedValueParser<Value = FigureKind> {
    PossibleValuesParser::new(FigureKind::ALL.map(FigureKind::id))
        .try_map(|id| FigureKind::ALL.into_iter().find(|kind| kind.id() == id).ok_or("unknown"))
}

fn base_parser() -> impl TypedValueParser<Value = Base> {
    PossibleValuesParser::new(Base::ALL.map(Base::id))
        .try_map(|id| Base::ALL.into_iter().find(|base| base.id() == id).ok_or("unknown"))
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    out::ensure_absent(args.output.as_deref())?;
    if let Some(path) = &args.output {
        FigureFormat::of_path(path).with_context(|| path.display().to_string())?;
    }
    anyhow::ensure!(
        !args.tasks.selects(),
        "--select lists tasks, and a figure lists none; use --where"
    );
    let store = results::open(&args.paths)?;
    let mut chosen = args.tasks.choose(&store, Engine::load(&store, None)?, None)?;
    let shown = results::shown(&args.paths);
    args.cells.narrow(&mut chosen.engine, &shown)?;
    let options = FigureOptions {
        shade: config::shade(&args.theme).unwrap_or_default(),
        metric: args.metric.unwrap_or(match args.what {
            FigureKind::Families => Metric::Prr,
            _ => Metric::Auroc,
        }),
        base: args.base,
        scorers: scorers(args, &chosen.engine, &shown)?,
        pairs: pairs(args, &chosen.engine, &shown)?,
        resampling: Resampling::default(),
    };
    let drawn =
        figure(args.what, &chosen.engine, Some(&store), &options).with_context(|| shown.clone())?;
    out::warn_of(&store);
    match &args.output {
        None => out::print(&drawn.svg())?,
        Some(path) => {
            let bytes = FigureFormat::of_path(path).and_then(|format| drawn.bytes(format));
            let bytes = bytes.with_context(|| path.display().to_string())?;
            files::write(path, Overwrite::Never, bytes)?;
        }
    }
    damage::tell(&store)
}

/// The scorers that are named, which must have values.
fn scorers(args: &Args, engine: &Engine, store: &str) -> anyhow::Result<Vec<Scorer>> {
    let few = args.what == FigureKind::Grid || args.scorer.len() <= 4;
    anyhow::ensure!(few, "--scorer: this figure has up to four scorers; name fewer");
    let known = |name: &String| {
        let scorer = Scorer::parse(&Scorer::typed(name));
        let has_values = engine.has_values(&scorer);
        has_values.then_some(scorer).with_context(|| {
            format!(
                "{store}: no values of --scorer {name}; `qualm report {store}` lists the scorers"
            )
        })
    };
    args.scorer.iter().map(known).collect()
}

/// The cells that `--baseline` and `--candidate` name.
fn pairs(args: &Args, engine: &Engine, store: &str) -> anyhow::Result<Option<CellPairs>> {
    let names = [args.baseline.as_deref(), args.candidate.as_deref()];
    if names == [None, None] {
        return Ok(None);
    }
    let cells: Vec<Cell> = engine.frames().iter().map(|frame| frame.cell.clone()).collect();
    let pairs = pair_cells([&cells, &cells], names, true).map_err(|why| {
        anyhow::anyhow!("{store}: {why}; `qualm report {store} --table cells` lists the cells")
    })?;
    Ok(Some(pairs))
}
