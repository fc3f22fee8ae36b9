//! Tool definitions of any API in the form of `OpenAI`'s chat API.

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::super::fields::Fields;
use super::super::json;

/// Names of the schema of a tool's arguments.
const PARAMETERS: [&str; 6] =
    ["parameters", "input_schema", "inputSchema", "params", "parameters_json_schema", "schema"];

/// Names of several tools in one item.
const DECLARATIONS: [&str; 2] = ["function_declarations", "functionDeclarations"];

/// Where a tool's definition stands inside of its item.
const INSIDE: [&str; 2] = ["function", "custom"];

/// Tool definitions as a JSON list `[{"type": "function", "function": {name, description, parameters}}]`.
/// They may be written as chat completions, responses, Anthropic, Gemini, MCP, Inspect or tau2 have them,
/// also inside of a text; none where no tool is found in what is no empty list.
pub(in crate::readers) fn definitions(written: &str) -> Option<String> {
    let written = written.trim();
    if written.starts_with('"') {
        let inside: String = serde_json::from_str(written).ok()?;
        return if inside.starts_with('"') { None } else { definitions(&inside) };
    }
    let mut tools = Vec::new();
    if written.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(written).ok()?;
        for item in &items {
            add(item.get(), None, &mut tools);
        }
        if tools.is_empty() && !items.is_empty() {
            return None;
        }
    } else {
        let fields: Fields<'_> = serde_json::from_str(written).ok()?;
        if !add(written, None, &mut tools) {
            // Tools by their names.
            for (name, item) in fields.iter() {
                add(item.get(), Some(name), &mut tools);
            }
        }
        if tools.is_empty() {
            return None;
        }
    }
    Some(format!("[{}]", tools.join(",")))
}

/// Adds the tools of an item; false where it is none.
fn add(item: &str, name: Option<&str>, tools: &mut Vec<String>) -> bool {
    let Ok(fields) = serde_json::from_str::<Fields<'_>>(item) else { return false };
    if let Some((_, declared)) = fields.first(&DECLARATIONS) {
        let declared: Vec<&RawValue> = serde_json::from_str(declared.get()).unwrap_or_default();
        let added = declared.iter().filter(|item| add(item.get(), None, tools)).count();
        return added > 0;
    }
    let inside = INSIDE.iter().find_map(|name| fields.inner(name));
    let tool = inside.as_ref().unwrap_or(&fields);
    let text = |name: &str| tool.lenient::<String>(name).filter(|text| !text.is_empty());
    // A tool of the provider may have nothing but its kind.
    let kind = || fields.lenient::<String>("type").filter(|kind| !is_general(kind));
    let parameters = tool.first(&PARAMETERS).map(|(_, schema)| schema.get());
    let parameters = parameters.filter(|schema| schema.starts_with('{'));
    let description = text("description").or_else(|| text("doc")).or_else(|| {
        let parts = [text("short_desc"), text("long_desc")];
        Some(parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"))
    });
    let description = description.filter(|text| !text.is_empty());
    // By its name alone, anything could be a tool.
    let named = name.filter(|_| parameters.is_some() || description.is_some());
    let Some(name) = text("name").or_else(|| named.map(str::to_owned)).or_else(kind) else {
        return false;
    };
    let mut function = format!("{{\"name\":{}", quoted(&name));
    if let Some(description) = description {
        function.extend([",\"description\":", &quoted(&description)]);
    }
    if let Some(parameters) = parameters {
        function.extend([",\"parameters\":", &json::compact(parameters)]);
    }
    tools.push(format!("{{\"type\":\"function\",\"function\":{function}}}}}"));
    true
}

/// Whether a type is a word for all tools, or that of a schema.
fn is_general(kind: &str) -> bool {
    ["function", "custom", "object", "dict"].contains(&kind)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Tool definitions in one form, or none.
pub(in crate::readers) fn lenient<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<String>, D::Error> {
    Ok(definitions(<&RawValue>::deserialize(from)?.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: &str = r#"[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}}}}}]"#;

    /// The schema in `CHAT`, with other white space.
    const SCHEMA: &str =
        r#"{"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "integer"}}}"#;

    #[test]
    fn every_form_becomes_one() {
        let forms = [
            r#"[{"type": "function", "function": {"name": "look", "description": "Looks.", "strict": true, "parameters": @}}]"#,
            r#"[{"type": "function", "name": "look", "description": "Looks.", "parameters": @, "strict": null}]"#,
            r#"[{"name": "look", "description": "Looks.", "input_schema": @, "cache_control": {}}]"#,
            r#"[{"name": "look", "description": "Looks.", "parameters": @, "options": null}]"#,
            r#"[{"name": "look", "description": "Looks.", "inputSchema": @}]"#,
            r#"[{"functionDeclarations": [{"name": "look", "description": "Looks.", "parameters": @}]}]"#,
            r#"{"look": {"name": "look", "doc": "Looks.", "params": @, "returns": {}}}"#,
            r#"{"look": {"description": "Looks.", "parameters": @}}"#,
            r#"{"name": "look", "short_desc": "Looks.", "long_desc": "", "params": @}"#,
        ];
        for form in forms {
            let written = form.replace('@', SCHEMA);
            assert_eq!(definitions(&written).as_deref(), Some(CHAT), "{written}");
            let text = serde_json::Value::from(written).to_string();
            assert_eq!(definitions(&text).as_deref(), Some(CHAT), "{text}");
        }
        assert_eq!(definitions(CHAT).as_deref(), Some(CHAT));
    }

    #[test]
    fn what_is_no_tool_is_left_out() {
        let none =
            ["null", "3", "\"bash\"", "[\"bash\"]", "{}", "{\"a\": 1}", "[{\"a\": 1}]", "[{", ""];
        for written in none {
            assert_eq!(definitions(written), None, "{written}");
        }
        assert_eq!(definitions("[]").as_deref(), Some("[]"), "the agent had no tools");
        let provider = definitions(
            r#"[{"type": "web_search"}, 3, {"type": "bash_20250124", "name": "bash"}]"#,
        );
        let names = r#"[{"type":"function","function":{"name":"web_search"}},{"type":"function","function":{"name":"bash"}}]"#;
        assert_eq!(provider.as_deref(), Some(names));
    }
}
