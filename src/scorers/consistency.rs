//! Agreement of two trajectories by their action types. Each function takes the two action-type
//! sequences and returns a value in 0..=1. Two empty sequences agree fully; an empty and a
//! non-empty one do not agree at all.

use super::Formula;

/// A pair-level consistency scorer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consistency {
    /// First actions are of the same type.
    Fac,
    /// Jaccard similarity of the sets of action types.
    Asc,
    /// One minus the Jensen–Shannon divergence (base 2) of the action-type distributions.
    Adc,
    /// One minus the Levenshtein distance of the sequences over the longer length.
    Aec,
}

impl Consistency {
    /// All measures, in the order they are listed.
    pub const ALL: [Self; 4] = [Self::Fac, Self::Asc, Self::Adc, Self::Aec];

    /// The id that appears in stores, flags and on screen.
    pub fn id(self) -> &'static str {
        Formula::Consistency(self).id()
    }

    /// The measures of the paper.
    pub fn of_paper() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|scorer| Formula::Consistency(*scorer).spec().in_paper)
    }

    /// Agreement of one pair.
    pub fn pair<T: Ord>(self, reference: &[T], sample: &[T]) -> f64 {
        let mut types: Vec<&T> = reference.iter().chain(sample).collect();
        types.sort_unstable();
        types.dedup();
        let codes = |actions: &[T]| -> Vec<u32> {
            actions
                .iter()
                .map(|action| types.partition_point(|kind| *kind < action) as u32)
                .collect()
        };
        let mut comparison = PairComparison::default();
        comparison.set_reference(&codes(reference));
        comparison.set_sample(&codes(sample));
        comparison.agreement(self)
    }

    /// Mean agreement of a reference with its samples; none without a sample.
    pub fn task<T: Ord>(self, reference: &[T], samples: &[&[T]]) -> Option<f64> {
        if samples.is_empty() {
            return None;
        }
        let sum: f64 = samples.iter().map(|sample| self.pair(reference, sample)).sum();
        Some(sum / samples.len() as f64)
    }
}

/// Compares a reference with its samples. Action types are small codes in the order of their names;
/// tables by code are kept from one comparison to the next.
#[derive(Clone, Debug, Default)]
pub struct PairComparison {
    reference: Counted,
    sample: Counted,
    /// By code, where it occurs in the reference: a bit for each of the first [`WORD`] actions.
    occurrences: Vec<u64>,
}

/// Actions that a word has bits for.
const WORD: usize = u64::BITS as usize;

/// The action types of one trajectory.
#[derive(Clone, Debug, Default)]
struct Counted {
    sequence: Vec<u32>,
    sorted: Vec<u32>,
    /// Every type with the number of its actions, in the order of the codes.
    kinds: Vec<(u32, u32)>,
}

impl Counted {
    fn set(&mut self, sequence: &[u32]) {
        self.sequence.clear();
        self.sequence.extend_from_slice(sequence);
        self.sorted.clear();
        self.sorted.extend_from_slice(sequence);
        self.sorted.sort_unstable();
        self.kinds.clear();
        for &action in &self.sorted {
            match self.kinds.last_mut() {
                Some((last, count)) if *last == action => *count += 1,
                _ => self.kinds.push((action, 1)),
            }
        }
    }

    /// Every type with its counts here and in another; 0 where the other has none.
    fn beside<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = (u32, u32)> + 's {
        let mut next = 0;
        self.kinds.iter().map(move |&(action, count)| {
            while other.kinds.get(next).is_some_and(|(code, _)| *code < action) {
                next += 1;
            }
            let same = other.kinds.get(next).filter(|(code, _)| *code == action);
            (count, same.map_or(0, |(_, count)| *count))
        })
    }

    /// The Kullback–Leibler divergence (base 2) from the mean of both distributions.
    fn divergence(&self, other: &Self) -> f64 {
        let (all, rest) = (self.sequence.len() as f64, other.sequence.len() as f64);
        let term = |(count, other): (u32, u32)| {
            let (p, q) = (f64::from(count) / all, f64::from(other) / rest);
            // With q = 0 the log is that of 2, which is 1.
            if other == 0 { p } else { p * (2.0 * p / (p + q)).log2() }
        };
        self.beside(other).map(term).sum()
    }
}

