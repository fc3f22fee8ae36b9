//! Curves on fixed positions, over resamples: pointwise 95% bands.
//!
//! Every resample is a curve of its own. Its height is taken at fixed positions from left to right
//! (vertical averaging), and a band has the quantiles of the heights. Between two points of an ROC curve
//! the height is on their line, and at a vertical step at its top; precision is that of the threshold at
//! which a recall is first reached, as in the average precision; ties on the risk–coverage curve are
//! averaged over their orders.

use std::ops::Range;

use super::CurvePoint;
use crate::metrics::Ranking;
use crate::metrics::bootstrap::Interval;
use crate::metrics::points::{BINS, bin, probability};

/// The positions from left to right at which a band has a height.
pub const POSITIONS: usize = 101;

/// The most groups of a ranking. Neighbours in rank share a group where there are more blocks, which
/// moves a height by less than a thousandth.
const MOST_GROUPS: usize = 4096;

/// Where a position is, from 0 to 1.
pub fn position(index: usize) -> f64 {
    index as f64 / LAST as f64
}

const LAST: u64 = POSITIONS as u64 - 1;

/// How far up the curves of resamples reach at one position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The position.
    pub x: f64,
    /// The 2.5% quantile; NaN where no resample has a height.
    pub lo: f64,
    /// The 97.5% quantile.
    pub hi: f64,
}

/// The bands of every curve of a scorer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bands {
    /// Of the ROC curve.
    pub roc: Vec<Band>,
    /// Of the precision–recall curve.
    pub precision_recall: Vec<Band>,
    /// Of the risk–coverage curve.
    pub risk_coverage: Vec<Band>,
    /// Of the share of successes in every bin of the reliability diagram; none where scores are no
    /// probabilities, or where a bin has no run.
    pub reliability: Vec<Option<Interval>>,
}

impl Bands {
    /// The height of a band at any position, on the line between its neighbours.
    pub fn at(band: &[Band], x: f64) -> Option<(f64, f64)> {
        let steps = x.clamp(0.0, 1.0) * LAST as f64;
        let below = band.get(steps.floor() as usize)?;
        let above = band.get(steps.ceil() as usize)?;
        let part = steps - steps.floor();
        let between = |a: f64, b: f64| a + (b - a) * part;
        Some((between(below.lo, above.lo), between(below.hi, above.hi)))
    }

    /// The bands of the curves of some resamples.
    pub fn of(lanes: &[Heights]) -> Self {
        let heights = |curve: fn(&Heights) -> &[f64; POSITIONS]| {
            let band = |index: usize| {
                let at = lanes.iter().map(|lane| curve(lane)[index]);
                let interval = Interval::of(at.collect());
                let (lo, hi) = interval.map_or((f64::NAN, f64::NAN), |ends| (ends.lo, ends.hi));
                Band { x: position(index), lo, hi }
            };
            (0..POSITIONS).map(band).collect()
        };
        let bin =
            |index: usize| Interval::of(lanes.iter().map(|lane| lane.reliability[index]).collect());
        Self {
            roc: heights(|lane| &lane.roc),
            precision_recall: heights(|lane| &lane.precision_recall),
            risk_coverage: heights(|lane| &lane.risk_coverage),
            reliability: (0..BINS).map(bin).collect(),
        }
    }
}

/// The heights of one set of curves; NaN where there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Heights {
    roc: [f64; POSITIONS],
    precision_recall: [f64; POSITIONS],
    risk_coverage: [f64; POSITIONS],
    reliability: [f64; BINS],
}

impl Heights {
    const NONE: Self = Self {
        roc: [f64::NAN; POSITIONS],
        precision_recall: [f64::NAN; POSITIONS],
        risk_coverage: [f64::NAN; POSITIONS],
        reliability: [f64::NAN; BINS],
    };

