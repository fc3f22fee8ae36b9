//! How keys move a selection through a list.

use super::action::Action;

/// A list that a selection moves through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// How many there are.
    pub count: usize,
    /// How many are on screen.
    pub page: usize,
}

impl Rows {
    /// The index that a key leads to; none of a key that does not move.
    pub(super) fn step(self, action: &Action, index: usize) -> Option<usize> {
        let last = self.count.saturating_sub(1);
        let half = (self.page / 2).max(1);
        Some(match action {
            Action::Down => (index + 1).min(last),
            Action::Up => index.saturating_sub(1),
            Action::HalfPageDown => (index + half).min(last),
            Action::HalfPageUp => index.saturating_sub(half),
            Action::First => 0,
            Action::Last => last,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_within_the_list() {
        let rows = Rows { count: 5, page: 4 };
        let step = |action, index| rows.step(&action, index);
        assert_eq!(step(Action::Down, 3), Some(4));
        assert_eq!(step(Action::Down, 4), Some(4));
        assert_eq!(step(Action::Up, 0), Some(0));
        assert_eq!(step(Action::HalfPageDown, 1), Some(3));
        assert_eq!(step(Action::HalfPageUp, 1), Some(0));
        assert_eq!(step(Action::Last, 0), Some(4));
        assert_eq!(step(Action::First, 3), Some(0));
        assert_eq!(step(Action::Left, 3), None);
        assert_eq!(Rows { count: 0, page: 0 }.step(&Action::Last, 0), Some(0));
    }
}
