//! Values and intervals of scorers, by cell, under one scope and metric.

use super::{FilterKey, KeptTasks, Shared};
use crate::engine::{Counts, GridValue, Resampled, ScorerDifference};
use crate::metrics::Metric;
use crate::metrics::bootstrap::Interval;
use crate::report::TableRequest;
use crate::scorers::Scorer;
use crate::ui::effects::Effects;
use crate::ui::query::{Asked, Hint, Lane, Query, Worker};

/// A value of the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The metric; none where it is not defined.
    pub value: Option<f64>,
    /// What it rests on.
    pub counts: Counts,
}

/// A result that may still be computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pending<T> {
    /// Not yet known.
    #[default]
    Waiting,
    /// Known; none where it is not defined.
    Known(Option<T>),
}

impl<T> Pending<T> {
    /// The result, if it is known and there is one.
    pub fn get(self) -> Option<T> {
        match self {
            Self::Waiting => None,
            Self::Known(result) => result,
        }
    }
}

/// What is known of one scorer, by cell.
#[derive(Clone, Debug)]
struct Known {
    scorer: Scorer,
    values: Vec<Option<Number>>,
    intervals: Vec<Pending<Interval>>,
    /// Differences to the pinned scorer.
    differences: Vec<Pending<ScorerDifference>>,
}

/// What numbers are wanted.
#[derive(Clone, Debug)]
pub struct WantedNumbers<'a> {
    /// The tasks.
    pub tasks: &'a KeptTasks,
    /// The metric.
    pub metric: Metric,
    /// The scorers.
    pub scorers: &'a [Scorer],
    /// The scorer whose values come first.
    pub first: &'a Scorer,
    /// The scorer that differences are taken to.
    pub pinned: Option<&'a Scorer>,
    /// The cell whose intervals come first.
    pub cell: usize,
    /// How many cells there are.
    pub cells: usize,
}

/// Values and intervals of scorers, by cell, under one scope and metric.
#[derive(Debug, Default)]
pub struct Numbers {
    key: Option<(FilterKey, Metric)>,
    pinned: Option<Scorer>,
    known: Vec<Known>,
    points: Asked<PointsQuery>,
    intervals: Asked<IntervalsQuery>,
}

impl Numbers {
    fn of(&self, scorer: &Scorer) -> Option<&Known> {
        self.known.iter().find(|known| known.scorer == *scorer)
    }

    /// The values of a scorer by cell, once they are known.
    pub fn row(&self, scorer: &Scorer) -> Option<&[Option<Number>]> {
        self.of(scorer).map(|known| known.values.as_slice())
    }

    /// The value of a scorer in a cell.
    pub fn number(&self, scorer: &Scorer, cell: usize) -> Option<Number> {
        self.row(scorer)?.get(cell).copied().flatten()
    }

    /// The metric of a scorer in a cell, where it is defined.
    pub fn value(&self, scorer: &Scorer, cell: usize) -> Option<f64> {
        self.number(scorer, cell)?.value
    }

    /// The interval of a value.
    pub fn interval(&self, scorer: &Scorer, cell: usize) -> Pending<Interval> {
        self.of(scorer).and_then(|known| known.intervals.get(cell)).copied().unwrap_or_default()
    }

    /// The difference to the pinned scorer, with its interval.
    pub fn difference(&self, scorer: &Scorer, cell: usize) -> Pending<ScorerDifference> {
        self.of(scorer).and_then(|known| known.differences.get(cell)).copied().unwrap_or_default()
    }

    /// Whether values are on their way.
    pub(super) fn is_waiting(&self) -> bool {
        self.points.is_waiting()
    }

    /// Asks for the values that are missing, those of the first scorer alone before the others, and then, the
    /// selected cell first, for the intervals.
    pub fn want(&mut self, wanted: &WantedNumbers<'_>, effects: &mut Effects) {
        if wanted.cells == 0 {
            return;
        }
        self.forget_others(wanted);
        let (tasks, metric) = (wanted.tasks.clone(), wanted.metric);
        let unknown = wanted.scorers.iter().filter(|scorer| self.row(scorer).is_none());
        let mut unknown: Vec<Scorer> = unknown.cloned().collect();
        if !unknown.is_empty() {
            if unknown.contains(wanted.first) {
                unknown = vec![wanted.first.clone()];
            }
            self.points.want(PointsQuery { tasks, metric, scorers: unknown }, effects);
            return;
        }
        let others = (0..wanted.cells).filter(|cell| *cell != wanted.cell);
        let mut cells: Vec<usize> = std::iter::once(wanted.cell).chain(others).collect();
        cells.retain(|cell| self.lacks_intervals(wanted.scorers, *cell));
        if !cells.is_empty() {
            let scorers = wanted.scorers.to_vec();
            let (pinned, cells) = (wanted.pinned.cloned(), Hint(cells));
            let question = IntervalsQuery { tasks, metric, scorers, pinned, cells };
            self.intervals.want(question, effects);
        }
    }

