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
            Self::Asc => jaccard(&reference.kinds, &sample.kinds),
            Self::Adc => 1.0 - jensen_shannon(reference, sample),
            Self::Aec => 1.0 - levenshtein(reference, sample) as f64 / a.len().max(b.len()) as f64,
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
    /// By action type.
    kinds: Vec<Kind<'a, T>>,
}

/// One action type of a trajectory.
#[derive(Clone, Debug)]
struct Kind<'a, T> {
    action: &'a T,
    count: u32,
    /// Where it stands: a bit for each of the first [`WORD`] actions.
    places: u64,
}

/// Actions that a word has bits for.
const WORD: usize = u64::BITS as usize;

impl<'a, T: Ord> Actions<'a, T> {
    /// Counts a sequence of action types.
    pub fn new(sequence: &'a [T]) -> Self {
        let kind = |(place, action)| Kind {
            action,
            count: 1,
            places: 1u64.checked_shl(place as u32).unwrap_or(0),
        };
        let mut kinds: Vec<Kind<T>> = sequence.iter().enumerate().map(kind).collect();
        kinds.sort_unstable_by_key(|own| own.action);
        kinds.dedup_by(|next, kept| {
            let is_same = next.action == kept.action;
            if is_same {
                kept.count += next.count;
                kept.places |= next.places;
            }
            is_same
        });
        Self { sequence, kinds }
    }
}

/// Every type of the first with its counts in both; 0 where the second has none.
fn beside<'s, T: Ord>(
    own: &'s [Kind<'_, T>],
    other: &'s [Kind<'_, T>],
) -> impl Iterator<Item = (u32, u32)> + 's {
    let mut place = 0;
    own.iter().map(move |own| {
        while other.get(place).is_some_and(|next| next.action < own.action) {
            place += 1;
        }
        let same = other.get(place).filter(|next| next.action == own.action);
        (own.count, same.map_or(0, |same| same.count))
    })
}

fn jaccard<T: Ord>(a: &[Kind<'_, T>], b: &[Kind<'_, T>]) -> f64 {
    let shared = beside(a, b).filter(|(_, other)| *other > 0).count();
    shared as f64 / (a.len() + b.len() - shared) as f64
}

fn jensen_shannon<T: Ord>(a: &Actions<'_, T>, b: &Actions<'_, T>) -> f64 {
    let half = |own: &Actions<'_, T>, other: &Actions<'_, T>| {
        let (all, rest) = (own.sequence.len() as f64, other.sequence.len() as f64);
        beside(&own.kinds, &other.kinds)
            .map(|(count, other)| {
                let (p, q) = (f64::from(count) / all, f64::from(other) / rest);
                p * (2.0 * p / (p + q)).log2()
            })
            .sum::<f64>()
    };
    f64::midpoint(half(a, b), half(b, a)).clamp(0.0, 1.0)
}

fn levenshtein<T: Ord>(a: &Actions<'_, T>, b: &Actions<'_, T>) -> usize {
    if (1..=WORD).contains(&a.sequence.len()) {
        return levenshtein_by_bits(a, b.sequence);
    }
    levenshtein_by_rows(a.sequence, b.sequence)
}

/// The distance by Myers (1999) in the form of Hyyrö (2003): a column of the table is two words, whose
/// bits say where it rises and falls.
fn levenshtein_by_bits<T: Ord>(a: &Actions<'_, T>, b: &[T]) -> usize {
    let last = 1u64 << (a.sequence.len() - 1);
    let (mut rises, mut falls) = (u64::MAX, 0u64);
    let mut distance = a.sequence.len();
    for action in b {
        let kind = a.kinds.iter().find(|kind| kind.action == action);
        let same = kind.map_or(0, |kind| kind.places);
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

fn levenshtein_by_rows<T: Eq>(a: &[T], b: &[T]) -> usize {
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
    fn bits_and_rows_find_the_same_distance() {
        let mut rng = crate::rng::Rng::new(3, 0);
        for round in 0..400 {
            let mut sequence = |most: usize| -> Vec<u32> {
                (0..1 + rng.below(most)).map(|_| rng.below(1 + round % 7) as u32).collect()
            };
            let (a, b) = (sequence(WORD), sequence(90));
            let expected = levenshtein_by_rows(&a, &b);
            assert_eq!(levenshtein_by_bits(&Actions::new(&a), &b), expected, "{a:?} {b:?}");
            assert_eq!(levenshtein(&Actions::new(&b), &Actions::new(&a)), expected, "{b:?} {a:?}");
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
