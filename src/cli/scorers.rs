//! `qualm scorers`: what every scorer has, and what it would take to compute the rest.

use std::path::PathBuf;
use std::process::ExitCode;

use super::open::config;
use super::{format, out, results};
use crate::engine::Engine;
use crate::models::outlook;
use crate::report::{OutputFormat, scorers};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A store, or result files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How to write the table
    #[arg(long, default_value = "table", value_parser = format::parser(&OutputFormat::TABLES))]
    format: OutputFormat,
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let store = results::open(&args.paths)?;
    out::warn_of(&store);
    let engine = Engine::load(&store, None)?;
    let outlook = outlook(&store, &engine, &config()?.prices)?;
    // Values are kept in a store: results that were opened directly must become one first.
    let path = if results::is_meant_as_store(&args.paths[0]) {
        args.paths[0].display().to_string()
    } else {
        "STORE".to_owned()
    };
    let table = scorers(&outlook, &engine, &path);
    out::print(&table.render(args.format))?;
    Ok(ExitCode::SUCCESS)
}
