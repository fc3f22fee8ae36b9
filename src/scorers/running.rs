//! The score of a run after each of its turns: an aggregator over the turns so far.

use super::aggregate::Aggregator;
use super::whitebox::Base;

/// The score of a run after each of its turns, from the scores of the turns as the store ranks them (see
/// [`Base::ranks_by_log`]); a log where the base score under this rule ranks by it. The last one is the
/// score of the whole run.
pub fn running(base: Base, rule: Aggregator, turns: &[f64]) -> Vec<f64> {
    let is_log = base.ranks_by_log_under(rule);
    if is_log && !base.ranks_by_log() {
        let logs: Vec<f64> = turns.iter().map(|score| score.ln()).collect();
        return prefixes(rule, is_log, &logs);
    }
    prefixes(rule, is_log, turns)
}

fn prefixes(rule: Aggregator, is_log: bool, turns: &[f64]) -> Vec<f64> {
    let mut known = f64::INFINITY;
    match rule {
        Aggregator::First => vec![turns.first().copied().unwrap_or(f64::NAN); turns.len()],
        Aggregator::Last => turns.to_vec(),
        Aggregator::Min => {
            let least = turns.iter().map(|score| {
                known = known.min(*score);
                known
            });
            least.collect()
        }
        _ => {
            let apply = |turns: &[f64]| {
                if is_log { rule.apply_log(turns) } else { rule.apply(turns) }
            };
            let ends = 1..=turns.len();
            ends.map(|end| apply(&turns[..end]).unwrap_or(f64::NAN)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_is_aggregated() {
        let turns = [0.9, 0.3, 0.6, 0.5];
        let found = |rule| running(Base::Lnsp, rule, &turns);
        let close = |found: Vec<f64>, expected: [f64; 4]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        };
        close(found(Aggregator::First), [0.9; 4]);
        close(found(Aggregator::Last), turns);
        close(found(Aggregator::Min), [0.9, 0.3, 0.3, 0.3]);
        close(found(Aggregator::Mean), [0.9, 0.6, 0.6, 0.575]);
        // The weights are those of a run that ends here.
        close(found(Aggregator::Early), [0.9, (2.0 * 0.9 + 0.3) / 3.0, 0.65, 0.62]);
        close(found(Aggregator::Late), [0.9, 0.5, 0.55, 0.53]);
        close(found(Aggregator::Product), [0.9, 0.27, 0.162, 0.081].map(f64::ln));
        let logs = turns.map(f64::ln);
        close(running(Base::Sp, Aggregator::Mean, &logs), [0.9, 0.6, 0.6, 0.575].map(f64::ln));
        assert!(running(Base::Sp, Aggregator::Q10, &[]).is_empty());
    }

    #[test]
    fn the_last_one_is_the_score_of_the_run() {
        let turns = [0.2, 0.7, 0.41, 0.99, 0.05];
        for rule in Aggregator::ALL {
            let last = running(Base::Atn, rule, &turns).pop().expect("turns");
            let whole = rule.apply(&turns).expect("turns");
            let whole = if Base::Atn.ranks_by_log_under(rule) { whole.ln() } else { whole };
            assert!((last - whole).abs() < 1e-12, "{rule:?}");
        }
    }
}
