//! `qualm import`: benchmark results, or a CSV of verdicts, into a store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::out;
use super::progress::Bar;
use crate::import::{
    ImportError, ImportOptions, ImportProgress, Reference, Summary, import, import_verdicts,
    is_verdicts,
};
use crate::readers::{self, ReadOptions, Reader};
use crate::report;
use crate::text::{counted, visible};
use clap::builder::{
    NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser as _,
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Result files, or folders to search for them, or - for standard input; or CSV files of verdicts
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The store to write; results are added to one that is there
    #[arg(short, long, value_name = "STORE")]
    output: PathBuf,
    /// The format, instead of the one detected from the content
    #[arg(long, value_parser = format_parser())]
    format: Option<&'static dyn Reader>,
    /// The dataset's name, instead of the one in the files
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    dataset: Option<String>,
    /// The model's name, instead of the one in the files
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    model: Option<String>,
    /// A condition that keeps these runs apart from others of the same dataset and model
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    condition: Option<String>,
    /// The runs that are references: a file, or a trial number
    #[arg(long, value_name = "FILE|TRIAL")]
    reference: Option<String>,
    /// Keep runs that crashed before the agent acted, as empty failures
    #[arg(long)]
    keep_errored: bool,
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = &'static dyn Reader> {
    let value = |reader: &&'static dyn Reader| {
        let info = reader.info();
        PossibleValue::new(info.id).help(info.looks)
    };
    PossibleValuesParser::new(readers::ALL.iter().map(value))
        .try_map(|id| readers::by_id(&id).ok_or("unknown format"))
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let lines = match args.paths.iter().filter(|path| is_verdicts(path)).count() {
        0 => results(args)?,
        all if all == args.paths.len() => verdicts(args)?,
        _ => anyhow::bail!("results and verdicts are named together; import the results first"),
    };
    let lines = lines.lines().map(|line| visible(line).into_owned() + "\n");
    out::print(&lines.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

/// Imports verdicts and describes what came in.
fn verdicts(args: &Args) -> anyhow::Result<String> {
    let summary = import_verdicts(&args.paths, &args.output)?;
    let mut lines = vec![format!("{}:", args.output.display())];
    for (judge, count) in &summary.judges {
        lines.push(format!("  {judge}: {}", counted(*count as u64, "verdict")));
    }
    if summary.replaced > 0 {
        lines.push(format!("  {} replaced", counted(summary.replaced as u64, "older verdict")));
    }
    if summary.votes + summary.known_votes > 0 {
        let votes = counted(summary.votes as u64, "vote");
        lines.push(format!("  people: {votes} added, {} there already", summary.known_votes));
    }
    Ok(lines.join("\n"))
}

/// Imports results and describes what came in.
fn results(args: &Args) -> anyhow::Result<String> {
    let options = ImportOptions {
        read: ReadOptions {
            reader: args.format,
            stdin: true,
            dataset: args.dataset.clone(),
            model: args.model.clone(),
            condition: args.condition.clone(),
            keep_errored: args.keep_errored,
        },
        reference: args.reference.as_deref().map(Reference::parse),
    };
    let summary = import_with_bar(&args.paths, &args.output, &options)?;
    Ok(describe(&summary, args))
}

/// Imports under a progress bar.
pub(super) fn import_with_bar(
    paths: &[PathBuf],
    store: &Path,
    options: &ImportOptions,
) -> Result<Summary, ImportError> {
    let bar = Bar::bytes("trajectory");
    import(paths, store, options, &|step| match step {
        ImportProgress::Started(bytes) => bar.set_total(bytes),
        ImportProgress::Trajectory => bar.thing(),
        ImportProgress::Input(bytes) => bar.advance(bytes),
    })
}

/// Files that are passed over, named at most.
const MOST_LISTED: usize = 5;

/// Describes an import in lines of text.
fn describe(summary: &Summary, args: &Args) -> String {
    let mut lines = vec![format!(
        "{}: {} from {}",
        args.output.display(),
        counted(summary.added, "trajectory"),
        counted(summary.files.len() as u64, "file"),
    )];
    if summary.kept + summary.replaced > 0 {
        lines.push(format!(
            "  the store's older {}: {} kept, {} replaced",
            counted(summary.kept + summary.replaced, "trajectory"),
            summary.kept,
            summary.replaced
        ));
    }
    if summary.dropped_values > 0 {
        lines.push(format!(
            "  {} about replaced runs or changed samples left out; `qualm score` makes them again",
            counted(summary.dropped_values, "stored value")
        ));
    }
    if summary.ungraded > 0 {
        let runs = counted(summary.ungraded, "trajectory");
        lines.push(format!("  {runs} not graded by the harness: kept, without a label"));
    }
    if summary.alike > 0 {
        lines.push(format!(
            "  {} the same, word for word, as one of another file: if a file is a copy, leave it out",
            counted(summary.alike, "trajectory")
        ));
    }
    if summary.without_reference > 0 {
        lines.push(format!(
            "  {} without a run that fits --reference: there the first run is the reference",
            counted(summary.without_reference, "task")
        ));
    }
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for skip in &summary.skipped {
        *reasons.entry(&skip.reason).or_default() += 1;
    }
    for (reason, count) in reasons {
        lines.push(format!("  {} skipped: {reason}", counted(count, "record")));
    }
    for (path, notes) in &summary.files {
        lines.extend(notes.iter().map(|note| format!("  {} {note}", path.display())));
    }
    for (path, what) in summary.unknown.iter().take(MOST_LISTED) {
        lines.push(format!(
            "  {} passed over: no results that qualm knows ({what})",
            path.display()
        ));
    }
    if let Some(more @ 1..) = summary.unknown.len().checked_sub(MOST_LISTED) {
        lines.push(format!("  {} more passed over", counted(more as u64, "file")));
    }
    lines.push(String::new());
    lines.extend(report::cells(&summary.cells).to_string().lines().map(str::to_owned));
    lines.join("\n")
}
