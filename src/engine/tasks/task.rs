//! Facts about a task and its draws.

use crate::engine::{Frame, Solvability, Task};

impl Task {
    /// What the task is called in lists: its id, with the draw where every draw is a row of `frame`.
    pub fn label(&self, frame: &Frame) -> String {
        if frame.is_pooled() { format!("{} #{}", self.id, self.draw) } else { self.id.clone() }
    }

    /// Whether a name is the id of the task, or its label.
    pub fn is_named(&self, name: &str, frame: &Frame) -> bool {
        self.id == name || (frame.is_pooled() && self.label(frame) == name)
    }

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
        let index = self.draws_in_order().iter().position(|known| *known == draw)?;
        Some(self.row + index as u32)
    }

    /// The numbers of the draws, that whose outcome and scores count first.
    pub fn draw_numbers(&self) -> impl Iterator<Item = u32> {
        let reference = self.has_reference.then_some(self.draw);
        reference.into_iter().chain(self.samples.iter().map(|sample| sample.draw))
    }

    /// The numbers of the draws, as their runs stand in the store's table.
    pub fn draws_in_order(&self) -> Vec<u32> {
        let mut draws: Vec<u32> = self.draw_numbers().collect();
        draws.sort_unstable();
        draws
    }

    /// Whether a draw solved the task.
    pub fn outcome(&self, draw: u32) -> Option<bool> {
        if draw == self.draw {
            return self.success;
        }
        self.samples.iter().find(|sample| sample.draw == draw)?.success
    }

    /// How often its draws succeed; none when a draw has no label.
    pub fn solvability(&self) -> Option<Solvability> {
        Solvability::of(self)
    }
}
