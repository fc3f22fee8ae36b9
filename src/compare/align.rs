//! The minimal edit script of two sequences: the alignment whose edits Levenshtein's distance, and
//! so `aec`, counts.
//!
//! Among all scripts, the chosen one
//!
//! 1. has the fewest edits;
//! 2. then the fewest pairs that are merely alike;
//! 3. then, at the first position where two scripts differ, aligns two items rather than an item
//!    and a gap, and has a gap in the second sequence rather than in the first.
//!
//! Replacements therefore come early and gaps late, and the first edit is where the sequences
//! really diverge: an extra call of one run is shown after the calls that both make.

mod band;
#[cfg(test)]
mod tests;

use band::Band;

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replace {
    /// Different items may be aligned, as one edit.
    #[default]
    Allowed,
    /// Different items are aligned with gaps.
    Never,
}

/// How two sequences are aligned.
#[derive(Clone, Copy, Debug)]
pub struct AlignOptions {
    /// Whether an item may be replaced by a different one.
    pub replace: Replace,
    /// The edits that are allowed for at first; the number of them is best, where it is known.
    pub edits: usize,
    /// Fields of the table that are looked at, at most. Beyond that the script is the shortest one near
    /// the diagonal, which may not be the shortest of all.
    pub fields: usize,
    /// Steps that are kept at once, one byte each.
    pub steps: usize,
}

impl Default for AlignOptions {
    fn default() -> Self {
        // So many fields are some seconds' work.
        Self { replace: Replace::Allowed, edits: 64, fields: 1 << 32, steps: 1 << 24 }
    }
}

/// An edit weighs more than any number of pairs that are merely alike.
const EDIT: u64 = 1 << 32;

/// Farther than any path, and far enough from overflow.
const FAR: u64 = u64::MAX / 4;

/// Aligns two sequences of these lengths, n and m.
///
/// The table of costs is filled near its diagonal only (Ukkonen 1985): a script of d edits stays within d
/// fields of it, so the time is O((n + m) · d), at most O(n · m). Only some rows of costs are kept, and the
/// steps between two of them are found again on the way back, so the memory is O(m · √n).
pub fn align(
    lengths: (usize, usize),
    options: AlignOptions,
    fit: impl Fn(usize, usize) -> Fit,
) -> Vec<Pair> {
    let (a, b) = lengths;
    // What both begin with is aligned in any case.
    let common = (0..a.min(b)).take_while(|&index| fit(index, index) == Fit::Same).count();
    // The way through the table is found from its last field. What comes first decides among scripts that
    // cost the same, so both sequences are read from their ends.
    let aligner = Aligner { options, fit: |i, j| fit(a - 1 - i, b - 1 - j) };
    let Some(rest) = aligner.by_band((a - common, b - common)) else { return by_index(lengths) };
    let mut pairs: Vec<Pair> = (0..common).map(|index| (Some(index), Some(index))).collect();
    pairs.extend(rest.into_iter().map(|(i, j)| (i.map(|i| a - 1 - i), j.map(|j| b - 1 - j))));
    pairs
}

/// Aligns items of the same index: all that can be done in no time.
pub fn by_index((a, b): (usize, usize)) -> Vec<Pair> {
    let at = |length: usize, index: usize| (index < length).then_some(index);
    (0..a.max(b)).map(|index| (at(a, index), at(b, index))).collect()
}

struct Aligner<F> {
    options: AlignOptions,
    fit: F,
}

/// How a field of the table is reached.
#[derive(Clone, Copy)]
enum Step {
    Both,
    OnlyA,
    OnlyB,
}

/// A row of costs within a band; all others are far.
#[derive(Clone)]
struct Row {
    /// The column of the first cost.
    first: usize,
    costs: Vec<u64>,
}

impl<F: Fn(usize, usize) -> Fit> Aligner<F> {
    /// Widens the band until no script outside of it can be shorter. The pairs come from the last field of
    /// the table to its first; none where even the narrowest band has too many fields.
    fn by_band(&self, lengths: (usize, usize)) -> Option<Vec<Pair>> {
        let apart = lengths.0.abs_diff(lengths.1);
        if Band::new(lengths, apart).fields() > self.options.fields {
            return None;
        }
        let most = (self.options.fields / lengths.0.max(1)).max(apart);
        let mut edits = self.options.edits.clamp(apart, most);
        loop {
            let band = Band::new(lengths, edits);
            let rows = self.rows(band);
            let cost = rows.last().and_then(|(_, row)| row.costs.last()).map_or(0, |cost| *cost);
            if cost / EDIT <= edits as u64 || band.is_all() || edits == most {
                return Some(self.path(band, &rows));
            }
            edits = edits.saturating_mul(4).clamp(1, most);
        }
    }

