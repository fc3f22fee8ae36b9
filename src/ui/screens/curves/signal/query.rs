//! What the page asks in the background.

use super::MOST_LISTED;
use crate::engine::{Engine, Scope, Signal, SignalBy, TurnGroup, TurnRef};
use crate::metrics::bootstrap::Resampling;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::{KeptTasks, SelectedTasks};

/// How well turns separate failures, by position and by action.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The cells that are looked at together.
    pub cells: Scope,
    /// The base score.
    pub base: Base,
    /// The aggregator over the turns so far.
    pub rule: Aggregator,
}

/// The numbers; first without intervals, then with them.
#[derive(Clone, Debug)]
pub struct SignalAnswer {
    /// Single turns by position.
    pub turns: Vec<Signal>,
    /// Runs by what is known of them so far.
    pub so_far: Vec<Signal>,
    /// Single turns by action.
    pub actions: Vec<Signal>,
    /// The resamples behind the intervals, where there are any.
    pub resamples: Option<usize>,
}

impl Query for SignalQuery {
    type Answer = SignalAnswer;
    const LANE: Lane = Lane::Signal;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(SignalAnswer) -> bool) {
        let kept = &self.tasks.value;
        let engine = kept.engine();
        let cells = engine.cells_of(&self.cells);
        let actions = worker.turn_actions(kept.whole());
        let answer = |resampling: Option<Resampling>| {
            let of = |by: SignalBy<'_>| engine.signal(&cells, self.base, by, resampling);
            SignalAnswer {
                turns: of(SignalBy::Position),
                so_far: of(SignalBy::Share(self.rule)),
                actions: of(SignalBy::Action(actions)),
                resamples: resampling.map(|resampling| resampling.resamples),
            }
        };
        if send(answer(None)) {
            send(answer(Some(engine.affordable(&cells, worker.resampling))));
        }
    }
}

/// The selected turns behind a number.
#[derive(Clone, Debug, PartialEq)]
pub struct BehindQuery {
    /// The tasks.
    pub tasks: SelectedTasks,
    /// The cells that are looked at together.
    pub cells: Scope,
    /// The base score.
    pub base: Base,
    /// The aggregator over the turns so far.
    pub rule: Aggregator,
    /// Which turns.
    pub group: TurnGroup,
}

impl Query for BehindQuery {
    /// Their number, and the first of them.
    type Answer = (usize, Vec<TurnRef>);
    const LANE: Lane = Lane::Behind;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let kept = &self.tasks.value;
        let engine: &Engine = kept.engine();
        let cells = engine.cells_of(&self.cells);
        let by = match self.group {
            TurnGroup::Position(_) => SignalBy::Position,
            TurnGroup::Share(_) => SignalBy::Share(self.rule),
            _ => SignalBy::Action(worker.turn_actions(kept.whole())),
        };
        let mut turns = engine.turns_behind(&cells, self.base, by, &self.group);
        let count = turns.len();
        turns.truncate(MOST_LISTED);
        turns.iter_mut().for_each(|turn| turn.id = kept.whole_id(turn.id));
        send((count, turns));
    }
}
