//! Finds trajectories by the text of their messages.

use memchr::memmem::Finder;

use super::columns::Frame;
use super::table::TableName;
use super::{Store, StoreError};
use crate::model::{Role, ToolCall};

/// The progress of a search, in messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchProgress {
    /// Messages searched so far.
    pub done: u64,
    /// Messages in the store.
    pub total: u64,
}

impl Store {
    /// Finds the trajectories with a text in a message's content, its reasoning, or the name or
    /// arguments of a tool call. Instructions to the agent are passed over, since all runs have the same.
    /// The search ignores case and never finds an empty text.
    ///
    /// The store is read in parts. After each, `found` gets the [`super::Entry::id`]s of the newly found
    /// trajectories in ascending order, and the progress; it stops the search by returning false.
    pub fn search(
        &self,
        text: &str,
        found: &mut dyn FnMut(&[u32], SearchProgress) -> bool,
    ) -> Result<(), StoreError> {
        let (Some(table), false) = (self.table(TableName::Messages), text.is_empty()) else {
            return Ok(());
        };
        let mut needle = Needle::new(text);
        let mut progress = SearchProgress { done: 0, total: table.rows()? };
        let mut last = None;
        for group in table.groups()? {
            let columns = ["trajectory", "role", "content", "reasoning", "tool_calls"];
            let frame = table.read_columns(&group, &columns)?;
            let mut ids = matching_ids(&frame, &mut needle)?;
            // A run may continue in the next group.
            ids.retain(|id| Some(*id) != last);
            last = ids.last().copied().or(last);
            progress.done = group.end;
            if !found(&ids, progress) {
                break;
            }
        }
        Ok(())
    }
}

/// The ids of the trajectories of a frame with the text in one of their messages.
fn matching_ids(frame: &Frame, needle: &mut Needle) -> Result<Vec<u32>, StoreError> {
    let mut id = frame.small("trajectory")?;
    let mut role = frame.text("role")?;
    let mut content = frame.text("content")?;
    let mut reasoning = frame.text("reasoning")?;
    let mut tool_calls = frame.text("tool_calls")?;
    let mut ids = Vec::new();
    for _ in 0..frame.height() {
        let id = id.need()?;
        let (content, reasoning) = (content.next(), reasoning.next());
        let calls = tool_calls.next();
        let is_system = role.next() == Some(Role::System.as_str());
        // One matching message is enough.
        if is_system || ids.last() == Some(&id) {
            continue;
        }
        let mut is_in = |text: Option<&str>| text.is_some_and(|text| needle.is_in(text));
        let is_match = is_in(content)
            || is_in(reasoning)
            || match calls {
                Some(json) => needle.is_in_calls(json).map_err(|_| frame.wrong("tool_calls"))?,
                None => false,
            };
        if is_match {
            ids.push(id);
        }
    }
    // A damaged store may not have them in order.
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// A text to find regardless of case.
struct Needle {
    finder: Finder<'static>,
    /// Whether comparing ASCII letters without case is enough.
    is_ascii: bool,
    /// Whether JSON escapes some of its characters.
    is_escaped: bool,
    /// A buffer for the searched text in lower case.
    lower: Vec<u8>,
}

impl Needle {
    fn new(text: &str) -> Self {
        // Letter by letter, like the searched text: `str::to_lowercase` treats a final sigma differently.
        let lower: String = text.chars().flat_map(char::to_lowercase).collect();
        Self {
            finder: Finder::new(lower.as_bytes()).into_owned(),
            is_ascii: lower.is_ascii(),
            is_escaped: lower.contains(|c: char| c.is_control() || matches!(c, '"' | '\\')),
            lower: Vec::new(),
        }
    }

    fn is_in(&mut self, text: &str) -> bool {
        self.lower.clear();
        if self.is_ascii {
            // No byte of another character is an ASCII letter, so these bytes can stay.
            self.lower.extend_from_slice(text.as_bytes());
            self.lower.make_ascii_lowercase();
        } else if text.is_ascii() {
            return false;
        } else {
            let mut bytes = [0; 4];
            for c in text.chars().flat_map(char::to_lowercase) {
                self.lower.extend_from_slice(c.encode_utf8(&mut bytes).as_bytes());
            }
        }
        self.finder.find(&self.lower).is_some()
    }

    /// Whether the text is in the name or the arguments of tool calls, given as JSON.
    fn is_in_calls(&mut self, json: &str) -> serde_json::Result<bool> {
        // A text that is not in the JSON is in no call, unless JSON escapes it. One that is in the JSON
        // may be a key or an escape, so the calls are parsed.
        if !self.is_escaped && !json.contains("\\u") && !self.is_in(json) {
            return Ok(false);
        }
        let calls: Vec<ToolCall> = serde_json::from_str(json)?;
        Ok(calls.iter().any(|call| self.is_in(&call.name) || self.is_in(&call.arguments)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_is_ignored() {
        let is_in = |needle: &str, text: &str| Needle::new(needle).is_in(text);
        assert!(is_in("RefUnd", "A refund, please"));
        assert!(is_in("refund", "REFUND"));
        assert!(!is_in("refund", "refun"));
        assert!(is_in("ÄRGER", "kein ärger"));
        assert!(is_in("ärger", "Kein ÄRGER"));
        assert!(is_in("ΣΟΦΟΣ", "ΣΟΦΟΣ"));
        assert!(is_in("cafe", "Café CAFE"));
        assert!(!is_in("café", "cafe"));
        assert!(is_in("日本", "in 日本 today"));
        // The Kelvin sign becomes a k in lower case, which is shorter.
        assert!(is_in("300 \u{212a}", "at 300 K"));
    }

    #[test]
    fn calls_are_searched_but_not_their_json_syntax() {
        let call = ToolCall {
            id: "call_1".to_owned(),
            name: "get_order".to_owned(),
            arguments: "{\"order\":\"#W12\\n\"}".to_owned(),
        };
        let json = serde_json::to_string(&[call]).expect("JSON");
        let is_in = |needle: &str| Needle::new(needle).is_in_calls(&json).expect("calls");
        assert!(is_in("#w12") && is_in("GET_order") && is_in("\"order\":\"#W"));
        assert!(!is_in("arguments") && !is_in("call_1") && !is_in("\\\\n"));
    }
}