    /// The curves as points without thresholds: ROC, precision–recall and risk–coverage.
    pub fn points(&self) -> [Vec<CurvePoint>; 3] {
        [&self.roc, &self.precision_recall, &self.risk_coverage].map(|heights| {
            let heights = heights.iter().enumerate().filter(|(_, y)| !y.is_nan());
            let point = |(index, y): (usize, &f64)| CurvePoint {
                x: position(index),
                y: *y,
                threshold: f64::NAN,
            };
            heights.map(point).collect()
        })
    }
}

/// The scores of runs in groups of neighbours in rank, so that the curves of a resample follow from how
/// often each group was drawn.
#[derive(Clone, Debug)]
pub struct Grouped {
    /// The group of every run; the last, which is not part of any range, has those without a score.
    group: Vec<u16>,
    /// The groups of every fold, or all of them where there are no folds.
    folds: Vec<Range<usize>>,
    /// The bin of every run; empty where scores are no probabilities.
    bin: Vec<u8>,
    groups: usize,
}

/// The bin of a run without a score.
const NO_BIN: u8 = BINS as u8;

impl Grouped {
    /// Groups scores that are ranked already. `confidences` are the same scores as probabilities, if they
    /// are some.
    pub fn new(ranking: &Ranking, confidences: &[f64]) -> Self {
        let rankings = std::slice::from_ref(ranking);
        Self::in_folds(rankings, confidences)
    }

    /// The same for scores that are compared within folds only: a ranking for every fold. Curves are the
    /// means over the folds.
    pub fn in_folds(rankings: &[Ranking], confidences: &[f64]) -> Self {
        let most = MOST_GROUPS.min(usize::from(u16::MAX - 1) / rankings.len().max(1));
        let mut group = vec![u16::MAX; confidences.len()];
        let mut folds = Vec::with_capacity(rankings.len());
        let mut start = 0;
        for ranking in rankings {
            let blocks = ranking.blocks().count();
            let (mut before, mut end) = (0, start);
            for (index, block) in ranking.blocks().enumerate() {
                let number = if blocks <= most { index } else { before * most / ranking.len() };
                block.iter().for_each(|&item| group[item as usize] = (start + number) as u16);
                before += block.len();
                end = start + number + 1;
            }
            folds.push(start..end);
            start = end;
        }
        group
            .iter_mut()
            .filter(|group| **group == u16::MAX)
            .for_each(|group| *group = start as u16);
        Self { group, folds, bin: bins(confidences), groups: start + 1 }
    }

    /// The curves of a resample in which every run was drawn so many times.
    pub fn heights(&self, success: &[bool], drawn: &[u16]) -> Heights {
        let mut counts = vec![[0u32; 2]; self.groups];
        for ((group, success), drawn) in self.group.iter().zip(success).zip(drawn) {
            counts[usize::from(*group)][usize::from(*success)] += u32::from(*drawn);
        }
        let mut heights = Heights::NONE;
        self.shares(success, drawn, &mut heights.reliability);
        if let [only] = &self.folds[..] {
            follow(&counts[only.clone()], &mut heights);
            return heights;
        }
        let folds = self.folds.iter().map(|fold| {
            let mut heights = Heights::NONE;
            follow(&counts[fold.clone()], &mut heights);
            heights
        });
        let folds: Vec<Heights> = folds.collect();
        mean(&folds, |heights| &heights.roc, &mut heights.roc);
        mean(&folds, |heights| &heights.precision_recall, &mut heights.precision_recall);
        mean(&folds, |heights| &heights.risk_coverage, &mut heights.risk_coverage);
        heights
    }

    /// The share of successes in every bin.
    fn shares(&self, success: &[bool], drawn: &[u16], shares: &mut [f64; BINS]) {
        let mut counts = [[0u32; 2]; BINS + 1];
        for ((bin, success), drawn) in self.bin.iter().zip(success).zip(drawn) {
            counts[usize::from(*bin)][usize::from(*success)] += u32::from(*drawn);
        }
        for (share, [misses, hits]) in shares.iter_mut().zip(counts) {
            // 0 of 0 is NaN, as it should be.
            *share = f64::from(hits) / f64::from(hits + misses);
        }
    }
}

