//! Rules that turn the scores of a trajectory's turns into one number.

/// A cross-turn aggregator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Aggregator {
    /// The first turn.
    First,
    /// Mean with weights falling from T to 1.
    Early,
    /// Plain mean.
    Mean,
    /// The weakest turn.
    #[default]
    Min,
    /// Mean with weights rising from 1 to T.
    Late,
    /// The last turn.
    Last,
    /// Product of all turns.
    Product,
    /// The 10% quantile.
    Q10,
    /// A smooth minimum: −ln(mean exp(−β s)) / β.
    Softmin {
        /// How near to the minimum; 0 would be the mean.
        beta: f64,
    },
    /// The worst mean of consecutive turns.
    Window {
        /// How many turns, or all when there are fewer.
        turns: usize,
    },
}

impl Aggregator {
    /// The aggregators of the paper, in the order they are listed.
    pub const PAPER: [Self; 6] =
        [Self::First, Self::Early, Self::Mean, Self::Min, Self::Late, Self::Last];

    /// The aggregators of the paper's main table.
    pub const MAIN_TABLE: [Self; 4] = [Self::First, Self::Mean, Self::Min, Self::Last];

    /// All aggregators, the adjustable ones at their usual setting.
    pub const ALL: [Self; 10] = [
        Self::First,
        Self::Early,
        Self::Mean,
        Self::Min,
        Self::Late,
        Self::Last,
        Self::Product,
        Self::Q10,
        Self::Softmin { beta: Self::USUAL_BETA },
        Self::Window { turns: Self::USUAL_WINDOW },
    ];

    /// The usual setting of a smooth minimum.
    pub const USUAL_BETA: f64 = 10.0;
    /// The usual width of a window.
    pub const USUAL_WINDOW: usize = 3;

    /// The id that appears in stores, flags and on screen.
    pub fn id(self) -> String {
        match self {
            Self::First => "first".to_owned(),
            Self::Early => "early".to_owned(),
            Self::Mean => "mean".to_owned(),
            Self::Min => "min".to_owned(),
            Self::Late => "late".to_owned(),
            Self::Last => "last".to_owned(),
            Self::Product => "product".to_owned(),
            Self::Q10 => "q10".to_owned(),
            Self::Softmin { beta } => format!("softmin-{beta}"),
            Self::Window { turns } => format!("window-{turns}"),
        }
    }

    /// The aggregator of that id; `softmin` and `window` alone mean the usual setting.
    pub fn parse(id: &str) -> Option<Self> {
        if let Some(beta) = id.strip_prefix("softmin-") {
            let beta = beta.parse().ok().filter(|beta: &f64| beta.is_finite() && *beta > 0.0)?;
            return Some(Self::Softmin { beta });
        }
        if let Some(turns) = id.strip_prefix("window-") {
            return Some(Self::Window { turns: turns.parse().ok().filter(|turns| *turns > 0)? });
        }
        match id {
            "softmin" => Some(Self::Softmin { beta: Self::USUAL_BETA }),
            "window" => Some(Self::Window { turns: Self::USUAL_WINDOW }),
            _ => Self::ALL.into_iter().find(|rule| rule.id() == id),
        }
    }

    /// Whether the aggregate is kept and ranked as a log whatever the turns are, since it underflows.
    pub fn ranks_by_log(self) -> bool {
        matches!(self, Self::Product)
    }

