//! Finds the inputs that the paths of a command line name.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::{
    ALL, Candidate, Claim, Content, Emit, InputNotes, ReadError, ReadOptions, Reader, Refusal,
};

/// An input, and the reader that took it.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The reader.
    pub reader: &'static dyn Reader,
    /// What it took.
    pub claim: Claim,
}

impl Claimed {
    /// Hands every run of the input to `emit`, one by one.
    pub fn read(&self, options: &ReadOptions, emit: Emit<'_>) -> Result<InputNotes, ReadError> {
        let from = options.condition_from.filter(|_| options.condition.is_none());
        let Some(condition) = from.and_then(|from| from.name(&self.claim)) else {
            return self.reader.read(&self.claim, options, emit);
        };
        let options = ReadOptions { condition: Some(condition), ..options.clone() };
        self.reader.read(&self.claim, &options, emit)
    }
}

/// What a search over the paths of a command line found.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// What to read, in the order of the command line, inside a folder by name.
    pub claimed: Vec<Claimed>,
    /// Files inside folders that no reader knows, and what they are instead.
    pub unknown: Vec<(PathBuf, String)>,
}

/// Finds the results that `paths` name. A file that is named must be readable; in a folder, files that
/// are no results are passed over, but there must be one result at least.
pub fn find_inputs(paths: &[PathBuf], options: &ReadOptions) -> Result<Inputs, ReadError> {
    let mut inputs = Inputs::default();
    paths.iter().try_for_each(|path| inputs.find(path, options))?;
    inputs.join_sidecars();
    Ok(inputs)
}

/// Whether it is a device, which may never end.
#[cfg(unix)]
fn is_device(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = meta.file_type();
    kind.is_block_device() || kind.is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &fs::Metadata) -> bool {
    false
}

/// Whether a reader takes a file, judged by its beginning.
pub fn is_claimed(path: &Path) -> bool {
    let candidate = Candidate::file(Content::at(path));
    candidate.is_ok_and(|candidate| ask(&candidate, None).is_some())
}

impl Inputs {
    /// Finds the results that a further path names.
    pub fn find(&mut self, path: &Path, options: &ReadOptions) -> Result<(), ReadError> {
        if options.stdin && path.as_os_str() == "-" {
            self.add(named(Content::stdin()?, options)?);
            return Ok(());
        }
        let unreadable = |error: io::Error| ReadError::unreadable(path, &error);
        let meta = fs::metadata(path).map_err(unreadable)?;
        if meta.is_file() {
            self.add(named(Content::at(path), options)?);
        } else if !meta.is_dir() {
            if is_device(&meta) {
                let error = io::Error::new(io::ErrorKind::InvalidInput, "is a device");
                return Err(unreadable(error));
            }
            // A pipe can be read only once.
            let pipe = File::open(path).map_err(unreadable)?;
            self.add(named(Content::stream(path, pipe)?, options)?);
        } else if !self.owns(path) && !search(path, options, self)? {
            return Err(ReadError::no_results(path));
        }
        Ok(())
    }

    /// Adds an input, unless an earlier path named it.
    fn add(&mut self, new: Claimed) {
        let source = new.claim.source();
        if self.claimed.iter().all(|claimed| claimed.claim.source() != source) {
            self.claimed.push(new);
        }
    }

    /// Makes inputs that only say more about others a part of these.
    fn join_sidecars(&mut self) {
        let readers: Vec<_> = self.claimed.iter().map(|claimed| claimed.reader).collect();
        let is_sidecar =
            |claimed: &Claimed| readers.iter().any(|reader| reader.joins(claimed.reader));
        let (sidecars, mut inputs): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.claimed).into_iter().partition(is_sidecar);
        for input in &mut inputs {
            for sidecar in sidecars.iter().filter(|sidecar| input.reader.joins(sidecar.reader)) {
                input.claim.add_sidecar(sidecar.claim.content().clone());
            }
        }
        self.claimed = inputs;
    }

    /// Whether a folder belongs to an input that was found.
    fn owns(&self, folder: &Path) -> bool {
        self.claimed.iter().any(|claimed| claimed.claim.owns(folder))
    }
}