    fn cost(&self, a: usize, b: usize) -> u64 {
        match ((self.fit)(a, b), self.options.replace) {
            (Fit::Same, _) => 0,
            (Fit::Alike, _) => 1,
            (Fit::Different, Replace::Allowed) => EDIT,
            (Fit::Different, Replace::Never) => 3 * EDIT,
        }
    }

    /// The rows of costs that are kept, with their numbers; the first and the last are among them.
    fn rows(&self, band: Band) -> Vec<(usize, Row)> {
        let apart = (self.options.steps / band.width()).max(band.a.isqrt()).max(1);
        let mut row = Row { first: 0, costs: Vec::new() };
        row.costs.extend((0..=band.columns(0).1 as u64).map(|count| count * EDIT));
        let (mut kept, mut spare) = (vec![(0, row.clone())], row.clone());
        for number in 1..=band.a {
            self.next(number, &row, band.columns(number), &mut spare, |_| ());
            std::mem::swap(&mut row, &mut spare);
            if number % apart == 0 || number == band.a {
                kept.push((number, row.clone()));
            }
        }
        kept
    }

    /// Fills the row after another, in these columns; the step to every field is handed out. A row begins
    /// and ends where the one above does, or one column later.
    fn next(
        &self,
        number: usize,
        above: &Row,
        (first, last): (usize, usize),
        row: &mut Row,
        mut step: impl FnMut(Step),
    ) {
        row.first = first;
        row.costs.clear();
        row.costs.resize(last - first + 1, FAR);
        let overs = &above.costs[first - above.first..];
        let mut left = FAR;
        let mut diagonal = if first > above.first { above.costs[0] } else { FAR };
        let mut begin = 0;
        if first == 0 {
            (diagonal, left, begin) = (overs[0], overs[0] + EDIT, 1);
            row.costs[0] = left;
            step(Step::OnlyA);
        }
        let (inner, end) = row.costs.split_at_mut(overs.len().min(last - first + 1));
        for ((cost, &over), column) in
            inner[begin..].iter_mut().zip(&overs[begin..]).zip(first + begin..)
        {
            let both = diagonal + self.cost(number - 1, column - 1);
            let (only_a, only_b) = (over + EDIT, left + EDIT);
            let least = both.min(only_a).min(only_b);
            let other = if only_a == least { Step::OnlyA } else { Step::OnlyB };
            step(if both == least { Step::Both } else { other });
            *cost = least;
            (diagonal, left) = (over, least);
        }
        // The last field has none above it.
        if let [cost] = end {
            let (both, only_b) = (diagonal + self.cost(number - 1, last - 1), left + EDIT);
            *cost = both.min(only_b);
            step(if both <= only_b { Step::Both } else { Step::OnlyB });
        }
    }

    /// Goes back from the corner. The steps between two kept rows are found again, up to the column that
    /// the path has reached.
    fn path(&self, band: Band, rows: &[(usize, Row)]) -> Vec<Pair> {
        let mut pairs = Vec::with_capacity(band.a.max(band.b));
        let mut j = band.b;
        for part in rows.windows(2).rev() {
            let ((top, above), (bottom, _)) = (&part[0], &part[1]);
            let mut steps: Vec<(usize, Vec<Step>)> = Vec::with_capacity(bottom - top);
            let (mut row, mut spare) = (above.clone(), above.clone());
            for number in top + 1..=*bottom {
                let (first, last) = band.columns(number);
                let mut taken = Vec::with_capacity(last - first + 1);
                let columns = (first, last.min(j.max(first)));
                self.next(number, &row, columns, &mut spare, |step| taken.push(step));
                std::mem::swap(&mut row, &mut spare);
                steps.push((first, taken));
            }
            let mut i = *bottom;
            while i > *top {
                let (first, taken) = &steps[i - top - 1];
                match taken[j - first] {
                    Step::Both => {
                        pairs.push((Some(i - 1), Some(j - 1)));
                        (i, j) = (i - 1, j - 1);
                    }
                    Step::OnlyA => {
                        pairs.push((Some(i - 1), None));
                        i -= 1;
                    }
                    Step::OnlyB => {
                        pairs.push((None, Some(j - 1)));
                        j -= 1;
                    }
                }
            }
        }
        pairs.extend((0..j).rev().map(|j| (None, Some(j))));
        pairs
    }
}