    /// Forgets what answers another question.
    fn forget_others(&mut self, wanted: &WantedNumbers<'_>) {
        let key = Some((wanted.tasks.key.clone(), wanted.metric));
        if self.key != key {
            *self = Self { key, pinned: wanted.pinned.cloned(), ..Self::default() };
        } else if self.pinned.as_ref() != wanted.pinned {
            self.known.iter_mut().for_each(|known| known.differences.clear());
            self.pinned = wanted.pinned.cloned();
            self.points.forget();
            self.intervals.forget();
        }
    }

    /// Whether a cell lacks the interval of any of these scorers.
    fn lacks_intervals(&self, scorers: &[Scorer], cell: usize) -> bool {
        scorers.iter().any(|scorer| {
            self.interval(scorer, cell) == Pending::Waiting
                || (self.pinned.is_some() && self.difference(scorer, cell) == Pending::Waiting)
        })
    }

    /// Takes in what came back.
    pub(super) fn poll(&mut self) {
        for values in self.points.take() {
            values.into_iter().for_each(|(scorer, values)| self.add_values(scorer, values));
        }
        for (cell, intervals) in self.intervals.take() {
            self.add_intervals(cell, intervals);
        }
    }

    fn add_values(&mut self, scorer: Scorer, values: Vec<Option<Number>>) {
        // The same answer again must not take the intervals away that came since.
        if self.of(&scorer).is_none() {
            let (intervals, differences) = (Vec::new(), Vec::new());
            self.known.push(Known { scorer, values, intervals, differences });
        }
    }

    fn add_intervals(&mut self, cell: usize, intervals: Vec<(Scorer, Resampled)>) {
        let with_pin = self.pinned.is_some();
        for (scorer, resampled) in intervals {
            let Some(known) = self.known.iter_mut().find(|known| known.scorer == scorer) else {
                continue;
            };
            let cells = known.values.len();
            known.intervals.resize(cells, Pending::Waiting);
            known.intervals[cell] = Pending::Known(resampled.interval);
            if with_pin {
                known.differences.resize(cells, Pending::Waiting);
                known.differences[cell] = Pending::Known(resampled.difference);
            }
        }
    }
}

impl Shared {
    /// Whether the numbers that are there are of another scope or engine than is asked for now.
    pub fn numbers_are_stale(&self) -> bool {
        let Some((key, _)) = &self.numbers.key else { return false };
        self.data.is_changing() || self.kept().is_none_or(|kept| kept.key != *key)
    }

    /// The selected value of the grid, as the row of its table.
    pub fn selected_value(&self) -> Option<String> {
        let (scorer, cell) = (&self.lens.scorer, self.cell);
        let Number { value, counts } = self.numbers.number(scorer, cell)?;
        let interval = self.numbers.interval(scorer, cell).get();
        self.table_row(&TableRequest::GridValues {
            scorers: vec![scorer.clone()],
            values: vec![GridValue { cell, scorer: 0, value, interval, counts }],
        })
    }
}

/// Values of some scorers in all cells.
#[derive(Clone, PartialEq)]
struct PointsQuery {
    tasks: KeptTasks,
    metric: Metric,
    scorers: Vec<Scorer>,
}

impl Query for PointsQuery {
    type Answer = Vec<(Scorer, Vec<Option<Number>>)>;
    const LANE: Lane = Lane::Points;

    fn run(self, _: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let engine = self.tasks.value.engine();
        let values = engine.grid_of(&self.scorers, self.metric, None);
        let cells = engine.frames().len();
        let mut rows: Self::Answer =
            self.scorers.into_iter().map(|scorer| (scorer, vec![None; cells])).collect();
        for point in values {
            rows[point.scorer].1[point.cell] =
                Some(Number { value: point.value, counts: point.counts });
        }
        send(rows);
    }
}

/// Intervals of some scorers, cell by cell.
#[derive(Clone, PartialEq)]
struct IntervalsQuery {
    tasks: KeptTasks,
    metric: Metric,
    scorers: Vec<Scorer>,
    pinned: Option<Scorer>,
    /// The cells that lack them, the most wanted first.
    cells: Hint<Vec<usize>>,
}

impl Query for IntervalsQuery {
    type Answer = (usize, Vec<(Scorer, Resampled)>);
    const LANE: Lane = Lane::Intervals;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let engine = self.tasks.value.engine();
        let (scorers, pinned) = (&self.scorers, self.pinned.as_ref());
        for cell in self.cells.0 {
            let intervals = engine.resampled(cell, self.metric, scorers, pinned, worker.resampling);
            let intervals = scorers.iter().cloned().zip(intervals).collect();
            if !send((cell, intervals)) {
                return;
            }
        }
    }
}
