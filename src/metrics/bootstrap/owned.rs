//! Resamples of items that belong to something else: the turns of runs.

use super::{Ranking, Weights, auroc};

impl Weights {
    /// The weights of the rows of several cells, one after the other. Each cell is resampled by itself,
    /// so that every resample has as many tasks of each as there are.
    #[must_use]
    pub fn joined(parts: Vec<Self>) -> Self {
        let lanes = parts.first().map_or(0, Self::lanes);
        let most = parts.iter().map(|part| part.most).sum();
        let counts = parts.into_iter().flat_map(|part| part.counts).collect();
        Self { lanes, counts, most }
    }
}

/// AUROC of every resample over items such as turns, given the row that owns each of them; NaN where it
/// is undefined. A row that is drawn brings all of its items, and they share its outcome.
pub fn resampled_auroc_of_items(
    scores: &[f64],
    owner: &[u32],
    success: &[bool],
    weights: &Weights,
) -> Vec<f64> {
    let mut of_row = vec![0usize; success.len()];
    owner.iter().for_each(|row| of_row[*row as usize] += 1);
    let most = of_row.into_iter().max().unwrap_or(0) * weights.most;
    auroc(&Ranking::new(scores).of_owners(owner), success, weights, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::auroc;
    use crate::rng::Rng;

    /// The rows of the first cell come first, each drawn as in its cell alone.
    #[test]
    fn joined_cells_keep_their_draws() {
        let parts = [(9, 1), (14, 2)].map(|(rows, stream)| Weights::draw(rows, 3..8, 5, stream));
        let joined = Weights::joined(parts.to_vec());
        for lane in 0..5 {
            assert!(joined.lane(lane).eq(parts[0].lane(lane).chain(parts[1].lane(lane))));
        }
        assert_eq!((joined.lanes(), joined.most), (5, 23));
    }

    /// A resample of rows is the same as its items written out.
    #[test]
    fn a_drawn_row_brings_its_items() {
        let mut rng = Rng::new(3, 0);
        for (rows, each) in [(12, 3), (40, 9), (90, 20)] {
            let success: Vec<bool> = (0..rows).map(|_| rng.chance(0.4)).collect();
            let items: Vec<(u32, f64)> = (0..rows)
                .flat_map(|row| (0..row % each).map(move |_| row as u32))
                .map(|row| (row, rng.below(50) as f64 / 50.0))
                .collect();
            let (owner, scores): (Vec<u32>, Vec<f64>) = items.iter().copied().unzip();
            let weights = Weights::draw(rows, 0..60, 1, 2);
            let found = resampled_auroc_of_items(&scores, &owner, &success, &weights);
            for (lane, value) in found.into_iter().enumerate() {
                let drawn: Vec<u16> = weights.lane(lane).collect();
                let written = items.iter().flat_map(|(row, score)| {
                    let row = *row as usize;
                    (0..drawn[row]).map(move |_| (*score, row))
                });
                let (scores, rows): (Vec<f64>, Vec<usize>) = written.unzip();
                let outcomes: Vec<bool> = rows.into_iter().map(|row| success[row]).collect();
                match auroc(&scores, &outcomes) {
                    Some(expected) => assert!((value - expected).abs() < 1e-12),
                    None => assert!(value.is_nan()),
                }
            }
        }
    }
}
