//! What an agent does in a task, turn by turn, and how its samples depart from its reference.

use super::script::{Domain, Kind, Step, Talk};
use crate::rng::Rng;

/// The turns of one trajectory.
#[derive(Clone)]
pub struct Path {
    opening: usize,
    body: Vec<Step>,
    /// Nothing that the task needs was left out.
    pub complete: bool,
}

impl Path {
    /// All turns in order.
    pub fn steps(&self, kind: &Kind) -> Vec<Step> {
        kind.openings[self.opening].iter().chain(&self.body).copied().collect()
    }

    /// The action type of every turn.
    pub fn actions(&self, kind: &Kind) -> Vec<&'static str> {
        self.steps(kind).into_iter().map(Step::action).collect()
    }
}

/// How far a trajectory departs from the one it is made from, each way on its own.
#[derive(Clone, Copy, Default)]
pub struct Drift {
    /// Chance of another first action.
    pub first: f64,
    /// Chance, for every lookup, to be left out or added.
    pub tools: f64,
    /// Mean number of repeated lookups and asides.
    pub repeats: f64,
    /// Mean number of neighbours that change places.
    pub order: f64,
    /// Chance to give up, or to forget a step.
    pub quits: f64,
}

impl Drift {
    /// The same, each way with a strength of its own: tasks of a cell differ in how they vary.
    pub fn vary(self, rng: &mut Rng) -> Self {
        let mut strength = || if rng.chance(0.25) { 0.0 } else { 2.6 * rng.unit() };
        Self {
            first: (self.first * strength()).min(0.9),
            tools: (self.tools * strength()).min(0.8),
            repeats: self.repeats * strength(),
            order: self.order * strength(),
            quits: self.quits,
        }
    }
}

/// Makes and alters the paths of one kind of task.
pub struct Shaper<'a> {
    pub domain: &'a Domain,
    pub kind: &'a Kind,
}

