//! `qualm import`: benchmark results, or a table of verdicts or scores, into a store.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use super::progress::Bar;
use super::{out, paths};
use crate::engine;
use crate::import::{
    Brought, Dropped, ImportError, ImportOptions, ImportProgress, Joined, Labelled, Reference,
    ScoreImportOptions, Summary, import_inputs, import_scores, import_verdicts,
};
use crate::model::{Cell, Unscored};
use crate::readers::{
    self, Claimed, ConditionFrom, Gives, Inputs, Mapping, ReadOptions, Reader, ScoreChoice,
};
use crate::remote::{self, RemoteError};
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
    /// The store to write; results are added to an existing one
    #[arg(short, long, value_name = "STORE")]
    output: PathBuf,
    /// The format, instead of the one detected from the content
    #[arg(long, value_parser = format_parser())]
    format: Option<&'static dyn Reader>,
    /// A mapping that says where tasks, messages and outcomes are in files that no reader knows
    #[arg(long, value_name = "MAPPING.toml", conflicts_with = "format")]
    map: Option<PathBuf>,
    /// The dataset's name, instead of the one in the files
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    dataset: Option<String>,
    /// The model's name, instead of the one in the files
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    model: Option<String>,
    /// A condition that keeps these runs apart from others of the same dataset and model
    ///
    /// from-folder and from-file take its name from the folder or the name of each file.
    #[arg(long, value_name = "NAME|from-folder|from-file", value_parser = NonEmptyStringValueParser::new())]
    condition: Option<String>,
    /// Which runs are the references: those of a file or of a trial number, any or all
    ///
    /// With any, a task without its reference uses its first run instead. With all, no run is a
    /// reference, and every run counts.
    #[arg(long, value_name = "FILE|TRIAL|any|all")]
    reference: Option<String>,
    /// A file of labels for the runs of this import; may be repeated
    ///
    /// The file is a SWE-bench report, or a table (CSV, Parquet, JSON lines) with a task id and an
    /// outcome in each row.
    #[arg(long, value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// A scorer whose smaller values mean more confidence, such as an entropy
    #[arg(long, value_name = "NAME")]
    smaller_is_surer: Vec<String>,
    /// Keep runs that crashed before the agent acted, as empty failures
    #[arg(long)]
    keep_errored: bool,
    /// The named score that becomes the label: NAME, NAME.key of a dictionary, or NAME>=0.5
    #[arg(long, value_name = "NAME")]
    score: Option<ScoreChoice>,
    /// Add the results to the store as a part of its own: whole cells of one dataset, which the store lacks
    ///
    /// What the store has stays as it is. `qualm score` then renews the values in scores.parquet; an
    /// import without this flag makes one file per table of all parts.
    #[arg(long, conflicts_with_all = ["labels", "reference"])]
    append: bool,
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
    if remote::is_address(&args.output) {
        anyhow::bail!(RemoteError::ReadOnly(args.output.display().to_string()));
    }
    let copied = if args.append { Vec::new() } else { engine::copied(&args.output)? };
    let kind_of = |path: &PathBuf| if args.map.is_some() { None } else { Brought::of(path) };
    let kinds: Vec<Option<Brought>> = args.paths.iter().map(kind_of).collect();
    let kind = kinds.first().copied().flatten();
    anyhow::ensure!(
        kinds.iter().all(|other| *other == kind),
        "results, verdicts and scores cannot be imported together; import the results first"
    );
    anyhow::ensure!(
        args.smaller_is_surer.is_empty() || kind == Some(Brought::Scores),
        "--smaller-is-surer applies to scores, but no file of scores is named"
    );
    anyhow::ensure!(
        args.labels.is_empty() || kind.is_none(),
        "--labels applies to results, but no results are named"
    );
    anyhow::ensure!(
        !args.append || kind.is_none(),
        "--append applies to results, but no results are named"
    );
    let lines = match kind {
        None => results(args)?,
        Some(Brought::Verdicts) => verdicts(args)?,
        Some(Brought::Scores) => scores(args)?,
    };
    let lines = lines.lines().map(|line| visible(line).into_owned() + "\n");
    out::print(&lines.collect::<String>())?;
    if args.append {
        return Ok(ExitCode::SUCCESS);
    }
    // Copies of computed values follow what they are computed from.
    let refreshed = engine::refresh(&args.output, copied).map_err(|error| {
        let (store, why) = (args.output.display(), error.reason());
        anyhow::anyhow!(
            "{store}: the import is done, but the computed values in scores.parquet were not updated \
             ({why}); `qualm score` writes them again"
        )
    })?;
    if refreshed > 0 {
        let values = counted(refreshed as u64, "computed value");
        out::print(&format!("{values} in scores.parquet updated\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a mapping to start from.
pub(super) fn suggest(mapping: &str) {
    let command = "qualm import FILE --map mapping.toml -o STORE";
    out::complain(&format!("A mapping that may fit, for `{command}`:\n"));
    mapping.lines().for_each(|line| out::complain(&visible(line)));
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
        lines.push(format!("  people: {votes} added, {} already present", summary.known_votes));
    }
    Ok(lines.join("\n"))
}

/// Imports scores and describes what came in.
fn scores(args: &Args) -> anyhow::Result<String> {
    let options = ScoreImportOptions { smaller_is_surer: args.smaller_is_surer.clone() };
    let summary = import_scores(&args.paths, &args.output, &options)?;
    let mut lines = vec![format!("{}:", args.output.display())];
    for (scorer, (count, reversed)) in &summary.scorers {
        let direction =
            if *reversed { ", smaller is more confident" } else { ", larger is more confident" };
        lines.push(format!("  {scorer}: {}{direction}", counted(*count as u64, "value")));
    }
    if summary.replaced > 0 {
        lines.push(format!("  {} replaced", counted(summary.replaced as u64, "older value")));
    }
    if summary.empty > 0 {
        lines.push(format!("  {} skipped", counted(summary.empty as u64, "empty field")));
    }
    if !summary.ignored.is_empty() {
        let names: Vec<&str> = summary.ignored.iter().map(String::as_str).collect();
        lines.push(format!("  columns not read as scores: {}", names.join(", ")));
    }
    Ok(lines.join("\n"))
}

/// Imports results and describes what came in.
fn results(args: &Args) -> anyhow::Result<String> {
    let mapping = args.map.as_deref().map(Mapping::read).transpose()?.map(Arc::new);
    let by_mapping = mapping.as_ref().and_then(|_| readers::by_id("map"));
    let condition_from = args.condition.as_deref().and_then(ConditionFrom::parse);
    let options = ImportOptions {
        read: ReadOptions {
            reader: args.format.or(by_mapping),
            mapping,
            stdin: true,
            partial: false,
            dataset: args.dataset.clone(),
            model: args.model.clone(),
            condition: args.condition.clone().filter(|_| condition_from.is_none()),
            condition_from,
            keep_errored: args.keep_errored,
            score: args.score.clone(),
        },
        reference: args.reference.as_deref().map(Reference::parse),
        labels: args.labels.clone(),
        append: args.append,
        ..ImportOptions::default()
    };
    let inputs = readers::find_inputs(&args.paths, &options.read)?;
    let has_scores = |input: &Claimed| input.reader.info().gives.contains(&Gives::Scores);
    anyhow::ensure!(
        args.score.is_none() || inputs.claimed.iter().any(has_scores),
        "--score chooses among named scores, but no file is of a format that has them; \
         `qualm formats` lists the formats"
    );
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
            "\n  {} on these runs outside the store; `qualm merge` with the results adds them",
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

/// What a file of labels did.
fn labelled(file: &Labelled) -> String {
    let Labelled { path, runs, changed, unmatched } = file;
    let runs = counted(*runs, "trajectory");
    let changed = match changed {
        0 => String::new(),
        changed => format!(", {changed} of them changed"),
    };
    let named: Vec<&str> = unmatched.iter().take(MOST_LISTED).map(String::as_str).collect();
    let rest = if unmatched.len() > MOST_LISTED { " …" } else { "" };
    let unmatched = match unmatched.len() {
        0 => String::new(),
        count => {
            let ids = counted(count as u64, "id");
            format!("; {ids} without a run: {}{rest}", named.join(", "))
        }
    };
    format!("  {}: {runs} labelled{changed}{unmatched}", path.display())
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
            " of replaced runs or changed samples dropped; `qualm score` computes them again",
        ),
        line(
            dropped.brought,
            "score",
            " from models or files dropped, because the runs changed; `qualm score` cannot restore them",
        ),
        line(
            dropped.verdicts,
            "verdict",
            " on replaced runs dropped; `qualm score` cannot restore them",
        ),
    ];
    lines.into_iter().flatten().collect()
}

/// Which draws came from which files, and what speaks against taking the files together.
fn joined(cells: &[Joined]) -> Vec<String> {
    let mut lines = Vec::new();
    for joined in cells.iter().take(MOST_LISTED) {
        lines.push(format!("  {joined}"));
        let remedy = joined.remedy.id();
        lines.extend(joined.doubts.iter().map(|doubt| {
            format!("    {doubt}; --condition {remedy} or --condition NAME keeps them apart")
        }));
    }
    if let Some(more @ 1..) = cells.len().checked_sub(MOST_LISTED) {
        let doubtful = cells[MOST_LISTED..].iter().filter(|joined| !joined.doubts.is_empty());
        let doubtful = match doubtful.count() {
            0 => String::new(),
            some => format!(", {some} of them from files that may not belong together"),
        };
        let cells = counted(more as u64, "more cell");
        lines.push(format!("  {cells} from several files{doubtful}"));
    }
    lines
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
            Cow::Owned(format!("duplicates of runs in {}", skip.source))
        } else {
            Cow::Borrowed(skip.reason.as_str())
        };
        *reasons.entry(reason).or_default() += 1;
    }
    let skipped = reasons
        .into_iter()
        .map(|(reason, count)| format!("  {} skipped: {reason}", counted(count, "record")));
    let mut lines: Vec<String> = skipped.collect();
    lines.extend(notes(summary));
    for (path, what) in summary.unknown.iter().take(MOST_LISTED) {
        lines
            .push(format!("  {} skipped: no results that qualm can read ({what})", path.display()));
    }
    if let Some(more @ 1..) = summary.unknown.len().checked_sub(MOST_LISTED) {
        lines.push(format!("  {} more skipped", counted(more as u64, "file")));
    }
    lines
}

