//! Converts messages to and from the table `messages`.

use polars::prelude::{DataFrame, PolarsResult};

use super::columns::{self as col, Frame};
use super::{Entry, StoreError};
use crate::model::{Head, MESSAGE_ACTION, Message, Role, ToolCall, Trajectory};

/// The rows of the messages of runs with these ids.
pub(super) fn frame(
    ids: impl Iterator<Item = u32>,
    runs: &[Trajectory],
) -> PolarsResult<DataFrame> {
    struct Row<'a> {
        id: u32,
        index: u32,
        turn: Option<u32>,
        message: &'a Message,
        calls: Option<String>,
    }
    let mut rows = Vec::new();
    for (id, run) in ids.zip(runs) {
        let mut turns = 0..;
        for (index, message) in (0..).zip(&run.messages) {
            let turn = if message.is_turn() { turns.next() } else { None };
            let calls = (!message.tool_calls.is_empty())
                .then(|| serde_json::to_string(&message.tool_calls).unwrap_or_default());
            rows.push(Row { id, index, turn, message, calls });
        }
    }
    let messages = || rows.iter().map(|row| row.message);
    DataFrame::new(
        rows.len(),
        vec![
            col::small("trajectory", rows.iter().map(|row| row.id)),
            col::small("message", rows.iter().map(|row| row.index)),
            col::small_opt("turn", rows.iter().map(|row| row.turn)),
            col::text("role", messages().map(|message| message.role.as_str())),
            col::text_opt("content", messages().map(|message| message.content.as_deref())),
            col::text_opt("reasoning", messages().map(|message| message.reasoning.as_deref())),
            col::text_opt("tool_calls", rows.iter().map(|row| row.calls.as_deref())),
            col::text_opt(
                "tool_call_id",
                messages().map(|message| message.tool_call_id.as_deref()),
            ),
            col::flag("error", messages().map(|message| message.error)),
            col::flag("for_user", messages().map(|message| message.for_user)),
        ],
    )
}

/// The turns of a run of which the store has no texts: what each did, without words and arguments. Of
/// several actions in a turn nobody knows where it ends; the last turn has those that are left.
fn without_words(head: &Head) -> Vec<Message> {
    let turns = head.turns as usize;
    let blank = Message { content: None, ..Message::text(Role::Assistant, "") };
    let turn =
        |turn: usize| {
            let actions = head.action_types.get(turn..).unwrap_or_default();
            let here = if turn + 1 == turns { actions } else { &actions[..actions.len().min(1)] };
            let calls = here.iter().filter(|action| *action != MESSAGE_ACTION).map(|name| {
                ToolCall { id: String::new(), name: name.clone(), arguments: String::new() }
            });
            Message { tool_calls: calls.collect(), ..blank.clone() }
        };
    (0..turns).map(turn).collect()
}

/// The messages of one run, from a frame that begins at `first_row` of the table.
pub(super) fn messages(
    frame: Option<&Frame>,
    entry: &Entry,
    first_row: u64,
) -> Result<Vec<Message>, StoreError> {
    let Some(frame) = frame.filter(|_| entry.head.messages > 0) else {
        return Ok(if entry.head.messages == 0 { without_words(&entry.head) } else { Vec::new() });
    };
    let frame = frame.slice(entry.rows.message - first_row, entry.head.messages);
    if frame.height() != entry.head.messages as usize {
        return Err(frame.wrong("message"));
    }
    let mut id = frame.small("trajectory")?;
    let mut turn = frame.small("turn")?;
    let mut role = frame.text("role")?;
    let mut content = frame.text("content")?;
    let mut reasoning = frame.text("reasoning")?;
    let mut tool_calls = frame.text("tool_calls")?;
    let mut tool_call_id = frame.text("tool_call_id")?;
    let mut error = frame.flag("error")?;
    let mut for_user = frame.flag("for_user")?;
    (0..frame.height())
        .map(|_| {
            if id.need()? != entry.id {
                return Err(frame.wrong("trajectory"));
            }
            let is_turn = turn.next().is_some();
            let role = Role::parse(role.need()?).ok_or_else(|| frame.wrong("role"))?;
            let calls: Vec<ToolCall> = match tool_calls.next() {
                Some(json) => serde_json::from_str(json).map_err(|_| frame.wrong("tool_calls"))?,
                None => Vec::new(),
            };
            Ok(Message {
                role,
                content: content.next_owned(),
                reasoning: reasoning.next_owned(),
                tool_calls: calls,
                tool_call_id: tool_call_id.next_owned(),
                error: error.need()?,
                scripted: role == Role::Assistant && !is_turn,
                for_user: for_user.need()?,
            })
        })
        .collect()
}
