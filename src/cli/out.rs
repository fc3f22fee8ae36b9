//! Prints to standard output and error. A closed pipe is not an error: the reader has seen enough.

use std::env;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use anyhow::Context as _;

use crate::files::{self, Overwrite, WriteError};
use crate::report::{Origin, OutputFormat, Table};
use crate::store::Store;
use crate::text::{bounded, readable, shell_word, visible};

/// Says on stderr what casts doubt on the numbers of a store that was read.
pub(super) fn warn_of(store: &Store) {
    store.doubts().iter().for_each(|doubt| warn(store.path(), doubt));
}

/// Says on stderr what the user should know about a store.
pub(super) fn warn(store: &Path, what: &str) {
    complain(&visible(&format!("qualm: {}: {what}", store.display())));
}

/// Prints text to stdout.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output cannot be written; send it elsewhere"),
    }
}

/// Fails where a file has the name of one that is to be written: before the work, and not only at its end.
pub(super) fn ensure_absent(path: Option<&Path>) -> anyhow::Result<()> {
    match path.filter(|path| path.exists()) {
        Some(path) => Err(WriteError::Exists(path.to_owned()).into()),
        None => Ok(()),
    }
}

/// What says in a file what made its table: this command.
pub(super) fn origin(store: String, selection: Option<&str>) -> Origin {
    let words = env::args_os().skip(1).map(|word| shell_word(&word.to_string_lossy()));
    let command = std::iter::once("qualm".to_owned()).chain(words).collect::<Vec<_>>().join(" ");
    Origin { store, selection: selection.unwrap_or_default().to_owned(), command }
}

/// Writes a table to a new file, or prints it.
pub(super) fn write(
    table: &Table,
    format: OutputFormat,
    path: Option<&Path>,
) -> anyhow::Result<()> {
    let Some(path) = path else { return print(&table.render(format)) };
    let failed = || format!("{}: cannot be written", path.display());
    let bytes = table.bytes(format).with_context(failed)?;
    Ok(files::write(path, Overwrite::Never, bytes)?)
}

/// Bytes of a message on stderr, at most: what it quotes may be of any length.
const LONGEST: usize = 8 * 1024;

/// Prints a message to stderr. There is nobody left to tell when that fails.
pub(super) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{}", readable(&bounded(message, LONGEST)));
}
