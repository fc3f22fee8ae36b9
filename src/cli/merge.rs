//! `qualm merge`: notes and votes of several people in one store.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{format, out, results};
use crate::engine::Engine;
use crate::report::{OutputFormat, TableOptions, TableRequest, table};
use crate::store::{self, Conflict, MergeOptions, Merged, Store};
use crate::text::{counted, visible};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store that gets the notes and votes of the others
    store: PathBuf,
    /// Copies of it that other people worked on, or result files; they stay as they are
    #[arg(required = true)]
    others: Vec<PathBuf>,
    /// Where somebody voted differently in two stores, the newer vote counts instead of the one that
    /// is in STORE
    #[arg(long)]
    newest: bool,
    /// The format of the agreement between authors
    #[arg(long, default_value = "table", value_parser = format::parser(&OutputFormat::TABLES))]
    format: OutputFormat,
}

/// How many lines about unknown tasks are listed.
const MOST_LISTED: usize = 5;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let others: Vec<Store> = args
        .others
        .iter()
        .map(|path| results::open(std::slice::from_ref(path)))
        .collect::<anyhow::Result<_>>()?;
    let options = MergeOptions { newest: args.newest };
    let merged = store::merge(&args.store, &others, options)?;
    // Beside the table, so that a program can read that alone.
    for line in describe(args, &merged) {
        out::complain(&visible(&line));
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
    let is_whole = merged.damaged.is_empty();
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
    lines.extend(merged.conflicts.iter().map(|conflict| contradiction(conflict, args.newest)));
    if !merged.conflicts.is_empty() && !args.newest {
        lines.push("  --newest lets the newer vote count; give each person a name".to_owned());
    }
    lines.extend(merged.damaged.iter().map(|damaged| format!("  {damaged}")));
    lines
}

/// Two votes of one author that contradict each other, and which of them counts.
fn contradiction(conflict: &Conflict, newest: bool) -> String {
    let Conflict { present, other, path } = conflict;
    let (a, b) = (present.draw_a, present.draw_b);
    let counts = if newest { "the newer counts" } else { "the first counts" };
    format!(
        "  conflict: {} voted on {}, task {}, draws {a} and {b}: {} here, {} in {}; {counts}",
        present.author,
        present.cell,
        present.task,
        present.verdict.id(),
        other.verdict.id(),
        path.display()
    )
}
