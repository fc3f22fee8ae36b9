//! Rules that turn the scores of a trajectory's turns into one number.

/// A cross-turn aggregator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aggregator {
    /// The first turn.
    First,
    /// Mean with weights falling from T to 1.
    Early,
    /// Plain mean.
    Mean,
    /// The weakest turn.
    Min,
    /// Mean with weights rising from 1 to T.
    Late,
    /// The last turn.
    Last,
}

impl Aggregator {
    /// All of them, in the order they are listed.
    pub const ALL: [Self; 6] =
        [Self::First, Self::Early, Self::Mean, Self::Min, Self::Late, Self::Last];

    /// The id that appears in stores, flags and on screen.
    pub fn id(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Early => "early",
            Self::Mean => "mean",
            Self::Min => "min",
            Self::Late => "late",
            Self::Last => "last",
        }
    }

    /// Aggregates turn scores; none without a scored turn.
    pub fn apply(self, turns: &[f64]) -> Option<f64> {
        let count = turns.len();
        Some(match self {
            Self::First => *turns.first()?,
            Self::Last => *turns.last()?,
            Self::Min => turns.iter().copied().reduce(f64::min)?,
            Self::Early | Self::Mean | Self::Late => {
                turns.first()?;
                let weights = (0..count).map(|turn| self.weight(turn, count));
                weights.zip(turns).map(|(weight, score)| weight * score).sum()
            }
        })
    }

    /// Aggregates logs of turn scores into the log of the aggregate: means are taken by
    /// log-sum-exp, so that scores too small for a float still rank.
    pub fn apply_log(self, logs: &[f64]) -> Option<f64> {
        match self {
            Self::First | Self::Last | Self::Min => self.apply(logs),
            Self::Early | Self::Mean | Self::Late => {
                let peak = logs.iter().copied().reduce(f64::max)?;
                if peak == f64::NEG_INFINITY {
                    return Some(peak);
                }
                let scaled: Vec<f64> = logs.iter().map(|log| (log - peak).exp()).collect();
                self.apply(&scaled).map(|mean| peak + mean.ln())
            }
        }
    }

    /// Weight of one turn among `count`, for the weighted means; the weights sum to 1.
    fn weight(self, turn: usize, count: usize) -> f64 {
        let triangle = (count * (count + 1)) as f64 / 2.0;
        match self {
            Self::Early => (count - turn) as f64 / triangle,
            Self::Late => (turn + 1) as f64 / triangle,
            _ => 1.0 / count as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_rules_by_hand() {
        let turns = [0.9, 0.3, 0.6];
        let values = Aggregator::ALL.map(|rule| rule.apply(&turns).expect("three turns"));
        // early (3·0.9 + 2·0.3 + 1·0.6)/6, late (1·0.9 + 2·0.3 + 3·0.6)/6
        for (value, expected) in values.into_iter().zip([0.9, 0.65, 0.6, 0.3, 0.55, 0.6]) {
            assert!((value - expected).abs() < 1e-12, "{value} {expected}");
        }
        assert!(Aggregator::ALL.iter().all(|rule| rule.apply(&[]).is_none()));
    }

    #[test]
    fn logs_aggregate_like_their_scores_and_do_not_underflow() {
        let turns: [f64; 3] = [0.9, 0.3, 0.6];
        let logs = turns.map(f64::ln);
        for rule in Aggregator::ALL {
            let (plain, log) = (rule.apply(&turns), rule.apply_log(&logs));
            assert!((plain.expect("turns").ln() - log.expect("turns")).abs() < 1e-12);
        }
        let mean = Aggregator::Mean.apply_log(&[-2000.0, -2000.0]).expect("turns");
        assert!((mean + 2000.0).abs() < 1e-9);
    }
}
