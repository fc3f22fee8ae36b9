//! `qualm man`: a manual page for the program and for every command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap_mangen::Man;

use super::out;
use crate::files::{self, Overwrite};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder to write the pages into, such as ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let folder = &args.folder;
    fs::create_dir_all(folder)
        .with_context(|| format!("{}: cannot be made; name another folder", folder.display()))?;
    let mut command = super::command();
    command.build();
    let pages = pages(&command, folder)?;
    out::print(&format!("{pages} manual pages written to {}\n", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the page of a command and of the commands below it; returns their number.
fn pages(command: &clap::Command, folder: &Path) -> anyhow::Result<usize> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    // `qualm-report`, as the page calls itself.
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    files::write(&folder.join(format!("{name}.1")), Overwrite::Replace, page)?;
    let mut written = 1;
    for below in command.get_subcommands() {
        written += pages(below, folder)?;
    }
    Ok(written)
}
