//! The keys of the screen, from the table that dispatches them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget as _};

use super::centred;
use crate::ui::action::Action;
use crate::ui::hits::{Hit, Hits};
use crate::ui::keymap::{Binding, Keymap};
use crate::ui::screens::{Screen, Spot};
use crate::ui::selection::Rows;
use crate::ui::shared::Shared;
use crate::ui::widgets::{fit, put, width};

/// The narrowest column that shows a description whole.
const COLUMN: usize = 66;

/// The list of keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct Help {
    first: usize,
    layout: Layout,
}

/// How far the list could be scrolled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    first: usize,
    hidden: usize,
    page: usize,
}

impl Help {
    /// Scrolls where the list is long; says whether it stays open.
    pub(in crate::ui) fn scroll(&mut self, action: Option<&Action>) -> bool {
        let Layout { first, hidden, page } = self.layout;
        let rows = Rows { count: hidden + 1, page };
        let next = action.filter(|_| hidden > 0).and_then(|action| rows.step(action, first));
        self.first = next.unwrap_or(first);
        next.is_some()
    }

    /// Whether some of it is not on screen.
    pub(in crate::ui) fn is_long(&self) -> bool {
        self.layout.hidden > 0
    }

    /// Takes in what drawing found out.
    pub(in crate::ui) fn drawn(&mut self, layout: Layout) {
        self.layout = layout;
    }

    pub(super) fn draw(
        self,
        buffer: &mut Buffer,
        area: Rect,
        screen: Screen,
        shared: &Shared,
        hits: &mut Hits<Spot>,
    ) -> Layout {
        let theme = &shared.theme;
        let lines = lines(screen);
        let room = usize::from(area.height.saturating_sub(4)).max(1);
        let wide = usize::from(area.width).saturating_sub(4);
        let columns = lines.len().div_ceil(room).min((wide / COLUMN).max(1));
        let column = (wide / columns).min(COLUMN);
        let rows = lines.len().div_ceil(columns).min(room);
        let frame = centred(area, (columns * column + 2) as u16, rows as u16 + 2);
        Clear.render(frame, buffer);
        let hidden = lines.len().saturating_sub(columns * rows);
        let first = self.first.min(hidden);
        let more = if hidden > 0 { " · ↓ ↑ more" } else { "" };
        let title = format!(" Keys of {}{more} · any other key closes ", screen.title());
        let block = Block::bordered().border_style(theme.border).style(theme.overlay).title(title);
        let inner = block.inner(frame);
        block.render(frame, buffer);
        hits.add(area, Hit::Nothing);
        for (index, binding) in lines.iter().skip(first).take(columns * rows).enumerate() {
            let Some(binding) = binding else { continue };
            let x = inner.x + (index / rows * column) as u16;
            let y = inner.y + (index % rows) as u16;
            let line = Rect { x, y, width: column as u16, height: 1 };
            let keys = shared.keymap.shown(binding);
            let space = " ".repeat(13usize.saturating_sub(width(&keys)));
            let words = fit(binding.description, column.saturating_sub(15));
            let spans = vec![
                Span::styled(format!("{space}{keys}"), theme.key),
                Span::styled(format!("  {words}"), theme.text),
            ];
            put(buffer, line.intersection(inner), Line::from(spans));
        }
        Layout { first, hidden, page: rows }
    }
}

/// The keys of this screen, a gap, the keys of all screens.
fn lines(screen: Screen) -> Vec<Option<&'static Binding>> {
    let (here, everywhere): (Vec<&Binding>, Vec<&Binding>) =
        Keymap::on(screen).partition(|binding| !binding.screens.is_empty());
    let here = here.into_iter().map(Some);
    here.chain([None]).chain(everywhere.into_iter().map(Some)).collect()
}
