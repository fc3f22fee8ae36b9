//! From inputs to trajectories to tables, with at most two inputs in memory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, sync_channel};
use std::thread;

use super::alike::Alike;
use super::backlog::{Backlog, Batch};
use super::unchanged::{StoredBatch, Unchanged};
use super::{GivenCounts, ImportError};
use crate::model::{Cell, Head, Skip, TaskText, Trajectory, Unscored};
use crate::readers::{Claimed, InputNotes, ReadError, ReadOptions, Record};
use crate::scorers::whitebox::{self, Base, Spans};
use crate::store::StoreWriter;

/// Inputs that are read at the same time. Each may be whole in memory, so more would cost more than
/// they gain beside the one thread that writes.
const READERS: usize = 2;

/// Messages of a reader that wait for the writer: a batch, and that the input is done. Of a long input, the
/// reader fills another batch meanwhile.
const AHEAD: usize = 2;

/// Batches of stored runs that wait for the writer.
const BATCHES_AHEAD: usize = 1;

/// How far an import has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportProgress {
    /// So many bytes are to be read.
    Started(u64),
    /// A trajectory came in.
    Trajectory,
    /// An input of this size is done.
    Input(u64),
}

/// What the inputs held beside trajectories; notes and counts are in the inputs' order.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) notes: Vec<InputNotes>,
    pub(super) trajectories: Vec<u64>,
    pub(super) skipped: Vec<Skip>,
    /// What tasks ask, with the index of the input.
    pub(super) tasks: Vec<(usize, TaskText)>,
    pub(super) alike: Alike,
    /// Turns without a score, by why.
    pub(super) unscored: BTreeMap<Unscored, u64>,
    /// Runs whose agent is known to have been given something, by what.
    pub(super) given: GivenCounts,
    /// Inputs that are cut off, and why: more may come.
    pub(super) pending: Vec<ReadError>,
    /// The numbers of these inputs.
    pub(super) cut_off: HashSet<usize>,
}

impl Read {
    /// The texts of tasks that an input gave.
    pub(super) fn texts(&self, input: usize) -> impl Iterator<Item = &TaskText> {
        self.tasks.iter().filter(move |(index, _)| *index == input).map(|(_, text)| text)
    }
}

enum Message {
    Records(Batch),
    Done(Result<InputNotes, ReadError>),
}

