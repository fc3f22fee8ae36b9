use std::path::PathBuf;
use std::process::ExitCode;

use super::out;
use super::report::format_parser;
use crate::engine::Engine;
use crate::report::{Format, TableOptions, annotators};
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
    #[arg(long, default_value = "table", value_parser = format_parser())]
    format: Format,
}

/// Lines about tasks that are not there are named up to this many.
const MOST_LISTED: usize = 5;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let merged = store::merge(&args.store, &args.others)?;
    // Beside the table, so that a program can read that alone.
    for line in describe(args, &merged) {
        eprintln!("{}", visible(&line));
    }
    let engine = Engine::load(&Store::open(&args.store)?, None)?;
    let rows = annotators(&engine, &TableOptions::default());
    if rows.is_empty() && args.format == Format::Table {
        out::print("fewer than two authors voted: there is no agreement to tell\n")?;
    } else {
        out::print(&rows.render(args.format))?;
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
    for own in merged.unplaced.iter().take(MOST_LISTED) {
        let place = format!("{}, line {}", own.path.display(), own.line);
        lines.push(format!("  {place} left out: there is no {}, task {}", own.cell, own.task));
    }
    if let Some(more @ 1..) = merged.unplaced.len().checked_sub(MOST_LISTED) {
        lines.push(format!("  {} more left out", counted(more as u64, "line")));
    }
    lines
}
