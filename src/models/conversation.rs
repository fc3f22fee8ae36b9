//! The conversation up to a decision of the agent, as a chat model takes it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::prompt::Prompt;
use crate::model::{Context, Message, Role, ToolCall, Trajectory};

/// What stands where a tool's result was not recorded: servers want one for every call.
const NO_RESULT: &str = "(no result was recorded)";

/// The messages before a turn: the agent's instructions, and the conversation as the agent saw it.
pub(super) fn before_turn(
    run: &Trajectory,
    turn: usize,
    context: Option<&Context>,
    fallback: &Prompt,
) -> Vec<Value> {
    let end = run.turns[turn].message as usize;
    let mut chat = instructions(run, context, fallback);
    let mut messages = run.messages[..end].iter().enumerate().peekable();
    while let Some((index, message)) = messages.next() {
        match message.role {
            Role::Assistant if !message.tool_calls.is_empty() => {
                let mut results = Vec::new();
                while let Some((_, result)) = messages.next_if(|(_, next)| is_result(next)) {
                    results.push(result);
                }
                chat.extend(calls_and_results(index, message, &results));
            }
            Role::Assistant => chat.extend(said("assistant", message)),
            // What the user did with tools of their own, the agent does not see.
            Role::User => chat.extend(said("user", message)),
            // A result without a call before it has no form in this protocol.
            Role::Tool | Role::System => {}
        }
    }
    chat
}

/// Whether a message answers a call of the agent.
fn is_result(message: &Message) -> bool {
    message.role == Role::Tool && !message.for_user
}

fn said(role: &str, message: &Message) -> Option<Value> {
    let words = message.content.as_deref().filter(|words| !words.trim().is_empty())?;
    Some(json!({ "role": role, "content": words }))
}

/// The agent's instructions: those that were recorded, else a prompt that names the policy.
fn instructions(run: &Trajectory, context: Option<&Context>, fallback: &Prompt) -> Vec<Value> {
    let recorded = context.and_then(|context| context.system.clone());
    let in_run = || Context::system_of(&run.messages).map(std::borrow::Cow::into_owned);
    if let Some(system) = recorded.or_else(in_run) {
        return vec![json!({ "role": "system", "content": system })];
    }
    let policy = context.and_then(|context| context.policy.as_deref());
    let tools = context.and_then(|context| context.tools.as_deref());
    fallback.messages(&[("policy", policy), ("tools", tools)])
}

/// A message with calls, and the result of each.
fn calls_and_results(index: usize, message: &Message, results: &[&Message]) -> Vec<Value> {
    let ids: Vec<String> = message
        .tool_calls
        .iter()
        .enumerate()
        .map(|(number, call)| match call.id.as_str() {
            "" => format!("call_{index}_{number}"),
            id => id.to_owned(),
        })
        .collect();
    let calls = message.tool_calls.iter().zip(&ids).map(|(call, id)| {
        let function = json!({ "name": call.name, "arguments": call.arguments });
        json!({ "id": id, "type": "function", "function": function })
    });
    let content = message.content.as_deref().filter(|content| !content.trim().is_empty());
    let mut chat = vec![json!({
        "role": "assistant", "content": content, "tool_calls": calls.collect::<Vec<Value>>(),
    })];
    for (number, (call, id)) in message.tool_calls.iter().zip(&ids).enumerate() {
        let is_answer = |result: &&&Message| {
            !call.id.is_empty() && result.tool_call_id.as_deref() == Some(call.id.as_str())
        };
        let by_order = || results.get(number).filter(|result| result.tool_call_id.is_none());
        let result = results.iter().find(is_answer).or_else(by_order);
        let content = result.and_then(|result| result.content.as_deref()).unwrap_or(NO_RESULT);
        chat.push(json!({ "role": "tool", "tool_call_id": id, "content": content }));
    }
    chat
}

/// The tools of a cell as its runs call them, for results that hold no definitions: every name with the
/// names of the arguments that were given.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenTools(BTreeMap<String, BTreeMap<String, &'static str>>);

impl SeenTools {
    /// Adds the calls of a run.
    pub(super) fn see(&mut self, run: &Trajectory) {
        let turns = run.turns.iter().map(|turn| &run.messages[turn.message as usize]);
        turns.flat_map(|message| &message.tool_calls).for_each(|call| self.see_call(call));
    }

    fn see_call(&mut self, call: &ToolCall) {
        let arguments = self.0.entry(call.name.clone()).or_default();
        let given: Option<Map<String, Value>> = serde_json::from_str(&call.arguments).ok();
        for (name, value) in given.into_iter().flatten() {
            arguments.entry(name).or_insert(match value {
                Value::Bool(_) => "boolean",
                Value::Number(_) => "number",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
                Value::String(_) | Value::Null => "string",
            });
        }
    }

