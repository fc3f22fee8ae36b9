//! Every scorer in every cell, each number a link to its tasks.

use std::fmt::Write as _;

use askama::Template;

use super::Source;
use crate::colour::STEPS;
use crate::engine::{Engine, Frame, GridValue};
use crate::metrics::Metric;
use crate::model::Cell;
use crate::scorers::Scorer;
use crate::text::{short_names, two, visible};

/// Columns of a model's name.
const NAME: usize = 22;

#[derive(Template)]
#[template(path = "page/grid.html")]
pub(super) struct GridView {
    pub(super) id: &'static str,
    pub(super) name: String,
    legend: String,
    groups: Vec<Group>,
    columns: Vec<Column>,
    rows: Vec<Row>,
}

/// Neighbouring columns of one dataset.
struct Group {
    name: String,
    columns: usize,
}

struct Column {
    name: String,
    full: String,
    solved: String,
    n: usize,
}

struct Row {
    /// The index of the scorer.
    scorer: usize,
    label: String,
    /// The family, with the first of its scorers.
    family: Option<&'static str>,
    values: Vec<Option<Value>>,
}

struct Value {
    cell: usize,
    shown: String,
    exact: String,
    flagged: bool,
    interval: String,
    class: String,
    tip: String,
}

pub(super) fn grid(source: &Source<'_>, metric: Metric) -> GridView {
    let Source { engine, options, .. } = source;
    let resampling = (options.resampling.resamples > 0).then_some(options.resampling);
    let numbers = engine.grid(metric, resampling);
    let best = best(engine, &numbers, metric);
    let scorers = engine.scorers();
    let mut rows: Vec<Row> = Vec::with_capacity(scorers.len());
    for (index, scorer) in scorers.iter().enumerate() {
        let family = scorer.family();
        let is_first = index == 0 || scorers[index - 1].family() != family;
        rows.push(Row {
            scorer: index,
            label: visible(&scorer.label()).into_owned(),
            family: is_first.then(|| family.id()),
            values: engine.frames().iter().map(|_| None).collect(),
        });
    }
    for number in &numbers {
        let value = Value::new(engine, &scorers[number.scorer], number, metric, best[number.cell]);
        rows[number.scorer].values[number.cell] = Some(value);
    }
    GridView {
        id: metric.id(),
        name: metric.id().to_uppercase(),
        legend: legend(metric),
        groups: groups(engine),
        columns: columns(engine),
        rows,
    }
}

fn legend(metric: Metric) -> String {
    let chance = match metric {
        Metric::Auroc => "; grey is chance (.50), blue better, orange worse",
        Metric::Auprc | Metric::Prr | Metric::Aurc => "; grey is chance, blue better, orange worse",
        Metric::Ece | Metric::Brier => "; lower is better",
    };
    format!(
        "{}{chance}. Bold: best of its column. † Few tasks of the rarer outcome. A number opens its tasks.",
        metric.id().to_uppercase()
    )
}

fn groups(engine: &Engine) -> Vec<Group> {
    let frames = engine.frames();
    let chunks = frames.chunk_by(|a, b| a.cell.dataset == b.cell.dataset);
    let group = |frames: &[Frame]| Group {
        name: visible(&frames[0].cell.dataset).into_owned(),
        columns: frames.len(),
    };
    chunks.map(group).collect()
}

fn columns(engine: &Engine) -> Vec<Column> {
    let frames = engine.frames();
    let model = |frame: &Frame| match frame.cell.condition.as_str() {
        Cell::DEFAULT_CONDITION => frame.cell.model.clone(),
        condition => format!("{} {condition}", frame.cell.model),
    };
    let models: Vec<String> = frames.iter().map(model).collect();
    let names = short_names(&models, NAME);
    let column = |(frame, name): (&Frame, String)| {
        let labels = frame.tasks.iter().filter_map(|task| task.success);
        let (solved, count) = labels.fold((0usize, 0usize), |(solved, count), success| {
            (solved + usize::from(success), count + 1)
        });
        let share = solved as f64 / count.max(1) as f64;
        let full = visible(&frame.cell.to_string()).into_owned();
        Column {
            name: visible(&name).into_owned(),
            full: format!("{full}\nsolved {solved} of {count}"),
            solved: if count == 0 { "–".to_owned() } else { two(share) },
            n: count,
        }
    };
    frames.iter().zip(names).map(column).collect()
}

/// The best value of every cell; none where there is nothing to compare.
fn best(engine: &Engine, numbers: &[GridValue], metric: Metric) -> Vec<Option<f64>> {
    let mut best: Vec<Option<f64>> = vec![None; engine.frames().len()];
    if engine.scorers().len() < 2 {
        return best;
    }
    for number in numbers {
        let Some(value) = number.value else { continue };
        let known = &mut best[number.cell];
        let is_better = |known: f64| {
            if metric.higher_is_better() { value > known } else { value < known }
        };
        if known.is_none_or(is_better) {
            *known = Some(value);
        }
    }
    best
}

impl Value {
    fn new(
        engine: &Engine,
        scorer: &Scorer,
        number: &GridValue,
        metric: Metric,
        best: Option<f64>,
    ) -> Self {
        let GridValue { cell, value, interval, counts, .. } = number;
        let range = |digits: fn(f64) -> String| {
            let interval = interval.as_ref().filter(|_| counts.can_be_resampled());
            interval.map(|range| format!("[{}, {}]", digits(range.lo), digits(range.hi)))
        };
        let why = || metric.undefined(counts.runs, counts.successes);
        let shown = match value {
            Some(value) => two(*value),
            None => "–".to_owned(),
        };
        let said = match value {
            Some(value) => format!("{} {value:.3}", metric.id().to_uppercase()),
            None => why().map_or_else(|| "no value".to_owned(), |why| why.to_string()),
        };
        let interval = range(|end| format!("{end:.3}"));
        let failed = counts.runs - counts.successes;
        let mut tip = format!("{} · {}\n{said}", scorer.label(), engine.frames()[*cell].cell);
        if let Some(interval) = interval {
            let _ = write!(tip, " {interval}");
        }
        let _ = write!(tip, "\nn {}: {} solved, {failed} failed", counts.words(), counts.successes);
        if counts.is_flagged() {
            let _ = write!(tip, "\n† {} tasks of the rarer outcome", counts.tasks_of_rarer());
        }
        let is_best = value.is_some() && *value == best;
        Self {
            cell: *cell,
            shown,
            exact: value.map_or_else(String::new, |value| format!("{value:.6}")),
            flagged: counts.is_flagged(),
            interval: range(two).unwrap_or_default(),
            class: format!("{}{}", heat(number, metric), if is_best { " best" } else { "" }),
            tip: tip.lines().map(visible).collect::<Vec<_>>().join("\n"),
        }
    }
}

/// The class of a number's colour.
fn heat(number: &GridValue, metric: Metric) -> String {
    let Some(value) = number.value else { return "none".to_owned() };
    let rate = number.counts.successes as f64 / number.counts.runs.max(1) as f64;
    let heat = metric.heat(value, rate);
    let step = |share: f64| (share.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() as usize;
    match metric.chance(rate) {
        Some(_) => format!("d{}", step(f64::midpoint(heat, 1.0))),
        None => format!("s{}", step(heat)),
    }
}
