//! `qualm shot`: draws a screen without a terminal.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{damage, out, results, view};
use crate::files::{self, Overwrite};
use crate::metrics::bootstrap::Resampling;
use crate::ui::headless::Headless;
use crate::ui::keymap::parse_keys;
use crate::ui::picture::PICTURES;
use crate::ui::query::Worker;
use crate::ui::theme::{Depth, Shade, Theme};
use crate::ui::{App, Config, Input, View, config};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The store to draw, or result files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Keys to press first, such as "jj<Enter>a": letters as they are, others by name in <>; notes,
    /// votes and files that they ask for are not written
    #[arg(long, default_value = "")]
    keys: String,
    /// The size in columns and rows
    #[arg(long, default_value = "120x40", value_parser = size)]
    size: (u16, u16),
    /// The theme: dark or light
    #[arg(long, default_value = "dark", value_parser = ["dark", "light"])]
    theme: String,
    /// The number of colours
    #[arg(long, default_value = "true", value_parser = ["true", "256", "16", "none"])]
    colours: String,
    /// The file to write, ending in .svg, .ansi or .txt; text on standard output by default
    #[arg(short, long)]
    output: Option<PathBuf>,
    #[command(flatten)]
    view: View,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let (columns, rows) = text.split_once('x').ok_or("give it as 160x45")?;
    let number = |text: &str, least: u16| {
        text.parse()
            .ok()
            .filter(|number| (least..=1000).contains(number))
            .ok_or("60x15 to 1000x1000")
    };
    Ok((number(columns, 60)?, number(rows, 15)?))
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let ending = match &args.output {
        Some(path) => {
            let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let known = PICTURES.contains(&ending);
            anyhow::ensure!(
                known,
                "{}: name a file that ends in .svg, .ansi or .txt",
                path.display()
            );
            ending.to_owned()
        }
        None => "txt".to_owned(),
    };
    let store = results::open(&args.paths)?;
    let view = view::of_flags(&args.view, &store)?.unwrap_or_default();
    let keys = parse_keys(&args.keys).map_err(|why| anyhow::anyhow!("--keys: {why}"))?;
    let shade = config::shade(&args.theme).unwrap_or(Shade::Dark);
    let depth = config::depth(&args.colours).unwrap_or(Depth::True);
    // Settings and what was looked at last are the user's; a picture is the same for everybody.
    let config = Config { author: Some("you".to_owned()), ..Config::default() };
    let app = App::new(&store, view, &config, Theme::new(shade, depth));
    let worker = Worker::new(store, Resampling::default());
    let mut explorer = Headless::new(worker, app, args.size);
    // A picture changes nothing.
    explorer.read_only = true;
    if let Some(problem) = explorer.app.problems.first() {
        anyhow::bail!("{}: {problem}", results::shown(&args.paths));
    }
    for key in keys {
        anyhow::ensure!(!explorer.app.done, "--keys: a key quits, and others follow it");
        explorer.input(&Input::Key(key));
    }
    let picture = crate::ui::picture(&explorer.app, args.size, &ending);
    match &args.output {
        Some(path) => files::write(path, Overwrite::Replace, picture)?,
        None => out::print(&picture)?,
    }
    damage::tell(explorer.store())
}
