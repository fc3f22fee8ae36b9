//! The minimal edit script of two sequences: the alignment whose edits Levenshtein's distance, and so
//! `aec`, counts.

/// How an item of one sequence compares with an item of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// They are the same in every respect.
    Same,
    /// They are of one kind: no edit, but among scripts with equally few edits the one with more
    /// [`Fit::Same`] wins.
    Alike,
    /// One would have to be replaced by the other.
    Different,
}

/// Indices into the two sequences that are aligned; none is a gap.
pub type Pair = (Option<usize>, Option<usize>);

/// Whether an item may be replaced by a different one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Different items may be aligned, as one edit.
    Allowed,
    /// Different items are aligned with gaps.
    Never,
}

/// Table fields that are kept at once. Beyond that the sequence is halved (Hirschberg 1975), which
/// takes twice the time and next to no memory.
const MOST_FIELDS: usize = 1 << 26;

/// An edit weighs more than any number of pairs that are merely alike.
const EDIT: u64 = 1 << 32;

/// Aligns two sequences of these lengths.
pub fn align(
    lengths: (usize, usize),
    replace: Replace,
    fit: &dyn Fn(usize, usize) -> Fit,
) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(lengths.0.max(lengths.1));
    let all = Part { a: (0, lengths.0), b: (0, lengths.1) };
    Aligner { replace, fit, most: MOST_FIELDS }.align(all, &mut pairs);
    pairs
}

struct Aligner<'f> {
    replace: Replace,
    fit: &'f dyn Fn(usize, usize) -> Fit,
    most: usize,
}

/// Where a part of each sequence begins and ends.
#[derive(Clone, Copy)]
struct Part {
    a: (usize, usize),
    b: (usize, usize),
}

impl Part {
    fn lengths(self) -> (usize, usize) {
        (self.a.1 - self.a.0, self.b.1 - self.b.0)
    }
}

/// How a field of the table is reached.
#[derive(Clone, Copy)]
enum Step {
    Both,
    OnlyA,
    OnlyB,
}

