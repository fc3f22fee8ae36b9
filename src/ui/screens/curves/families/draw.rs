//! Draws every cell as a line: the best scorer of each family as a dot, or the difference of two scorers
//! with its interval.
//!
//! ```text
//!  ▸best PRR of a family                        LNSP·min − TER
//!  ▸bfcl-v4/gpt-4o-mini   ┊     ●  ◆ ▲          ├──●──┤ ┊        -.04 ·
//!   airline/gpt-4o-mini  ▲┊ ●  ◆             ├────●─────┼─┤      -.20 ·
//!                         0    .5     1        -.5      0     .5
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

use super::{Families, Pane, Spot, metric_name};
use crate::engine::{Favours, MethodBest, MethodFamily, PairedCell};
use crate::metrics::Metric;
use crate::scorers::Scorer;
use crate::text::{counted, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::screens::curves::Subject;
use crate::ui::shared::Shared;
use crate::ui::widgets::{Axis, fit, paragraph, put, signed, two, width, wrap};

/// From this width on both panes are shown.
const BOTH: u16 = 130;

/// Columns of a cell's name at most.
const NAME: u16 = 30;

/// Columns that a difference takes behind its line: `+.05 1`.
const BEHIND: u16 = 8;

/// The sign of a family.
const SIGNS: [(MethodFamily, char); 3] = [
    (MethodFamily::WhiteBox, '●'),
    (MethodFamily::Consistency, '◆'),
    (MethodFamily::Reflexive, '▲'),
];

pub(super) fn draw(
    page: &Families,
    subject: &Subject,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    let room = usize::from(area.width).saturating_sub(2);
    let lines: Vec<String> =
        sentences(page, shared).iter().flat_map(|text| wrap(text, room)).collect();
    let high = (lines.len() as u16).min(area.height / 3);
    let [top, words] = Split::vertical([Constraint::Min(1), Constraint::Length(high)]).areas(area);
    for (line, row) in lines.into_iter().zip(words.rows()) {
        put(buffer, row, Line::styled(format!(" {line}"), shared.theme.text));
    }
    let drawing = Drawing { page, subject, shared };
    if area.width >= BOTH {
        let halves = [Constraint::Fill(1), Constraint::Fill(1)];
        let [left, right] = Split::horizontal(halves).spacing(2).areas(top);
        drawing.draw_best(buffer, left, hits);
        drawing.draw_paired(buffer, right, hits);
    } else if page.pane == Pane::Best {
        drawing.draw_best(buffer, top, hits);
    } else {
        drawing.draw_paired(buffer, top, hits);
    }
}

struct Drawing<'a> {
    page: &'a Families,
    subject: &'a Subject,
    shared: &'a Shared,
}

/// Where the line of every cell stands, and what its values mean.
struct Track {
    axis: Axis,
    line: Rect,
}

impl Track {
    fn column(&self, value: f64) -> Option<u16> {
        let last = self.line.width.checked_sub(1)?;
        let share = self.axis.along(value).clamp(0.0, 1.0);
        Some(self.line.x + (share * f64::from(last)).round() as u16)
    }

    fn put(&self, buffer: &mut Buffer, row: u16, value: f64, sign: char, style: Style) {
        if let Some(column) = self.column(value) {
            buffer[(column, row)].set_char(sign).set_style(style);
        }
    }
}

