//! A mapping to start from, for a file that no reader knows, and for tables.

use std::fmt::Write as _;

use serde_json::Value;

use super::apply::is_role;
use super::pointer::Pointer;
use super::{Export, Mapping, RunMap};
use crate::readers::facts;
use crate::readers::given::{SYSTEM, TOOLS};

/// Names of a conversation, the likelier first.
pub(in crate::readers) const CONVERSATION: [&str; 5] =
    ["messages", "conversation", "conversations", "trajectory", "traj"];

/// Names of a conversation in two parts.
const IN_PARTS: [&str; 2] = ["prompt", "completion"];

/// Names of lists that hold records or messages.
const LISTS: [&str; 12] = [
    "messages",
    "conversation",
    "conversations",
    "trajectory",
    "traj",
    "steps",
    "history",
    "turns",
    "events",
    "chat",
    "dialogue",
    "transcript",
];

/// Depth down to which messages are looked for.
const DEEPEST: usize = 6;

impl Mapping {
    /// The mapping of a table with these columns; none where no column holds a conversation.
    pub(in crate::readers) fn of_columns(columns: &[String]) -> Option<Self> {
        let has = |name: &str| columns.iter().any(|column| column == name);
        let field =
            |names: &[&str]| names.iter().find(|name| has(name)).map(|name| Pointer::field(name));
        let messages = match field(&CONVERSATION) {
            Some(messages) => vec![messages],
            None if IN_PARTS.iter().all(|name| has(name)) => IN_PARTS.map(Pointer::field).to_vec(),
            None => return None,
        };
        let run = RunMap {
            messages,
            task: field(facts::TASK),
            draw: field(facts::DRAW),
            success: field(facts::SUCCESS),
            reward: field(facts::REWARD),
            dataset: field(facts::DATASET),
            model: field(facts::MODEL),
            condition: field(&["condition"]),
            temperature: field(&["temperature"]),
            cost: field(&["cost"]),
            duration: field(&["duration"]),
            system: field(&SYSTEM),
            tools: field(&TOOLS),
            ..RunMap::default()
        };
        Some(Self { run, ..Self::default() })
    }
}

/// A mapping in TOML that may fit a file with this first record; none where nothing looks like messages.
pub(in crate::readers) fn start(first: &Value) -> Option<String> {
    if let Some(export) = Export::of(|key| first.get(key).is_some()) {
        return export.mapping(first);
    }
    let (at, record) = match find_messages(first, "", 0) {
        Some(_) => ("lines".to_owned(), first),
        None => find_records(first, "", 0).unwrap_or_else(|| ("lines".to_owned(), first)),
    };
    let (messages, element) = match find_messages(record, "", 0) {
        Some((messages, element)) => (Some(messages), element),
        // The records may be the messages of one run.
        None => (None, record),
    };
    let message = message(element)?;
    let mut toml = format!("[records]\nat = \"{at}\"\n\n[run]\n");
    if let Some(messages) = messages {
        let _ = writeln!(toml, "messages = \"{messages}\"");
    }
    let names: [(&str, &[&str]); 6] = [
        ("task", facts::TASK),
        ("draw", facts::DRAW),
        ("success", facts::SUCCESS),
        ("reward", facts::REWARD),
        ("model", facts::MODEL),
        ("dataset", facts::DATASET),
    ];
    for (key, names) in names {
        if let Some(name) = names.iter().find(|name| record.get(**name).is_some_and(is_plain)) {
            let _ = writeln!(toml, "{key} = \"/{name}\"");
        }
    }
    let _ = write!(toml, "\n[[message]]\n{message}");
    Some(toml)
}

/// The pointer to a list of records that hold messages, and the first of them.
fn find_records<'v>(value: &'v Value, at: &str, depth: usize) -> Option<(String, &'v Value)> {
    let fields = value.as_object().filter(|_| depth < DEEPEST)?;
    fields.iter().find_map(|(name, value)| {
        let at = format!("{at}/{}", escaped(name));
        let Value::Array(list) = value else { return find_records(value, &at, depth + 1) };
        let first = list.iter().find(|element| element.is_object())?;
        find_messages(first, "", 0).map(|_| (at, first))
    })
}

fn is_plain(value: &Value) -> bool {
    !matches!(value, Value::Object(_) | Value::Array(_) | Value::Null)
}

/// The pointer to a list of objects under a likely name, and its first element.
fn find_messages<'v>(value: &'v Value, at: &str, depth: usize) -> Option<(String, &'v Value)> {
    let fields = value.as_object().filter(|_| depth < DEEPEST)?;
    let inside = |name: &str| {
        let list = fields.get(name)?.as_array()?;
        let first = list.iter().find(|element| element.is_object())?;
        Some((format!("{at}/{}", escaped(name)), first))
    };
    LISTS.iter().find_map(|name| inside(name)).or_else(|| {
        fields.iter().find_map(|(name, value)| {
            find_messages(value, &format!("{at}/{}", escaped(name)), depth + 1)
        })
    })
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1").replace(['"', '\\', '\n'], "?")
}

/// The lines that say where the parts of a message stand; none where an element is no message.
fn message(element: &Value) -> Option<String> {
    let inside = element.get("message").unwrap_or(&Value::Null);
    let find = |names: &[&'static str]| {
        names.iter().find_map(|name| match (element.get(name), inside.get(name)) {
            (Some(_), _) => Some(format!("/{name}")),
            (None, Some(_)) => Some(format!("/message/{name}")),
            (None, None) => None,
        })
    };
    let role = ["role", "from", "type", "source", "speaker", "author"].iter().find_map(|name| {
        let pointer = find(&[*name])?;
        let word = Pointer::parse(&pointer).ok()?.text(element)?;
        is_role(&word).then_some(pointer)
    });
    let content = find(&["content", "value", "text", "message", "response", "thought", "output"]);
    if role.is_none() && content.is_none() {
        return None;
    }
    let mut lines = format!("role = \"{}\"\n", role.as_deref().unwrap_or("assistant"));
    let parts = [
        ("content", content),
        ("reasoning", find(&["reasoning_content", "reasoning", "thinking"])),
        ("tool_calls", find(&["tool_calls", "actions", "calls"])),
        ("tool_call_id", find(&["tool_call_id", "call_id"])),
    ];
    for (key, pointer) in parts {
        if let Some(pointer) = pointer {
            let _ = writeln!(lines, "{key} = \"{pointer}\"");
        }
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_mapping_names_what_is_there() {
        let record: Value = serde_json::from_str(
            r#"{"task_id": 3, "ok": true, "log": {"steps": [{"source": "agent", "text": "Hi"}]}}"#,
        )
        .expect("JSON");
        let toml = start(&record).expect("a mapping");
        let expected = "[records]\nat = \"lines\"\n\n[run]\nmessages = \"/log/steps\"\n\
            task = \"/task_id\"\n\n[[message]]\nrole = \"/source\"\ncontent = \"/text\"\n";
        assert_eq!(toml, expected);
        assert!(Mapping::parse(&toml).is_ok(), "{toml}");
        let nested: Value =
            serde_json::from_str(r#"{"data": {"runs": [{"chat": [{"role": "user"}]}]}}"#)
                .expect("JSON");
        let toml = start(&nested).expect("a mapping");
        assert!(toml.contains("at = \"/data/runs\"") && toml.contains("\"/chat\""), "{toml}");
        assert_eq!(start(&serde_json::json!({"a": [1, 2]})), None);
    }
}