    /// Aggregates turn scores; none without a scored turn.
    pub fn apply(self, turns: &[f64]) -> Option<f64> {
        let (first, last) = (*turns.first()?, *turns.last()?);
        let count = turns.len();
        Some(match self {
            Self::First => first,
            Self::Last => last,
            Self::Min => turns.iter().copied().fold(first, f64::min),
            Self::Early => weighted(turns, |turn| count - turn),
            Self::Mean => turns.iter().sum::<f64>() / count as f64,
            Self::Late => weighted(turns, |turn| turn + 1),
            Self::Product => turns.iter().product(),
            Self::Q10 => {
                let (low, high, share) = tenth(turns);
                low + (high - low) * share
            }
            Self::Softmin { beta } => {
                // The smallest score is taken out, so that the exponentials stay in range.
                let least = turns.iter().copied().fold(first, f64::min);
                let mean =
                    turns.iter().map(|score| (-beta * (score - least)).exp_m1()).sum::<f64>()
                        / count as f64;
                least - mean.ln_1p() / beta
            }
            Self::Window { turns: width } => turns
                .windows(width.clamp(1, count))
                .map(|window| window.iter().sum::<f64>() / window.len() as f64)
                .fold(f64::INFINITY, f64::min),
        })
    }

    /// How much each turn's score moves the aggregate: the derivatives, scaled to sum to 1. For the
    /// product they are those of its log.
    pub fn weights(self, turns: &[f64]) -> Vec<f64> {
        let count = turns.len();
        let one = |only: usize| (0..count).map(|turn| f64::from(u8::from(turn == only))).collect();
        let weights: Vec<f64> = match self {
            Self::First => one(0),
            Self::Last => one(count.saturating_sub(1)),
            Self::Min => one(lowest(turns)),
            Self::Mean => vec![1.0; count],
            Self::Early => (0..count).map(|turn| (count - turn) as f64).collect(),
            Self::Late => (0..count).map(|turn| (turn + 1) as f64).collect(),
            Self::Product => turns.iter().map(|score| 1.0 / score.max(1e-300)).collect(),
            Self::Q10 => {
                let mut order: Vec<usize> = (0..count).collect();
                order.sort_by(|&a, &b| turns[a].total_cmp(&turns[b]));
                let position = 0.1 * count.saturating_sub(1) as f64;
                let (below, share) = (position.floor() as usize, position.fract());
                let mut weights = vec![0.0; count];
                let ends = [(below, 1.0 - share), (below + 1, share)];
                for (rank, weight) in ends {
                    order.get(rank).into_iter().for_each(|&turn| weights[turn] += weight);
                }
                weights
            }
            Self::Softmin { beta } => {
                let least = turns.iter().copied().fold(f64::INFINITY, f64::min);
                turns.iter().map(|score| (-beta * (score - least)).exp()).collect()
            }
            Self::Window { turns: width } => {
                let width = width.clamp(1, count.max(1));
                let sums: Vec<f64> =
                    turns.windows(width).map(|window| window.iter().sum()).collect();
                let worst = lowest(&sums);
                let inside = worst..worst + width;
                (0..count).map(|turn| f64::from(u8::from(inside.contains(&turn)))).collect()
            }
        };
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// Aggregates logs of turn scores into the log of the aggregate. Means are taken by log-sum-exp,
    /// so that scores too small for a float still rank.
    pub fn apply_log(self, logs: &[f64]) -> Option<f64> {
        self.apply_log_with(logs, &mut Scaled::default())
    }

    /// The same for several rules over the same logs, which share the scaled scores.
    pub fn apply_log_with(self, logs: &[f64], shared: &mut Scaled) -> Option<f64> {
        match self {
            Self::First | Self::Last | Self::Min => self.apply(logs),
            Self::Product => (!logs.is_empty()).then(|| logs.iter().sum()),
            Self::Window { turns } => logs
                .windows(turns.clamp(1, logs.len().max(1)))
                .filter_map(|window| Self::Mean.apply_log(window))
                .reduce(f64::min),
            Self::Q10 => {
                logs.first()?;
                let (low, high, share) = tenth(logs);
                let mut pair = Scaled::default();
                pair.set(&[low, high]);
                Some(pair.log_of(|pair| pair[0] + (pair[1] - pair[0]) * share))
            }
            Self::Softmin { beta } => softmin_log(logs, beta),
            Self::Early | Self::Mean | Self::Late => {
                logs.first()?;
                if !shared.is_set {
                    shared.set(logs);
                }
                Some(shared.log_of(|scores| self.apply(scores).unwrap_or(0.0)))
            }
        }
    }
}

/// The log of the smooth minimum of scores given as logs.
fn softmin_log(logs: &[f64], beta: f64) -> Option<f64> {
    let least = logs.iter().copied().reduce(f64::min)?;
    // β times how far each score is above the smallest, without taking scores out of their logs.
    let above = |log: &f64| {
        if *log > least { (beta.ln() + log + (-(least - log).exp()).ln_1p()).exp() } else { 0.0 }
    };
    let above: Vec<f64> = logs.iter().map(above).collect();
    // Where β is small for these scores, their smooth minimum is their mean to the last bit.
    if above.iter().all(|above| *above < 1e-16) {
        return Aggregator::Mean.apply_log(logs);
    }
    let mean = above.iter().map(|above| (-above).exp_m1()).sum::<f64>() / logs.len() as f64;
    // The smallest score plus what the others add.
    let added = (-mean.ln_1p()).ln() - beta.ln();
    let (low, high) = (least.min(added), least.max(added));
    Some(if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() })
}

