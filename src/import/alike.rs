//! Finds inputs that are copies of one another, by runs that are the same in all that was recorded.
//!
//! Sampling repeats short runs word for word, so that equal words alone mean little: runs of a copy also
//! have the same id, temperature, duration and log-probabilities, and it is most runs of the file that do.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use xxhash_rust::xxh3::xxh3_64;

use crate::model::{Cell, Fingerprint, Trajectory};

/// The runs of all inputs, by a hash of what was recorded of them.
#[derive(Debug, Default)]
pub(super) struct Alike {
    /// The inputs that hold a run, by its hash.
    holders: HashMap<u64, BTreeSet<usize>>,
    /// Every input with the cell of its runs, and its number of different runs.
    parts: Vec<((String, Cell), u32)>,
    indices: HashMap<(String, Cell), usize>,
}

impl Alike {
    /// Takes a run in. Runs of one turn may well be the same by chance.
    pub(super) fn meet(&mut self, run: &Trajectory) {
        if run.turns.len() < 2 {
            return;
        }
        let part = (run.head.origin.source.clone(), run.head.cell.clone());
        let index = *self.indices.entry(part.clone()).or_insert_with(|| {
            self.parts.push((part, 0));
            self.parts.len() - 1
        });
        let is_new = self.holders.entry(hash(run)).or_default().insert(index);
        self.parts[index].1 += u32::from(is_new);
    }

    /// The number of runs that repeat one of another input, where one input is a copy of the other:
    /// at least half of the runs of the smaller one are in both.
    pub(super) fn copies(&self) -> u64 {
        let mut shared: HashMap<(usize, usize), u32> = HashMap::new();
        for holders in self.holders.values().filter(|holders| holders.len() > 1) {
            for (first, second) in pairs(holders) {
                *shared.entry((first, second)).or_default() += 1;
            }
        }
        let is_copy = |pair: &(usize, usize)| {
            let smaller = self.parts[pair.0].1.min(self.parts[pair.1].1);
            shared.get(pair).is_some_and(|shared| 2 * shared >= smaller)
        };
        let repeated = self.holders.values().map(|holders| {
            let copied: Vec<_> = pairs(holders).filter(is_copy).collect();
            let inputs: BTreeSet<usize> = copied.iter().flat_map(|pair| [pair.0, pair.1]).collect();
            inputs.len().saturating_sub(1) as u64
        });
        repeated.sum()
    }
}

/// All pairs of a set, each once.
fn pairs(set: &BTreeSet<usize>) -> impl Iterator<Item = (usize, usize)> {
    set.iter().flat_map(|&first| {
        let later = set.range(first + 1..);
        later.map(move |&second| (first, second))
    })
}

fn hash(run: &Trajectory) -> u64 {
    let mut hasher = DefaultHasher::new();
    let head = &run.head;
    (&head.cell, &head.task, &head.origin.run_id, &head.termination).hash(&mut hasher);
    for number in [head.temperature, head.duration, head.cost, head.user_cost] {
        number.map(f64::to_bits).hash(&mut hasher);
    }
    // The fingerprint covers all words but the reasoning.
    let words = head.fingerprint;
    let words = words.unwrap_or_else(|| Fingerprint::of_messages(&run.messages).value());
    words.hash(&mut hasher);
    for reasoning in run.messages.iter().map(|message| message.reasoning.as_deref()) {
        reasoning.map(|text| xxh3_64(text.as_bytes())).hash(&mut hasher);
    }
    for tokens in run.turns.iter().filter_map(|turn| turn.tokens.as_ref()) {
        tokens.iter().for_each(|token| token.logprob.to_bits().hash(&mut hasher));
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Head, Message, Role, Span, TokenSeq};

    /// A run by its file and task, with other things that tell runs apart.
    #[derive(Clone, Copy)]
    struct Made {
        file: &'static str,
        task: u32,
        id: Option<&'static str>,
        temperature: f64,
        logprob: f64,
    }

    impl Made {
        fn new(file: &'static str, task: u32) -> Self {
            Self { file, task, id: None, temperature: 0.7, logprob: -0.5 }
        }

        fn run(self) -> Trajectory {
            let mut head = Head::new(Cell::new("d", "m"), self.task.to_string());
            head.origin.source = self.file.to_owned();
            head.origin.run_id = self.id.map(str::to_owned);
            head.temperature = Some(self.temperature);
            let messages = vec![Message::text(Role::Assistant, "Yes."); 2];
            let mut tokens = TokenSeq::default();
            tokens.push("Yes.", self.logprob, Span::Action);
            Trajectory::new(head, messages, |_| Some(tokens.clone()))
        }
    }

    /// The number of copies, which is the same in every order.
    fn copies(runs: &[Made]) -> u64 {
        let count = |runs: &mut dyn Iterator<Item = &Made>| {
            let mut alike = Alike::default();
            runs.for_each(|run| alike.meet(&run.run()));
            alike.copies()
        };
        let forwards = count(&mut runs.iter());
        assert_eq!(forwards, count(&mut runs.iter().rev()));
        let mut by_task = runs.to_vec();
        by_task.sort_by_key(|run| run.task);
        assert_eq!(forwards, count(&mut by_task.iter()));
        forwards
    }

    #[test]
    fn copies_of_a_file_are_counted_once_a_copy() {
        let file = |name| [0, 1, 2].map(|task| Made::new(name, task));
        assert_eq!(copies(&[file("a"), file("b")].concat()), 3);
        assert_eq!(copies(&[file("a"), file("b"), file("c")].concat()), 6);
        assert_eq!(copies(&file("a")), 0);
    }

    #[test]
    fn runs_that_sampling_repeats_are_no_copies() {
        let file = |name| [0, 1, 2].map(|task| Made::new(name, task));
        let sampled = [file("a"), file("b").map(|run| Made { temperature: 0.0, ..run })];
        assert_eq!(copies(&sampled.concat()), 0, "another temperature");
        let named = file("b").map(|run| Made { id: Some("other"), ..run });
        assert_eq!(copies(&[file("a"), named].concat()), 0, "another id");
        let measured = file("b").map(|run| Made { logprob: -0.25, ..run });
        assert_eq!(copies(&[file("a"), measured].concat()), 0, "other log-probabilities");
        let one = [Made::new("b", 0), Made::new("b", 3), Made::new("b", 4)];
        assert_eq!(copies(&[file("a"), one].concat()), 0, "one run of three by chance");
    }
}
