//! Lenient JSON: values of unexpected types, and constants that only Python writes.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::ReadError;

/// The parser that readers run over a document.
pub(super) type Parser<'a> = serde_json::Deserializer<serde_json::de::SliceRead<'a>>;

/// Parses one document, to its end.
pub(super) fn parse<'b, T>(
    path: &Path,
    bytes: &'b [u8],
    run: impl FnOnce(&mut Parser<'b>) -> Result<T, serde_json::Error>,
) -> Result<T, ReadError> {
    let mut parser = Parser::from_slice(bytes);
    run(&mut parser)
        .and_then(|value| parser.end().map(|()| value))
        .map_err(|error| ReadError::json(path, bytes, &error))
}

/// Replaces what Python writes and JSON does not have, without changing the length: `NaN` and `Infinity`
/// become an empty string, which no number is; `-Infinity` a very low number; and half of a
/// surrogate pair the replacement character.
pub(super) fn mend(bytes: &mut [u8]) {
    let holds = |word: &[u8]| memchr::memmem::find(bytes, word).is_some();
    if holds(b"NaN") || holds(b"Infinity") {
        mend_constants(bytes);
    }
    for escape in [b"\\ud", b"\\uD"] {
        mend_surrogates(bytes, escape);
    }
}

fn mend_constants(bytes: &mut [u8]) {
    let constants: [(&[u8], &[u8]); 3] =
        [(b"NaN", b"\"\" "), (b"-Infinity", b"-1e308   "), (b"Infinity", b"\"\"      ")];
    let (mut position, mut in_string) = (0, false);
    while position < bytes.len() {
        match bytes[position] {
            b'\\' if in_string => position += 2,
            b'"' => (in_string, position) = (!in_string, position + 1),
            b'N' | b'I' | b'-' if !in_string => {
                let rest = &mut bytes[position..];
                let found = constants.iter().find(|(constant, _)| rest.starts_with(constant));
                if let Some((constant, number)) = found {
                    rest[..constant.len()].copy_from_slice(number);
                }
                position += found.map_or(1, |(constant, _)| constant.len());
            }
            _ => position += 1,
        }
    }
}

/// The half of a surrogate pair that an escape at the start of the text stands for.
fn surrogate(text: &[u8]) -> Option<u16> {
    let digits = std::str::from_utf8(text.strip_prefix(b"\\u")?.get(..4)?).ok()?;
    u16::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..0xE000).contains(unit))
}

/// Whether a backslash begins an escape: an odd number of backslashes before it makes it a letter.
fn begins_escape(bytes: &[u8], position: usize) -> bool {
    bytes[..position].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}

/// Replaces the halves among the surrogates that begin as `escape` does.
fn mend_surrogates(bytes: &mut [u8], escape: &[u8]) {
    let finder = memchr::memmem::Finder::new(escape);
    let mut position = 0;
    while let Some(found) = bytes.get(position..).and_then(|rest| finder.find(rest)) {
        position += found;
        let first = surrogate(&bytes[position..]).filter(|_| begins_escape(bytes, position));
        let second = bytes.get(position + 6..).and_then(surrogate);
        let earlier = position.checked_sub(6).filter(|start| begins_escape(bytes, *start));
        let earlier = earlier.and_then(|start| surrogate(&bytes[start..]));
        position += match (earlier, first, second) {
            (_, Some(0xD800..0xDC00), Some(0xDC00..)) => 12,
            // The second half of a pair that is written in another case.
            (Some(0xD800..0xDC00), Some(0xDC00..), _) => 6,
            (_, Some(_), _) => {
                bytes[position..position + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (_, None, _) => 2,
        };
    }
}

/// JSON text without the white space between its tokens.
pub(super) fn compact(json: &str) -> String {
    let bytes = json.as_bytes();
    let mut compact = String::with_capacity(json.len());
    let mut start = 0;
    while start < bytes.len() {
        // Strings are copied as they are, since most of the text is in them.
        let end = if bytes[start] == b'"' {
            end_of_string(bytes, start)
        } else {
            let rest = &bytes[start..];
            let plain = rest.iter().position(|byte| *byte == b'"' || byte.is_ascii_whitespace());
            start + plain.unwrap_or(rest.len())
        };
        compact.push_str(&json[start..end]);
        start = end;
        while bytes.get(start).is_some_and(u8::is_ascii_whitespace) {
            start += 1;
        }
    }
    compact
}

/// Where the string ends that begins here, or the text if that is cut off.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut position = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(position..).unwrap_or(&[])) {
        position += found + 1;
        if bytes[position - 1] == b'"' {
            return position;
        }
        position += 1;
    }
    bytes.len()
}

