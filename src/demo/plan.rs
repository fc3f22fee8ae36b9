//! The tasks of a cell: what each is, what the agent does in it, and whether it succeeds.

use super::script::{Domain, Facts, TaskKind};
use super::shape::{Drift, Route, Shaper};
use super::steer::{WantedAuroc, choose};
use super::{Order, SEED};
use crate::published::Figure;
use crate::rng::Rng;
use crate::scorers::consistency::Consistency;

/// Sampled trajectories of a task.
pub const SAMPLES: usize = 3;

/// What the paper reports for one cell.
pub struct Targets(Vec<Figure>);

impl Targets {
    pub fn new(figures: &[Figure], dataset: &str, model: &str) -> Self {
        let of_cell = |figure: &&Figure| figure.dataset == dataset && figure.model == model;
        Self(figures.iter().filter(of_cell).copied().collect())
    }

    fn get(&self, table: &str, scorer: &str, aggregator: Option<&str>) -> Option<f64> {
        let wanted = (table, scorer, aggregator);
        let names = |figure: &Figure| (figure.table, figure.scorer, figure.aggregator);
        self.0.iter().find(|figure| names(figure) == wanted).map(|figure| figure.value)
    }

    /// The AUROC of a scorer; chance where nothing is published.
    pub fn auroc(&self, scorer: &str, aggregator: Option<&str>) -> f64 {
        self.published_auroc(scorer, aggregator).unwrap_or(0.5)
    }

    /// The AUROC of a scorer, where one is published.
    pub fn published_auroc(&self, scorer: &str, aggregator: Option<&str>) -> Option<f64> {
        let tables = ["auroc", "auroc_whitebox_full", "auroc_prefix"];
        tables.iter().find_map(|table| self.get(table, scorer, aggregator))
    }

    /// The mean over tasks of a scorer of prefixes, where one is published.
    pub fn published_mean(&self, scorer: &str) -> Option<f64> {
        self.get("mean_prefix", scorer, None)
    }

    /// How often draws of this cell share their outcome, and what a judge says of them; none where the
    /// paper does not say.
    pub fn stuck(&self) -> Option<StuckFigures> {
        let pairs = |group: &str| {
            let n = self.get("stuck_pairs_n", "", Some(group))?;
            let mean = self.get("stuck_pairs", "ter", Some(group))?;
            Some(Judged { n: n as usize, equivalent: (n * mean).round() as usize })
        };
        let tasks = |group: &str| {
            let n = self.get("stuck_tasks_n", "", Some(group))?;
            let mean = self.get("stuck_tasks", "ter", Some(group))?;
            let equivalent = (n * SAMPLES as f64 * mean).round() as usize;
            Some(Judged { n: n as usize, equivalent })
        };
        Some(StuckFigures {
            pairs: [
                pairs("success-success")?,
                pairs("success-failure")?,
                pairs("failure-failure")?,
            ],
            always: tasks("always")?,
            never: tasks("never")?,
        })
    }

    /// Share of tasks solved.
    pub fn rate(&self) -> f64 {
        self.get("auroc", "success_rate", None).unwrap_or(50.0) / 100.0
    }

    /// A mean confidence that explains the published calibration error: agents are too sure of
    /// themselves, unless that would need more than certainty.
    pub fn level(&self, scorer: &str, aggregator: Option<&str>) -> f64 {
        let error = self.get("ece", scorer, aggregator).unwrap_or(0.2);
        let (above, below) = (self.rate() + error, self.rate() - error);
        if above <= 1.0 || below <= 0.0 { above.min(0.995) } else { below }
    }

    /// Number of solved tasks among `tasks` of the paper's `full`. Fewer tasks keep the share, and
    /// a task of either outcome where the full cell has both.
    pub fn successes(&self, tasks: usize, full: usize) -> usize {
        let minority = self.get("auroc", "minority_n", None).unwrap_or(0.0) as usize;
        let all = if self.rate() * 2.0 < 1.0 { minority } else { full - minority.min(full) };
        if tasks >= full {
            return all;
        }
        let scaled = (2 * all * tasks + full) / (2 * full);
        let both = all > 0 && all < full && tasks >= 2;
        if both { scaled.clamp(1, tasks - 1) } else { scaled.min(tasks) }
    }
}

