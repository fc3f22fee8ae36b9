//! What each kind of plot shows of the scorers.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Drawing;
use crate::engine::ScorerCurves;
use crate::metrics::Undefined;
use crate::metrics::curve::{Accepted, Band, CurvePoint, Steps, oracle_retained};
use crate::text::{grouped, visible};
use crate::ui::hits::Hits;
use crate::ui::screens::curves::plots::chosen::value_words;
use crate::ui::screens::curves::plots::{PlotKind, Spot};
use crate::ui::widgets::{
    Area, Axis, Bars, Curve, Drawn, Mark, Plot, Stroke, paragraph, two, width,
};

/// Positions of the curve of a perfect ranking.
const ORACLE: u32 = 50;

impl Drawing<'_> {
    /// Draws a plot, or why there is none.
    pub(super) fn draw_plot(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        kind: PlotKind,
        hits: &mut Hits<Spot>,
    ) {
        let title = self.title(kind, usize::from(area.width).saturating_sub(2));
        if let Some(why) = self.empty(kind) {
            let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
            crate::ui::widgets::put(buffer, area, title);
            return paragraph(buffer, below, &why, self.shared.theme.dim);
        }
        let mut plot = self.plot(kind, area.width);
        plot.title = title;
        let drawn = plot.draw(buffer, area, &self.shared.theme);
        note_points(kind, &drawn, hits);
    }

    /// The selected scorer's curves.
    fn selected(&self) -> Option<&ScorerCurves> {
        self.page.curves_at(self.subject, self.page.index(self.subject))
    }

    /// The title, with the numbers that sum up the selected scorer's curve.
    fn title<'a>(&self, kind: PlotKind, room: usize) -> Line<'a> {
        let theme = &self.shared.theme;
        let name = kind.title();
        let has_keys = kind == self.page.kind;
        let (mark, style) = if has_keys { ("▸", theme.selected) } else { (" ", theme.header) };
        let mut spans = vec![Span::styled(format!("{mark}{name}"), style)];
        let mut used = width(name) + 1;
        let selected = self.selected();
        for metric in kind.metrics() {
            let value = selected.and_then(|curves| curves.metric(*metric)).map(two);
            let text =
                format!(" {} {}", metric.id().to_uppercase(), value.unwrap_or("n/a".to_owned()));
            used += width(&text);
            spans.push(Span::styled(text, theme.accent));
        }
        let about = match (kind, selected) {
            (PlotKind::Histogram, Some(curves)) => {
                vec![visible(&curves.scorer.label()).into_owned()]
            }
            _ => kind.about().iter().map(|about| (*about).to_owned()).collect(),
        };
        let mut abouts = about.into_iter().map(|about| format!("  {about}"));
        if let Some(about) = abouts.find(|about| used + width(about) <= room) {
            spans.push(Span::styled(about, theme.dim));
        }
        Line::from(spans)
    }

    /// Why a plot has nothing to show, in one sentence.
    fn empty(&self, kind: PlotKind) -> Option<String> {
        let curves: Vec<&ScorerCurves> = self.known().map(|(_, curves)| curves).collect();
        let ranked = |curves: &&&ScorerCurves| !curves.roc.is_empty();
        match kind {
            PlotKind::Roc | PlotKind::Pr => {
                let first =
                    curves.first().filter(|_| !curves.iter().any(|curves| ranked(&curves)))?;
                let total = first.steps.total();
                let why = if total.hits == total.items {
                    Undefined::AllPassed
                } else {
                    Undefined::AllFailed
                };
                Some(format!(
                    "No curve: {} ({} tasks), so no ranking is better than another.",
                    why.reason(),
                    grouped(total.items as u64)
                ))
            }
            PlotKind::Reliability => {
                let none = curves.iter().all(|curves| curves.reliability.is_none());
                none.then(|| {
                    let name = curves.first().map_or(String::new(), |curves| curves.scorer.label());
                    format!("{} is not in 0..1, so it is no probability to check.", visible(&name))
                })
            }
            PlotKind::Histogram => self
                .selected()
                .is_none_or(|curves| curves.steps.is_empty())
                .then(|| "No task here has a value of the selected scorer.".to_owned()),
            PlotKind::Risk => None,
        }
    }

    /// The scorers with values, by their index in the subject.
    pub(super) fn known(&self) -> impl Iterator<Item = (usize, &ScorerCurves)> {
        let count = self.subject.scorers.len();
        (0..count).filter_map(|index| Some((index, self.page.curves_at(self.subject, index)?)))
    }

    fn plot<'a>(&self, kind: PlotKind, wide: u16) -> Plot<'a> {
        let mut plot = Plot::new(Axis::share(), Axis::share());
        plot.curves = self.curves(kind);
        plot.marks = self.marks(kind);
        plot.area = self.band(kind);
        let chosen = self.page.chosen(self.subject);
        match kind {
            PlotKind::Roc | PlotKind::Reliability => plot.curves.push(self.guide(diagonal(), &[])),
            PlotKind::Pr => plot.curves.extend(self.base_rate().map(|rate| self.level(rate))),
            PlotKind::Risk => {
                plot.cursor = chosen.and_then(|chosen| chosen.decision().coverage());
                if let Some(rate) = self.base_rate() {
                    plot.curves.push(self.guide(oracle(rate), &["oracle"]));
                    plot.curves.push(self.level(rate));
                }
                plot.y = Axis::from_quarter(lowest(&plot.curves));
            }
            PlotKind::Histogram => {}
        }
        if kind == PlotKind::Reliability {
            plot.cursor = chosen.map(|chosen| chosen.confidence());
            plot.counts = self.bin_counts();
        }
        if let (PlotKind::Histogram, Some(curves)) = (kind, self.selected()) {
            let (axis, bars) = histogram(curves, wide);
            plot.cursor = chosen.map(|chosen| chosen.rank.max(axis.low));
            (plot.x, plot.bars) = (axis, Some(bars));
        }
        plot
    }

    /// The lines of the scorers, the selected one on top.
    fn curves(&self, kind: PlotKind) -> Vec<Curve> {
        let selected = self.page.index(self.subject);
        let mut known: Vec<(usize, &ScorerCurves)> = self.known().collect();
        known.sort_by_key(|(index, _)| *index != selected);
        let curve = |(index, curves): (usize, &ScorerCurves)| {
            let points = points(curves, kind);
            let number = (index + 1).to_string();
            let label = visible(&curves.scorer.label()).into_owned();
            let names = match kind {
                _ if points.is_empty() || self.subject.scorers.len() == 1 => Vec::new(),
                // Elsewhere the number marks the threshold.
                PlotKind::Reliability => vec![label, number],
                _ => vec![label],
            };
            Curve {
                names,
                points,
                stroke: Stroke::CURVES[index % Stroke::CURVES.len()],
                style: self.shared.theme.series(index),
            }
        };
        known.into_iter().map(curve).collect()
    }

    /// The band of the selected scorer.
    fn band(&self, kind: PlotKind) -> Option<Area> {
        let bands = self.selected().filter(|_| self.page.bands)?.bands.as_ref()?;
        let heights = |band: &[Band]| band.iter().map(|at| (at.x, at.lo, at.hi)).collect();
        let points: Vec<(f64, f64, f64)> = match kind {
            PlotKind::Roc => heights(&bands.roc),
            PlotKind::Pr => heights(&bands.precision_recall),
            PlotKind::Risk => heights(&bands.risk_coverage),
            PlotKind::Reliability => {
                let bins = self.selected()?.reliability.as_ref()?.iter().zip(&bands.reliability);
                let known = bins.filter_map(|(bin, interval)| Some((bin, (*interval)?)));
                known.map(|(bin, interval)| (bin.mean, interval.lo, interval.hi)).collect()
            }
            PlotKind::Histogram => return None,
        };
        Some(Area { points, style: self.shared.theme.rule })
    }

    /// The threshold on every curve: where the others accept as many tasks.
    fn marks(&self, kind: PlotKind) -> Vec<Mark> {
        let selected = self.page.index(self.subject);
        let mut all: Vec<usize> = self.known().map(|(index, _)| index).collect();
        all.sort_by_key(|index| *index != selected);
        let mark = |index: usize| {
            let decision = self.page.chosen_at(self.subject, index)?.decision();
            let recall = decision.share_lost().map(|lost| 1.0 - lost);
            let at = match kind {
                PlotKind::Roc => (decision.share_caught().map(|caught| 1.0 - caught)?, recall?),
                PlotKind::Pr => (recall?, decision.retained()?),
                PlotKind::Risk => (decision.coverage()?, decision.retained()?),
                PlotKind::Reliability | PlotKind::Histogram => return None,
            };
            let sign =
                if index == selected { '●' } else { char::from_digit(index as u32 + 1, 10)? };
            Some(Mark { at, sign, style: self.shared.theme.series(index) })
        };
        let bins = self.selected().filter(|_| kind == PlotKind::Reliability);
        let bins = bins.map(|curves| points(curves, kind)).unwrap_or_default().into_iter();
        let style = self.shared.theme.series(selected);
        let bins = bins.map(|at| Mark { at, sign: '○', style });
        all.into_iter().filter_map(mark).chain(bins).collect()
    }

    /// The share of successes among the selected scorer's tasks.
    fn base_rate(&self) -> Option<f64> {
        let total =
            self.selected().or_else(|| self.known().next().map(|(_, known)| known))?.steps.total();
        (total.items > 0).then(|| total.hits as f64 / total.items as f64)
    }

    fn guide(&self, points: Vec<(f64, f64)>, names: &[&str]) -> Curve {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        Curve { points, stroke: Stroke::Faint, style: self.shared.theme.dim, names }
    }

    /// What no ranking at all retains.
    fn level(&self, rate: f64) -> Curve {
        self.guide(vec![(0.0, rate), (1.0, rate)], &["random"])
    }

    /// How many tasks each bin of the selected scorer has.
    fn bin_counts(&self) -> Vec<(f64, String)> {
        let bins = self.selected().and_then(|curves| curves.reliability.as_ref());
        let bins = bins.into_iter().flatten().enumerate().filter(|(_, bin)| bin.runs > 0);
        bins.map(|(index, bin)| ((index as f64 + 0.5) / 10.0, bin.runs.to_string())).collect()
    }
}

