//! The numbers of two cells as rows of a table.

use super::Versus;
use crate::engine::{Compared, Effort, Pass, ScorerVersus, Standing};
use crate::metrics::bootstrap::Interval;
use crate::metrics::{Metric, Variance};
use crate::scorers::Scorer;
use crate::text::{counted, grouped};
use crate::ui::shared::Shared;
use crate::ui::widgets::{padded, two};

/// A row of the table.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) label: String,
    /// The values of both cells and the difference, each with its interval apart.
    pub(super) cells: [(String, String); 3],
    /// One text in place of the three.
    pub(super) words: Option<String>,
    /// How the second cell stands to the first.
    pub(super) standing: Option<Standing>,
    /// The scorer that the row is about.
    pub(super) scorer: Option<Scorer>,
}

/// Columns of a number of the table of detectable differences.
const POWER: usize = 10;

/// One part of a variance.
type PartOfVariance = fn(Variance) -> f64;

/// How the numbers of a row are written.
#[derive(Clone, Copy)]
enum Style {
    /// A share, as a percentage; its difference in points.
    Share,
    /// A metric to two decimals.
    Metric,
    /// A number with so many decimals.
    Amount(usize),
}

impl Style {
    fn value(self, value: f64) -> String {
        match self {
            Self::Share => format!("{:.1}%", value * 100.0),
            Self::Metric => two(value),
            Self::Amount(decimals) => amount(value, decimals),
        }
    }

    /// The style of an amount of this size: three digits, or two of a fraction.
    fn of_amount(size: f64) -> Self {
        let digits = if size < 1.0 { 1.0 } else { 2.0 };
        let places = (digits - size.log10().floor()).clamp(0.0, 6.0);
        Self::Amount(if size > 0.0 { places as usize } else { 0 })
    }

    /// The end of an interval, whose unit is known.
    fn end(self, value: f64) -> String {
        match self {
            Self::Share => format!("{:.1}", value * 100.0),
            _ => self.value(value),
        }
    }

    fn difference(self, value: f64) -> String {
        let text = self.end(value.abs());
        let is_zero = text.chars().all(|letter| "0.".contains(letter));
        match () {
            () if is_zero => text,
            () if value < 0.0 => format!("−{text}"),
            () => format!("+{text}"),
        }
    }
}

/// A number with some decimals, without the zero before the point.
fn amount(value: f64, decimals: usize) -> String {
    if decimals == 0 && value >= 1000.0 {
        return grouped(value.round() as u64);
    }
    let text = format!("{value:.decimals$}");
    text.strip_prefix("0.").map_or(text.clone(), |rest| format!(".{rest}"))
}

/// A p-value: `p .034`, `p < .001`.
pub(super) fn p_value(p: f64) -> String {
    if p < 0.001 {
        "p < .001".to_owned()
    } else {
        format!("p {}", format!("{p:.3}").trim_start_matches('0'))
    }
}

fn interval_text(interval: Option<Interval>, end: impl Fn(f64) -> String) -> String {
    interval
        .map_or(String::new(), |interval| format!("[{}, {}]", end(interval.lo), end(interval.hi)))
}

impl Row {
    fn compared(label: impl Into<String>, compared: &Compared, style: Style) -> Self {
        let value = |side: usize| {
            let text = compared.values[side].map_or("–".to_owned(), |value| style.value(value));
            (text, interval_text(compared.intervals[side], |end| style.end(end)))
        };
        let difference =
            compared.difference.map_or("–".to_owned(), |value| style.difference(value));
        let interval = interval_text(compared.interval, |end| style.difference(end));
        Self {
            label: label.into(),
            cells: [value(0), value(1), (difference, interval)],
            ..Self::default()
        }
    }

    fn texts(label: &str, texts: [String; 3]) -> Self {
        let cells = texts.map(|text| (text, String::new()));
        Self { label: label.to_owned(), cells, ..Self::default() }
    }

    fn judged(mut self, interval: Option<Interval>, higher_is_better: bool) -> Self {
        self.standing = Some(Standing::of(interval, higher_is_better));
        self
    }
}

impl Versus {
    /// The rows of the table; none without an answer.
    pub(super) fn rows(&self, shared: &Shared) -> Vec<Row> {
        let Some(answer) = self.shown(shared) else { return Vec::new() };
        let versus = &answer.one.versus;
        let success = &versus.success;
        let mut rows =
            vec![Row::compared("success", success, Style::Share).judged(success.interval, true)];
        let references = &versus.references;
        if references.tasks > 0 {
            let row = Row::compared("references", references, Style::Share);
            rows.push(row.judged(references.interval, true));
        }
        self.add_tests(shared, &mut rows);
        self.add_noise(shared, &mut rows);
        for (k, both) in versus.passes.iter().filter(|(k, _)| *k > 1) {
            for (pass, compared) in Pass::ALL.into_iter().zip(both) {
                let row = Row::compared(pass.name(*k), compared, Style::Share);
                rows.push(row.judged(compared.interval, true));
            }
        }
        self.add_power(shared, &mut rows);
        for (effort, compared) in &versus.efforts {
            let label = match effort {
                Effort::Turns => "turns per run",
                Effort::Tools => "calls per run",
                Effort::Cost => "cost per run",
                Effort::Duration => "seconds per run",
            };
            let size = compared.values.into_iter().flatten().fold(0.0, f64::max);
            rows.push(Row::compared(label, compared, Style::of_amount(size)));
        }
        let metric = shared.lens.metric;
        rows.extend(versus.scorers.iter().map(|found| scorer_row(found, metric)));
        rows
    }

