//! The noise floor: how often outcomes flip between draws, and which difference some tasks and draws show.

use super::axes::{Axis, Panel};
use super::canvas::{Anchor, COLUMN, Canvas, SMALL, Stroke, Words, series};
use super::letters::widest;
use super::{Figure, FigureError, FigureOptions, cell_names};
use crate::engine::{CellDraws, Engine, Noise, Side, Source, in_points, paired_variance};
use crate::metrics::power::PairedVariance;
use crate::store::RunColumns;
use crate::text::counted;

/// The height of a row.
const ROW: f64 = 10.0;

/// The draws of the lines.
const DRAWS: [u32; 4] = [1, 2, 4, 8];

/// Draws the share of flips of every cell, and below it the smallest detectable difference.
pub(super) fn noise(
    engine: &Engine,
    runs: &RunColumns,
    options: &FigureOptions,
) -> Result<Figure, FigureError> {
    let source = Source { engine, runs };
    let draws: Vec<CellDraws> = (0..engine.frames().len()).map(|cell| source.draws(cell)).collect();
    let frames = engine.frames().iter();
    let noise: Vec<Option<Noise>> = frames
        .zip(&draws)
        .map(|(frame, draws)| Noise::new(frame, draws, Some(options.resampling)))
        .collect();
    if noise.iter().all(Option::is_none) {
        return Err(FigureError::NoRepeats);
    }
    let mut canvas = Canvas::new(COLUMN, 0.0, options.shade);
    let below = flips(&mut canvas, engine, &noise);
    let mut remark = "flips: the probability that two draws of a task end differently, with 95% \
                      intervals over tasks; ±: the range in points of 95% of differences in success \
                      between repeats of the same run; n: tasks × draws"
        .to_owned();
    let designs = designs(engine, runs, &draws, options);
    let mut y = below;
    if let Some(typical) = typical(&designs) {
        y = detectable(&mut canvas, below + 6.0, typical, &designs);
        let pairs = counted(designs.len() as u64, "pair");
        remark.push_str(&format!(
            "; detectable: found with 80% power by a paired two-sided test at 5%, lines for the mean \
             variance of {pairs} of cells, points for each as it is"
        ));
    }
    canvas.height = canvas.explain((8.0, y), &remark);
    Ok(Figure { title: "The noise of repeating runs, and what it hides".to_owned(), canvas })
}

/// Draws the flips of every cell; gives where the next part begins.
fn flips(canvas: &mut Canvas, engine: &Engine, noise: &[Option<Noise>]) -> f64 {
    let names: Vec<String> = cell_names(engine)
        .into_iter()
        .map(|(dataset, model)| format!("{dataset} · {model}"))
        .collect();
    // Numbers stand right of the panel.
    let (left, numbers) = (widest(&names, SMALL).min(110.0) + 8.0, 52.0);
    let count = noise.len() as f64;
    let most =
        noise.iter().flatten().map(|noise| noise.flip_interval.map_or(noise.flip, |ends| ends.hi));
    let most = most.fold(0.1, f64::max).min(1.0);
    let nothing = |from, to| Axis { from, to, ticks: Vec::new(), title: String::new() };
    let panel = Panel {
        left,
        top: 14.0,
        width: COLUMN - left - numbers - 8.0,
        height: ROW * count,
        x: Axis::numbers(0.0, most * 1.04, "flips between two draws"),
        y: nothing(count - 0.5, -0.5),
    };
    panel.draw(canvas);
    let (right, bottom) = panel.ends();
    let columns = [right + 24.0, COLUMN - 4.0];
    for (x, name) in columns.into_iter().zip(["±", "n"]) {
        canvas.text((x, 10.0), name, canvas.remarks(Anchor::End));
    }
    let colour = series(0, canvas.shade).colour;
    for ((row, noise), name) in (0u32..).zip(noise).zip(&names) {
        let y = f64::from(row);
        let base = panel.at(0.0, y).1 + SMALL * 0.35;
        let small = |anchor| Words { size: SMALL, ..canvas.words(anchor) };
        let [end, start] = [small(Anchor::End), small(Anchor::Start)];
        canvas.text((left - 4.0, base), name, end);
        let Some(noise) = noise else {
            let words = Words { colour: canvas.inks.dim, ..start };
            canvas.text((left + 4.0, base), "one draw per task", words);
            continue;
        };
        if let Some(ends) = noise.flip_interval {
            let line = [panel.at(ends.lo, y), panel.at(ends.hi, y)];
            canvas.line(&line, Stroke { colour, width: 0.9, dashes: &[] });
        }
        canvas.shaped_mark(0, panel.at(noise.flip, y), colour, false);
        let range = in_points(noise.range());
        let range = range.trim_start_matches(['+', '±']);
        canvas.text((columns[0], base), range, end);
        let draws = match noise.draws {
            (least, most) if least == most => most.to_string(),
            (least, most) => format!("{least}–{most}"),
        };
        canvas.text((columns[1], base), &format!("{} × {draws}", noise.tasks), end);
    }
    bottom + 30.0
}

