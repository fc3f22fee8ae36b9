//! The page of combinations: ensembles of the compared scorers, and calibrations of the first one, in every
//! cell; each can be kept in the store as a scorer.

mod draw;
mod query;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{PageState, Subject};
use crate::engine::NamedRecipe;
use crate::report::{OutputFormat, TableRequest};
use crate::scorers::{Method, Recipe, WrongRecipe};
use crate::text::{counted, visible};
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::overlays::{Ask, Overlay, Prompt};
use crate::ui::query::{Errands, Slot};
use crate::ui::renewal::NewIds;
use crate::ui::screens::{Go, Target};
use crate::ui::shared::{FileContent, ScreenFigure, Shared};
use query::{CombineQuery, Combined, Keep};

/// The state of the page.
#[derive(Debug, Default)]
pub struct Combine {
    /// The method, an index into all of them.
    method: usize,
    combined: Slot<CombineQuery>,
    keeping: Errands<Keep>,
}

/// What can be clicked.
#[derive(Clone, Debug)]
pub enum Spot {
    /// The name of a method.
    Method(usize),
    /// A cell.
    Cell(usize),
}

impl Combine {
    fn method(&self) -> Method {
        Method::ALL[self.method % Method::ALL.len()]
    }

    /// What is combined: all scorers, or the first one where one is calibrated.
    fn recipe(&self, subject: &Subject) -> Result<Recipe, WrongRecipe> {
        let method = self.method();
        let count = if method.is_calibration() { 1 } else { subject.scorers.len() };
        Recipe::new(method, subject.scorers[..count.min(subject.scorers.len())].to_vec())
    }

    fn query(&self, subject: &Subject, shared: &Shared) -> Option<CombineQuery> {
        Some(CombineQuery {
            tasks: shared.kept()?.clone(),
            recipe: self.recipe(subject).ok()?,
            metric: shared.lens.metric,
        })
    }

    /// What is known of the method that is shown.
    fn shown(&self, subject: &Subject) -> Option<&Combined> {
        let question = self.combined.question()?;
        (self.recipe(subject).ok().as_ref() == Some(&question.recipe))
            .then(|| self.combined.get())
            .flatten()
            .map(AsRef::as_ref)
    }

    fn step_method(&mut self, forwards: bool) {
        let all = Method::ALL.len();
        self.method = (self.method + if forwards { 1 } else { all - 1 }) % all;
    }

    /// Asks for the name under which the combination is kept.
    fn ask_name(&self, subject: &Subject, shared: &mut Shared) -> Go {
        let recipe = match self.recipe(subject) {
            Ok(recipe) => recipe,
            Err(why) => {
                shared.say(format!("{why}; + adds one"));
                return Go::Stay;
            }
        };
        if !shared.scorers.is_store {
            shared.say("values are kept in a store: `qualm import` makes one of results");
            return Go::Stay;
        }
        let mut prompt = Prompt::new(Ask::ScorerName, "");
        prompt.note = visible(&recipe.to_string()).into_owned();
        Go::Show(Overlay::Prompt(Box::new(prompt)))
    }

    /// Keeps the combination under a name.
    fn keep(&mut self, name: &str, subject: &Subject, shared: &mut Shared) {
        let Ok(recipe) = self.recipe(subject) else { return };
        shared.say(format!("{name} is being fitted in all cells …"));
        let named = NamedRecipe { name: name.to_owned(), recipe };
        self.keeping.send(Keep(named), &mut shared.effects);
    }

    fn take_kept(&mut self, shared: &mut Shared) {
        for (Keep(named), kept) in self.keeping.take() {
            shared.say(match kept {
                Ok(values) => {
                    let values = counted(values as u64, "value");
                    format!("{} is kept with the store, {values}; s lists it", named.name)
                }
                Err(why) => visible(&why).into_owned(),
            });
        }
    }
}

/// Moves the selection among the cells.
fn step_cell(shared: &mut Shared, forwards: bool, by: usize) {
    let last = shared.cells.len().saturating_sub(1);
    let cell = shared.cell;
    let next = if forwards { cell.saturating_add(by).min(last) } else { cell.saturating_sub(by) };
    shared.select_cell(next);
}

/// Cells of half a page.
const HALF_PAGE: usize = 5;

impl PageState for Combine {
    type Spot = Spot;
    type Layout = ();

    fn update(&mut self, action: &Action, subject: &Subject, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return Go::Open(Target::Tasks),
            Action::NextPane | Action::Right => self.step_method(true),
            Action::PreviousPane | Action::Left => self.step_method(false),
            Action::Down | Action::Up => step_cell(shared, *action == Action::Down, 1),
            Action::HalfPageDown => step_cell(shared, true, HALF_PAGE),
            Action::HalfPageUp => step_cell(shared, false, HALF_PAGE),
            Action::First => step_cell(shared, false, usize::MAX),
            Action::Last => step_cell(shared, true, usize::MAX),
            Action::KeepScorer => return self.ask_name(subject, shared),
            Action::KeepScorerAs(name) => self.keep(name, subject, shared),
            _ => return Go::Pass,
        }
        Go::Stay
    }

    fn refresh(&mut self, subject: &Subject, shared: &mut Shared) {
        self.combined.poll();
        self.take_kept(shared);
        if let Some(question) = self.query(subject, shared) {
            self.combined.want(question, &mut shared.effects);
        }
    }

    fn renew(&mut self, _: &NewIds<'_>) {
        self.combined = Slot::default();
    }

    fn is_waiting(&self) -> bool {
        self.combined.is_waiting() || !self.keeping.is_idle()
    }

    fn is_stale(&self, subject: &Subject, shared: &Shared) -> bool {
        self.combined.get().is_some()
            && (shared.data.is_changing()
                || self.combined.question() != self.query(subject, shared).as_ref())
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
            _ if dragged => {}
            Spot::Method(method) => self.method = *method,
            Spot::Cell(cell) if shared.cell == *cell => return Go::Open(Target::Tasks),
            Spot::Cell(cell) => shared.select_cell(*cell),
        }
        Go::Stay
    }

    fn copied(&self, subject: &Subject, shared: &Shared) -> Option<String> {
        draw::cell_words(self, subject, shared)
    }

    fn export(
        &self,
        format: OutputFormat,
        subject: &Subject,
        shared: &Shared,
    ) -> Result<FileContent, String> {
        let recipe = self.recipe(subject).map_err(|why| why.to_string())?;
        let request = if recipe.method.is_calibration() {
            TableRequest::Calibrations(recipe.inputs)
        } else {
            TableRequest::Ensembles(vec![recipe])
        };
        shared.table_content(request, format)
    }

    fn figure(&self, _: &Subject, _: &Shared) -> Option<ScreenFigure> {
        None
    }
}
