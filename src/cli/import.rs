//! `qualm import`: benchmark results, or a table of verdicts or scores, into a store.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::progress::Bar;
use super::{out, paths};
use crate::engine;
use crate::import::{
    Brought, Dropped, ImportError, ImportOptions, ImportProgress, Reference, ScoreImportOptions,
    Summary, import_inputs, import_scores, import_verdicts,
};
use crate::model::{Cell, Unscored};
use crate::readers::{self, Inputs, ReadOptions, Reader};
use crate::report;
use crate::store::{Annotations, Store};
use crate::text::{bounded, counted, grouped, visible};
use clap::builder::{
    NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser as _,
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Result files, or folders to search for them, or - for standard input; or CSV or Parquet files of
    /// verdicts or scores
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
    /// The runs that are references: a file, or a trial number; `any` takes the first run of a task
    /// that lacks its reference
    #[arg(long, value_name = "FILE|TRIAL|any")]
    reference: Option<String>,
    /// A scorer of the files of which smaller values are surer of success, such as an entropy
    #[arg(long, value_name = "NAME")]
    smaller_is_surer: Vec<String>,
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
    let copied = engine::copied(&args.output)?;
    let kinds: Vec<Option<Brought>> = args.paths.iter().map(|path| Brought::of(path)).collect();
    let kind = kinds.first().copied().flatten();
    anyhow::ensure!(
        kinds.iter().all(|other| *other == kind),
        "results, verdicts and scores are named together; import the results first, then each alone"
    );
    anyhow::ensure!(
        args.smaller_is_surer.is_empty() || kind == Some(Brought::Scores),
        "--smaller-is-surer is about scores, and no file of scores is named"
    );
    let lines = match kind {
        None => results(args)?,
        Some(Brought::Verdicts) => verdicts(args)?,
        Some(Brought::Scores) => scores(args)?,
    };
    let lines = lines.lines().map(|line| visible(line).into_owned() + "\n");
    out::print(&lines.collect::<String>())?;
    // Copies of computed values follow what they are computed from.
    let refreshed = engine::refresh(&args.output, copied).map_err(|error| {
        let (store, why) = (args.output.display(), error.reason());
        anyhow::anyhow!(
            "{store}: the import is done, but the computed values in scores.parquet are not renewed \
             ({why}); `qualm score` writes them again"
        )
    })?;
    if refreshed > 0 {
        let values = counted(refreshed as u64, "computed value");
        out::print(&format!("{values} in scores.parquet written again\n"))?;
    }
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

/// Imports scores and describes what came in.
fn scores(args: &Args) -> anyhow::Result<String> {
    let options = ScoreImportOptions { smaller_is_surer: args.smaller_is_surer.clone() };
    let summary = import_scores(&args.paths, &args.output, &options)?;
    let mut lines = vec![format!("{}:", args.output.display())];
    for (scorer, (count, reversed)) in &summary.scorers {
        let direction = if *reversed { ", smaller is surer" } else { ", larger is surer" };
        lines.push(format!("  {scorer}: {}{direction}", counted(*count as u64, "value")));
    }
    if summary.replaced > 0 {
        lines.push(format!("  {} replaced", counted(summary.replaced as u64, "older value")));
    }
    if summary.empty > 0 {
        lines.push(format!("  {} without a value", counted(summary.empty as u64, "cell")));
    }
    if !summary.ignored.is_empty() {
        let names: Vec<&str> = summary.ignored.iter().map(String::as_str).collect();
        lines.push(format!("  not taken for scores: {}", names.join(", ")));
    }
    Ok(lines.join("\n"))
}

/// Imports results and describes what came in.
fn results(args: &Args) -> anyhow::Result<String> {
    let options = ImportOptions {
        read: ReadOptions {
            reader: args.format,
            stdin: true,
            partial: false,
            dataset: args.dataset.clone(),
            model: args.model.clone(),
            condition: args.condition.clone(),
            keep_errored: args.keep_errored,
        },
        reference: args.reference.as_deref().map(Reference::parse),
        ..ImportOptions::default()
    };
    let inputs = readers::find_inputs(&args.paths, &options.read)?;
    let summary = import_with_bar(inputs, &args.output, &options)?;
    let mut lines = describe(&summary, args);
    if let Some(line) = written_elsewhere(&args.output) {
        lines.insert_str(lines.find("\n\n").unwrap_or(lines.len()), &line);
    }
    Ok(lines)
}

/// Says that there are notes and votes on these runs that were written before they were in a store.
fn written_elsewhere(store: &Path) -> Option<String> {
    let inside = Store::open(store).ok()?.annotations().ok()?;
    let shared = Store::open(store).ok()?.with_log(paths::annotations().ok()?);
    let outside = shared.annotations().ok()?;
    let notes = outside.notes.iter().filter(|note| !inside.notes.contains(note)).count();
    let votes = outside.votes.iter().filter(|vote| !inside.votes.contains(vote)).count();
    let labels = outside.labels.iter().filter(|label| !inside.labels.contains(label)).count();
    let all = notes + votes + labels;
    (all > 0).then(|| {
        format!(
            "\n  {} on these runs outside of the store: `qualm merge` with the results adds them",
            counted(all as u64, "annotation")
        )
    })
}

/// Imports under a progress bar.
pub(super) fn import_with_bar(
    inputs: Inputs,
    store: &Path,
    options: &ImportOptions,
) -> Result<Summary, ImportError> {
    let bar = Bar::bytes("trajectory");
    import_inputs(inputs, store, options, &|step| match step {
        ImportProgress::Started(bytes) => bar.set_total(bytes),
        ImportProgress::Trajectory => bar.thing(),
        ImportProgress::Input(bytes) => bar.advance(bytes),
    })
}

/// Bytes of a line: what it quotes may be of any length.
const LONGEST: usize = 2_000;

/// Files that are passed over, or tasks without a reference, named at most.
const MOST_LISTED: usize = 5;

/// Some tasks by name, and how many more there are.
fn some_tasks(tasks: &[(Cell, String)]) -> String {
    let named = tasks.iter().take(MOST_LISTED).map(|(cell, task)| format!("{cell} task {task}"));
    let names = named.collect::<Vec<_>>().join(", ");
    match tasks.len().checked_sub(MOST_LISTED) {
        Some(more @ 1..) => format!("{names} and {more} more"),
        _ => names,
    }
}

/// What was left out of the stored values: those that can be made again, and those that cannot.
fn dropped(dropped: Dropped) -> Vec<String> {
    let line = |count: u64, noun: &str, rest: &str| {
        (count > 0).then(|| format!("  {}{rest}", counted(count, noun)))
    };
    let lines = [
        line(
            dropped.computed,
            "stored value",
            " about replaced runs or changed samples left out; `qualm score` makes them again",
        ),
        line(
            dropped.brought,
            "score",
            " of a model or of the user on changed runs left out; `qualm score` cannot make them again",
        ),
        line(
            dropped.verdicts,
            "verdict",
            " about replaced runs left out; `qualm score` cannot make them again",
        ),
    ];
    lines.into_iter().flatten().collect()
}

/// Why turns lack a score, in one line.
fn unscored(summary: &Summary) -> Option<String> {
    let all: u64 = summary.unscored.values().sum();
    let part =
        |(reason, count): (&Unscored, &u64)| format!("{} {}", grouped(*count), reason.of_several());
    let parts: Vec<String> = summary.unscored.iter().map(part).collect();
    let turns = counted(all, "turn");
    (all > 0).then(|| format!("  {turns} without a white-box score: {}", parts.join(", ")))
}

/// Records and files that did not come in.
fn left_out(summary: &Summary) -> Vec<String> {
    let mut reasons: BTreeMap<Cow<'_, str>, u64> = BTreeMap::new();
    for skip in &summary.skipped {
        // Every copy has a reason of its own, which names its id.
        let reason = if skip.copy {
            Cow::Owned(format!("other files have the same runs as {}", skip.source))
        } else {
            Cow::Borrowed(skip.reason.as_str())
        };
        *reasons.entry(reason).or_default() += 1;
    }
    let skipped = reasons
        .into_iter()
        .map(|(reason, count)| format!("  {} skipped: {reason}", counted(count, "record")));
    let mut lines: Vec<String> = skipped.collect();
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
    lines
}

/// Notes and votes on runs that the store does not have, and lines that cannot be read.
fn unused_annotations(annotations: &Annotations) -> Vec<String> {
    let orphans = annotations.orphans.iter().take(MOST_LISTED);
    let mut lines: Vec<String> =
        orphans.map(|orphan| format!("  kept, though unused: {orphan}")).collect();
    if let Some(more @ 1..) = annotations.orphans.len().checked_sub(MOST_LISTED) {
        lines.push(format!("  {} more kept, though unused", counted(more as u64, "annotation")));
    }
    lines.extend(annotations.damaged.iter().map(|damaged| format!("  {damaged}")));
    lines
}

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
    lines.extend(dropped(summary.dropped));
    if summary.ungraded > 0 {
        let runs = counted(summary.ungraded, "trajectory");
        lines.push(format!("  {runs} not graded by the harness: kept, without a label"));
    }
    lines.extend(unscored(summary));
    if summary.alike > 0 {
        lines.push(format!(
            "  {} the same, word for word, as one of another file: if a file is a copy, leave it out",
            counted(summary.alike, "trajectory")
        ));
    }
    if !summary.without_reference.is_empty() {
        lines.push(format!(
            "  {} without a reference, left out of metrics: {}; --reference any takes the first run \
             there is",
            counted(summary.without_reference.len() as u64, "task"),
            some_tasks(&summary.without_reference)
        ));
    }
    lines.extend(left_out(summary));
    lines.extend(unused_annotations(&summary.annotations));
    let mut lines: Vec<String> =
        lines.iter().map(|line| bounded(line, LONGEST).into_owned()).collect();
    lines.push(String::new());
    lines.extend(report::cells(&summary.cells).to_string().lines().map(str::to_owned));
    lines.join("\n")
}
