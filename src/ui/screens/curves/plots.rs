//! The page of plots: curves of up to four scorers, and what a threshold does.

mod chosen;
mod cut;
mod draw;
mod drill;
mod kind;
mod query;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{PageState, Subject};
use crate::engine::{self, BestThreshold, ScorerCurves};
use crate::metrics::threshold::Aim;
use crate::report::figure::FigureKind;
use crate::report::{OutputFormat, TableRequest};
use crate::ui::action::{Action, AimKind};
use crate::ui::hits::Hits;
use crate::ui::overlays::{Ask, Choice, Overlay, Picker, Prompt};
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;
use crate::ui::screens::Go;
use crate::ui::shared::{FileContent, ScreenFigure, SelectionKey, Shared};
use crate::ui::view::Named;
use chosen::Chosen;
pub use cut::Cut;
pub use kind::PlotKind;
use query::{BandsQuery, BestQuery, CurvesQuery, NearQuery};

/// The state of the page.
#[derive(Debug, Default)]
pub struct Plots {
    /// The plot that has the keys.
    pub kind: PlotKind,
    /// Only that plot is shown.
    pub alone: bool,
    /// Curves have bands.
    pub bands: bool,
    /// The scorer whose threshold it is, an index into those of the subject.
    pub selected: usize,
    /// Where the threshold is.
    pub cut: Cut,
    /// What the threshold is to achieve, until it is moved by hand.
    pub aim: Option<Aim>,
    curves: Slot<CurvesQuery>,
    banded: Slot<BandsQuery>,
    best: Slot<BestQuery>,
    near: Slot<NearQuery>,
}

/// What can be clicked.
#[derive(Clone, Debug)]
pub enum Spot {
    /// A point of a plot.
    Point(PlotKind, (f64, f64)),
    /// The row of a scorer.
    Scorer(usize),
}

impl Plots {
    /// The newest curves, those with bands before those without; perhaps of an earlier question.
    fn shown(&self) -> Option<&engine::Curves> {
        let banded = self.banded.question().map(|question| &question.0);
        let has_bands = self.bands && banded.is_some() && banded == self.curves.question();
        let banded = self.banded.get().filter(|_| has_bands);
        banded.or_else(|| self.curves.get()).map(AsRef::as_ref)
    }

    /// The curves of the scorer at an index of the subject.
    fn curves_at(&self, subject: &Subject, index: usize) -> Option<&ScorerCurves> {
        let scorer = subject.scorers.get(index)?;
        self.shown()?.scorers.iter().find(|curves| curves.scorer == *scorer)
    }

    /// The index of the selected scorer.
    fn index(&self, subject: &Subject) -> usize {
        self.selected.min(subject.scorers.len().saturating_sub(1))
    }

