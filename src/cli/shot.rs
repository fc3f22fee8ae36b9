//! `qualm shot`: draws a screen without a terminal.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};

use super::{damage, out, results, view};
use crate::files::{self, Overwrite};
use crate::metrics::bootstrap::Resampling;
use crate::ui::headless::Headless;
use crate::ui::keymap::parse_keys;
use crate::ui::picture::{Frame, PICTURES, animated_svg};
use crate::ui::query::Worker;
use crate::ui::theme::{Depth, Shade, Theme};
use crate::ui::{App, Config, Input, View, config, svg_options};

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
    /// Write an SVG that moves: a frame for every key, and how many seconds it is seen; 2 by default.
    /// Typing, and a key pressed again and again, goes faster
    #[arg(
        long,
        value_name = "SECONDS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "2",
        value_parser = seconds
    )]
    animate: Option<f64>,
    /// Print how long opening and every key took until all that they ask for was drawn, as JSON in
    /// milliseconds, in place of the picture. Intervals then have one resample
    #[arg(long, conflicts_with_all = ["animate", "output"])]
    timings: bool,
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

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.5..=60.0).contains(number));
    number.ok_or_else(|| "0.5 to 60 seconds".to_owned())
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let ending = ending(args)?;
    let keys = parse_keys(&args.keys).map_err(|why| anyhow::anyhow!("--keys: {why}"))?;
    let start = Instant::now();
    let mut explorer = open(args)?;
    if args.timings {
        out::print(&timings(&mut explorer, start, &keys)?)?;
        return damage::tell(explorer.store());
    }
    let picture = if let Some(seconds) = args.animate {
        let frames = frames(&mut explorer, &keys, seconds)?;
        animated_svg(&frames, &svg_options(&explorer.app))
    } else {
        keys.iter().try_for_each(|key| press(&mut explorer, *key))?;
        crate::ui::picture(&explorer.app, args.size, &ending)
    };
    match &args.output {
        Some(path) => files::write(path, Overwrite::Replace, picture)?,
        None => out::print(&picture)?,
    }
    damage::tell(explorer.store())
}

/// The ending of the file, which is its format.
fn ending(args: &Args) -> anyhow::Result<String> {
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
    let moves = args.animate.is_none() || ending == "svg";
    anyhow::ensure!(moves, "--animate makes an SVG; name a file that ends in .svg with -o");
    Ok(ending)
}

/// The explorer as the flags open it.
fn open(args: &Args) -> anyhow::Result<Headless> {
    let store = results::open(&args.paths)?;
    let view = view::of_flags(&args.view, &store)?.unwrap_or_default();
    let shade = config::shade(&args.theme).unwrap_or(Shade::Dark);
    let depth = config::depth(&args.colours).unwrap_or(Depth::True);
    // Settings and what was looked at last are the user's; a picture is the same for everybody.
    let config = Config { author: Some("you".to_owned()), ..Config::default() };
    let app = App::new(&store, view, &config, Theme::new(shade, depth));
    let few = Resampling { resamples: 1, ..Resampling::default() };
    let resampling = if args.timings { few } else { Resampling::default() };
    let worker = Worker::new(store, resampling);
    let mut explorer = Headless::new(worker, app, args.size);
    // A picture changes nothing.
    explorer.read_only = true;
    if let Some(problem) = explorer.app.problems.first() {
        anyhow::bail!("{}: {problem}", results::shown(&args.paths));
    }
    Ok(explorer)
}

fn press(explorer: &mut Headless, key: KeyEvent) -> anyhow::Result<()> {
    anyhow::ensure!(!explorer.app.done, "--keys: a key quits, and others follow it");
    explorer.input(&Input::Key(key));
    Ok(())
}

/// What opening took since it began, and what every key takes.
fn timings(explorer: &mut Headless, opening: Instant, keys: &[KeyEvent]) -> anyhow::Result<String> {
    let since = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let open = since(opening);
    let of_key = |key: &KeyEvent| {
        let start = Instant::now();
        press(explorer, *key)?;
        Ok(since(start))
    };
    let times = keys.iter().map(of_key).collect::<anyhow::Result<Vec<f64>>>()?;
    Ok(format!("{}\n", serde_json::json!({ "open": open, "keys": times })))
}

/// The screen before the first key and after every key, with what the key does.
fn frames(explorer: &mut Headless, keys: &[KeyEvent], seconds: f64) -> anyhow::Result<Vec<Frame>> {
    let full = (seconds * 10.0).round() as u32;
    let mut frames = vec![frame(explorer, String::new(), full)];
    for (index, key) in keys.iter().enumerate() {
        let purpose = explorer.app.purpose(*key);
        let types = purpose.is_none() && matches!(key.code, KeyCode::Char(_));
        press(explorer, *key)?;
        let tenths = if types {
            full / 10
        } else if keys.get(index + 1) == Some(key) {
            full / 4
        } else {
            full
        };
        // What is typed belongs to the key that asked for it.
        let caption = purpose.or_else(|| frames.last().map(|frame| frame.caption.clone()));
        frames.push(frame(explorer, caption.unwrap_or_default(), tenths.max(1)));
    }
    // The end stays long enough to be read.
    if let Some(last) = frames.last_mut() {
        last.tenths = 2 * full;
    }
    Ok(frames)
}

fn frame(explorer: &mut Headless, caption: String, tenths: u32) -> Frame {
    Frame { buffer: explorer.draw(), caption, tenths }
}
