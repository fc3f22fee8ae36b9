//! `qualm check`: lists every problem of a store.

use std::path::PathBuf;
use std::process::ExitCode;

use super::progress::Bar;
use super::{out, results};
use crate::engine::check_values;
use crate::remote;
use crate::store::{self, Store};
use crate::text::{bounded, counted, visible};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to check, or result files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

/// Bytes of a problem that are shown: it may quote a name of any length.
const LONGEST: usize = 2_000;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let bar = Bar::count("trajectory");
    let progress = |done: usize, of: usize| {
        bar.set_total(of as u64);
        bar.set(done as u64);
    };
    let (store, mut problems) = match &args.paths[..] {
        // A store that cannot be opened has a problem like another one.
        [path]
            if !remote::is_address(path)
                && results::is_meant_as_store(path)
                && Store::open(path).is_err() =>
        {
            (None, store::check(path, &progress))
        }
        paths => {
            let store = results::open(paths)?;
            let problems = store::check_open(&store, &progress);
            (Some(store), problems)
        }
    };
    let of_store = problems.len();
    // What cannot be read is among the problems already, if there are any.
    match store.as_ref().map_or(Ok(Vec::new()), check_values) {
        Ok(values) => problems.extend(values),
        Err(error) if problems.is_empty() => problems.push(error.to_string()),
        Err(_) => {}
    }
    drop(bar);
    let shown = results::shown(&args.paths);
    if problems.is_empty() {
        let left_out = store.as_ref().map_or(String::new(), left_out);
        out::print(&format!("{}: no problem found\n{left_out}", visible(&shown)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let line = |problem: &String| bounded(&visible(problem), LONGEST).into_owned() + "\n";
    let lines = problems.iter().map(line);
    out::print(&lines.collect::<String>())?;
    let count = counted(problems.len() as u64, "problem");
    // Notes and votes are in no results: a new store would lose them.
    let remedy = if of_store == 0 {
        "compute these values again"
    } else if problems.iter().all(|problem| problem.contains("annotations.jsonl")) {
        "repair or remove these lines, or import the runs that they are about"
    } else {
        "import the results into a new store"
    };
    anyhow::bail!("{shown}: {count}; {remedy}")
}

/// The line that says how many tasks of a sound store count in no metric.
fn left_out(store: &Store) -> String {
    match store.manifest().cells.iter().map(|cell| cell.without_reference).sum() {
        0 => String::new(),
        1 => "  1 task has no reference and counts in no metric\n".to_owned(),
        tasks => format!("  {} have no reference and count in no metric\n", counted(tasks, "task")),
    }
}
