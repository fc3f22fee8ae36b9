//! Judges compared with each other and the database, and the pairs that a person should review.

mod draw;
mod drill;
mod legend;
mod query;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{Go, Heading, Legend, Needs, NoView, ScreenState, Target};
use crate::engine::{JudgeTer, PairId, PairOrder, TriageQueue};
use crate::report::{OutputFormat, TableKind, TableRequest};
use crate::text::visible;
use crate::ui::action::Action;
use crate::ui::hits::Hits;
use crate::ui::lists;
use crate::ui::query::Slot;
use crate::ui::renewal::NewIds;
use crate::ui::selection::Rows;
use crate::ui::shared::{FileContent, PairQueue, ScreenFigure, Shared};
pub use query::{JudgesAnswer, JudgesQuery};

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Judges {
    /// The pane that has the keys.
    pub pane: Pane,
    /// The selected row and column of the matrix.
    pub matrix: (usize, usize),
    /// The selected judge and count against the database.
    pub truth: (usize, usize),
    /// The selected judge of TER.
    pub ter: usize,
    /// The selected pair of the queue.
    pub index: usize,
    /// The pair of Triage that the selection followed last.
    followed: Option<PairId>,
    /// The pair to select as soon as the queue is known.
    sought: Option<PairId>,
    offset: usize,
    page: usize,
    numbers: Slot<JudgesQuery>,
    queue: PairQueue,
}

/// The panes of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// Each judge against each other.
    Matrix,
    /// Each judge against the database.
    Truth,
    /// TER under each judge.
    Ter,
    /// The pairs to look at.
    #[default]
    Queue,
}

impl Pane {
    /// All of them, from top to bottom.
    const ALL: [Self; 4] = [Self::Matrix, Self::Truth, Self::Ter, Self::Queue];

    fn step(self, forwards: bool) -> Self {
        let index = Self::ALL.iter().position(|pane| *pane == self).unwrap_or(0);
        let step = if forwards { 1 } else { Self::ALL.len() - 1 };
        Self::ALL[(index + step) % Self::ALL.len()]
    }
}

/// What was said and what is true, in the order the counts stand: agreement on equivalent, wrongly
/// equivalent, wrongly different, agreement on different.
pub const COUNTS: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

/// What can be clicked: a row of a pane, and its column where there are several.
#[derive(Clone, Debug)]
pub struct Spot {
    pane: Pane,
    row: usize,
    column: Option<usize>,
}

/// What drawing found out.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The first pair on screen; none when no queue is drawn.
    offset: Option<usize>,
    /// Rows of the queue.
    page: usize,
}

/// Where one is: the pane, what is selected in each, the first pair on screen.
#[derive(Clone, Debug)]
pub struct Position {
    pane: Pane,
    matrix: (usize, usize),
    truth: (usize, usize),
    ter: usize,
    index: usize,
    offset: usize,
}

/// The judges of the store, by name.
fn names(shared: &Shared) -> &[String] {
    shared.engine().map_or(&[], |engine| engine.judges())
}

impl Judges {
    /// What is known of judges, once it answers what is looked at; new votes may still be counted.
    pub fn numbers(&self, shared: &Shared) -> Option<&JudgesAnswer> {
        let question = self.numbers.question()?;
        let current =
            question.metric == shared.lens.metric && shared.is_of_scope(&question.tasks.key);
        self.numbers.get().filter(|_| current).map(AsRef::as_ref)
    }

    /// The newest answer, which stays on screen until another comes.
    pub(super) fn shown(&self) -> Option<&JudgesAnswer> {
        self.numbers.get().map(AsRef::as_ref)
    }

    /// The pairs to vote on.
    pub fn queue(&self, shared: &Shared) -> Option<&TriageQueue> {
        self.queue.get(shared)
    }

    /// TER under every judge in the selected cell.
    pub fn ters(&self, shared: &Shared) -> Vec<&JudgeTer> {
        let all = self.numbers(shared).map_or(&[][..], |numbers| &numbers.ter);
        all.iter().filter(|ter| ter.cell == shared.cell).collect()
    }