/// The index of the first lowest value.
fn lowest(values: &[f64]) -> usize {
    values.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(index, _)| index)
}

/// The mean under weights that are a permutation of 1 to T.
fn weighted(turns: &[f64], weight: impl Fn(usize) -> usize) -> f64 {
    let total = turns.len() * (turns.len() + 1) / 2;
    let sum: f64 = turns.iter().enumerate().map(|(turn, score)| weight(turn) as f64 * score).sum();
    sum / total as f64
}

/// The scores on both sides of the 10% quantile, and how far between them it lies.
fn tenth(turns: &[f64]) -> (f64, f64, f64) {
    let mut sorted = turns.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let position = 0.1 * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    (sorted[below], sorted[above], position - below as f64)
}

/// Scores relative to the largest, from their logs; one serves all rules over the same logs.
#[derive(Clone, Debug, Default)]
pub struct Scaled {
    is_set: bool,
    peak: f64,
    scores: Vec<f64>,
}

impl Scaled {
    /// Forgets the logs, so that the next rule takes others.
    pub fn clear(&mut self) {
        self.is_set = false;
    }

    fn set(&mut self, logs: &[f64]) {
        let peak = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.scores.clear();
        if peak > f64::NEG_INFINITY {
            self.scores.extend(logs.iter().map(|log| (log - peak).exp()));
        }
        (self.is_set, self.peak) = (true, peak);
    }

