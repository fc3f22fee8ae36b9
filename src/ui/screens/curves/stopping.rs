//! The page of early stopping: what stopping runs below a threshold would have done.

mod draw;
mod query;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{PageState, Subject};
use crate::engine;
use crate::report::{OutputFormat, TableKind};
use crate::scorers::Scorer;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::lists::{self, Listed, MOST_LISTED};
use crate::ui::overlays::{Ask, Choice, Overlay, Prompt};
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;
use crate::ui::screens::Go;
use crate::ui::shared::{FileContent, ScreenFigure, Shared};
use crate::ui::widgets::two;
use query::{IntervalsQuery, StoppedQuery, StoppingQuery};

/// The share of successes that the usual threshold stops at most.
const USUAL_KILLED: f64 = 0.05;

/// The state of the page.
#[derive(Debug, Default)]
pub struct Stopping {
    /// The threshold, as a confidence; the usual one until it was moved.
    threshold: Option<f64>,
    found: Slot<StoppingQuery>,
    intervals: Slot<IntervalsQuery>,
    stopped: Slot<StoppedQuery>,
}

/// What can be clicked: a threshold in the plot, as the scorer ranks.
#[derive(Clone, Debug)]
pub struct Spot(f64);

impl Stopping {
    fn query(subject: &Subject, shared: &Shared) -> Option<StoppingQuery> {
        Some(StoppingQuery {
            tasks: shared.kept()?.clone(),
            cells: subject.cells.clone(),
            base: shared.lens.base(),
            rule: shared.lens.turn_rule(),
        })
    }

    fn intervals_query(&self, subject: &Subject, shared: &Shared) -> Option<IntervalsQuery> {
        let question = Self::query(subject, shared)?;
        let simulated = self.found.answer_to(&question)?.as_ref().as_ref()?;
        Some(IntervalsQuery { threshold: self.rank(simulated), question })
    }

    fn stopped_query(&self, subject: &Subject, shared: &Shared) -> Option<StoppedQuery> {
        let IntervalsQuery { question, threshold } = self.intervals_query(subject, shared)?;
        let StoppingQuery { cells, base, rule, .. } = question;
        let tasks = shared.selected()?.clone();
        Some(StoppedQuery { tasks, cells, base, rule, threshold })
    }

    /// The newest simulation; none where no run has a label and a score.
    fn shown(&self) -> Option<&engine::Stopping> {
        self.found.get()?.as_ref().as_ref()
    }

    /// The threshold in the numbers that rank.
    fn rank(&self, simulated: &engine::Stopping) -> f64 {
        let typed = |value: f64| if simulated.is_log { value.max(0.0).ln() } else { value };
        self.threshold.map_or_else(|| usual(simulated), typed)
    }

    /// Moves the threshold over some points.
    fn step(&mut self, forwards: bool, by: impl Fn(usize) -> usize) {
        let Some(simulated) = self.shown() else { return };
        let points = &simulated.points;
        let rank = self.rank(simulated);
        let index = points.partition_point(|point| point.threshold < rank);
        let (by, last) = (by(points.len()), points.len().saturating_sub(1));
        let index =
            if forwards { index.saturating_add(by).min(last) } else { index.saturating_sub(by) };
        let moved = points.get(index).map(|point| simulated.confidence(point.threshold));
        self.threshold = moved.or(self.threshold);
    }

    fn edit_threshold(&self, shared: &mut Shared) -> Go {
        let Some(simulated) = self.shown() else {
            shared.say("no run here has a label and a score");
            return Go::Stay;
        };
        let value = simulated.confidence(self.rank(simulated));
        let text = format!("{}", (value * 1e4).round() / 1e4);
        Go::Show(Overlay::Prompt(Box::new(Prompt::new(Ask::StopBelow, &text))))
    }