impl PairComparison {
    /// Sets the trajectory that samples are compared with.
    pub fn set_reference(&mut self, codes: &[u32]) {
        for (code, _) in &self.reference.kinds {
            self.occurrences[*code as usize] = 0;
        }
        self.reference.set(codes);
        let most = self.reference.sorted.last().map_or(0, |code| *code as usize + 1);
        if self.occurrences.len() < most {
            self.occurrences.resize(most, 0);
        }
        for (index, code) in codes.iter().enumerate().take(WORD) {
            self.occurrences[*code as usize] |= 1 << index;
        }
    }

    /// Sets the trajectory that is compared with the reference.
    pub fn set_sample(&mut self, codes: &[u32]) {
        self.sample.set(codes);
    }

    /// The agreement of the sample with the reference.
    pub fn agreement(&self, scorer: Consistency) -> f64 {
        let (a, b) = (&self.reference, &self.sample);
        if a.sequence == b.sequence {
            return 1.0;
        }
        if a.sequence.is_empty() || b.sequence.is_empty() {
            return 0.0;
        }
        match scorer {
            Consistency::Fac => f64::from(u8::from(a.sequence[0] == b.sequence[0])),
            Consistency::Asc => {
                let shared = a.beside(b).filter(|(_, other)| *other > 0).count();
                shared as f64 / (a.kinds.len() + b.kinds.len() - shared) as f64
            }
            Consistency::Adc => {
                1.0 - f64::midpoint(a.divergence(b), b.divergence(a)).clamp(0.0, 1.0)
            }
            Consistency::Aec => {
                1.0 - self.distance() as f64 / a.sequence.len().max(b.sequence.len()) as f64
            }
        }
    }

    /// Levenshtein's distance.
    fn distance(&self) -> usize {
        if (1..=WORD).contains(&self.reference.sequence.len()) {
            return self.distance_by_bits();
        }
        distance(&self.reference.sequence, &self.sample.sequence)
    }

    /// The distance by Myers (1999) in the form of Hyyrö (2003): a column of the table is two words,
    /// whose bits say where it rises and falls.
    fn distance_by_bits(&self) -> usize {
        let mut distance = self.reference.sequence.len();
        let last = 1u64 << (distance - 1);
        let (mut rises, mut falls) = (u64::MAX, 0u64);
        for &action in &self.sample.sequence {
            let same = self.occurrences.get(action as usize).copied().unwrap_or(0);
            let across = same | falls;
            let down = (((same & rises).wrapping_add(rises)) ^ rises) | same;
            let up = falls | !(down | rises);
            let drop = rises & down;
            distance += usize::from(up & last != 0);
            distance -= usize::from(drop & last != 0);
            let up = (up << 1) | 1;
            rises = (drop << 1) | !(across | up);
            falls = up & across;
        }
        distance
    }
}

