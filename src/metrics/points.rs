//! The metrics themselves, each from scores and labels of the same length.

use super::{Ranking, TIE};

/// A block of ties in a walk down the ranking.
struct Block {
    /// Items before the block.
    before: usize,
    /// Successes among them.
    hits_before: usize,
    /// Items of the block.
    size: usize,
    /// Successes among them.
    hits: usize,
}

/// Walks down the ranking, block by block.
fn walk<'a>(ranking: &'a Ranking, success: &'a [bool]) -> impl Iterator<Item = Block> + 'a {
    let (mut before, mut hits_before) = (0, 0);
    ranking.blocks().map(move |block| {
        let hits = block.iter().filter(|&&item| success[item as usize]).count();
        let tied = Block { before, hits_before, size: block.len(), hits };
        before += block.len();
        hits_before += hits;
        tied
    })
}

/// Ranked items, and successes among them.
fn classes(ranking: &Ranking, success: &[bool]) -> (usize, usize) {
    let hits = ranking.blocks().flatten().filter(|&&item| success[item as usize]).count();
    (ranking.len(), hits)
}

/// Ranked items and successes among them, if there are both classes.
fn two_classes(ranking: &Ranking, success: &[bool]) -> Option<(usize, usize)> {
    let (items, hits) = classes(ranking, success);
    (hits > 0 && hits < items).then_some((items, hits))
}

/// Area under the ROC curve by Mann–Whitney, ties counted half.
pub fn auroc(scores: &[f64], success: &[bool]) -> Option<f64> {
    auroc_of(&Ranking::new(scores), success)
}

/// The same of a ranking.
pub(super) fn auroc_of(ranking: &Ranking, success: &[bool]) -> Option<f64> {
    let (items, hits) = two_classes(ranking, success)?;
    // Twice the (success, failure) pairs ranked wrongly: whole numbers stay exact.
    let wrong: usize = walk(ranking, success)
        .map(|block| {
            let misses_before = block.before - block.hits_before;
            block.hits * (2 * misses_before + block.size - block.hits)
        })
        .sum();
    let pairs = 2 * hits * (items - hits);
    Some((pairs - wrong) as f64 / pairs as f64)
}

/// Average precision, tied scores taken as one block.
pub fn auprc(scores: &[f64], success: &[bool]) -> Option<f64> {
    auprc_of(&Ranking::new(scores), success)
}

/// The same of a ranking.
pub(super) fn auprc_of(ranking: &Ranking, success: &[bool]) -> Option<f64> {
    let (_, hits) = two_classes(ranking, success)?;
    let sum: f64 = walk(ranking, success)
        .map(|block| {
            let precision =
                (block.hits_before + block.hits) as f64 / (block.before + block.size) as f64;
            block.hits as f64 * precision
        })
        .sum();
    Some(sum / hits as f64)
}

/// The harmonic numbers up to the one of `most`.
pub(super) fn harmonic(most: usize) -> Vec<f64> {
    let mut numbers = Vec::with_capacity(most + 1);
    let mut sum = 0.0;
    numbers.push(sum);
    for n in 1..=most {
        sum += 1.0 / n as f64;
        numbers.push(sum);
    }
    numbers
}

/// What a block of ties adds to the sum over k of precision among the k most confident, averaged
/// over all orders of its items.
fn block_precision(
    before: usize,
    hits_before: usize,
    size: usize,
    hits: usize,
    harmonic: &[f64],
) -> f64 {
    let share = hits as f64 / size as f64;
    let ahead = hits_before as f64 - share * before as f64;
    hits as f64 + ahead * (harmonic[before + size] - harmonic[before])
}

/// The sum over k of precision among the k most confident, ties averaged exactly.
fn precision_sum(ranking: &Ranking, success: &[bool], harmonic: &[f64]) -> f64 {
    walk(ranking, success)
        .map(|block| {
            block_precision(block.before, block.hits_before, block.size, block.hits, harmonic)
        })
        .sum()
}

/// How far a mean precision lies between rejecting at random (0) and by oracle (1).
pub(super) fn rejection_ratio(
    precision_sum: f64,
    items: usize,
    hits: usize,
    harmonic: &[f64],
) -> f64 {
    let share = hits as f64 / items as f64;
    (precision_sum / items as f64 - share) / (share * (harmonic[items] - harmonic[hits]))
}

/// Prediction rejection ratio over the full curve, ties averaged exactly.
pub fn prr(scores: &[f64], success: &[bool]) -> Option<f64> {
    prr_of(&Ranking::new(scores), success)
}

/// The same of a ranking.
pub(super) fn prr_of(ranking: &Ranking, success: &[bool]) -> Option<f64> {
    let (items, hits) = two_classes(ranking, success)?;
    let harmonic = harmonic(items);
    Some(rejection_ratio(precision_sum(ranking, success, &harmonic), items, hits, &harmonic))
}

/// Prediction rejection ratio with ties in the order of the slices, as code computes it that only
/// sorts.
pub fn prr_in_order(scores: &[f64], success: &[bool]) -> Option<f64> {
    prr_of(&Ranking::in_order(scores), success)
}

