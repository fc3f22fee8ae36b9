//! `qualm completions`: the script by which a shell completes commands and flags.

use std::process::ExitCode;

use clap_complete::Shell;

use super::out;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "qualm", &mut script);
    out::print(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}
