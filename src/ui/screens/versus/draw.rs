//! Two cells on the tasks they share.
//!
//! ```text
//!   baseline  retail/gpt-4o-mini   37.1% solved [30.4, 44.2]
//!  candidate  retail/Qwen3.5-9B    62.6% solved [55.3, 69.3]
//!  +25.4 points, interval +15 to +34: better, by more than repeating the same run gives; …
//!  114 references at temperature 0 are left out: the draws compared are at 0.7
//!  ── 114 shared tasks · 3 draws ────────────────────────┬─ fixed 29  broken 11  shaky 47 ──
//!  success       37.1% [30, 44]   62.6% [55, 69]   +25.4  │▸17   0/3 → 3/3
//!  pass^3        21.1% …                                  │ 4    0/3 → 2/3
//! ```

mod list;
mod numbers;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{Layout, Pane, Spot, Versus, VersusAnswer};
use crate::engine::Standing;
use crate::text::{counted, visible};
use crate::ui::hits::Hits;
use crate::ui::shared::Shared;
use crate::ui::widgets::{
    padded, paragraph, put, short_names, vertical_rule, width, wrap, wrap_some,
};

/// From this width on the lists stand beside the numbers.
const WIDE: u16 = 110;

/// Columns of the numbers beside the lists, at most.
const MOST_OF_NUMBERS: u16 = 104;

/// Lines of the verdict, at most.
const MOST_OF_VERDICT: usize = 3;

/// Lines of what is left out, at most.
const MOST_OF_NOTES: usize = 2;

/// What the drawing is of.
struct Drawing<'a> {
    screen: &'a Versus,
    shared: &'a Shared,
    answer: &'a VersusAnswer,
}

pub(super) fn draw(
    screen: &Versus,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    if let Some(text) = why_empty(screen, shared) {
        paragraph(buffer, area, &text, shared.theme.dim);
        return Layout::default();
    }
    let Some(answer) = screen.shown(shared) else { return Layout::default() };
    Drawing { screen, shared, answer }.draw(buffer, area, hits)
}

/// Why there is nothing to compare, in one sentence.
fn why_empty(screen: &Versus, shared: &Shared) -> Option<String> {
    let Some([first, second]) = screen.pair(shared) else {
        return Some(
            "This store has one cell, and Versus compares two: `qualm versus A B` compares two stores."
                .to_owned(),
        );
    };
    let Some(answer) = screen.shown(shared) else {
        let text = if shared.engine().is_some() { "Comparing cells …" } else { "" };
        return Some(text.to_owned());
    };
    let versus = &answer.one.versus;
    let [first, second] =
        [first, second].map(|cell| visible(&shared.cells[cell].to_string()).into_owned());
    if versus.tasks.is_empty() {
        let scope = if shared.lens.scope.is_empty() { "" } else { " in scope" };
        return Some(format!(
            "{first} and {second} share no task{scope}: o chooses another cell to compare with."
        ));
    }
    (versus.labelled() == 0).then(|| {
        format!(
            "No task that {first} and {second} share has a known outcome in both: import results with \
             labels, or choose another cell with o."
        )
    })
}

impl Drawing<'_> {
    fn draw(&self, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) -> Layout {
        let summary = self.summary(area);
        let high = (summary.len() as u16).min(area.height / 3);
        for (line, row) in summary.into_iter().zip(area.rows().take(usize::from(high))) {
            put(buffer, row, line);
        }
        let body = Rect { y: area.y + high, height: area.height - high, ..area };
        if body.width >= WIDE {
            let left = (body.width * 7 / 10).min(MOST_OF_NUMBERS);
            let [numbers, line, list] = Split::horizontal([
                Constraint::Length(left),
                Constraint::Length(1),
                Constraint::Min(1),
            ])
            .areas(body);
            let drawn = self.draw_numbers(buffer, numbers, hits);
            vertical_rule(buffer, line, self.shared.theme.rule);
            return self.layout(&self.draw_list(buffer, list, hits), drawn);
        }
        let [numbers, list] =
            Split::vertical([Constraint::Fill(3), Constraint::Fill(2)]).areas(body);
        let drawn = self.draw_numbers(buffer, numbers, hits);
        self.layout(&self.draw_list(buffer, list, hits), drawn)
    }

    /// The page is that of the pane with the keys.
    fn layout(&self, list: &Layout, numbers: usize) -> Layout {
        let page = if self.screen.pane == Pane::List { list.page } else { numbers };
        Layout { page, ..list.clone() }
    }

    fn style_of(&self, standing: Standing) -> Style {
        let theme = &self.shared.theme;
        match standing {
            Standing::Better => theme.good,
            Standing::Worse => theme.bad,
            Standing::Open | Standing::Unknown => theme.text,
        }
    }

    /// Both cells, the verdict, and what is left out.
    fn summary(&self, area: Rect) -> Vec<Line<'static>> {
        let theme = &self.shared.theme;
        let versus = &self.answer.one.versus;
        let names =
            self.answer.one.cells.each_ref().map(|cell| visible(&cell.to_string()).into_owned());
        let most = usize::from(area.width).saturating_sub(38).max(10);
        let room = names.iter().map(|name| width(name)).max().unwrap_or(0).min(most);
        let names = short_names(&names, room);
        let cell = |side: usize| {
            let value = versus.success.values[side].unwrap_or(f64::NAN) * 100.0;
            let interval = versus.success.intervals[side].map_or(String::new(), |interval| {
                format!(" [{:.1}, {:.1}]", interval.lo * 100.0, interval.hi * 100.0)
            });
            Line::from(vec![
                Span::styled(["  baseline  ", " candidate  "][side], theme.dim),
                Span::styled(padded(&names[side], room), theme.text),
                Span::styled(format!("  {value:.1}% solved"), theme.accent),
                Span::styled(interval, theme.dim),
            ])
        };
        let mut lines = vec![cell(0), cell(1)];
        let verdict = versus.verdict().unwrap_or_default();
        let style = self.style_of(versus.standing());
        let room = usize::from(area.width).saturating_sub(2);
        let wrapped = wrap(&verdict, room).into_iter().take(MOST_OF_VERDICT);
        lines.extend(wrapped.map(|line| Line::styled(format!(" {line}"), style)));
        if let Some(notes) = self.notes() {
            let (notes, _) = wrap_some(&notes, room, MOST_OF_NOTES);
            lines.extend(notes.into_iter().map(|line| Line::styled(format!(" {line}"), theme.dim)));
        }
        lines
    }

    /// What is left out of the draws.
    fn notes(&self) -> Option<String> {
        let versus = &self.answer.one.versus;
        let mut notes: Vec<String> = Vec::new();
        let words =
            [0, 1].map(|side| Some(versus.left_out[side]?.words(versus.temperatures[side])));
        match &words {
            [Some(first), Some(second)] if first == second => {
                notes.push(format!("in both, {first}"));
            }
            both => {
                let sides = ["baseline", "candidate"].into_iter().zip(both);
                let note = |(side, words): (&str, &Option<String>)| {
                    words.as_ref().map(|words| format!("{side}: {words}"))
                };
                notes.extend(sides.filter_map(note));
            }
        }
        if versus.only != [0, 0] {
            let [first, second] = versus.only.map(|count| counted(count as u64, "task"));
            notes.push(format!("{first} only in the baseline, {second} only in the candidate"));
        }
        notes.extend(self.answer.problem.clone());
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}
