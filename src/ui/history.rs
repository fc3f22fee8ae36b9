//! What was typed into prompts, by kind, the newest last.

use serde::{Deserialize, Serialize};

/// Lines of one kind that are kept.
const MOST: usize = 100;

/// Bytes of a line that is kept, at most.
const LONGEST: usize = 2_000;

/// A kind of prompt that remembers what was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Expressions over tasks.
    Tasks,
    /// Words that were searched for.
    Search,
    /// Files that were written.
    Files,
}

/// What was typed into prompts, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    tasks: Vec<String>,
    search: Vec<String>,
    files: Vec<String>,
}

impl History {
    /// The lines of a kind, the oldest first.
    pub fn of(&self, kind: Kind) -> &[String] {
        match kind {
            Kind::Tasks => &self.tasks,
            Kind::Search => &self.search,
            Kind::Files => &self.files,
        }
    }

    /// Adds a line; one that was there before moves to the end.
    pub fn add(&mut self, kind: Kind, line: &str) {
        let line = line.trim();
        if line.is_empty() || line.len() > LONGEST {
            return;
        }
        let lines = match kind {
            Kind::Tasks => &mut self.tasks,
            Kind::Search => &mut self.search,
            Kind::Files => &mut self.files,
        };
        lines.retain(|known| known != line);
        lines.push(line.to_owned());
        lines.drain(..lines.len().saturating_sub(MOST));
    }

    /// Adds all lines of another history, as newer ones.
    pub fn add_all(&mut self, newer: &Self) {
        for kind in [Kind::Tasks, Kind::Search, Kind::Files] {
            newer.of(kind).iter().for_each(|line| self.add(kind, line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_once_and_not_without_end() {
        let mut history = History::default();
        ["a", "b", " a ", "", &"x".repeat(LONGEST + 1)]
            .into_iter()
            .for_each(|line| history.add(Kind::Tasks, line));
        assert_eq!(history.of(Kind::Tasks), ["b", "a"]);
        assert_eq!(history.of(Kind::Search), [""; 0]);
        (0..2 * MOST).for_each(|line| history.add(Kind::Search, &line.to_string()));
        assert_eq!(history.of(Kind::Search).len(), MOST);
        let mut other = History::default();
        other.add(Kind::Tasks, "b");
        history.add_all(&other);
        assert_eq!(history.of(Kind::Tasks), ["a", "b"]);
    }
}
