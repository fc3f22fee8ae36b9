//! Judges against each other and the database, and the pairs that a person should look at.

mod triage;

use super::action::{Action, Screen};
use super::jobs::JudgesView;
use super::stuck::MOST_LISTED;
use super::{App, View};
use crate::engine::{Against, JudgeSpec, JudgeTer};
pub use triage::Triaging;

/// The panes of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JudgePane {
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

impl JudgePane {
    /// All of them, from top to bottom.
    pub const ALL: [Self; 4] = [Self::Matrix, Self::Truth, Self::Ter, Self::Queue];
}

/// The state of the screen.
#[derive(Clone, Debug, Default)]
pub struct Judges {
    /// The pane that has the keys.
    pub pane: JudgePane,
    /// The selected row and column of the matrix.
    pub matrix: (usize, usize),
    /// The selected judge and count against the database.
    pub truth: (usize, usize),
    /// The selected judge of TER.
    pub ter: usize,
    /// The selected pair of the queue.
    pub place: usize,
    /// The first pair on screen.
    pub offset: usize,
    /// The pair that is being looked at.
    pub triaging: Triaging,
}

/// What was said and what is true, in the order the counts stand: agreement on equivalent, wrongly
/// equivalent, wrongly different, agreement on different.
pub const COUNTS: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

impl App {
    /// What is known of judges, once it answers what is asked; new votes may still be counted.
    pub fn judges_view(&self) -> Option<&JudgesView> {
        let (key, own) = self.data.judges.as_ref()?;
        let filter = self.data.kept.as_ref().map(|(key, _)| key.source.as_str());
        let current = key.metric == self.lens.metric && Some(key.filter.source.as_str()) == filter;
        current.then_some(own.as_ref())
    }

    /// TER under every judge in the selected cell.
    pub fn judge_ters(&self) -> Vec<&JudgeTer> {
        let all = self.judges_view().map_or(&[][..], |own| &own.ter);
        all.iter().filter(|own| own.cell == self.cell).collect()
    }

    pub(super) fn update_judges(&mut self, action: &Action) {
        let judges = self.data.engine().map_or(0, |own| own.judges().len());
        let ters = self.judge_ters().len();
        let queued = self.judges_view().map_or(0, |own| own.triage.items.len());
        let half = (self.layout.page / 2).max(1);
        let own = &mut self.judges;
        let place = JudgePane::ALL.iter().position(|pane| *pane == own.pane).unwrap_or(0);
        let count = JudgePane::ALL.len();
        // The row and column of the pane, and how many it has.
        let (row, rows, column, columns) = match own.pane {
            JudgePane::Matrix => (&mut own.matrix.0, judges, Some(&mut own.matrix.1), judges),
            JudgePane::Truth => {
                (&mut own.truth.0, judges, Some(&mut own.truth.1), COUNTS.len() + 1)
            }
            JudgePane::Ter => (&mut own.ter, ters, None, 0),
            JudgePane::Queue => (&mut own.place, queued, None, 0),
        };
        let last = rows.saturating_sub(1);
        match action {
            Action::NextPane => own.pane = JudgePane::ALL[(place + 1) % count],
            Action::PreviousPane => own.pane = JudgePane::ALL[(place + count - 1) % count],
            Action::Down => *row = (*row + 1).min(last),
            Action::Up => *row = row.saturating_sub(1),
            Action::HalfPageDown => *row = (*row + half).min(last),
            Action::HalfPageUp => *row = row.saturating_sub(half),
            Action::First => *row = 0,
            Action::Last => *row = last,
            Action::Left => {
                if let Some(column) = column {
                    *column = column.saturating_sub(1);
                }
            }
            Action::Right => {
                if let Some(column) = column {
                    *column = (*column + 1).min(columns.saturating_sub(1));
                }
            }
            Action::PreviousCell => self.step_cell(false),
            Action::NextCell => self.step_cell(true),
            _ => {}
        }
    }

