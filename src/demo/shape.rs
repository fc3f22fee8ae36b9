//! What an agent does in a task, turn by turn, and how its samples differ from its reference.

use super::script::{AgentStep, Domain, Talk, TaskKind};
use crate::rng::Rng;

/// The turns of one trajectory, as steps of the script.
#[derive(Clone)]
pub struct Route {
    opening: usize,
    body: Vec<AgentStep>,
    /// Nothing that the task needs was left out.
    pub complete: bool,
}

impl Route {
    /// All turns in order.
    pub fn steps(&self, kind: &TaskKind) -> Vec<AgentStep> {
        kind.openings[self.opening].iter().chain(&self.body).copied().collect()
    }

    /// The action type of every turn.
    pub fn actions(&self, kind: &TaskKind) -> Vec<&'static str> {
        self.steps(kind).into_iter().map(AgentStep::action).collect()
    }
}

/// How much a trajectory differs from the one it is made from, in each respect.
#[derive(Clone, Copy, Default)]
pub struct Drift {
    /// Chance of another first action.
    pub first: f64,
    /// Chance, for every lookup, to be left out or added.
    pub tools: f64,
    /// Mean number of repeated lookups and asides.
    pub repeats: f64,
    /// Mean number of neighbouring turns that are swapped.
    pub order: f64,
    /// Chance to give up, or to forget a step.
    pub quits: f64,
}

impl Drift {
    /// The same with every respect scaled at random, since tasks of a cell differ in how they vary.
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

/// Makes and alters the routes of one kind of task.
pub struct Shaper<'a> {
    pub domain: &'a Domain,
    pub kind: &'a TaskKind,
}

impl Shaper<'_> {
    /// A reference: the plan of its kind, altered.
    pub fn reference(&self, drift: Drift, rng: &mut Rng) -> Route {
        // The first opening is the usual one.
        let opening = if rng.chance(0.55) { 0 } else { rng.below(self.kind.openings.len()) };
        let plan = Route { opening, body: self.kind.body.to_vec(), complete: true };
        self.alter(&plan, Drift { first: 0.0, ..drift }, rng)
    }

    /// Another attempt that resembles `route`.
    pub fn alter(&self, route: &Route, drift: Drift, rng: &mut Rng) -> Route {
        let mut new = route.clone();
        if rng.chance(drift.first) {
            new.opening = self.other_opening(route, rng);
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

    fn turns(&self, route: &Route) -> usize {
        self.kind.openings[route.opening].len() + route.body.len()
    }

    fn full(&self, route: &Route) -> bool {
        self.turns(route) >= self.domain.turns.1
    }

    /// An opening that begins with another action, where there is one.
    fn other_opening(&self, route: &Route, rng: &mut Rng) -> usize {
        let first = |opening: usize| {
            let steps = self.kind.openings[opening].iter().chain(&route.body);
            steps.copied().next().map(AgentStep::action)
        };
        let others: Vec<usize> = (0..self.kind.openings.len())
            .filter(|&other| first(other) != first(route.opening))
            .collect();
        if others.is_empty() { route.opening } else { *rng.pick(&others) }
    }

    /// Where lookups and asides come and go: after the first turn, before the first change or,
    /// without one, before the report.
    fn middle(&self, route: &Route) -> std::ops::Range<usize> {
        let start = usize::from(self.kind.openings.iter().any(|opening| opening.is_empty()));
        let ends = |step: &AgentStep| match step {
            AgentStep::Read(_) => false,
            AgentStep::Write(_) => true,
            AgentStep::Say(talk) => talk.report,
        };
        let end = route.body.iter().position(ends).unwrap_or(route.body.len() - 1);
        start.min(end)..end
    }

    fn change_tools(&self, route: &mut Route, chance: f64, rng: &mut Rng) {
        let start = self.middle(route).start;
        for index in (start..route.body.len()).rev() {
            let read = matches!(route.body[index], AgentStep::Read(_));
            if read && self.turns(route) > 3 && rng.chance(chance) {
                route.body.remove(index);
            }
        }
        for detour in self.kind.detours {
            let known = route.body.iter().any(|step| step.action() == detour.action());
            if !known && !self.full(route) && rng.chance(chance) {
                let middle = self.middle(route);
                route.body.insert(middle.start + rng.below(middle.len() + 1), *detour);
            }
        }
    }

    /// Repeats a call at once, as agents do after an error or for a second item, or adds an aside.
    fn repeat(&self, route: &mut Route, rng: &mut Rng) {
        const MOST: usize = 4;
        if self.full(route) {
            return;
        }
        let start = self.middle(route).start;
        let index = start + rng.below(route.body.len() - start);
        let step = route.body[index];
        let times = route.body.iter().filter(|other| other.action() == step.action()).count();
        match step {
            AgentStep::Read(_) | AgentStep::Write(_) if times < MOST => {
                route.body.insert(index, step);
            }
            _ => self.aside(route, rng),
        }
    }

    /// Says something that was not said yet, where there is such a thing.
    fn aside(&self, route: &mut Route, rng: &mut Rng) {
        let said = |aside: &Talk| {
            let same = |step: &AgentStep| matches!(step, AgentStep::Say(talk) if std::ptr::eq(*talk, aside));
            route.body.iter().any(same)
        };
        let new: Vec<&'static Talk> =
            self.domain.asides.iter().filter(|aside| !said(aside)).collect();
        if let Some(aside) = (!new.is_empty()).then(|| *rng.pick(&new)) {
            let middle = self.middle(route);
            route.body.insert(middle.start + rng.below(middle.len() + 1), AgentStep::Say(aside));
        }
    }

    fn exchange(&self, route: &mut Route, rng: &mut Rng) {
        let middle = self.middle(route);
        if middle.len() >= 2 {
            let index = middle.start + rng.below(middle.len() - 1);
            route.body.swap(index, index + 1);
        }
    }

    /// Leaves out one change or all of them; the agent may hand the user over.
    fn quit(&self, route: &mut Route, rng: &mut Rng) {
        let Some(first) = route.body.iter().position(|step| step.is_write()) else { return };
        route.complete = false;
        if rng.chance(0.5) {
            let forgotten = route.body[first].action();
            route.body.retain(|step| step.action() != forgotten);
            return;
        }
        route.body.retain(|step| !step.is_write());
        if let Some(transfer) = self.domain.transfer.filter(|_| rng.chance(0.5)) {
            route.body.insert(first, AgentStep::Write(transfer));
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
    fn routes_stay_within_their_bounds_and_end_with_words() {
        let mut rng = Rng::new(2, 2);
        let drift = Drift { first: 0.5, tools: 0.4, repeats: 3.0, order: 2.0, quits: 0.3 };
        for (name, _) in DATASETS {
            let domain = domain(name);
            for kind in domain.kinds.iter().cycle().take(60) {
                let shaper = Shaper { domain, kind };
                let reference = shaper.reference(drift, &mut rng);
                let sample = shaper.alter(&reference, drift.vary(&mut rng), &mut rng);
                for route in [&reference, &sample] {
                    let actions = route.actions(kind);
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
