//! The head of a pane: which run, how it ended, and its confidence turn by turn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Scene;
use crate::compare::TurnView;
use crate::model::Unscored;
use crate::text::{counted, visible};
use crate::ui::marks;
use crate::ui::theme::Theme;
use crate::ui::widgets::{put, short_names, width};

/// Below this height of a pane its head is one line.
const LOW: u16 = 12;

/// Lines of the head of a pane.
pub(super) fn lines(area: Rect) -> u16 {
    if area.height < LOW { 1 } else { 3 }
}

pub(super) fn draw(
    scene: Scene<'_>,
    pane: usize,
    views: &[TurnView],
    buffer: &mut Buffer,
    area: Rect,
) {
    let theme = &scene.shared.theme;
    let sheet = &scene.comparison.sheet;
    let room = usize::from(area.width);
    let turn = sheet.turn_at(scene.panel.row_in(sheet, pane), pane);
    let lines = [
        title(scene, pane, room),
        Line::styled(facts(scene, pane, room), theme.dim),
        sparkline(theme, views, turn, room.saturating_sub(2)),
    ];
    for (line, row) in lines.into_iter().zip(area.rows()) {
        put(buffer, row, line);
    }
}

fn title<'a>(scene: Scene<'_>, pane: usize, room: usize) -> Line<'a> {
    let Scene { panel, shared, comparison } = scene;
    let theme = &shared.theme;
    let focused = pane == panel.focus;
    let style = if focused { theme.selected } else { theme.dim };
    let names = (0..panel.keys.len()).map(|pane| panel.pane_name(pane, shared));
    let names: Vec<String> = names.map(|name| visible(&name).into_owned()).collect();
    let name = short_names(&names, room / 2).into_iter().nth(pane).unwrap_or_default();
    let outcome = match comparison.run(pane).head.outcome.success {
        _ if panel.blind => Span::raw(""),
        Some(true) => Span::styled("✓", theme.good),
        Some(false) => Span::styled("✗", theme.bad),
        None => Span::styled("not graded", theme.unknown),
    };
    let mark = if focused { "▸" } else { " " };
    let mut spans = vec![Span::styled(format!("{mark}{name} "), style), outcome];
    let (score, rank) = panel.pane_score(comparison, pane, shared);
    if let Some(score) = score {
        let label = visible(&shared.lens.scorer.label()).into_owned();
        let label = if room < 50 { String::new() } else { format!("{label} ") };
        spans.push(Span::styled(format!(" {label}{}", marks::score(score)), theme.text));
    }
    if let Some((rank, ranked)) = rank {
        let sample = panel.keys.get(pane).is_some_and(|key| shared.row_of(*key).is_none());
        let would = if sample { "would rank" } else { "rank" };
        let is_pooled =
            panel.keys.get(pane).is_some_and(|key| shared.is_pooled(key.id.cell)) && room >= 50;
        let runs = if is_pooled { " runs" } else { "" };
        spans.push(Span::styled(format!(" {would} {rank}/{ranked}{runs}"), theme.dim));
    }
    Line::from(spans)
}

/// How long the run was, how it ended and what it cost: whole facts, as many as there is room for.
fn facts(scene: Scene<'_>, pane: usize, room: usize) -> String {
    let lens = &scene.shared.lens;
    let head = &scene.comparison.run(pane).head;
    let mut facts = vec![counted(u64::from(head.turns), "turn")];
    facts.extend(head.termination.as_ref().map(|ended| visible(ended).into_owned()));
    facts.extend(head.cost.map(|cost| format!("cost {cost:.4}")));
    facts.extend(head.completion_tokens.map(|tokens| counted(tokens, "token")));
    // Under a scorer of whole runs the turns are still shown by a base score.
    if lens.scorer.base().is_none() && head.turns_with_logprobs > 0 {
        facts.insert(1, format!("turns by {}", lens.base().id().to_uppercase()));
    }
    let mut text = String::new();
    for fact in facts {
        let longer = if text.is_empty() { format!(" {fact}") } else { format!("{text} · {fact}") };
        if text.is_empty() || width(&longer) <= room {
            text = longer;
        }
    }
    text
}

/// A glyph a turn, or for several the weakest of them where there is no room for all.
fn sparkline<'a>(theme: &Theme, views: &[TurnView], turn: Option<usize>, room: usize) -> Line<'a> {
    let heights = marks::heights(views);
    if views.iter().all(|view| view.confidence.is_none()) {
        let mut reasons: Vec<_> = views.iter().filter_map(|view| view.unscored).collect();
        reasons.dedup();
        return match reasons[..] {
            [Unscored::NotSent] | [] => Line::styled(" no log-probabilities", theme.dim),
            [why] => Line::styled(format!(" no score: {}", why.words()), theme.dim),
            _ => Line::styled(" no turn has a score", theme.dim),
        };
    }
    let count = views.len();
    let columns = count.min(room.max(1));
    let mut spans = vec![Span::raw(" ")];
    for column in 0..columns {
        let turns = column * count / columns..(column + 1) * count / columns;
        let here = turn.is_some_and(|turn| turns.contains(&turn));
        let weakest = turns
            .filter(|turn| views[*turn].confidence.is_some())
            .min_by(|a, b| heights[*a].total_cmp(&heights[*b]));
        let (glyph, style) = match weakest {
            Some(turn) => {
                let confidence = views[turn].confidence.unwrap_or(0.0);
                (theme.glyph(heights[turn]), theme.confidence(confidence))
            }
            None => ('·', theme.dim),
        };
        let style = if here { theme.warn } else { style };
        spans.push(Span::styled(glyph.to_string(), style));
    }
    Line::from(spans)
}
