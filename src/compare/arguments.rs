//! Arguments of calls laid out in lines, and what differs between those of two calls.

use super::align::{AlignOptions, Fit, align};
use super::json::{Json, Keys, quoted};
use super::words::{self, Piece};

/// A line of laid-out JSON. A string with line breaks keeps them inside its pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonLine {
    /// Levels it is indented.
    pub indent: usize,
    /// Its text.
    pub pieces: Vec<Piece>,
}

impl JsonLine {
    /// Whether something in it differs.
    pub fn differs(&self) -> bool {
        self.pieces.iter().any(|piece| piece.differs)
    }
}

/// A string of so many letters is compared word by word.
const LONG: usize = 24;

/// What a value is compared with.
#[derive(Clone, Copy)]
enum Against<'a, 't> {
    /// Nothing: it is only laid out.
    Nothing,
    /// A counterpart that lacks it.
    Missing,
    /// Its counterpart.
    Other(&'a Json<'t>),
}

/// Lays JSON out in lines and marks what `other` lacks; text that is not JSON is one line.
pub fn lay_out(text: &str, other: Option<&str>) -> Vec<JsonLine> {
    let parsed = other.map(Json::parse);
    match (Json::parse(text), &parsed) {
        (Some(json), None) => lines(&json, Against::Nothing),
        (Some(json), Some(Some(other))) => lines(&json, Against::Other(other)),
        (Some(_) | None, _) => {
            let pieces = other
                .map_or_else(|| vec![Piece::same(text)], |other| words::differing(text, other));
            vec![JsonLine { indent: 0, pieces }]
        }
    }
}

/// Lays out JSON that is a list or an object; none for other texts.
pub fn lay_out_container(text: &str) -> Option<Vec<JsonLine>> {
    Json::parse_container(text).map(|json| lines(&json, Against::Nothing))
}

/// The paths at which two arguments differ, such as `items[0].id`; one empty path where no key can
/// be named.
pub fn differing_keys(first: &str, second: &str) -> Vec<String> {
    differences(first, second).into_iter().map(|difference| difference.path).collect()
}

/// A value in which two arguments differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentDifference {
    /// Its path, such as `items[0].id`; for an item that only the second has, its path there.
    pub path: String,
    /// The value of the first, on one line except for line breaks of a string; none where it is
    /// missing.
    pub first: Option<String>,
    /// The value of the second.
    pub second: Option<String>,
}

/// Compares two arguments value by value; texts that are not JSON differ as a whole.
pub fn differences(first: &str, second: &str) -> Vec<ArgumentDifference> {
    if first == second {
        return Vec::new();
    }
    let (Some(a), Some(b)) = (Json::parse(first), Json::parse(second)) else {
        let (first, second) = (Some(first.to_owned()), Some(second.to_owned()));
        return vec![ArgumentDifference { path: String::new(), first, second }];
    };
    let mut found = Vec::new();
    collect(&a, &b, "", &mut found);
    found
}

/// Arguments in a form that is the same for all that say the same, whatever their spacing and the
/// order of their keys.
pub fn canonical(arguments: &str) -> String {
    match Json::parse(arguments) {
        Some(mut json) => {
            json.sort();
            json.to_string()
        }
        None => arguments.trim().to_owned(),
    }
}

fn same(a: &Json<'_>, b: &Json<'_>) -> bool {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            let keys = Keys::of(b);
            a.len() == b.len()
                && a.iter()
                    .all(|(key, value)| keys.get(key).is_some_and(|other| same(value, other)))
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => a == b,
    }
}

/// Pairs of items that are compared to align two lists; of longer lists only those near the diagonal.
const MOST_PAIRS: usize = 1 << 20;

/// Aligns the items of two lists.
fn aligned(a: &[Json<'_>], b: &[Json<'_>]) -> Vec<super::align::Pair> {
    let options = AlignOptions { fields: MOST_PAIRS, ..AlignOptions::default() };
    align(
        (a.len(), b.len()),
        options,
        |i, j| {
            if same(&a[i], &b[j]) { Fit::Same } else { Fit::Different }
        },
    )
}

