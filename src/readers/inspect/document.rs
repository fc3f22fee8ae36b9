//! The JSON form of a log: what stands around the samples, and the samples one by one.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::super::{ReadError, json};
use super::header::Header;
use super::sample::Sample;

/// Everything in a document except its samples.
#[derive(Debug, Default)]
pub(super) struct Preamble {
    pub(super) header: Header,
    knows_eval: bool,
    /// Reading stopped at the samples, since all before them was seen.
    stopped: bool,
}

impl Preamble {
    /// Reads up to the samples, and past them only when the run's settings come later.
    pub(super) fn read(path: &Path, bytes: &[u8]) -> Result<Self, ReadError> {
        let mut preamble = Self::default();
        let read = (&mut preamble).deserialize(&mut json::Parser::from_slice(bytes));
        match read {
            Err(error) if !preamble.stopped => Err(ReadError::json(path, bytes, &error)),
            _ => Ok(preamble),
        }
    }
}

/// A value of the expected shape, or its default.
fn lenient<'de, A: MapAccess<'de>, T>(map: &mut A) -> Result<T, A::Error>
where
    T: Deserialize<'de> + Default,
{
    let raw = map.next_value::<&'de RawValue>()?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

impl<'de> DeserializeSeed<'de> for &mut Preamble {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Preamble {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a log of Inspect")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "status" => self.header.status = lenient(&mut map)?,
                "eval" => {
                    self.header.eval = lenient(&mut map)?;
                    self.knows_eval = true;
                }
                "plan" => self.header.plan = lenient(&mut map)?,
                "results" => self.header.results = lenient(&mut map)?,
                "samples" if self.knows_eval => {
                    self.stopped = true;
                    return Err(A::Error::custom("enough seen"));
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Takes each sample of a document; `take` says whether more are wanted.
pub(super) struct Samples<'t> {
    pub(super) take: &'t mut dyn FnMut(Sample<'_>) -> bool,
}

impl<'de> DeserializeSeed<'de> for Samples<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Samples<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a log of Inspect")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "samples" {
                map.next_value_seed(List(&mut *self.take))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct List<'t>(&'t mut dyn FnMut(Sample<'_>) -> bool);

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of samples")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut wanted = true;
        while wanted {
            match seq.next_element::<Sample<'de>>()? {
                Some(sample) => wanted = (self.0)(sample),
                None => return Ok(()),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}