    /// The selected scorer at the threshold; none without values.
    fn chosen(&self, subject: &Subject) -> Option<Chosen<'_>> {
        self.chosen_at(subject, self.index(subject))
    }

    /// Any scorer at the threshold, or where it accepts as many tasks as the selected one.
    fn chosen_at(&self, subject: &Subject, index: usize) -> Option<Chosen<'_>> {
        let selected = self.curves_at(subject, self.index(subject));
        let curves = self.curves_at(subject, index)?;
        let cut = match (selected, &self.cut) {
            (selected, cut) if index != self.index(subject) => {
                &Cut::Coverage(cut.coverage(selected)?)
            }
            (_, cut) => cut,
        };
        Some(Chosen { curves, rank: cut.rank(curves).filter(|_| !curves.steps.is_empty())? })
    }

    /// The threshold as a confidence of the lens's scorer, where it is not the usual one.
    pub(super) fn flag(&self, subject: &Subject) -> Option<f64> {
        let is_usual = self.cut == Cut::default() || self.aim.is_some();
        let chosen = self.chosen_at(subject, 0).filter(|_| !is_usual);
        chosen.map(|chosen| chosen.confidence()).filter(|value| value.is_finite())
    }

    fn curves_query(subject: &Subject, shared: &Shared) -> Option<CurvesQuery> {
        let (cells, scorers) = (subject.cells.clone(), subject.scorers.clone());
        Some(CurvesQuery { tasks: shared.kept()?.clone(), cells, scorers })
    }

    fn best_query(&self, subject: &Subject, shared: &Shared) -> Option<BestQuery> {
        Some(BestQuery {
            tasks: shared.kept()?.clone(),
            cells: subject.cells.clone(),
            scorer: subject.scorers.get(self.index(subject))?.clone(),
            aim: self.aim?,
            costs: shared.costs.current,
        })
    }

    fn near_query(&self, subject: &Subject, shared: &Shared) -> Option<NearQuery> {
        let chosen = self.chosen(subject)?;
        let mut tasks = shared.selected()?.clone();
        if drill::is_of_threshold(&shared.lens.selection) {
            // It is about the threshold itself, which may have moved since.
            let kept = shared.kept()?.clone();
            let key = SelectionKey { scope: kept.key, ..SelectionKey::default() };
            (tasks.key, tasks.value) = (key, kept.value);
        }
        Some(NearQuery {
            tasks,
            cells: subject.cells.clone(),
            scorer: chosen.curves.scorer.clone(),
            threshold: chosen.rank,
        })
    }

    /// Moves the threshold by hand.
    fn cut(&mut self, cut: Option<Cut>) {
        if let Some(cut) = cut {
            (self.cut, self.aim) = (cut, None);
        }
    }

    /// Moves the threshold to the left or right of the plot that has the keys.
    fn step(&mut self, right: bool, far: bool, subject: &Subject) {
        let more = right != self.kind.is_by_confidence();
        let curves = self.curves_at(subject, self.index(subject));
        let cut = curves.and_then(|curves| self.cut.stepped(curves, more, far));
        self.cut(cut);
    }

    /// Moves the threshold to the left or right end.
    fn end(&mut self, right: bool, subject: &Subject) {
        let most = right != self.kind.is_by_confidence();
        let curves = self.curves_at(subject, self.index(subject));
        let cut =
            curves.and_then(|curves| Cut::after(curves, if most { curves.steps.len() } else { 1 }));
        self.cut(cut);
    }

    /// Selects another scorer, with the threshold where it accepts as many tasks.
    fn select(&mut self, index: usize, subject: &Subject) {
        let index = index.min(subject.scorers.len().saturating_sub(1));
        if index == self.index(subject) {
            return;
        }
        let curves = self.curves_at(subject, self.index(subject));
        let coverage = self.cut.coverage(curves);
        (self.selected, self.aim) = (index, None);
        self.cut = coverage.map_or_else(Cut::default, Cut::Coverage);
    }

    fn edit_threshold(&self, subject: &Subject, shared: &mut Shared) -> Go {
        let Some(chosen) = self.chosen(subject) else {
            shared.say("no task here has a value of this scorer");
            return Go::Stay;
        };
        let value = chosen.confidence();
        let text = if value.is_finite() { format!("{}", rounded(value)) } else { String::new() };
        Go::Show(Overlay::Prompt(Box::new(Prompt::new(Ask::Threshold, &text))))
    }

    fn choose_aim(shared: &Shared) -> Go {
        let costs = shared.costs.current;
        let choice =
            |name: &str, hint: String, action| Choice { name: name.to_owned(), hint, action };
        let cost = format!("failure {}, review {}, run {}", costs.failure, costs.review, costs.run);
        let aims = vec![
            (
                's',
                choice(
                    "keep at least a share of successes",
                    String::new(),
                    Action::EditAim(AimKind::Success),
                ),
            ),
            (
                'r',
                choice(
                    "review at most a share of tasks",
                    String::new(),
                    Action::EditAim(AimKind::Review),
                ),
            ),
            ('c', choice("the least cost", cost, Action::FindThreshold(Aim::Cost))),
        ];
        Go::Show(Overlay::picker(Picker::by_letter("The best threshold to …", aims)))
    }

    fn edit_aim(kind: AimKind) -> Go {
        let usual = match kind {
            AimKind::Success => "90%",
            AimKind::Review => "20%",
        };
        Go::Show(Overlay::Prompt(Box::new(Prompt::new(Ask::Aim(kind), usual))))
    }

    fn toggle_bands(&mut self, shared: &mut Shared) {
        self.bands = !self.bands;
        shared.say(if self.bands {
            "the band of the selected scorer: 95% of its resampled curves at every position"
        } else {
            "curves without a band"
        });
    }

    /// Moves the threshold to the best one, as soon as it is known.
    fn take_best(&mut self) {
        if !self.best.poll() {
            return;
        }
        let found = self.best.get().and_then(|best| **best);
        let scorer = self.best.question().map(|question| question.scorer.clone());
        if let (Some(found), Some(scorer), Some(_)) = (found, scorer, self.aim)
            && let (Some(rank), Some(decision)) = (found.threshold, found.decision)
        {
            let coverage = decision.coverage().unwrap_or_default();
            self.cut = Cut::At { scorer, rank, coverage };
        }
    }
}

/// A number to four digits after the point.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

impl PageState for Plots {
    type Spot = Spot;
    type Layout = ();