/// Area under the risk–coverage curve: the mean share of failures among the k most confident.
pub fn aurc(scores: &[f64], success: &[bool]) -> Option<f64> {
    aurc_of(&Ranking::new(scores), success)
}

/// The same of a ranking.
pub(super) fn aurc_of(ranking: &Ranking, success: &[bool]) -> Option<f64> {
    let items = ranking.len();
    let sum = precision_sum(ranking, success, &harmonic(items));
    (items > 0).then(|| 1.0 - sum / items as f64)
}

/// Bins of the calibration error.
pub(super) const BINS: usize = 10;

/// The bin of a score: (i/10, (i+1)/10], with 0 in the first. A score within [`TIE`] of an edge counts
/// as on it: last-bit noise must not move it to the next bin.
pub(super) fn bin(score: f64) -> usize {
    let above = ((score - TIE) * BINS as f64).ceil();
    (above as usize).clamp(1, BINS) - 1
}

/// A score as a probability; none outside 0..=1. One that is off by less than [`TIE`] is on the edge:
/// last-bit noise must not make it no probability.
pub(super) fn probability(score: f64) -> Option<f64> {
    (-TIE..=1.0 + TIE).contains(&score).then(|| score.clamp(0.0, 1.0))
}

/// Scores with their labels, if all of them are probabilities.
fn probabilities<'a>(scores: &'a [f64], success: &'a [bool]) -> Option<Vec<(f64, f64)>> {
    let known = scores.iter().zip(success).filter(|(score, _)| !score.is_nan());
    let pairs =
        known.map(|(score, success)| Some((probability(*score)?, f64::from(u8::from(*success)))));
    let pairs: Option<Vec<(f64, f64)>> = pairs.collect();
    pairs.filter(|pairs| !pairs.is_empty())
}

/// Expected calibration error in ten bins of equal width; only for scores in 0..=1.
pub fn ece(scores: &[f64], success: &[bool]) -> Option<f64> {
    let pairs = probabilities(scores, success)?;
    let mut gaps = [0.0; BINS];
    for (score, label) in &pairs {
        gaps[bin(*score)] += label - score;
    }
    Some(gaps.iter().map(|gap| gap.abs()).sum::<f64>() / pairs.len() as f64)
}

/// Mean squared distance of score and outcome; only for scores in 0..=1.
pub fn brier(scores: &[f64], success: &[bool]) -> Option<f64> {
    let pairs = probabilities(scores, success)?;
    let sum: f64 = pairs.iter().map(|(score, label)| (score - label).powi(2)).sum();
    Some(sum / pairs.len() as f64)
}

/// Spearman's rank correlation, ties sharing their mean rank; none where one side does not vary.
pub fn spearman(a: &[f64], b: &[f64]) -> Option<f64> {
    let (ranks_a, ranks_b) = (Ranking::new(a).ranks(a.len()), Ranking::new(b).ranks(b.len()));
    let pairs: Option<Vec<(f64, f64)>> =
        ranks_a.into_iter().zip(ranks_b).map(|(a, b)| Some((a?, b?))).collect();
    let pairs = pairs?;
    let mean = f64::midpoint(1.0, pairs.len() as f64);
    let (mut product, mut square_a, mut square_b) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        product += (a - mean) * (b - mean);
        square_a += (a - mean).powi(2);
        square_b += (b - mean).powi(2);
    }
    (square_a > 0.0 && square_b > 0.0).then(|| product / (square_a * square_b).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_or_nothing_has_no_value() {
        for metric in [auroc, auprc, prr, prr_in_order] {
            assert_eq!(metric(&[0.1, 0.2], &[true, true]), None);
            assert_eq!(metric(&[0.1, 0.2], &[false, false]), None);
            assert_eq!(metric(&[], &[]), None);
            assert_eq!(metric(&[f64::NAN, 0.2], &[true, false]), None, "the success has no score");
        }
        assert_eq!(aurc(&[0.1, 0.2], &[true, true]), Some(0.0));
        assert_eq!(aurc(&[], &[]), None);
    }

    #[test]
    fn edges_belong_to_the_bin_below() {
        let bins = [0.0, 0.1, 0.100_000_1, 0.3, 1.0 - 0.7, 0.6, 0.7, 0.95, 1.0].map(bin);
        assert_eq!(bins, [0, 0, 1, 2, 2, 5, 6, 9, 9]);
    }

    #[test]
    fn calibration_is_for_probabilities_only() {
        assert_eq!(ece(&[0.5, 1.2], &[true, false]), None);
        assert_eq!(brier(&[-0.1, 0.2], &[true, false]), None);
        assert_eq!(brier(&[1.0, 0.0], &[true, false]), Some(0.0));
        // A mean of ones may come out as the next float after 1.
        assert_eq!(brier(&[1.0 + 2.0 * f64::EPSILON, -1e-13], &[true, false]), Some(0.0));
        assert_eq!(ece(&[1.0 + 2.0 * f64::EPSILON, -1e-13], &[true, false]), Some(0.0));
    }

    #[test]
    fn all_tied_is_chance() {
        let (scores, success) = ([0.4; 6], [true, false, true, true, false, false]);
        assert_eq!(auroc(&scores, &success), Some(0.5));
        assert!(prr(&scores, &success).expect("two classes").abs() < 1e-12);
    }
}
