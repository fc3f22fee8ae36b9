/// Scores closer than this are ties: last-bit noise must not rank.
pub(crate) const TIE: f64 = 1e-12;

/// Area under the ROC curve by Mann–Whitney, ties counted half. None unless both classes occur.
pub fn auroc(scores: &[f64], success: &[bool]) -> Option<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let positives = success.iter().filter(|own| **own).count();
    let negatives = scores.len() - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    // Twice the number of (success, failure) pairs ranked right: whole numbers stay exact.
    let (mut wins, mut below) = (0u64, 0u64);
    let mut rest = order.as_slice();
    while let Some((&first, _)) = rest.split_first() {
        let tied = rest.iter().take_while(|&&i| scores[i] - scores[first] < TIE).count();
        let (block, after) = rest.split_at(tied.max(1));
        let hits = block.iter().filter(|&&i| success[i]).count() as u64;
        let misses = block.len() as u64 - hits;
        wins += hits * (2 * below + misses);
        below += misses;
        rest = after;
    }
    Some(wins as f64 / (2 * positives * negatives) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_count_half_and_noise_does_not_rank() {
        // sklearn.metrics.roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) = 0.75
        assert_eq!(auroc(&[0.1, 0.4, 0.35, 0.8], &[false, false, true, true]), Some(0.75));
        // sklearn.metrics.roc_auc_score([0, 1, 1, 0, 1], [0.5, 0.5, 0.7, 0.2, 0.5]) = 5/6
        let tied = auroc(&[0.5, 0.5, 0.7, 0.2, 0.5], &[false, true, true, false, true]);
        assert_eq!(tied, Some(5.0 / 6.0));
        assert_eq!(auroc(&[0.3, 0.3 + 1e-15], &[true, false]), Some(0.5));
    }

    #[test]
    fn one_class_has_no_value() {
        assert_eq!(auroc(&[0.1, 0.2], &[true, true]), None);
        assert_eq!(auroc(&[], &[]), None);
    }
}
