//! A note that is being written.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Widget as _};

use super::put;
use crate::app::{App, Hit, Layout, NoteEditor};
use crate::text::visible;
use crate::widgets::fit;

pub(super) fn draw(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    editor: &NoteEditor,
    layout: &mut Layout,
) {
    let theme = &app.theme;
    let own = super::picker::centred(area, area.width.saturating_sub(8).min(84), 12);
    Clear.render(own, buffer);
    layout.hit(area, Hit::Nothing);
    let about = editor.about().map_or(String::new(), crate::app::About::words);
    let title = format!(" Note on {about}, by {} ", fit(&visible(&app.author), 20));
    let block = Block::bordered().border_style(theme.border).style(theme.overlay).title(title);
    let inner = block.inner(own);
    block.render(own, buffer);
    let text = Rect { height: inner.height.saturating_sub(1), ..inner };
    editor.widget().render(text, buffer);
    let below = Rect { y: inner.bottom().saturating_sub(1), height: 1, ..inner };
    let about = if editor.choices.len() > 1 { "  Tab turn, run or task" } else { "" };
    let keys = format!("Ctrl-s save{about}  Esc leave, the text is kept");
    put(buffer, below, Line::styled(keys, theme.dim));
}