    /// Whether no tool was called.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The definitions, in the protocol's form.
    pub(super) fn definitions(&self) -> Value {
        let definition = |(name, arguments): (&String, &BTreeMap<String, &str>)| {
            let property = |(name, kind): (&String, &&str)| (name.clone(), json!({ "type": kind }));
            let properties: Map<String, Value> = arguments.iter().map(property).collect();
            let parameters = json!({ "type": "object", "properties": properties });
            json!({ "type": "function", "function": { "name": name, "parameters": parameters } })
        };
        self.0.iter().map(definition).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Cell, Head};
    use crate::models::PromptKind;

    fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
    }

    fn run() -> Trajectory {
        let mut greeting = Message::text(Role::Assistant, "Hello!");
        greeting.scripted = true;
        let mut asks = Message::text(Role::Assistant, "");
        asks.tool_calls =
            vec![call("b", "get", r#"{"id": 1}"#), call("", "put", r#"{"on": true}"#)];
        let mut result = Message::text(Role::Tool, "found");
        result.tool_call_id = Some("b".to_owned());
        let mut toggles = Message::text(Role::User, "");
        toggles.tool_calls = vec![call("u", "toggle", "{}")];
        let mut toggled = Message::text(Role::Tool, "toggled");
        toggled.for_user = true;
        let messages = vec![
            greeting,
            Message::text(Role::User, "Hi"),
            asks,
            result,
            toggles,
            toggled,
            Message::text(Role::User, "Done?"),
            Message::text(Role::Assistant, "Yes."),
        ];
        Trajectory::new(Head::new(Cell::new("d", "m"), "1"), messages, |_| None)
    }

    #[test]
    fn the_agent_sees_what_it_saw() {
        let context = Context { system: Some("Be kind.".to_owned()), ..Context::default() };
        let agent = Prompt::built_in(PromptKind::Agent);
        let chat = before_turn(&run(), 1, Some(&context), &agent);
        let roles: Vec<&str> = chat.iter().filter_map(|message| message["role"].as_str()).collect();
        assert_eq!(roles, ["system", "assistant", "user", "assistant", "tool", "tool", "user"]);
        assert_eq!(chat[0]["content"], "Be kind.");
        assert_eq!(chat[3]["tool_calls"][0]["id"], "b");
        assert_eq!(chat[4]["content"], "found");
        // A call without an identifier gets one, and a result that says that there is none.
        assert_eq!(chat[3]["tool_calls"][1]["id"], chat[5]["tool_call_id"]);
        assert_eq!(chat[5]["content"], NO_RESULT);
        let text = serde_json::to_string(&chat).expect("JSON");
        assert!(!text.contains("toggle") && !text.contains("Yes."), "{text}");
    }

    #[test]
    fn what_the_user_got_is_no_result_of_the_agents_call() {
        let call = ToolCall { id: String::new(), name: "get".to_owned(), arguments: String::new() };
        let calling = Message { tool_calls: vec![call], ..Message::text(Role::Assistant, "") };
        let of_user = Message { for_user: true, ..Message::text(Role::Tool, "toggled") };
        let messages = vec![calling, of_user, Message::text(Role::Assistant, "Done.")];
        let head = crate::model::Head::new(crate::model::Cell::new("d", "m"), "1");
        let run = Trajectory::new(head, messages, |_| None);
        let chat = before_turn(&run, 1, None, &Prompt::built_in(PromptKind::Agent));
        let last = chat.last().expect("a message");
        assert_eq!((&last["role"], &last["content"]), (&json!("tool"), &json!(NO_RESULT)));
    }

    #[test]
    fn without_instructions_the_policy_is_named() {
        let context = Context { policy: Some("No refunds.".to_owned()), ..Context::default() };
        let agent = Prompt::built_in(PromptKind::Agent);
        let chat = before_turn(&run(), 0, Some(&context), &agent);
        assert!(chat[0]["content"].as_str().is_some_and(|text| text.contains("No refunds.")));
        assert_eq!(chat.len(), 3);
    }

    #[test]
    fn tools_are_defined_as_they_were_called() {
        let mut tools = SeenTools::default();
        assert!(tools.is_empty());
        tools.see(&run());
        let found = tools.definitions();
        assert_eq!(found[0]["function"]["name"], "get");
        assert_eq!(found[0]["function"]["parameters"]["properties"]["id"]["type"], "number");
        assert_eq!(found[1]["function"]["parameters"]["properties"]["on"]["type"], "boolean");
        assert_eq!(found.as_array().map(Vec::len), Some(2));
    }
}
