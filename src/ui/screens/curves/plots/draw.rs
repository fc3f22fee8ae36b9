//! Draws the plots, the scorers at the threshold, and what the threshold does in words.
//!
//! ```text
//!  ROC AUROC .68                      Precision–recall AUPRC .81
//!   1┤   ⣀⠤⠒⠉⠉                         1┤⠒⠒⠤⣀
//!    │⡠⠊  ●                              │     ●⠒⠤⣀
//!   0└┬────┬────┬                       0└┬────┬────┬
//!     0    .5   1                         0    .5   1
//!   scorer         AUROC  at     coverage  success  caught  lost   cost
//!  ▸1 ⠤⠤⠤ LNSP·min  .68   ≥ .731   80%      78%      9/19   1/31   1.23
//!  LNSP·min ≥ .731 accepts 40 of 50 tasks …
//! ```

mod figure;
mod near;
mod table;
mod words;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use super::{PlotKind, Plots, Spot};
use crate::ui::hits::Hits;
use crate::ui::screens::curves::Subject;
use crate::ui::shared::Shared;
use crate::ui::view::Named;
use crate::ui::widgets::{paragraph, put, sentence_above, wrap};

/// Columns of a plot at least.
const LEAST_WIDE: u16 = 36;

/// Lines of a plot at least.
const LEAST_HIGH: u16 = 7;

/// Lines of a plot before there are words below the table.
const USUAL_HIGH: u16 = 12;

/// From this height on there are two rows of plots.
const TWO_ROWS: u16 = 21;

/// What the drawing is of.
struct Drawing<'a> {
    page: &'a Plots,
    subject: &'a Subject,
    shared: &'a Shared,
}

pub(super) fn draw(
    page: &Plots,
    subject: &Subject,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    if page.shown().is_none() {
        let text = if shared.engine().is_some() { "Ranking tasks …" } else { "" };
        return paragraph(buffer, area, text, shared.theme.dim);
    }
    let drawing = Drawing { page, subject, shared };
    let why = shared.one_outcome(&shared.cells_of(&subject.cells));
    let area = sentence_above(buffer, area, why.as_deref(), shared.theme.notice);
    match drawing.nothing() {
        Some(text) => paragraph(buffer, area, &text, shared.theme.dim),
        None => drawing.draw(buffer, area, hits),
    }
}

impl Drawing<'_> {
    /// Why there is nothing to plot, if so.
    fn nothing(&self) -> Option<String> {
        let shown = self.page.shown()?;
        if shown.scorers.is_empty() {
            return Some(
                "No task here has a value of the scorer: s chooses another one, $ says what each needs."
                    .to_owned(),
            );
        }
        let no_label = shown.scorers.iter().all(|curves| curves.counts.runs == 0);
        no_label.then(|| {
            "No task with a score is graded here, so there is nothing to rank against.".to_owned()
        })
    }

    fn draw(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let sentences = self.sentences();
        let room = usize::from(area.width).saturating_sub(2);
        let lines: Vec<String> = sentences.iter().flat_map(|text| wrap(text, room)).collect();
        let rows = 1 + self.subject.scorers.len() as u16;
        // Plots have their room first, then the table, then words.
        let table = rows.min(area.height.saturating_sub(LEAST_HIGH));
        let words = (lines.len() as u16).min(area.height.saturating_sub(USUAL_HIGH + table));
        let [plots, table, words] = Split::vertical([
            Constraint::Min(1),
            Constraint::Length(table),
            Constraint::Length(words),
        ])
        .areas(area);
        self.draw_plots(buffer, plots, hits);
        self.draw_table(buffer, table, hits);
        for (line, row) in lines.into_iter().zip(words.rows()) {
            put(buffer, row, Line::styled(format!(" {line}"), self.shared.theme.text));
        }
    }

    /// As many plots as there is room for, from the one that has the keys on; all where all fit.
    fn draw_plots(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let all = PlotKind::ALL;
        let areas = places(area, self.page.alone);
        let first = all.iter().position(|kind| *kind == self.page.kind).unwrap_or(0);
        let first = if areas.len() >= all.len() { 0 } else { first };
        let kinds = (0..all.len()).map(|offset| all[(first + offset) % all.len()]);
        for (kind, area) in kinds.zip(&areas) {
            self.draw_plot(buffer, *area, kind, hits);
        }
        if let Some(rest) = areas.get(all.len()) {
            self.draw_near(buffer, *rest);
        }
    }
}

/// Where plots stand, in rows of equal size.
fn places(area: Rect, alone: bool) -> Vec<Rect> {
    if alone {
        return vec![area];
    }
    let fitting = (area.width / LEAST_WIDE).max(1);
    let rows = if area.height >= TWO_ROWS { 2 } else { 1 };
    // Five plots and the tasks beside the threshold stand three by three.
    let columns = if rows == 2 { fitting.min(3) } else { fitting.min(PlotKind::ALL.len() as u16) };
    let split =
        |area: Rect, count: u16, start: fn(Rect) -> u16, size: fn(Rect) -> u16, index: u16| {
            let at = |index: u16| {
                start(area) + (u32::from(size(area)) * u32::from(index) / u32::from(count)) as u16
            };
            (at(index), at(index + 1) - at(index))
        };
    let mut places = Vec::new();
    for row in 0..rows {
        let (y, height) = split(area, rows, |area| area.y, |area| area.height, row);
        for column in 0..columns {
            let (x, width) = split(area, columns, |area| area.x, |area| area.width, column);
            places.push(Rect { x, y, width, height });
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_fill_the_area_without_overlap() {
        for (width, height, count) in [
            (80, 13, 2),
            (60, 8, 1),
            (120, 28, 6),
            (200, 40, 6),
            (200, 15, 5),
            (80, 30, 4),
            (40, 30, 2),
        ] {
            let area = Rect::new(1, 2, width, height);
            let places = places(area, false);
            assert_eq!(places.len(), count, "{width}×{height}");
            let cells: u32 = places.iter().map(|area| area.area()).sum();
            assert_eq!(cells, area.area());
            for (index, one) in places.iter().enumerate() {
                assert!(one.intersection(area) == *one);
                assert!(places[..index].iter().all(|other| !other.intersects(*one)));
            }
        }
        assert_eq!(places(Rect::new(0, 0, 200, 50), true).len(), 1);
    }
}
