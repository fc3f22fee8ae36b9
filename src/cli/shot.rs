use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;

use super::{out, view};
use crate::app::jobs::Worker;
use crate::app::keymap::parse_keys;
use crate::app::{App, Config, Input, config};
use crate::headless::Headless;
use crate::metrics::bootstrap::Resampling;
use crate::store::Store;
use crate::theme::{Depth, Shade, Theme};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to draw
    store: PathBuf,
    /// Keys to press first, such as "jj<Enter>a": letters as they are, others by name in <>; notes,
    /// votes and files that they ask for are not written
    #[arg(long, default_value = "")]
    keys: String,
    /// Columns and rows
    #[arg(long, default_value = "120x40", value_parser = size)]
    size: (u16, u16),
    /// Dark or light
    #[arg(long, default_value = "dark", value_parser = ["dark", "light"])]
    theme: String,
    /// How many colours
    #[arg(long, default_value = "true", value_parser = ["true", "256", "16", "none"])]
    colours: String,
    /// Where to: a file that ends in .svg, .ansi or .txt; text on stdout when unsaid
    #[arg(short, long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    view: view::ViewArgs,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let (columns, rows) = text.split_once('x').ok_or("give it as 160x45")?;
    let number = |text: &str, least: u16| {
        text.parse().ok().filter(|own| (least..=1000).contains(own)).ok_or("60x20 to 1000x1000")
    };
    Ok((number(columns, 60)?, number(rows, 20)?))
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let ending = match &args.output {
        Some(path) => {
            let ending = path.extension().and_then(|own| own.to_str()).unwrap_or_default();
            let known = ["svg", "ansi", "txt"].contains(&ending);
            anyhow::ensure!(
                known,
                "{}: name a file that ends in .svg, .ansi or .txt",
                path.display()
            );
            ending.to_owned()
        }
        None => "txt".to_owned(),
    };
    let store = Store::open(&args.store)?;
    let view = args.view.view(&store)?.unwrap_or_default();
    let keys = parse_keys(&args.keys).map_err(|why| anyhow::anyhow!("--keys: {why}"))?;
    let shade = config::shade(&args.theme).unwrap_or(Shade::Dark);
    let depth = config::depth(&args.colours).unwrap_or(Depth::True);
    // Settings and what was looked at last are the user's; a picture is the same for everybody.
    let app = App::new(&store, view, &Config::default(), Theme::new(shade, depth));
    let worker = Worker::new(store, Resampling::default());
    let mut own = Headless::new(worker, app, args.size);
    // A picture changes nothing.
    own.read_only = true;
    if let Some(problem) = own.app.problems.first() {
        anyhow::bail!("{}: {problem}", args.store.display());
    }
    for key in keys {
        anyhow::ensure!(!own.app.done, "--keys: a key quits, and others follow it");
        own.input(&Input::Key(key));
    }
    let picture = crate::views::picture(&own.app, args.size, &ending);
    match &args.output {
        Some(path) => std::fs::write(path, picture)
            .with_context(|| format!("{}: cannot be written", path.display()))?,
        None => out::print(&picture)?,
    }
    Ok(ExitCode::SUCCESS)
}
