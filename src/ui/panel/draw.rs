//! Draws the runs side by side, action by action.
//!
//! ```text
//! ▸reference ✗ LNSP·min 0.310 rank 48/50       │ sample 2 ✓ LNSP·min 0.580 would rank 12/50
//!  9 turns · ended user_stop                    │ 11 turns · ended user_stop
//!  ▇▅▂▆▆▇▇▆▆                                    │ ▇▆▆▆▇▇▇▆▆▇▇
//! ──────────────────────────────────────────────────────────────────────────────────────────────
//!    2 ▅ .71 get_reservation  ≠ id              │   2 ▆ .80 get_reservation  ≠ id
//!       "reservation_id": [-"EHGLP3"-]          │      "reservation_id": {+"EUJUY6"+}
//! ── turn 3 · 41 tokens · probability ───────────────────────────────────────────────────────────
//!  I can confirm that your booking …
//! ```

mod head;
mod pane;
mod row;
mod tokens;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::Style;
use ratatui::text::Line;

use super::blocks::Blocks;
use super::search::marks;
use super::{Comparison, Panel, Sight};
use crate::text::{counted, visible};
use crate::ui::hits::Hits;
use crate::ui::shared::Shared;
use crate::ui::widgets::{put, rule, vertical_rule, width};
use pane::Pane;

/// The narrowest pane beside another.
const NARROWEST: u16 = 36;

/// Something of the runs that can be clicked.
#[derive(Clone, Debug, PartialEq)]
pub enum Spot {
    /// A row of a pane.
    Row(usize, usize),
    /// A token of the selected turn.
    Token(usize),
}

/// What drawing found out.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Lines of a pane.
    pub page: usize,
    /// For every pane its first line on screen, and how far it could be scrolled.
    pub scrolls: Vec<(usize, usize)>,
}

/// The runs of a panel with all that drawing needs.
#[derive(Clone, Copy)]
struct Scene<'a> {
    panel: &'a Panel,
    shared: &'a Shared,
    comparison: &'a Comparison,
}

impl Panel {
    /// The runs, or what is said while they are not there.
    pub(in crate::ui) fn ready(&self, shared: &Shared) -> Result<Comparison, (String, Style)> {
        let theme = &shared.theme;
        match self.comparison(shared) {
            Some(Ok(comparison)) => Ok(comparison),
            Some(Err(error)) => {
                Err((format!("The run cannot be read. {}", visible(error)), theme.error))
            }
            None if shared.task.is_none()
                && shared.engine().is_some()
                && shared.is_scope_empty() =>
            {
                Err((shared.no_task_in_scope(), theme.dim))
            }
            None if shared.task.is_none() && shared.engine().is_some() => {
                let text = "No task is selected: none fits the selection, or none was chosen in Tasks (2).";
                Err((text.to_owned(), theme.dim))
            }
            None => Err(("Reading the runs …".to_owned(), theme.dim)),
        }
    }