    fn update(&mut self, action: &Action, subject: &Subject, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return self.drill(subject, shared),
            Action::NextPane => self.kind = self.kind.next(),
            Action::PreviousPane => self.kind = self.kind.previous(),
            Action::Fold => self.alone = !self.alone,
            Action::NextShow => self.toggle_bands(shared),
            Action::Left | Action::Right => self.step(*action == Action::Right, false, subject),
            Action::HalfPageDown => self.step(true, true, subject),
            Action::HalfPageUp => self.step(false, true, subject),
            Action::First => self.end(false, subject),
            Action::Last => self.end(true, subject),
            Action::Down => self.select(self.index(subject) + 1, subject),
            Action::Up => self.select(self.index(subject).saturating_sub(1), subject),
            Action::EditThreshold => return self.edit_threshold(subject, shared),
            Action::SetThreshold(value) => self.cut(Some(Cut::Confidence(*value))),
            Action::ChooseAim => return Self::choose_aim(shared),
            Action::EditAim(kind) => return Self::edit_aim(*kind),
            Action::FindThreshold(aim) => self.aim = Some(*aim),
            _ => return Go::Pass,
        }
        Go::Stay
    }

    fn refresh(&mut self, subject: &Subject, shared: &mut Shared) {
        self.curves.poll();
        self.banded.poll();
        self.near.poll();
        self.take_best();
        let Some(question) = Self::curves_query(subject, shared) else { return };
        if self.bands {
            self.banded.want(BandsQuery(question.clone()), &mut shared.effects);
        }
        self.curves.want(question, &mut shared.effects);
        if let Some(question) = self.best_query(subject, shared) {
            self.best.want(question, &mut shared.effects);
        }
        if let Some(question) = self.near_query(subject, shared) {
            self.near.want(question, &mut shared.effects);
        }
    }

    fn renew(&mut self, _: &NewIds<'_>) {
        (self.curves, self.banded) = (Slot::default(), Slot::default());
        (self.best, self.near) = (Slot::default(), Slot::default());
    }

    fn is_waiting(&self) -> bool {
        self.curves.is_waiting()
            || (self.bands && self.banded.is_waiting())
            || (self.aim.is_some() && self.best.is_waiting())
    }

    fn is_stale(&self, subject: &Subject, shared: &Shared) -> bool {
        let question = Self::curves_query(subject, shared);
        self.curves.get().is_some()
            && (shared.data.is_changing() || self.curves.question() != question.as_ref())
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

    fn click(&mut self, spot: &Spot, dragged: bool, subject: &Subject, _: &mut Shared) -> Go {
        match spot {
            Spot::Point(kind, point) => {
                // What is dragged stays in the plot that it began in.
                if dragged && self.kind != *kind {
                    return Go::Stay;
                }
                self.kind = *kind;
                let curves = self.curves_at(subject, self.index(subject));
                let cut = curves.and_then(|curves| Cut::pointed(curves, *kind, *point));
                self.cut(cut);
            }
            Spot::Scorer(index) => self.select(*index, subject),
        }
        Go::Stay
    }

    fn copied(&self, subject: &Subject, shared: &Shared) -> Option<String> {
        let chosen = self.chosen(subject)?;
        let found = self.best_query(subject, shared).and_then(|question| {
            self.best.answer_to(&question).and_then(|best| best.as_ref().as_ref().copied())
        });
        let best = found.unwrap_or_else(|| BestThreshold {
            aim: Aim::Score(chosen.confidence()),
            scale: chosen.curves.scale,
            threshold: Some(chosen.rank),
            decision: Some(chosen.decision()),
            held_out: None,
        });
        shared.table_row(&TableRequest::KnownThreshold {
            cells: subject.cells.clone(),
            scorer: chosen.curves.scorer.clone(),
            best: Box::new(best),
            costs: shared.costs.current,
        })
    }

    fn export(
        &self,
        format: OutputFormat,
        subject: &Subject,
        shared: &Shared,
    ) -> Result<FileContent, String> {
        let (scorers, pool) = (subject.scorers.clone(), true);
        let request = match self.aim {
            Some(aim) => {
                let (aims, costs) = (vec![aim], shared.costs.current);
                TableRequest::Thresholds { scorers, aims, costs, pool }
            }
            None => TableRequest::Curves { scorers, pool },
        };
        shared.table_of_cells(&subject.cells, request, format)
    }

    fn figure(&self, subject: &Subject, shared: &Shared) -> Option<ScreenFigure> {
        let kind = match self.kind {
            PlotKind::Roc => FigureKind::Roc,
            PlotKind::Pr => FigureKind::PrecisionRecall,
            PlotKind::Risk => FigureKind::RiskCoverage,
            PlotKind::Reliability => FigureKind::Reliability,
            PlotKind::Histogram => return None,
        };
        let mut figure = ScreenFigure::new(kind, shared);
        figure.cells = subject.cells.clone();
        figure.options.scorers.clone_from(&subject.scorers);
        Some(figure)
    }
}
