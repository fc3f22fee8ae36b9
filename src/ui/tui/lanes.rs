//! Background work. Questions are answered on threads, one thread per lane. In a lane only the newest question
//! counts.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use super::Event;
use super::scorer::Scorer;
use crate::ui::query::{Job, Lane, Worker};

struct OneLane {
    thread: JoinHandle<()>,
    jobs: Sender<Numbered>,
    newest: Arc<AtomicU64>,
}

/// A job with its number in the lane, and what it is answered from: the store may be read anew before its
/// turn comes.
type Numbered = (u64, Job, Arc<Worker>);

/// The threads that do the jobs. Dropping it ends them as soon as they look up; files that are
/// being written are waited for.
pub(super) struct Lanes {
    worker: Arc<Worker>,
    events: Sender<Event>,
    lanes: BTreeMap<Lane, OneLane>,
    /// The process that scores, started last.
    scorer: Option<Scorer>,
}

impl Lanes {
    pub(super) fn new(worker: Arc<Worker>, events: Sender<Event>) -> Self {
        Self { worker, events, lanes: BTreeMap::new(), scorer: None }
    }

    /// Answers what is asked from now on from another reading of the store.
    pub(super) fn renew(&mut self, worker: Arc<Worker>) {
        self.worker = worker;
    }

    /// Starts a process that scores.
    pub(super) fn score(&mut self, arguments: &[String]) -> io::Result<()> {
        self.scorer = Some(Scorer::start(arguments, self.events.clone())?);
        Ok(())
    }

    /// Asks that process to end.
    pub(super) fn stop_scoring(&self) {
        self.scorer.iter().for_each(Scorer::stop);
    }

    /// Hands in a job; older ones of its lane are forgotten.
    pub(super) fn submit(&mut self, job: Job) {
        let lane = job.lane();
        if !self.lanes.contains_key(&lane)
            && let Ok(started) = self.start(lane)
        {
            self.lanes.insert(lane, started);
        }
        let Some(one) = self.lanes.get(&lane) else {
            // The system gives no more threads, so the screen waits for the answer.
            self.thread(lane).perform((0, job, self.worker.clone()));
            return;
        };
        let number = one.newest.fetch_add(1, Ordering::Relaxed) + 1;
        // The thread ends only with its sender, or by a panic that was printed already.
        let _ = one.jobs.send((number, job, self.worker.clone()));
    }

    fn start(&self, lane: Lane) -> io::Result<OneLane> {
        let (jobs, waiting) = channel();
        let work = self.thread(lane);
        let newest = work.newest.clone();
        let thread = thread::Builder::new().spawn(move || work.run(&waiting))?;
        Ok(OneLane { thread, jobs, newest })
    }

    fn thread(&self, lane: Lane) -> Thread {
        Thread {
            events: self.events.clone(),
            newest: Arc::new(AtomicU64::new(0)),
            keeps_all: lane.keeps_all(),
        }
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.lanes.values().for_each(|lane| lane.newest.store(u64::MAX, Ordering::Relaxed));
        let lanes = std::mem::take(&mut self.lanes).into_iter();
        for (_, OneLane { thread, jobs, .. }) in lanes.filter(|(lane, _)| lane.keeps_all()) {
            drop(jobs);
            // A panic in it was printed already.
            let _ = thread.join();
        }
    }
}

struct Thread {
    events: Sender<Event>,
    newest: Arc<AtomicU64>,
    /// What is to be written is written, whatever comes after.
    keeps_all: bool,
}

impl Thread {
    fn run(&self, jobs: &Receiver<Numbered>) {
        while let Ok(mut job) = jobs.recv() {
            if !self.keeps_all {
                while let Ok(newer) = jobs.try_recv() {
                    job = newer;
                }
            }
            if !self.perform(job) {
                return;
            }
        }
    }

    /// Does a job; says whether it came to its end.
    fn perform(&self, (number, job, worker): Numbered) -> bool {
        let wanted = || self.keeps_all || self.newest.load(Ordering::Relaxed) == number;
        let done = catch_unwind(AssertUnwindSafe(|| {
            job.perform(&worker, &mut || self.events.send(Event::Answered).is_ok() && wanted());
        }));
        // The asker learns that no more comes.
        let _ = self.events.send(Event::Answered);
        if done.is_err() {
            let _ = self.events.send(Event::Broken);
        }
        done.is_ok()
    }
}
