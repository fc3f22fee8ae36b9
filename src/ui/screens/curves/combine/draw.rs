//! Draws a line for every cell: an ensemble beside the best single scorer, or errors before and after a
//! calibration.
//!
//! ```text
//!  ▸logistic  rank-average  isotonic  platt   of LNSP·min, TER, turns
//!   cell                    AUROC             best single    difference            n
//!  ▸airline/gpt-4o-mini     .71 [.60, .82]    TER .68        +.03 [-.05, +.11]    50
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use super::{Combine, Combined, Spot};
use crate::engine::{CalibrationRow, EnsembleRow, Estimate, NoFit, ScorerDifference};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Interval;
use crate::scorers::{Method, Scorer};
use crate::text::visible;
use crate::ui::hits::{Hits, scrolled};
use crate::ui::screens::curves::Subject;
use crate::ui::shared::Shared;
use crate::ui::widgets::{fit, padded, paragraph, put, signed, two, width, wrap};

/// Columns of a cell's name at least.
const NAME: usize = 14;

/// From this width on every number has its interval.
const WIDE: u16 = 100;

pub(super) fn draw(
    page: &Combine,
    subject: &Subject,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    let [head, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    draw_methods(page, subject, shared, buffer, head, hits);
    if let Err(why) = page.recipe(subject) {
        let text = format!("{why}: + adds one to {}.", names(&subject.scorers));
        return paragraph(buffer, body, &text, shared.theme.dim);
    }
    let Some(combined) = page.shown(subject) else {
        return paragraph(buffer, body, "Fitting in every cell …", shared.theme.dim);
    };
    let room = usize::from(body.width).saturating_sub(2);
    let sentences = cell_words(page, subject, shared).into_iter().chain([note(page.method())]);
    let lines: Vec<String> = sentences.flat_map(|text| wrap(&text, room)).collect();
    let high = (lines.len() as u16).min(body.height / 2);
    let [table, words] =
        Split::vertical([Constraint::Min(1), Constraint::Length(high)]).areas(body);
    draw_table(combined, shared, buffer, table, hits);
    for (line, row) in lines.into_iter().zip(words.rows()) {
        put(buffer, row, Line::styled(format!(" {line}"), shared.theme.text));
    }
}

fn names(scorers: &[Scorer]) -> String {
    let labels: Vec<String> = scorers.iter().map(Scorer::label).collect();
    visible(&labels.join(", ")).into_owned()
}

fn draw_methods(
    page: &Combine,
    subject: &Subject,
    shared: &Shared,
    buffer: &mut Buffer,
    line: Rect,
    hits: &mut Hits<Spot>,
) {
    let theme = &shared.theme;
    let mut x = line.x + 1;
    for (index, method) in Method::ALL.into_iter().enumerate() {
        let is_open = method == page.method();
        let (mark, style) = if is_open { ("▸", theme.selected) } else { (" ", theme.dim) };
        let text = format!("{mark}{}", method.id());
        let wide = (width(&text) as u16).min(line.right().saturating_sub(x));
        let area = Rect { x, width: wide, ..line };
        put(buffer, area, Line::styled(text, style));
        hits.spot(area, Spot::Method(index));
        x += wide + 1;
    }
    let of = if page.method().is_calibration() { &subject.scorers[..1] } else { &subject.scorers };
    let rest = Rect { x: x + 1, width: line.right().saturating_sub(x + 1), ..line };
    let text = fit(&format!("of {}", names(of)), usize::from(rest.width));
    put(buffer, rest, Line::styled(text, theme.text));
}

/// The texts of a line behind the name of its cell, in the columns of the head.
type Texts = Vec<String>;

fn draw_table(
    combined: &Combined,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    let theme = &shared.theme;
    let (head, lines): (Texts, Vec<Result<Texts, String>>) = match combined {
        Combined::Ensemble(rows) => {
            let metric = shared.lens.metric.id().to_uppercase();
            let head = vec![metric, "best single".to_owned(), "difference".to_owned()];
            (head, rows.iter().map(|row| texts(row, ensemble_texts)).collect())
        }
        Combined::Calibration(rows) => {
            let head = ["ECE", "Brier", "Brier difference"];
            let head = head.map(str::to_owned).to_vec();
            let texts_of = if area.width < WIDE { narrow_texts } else { calibration_texts };
            (head, rows.iter().map(|row| texts(row, texts_of)).collect())
        }
    };
    let head: Texts = head.into_iter().chain(["n".to_owned()]).collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            let cells = lines.iter().flatten().map(|texts| width(&texts[column]));
            cells.chain([width(&head[column])]).max().unwrap_or(0)
        })
        .collect();
    let behind: usize = widths.iter().map(|wide| wide + 2).sum();
    let name = usize::from(area.width).saturating_sub(behind + 2).clamp(NAME, 40);
    let columns = |texts: &Texts| -> String {
        let padded = texts.iter().zip(&widths).map(|(text, wide)| padded(text, *wide));
        padded.fold(String::new(), |line, text| line + "  " + &text)
    };
    let room = usize::from(area.width);
    let [top, rows] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    let text = format!("  {}{}", padded("cell", name), columns(&head));
    put(buffer, top, Line::styled(fit(&text, room), theme.header));
    let first = scrolled(0, shared.cell, usize::from(rows.height), shared.cells.len());
    let labels = shared.short_cells(name);
    for (cell, row) in (first..shared.cells.len()).zip(rows.rows()) {
        let here = cell == shared.cell;
        let (mark, style) = if here { ("▸", theme.selected) } else { (" ", theme.text) };
        let label = padded(&labels[cell], name);
        let (text, style) = match lines.get(cell) {
            Some(Ok(texts)) => (columns(texts), style),
            Some(Err(why)) => (format!("  {why}"), if here { style } else { theme.dim }),
            None => (String::new(), style),
        };
        put(buffer, row, Line::styled(fit(&format!(" {mark}{label}{text}"), room), style));
        hits.spot(row, Spot::Cell(cell));
    }
}

