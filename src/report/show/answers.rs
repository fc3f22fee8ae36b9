//! What models answered about runs, in the words that the explorer and all formats share.

use super::lines::{self, safe};
use super::runs::SideBySide;
use crate::model::Trajectory;
use crate::models::{
    ActionCounts, AnswersOf, KnownAnswer, KnownAnswers, NextAction, Question, Said,
};

/// An answer in words: what it says, and what the model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerWords {
    /// Who was asked.
    pub name: String,
    /// What it says, or why it counts for nothing.
    pub head: String,
    /// What the model wrote, in quotation marks.
    pub raw: String,
    /// Whether it counts for nothing.
    pub is_unparsed: bool,
}

impl AnswerWords {
    /// The words of an answer by `name`; `number` writes numbers.
    fn of(name: &str, answer: &KnownAnswer, number: fn(f64) -> String) -> Self {
        let kind = match answer.question {
            Question::Ter => "verdict",
            Question::PTrue => "P(True)",
            Question::Vc => "VC",
            Question::Prefix => "action",
        };
        let head = match &answer.read.said {
            Ok(Said::Verdict(verdict)) => {
                let said = if verdict.equivalent { "≡ equivalent" } else { "≢ different" };
                format!("{name} {said}, confidence {}", number(verdict.confidence))
            }
            Ok(Said::Truth(truth)) => {
                let (mass, share) = (number(truth.on_true), number(truth.normalised()));
                format!("{kind} {mass}, normalised {share}, by {name}")
            }
            Ok(Said::Confidence(value)) => format!("{kind} {}, by {name}", number(*value)),
            Ok(Said::Action(action)) => format!("{name} {}", action.name()),
            Err(why) => {
                format!("{kind} of {name}: ? did not parse and counts for nothing: {why}")
            }
        };
        let raw = match answer.read.raw.as_str() {
            "" => "(no words)".to_owned(),
            raw => format!("\u{201c}{raw}\u{201d}"),
        };
        Self { name: name.to_owned(), head, raw, is_unparsed: answer.read.said.is_err() }
    }
}

/// The newest answers to questions about a run or a pair, in words; `number` writes numbers.
pub fn answer_words(
    known: &KnownAnswers,
    questions: &[Question],
    runs: &[&Trajectory],
    number: fn(f64) -> String,
) -> Vec<AnswerWords> {
    let askers = questions.iter().flat_map(|question| known.on(*question, runs));
    let words = |asker: AnswersOf<'_>| {
        asker.newest().map(|answer| AnswerWords::of(&asker.name, answer, number))
    };
    askers.filter_map(words).collect()
}

/// How often each next action was sampled at a turn, and how often it was the one that was taken: a line
/// each.
pub fn next_action_words(known: &KnownAnswers, run: &Trajectory, turn: usize) -> Vec<String> {
    let Some(taken) = taken(run, turn) else { return Vec::new() };
    let askers = known.next_actions(run, turn).into_iter();
    askers.flat_map(|asker| count_lines(&asker, &taken)).collect()
}

/// The action that a turn took.
fn taken(run: &Trajectory, turn: usize) -> Option<NextAction> {
    Some(NextAction::of_turn(&run.messages[run.turns.get(turn)?.message as usize]))
}

fn count_lines(asker: &AnswersOf<'_>, taken: &NextAction) -> Vec<String> {
    let name = &asker.name;
    let counts = ActionCounts::of(&asker.answers, taken);
    let mut lines = Vec::new();
    if counts.parsed > 0 {
        let actions = counts.actions.iter().map(|(action, count)| format!("{count} × {action}"));
        lines.push(format!("{} (by {name})", actions.collect::<Vec<_>>().join(", ")));
        let ActionCounts { parsed, same_name, same_type, .. } = counts;
        lines.push(format!(
            "taken was {}: {same_name} of {parsed} agree in name, {same_type} of {parsed} in type",
            taken.name()
        ));
    }
    if let Some(why) = counts.unparsed.first() {
        let count = counts.unparsed.len();
        lines.push(format!("{count} of {name} did not parse and count for nothing: {why}"));
    }
    lines
}

/// What the agent's model says of a pane's run, as lines that are safe to print.
pub(super) fn self_assessment(shown: &SideBySide<'_>, pane: usize, full: bool) -> Vec<String> {
    let questions = [Question::PTrue, Question::Vc];
    printed(&answer_words(shown.answers, &questions, &[shown.runs[pane]], three), full)
}

/// What judges wrote about the pair of the first pane and another, as lines that are safe to print.
pub(super) fn judged(shown: &SideBySide<'_>, pane: usize, full: bool) -> Vec<String> {
    let pair = [shown.runs[0], shown.runs[pane]];
    printed(&answer_words(shown.answers, &[Question::Ter], &pair, three), full)
}

fn printed(answers: &[AnswerWords], full: bool) -> Vec<String> {
    let mut printed = Vec::new();
    for answer in answers {
        printed.push(safe(&answer.head));
        let raw = lines::fitted(&lines::plain(&answer.raw), full);
        printed.extend(raw.into_iter().map(|line| format!("  {line}")));
    }
    printed
}

fn three(value: f64) -> String {
    format!("{value:.3}")
}
