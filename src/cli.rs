//! The command line: one file a command.

mod check;
mod demo;
mod diff;
mod export;
mod format;
mod formats;
mod import;
mod merge;
mod open;
mod out;
mod paths;
mod pick;
mod progress;
mod report;
mod score;
mod shot;
mod show;
mod state;
mod view;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::text::visible;
use crate::ui::{View, tui};

/// Explore the uncertainty of LLM agents in the terminal.
#[derive(Debug, Parser)]
#[command(
    name = "qualm",
    version,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// A store to open, or result files, which are imported into the cache and opened
    paths: Vec<PathBuf>,
    #[command(flatten)]
    view: View,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make (once) and open the built-in demo store of synthetic data
    Demo(demo::Args),
    /// Read benchmark results, or a CSV of verdicts, into a store
    Import(import::Args),
    /// List the formats that can be imported, and what each gives
    Formats,
    /// Compute the scorers that need no model and keep their values in the store
    Score(score::Args),
    /// Print a table: the same numbers as the screens, without a terminal
    Report(report::Args),
    /// Write verdicts, notes, scores or tasks to a file for other tools
    Export(export::Args),
    /// Bring the notes and votes of copies of a store together, and tell how far people agree
    Merge(merge::Args),
    /// Print runs of a task beside each other, without a terminal
    Show(show::Args),
    /// Print where two runs of a task part
    Diff(diff::Args),
    /// Draw a screen without a terminal, to SVG, ANSI or text
    Shot(shot::Args),
    /// Validate a store and list every problem
    Check(check::Args),
}

/// Runs the program; an error becomes one sentence on stderr and exit code 1.
pub fn run() -> ExitCode {
    tui::silence_reading_panics();
    let cli = Cli::parse();
    let result = match cli.command {
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Import(args)) => import::run(&args),
        Some(Command::Formats) => formats::run(),
        Some(Command::Score(args)) => score::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Merge(args)) => merge::run(&args),
        Some(Command::Show(args)) => show::run(&args),
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Shot(args)) => shot::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        None => open::run(&cli.paths, &cli.view),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("qualm: {}", visible(&format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}
