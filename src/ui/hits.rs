//! What is where on screen, for the mouse.

use ratatui::layout::{Position, Rect};

use super::action::Action;
use super::screens::Screen;

/// Something on screen that can be clicked. `S` is the type of the open screen's spots.
#[derive(Clone, Debug, PartialEq)]
pub enum Hit<S> {
    /// A key of the footer, or a word that stands for an action.
    Action(Action),
    /// The name of a screen.
    Screen(Screen),
    /// An entry of a list that lies over the screen.
    Choice(usize),
    /// A part of an overlay that does nothing, but hides what is below.
    Nothing,
    /// A place of the screen's own.
    Spot(S),
}

/// What stands where; later ones lie over earlier ones.
#[derive(Clone, Debug)]
pub struct Hits<S>(Vec<(Rect, Hit<S>)>);

impl<S> Default for Hits<S> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<S> Hits<S> {
    /// Notes what stands in an area.
    pub fn add(&mut self, area: Rect, hit: Hit<S>) {
        self.0.push((area, hit));
    }

    /// Notes a place of the screen's own.
    pub fn spot(&mut self, area: Rect, spot: S) {
        self.add(area, Hit::Spot(spot));
    }

    /// What stands at a position.
    pub fn at(&self, column: u16, row: u16) -> Option<&Hit<S>> {
        let position = Position { x: column, y: row };
        self.0.iter().rev().find(|(area, _)| area.contains(position)).map(|(_, hit)| hit)
    }

    /// The same places under the name of their screen.
    pub fn map<T>(self, name: impl Fn(S) -> T) -> Hits<T> {
        let mapped = self.0.into_iter().map(|(area, hit)| {
            let hit = match hit {
                Hit::Action(action) => Hit::Action(action),
                Hit::Screen(screen) => Hit::Screen(screen),
                Hit::Choice(index) => Hit::Choice(index),
                Hit::Nothing => Hit::Nothing,
                Hit::Spot(spot) => Hit::Spot(name(spot)),
            };
            (area, hit)
        });
        Hits(mapped.collect())
    }

    /// Adds others over these.
    pub fn append(&mut self, others: Self) {
        self.0.extend(others.0);
    }
}

/// The first line to show so that the selected one is in sight, moving as little as possible.
pub fn scrolled(offset: usize, selected: usize, room: usize, all: usize) -> usize {
    let room = room.max(1);
    let offset = offset.min(all.saturating_sub(room));
    if selected < offset {
        selected
    } else if selected >= offset + room {
        selected + 1 - room
    } else {
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolls_as_little_as_possible() {
        assert_eq!(scrolled(0, 4, 5, 20), 0);
        assert_eq!(scrolled(0, 5, 5, 20), 1);
        assert_eq!(scrolled(9, 3, 5, 20), 3);
        assert_eq!(scrolled(18, 19, 5, 20), 15);
        assert_eq!(scrolled(3, 0, 0, 0), 0);
    }
}