    /// The log of a mean of the scores.
    fn log_of(&self, mean: impl FnOnce(&[f64]) -> f64) -> f64 {
        if self.peak == f64::NEG_INFINITY { self.peak } else { self.peak + mean(&self.scores).ln() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURNS: [f64; 4] = [0.9, 0.3, 0.6, 0.5];

    #[test]
    fn rules_by_hand() {
        let expected = [
            ("first", 0.9),
            ("early", (4.0 * 0.9 + 3.0 * 0.3 + 2.0 * 0.6 + 0.5) / 10.0),
            ("mean", 0.575),
            ("min", 0.3),
            ("late", (0.9 + 2.0 * 0.3 + 3.0 * 0.6 + 4.0 * 0.5) / 10.0),
            ("last", 0.5),
            ("product", 0.081),
            // numpy.quantile([0.9, 0.3, 0.6, 0.5], 0.1) = 0.36
            ("q10", 0.36),
            ("window-2", 0.45),
            ("window-9", 0.575),
        ];
        for (id, expected) in expected {
            let rule = Aggregator::parse(id).expect(id);
            assert!((rule.apply(&TURNS).expect("turns") - expected).abs() < 1e-12, "{id}");
            assert_eq!(rule.id(), id);
        }
        // -numpy.log(numpy.mean(numpy.exp(-10 * s))) / 10 = 0.42143589677912124
        let soft = Aggregator::parse("softmin").expect("known").apply(&TURNS).expect("turns");
        assert!((soft - 0.421_435_896_779_121_24).abs() < 1e-12, "{soft}");
        let sharp = Aggregator::Softmin { beta: 1e6 }.apply(&TURNS).expect("turns");
        assert!((sharp - 0.3).abs() < 1e-5);
        assert!(Aggregator::ALL.iter().all(|rule| rule.apply(&[]).is_none()));
        assert!(Aggregator::ALL.iter().all(|rule| rule.apply_log(&[]).is_none()));
    }

    #[test]
    fn weights_are_derivatives() {
        const STEP: f64 = 1e-7;
        for rule in Aggregator::ALL {
            let weights = rule.weights(&TURNS);
            let slope = |turn: usize| {
                let mut moved = TURNS;
                moved[turn] += STEP;
                let value = |turns: &[f64]| match rule {
                    Aggregator::Product => rule.apply(turns).expect("turns").ln(),
                    _ => rule.apply(turns).expect("turns"),
                };
                (value(&moved) - value(&TURNS)) / STEP
            };
            let slopes: Vec<f64> = (0..TURNS.len()).map(slope).collect();
            let sum: f64 = slopes.iter().sum();
            for (weight, slope) in weights.iter().zip(&slopes) {
                assert!((weight - slope / sum).abs() < 1e-5, "{rule:?}: {weights:?} {slopes:?}");
            }
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(rule.weights(&[]).is_empty());
        }
    }

    #[test]
    fn unknown_ids() {
        for id in ["", "max", "softmin-0", "softmin-x", "window-0", "softmin-inf"] {
            assert_eq!(Aggregator::parse(id), None, "{id}");
        }
    }

    #[test]
    fn logs_aggregate_like_their_scores() {
        let logs = TURNS.map(f64::ln);
        for rule in Aggregator::ALL {
            let (plain, log) = (rule.apply(&TURNS), rule.apply_log(&logs));
            let (plain, log) = (plain.expect("turns").ln(), log.expect("turns"));
            assert!((plain - log).abs() < 1e-12, "{rule:?}: {plain} {log}");
        }
    }

    #[test]
    fn a_blunt_softmin_is_the_mean() {
        for beta in [1e-9, 1e-100, 1e-300] {
            let rule = Aggregator::Softmin { beta };
            let plain = rule.apply(&TURNS).expect("turns");
            let log = rule.apply_log(&TURNS.map(f64::ln)).expect("turns").exp();
            assert!(
                (plain - 0.575).abs() < 1e-10 && (log - 0.575).abs() < 1e-10,
                "{beta}: {plain} {log}"
            );
        }
    }

    #[test]
    fn a_sharp_softmin_of_small_scores_is_their_minimum() {
        let logs = [1e-8f64.ln(), 1e-3f64.ln(), 0.5f64.ln()];
        for beta in [1e12, 1e15, 1e300] {
            let soft = Aggregator::Softmin { beta }.apply_log(&logs).expect("turns");
            assert!((soft - logs[0]).abs() < 1e-3, "{beta}: {soft} {}", logs[0]);
        }
        // -mpmath.log(mean(exp(-b * s))) / b of [1e-8, 1e-3, 0.5] with b = 1e4 and 1e6, 50 digits
        for (beta, expected) in [(1e4, 1.098_666_885_228_879e-4), (1e6, 1.108_612_288_668_109_7e-6)]
        {
            let soft = Aggregator::Softmin { beta }.apply_log(&logs).expect("turns").exp();
            assert!((soft / expected - 1.0).abs() < 1e-9, "{beta}: {soft} {expected}");
        }
    }

    #[test]
    fn long_turns_do_not_underflow_to_a_tie() {
        for rule in Aggregator::ALL {
            let low = rule.apply_log(&[-2000.0, -2010.0, -2005.0]).expect("turns");
            let high =
                rule.apply_log(&[-2000.0 + 1.0, -2010.0 + 1.0, -2005.0 + 1.0]).expect("turns");
            assert!(low.is_finite() && high > low + 0.9, "{rule:?}: {low} {high}");
        }
    }
}
