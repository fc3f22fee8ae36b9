//! What models answered about runs, as JSON.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::runs::SideBySide;
use crate::models::{AnswersOf, KnownAnswer, Question, Said};

/// An answer: who was asked, what the model wrote, and what that says.
pub(super) struct AnswerObject<'s>(&'s KnownAnswer);

impl Serialize for AnswerObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answer = self.0;
        let said = answer.read.said.as_ref();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("question", answer.question.id())?;
        map.serialize_entry("asked", &answer.asked)?;
        map.serialize_entry("prompt", &answer.prompt)?;
        map.serialize_entry("answer", &answer.read.raw)?;
        map.serialize_entry("unparsed", &said.err())?;
        match answer.question {
            Question::Ter => {
                let verdict = said.ok().and_then(Said::verdict);
                map.serialize_entry("equivalent", &verdict.map(|verdict| verdict.equivalent))?;
                map.serialize_entry("confidence", &verdict.map(|verdict| verdict.confidence))?;
            }
            Question::PTrue => {
                let truth = said.ok().and_then(Said::truth);
                map.serialize_entry("on_true", &truth.map(|truth| truth.on_true))?;
                map.serialize_entry("on_false", &truth.map(|truth| truth.on_false))?;
            }
            Question::Vc => {
                map.serialize_entry("confidence", &said.ok().and_then(Said::confidence))?;
            }
            Question::Prefix => {
                map.serialize_entry("sample", &(u64::from(answer.repeat) + 1))?;
                let action = said.ok().and_then(Said::action);
                map.serialize_entry("tools", &action.map(|action| &action.tools))?;
            }
        }
        map.end()
    }
}

fn newest(askers: Vec<AnswersOf<'_>>) -> impl Iterator<Item = AnswerObject<'_>> {
    askers.into_iter().filter_map(|asker| asker.newest().map(AnswerObject))
}

/// What the agent's model says of a pane's run.
pub(super) fn self_assessment<'s>(shown: &SideBySide<'s>, pane: usize) -> Vec<AnswerObject<'s>> {
    let on = |question| newest(shown.answers.on(question, &[shown.runs[pane]]));
    on(Question::PTrue).chain(on(Question::Vc)).collect()
}

/// What judges wrote about the pair of the first pane and another.
pub(super) fn judged<'s>(shown: &SideBySide<'s>, pane: usize) -> Vec<AnswerObject<'s>> {
    let pair = [shown.runs[0], shown.runs[pane]];
    newest(shown.answers.on(Question::Ter, &pair)).collect()
}

/// All next actions that were sampled at a turn.
pub(super) fn next_actions<'s>(
    shown: &SideBySide<'s>,
    pane: usize,
    turn: usize,
) -> Vec<AnswerObject<'s>> {
    let askers = shown.answers.next_actions(shown.runs[pane], turn);
    askers.into_iter().flat_map(|asker| asker.answers).map(AnswerObject).collect()
}