impl Aligner<'_> {
    fn align(&self, part: Part, pairs: &mut Vec<Pair>) {
        let (a, b) = part.lengths();
        if a < 2 || (a + 1).saturating_mul(b + 1) <= self.most {
            self.by_table(part, pairs);
            return;
        }
        let middle = part.a.0 + a / 2;
        let before = self.costs(Part { a: (part.a.0, middle), ..part }, false);
        let after = self.costs(Part { a: (middle, part.a.1), ..part }, true);
        let joined = before.iter().zip(after.iter().rev()).map(|(before, after)| before + after);
        let cut = part.b.0
            + joined.enumerate().min_by_key(|(_, cost)| *cost).map_or(0, |(index, _)| index);
        self.align(Part { a: (part.a.0, middle), b: (part.b.0, cut) }, pairs);
        self.align(Part { a: (middle, part.a.1), b: (cut, part.b.1) }, pairs);
    }

    fn cost(&self, a: usize, b: usize) -> u64 {
        match ((self.fit)(a, b), self.replace) {
            (Fit::Same, _) => 0,
            (Fit::Alike, _) => 1,
            (Fit::Different, Replace::Allowed) => EDIT,
            (Fit::Different, Replace::Never) => 3 * EDIT,
        }
    }

    /// The last row of the table, also for the sequences read backwards.
    fn costs(&self, part: Part, backwards: bool) -> Vec<u64> {
        let (a, b) = part.lengths();
        let at = |(start, end): (usize, usize), index: usize| {
            if backwards { end - 1 - index } else { start + index }
        };
        let mut row: Vec<u64> = (0..=b as u64).map(|count| count * EDIT).collect();
        for i in 0..a {
            let mut diagonal = row[0];
            row[0] += EDIT;
            for j in 0..b {
                let both = diagonal + self.cost(at(part.a, i), at(part.b, j));
                diagonal = row[j + 1];
                row[j + 1] = both.min(diagonal + EDIT).min(row[j] + EDIT);
            }
        }
        row
    }

    fn by_table(&self, part: Part, pairs: &mut Vec<Pair>) {
        let (a, b) = part.lengths();
        let mut steps = vec![Step::OnlyB; (a + 1) * (b + 1)];
        let mut row: Vec<u64> = (0..=b as u64).map(|count| count * EDIT).collect();
        for i in 0..a {
            let step_row = &mut steps[(i + 1) * (b + 1)..(i + 2) * (b + 1)];
            step_row[0] = Step::OnlyA;
            let mut diagonal = row[0];
            row[0] += EDIT;
            for j in 0..b {
                let both = diagonal + self.cost(part.a.0 + i, part.b.0 + j);
                let (only_a, only_b) = (row[j + 1] + EDIT, row[j] + EDIT);
                diagonal = row[j + 1];
                let least = both.min(only_a).min(only_b);
                row[j + 1] = least;
                step_row[j + 1] = if both == least {
                    Step::Both
                } else if only_b == least {
                    Step::OnlyB
                } else {
                    Step::OnlyA
                };
            }
        }
        let first = pairs.len();
        let (mut i, mut j) = (a, b);
        while i > 0 || j > 0 {
            let (in_a, in_b) = (part.a.0 + i, part.b.0 + j);
            match steps[i * (b + 1) + j] {
                Step::Both => {
                    pairs.push((Some(in_a - 1), Some(in_b - 1)));
                    (i, j) = (i - 1, j - 1);
                }
                Step::OnlyA => {
                    pairs.push((Some(in_a - 1), None));
                    i -= 1;
                }
                Step::OnlyB => {
                    pairs.push((None, Some(in_b - 1)));
                    j -= 1;
                }
            }
        }
        pairs[first..].reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn fit<'s>(a: &'s [u8], b: &'s [u8]) -> impl Fn(usize, usize) -> Fit + 's {
        // Letters are of one kind whatever their case.
        |i, j| match (a[i] == b[j], a[i].eq_ignore_ascii_case(&b[j])) {
            (true, _) => Fit::Same,
            (false, true) => Fit::Alike,
            _ => Fit::Different,
        }
    }

    fn shown(a: &str, b: &str, replace: Replace) -> String {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        let pairs = align((a.len(), b.len()), replace, &fit(a, b));
        let letter = |text: &[u8], index: Option<usize>| index.map_or('-', |i| text[i] as char);
        let lines = [
            pairs.iter().map(|pair| letter(a, pair.0)).collect::<String>(),
            pairs.iter().map(|pair| letter(b, pair.1)).collect(),
        ];
        lines.join(" ")
    }

    #[test]
    fn equal_items_are_aligned() {
        assert_eq!(shown("abcd", "abxcd", Replace::Allowed), "ab-cd abxcd");
        assert_eq!(shown("abc", "axc", Replace::Allowed), "abc axc");
        assert_eq!(shown("abc", "axc", Replace::Never), "ab-c a-xc");
        assert_eq!(shown("", "ab", Replace::Allowed), "-- ab");
        assert_eq!(shown("", "", Replace::Allowed), " ");
        // As few edits either way: the item that is the same in every respect wins.
        assert_eq!(shown("aA", "A", Replace::Allowed), "aA -A");
        assert_eq!(shown("Aa", "A", Replace::Allowed), "Aa A-");
    }

    #[test]
    fn as_few_edits_as_levenshtein_also_when_halved() {
        let mut rng = Rng::new(11, 0);
        for _ in 0..300 {
            let mut word = |most: usize| -> Vec<u8> {
                (0..rng.below(most)).map(|_| b'a' + rng.below(4) as u8).collect()
            };
            let (a, b) = (word(40), word(40));
            let codes = |word: &[u8]| word.iter().copied().map(u32::from).collect::<Vec<_>>();
            let agreement =
                crate::scorers::consistency::Consistency::Aec.pair(&codes(&a), &codes(&b));
            let longer = a.len().max(b.len());
            let distance = ((1.0 - agreement) * longer as f64).round() as usize;
            for most in [MOST_FIELDS, 30, 4] {
                let mut pairs = Vec::new();
                let fit = fit(&a, &b);
                let aligner = Aligner { replace: Replace::Allowed, fit: &fit, most };
                aligner.align(Part { a: (0, a.len()), b: (0, b.len()) }, &mut pairs);
                let edits = pairs
                    .iter()
                    .filter(|pair| !matches!(pair, (Some(i), Some(j)) if a[*i] == b[*j]));
                assert_eq!(edits.count(), distance, "{a:?} {b:?}");
                let left: Vec<usize> = pairs.iter().filter_map(|pair| pair.0).collect();
                let right: Vec<usize> = pairs.iter().filter_map(|pair| pair.1).collect();
                assert!(
                    left.iter().copied().eq(0..a.len()) && right.iter().copied().eq(0..b.len())
                );
            }
        }
    }
}