/// What the difference of two cells varies by, their shared tasks, and the usual number of draws.
type Design = (PairedVariance, usize, u32);

/// The pairs that are named or, where none is, all of the same dataset.
fn designs(
    engine: &Engine,
    runs: &RunColumns,
    draws: &[CellDraws],
    options: &FigureOptions,
) -> Vec<Design> {
    let frames = engine.frames();
    let all = || {
        let second = |first: usize| {
            let same =
                move |second: &usize| frames[*second].cell.dataset == frames[first].cell.dataset;
            (first + 1..frames.len()).filter(same).map(move |second| [first, second])
        };
        (0..frames.len()).flat_map(second).collect()
    };
    let pairs = options.pairs.clone().unwrap_or_else(all);
    let design = |pair: &[usize; 2]| {
        let side = |cell: usize| Side { frame: &frames[cell], runs, draws: &draws[cell] };
        paired_variance(pair.map(side))
    };
    pairs.iter().filter_map(design).filter(|(variance, ..)| variance.draw.is_some()).collect()
}

/// The mean of the variances.
fn typical(designs: &[Design]) -> Option<PairedVariance> {
    let count = designs.len() as f64;
    let mean = |of: fn(&PairedVariance) -> f64| {
        designs.iter().map(|(variance, ..)| of(variance)).sum::<f64>() / count
    };
    (!designs.is_empty()).then(|| PairedVariance {
        tasks: mean(|variance| variance.tasks),
        draw: Some(mean(|variance| variance.draw.unwrap_or(0.0))),
    })
}

/// Draws the smallest detectable difference by tasks and draws; gives where the next line would be.
fn detectable(canvas: &mut Canvas, top: f64, typical: PairedVariance, designs: &[Design]) -> f64 {
    let counts = designs.iter().map(|(_, tasks, _)| *tasks as f64);
    let (fewest, most) = counts
        .fold((f64::INFINITY, 0.0f64), |(low, high), tasks| (low.min(tasks), high.max(tasks)));
    // From half of what is there to eight times as many, in steps of two.
    let (from, to) = ((fewest / 2.0).max(2.0).log2(), (most * 8.0).log2());
    let first = (from.exp2() / 25.0).log2().ceil().max(-3.0) as i32;
    let ticks = (first..30).map(|power| 25.0 * 2f64.powi(power));
    let ticks =
        ticks.skip_while(|tasks| tasks.log2() < from).take_while(|tasks| tasks.log2() <= to);
    let ticks: Vec<(f64, String)> = ticks
        .filter(|tasks| tasks.fract() == 0.0)
        .map(|tasks| (tasks.log2(), tasks.to_string()))
        .collect();
    let points = designs.iter().map(|(variance, tasks, draws)| {
        ((*tasks as f64).log2(), variance.detectable(*tasks, *draws))
    });
    let points: Vec<(f64, f64)> = points.collect();
    let steps = (0..=40).map(|step| from + (to - from) * f64::from(step) / 40.0);
    let steps: Vec<f64> = steps.collect();
    let at = |log: f64, draws: u32| {
        let one = typical.detectable(1, draws);
        one / log.exp2().sqrt()
    };
    let high = points.iter().map(|(_, y)| *y).fold(at(from, DRAWS[0]), f64::max);
    let panel = Panel {
        left: 34.0,
        top,
        width: 166.0,
        height: 96.0,
        x: Axis { from, to, ticks, title: "tasks".to_owned() },
        y: Axis::points(0.0, high * 1.04, "detectable difference (points)"),
    };
    panel.draw(canvas);
    for (position, draws) in DRAWS.into_iter().enumerate() {
        let stroke = series(position, canvas.shade);
        let line: Vec<(f64, f64)> =
            steps.iter().map(|log| panel.at(*log, at(*log, draws))).collect();
        canvas.line(&line, stroke);
    }
    for (x, y) in points {
        let (x, y) = panel.at(x, y);
        canvas.shaped_mark(0, (x, y), canvas.inks.dim, true);
    }
    // Names stand apart from each other, in the order of the lines.
    let (right, _) = panel.ends();
    for (position, draws) in DRAWS.into_iter().enumerate() {
        let stroke = series(position, canvas.shade);
        let y = top + 10.0 + 10.0 * position as f64;
        let name = if draws == 1 { "1 draw".to_owned() } else { format!("{draws} draws") };
        canvas.line(&[(right - 44.0, y - 2.3), (right - 28.0, y - 2.3)], stroke);
        let words = Words { size: SMALL, ..canvas.words(Anchor::Start) };
        canvas.text((right - 24.0, y), &name, words);
    }
    panel.ends().1 + 36.0
}
