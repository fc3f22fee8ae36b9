//! Screens: each draws `&App` and changes nothing.

mod aggregators;
mod cells;
mod compare;
mod grid;
mod heat;
mod help;
mod judges;
mod marks;
mod note;
mod picker;
mod preview;
mod prompt;
mod reader;
mod shell;
mod stuck;
mod tasks;
mod triage;

use std::path::Path;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use crate::app::{App, Layout, Load, Overlay, Screen};
use crate::picture::{SvgOptions, ansi, svg, text};
use crate::text::visible;
use crate::widgets;

/// The smallest terminal on which the screens are drawn.
const SMALLEST: (u16, u16) = (60, 20);

/// Panes beside the main one are drawn from this width on.
const WIDE: u16 = 100;

/// Draws the explorer.
pub fn draw(frame: &mut Frame<'_>, app: &App) -> Layout {
    let area = frame.area();
    draw_on(frame.buffer_mut(), area, app)
}

/// Draws the explorer on a buffer.
pub fn draw_on(buffer: &mut Buffer, area: Rect, app: &App) -> Layout {
    let mut layout = Layout::default();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        too_small(buffer, area);
        return layout;
    }
    let body = shell::draw(buffer, area, app, &mut layout);
    match (&app.data.loaded, app.screen) {
        (_, Screen::Cells) => cells::draw(buffer, body, app, &mut layout),
        (Load::Failed(error), _) => failed(buffer, body, app, error),
        (_, Screen::Grid) => grid::draw(buffer, body, app, &mut layout),
        (_, Screen::Tasks) => tasks::draw(buffer, body, app, &mut layout),
        (_, Screen::Compare) => compare::draw(buffer, body, app, &mut layout),
        (_, Screen::Aggregators) => aggregators::draw(buffer, body, app, &mut layout),
        (_, Screen::Read) => reader::draw(buffer, body, app, &mut layout),
        (_, Screen::Stuck) => stuck::draw(buffer, body, app, &mut layout),
        (_, Screen::Judges) => judges::draw(buffer, body, app, &mut layout),
        (_, Screen::Triage) => triage::draw(buffer, body, app, &mut layout),
    }
    match app.overlays.last() {
        Some(Overlay::Help(first)) => help::draw(buffer, area, app, *first, &mut layout),
        Some(Overlay::Picker(picker)) => picker::draw(buffer, area, app, picker, &mut layout),
        Some(Overlay::Prompt(prompt)) => prompt::draw(buffer, area, app, prompt, &mut layout),
        Some(Overlay::Note(editor)) => note::draw(buffer, area, app, editor, &mut layout),
        None => {}
    }
    layout
}

/// A picture of the explorer in the format that a file's name asks for.
pub fn picture_for(app: &App, size: (u16, u16), path: &Path) -> String {
    let ending = path.extension().and_then(|own| own.to_str()).unwrap_or_default();
    picture(app, size, ending)
}

/// A picture of the explorer in the format of a file's ending.
pub fn picture(app: &App, size: (u16, u16), ending: &str) -> String {
    let area = Rect::new(0, 0, size.0, size.1);
    let mut buffer = Buffer::empty(area);
    draw_on(&mut buffer, area, app);
    match ending {
        "svg" => {
            let title = format!("qualm {}", visible(&app.name));
            svg(&buffer, &SvgOptions { shade: app.theme.shade(), title })
        }
        "ansi" => ansi(&buffer),
        _ => text(&buffer),
    }
}

fn too_small(buffer: &mut Buffer, area: Rect) {
    let (width, height) = SMALLEST;
    let text = format!("qualm needs {width}×{height}, this is {}×{}.", area.width, area.height);
    for (line, row) in widgets::wrap(&text, usize::from(area.width)).into_iter().zip(area.rows()) {
        put(buffer, row, line);
    }
}

fn failed(buffer: &mut Buffer, area: Rect, app: &App, error: &str) {
    let text = format!("The store cannot be read. {}", visible(error));
    paragraph(buffer, area, &text, app.theme.error);
}

/// Draws a line at the top of an area.
fn put<'a>(buffer: &mut Buffer, area: Rect, line: impl Into<Line<'a>>) {
    if area.height == 0 || area.width == 0 {
        return;
    }
    let line = line.into();
    buffer.set_line(area.x, area.y, &line, area.width);
    if line.width() > usize::from(area.width) {
        // What is cut is marked.
        buffer[(area.right() - 1, area.y)].set_symbol("…");
    }
}

/// Draws a line across with a title in it; returns where the title stands.
fn titled_rule(buffer: &mut Buffer, area: Rect, rule: Style, title: &str, style: Style) -> Rect {
    put(buffer, area, Line::styled("─".repeat(usize::from(area.width)), rule));
    let wide = (widgets::width(title) as u16).min(area.width.saturating_sub(1));
    let place = Rect { x: area.x + 1, width: wide, ..area };
    buffer.set_style(place, Style::reset());
    put(buffer, place, Line::styled(title, style));
    place
}

/// Draws a text that says something, with a margin.
fn paragraph(buffer: &mut Buffer, area: Rect, text: &str, style: Style) {
    let inner = Rect {
        x: area.x + 2,
        y: area.y + 1.min(area.height),
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(1),
    };
    let lines = widgets::wrap(text, usize::from(inner.width));
    for (line, row) in lines.into_iter().zip(inner.rows()) {
        put(buffer, row, Line::styled(line, style));
    }
}