fn collect(a: &Json<'_>, b: &Json<'_>, path: &str, found: &mut Vec<ArgumentDifference>) {
    let inside = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let at = |path: String, first: Option<&Json<'_>>, second: Option<&Json<'_>>| {
        ArgumentDifference { path, first: first.map(shown), second: second.map(shown) }
    };
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            let (in_a, in_b) = (Keys::of(a), Keys::of(b));
            for (key, value) in a {
                match in_b.get(key) {
                    Some(other) => collect(value, other, &inside(key), found),
                    None => found.push(at(inside(key), Some(value), None)),
                }
            }
            let only = b.iter().filter(|(key, _)| in_a.get(key).is_none());
            found.extend(only.map(|(key, value)| at(inside(key), None, Some(value))));
        }
        (Json::Array(a), Json::Array(b)) => {
            for pair in aligned(a, b) {
                match pair {
                    (Some(i), Some(j)) => collect(&a[i], &b[j], &format!("{path}[{i}]"), found),
                    (Some(i), None) => found.push(at(format!("{path}[{i}]"), Some(&a[i]), None)),
                    (None, Some(j)) => found.push(at(format!("{path}[{j}]"), None, Some(&b[j]))),
                    (None, None) => {}
                }
            }
        }
        _ if a == b => {}
        _ => found.push(at(path.to_owned(), Some(a), Some(b))),
    }
}

fn lines(json: &Json<'_>, against: Against<'_, '_>) -> Vec<JsonLine> {
    let mut lines = Vec::new();
    Layout { lines: &mut lines, indent: 0 }.value(None, json, against, "");
    lines
}

struct Layout<'l> {
    lines: &'l mut Vec<JsonLine>,
    indent: usize,
}

