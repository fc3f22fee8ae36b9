//! The wide form of a grid: what the screen shows, a column per cell.

use super::grid::{Known, Numbers};
use crate::colour::{Rgb, STEPS, Shade, diverging, sequential};
use crate::engine::FEW;
use crate::metrics::bootstrap::Interval;
use crate::report::layout::{
    FAINT, GridLayout, GridRow, Show, columns_by_dataset, heat, holds_chance, holds_zero,
    rows_by_family,
};
use crate::report::wide::{WideRow, WideTable, WideValue};
use crate::scorers::Scorer;
use crate::text::{counted, percent, signed, two};

/// A grid in wide form.
pub(super) fn wide(numbers: &Numbers<'_>, layout: &GridLayout) -> WideTable {
    let cells: Vec<_> = numbers.engine.frames().iter().map(|frame| frame.cell.clone()).collect();
    let (mut columns, mut scorers) = (columns_by_dataset(&cells), numbers.scorers.to_vec());
    let all = (columns.len(), scorers.len());
    if !layout.show_empty && numbers.all().any(|known| known.point.value.is_some()) {
        let is_known = |scorer: &Scorer, cell: usize| {
            numbers.known(scorer, cell).is_some_and(|known| known.point.value.is_some())
        };
        columns.retain(|&cell| numbers.scorers.iter().any(|scorer| is_known(scorer, cell)));
        scorers.retain(|scorer| (0..cells.len()).any(|cell| is_known(scorer, cell)));
    }
    let left_out = left_out(all.0 - columns.len(), all.1 - scorers.len());
    numbers.order_columns(&mut columns, layout);
    let rows = match layout.order_rows {
        Some(cell) => {
            numbers.order_scorers(&mut scorers, cell);
            scorers.into_iter().map(GridRow::Scorer).collect()
        }
        None => rows_by_family(&scorers, &layout.folded),
    };
    let view = View { numbers, layout };
    let rows = rows.iter().map(|row| view.row(row, &columns)).collect();
    let mut table = WideTable {
        corner: numbers.metric.id().to_uppercase(),
        columns: columns.iter().map(|cell| cells[*cell].clone()).collect(),
        rows,
        foot: foot(numbers, &columns),
        remarks: Vec::new(),
    };
    table.remarks = view.remarks(&table);
    table.remarks.extend(left_out);
    table
}

/// How many cells and scorers without any value are left out.
fn left_out(cells: usize, scorers: usize) -> Option<String> {
    let count = |count: usize, noun: &str| (count > 0).then(|| counted(count as u64, noun));
    let parts = [count(cells, "cell"), count(scorers, "scorer")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("left out, without a value: {}", parts.join(" and ")))
}

/// The share of successes and the number of labelled tasks of every column.
fn foot(numbers: &Numbers<'_>, columns: &[usize]) -> Vec<(String, Vec<String>)> {
    let frames = numbers.engine.frames();
    let outcomes = |cell: &usize| {
        let labels = frames[*cell].tasks.iter().filter_map(|task| task.success);
        labels.fold((0, 0), |(solved, count), success| (solved + u64::from(success), count + 1))
    };
    let outcomes: Vec<(u64, u64)> = columns.iter().map(outcomes).collect();
    let rates = outcomes.iter().map(|(solved, count)| percent(*solved, *count));
    let counts = outcomes.iter().map(|(_, count)| count.to_string());
    vec![("success rate".to_owned(), rates.collect()), ("n".to_owned(), counts.collect())]
}

/// How values are shown.
struct View<'a> {
    numbers: &'a Numbers<'a>,
    layout: &'a GridLayout,
}