/// Claims a file that the user named, or says why no reader takes it.
fn named(content: Content, options: &ReadOptions) -> Result<Claimed, ReadError> {
    let mut candidate = Candidate::file(content)?;
    if let Some(reader) = options.reader {
        return Ok(Claimed { reader, claim: reader.force(&candidate) });
    }
    if let Some(known) = ask(&candidate, None) {
        return Ok(known);
    }
    if let Some(Refusal { problem, remedy }) = refusal(&candidate) {
        return Err(ReadError::new(candidate.path(), problem, remedy));
    }
    let known = recognise(&mut candidate)?;
    known.ok_or_else(|| ReadError::unknown(&candidate))
}

/// Asks every reader, or the one that the user chose.
fn ask(candidate: &Candidate, chosen: Option<&'static dyn Reader>) -> Option<Claimed> {
    let claim = |reader: &'static dyn Reader| {
        reader.claim(candidate).map(|claim| Claimed { reader, claim })
    };
    match chosen {
        Some(reader) => claim(reader),
        None => ALL.iter().copied().find_map(claim),
    }
}

/// Why no reader takes a file that one of them knows.
fn refusal(candidate: &Candidate) -> Option<Refusal> {
    ALL.iter().find_map(|reader| reader.refuse(candidate))
}

/// Asks every reader about all of a file of which the beginning did not tell; none of JSON that holds
/// something else.
fn recognise(candidate: &mut Candidate) -> Result<Option<Claimed>, ReadError> {
    let looked = candidate.look_at_all();
    match ask(candidate, None) {
        Some(known) => Ok(Some(known)),
        None => looked.map(|()| None),
    }
}

/// Searches a folder: its files first, then the folders in it that belong to none of them. False if there
/// is no input in it, not even one that another path led to.
fn search(folder: &Path, options: &ReadOptions, inputs: &mut Inputs) -> Result<bool, ReadError> {
    let candidate = Candidate::folder(folder)?;
    if let Some(claimed) = ask(&candidate, options.reader) {
        inputs.add(claimed);
        return Ok(true);
    }
    let entries = candidate.shared_entries();
    let mut folders: Vec<&Path> = Vec::new();
    let mut has_inputs = false;
    let looked: Vec<Entry> = entries.par_iter().map(|path| look(path, &entries, options)).collect();
    for (path, entry) in entries.iter().zip(looked) {
        match entry {
            Entry::Folder => folders.push(path),
            Entry::Input(claimed) => {
                inputs.add(*claimed);
                has_inputs = true;
            }
            Entry::Other(why) => inputs.unknown.push((path.clone(), why)),
            Entry::Link => {}
        }
    }
    for folder in folders {
        has_inputs |= inputs.owns(folder) || search(folder, options, inputs)?;
    }
    Ok(has_inputs)
}

/// What something inside a folder is.
enum Entry {
    Folder,
    Input(Box<Claimed>),
    /// Nothing that is read, and why.
    Other(String),
    /// A link to a folder.
    Link,
}

/// Looks at something inside a folder. Links to folders are not followed, since they may form a loop; a
/// pipe or device may never end.
fn look(path: &Path, entries: &Arc<[PathBuf]>, options: &ReadOptions) -> Entry {
    if fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir()) {
        return Entry::Folder;
    }
    if path.is_dir() {
        return Entry::Link;
    }
    if !path.is_file() {
        return Entry::Other("a pipe, a device or a broken link".to_owned());
    }
    match found(path, entries, options) {
        Ok(claimed) => Entry::Input(Box::new(claimed)),
        Err(why) => Entry::Other(why),
    }
}

