//! What models answered about the runs on screen: next actions sampled again, what the agent's model says
//! of its run, and what judges wrote about a pair.

use std::sync::Arc;

use super::side::{Section, SideText};
use super::{Comparison, Panel};
use crate::model::{Cell, Trajectory};
use crate::models::{KnownAnswers, Question};
use crate::report::show::{AnswerWords, answer_words, next_action_words};
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::Shared;
use crate::ui::widgets::two;

/// Rows of the side pane for what a model wrote.
const ROWS_OF_WORDS: usize = 3;

/// Rows of the side pane for what that says.
const ROWS_OF_HEAD: usize = 2;

/// The answers about some tasks, in one reading of the store.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AnswersQuery {
    tasks: Vec<(Cell, String)>,
    version: u64,
}

impl Query for AnswersQuery {
    type Answer = Result<KnownAnswers, String>;
    const LANE: Lane = Lane::Answers;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let known = KnownAnswers::about(&worker.store, &self.tasks);
        send(known.map_err(|error| error.to_string()));
    }
}

impl Panel {
    /// Asks for the answers about the runs, unless they would tell a voter something.
    pub(in crate::ui) fn want_answers(&mut self, shared: &mut Shared) {
        self.answers.poll();
        if let Some(question) = self.answers_query(shared) {
            self.answers.want(question, &mut shared.effects);
        }
    }

    /// Whether the answers are on their way.
    pub(in crate::ui) fn awaits_answers(&self) -> bool {
        self.answers.is_waiting()
    }

    /// The tasks whose answers may be shown now.
    fn answers_query(&self, shared: &Shared) -> Option<AnswersQuery> {
        let mut tasks = Vec::new();
        for key in self.keys.iter().filter(|key| !self.blind && !shared.hides_outcomes(key.id)) {
            let task = (shared.cell_of(key.id)?.clone(), shared.task_of(key.id)?.id.clone());
            if !tasks.contains(&task) {
                tasks.push(task);
            }
        }
        (!tasks.is_empty()).then_some(AnswersQuery { tasks, version: shared.data.version })
    }

    /// The answers that may be shown, once they are there.
    pub(super) fn answers(&self, shared: &Shared) -> Option<&KnownAnswers> {
        let answers: &Arc<Result<KnownAnswers, String>> =
            self.answers.answer_to(&self.answers_query(shared)?)?;
        answers.as_ref().as_ref().ok()
    }

    /// The selected turn, where the side pane depends on it; none where neither a model was asked nor
    /// drift was measured.
    #[allow(clippy::option_option, reason = "no turn may be selected where a model was asked")]
    pub(super) fn turn_in_side(
        &self,
        comparison: &Comparison,
        shared: &Shared,
    ) -> Option<Option<usize>> {
        let is_asked = self.answers(shared).is_some_and(|known| !known.is_empty());
        let turns = &comparison.run(self.focus).turns;
        let has_drift = turns.iter().any(|turn| turn.drift.is_some());
        (is_asked || has_drift).then(|| self.turn_in_focus(&comparison.sheet))
    }
}

impl SideText<'_> {
    /// The next actions that were sampled again at the selected turn.
    pub(super) fn next_actions(&self) -> Option<Section> {
        let turn = self.panel.turn_in_focus(&self.comparison.sheet)?;
        let run = self.comparison.run(self.panel.focus);
        let lines = next_action_words(self.panel.answers(self.shared)?, run, turn);
        let lines: Vec<(String, usize)> =
            lines.into_iter().map(|line| (line, ROWS_OF_WORDS)).collect();
        let title = format!("next actions of turn {}, sampled again", turn + 1);
        (!lines.is_empty()).then(|| Section::in_brief(title, lines))
    }

    /// What the agent's model says of a pane's run.
    pub(super) fn self_assessment(&self, pane: usize) -> Option<Section> {
        let name = self.panel.pane_name(pane, self.shared);
        let words = self.answer_words(&[Question::PTrue, Question::Vc], &[pane]);
        answers(format!("what the agent's model says of {name}"), &words)
    }

    /// What judges wrote about the pair of the first pane and another.
    pub(super) fn judged(&self, pane: usize) -> Option<Section> {
        let name = |pane| self.panel.pane_name(pane, self.shared);
        let words = self.answer_words(&[Question::Ter], &[0, pane]);
        answers(format!("what judges wrote about {} and {}", name(0), name(pane)), &words)
    }

    /// The judges whose answers are shown on the pair of the first pane and another.
    pub(super) fn judge_names(&self, pane: usize) -> Vec<String> {
        let words = self.answer_words(&[Question::Ter], &[0, pane]);
        words.into_iter().map(|words| words.name).collect()
    }

    /// The newest answers about the runs of some panes.
    fn answer_words(&self, questions: &[Question], panes: &[usize]) -> Vec<AnswerWords> {
        let Some(known) = self.panel.answers(self.shared) else { return Vec::new() };
        let runs: Vec<&Trajectory> = panes.iter().map(|pane| self.comparison.run(*pane)).collect();
        answer_words(known, questions, &runs, two)
    }
}

/// Answers with what each says, and below it what the model wrote; in the pane both are one line.
fn answers(title: String, words: &[AnswerWords]) -> Option<Section> {
    let whole = words.iter().flat_map(|words| [words.head.clone(), format!("  {}", words.raw)]);
    let brief = words.iter().map(|AnswerWords { head, raw, is_unparsed, .. }| {
        // A reason may be long, and is the point of the line.
        let rows = if *is_unparsed { 2 * ROWS_OF_HEAD } else { ROWS_OF_HEAD };
        (format!("{head} {raw}"), rows + ROWS_OF_WORDS)
    });
    (!words.is_empty()).then(|| Section::with_brief(title, whole.collect(), brief.collect()))
}
