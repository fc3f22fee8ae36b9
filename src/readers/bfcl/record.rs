//! One line of a result file, as the harness writes it.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::super::json;

/// One run. What may have several shapes is kept as it is written.
#[derive(Default, Deserialize)]
pub(super) struct Line<'a> {
    #[serde(default, deserialize_with = "json::id")]
    pub(super) id: Option<String>,
    #[serde(borrow, default)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) input_token_count: Total,
    #[serde(default)]
    pub(super) output_token_count: Total,
    #[serde(default)]
    pub(super) latency: Total,
    #[serde(borrow, default)]
    pub(super) inference_log: Items<LogEntry<'a>>,
    /// The thoughts, by turn and step; or those of the whole run.
    #[serde(borrow, default)]
    pub(super) reasoning_content: Option<&'a RawValue>,
}

/// A value of JSON that is not one of the expected types: nothing, and no error. The large parts of a
/// line are read once, so that none of them can be kept as it is written and tried.
macro_rules! nothing_else {
    ($($visit:ident($kind:ty)),*) => {
        $(fn $visit<E>(self, _: $kind) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        })*

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
}

/// The items of a list; none of anything else.
pub(super) struct Items<T>(pub(super) Vec<T>);

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ItemsVisitor(PhantomData))
    }
}

struct ItemsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ItemsVisitor<T> {
    type Value = Items<T>;

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

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Items::default())
    }

    nothing_else!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );
}

/// What the log has of one turn of the user; none of the lists of states between turns.
#[derive(Default)]
pub(super) struct LogEntry<'a>(pub(super) Option<LoggedTurn<'a>>);

/// The messages that a turn begins with, and those of every step.
#[derive(Default)]
pub(super) struct LoggedTurn<'a> {
    pub(super) query: Vec<Logged<'a>>,
    pub(super) steps: Vec<Vec<Logged<'a>>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for LogEntry<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(LogEntryVisitor(PhantomData))
    }
}

struct LogEntryVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for LogEntryVisitor<'a> {
    type Value = LogEntry<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a turn of the log")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut turn = LoggedTurn::default();
        while let Some(key) = map.next_key::<String>()? {
            if key == "begin_of_turn_query" {
                turn.query = map.next_value::<Items<Logged<'a>>>()?.0;
            } else if key.starts_with("step_") {
                turn.steps.push(map.next_value::<Items<Logged<'a>>>()?.0);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(LogEntry(Some(turn)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(LogEntry::default())
    }

    nothing_else!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );
}

/// A message of the log, its parts as they are written.
#[derive(Default)]
pub(super) struct Logged<'a> {
    pub(super) role: String,
    pub(super) content: Option<&'a RawValue>,
    pub(super) reasoning: Option<&'a RawValue>,
    /// The calls that the harness found in what the model wrote.
    pub(super) decoded: Option<&'a RawValue>,
    /// What the model was sent.
    pub(super) sent: Sent<'a>,
}

/// What a model was sent beside the messages, which repeat the conversation.
#[derive(Default)]
pub(super) struct Sent<'a> {
    pub(super) tools: Option<&'a RawValue>,
    pub(super) system: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Sent<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(SentVisitor(PhantomData))
    }
}

struct SentVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for SentVisitor<'a> {
    type Value = Sent<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what a model was sent")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut sent = Sent::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "tools" => sent.tools = Some(map.next_value()?),
                "system_prompt" => sent.system = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(sent)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Sent::default())
    }

    nothing_else!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );
}

impl<'de: 'a, 'a> Deserialize<'de> for Logged<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(LoggedVisitor(PhantomData))
    }
}

struct LoggedVisitor<'a>(PhantomData<&'a ()>);

impl<'de: 'a, 'a> Visitor<'de> for LoggedVisitor<'a> {
    type Value = Logged<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message of the log")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut logged = Logged::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "role" => logged.role = map.next_value::<json::Text>()?.0.unwrap_or_default(),
                // What the model was sent is most of a file, and its messages repeat the conversation.
                "content" if logged.role == "inference_input" => logged.sent = map.next_value()?,
                _ if logged.role == "inference_input" => drop(map.next_value::<IgnoredAny>()?),
                "content" => logged.content = Some(map.next_value()?),
                "reasoning_content" => logged.reasoning = Some(map.next_value()?),
                "model_response_decoded" => logged.decoded = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        // The role may also come last.
        if logged.role == "inference_input" {
            let content =
                logged.content.take().and_then(|raw| serde_json::from_str(raw.get()).ok());
            logged.sent = content.unwrap_or(logged.sent);
        }
        Ok(logged)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Logged::default())
    }

    nothing_else!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );
}

/// The sum of the numbers in lists of lists; none where there is no number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Total(pub(super) Option<f64>);

impl Total {
    /// The sum as a count; none of one that is too large for a number.
    pub(super) fn count(self) -> Option<u64> {
        const LARGEST: f64 = (1_u64 << 53) as f64;
        self.0.filter(|sum| *sum <= LARGEST).map(|sum| sum.round() as u64)
    }

    fn of(value: f64) -> Self {
        Self((value.is_finite() && value >= 0.0).then_some(value))
    }
}

impl<'de> Deserialize<'de> for Total {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TotalVisitor)
    }
}

struct TotalVisitor;

impl<'de> Visitor<'de> for TotalVisitor {
    type Value = Total;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers by turn and step")
    }

    fn visit_i64<E>(self, value: i64) -> Result<Total, E> {
        Ok(Total::of(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Total, E> {
        Ok(Total::of(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Total, E> {
        Ok(Total::of(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Total, A::Error> {
        let mut sum = None;
        while let Some(Total(part)) = seq.next_element()? {
            sum = part.map(|part| part + sum.unwrap_or(0.0)).or(sum);
        }
        Ok(Total(sum.filter(|sum: &f64| sum.is_finite())))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Total, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Total::default())
    }

    nothing_else!(visit_bool(bool), visit_str(&str));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_of_any_shape() {
        let total = |json| serde_json::from_str::<Total>(json).expect("any JSON has a total");
        assert_eq!(total("[[1, 2.5], [], [3]]").0, Some(6.5));
        assert_eq!(total("[4, \"\", null, -1, {\"a\": 1}]").count(), Some(4));
        assert_eq!(total("7").count(), Some(7));
        assert_eq!(total("[[], []]").0, None);
        assert_eq!(total("[1e308, 1e308]").0, None);
        assert_eq!(total("1e300").count(), None);
    }

    #[test]
    fn a_log_of_another_shape_is_no_error() {
        for log in ["null", "7", "\"x\"", "{\"a\": [1]}", "[1, null, [[]], {\"step_0\": {}}]"] {
            let line = format!("{{\"id\": \"a_0\", \"inference_log\": {log}}}");
            let line: Line<'_> = serde_json::from_str(&line).expect("read");
            let turns = line.inference_log.0.iter().filter_map(|entry| entry.0.as_ref());
            assert!(turns.flat_map(|turn| turn.steps.iter().flatten()).next().is_none());
        }
    }
}
