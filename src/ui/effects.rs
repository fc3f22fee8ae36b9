//! Requests of the app to the code around it.

use std::path::PathBuf;

use super::query::Job;

/// One thing to do.
#[derive(Debug)]
pub enum Effect {
    /// Answer a question in the background.
    Job(Job),
    /// Put this on the clipboard.
    Copy(String),
    /// Write a picture of the screen to a file, in the format of its ending.
    Picture(PathBuf),
    /// Start this program once more with these arguments, to score the store.
    Score(Vec<String>),
    /// Ask that process to end.
    StopScoring,
    /// Stop the program until it is told to go on.
    Suspend,
    /// Forget what is on screen and draw it anew.
    Redraw,
}

/// Things to do, in their order.
#[derive(Debug, Default)]
pub struct Effects(Vec<Effect>);

impl Effects {
    /// Adds one.
    pub fn push(&mut self, effect: Effect) {
        self.0.push(effect);
    }

    /// Adds a question.
    pub fn ask(&mut self, job: Job) {
        self.0.push(Effect::Job(job));
    }

    /// Takes all of them out.
    pub fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.0)
    }
}
