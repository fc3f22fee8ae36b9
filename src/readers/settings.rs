//! How the runs of an input were made: what tells two configurations apart.

use serde_json::Value;

use super::InputNotes;
use crate::model::Fingerprint;

/// Arguments of a model's calls that do not change what it says, may differ from run to run, or are secret.
const NO_SETTINGS: [&str; 14] = [
    "temperature",
    "seed",
    "logprobs",
    "top_logprobs",
    "timeout",
    "num_retries",
    "max_retries",
    "metadata",
    "user",
    "api_key",
    "api_base",
    "base_url",
    "headers",
    "extra_headers",
];

/// The name of the setting that may be 0 in one input and larger in another of the same policy.
pub(crate) const TEMPERATURE: &str = "temperature";

/// A text as 16 hexadecimal digits that are the same on every machine.
pub fn fingerprint(text: &str) -> String {
    let mut print = Fingerprint::default();
    print.add_text(text);
    format!("{:016x}", print.value())
}

impl InputNotes {
    /// Adds a setting, where the input names it.
    pub fn set(&mut self, name: &str, value: Option<impl Into<String>>) {
        if let Some(value) = value {
            self.settings.insert(name.to_owned(), value.into());
        }
    }

    /// Adds the arguments of a model's calls. Numbers and flags are kept as they are; of anything else
    /// there is only a fingerprint, because it may be long or secret.
    pub fn set_arguments(&mut self, prefix: &str, arguments: &Value) {
        let Value::Object(arguments) = arguments else { return };
        for (name, value) in arguments {
            let value = match value {
                _ if NO_SETTINGS.contains(&name.as_str()) => continue,
                Value::Null => continue,
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                other => fingerprint(&other.to_string()),
            };
            self.settings.insert(format!("{prefix}.{name}"), value);
        }
    }
}

/// The fingerprint of a JSON value; absent fields and null ones are the same.
pub(super) fn fingerprint_of(value: &Value) -> u64 {
    let mut print = Fingerprint::default();
    print.add_text(&without_nulls(value).to_string());
    print.value()
}

/// The same value without fields that are null.
pub(super) fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let known = fields.iter().filter(|(_, value)| !value.is_null());
            Value::Object(known.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nulls).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_and_what_differs_anyway_are_no_settings() {
        let mut notes = InputNotes::default();
        let arguments = json!({"temperature": 0.7, "seed": 3, "api_key": "sk-1", "top_p": 0.9,
            "stop": ["x"], "max_tokens": null});
        notes.set_arguments("llm_args", &arguments);
        let names: Vec<&str> = notes.settings.keys().map(String::as_str).collect();
        assert_eq!(names, ["llm_args.stop", "llm_args.top_p"]);
        assert_eq!(notes.settings["llm_args.top_p"], "0.9");
        assert_eq!(notes.settings["llm_args.stop"].len(), 16, "a fingerprint");
    }

    #[test]
    fn null_fields_do_not_tell_tasks_apart() {
        let (a, b) = (json!({"x": [1, {"y": null}]}), json!({"x": [1, {}], "z": null}));
        assert_eq!(fingerprint_of(&a), fingerprint_of(&b));
        assert_ne!(fingerprint_of(&a), fingerprint_of(&json!({"x": [2, {}]})));
    }
}