/// Reads the inputs but those whose runs are stored already, and writes their trajectories, in the inputs'
/// order whichever is read first.
pub(super) fn read_into(
    (inputs, stored): (&[Claimed], &Unchanged<'_>),
    options: &ReadOptions,
    spans: Spans,
    writer: &mut StoreWriter,
    progress: &(dyn Fn(ImportProgress) + Sync),
) -> Result<Read, ImportError> {
    progress(ImportProgress::Started(inputs.iter().map(|input| input.claim.bytes()).sum()));
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let backlog = Backlog::default();
    let (senders, receivers): (Vec<_>, Vec<_>) =
        inputs.iter().map(|_| sync_channel::<Message>(AHEAD)).unzip();
    // A thread owns the sender of what it reads, so that nobody waits for one that panicked.
    let senders: Vec<_> = senders.into_iter().map(|sender| Mutex::new(Some(sender))).collect();
    thread::scope(|scope| {
        let (next, stop, senders, backlog) = (&next, &stop, &senders, &backlog);
        let _writing = backlog.writing();
        let work = move || {
            while !stop.load(Ordering::Relaxed) {
                backlog.wait();
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(input) = inputs.get(index) else { break };
                let sender = senders[index].lock().ok().and_then(|mut sender| sender.take());
                let Some(sender) = sender else { break };
                if stored.holds(index) {
                    continue;
                }
                read_one(input, options, spans, &mut |message| {
                    if let Message::Records(batch) = &message {
                        backlog.grow(batch.bytes);
                    }
                    sender.send(message).is_ok()
                });
            }
        };
        let (sender, batches) = sync_channel(BATCHES_AHEAD);
        let read_stored = move || stored.read_runs(&mut |batch| sender.send(batch).is_ok());
        let reads_stored =
            stored.is_empty() || thread::Builder::new().spawn_scoped(scope, read_stored).is_ok();
        let batches = if reads_stored { batches } else { all_at_once(stored) };
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let started = (0..READERS.min(inputs.len())).map_while(start).count();
        if started == 0 {
            // The system gives no thread, so that everything waits in memory until it is written.
            let receivers = inputs.iter().enumerate().map(|(index, input)| {
                let (sender, receiver) = mpsc::channel();
                if !stored.holds(index) {
                    read_one(input, options, spans, &mut |message| sender.send(message).is_ok());
                }
                receiver
            });
            let coming = Coming {
                inputs: receivers.collect(),
                stored: batches,
                is_partial: options.partial,
            };
            return write_all((inputs, stored), coming, backlog, writer, progress);
        }
        let coming = Coming { inputs: receivers, stored: batches, is_partial: options.partial };
        let result = write_all((inputs, stored), coming, backlog, writer, progress);
        stop.store(true, Ordering::Relaxed);
        result
    })
}

/// Reads an input and scores its turns; `send` fails only when the writer has given up, and then nobody
/// waits for the rest.
fn read_one(
    input: &Claimed,
    options: &ReadOptions,
    spans: Spans,
    send: &mut dyn FnMut(Message) -> bool,
) {
    let mut batch = Batch::default();
    let result = input.read(options, &mut |mut record| {
        if let Record::Trajectory(run) = &mut record {
            whitebox::score_turns(run, spans);
        }
        batch.add(record);
        !batch.is_full() || send(Message::Records(std::mem::take(&mut batch)))
    });
    send(Message::Records(batch));
    send(Message::Done(result));
}

/// The runs that are stored, read before anything is written.
fn all_at_once(stored: &Unchanged<'_>) -> Receiver<StoredBatch> {
    let (sender, batches) = mpsc::channel();
    stored.read_runs(&mut |batch| sender.send(batch).is_ok());
    batches
}

/// What comes to the writer.
struct Coming {
    inputs: Vec<Receiver<Message>>,
    stored: Receiver<StoredBatch>,
    /// An input that is cut off counts as far as it goes.
    is_partial: bool,
}

/// Writes what the readers send, and what is stored already; it consumes the receivers, so that readers
/// end when it ends.
fn write_all(
    (inputs, stored): (&[Claimed], &Unchanged<'_>),
    coming: Coming,
    backlog: &Backlog,
    writer: &mut StoreWriter,
    progress: &(dyn Fn(ImportProgress) + Sync),
) -> Result<Read, ImportError> {
    let mut all = Writing { read: Read::default(), seen: HashMap::new(), writer, progress };
    let Coming { inputs: receivers, stored: batches, is_partial } = coming;
    let mut kept = stored.runs(batches);
    for (index, (input, receiver)) in inputs.iter().zip(receivers).enumerate() {
        let (mut trajectories, mut twins, mut is_done) = (0, Vec::new(), false);
        if stored.holds(index) {
            kept.hand_out(index, |run| all.add(run, &mut trajectories, &mut twins))?;
            all.read.skipped.extend(stored.skipped(index).cloned());
            all.read.notes.push(stored.notes(index));
            is_done = true;
        } else {
            for message in receiver {
                match message {
                    Message::Records(Batch { records, bytes }) => {
                        for record in records {
                            match record {
                                Record::Trajectory(run) => {
                                    all.add(*run, &mut trajectories, &mut twins)?;
                                }
                                Record::Skipped(skip) => all.read.skipped.push(skip),
                                Record::Task(task) => all.read.tasks.push((index, task)),
                            }
                        }
                        backlog.shrink(bytes);
                    }
                    Message::Done(Err(error)) if is_partial && error.is_pending() => {
                        all.read.notes.push(InputNotes::default());
                        all.read.cut_off.insert(index);
                        all.read.pending.push(error);
                        is_done = true;
                        break;
                    }
                    Message::Done(notes) => {
                        all.read.notes.push(notes?);
                        is_done = true;
                        break;
                    }
                }
            }
        }
        // Behind the others, whether the runs were read or stored.
        all.read.skipped.extend(twins);
        if !is_done {
            // The reader panicked, which the end of its scope passes on.
            return Ok(all.read);
        }
        all.read.trajectories.push(trajectories);
        progress(ImportProgress::Input(input.claim.bytes()));
    }
    Ok(all.read)
}

/// What is read and written so far.
struct Writing<'w> {
    read: Read,
    /// The file of every run that has a unique identifier.
    seen: HashMap<Identity, String>,
    writer: &'w mut StoreWriter,
    progress: &'w (dyn Fn(ImportProgress) + Sync),
}

impl Writing<'_> {
    /// Writes a run, unless it came in already.
    fn add(
        &mut self,
        run: Trajectory,
        count: &mut u64,
        twins: &mut Vec<Skip>,
    ) -> Result<(), ImportError> {
        if let Some(skip) = twin(&run, &mut self.seen) {
            twins.push(skip);
            return Ok(());
        }
        count_unscored(&run, &mut self.read.unscored);
        self.read.given.add(&run);
        self.read.alike.meet(&run);
        self.writer.push(run)?;
        *count += 1;
        (self.progress)(ImportProgress::Trajectory);
        Ok(())
    }
}

