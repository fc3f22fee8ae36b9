//! `qualm merge`: notes and votes of several people in one store.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{format, out};
use crate::engine::Engine;
use crate::report::{OutputFormat, TableOptions, TableRequest, table};
use crate::store::{self, Merged, Store};
use crate::text::{counted, visible};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store that gets the notes and votes of the others
    store: PathBuf,
    /// Copies of it that other people worked on; they stay as they are
    #[arg(required = true)]
    others: Vec<PathBuf>,
    /// The format of the agreement between authors
    #[arg(long, default_value = "table", value_parser = format::parser(&OutputFormat::TABLES))]
    format: OutputFormat,
}

/// How many lines about unknown tasks are listed.
const MOST_LISTED: usize = 5;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let merged = store::merge(&args.store, &args.others)?;
    // Beside the table, so that a program can read that alone.
    for line in describe(args, &merged) {
        eprintln!("{}", visible(&line));
    }
    let store = Store::open(&args.store)?;
    let engine = Engine::load(&store, None)?;
    let options = TableOptions::default();
    let agreement = table(&TableRequest::Annotators, &engine, Some(&store), &options)?;
    if agreement.is_empty() && args.format == OutputFormat::Table {
        out::print("fewer than two authors voted, so there is no agreement to report\n")?;
    } else {
        out::print(&agreement.render(args.format))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(args: &Args, merged: &Merged) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {} added, {} there already",
        args.store.display(),
        counted(merged.added as u64, "line"),
        merged.known
    )];
    for unknown in merged.unknown_tasks.iter().take(MOST_LISTED) {
        let line = format!("{}, line {}", unknown.path.display(), unknown.line);
        let (cell, task) = (&unknown.cell, &unknown.task);
        lines.push(format!("  {line} left out: there is no {cell}, task {task}"));
    }
    if let Some(more @ 1..) = merged.unknown_tasks.len().checked_sub(MOST_LISTED) {
        lines.push(format!("  {} more left out", counted(more as u64, "line")));
    }
    lines
}