/// Notes what a click on the plot means: a point where both values count, else a column.
fn note_points(kind: PlotKind, drawn: &Drawn, hits: &mut Hits<Spot>) {
    let inner = drawn.inner;
    let by_row = matches!(kind, PlotKind::Roc | PlotKind::Pr);
    for column in inner.columns() {
        if by_row {
            for cell in column.rows() {
                hits.spot(cell, Spot::Point(kind, drawn.at(cell.x, cell.y)));
            }
        } else {
            hits.spot(column, Spot::Point(kind, drawn.at(column.x, column.y)));
        }
    }
}

/// The points of a scorer's curve.
fn points(curves: &ScorerCurves, kind: PlotKind) -> Vec<(f64, f64)> {
    let of = |curve: &[CurvePoint]| curve.iter().map(|point| (point.x, point.y)).collect();
    match kind {
        PlotKind::Roc => of(&curves.roc),
        PlotKind::Pr => of(&curves.precision_recall),
        PlotKind::Risk => of(&curves.risk_coverage),
        PlotKind::Reliability => {
            let bins = curves.reliability.iter().flatten();
            bins.filter_map(|bin| Some((bin.mean, bin.share()?))).collect()
        }
        PlotKind::Histogram => Vec::new(),
    }
}

fn diagonal() -> Vec<(f64, f64)> {
    vec![(0.0, 0.0), (1.0, 1.0)]
}

