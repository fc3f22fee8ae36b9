//! `qualm models`: whether a folder is a model that qualm can run, the script that makes such folders, and prompts.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::out;
use super::score::RuntimeArgs;
use crate::models::PromptKind;
use crate::text::visible;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Load the model in a folder, try it on a test text, and print what it says
    Check {
        /// The folder with `model.onnx`, `tokenizer.json` and `config.json`
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        runtime: RuntimeArgs,
    },
    /// Print the Python script that exports models into such folders
    Script,
    /// Print the prompt of a scorer that asks a chat model; `score --prompt` takes another
    Prompt {
        /// The scorer: ter, ptrue, vc or prefix
        #[arg(value_parser = PromptKind::ALL.map(PromptKind::id))]
        scorer: String,
    },
}

/// Exports a model from Python.
const SCRIPT: &str = include_str!("../../docs/models/export.py");

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = match &args.command {
        Command::Check { folder, runtime } => describe(folder, runtime)?,
        Command::Script => SCRIPT.to_owned(),
        Command::Prompt { scorer } => {
            let kind = PromptKind::ALL.into_iter().find(|kind| kind.id() == scorer);
            kind.map_or("", PromptKind::text).to_owned()
        }
    };
    let lines = text.lines().map(|line| visible(line).into_owned() + "\n");
    out::print(&lines.collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(feature = "local-models")]
fn describe(folder: &Path, runtime: &RuntimeArgs) -> anyhow::Result<String> {
    use crate::models::local::{OnnxRuntime, describe};

    let library = runtime.onnxruntime.as_deref().map(OnnxRuntime::load).transpose()?;
    Ok(describe(folder, library.as_ref())?)
}

#[cfg(not(feature = "local-models"))]
fn describe(_: &Path, _: &RuntimeArgs) -> anyhow::Result<String> {
    anyhow::bail!(super::score::NO_MODELS)
}
