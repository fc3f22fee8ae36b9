//! An object, read block by block.

use std::collections::BTreeSet;
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use xxhash_rust::xxh3::xxh3_128;

use super::RemoteError;
use super::cache::{BLOCK, Block, Sparse, read_exact_at, write_at};
use super::client::{Reply, Wanted};
use super::folder::{Folder, Version};

/// Bytes at the end of an object that are read first: the footer of most tables.
const END: u64 = 1 << 16;

/// Blocks that are fetched by one question.
const AT_ONCE: usize = 64;

/// Blocks that are fetched although nobody needs them, where they save a question.
const GAP: usize = 4;

/// Questions that are asked at the same time.
const CONNECTIONS: usize = 8;

/// An object as it was when it was first read.
#[derive(Debug)]
pub struct Object {
    folder: Arc<Folder>,
    name: String,
    /// The name it has where there is none of that name and size.
    otherwise: Option<String>,
    /// Its size, where that is known before.
    expected: Option<u64>,
    /// Another object, which must still have this tag when this one is first read.
    beside: Option<(&'static str, String)>,
    known: Mutex<Option<Arc<Known>>>,
}

/// What is known of an object once it was read.
#[derive(Debug)]
struct Known {
    name: String,
    version: Version,
    sparse: Sparse,
}

impl Object {
    pub(super) fn new(folder: Arc<Folder>, name: &str) -> Self {
        let (name, known) = (name.to_owned(), Mutex::new(None));
        Self { folder, name, otherwise: None, expected: None, beside: None, known }
    }

    /// The same object, which may have another name.
    #[must_use]
    pub fn or(mut self, name: Option<String>) -> Self {
        self.otherwise = name;
        self
    }

    /// The same object, which has so many bytes.
    #[must_use]
    pub fn expecting(mut self, size: Option<u64>) -> Self {
        self.expected = size;
        self
    }

    /// The same object, which belongs to the version of another one that has this tag.
    #[must_use]
    pub fn beside(mut self, name: &'static str, tag: Option<&str>) -> Self {
        self.beside = tag.map(|tag| (name, tag.to_owned()));
        self
    }

    /// Its size.
    pub fn size(&self) -> Result<u64, RemoteError> {
        Ok(self.known()?.version.size)
    }

    /// An open file that holds some ranges, each at its place. What else it holds means nothing.
    pub fn holding(&self, ranges: &[Range<u64>]) -> Result<File, RemoteError> {
        let known = self.known()?;
        let wanted = blocks_of(ranges, known.version.size);
        if !self.fill(&known, &wanted)? {
            return self.for_the_moment(&known, &wanted);
        }
        known.sparse.file.try_clone().map_err(|error| self.folder.cache.failed(&error))
    }

    /// The version that is there, and the file of what was read of it.
    fn known(&self) -> Result<Arc<Known>, RemoteError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let (name, size, reply) = match (self.end_of(&self.name), &self.otherwise) {
            (Ok((size, reply)), _) => (&self.name, size, reply),
            (Err(RemoteError::Missing { .. } | RemoteError::Changed { .. }), Some(name)) => {
                let (size, reply) = self.end_of(name)?;
                (name, size, reply)
            }
            (Err(error), _) => return Err(error),
        };
        if let Some((name, tag)) = &self.beside {
            self.folder.require(name, tag)?;
        }
        let (name, version) = (name.clone(), Version { size, tag: reply.tag.clone() });
        let object = || self.folder.of(&name);
        let print = format!("{}\n{size}\n{}", object(), version.tag.as_deref().unwrap_or_default());
        let sparse =
            self.folder.cache.file(&format!("{:032x}", xxh3_128(print.as_bytes())), size)?;
        let found = Arc::new(Known { name, version, sparse });
        self.use_first(&found, reply)?;
        Ok(Arc::clone(known.insert(found)))
    }