    /// The selected pair of the queue.
    fn pair(&self, shared: &Shared) -> Option<PairId> {
        Some(self.queue(shared)?.items.get(self.index)?.pair)
    }

    /// How many rows and columns the pane has.
    fn size(&self, shared: &Shared) -> (usize, usize) {
        let judges = names(shared).len();
        match self.pane {
            Pane::Matrix => (judges, judges),
            // The last column are the answers that did not parse.
            Pane::Truth => (judges, COUNTS.len() + 1),
            Pane::Ter => (self.ters(shared).len(), 0),
            Pane::Queue => (self.queue(shared).map_or(0, |queue| queue.items.len()), 0),
        }
    }

    /// The selected row of the pane, and the column where there are several.
    fn cursor(&mut self) -> (&mut usize, Option<&mut usize>) {
        match self.pane {
            Pane::Matrix => (&mut self.matrix.0, Some(&mut self.matrix.1)),
            Pane::Truth => (&mut self.truth.0, Some(&mut self.truth.1)),
            Pane::Ter => (&mut self.ter, None),
            Pane::Queue => (&mut self.index, None),
        }
    }

    /// Moves the selection; says whether the key moves.
    fn step(&mut self, action: &Action, shared: &Shared) -> bool {
        let ((count, columns), page) = (self.size(shared), self.page);
        let (row, column) = self.cursor();
        match (action, column) {
            (Action::Left, Some(column)) => *column = column.saturating_sub(1),
            (Action::Right, Some(column)) => {
                *column = (*column + 1).min(columns.saturating_sub(1));
            }
            _ => match (Rows { count, page }).step(action, *row) {
                Some(next) => *row = next,
                None => return false,
            },
        }
        self.sought = None;
        true
    }

    /// Offers other pairs to vote on: the urgent ones, all at random, those on which people disagree.
    fn next_order(&mut self, shared: &mut Shared) {
        let index = PairOrder::ALL.iter().position(|order| *order == shared.order).unwrap_or(0);
        shared.order = PairOrder::ALL[(index + 1) % PairOrder::ALL.len()];
        (self.pane, self.index, self.offset, self.sought) = (Pane::Queue, 0, 0, None);
        shared.say(match shared.order {
            PairOrder::Queue => {
                "pairs on which judges disagree or are unsure, the most urgent first"
            }
            PairOrder::Audit => "all pairs in a random order: agreement on these is not biased",
            PairOrder::Adjudication => "pairs on which people disagree: your vote settles them",
        });
    }

    /// Selects the pair that was opened last, if the queue holds it.
    fn select_sought(&mut self, shared: &Shared) {
        let (Some(pair), Some(queue)) = (self.sought, self.queue.get(shared)) else { return };
        let index = queue.items.iter().position(|item| item.pair == pair);
        self.index = index.unwrap_or(self.index);
        if !self.queue.is_stale() {
            self.sought = None;
        }
    }
}

impl ScreenState for Judges {
    type View = NoView;
    type Spot = Spot;
    type Layout = Layout;
    type Position = Position;

    const ABOUT: &'static str = "Judges: who is wrong where they disagree";
    const NEEDS: Needs = Needs::Store;
    const ENDING: &'static str = "svg";
    const LEGEND: Legend = legend::LEGEND;

    fn arrive(&mut self, _: &Target, shared: &mut Shared) {
        // A pair that was opened meanwhile; without one the selection stays as it was left.
        if shared.pair != self.followed {
            (self.followed, self.sought) = (shared.pair, shared.pair);
        }
    }

    fn update(&mut self, action: &Action, shared: &mut Shared) -> Go {
        match action {
            Action::Drill => return self.drill(shared),
            Action::NextPane => self.pane = self.pane.step(true),
            Action::PreviousPane => self.pane = self.pane.step(false),
            Action::Sort => self.next_order(shared),
            _ if self.step(action, shared) => {}
            _ => return Go::Pass,
        }
        Go::Stay
    }

    fn wheel(&mut self, down: bool, shared: &mut Shared) -> Go {
        self.update(if down { &Action::Down } else { &Action::Up }, shared)
    }

