//! What is read and not written yet: records in batches, and how much of it there is.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::readers::Record;

/// Records that a reader hands to the writer at once. A row group is about as many runs.
const BATCH: usize = 100;

/// Bytes of text and tokens that it hands over at once, where the records are long. The writer begins with
/// the first batch and is alone with the last ones.
const BATCH_BYTES: usize = 1 << 19;

/// Bytes that wait for the writer before another input is begun.
const MOST: usize = 16 << 20;

/// Records on their way from a reader to the writer.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) records: Vec<Record>,
    pub(super) bytes: usize,
}

impl Batch {
    pub(super) fn add(&mut self, record: Record) {
        if let Record::Trajectory(run) = &record {
            self.bytes += run.bytes();
        }
        self.records.push(record);
    }

    pub(super) fn is_full(&self) -> bool {
        self.records.len() >= BATCH || self.bytes >= BATCH_BYTES
    }
}

/// The bytes that wait for the writer. Inputs are begun in the order in which they are written, so that
/// what a reader waits for here never waits for that reader.
#[derive(Default)]
pub(super) struct Backlog {
    waiting: Mutex<Waiting>,
    is_less: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: usize,
    /// Nothing will be written any more.
    closed: bool,
}

impl Backlog {
    pub(super) fn grow(&self, bytes: usize) {
        self.waiting().bytes += bytes;
    }

    pub(super) fn shrink(&self, bytes: usize) {
        let mut waiting = self.waiting();
        waiting.bytes = waiting.bytes.saturating_sub(bytes);
        self.is_less.notify_all();
    }

    /// Waits until there is little enough.
    pub(super) fn wait(&self) {
        let is_much = |waiting: &mut Waiting| waiting.bytes > MOST && !waiting.closed;
        drop(self.is_less.wait_while(self.waiting(), is_much));
    }

    /// Lets nobody wait once the writer drops what this returns, at its end or when it panics.
    pub(super) fn writing(&self) -> Writing<'_> {
        Writing(self)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writer is at work.
pub(super) struct Writing<'b>(&'b Backlog);

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0.waiting().closed = true;
        self.0.is_less.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head, Message, Role, Trajectory};
    use std::thread;

    #[test]
    fn a_batch_is_full_by_records_or_by_bytes() {
        let run = |words: usize| {
            let message = Message::text(Role::Assistant, "x".repeat(words));
            let run = Trajectory::new(Head::new(Cell::new("d", "m"), "1"), vec![message], |_| None);
            Record::Trajectory(Box::new(run))
        };
        let mut batch = Batch::default();
        (1..BATCH).for_each(|_| batch.add(run(1)));
        assert_eq!((batch.is_full(), batch.bytes), (false, BATCH - 1));
        batch.add(run(1));
        assert!(batch.is_full());
        let mut long = Batch::default();
        long.add(run(BATCH_BYTES));
        assert!(long.is_full());
    }

    #[test]
    fn a_reader_waits_until_enough_is_written_or_nothing_will_be() {
        for closes in [true, false] {
            let backlog = Backlog::default();
            let writing = backlog.writing();
            backlog.grow(MOST);
            backlog.wait();
            backlog.grow(1);
            thread::scope(|scope| {
                let waiting = scope.spawn(|| backlog.wait());
                assert!(!waiting.is_finished(), "it has nothing to go on with");
                if closes { drop(writing) } else { backlog.shrink(1) }
            });
        }
    }
}
