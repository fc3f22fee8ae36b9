//! What the agent of a domain was given: its rules and its tools.

use serde_json::{Map, Value, json};

use super::script::{AgentStep, Domain, Facts, Tool};
use crate::model::Context;

/// The context of all runs of a domain. Facts fill the templates of arguments, whose values are left out.
pub fn context(domain: &Domain, facts: &Facts) -> Context {
    let tools: Vec<Value> = tools(domain).iter().map(|tool| definition(tool, facts)).collect();
    let (rules, tools) = (domain.rules.to_owned(), Value::Array(tools).to_string());
    // Only a harness with a simulated user has a policy.
    if domain.greeting.is_some() {
        Context { policy: Some(rules), system: None, tools: Some(tools) }
    } else {
        Context { policy: None, system: Some(rules), tools: Some(tools) }
    }
}

/// The tools of a domain, each once, in the order in which its tasks name them.
pub fn tools(domain: &Domain) -> Vec<&'static Tool> {
    let mut tools: Vec<&'static Tool> = Vec::new();
    for kind in domain.kinds {
        let steps = kind.openings.iter().copied().flatten().chain(kind.body).chain(kind.detours);
        for step in steps {
            if let AgentStep::Read(tool) | AgentStep::Write(tool) = step
                && tools.iter().all(|known| known.name != tool.name)
            {
                tools.push(tool);
            }
        }
    }
    tools.extend(domain.transfer);
    tools
}

/// A tool in the form of `OpenAI`'s chat API.
fn definition(tool: &Tool, facts: &Facts) -> Value {
    let example: Map<String, Value> =
        serde_json::from_str(&facts.fill(tool.arguments, &[])).unwrap_or_default();
    let required: Vec<&String> = example.keys().collect();
    let properties: Map<String, Value> = example
        .iter()
        .map(|(name, value)| (name.clone(), json!({ "type": kind(value) })))
        .collect();
    json!({ "type": "function", "function": {
        "name": tool.name,
        "description": format!("Synthetic: {}", tool.name.replace('_', " ")),
        "parameters": { "type": "object", "properties": properties, "required": required },
    } })
}

/// The type of a value in JSON Schema.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
