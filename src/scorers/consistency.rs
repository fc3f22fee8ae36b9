//! Agreement of two trajectories by their action types. Each function takes the two action-type
//! sequences and returns a value in 0..=1; two empty sequences agree fully, an empty one and
//! another not at all.

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

    /// Agreement of one pair. Action types may be names, or codes that order as their names do.
    pub fn pair<T: Ord>(self, reference: &[T], sample: &[T]) -> f64 {
        self.between(&Actions::new(reference), &Actions::new(sample))
    }

    /// Agreement of one pair whose action types are counted.
    pub fn between<T: Ord>(self, reference: &Actions<'_, T>, sample: &Actions<'_, T>) -> f64 {
        let (a, b) = (reference.sequence, sample.sequence);
        if a == b {
            return 1.0;
        }
        if a.is_empty() || b.is_empty() {
            return 0.0;
        }
        match self {
            Self::Fac => f64::from(u8::from(a[0] == b[0])),
            Self::Asc => jaccard(&reference.counts, &sample.counts),
            Self::Adc => 1.0 - jensen_shannon(&reference.counts, &sample.counts),
            Self::Aec => 1.0 - levenshtein(a, b) as f64 / a.len().max(b.len()) as f64,
        }
    }

    /// Mean agreement of a reference with its samples; none without a sample.
    pub fn task<T: Ord>(self, reference: &[T], samples: &[&[T]]) -> Option<f64> {
        if samples.is_empty() {
            return None;
        }
        let reference = Actions::new(reference);
        let pair = |sample: &&[T]| self.between(&reference, &Actions::new(sample));
        Some(samples.iter().map(pair).sum::<f64>() / samples.len() as f64)
    }
}

/// The action types of one trajectory, counted once for all comparisons.
#[derive(Clone, Debug)]
pub struct Actions<'a, T> {
    sequence: &'a [T],
    /// Every type with the number of its actions, in order.
    counts: Vec<(&'a T, usize)>,
}

impl<'a, T: Ord> Actions<'a, T> {
    /// Counts a sequence of action types.
    pub fn new(sequence: &'a [T]) -> Self {
        let mut counts: Vec<(&T, usize)> = sequence.iter().map(|action| (action, 1)).collect();
        counts.sort_unstable_by_key(|(action, _)| *action);
        counts.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += usize::from(is_same);
            is_same
        });
        Self { sequence, counts }
    }
}

type Counted<'a, T> = [(&'a T, usize)];

/// Every type of the first with its counts in both; 0 where the second has none.
fn beside<'s, T: Ord>(
    own: &'s Counted<'_, T>,
    other: &'s Counted<'_, T>,
) -> impl Iterator<Item = (usize, usize)> + 's {
    let mut place = 0;
    own.iter().map(move |(action, count)| {
        while other.get(place).is_some_and(|(next, _)| next < action) {
            place += 1;
        }
        let same = other.get(place).filter(|(next, _)| next == action);
        (*count, same.map_or(0, |(_, count)| *count))
    })
}

fn jaccard<T: Ord>(a: &Counted<'_, T>, b: &Counted<'_, T>) -> f64 {
    let shared = beside(a, b).filter(|(_, other)| *other > 0).count();
    shared as f64 / (a.len() + b.len() - shared) as f64
}

fn jensen_shannon<T: Ord>(a: &Counted<'_, T>, b: &Counted<'_, T>) -> f64 {
    let total = |own: &Counted<'_, T>| own.iter().map(|(_, count)| *count).sum::<usize>() as f64;
    let half = |own: &Counted<'_, T>, other: &Counted<'_, T>| {
        let (all, rest) = (total(own), total(other));
        beside(own, other)
            .map(|(count, other)| {
                let (p, q) = (count as f64 / all, other as f64 / rest);
                p * (2.0 * p / (p + q)).log2()
            })
            .sum::<f64>()
    };
    f64::midpoint(half(a, b), half(b, a)).clamp(0.0, 1.0)
}

fn levenshtein<T: Eq>(mut a: &[T], mut b: &[T]) -> usize {
    // What both begin or end with costs nothing.
    while let ([first, rest @ ..], [other, others @ ..]) = (a, b)
        && first == other
    {
        (a, b) = (rest, others);
    }
    while let ([rest @ .., last], [others @ .., other]) = (a, b)
        && last == other
    {
        (a, b) = (rest, others);
    }
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