    /// Lists the runs that are stopped; each opens at the turn of its stop.
    fn drill(&self, subject: &Subject, shared: &mut Shared) -> Go {
        let question = self.stopped_query(subject, shared);
        let answer = question.and_then(|question| self.stopped.answer_to(&question));
        let Some(answer) = answer else {
            shared.say("the runs are still being looked for");
            return Go::Stay;
        };
        let (count, runs) = (answer.0, answer.1.clone());
        let choice = |run: &engine::StoppedRun| {
            let cell = shared.cell_of(run.id).map_or(String::new(), ToString::to_string);
            let task = shared.task_label(run.id).unwrap_or_default();
            let sign = if run.success { "✓" } else { "✗" };
            let score = self.shown().map_or(run.score, |shown| shown.confidence(run.score));
            Choice {
                name: format!(
                    "{cell}  task {task}, stopped at turn {} of {}",
                    run.turn + 1,
                    run.turns
                ),
                hint: format!("{:>5} {sign}", two(score)),
                action: Action::OpenTurn(run.id, run.turn),
            }
        };
        let choices = runs.iter().map(choice).collect();
        let title = format!("Stopped by {}", visible(&label(shared)));
        lists::list(Listed { title: &title, count, held_back: 0, noun: "run" }, choices, shared)
    }
}

/// The scorer that stops runs, as it is called.
fn label(shared: &Shared) -> String {
    Scorer::WhiteBox(shared.lens.base(), shared.lens.turn_rule()).label()
}

/// The highest threshold that stops few of the successes.
fn usual(simulated: &engine::Stopping) -> f64 {
    let most = USUAL_KILLED * simulated.whole.successes as f64;
    let fits = |point: &engine::StopPoint| point.successes as f64 <= most;
    let end = simulated.points.partition_point(fits);
    simulated.points[..end].last().map_or(0.0, |point| point.threshold)
}

impl PageState for Stopping {
    type Spot = Spot;
    type Layout = ();

    fn update(&mut self, action: &Action, subject: &Subject, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return self.drill(subject, shared),
            Action::Left | Action::Right => {
                self.step(*action == Action::Right, |points| (points / 100).max(1));
            }
            Action::HalfPageUp | Action::HalfPageDown => {
                self.step(*action == Action::HalfPageDown, |points| (points / 10).max(1));
            }
            Action::First => self.step(false, |points| points),
            Action::Last => self.step(true, |points| points),
            Action::EditThreshold => return self.edit_threshold(shared),
            Action::SetThreshold(value) => self.threshold = Some(*value),
            _ => return Go::Pass,
        }
        Go::Stay
    }

    fn refresh(&mut self, subject: &Subject, shared: &mut Shared) {
        self.found.poll();
        self.intervals.poll();
        self.stopped.poll();
        if let Some(question) = Self::query(subject, shared) {
            self.found.want(question, &mut shared.effects);
        }
        if let Some(question) = self.intervals_query(subject, shared) {
            self.intervals.want(question, &mut shared.effects);
        }
        if let Some(question) = self.stopped_query(subject, shared) {
            self.stopped.want(question, &mut shared.effects);
        }
    }

    fn renew(&mut self, _: &NewIds<'_>) {
        let threshold = self.threshold;
        *self = Self { threshold, ..Self::default() };
    }

    fn is_waiting(&self) -> bool {
        self.found.is_waiting()
    }

    fn is_stale(&self, subject: &Subject, shared: &Shared) -> bool {
        let question = Self::query(subject, shared);
        self.found.get().is_some()
            && (shared.data.is_changing() || self.found.question() != question.as_ref())
    }

    fn draw(
        &self,
        subject: &Subject,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) {
        draw::draw(self, subject, shared, buffer, area, hits);
    }

    fn drawn(&mut self, (): ()) {}

    fn click(&mut self, spot: &Spot, _: bool, _: &Subject, _: &mut Shared) -> Go {
        let confidence = self.shown().map(|simulated| simulated.confidence(spot.0));
        self.threshold = confidence.or(self.threshold);
        Go::Stay
    }

    fn copied(&self, subject: &Subject, shared: &Shared) -> Option<String> {
        Some(draw::sentences(self, self.shown()?, subject, shared).join(" "))
    }

    fn export(
        &self,
        format: OutputFormat,
        _: &Subject,
        shared: &Shared,
    ) -> Result<FileContent, String> {
        shared.table_content(TableKind::Stopping, format)
    }

    fn figure(&self, _: &Subject, _: &Shared) -> Option<ScreenFigure> {
        None
    }
}
