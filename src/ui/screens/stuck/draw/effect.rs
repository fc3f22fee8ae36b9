//! The effect of stuck tasks on the metric, and the metric by the number of samples.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Drawing, LABEL};
use crate::engine::{SampleBand, ScopeEffect, StuckTreatment, TreatedValue};
use crate::text::counted;
use crate::ui::widgets::{fit, put, signed, two};

/// The narrowest column in which a value has its interval.
const WITH_INTERVAL: u16 = 23;

/// Where the columns stand: one a treatment, then the samples.
struct Columns {
    left: u16,
    width: u16,
}

impl Columns {
    fn new(area: Rect) -> Self {
        let width = area.width.saturating_sub(LABEL) * 3 / 4 / 3;
        Self { left: area.x + LABEL, width }
    }

    fn treatment(&self, column: u16, line: Rect) -> Rect {
        Rect { x: self.left + column * self.width, width: self.width, ..line }
    }

    fn samples(&self, line: Rect) -> Rect {
        let x = self.left + StuckTreatment::ALL.len() as u16 * self.width;
        Rect { x, width: line.right().saturating_sub(x), ..line }
    }
}

/// A value with n, and with its interval where there is room.
fn treated(value: &TreatedValue, with_interval: bool) -> String {
    let interval = value.interval.filter(|_| with_interval);
    let interval = interval
        .map_or(String::new(), |interval| format!(" [{}, {}]", two(interval.lo), two(interval.hi)));
    let metric = value.value.map_or("n/a".to_owned(), two);
    format!("{metric} n {}{interval}", value.counts.short())
}

fn word(treatment: StuckTreatment) -> &'static str {
    match treatment {
        StuckTreatment::Counted => "counted",
        StuckTreatment::Dropped => "dropped",
        StuckTreatment::AsFailures => "as failures",
    }
}