/// What a perfect ranking retains.
fn oracle(rate: f64) -> Vec<(f64, f64)> {
    let at = |step: u32| f64::from(step) / f64::from(ORACLE);
    let mut points: Vec<(f64, f64)> =
        (0..=ORACLE).map(at).map(|x| (x, oracle_retained(x, rate))).collect();
    points.push((rate, 1.0));
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

fn lowest(curves: &[Curve]) -> f64 {
    curves.iter().flat_map(|curve| &curve.points).map(|(_, y)| *y).fold(1.0, f64::min)
}

/// Tasks by the numbers that rank, in bins of two columns.
fn histogram(curves: &ScorerCurves, wide: u16) -> (Axis, Bars) {
    let steps = &curves.steps;
    let finite = |value: &&f64| value.is_finite();
    let low = steps.thresholds().iter().rev().find(finite).copied().unwrap_or(0.0);
    let high = steps.thresholds().iter().find(finite).copied().unwrap_or(1.0);
    let room = usize::from(wide.saturating_sub(2));
    let mut axis = Axis::around(low, high, (room / 9).max(2));
    for (value, name) in &mut axis.ticks {
        let is_plain = !curves.scale.is_log && !curves.scale.direction.is_reversed();
        if !is_plain {
            *name = value_words(curves.scale, *value);
        }
    }
    let bins = (room / 2).clamp(8, 40);
    (axis.clone(), counts(steps, &axis, bins))
}

/// How many tasks of each outcome every bin has.
fn counts(steps: &Steps, axis: &Axis, bins: usize) -> Bars {
    let accepted = |edge: usize| match edge {
        0 => steps.total(),
        edge if edge == bins => Accepted::default(),
        edge => steps.at(axis.at(edge as f64 / bins as f64)),
    };
    let mut bars = Bars::default();
    for bin in 0..bins {
        let (from, to) = (accepted(bin), accepted(bin + 1));
        let hits = from.hits - to.hits;
        bars.up.push(hits);
        bars.down.push(from.items - to.items - hits);
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_in_one_bin() {
        let scores = [0.9, 0.95, 0.95, 1.0, 0.9, f64::NEG_INFINITY];
        let success = [false, true, false, true, true, false];
        let steps = Steps::new(&scores, &success);
        let bars = counts(&steps, &Axis::around(0.9, 1.0, 4), 10);
        assert_eq!((bars.up.iter().sum::<usize>(), bars.down.iter().sum::<usize>()), (3, 3));
        assert_eq!((bars.up[0], bars.down[0]), (1, 2), "the least score is in the first bin");
        assert_eq!((bars.up[5], bars.down[5], bars.up[9]), (1, 1, 1));
    }

    #[test]
    fn a_perfect_ranking_keeps_every_success_first() {
        let points = oracle(0.31);
        assert!(points.iter().filter(|(x, _)| *x <= 0.31).all(|(_, y)| (*y - 1.0).abs() < 1e-12));
        assert!((points.last().expect("points").1 - 0.31).abs() < 1e-12);
    }
}
