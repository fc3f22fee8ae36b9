//! What a file that no reader knows comes nearest to, and a mapping to start from.

use serde_json::Value;

use super::lines::Lines;
use super::{ALL, Content, JsonShape, mapping};

/// The size of the largest document that is looked into for a mapping.
const LARGEST: u64 = 1 << 26;

/// The keys of every kind of record that a format's description names between braces.
fn key_lists(looks: &str) -> impl Iterator<Item = Vec<&str>> {
    let groups = looks.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let is_key = |key: &&str| {
        !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    groups.map(move |group| group.split([',', ' ']).filter(is_key).collect())
}

/// What a document is near to, in words: the format with the largest share of its keys in it, and the keys
/// that are missing. One key that many files have, such as `id`, makes nothing near.
pub(super) fn of(shape: &JsonShape) -> String {
    if let Some(export) = mapping::Export::of(|key| shape.has(key)) {
        return export.words().to_owned();
    }
    let kinds = ALL.iter().flat_map(|reader| {
        let info = reader.info();
        key_lists(info.looks).map(move |keys| (info.name, keys))
    });
    let rated = kinds.filter_map(|(name, keys)| {
        let (there, missing): (Vec<&str>, Vec<&str>) = keys.iter().partition(|key| shape.has(key));
        let share = there.len() as f64 / keys.len() as f64;
        let is_near =
            (missing.is_empty() && !there.is_empty()) || (there.len() > 1 && share >= 0.5);
        is_near.then_some((share, name, missing))
    });
    match rated.reduce(|best, next| if next.0 > best.0 { next } else { best }) {
        None => "close to no format that qualm knows".to_owned(),
        Some((_, name, missing)) if missing.is_empty() => {
            format!("closest to {name}, but without its messages")
        }
        Some((_, name, missing)) => {
            format!("closest to {name}, which also has {}", missing.join(", "))
        }
    }
}

/// Lines that are looked at for a mapping: the first ones of a session hold settings.
const LINES: usize = 50;

/// A mapping in TOML that may fit a file of JSON.
pub(super) fn mapping(content: &Content) -> Option<String> {
    let mut lines = Lines::of(content).ok()?;
    for number in 0..LINES {
        let Ok(Some(line)) = lines.next() else { return None };
        let record: Value = match serde_json::from_slice(line) {
            Ok(record) => record,
            Err(_) if number > 0 || content.size() > LARGEST => return None,
            Err(_) => {
                let document: Value = serde_json::from_slice(&content.json().ok()?).ok()?;
                return mapping::start(first_of(&document)?);
            }
        };
        let found = first_of(&record).and_then(mapping::start);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The first record of a list, or the document itself.
fn first_of(document: &Value) -> Option<&Value> {
    if let Value::Array(list) = document { list.first() } else { Some(document) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(json: &str) -> String {
        let mut shape = JsonShape::default();
        shape.look(json.as_bytes()).expect("JSON");
        of(&shape)
    }

    #[test]
    fn the_missing_keys_are_named() {
        let near = nearest(r#"[{"task_id": 1, "reward": 0, "info": {}, "trial": 0, "steps": []}]"#);
        assert_eq!(near, "closest to tau-bench, which also has traj");
    }

    #[test]
    fn a_key_that_many_files_have_makes_nothing_near() {
        let none = "close to no format that qualm knows";
        assert_eq!(nearest(r#"{"a": 1}"#), none);
        assert_eq!(nearest(r#"{"id": 1, "name": "x", "inputs": {}, "outputs": {}}"#), none);
        assert_eq!(
            nearest(r#"{"info": {}, "tasks": []}"#),
            "closest to tau2-bench, which also has simulations"
        );
        let run =
            r#"{"id": 1, "run_type": "chain", "inputs": {}, "outputs": {}, "child_runs": []}"#;
        assert_eq!(nearest(run), "as LangSmith exports a run");
    }
}
