//! Fingerprints of content: the same on every machine and in every version (64-bit FNV-1a).

use super::Message;

/// A fingerprint that grows with the bytes it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        const PRIME: u64 = 0x0100_0000_01b3;
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// Adds a text with its length, so that the next text is kept apart from it.
    pub fn add_text(&mut self, text: &str) {
        self.add(&(text.len() as u64).to_le_bytes());
        self.add(text.as_bytes());
    }

    /// The number.
    pub fn value(self) -> u64 {
        self.0
    }

    /// The fingerprint of a conversation: who says what, and which tools are called how. Reasoning and
    /// identifiers do not count, because not every file of the same run has them.
    pub fn of_messages(messages: &[Message]) -> Self {
        let mut print = Self::default();
        for message in messages {
            print.add_text(message.role.as_str());
            print.add_text(message.content.as_deref().unwrap_or_default());
            for call in &message.tool_calls {
                print.add_text(&call.name);
                print.add_text(&call.arguments);
            }
        }
        print
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;

    #[test]
    fn the_published_hash_of_hello() {
        let mut print = Fingerprint::default();
        print.add(b"hello");
        assert_eq!(print.value(), 0xa430_d846_80aa_bd0b);
    }

    #[test]
    fn other_words_are_another_conversation() {
        let said = |words: &[&str]| {
            let messages: Vec<Message> =
                words.iter().map(|text| Message::text(Role::User, *text)).collect();
            Fingerprint::of_messages(&messages)
        };
        assert_eq!(said(&["a", "b"]), said(&["a", "b"]));
        assert_ne!(said(&["a", "b"]), said(&["ab", ""]));
        assert_ne!(said(&["a"]), said(&["b"]));
    }
}
