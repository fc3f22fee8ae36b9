//! Keys of endpoints, which are never shown.

use std::fmt;

/// What stands where a key was.
const HIDDEN: &str = "[key]";

/// A key. It can be sent, but neither printed nor stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl Secret {
    /// A key; none if it is blank.
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    /// The value of the header that carries it.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Whether it can stand in a header.
    pub fn is_sendable(&self) -> bool {
        self.0.bytes().all(|byte| (0x21..0x7f).contains(&byte))
    }

    /// A text without the key: servers repeat it in their errors.
    pub(super) fn hide(&self, text: &str) -> String {
        let escaped = serde_json::Value::from(self.0.as_str()).to_string();
        let escaped = &escaped[1..escaped.len() - 1];
        text.replace(escaped, HIDDEN).replace(&self.0, HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_nowhere() {
        let key = Secret::new(" sk-\"planted\" ").expect("a key");
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(key.hide("bad key sk-\"planted\"!"), "bad key [key]!");
        assert_eq!(
            key.hide(r#"{"error": "bad key sk-\"planted\""}"#),
            r#"{"error": "bad key [key]"}"#
        );
        assert_eq!(Secret::new("  "), None);
    }
}
