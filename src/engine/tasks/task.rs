//! Facts about a task and its draws.

use crate::engine::{Solvability, Task};

impl Task {
    /// The number of draws, with the reference if there is one.
    pub fn draws(&self) -> usize {
        self.samples.len() + usize::from(self.has_reference)
    }

    /// The number of draws that succeeded.
    pub fn solved(&self) -> usize {
        let samples = self.samples.iter().filter(|sample| sample.success == Some(true)).count();
        samples + usize::from(self.success == Some(true))
    }

    /// The row of a draw in the store's table; none when there is no such draw.
    pub fn row_of(&self, draw: u32) -> Option<u32> {
        if draw == 0 {
            return self.has_reference.then_some(self.row);
        }
        let index = self.samples.iter().position(|sample| sample.draw == draw)?;
        Some(self.row + u32::from(self.has_reference) + index as u32)
    }

    /// The numbers of the draws.
    pub fn draw_numbers(&self) -> impl Iterator<Item = u32> {
        let reference = self.has_reference.then_some(0);
        reference.into_iter().chain(self.samples.iter().map(|sample| sample.draw))
    }

    /// Whether a draw solved the task.
    pub fn outcome(&self, draw: u32) -> Option<bool> {
        match draw {
            0 => self.success,
            draw => self.samples.iter().find(|sample| sample.draw == draw)?.success,
        }
    }

    /// How often its draws succeed; none when a draw has no label.
    pub fn solvability(&self) -> Option<Solvability> {
        Solvability::of(self)
    }
}
