//! Aggregators × cells for one base score, and which tasks change their rank with the aggregator.

mod chart;
mod draw;
mod legend;
mod moves;
mod query;
mod rules;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, ScreenState, Target};
use crate::engine::TaskTable;
use crate::report::figure::FigureKind;
use crate::report::{GridLayout, OutputFormat, TableRequest};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::overlays::{Overlay, Picker};
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;
use crate::ui::shared::{FileContent, ScreenFigure, Shared, WantedNumbers};
use crate::ui::view::aggregator;
use query::MovesQuery;

/// The panes of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The heatmap.
    #[default]
    Heatmap,
    /// The tasks whose ranks move.
    Tasks,
}

/// The state of the screen.
#[derive(Debug)]
pub struct Aggregators {
    /// The pane that has the keys.
    pub pane: Pane,
    /// The aggregator that ranks are compared with.
    pub compared: Aggregator,
    /// The selected row among the tasks.
    pub index: usize,
    /// The tasks of the cell, those whose ranks move most first.
    moves: Slot<MovesQuery>,
    /// The scorer for which no base score with values was found.
    without_base: Option<Scorer>,
    layout: Layout,
}

impl Default for Aggregators {
    fn default() -> Self {
        Self {
            pane: Pane::Heatmap,
            compared: Aggregator::Mean,
            index: 0,
            moves: Slot::default(),
            without_base: None,
            layout: Layout::default(),
        }
    }
}

/// A place on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The head of a cell's column.
    Column(usize),
    /// An aggregator, and the cell whose value it is, or the aggregator's name.
    Rule(usize, Option<usize>),
    /// A step of the slider.
    Slider(usize),
    /// A task.
    Task(usize),
}

/// What drawing found out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout {
    /// The first column on screen.
    column: usize,
    /// The first task on screen.
    task: usize,
    /// Tasks of a page.
    page: usize,
}

/// The settings of the screen.
#[derive(clap::Args, Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct AggregatorsView {
    /// The aggregator that ranks are compared with
    #[arg(long, value_parser = aggregator)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compare_with: Option<String>,
}

impl Aggregators {
    /// The tasks of the cell, those whose ranks move most first.
    pub fn table(&self) -> Option<&Arc<TaskTable>> {
        self.moves.get()
    }

    fn choose_scorer(shared: &Shared) -> Go {
        match Self::base_scorers(shared) {
            Some(scorers) => Go::Show(Overlay::picker(Picker::of_scorers(&scorers, shared))),
            None => Go::Pass,
        }
    }

    /// Opens the selected task, or the tasks of the cell.
    fn drill(&self, shared: &Shared) -> Go {
        match (self.pane, shared.task) {
            (Pane::Heatmap, _) => Go::Open(Target::Tasks),
            (Pane::Tasks, Some(id)) => Go::Open(Target::Task(id, None)),
            (Pane::Tasks, None) => Go::Stay,
        }
    }

    fn click_task(&mut self, index: usize, shared: &mut Shared) -> Go {
        self.pane = Pane::Tasks;
        let again = self.index == index && shared.task.is_some();
        self.select_task(index, shared);
        if again { self.drill(shared) } else { Go::Stay }
    }

    fn click_rule(&mut self, index: usize, cell: Option<usize>, shared: &mut Shared) -> Go {
        self.pane = Pane::Heatmap;
        if let Some(rule) = shared.lens.rules().get(index) {
            shared.set_scorer(Scorer::WhiteBox(shared.lens.base(), *rule));
        }
        shared.select_cell(cell.unwrap_or(shared.cell));
        Go::Stay
    }
}

impl ScreenState for Aggregators {
    type View = AggregatorsView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = (Pane, usize, Layout);

    const ABOUT: &'static str = "Aggregators: what the rule changes";
    const NEEDS: Needs = Needs::Store;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = legend::LEGEND;