    fn add_tests(&self, shared: &Shared, rows: &mut Vec<Row>) {
        let Some(answer) = self.shown(shared) else { return };
        let tests = answer.one.versus.tests;
        if let Some(mcnemar) = tests.mcnemar {
            let only = |count: u64| format!("{} only here", grouped(count));
            let p = p_value(mcnemar.exact());
            rows.push(Row::texts("McNemar exact", [only(mcnemar.lost), only(mcnemar.gained), p]));
            if let Some((_, p)) = mcnemar.corrected() {
                let texts = [String::new(), String::new(), p_value(p)];
                rows.push(Row::texts("  corrected", texts));
            }
        }
        if let Some(permutation) = tests.permutation {
            let which = match permutation.drawn {
                Some(drawn) => format!("{} permutations", grouped(drawn as u64)),
                None => "all permutations".to_owned(),
            };
            let texts = [which, String::new(), p_value(permutation.p)];
            rows.push(Row::texts("permutation", texts));
        }
    }

    fn add_noise(&self, shared: &Shared, rows: &mut Vec<Row>) {
        let Some(answer) = self.shown(shared) else { return };
        let versus = &answer.one.versus;
        let words = match versus.noise_range() {
            Some(range) => {
                format!("repeats of the same run differ by up to ±{:.1} points", range * 100.0)
            }
            None => "one draw per task cannot show how far repeats differ".to_owned(),
        };
        rows.push(Row { words: Some(words), ..Row::texts("noise", Default::default()) });
        let [Some(first), Some(second)] = &versus.noise else { return };
        let both = [first, second];
        let cell = |of: &dyn Fn(usize) -> (String, String)| [of(0), of(1), Default::default()];
        let flips = cell(&|side| {
            let noise = both[side];
            let interval = interval_text(noise.flip_interval, |end| Style::Share.end(end));
            (Style::Share.value(noise.flip), interval)
        });
        rows.push(Row { label: "flips".to_owned(), cells: flips, ..Row::default() });
        let icc = cell(&|side| {
            let noise = both[side];
            let value = noise.variance.map_or("–".to_owned(), |variance| two(variance.icc));
            (value, interval_text(noise.icc_interval.filter(|_| noise.variance.is_some()), two))
        });
        rows.push(Row { label: "ICC1".to_owned(), cells: icc, ..Row::default() });
        let variances: [(&str, PartOfVariance); 2] = [
            ("  within tasks", |variance| variance.within),
            ("  between tasks", |variance| variance.between),
        ];
        for (label, of) in variances {
            let text = |side: usize| {
                let variance = both[side].variance.map(of);
                variance.map_or("–".to_owned(), |value| format!("variance {}", two(value)))
            };
            rows.push(Row::texts(label, [text(0), text(1), String::new()]));
        }
    }

    fn add_power(&self, shared: &Shared, rows: &mut Vec<Row>) {
        let Some((draws, power)) = self.shown(shared).and_then(|answer| answer.one.versus.power())
        else {
            return;
        };
        let line = |label: String, parts: Vec<String>| {
            let words = parts.iter().map(|part| padded(part, POWER)).collect::<String>();
            Row { words: Some(words), ..Row::texts(&label, Default::default()) }
        };
        let head = draws.iter().map(|draws| counted(u64::from(*draws), "draw"));
        let head = head.chain(["points".to_owned()]);
        rows.push(line("detectable".to_owned(), head.collect()));
        for (tasks, differences) in power {
            let points = differences.iter().map(|difference| format!("{:.1}", difference * 100.0));
            rows.push(line(format!("  {}", counted(tasks as u64, "task")), points.collect()));
        }
    }
}

fn scorer_row(found: &ScorerVersus, metric: Metric) -> Row {
    let label = found.scorer.label();
    let mut row = Row::compared(label, &found.compared, Style::Metric)
        .judged(found.compared.interval, metric.higher_is_better());
    for (side, cell) in row.cells.iter_mut().take(2).enumerate() {
        let counts = found.counts[side];
        if found.compared.values[side].is_none() {
            let why = metric.undefined(counts.runs, counts.successes);
            cell.0 = why.map_or("–".to_owned(), |why| why.to_string());
        } else if counts.is_flagged() {
            cell.0.push('†');
        }
    }
    row.scorer = Some(found.scorer.clone());
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let amounts = [0.0, 1234.0, 123.4, 13.37, 0.456, 0.0044];
        let texts = ["0", "1,234", "123", "13.4", ".46", ".0044"];
        assert_eq!(amounts.map(|value| Style::of_amount(value).value(value)), texts);
        assert_eq!(Style::Share.difference(-0.081), "−8.1");
        assert_eq!(Style::Share.difference(-0.0001), "0.0");
        assert_eq!(Style::Metric.difference(0.05), "+.05");
        assert_eq!([p_value(0.0001), p_value(0.034)], ["p < .001", "p .034"]);
        assert_eq!(p_value(1.0), "p 1.000");
    }
}
