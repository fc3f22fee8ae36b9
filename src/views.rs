//! Screens: each draws `&App` and changes nothing.

mod cells;
mod help;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::app::{App, Layout, Overlay};
use crate::theme::Theme;

/// The smallest terminal on which the screens are drawn.
const SMALLEST: (u16, u16) = (60, 20);

/// Draws the explorer.
pub fn draw(frame: &mut Frame<'_>, app: &App, theme: &Theme) -> Layout {
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        return too_small(frame, area);
    }
    let layout = cells::draw(frame, area, app, theme);
    if matches!(app.overlays.last(), Some(Overlay::Help)) {
        help::draw(frame, area, theme);
    }
    layout
}

fn too_small(frame: &mut Frame<'_>, area: Rect) -> Layout {
    let (width, height) = SMALLEST;
    let text = format!("qualm needs {width}×{height}, this is {}×{}.", area.width, area.height);
    frame.render_widget(Line::from(text), area);
    Layout::default()
}