    fn arrive(&mut self, _target: &Target, _shared: &mut Shared) {}

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return self.drill(shared),
            Action::ChooseScorer => return Self::choose_scorer(shared),
            Action::NextPane | Action::PreviousPane => {
                self.pane = match self.pane {
                    Pane::Heatmap => Pane::Tasks,
                    Pane::Tasks => Pane::Heatmap,
                };
            }
            Action::Pin => {
                self.compared = shared.lens.scorer.aggregator().unwrap_or(Aggregator::Mean);
                shared.say(format!("ranks are compared with those under {}", self.compared.id()));
            }
            Action::More | Action::Less => match shared.lens.slid(*action == Action::More) {
                Some(rule) => shared.set_rule(rule),
                None => {
                    shared.say("only softmin and window have a setting: press a until one is on");
                }
            },
            Action::Left => shared.step_cell(false),
            Action::Right => shared.step_cell(true),
            other if self.pane == Pane::Tasks => return self.move_task(other, shared),
            other => return Self::move_rule(other, shared),
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, shared: &mut Shared) -> Go {
        self.update(if down { &Action::Down } else { &Action::Up }, shared)
    }

    fn search(&mut self, _words: &str, _done: bool, _shared: &mut Shared) {}

    fn adjust(&mut self, shared: &mut Shared) {
        self.settle_base(shared);
        shared.compared = Some(self.compared_scorer(shared));
    }

    fn refresh(&mut self, shared: &mut Shared) {
        self.moves.poll();
        self.keep_task(shared);
        if let Some(question) = self.moves_query(shared) {
            self.moves.want(question, &mut shared.effects);
        }
        let Some(tasks) = shared.kept().cloned() else { return };
        let wanted = WantedNumbers {
            tasks: &tasks,
            metric: shared.lens.metric,
            scorers: &Self::rule_scorers(shared),
            first: &shared.lens.scorer,
            pinned: None,
            cell: shared.cell,
            cells: shared.cells.len(),
        };
        shared.numbers.want(&wanted, &mut shared.effects);
    }

    fn renew(&mut self, _: &NewIds<'_>) {
        self.moves = Slot::default();
    }

    fn is_waiting(&self, _shared: &Shared) -> bool {
        self.moves.is_waiting()
    }

    fn is_stale(&self, shared: &Shared) -> bool {
        shared.numbers_are_stale()
            || (self.table().is_some() && self.current_table(shared).is_none())
    }

    fn draw(
        &self,
        shared: &Shared,
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) -> Layout {
        draw::draw(self, shared, buffer, area, hits)
    }

    fn drawn(&mut self, layout: Layout) {
        self.layout = layout;
    }

    fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
        match spot {
            Spot::Slider(step) => Self::slide(*step, shared),
            _ if dragged => {}
            Spot::Column(cell) => shared.select_cell(*cell),
            Spot::Rule(index, cell) => return self.click_rule(*index, *cell, shared),
            Spot::Task(index) => return self.click_task(*index, shared),
        }
        Go::Stay
    }

    fn position(&self) -> (Pane, usize, Layout) {
        (self.pane, self.index, self.layout)
    }

    fn resume(&mut self, position: &(Pane, usize, Layout), _: &mut Shared) {
        (self.pane, self.index, self.layout) = *position;
    }

    fn heading(&self, shared: &Shared) -> Heading {
        let cell = shared.current_cell().map(|cell| visible(&cell.to_string()).into_owned());
        Heading {
            crumbs: cell.into_iter().collect(),
            cell: Some(shared.cell),
            ..Heading::default()
        }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        shared.selected_value()
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        let (scorers, layout) = (Self::rule_scorers(shared), GridLayout::default());
        shared.table_content(TableRequest::Grid { scorers, layout }, format)
    }

    fn figure(&self, shared: &Shared) -> Option<ScreenFigure> {
        Some(ScreenFigure::new(FigureKind::Aggregators, shared))
    }

    fn view(&self, _open: bool, shared: &Shared) -> AggregatorsView {
        let compared = self.compared_scorer(shared).aggregator();
        AggregatorsView {
            compare_with: compared.filter(|rule| *rule != Aggregator::Mean).map(Aggregator::id),
        }
    }

    fn restore(&mut self, view: &AggregatorsView, shared: &mut Shared) {
        if let Some(rule) = view.compare_with.as_deref().and_then(Aggregator::parse) {
            self.compared = rule;
            shared.lens.remember_rule(rule);
        }
    }

    fn resolve(&mut self, _view: &AggregatorsView, _shared: &mut Shared) -> Vec<String> {
        Vec::new()
    }
}
