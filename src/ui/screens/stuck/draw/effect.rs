//! What stuck tasks do to the metric, and the metric by the number of samples, in the selected cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Drawing, LABEL};
use crate::engine::{StuckEffect, StuckTreatment, TreatedValue};
use crate::text::{counted, visible};
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
    format!("{metric} n {}{interval}", value.counts.tasks)
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

    fn effect(&self, scorer: &str) -> Option<&StuckEffect> {
        self.numbers.effect.iter().find(|effect| effect.scorer.id() == scorer)
    }

    /// The treatment of the lens stands out from the others.
    fn style_of(&self, treatment: StuckTreatment, others: Style) -> Style {
        if treatment == self.shared.lens.stuck { self.shared.theme.accent } else { others }
    }

    /// The metric with stuck tasks counted, dropped and scored as failures.
    fn effect_line(&self, scorer: &str) -> Line<'_> {
        let theme = &self.shared.theme;
        let metric = self.shared.lens.metric.id().to_uppercase();
        let mut spans = vec![Span::styled(format!(" {metric} "), theme.dim)];
        let Some(effect) = self.effect(scorer) else {
            spans.push(Span::styled("no value", theme.dim));
            return Line::from(spans);
        };
        for value in &effect.values {
            let text = format!("{} {}  ", word(value.treatment), treated(value, false));
            spans.push(Span::styled(text, self.style_of(value.treatment, theme.text)));
        }
        spans.push(Span::styled(format!("({} stuck)", effect.stuck), theme.dim));
        Line::from(spans)
    }

    /// The metric by the number of samples.
    fn sample_line(&self, scorer: &str) -> Line<'_> {
        let theme = &self.shared.theme;
        let mut spans = vec![Span::styled(format!(" {}  ", self.samples_title()), theme.dim)];
        let samples = self.samples(scorer);
        if samples.is_empty() {
            spans.push(Span::styled("no sample", theme.dim));
        }
        spans.extend(samples);
        Line::from(spans)
    }

    fn samples_title(&self) -> String {
        format!("{} by samples", self.shared.lens.metric.id().to_uppercase())
    }

    /// The colour of a value by how far it is from chance, where the metric has such a value.
    fn style_by_chance(&self, scorer: &str, value: f64) -> Style {
        let (theme, metric) = (&self.shared.theme, self.shared.lens.metric);
        let counts = self.effect(scorer).and_then(|effect| effect.values.first());
        let rate = counts.map(|value| value.counts).and_then(|counts| {
            (counts.tasks > 0).then(|| counts.successes as f64 / counts.tasks as f64)
        });
        let chance = rate.and_then(|rate| metric.chance(rate));
        chance.filter(|chance| (metric.best() - chance).abs() > 0.0).map_or(theme.text, |chance| {
            theme.diverging(((value - chance) / (metric.best() - chance)).clamp(-1.0, 1.0))
        })
    }

    fn samples(&self, scorer: &str) -> Vec<Span<'_>> {
        let theme = &self.shared.theme;
        let rows = self.numbers.samples.iter().filter(|row| row.scorer == scorer);
        let spans = rows.flat_map(|row| {
            let text = row.value.map_or("n/a".to_owned(), two);
            let glyph = row.value.map_or(' ', |value| theme.glyph(value));
            let style = row.value.map_or(theme.dim, |value| self.style_by_chance(scorer, value));
            [
                Span::styled(format!("{} ", row.samples), theme.dim),
                Span::styled(format!("{glyph}{text} "), style),
            ]
        });
        spans.collect()
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
        put(buffer, columns.samples(head), Line::styled(self.samples_title(), theme.dim));
        for (scorer, line) in self.scorers.iter().zip(rows) {
            let name = format!(" {}", scorer.to_uppercase());
            put(buffer, Rect { width: LABEL, ..line }, Line::styled(name, theme.text));
            let effect = self.effect(scorer);
            for (column, value) in (0..).zip(effect.iter().flat_map(|effect| &effect.values)) {
                self.draw_treated(buffer, columns.treatment(column, line), value);
            }
            put(buffer, columns.samples(line), Line::from(self.samples(scorer)));
        }
    }

    fn draw_effects_title(&self, buffer: &mut Buffer, area: Rect) {
        let cell = self.shared.current_cell().map(ToString::to_string).unwrap_or_default();
        let stuck = self.numbers.effect.first().map_or(0, |effect| effect.stuck);
        let text = format!(
            " {} in {}, with {}",
            self.shared.lens.metric.id().to_uppercase(),
            visible(&cell),
            counted(stuck as u64, "stuck task")
        );
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
