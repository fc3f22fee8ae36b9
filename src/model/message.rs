//! Messages, who they are from, and the tool calls in them.

use serde::{Deserialize, Serialize};

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions given before the conversation.
    System,
    /// The user, simulated or real.
    User,
    /// The agent under study.
    Assistant,
    /// The environment's answer to a tool call.
    Tool,
}

impl Role {
    /// The word under which the role is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }

    /// The role of that name; other harnesses say `developer`, `agent` or `function`.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "system" | "developer" => Self::System,
            "user" => Self::User,
            "assistant" | "agent" => Self::Assistant,
            "tool" | "function" => Self::Tool,
            _ => return None,
        })
    }
}

/// A call of a tool, by the agent or, in dual-control benchmarks, by the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The identifier that ties the call to its result; may be empty.
    #[serde(default)]
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text; text that is not JSON is kept as the model wrote it.
    pub arguments: String,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// What was said, or what a tool returned.
    pub content: Option<String>,
    /// The reasoning before it, where that was recorded separately.
    pub reasoning: Option<String>,
    /// Calls made with this message.
    pub tool_calls: Vec<ToolCall>,
    /// For a tool's answer: the call it answers.
    pub tool_call_id: Option<String>,
    /// For a tool's answer: the call failed.
    pub error: bool,
    /// Text that no model generated, such as a fixed greeting. Never a turn.
    pub scripted: bool,
    /// For a tool's answer: it answers a call of the user, not of the agent.
    pub for_user: bool,
}

impl Message {
    /// A message with text only.
    pub fn text(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: Some(content.into()),
            reasoning: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            error: false,
            scripted: false,
            for_user: false,
        }
    }

    /// Whether the agent's model generated it.
    pub fn is_turn(&self) -> bool {
        self.role == Role::Assistant && !self.scripted
    }

    /// The text, unless it is blank.
    pub fn words(&self) -> Option<&str> {
        self.content.as_deref().filter(|text| !text.trim().is_empty())
    }
}