impl Shaper<'_> {
    /// A reference: the kind's own plan, departed from.
    pub fn reference(&self, drift: Drift, rng: &mut Rng) -> Path {
        // The first opening is the usual one.
        let opening = if rng.chance(0.55) { 0 } else { rng.below(self.kind.openings.len()) };
        let plan = Path { opening, body: self.kind.body.to_vec(), complete: true };
        self.alter(&plan, Drift { first: 0.0, ..drift }, rng)
    }

    /// Another attempt that resembles `path`.
    pub fn alter(&self, path: &Path, drift: Drift, rng: &mut Rng) -> Path {
        let mut new = path.clone();
        if rng.chance(drift.first) {
            new.opening = self.other_opening(path, rng);
        }
        if new.complete && rng.chance(drift.quits) {
            self.quit(&mut new, rng);
        }
        self.change_tools(&mut new, drift.tools, rng);
        for _ in 0..count(drift.repeats, rng) {
            self.repeat(&mut new, rng);
        }
        for _ in 0..count(drift.order, rng) {
            self.exchange(&mut new, rng);
        }
        for _ in self.turns(&new)..self.domain.turns.0 {
            self.aside(&mut new, rng);
        }
        new
    }

    fn turns(&self, path: &Path) -> usize {
        self.kind.openings[path.opening].len() + path.body.len()
    }

    fn full(&self, path: &Path) -> bool {
        self.turns(path) >= self.domain.turns.1
    }

    /// An opening that begins with another action, where there is one.
    fn other_opening(&self, path: &Path, rng: &mut Rng) -> usize {
        let first = |opening: usize| {
            let steps = self.kind.openings[opening].iter().chain(&path.body);
            steps.copied().next().map(Step::action)
        };
        let others: Vec<usize> = (0..self.kind.openings.len())
            .filter(|&other| first(other) != first(path.opening))
            .collect();
        if others.is_empty() { path.opening } else { *rng.pick(&others) }
    }

    /// Where lookups and asides come and go: after the first turn, before the first change or,
    /// without one, before the report.
    fn middle(&self, path: &Path) -> std::ops::Range<usize> {
        let start = usize::from(self.kind.openings.iter().any(|opening| opening.is_empty()));
        let ends = |step: &Step| match step {
            Step::Read(_) => false,
            Step::Write(_) => true,
            Step::Say(talk) => talk.report,
        };
        let end = path.body.iter().position(ends).unwrap_or(path.body.len() - 1);
        start.min(end)..end
    }

    fn change_tools(&self, path: &mut Path, chance: f64, rng: &mut Rng) {
        let start = self.middle(path).start;
        for index in (start..path.body.len()).rev() {
            let read = matches!(path.body[index], Step::Read(_));
            if read && self.turns(path) > 3 && rng.chance(chance) {
                path.body.remove(index);
            }
        }
        for detour in self.kind.detours {
            let known = path.body.iter().any(|step| step.action() == detour.action());
            if !known && !self.full(path) && rng.chance(chance) {
                let middle = self.middle(path);
                path.body.insert(middle.start + rng.below(middle.len() + 1), *detour);
            }
        }
    }

    /// Repeats a call at once, as agents do after an error or for a second item, or adds an aside.
    fn repeat(&self, path: &mut Path, rng: &mut Rng) {
        const MOST: usize = 4;
        if self.full(path) {
            return;
        }
        let start = self.middle(path).start;
        let index = start + rng.below(path.body.len() - start);
        let step = path.body[index];
        let times = path.body.iter().filter(|own| own.action() == step.action()).count();
        match step {
            Step::Read(_) | Step::Write(_) if times < MOST => path.body.insert(index, step),
            _ => self.aside(path, rng),
        }
    }

    /// Says something that was not said yet, where there is such a thing.
    fn aside(&self, path: &mut Path, rng: &mut Rng) {
        let said = |aside: &Talk| {
            let same = |step: &Step| matches!(step, Step::Say(talk) if std::ptr::eq(*talk, aside));
            path.body.iter().any(same)
        };
        let new: Vec<&'static Talk> =
            self.domain.asides.iter().filter(|aside| !said(aside)).collect();
        if let Some(aside) = (!new.is_empty()).then(|| *rng.pick(&new)) {
            let middle = self.middle(path);
            path.body.insert(middle.start + rng.below(middle.len() + 1), Step::Say(aside));
        }
    }

    fn exchange(&self, path: &mut Path, rng: &mut Rng) {
        let middle = self.middle(path);
        if middle.len() >= 2 {
            let index = middle.start + rng.below(middle.len() - 1);
            path.body.swap(index, index + 1);
        }
    }

    /// Leaves out one change or all of them; the agent may hand the user over.
    fn quit(&self, path: &mut Path, rng: &mut Rng) {
        let Some(first) = path.body.iter().position(|step| step.is_write()) else { return };
        path.complete = false;
        if rng.chance(0.5) {
            let forgotten = path.body[first].action();
            path.body.retain(|step| step.action() != forgotten);
            return;
        }
        path.body.retain(|step| !step.is_write());
        if let Some(transfer) = self.domain.transfer.filter(|_| rng.chance(0.5)) {
            path.body.insert(first, Step::Write(transfer));
        }
    }
}

/// A small whole number around that mean.
fn count(mean: f64, rng: &mut Rng) -> usize {
    let mut left = mean * 0.75;
    let mut count = 0;
    while count < 8 && rng.chance(left.min(0.92)) {
        count += 1;
        left *= 0.8;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::{DATASETS, domain};

    #[test]
    fn paths_stay_within_their_bounds_and_end_with_words() {
        let mut rng = Rng::new(2, 2);
        let drift = Drift { first: 0.5, tools: 0.4, repeats: 3.0, order: 2.0, quits: 0.3 };
        for (name, _) in DATASETS {
            let domain = domain(name);
            for kind in domain.kinds.iter().cycle().take(60) {
                let shaper = Shaper { domain, kind };
                let reference = shaper.reference(drift, &mut rng);
                let sample = shaper.alter(&reference, drift.vary(&mut rng), &mut rng);
                for path in [&reference, &sample] {
                    let actions = path.actions(kind);
                    let (fewest, most) = domain.turns;
                    assert!((fewest..=most + 2).contains(&actions.len()), "{actions:?}");
                    assert_eq!(actions.last(), Some(&"message"), "{name}");
                }
            }
        }
    }

    #[test]
    fn without_drift_a_sample_is_its_reference() {
        let domain = domain("retail");
        let shaper = Shaper { domain, kind: &domain.kinds[0] };
        let mut rng = Rng::new(9, 9);
        let reference = shaper.reference(Drift::default(), &mut rng);
        let sample = shaper.alter(&reference, Drift::default(), &mut rng);
        assert_eq!(reference.actions(shaper.kind), sample.actions(shaper.kind));
        assert!(sample.complete);
    }
}