/// What the inputs say about themselves; what several say stands once.
fn notes(summary: &Summary) -> Vec<String> {
    let mut said: Vec<(&str, &Path, usize)> = Vec::new();
    let mut indices: HashMap<&str, usize> = HashMap::new();
    for (path, notes) in &summary.files {
        for note in notes {
            let index = *indices.entry(note).or_insert(said.len());
            match said.get_mut(index) {
                Some((.., more)) => *more += 1,
                None => said.push((note, path, 0)),
            }
        }
    }
    let line = |(note, path, more): (&str, &Path, usize)| match more {
        0 => format!("  {} {note}", path.display()),
        more => format!("  {} {note} (and {more} more)", path.display()),
    };
    said.into_iter().map(line).collect()
}

/// Notes and votes on runs that the store does not have, and lines that cannot be read.
fn unused_annotations(annotations: &Annotations) -> Vec<String> {
    let orphans = annotations.orphans.iter().take(MOST_LISTED);
    let mut lines: Vec<String> =
        orphans.map(|orphan| format!("  kept but not used: {orphan}")).collect();
    if let Some(more @ 1..) = annotations.orphans.len().checked_sub(MOST_LISTED) {
        lines.push(format!("  {} more kept but not used", counted(more as u64, "annotation")));
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
            "  {} already in the store: {} kept, {} replaced",
            counted(summary.kept + summary.replaced, "trajectory"),
            summary.kept,
            summary.replaced
        ));
    }
    lines.extend(dropped(summary.dropped));
    if summary.ungraded > 0 {
        let runs = counted(summary.ungraded, "trajectory");
        lines.push(format!(
            "  {runs} not graded by the harness: kept without a label; --labels adds labels"
        ));
    }
    lines.extend(summary.labelled.iter().map(labelled));
    lines.extend(unscored(summary));
    if summary.added > 0 {
        lines.push(format!("  {}", summary.given.sentence(summary.added)));
    }
    if summary.alike > 0 {
        lines.push(format!(
            "  {} identical, word for word, to one of another file; if a file is a copy, leave it out",
            counted(summary.alike, "trajectory")
        ));
    }
    if !summary.pooled.is_empty() {
        let cells: Vec<String> =
            summary.pooled.iter().take(MOST_LISTED).map(ToString::to_string).collect();
        let more = match summary.pooled.len().checked_sub(MOST_LISTED) {
            Some(more @ 1..) => format!(" and {more} more"),
            _ => String::new(),
        };
        lines.push(format!(
            "  no reference, every run counts: {}{more}; `references_solved` is the share of solved runs there; --reference FILE, TRIAL or any chooses a reference",
            cells.join(", ")
        ));
    }
    if !summary.without_reference.is_empty() {
        lines.push(format!(
            "  {} without a reference, left out of metrics: {}; --reference any uses their first run instead",
            counted(summary.without_reference.len() as u64, "task"),
            some_tasks(&summary.without_reference)
        ));
    }
    lines.extend(joined(&summary.joined));
    lines.extend(left_out(summary));
    lines.extend(unused_annotations(&summary.annotations));
    let mut lines: Vec<String> =
        lines.iter().map(|line| bounded(line, LONGEST).into_owned()).collect();
    lines.push(String::new());
    lines.extend(report::cells(&summary.cells).to_string().lines().map(str::to_owned));
    lines.join("\n")
}
