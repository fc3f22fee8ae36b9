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

/// Conversations whose fingerprints are computed at the same time.
const LANES: usize = 4;

impl Fingerprint {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            *self = self.with(byte);
        }
    }

    fn with(self, byte: u8) -> Self {
        const PRIME: u64 = 0x0100_0000_01b3;
        Self((self.0 ^ u64::from(byte)).wrapping_mul(PRIME))
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
        texts(messages).for_each(|text| print.add_text(text));
        print
    }

    /// The fingerprints of several conversations. Every byte waits for the one before it, so that four
    /// conversations at once take hardly longer than one.
    pub fn of_conversations(conversations: &[&[Message]]) -> Vec<Self> {
        let mut prints = vec![Self::default(); conversations.len()];
        let mut waiting = conversations.iter().enumerate();
        let mut next = || {
            waiting.next().map(|(index, messages)| {
                let (texts, rest) = (texts(messages), &[][..]);
                Lane { index, texts, rest, print: Self::default() }
            })
        };
        let mut lanes: Vec<_> = std::iter::from_fn(&mut next).take(LANES).collect();
        while !lanes.is_empty() {
            let step = lanes.iter().map(|lane| lane.rest.len()).min().unwrap_or_default();
            // Where lanes are missing, the first one is computed again.
            let lane = |number: usize| lanes.get(number).unwrap_or(&lanes[0]);
            let [text0, text1, text2, text3] =
                [0, 1, 2, 3].map(|number| &lane(number).rest[..step]);
            let mut now = [0, 1, 2, 3].map(|number| lane(number).print);
            for (((byte0, byte1), byte2), byte3) in text0.iter().zip(text1).zip(text2).zip(text3) {
                now = [
                    now[0].with(*byte0),
                    now[1].with(*byte1),
                    now[2].with(*byte2),
                    now[3].with(*byte3),
                ];
            }
            for (lane, print) in lanes.iter_mut().zip(now) {
                (lane.print, lane.rest) = (print, &lane.rest[step..]);
            }
            // The next text of those that have nothing left of theirs, or the next conversation.
            lanes.retain_mut(|lane| {
                let goes_on = lane.go_on();
                if !goes_on {
                    prints[lane.index] = lane.print;
                }
                goes_on
            });
            let missing = LANES - lanes.len();
            lanes.extend(std::iter::from_fn(&mut next).take(missing));
        }
        prints
    }
}

/// What of a conversation counts, in order.
fn texts(messages: &[Message]) -> impl Iterator<Item = &str> {
    messages.iter().flat_map(|message| {
        let said = [message.role.as_str(), message.content.as_deref().unwrap_or_default()];
        let calls = message.tool_calls.iter();
        said.into_iter().chain(calls.flat_map(|call| [call.name.as_str(), call.arguments.as_str()]))
    })
}

/// A conversation whose fingerprint is being computed.
struct Lane<'m, T> {
    index: usize,
    texts: T,
    /// What is left of the current text.
    rest: &'m [u8],
    print: Fingerprint,
}

impl<'m, T: Iterator<Item = &'m str>> Lane<'m, T> {
    /// Goes to the next text that has any bytes, if there is nothing left of this one; false at the end.
    fn go_on(&mut self) -> bool {
        while self.rest.is_empty() {
            let Some(text) = self.texts.next() else { return false };
            self.print.add(&(text.len() as u64).to_le_bytes());
            self.rest = text.as_bytes();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Role, ToolCall};

    #[test]
    fn the_published_hash_of_hello() {
        let mut print = Fingerprint::default();
        print.add(b"hello");
        assert_eq!(print.value(), 0xa430_d846_80aa_bd0b);
    }

    #[test]
    fn several_conversations_at_once_have_the_prints_that_they_have_alone() {
        let conversation = |seed: usize| -> Vec<Message> {
            (0..seed % 4)
                .map(|index| {
                    let mut message = Message::text(Role::Assistant, "ab".repeat(seed * index % 7));
                    let call = |name: &str| ToolCall {
                        id: String::new(),
                        name: name.repeat(index),
                        arguments: "{}".to_owned(),
                    };
                    message.tool_calls =
                        ["see", "go"][..seed % 3].iter().map(|name| call(name)).collect();
                    message
                })
                .collect()
        };
        for count in 0..14 {
            let all: Vec<Vec<Message>> =
                (0..count).map(|index| conversation(index + count)).collect();
            let borrowed: Vec<&[Message]> = all.iter().map(Vec::as_slice).collect();
            let alone: Vec<Fingerprint> =
                all.iter().map(|messages| Fingerprint::of_messages(messages)).collect();
            assert_eq!(Fingerprint::of_conversations(&borrowed), alone, "{count}");
        }
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