    fn search(&mut self, _: &str, _: bool, _: &mut Shared) {}

    fn adjust(&mut self, _: &mut Shared) {}

    fn refresh(&mut self, shared: &mut Shared) {
        self.numbers.poll();
        if self.queue.refresh(shared)
            && let Some(queue) = self.queue.get(shared)
        {
            self.index = self.index.min(queue.items.len().saturating_sub(1));
        }
        if let Some(tasks) = shared.kept().cloned() {
            let metric = shared.lens.metric;
            let voter = shared.voter().map(str::to_owned);
            self.numbers.want(JudgesQuery { tasks, metric, voter }, &mut shared.effects);
        }
        self.select_sought(shared);
    }

    fn renew(&mut self, ids: &NewIds<'_>) {
        self.numbers = Slot::default();
        self.queue = PairQueue::default();
        self.followed = self.followed.and_then(|pair| ids.pair(pair));
        self.sought = self.sought.and_then(|pair| ids.pair(pair));
    }

    fn is_waiting(&self, _: &Shared) -> bool {
        self.numbers.is_waiting() || self.queue.is_waiting()
    }

    fn is_stale(&self, shared: &Shared) -> bool {
        self.numbers.get().is_some()
            && (self.numbers.is_stale()
                || self.numbers(shared).is_none()
                || shared.data.is_changing())
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
        self.offset = layout.offset.unwrap_or(self.offset);
        self.page = layout.page;
    }

    fn click(&mut self, spot: &Spot, dragged: bool, shared: &mut Shared) -> Go {
        if dragged {
            return Go::Stay;
        }
        let position = |screen: &mut Self| {
            let (row, column) = screen.cursor();
            (*row, column.map(|column| *column))
        };
        let before = (self.pane, position(self));
        (self.pane, self.sought) = (spot.pane, None);
        let (row, column) = self.cursor();
        *row = spot.row;
        if let (Some(column), Some(clicked)) = (column, spot.column) {
            *column = clicked;
        }
        let again = before == (self.pane, position(self));
        if again { self.drill(shared) } else { Go::Stay }
    }

    fn position(&self) -> Position {
        let Self { pane, matrix, truth, ter, index, offset, .. } = *self;
        Position { pane, matrix, truth, ter, index, offset }
    }

    fn resume(&mut self, position: &Position, _: &mut Shared) {
        let Position { pane, matrix, truth, ter, index, offset } = *position;
        (self.pane, self.matrix, self.truth, self.ter) = (pane, matrix, truth, ter);
        (self.index, self.offset, self.sought) = (index, offset, None);
    }

    fn heading(&self, shared: &Shared) -> Heading {
        let cell = shared.current_cell().map(|cell| visible(&cell.to_string()).into_owned());
        Heading { crumbs: cell.into_iter().collect(), ..Heading::default() }
    }

    fn copied(&self, shared: &Shared) -> Option<String> {
        let name = lists::pair_name(self.pair(shared)?, shared);
        Some(visible(&name).into_owned())
    }

    fn export(&self, format: OutputFormat, shared: &Shared) -> Result<FileContent, String> {
        let kind = match self.pane {
            Pane::Matrix | Pane::Truth => TableKind::Judges,
            Pane::Ter => TableKind::JudgeTer,
            Pane::Queue => match shared.order {
                PairOrder::Queue => TableKind::Triage,
                PairOrder::Audit => TableKind::Audit,
                PairOrder::Adjudication => TableKind::Adjudication,
            },
        };
        let request = match shared.voter() {
            Some(voter) => TableRequest::ForVoter { kind, voter: voter.to_owned() },
            None => TableRequest::Kind(kind),
        };
        shared.table_content(request, format)
    }

    fn figure(&self, _: &Shared) -> Option<ScreenFigure> {
        None
    }

    fn view(&self, _: bool, _: &Shared) -> NoView {
        NoView::default()
    }

    fn restore(&mut self, _: &NoView, _: &mut Shared) {}

    fn resolve(&mut self, _: &NoView, _: &mut Shared) -> Vec<String> {
        Vec::new()
    }
}
