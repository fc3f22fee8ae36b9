//! `qualm figure`: a figure for a paper or a page.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::cells::CellArgs;
use super::tasks::TasksArgs;
use super::{damage, out, results};
use crate::engine::Engine;
use crate::files::{self, Overwrite};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::report::figure::{FigureKind, FigureOptions, figure};
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
    /// The file to write, which must not exist yet and ends in .svg; standard output by default
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The metric, for figures of one; by default prr of `families` and auroc of the others
    #[arg(long, value_parser = one_of::<Metric>())]
    metric: Option<Metric>,
    /// A scorer of curves, such as `lnsp.min`; up to four
    #[arg(long)]
    scorer: Vec<String>,
    /// The base score of `aggregators`
    #[arg(long, default_value = "lnsp", value_parser = base_parser())]
    base: Base,
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
        let is_svg = path.extension().is_some_and(|ending| ending == "svg");
        anyhow::ensure!(is_svg, "{}: name a file that ends in .svg", path.display());
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
        resampling: Resampling::default(),
    };
    let drawn = figure(args.what, &chosen.engine, &options).with_context(|| shown.clone())?;
    out::warn_of(&store);
    match &args.output {
        None => out::print(&drawn.svg())?,
        Some(path) => files::write(path, Overwrite::Never, drawn.svg())?,
    }
    damage::tell(&store)
}

/// The scorers that are named, which must have values.
fn scorers(args: &Args, engine: &Engine, store: &str) -> anyhow::Result<Vec<Scorer>> {
    anyhow::ensure!(args.scorer.len() <= 4, "--scorer: a figure has up to four curves");
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
