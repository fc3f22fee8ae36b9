//! Decodes on other threads, where a panic becomes an error.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::thread;

use super::Table;
use crate::store::StoreError;

/// The name of the threads that decode tables.
pub(in crate::store) const READING_THREAD: &str = "qualm-read";

thread_local! {
    /// Whether a thread of another name decodes a table.
    static IS_READING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the current thread decodes tables. A panic there means a damaged table and becomes an error,
/// so a panic hook should not print it.
pub fn is_reading_thread() -> bool {
    let current = thread::current();
    let name = current.name().unwrap_or_default();
    name == READING_THREAD || name.starts_with("polars-") || IS_READING.get()
}

impl Table {
    /// Decodes on a separate thread, because polars panics on some damaged files and that must become an
    /// error.
    pub(super) fn guarded<T: Send>(
        &self,
        decode: impl FnOnce() -> Result<T, StoreError> + Send,
    ) -> Result<T, StoreError> {
        let once = Mutex::new(Some(decode));
        let take = || once.lock().ok().and_then(|mut decode| decode.take());
        let work = |()| take().map(|decode| decode()).transpose();
        let done = match self.on_threads(1, (), work, || ()) {
            Some(done) => done?.pop().flatten(),
            None => self.here(|| work(()))?,
        };
        done.ok_or_else(|| self.panicked())
    }

    /// Runs `work` on several threads and turns a panic into an error. Each thread gets a clone of
    /// `input`; `meanwhile` runs on this thread. Where the system gives fewer threads they do all the
    /// work; none when it gives no thread at all.
    pub(super) fn on_threads<I: Clone + Send, T: Send>(
        &self,
        threads: usize,
        input: I,
        work: impl Fn(I) -> Result<T, StoreError> + Sync,
        meanwhile: impl FnOnce(),
    ) -> Option<Result<Vec<T>, StoreError>> {
        thread::scope(|scope| {
            let work = &work;
            let start = |_| {
                let input = input.clone();
                let thread = thread::Builder::new().name(READING_THREAD.to_owned());
                #[cfg(test)]
                let thread =
                    if tests::NO_THREADS.get() { thread.stack_size(NO_STACK) } else { thread };
                thread.spawn_scoped(scope, move || work(input)).ok()
            };
            let started: Vec<_> = (0..threads).map_while(start).collect();
            // A channel in the input closes when the last thread ends.
            drop(input);
            if started.is_empty() {
                return None;
            }
            meanwhile();
            // Joins all of them, because the scope would panic for one that is left.
            let done: Vec<_> = started.into_iter().map(thread::ScopedJoinHandle::join).collect();
            let done = done.into_iter();
            Some(done.map(|result| result.unwrap_or_else(|_| Err(self.panicked()))).collect())
        })
    }

    /// Runs `work` on this thread and turns a panic into an error.
    pub(super) fn here<T>(
        &self,
        work: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let before = IS_READING.replace(true);
        let result = panic::catch_unwind(AssertUnwindSafe(work));
        IS_READING.set(before);
        result.unwrap_or_else(|_| Err(self.panicked()))
    }
}

/// A stack so large that no thread gets it.
#[cfg(test)]
const NO_STACK: usize = 1 << 60;

#[cfg(test)]
mod tests {
    use super::{StoreError, is_reading_thread};
    use crate::model::{Cell, Head, Message, Role, Trajectory};
    use crate::store::{Extras, Manifest, OutlineNeeds, Store, StoreWriter};

    thread_local! {
        pub(super) static NO_THREADS: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    }

    #[test]
    fn without_threads_tables_are_read_all_the_same() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("s.qualm");
        let mut writer = StoreWriter::create(&path).expect("free");
        let head = Head::new(Cell::new("d", "m"), "0");
        let messages = vec![Message::text(Role::Assistant, "Hello")];
        writer.push(Trajectory::new(head, messages, |_| None)).expect("pushed");
        writer.finish(Manifest::new(), &Extras::default()).expect("written");
        NO_THREADS.set(true);
        let store = Store::open(&path).expect("a store");
        assert_eq!(store.outline(OutlineNeeds::ALL).expect("read").draw, [0]);
        let entry = store.entry(0).expect("read");
        assert_eq!(store.trajectory(&entry).expect("read").messages.len(), 1);
        // A panic of polars is an error here too.
        let table = &store.tables[0].files()[0];
        let error = table.here(|| -> Result<(), StoreError> { panic!("damaged") });
        assert!(error.is_err_and(|error| error.to_string().contains("contradicts itself")));
        assert!(!is_reading_thread());
    }
}
