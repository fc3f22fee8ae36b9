//! The best values of every family of scorers, their cost, and what the baselines alone predict.

use std::collections::BTreeMap;

use super::frame::mean;
use super::{Counts, Engine, GridValue, ScorerDifference};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Resampling;
use crate::model::Cell;
use crate::scorers::whitebox::Base;
use crate::scorers::{Family, Need, Scorer};

/// One value of a grid, computed or published.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The cell.
    pub cell: Cell,
    /// The scorer's name, with its aggregator.
    pub scorer: String,
    /// The scorer's family.
    pub family: Family,
    /// The value.
    pub value: f64,
    /// Both ends of its interval, where there is one.
    pub ends: Option<[f64; 2]>,
    /// What guessing would give in the cell, where guessing has a value of its own.
    pub chance: Option<f64>,
    /// Whether the cell has too few tasks of the rarer outcome.
    pub flagged: bool,
}

/// The best scorer of a family in a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// The family.
    pub family: Family,
    /// The cell.
    pub cell: Cell,
    /// The scorer's name.
    pub scorer: String,
    /// Its value.
    pub value: f64,
}

/// The values of a family over all cells.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilySummary {
    /// The family.
    pub family: Family,
    /// Mean over cells of its best value in each.
    pub mean: f64,
    /// Its best value anywhere.
    pub peak: f64,
    /// The cell of that value.
    pub peak_cell: Cell,
    /// The scorer of that value.
    pub peak_scorer: String,
    /// The number of cells with a value.
    pub cells: usize,
}

/// The best scorer of every family in every cell; the first of equals wins.
pub fn best(points: &[Point], higher_is_better: bool) -> Vec<Best> {
    let mut best: Vec<Best> = Vec::new();
    let mut indices: BTreeMap<(Family, &Cell), usize> = BTreeMap::new();
    for point in points {
        let candidate = Best {
            family: point.family,
            cell: point.cell.clone(),
            scorer: point.scorer.clone(),
            value: point.value,
        };
        let index = *indices.entry((point.family, &point.cell)).or_insert(best.len());
        let Some(known) = best.get_mut(index) else {
            best.push(candidate);
            continue;
        };
        let order = candidate.value.total_cmp(&known.value);
        if if higher_is_better { order.is_gt() } else { order.is_lt() } {
            *known = candidate;
        }
    }
    best
}

/// Mean and peak of every family.
pub fn families(points: &[Point], higher_is_better: bool) -> Vec<FamilySummary> {
    let best = best(points, higher_is_better);
    let summary = |family: Family| {
        let cells = || best.iter().filter(|best| best.family == family);
        // The first of equals wins.
        let peak = cells().reduce(|peak, next| {
            let order = next.value.total_cmp(&peak.value);
            let is_better = if higher_is_better { order.is_gt() } else { order.is_lt() };
            if is_better { next } else { peak }
        })?;
        Some(FamilySummary {
            family,
            mean: mean(cells().map(|best| best.value)),
            peak: peak.value,
            peak_cell: peak.cell.clone(),
            peak_scorer: peak.scorer.clone(),
            cells: cells().count(),
        })
    };
    Family::ALL.into_iter().filter_map(summary).collect()
}

/// How far the choice of the aggregator moves a base score in a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Swing {
    /// The index of the cell.
    pub cell: usize,
    /// The base score.
    pub base: Base,
    /// The lowest value, and the aggregator that has it.
    pub low: (f64, String),
    /// The highest value, and the aggregator that has it.
    pub high: (f64, String),
}

/// Two scorers of a cell compared, each with its value on all of its tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorerPair {
    /// The first scorer and its value.
    pub first: (String, f64),
    /// The second scorer and its value.
    pub second: (String, f64),
    /// First minus second, on the tasks that both have.
    pub difference: ScorerDifference,
}

/// The best scorers of a cell compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    /// The index of the cell.
    pub cell: usize,
    /// The best reflexive scorer and the best consistency scorer.
    pub reflexive_and_consistency: Option<ScorerPair>,
    /// `ter` and the best other consistency scorer.
    pub ter_and_best_other: Option<ScorerPair>,
}

/// How well a negated count predicts success in a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// The index of the cell.
    pub cell: usize,
    /// The id of the baseline scorer.
    pub scorer: String,
    /// AUROC of its negation.
    pub auroc: Option<f64>,
    /// PRR of its negation.
    pub prr: Option<f64>,
    /// Mean count of successes.
    pub success_mean: Option<f64>,
    /// Mean count of failures.
    pub failure_mean: Option<f64>,
    /// Tasks with a label; runs where every draw counts.
    pub n: usize,
    /// The tasks of these.
    pub tasks: usize,
}

/// What a family needs for one task beyond the reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The family.
    pub family: Family,
    /// The number of trajectories to sample.
    pub extra_trajectories: usize,
    /// The model that is needed, or `none`.
    pub auxiliary_model: &'static str,
    /// How often it is called.
    pub auxiliary_calls: usize,
}

impl Engine {
    /// A grid's values of a metric by name.
    pub fn points(&self, grid: &[GridValue], metric: Metric) -> Vec<Point> {
        let points = grid.iter().filter_map(|value| {
            let scorer = &self.scorers[value.scorer];
            let counts = value.counts;
            Some(Point {
                cell: self.frames[value.cell].cell.clone(),
                scorer: scorer.to_string(),
                family: scorer.family(),
                value: value.value?,
                ends: value.interval.map(|interval| [interval.lo, interval.hi]),
                chance: metric.chance(counts.successes as f64 / counts.runs as f64),
                flagged: counts.is_flagged(),
            })
        });
        points.collect()
    }

