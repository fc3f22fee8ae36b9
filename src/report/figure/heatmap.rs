//! Scorers by cells as a heatmap: the grid, and a base score under every aggregator.

use super::canvas::{Anchor, COLUMN, Canvas, PAGE, SIZE, SMALL, Stroke, Words};
use super::letters::widest;
use super::{Figure, FigureError, FigureOptions, cell_names};
use crate::colour::{Rgb, STEPS, diverging, sequential};
use crate::engine::{Engine, GridValue};
use crate::metrics::Metric;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::text::two;

/// The height of a value's box.
const HIGH: f64 = 11.0;

/// The least and the greatest width of a value's box.
const WIDE: (f64, f64) = (15.5, 22.0);

/// Room between the columns of two datasets, and between the rows of two families.
const GAP: f64 = 4.0;

/// Every scorer in every cell, or those that are chosen.
pub(super) fn grid(engine: &Engine, options: &FigureOptions) -> Result<Figure, FigureError> {
    let chosen = &options.scorers[..];
    let scorers = if chosen.is_empty() { engine.scorers() } else { chosen };
    let title = format!("{} of every scorer in every cell", options.metric.id().to_uppercase());
    let family = |scorer: &Scorer| scorer.family().id().to_owned();
    draw(engine, scorers, options, title, family, Scorer::label)
}

/// A base score under the paper's aggregators.
pub(super) fn aggregators(engine: &Engine, options: &FigureOptions) -> Result<Figure, FigureError> {
    let base = options.base;
    let rules = Aggregator::PAPER.into_iter().map(|rule| Scorer::WhiteBox(base, rule));
    let scorers: Vec<Scorer> = rules.filter(|scorer| engine.has_values(scorer)).collect();
    let rule = |scorer: &Scorer| scorer.aggregator().map(Aggregator::id).unwrap_or_default();
    let name = base.id().to_uppercase();
    let title = format!("{} of {name} under every aggregator", options.metric.id().to_uppercase());
    draw(engine, &scorers, options, title, |_| name.clone(), rule)
}

/// Where the parts of a heatmap stand.
struct Heatmap<'a> {
    engine: &'a Engine,
    scorers: &'a [Scorer],
    values: Vec<GridValue>,
    metric: Metric,
    /// The horizontal position of every cell.
    columns: Vec<f64>,
    /// The vertical position of every scorer.
    rows: Vec<f64>,
    /// The width of a value's box.
    wide: f64,
}

fn draw(
    engine: &Engine,
    scorers: &[Scorer],
    options: &FigureOptions,
    title: String,
    group: impl Fn(&Scorer) -> String,
    label: impl Fn(&Scorer) -> String,
) -> Result<Figure, FigureError> {
    let values = engine.grid_of(scorers, options.metric, None);
    if values.iter().all(|value| value.value.is_none()) {
        return Err(FigureError::NoValues);
    }
    let names = cell_names(engine);
    let labels: Vec<String> = scorers.iter().map(&label).collect();
    let left = widest(&labels, SIZE).max(widest(&["solved"], SMALL)) + 10.0;
    let models: Vec<&String> = names.iter().map(|(_, model)| model).collect();
    // Column heads are turned by 60 degrees.
    let (high, beyond) = (widest(&models, SMALL) * 0.87, widest(&models, SMALL) * 0.5);
    let top = 16.0 + high + SIZE;
    let datasets = || engine.frames().iter().map(|frame| &frame.cell.dataset);
    let gaps = spread(0.0, 0.0, datasets()).last().copied().unwrap_or_default();
    let room = |width: f64| (width - left - gaps - beyond.max(4.0)) / names.len() as f64;
    // As wide as a column of a paper, else as a page, else as wide as need be.
    let width = [COLUMN, PAGE].into_iter().find(|width| room(*width) >= WIDE.0);
    let wide = width.map_or(WIDE.0, &room).min(WIDE.1);
    let columns = spread(left, wide, datasets());
    let groups: Vec<String> = scorers.iter().map(&group).collect();
    let rows = spread(top, HIGH, groups.iter());
    let right = columns.last().copied().unwrap_or_default() + wide + beyond.max(4.0);
    let mut canvas = Canvas::new(right.max(COLUMN), 0.0, options.shade);
    let map = Heatmap { engine, scorers, values, metric: options.metric, columns, rows, wide };
    map.heads(&mut canvas, &names, top);
    for (label, row) in labels.iter().zip(&map.rows) {
        let words = canvas.words(Anchor::End);
        canvas.text((left - 4.0, row + HIGH - 3.2), label, words);
    }
    map.boxes(&mut canvas);
    map.foot(&mut canvas, left);
    Ok(Figure { title, canvas })
}

/// Positions of rows or columns; a gap stands where the group changes.
fn spread<'g>(start: f64, step: f64, groups: impl Iterator<Item = &'g String>) -> Vec<f64> {
    let mut before: Option<&String> = None;
    let mut at = start;
    groups
        .map(|group| {
            if before.is_some_and(|before| before != group) {
                at += GAP;
            }
            before = Some(group);
            let here = at;
            at += step;
            here
        })
        .collect()
}