    /// Draws the runs: at most so many panes, and as many as there is room for.
    pub(in crate::ui) fn draw(
        &self,
        comparison: &Comparison,
        most: usize,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> Layout {
        let scene = Scene { panel: self, shared, comparison };
        let area = match shared.display.heat {
            Some(measure) => {
                let height = Constraint::Length(tokens::height(scene, area));
                let [area, below] = Split::vertical([Constraint::Min(1), height]).areas(area);
                tokens::draw(scene, measure, buffer, below, hits);
                area
            }
            None => area,
        };
        let most = most.min(usize::from(area.width / NARROWEST).max(1));
        let panes = shown_panes(comparison.opened.len(), self.focus, most);
        draw_panes(scene, &panes, buffer, area, hits)
    }
}

fn draw_panes(
    scene: Scene<'_>,
    panes: &[usize],
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) -> Layout {
    let Scene { panel, shared, comparison } = scene;
    let count = panes.len() as u16;
    let narrowest = area.width.saturating_sub(count - 1) / count;
    let areas: Vec<Rect> = (0..count)
        .map(|index| {
            let x = area.x + index * (narrowest + 1);
            let width = if index + 1 == count { area.right() - x } else { narrowest };
            Rect { x, width, ..area }
        })
        .collect();
    let widths: Vec<(usize, usize)> =
        panes.iter().zip(&areas).map(|(pane, area)| (*pane, usize::from(area.width))).collect();
    let blocks = panel.blocks(comparison, &widths, shared);
    let hit_line = hit_line(scene, panes, &blocks);
    let diverges = comparison.sheet.first_divergence();
    let mut layout = Layout { page: 0, scrolls: vec![(0, 0); comparison.opened.len()] };
    let mut last = (0, 0);
    for (index, (&pane, area)) in panes.iter().zip(&areas).enumerate() {
        let drawn = Pane { hit_line, ..Pane::new(scene, pane, diverges, narrowest) };
        let high = head::lines(*area);
        let head = Rect { height: high.min(area.height), ..*area };
        head::draw(scene, pane, &drawn.views, buffer, head);
        let height = area.height.saturating_sub(high + 1);
        let body = Rect { y: area.y + high + 1, height, ..*area };
        last = drawn.draw(&blocks, index, buffer, body, hits);
        (layout.page, layout.scrolls[pane]) = (usize::from(body.height), last);
        if index > 0 {
            vertical_rule(buffer, Rect { x: area.x - 1, width: 1, ..*area }, shared.theme.rule);
        }
    }
    let hidden = comparison.opened.len() - panes.len();
    let locked = panel.free.is_empty();
    let about_panes = match hidden {
        _ if !locked => Some("unlocked: b locks".to_owned()),
        0 => None,
        hidden => Some(format!("{} more: Tab", counted(hidden as u64, "pane"))),
    };
    let facts = [panel.hits_in_words(comparison), about_panes];
    let text = facts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    rule_with(&text, shared, buffer, area);
    // Panes that are not shown scroll with the others.
    for scroll in layout.scrolls.iter_mut().filter(|scroll| locked && **scroll == (0, 0)) {
        *scroll = last;
    }
    layout
}

/// The line of the selected hit within its row; none where no hit is to be in sight.
fn hit_line(scene: Scene<'_>, panes: &[usize], blocks: &Blocks) -> Option<usize> {
    let Scene { panel, comparison, .. } = scene;
    let hit = panel.hit.filter(|_| panel.sight == Sight::Hit)?;
    let index = panes.iter().position(|pane| *pane == hit.pane)?;
    let name = call_name(comparison, hit.row, hit.pane);
    let found = marks(name, &blocks.panes[index][hit.row], &panel.search);
    // Where the layout hides some of them, the last one shown is the nearest.
    found.iter().find(|mark| mark.nth == hit.nth).or(found.last()).map(|mark| mark.line)
}

/// The name of the call in a row; empty where there is none.
fn call_name(comparison: &Comparison, row: usize, pane: usize) -> &str {
    let call = comparison.sheet.step(row, pane).and_then(|step| step.call(comparison.run(pane)));
    call.map_or("", |call| call.name.as_str())
}

/// The line below the heads, with a text at its end.
fn rule_with(text: &str, shared: &Shared, buffer: &mut Buffer, area: Rect) {
    let text = &if text.is_empty() { String::new() } else { format!(" {text} ") };
    let y = area.y + head::lines(area).min(area.height.saturating_sub(1));
    let line = Rect { y, height: 1, ..area };
    rule(buffer, line, shared.theme.rule);
    let size = (width(text) as u16).min(area.width);
    let end = Rect { x: area.right() - size, width: size, ..line };
    put(buffer, end, Line::styled(text, shared.theme.warn));
}

/// The panes there is room for: the first, and those about the focused one.
fn shown_panes(all: usize, focus: usize, most: usize) -> Vec<usize> {
    if all <= most {
        return (0..all).collect();
    }
    if most == 1 {
        return vec![focus];
    }
    let others = most - 1;
    let first = (focus + 1).saturating_sub(others).max(1).min(all - others);
    std::iter::once(0).chain(first..first + others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_focused_pane_is_always_shown() {
        assert_eq!(shown_panes(4, 3, 2), [0, 3]);
        assert_eq!(shown_panes(4, 0, 2), [0, 1]);
        assert_eq!(shown_panes(4, 2, 3), [0, 1, 2]);
        assert_eq!(shown_panes(4, 3, 3), [0, 2, 3]);
        assert_eq!(shown_panes(2, 1, 1), [1]);
        for all in 1..=4 {
            for focus in 0..all {
                for most in 1..=4 {
                    let panes = shown_panes(all, focus, most);
                    assert!(panes.contains(&focus) && panes.len() == all.min(most));
                }
            }
        }
    }
}
