//! Asks a model about many texts, each once.

use std::collections::HashSet;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use super::batch::{Tokens, by_length};
use super::cache::Cache;
use super::{LocalError, LocalModel};

/// Questions whose tokens are in memory at a time; batches are made of them.
const WINDOW: usize = 2048;

/// What a model is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question<'t> {
    /// One text, of which an encoder makes a vector.
    Text(&'t str),
    /// A pair, which a classifier classifies: the premise and the hypothesis.
    Pair(&'t str, &'t str),
}

impl Question<'_> {
    /// What tells it from other questions to the same model.
    fn key(&self) -> u128 {
        match self {
            Self::Text(text) => xxh3_128(text.as_bytes()),
            Self::Pair(a, b) => {
                let length = (a.len() as u64).to_le_bytes();
                xxh3_128(&[&length[..], a.as_bytes(), b.as_bytes()].concat())
            }
        }
    }
}

/// The answers of a model to some questions, the new ones and those it gave before.
pub struct Answers {
    cache: Cache,
    asked: usize,
}

impl Answers {
    /// Asks a model. Questions of a group, so many in a row, are in one batch. Every batch of answers is kept
    /// in the folder as soon as it is there; without a folder, they are kept in memory only. `progress`
    /// gets the number of questions answered so far and of all.
    pub fn ask(
        model: &mut LocalModel,
        questions: &[Question<'_>],
        group: usize,
        folder: Option<&Path>,
        progress: &dyn Fn(usize, usize),
    ) -> Result<Self, LocalError> {
        let keys: Vec<u128> = questions.iter().map(Question::key).collect();
        let wanted: HashSet<u128> = keys.iter().copied().collect();
        let mut cache = Cache::open(folder, model.hash(), &wanted)?;
        let mut seen = HashSet::new();
        let mut open: Vec<usize> = Vec::new();
        for (number, group_keys) in keys.chunks(group).enumerate() {
            let is_open = |key: &u128| cache.get(*key).is_none();
            // A group is asked as a whole, and once.
            if group_keys.iter().any(is_open) && seen.insert(group_keys) {
                open.extend((0..group_keys.len()).map(|index| number * group + index));
            }
        }
        let (before, mut asked) = (questions.len() - open.len(), 0);
        progress(before, questions.len());
        for window in open.chunks(WINDOW.next_multiple_of(group)) {
            let tokens = window.iter().map(|index| model.tokens(&questions[*index]));
            let tokens: Vec<Tokens> = tokens.collect::<Result<_, _>>()?;
            let lengths: Vec<usize> = tokens.iter().map(|tokens| tokens.ids.len()).collect();
            for batch in by_length(&lengths, group) {
                let rows: Vec<&Tokens> = batch.iter().map(|index| &tokens[*index]).collect();
                let answers = model.run(&rows)?;
                let keyed = batch.iter().map(|index| keys[window[*index]]).zip(answers);
                cache.add(keyed.collect())?;
                asked += batch.len();
                progress(before + asked, questions.len());
            }
        }
        Ok(Self { cache, asked })
    }

    /// The answer to a question that was asked.
    pub fn get(&self, question: &Question<'_>) -> Option<&[f32]> {
        self.cache.get(question.key())
    }

    /// How many questions the model was asked; the answers to the others were there.
    pub fn asked(&self) -> usize {
        self.asked
    }
}