    /// How far aggregators move every base score in every cell.
    pub fn swings(&self, grid: &[GridValue]) -> Vec<Swing> {
        let mut swings: BTreeMap<(usize, &str), Swing> = BTreeMap::new();
        for GridValue { cell, scorer, value, .. } in grid {
            let Scorer::WhiteBox(base, rule) = &self.scorers[*scorer] else { continue };
            let Some(value) = *value else { continue };
            let end = (value, rule.id());
            let swing = swings.entry((*cell, base.id())).or_insert_with(|| Swing {
                cell: *cell,
                base: *base,
                low: end.clone(),
                high: end.clone(),
            });
            if value < swing.low.0 {
                swing.low = end;
            } else if value > swing.high.0 {
                swing.high = end;
            }
        }
        swings.into_values().collect()
    }

    /// The best reflexive scorer against the best consistency scorer in every cell with both, and
    /// `ter` against the best of the others.
    pub fn paired(&self, metric: Metric, resampling: Resampling) -> Vec<Paired> {
        let grid = self.grid(metric, None);
        let best = |cell: usize, fits: &dyn Fn(&Scorer) -> bool| {
            let candidates = grid.iter().filter(|value| {
                value.cell == cell && value.value.is_some() && fits(&self.scorers[value.scorer])
            });
            let better = |a: f64, b: f64| if metric.higher_is_better() { a > b } else { a < b };
            // The first of equals wins, as everywhere.
            let best = candidates.reduce(|best, next| match (best.value, next.value) {
                (Some(a), Some(b)) if better(b, a) => next,
                _ => best,
            });
            best.and_then(|best| Some((&self.scorers[best.scorer], best.value?)))
        };
        let pair = |cell: usize, first: Option<(&Scorer, f64)>, second: Option<(&Scorer, f64)>| {
            let ((first, a), (second, b)) = (first?, second?);
            let difference = self.difference(cell, metric, first, second, resampling)?;
            let (first, second) = ((first.to_string(), a), (second.to_string(), b));
            Some(ScorerPair { first, second, difference })
        };
        let is_consistency = |scorer: &Scorer| scorer.family().is_consistency();
        let row = |cell: usize| {
            let reflexive = best(cell, &|scorer| scorer.family() == Family::Reflexive);
            let consistency = best(cell, &is_consistency);
            let ter = best(cell, &|scorer| *scorer == Scorer::Ter);
            let other = best(cell, &|scorer| is_consistency(scorer) && *scorer != Scorer::Ter);
            Paired {
                cell,
                reflexive_and_consistency: pair(cell, reflexive, consistency),
                ter_and_best_other: pair(cell, ter, other),
            }
        };
        let rows = (0..self.frames.len()).map(row);
        let has_any = |row: &Paired| {
            row.reflexive_and_consistency.is_some() || row.ter_and_best_other.is_some()
        };
        rows.filter(has_any).collect()
    }

    /// How well counts of turns and tool calls predict success.
    pub fn baselines(&self) -> Vec<Baseline> {
        let scorers = [Scorer::Turns, Scorer::Tools];
        let rows = self.frames.iter().enumerate().flat_map(|(cell, frame)| {
            scorers.iter().filter_map(move |scorer| {
                let (scores, success) = frame.sample(scorer, Metric::Auroc)?;
                let of = |wanted: bool| {
                    let scored = scores.iter().zip(&success);
                    let counts = scored.filter(|(_, success)| **success == wanted);
                    Some(mean(counts.map(|(score, _)| -score))).filter(|value| !value.is_nan())
                };
                let counts = Counts::of(&scores, &success, frame);
                Some(Baseline {
                    cell,
                    scorer: scorer.id().to_owned(),
                    auroc: Metric::Auroc.value(&scores, &success),
                    prr: Metric::Prr.value(&scores, &success),
                    success_mean: of(true),
                    failure_mean: of(false),
                    n: counts.runs,
                    tasks: counts.tasks,
                })
            })
        });
        rows.collect()
    }

    /// The mean number of turns of the references, rounded.
    fn mean_turns(&self) -> usize {
        let tasks = self.frames.iter().flat_map(|frame| frame.tasks.iter());
        let turns = mean(tasks.filter_map(|task| task.turns).map(f64::from));
        if turns.is_nan() { 0 } else { turns.round() as usize }
    }

    /// What every family costs for a task with as many samples as the store has: what all scorers of
    /// the family need.
    pub fn costs(&self) -> Vec<Cost> {
        let tasks = self.frames.iter().flat_map(|frame| frame.tasks.iter());
        let samples = tasks.map(|task| task.samples.len()).max().unwrap_or(0);
        let turns = self.mean_turns();
        let cost = |family: Family| {
            let all_need = |need: Need| family.specs().all(|spec| spec.needs(need));
            family.specs().next()?;
            let model =
                Need::ALL.into_iter().find(|need| need.model().is_some() && all_need(*need));
            Some(Cost {
                family,
                extra_trajectories: if all_need(Need::Samples) { samples } else { 0 },
                auxiliary_model: model.and_then(Need::model).unwrap_or("none"),
                auxiliary_calls: model.map_or(0, |need| need.calls(samples, turns)),
            })
        };
        Family::ALL.into_iter().filter_map(cost).collect()
    }
}