impl Layout<'_> {
    fn line(&mut self, pieces: Vec<Piece>) {
        self.lines.push(JsonLine { indent: self.indent, pieces });
    }

    fn value(&mut self, key: Option<&str>, json: &Json<'_>, against: Against<'_, '_>, end: &str) {
        let missing = matches!(against, Against::Missing);
        let piece = |text: String| Piece { text, differs: missing };
        let mut pieces: Vec<Piece> =
            key.map(|key| piece(format!("{}: ", quoted(key)))).into_iter().collect();
        let (open, close) = match json {
            Json::Object(_) if json.is_nested() => ("{", "}"),
            Json::Array(_) if json.is_nested() => ("[", "]"),
            _ => {
                pieces.extend(scalar(json, against));
                pieces.push(Piece::same(end));
                self.line(pieces);
                return;
            }
        };
        pieces.push(piece(open.to_owned()));
        self.line(pieces);
        self.indent += 1;
        match json {
            Json::Object(entries) => self.object(entries, against),
            Json::Array(items) => self.array(items, against),
            _ => {}
        }
        self.indent -= 1;
        self.line(vec![piece(close.to_owned()), Piece::same(end)]);
    }

    fn object(&mut self, entries: &[(String, Json<'_>)], against: Against<'_, '_>) {
        let others = match against {
            Against::Other(Json::Object(other)) => Some(Keys::of(other)),
            _ => None,
        };
        for (index, (key, value)) in entries.iter().enumerate() {
            let inside = match (against, &others) {
                (Against::Nothing, _) => Against::Nothing,
                (_, Some(others)) => others.get(key).map_or(Against::Missing, Against::Other),
                (_, None) => Against::Missing,
            };
            let end = if index + 1 < entries.len() { "," } else { "" };
            self.value(Some(key), value, inside, end);
        }
    }

    fn array(&mut self, items: &[Json<'_>], against: Against<'_, '_>) {
        let mut counterparts: Vec<Against<'_, '_>> = match against {
            Against::Nothing => vec![Against::Nothing; items.len()],
            _ => vec![Against::Missing; items.len()],
        };
        if let Against::Other(Json::Array(other)) = against {
            for pair in aligned(items, other) {
                if let (Some(i), Some(j)) = pair {
                    counterparts[i] = Against::Other(&other[j]);
                }
            }
        }
        for (index, (value, inside)) in items.iter().zip(counterparts).enumerate() {
            let end = if index + 1 < items.len() { "," } else { "" };
            self.value(None, value, inside, end);
        }
    }
}

/// A value that takes one line, in pieces.
fn scalar(json: &Json<'_>, against: Against<'_, '_>) -> Vec<Piece> {
    let text = shown(json);
    match against {
        Against::Nothing => vec![Piece::same(text)],
        Against::Other(other) if json == other => vec![Piece::same(text)],
        Against::Other(other @ Json::Text(words)) if words.len() >= LONG && text.len() >= LONG => {
            words::differing(&text, &shown(other))
        }
        Against::Missing | Against::Other(_) => vec![Piece::other(text)],
    }
}

/// A value on one line; line breaks of a string are kept, so that people can read it.
fn shown(json: &Json<'_>) -> String {
    match json {
        Json::Text(text) if text.contains('\n') => {
            let lines: Vec<String> =
                text.split('\n').map(|line| quoted(line).trim_matches('"').to_owned()).collect();
            format!("\"{}\"", lines.join("\n"))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, other: Option<&str>) -> Vec<String> {
        let mark = |Piece { text, differs }| if differs { format!("«{text}»") } else { text };
        lay_out(text, other)
            .into_iter()
            .map(|line| {
                let text: String = line.pieces.into_iter().map(mark).collect();
                format!("{}{text}", "  ".repeat(line.indent))
            })
            .collect()
    }

    #[test]
    fn values_are_marked_where_they_differ() {
        let a = r#"{"id": "EHG", "n": 1, "only": true, "to": {"city": "Ulm", "zip": 1}}"#;
        let b = r#"{"to": {"zip": 1, "city": "Bonn"}, "n": 1, "id": "EUJ"}"#;
        assert_eq!(
            shown(a, Some(b)),
            [
                "{",
                "  \"id\": «\"EHG\"»,",
                "  \"n\": 1,",
                "  «\"only\": »«true»,",
                "  \"to\": {",
                "    \"city\": «\"Ulm\"»,",
                "    \"zip\": 1",
                "  }",
                "}"
            ]
        );
        assert_eq!(differing_keys(a, b), ["id", "only", "to.city"]);
        assert_eq!(differing_keys(b, a), ["to.city", "id", "only"]);
        let values: Vec<(Option<String>, Option<String>)> =
            differences(a, b).into_iter().map(|found| (found.first, found.second)).collect();
        let text = |value: &str| Some(value.to_owned());
        assert_eq!(values[0], (text("\"EHG\""), text("\"EUJ\"")));
        assert_eq!(values[1], (text("true"), None));
        let (spaced, turned) = (r#"{"a":1,"b":[ 2 ]}"#, r#"{"b": [2], "a": 1}"#);
        assert_eq!(canonical(spaced), canonical(turned));
        assert_eq!(differing_keys(spaced, turned), [""; 0]);
    }

    #[test]
    fn lists_are_aligned() {
        assert_eq!(differing_keys("[1, 2, 3]", "[1, 3]"), ["[1]"]);
        assert_eq!(shown("[1, 2, 3]", Some("[1, 3]")), ["[", "  1,", "  «2»,", "  3", "]"]);
        let (a, b) =
            (r#"{"items": [{"id": 1}, {"id": 2}]}"#, r#"{"items": [{"id": 1}, {"id": 3}]}"#);
        assert_eq!(differing_keys(a, b), ["items[1].id"]);
    }

    #[test]
    fn long_strings_are_compared_by_words() {
        let a = r#"{"why": "the customer wants a refund today"}"#;
        let b = r#"{"why": "the customer wants a voucher today"}"#;
        assert_eq!(shown(a, Some(b))[1], "  \"why\": \"the customer wants a «refund» today\"");
    }

    #[test]
    fn what_is_no_json_is_text() {
        assert_eq!(shown("get(1", None), ["get(1"]);
        assert_eq!(shown("get 1", Some("get 2")), ["get «1»"]);
        assert_eq!(shown("{}", Some("no")), ["«{}»"]);
        assert_eq!(differing_keys("x", "y"), [""]);
        assert_eq!(shown("{\"a\": \"x\\ny\"}", None)[1], "  \"a\": \"x\ny\"");
        assert_eq!(lay_out_container("plain"), None);
    }
}