/// Levenshtein's distance, a word of the reference at a time: O(n · m / 64) for lengths n and m.
/// What the last row of a word does at every column enters the next word.
pub fn distance(reference: &[u32], sample: &[u32]) -> usize {
    let codes = reference.iter().chain(sample).max().map_or(0, |code| *code as usize + 1);
    let mut occurrences = vec![0u64; codes];
    // Above the first row every column is one higher than the one before.
    let mut columns = vec![(1u64, 0u64); sample.len()];
    for word in reference.chunks(WORD) {
        for (index, code) in word.iter().enumerate() {
            occurrences[*code as usize] |= 1 << index;
        }
        let last = word.len() - 1;
        let (mut rises, mut falls) = (u64::MAX, 0u64);
        for (&action, (rise, fall)) in sample.iter().zip(&mut columns) {
            let same = occurrences[action as usize] | *fall;
            let down = (((same & rises).wrapping_add(rises)) ^ rises) | same | falls;
            let up = falls | !(down | rises);
            let drop = rises & down;
            let (next_rise, next_fall) = (up >> last & 1, drop >> last & 1);
            let (up, drop) = (up << 1 | *rise, drop << 1 | *fall);
            rises = drop | !(down | up);
            falls = up & down;
            (*rise, *fall) = (next_rise, next_fall);
        }
        word.iter().for_each(|code| occurrences[*code as usize] = 0);
    }
    let [risen, fallen] = [|column: &(u64, u64)| column.0, |column: &(u64, u64)| column.1]
        .map(|part| columns.iter().map(part).sum::<u64>());
    reference.len() + risen as usize - fallen as usize
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these are exact")]
mod tests {
    use super::*;

    fn all(a: &[&str], b: &[&str]) -> [f64; 4] {
        Consistency::ALL.map(|scorer| scorer.pair(a, b))
    }

    #[test]
    fn empty_sequences() {
        assert_eq!(all(&[], &[]), [1.0; 4]);
        assert_eq!(all(&[], &["message"]), [0.0; 4]);
        assert_eq!(all(&["message"], &[]), [0.0; 4]);
    }

    #[test]
    fn hand_computed_pair() {
        // Levenshtein("xy", "xxz"): insert x, substitute y for z = 2 of 3.
        // scipy.spatial.distance.jensenshannon([.5, .5, 0], [2/3, 0, 1/3], base=2) ** 2
        //   = 0.4252835873133534
        let [fac, asc, adc, aec] = all(&["x", "y"], &["x", "x", "z"]);
        assert!((fac - 1.0).abs() < 1e-12);
        assert!((asc - 1.0 / 3.0).abs() < 1e-12);
        assert!((adc - (1.0 - 0.425_283_587_313_353_4)).abs() < 1e-12, "{adc}");
        assert!((aec - 1.0 / 3.0).abs() < 1e-12);
    }

    fn distance_by_rows(a: &[u32], b: &[u32]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, left) in a.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, right) in b.iter().enumerate() {
                let substitute = diagonal + usize::from(left != right);
                diagonal = row[j + 1];
                row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
            }
        }
        row[b.len()]
    }

    #[test]
    fn words_and_rows_find_the_same_distance() {
        let mut rng = crate::rng::Rng::new(4, 0);
        for round in 0..200 {
            let mut sequence = |most: usize| -> Vec<u32> {
                (0..rng.below(most)).map(|_| rng.below(1 + round % 9) as u32).collect()
            };
            let (a, b) = (sequence(300), sequence(300));
            assert_eq!(distance(&a, &b), distance_by_rows(&a, &b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn bits_and_rows_find_the_same_distance() {
        let mut rng = crate::rng::Rng::new(3, 0);
        let mut comparison = PairComparison::default();
        for round in 0..400 {
            let mut sequence = |most: usize| -> Vec<u32> {
                (0..=rng.below(most - 1)).map(|_| rng.below(1 + round % 7) as u32).collect()
            };
            let (a, b) = (sequence(WORD), sequence(90));
            let expected = distance_by_rows(&a, &b);
            // The one before leaves nothing behind.
            comparison.set_reference(&a);
            comparison.set_sample(&b);
            assert_eq!(comparison.distance_by_bits(), expected, "{a:?} {b:?}");
            comparison.set_reference(&b);
            comparison.set_sample(&a);
            assert_eq!(comparison.distance(), expected, "{b:?} {a:?}");
        }
    }

    #[test]
    fn codes_agree_like_their_names() {
        let names = ["a", "b", "a", "c", "d", "b"];
        let codes = names.map(|name| u32::from(name.as_bytes()[0]));
        for scorer in Consistency::ALL {
            let (by_name, by_code) =
                (scorer.pair(&names[..4], &names[2..]), scorer.pair(&codes[..4], &codes[2..]));
            assert_eq!(by_name, by_code, "{scorer:?}");
        }
    }

    #[test]
    fn task_needs_a_sample() {
        let reference = ["a", "b"];
        assert_eq!(Consistency::Asc.task(&reference, &[]), None);
        let mean = Consistency::Asc.task(&reference, &[&["a", "b"], &["a"]]);
        assert_eq!(mean, Some(0.75));
    }
}
