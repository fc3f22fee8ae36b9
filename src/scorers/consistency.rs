//! Agreement of two trajectories by their action types. Each function takes the two action-type
//! sequences and returns a value in 0..=1; two empty sequences agree fully, an empty one and
//! another not at all.

use std::collections::BTreeMap;

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
    /// All of them, in the order they are listed.
    pub const ALL: [Self; 4] = [Self::Fac, Self::Asc, Self::Adc, Self::Aec];

    /// The id that appears in stores, flags and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::Fac => "fac",
            Self::Asc => "asc",
            Self::Adc => "adc",
            Self::Aec => "aec",
        }
    }

    /// Agreement of one pair.
    pub fn pair<S: AsRef<str>>(self, reference: &[S], sample: &[S]) -> f64 {
        match (reference.is_empty(), sample.is_empty()) {
            (true, true) => return 1.0,
            (true, false) | (false, true) => return 0.0,
            (false, false) => {}
        }
        match self {
            Self::Fac => f64::from(u8::from(reference[0].as_ref() == sample[0].as_ref())),
            Self::Asc => jaccard(&counts(reference), &counts(sample)),
            Self::Adc => 1.0 - jensen_shannon(&counts(reference), &counts(sample)),
            Self::Aec => {
                let longer = reference.len().max(sample.len()) as f64;
                1.0 - levenshtein(reference, sample) as f64 / longer
            }
        }
    }

    /// Mean agreement of a reference with its samples; none without a sample.
    pub fn task<S: AsRef<str>>(self, reference: &[S], samples: &[&[S]]) -> Option<f64> {
        if samples.is_empty() {
            return None;
        }
        let sum: f64 = samples.iter().map(|sample| self.pair(reference, sample)).sum();
        Some(sum / samples.len() as f64)
    }
}

fn counts<S: AsRef<str>>(actions: &[S]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for action in actions {
        *counts.entry(action.as_ref()).or_insert(0) += 1;
    }
    counts
}

fn jaccard(a: &BTreeMap<&str, usize>, b: &BTreeMap<&str, usize>) -> f64 {
    let shared = a.keys().filter(|key| b.contains_key(*key)).count();
    shared as f64 / (a.len() + b.len() - shared) as f64
}

fn jensen_shannon(a: &BTreeMap<&str, usize>, b: &BTreeMap<&str, usize>) -> f64 {
    let (total_a, total_b) = (a.values().sum::<usize>() as f64, b.values().sum::<usize>() as f64);
    let half =
        |own: &BTreeMap<&str, usize>, total: f64, other: &BTreeMap<&str, usize>, rest: f64| {
            own.iter()
                .map(|(key, count)| {
                    let p = *count as f64 / total;
                    let q = other.get(key).map_or(0.0, |count| *count as f64 / rest);
                    p * (2.0 * p / (p + q)).log2()
                })
                .sum::<f64>()
        };
    let divergence = f64::midpoint(half(a, total_a, b, total_b), half(b, total_b, a, total_a));
    divergence.clamp(0.0, 1.0)
}

fn levenshtein<S: AsRef<str>>(a: &[S], b: &[S]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(left.as_ref() != right.as_ref());
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
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

    #[test]
    fn task_needs_a_sample() {
        let reference = ["a", "b"];
        assert_eq!(Consistency::Asc.task(&reference, &[]), None);
        let mean = Consistency::Asc.task(&reference, &[&["a", "b"], &["a"]]);
        assert_eq!(mean, Some(0.75));
    }
}
