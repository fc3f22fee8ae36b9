//! The shape of a JSON document: what it is, and its keys.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::text::visible;

/// What a JSON document is, with its keys or, of a list, those of its first record.
#[derive(Clone, Debug, Default)]
pub struct JsonShape {
    kind: Kind,
    keys: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Scalar,
    Object,
    EmptyList,
    List,
}

/// Keys that are named to the user at most.
const MOST_KEYS: usize = 6;

impl JsonShape {
    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.kind == Kind::Object
    }

    /// Whether it is a list of something.
    pub fn is_list(&self) -> bool {
        self.kind == Kind::List
    }

    pub(super) fn is_empty_list(&self) -> bool {
        self.kind == Kind::EmptyList
    }

    /// Whether the object, or the first record of the list, has this key.
    pub fn has(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key == name)
    }

    /// Takes in the first document of a text; what comes before an error is seen all the same.
    pub(super) fn look(&mut self, text: &[u8]) -> Result<(), serde_json::Error> {
        Look(self).deserialize(&mut serde_json::Deserializer::from_slice(text))
    }
}

/// In words, for a user who wonders what the file is.
impl fmt::Display for JsonShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Object => "an object",
            Kind::List | Kind::EmptyList => "a list",
            Kind::Scalar => "a single value",
        })?;
        if self.keys.is_empty() {
            return Ok(());
        }
        let keys: Vec<_> = self.keys.iter().take(MOST_KEYS).map(|key| visible(key)).collect();
        write!(f, " with the keys {}", keys.join(", "))
    }
}

struct Look<'s>(&'s mut JsonShape);

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

macro_rules! scalars {
    ($($visit:ident($kind:ty)),*) => {
        $(fn $visit<E>(self, _: $kind) -> Result<(), E> {
            Ok(())
        })*
    };
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON document")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if self.0.kind == Kind::Scalar {
            self.0.kind = Kind::Object;
        }
        while let Some(key) = map.next_key::<String>()? {
            self.0.keys.push(key);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        if self.0.kind == Kind::Scalar {
            self.0.kind = Kind::List;
            if seq.next_element_seed(Look(&mut *self.0))?.is_none() {
                self.0.kind = Kind::EmptyList;
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    scalars!(visit_bool(bool), visit_i64(i64), visit_u64(u64), visit_f64(f64), visit_str(&str));
}
