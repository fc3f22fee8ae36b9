use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use super::out;
use super::pick::{Picked, TaskArgs};
use super::show::{LensArgs, compared, format_parser};
use crate::compare::Wanted;
use crate::report::show::{Diff, DiffOptions, ShowFormat};
use crate::store::Store;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store
    store: PathBuf,
    #[command(flatten)]
    task: TaskArgs,
    /// The one draw; of another cell as DRAW@MODEL or DRAW@MODEL/CONDITION. The reference when unsaid
    #[arg(long)]
    a: Option<String>,
    /// The other, likewise. When unsaid: the first sample that ended otherwise
    #[arg(long)]
    b: Option<String>,
    #[command(flatten)]
    lens: LensArgs,
    /// Rows around those that part
    #[arg(long, default_value_t = DiffOptions::default().context)]
    context: usize,
    /// Hold the words of messages against each other, too
    #[arg(long)]
    words: bool,
    /// In which format
    #[arg(long, default_value = "text", value_parser = format_parser())]
    format: ShowFormat,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let parsed = |text: &Option<String>| {
        text.as_deref().map(Wanted::parse).transpose().map_err(anyhow::Error::msg)
    };
    let (a, b) = (parsed(&args.a).context("--a")?, parsed(&args.b).context("--b")?);
    let lens = args.lens.lens()?;
    let store = Store::open(&args.store)?;
    let picked = Picked::find(&store, &args.task)?;
    let wanted = match (a, b) {
        (Some(a), Some(b)) => vec![a, b],
        (a, b) => {
            // Whatever is not said is the first of the usual two that the other is not.
            let usual = picked.usual(&store)?;
            let not = |other: &Option<Wanted>| {
                usual.iter().find(|own| Some(*own) != other.as_ref()).cloned()
            };
            let a = a.or_else(|| not(&b));
            let b = b.or_else(|| not(&a));
            a.into_iter().chain(b).collect()
        }
    };
    anyhow::ensure!(
        wanted.len() == 2,
        "{}: task {} of {} has one run only; name the other with --b DRAW@MODEL",
        args.store.display(),
        args.task.task,
        picked.cell()
    );
    let comparison = compared(&store, &picked, &wanted, &lens)?;
    let options = DiffOptions { context: args.context, words: args.words };
    out::print(&Diff::new(&comparison, options).render(args.format))?;
    Ok(ExitCode::SUCCESS)
}
