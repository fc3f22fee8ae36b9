//! Arguments of calls laid out in lines, and what differs between those of two calls.

use super::align::{Fit, Replace, align};
use super::json::{Json, quoted};
use super::words::{self, Piece};

/// A line of laid-out JSON. Pieces of a string with line breaks hold them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Levels it is indented.
    pub indent: usize,
    /// Its text.
    pub pieces: Vec<Piece>,
}

impl Line {
    /// Whether something in it differs.
    pub fn differs(&self) -> bool {
        self.pieces.iter().any(|own| own.differs)
    }
}

/// A string of so many letters is compared word by word.
const LONG: usize = 24;

/// What a value is held against.
#[derive(Clone, Copy)]
enum Against<'a, 't> {
    /// Nothing: it is only laid out.
    Nothing,
    /// A counterpart that lacks it.
    Missing,
    /// Its counterpart.
    Other(&'a Json<'t>),
}

/// JSON laid out in lines; text that is no JSON is one line. What `other` lacks is marked.
pub fn lay_out(own: &str, other: Option<&str>) -> Vec<Line> {
    let parsed = other.map(Json::parse);
    match (Json::parse(own), &parsed) {
        (Some(own), None) => lines(&own, Against::Nothing),
        (Some(own), Some(Some(other))) => lines(&own, Against::Other(other)),
        (Some(_) | None, _) => {
            let pieces =
                other.map_or_else(|| vec![Piece::same(own)], |other| words::differing(own, other));
            vec![Line { indent: 0, pieces }]
        }
    }
}

/// The same of JSON that is a list or an object; none of other texts.
pub fn lay_out_container(text: &str) -> Option<Vec<Line>> {
    Json::parse_container(text).map(|own| lines(&own, Against::Nothing))
}

/// Where two arguments differ, as paths such as `items[0].id`; one empty path when no key tells.
pub fn differing_keys(own: &str, other: &str) -> Vec<String> {
    differences(own, other).into_iter().map(|own| own.path).collect()
}

/// One place where two arguments differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its path, such as `items[0].id`; of an item that only the other has, the place there.
    pub path: String,
    /// The value there, on one line but for the line breaks of a string; none where it is missing.
    pub own: Option<String>,
    /// The other's value.
    pub other: Option<String>,
}

/// Where two arguments differ, with the values of both; one difference of the whole texts when no
/// key tells.
pub fn differences(own: &str, other: &str) -> Vec<Difference> {
    if own == other {
        return Vec::new();
    }
    let (Some(a), Some(b)) = (Json::parse(own), Json::parse(other)) else {
        let (own, other) = (Some(own.to_owned()), Some(other.to_owned()));
        return vec![Difference { path: String::new(), own, other }];
    };
    let mut found = Vec::new();
    collect(&a, &b, "", &mut found);
    found
}

/// The arguments in one form for all that say the same, however they are spaced and their keys
/// ordered.
pub fn canonical(arguments: &str) -> String {
    match Json::parse(arguments) {
        Some(mut own) => {
            own.sort();
            own.to_string()
        }
        None => arguments.trim().to_owned(),
    }
}

fn get<'a, 't>(entries: &'a [(String, Json<'t>)], key: &str) -> Option<&'a Json<'t>> {
    entries.iter().find(|(own, _)| own == key).map(|(_, value)| value)
}

fn same(a: &Json<'_>, b: &Json<'_>) -> bool {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| get(b, key).is_some_and(|other| same(value, other)))
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => a == b,
    }
}

/// Pairs of items that are looked at to align two lists; longer ones go item by item.
const MOST_PAIRS: usize = 1 << 20;

