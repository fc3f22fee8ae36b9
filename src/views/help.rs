//! The keys of the screen, from the table that dispatches them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget as _};

use super::put;
use crate::app::keymap::{Binding, Keymap};
use crate::app::{App, Hit, Layout};
use crate::widgets::{fit, width};

/// The narrowest column that shows a description whole.
const COLUMN: usize = 66;

pub(super) fn draw(buffer: &mut Buffer, area: Rect, app: &App, first: usize, layout: &mut Layout) {
    let theme = &app.theme;
    let lines = lines(app);
    let room = usize::from(area.height.saturating_sub(4)).max(1);
    let wide = usize::from(area.width).saturating_sub(4);
    let columns = lines.len().div_ceil(room).min((wide / COLUMN).max(1));
    let column = (wide / columns).min(COLUMN);
    let rows = lines.len().div_ceil(columns).min(room);
    let own = super::picker::centred(area, (columns * column + 2) as u16, rows as u16 + 2);
    Clear.render(own, buffer);
    let hidden = lines.len().saturating_sub(columns * rows);
    let first = first.min(hidden);
    let more = if hidden > 0 { " · ↓ ↑ more" } else { "" };
    let title = format!(" Keys of {}{more} · any other key closes ", app.screen.title());
    let block = Block::bordered().border_style(theme.border).style(theme.overlay).title(title);
    let inner = block.inner(own);
    block.render(own, buffer);
    layout.hit(area, Hit::Nothing);
    layout.scroll = first;
    layout.hidden = hidden;
    for (place, binding) in lines.iter().skip(first).take(columns * rows).enumerate() {
        let Some(binding) = binding else { continue };
        let x = inner.x + (place / rows * column) as u16;
        let line = Rect { x, y: inner.y + (place % rows) as u16, width: column as u16, height: 1 };
        let keys = app.keymap.shown(binding);
        let space = " ".repeat(13usize.saturating_sub(width(&keys)));
        let words = fit(binding.description, column.saturating_sub(15));
        let spans = vec![
            Span::styled(format!("{space}{keys}"), theme.key),
            Span::styled(format!("  {words}"), theme.text),
        ];
        put(buffer, line.intersection(inner), Line::from(spans));
    }
}

/// The keys of this screen, a gap, the keys of all screens.
fn lines(app: &App) -> Vec<Option<&'static Binding>> {
    let (here, everywhere): (Vec<&Binding>, Vec<&Binding>) =
        Keymap::on(app.screen).partition(|own| !own.screens.is_empty());
    let here = here.into_iter().map(Some);
    here.chain([None]).chain(everywhere.into_iter().map(Some)).collect()
}
