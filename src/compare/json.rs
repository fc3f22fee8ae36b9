//! JSON as it was written: keys in their order, numbers to the last digit.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON text as a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json<'t> {
    /// Keys with their values, in their order; a key may occur twice.
    Object(Vec<(String, Json<'t>)>),
    /// A list.
    Array(Vec<Json<'t>>),
    /// A string, its escapes resolved.
    Text(String),
    /// A number, `true`, `false` or `null`, or what is nested too deep to be parsed.
    Literal(&'t str),
}

/// Levels that are parsed; below them the text is shown as it is.
const DEEPEST: usize = 64;

impl<'t> Json<'t> {
    /// The tree of a text; none when it is no JSON.
    pub fn parse(text: &'t str) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        Some(Self::of(raw.get(), 0))
    }

    /// The tree of a list or an object; a bare word or number is text.
    pub fn parse_container(text: &'t str) -> Option<Self> {
        let begins = text.trim_start().starts_with(['{', '[']);
        Self::parse(text).filter(|_| begins)
    }

    fn of(text: &'t str, depth: usize) -> Self {
        let inside = |raw: &'t RawValue| Self::of(raw.get(), depth + 1);
        let literal = Self::Literal(text);
        match text.as_bytes().first() {
            Some(b'"') => serde_json::from_str(text).map_or(literal, Self::Text),
            Some(b'{' | b'[') if depth == DEEPEST => literal,
            Some(b'{') => serde_json::from_str::<Entries>(text).map_or(literal, |entries| {
                Self::Object(entries.0.into_iter().map(|(key, raw)| (key, inside(raw))).collect())
            }),
            Some(b'[') => serde_json::from_str::<Items>(text)
                .map_or(literal, |items| Self::Array(items.0.into_iter().map(inside).collect())),
            _ => literal,
        }
    }

    /// Sorts the keys of all objects.
    pub fn sort(&mut self) {
        match self {
            Self::Object(entries) => {
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                entries.iter_mut().for_each(|(_, value)| value.sort());
            }
            Self::Array(items) => items.iter_mut().for_each(Self::sort),
            Self::Text(_) | Self::Literal(_) => {}
        }
    }

    /// Whether it has parts to be laid out in lines.
    pub fn is_nested(&self) -> bool {
        match self {
            Self::Object(entries) => !entries.is_empty(),
            Self::Array(items) => !items.is_empty(),
            _ => false,
        }
    }
}

impl fmt::Display for Json<'_> {
    /// On one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(f, "{comma}{}: {value}", quoted(key))?;
                }
                f.write_str("}")
            }
            Self::Array(items) => {
                f.write_str("[")?;
                for (index, value) in items.iter().enumerate() {
                    let comma = if index > 0 { ", " } else { "" };
                    write!(f, "{comma}{value}")?;
                }
                f.write_str("]")
            }
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Literal(text) => f.write_str(text),
        }
    }
}

/// A string as JSON writes it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

struct Entries<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Entries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

struct Items<'t>(Vec<&'t RawValue>);

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }
        deserializer.deserialize_seq(List)
    }
}

/// Objects of more keys are indexed before they are searched.
const MANY_KEYS: usize = 32;

/// The entries of an object by key; of equal keys the first.
pub(super) struct Keys<'a, 't> {
    entries: &'a [(String, Json<'t>)],
    index: Option<HashMap<&'a str, &'a Json<'t>>>,
}

impl<'a, 't> Keys<'a, 't> {
    pub(super) fn of(entries: &'a [(String, Json<'t>)]) -> Self {
        let index = (entries.len() > MANY_KEYS)
            .then(|| entries.iter().rev().map(|(key, value)| (key.as_str(), value)).collect());
        Self { entries, index }
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Json<'t>> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_or_moved() {
        let text = r#"{"z": 12345678901234567890123, "a": [1.0, "x\ny", null], "z": {}}"#;
        let json = Json::parse(text).expect("JSON");
        assert_eq!(json.to_string(), text);
        assert_eq!(Json::parse("{\"a\": "), None);
        assert_eq!(Json::parse_container("12"), None);
        assert!(Json::parse_container(" [1]").is_some());
    }

    #[test]
    fn depth_is_no_danger() {
        let text = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        let json = Json::parse(&text).expect("JSON");
        assert_eq!(json.to_string().len(), text.len());
    }
}