impl View<'_> {
    fn row(&self, row: &GridRow, columns: &[usize]) -> WideRow {
        match row {
            GridRow::Head(family) => WideRow::Head(family.id().to_owned()),
            GridRow::Folded(family, members) => {
                let label = format!("{}, best of {}", family.id(), members.len());
                let value = |cell: &usize| match self.numbers.best(members, *cell) {
                    Some(scorer) => self.value(scorer, *cell),
                    None => absent(),
                };
                WideRow::Values(label, columns.iter().map(value).collect())
            }
            GridRow::Scorer(scorer) => {
                let values = columns.iter().map(|cell| self.value(scorer, *cell)).collect();
                WideRow::Values(scorer.label(), values)
            }
        }
    }

    fn value(&self, scorer: &Scorer, cell: usize) -> WideValue {
        let Some(known) = self.numbers.known(scorer, cell) else { return absent() };
        let Some(point) = known.point.value else {
            return WideValue { text: "n/a".to_owned(), ..WideValue::default() };
        };
        // The row that the others are compared with has values, and they have differences.
        let compared = self.layout.pinned.as_ref().is_some_and(|pinned| pinned != scorer);
        let value = if compared { known.difference.map(|known| known.value) } else { Some(point) };
        let Some(value) = value else { return absent() };
        let (text, interval) = self.words(known, value, compared);
        WideValue {
            text,
            interval,
            is_best: self.numbers.scorers.len() > 1
                && self.numbers.best_value(cell) == known.point.value,
            is_flagged: known.point.counts.is_flagged() && self.layout.show != Show::Interval,
            colour: self.has_heat().then(|| self.colour(known, value, compared)),
        }
    }

    /// A value in words, and the interval that stands beside it.
    fn words(&self, known: &Known, value: f64, compared: bool) -> (String, Option<String>) {
        let number = |value: f64| if compared { signed(value) } else { two(value) };
        let interval = if compared {
            known.difference.and_then(|known| known.interval)
        } else {
            known.point.interval
        };
        let interval = interval.filter(|_| known.point.counts.can_be_resampled());
        let ends =
            |interval: Interval| format!("[{}, {}]", number(interval.lo), number(interval.hi));
        match self.layout.show {
            Show::Value | Show::Swatch => (number(value), interval.filter(|_| compared).map(ends)),
            Show::HalfRange => {
                let half = interval.map_or("–".to_owned(), |known| two(known.half_range()));
                (format!("{}±{half}", number(value)), None)
            }
            Show::Interval => (interval.map_or("–".to_owned(), ends), None),
            Show::Rank => (self.numbers.rank(known).to_string(), None),
        }
    }

    /// Whether values have a colour. Where only colours are shown on screen, they say everything.
    fn has_heat(&self) -> bool {
        self.layout.heat || self.layout.show == Show::Swatch
    }

    fn colour(&self, known: &Known, value: f64, compared: bool) -> Rgb {
        let metric = self.numbers.metric;
        let counts = known.point.counts;
        let heat = heat(metric, value, Some(counts), compared);
        let step = |share: f64| (share.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() as usize;
        if !compared && metric.chance(counts.success_rate()).is_none() {
            return sequential()[step(heat)];
        }
        let is_uncertain = if compared {
            holds_zero(known.difference)
        } else {
            holds_chance(metric, known.point.interval, Some(counts))
        };
        let heat = if is_uncertain { heat * FAINT } else { heat };
        diverging(Shade::Light)[step(f64::midpoint(heat, 1.0))]
    }

    /// What the signs of a table mean.
    fn remarks(&self, table: &WideTable) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Some(pinned) = &self.layout.pinned {
            remarks.push(format!(
                "differences to {} on the tasks that both have, with 95% intervals",
                pinned.label()
            ));
        }
        match self.layout.show {
            Show::HalfRange => remarks.push("± half of the 95% interval".to_owned()),
            Show::Interval if self.layout.pinned.is_none() => {
                remarks.push("95% intervals".to_owned());
            }
            Show::Rank => remarks.push("ranks among the scorers of a column".to_owned()),
            _ => {}
        }
        if table.values().any(|value| value.is_flagged) {
            remarks.push(format!("† fewer than {FEW} tasks of the rarer outcome"));
        }
        remarks
    }
}

fn absent() -> WideValue {
    WideValue { text: "–".to_owned(), ..WideValue::default() }
}
