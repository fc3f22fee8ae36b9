//! What models answered about the runs on screen: next actions sampled again, what the agent's model says
//! of its run, and what judges wrote about a pair.

use std::sync::Arc;

use super::side::{Section, SideText};
use super::{Comparison, Panel};
use crate::model::{Cell, Trajectory};
use crate::models::{NextAction, Question, ReadAnswer, Said, read_answer};
use crate::store::Answer;
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

/// An answer about a run, a pair or a turn.
#[derive(Debug)]
pub(super) struct KnownAnswer {
    question: Question,
    /// The fingerprints of the runs, in hexadecimal digits.
    runs: Vec<String>,
    turn: Option<u32>,
    asked: String,
    prompt: String,
    read: ReadAnswer,
}

impl KnownAnswer {
    /// None of a question that this version does not know.
    fn new(answer: Answer) -> Option<Self> {
        let question = Question::of_id(&answer.question)?;
        let read = read_answer(question, &answer.answer);
        let Answer { runs, turn, asked, prompt, .. } = answer;
        Some(Self { question, runs, turn, asked, prompt, read })
    }
}

impl Query for AnswersQuery {
    type Answer = Result<Vec<KnownAnswer>, String>;
    const LANE: Lane = Lane::Answers;

    fn run(self, worker: &Worker, send: &mut dyn FnMut(Self::Answer) -> bool) {
        let read = |(cell, task): &(Cell, String)| worker.store.answers_about(cell, task);
        let all: Result<Vec<Vec<Answer>>, _> = self.tasks.iter().map(read).collect();
        let known = all.map(|all| all.into_iter().flatten().filter_map(KnownAnswer::new).collect());
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

    fn answers(&self, shared: &Shared) -> Option<&Arc<Result<Vec<KnownAnswer>, String>>> {
        self.answers.answer_to(&self.answers_query(shared)?)
    }

    /// The selected turn, where the side pane depends on it; none where no model was asked.
    #[allow(clippy::option_option, reason = "no turn may be selected where a model was asked")]
    pub(super) fn answered_turn(
        &self,
        comparison: &Comparison,
        shared: &Shared,
    ) -> Option<Option<usize>> {
        let answers = self.answers(shared)?;
        let is_asked = answers.as_ref().as_ref().is_ok_and(|known| !known.is_empty());
        is_asked.then(|| self.turn_in_focus(&comparison.sheet))
    }
}

impl SideText<'_> {
    /// The answers to a question about the runs of some panes. Draws may have other numbers since they were
    /// asked about, so runs are known by their words.
    fn answers_on(&self, question: Question, panes: &[usize]) -> Vec<&KnownAnswer> {
        let print = |pane: &usize| fingerprint(self.comparison.run(*pane));
        let Some(mut runs) = panes.iter().map(print).collect::<Option<Vec<String>>>() else {
            return Vec::new();
        };
        runs.sort();
        let known =
            self.panel.answers(self.shared).and_then(|answers| answers.as_ref().as_ref().ok());
        let is_meant = |answer: &&KnownAnswer| {
            let mut about = answer.runs.clone();
            about.sort();
            answer.question == question && about == runs
        };
        known.into_iter().flatten().filter(is_meant).collect()
    }

    /// The next actions that were sampled again at the selected turn.
    pub(super) fn next_actions(&self) -> Option<Section> {
        let pane = self.panel.focus;
        let turn = self.panel.turn_in_focus(&self.comparison.sheet)?;
        let run = self.comparison.run(pane);
        let taken = NextAction::of_turn(&run.messages[run.turns.get(turn)?.message as usize]);
        let mut sampled = self.answers_on(Question::Prefix, &[pane]);
        sampled.retain(|answer| answer.turn == Some(turn as u32));
        let askers = askers(&sampled);
        let lines: Vec<(String, usize)> = askers
            .iter()
            .flat_map(|asker| {
                let of_asker = sampled.iter().filter(|answer| asker.is_of(answer));
                sample_lines(&asker.name, &of_asker.copied().collect::<Vec<_>>(), &taken)
            })
            .collect();
        let title = format!("next actions of turn {}, sampled again", turn + 1);
        (!lines.is_empty()).then(|| Section::in_brief(title, lines))
    }

    /// What the agent's model says of a pane's run.
    pub(super) fn self_assessment(&self, pane: usize) -> Option<Section> {
        let mut lines = Vec::new();
        for question in [Question::PTrue, Question::Vc] {
            let answers = self.answers_on(question, &[pane]);
            for asker in askers(&answers) {
                let newest = answers.iter().rev().find(|answer| asker.is_of(answer));
                lines.extend(
                    newest.into_iter().flat_map(|answer| answer_lines(&asker.name, answer)),
                );
            }
        }
        let name = self.panel.pane_name(pane, self.shared);
        let title = format!("what the agent's model says of {name}");
        (!lines.is_empty()).then(|| Section::in_brief(title, lines))
    }

