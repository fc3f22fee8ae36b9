use std::path::PathBuf;
use std::process::ExitCode;

use super::progress::Bar;
use crate::store;
use crate::text::{counted, visible};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to check
    store: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let bar = Bar::count("trajectory");
    let problems = store::check(&args.store, &|done, of| {
        bar.set_total(of as u64);
        bar.set(done as u64);
    });
    drop(bar);
    for problem in &problems {
        println!("{}", visible(problem));
    }
    if problems.is_empty() {
        println!("{}: no problem found", visible(&args.store.display().to_string()));
        return Ok(ExitCode::SUCCESS);
    }
    let count = counted(problems.len() as u64, "problem");
    anyhow::bail!(
        "{}: {count}; importing the results again makes a whole store",
        args.store.display()
    )
}