/// The content of a message: a string, null, or a list of parts whose texts are joined.
#[derive(Debug, Default)]
pub(super) struct Text(pub(super) Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TextVisitor).map(Self)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of a message")
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(value.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some(Text(part)) = seq.next_element()? {
            texts.extend(part);
        }
        Ok((!texts.is_empty()).then(|| texts.join("\n")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut text = None;
        while let Some(key) = map.next_key::<String>()? {
            if key == "text" || key == "content" {
                text = map.next_value::<Text>()?.0;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(text)
    }
}

/// A number, however it is written; anything else is none.
pub(super) fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let raw = <&RawValue>::deserialize(from)?.get();
    let text = raw.trim_matches('"').trim();
    Ok(text.parse().ok().filter(|value: &f64| value.is_finite()))
}

/// A whole number, however it is written; anything else is none.
pub(super) fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    Ok(number(from)?.filter(|value| value.fract() == 0.0).map(|value| value as i64))
}

/// True or false, however it is written; anything else is none.
pub(super) fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
    let text = <&RawValue>::deserialize(from)?.get().trim_matches('"').trim();
    Ok(match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "1.0" => Some(true),
        "false" | "0" | "0.0" => Some(false),
        _ => None,
    })
}

/// An identifier: a string, or a number taken as it stands.
pub(super) fn id<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let raw = <&RawValue>::deserialize(from)?.get();
    Ok(match raw.as_bytes().first() {
        Some(b'"') => serde_json::from_str(raw).ok(),
        Some(b'n') | None => None,
        Some(_) => Some(compact(raw)),
    })
}

/// The arguments of a tool call as compact JSON text: an object, or a string that holds one.
pub(super) fn arguments<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let raw = <&RawValue>::deserialize(from)?.get();
    if raw.starts_with('"') {
        let text: String = serde_json::from_str(raw).unwrap_or_default();
        // A model may write arguments that are no JSON; they are shown as it wrote them.
        let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
        return Ok(if is_json { compact(&text) } else { text });
    }
    Ok(if raw == "null" { "{}".to_owned() } else { compact(raw) })
}

/// A value of the expected shape, or its default when the shape is another.
pub(super) fn lenient<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let raw = <&'de RawValue>::deserialize(from)?;
    Ok(serde_json::from_str(raw.get()).unwrap_or_default())
}

/// The same of an object whose fields take anything, without looking at its text twice.
pub(super) fn object<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    from.deserialize_any(ObjectVisitor(PhantomData)).map(Option::unwrap_or_default)
}

/// The objects of a list whose fields take anything; none of anything else.
pub(super) fn objects<'de, D, T>(from: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    from.deserialize_any(ObjectsVisitor(PhantomData))
}

/// An object, or none where there is something else.
struct Object<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ObjectVisitor(PhantomData)).map(Self)
    }
}

/// Takes values of other kinds for nothing.
macro_rules! nothing_else {
    ($($visit:ident($kind:ty)),*) => {
        $(fn $visit<E>(self, _: $kind) -> Result<Self::Value, E> {
            Ok(None)
        })*

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    };
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    nothing_else!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );
}

struct ObjectsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectsVisitor<T> {
    type Value = Option<Vec<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut objects = Vec::new();
        while let Some(Object(object)) = seq.next_element()? {
            objects.extend(object);
        }
        Ok(Some(objects))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    nothing_else!(
        visit_bool(bool),
        visit_i64(i64),
        visit_u64(u64),
        visit_f64(f64),
        visit_str(&str)
    );
}

