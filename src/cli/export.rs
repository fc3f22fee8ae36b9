use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::out;
use crate::report::{ExportKind, Format, Rows, export};
use crate::store::{Store, write_parquet};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to export from
    store: PathBuf,
    /// What to export
    #[arg(long, value_parser = kind_parser())]
    what: ExportKind,
    /// In which format
    #[arg(long, default_value = "csv", value_parser = ["csv", "jsonl", "parquet"])]
    format: String,
    /// The file to write, which must not be there yet; printed when unsaid
    #[arg(short, long, value_name = "FILE", required_if_eq("format", "parquet"))]
    output: Option<PathBuf>,
}

fn kind_parser() -> impl TypedValueParser<Value = ExportKind> {
    PossibleValuesParser::new(ExportKind::ALL.map(ExportKind::id))
        .try_map(|id| ExportKind::ALL.into_iter().find(|own| own.id() == id).ok_or("unknown"))
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // Before the work, and once more at its end.
    if let Some(path) = args.output.as_ref().filter(|path| path.exists()) {
        anyhow::bail!("{}", taken(path));
    }
    let rows = export(args.what, &Store::open(&args.store)?)?;
    let text = |rows: &Rows| {
        if args.format == "csv" { rows.render(Format::Csv) } else { rows.json_lines() }
    };
    match &args.output {
        None => out::print(&text(&rows))?,
        Some(path) if args.format == "parquet" => {
            write_new(path, |file| Ok(write_parquet(file, path, rows.len(), &rows.columns())?))?;
        }
        Some(path) => write_new(path, |mut file| {
            let written = file.write_all(text(&rows).as_bytes()).and_then(|()| file.sync_all());
            written.with_context(|| format!("{}: cannot be written", path.display()))
        })?,
    }
    Ok(ExitCode::SUCCESS)
}

fn taken(path: &Path) -> String {
    format!("{}: is there already; name another file with -o", path.display())
}

/// Writes a file beside its place and then there: it is whole or not there, and replaces none.
fn write_new(path: &Path, write: impl FnOnce(&File) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let name = path.file_name().with_context(|| format!("{}: is no file", path.display()))?;
    let draft = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
    let draft = path.with_file_name(draft);
    let created = File::create(&draft);
    let file = created.with_context(|| format!("{}: cannot be written", path.display()))?;
    let done = write(&file).and_then(|()| {
        // A link is refused where something is; a rename would replace it.
        fs::hard_link(&draft, path).or_else(|error| match error.kind() {
            ErrorKind::AlreadyExists => anyhow::bail!("{}", taken(path)),
            _ => fs::rename(&draft, path)
                .with_context(|| format!("{}: cannot be written", path.display())),
        })
    });
    // After a rename it is gone already.
    let _ = fs::remove_file(&draft);
    done
}