fn texts<T>(row: &Result<T, NoFit>, texts: fn(&T) -> Texts) -> Result<Texts, String> {
    row.as_ref().map(texts).map_err(|why| visible(&why.to_string()).into_owned())
}

fn value(value: Option<f64>) -> String {
    value.map_or("n/a".to_owned(), two)
}

fn ends(interval: Option<Interval>, number: fn(f64) -> String) -> String {
    interval.map_or(String::new(), |ends| format!(" [{}, {}]", number(ends.lo), number(ends.hi)))
}

fn estimate(estimate: Estimate) -> String {
    value(estimate.value) + &ends(estimate.interval, two)
}

fn difference(difference: Option<ScorerDifference>) -> String {
    difference.map_or("n/a".to_owned(), |difference| {
        signed(difference.value) + &ends(difference.interval, signed)
    })
}

fn ensemble_texts(row: &EnsembleRow) -> Texts {
    let best = row.best.as_ref().map_or("n/a".to_owned(), |(scorer, single)| {
        format!("{} {}", visible(&scorer.label()), value(single.value))
    });
    let flag = if row.counts.is_flagged() { "†" } else { "" };
    vec![
        estimate(row.value),
        best,
        difference(row.difference),
        format!("{}{flag}", row.counts.short()),
    ]
}

/// The same without the interval of the calibration error.
fn narrow_texts(row: &CalibrationRow) -> Texts {
    let mut texts = calibration_texts(row);
    texts[0] = row.ece.map(|estimate| value(estimate.value)).join(" → ");
    texts
}

fn calibration_texts(row: &CalibrationRow) -> Texts {
    let both =
        |[before, after]: [Estimate; 2]| format!("{} → {}", value(before.value), estimate(after));
    let flag = if row.counts.is_flagged() { "†" } else { "" };
    vec![
        both(row.ece),
        both(row.brier),
        difference(row.brier_difference),
        format!("{}{flag}", row.counts.short()),
    ]
}

/// What the selected cell says, in words.
pub(super) fn cell_words(page: &Combine, subject: &Subject, shared: &Shared) -> Option<String> {
    let cell = visible(&shared.cells.get(shared.cell)?.to_string()).into_owned();
    let words = match page.shown(subject)? {
        Combined::Ensemble(rows) => {
            ensemble_words(rows.get(shared.cell)?.as_ref().ok()?, subject, shared.lens.metric)
        }
        Combined::Calibration(rows) => calibration_words(rows.get(shared.cell)?.as_ref().ok()?),
    };
    Some(format!("{cell}: {words}."))
}

/// Which side a difference favours, if its interval excludes 0.
fn verdict(difference: Option<ScorerDifference>, higher_is_better: bool) -> Option<bool> {
    let ends = difference?.interval?;
    let (up, down) = (ends.lo > 0.0, ends.hi < 0.0);
    (up || down).then_some(up == higher_is_better)
}

fn ensemble_words(row: &EnsembleRow, subject: &Subject, metric: Metric) -> String {
    let Some((best, _)) = &row.best else { return "no value of this metric".to_owned() };
    let best = visible(&best.label()).into_owned();
    let said = match verdict(row.difference, metric.higher_is_better()) {
        Some(true) => format!("the ensemble is better than {best}, the best single scorer"),
        Some(false) => format!("the ensemble is worse than {best}, the best single scorer"),
        None => {
            format!("the ensemble is not distinguishable from {best}, the best single scorer")
        }
    };
    let weights = subject.scorers.iter().zip(&row.weights);
    let weights: Vec<String> = weights
        .map(|(scorer, weight)| format!("{} {}", visible(&scorer.label()), signed(*weight)))
        .collect();
    if weights.is_empty() { said } else { format!("{said}; weights {}", weights.join(", ")) }
}

fn calibration_words(row: &CalibrationRow) -> String {
    let said = match verdict(row.brier_difference, false) {
        Some(true) => "calibration lowers the Brier score",
        Some(false) => "calibration raises the Brier score",
        None if row.brier_difference.is_none() => "the scores are no probabilities before",
        None => "whether calibration lowers the Brier score cannot be told",
    };
    said.to_owned()
}

/// What is to be known of a method.
fn note(method: Method) -> String {
    let note = match method {
        Method::RankAverage => "Mean of the ranks; it uses no outcomes, so nothing is fitted.",
        Method::Logistic => {
            "Every value is of a model that was fitted on the other folds; metrics that rank are means over \
             the folds, of the single scorers too."
        }
        Method::Isotonic | Method::Platt => {
            "Every value is of a calibration that was fitted on the other folds; before and after are on the \
             same tasks."
        }
    };
    format!("{note} @ keeps it as a scorer.")
}
