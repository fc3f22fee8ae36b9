//! What an agent was given before it acted: its policy, its system prompt and its tools.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3Default;

use super::{Message, Role};

/// What an agent was given beside the conversation. Many runs share one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The policy of the harness, which is a part of the system prompt.
    pub policy: Option<String>,
    /// The system prompt.
    pub system: Option<String>,
    /// The tools as a JSON list in the form of `OpenAI`'s chat API; an empty list where it had none.
    pub tools: Option<String>,
}

/// The texts of a context before anybody copies them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given<'a> {
    /// The policy.
    pub policy: Option<&'a str>,
    /// The system prompt.
    pub system: Option<&'a str>,
    /// The tools.
    pub tools: Option<&'a str>,
}

impl Context {
    /// Its texts.
    pub fn given(&self) -> Given<'_> {
        Given {
            policy: self.policy.as_deref(),
            system: self.system.as_deref(),
            tools: self.tools.as_deref(),
        }
    }

    /// The hash of its content, which is its key in a store.
    pub fn key(&self) -> u64 {
        self.given().key()
    }

    /// The system prompt that a conversation begins with, if it does.
    pub fn system_of(messages: &[Message]) -> Option<Cow<'_, str>> {
        let leading = messages.iter().take_while(|message| message.role == Role::System);
        let texts: Vec<&str> = leading.filter_map(Message::words).collect();
        match texts[..] {
            [] => None,
            [text] => Some(Cow::Borrowed(text)),
            _ => Some(Cow::Owned(texts.join("\n\n"))),
        }
    }
}

impl Given<'_> {
    /// Whether nothing is known.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The hash of the content (64-bit XXH3): of every text its length and its bytes, and of a text that
    /// is absent a length that none has.
    pub fn key(self) -> u64 {
        let mut hash = Xxh3Default::new();
        for text in [self.policy, self.system, self.tools] {
            let length = text.map_or(u64::MAX, |text| text.len() as u64);
            hash.update(&length.to_le_bytes());
            hash.update(text.unwrap_or_default().as_bytes());
        }
        hash.digest()
    }

    fn to_context(self) -> Context {
        Context {
            policy: self.policy.map(str::to_owned),
            system: self.system.map(str::to_owned),
            tools: self.tools.map(str::to_owned),
        }
    }
}

/// The contexts that were met last, so that runs with the same one share it.
#[derive(Debug, Default)]
pub struct RecentContexts(VecDeque<(u64, Arc<Context>)>);

impl RecentContexts {
    /// How many are remembered: those of a benchmark are few, and those of a log may be as many as its runs.
    const MOST: usize = 64;

    /// The context with these texts and its key; none where all are absent.
    pub fn share(&mut self, given: Given<'_>) -> Option<(u64, Arc<Context>)> {
        if given.is_empty() {
            return None;
        }
        // To compare long texts is faster than to hash them.
        let known = self.0.iter().rev().find(|(_, context)| context.given() == given);
        Some(known.cloned().unwrap_or_else(|| {
            let key = given.key();
            (key, self.add(key, Arc::new(given.to_context())))
        }))
    }

    /// The context with this key, if it is remembered.
    pub fn get(&self, key: u64) -> Option<Arc<Context>> {
        self.0.iter().rev().find(|(known, _)| *known == key).map(|(_, context)| context.clone())
    }

    /// Remembers a context, and forgets the oldest if there are too many.
    pub fn add(&mut self, key: u64, context: Arc<Context>) -> Arc<Context> {
        if self.0.len() >= Self::MOST {
            self.0.pop_front();
        }
        self.0.push_back((key, context.clone()));
        context
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_tells_the_texts_apart() {
        let policy = Given { policy: Some("a"), ..Given::default() };
        let system = Given { system: Some("a"), ..Given::default() };
        let empty = Given { policy: Some("a"), system: Some(""), ..Given::default() };
        let keys = [policy.key(), system.key(), empty.key(), Given::default().key()];
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{index}");
        }
        assert_eq!(policy.to_context().key(), policy.key());
        // python: xxhash.xxh3_64(b'\1' + b'\0' * 7 + b'a' + b'\xff' * 16).hexdigest()
        assert_eq!(format!("{:016x}", policy.key()), "da4a67642493c1bd");
    }

    #[test]
    fn runs_share_their_context() {
        let mut recent = RecentContexts::default();
        let given = Given { policy: Some("be kind"), ..Given::default() };
        let (key, first) = recent.share(given).expect("something is given");
        assert_eq!(key, first.key());
        for other in 0..RecentContexts::MOST - 1 {
            let text = other.to_string();
            recent.share(Given { system: Some(&text), ..Given::default() });
        }
        assert!(Arc::ptr_eq(&first, &recent.share(given).expect("known").1));
        recent.share(Given { system: Some("one more"), ..Given::default() });
        let (_, again) = recent.share(given).expect("made again");
        assert!(!Arc::ptr_eq(&first, &again), "the oldest is forgotten");
        assert_eq!(first, again);
        assert_eq!(recent.share(Given::default()), None);
    }

    #[test]
    fn the_system_prompt_is_what_a_conversation_begins_with() {
        let said = |role: Role, text: &str| Message::text(role, text);
        let (system, user) = (said(Role::System, "Be kind."), said(Role::User, "Hello"));
        let of = |messages: &[Message]| Context::system_of(messages).map(Cow::into_owned);
        assert_eq!(of(&[system.clone(), user.clone()]).as_deref(), Some("Be kind."));
        assert_eq!(
            of(&[system.clone(), system.clone(), user.clone()]).as_deref(),
            Some("Be kind.\n\nBe kind.")
        );
        assert_eq!(of(&[user, system]), None);
        assert_eq!(of(&[said(Role::System, "")]), None);
    }
}
