//! `qualm demo`: the built-in store of synthetic data.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::progress::Bar;
use super::{open, out, paths};
use crate::demo::{self, DemoOptions};
use crate::report;
use crate::store::{Manifest, Store};
use crate::text::visible;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only write the store there, and do not open it
    #[arg(short, long, value_name = "STORE")]
    output: Option<PathBuf>,
    /// This many tasks per cell; by default as many as in the paper
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    tasks: Option<u32>,
    /// Numbers alone, without texts and tokens: millions of runs take minutes, and memory for some thousand
    #[arg(long)]
    no_texts: bool,
    #[command(flatten)]
    view: crate::ui::View,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let tasks = args.tasks.map(|tasks| tasks as usize);
    let options = DemoOptions { tasks, no_texts: args.no_texts };
    if let Some(output) = &args.output {
        refuse_real_results(output)?;
        let manifest = write(output, &options)?;
        let (shown, cells) = (output.display().to_string(), report::cells(&manifest.cells));
        out::print(&format!("{}: synthetic data\n\n{cells}", visible(&shown)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let size = args.tasks.map_or_else(String::new, |tasks| format!("-{tasks}"));
    let kind = if args.no_texts { "-numbers" } else { "" };
    let store = paths::cache()?.join(format!("demo{size}{kind}.qualm"));
    if !demo::is_current(&store, &options) {
        write(&store, &options)?;
    }
    open::open(Store::open(&store)?, None, &args.view)
}

fn write(store: &Path, options: &DemoOptions) -> anyhow::Result<Manifest> {
    let bar = Bar::count("part");
    bar.set_total(demo::parts(options) as u64);
    Ok(demo::write(store, options, &|| bar.advance(1))?)
}

/// A demo store replaces a demo store, never somebody's results.
fn refuse_real_results(output: &Path) -> anyhow::Result<()> {
    if !Store::is_store(output) {
        return Ok(());
    }
    // A store that cannot be opened may hold anything.
    anyhow::ensure!(
        Store::open(output)?.manifest().synthetic,
        "{}: holds real results, and the demo does not replace them; name another store with -o",
        output.display()
    );
    Ok(())
}
