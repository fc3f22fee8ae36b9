//! Questions: asked once, the newest wins, parts and late answers.

use super::*;
use crate::metrics::bootstrap::Resampling;
use crate::store::{Extras, FORMAT, Manifest, Store, StoreWriter, VERSION};
use crate::ui::effects::Effect;

/// Counts up to a number, a part each.
#[derive(Clone, Debug, PartialEq)]
struct CountTo(u32);

impl Query for CountTo {
    type Answer = u32;
    const LANE: Lane = Lane::Table;

    fn run(self, _: &Worker, send: &mut dyn FnMut(u32) -> bool) {
        for number in 1..=self.0 {
            if !send(number) {
                return;
            }
        }
    }
}

fn worker() -> (tempfile::TempDir, Worker) {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("empty.qualm");
    let manifest = Manifest { format: FORMAT.to_owned(), version: VERSION, ..Manifest::default() };
    let writer = StoreWriter::create(&path).expect("begun");
    writer.finish(manifest, &Extras::default()).expect("written");
    let store = Store::open(&path).expect("a store");
    (home, Worker::new(store, Resampling::default()))
}

fn jobs(effects: &mut Effects) -> Vec<Job> {
    let job = |effect| match effect {
        Effect::Job(job) => Some(job),
        _ => None,
    };
    effects.take().into_iter().filter_map(job).collect()
}

/// Runs everything that was asked, each to its end.
fn run_all(effects: &mut Effects, worker: &Worker) -> usize {
    let jobs = jobs(effects);
    let count = jobs.len();
    jobs.into_iter().for_each(|job| job.perform(worker, &mut || true));
    count
}

#[test]
fn a_question_is_asked_once_and_its_newest_part_is_kept() {
    let (_home, worker) = worker();
    let (mut slot, mut effects) = (Slot::default(), Effects::default());
    slot.want(CountTo(3), &mut effects);
    slot.want(CountTo(3), &mut effects);
    assert!(slot.is_waiting() && slot.get().is_none());
    assert_eq!(run_all(&mut effects, &worker), 1, "on its way");
    assert!(slot.poll() && !slot.is_waiting());
    assert_eq!(slot.get().map(|answer| **answer), Some(3));
    slot.want(CountTo(3), &mut effects);
    assert_eq!(run_all(&mut effects, &worker), 0, "answered");
}

#[test]
fn a_late_answer_goes_nowhere() {
    let (_home, worker) = worker();
    let (mut slot, mut effects) = (Slot::default(), Effects::default());
    slot.want(CountTo(1), &mut effects);
    run_all(&mut effects, &worker);
    slot.poll();
    slot.want(CountTo(2), &mut effects);
    let late = jobs(&mut effects);
    slot.want(CountTo(5), &mut effects);
    let mut parts = 0;
    late.into_iter().for_each(|job| {
        job.perform(&worker, &mut || {
            parts += 1;
            true
        });
    });
    assert_eq!(parts, 0, "nobody waits any more");
    assert!(!slot.poll() && slot.is_stale());
    assert_eq!(slot.question(), Some(&CountTo(1)), "the answer before stays, as stale");
    run_all(&mut effects, &worker);
    assert!(slot.poll() && !slot.is_stale());
    assert_eq!(slot.answer_to(&CountTo(5)).map(|answer| **answer), Some(5));
    assert!(slot.answer_to(&CountTo(2)).is_none());
}

#[test]
fn an_interrupted_question_is_asked_again() {
    let (_home, worker) = worker();
    let (mut slot, mut effects) = (Slot::default(), Effects::default());
    slot.want(CountTo(3), &mut effects);
    // Another question takes the lane after the first part.
    jobs(&mut effects).into_iter().for_each(|job| job.perform(&worker, &mut || false));
    assert!(slot.poll());
    assert_eq!(slot.get().map(|answer| **answer), Some(1), "what came is shown");
    slot.want(CountTo(3), &mut effects);
    assert_eq!(run_all(&mut effects, &worker), 1);
    slot.poll();
    assert_eq!(slot.get().map(|answer| **answer), Some(3));
    // One that never ran is forgotten likewise.
    slot.want(CountTo(4), &mut effects);
    drop(jobs(&mut effects));
    assert!(!slot.poll() && !slot.is_waiting());
    slot.want(CountTo(4), &mut effects);
    assert_eq!(run_all(&mut effects, &worker), 1);
}

#[test]
fn every_errand_is_done() {
    let (_home, worker) = worker();
    let (mut errands, mut effects) = (Errands::default(), Effects::default());
    errands.send(CountTo(1), &mut effects);
    errands.send(CountTo(1), &mut effects);
    assert!(errands.take().is_empty());
    assert_eq!(run_all(&mut effects, &worker), 2);
    assert_eq!(errands.take(), [(CountTo(1), 1), (CountTo(1), 1)]);
    assert!(errands.take().is_empty());
}

#[test]
fn data_under_a_key_and_hints_do_not_make_another_question() {
    let keyed = |key: u32, value: &str| Keyed { key, value: Arc::new(value.to_owned()) };
    assert_eq!(keyed(1, "a"), keyed(1, "b"));
    assert_ne!(keyed(1, "a"), keyed(2, "a"));
    assert_eq!(Hint(1), Hint(2));
}
