//! The page of families: the best scorer of every family of methods in every cell, and two scorers
//! compared in every cell.

mod draw;
mod query;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{PageState, Subject};
use crate::engine::{PairedCell, PairedVerdict};
use crate::metrics::Metric;
use crate::report::figure::FigureKind;
use crate::report::{OutputFormat, TableKind, TableRequest};
use crate::scorers::Scorer;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;
use crate::ui::screens::{Go, Target};
use crate::ui::shared::{FileContent, ScreenFigure, Shared};
use query::{MethodsQuery, PairedQuery};

/// The state of the page.
#[derive(Debug, Default)]
pub struct Families {
    pane: Pane,
    best: Slot<MethodsQuery>,
    paired: Slot<PairedQuery>,
}

/// What has the keys, and is shown where there is room for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The best scorer of every family.
    #[default]
    Best,
    /// Two scorers.
    Paired,
}

/// What can be clicked.
#[derive(Clone, Debug)]
pub enum Spot {
    /// The head of a pane.
    Pane(Pane),
    /// A cell in a pane.
    Cell(Pane, usize),
}

impl Families {
    fn best_query(shared: &Shared) -> Option<MethodsQuery> {
        Some(MethodsQuery { tasks: shared.kept()?.clone(), metric: shared.lens.metric })
    }

    /// The two scorers that are compared: the first ones of the subject.
    fn pair(subject: &Subject) -> Option<(&Scorer, &Scorer)> {
        let [first, second, ..] = &subject.scorers[..] else { return None };
        Some((first, second))
    }

    fn paired_query(subject: &Subject, shared: &Shared) -> Option<PairedQuery> {
        let (first, second) = Self::pair(subject)?;
        Some(PairedQuery {
            tasks: shared.kept()?.clone(),
            metric: shared.lens.metric,
            first: first.clone(),
            second: second.clone(),
        })
    }

    /// The two scorers in every cell, with the question that it answers.
    fn compared(&self) -> Option<(&PairedQuery, &[PairedCell])> {
        Some((self.paired.question()?, self.paired.get()?.as_slice()))
    }

    /// The verdict on the two scorers, as a sentence.
    fn verdict(&self) -> Option<String> {
        let (question, cells) = self.compared()?;
        let verdict = PairedVerdict::of(cells, question.metric);
        Some(verdict.words(&question.first.label(), &question.second.label()))
    }

    fn step(shared: &mut Shared, forwards: bool, by: usize) {
        let last = shared.cells.len().saturating_sub(1);
        let cell = shared.cell;
        let next =
            if forwards { cell.saturating_add(by).min(last) } else { cell.saturating_sub(by) };
        shared.select_cell(next);
    }
}

impl PageState for Families {
    type Spot = Spot;
    type Layout = ();

    fn update(&mut self, action: &Action, _: &Subject, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return Go::Open(Target::Tasks),
            Action::NextPane | Action::PreviousPane | Action::Left | Action::Right => {
                self.pane = if self.pane == Pane::Best { Pane::Paired } else { Pane::Best };
            }
            Action::Down | Action::Up => Self::step(shared, *action == Action::Down, 1),
            Action::HalfPageDown => Self::step(shared, true, 5),
            Action::HalfPageUp => Self::step(shared, false, 5),
            Action::First => Self::step(shared, false, usize::MAX),
            Action::Last => Self::step(shared, true, usize::MAX),
            _ => return Go::Pass,
        }
        Go::Stay
    }

    fn refresh(&mut self, subject: &Subject, shared: &mut Shared) {
        self.best.poll();
        self.paired.poll();
        if let Some(question) = Self::best_query(shared) {
            self.best.want(question, &mut shared.effects);
        }
        if let Some(question) = Self::paired_query(subject, shared) {
            self.paired.want(question, &mut shared.effects);
        }
    }

    fn renew(&mut self, _: &NewIds<'_>) {
        (self.best, self.paired) = (Slot::default(), Slot::default());
    }

    fn is_waiting(&self) -> bool {
        self.best.is_waiting() || self.paired.is_waiting()
    }

    fn is_stale(&self, subject: &Subject, shared: &Shared) -> bool {
        let changed = self.best.question() != Self::best_query(shared).as_ref();
        let other = Self::pair(subject).is_some()
            && self.paired.get().is_some()
            && self.paired.question() != Self::paired_query(subject, shared).as_ref();
        self.best.get().is_some() && (shared.data.is_changing() || changed || other)
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

    fn click(&mut self, spot: &Spot, dragged: bool, _: &Subject, shared: &mut Shared) -> Go {
        match spot {
            Spot::Pane(pane) => self.pane = *pane,
            Spot::Cell(..) if dragged => {}
            Spot::Cell(pane, cell) => {
                let again = shared.cell == *cell;
                self.pane = *pane;
                shared.select_cell(*cell);
                if again {
                    return Go::Open(Target::Tasks);
                }
            }
        }
        Go::Stay
    }

    fn copied(&self, _: &Subject, shared: &Shared) -> Option<String> {
        match self.pane {
            Pane::Paired => self.verdict(),
            Pane::Best => draw::best_words(self, shared),
        }
    }

    fn export(
        &self,
        format: OutputFormat,
        subject: &Subject,
        shared: &Shared,
    ) -> Result<FileContent, String> {
        match Self::pair(subject).filter(|_| self.pane == Pane::Paired) {
            Some((first, second)) => {
                let (scorers, versus) = (vec![first.clone()], second.clone());
                shared.table_content(TableRequest::Paired { scorers, versus }, format)
            }
            None => shared.table_content(TableKind::Methods, format),
        }
    }

    fn figure(&self, _: &Subject, shared: &Shared) -> Option<ScreenFigure> {
        Some(ScreenFigure::new(FigureKind::Families, shared)).filter(|_| self.pane != Pane::Paired)
    }
}

/// The name of a metric on screen.
fn metric_name(metric: Metric) -> String {
    metric.id().to_uppercase()
}
