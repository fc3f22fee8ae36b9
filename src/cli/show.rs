use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::pick::{Picked, TaskArgs};
use super::{out, view};
use crate::compare::Wanted;
use crate::engine::Engine;
use crate::model::Trajectory;
use crate::report::show::{Around, Comparison, ShowFormat, ShowOptions};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::store::Store;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store
    store: PathBuf,
    #[command(flatten)]
    task: TaskArgs,
    /// One to four draws, such as 0,2; one of another cell of the dataset as DRAW@MODEL or
    /// DRAW@MODEL/CONDITION. When unsaid: the reference, and the first sample that ended otherwise
    #[arg(long)]
    draws: Option<String>,
    #[command(flatten)]
    lens: LensArgs,
    /// In which format
    #[arg(long, default_value = "text", value_parser = format_parser())]
    format: ShowFormat,
    /// Long texts whole
    #[arg(long)]
    full: bool,
}

/// Under which scorer.
#[derive(Debug, clap::Args)]
pub(super) struct LensArgs {
    /// The scorer: lnsp, lnsp.mean, aec, a score of your own …
    #[arg(long)]
    scorer: Option<String>,
    /// The aggregator of a white-box scorer, and of the turns' weights: min, mean, softmin-10 …
    #[arg(long)]
    aggregator: Option<String>,
}

pub(super) fn format_parser() -> impl TypedValueParser<Value = ShowFormat> {
    PossibleValuesParser::new(ShowFormat::ALL.map(ShowFormat::id))
        .try_map(|id| ShowFormat::ALL.into_iter().find(|own| own.id() == id).ok_or("unknown"))
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let wanted = args.draws.as_deref().map(Wanted::list).transpose();
    let wanted = wanted.map_err(|why| anyhow::anyhow!("--draws: {why}"))?;
    let lens = args.lens.lens()?;
    let store = Store::open(&args.store)?;
    let picked = Picked::find(&store, &args.task)?;
    let wanted = wanted.map_or_else(|| picked.usual(&store), Ok)?;
    let comparison = compared(&store, &picked, &wanted, &lens)?;
    out::print(&comparison.render(ShowOptions { format: args.format, full: args.full }))?;
    Ok(ExitCode::SUCCESS)
}

/// The runs that are wanted beside each other, with all that the store knows about them.
pub(super) fn compared(
    store: &Store,
    picked: &Picked,
    wanted: &[Wanted],
    lens: &Lens,
) -> anyhow::Result<Comparison> {
    let runs = picked.runs(store, wanted)?;
    let refs: Vec<&Trajectory> = runs.iter().collect();
    let Some(first) = runs.first().map(|own| &own.head) else {
        anyhow::bail!("{}: the task has no run; import some", store.path().display());
    };
    let asked =
        |own: &crate::model::TaskText| own.dataset == first.cell.dataset && own.task == first.task;
    let around = Around {
        scored: lens.scored(store, &runs)?,
        instruction: store.tasks()?.into_iter().find(asked).map(|own| own.instruction),
        judgments: store.judgments()?,
        notes: store.notes()?,
    };
    Ok(Comparison::new(&refs, lens.base, lens.rule, &around))
}

/// A base score and an aggregator, and another scorer if one is asked for.
pub(super) struct Lens {
    base: Base,
    rule: Aggregator,
    other: Option<Scorer>,
}

impl LensArgs {
    pub(super) fn lens(&self) -> anyhow::Result<Lens> {
        let rule = match &self.aggregator {
            Some(id) => Some(Aggregator::parse(&id.to_lowercase()).with_context(|| {
                let known = Aggregator::ALL.map(Aggregator::id).join(", ");
                format!("--aggregator: there is no `{id}`; it is one of: {known}")
            })?),
            None => None,
        };
        let name = self.scorer.as_deref().map_or_else(|| Base::Lnsp.id().to_owned(), view::scorer);
        if let Some(Scorer::WhiteBox(base, own)) = Scorer::parse_white_box(&name) {
            return Ok(Lens { base, rule: rule.unwrap_or(own), other: None });
        }
        let rule = rule.unwrap_or(Aggregator::Min);
        if let Some(base) = Base::ALL.into_iter().find(|own| own.id() == name) {
            return Ok(Lens { base, rule, other: None });
        }
        let offline = Scorer::offline().into_iter().find(|own| own.id() == name);
        let other = offline.unwrap_or(Scorer::Stored(name));
        Ok(Lens { base: Base::Lnsp, rule, other: Some(other) })
    }
}

impl Lens {
    /// The values of a scorer that is no white-box one: it scores references only.
    fn scored(
        &self,
        store: &Store,
        runs: &[Trajectory],
    ) -> anyhow::Result<Option<(Scorer, Vec<Option<f64>>)>> {
        let Some(scorer) = &self.other else { return Ok(None) };
        let engine = Engine::load(store, None)?;
        let path = store.path().display();
        anyhow::ensure!(
            engine.scorers().contains(scorer),
            "{path}: there are no values of `{scorer}`; `qualm report {path}` lists the scorers that have some"
        );
        let value = |run: &Trajectory| {
            let frame = engine.frames().iter().find(|own| own.cell == run.head.cell)?;
            let task = frame.tasks.iter().position(|own| own.id == run.head.task)?;
            let value = frame.values(scorer)?.confidence(task);
            (run.head.draw == 0 && !value.is_nan()).then_some(value)
        };
        Ok(Some((scorer.clone(), runs.iter().map(value).collect())))
    }
}
