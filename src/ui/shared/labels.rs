//! Turns that people mark as the decisive error of a run: those of the store, and those being
//! saved.

use std::collections::HashMap;

use super::{RunKey, Shared};
use crate::engine::TaskId;
use crate::store::{Cause, StepLabel, labels};
use crate::text::visible;
use crate::ui::query::{Errands, Lane, Query, Worker};

/// The labels that count, and those being saved.
#[derive(Debug, Default)]
pub struct Labels {
    by_task: HashMap<TaskId, Vec<StepLabel>>,
    saving: Errands<SaveLabel>,
    /// How often labels changed.
    version: usize,
}

impl Labels {
    /// The labels on a run.
    pub fn on(&self, run: RunKey) -> impl Iterator<Item = &StepLabel> {
        let of_task = self.by_task.get(&run.id).into_iter().flatten();
        of_task.filter(move |label| label.draw == run.draw)
    }

    /// A number that changes with the labels.
    pub fn version(&self) -> usize {
        self.version
    }

    pub(super) fn set(&mut self, by_task: HashMap<TaskId, Vec<StepLabel>>) {
        self.by_task = by_task;
        self.version += 1;
    }

    /// Whether none is on its way to the disk.
    pub(super) fn is_idle(&self) -> bool {
        self.saving.is_idle()
    }

    /// Whether these are all.
    pub(super) fn are(&self, by_task: &HashMap<TaskId, Vec<StepLabel>>) -> bool {
        self.by_task == *by_task
    }

    /// Takes in a label that is on the disk.
    fn apply(&mut self, id: TaskId, label: StepLabel) {
        let of_task = self.by_task.entry(id).or_default();
        of_task.push(label);
        *of_task = labels::current(of_task);
        self.version += 1;
    }
}

impl Shared {
    /// The user's label on a run.
    pub fn label_on(&self, run: RunKey) -> Option<&StepLabel> {
        self.labels.on(run).find(|label| label.author == self.author)
    }

    /// Marks a turn as the decisive error of its run, or takes the mark back.
    pub(in crate::ui) fn save_label(&mut self, run: RunKey, turn: u32, cause: Cause) {
        let (Some(task), Some(cell)) = (self.task_of(run.id), self.cell_of(run.id)) else {
            return;
        };
        let label = StepLabel {
            time: 0,
            author: self.author.clone(),
            cell: cell.clone(),
            task: task.id.clone(),
            draw: run.draw,
            turn,
            cause,
        };
        self.say("saving the mark …");
        self.labels.saving.send(SaveLabel { run, label }, &mut self.effects);
    }

    /// Labels that are on the disk now, or why not.
    pub(super) fn poll_labels(&mut self) {
        for (SaveLabel { run, .. }, (label, saved)) in self.labels.saving.take() {
            if let Err(why) = saved {
                self.say(format!("the mark is not saved: {}; mark it again", visible(&why)));
                continue;
            }
            let turn = label.turn + 1;
            self.say(match label.cause {
                Cause::Withdrawn => format!("mark on turn {turn} withdrawn"),
                cause => format!("turn {turn} marked as the decisive error: {}", cause.words()),
            });
            for id in self.rows_of(run.id) {
                self.labels.apply(id, label.clone());
            }
        }
    }
}

/// Add a label to the store; its time is when it is written.
#[derive(Clone, PartialEq)]
struct SaveLabel {
    run: RunKey,
    label: StepLabel,
}

impl Query for SaveLabel {
    type Answer = (StepLabel, Result<(), String>);
    const LANE: Lane = Lane::Annotate;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let mut label = self.label;
        label.time = super::votes::now();
        let saved = worker.store.add_label(&label);
        send((label, saved.map_err(|error| error.to_string())));
    }
}
