//! A mapping applied to the records of a file.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::super::facts::Facts;
use super::super::given::ToolLists;
use super::super::json::Text;
use super::super::openai::{Conversation, Line, role};
use super::super::rollouts::Rollout;
use super::super::settings::without_nulls;
use super::ends::Ends;
use super::pointer::Pointer;
use super::{CallMap, Mapping, MessageMap, RunMap, TokenMap};
use crate::model::{Message, Role};

/// A run whose messages stand in several records.
#[derive(Default)]
struct Gathered {
    key: Option<String>,
    facts: Facts,
    lines: Vec<Line>,
    beside: Beside,
    once: Once,
}

/// What the agent was given beside the conversation.
#[derive(Default)]
struct Beside {
    system: Option<String>,
    tools: Option<Arc<str>>,
}

/// Which of the messages that count once a run has, by the index of their map.
#[derive(Default)]
struct Once(HashSet<usize>);

/// The runs of a file under a mapping, while its records come in.
pub(in crate::readers) struct Runs<'m> {
    mapping: &'m Mapping,
    ends: Ends,
    /// The runs that have begun and not ended.
    open: BTreeMap<usize, Gathered>,
    tools: ToolLists,
}

impl<'m> Runs<'m> {
    /// The runs of a file that ends where `ends` says.
    pub(in crate::readers) fn new(mapping: &'m Mapping, mut ends: Ends) -> Self {
        ends.rewind();
        let (open, tools) = Default::default();
        Self { mapping, ends, open, tools }
    }

    /// Takes a record in, and returns the run that is complete with it.
    pub(in crate::readers) fn take(&mut self, record: &Value) -> Result<Option<Rollout>, String> {
        let taken = if self.mapping.skips(record) { Ok(None) } else { self.gather(record) };
        self.ends.pass();
        taken
    }

    fn gather(&mut self, record: &Value) -> Result<Option<Rollout>, String> {
        let mapping = self.mapping;
        let mut facts = Facts::default();
        for (name, pointer) in mapping.run.facts() {
            if let Some(text) = pointer.and_then(|pointer| pointer.text(record)) {
                facts.add(name, &text);
            }
        }
        let beside = self.beside(record);
        if !mapping.gathers_by_key() && !mapping.run.messages.is_empty() {
            let lines = mapping.lines(record, &mut Once::default())?;
            return Ok(Some(mapping.rollout(&facts, lines, beside)));
        }
        let key = mapping.key(record);
        let (index, ends) = self.ends.next(key.as_deref());
        let run = self.open.entry(index).or_default();
        run.key = run.key.take().or(key);
        let lines = mapping.lines(record, &mut run.once)?;
        run.lines.extend(lines);
        run.beside.system = run.beside.system.take().or(beside.system);
        run.beside.tools = beside.tools.or(run.beside.tools.take());
        // The last word on the outcome counts, and the first on everything else.
        let earlier = std::mem::take(&mut run.facts);
        run.facts = facts.clone().graded().or(earlier).or(facts);
        let ended = if ends { self.open.remove(&index) } else { None };
        Ok(ended.and_then(|run| mapping.gathered(run)))
    }

    /// What a record says that the agent was given.
    fn beside(&mut self, record: &Value) -> Beside {
        let RunMap { system, tools, .. } = &self.mapping.run;
        let get = |pointer: &Option<Pointer>| pointer.as_ref()?.get(record);
        let written = get(tools).map(|tools| match tools.as_ref() {
            Value::String(text) => text.clone(),
            // In a table, a field that only another tool has is null.
            list => without_nulls(list).to_string(),
        });
        Beside {
            system: get(system).and_then(|system| words(&system)),
            tools: written.and_then(|tools| self.tools.of(&tools)),
        }
    }

    /// The runs that did not end before the file did.
    pub(in crate::readers) fn finish(self) -> impl Iterator<Item = Rollout> + use<'m> {
        let mapping = self.mapping;
        self.open.into_values().filter_map(move |run| mapping.gathered(run))
    }
}

impl Mapping {
    /// A run of several records; none without a message.
    fn gathered(&self, run: Gathered) -> Option<Rollout> {
        let lines = Some(run.lines).filter(|lines| !lines.is_empty())?;
        let mut rollout = self.rollout(&run.facts, lines, run.beside);
        rollout.run_id = rollout.run_id.or(run.key);
        Some(rollout)
    }

    fn rollout(&self, facts: &Facts, lines: Vec<Line>, beside: Beside) -> Rollout {
        let lines: Vec<Line> = lines.into_iter().flat_map(Line::unfold).collect();
        let lines = if self.run.join_turns { joined(lines) } else { lines };
        let Beside { system, tools } = beside;
        Rollout { system, tools, ..Rollout::new(facts, lines) }
    }

    /// The messages of a record.
    fn lines(&self, record: &Value, once: &mut Once) -> Result<Vec<Line>, String> {
        if self.run.messages.is_empty() {
            return self.said(record, once);
        }
        let mut lines = Vec::new();
        for (index, pointer) in self.run.messages.iter().enumerate() {
            let Some(value) = pointer.get(record) else { continue };
            let value = listed(&value).map_err(|why| format!("`{}` {why}", pointer.written()))?;
            match value {
                Value::Array(list) => {
                    for element in &list {
                        lines.extend(self.said(element, once)?);
                    }
                }
                // A text that follows a prompt is the answer to it.
                Value::String(text) => {
                    let role = if index == 0 { Role::User } else { Role::Assistant };
                    lines.push(Line::new(Message::text(role, text)));
                }
                other => lines.extend(self.said(&other, once)?),
            }
        }
        Ok(lines)
    }

