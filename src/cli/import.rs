use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::import::{ImportOptions, Progress, Reference, Summary, import};
use crate::readers::{Format, ReadOptions};
use crate::report;
use crate::text::{counted, visible};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Result files, or folders to search for them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// The store to write; results are added to one that is there
    #[arg(short, long, value_name = "STORE")]
    output: PathBuf,
    /// The format, in place of what the content tells
    #[arg(long, value_parser = format_parser())]
    format: Option<Format>,
    /// The dataset's name, in place of what the files say
    #[arg(long)]
    dataset: Option<String>,
    /// The model's name, in place of what the files say
    #[arg(long)]
    model: Option<String>,
    /// A condition that keeps these runs apart from others of the same dataset and model
    #[arg(long)]
    condition: Option<String>,
    /// The runs that are references: a file, or a trial number
    #[arg(long, value_name = "FILE|TRIAL")]
    reference: Option<String>,
    /// Keep runs that crashed before the agent acted, as empty failures
    #[arg(long)]
    keep_errored: bool,
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::id)).try_map(|id| {
        Format::ALL.into_iter().find(|format| format.id() == id).ok_or("unknown format")
    })
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let options = ImportOptions {
        read: ReadOptions {
            format: args.format,
            dataset: args.dataset.clone(),
            model: args.model.clone(),
            condition: args.condition.clone(),
            keep_errored: args.keep_errored,
        },
        reference: args.reference.as_deref().map(Reference::parse),
    };
    let bar = Bar::new();
    let summary = import(&args.paths, &args.output, &options, &|step| bar.step(step))?;
    bar.clear();
    for line in describe(&summary, args).lines() {
        println!("{}", visible(line));
    }
    Ok(ExitCode::SUCCESS)
}

/// What came in, as text.
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
    for path in &summary.unknown {
        lines.push(format!("  {} passed over: no result file that qualm knows", path.display()));
    }
    lines.push(String::new());
    lines.extend(report::cells(&summary.cells).to_string().lines().map(str::to_owned));
    lines.join("\n")
}

/// A progress bar that appears on a terminal when the work takes more than a second.
pub(super) struct Bar {
    started: Instant,
    bar: OnceLock<ProgressBar>,
    total: OnceLock<u64>,
    runs: std::sync::atomic::AtomicU64,
    bytes: std::sync::atomic::AtomicU64,
}

impl Bar {
    const PATIENCE: Duration = Duration::from_secs(1);

    pub(super) fn new() -> Self {
        Self {
            started: Instant::now(),
            bar: OnceLock::new(),
            total: OnceLock::new(),
            runs: 0.into(),
            bytes: 0.into(),
        }
    }

    pub(super) fn step(&self, step: Progress) {
        use std::sync::atomic::Ordering::Relaxed;
        match step {
            Progress::Started(bytes) => drop(self.total.set(bytes)),
            Progress::File(bytes) => drop(self.bytes.fetch_add(bytes, Relaxed)),
            Progress::Trajectory => drop(self.runs.fetch_add(1, Relaxed)),
        }
        if self.started.elapsed() < Self::PATIENCE {
            return;
        }
        // indicatif itself draws nothing where stderr is no terminal.
        let bar = self.bar.get_or_init(|| {
            let total = self.total.get().copied();
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{wide_bar} {bytes}/{total_bytes} {msg}");
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        bar.set_position(self.bytes.load(Relaxed));
        bar.set_message(counted(self.runs.load(Relaxed), "trajectory"));
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
