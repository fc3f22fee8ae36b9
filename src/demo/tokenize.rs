//! Splits a text into tokens, and finds what a model might have written instead of each.

use super::words;

/// Alternatives of a token besides itself.
pub const OTHERS: usize = 4;

/// What a token is, which decides its alternatives and how often it is in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Word,
    Number,
    Code,
    Mark,
}

/// Where a token stands: in a message, or among the keys or the values of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Message,
    Key,
    Value,
}

/// One token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    pub text: &'a str,
    kind: TokenKind,
    position: Position,
}

/// Splits a text into tokens, much as a byte-pair vocabulary would: a space or underscore goes
/// with the word after it, numbers come by three digits, codes by two signs.
pub fn split(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut position = if text.starts_with('{') { Position::Key } else { Position::Message };
    let mut coded = false;
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (length, kind) = token(rest, coded);
        let (text, after) = rest.split_at(length);
        rest = after;
        coded = matches!(kind, TokenKind::Number | TokenKind::Code);
        if position != Position::Message && kind == TokenKind::Mark {
            if text.contains([',', '{']) {
                position = Position::Key;
            } else if text.contains(':') {
                position = Position::Value;
            }
        }
        Some(Part { text, kind, position })
    })
}

/// Length and kind of the first token; `coded` when a number or a part of a code stands before.
fn token(text: &str, coded: bool) -> (usize, TokenKind) {
    let bytes = text.as_bytes();
    let run = |from: usize, most: usize, is: fn(&u8) -> bool| {
        bytes[from..].iter().take(most).take_while(|byte| is(byte)).count()
    };
    let lead = usize::from(matches!(bytes[0], b' ' | b'_' | b'\''));
    let letters = run(lead, usize::MAX, u8::is_ascii_alphabetic);
    if letters > 0 {
        let upper = run(lead, 2, u8::is_ascii_uppercase);
        let within = lead == 0 && coded || run(lead + 1, 1, u8::is_ascii_digit) == 1;
        if upper == 2 || (upper == 1 && letters == 1 && within) {
            return (lead + upper, TokenKind::Code);
        }
        // Long words come in two pieces.
        return (lead + if letters > 10 { 6 } else { letters }, TokenKind::Word);
    }
    let digits = run(lead, 3, u8::is_ascii_digit);
    if digits > 0 {
        return (lead + digits, TokenKind::Number);
    }
    let mark = run(lead, 3, |byte| byte.is_ascii_punctuation() && *byte != b'_');
    if mark > 0 {
        return (lead + mark, TokenKind::Mark);
    }
    let first = text.chars().next().map_or(1, char::len_utf8);
    (first, TokenKind::Mark)
}

fn sibling_words(text: &str) -> Option<&'static [&'static str]> {
    let word = text.strip_prefix(' ').unwrap_or(text);
    let known = |word: &str| words::siblings(word);
    if word != "I" && word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return known(&word.to_ascii_lowercase());
    }
    known(word).or_else(|| known(word.strip_prefix('_')?))
}

impl Part<'_> {
    /// How much the token invites doubt.
    pub fn appeal(&self) -> f64 {
        match self.kind {
            TokenKind::Mark => 0.04,
            _ if self.position == Position::Key => 0.04,
            TokenKind::Number | TokenKind::Code => 1.0,
            TokenKind::Word if sibling_words(self.text).is_some() => 0.95,
            TokenKind::Word => 0.35,
        }
    }

    /// Calls `take` with each alternative's text, written to `buffer`, and its log-probability.
    pub fn others(
        &self,
        buffer: &mut String,
        logprobs: [f64; OTHERS],
        mut take: impl FnMut(&str, f64),
    ) {
        match self.kind {
            TokenKind::Number | TokenKind::Code => {
                for (shift, logprob) in (1..).zip(logprobs) {
                    self.shifted(buffer, shift);
                    take(buffer, logprob);
                }
            }
            TokenKind::Word | TokenKind::Mark => {
                let mut logprobs = logprobs.into_iter();
                for word in self.list() {
                    self.dressed(buffer, word);
                    if buffer.as_str() != self.text {
                        let Some(logprob) = logprobs.next() else { break };
                        take(buffer, logprob);
                    }
                }
            }
        }
    }

    fn list(&self) -> &'static [&'static str] {
        match (self.kind, self.position) {
            (TokenKind::Mark, Position::Message) => words::marks(false),
            (TokenKind::Mark, _) => words::marks(true),
            (_, position) => sibling_words(self.text).unwrap_or_else(|| match position {
                Position::Message => words::common(self.text),
                Position::Key => words::keys(self.text),
                Position::Value => words::values(),
            }),
        }
    }

    /// `word` with the space and the capital of the token it stands for.
    fn dressed(&self, buffer: &mut String, word: &str) {
        buffer.clear();
        if self.kind == TokenKind::Mark {
            buffer.push_str(word);
            return;
        }
        let bare = self.text.trim_start_matches([' ', '_', '\'']);
        let lead = &self.text[..self.text.len() - bare.len()];
        // Some words of the lists begin with such a sign themselves.
        if !word.starts_with(['_', '\'']) {
            buffer.push_str(lead);
        }
        buffer.push_str(word);
        if bare.starts_with(|sign: char| sign.is_ascii_uppercase()) {
            let start = lead.len();
            if let Some(first) = buffer.get_mut(start..=start) {
                first.make_ascii_uppercase();
            }
        }
    }

    /// The same with another last digit or letter.
    fn shifted(&self, buffer: &mut String, shift: u8) {
        buffer.clear();
        let (head, last) = self.text.split_at(self.text.len() - 1);
        buffer.push_str(head);
        let last = last.as_bytes()[0];
        let (base, size) = if last.is_ascii_digit() { (b'0', 10) } else { (b'A', 26) };
        buffer.push(char::from(base + (last - base + shift) % size));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        split(text).map(|part| part.text).collect()
    }

    #[test]
    fn words_take_their_space_and_codes_fall_apart() {
        assert_eq!(texts("I'm on K7QX2M."), ["I", "'m", " on", " K", "7", "QX", "2", "M", "."]);
        assert_eq!(
            texts(r#"{"user_id": 12345}"#),
            ["{\"", "user", "_id", "\":", " 123", "45", "}"]
        );
        assert_eq!(texts("naïve – yes").concat(), "naïve – yes");
    }
}