    /// Lists exactly what the selected number counts, takes a judge into the lens, or begins to look
    /// at pairs.
    pub(super) fn drill_judges(&mut self) {
        match self.judges.pane {
            JudgePane::Queue => self.begin_triage(),
            JudgePane::Ter => {
                let spec = self.judge_ters().get(self.judges.ter).map(|own| own.judge.clone());
                if let Some(spec) = spec {
                    self.set_judge(spec);
                }
            }
            JudgePane::Matrix | JudgePane::Truth => self.list_verdicts(),
        }
    }

    fn list_verdicts(&mut self) {
        let Some(kept) = self.data.kept.as_ref().map(|own| own.1.clone()) else { return };
        let engine = kept.engine();
        let name = |place: usize| engine.judges().get(place).cloned();
        let word = |own: bool| if own { "equivalent" } else { "different" };
        let (pairs, title) = if self.judges.pane == JudgePane::Matrix {
            let (row, column) = self.judges.matrix;
            let (Some(a), Some(b)) = (name(row.min(column)), name(row.max(column))) else { return };
            if a == b {
                return self.say("a judge agrees with itself");
            }
            let title = format!("{a} and {b} disagree");
            let against = Against::Judge(b);
            let both = [(true, false), (false, true)].into_iter();
            let pairs =
                both.flat_map(|(said, other)| engine.judge_pairs(&a, &against, said, other));
            (pairs.collect::<Vec<_>>(), title)
        } else {
            let Some(judge) = name(self.judges.truth.0) else { return };
            if let Some(&(said, truth)) = COUNTS.get(self.judges.truth.1) {
                let title = format!("{judge} says {}, database {}", word(said), word(truth));
                (engine.judge_pairs(&judge, &Against::Database, said, truth), title)
            } else {
                let title = format!("answers of {judge} that did not parse");
                (engine.unparsed_pairs(&judge), title)
            }
        };
        let some = pairs.iter().take(MOST_LISTED);
        let choices = some.map(|pair| self.pair_choice(self.whole_pair(*pair), "ter")).collect();
        self.list(&title, pairs.len(), "pair", choices);
    }

    /// The judge that makes TER.
    pub(super) fn set_judge(&mut self, judge: JudgeSpec) {
        self.say(format!("TER is by {judge}"));
        self.lens.judge = Some(judge);
    }

    /// The next judge that could make TER.
    pub(super) fn next_judge(&mut self) {
        let Some(engine) = self.data.engine() else { return };
        let (specs, current) = (engine.judge_specs(), engine.judge());
        let place = specs.iter().position(|own| Some(own) == current.as_ref());
        match specs.get(place.map_or(0, |place| (place + 1) % specs.len().max(1))) {
            Some(_) if specs.len() == 1 => self.say("there is one judge only"),
            Some(next) => self.set_judge(next.clone()),
            None => self.say("no judge has said anything of this store's pairs"),
        }
    }

    /// The next treatment of stuck tasks.
    pub(super) fn next_treatment(&mut self) {
        let all = crate::engine::StuckTreatment::ALL;
        let place = all.iter().position(|own| *own == self.lens.stuck).unwrap_or(0);
        self.lens.stuck = all[(place + 1) % all.len()];
        self.say(format!("stuck tasks are {}, in agreement scores", self.lens.stuck.words()));
    }

    /// A judge that the view names; an error when the store lacks it.
    pub(super) fn find_judge(&mut self, view: &View) -> Option<String> {
        let wanted = JudgeSpec::parse(view.judge.as_deref()?);
        let engine = self.data.engine()?;
        if engine.judge_specs().contains(&wanted)
            || engine.judges().iter().any(|own| own == wanted.name())
        {
            self.lens.judge = Some(wanted);
            return None;
        }
        Some(format!("--judge: there is no judge `{}`", wanted.name()))
    }

    pub(super) fn is_triaging(&self) -> bool {
        self.screen == Screen::Triage
    }
}
