use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only write the store there, and do not open it
    #[arg(short, long, value_name = "STORE")]
    output: Option<PathBuf>,
    /// At most this many tasks a cell
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    tasks: Option<u32>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let _ = (&args.output, &args.tasks);
    anyhow::bail!("not yet")
}