/// Claims a file inside a folder, or says why it is passed over.
fn found(path: &Path, entries: &Arc<[PathBuf]>, options: &ReadOptions) -> Result<Claimed, String> {
    let problem = |error: ReadError| error.problem().to_owned();
    let mut candidate = Candidate::file_among(path, entries.clone()).map_err(problem)?;
    let is_json = candidate.begins_like_json();
    let known = ask(&candidate, options.reader.filter(|_| !is_json));
    if let Some(reader) = options.reader.filter(|_| is_json) {
        if known.is_none() {
            recognise(&mut candidate).map_err(problem)?;
        }
        return Ok(Claimed { reader, claim: reader.force(&candidate) });
    }
    if let Some(known) = known {
        return Ok(known);
    }
    if let Some(refusal) = refusal(&candidate).filter(|_| options.reader.is_none()) {
        return Err(refusal.problem);
    }
    if !is_json {
        let other = ReadError::known_otherwise(path, candidate.start());
        return Err(other.map_or_else(|| "not JSON".to_owned(), problem));
    }
    let known = recognise(&mut candidate).map_err(problem)?;
    known.ok_or_else(|| candidate.json().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readers::{FormatInfo, ReadError};

    /// A format of two folders that belong together, or of a file that begins with a mark.
    #[derive(Debug)]
    struct Folders;

    impl Reader for Folders {
        fn info(&self) -> &'static FormatInfo {
            &FormatInfo { id: "folders", name: "folders", looks: "", gives: &[], example: "" }
        }

        fn claim(&self, candidate: &Candidate) -> Option<Claim> {
            if candidate.start().starts_with(b"MARK") {
                return Some(Claim::new(candidate.content().clone()));
            }
            let both = |paths: &[PathBuf]| {
                let holds = |name| paths.iter().any(|path| path.ends_with(name));
                holds("result") && holds("score")
            };
            if candidate.entries().is_some_and(both) {
                let parts =
                    ["result/a.json", "score/a.json"].map(|part| candidate.path().join(part));
                return Some(Claim::new(candidate.content().clone()).with_parts(parts.to_vec()));
            }
            let one = candidate.is_named("result") || candidate.is_named("score");
            let folder =
                candidate.path().parent().filter(|_| one && both(candidate.neighbours()))?;
            Some(Claim::new(Content::at(folder)).owning(folder))
        }

        fn read(
            &self,
            claim: &Claim,
            _: &ReadOptions,
            _: Emit<'_>,
        ) -> Result<InputNotes, ReadError> {
            Err(ReadError::nothing_inside(claim.path(), "runs"))
        }
    }

    fn found(paths: &[PathBuf]) -> Inputs {
        let options = ReadOptions { reader: Some(&Folders), ..ReadOptions::default() };
        find_inputs(paths, &options).expect("found")
    }

    #[test]
    fn folders_that_belong_together_are_one_input() {
        let home = tempfile::tempdir().expect("a folder");
        let [result, score] = ["result", "score"].map(|name| home.path().join(name));
        for folder in [&result, &score] {
            fs::create_dir(folder).expect("made");
            fs::write(folder.join("a.json"), "{}").expect("written");
        }
        let whole = found(&[home.path().to_owned()]);
        assert_eq!((whole.claimed.len(), whole.claimed[0].claim.bytes()), (1, 4));
        assert!(whole.unknown.is_empty(), "nothing inside is looked at alone");
        for paths in [[result.clone(), score.clone()], [score, result]] {
            let roots = found(&paths);
            assert_eq!(roots.claimed.len(), 1);
            assert_eq!(roots.claimed[0].claim.source(), whole.claimed[0].claim.source());
        }
    }

    #[test]
    fn a_file_may_be_known_by_its_first_bytes() {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(home.path().join("a"), "MARK \u{0}\u{1}").expect("written");
        fs::write(home.path().join("b"), "plain text").expect("written");
        let inputs = found(&[home.path().to_owned()]);
        assert_eq!(inputs.claimed[0].claim.path(), home.path().join("a"));
        assert_eq!(inputs.unknown, [(home.path().join("b"), "not JSON".to_owned())]);
    }
}
