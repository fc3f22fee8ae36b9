//! A mapping for runs that `LangSmith` exports with their child runs inside.

use std::fmt::Write as _;

use serde_json::Value;

/// The first answer of a call.
const ANSWER: &str = "/outputs/generations/0/0";

/// The fields of a message that hold what was said: older and newer versions write different ones.
const INSIDE: [&str; 2] = ["data", "kwargs"];

/// A mapping in TOML that fits the child runs of an exported run; none where no model was called.
pub(super) fn start(run: &Value) -> Option<String> {
    let calls = run.get("child_runs")?.as_array()?;
    let call = calls.iter().find(|call| call.pointer(ANSWER).is_some())?;
    let has = |pointer: &str| call.pointer(pointer).is_some_and(|value| !value.is_null());
    let mut toml = "[records]\nat = \"/child_runs\"\n\n[run]\n".to_owned();
    let models = ["/outputs/llm_output/model_name", "/extra/invocation_params/model"];
    if let Some(model) = models.iter().find(|pointer| has(pointer)) {
        let _ = writeln!(toml, "model = \"{model}\"");
    }
    if let Some(question) = question(call) {
        let _ =
            write!(toml, "\n[[message]]\nrole = \"user\"\ncontent = \"{question}\"\nonce = true\n");
    }
    toml.push_str("\n[[message]]\nrole = \"assistant\"\n");
    let said = INSIDE.iter().map(|name| format!("{ANSWER}/message/{name}"));
    match said.into_iter().find(|pointer| has(pointer)) {
        Some(said) => {
            let _ =
                write!(toml, "content = \"{said}/content\"\ntool_calls = \"{said}/tool_calls\"\n");
        }
        None => {
            let _ = writeln!(toml, "content = \"{ANSWER}/text\"");
        }
    }
    toml.push_str("\n[[message]]\nrole = \"tool\"\ncontent = \"/outputs/output\"\n");
    toml.push_str("\n[tool_call]\nname = \"/name\"\narguments = \"/args\"\nid = \"/id\"\n");
    Some(toml)
}

/// The pointer to the first words of the user in a call.
fn question(call: &Value) -> Option<String> {
    let asked = call.pointer("/inputs/messages/0")?.as_array()?;
    let is_user = |message: &Value| {
        let class = message.pointer("/id").and_then(Value::as_array).and_then(|id| id.last());
        let word = message.get("type").and_then(Value::as_str);
        word == Some("human") || class.is_some_and(|class| class == "HumanMessage")
    };
    let index = asked.iter().position(is_user)?;
    let inside = INSIDE.iter().find(|name| asked[index].get(**name).is_some())?;
    Some(format!("/inputs/messages/0/{index}/{inside}/content"))
}
