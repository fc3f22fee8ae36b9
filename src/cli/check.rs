//! `qualm check`: lists every problem of a store.

use std::path::PathBuf;
use std::process::ExitCode;

use super::out;
use super::progress::Bar;
use crate::engine::check_values;
use crate::store::{self, Store};
use crate::text::{counted, visible};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to check
    store: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let bar = Bar::count("trajectory");
    let mut problems = store::check(&args.store, &|done, of| {
        bar.set_total(of as u64);
        bar.set(done as u64);
    });
    let of_store = problems.len();
    // What cannot be read is among the problems already, if there are any.
    match Store::open(&args.store).and_then(|store| check_values(&store)) {
        Ok(values) => problems.extend(values),
        Err(error) if problems.is_empty() => problems.push(error.to_string()),
        Err(_) => {}
    }
    drop(bar);
    if problems.is_empty() {
        let store = args.store.display().to_string();
        out::print(&format!("{}: no problem found\n", visible(&store)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let lines = problems.iter().map(|problem| visible(problem).into_owned() + "\n");
    out::print(&lines.collect::<String>())?;
    let count = counted(problems.len() as u64, "problem");
    // Notes and votes are in no results: a new store would lose them.
    let remedy = if of_store == 0 {
        "compute these values again"
    } else if problems.iter().all(|problem| problem.contains("annotations.jsonl")) {
        "repair or remove these lines"
    } else {
        "import the results into a new store"
    };
    anyhow::bail!("{}: {count}; {remedy}", args.store.display())
}
