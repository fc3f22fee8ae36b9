//! `qualm merge`: notes, votes, labels and named selections of several people in one store.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{format, out, results};
use crate::engine::{Engine, PairOrder, TriageOptions};
use crate::report::{
    OutputFormat, TableOptions, TableRequest, conflicts, label_conflicts, table, taken,
};
use crate::store::{self, MergeOptions, Merged, Store};
use crate::text::{counted, visible};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store that gets the notes, votes, labels and named selections of the others
    store: PathBuf,
    /// Copies of it that other people worked on, or result files; they stay as they are
    #[arg(required = true)]
    others: Vec<PathBuf>,
    /// Where somebody voted or marked differently in two stores, the newer counts instead of the one that
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
    for line in describe(args, &merged) {
        out::complain(&visible(&line));
    }
    let is_for_people = args.format == OutputFormat::Table;
    let newest = args.newest;
    let tables = [taken(&merged), conflicts(&merged, newest), label_conflicts(&merged, newest)];
    for table in tables.iter().filter(|table| !table.is_empty()) {
        let text = table.render(OutputFormat::Table);
        if is_for_people {
            out::print(&(text + "\n"))?;
        } else {
            // Beside the agreement, so that a program can read that alone.
            out::complain(text.trim_end());
        }
    }
    print_agreement(args, is_for_people)?;
    let is_whole = merged.damaged.is_empty();
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What people read of the agreement between authors; programs get all columns.
const AGREEMENT: [&str; 12] = [
    "judge",
    "against",
    "agreement",
    "agreement_lo",
    "agreement_hi",
    "kappa",
    "kappa_lo",
    "kappa_hi",
    "n",
    "flagged",
    "audit_n",
    "audit_agreement",
];

fn print_agreement(args: &Args, is_for_people: bool) -> anyhow::Result<()> {
    let store = Store::open(&args.store)?;
    let engine = Engine::load(&store, None)?;
    let options = TableOptions::default();
    let agreement = table(&TableRequest::Annotators, &engine, Some(&store), &options)?;
    if !is_for_people {
        return out::print(&agreement.render(args.format));
    }
    if agreement.is_empty() {
        return out::print("fewer than two authors voted, so there is no agreement to report\n");
    }
    let mut words = String::new();
    if !agreement.notes.is_empty() {
        words.push_str(
            "agreement is biased by votes on pairs that were not drawn at random; audit_agreement is \
             over the audit_n pairs that were\n",
        );
    }
    words.push_str(&unsettled(args, &engine));
    out::print(&(agreement.with_columns(&AGREEMENT).render(args.format) + &words))
}

/// How many pairs wait for somebody who settles them, and where they are.
fn unsettled(args: &Args, engine: &Engine) -> String {
    let order = PairOrder::Adjudication;
    let queue = engine.triage(&TriageOptions { order, ..TriageOptions::default() });
    match queue.items.len() - queue.done() {
        0 => String::new(),
        open => format!(
            "people disagree on {}: r in `qualm {} --screen judges` lists them, and a vote settles each\n",
            counted(open as u64, "pair"),
            args.store.display()
        ),
    }
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
    if !merged.conflicts.is_empty() && !args.newest {
        lines.push("  votes contradict each other, and those that are here count; --newest lets the newer vote count; give each person a name".to_owned());
    }
    if !merged.label_conflicts.is_empty() && !args.newest {
        lines.push("  labels contradict each other, and those that are here count; --newest lets the newer label count".to_owned());
    }
    if merged.named > 0 {
        lines.push(format!("  {} added", counted(merged.named as u64, "named expression")));
    }
    for (here, there) in &merged.named_conflicts {
        let (name, kept, other) = (&here.name, &here.expression, &there.expression);
        lines.push(format!("  `{name}` stays `{kept}`; the other store has `{other}`"));
    }
    lines.extend(merged.damaged.iter().map(|damaged| format!("  {damaged}")));
    lines
}