/// Counts the turns that some base score has no value for.
fn count_unscored(run: &Trajectory, counts: &mut BTreeMap<Unscored, u64>) {
    // One that has negentropy has every score.
    let reasons = (0..run.turns.len()).filter_map(|turn| whitebox::unscored(run, turn, Base::Atn));
    reasons.for_each(|reason| *counts.entry(reason).or_default() += 1);
}

/// What identifies a run whose harness gives it an identifier.
type Identity = (Cell, String, Option<i64>, String, u64);

/// The notice that a run came in already, from another input of the same import.
fn twin(run: &Trajectory, seen: &mut HashMap<Identity, String>) -> Option<Skip> {
    let Head { cell, task, origin, .. } = &run.head;
    let id = origin.unique_id()?;
    let distinction = run.head.distinction();
    let identity = (cell.clone(), task.clone(), origin.trial, id.to_owned(), distinction);
    let first = seen.entry(identity).or_insert_with(|| origin.source.clone());
    (*first != origin.source).then(|| Skip {
        cell: cell.clone(),
        task: task.clone(),
        trial: origin.trial,
        source: origin.source.clone(),
        reason: format!("the same run (id {id}) as in {first}"),
        repeat: origin.repeat,
        temperature: run.head.temperature,
        copy: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::{Candidate, Claim, Content, Emit, FormatInfo, Reader};

    #[derive(Debug)]
    struct Panicking;

    impl Reader for Panicking {
        fn info(&self) -> &'static FormatInfo {
            &FormatInfo { id: "panicking", name: "", looks: "", gives: &[], example: "" }
        }

        fn claim(&self, _: &Candidate) -> Option<Claim> {
            None
        }

        fn read(&self, _: &Claim, _: &ReadOptions, _: Emit<'_>) -> Result<InputNotes, ReadError> {
            panic!("a reader panics");
        }
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_reader_that_panics_is_not_waited_for() {
        let home = tempfile::tempdir().expect("a folder");
        let mut writer = StoreWriter::create(&home.path().join("s.qualm")).expect("free");
        let claim = Claim::new(Content::at(home.path()));
        let inputs = vec![Claimed { reader: &Panicking, claim }; 5];
        let stored = Unchanged::default();
        let (options, spans) = (ReadOptions::default(), Spans::default());
        let _ = read_into((&inputs, &stored), &options, spans, &mut writer, &|_| {});
    }
}
