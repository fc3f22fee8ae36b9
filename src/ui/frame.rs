//! One frame: the shell, the open screen in it, and what lies over it.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::app::{App, Drawn};
use super::hits::Hits;
use super::legible;
use super::overlays::help;
use super::picture::{SvgOptions, ansi, svg, text};
use super::screens::Needs;
use super::shared::Load;
use super::shell;
use super::widgets::{paragraph, put, wrap};
use crate::text::visible;

/// The smallest terminal on which the screens are drawn.
const SMALLEST: (u16, u16) = (60, 15);

/// Draws the explorer.
pub fn draw(frame: &mut Frame<'_>, app: &App) -> Drawn {
    let area = frame.area();
    draw_on(frame.buffer_mut(), area, app)
}

/// Draws the explorer on a buffer.
pub fn draw_on(buffer: &mut Buffer, area: Rect, app: &App) -> Drawn {
    let mut drawn = Drawn { hits: Hits::default(), layout: None, help: help::Layout::default() };
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(buffer, area);
        return drawn;
    }
    let body = shell::draw(buffer, area, app, &mut drawn.hits);
    match &app.shared.data.loaded {
        Load::Failed(error) if app.screen.needs() != Needs::Manifest => {
            let text = format!("The store cannot be read. {}", visible(error));
            paragraph(buffer, body, &text, app.shared.theme.error);
        }
        _ if app.hidden_numbers().is_some() => {
            let text = app.hidden_numbers().unwrap_or_default();
            paragraph(buffer, body, &text, app.shared.theme.warn);
        }
        _ => {
            let (hits, layout) = app.screens.draw(app.screen, &app.shared, buffer, body);
            drawn.hits.append(hits);
            drawn.layout = Some(layout);
            // Old rows stand until new ones come, and look it.
            if app.screens.is_stale(app.screen, &app.shared) {
                buffer.set_style(body, app.shared.theme.dim.add_modifier(Modifier::DIM));
            }
        }
    }
    if let Some(overlay) = app.overlays.last() {
        drawn.help = overlay.draw(buffer, area, app.screen, &app.shared, &mut drawn.hits);
    }
    legible::repair(buffer, area);
    drawn
}

/// A picture of the explorer in the format of a file's ending: `svg`, `ansi`, else text.
pub fn picture(app: &App, size: (u16, u16), ending: &str) -> String {
    let area = Rect::new(0, 0, size.0, size.1);
    let mut buffer = Buffer::empty(area);
    draw_on(&mut buffer, area, app);
    match ending {
        "svg" => svg(&buffer, &svg_options(app)),
        "ansi" => ansi(&buffer),
        _ => text(&buffer),
    }
}

/// How pictures of the explorer are drawn.
pub fn svg_options(app: &App) -> SvgOptions {
    let title = format!("qualm {}", visible(&app.shared.name));
    SvgOptions { shade: app.shared.theme.shade(), title }
}

fn too_small(buffer: &mut Buffer, area: Rect) {
    let (width, height) = SMALLEST;
    let text = format!("qualm needs {width}×{height}, this is {}×{}.", area.width, area.height);
    for (line, row) in wrap(&text, usize::from(area.width)).into_iter().zip(area.rows()) {
        put(buffer, row, line);
    }
}