/// The items of a list that have the expected shape; none of anything else.
pub(super) fn items<'de, D, T>(from: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let raw = <&'de RawValue>::deserialize(from)?;
    let items: Vec<&'de RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
    Ok(items.into_iter().filter_map(|item| serde_json::from_str(item.get()).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mended(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        mend(&mut bytes);
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn python_constants_are_mended_outside_strings_only() {
        let python = r#"{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \" Infinity"}"#;
        let json = r#"{"a": "" , "b": [-1e308   , ""      ], "c": "NaN \" Infinity"}"#;
        assert_eq!(mended(python), json);
        assert_eq!(mended(r#"{"c": -1}"#), r#"{"c": -1}"#);
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced() {
        let text = |json: &str| serde_json::from_str::<String>(&mended(json)).expect("a string");
        assert_eq!(text(r#""a\ud83d b""#), "a\u{fffd} b");
        assert_eq!(text(r#""\ude00\uD83D""#), "\u{fffd}\u{fffd}");
        assert_eq!(text(r#""\ud83d\ude00""#), "\u{1f600}");
        assert_eq!(text(r#""\\ud83d""#), r"\ud83d", "no escape but a backslash and letters");
        assert_eq!(text(r#""\\\ud83d""#), "\\\u{fffd}", "an escape after a backslash");
        assert_eq!(text(r#""\ud83d\uDE00\uD83d\ude00""#), "\u{1f600}\u{1f600}", "either case");
        assert_eq!(text(r#""\\uD83D\ude00""#), "\\uD83D\u{fffd}", "no half before it");
        assert_eq!(text(r#""\uDE00\ude00\ud83d\uD83D""#), "\u{fffd}".repeat(4));
        assert_eq!(mended(r#""\ud8"#), r#""\ud8"#, "cut off");
    }

    #[test]
    fn compact_keeps_strings() {
        assert_eq!(compact("{ \"a b\" : [1, \"x \\\" y\"] }\n"), r#"{"a b":[1,"x \" y"]}"#);
        assert_eq!(compact(" [ \"\\\\\" , \"ü \", tr ue ]"), r#"["\\","ü ",true]"#);
        assert_eq!(compact("\"cut \\"), "\"cut \\");
    }

    #[test]
    fn text_of_parts() {
        let text = |json| serde_json::from_str::<Text>(json).expect("any JSON has a text").0;
        assert_eq!(text(r#""plain""#).as_deref(), Some("plain"));
        let parts = r#"[{"type": "text", "text": "one"}, {"type": "image"}, "two"]"#;
        assert_eq!(text(parts).as_deref(), Some("one\ntwo"));
        assert_eq!(text("null"), None);
        assert_eq!(text("3.5").as_deref(), Some("3.5"));
    }

    #[test]
    fn objects_take_anything_else_for_nothing() {
        #[derive(Debug, Default, Deserialize, PartialEq)]
        struct Inner {
            #[serde(default, deserialize_with = "whole")]
            n: Option<i64>,
        }
        #[derive(Debug, Deserialize, PartialEq)]
        struct Row {
            #[serde(default, deserialize_with = "object")]
            one: Inner,
            #[serde(default, deserialize_with = "objects")]
            many: Option<Vec<Inner>>,
        }
        let row = |json: &str| serde_json::from_str::<Row>(json).expect("loose");
        let inner = |n| Inner { n: Some(n) };
        let full = row(r#"{"one": {"n": 1, "x": [{}]}, "many": [{"n": 2}, 3, [4], {"n": 5}]}"#);
        assert_eq!(full, Row { one: inner(1), many: Some(vec![inner(2), inner(5)]) });
        for other in ["null", "3", "-3", "0.5", "true", "\"x\"", "[[1], {}]"] {
            assert_eq!(row(&format!(r#"{{"one": {other}}}"#)).one, Inner::default(), "{other}");
        }
        for other in ["null", "3", "-3", "0.5", "true", "\"x\"", "{\"n\": [1]}"] {
            assert_eq!(row(&format!(r#"{{"many": {other}}}"#)).many, None, "{other}");
        }
    }

    #[test]
    fn loose_values() {
        #[derive(Deserialize)]
        struct Row {
            #[serde(deserialize_with = "number")]
            cost: Option<f64>,
            #[serde(deserialize_with = "id")]
            task: Option<String>,
            #[serde(deserialize_with = "arguments")]
            arguments: String,
            #[serde(default, deserialize_with = "flag")]
            met: Option<bool>,
        }
        let met = |text: &str| {
            let row = format!(r#"{{"cost": 1, "task": 1, "arguments": {{}}, "met": {text}}}"#);
            serde_json::from_str::<Row>(&row).expect("loose").met
        };
        assert_eq!(["true", "\"True\"", "1", "1.0"].map(met), [Some(true); 4]);
        assert_eq!(["false", "\" false \"", "0", "\"0\""].map(met), [Some(false); 4]);
        assert_eq!(["null", "\"\"", "\"yes\"", "[true]"].map(met), [None; 4]);
        let row: Row =
            serde_json::from_str(r#"{"cost": "0.25", "task": 7, "arguments": "{\"a\": 1}"}"#)
                .expect("loose");
        assert_eq!((row.cost, row.task.as_deref()), (Some(0.25), Some("7")));
        assert_eq!(row.arguments, r#"{"a":1}"#);
        let row: Row = serde_json::from_str(r#"{"cost": [], "task": null, "arguments": "f(x"}"#)
            .expect("loose");
        assert_eq!((row.cost, row.task, row.arguments.as_str()), (None, None, "f(x"));
    }
}