    /// What judges wrote about the pair of the first pane and another.
    pub(super) fn judged(&self, pane: usize) -> Option<Section> {
        let answers = self.answers_on(Question::Ter, &[0, pane]);
        let mut lines = Vec::new();
        for asker in askers(&answers) {
            let newest = answers.iter().rev().find(|answer| asker.is_of(answer));
            lines.extend(newest.into_iter().flat_map(|answer| answer_lines(&asker.name, answer)));
        }
        let name = |pane| self.panel.pane_name(pane, self.shared);
        let title = format!("what judges wrote about {} and {}", name(0), name(pane));
        (!lines.is_empty()).then(|| Section::in_brief(title, lines))
    }
}

fn fingerprint(run: &Trajectory) -> Option<String> {
    run.head.fingerprint.map(|print| format!("{print:016x}"))
}

/// A model under one prompt.
struct Asker {
    /// The model's name, with the beginning of the prompt's hash where the model had several prompts.
    name: String,
    asked: String,
    prompt: String,
}

impl Asker {
    fn is_of(&self, answer: &KnownAnswer) -> bool {
        answer.asked == self.asked && answer.prompt == self.prompt
    }
}

/// Who was asked, in the order of the first answers.
fn askers(answers: &[&KnownAnswer]) -> Vec<Asker> {
    let mut askers: Vec<Asker> = Vec::new();
    for answer in answers {
        if !askers.iter().any(|asker| asker.is_of(answer)) {
            let (asked, prompt) = (answer.asked.clone(), answer.prompt.clone());
            askers.push(Asker { name: asked.clone(), asked, prompt });
        }
    }
    let names: Vec<String> = askers.iter().map(|asker| asker.asked.clone()).collect();
    for asker in &mut askers {
        if names.iter().filter(|name| **name == asker.asked).count() > 1 {
            let hash: String = asker.prompt.chars().take(8).collect();
            asker.name = format!("{}#{hash}", asker.asked);
        }
    }
    askers
}

/// What an answer says, and below it what the model wrote.
fn answer_lines(name: &str, answer: &KnownAnswer) -> Vec<(String, usize)> {
    let kind = match answer.question {
        Question::Ter => "verdict",
        Question::PTrue => "P(True)",
        Question::Vc => "VC",
        Question::Prefix => "action",
    };
    let head = match &answer.read.said {
        Ok(Said::Verdict(verdict)) => {
            let said = if verdict.equivalent { "≡ equivalent" } else { "≢ different" };
            format!("{name} {said}, confidence {}", two(verdict.confidence))
        }
        Ok(Said::Truth(truth)) => {
            let (mass, share) = (two(truth.on_true), two(truth.normalised()));
            format!("{kind} {mass}, normalised {share}, by {name}")
        }
        Ok(Said::Confidence(value)) => format!("{kind} {}, by {name}", two(*value)),
        Ok(Said::Action(action)) => format!("{name} {}", action.name()),
        Err(why) => {
            format!("{kind} of {name}: ? did not parse and counts for nothing: {why}")
        }
    };
    let words = match answer.read.raw.as_str() {
        "" => "(no words)".to_owned(),
        raw => format!("\u{201c}{raw}\u{201d}"),
    };
    // A reason may be long, and is the point of the line.
    let rows = if answer.read.said.is_err() { 2 * ROWS_OF_HEAD } else { ROWS_OF_HEAD };
    vec![(head, rows), (format!("  {words}"), ROWS_OF_WORDS)]
}

/// How often each action was sampled, and how often it was the one that was taken.
fn sample_lines(name: &str, sampled: &[&KnownAnswer], taken: &NextAction) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    let (mut parsed, mut same_name, mut same_type) = (0, 0, 0);
    let mut unparsed: Vec<&str> = Vec::new();
    for answer in sampled {
        match &answer.read.said {
            Ok(Said::Action(action)) => {
                parsed += 1;
                same_name += usize::from(action == taken);
                same_type += usize::from(action.has_type_of(taken));
                let action = action.name();
                match counts.iter_mut().find(|(known, _)| *known == action) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((action, 1)),
                }
            }
            Ok(_) => {}
            Err(why) => unparsed.push(why),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let counts = counts.iter().map(|(action, count)| format!("{count} × {action}"));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    if parsed > 0 {
        lines.push((format!("{counts} (by {name})"), ROWS_OF_WORDS));
        let agreement = format!(
            "taken was {}: {same_name} of {parsed} agree in name, {same_type} of {parsed} in type",
            taken.name()
        );
        lines.push((agreement, ROWS_OF_HEAD));
    }
    if let Some(why) = unparsed.first() {
        let count = unparsed.len();
        lines.push((
            format!("{count} of {name} did not parse and count for nothing: {why}"),
            2 * ROWS_OF_HEAD,
        ));
    }
    lines
}