/// The bin of every score; nothing if one is no probability.
fn bins(confidences: &[f64]) -> Vec<u8> {
    let bin_of = |score: &f64| {
        if score.is_nan() {
            Some(NO_BIN)
        } else {
            probability(*score).map(|score| bin(score) as u8)
        }
    };
    confidences.iter().map(bin_of).collect::<Option<Vec<u8>>>().unwrap_or_default()
}

/// The mean height over the folds that have one.
fn mean(folds: &[Heights], curve: fn(&Heights) -> &[f64; POSITIONS], mean: &mut [f64; POSITIONS]) {
    for (index, mean) in mean.iter_mut().enumerate() {
        let known = folds.iter().map(|fold| curve(fold)[index]).filter(|height| !height.is_nan());
        let (sum, count) =
            known.fold((0.0, 0u32), |(sum, count), height| (sum + height, count + 1));
        *mean = sum / f64::from(count);
    }
}

/// Walks down the groups, each with its failures and successes, and notes the height of all curves
/// whenever one reaches its next position.
fn follow(groups: &[[u32; 2]], heights: &mut Heights) {
    let [mut all_misses, mut all_hits] = [0u64; 2];
    for [misses, hits] in groups {
        all_misses += u64::from(*misses);
        all_hits += u64::from(*hits);
    }
    let (has_both, all) = (all_misses > 0 && all_hits > 0, all_misses + all_hits);
    // The next position of each curve.
    let [mut roc, mut recall, mut coverage] =
        if has_both { [0, 0, 0] } else { [POSITIONS as u64, POSITIONS as u64, 0] };
    let [mut misses_before, mut hits_before] = [0u64; 2];
    for [misses, hits] in groups {
        let (misses, hits) = (u64::from(*misses), u64::from(*hits));
        if misses + hits == 0 {
            continue;
        }
        let (misses_after, hits_after) = (misses_before + misses, hits_before + hits);
        let items_before = misses_before + hits_before;
        let items_after = misses_after + hits_after;
        while roc <= LAST && roc * all_misses < LAST * misses_after {
            let beyond = (roc * all_misses) as f64 / LAST as f64 - misses_before as f64;
            let height = hits_before as f64 + beyond * hits as f64 / misses as f64;
            heights.roc[roc as usize] = height / all_hits as f64;
            roc += 1;
        }
        while hits > 0 && recall <= LAST && recall * all_hits <= LAST * hits_after {
            heights.precision_recall[recall as usize] = hits_after as f64 / items_after as f64;
            recall += 1;
        }
        while coverage <= LAST && coverage * all <= LAST * items_after {
            let share = hits as f64 / (misses + hits) as f64;
            let items = (coverage * all) as f64 / LAST as f64;
            let beyond = hits_before as f64 + (items - items_before as f64) * share;
            heights.risk_coverage[coverage as usize] =
                if coverage == 0 { share } else { beyond / items };
            coverage += 1;
        }
        (misses_before, hits_before) = (misses_after, hits_after);
    }
    while has_both && roc <= LAST {
        heights.roc[roc as usize] = 1.0;
        roc += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::bootstrap::Weights;
    use crate::metrics::curve::Steps;
    use crate::rng::Rng;

    fn example(tasks: usize, levels: usize) -> (Vec<f64>, Vec<bool>) {
        let mut rng = Rng::new(3, tasks as u64);
        let scores = (0..tasks).map(|task| match task % 7 {
            3 => f64::NAN,
            _ => rng.below(levels) as f64 / levels as f64,
        });
        let scores: Vec<f64> = scores.collect();
        let success = scores.iter().map(|score| rng.chance(0.2 + 0.6 * score.max(0.0))).collect();
        (scores, success)
    }

    /// The height of a line through points at x, at the top of a vertical step.
    fn on_line(points: &[CurvePoint], x: f64) -> f64 {
        let last = points.iter().rposition(|point| point.x <= x + 1e-12).expect("begins at 0");
        match points.get(last + 1) {
            Some(next) if (points[last].x - x).abs() > 1e-12 => {
                let part = (x - points[last].x) / (next.x - points[last].x);
                points[last].y + part * (next.y - points[last].y)
            }
            _ => points[last].y,
        }
    }

    #[test]
    fn heights_are_those_of_the_resample_written_out() {
        for (tasks, levels) in [(12, 3), (60, 1000), (300, 9)] {
            let (scores, success) = example(tasks, levels);
            let grouped = Grouped::new(&Ranking::new(&scores), &scores);
            for resample in 0..5 {
                let weights = Weights::draw(tasks, resample..resample + 1, 1, 2);
                let drawn: Vec<u16> = weights.lane(0).collect();
                let heights = grouped.heights(&success, &drawn);
                let (scores, success): (Vec<f64>, Vec<bool>) = drawn
                    .iter()
                    .enumerate()
                    .flat_map(|(task, times)| (0..*times).map(move |_| task))
                    .map(|task| (scores[task], success[task]))
                    .unzip();
                let steps = Steps::new(&scores, &success);
                let (roc, recall) = (steps.roc(), steps.precision_recall());
                for index in 0..POSITIONS {
                    let x = position(index);
                    let same = |a: f64, b: f64, curve: &str| {
                        assert!((a - b).abs() < 1e-9, "{curve} of {tasks} at {x}: {a} {b}");
                    };
                    same(heights.roc[index], on_line(&roc, x), "roc");
                    let first = recall[1..].iter().find(|p| p.x >= x - 1e-12 && p.x > 0.0);
                    same(heights.precision_recall[index], first.expect("ends at 1").y, "recall");
                    let retained = steps.retained_at(x).expect("runs");
                    same(heights.risk_coverage[index], retained, "coverage");
                }
                let bins = crate::metrics::curve::reliability(&scores, &success);
                for (share, bin) in heights.reliability.iter().zip(bins.expect("shares")) {
                    assert!(
                        bin.share().map_or(share.is_nan(), |other| (share - other).abs() < 1e-12)
                    );
                }
            }
        }
    }

    #[test]
    fn many_scores_share_groups_and_heights_hardly_move() {
        let (scores, success) = example(40_000, 1 << 40);
        let grouped = Grouped::new(&Ranking::new(&scores), &scores);
        assert!(grouped.groups <= MOST_GROUPS + 1);
        let heights = grouped.heights(&success, &vec![1; scores.len()]);
        let roc = Steps::new(&scores, &success).roc();
        for index in 0..POSITIONS {
            let exact = on_line(&roc, position(index));
            assert!((heights.roc[index] - exact).abs() < 2e-3, "{index}");
        }
    }

    #[test]
    fn folds_are_averaged() {
        // Within each fold the ranking is perfect, and between the folds it is not.
        let scores = [0.9, 0.8, 0.2, 0.1];
        let success = [true, false, true, false];
        let of_fold = |fold: usize| {
            let scores: Vec<f64> =
                (0..4).map(|run| if run / 2 == fold { scores[run] } else { f64::NAN }).collect();
            Ranking::new(&scores)
        };
        let grouped = Grouped::in_folds(&[of_fold(0), of_fold(1)], &scores);
        let heights = grouped.heights(&success, &[1; 4]);
        assert!(heights.roc.iter().all(|height| (height - 1.0).abs() < 1e-15));
        // A fold with one outcome says nothing.
        let heights = grouped.heights(&success, &[1, 1, 1, 0]);
        assert!(heights.roc.iter().all(|height| (height - 1.0).abs() < 1e-15));
        let heights = grouped.heights(&success, &[1, 0, 1, 0]);
        assert!(heights.roc.iter().all(|height| height.is_nan()));
        assert!((heights.risk_coverage[50] - 1.0).abs() < 1e-15);
    }
}
