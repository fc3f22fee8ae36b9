//! The scorers with their lines, their metrics, and what each does at the threshold.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Drawing;
use crate::engine::ScorerCurves;
use crate::metrics::Metric;
use crate::text::{grouped, visible};
use crate::ui::hits::Hits;
use crate::ui::screens::curves::plots::Spot;
use crate::ui::screens::curves::plots::chosen::Chosen;
use crate::ui::widgets::{Stroke, padded, put, short_names, two, width};

/// Columns of a line's sample.
const SAMPLE: u16 = 6;

/// Columns of a scorer's name, at most.
const MOST_NAME: usize = 22;

/// The metrics, in the order of the plots.
const METRICS: [Metric; 5] = [Metric::Auroc, Metric::Auprc, Metric::Prr, Metric::Aurc, Metric::Ece];

/// A column of the table.
struct Column {
    title: String,
    cells: Vec<String>,
    /// Columns with more of it go first where there is no room.
    spare: u8,
}

impl Column {
    fn wide(&self) -> usize {
        self.cells.iter().chain([&self.title]).map(|text| width(text)).max().unwrap_or(0)
    }
}

impl Drawing<'_> {
    pub(super) fn draw_table(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let count = self.subject.scorers.len();
        let name = self.subject.scorers.iter().map(|scorer| width(&scorer.label())).max();
        let name = name.unwrap_or(0).clamp(6, MOST_NAME);
        // The mark, the number and the sample of the line stand before the name.
        let before = 4 + usize::from(SAMPLE);
        let room = usize::from(area.width).saturating_sub(before + name + 2);
        let columns = fitting(self.columns(), room);
        let mut rows = area.rows();
        if let Some(head) = rows.next() {
            let titles = columns.iter().map(|column| column.title.clone());
            let text = joined(&columns, titles);
            let text = format!("{}{}{text}", " ".repeat(before), padded("scorer", name));
            put(buffer, head, Line::styled(text, self.shared.theme.dim));
        }
        // Where there is no room for all of them, the selected one is in sight.
        let selected = self.page.index(self.subject);
        let fits = usize::from(area.height.saturating_sub(1));
        let first = if count > fits { selected.min(count.saturating_sub(fits.max(1))) } else { 0 };
        let labels =
            self.subject.scorers.iter().map(|scorer| visible(&scorer.label()).into_owned());
        let labels = short_names(&labels.collect::<Vec<_>>(), name);
        for (index, row) in (first..count).zip(rows) {
            self.draw_row(buffer, row, index, &padded(&labels[index], name), &columns);
            hits.spot(row, Spot::Scorer(index));
        }
    }

    fn draw_row(
        &self,
        buffer: &mut Buffer,
        row: Rect,
        index: usize,
        label: &str,
        columns: &[Column],
    ) {
        let theme = &self.shared.theme;
        let selected = index == self.page.index(self.subject);
        if selected && self.subject.scorers.len() > 1 {
            buffer.set_style(row, theme.selected_row);
        }
        let mark = if selected { "▸" } else { " " };
        let series = theme.series(index);
        let text_style: Style = if selected { theme.selected } else { theme.text };
        let stroke = Stroke::CURVES[index % Stroke::CURVES.len()];
        let mut spans = vec![
            Span::styled(format!("{mark}{} ", index + 1), text_style),
            Span::styled(format!("{} ", stroke.sample(SAMPLE)), series),
            Span::styled(label.to_owned(), text_style),
        ];
        let cells = columns.iter().map(|column| column.cells[index].clone());
        spans.push(if self.page.curves_at(self.subject, index).is_some() {
            Span::styled(joined(columns, cells), text_style)
        } else {
            Span::styled("  no value here", theme.dim)
        });
        put(buffer, row, Line::from(spans));
    }

    fn columns(&self) -> Vec<Column> {
        let of_plot = self.page.kind.metrics();
        let mut columns: Vec<Column> = METRICS
            .into_iter()
            .map(|metric| {
                let value =
                    |curves: &ScorerCurves| curves.metric(metric).map_or("n/a".to_owned(), two);
                let spare = if of_plot.contains(&metric) { 1 } else { 6 };
                self.column(&metric.id().to_uppercase(), spare, |chosen| value(chosen.curves))
            })
            .collect();
        let count = |part: usize, whole: usize| {
            format!("{}/{}", grouped(part as u64), grouped(whole as u64))
        };
        columns.push(self.column("n", 5, |chosen| {
            let dagger = if chosen.curves.counts.is_flagged() { "†" } else { "" };
            format!("{}{dagger}", chosen.curves.counts.short())
        }));
        columns.push(self.column("threshold", 0, |chosen| chosen.condition()));
        columns.push(self.column("coverage", 2, |chosen| percent(chosen.decision().coverage())));
        columns.push(self.column("success", 2, |chosen| percent(chosen.decision().retained())));
        columns.push(self.column("caught", 3, |chosen| {
            let decision = chosen.decision();
            count(decision.failures_caught(), decision.failures())
        }));
        columns.push(self.column("lost", 3, |chosen| {
            let decision = chosen.decision();
            count(decision.successes_lost(), decision.successes)
        }));
        let costs = self.shared.costs.current;
        columns.push(self.column("cost", 4, |chosen| {
            chosen.decision().cost(&costs).map_or("–".to_owned(), |cost| format!("{cost:.2}"))
        }));
        columns
    }

    /// A column with a value for every scorer; empty where one has no value.
    fn column(&self, title: &str, spare: u8, text: impl Fn(&Chosen<'_>) -> String) -> Column {
        let cell = |index: usize| {
            let chosen = self.page.chosen_at(self.subject, index);
            chosen.map_or(String::new(), |chosen| text(&chosen))
        };
        let cells = (0..self.subject.scorers.len()).map(cell).collect();
        Column { title: title.to_owned(), cells, spare }
    }
}

/// The columns that have room; the least important go first.
fn fitting(mut columns: Vec<Column>, room: usize) -> Vec<Column> {
    let total = |columns: &[Column]| columns.iter().map(|column| column.wide() + 2).sum::<usize>();
    while total(&columns) > room {
        let spare = columns.iter().map(|column| column.spare).max().unwrap_or(0);
        let Some(index) = columns.iter().rposition(|column| column.spare == spare) else { break };
        columns.remove(index);
    }
    columns
}

/// Cells under their titles, numbers to the right.
fn joined(columns: &[Column], cells: impl Iterator<Item = String>) -> String {
    let padded = columns.iter().zip(cells).map(|(column, text)| {
        format!("  {}{text}", " ".repeat(column.wide().saturating_sub(width(&text))))
    });
    padded.collect()
}

/// A share in per cent.
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), |share| format!("{:.0}%", share * 100.0))
}
