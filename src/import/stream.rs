//! Files to trajectories to tables, with at most two files in memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use super::ImportError;
use super::alike::Alike;
use crate::model::{Cell, Head, Skip, TaskText, Trajectory};
use crate::readers::{self, FileNotes, Input, ReadError, ReadOptions, Record};
use crate::scorers::whitebox::{self, Spans};
use crate::store::StoreWriter;

/// Files that are read at the same time. Each is whole in memory, so more would cost more than they
/// gain beside the one thread that writes.
const READERS: usize = 2;

/// Records that a reader may be ahead of the writer.
const AHEAD: usize = 32;

/// A run's own identifier tells it from all others only when it is long, as a UUID is.
pub(super) const UNIQUE_ID: usize = 16;

/// What an import tells while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many bytes are to be read.
    Started(u64),
    /// A trajectory came in.
    Trajectory,
    /// A file of this size is done.
    File(u64),
}

/// What the files held beside trajectories. The lists by file are in the files' order.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) notes: Vec<FileNotes>,
    pub(super) trajectories: Vec<u64>,
    pub(super) skipped: Vec<Skip>,
    pub(super) tasks: Vec<TaskText>,
    pub(super) alike: Alike,
}

enum Message {
    Record(Record),
    Done(Result<FileNotes, ReadError>),
}

/// Reads the files and writes their trajectories, in the files' order whichever is read first.
pub(super) fn read_into(
    files: &[Input],
    options: &ReadOptions,
    spans: Spans,
    writer: &mut StoreWriter,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Read, ImportError> {
    progress(Progress::Started(files.iter().map(|file| file.bytes).sum()));
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (senders, receivers): (Vec<_>, Vec<_>) =
        files.iter().map(|_| sync_channel::<Message>(AHEAD)).unzip();
    thread::scope(|scope| {
        for _ in 0..READERS.min(files.len()) {
            let (next, stop, senders) = (&next, &stop, &senders);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(index) else { break };
                    read_one(file, options, &senders[index]);
                }
            });
        }
        let result = write_all(files, receivers, spans, writer, progress);
        stop.store(true, Ordering::Relaxed);
        result
    })
}

fn read_one(file: &Input, options: &ReadOptions, sender: &SyncSender<Message>) {
    // A send fails only when the writer has given up; then nobody waits for the rest.
    let mut emit = |record| sender.send(Message::Record(record)).is_ok();
    let result = readers::read(file, options, &mut emit);
    let _ = sender.send(Message::Done(result));
}

/// Takes what the readers send. Consumes the receivers, so that readers end when this ends.
fn write_all(
    files: &[Input],
    receivers: Vec<Receiver<Message>>,
    spans: Spans,
    writer: &mut StoreWriter,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Read, ImportError> {
    let mut read = Read::default();
    let mut seen: HashMap<Identity, String> = HashMap::new();
    for (file, receiver) in files.iter().zip(receivers) {
        let mut trajectories = 0;
        for message in receiver {
            match message {
                Message::Record(Record::Trajectory(mut run)) => {
                    if let Some(skip) = twin(&run, &mut seen) {
                        read.skipped.push(skip);
                        continue;
                    }
                    whitebox::score_turns(&mut run, spans);
                    read.alike.meet(&run);
                    writer.push(*run)?;
                    trajectories += 1;
                    progress(Progress::Trajectory);
                }
                Message::Record(Record::Skipped(skip)) => read.skipped.push(skip),
                Message::Record(Record::Task(task)) => read.tasks.push(task),
                Message::Done(notes) => {
                    read.notes.push(notes?);
                    break;
                }
            }
        }
        read.trajectories.push(trajectories);
        progress(Progress::File(file.bytes));
    }
    Ok(read)
}

/// What tells a run from all others, where its harness gives it an identifier that does.
type Identity = (Cell, String, Option<i64>, String);

/// The notice that a run came in already, from another file of the same import.
fn twin(run: &Trajectory, seen: &mut HashMap<Identity, String>) -> Option<Skip> {
    let Head { cell, task, origin, .. } = &run.head;
    let id = origin.run_id.as_ref().filter(|id| id.len() >= UNIQUE_ID)?;
    let identity = (cell.clone(), task.clone(), origin.trial, id.clone());
    let first = seen.entry(identity).or_insert_with(|| origin.source.clone());
    (*first != origin.source).then(|| Skip {
        cell: cell.clone(),
        task: task.clone(),
        trial: origin.trial,
        source: origin.source.clone(),
        reason: format!("the same run (id {id}) as in {first}"),
    })
}
