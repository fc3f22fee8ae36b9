//! Printing to standard output. A closed pipe is no error: the reader has seen enough.

use std::io::{self, ErrorKind, Write as _};

use anyhow::Context as _;

/// Prints text to stdout.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output cannot be written; send it elsewhere"),
    }
}
