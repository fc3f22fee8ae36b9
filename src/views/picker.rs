//! A list to choose from by typing.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget as _};

use super::put;
use crate::app::{App, Hit, Layout, Picker, scrolled};
use crate::text::visible;
use crate::widgets::{fit, fit_middle, padded, width};

/// An area of this size in the middle of another.
pub(super) fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, own: &Picker, layout: &mut Layout) {
    let theme = &app.theme;
    let height = (own.shown.len() as u16 + 4).clamp(6, area.height.saturating_sub(4));
    // The list of scorers leaves the numbers in sight, since they follow it.
    let place = match own.tried {
        Some(_) => {
            let width = 38.min(area.width);
            Rect { x: area.right() - width, y: area.y + 2, width, height }
        }
        // As wide as its title, which says how many there are.
        None => centred(area, (width(&own.title) as u16 + 4).max(64), height),
    };
    Clear.render(place, buffer);
    let title = format!(
        " {} ",
        fit_middle(&visible(&own.title), usize::from(place.width).saturating_sub(4))
    );
    let block = Block::bordered().border_style(theme.border).style(theme.overlay).title(title);
    let inner = block.inner(place);
    block.render(place, buffer);
    layout.hit(place, Hit::Nothing);
    let typed = Line::from(vec![
        Span::styled(" › ", theme.key),
        Span::styled(visible(&own.typed).into_owned(), theme.text),
        Span::styled("▏", theme.key),
    ]);
    put(buffer, inner, typed);
    let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    if own.shown.is_empty() {
        put(buffer, list, Line::styled(" nothing fits", theme.dim));
    }
    let room = usize::from(list.height);
    // The marked one stays in the middle, so that its neighbours are seen.
    let offset = scrolled(own.marked.saturating_sub(room / 2), own.marked, room, own.shown.len());
    for (at, line) in (offset..own.shown.len()).zip(list.rows()) {
        let Some(choice) = own.choice(at) else { continue };
        let hint = visible(&choice.hint).into_owned();
        let space = usize::from(line.width).saturating_sub(width(&hint) + 4);
        let name = padded(&fit(&visible(&choice.name), space), space);
        let (mark, style) =
            if at == own.marked { ("▸", theme.selected) } else { (" ", theme.text) };
        if at == own.marked {
            buffer.set_style(line, theme.selected_row);
        }
        let spans =
            vec![Span::styled(format!("{mark} {name} "), style), Span::styled(hint, theme.dim)];
        put(buffer, line, Line::from(spans));
        layout.hit(line, Hit::Choice(at));
    }
}