    /// The size of the object of some name, and an answer with its last bytes.
    fn end_of(&self, name: &str) -> Result<(u64, Reply), RemoteError> {
        let wanted = match self.expected {
            Some(0) => Wanted::Whole,
            Some(size) => Wanted::Part(size.saturating_sub(END) / BLOCK * BLOCK..size),
            None => Wanted::Last(END),
        };
        let reply = self.folder.ask(name, &wanted)?;
        let object = self.folder.of(name);
        match reply.size {
            None => {
                let why = "the server does not say how large it is".to_owned();
                Err(RemoteError::Unreachable { object, why })
            }
            Some(size) if self.expected.is_some_and(|expected| expected != size) => {
                Err(RemoteError::Changed { object })
            }
            Some(size) => Ok((size, reply)),
        }
    }

    /// Keeps what the first answer brings: the end, or everything from a server that knows no parts.
    fn use_first(&self, known: &Known, reply: Reply) -> Result<(), RemoteError> {
        let all = known.sparse.blocks().len();
        let run = (reply.start / BLOCK) as usize..all;
        if !reply.start.is_multiple_of(BLOCK) {
            return Ok(());
        }
        match self.claim(known, run.clone().collect()) {
            Some(claim) if !claim.runs.is_empty() => self.fetch_run(known, run, Some(reply)),
            _ => Ok(()),
        }
    }

    /// Makes blocks be there; false where the cache has no room for them.
    fn fill(&self, known: &Known, wanted: &BTreeSet<usize>) -> Result<bool, RemoteError> {
        loop {
            let Some(claim) = self.claim(known, wanted.clone()) else { return Ok(false) };
            if !claim.runs.is_empty() {
                self.fetch_all(known, &claim.runs)?;
                continue;
            }
            let blocks = known.sparse.blocks();
            if wanted.iter().all(|number| blocks[*number] == Block::Here) {
                return Ok(true);
            }
            // Somebody else fetches them.
            drop(known.sparse.wait(blocks));
        }
    }

    /// Claims those of some blocks that nobody has or fetches; none where the cache has no room for them.
    fn claim<'k>(&'k self, known: &'k Known, wanted: BTreeSet<usize>) -> Option<Claim<'k>> {
        let sparse = &known.sparse;
        let state = |number: usize| sparse.blocks()[number];
        for number in &wanted {
            if let Block::Kept(hash) = state(*number) {
                let is_intact = sparse.is_intact(*number, hash);
                sparse.set(*number, if is_intact { Block::Here } else { Block::Missing });
            }
        }
        let mut blocks = sparse.blocks();
        let missing = wanted.into_iter().filter(|number| blocks[*number] == Block::Missing);
        let runs = runs(missing, |number| blocks[number] == Block::Missing);
        let bytes = runs.iter().map(|run| run.len() as u64 * BLOCK).sum();
        if !self.folder.cache.reserve(bytes) {
            return None;
        }
        runs.iter().cloned().flatten().for_each(|number| blocks[number] = Block::Coming);
        drop(blocks);
        Some(Claim { object: self, sparse, runs })
    }

