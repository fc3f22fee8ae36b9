//! The head of a pane: which run, how it went, how sure it was from turn to turn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::super::{marks, put};
use crate::app::{App, Comparison};
use crate::compare::TurnView;
use crate::text::{counted, visible};
use crate::widgets::fit;

/// Lines of the head.
pub(super) const LINES: u16 = 3;

pub(super) fn draw(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    own: &Comparison,
    pane: usize,
    views: &[TurnView],
) {
    let mut lines = area.rows();
    if let Some(line) = lines.next() {
        put(buffer, line, title(app, own, pane, usize::from(area.width)));
    }
    if let Some(line) = lines.next() {
        put(buffer, line, Line::styled(facts(app, own, pane), app.theme.dim));
    }
    if let Some(line) = lines.next() {
        let turn = own.sheet.turn_at(app.row_in(&own.sheet, pane), pane);
        put(buffer, line, sparkline(app, views, turn, usize::from(area.width).saturating_sub(2)));
    }
}

fn title<'a>(app: &App, own: &Comparison, pane: usize, room: usize) -> Line<'a> {
    let theme = &app.theme;
    let focused = pane == app.compare.focus;
    let style = if focused { theme.selected } else { theme.dim };
    let name = fit(&visible(&app.pane_name(pane)), room / 2);
    let outcome = match own.run(pane).head.outcome.success {
        // Who votes is not to be led by the grading.
        _ if app.is_blind() => Span::raw(""),
        Some(true) => Span::styled("✓", theme.good),
        Some(false) => Span::styled("✗", theme.bad),
        None => Span::styled("not graded", theme.unknown),
    };
    let mark = if focused { "▸" } else { " " };
    let mut spans = vec![Span::styled(format!("{mark}{name} "), style), outcome];
    let (score, rank) = app.pane_score(own, pane);
    if let Some(score) = score {
        let label = visible(&app.lens.scorer.label()).into_owned();
        let label = if room < 50 { String::new() } else { format!("{label} ") };
        spans.push(Span::styled(format!(" {label}{}", marks::score(score)), theme.text));
    }
    if let Some((rank, ranked)) = rank {
        let sample = app.compare.keys.get(pane).is_some_and(|own| own.draw > 0);
        let would = if sample { "would rank" } else { "rank" };
        spans.push(Span::styled(format!(" {would} {rank}/{ranked}"), theme.dim));
    }
    Line::from(spans)
}

fn facts(app: &App, own: &Comparison, pane: usize) -> String {
    let head = &own.run(pane).head;
    let mut facts = vec![counted(u64::from(head.turns), "turn")];
    facts.extend(head.termination.as_ref().map(|own| format!("ended {}", visible(own))));
    facts.extend(head.cost.map(|cost| format!("cost {cost:.4}")));
    facts.extend(head.completion_tokens.map(|own| counted(own, "token")));
    // Under a scorer of whole runs the turns are still shown by a base score.
    if app.lens.scorer.base().is_none() && head.turns_with_logprobs > 0 {
        facts.insert(1, format!("turns by {}", app.lens.base().id().to_uppercase()));
    }
    format!(" {}", facts.join(" · "))
}

/// A glyph a turn, or for several the weakest of them where there is no room for all.
fn sparkline<'a>(app: &App, views: &[TurnView], turn: Option<usize>, room: usize) -> Line<'a> {
    let theme = &app.theme;
    let heights = marks::heights(views);
    if views.iter().all(|own| own.confidence.is_none()) {
        return Line::styled(" no log-probabilities", theme.dim);
    }
    let count = views.len();
    let columns = count.min(room.max(1));
    let mut spans = vec![Span::raw(" ")];
    for column in 0..columns {
        let part = column * count / columns..(column + 1) * count / columns;
        let weakest = part
            .clone()
            .filter(|turn| views[*turn].confidence.is_some())
            .min_by(|a, b| heights[*a].total_cmp(&heights[*b]));
        let here = turn.is_some_and(|turn| part.contains(&turn));
        let (glyph, mut style) = match weakest {
            Some(turn) => (
                theme.glyph(heights[turn]),
                theme.confidence(views[turn].confidence.unwrap_or(0.0)),
            ),
            None => ('·', theme.dim),
        };
        if here {
            style = theme.warn;
        }
        spans.push(Span::styled(glyph.to_string(), style));
    }
    Line::from(spans)
}