impl Drawing<'_> {
    fn draw_best(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let metric = self.shared.lens.metric;
        let title = format!("best {} by family", metric_name(metric));
        let area = self.draw_head(buffer, area, Pane::Best, &title, hits);
        let Some(best) = self.page.best.get() else {
            return paragraph(buffer, area, "Ranking scorers …", self.shared.theme.dim);
        };
        if best.is_empty() {
            let text = "No scorer of the paper has a value of this metric here.";
            return paragraph(buffer, area, text, self.shared.theme.dim);
        }
        let values = best.iter().filter_map(|found| found.best.value);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let chance = metric.chance(0.5).filter(|_| metric != Metric::Auprc);
        let low = chance.map_or(low, |chance| low.min(chance));
        let (rows, track) = self.track(buffer, area, 0, (low, high));
        for (cell, name, line) in self.cells(rows) {
            self.draw_name(buffer, line, (cell, &name), Pane::Best, hits);
            if let Some(chance) = chance {
                track.put(buffer, line.y, chance, '┊', self.shared.theme.rule);
            }
            let here = best.iter().filter(|found| found.best.cell == cell);
            let mut here: Vec<&MethodBest> = here.collect();
            // The best is on top.
            here.sort_by(|a, b| {
                a.best.value.partial_cmp(&b.best.value).unwrap_or(std::cmp::Ordering::Equal)
            });
            if !metric.higher_is_better() {
                here.reverse();
            }
            for found in here {
                let index = SIGNS.iter().position(|(method, _)| *method == found.method);
                let (Some(index), Some(value)) = (index, found.best.value) else { continue };
                let style = self.shared.theme.series(index);
                track.put(buffer, line.y, value, SIGNS[index].1, style);
            }
        }
    }

    fn draw_paired(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let theme = &self.shared.theme;
        let metric = self.shared.lens.metric;
        let Some((first, second)) = Families::pair(self.subject) else {
            let area = self.draw_head(buffer, area, Pane::Paired, "two scorers", hits);
            let first = self.subject.scorers.first().map_or(String::new(), Scorer::label);
            let text = format!(
                "+ adds a scorer: its difference to {} is shown here in every cell, with a verdict.",
                visible(&first)
            );
            return paragraph(buffer, area, &text, theme.dim);
        };
        let title = format!("{} of {} − {}", metric_name(metric), first.label(), second.label());
        let area = self.draw_head(buffer, area, Pane::Paired, &visible(&title), hits);
        let Some((_, cells)) = self.page.compared() else {
            return paragraph(buffer, area, "Resampling tasks …", theme.dim);
        };
        if cells.is_empty() {
            let text = "No cell has a value of both scorers under this metric.";
            return paragraph(buffer, area, text, theme.dim);
        }
        let ends = cells.iter().flat_map(|row| {
            let interval = row.difference.interval;
            [interval.map(|ends| ends.lo), interval.map(|ends| ends.hi), Some(row.difference.value)]
        });
        let (low, high) = ends
            .flatten()
            .fold((0.0f64, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
        let (rows, track) = self.track(buffer, area, BEHIND, (low, high));
        for (cell, name, line) in self.cells(rows) {
            self.draw_name(buffer, line, (cell, &name), Pane::Paired, hits);
            if let Some(row) = cells.iter().find(|row| row.cell == cell) {
                self.draw_difference(buffer, line, &track, row, metric);
            }
        }
    }

    fn draw_difference(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        track: &Track,
        row: &PairedCell,
        metric: Metric,
    ) {
        let theme = &self.shared.theme;
        let favours = row.difference.favours(metric);
        let (sign, style) = match favours {
            Favours::First => ("1", theme.series(0)),
            Favours::Second => ("2", theme.series(1)),
            Favours::Open => ("·", theme.dim),
        };
        if let Some(ends) = row.difference.interval
            && let (Some(from), Some(to)) = (track.column(ends.lo), track.column(ends.hi))
        {
            (from..=to).for_each(|column| {
                buffer[(column, line.y)].set_symbol("─").set_style(style);
            });
            buffer[(from, line.y)].set_symbol("├");
            buffer[(to, line.y)].set_symbol("┤");
            let zero = track.column(0.0).filter(|zero| (from + 1..to).contains(zero));
            if let Some(zero) = zero {
                buffer[(zero, line.y)].set_symbol("┼");
            }
        }
        let zero = track.column(0.0).filter(|column| buffer[(*column, line.y)].symbol() == " ");
        if zero.is_some() {
            track.put(buffer, line.y, 0.0, '┊', theme.rule);
        }
        track.put(buffer, line.y, row.difference.value, '●', style);
        let text = format!(" {:>5} {sign}", signed(row.difference.value));
        let behind = Rect { x: track.line.right(), width: BEHIND, ..line };
        put(buffer, behind.intersection(line), Line::styled(text, style));
    }

    /// The head of a pane; returns what is below.
    fn draw_head(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        pane: Pane,
        title: &str,
        hits: &mut Hits<Spot>,
    ) -> Rect {
        let theme = &self.shared.theme;
        let [head, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
        let has_keys = self.page.pane == pane;
        let (mark, style) = if has_keys { ("▸", theme.selected) } else { (" ", theme.header) };
        let room = usize::from(head.width);
        put(buffer, head, Line::styled(fit(&format!("{mark}{title}"), room), style));
        hits.spot(head, Spot::Pane(pane));
        if pane == Pane::Best {
            let mut x = head.x + width(title) as u16 + 3;
            for (index, (method, sign)) in SIGNS.iter().enumerate() {
                let text = format!("{sign} {}", method.id());
                let wide = width(&text) as u16;
                if x + wide <= head.right() {
                    let area = Rect { x, width: wide, ..head };
                    put(buffer, area, Line::styled(text, theme.series(index)));
                }
                x += wide + 2;
            }
        }
        body
    }

    /// The rows of cells, and where their lines stand; draws the axis below them.
    fn track(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        behind: u16,
        (low, high): (f64, f64),
    ) -> (Rect, Track) {
        let theme = &self.shared.theme;
        let lines = (self.shared.cells.len() as u16).min(area.height.saturating_sub(1));
        let [rows, axis_line, _] =
            Split::vertical([Constraint::Length(lines), Constraint::Length(1), Constraint::Min(0)])
                .areas(area);
        let name = NAME.min(area.width / 3) + 1;
        let wide = area.width.saturating_sub(name + behind + 1);
        let line = Rect { x: area.x + name, width: wide, ..axis_line };
        let axis = Axis::spanning(low, high, (usize::from(wide) / 10).max(2));
        let track = Track { axis, line };
        for (value, text) in &track.axis.ticks {
            let Some(column) = track.column(*value) else { continue };
            let wide = width(text) as u16;
            let x = column
                .saturating_sub(wide / 2)
                .clamp(line.x, (line.right() + 1).saturating_sub(wide).max(line.x));
            let area = Rect { x, width: wide, ..line };
            put(buffer, area, Line::styled(text.clone(), theme.dim));
        }
        (rows, track)
    }

    /// The cells that have room, with their names and lines.
    fn cells(&self, rows: Rect) -> Vec<(usize, String, Rect)> {
        let count = self.shared.cells.len();
        let first = scrolled(0, self.shared.cell, usize::from(rows.height), count);
        let room = usize::from(NAME.min(rows.width / 3)).saturating_sub(1);
        let names = self.shared.short_cells(room).into_iter().enumerate().skip(first);
        names.zip(rows.rows()).map(|((cell, name), line)| (cell, name, line)).collect()
    }

    fn draw_name(
        &self,
        buffer: &mut Buffer,
        line: Rect,
        (cell, name): (usize, &str),
        pane: Pane,
        hits: &mut Hits<Spot>,
    ) {
        let theme = &self.shared.theme;
        let here = cell == self.shared.cell;
        let (mark, style) = if here { ("▸", theme.selected) } else { (" ", theme.text) };
        let area = Rect { width: NAME.min(line.width / 3), ..line };
        put(buffer, area, Line::styled(format!("{mark}{name}"), style));
        hits.spot(line, Spot::Cell(pane, cell));
    }
}

/// The best scorers of the selected cell, in words.
pub(super) fn best_words(page: &Families, shared: &Shared) -> Option<String> {
    let best = page.best.get()?;
    let of_cell = best.iter().filter(|found| found.best.cell == shared.cell);
    let words: Vec<String> = of_cell
        .map(|found| {
            let value = found.best.value.map_or("n/a".to_owned(), two);
            let ends = found.best.interval;
            let ends = ends.map(|ends| format!(" [{}, {}]", two(ends.lo), two(ends.hi)));
            let flag = if found.best.counts.is_flagged() { " †" } else { "" };
            let name = visible(&found.scorer.label()).into_owned();
            format!("{} {name} {value}{}{flag}", found.method.id(), ends.unwrap_or_default())
        })
        .collect();
    let cell = visible(&shared.cells.get(shared.cell)?.to_string()).into_owned();
    (!words.is_empty()).then(|| format!("{cell}: {}", words.join(", ")))
}

fn sentences(page: &Families, shared: &Shared) -> Vec<String> {
    match page.pane {
        Pane::Best => {
            let metric = metric_name(shared.lens.metric);
            let paper = if shared.lens.metric == Metric::Prr {
                ""
            } else {
                " The paper's figure shows PRR: m."
            };
            let note = format!(
                "Each {metric} is of the best of 24 white-box, 6 consistency or 2 reflexive scorers, chosen on \
                 these tasks: more scorers, more choice.{paper}"
            );
            best_words(page, shared).map(|words| words + ".").into_iter().chain([note]).collect()
        }
        Pane::Paired => {
            let verdict = page.verdict();
            let chance = page.compared().map(|(_, cells)| {
                let expected = cells.len() as f64 / 20.0;
                format!(
                    "Were both equally good, about {expected:.0} of {} would be decisive by chance.",
                    counted(cells.len() as u64, "cell")
                )
            });
            let here = page.compared().and_then(|(question, cells)| {
                let row = cells.iter().find(|row| row.cell == shared.cell)?;
                let ends = row.difference.interval?;
                let [a, b] = row.values.map(|value| value.map_or("n/a".to_owned(), two));
                let names = [&question.first, &question.second].map(Scorer::label);
                Some(format!(
                    "{}: {} {a}, {} {b}, difference {} [{}, {}] on {} tasks.",
                    visible(&shared.cells[row.cell].to_string()),
                    visible(&names[0]),
                    visible(&names[1]),
                    signed(row.difference.value),
                    signed(ends.lo),
                    signed(ends.hi),
                    row.difference.n
                ))
            });
            let sentence = |words: String| {
                let mut letters = words.chars();
                letters.next().map_or(String::new(), |first| {
                    first.to_uppercase().collect::<String>() + letters.as_str() + "."
                })
            };
            verdict.map(sentence).into_iter().chain(here).chain(chance).collect()
        }
    }
}
