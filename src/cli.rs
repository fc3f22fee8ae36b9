//! The command line: one file per command.

mod cells;
mod check;
mod compared;
mod completions;
mod damage;
mod demo;
mod diff;
mod export;
mod figure;
mod format;
mod formats;
mod gate;
mod help;
mod html;
mod import;
mod man;
mod merge;
mod models;
mod open;
mod out;
mod paths;
mod pick;
mod progress;
mod report;
mod results;
mod score;
mod scorers;
mod shot;
mod show;
mod sql;
mod state;
mod tasks;
mod threads;
mod versus;
mod view;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::readers::ReadError;
use crate::text::{bounded, visible};
use crate::ui::{View, tui};

/// Explore the uncertainty of LLM agents: open a store, or result files.
///
/// What `-h` does not list: `qualm help` names the pages of the documentation and further commands.
#[derive(Debug, Parser)]
#[command(
    name = "qualm",
    version,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    override_usage = "qualm [OPTIONS] [PATHS]... or qualm <COMMAND>",
    // Short help fits 24 lines.
    help_template = "{before-help}{about-with-newline}{usage-heading} {usage}\n\n{all-args}{after-help}"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// A store, or results, imported into the cache; --watch follows them
    ///
    /// Results are files and folders, or - for standard input.
    #[arg(hide_short_help = true)]
    paths: Vec<PathBuf>,
    /// Follow the store or the results while they are written; look every so many seconds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, hide_short_help = true,
          default_missing_value = "1", value_parser = open::seconds)]
    watch: Option<Duration>,
    /// Keep notes, votes and labels in this file, and only read those of the store
    #[arg(
        long,
        value_name = "FILE",
        global = true,
        env = "QUALM_ANNOTATIONS",
        hide_short_help = true
    )]
    annotations: Option<PathBuf>,
    #[command(flatten)]
    view: View,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make (once) and open the built-in demo store of synthetic data
    Demo(demo::Args),
    /// Read benchmark results, verdicts or scores into a store
    Import(import::Args),
    /// List the formats that can be imported, and what each gives
    Formats,
    /// Compute scorers, also by asking models; the store keeps the values
    Score(score::Args),
    /// List every scorer: what it has, what it needs, what that would cost
    Scorers(scorers::Args),
    /// Try whether a folder is a model that scorers can use; print prompts
    #[command(hide = true)]
    Models(models::Args),
    /// Print a table: the same numbers as the screens, without a terminal
    Report(report::Args),
    /// Write verdicts, notes, labels, scores or tasks for other tools
    Export(export::Args),
    /// Print scorers and metrics as SQL for other engines
    #[command(hide = true)]
    Sql(sql::Args),
    /// Merge notes and votes of copies, and report how well people agree
    #[command(hide = true)]
    Merge(merge::Args),
    /// Print runs of a task side by side, without a terminal
    Show(show::Args),
    /// Print where two runs of a task diverge
    Diff(diff::Args),
    /// Compare two cells, or two stores, on the tasks they share
    Versus(versus::Args),
    /// Tell by the exit code whether a candidate is worse than its baseline
    Gate(gate::Args),
    /// Draw a screen without a terminal, to SVG, ANSI or text
    Shot(shot::Args),
    /// Draw a figure for a paper or a page
    Figure(figure::Args),
    /// Write a store as one page for a browser
    Html(html::Args),
    /// Validate a store and list every problem
    Check(check::Args),
    /// Print a page of the documentation, or the help of a command
    Help(help::Args),
    /// Print the script by which a shell completes commands and flags
    #[command(hide = true)]
    Completions(completions::Args),
    /// Write a manual page for every command
    #[command(hide = true)]
    Man(man::Args),
}

/// Bytes of an argument that an error shows.
const LONGEST_ARGUMENT: usize = 400;

/// The command line. The flags of a view are many: `--help` lists them, `-h` does not.
fn command() -> clap::Command {
    let hide = |flag: Arg| {
        let is_view = flag.get_help_heading() == Some(View::HEADING);
        if is_view { flag.hide_short_help(true) } else { flag }
    };
    Cli::command().mut_args(hide).mut_subcommands(move |command| command.mut_args(hide))
}

/// Reads arguments.
fn parse_from(arguments: impl Iterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Reads the arguments. What an error quotes of them is cleaned, by reading them again as they may be
/// shown.
fn parse() -> Result<Cli, clap::Error> {
    parse_from(env::args_os()).map_err(|error| {
        let shown = env::args_os().map(|argument| {
            let argument = argument.to_string_lossy();
            OsString::from(bounded(&visible(&argument), LONGEST_ARGUMENT).into_owned())
        });
        parse_from(shown).err().unwrap_or(error)
    })
}

/// Lets a write beyond the limit on file sizes fail, so that nothing is left behind; by default the
/// system ends the program.
#[cfg(unix)]
fn fail_at_file_limits() {
    // A handler is enough; that it was called is of no interest.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

#[cfg(not(unix))]
fn fail_at_file_limits() {}

/// Runs the program; an error becomes one sentence on stderr and exit code 1.
pub fn run() -> ExitCode {
    tui::silence_reading_panics();
    fail_at_file_limits();
    let cli = parse().unwrap_or_else(|error| error.exit());
    cli.annotations.into_iter().for_each(results::annotate_in);
    let result = threads::fit().and_then(|()| match cli.command {
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Import(args)) => import::run(&args),
        Some(Command::Formats) => formats::run(),
        Some(Command::Score(args)) => score::run(&args),
        Some(Command::Scorers(args)) => scorers::run(&args),
        Some(Command::Models(args)) => models::run(&args),
        Some(Command::Report(args)) => report::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Sql(args)) => sql::run(&args),
        Some(Command::Merge(args)) => merge::run(&args),
        Some(Command::Show(args)) => show::run(&args),
        Some(Command::Diff(args)) => diff::run(&args),
        Some(Command::Versus(args)) => versus::run(&args),
        Some(Command::Gate(args)) => gate::run(&args),
        Some(Command::Shot(args)) => shot::run(&args),
        Some(Command::Figure(args)) => figure::run(&args),
        Some(Command::Html(args)) => html::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Help(args)) => help::run(&args),
        Some(Command::Completions(args)) => completions::run(&args),
        Some(Command::Man(args)) => man::run(&args),
        None => open::run(&cli.paths, cli.watch, &cli.view),
    });
    match result {
        Ok(code) => code,
        Err(error) => {
            out::complain(&format!("qualm: {}", visible(&format!("{error:#}"))));
            let hint = error.downcast_ref::<ReadError>().and_then(ReadError::hint);
            hint.into_iter().for_each(import::suggest);
            ExitCode::FAILURE
        }
    }
}