impl Drawing<'_> {
    /// Effect and samples of the selected scorer, a line each.
    pub(super) fn draw_effect(&self, buffer: &mut Buffer, area: Rect) {
        let Some(scorer) = self.scorers.get(self.screen.row) else { return };
        let lines = [self.effect_line(scorer), self.sample_line(scorer)];
        for (line, row) in lines.into_iter().zip(area.rows()) {
            put(buffer, row, line);
        }
    }

    fn effect(&self, scorer: &str) -> Option<&ScopeEffect> {
        self.numbers.effect.iter().find(|effect| effect.scorer.id() == scorer)
    }

    /// The treatment of the lens stands out from the others.
    fn style_of(&self, treatment: StuckTreatment, others: Style) -> Style {
        if treatment == self.shared.lens.stuck { self.shared.theme.accent } else { others }
    }

    /// The metric with stuck tasks counted, dropped and scored as failures.
    fn effect_line(&self, scorer: &str) -> Line<'_> {
        let theme = &self.shared.theme;
        // Without the letter before every number, all of them fit on a narrow screen.
        let (unit, letter) = if self.is_pooled() { ("runs/tasks ", "") } else { ("", "n ") };
        let mut spans = vec![Span::styled(format!(" {} {unit}", self.metric()), theme.dim)];
        let Some(effect) = self.effect(scorer) else {
            spans.push(Span::styled("no value", theme.dim));
            return Line::from(spans);
        };
        for value in &effect.values {
            let metric = value.value.map_or("n/a".to_owned(), two);
            let counts = value.counts.short();
            let text = format!("{} {metric} {letter}{counts}  ", word(value.treatment));
            spans.push(Span::styled(text, self.style_of(value.treatment, theme.text)));
        }
        spans.push(Span::styled(format!("({} stuck)", effect.stuck), theme.dim));
        Line::from(spans)
    }

    /// What the two numbers behind `n` are, where there are two.
    fn unit(&self) -> &'static str {
        if self.is_pooled() { "; n is runs/tasks" } else { "" }
    }

    /// The metric by the number of samples, each with half its interval.
    fn sample_line(&self, scorer: &str) -> Line<'_> {
        let theme = &self.shared.theme;
        let mut spans = vec![Span::styled(format!(" {} by samples", self.metric()), theme.dim)];
        for band in self.bands(scorer) {
            let value = band.value.map_or("n/a".to_owned(), two);
            let half = band.interval.map(|interval| format!("±{}", two(interval.half_range())));
            let style = band.value.map_or(theme.dim, |_| theme.text);
            spans.push(Span::styled(format!("  {} ", band.samples), theme.dim));
            spans.push(Span::styled(format!("{value}{}", half.unwrap_or_default()), style));
        }
        if spans.len() == 1 {
            spans.push(Span::styled("  no sample", theme.dim));
        }
        Line::from(spans)
    }

    pub(super) fn metric(&self) -> String {
        self.shared.lens.metric.id().to_uppercase()
    }

    /// The values of a scorer by the number of samples.
    pub(super) fn bands(&self, scorer: &str) -> impl Iterator<Item = &SampleBand> {
        self.numbers.samples.iter().filter(move |band| band.scorer == scorer)
    }

    /// What chance gives, where the metric has such a value.
    pub(super) fn chance(&self, scorer: &str) -> Option<f64> {
        let counts = self.effect(scorer).and_then(|effect| effect.values.first())?.counts;
        let rate = (counts.runs > 0).then(|| counts.successes as f64 / counts.runs as f64)?;
        self.shared.lens.metric.chance(rate)
    }

    /// Effect and samples of all scorers, side by side.
    pub(super) fn draw_effects(&self, buffer: &mut Buffer, area: Rect) {
        let theme = &self.shared.theme;
        let columns = Columns::new(area);
        let mut rows = area.rows();
        let (Some(title), Some(head)) = (rows.next(), rows.next()) else { return };
        self.draw_effects_title(buffer, title);
        for (column, treatment) in (0..).zip(StuckTreatment::ALL) {
            let style = self.style_of(treatment, theme.dim);
            let line = Line::styled(word(treatment), style);
            put(buffer, columns.treatment(column, head), line);
        }
        for (scorer, line) in self.scorers.iter().zip(rows) {
            let name = format!(" {}", scorer.to_uppercase());
            put(buffer, Rect { width: LABEL, ..line }, Line::styled(name, theme.text));
            let effect = self.effect(scorer);
            for (column, value) in (0..).zip(effect.iter().flat_map(|effect| &effect.values)) {
                self.draw_treated(buffer, columns.treatment(column, line), value);
            }
        }
        self.draw_chart(buffer, columns.samples(area));
    }

    fn draw_effects_title(&self, buffer: &mut Buffer, area: Rect) {
        let first = self.numbers.effect.first();
        let noun = if self.is_pooled() { "stuck run" } else { "stuck task" };
        let stuck = counted(first.map_or(0, |effect| effect.stuck) as u64, noun);
        let scope = match first.map_or(1, |effect| effect.cells) {
            _ if self.screen.scope.only_cell(self.shared).is_some() => {
                format!(" in {}", self.scope())
            }
            cells => format!(", mean of {}", counted(cells as u64, "cell")),
        };
        let text = format!(" {}{scope}, with {stuck}{}", self.metric(), self.unit());
        put(buffer, area, Line::styled(text, self.shared.theme.header));
    }

    /// A value, and how far it is from the one with stuck tasks counted.
    fn draw_treated(&self, buffer: &mut Buffer, column: Rect, value: &TreatedValue) {
        let cell = Rect { width: column.width.saturating_sub(1), ..column };
        let mut text = treated(value, cell.width >= WITH_INTERVAL);
        let moved = value.difference.filter(|_| value.treatment != StuckTreatment::Counted);
        if let Some(difference) = moved {
            text = format!("{text} {}", signed(difference));
        }
        let style = self.style_of(value.treatment, self.shared.theme.text);
        put(buffer, cell, Line::styled(fit(&text, usize::from(cell.width)), style));
    }
}