    /// The messages that an element is.
    fn said(&self, element: &Value, once: &mut Once) -> Result<Vec<Line>, String> {
        let written: Vec<Value> = if self.message.is_empty() {
            let has_role = element.get("role").is_some();
            Some(element.clone()).into_iter().filter(|_| has_role).collect()
        } else {
            let maps = self.message.iter().enumerate();
            let wanted = maps.filter_map(|(index, map)| {
                let written = self.written(map, element)?;
                (!map.once || once.0.insert(index)).then_some(written)
            });
            wanted.collect()
        };
        let read = serde_json::from_str(&Value::Array(written).to_string());
        read.map(|Conversation(lines)| lines).map_err(|error| error.to_string())
    }

    /// A message as `OpenAI` writes it; none where the element has neither words nor calls for it.
    fn written(&self, map: &MessageMap, element: &Value) -> Option<Value> {
        let named = map.role.starts_with('/').then(|| Pointer::parse(&map.role).ok()).flatten();
        let role = match named {
            Some(pointer) => pointer.text(element)?,
            None => map.role.clone(),
        };
        let get = |pointer: &Option<Pointer>| pointer.as_ref()?.get(element);
        let content = get(&map.content).map(Cow::into_owned);
        let calls = get(&map.tool_calls).map(|calls| self.calls(&calls)).unwrap_or_default();
        if content.is_none() && calls.is_empty() {
            return None;
        }
        let reasoning = get(&map.reasoning).map(Cow::into_owned);
        let call = map.tool_call_id.as_ref().and_then(|pointer| pointer.text(element));
        let logprobs = get(&map.logprobs).map(|logprobs| {
            let texts = get(&map.tokens).map(Cow::into_owned);
            positions(&logprobs, texts.as_ref(), self.token.as_ref())
        });
        Some(json!({
            "role": role,
            "content": content,
            "reasoning_content": reasoning,
            "tool_calls": calls,
            "tool_call_id": call,
            "logprobs": logprobs,
        }))
    }

    /// The calls in a list, or the one that an object is.
    fn calls(&self, calls: &Value) -> Vec<Value> {
        let calls = listed(calls).unwrap_or_default();
        let list = if let Value::Array(list) = calls { list } else { vec![calls] };
        let written = |call: Value| match &self.tool_call {
            Some(map) => written_call(map, &call),
            None => Some(call),
        };
        list.into_iter().filter_map(written).collect()
    }
}

/// A call as `OpenAI` writes it; none without a name.
fn written_call(map: &CallMap, call: &Value) -> Option<Value> {
    let name = map.name.text(call).filter(|name| !name.is_empty())?;
    let arguments = map.arguments.as_ref().and_then(|pointer| pointer.get(call));
    let arguments = arguments.map_or_else(|| json!({}), Cow::into_owned);
    let id = map.id.as_ref().and_then(|pointer| pointer.text(call));
    Some(json!({"id": id, "function": {"name": name, "arguments": arguments}}))
}

/// Tokens as `OpenAI` writes them, from a list of numbers beside one of texts, or from objects.
fn positions(logprobs: &Value, texts: Option<&Value>, map: Option<&TokenMap>) -> Value {
    let logprobs = listed(logprobs).unwrap_or_default();
    let Value::Array(list) = &logprobs else { return logprobs };
    if let Some(Value::Array(texts)) = texts {
        if texts.len() != list.len() {
            return Value::Null;
        }
        let tokens = texts.iter().zip(list);
        return json!({"content": tokens.map(|(token, logprob)| json!({"token": token, "logprob": logprob})).collect::<Vec<_>>()});
    }
    let Some(map) = map else { return json!({"content": list}) };
    let position = |position: &Value| {
        let [token, logprob] = [&map.text, &map.logprob].map(|pointer| pointer.get(position));
        json!({"token": token, "logprob": logprob})
    };
    let tokens = list.iter().map(|token| {
        let mut written = position(token);
        let top = map.top.as_ref().and_then(|top| top.get(token));
        let top = top.as_deref().and_then(Value::as_array);
        written["top_logprobs"] =
            top.map(|top| top.iter().map(position).collect::<Vec<_>>()).into();
        written
    });
    json!({"content": tokens.collect::<Vec<_>>()})
}

/// A value, or the JSON that a text holds.
fn listed(value: &Value) -> Result<Value, &'static str> {
    let Value::String(text) = value else { return Ok(value.clone()) };
    let start = text.trim_start();
    if start.starts_with("[{'") {
        return Err("holds a list in Python's notation; write it as JSON (json.dumps)");
    }
    if !start.starts_with(['[', '{']) {
        return Ok(value.clone());
    }
    Ok(serde_json::from_str(text).unwrap_or_else(|_| value.clone()))
}

/// The text of a value, which may be a list of parts.
fn words(value: &Value) -> Option<String> {
    let value = listed(value).ok()?;
    serde_json::from_str::<Text>(&value.to_string()).ok()?.0
}

/// The same conversation where messages of the agent that follow each other are one turn.
fn joined(lines: Vec<Line>) -> Vec<Line> {
    let mut all: Vec<Line> = Vec::new();
    for line in lines {
        let is_turn = line.message.role == Role::Assistant;
        match all.last_mut().filter(|last| is_turn && last.message.role == Role::Assistant) {
            Some(last) => last.join(line),
            None => all.push(line),
        }
    }
    all
}

/// Whether a word is a role, for a guess at a mapping.
pub(super) fn is_role(word: &str) -> bool {
    role(word).is_some()
}
