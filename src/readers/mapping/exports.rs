//! What well-known tools write that no reader takes, and the mappings that fit: the examples of the
//! documentation.

mod langsmith;

use serde_json::Value;

use super::pointer::Pointer;

/// A file of a tool that has no reader of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::readers) enum Export {
    /// Spans in the JSON of OTLP.
    Spans,
    LangSmith,
    ClaudeCode,
    Codex,
}

impl Export {
    const ALL: [Self; 4] = [Self::Spans, Self::LangSmith, Self::ClaudeCode, Self::Codex];

    /// The tool whose documents, or lines, have such keys.
    pub(in crate::readers) fn of(has: impl Fn(&str) -> bool) -> Option<Self> {
        let has_all = |keys: &[&str]| keys.iter().all(|key| has(key));
        Self::ALL.into_iter().find(|export| export.keys().iter().any(|keys| has_all(keys)))
    }

    /// The keys that tell it, in every kind of record that does.
    fn keys(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Spans => &[&["resourceSpans"]],
            Self::LangSmith => &[&["run_type", "child_runs", "inputs", "outputs"]],
            Self::ClaudeCode => &[&["type", "sessionId"], &["type", "parentUuid", "message"]],
            Self::Codex => &[&["timestamp", "type", "payload"]],
        }
    }

    /// What a file is, in words.
    pub(in crate::readers) fn words(self) -> &'static str {
        match self {
            Self::Spans => "as OpenTelemetry exports spans",
            Self::LangSmith => "as LangSmith exports a run",
            Self::ClaudeCode => "as Claude Code writes a session",
            Self::Codex => "as Codex writes a session",
        }
    }

    /// A mapping in TOML that fits, by a document or a line; none where it holds no message.
    pub(super) fn mapping(self, record: &Value) -> Option<String> {
        match self {
            Self::Spans => {
                let attributes = Pointer::parse(SPANS_ATTRIBUTES).ok()?.all(record);
                let has_words =
                    |attribute: &&Value| attribute.get("key").is_some_and(|key| key == ANSWER);
                attributes.iter().any(has_words).then(|| SPANS.to_owned())
            }
            Self::LangSmith => langsmith::start(record),
            Self::ClaudeCode => record.pointer("/message/role").map(|_| CLAUDE_CODE.to_owned()),
            Self::Codex => record.pointer("/payload/role").map(|_| CODEX.to_owned()),
        }
    }
}

const CLAUDE_CODE: &str = r#"[records]
at = "lines"
run = "/sessionId"
skip = "/isSidechain"

[run]
id = "/sessionId"
model = "/message/model"
join_turns = true

[[message]]
role = "/message/role"
content = "/message/content"
"#;

const CODEX: &str = r#"[records]
at = "lines"

[run]
id = "/payload/id"
model = "/payload/model"
join_turns = true

[[message]]
role = "/payload/role"
content = "/payload/content"

[[message]]
role = "assistant"
tool_calls = "/payload"

[[message]]
role = "tool"
content = "/payload/output"
tool_call_id = "/payload/call_id"

[tool_call]
name = "/name"
arguments = "/arguments"
id = "/call_id"
"#;

/// Where spans have their attributes, and the one that holds an answer.
const SPANS_ATTRIBUTES: &str = "/resourceSpans/*/scopeSpans/*/spans/*/attributes/*";
const ANSWER: &str = "gen_ai.completion.0.content";

const SPANS: &str = r#"[records]
at = "/resourceSpans/*/scopeSpans/*/spans/*"
run = "/traceId"

[run]
model = "/attributes/gen_ai.request.model"
system = "/attributes/gen_ai.system_instructions"
tools = "/attributes/gen_ai.tool.definitions"
join_turns = true

[[message]]
role = "user"
content = "/attributes/gen_ai.prompt.0.content"

[[message]]
role = "/attributes/gen_ai.completion.0.role"
content = "/attributes/gen_ai.completion.0.content"

[[message]]
role = "assistant"
tool_calls = ""

[[message]]
role = "tool"
content = "/attributes/gen_ai.tool.call.result"
tool_call_id = "/attributes/gen_ai.tool.call.id"

[tool_call]
name = "/attributes/gen_ai.tool.name"
arguments = "/attributes/gen_ai.tool.call.arguments"
id = "/attributes/gen_ai.tool.call.id"
"#;