/// Pairs or tasks of a group, and how many of their pairs the judge calls equivalent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    pub n: usize,
    pub equivalent: usize,
}

/// Agreement of a cell by outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckFigures {
    /// Pairs of which both, one or neither run succeeds.
    pub pairs: [Judged; 3],
    /// Tasks that every draw solves.
    pub always: Judged,
    /// Tasks that no draw solves.
    pub never: Judged,
}

/// One task of a cell.
pub struct PlannedTask {
    pub kind: &'static TaskKind,
    pub facts: Facts,
    pub reference: Route,
    pub samples: [Route; SAMPLES],
}

/// The kind and the facts of a task: the same for every model.
pub fn draw_task(
    domain: &'static Domain,
    dataset: usize,
    task: usize,
) -> (&'static TaskKind, Facts) {
    let mut rng = Rng::new(SEED, (1_000_000 * (dataset + 1) + task) as u64);
    let facts = (domain.facts)(&mut rng);
    (rng.pick(domain.kinds), facts)
}

/// The tasks of a cell with what the agent does in them.
pub fn tasks(
    domain: &'static Domain,
    order: Order,
    targets: &Targets,
    rng: &mut Rng,
) -> Vec<PlannedTask> {
    let drift = drift(targets);
    // References of all models differ from their plan about equally.
    let from_plan =
        Drift { tools: 0.22, repeats: 1.2, order: 0.4, quits: 2.0 * drift.quits, ..drift };
    (0..order.tasks)
        .map(|task| {
            let (kind, facts) = draw_task(domain, order.dataset, order.first + task);
            let shaper = Shaper { domain, kind };
            let reference = shaper.reference(from_plan, rng);
            let drift = drift.vary(rng);
            let samples = std::array::from_fn(|_| shaper.alter(&reference, drift, rng));
            PlannedTask { kind, facts, reference, samples }
        })
        .collect()
}

/// How much the samples of a cell vary, from the agreement that its calibration errors imply.
fn drift(targets: &Targets) -> Drift {
    let apart = |scorer| 1.0 - targets.level(scorer, None);
    Drift {
        first: apart("fac") + 0.02,
        tools: 1.6 * apart("asc") + 0.04,
        repeats: 14.0 * (apart("aec") + apart("adc")) + 0.1,
        order: 12.0 * apart("aec") + 0.1,
        quits: 0.12 * (1.0 - targets.rate()),
    }
}

/// Chooses the tasks whose reference succeeds: as many as published, and such that the agreement
/// of actions predicts success as well, or as badly, as published.
pub fn solved(tasks: &[PlannedTask], count: usize, targets: &Targets, rng: &mut Rng) -> Vec<bool> {
    let wanted = Consistency::of_paper().map(|scorer| WantedAuroc {
        values: Vec::with_capacity(tasks.len()),
        target: targets.auroc(scorer.id(), None),
    });
    let mut wanted: Vec<WantedAuroc> = wanted.collect();
    for task in tasks {
        let reference = task.reference.actions(task.kind);
        let samples = task.samples.each_ref().map(|sample| sample.actions(task.kind));
        let samples: Vec<&[&str]> = samples.iter().map(Vec::as_slice).collect();
        for (scorer, wanted) in Consistency::of_paper().zip(&mut wanted) {
            wanted.values.extend(scorer.task(&reference, &samples));
        }
    }
    let mut eligible: Vec<bool> = tasks.iter().map(|task| task.reference.complete).collect();
    // A small cell may have more successes than references that leave nothing out.
    let missing = count.saturating_sub(eligible.iter().filter(|complete| **complete).count());
    for incomplete in eligible.iter_mut().filter(|complete| !**complete).take(missing) {
        *incomplete = true;
    }
    choose(&wanted, &eligible, count, rng)
}