/// The items of two lists beside each other.
fn beside(a: &[Json<'_>], b: &[Json<'_>]) -> Vec<super::align::Pair> {
    if a.len() * b.len() > MOST_PAIRS {
        let at = |own: &[Json<'_>], place: usize| (place < own.len()).then_some(place);
        return (0..a.len().max(b.len())).map(|place| (at(a, place), at(b, place))).collect();
    }
    align((a.len(), b.len()), Replace::Allowed, &|i, j| {
        if same(&a[i], &b[j]) { Fit::Same } else { Fit::Different }
    })
}

fn collect(a: &Json<'_>, b: &Json<'_>, path: &str, found: &mut Vec<Difference>) {
    let inside = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let at = |path: String, own: Option<&Json<'_>>, other: Option<&Json<'_>>| Difference {
        path,
        own: own.map(shown),
        other: other.map(shown),
    };
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            for (key, value) in a {
                match get(b, key) {
                    Some(other) => collect(value, other, &inside(key), found),
                    None => found.push(at(inside(key), Some(value), None)),
                }
            }
            let only = b.iter().filter(|(key, _)| get(a, key).is_none());
            found.extend(only.map(|(key, value)| at(inside(key), None, Some(value))));
        }
        (Json::Array(a), Json::Array(b)) => {
            for pair in beside(a, b) {
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

fn lines(own: &Json<'_>, against: Against<'_, '_>) -> Vec<Line> {
    let mut lines = Vec::new();
    Layout { lines: &mut lines, indent: 0 }.value(None, own, against, "");
    lines
}

struct Layout<'l> {
    lines: &'l mut Vec<Line>,
    indent: usize,
}

impl Layout<'_> {
    fn line(&mut self, pieces: Vec<Piece>) {
        self.lines.push(Line { indent: self.indent, pieces });
    }

    fn value(&mut self, key: Option<&str>, own: &Json<'_>, against: Against<'_, '_>, end: &str) {
        let missing = matches!(against, Against::Missing);
        let piece = |text: String| Piece { text, differs: missing };
        let mut pieces: Vec<Piece> =
            key.map(|key| piece(format!("{}: ", quoted(key)))).into_iter().collect();
        let (open, close) = match own {
            Json::Object(_) if own.is_nested() => ("{", "}"),
            Json::Array(_) if own.is_nested() => ("[", "]"),
            _ => {
                pieces.extend(scalar(own, against));
                pieces.push(Piece::same(end));
                self.line(pieces);
                return;
            }
        };
        pieces.push(piece(open.to_owned()));
        self.line(pieces);
        self.indent += 1;
        match own {
            Json::Object(own) => self.object(own, against),
            Json::Array(own) => self.array(own, against),
            _ => {}
        }
        self.indent -= 1;
        self.line(vec![piece(close.to_owned()), Piece::same(end)]);
    }

    fn object(&mut self, own: &[(String, Json<'_>)], against: Against<'_, '_>) {
        for (place, (key, value)) in own.iter().enumerate() {
            let inside = match against {
                Against::Nothing => Against::Nothing,
                Against::Other(Json::Object(other)) => {
                    get(other, key).map_or(Against::Missing, Against::Other)
                }
                Against::Missing | Against::Other(_) => Against::Missing,
            };
            let end = if place + 1 < own.len() { "," } else { "" };
            self.value(Some(key), value, inside, end);
        }
    }

    fn array(&mut self, own: &[Json<'_>], against: Against<'_, '_>) {
        let mut counterparts: Vec<Against<'_, '_>> = match against {
            Against::Nothing => vec![Against::Nothing; own.len()],
            _ => vec![Against::Missing; own.len()],
        };
        if let Against::Other(Json::Array(other)) = against {
            for pair in beside(own, other) {
                if let (Some(i), Some(j)) = pair {
                    counterparts[i] = Against::Other(&other[j]);
                }
            }
        }
        for (place, (value, inside)) in own.iter().zip(counterparts).enumerate() {
            let end = if place + 1 < own.len() { "," } else { "" };
            self.value(None, value, inside, end);
        }
    }
}

/// A value without lines of its own, in pieces.
fn scalar(own: &Json<'_>, against: Against<'_, '_>) -> Vec<Piece> {
    let text = shown(own);
    match against {
        Against::Nothing => vec![Piece::same(text)],
        Against::Other(other) if own == other => vec![Piece::same(text)],
        Against::Other(other @ Json::Text(words)) if words.len() >= LONG && text.len() >= LONG => {
            words::differing(&text, &shown(other))
        }
        Against::Missing | Against::Other(_) => vec![Piece::other(text)],
    }
}

/// A value on one line, but for the line breaks of a string, which are kept to be read.
fn shown(own: &Json<'_>) -> String {
    match own {
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

    fn shown(own: &str, other: Option<&str>) -> Vec<String> {
        let piece = |own: Piece| if own.differs { format!("«{}»", own.text) } else { own.text };
        lay_out(own, other)
            .into_iter()
            .map(|line| {
                let text: String = line.pieces.into_iter().map(piece).collect();
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
            differences(a, b).into_iter().map(|own| (own.own, own.other)).collect();
        let text = |own: &str| Some(own.to_owned());
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
