//! Properties that hold for all scores, labels and trajectories.

use proptest::prelude::*;
use qualm::metrics::{Metric, auroc, prr};
use qualm::model::{Span, TokenSeq};
use qualm::scorers::aggregate::Aggregator;
use qualm::scorers::consistency::Consistency;
use qualm::scorers::propagation::Propagation;
use qualm::scorers::whitebox::{Spans, turn_scores};

/// Scores on a grid, so that ties are common and gaps survive the transforms below, with labels.
fn sample() -> impl Strategy<Value = (Vec<f64>, Vec<bool>)> {
    prop::collection::vec((0..40u32, any::<bool>()), 0..60).prop_map(|rows| {
        rows.into_iter().map(|(score, label)| (f64::from(score) / 40.0, label)).unzip()
    })
}

fn actions() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-e]", 0..9)
}

fn close(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a == b,
    }
}

proptest! {
    #[test]
    fn rank_metrics_depend_only_on_the_order((scores, success) in sample()) {
        let transforms: [fn(f64) -> f64; 3] = [|s| 3.0 * s - 7.0, |s| (s + 0.1).ln(), |s| s.exp()];
        for transform in transforms {
            let moved: Vec<f64> = scores.iter().copied().map(transform).collect();
            prop_assert!(close(auroc(&scores, &success), auroc(&moved, &success)));
            prop_assert!(close(prr(&scores, &success), prr(&moved, &success)));
        }
    }

    #[test]
    fn negated_scores_invert_auroc((scores, success) in sample()) {
        let turned: Vec<f64> = scores.iter().map(|score| -score).collect();
        let expected = auroc(&scores, &success).map(|value| 1.0 - value);
        prop_assert!(close(auroc(&turned, &success), expected));
    }

    #[test]
    fn the_order_of_tasks_does_not_matter((scores, success) in sample(), seed in any::<u64>()) {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        qualm::rng::Rng::new(seed, 0).shuffle(&mut order);
        let shuffled: Vec<f64> = order.iter().map(|&item| scores[item]).collect();
        let labels: Vec<bool> = order.iter().map(|&item| success[item]).collect();
        for metric in Metric::ALL {
            let (a, b) = (metric.value(&scores, &success), metric.value(&shuffled, &labels));
            prop_assert!(close(a, b), "{:?}: {:?} {:?}", metric, a, b);
        }
    }

    #[test]
    fn metrics_stay_in_their_range((scores, success) in sample()) {
        for metric in Metric::ALL {
            if let Some(value) = metric.value(&scores, &success) {
                let least = if metric == Metric::Prr { f64::NEG_INFINITY } else { 0.0 };
                prop_assert!((least - 1e-9..=1.0 + 1e-9).contains(&value), "{:?}: {}", metric, value);
            }
        }
    }

    #[test]
    fn a_missing_score_removes_its_task(
        (scores, success) in sample(),
        missing in prop::collection::vec(any::<bool>(), 60),
    ) {
        let holes: Vec<f64> =
            scores.iter().zip(&missing).map(|(s, gone)| if *gone { f64::NAN } else { *s }).collect();
        let kept = scores.iter().zip(&success).zip(&missing).filter(|(_, gone)| !**gone);
        let (left, labels): (Vec<f64>, Vec<bool>) = kept.map(|((s, l), _)| (*s, *l)).unzip();
        for metric in Metric::ALL {
            let (a, b) = (metric.value(&holes, &success), metric.value(&left, &labels));
            prop_assert!(close(a, b), "{:?}: {:?} {:?}", metric, a, b);
        }
    }

    #[test]
    fn agreement_is_symmetric_and_between_0_and_1(a in actions(), b in actions()) {
        for scorer in Consistency::ALL {
            let value = scorer.pair(&a, &b);
            prop_assert!((0.0..=1.0).contains(&value), "{:?}: {}", scorer, value);
            prop_assert!((value - scorer.pair(&b, &a)).abs() < 1e-12);
            prop_assert!((scorer.pair(&a, &a) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_order_of_samples_does_not_matter(a in actions(), mut samples in prop::collection::vec(actions(), 1..5)) {
        for scorer in Consistency::ALL {
            let of = |samples: &[Vec<String>]| {
                let samples: Vec<&[String]> = samples.iter().map(Vec::as_slice).collect();
                scorer.task(&a, &samples)
            };
            let before = of(&samples);
            samples.reverse();
            prop_assert!(close(before, of(&samples)));
        }
    }

    #[test]
    fn turn_scores_are_probabilities(rows in prop::collection::vec((0.001..1.0f64, prop::collection::vec(0.001..1.0f64, 0..6)), 1..30)) {
        let mut tokens = TokenSeq::default();
        for (p, tops) in &rows {
            tokens.push("t", p.ln(), Span::Action);
            let total: f64 = tops.iter().sum::<f64>().max(1.0);
            tops.iter().for_each(|top| tokens.push_alternative("a", (top / total).ln()));
        }
        let scores = turn_scores(&tokens, Spans::Action).expect("tokens");
        let all = [Some(scores.sp_log.exp()), Some(scores.lnsp), scores.atn, scores.pm];
        for value in all.into_iter().flatten() {
            prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{:?}", scores);
        }
        prop_assert!(scores.sp_log <= scores.lnsp.ln() + 1e-9, "a sequence is no likelier than its mean token");
    }

    #[test]
    fn aggregates_lie_between_the_extreme_turns(turns in prop::collection::vec(0.001..1.0f64, 1..20)) {
        let least = turns.iter().copied().fold(f64::INFINITY, f64::min);
        let most = turns.iter().copied().fold(0.0, f64::max);
        for rule in Aggregator::ALL.into_iter().filter(|rule| *rule != Aggregator::Product) {
            let value = rule.apply(&turns).expect("turns");
            prop_assert!((least - 1e-9..=most + 1e-9).contains(&value), "{:?}: {}", rule, value);
        }
        for propagation in Propagation::ALL {
            prop_assert!(propagation.score(&turns).expect("turns") <= 0.0);
        }
    }
}
