//! `qualm export`: records of a store for other tools.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::tasks::TasksArgs;
use super::{damage, format, out, results};
use crate::engine::Engine;
use crate::report::{ExportKind, OutputFormat, export, export_in};
use crate::store::Store;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to export from, or result files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What to export
    #[arg(long, value_parser = kind_parser())]
    what: ExportKind,
    #[command(flatten)]
    tasks: TasksArgs,
    /// The output format
    #[arg(long, default_value = "csv", value_parser = format::parser(&OutputFormat::RECORDS))]
    format: OutputFormat,
    /// Write text exactly as it is: by default control characters are replaced by marks, and in CSV an
    /// apostrophe is put before text that a spreadsheet would interpret as a formula
    #[arg(long)]
    raw_text: bool,
    /// The file to write, which must not exist yet; standard output by default
    #[arg(short, long, value_name = "FILE", required_if_eq("format", "parquet"))]
    output: Option<PathBuf>,
}

fn kind_parser() -> impl TypedValueParser<Value = ExportKind> {
    PossibleValuesParser::new(ExportKind::ALL.map(ExportKind::id))
        .try_map(|id| ExportKind::ALL.into_iter().find(|kind| kind.id() == id).ok_or("unknown"))
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    out::ensure_absent(args.output.as_deref())?;
    let store = results::open(&args.paths)?;
    let mut table = if args.tasks.is_given() {
        let chosen = args.tasks.choose(&store, Engine::load(&store, None)?, None)?;
        let mut table = export_in(args.what, &store, &chosen.engine)?;
        chosen.narrow_rows(&mut table);
        table
    } else {
        export(args.what, &store)?
    };
    table.raw_text = args.raw_text;
    out::warn_of(&store);
    out::write(&table, args.format, args.output.as_deref())?;
    if matches!(args.what, ExportKind::Judgments | ExportKind::Notes) {
        tell_orphans(&store)?;
    }
    damage::tell(&store)
}

/// Names the notes and votes that were left out because their run is gone.
fn tell_orphans(store: &Store) -> anyhow::Result<()> {
    for orphan in store.annotations()?.orphans {
        out::warn(store.path(), &format!("left out: {orphan}"));
    }
    Ok(())
}
