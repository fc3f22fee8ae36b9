//! The fields of a JSON object, each kept as it is written until somebody asks for it.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use super::facts::Facts;

/// The fields of an object; of two with the same name, the last counts.
#[derive(Debug, Default)]
pub(super) struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    /// The field of that name; none where it is null.
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let found = self.0.iter().rfind(|(key, _)| key == name)?;
        Some(found.1).filter(|value| value.get() != "null")
    }

    /// All fields with their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    /// The first of some fields that is there, with its name.
    pub(super) fn first(&self, names: &[&'static str]) -> Option<(&'static str, &'a RawValue)> {
        names.iter().find_map(|name| Some((*name, self.get(name)?)))
    }

    /// The fields of an object inside; none where that is something else.
    pub(super) fn inner(&self, name: &str) -> Option<Fields<'a>> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// The field as a value of some type; none where it is another.
    pub(super) fn lenient<T: Deserialize<'a>>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }

    /// The fields that hold a plain value.
    pub(super) fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        for (name, value) in &self.0 {
            facts.add_json(name, value);
        }
        facts
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(FieldsVisitor)
    }
}

/// A key, without a copy where it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(Key(key)) = map.next_key()? {
            fields.push((key, map.next_value()?));
        }
        Ok(Fields(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_kept_as_written() {
        let json = r#"{"a": 1.50, "b\n": {"c": "x"}, "n": null, "a": [2, 3]}"#;
        let fields: Fields<'_> = serde_json::from_str(json).expect("an object");
        assert_eq!(fields.get("a").expect("there").get(), "[2, 3]", "the last counts");
        assert_eq!(fields.inner("b\n").expect("inside").get("c").expect("there").get(), "\"x\"");
        assert!(fields.get("n").is_none() && fields.inner("a").is_none());
        assert_eq!(fields.first(&["n", "a"]).expect("one").0, "a");
        assert!(serde_json::from_str::<Fields<'_>>("[1]").is_err());
    }
}