    /// Fetches runs of blocks over several connections.
    fn fetch_all(&self, known: &Known, runs: &[Range<usize>]) -> Result<(), RemoteError> {
        let next = AtomicUsize::new(0);
        let first_error = Mutex::new(None);
        let work = || {
            while let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.fetch_run(known, run.clone(), None) {
                    let mut first = first_error.lock().unwrap_or_else(PoisonError::into_inner);
                    first.get_or_insert(error);
                    next.store(runs.len(), Ordering::Relaxed);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..CONNECTIONS.min(runs.len()) {
                // Where there are no threads to be had, the others do the work.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let first_error = first_error.into_inner().unwrap_or_else(PoisonError::into_inner);
        first_error.map_or(Ok(()), Err)
    }

    /// Fetches a run of blocks, of which the answer may be here already.
    fn fetch_run(
        &self,
        known: &Known,
        run: Range<usize>,
        begun: Option<Reply>,
    ) -> Result<(), RemoteError> {
        let mut number = run.start;
        self.fetch(known, run, begun, |bytes| {
            known.sparse.keep(number, bytes)?;
            number += 1;
            Ok(())
        })
    }

    /// Passes blocks to `take`, one after the other.
    fn fetch(
        &self,
        known: &Known,
        run: Range<usize>,
        begun: Option<Reply>,
        mut take: impl FnMut(&[u8]) -> Result<(), RemoteError>,
    ) -> Result<(), RemoteError> {
        let end = (run.end as u64 * BLOCK).min(known.version.size);
        let mut at = run.start as u64 * BLOCK;
        let mut block = Vec::with_capacity(BLOCK as usize);
        self.folder.fetch(&known.name, at..end, &known.version, begun, &mut |mut bytes| {
            while !bytes.is_empty() {
                let free = (BLOCK - block.len() as u64).min(end - at).min(bytes.len() as u64);
                let (now, later) = bytes.split_at(free as usize);
                block.extend_from_slice(now);
                (at, bytes) = (at + free, later);
                if block.len() as u64 == BLOCK || at == end {
                    take(&block)?;
                    block.clear();
                }
            }
            Ok(())
        })
    }

    /// Some blocks in a file that goes when it is closed, since the cache is full.
    fn for_the_moment(&self, known: &Known, wanted: &BTreeSet<usize>) -> Result<File, RemoteError> {
        let cache = &self.folder.cache;
        let file = cache.scratch(known.version.size)?;
        let keep = |number: usize, bytes: &[u8]| {
            write_at(&file, bytes, number as u64 * BLOCK).map_err(|error| cache.failed(&error))
        };
        let blocks = known.sparse.blocks().clone();
        let (here, missing): (Vec<usize>, Vec<usize>) =
            wanted.iter().partition(|number| blocks[**number] == Block::Here);
        for number in here {
            let start = number as u64 * BLOCK;
            let mut bytes = vec![0; (known.version.size - start).min(BLOCK) as usize];
            let read = read_exact_at(&known.sparse.file, &mut bytes, start);
            read.map_err(|error| cache.failed(&error))?;
            keep(number, &bytes)?;
        }
        for run in runs(missing.into_iter(), |number| blocks[number] != Block::Here) {
            let mut number = run.start;
            self.fetch(known, run, None, |bytes| {
                keep(number, bytes)?;
                number += 1;
                Ok(())
            })?;
        }
        Ok(file)
    }
}

/// Blocks that are being fetched. Those that did not come are missing again when it is dropped.
struct Claim<'k> {
    object: &'k Object,
    sparse: &'k Sparse,
    runs: Vec<Range<usize>>,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        for number in self.runs.iter().cloned().flatten() {
            if self.sparse.blocks()[number] == Block::Coming {
                self.object.folder.cache.release(BLOCK);
                self.sparse.set(number, Block::Missing);
            }
        }
    }
}

/// The blocks that hold some ranges of an object of some size.
fn blocks_of(ranges: &[Range<u64>], size: u64) -> BTreeSet<usize> {
    let within = ranges.iter().map(|range| range.start.min(size)..range.end.min(size));
    let numbers = within.filter(|range| !range.is_empty());
    numbers
        .flat_map(|range| (range.start / BLOCK) as usize..range.end.div_ceil(BLOCK) as usize)
        .collect()
}

/// Blocks as runs, each fetched by one question. Small gaps of blocks that may be fetched are filled.
fn runs(blocks: impl Iterator<Item = usize>, may: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for number in blocks {
        let joins = |last: &&mut Range<usize>| {
            number - last.end <= GAP
                && number - last.start < AT_ONCE
                && (last.end..number).all(&may)
        };
        match runs.last_mut().filter(joins) {
            Some(last) => last.end = number + 1,
            None => runs.push(number..number + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_become_blocks_and_blocks_runs() {
        let blocks = blocks_of(&[0..1, BLOCK - 1..BLOCK + 1, 9 * BLOCK..u64::MAX], 10 * BLOCK + 5);
        assert_eq!(blocks.into_iter().collect::<Vec<_>>(), [0, 1, 9, 10]);
        assert_eq!(blocks_of(&[3..3, 99..100], 50).len(), 0);

        let all = |_| true;
        assert_eq!(
            runs([0, 1, 5, 11].into_iter(), all),
            [0..6, 11..12],
            "a gap of three is filled"
        );
        let not_three = |number| number != 3;
        assert_eq!(runs([0, 1, 5].into_iter(), not_three), [0..2, 5..6], "block 3 is there");
        assert_eq!(runs(0..=AT_ONCE, all), [0..AT_ONCE, AT_ONCE..AT_ONCE + 1]);
    }
}
