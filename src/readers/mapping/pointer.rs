//! Where something stands in a record: a JSON pointer, or the name of a field or column.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

/// The steps from a record to a value in it. The step `*` goes to every element of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::readers) struct Pointer(Vec<String>);

impl Pointer {
    /// Reads `/a/b`, where `~1` is a slash and `~0` a tilde; or the name of a field; or nothing, for the
    /// record itself.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let Some(steps) = text.strip_prefix('/') else {
            return match text {
                "" => Ok(Self::default()),
                _ if text.contains('/') => {
                    Err(format!("`{text}` is not a pointer: a pointer begins with a slash"))
                }
                name => Ok(Self(vec![name.to_owned()])),
            };
        };
        let steps = steps.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
        Ok(Self(steps.collect()))
    }

    /// The pointer of some steps.
    pub(in crate::readers) fn of(steps: &[String]) -> Self {
        Self(steps.to_vec())
    }

    /// The steps from the record to the value.
    pub(in crate::readers) fn steps(&self) -> &[String] {
        &self.0
    }

    /// The pointer to a field.
    pub(super) fn field(name: &str) -> Self {
        Self(vec![name.to_owned()])
    }

    /// The field that it begins with; none of the record itself.
    pub(super) fn first(&self) -> Option<&str> {
        self.0.first().map(String::as_str)
    }

    /// The pointer as it is written.
    pub(super) fn written(&self) -> String {
        self.0
            .iter()
            .map(|step| "/".to_owned() + &step.replace('~', "~0").replace('/', "~1"))
            .collect()
    }

    /// The value there; none where there is nothing, or null.
    pub(super) fn get<'v>(&self, record: &'v Value) -> Option<Cow<'v, Value>> {
        let mut value = Cow::Borrowed(record);
        for name in &self.0 {
            value = match value {
                Cow::Borrowed(value) => step(value, name)?,
                Cow::Owned(value) => Cow::Owned(step(&value, name)?.into_owned()),
            };
        }
        let value = match value {
            Cow::Borrowed(value) => Cow::Borrowed(unwrapped(value)),
            Cow::Owned(value) => Cow::Owned(unwrapped(&value).clone()),
        };
        (!value.is_null()).then_some(value)
    }

    /// The plain value there, as text.
    pub(super) fn text(&self, record: &Value) -> Option<String> {
        match self.get(record)?.as_ref() {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    /// All values there, where `*` stands for every element.
    pub(in crate::readers) fn all<'v>(&self, document: &'v Value) -> Vec<&'v Value> {
        let mut values = vec![document];
        for name in &self.0 {
            values = if name == "*" {
                values.into_iter().filter_map(Value::as_array).flatten().collect()
            } else {
                let inside = |value: &'v Value| match step(value, name)? {
                    Cow::Borrowed(value) => Some(value),
                    Cow::Owned(_) => None,
                };
                values.into_iter().filter_map(inside).collect()
            };
        }
        // A pointer that ends at a list means its elements.
        let lists = values.into_iter().map(|value| match value {
            Value::Array(list) if self.0.last().is_none_or(|last| last != "*") => {
                list.iter().collect()
            }
            value => vec![value],
        });
        lists.collect::<Vec<Vec<_>>>().concat()
    }
}

/// One step into a value. Text that holds JSON is that JSON; a list of `{key, value}` pairs, as
/// OpenTelemetry has them, is an object.
fn step<'v>(value: &'v Value, name: &str) -> Option<Cow<'v, Value>> {
    match value {
        Value::Object(fields) => fields.get(name).map(Cow::Borrowed),
        Value::Array(list) => {
            let paired = || list.iter().find(|pair| pair.get("key").is_some_and(|key| key == name));
            let indexed = name.parse::<usize>().ok().and_then(|index| list.get(index));
            indexed.or_else(|| paired()?.get("value")).map(Cow::Borrowed)
        }
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            let inside: Value = serde_json::from_str(text).ok()?;
            step(&inside, name).map(|value| Cow::Owned(value.into_owned()))
        }
        _ => None,
    }
}

/// The value inside `{"stringValue": …}` and its kind.
fn unwrapped(value: &Value) -> &Value {
    let Some(fields) = value.as_object().filter(|fields| fields.len() == 1) else { return value };
    match fields.iter().next() {
        Some((kind, inside))
            if matches!(
                kind.as_str(),
                "stringValue" | "intValue" | "doubleValue" | "boolValue"
            ) =>
        {
            inside
        }
        _ => value,
    }
}

impl<'de> Deserialize<'de> for Pointer {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pointer: &str, json: &str) -> Option<String> {
        let record: Value = serde_json::from_str(json).expect("JSON");
        Pointer::parse(pointer).expect("a pointer").text(&record)
    }

    #[test]
    fn pointers_lead_into_objects_lists_and_text() {
        assert_eq!(text("/a/1/b", r#"{"a": [0, {"b": 7}]}"#).as_deref(), Some("7"));
        assert_eq!(text("a", r#"{"a": true}"#).as_deref(), Some("true"));
        assert_eq!(text("/a~1b/c~0", r#"{"a/b": {"c~": "x"}}"#).as_deref(), Some("x"));
        assert_eq!(text("/a/b", r#"{"a": "{\"b\": \"inside\"}"}"#).as_deref(), Some("inside"));
        let pairs = r#"{"a": [{"key": "k.1", "value": {"intValue": "3"}}]}"#;
        assert_eq!(text("/a/k.1", pairs).as_deref(), Some("3"));
        assert_eq!(text("/a/b", r#"{"a": null}"#), None);
        assert_eq!(text("/a", r#"{"a": {"b": 1}}"#), None, "no plain value");
        assert!(Pointer::parse("a/b").is_err());
        assert_eq!(Pointer::parse("/a~1b/c").expect("a pointer").written(), "/a~1b/c");
    }

    #[test]
    fn a_star_is_every_element() {
        let document: Value =
            serde_json::from_str(r#"{"a": [{"b": [1, 2]}, {}, {"b": [3]}]}"#).expect("JSON");
        let numbers = |pointer: &str| {
            let all = Pointer::parse(pointer).expect("a pointer");
            all.all(&document).into_iter().filter_map(Value::as_u64).collect::<Vec<_>>()
        };
        assert_eq!(numbers("/a/*/b/*"), [1, 2, 3]);
        assert_eq!(numbers("/a/*/b"), [1, 2, 3], "a list at the end means its elements");
        assert_eq!(numbers("/a/0/b"), [1, 2]);
        assert_eq!(numbers("/x"), [0; 0]);
    }
}