impl Heatmap<'_> {
    /// Datasets over rules, and the models of their cells, turned.
    fn heads(&self, canvas: &mut Canvas, names: &[(String, String)], top: f64) {
        for ((_, model), column) in names.iter().zip(&self.columns) {
            let words = Words { turned: -60.0, size: SMALL, ..canvas.words(Anchor::Start) };
            canvas.text((column + self.wide / 2.0 + 2.0, top - 4.0), model, words);
        }
        let frames = self.engine.frames();
        let mut start = 0;
        while start < frames.len() {
            let dataset = &frames[start].cell.dataset;
            let count = frames[start..].iter().take_while(|f| f.cell.dataset == *dataset).count();
            let (from, to) = (self.columns[start], self.columns[start + count - 1] + self.wide);
            let rule = Stroke { colour: canvas.inks.line, width: 0.6, dashes: &[] };
            canvas.line(&[(from + 1.0, SIZE + 4.0), (to - 1.0, SIZE + 4.0)], rule);
            let words = Words { bold: true, ..canvas.words(Anchor::Middle) };
            canvas.text((f64::midpoint(from, to), SIZE + 1.0), dataset, words);
            start += count;
        }
    }

    /// The values on their colours; the best of a column is bold.
    fn boxes(&self, canvas: &mut Canvas) {
        for number in &self.values {
            let at = (self.columns[number.cell], self.rows[number.scorer]);
            let (middle, base) = (at.0 + self.wide / 2.0, at.1 + HIGH - 3.2);
            let Some(value) = number.value else {
                canvas.text((middle, base), "–", canvas.remarks(Anchor::Middle));
                continue;
            };
            let fill = self.colour(value, number, canvas);
            canvas.rect((at.0 + 0.3, at.1 + 0.3), (self.wide - 0.6, HIGH - 0.6), fill);
            let dagger = if number.counts.is_flagged() { "†" } else { "" };
            let words = Words {
                size: SMALL,
                colour: fill.text(),
                bold: self.is_best(number),
                ..canvas.words(Anchor::Middle)
            };
            canvas.text((middle, base), &format!("{}{dagger}", two(value)), words);
        }
    }

    fn is_best(&self, number: &GridValue) -> bool {
        let others = self.values.iter().filter(|other| other.cell == number.cell);
        let better = |other: &GridValue| match (other.value, number.value) {
            (Some(other), Some(value)) if self.metric.higher_is_better() => other > value,
            (Some(other), Some(value)) => other < value,
            _ => false,
        };
        self.scorers.len() > 1 && !others.into_iter().any(better)
    }

    fn colour(&self, value: f64, number: &GridValue, canvas: &Canvas) -> Rgb {
        let rate = number.counts.successes as f64 / number.counts.runs.max(1) as f64;
        let heat = self.metric.heat(value, rate);
        let step = |share: f64| (share.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() as usize;
        match self.metric.chance(rate) {
            Some(_) => diverging(canvas.shade)[step(f64::midpoint(heat, 1.0))],
            None => sequential()[step(heat)],
        }
    }

    /// The share of successes and the number of tasks below every column, and what the signs mean.
    fn foot(&self, canvas: &mut Canvas, left: f64) {
        let below = self.rows.last().map_or(0.0, |row| row + HIGH);
        let lines = [("solved", below + 10.0), ("n", below + 18.5)];
        for (name, y) in lines {
            canvas.text((left - 4.0, y), name, canvas.remarks(Anchor::End));
        }
        for (frame, column) in self.engine.frames().iter().zip(&self.columns) {
            let labels = frame.tasks.iter().filter_map(|task| task.success);
            let (solved, count) = labels.fold((0usize, 0usize), |(solved, count), success| {
                (solved + usize::from(success), count + 1)
            });
            let middle = column + self.wide / 2.0;
            let words = canvas.remarks(Anchor::Middle);
            let share = solved as f64 / count.max(1) as f64;
            let shown = if count == 0 { "–".to_owned() } else { two(share) };
            canvas.text((middle, lines[0].1), &shown, words);
            canvas.text((middle, lines[1].1), &count.to_string(), words);
        }
        let chance = match self.metric {
            Metric::Auroc => "; grey is chance (.50), blue better, orange worse",
            Metric::Auprc | Metric::Prr | Metric::Aurc => {
                "; grey is chance, blue better, orange worse"
            }
            Metric::Ece | Metric::Brier => "",
        };
        let sentences = format!(
            "{}{chance}; bold: best of its column; † fewer than 20 tasks of the rarer outcome; n: \
             graded tasks",
            self.metric.id().to_uppercase()
        );
        canvas.height = canvas.explain((8.0, below + 31.0), &sentences);
    }
}
