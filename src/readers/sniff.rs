//! What a file is, told from its content: the name says nothing.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::ReadError;

/// A format that some reader knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// tau2-bench results: one document, or an index with a folder of simulations.
    Tau2,
    /// tau-bench v1 results: a list of runs.
    Tau1,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Tau2, Self::Tau1];

    /// The id that `--format` takes.
    pub fn id(self) -> &'static str {
        match self {
            Self::Tau2 => "tau2",
            Self::Tau1 => "tau-bench",
        }
    }

    /// The name people know it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tau2 => "tau2-bench",
            Self::Tau1 => "tau-bench",
        }
    }

    pub(super) fn list() -> String {
        Self::ALL.map(Self::name).join(" or ")
    }
}

/// What was found out about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sniffed {
    /// A reader knows it.
    Known(Format),
    /// It is JSON, but of something else.
    Unknown {
        /// What it holds, in words.
        looks: String,
    },
}

impl Sniffed {
    /// The format, or the sentence that says why there is none.
    pub fn format(self, path: &Path) -> Result<Format, ReadError> {
        match self {
            Self::Known(format) => Ok(format),
            Self::Unknown { looks } => Err(ReadError::new(
                path,
                format!("is JSON of something qualm cannot read: {looks}"),
                format!("give {} results, or force a reader with --format", Format::list()),
            )),
        }
    }
}

/// Whether the first byte that is not white space could begin a JSON document.
pub(super) fn looks_like_json(path: &Path) -> bool {
    let mut start = [0; 256];
    let Ok(count) = File::open(path).and_then(|mut file| file.read(&mut start)) else {
        return false;
    };
    let text = &start[..count];
    let text = text.strip_prefix(super::UTF8_BOM).unwrap_or(text);
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// How much of a file is looked at first. Results say what they are within it.
const GLANCE: usize = 1 << 18;

/// Finds out what a file is, from its beginning where that tells enough.
pub fn sniff_file(path: &Path) -> Result<Sniffed, ReadError> {
    let mut start = Vec::with_capacity(GLANCE);
    File::open(path)
        .and_then(|file| file.take(GLANCE as u64).read_to_end(&mut start))
        .map_err(|error| ReadError::unreadable(path, &error))?;
    let text = start.strip_prefix(super::UTF8_BOM).unwrap_or(&start);
    let mut seen = Seen::default();
    // Cut off as it is, the text may well be no JSON: only a decision counts here.
    let _ = Shape(&mut seen).deserialize(&mut serde_json::Deserializer::from_slice(text));
    match seen.format() {
        Some(format) => Ok(Sniffed::Known(format)),
        None => sniff(path, &super::load(path)?),
    }
}

/// Finds out what a whole document is.
pub fn sniff(path: &Path, bytes: &[u8]) -> Result<Sniffed, ReadError> {
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::new(path, "the file is empty", "check that the run has ended"));
    }
    let mut seen = Seen::default();
    let outcome = Shape(&mut seen).deserialize(&mut serde_json::Deserializer::from_slice(bytes));
    match outcome {
        // The visitor ends by an error of its own once the keys tell enough.
        Err(error) if seen.format().is_none() => Err(ReadError::json(path, bytes, &error)),
        _ if seen.kind == Kind::EmptyList => {
            Err(ReadError::nothing_inside(path, "record (it is an empty list)"))
        }
        _ => Ok(seen.verdict()),
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Scalar,
    Object,
    EmptyList,
    List,
}

/// The keys of a document or, of a list, those of its first record.
#[derive(Debug, Default)]
struct Seen {
    kind: Kind,
    keys: Vec<String>,
}

impl Seen {
    fn has(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key == name)
    }

    /// The format, as soon as the keys seen so far leave no doubt.
    fn format(&self) -> Option<Format> {
        match self.kind {
            Kind::List => (self.has("traj") && self.has("task_id")).then_some(Format::Tau1),
            Kind::Object => {
                let one_simulation = self.has("task_id")
                    && self.has("termination_reason")
                    && (self.has("messages") || self.has("ticks"));
                let run = self.has("simulations") || (self.has("info") && self.has("tasks"));
                (run || one_simulation).then_some(Format::Tau2)
            }
            Kind::Scalar | Kind::EmptyList => None,
        }
    }

    fn verdict(&self) -> Sniffed {
        if let Some(format) = self.format() {
            return Sniffed::Known(format);
        }
        let keys: Vec<&str> = self.keys.iter().take(6).map(String::as_str).collect();
        let what = match self.kind {
            Kind::Object => "an object",
            Kind::List | Kind::EmptyList => "a list",
            Kind::Scalar => "a single value",
        };
        let looks = match keys.as_slice() {
            [] => what.to_owned(),
            keys => format!("{what} with the keys {}", keys.join(", ")),
        };
        Sniffed::Unknown { looks: crate::text::visible(&looks).into_owned() }
    }
}

struct Shape<'s>(&'s mut Seen);

impl<'de> DeserializeSeed<'de> for Shape<'_> {
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

impl<'de> Visitor<'de> for Shape<'_> {
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
            if self.0.format().is_some() {
                return Err(A::Error::custom("enough seen"));
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        if self.0.kind == Kind::Scalar {
            self.0.kind = Kind::List;
            if seq.next_element_seed(Shape(&mut *self.0))?.is_none() {
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
