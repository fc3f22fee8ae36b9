//! A list to choose from by typing: the command palette, scorers, columns, the pairs behind a number.

mod search;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget as _};

use super::centred;
use crate::scorers::Scorer;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::{Hit, Hits, scrolled};
use crate::ui::renewal::NewIds;
use crate::ui::screens::Spot;
use crate::ui::theme::Theme;
use crate::ui::widgets::{fit_middle, padded, put, short_names, width};
use search::Texts;

/// An entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is shown and searched.
    pub name: String,
    /// What is shown beside it.
    pub hint: String,
    /// What it does.
    pub action: Action,
}

/// A list that narrows as one types.
#[derive(Clone, Debug)]
pub struct Picker {
    /// What the list is of.
    pub title: String,
    /// What was typed.
    pub typed: String,
    all: Vec<Choice>,
    /// What of each entry is searched.
    texts: Texts,
    /// The entries that fit, as indexes into all, the closest first.
    pub shown: Vec<usize>,
    /// The marked entry among those shown.
    pub marked: usize,
    /// How wide the widest name and the widest hint are.
    widths: (usize, usize),
    /// What opens the list anew after a choice; it closes when there is none.
    pub again: Option<Action>,
    /// What a letter does to an entry while nothing is typed, before it narrows the list.
    pub keys: Option<fn(&Action, char) -> Option<Action>>,
    /// The scorer to go back to: the list is tried on while one moves through it.
    pub tried: Option<Scorer>,
    /// The letter that chooses each entry at once; nothing is typed where there are any.
    letters: Vec<char>,
}

/// What a key did to a list.
pub(in crate::ui) enum Picked {
    Typing,
    Moved,
    Cancelled,
    Chosen(Action),
}

impl Picker {
    /// A list of choices.
    pub fn new(title: impl Into<String>, all: Vec<Choice>) -> Self {
        let texts = all.iter().map(|choice| format!("{} {}", choice.name, choice.hint));
        Self {
            title: title.into(),
            typed: String::new(),
            texts: Texts::new(texts),
            shown: (0..all.len()).collect(),
            widths: (widest(&all, |choice| &choice.name), widest(&all, |choice| &choice.hint)),
            marked: 0,
            again: None,
            keys: None,
            tried: None,
            letters: Vec::new(),
            all,
        }
    }

    /// A list whose entries are chosen by one letter each.
    pub fn by_letter(title: impl Into<String>, all: Vec<(char, Choice)>) -> Self {
        let (letters, all) = all.into_iter().unzip();
        Self { letters, ..Self::new(title, all) }
    }

    /// The entries lead to the same in another reading of the store.
    pub(in crate::ui) fn renew(&mut self, ids: &NewIds<'_>) {
        self.all.iter_mut().for_each(|choice| choice.action.renew(ids));
    }

    /// An entry by its index among those shown.
    pub fn choice(&self, index: usize) -> Option<&Choice> {
        self.shown.get(index).map(|&index| &self.all[index])
    }

