//! What the signs of the screen mean, then its keys, from the table that dispatches them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget as _};

use super::centred;
use crate::ui::action::Action;
use crate::ui::hits::{Hit, Hits};
use crate::ui::keymap::{Binding, Keymap};
use crate::ui::screens::{Screen, Spot};
use crate::ui::selection::Rows;
use crate::ui::shared::Shared;
use crate::ui::theme::Theme;
use crate::ui::widgets::{put, width, wrap};

/// The narrowest column.
const NARROWEST: usize = 38;

/// The widest column: longer lines than that are hard to read.
const WIDEST: usize = 84;

/// The room for a sign or keys, before the words.
const SIGN: usize = 13;

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

    /// Its keys in words.
    pub(super) fn keys(self) -> &'static str {
        if self.is_long() { "↓ ↑ more  any other key closes" } else { "any key closes" }
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
        let room = usize::from(area.height.saturating_sub(2)).saturating_sub(2).max(1);
        let page = Page::new(screen, shared, usize::from(area.width).saturating_sub(4), room);
        let Page { lines, columns, column } = &page;
        let rows = lines.len().div_ceil(*columns).min(room);
        let frame = centred(area, (columns * column + 2) as u16, rows as u16 + 2);
        Clear.render(frame, buffer);
        let hidden = lines.len().saturating_sub(columns * rows);
        let first = self.first.min(hidden);
        let more = if hidden > 0 { " · ↓ ↑ more" } else { "" };
        let title = format!(" Signs and keys of {}{more} · any other key closes ", screen.title());
        let title = Line::styled(title, theme.overlay.patch(theme.title));
        let block = Block::bordered().border_style(theme.border).style(theme.overlay).title(title);
        let inner = block.inner(frame);
        block.render(frame, buffer);
        hits.add(area, Hit::Nothing);
        for (index, line) in lines.iter().skip(first).take(columns * rows).enumerate() {
            let x = inner.x + (index / rows * column) as u16;
            let y = inner.y + (index % rows) as u16;
            let cell = Rect { x, y, width: *column as u16, height: 1 };
            put(buffer, cell.intersection(inner), line.clone());
        }
        Layout { first, hidden, page: rows }
    }
}

/// The lines of the help, in columns.
struct Page<'a> {
    lines: Vec<Line<'a>>,
    columns: usize,
    /// The width of a column.
    column: usize,
}

impl Page<'_> {
    /// As few columns as show everything; where none do, as many as show most.
    fn new(screen: Screen, shared: &Shared, wide: usize, room: usize) -> Self {
        let most = (wide / NARROWEST).max(1);
        let pages = (1..=most).map(|columns| {
            let column = (wide / columns).min(WIDEST);
            Self { lines: lines(screen, shared, column), columns, column }
        });
        let hidden = |page: &Self| page.lines.len().saturating_sub(page.columns * room);
        let mut best: Option<Self> = None;
        for page in pages {
            if best.as_ref().is_none_or(|best| hidden(&page) < hidden(best)) {
                best = Some(page);
            }
        }
        best.unwrap_or(Self { lines: Vec::new(), columns: 1, column: wide })
    }
}

/// The signs of this screen, its keys, and the keys of all screens, with gaps between them.
fn lines<'a>(screen: Screen, shared: &Shared, column: usize) -> Vec<Line<'a>> {
    let theme = &shared.theme;
    let (here, everywhere): (Vec<&Binding>, Vec<&Binding>) =
        Keymap::on(screen).partition(|binding| !binding.screens.is_empty());
    let mut lines: Vec<Line<'a>> = Vec::new();
    for (sign, words) in screen.legend() {
        lines.extend(entry(sign, words, column, theme.accent, theme));
    }
    for bindings in [here, everywhere] {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        for binding in bindings {
            let keys = shared.keymap.shown(binding);
            lines.extend(entry(&keys, binding.description, column, theme.key, theme));
        }
    }
    lines
}

/// A sign or keys, and the words, on as many lines as they need.
fn entry<'a>(
    sign: &str,
    words: &str,
    column: usize,
    style: Style,
    theme: &Theme,
) -> impl Iterator<Item = Line<'a>> {
    let sign = format!("{}{sign}", " ".repeat(SIGN.saturating_sub(width(sign))));
    let words = wrap(words, column.saturating_sub(SIGN + 3));
    let text = theme.text;
    words.into_iter().enumerate().map(move |(index, words)| {
        let sign = if index == 0 { sign.clone() } else { " ".repeat(SIGN) };
        Line::from(vec![Span::styled(sign, style), Span::styled(format!("  {words}"), text)])
    })
}
