//! Answers of a model that are kept on disk: a file per model, only ever appended to.
//!
//! A record has the hash of what was asked, a checksum, and the numbers of the answer. A record that
//! was not written to its end is removed when the file is next opened.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::LocalError;

/// The bytes of a record before its numbers: the hash of the question and the checksum.
const HEAD: usize = 24;

/// The answers of one model.
#[derive(Debug, Default)]
pub(super) struct Cache {
    /// The file; none where answers are only kept in memory.
    file: Option<(PathBuf, File)>,
    known: HashMap<u128, Vec<f32>>,
    width: Option<usize>,
}

impl Cache {
    /// Opens the cache of a model in a folder. Answers to what is not wanted stay on disk.
    pub(super) fn open(
        folder: Option<&Path>,
        model: u128,
        wanted: &HashSet<u128>,
    ) -> Result<Self, LocalError> {
        let Some(folder) = folder else { return Ok(Self::default()) };
        fs::create_dir_all(folder).map_err(|error| LocalError::cache(folder, &error))?;
        let path = folder.join(format!("{model:032x}.answers"));
        let failed = |error: std::io::Error| LocalError::cache(&path, &error);
        let options = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let file = options.map_err(failed)?;
        file.lock().map_err(failed)?;
        let mut cache = Self::default();
        cache.read(&file, wanted).map_err(failed)?;
        file.unlock().map_err(failed)?;
        cache.file = Some((path, file));
        Ok(cache)
    }

    /// Reads the wanted answers. The file ends after the last record that is whole.
    fn read(&mut self, file: &File, wanted: &HashSet<u128>) -> std::io::Result<()> {
        let size = file.metadata()?.len();
        let mut reader = BufReader::with_capacity(1 << 20, file);
        let mut width = [0; 4];
        if reader.read_exact(&mut width).is_err() {
            return file.set_len(0);
        }
        let width = u32::from_le_bytes(width) as usize;
        self.width = Some(width);
        let mut record = vec![0; HEAD + 4 * width];
        let mut sound = 4;
        while sound + record.len() as u64 <= size {
            reader.read_exact(&mut record)?;
            let Some((key, answer)) = parse(&record) else { break };
            if wanted.contains(&key) {
                self.known.insert(key, answer);
            }
            sound += record.len() as u64;
        }
        if sound < size { file.set_len(sound) } else { Ok(()) }
    }

    pub(super) fn get(&self, key: u128) -> Option<&[f32]> {
        self.known.get(&key).map(Vec::as_slice)
    }

    /// Keeps answers; they are with the system when this returns.
    pub(super) fn add(&mut self, answers: Vec<(u128, Vec<f32>)>) -> Result<(), LocalError> {
        if let Some((path, file)) = &self.file {
            let width = answers.first().map_or(0, |(_, answer)| answer.len());
            let mut bytes = Vec::new();
            file.lock().map_err(|error| LocalError::cache(path, &error))?;
            // Another process may have written the width since.
            if file.metadata().map_err(|error| LocalError::cache(path, &error))?.len() == 0 {
                bytes.extend((width as u32).to_le_bytes());
            }
            // Answers of another size belong to another model, and the hash says that it is the same.
            let fits = self.width.is_none_or(|known| known == width);
            for (key, answer) in answers.iter().filter(|(_, answer)| fits && answer.len() == width)
            {
                bytes.extend(record(*key, answer));
            }
            let written = (&mut &*file).write_all(&bytes);
            let unlocked = file.unlock();
            written.and(unlocked).map_err(|error| LocalError::cache(path, &error))?;
            self.width = Some(width);
        }
        self.known.extend(answers);
        Ok(())
    }
}

fn record(key: u128, answer: &[f32]) -> Vec<u8> {
    let numbers: Vec<u8> = answer.iter().flat_map(|value| value.to_le_bytes()).collect();
    let checksum = xxh3_64(&[&key.to_le_bytes()[..], &numbers].concat());
    [&key.to_le_bytes()[..], &checksum.to_le_bytes(), &numbers].concat()
}

/// The question and the answer of a record; none of a damaged one.
fn parse(bytes: &[u8]) -> Option<(u128, Vec<f32>)> {
    let key = u128::from_le_bytes(bytes.get(..16)?.try_into().ok()?);
    let numbers = bytes.get(HEAD..)?.chunks_exact(4);
    let number = |bytes: &[u8]| bytes.try_into().map_or(0.0, f32::from_le_bytes);
    let answer: Vec<f32> = numbers.map(number).collect();
    (record(key, &answer) == bytes).then_some((key, answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted() -> HashSet<u128> {
        (0..100).collect()
    }

    fn open(folder: &Path) -> Cache {
        Cache::open(Some(folder), 7, &wanted()).expect("opened")
    }

    #[test]
    fn answers_are_there_when_it_is_opened_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut cache = open(folder.path());
        cache.add(vec![(1, vec![0.5, -1.0]), (2, vec![2.0, 3.0])]).expect("kept");
        cache.add(vec![(3, vec![4.0, 5.0])]).expect("kept");
        let again = open(folder.path());
        assert_eq!(again.get(1), Some(&[0.5, -1.0][..]));
        assert_eq!(again.get(3), Some(&[4.0, 5.0][..]));
        assert_eq!(again.get(4), None);
        let other = Cache::open(Some(folder.path()), 8, &wanted()).expect("opened");
        assert_eq!(other.get(1), None, "another model");
    }

    #[test]
    fn a_record_that_was_cut_off_is_forgotten_and_the_rest_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        open(folder.path()).add(vec![(1, vec![0.5]), (2, vec![2.0])]).expect("kept");
        let path = fs::read_dir(folder.path()).expect("read").next().expect("a file");
        let path = path.expect("a file").path();
        let whole = fs::read(&path).expect("read");
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).expect("written");
            open(folder.path()).add(vec![(9, vec![9.0])]).expect("kept");
            let again = open(folder.path());
            assert_eq!(again.get(9), Some(&[9.0][..]), "cut at {cut}");
            assert_eq!(again.get(1).is_some(), cut >= 4 + HEAD + 4, "cut at {cut}");
        }
        let mut damaged = whole.clone();
        damaged[30] ^= 1;
        fs::write(&path, &damaged).expect("written");
        assert_eq!(open(folder.path()).get(1), None);
    }
}