    /// Its keys in words.
    pub(super) fn keys_in_words(&self) -> &'static str {
        if self.letters.is_empty() {
            "letters narrow the list  ↓ ↑ select  ⏎ choose  Esc close"
        } else {
            "↓ ↑ select  ⏎ choose  q close"
        }
    }

    /// Marks the entry after or before.
    pub(in crate::ui) fn step(&mut self, down: bool) {
        let last = self.shown.len().saturating_sub(1);
        self.marked =
            if down { (self.marked + 1).min(last) } else { self.marked.saturating_sub(1) };
    }

    pub(in crate::ui) fn key(&mut self, key: KeyEvent) -> Picked {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let last = self.shown.len().saturating_sub(1);
        match key.code {
            KeyCode::Char(letter) if !ctrl && !self.letters.is_empty() => {
                return self.lettered(letter);
            }
            KeyCode::Esc => return Picked::Cancelled,
            KeyCode::Char('c') if ctrl => return Picked::Cancelled,
            KeyCode::Enter => {
                // Where nothing fits there is nothing to choose yet.
                return self
                    .choice(self.marked)
                    .map_or(Picked::Typing, |choice| Picked::Chosen(choice.action.clone()));
            }
            KeyCode::Char('n') if ctrl => self.step(true),
            KeyCode::Char('p') if ctrl => self.step(false),
            KeyCode::Down | KeyCode::Tab => self.step(true),
            KeyCode::Up | KeyCode::BackTab => self.step(false),
            KeyCode::PageDown => self.marked = (self.marked + 10).min(last),
            KeyCode::Home => self.marked = 0,
            KeyCode::End => self.marked = last,
            KeyCode::PageUp => self.marked = self.marked.saturating_sub(10),
            KeyCode::Char('u') if ctrl => return self.narrow(String::new()),
            KeyCode::Backspace => {
                let mut typed = self.typed.clone();
                typed.pop();
                return self.narrow(typed);
            }
            KeyCode::Char(letter) if !ctrl => {
                if let Some(action) = self.command(letter) {
                    return Picked::Chosen(action);
                }
                return self.narrow(format!("{}{letter}", self.typed));
            }
            _ => return Picked::Typing,
        }
        Picked::Moved
    }

    /// Chooses by a letter; `q` closes the list.
    fn lettered(&mut self, letter: char) -> Picked {
        let index = self.letters.iter().position(|known| *known == letter);
        match (index.and_then(|index| self.all.get(index)), letter) {
            (Some(choice), _) => Picked::Chosen(choice.action.clone()),
            (None, 'q') => Picked::Cancelled,
            (None, 'j') => {
                self.step(true);
                Picked::Moved
            }
            (None, 'k') => {
                self.step(false);
                Picked::Moved
            }
            _ => Picked::Typing,
        }
    }

    /// What a letter does to the marked entry.
    fn command(&self, letter: char) -> Option<Action> {
        let command = self.keys.filter(|_| self.typed.is_empty())?;
        command(&self.choice(self.marked)?.action, letter)
    }

    /// Goes on where an earlier list of the same kind was: on the same entry, wherever it is now.
    pub(in crate::ui) fn restore(&mut self, earlier: Self) {
        let name = earlier.choice(earlier.marked).map(|choice| choice.name.clone());
        if !earlier.typed.is_empty() {
            self.narrow(earlier.typed);
        }
        let same = |index: &usize| Some(&self.all[*index].name) == name.as_ref();
        let last = self.shown.len().saturating_sub(1);
        let marked = self.shown.iter().position(same);
        self.marked = marked.unwrap_or(earlier.marked.min(last));
    }

    fn narrow(&mut self, typed: String) -> Picked {
        // What does not fit some letters does not fit more of them either.
        self.shown = if typed.starts_with(&self.typed) {
            self.texts.fitting(&typed, self.shown.iter().copied())
        } else {
            self.texts.fitting(&typed, self.texts.all())
        };
        self.typed = typed;
        self.marked = 0;
        Picked::Moved
    }

    pub(super) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        theme: &Theme,
        hits: &mut Hits<Spot>,
    ) {
        let height = (self.shown.len() as u16 + 4).clamp(6, area.height.saturating_sub(4));
        // The list of scorers leaves the numbers in sight, since they follow it.
        let entries = (self.widths.0 + self.widths.1 + 6) as u16;
        let frame = if self.tried.is_some() {
            let width = entries.clamp(38, (area.width / 2).max(46)).min(area.width);
            Rect { x: area.right() - width, y: area.y + 2, width, height }
        } else {
            // As wide as its title, which says how many there are, and as its entries.
            let most = area.width.saturating_sub(4);
            centred(area, (width(&self.title) as u16 + 4).max(64).max(entries.min(most)), height)
        };
        Clear.render(frame, buffer);
        let room = usize::from(frame.width).saturating_sub(4);
        let title = format!(" {} ", fit_middle(&visible(&self.title), room));
        let title = Line::styled(title, theme.overlay.patch(theme.title));
        let block = Block::bordered().border_style(theme.border).style(theme.overlay).title(title);
        let inner = block.inner(frame);
        block.render(frame, buffer);
        hits.add(frame, Hit::Nothing);
        let typed = if self.letters.is_empty() {
            Line::from(vec![
                Span::styled(" › ", theme.key),
                Span::styled(visible(&self.typed).into_owned(), theme.text),
                Span::styled("▏", theme.key),
            ])
        } else {
            Line::styled(" press a letter, or ⏎ for the selected one", theme.dim)
        };
        put(buffer, inner, typed);
        let list = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        if self.shown.is_empty() {
            put(buffer, list, Line::styled(" nothing fits", theme.dim));
        }
        self.draw_list(buffer, list, theme, hits);
    }

    /// The names in sight, and how wide they are. Hints are cut before names are, but for their
    /// beginning and end, which have a number or a key.
    fn names(&self, room: usize, offset: usize, rows: usize) -> (usize, Vec<String>) {
        const LEAST_HINT: usize = 8;
        let (name, hint) = self.widths;
        let space =
            name.min(room.saturating_sub(hint.min(LEAST_HINT))).max(room.saturating_sub(hint));
        let shown = self.shown.iter().skip(offset).take(rows);
        let names: Vec<_> = shown.map(|&index| visible(&self.all[index].name)).collect();
        (space, short_names(&names, space))
    }

    fn draw_list(&self, buffer: &mut Buffer, list: Rect, theme: &Theme, hits: &mut Hits<Spot>) {
        let room = usize::from(list.height);
        // The marked one stays in the middle, so that its neighbours are seen.
        let middle = self.marked.saturating_sub(room / 2);
        let offset = scrolled(middle, self.marked, room, self.shown.len());
        let (space, names) = self.names(usize::from(list.width).saturating_sub(4), offset, room);
        for (index, line) in (offset..self.shown.len()).zip(list.rows()) {
            let Some(choice) = self.choice(index) else { continue };
            let hint = visible(&choice.hint).into_owned();
            // Hints stand at the right edge, as long as names have their room.
            let room = usize::from(line.width).saturating_sub(4);
            let left = room.saturating_sub(width(&hint));
            let letter = self.letters.get(index).map_or(String::new(), |key| format!("{key}  "));
            let name = format!("{letter}{}", names[index - offset]);
            // A short name leaves its hint all the room that it needs.
            let beside = room.saturating_sub(width(hint.trim_end()));
            let wide = if width(&name) <= beside { space.min(beside) } else { space };
            let name = padded(&name, left.max(wide));
            let marked = index == self.marked;
            let (mark, style) = if marked { ("▸", theme.selected) } else { (" ", theme.text) };
            if marked {
                buffer.set_style(line, theme.selected_row);
            }
            let name = Span::styled(format!("{mark} {name} "), style);
            // A number stands at the beginning of a hint, a key at its end.
            let hint =
                fit_middle(hint.trim_end(), usize::from(line.width).saturating_sub(name.width()));
            let hint = Span::styled(hint, theme.dim);
            put(buffer, line, Line::from(vec![name, hint]));
            hits.add(line, Hit::Choice(index));
        }
    }
}

/// How wide the widest of some texts is.
fn widest(all: &[Choice], text: fn(&Choice) -> &String) -> usize {
    all.iter().map(|choice| width(&visible(text(choice)))).max().unwrap_or(0)
}
