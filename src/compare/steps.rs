//! A run as the actions that are aligned, each with what came back.

use std::collections::HashMap;
use std::ops::Range;

use super::expected::CallPosition;
use crate::model::{MESSAGE_ACTION, Message, Role, ToolCall, Trajectory, Turn};

/// One action of a run, and the messages that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its turn.
    pub turn: usize,
    /// Which of the turn's calls; none for a message to the user.
    pub call: Option<usize>,
    /// Indices of the messages up to the agent's next turn that belong to it: a call's results and,
    /// with the turn's last action, whatever else was said.
    pub after: Vec<usize>,
}

impl Step {
    /// The message that commits the action.
    pub fn message<'r>(&self, run: &'r Trajectory) -> &'r Message {
        &run.messages[run.turns[self.turn].message as usize]
    }

    /// The call; none for a message.
    pub fn call<'r>(&self, run: &'r Trajectory) -> Option<&'r ToolCall> {
        self.call.and_then(|call| self.message(run).tool_calls.get(call))
    }

    /// Where the call stands in the run; none for a message.
    pub fn position(&self, run: &Trajectory) -> Option<CallPosition> {
        let message = run.turns[self.turn].message as usize;
        self.call.map(|call| CallPosition { message, call })
    }

    /// The action's type: the tool's name, or `message`.
    pub fn kind<'r>(&self, run: &'r Trajectory) -> &'r str {
        self.call(run).map_or(MESSAGE_ACTION, |call| &call.name)
    }

    /// Whether it is the first action of its turn.
    pub fn is_first(&self) -> bool {
        self.call.is_none_or(|call| call == 0)
    }

    /// Whether the call failed, as far as the harness says.
    pub fn failed(&self, run: &Trajectory) -> bool {
        self.results(run).any(|result| result.error)
    }

    /// What the agent's call returned.
    pub fn results<'r>(&self, run: &'r Trajectory) -> impl Iterator<Item = &'r Message> {
        let is_result = |message: &&Message| message.role == Role::Tool && !message.for_user;
        self.after.iter().map(|index| &run.messages[*index]).filter(is_result)
    }
}

/// The messages before the agent's first turn.
pub fn before(run: &Trajectory) -> Range<usize> {
    0..run.turns.first().map_or(run.messages.len(), |turn| turn.message as usize)
}

/// All actions of a run, in order.
pub fn steps(run: &Trajectory) -> Vec<Step> {
    let mut steps = Vec::with_capacity(run.head.action_types.len());
    let message_of = |turn: &Turn| turn.message as usize;
    for turn in 0..run.turns.len() {
        let message = message_of(&run.turns[turn]);
        let next = run.turns.get(turn + 1).map_or(run.messages.len(), message_of);
        let calls = &run.messages[message].tool_calls;
        let first = steps.len();
        if calls.is_empty() {
            steps.push(Step { turn, call: None, after: Vec::new() });
        }
        let numbered =
            (0..calls.len()).map(|call| Step { turn, call: Some(call), after: Vec::new() });
        steps.extend(numbered);
        attach(run, calls, message + 1..next, &mut steps[first..]);
    }
    steps
}

/// Gives every message after a turn to one of the turn's actions.
fn attach(run: &Trajectory, calls: &[ToolCall], messages: Range<usize>, steps: &mut [Step]) {
    // Some harnesses use an id for several calls: then they are answered in order.
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, call) in calls.iter().enumerate().rev().filter(|(_, call)| !call.id.is_empty()) {
        by_id.entry(&call.id).or_default().push(index);
    }
    let mut answered = vec![false; calls.len()];
    // The calls before this one are answered.
    let mut next = 0;
    for index in messages {
        let message = &run.messages[index];
        let mut call = None;
        if message.role == Role::Tool && !message.for_user {
            let named = message.tool_call_id.as_deref().and_then(|id| by_id.get_mut(id)?.pop());
            while answered.get(next) == Some(&true) {
                next += 1;
            }
            call = named.or((next < calls.len()).then_some(next));
        }
        if let Some(call) = call {
            answered[call] = true;
        }
        let last = steps.len().checked_sub(1);
        if let Some(step) = call.or(last).and_then(|step| steps.get_mut(step)) {
            step.after.push(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head};

    fn call(id: &str, name: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: "{}".to_owned() }
    }

    fn result(id: Option<&str>, text: &str) -> Message {
        Message { tool_call_id: id.map(str::to_owned), ..Message::text(Role::Tool, text) }
    }

    #[test]
    fn results_find_their_calls() {
        let agent = |calls: Vec<ToolCall>| Message {
            tool_calls: calls,
            ..Message::text(Role::Assistant, "")
        };
        let messages = vec![
            Message::text(Role::User, "hello"),
            agent(vec![call("x", "a"), call("y", "b")]),
            result(Some("y"), "of b"),
            Message { error: true, ..result(Some("x"), "of a") },
            Message { for_user: true, ..result(Some("x"), "of the user's own") },
            agent(vec![call("", "c"), call("", "d")]),
            result(None, "of c"),
            result(Some("unknown"), "of d"),
            result(None, "of nobody"),
            Message::text(Role::Assistant, "Done."),
            Message::text(Role::User, "thanks"),
        ];
        let run = Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None);
        let steps = steps(&run);
        let shape: Vec<(usize, Option<usize>, &[usize])> =
            steps.iter().map(|step| (step.turn, step.call, step.after.as_slice())).collect();
        assert_eq!(
            shape,
            [
                (0, Some(0), &[3][..]),
                (0, Some(1), &[2, 4]),
                (1, Some(0), &[6]),
                (1, Some(1), &[7, 8]),
                (2, None, &[10]),
            ]
        );
        assert_eq!(before(&run), 0..1);
        let kinds: Vec<&str> = steps.iter().map(|step| step.kind(&run)).collect();
        assert_eq!(kinds, run.head.action_types);
        let failed: Vec<bool> = steps.iter().map(|step| step.failed(&run)).collect();
        assert_eq!(
            failed,
            [true, false, false, false, false],
            "a user's call is none of the agent's"
        );
    }

    #[test]
    fn calls_under_one_id_are_answered_in_order() {
        let mut both = Message::text(Role::Assistant, "");
        both.tool_calls = vec![call("x", "a"), call("x", "b")];
        let messages = vec![both, result(Some("x"), "1"), result(Some("x"), "2")];
        let run = Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None);
        let after: Vec<Vec<usize>> = steps(&run).into_iter().map(|step| step.after).collect();
        assert_eq!(after, [[1], [2]]);
    }
}
