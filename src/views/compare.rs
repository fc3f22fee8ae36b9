//! Runs side by side, action by action.
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
mod rows;
mod side;
mod tokens;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::text::Line;

use super::{WIDE, put};
use crate::app::{App, Layout, Screen};
use crate::text::visible;

/// The narrowest pane beside another.
const NARROWEST: u16 = 36;

/// From this width on the side pane is there without being asked for.
const WITH_SIDE: u16 = 150;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, layout: &mut Layout) {
    let own = match app.comparison() {
        Some(Ok(own)) => own,
        Some(Err(error)) => {
            let text = format!("The run cannot be read. {}", visible(error));
            return super::paragraph(buffer, area, &text, app.theme.error);
        }
        None if app.task.is_none() && app.data.engine().is_some() => {
            let text =
                "No task is selected: none fits the filter, or none was chosen in Tasks (2).";
            return super::paragraph(buffer, area, text, app.theme.dim);
        }
        None => return super::paragraph(buffer, area, "Reading the runs …", app.theme.dim),
    };
    // Who votes is not to be led by what others say.
    let voting = app.screen == Screen::Triage;
    let with_side = !voting && app.compare.side.unwrap_or(area.width >= WITH_SIDE);
    layout.side = with_side;
    let alone = with_side && area.width < WIDE;
    let main = if with_side {
        let wide = if alone { area.width / 2 } else { (area.width / 3).clamp(34, 52) };
        let [main, gap, side] = Split::horizontal([
            Constraint::Min(1),
            Constraint::Length(1),
            Constraint::Length(wide),
        ])
        .areas(area);
        vertical(buffer, gap, app);
        side::draw(buffer, side, app, &own);
        main
    } else {
        area
    };
    let main = match app.compare.heat {
        Some(measure) => {
            let high = tokens::height(app, &own, main);
            let [main, tokens] =
                Split::vertical([Constraint::Min(1), Constraint::Length(high)]).areas(main);
            tokens::draw(buffer, tokens, app, &own, measure, layout);
            main
        }
        None => main,
    };
    let most = if alone { 1 } else { usize::from(main.width / NARROWEST).max(1) };
    let panes = shown_panes(own.opened.len(), app.compare.focus, most);
    rows::draw(buffer, main, app, &own, &panes, layout);
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

/// A line between panes.
fn vertical(buffer: &mut Buffer, area: Rect, app: &App) {
    for row in area.rows() {
        put(buffer, row, Line::styled("│", app.theme.rule));
    }
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
