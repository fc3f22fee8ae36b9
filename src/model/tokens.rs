//! Tokens of one generation, kept as flat columns: a long turn needs only a few allocations, and
//! the store has the same columns.

/// Which part of a generation a token belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Span {
    /// Thinking aloud, before the action.
    Reasoning,
    /// The committed action: a tool call, or a message to the user.
    Action,
    /// Neither, such as the fence after a tool call.
    Other,
    /// No words at all: a token that ends the turn or parts its sections, such as `<|im_end|>`. It is
    /// never scored.
    Special,
}

impl Span {
    /// The number under which the span is stored.
    pub fn code(self) -> u8 {
        match self {
            Self::Reasoning => 0,
            Self::Action => 1,
            Self::Other => 2,
            Self::Special => 3,
        }
    }

    /// The span stored under that number.
    pub fn from_code(code: u8) -> Option<Self> {
        let all = [Self::Reasoning, Self::Action, Self::Other, Self::Special];
        all.into_iter().find(|span| span.code() == code)
    }
}

/// Strings laid end to end.
#[derive(Clone, Debug, Default, PartialEq)]
struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
    }

    fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.text[start..self.ends[index] as usize]
    }
}

/// The tokens of one turn with their log-probabilities and recorded alternatives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenSeq {
    tokens: Strings,
    logprobs: Vec<f64>,
    spans: Vec<Span>,
    // Alternatives of token i stand at top_ends[i-1]..top_ends[i] of the two columns below.
    top_ends: Vec<u32>,
    top_tokens: Strings,
    top_logprobs: Vec<f64>,
}

/// One recorded alternative of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alternative<'a> {
    /// The alternative's text.
    pub text: &'a str,
    /// Its natural log-probability.
    pub logprob: f64,
}

/// One token of a [`TokenSeq`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token<'a> {
    /// The token's text.
    pub text: &'a str,
    /// The natural log-probability it was generated with.
    pub logprob: f64,
    /// The part of the generation it belongs to.
    pub span: Span,
    /// Log-probabilities of the recorded top-K, in recorded order.
    pub top_logprobs: &'a [f64],
}

impl TokenSeq {
    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.logprobs.len()
    }

    /// Whether there is no token.
    pub fn is_empty(&self) -> bool {
        self.logprobs.is_empty()
    }

    /// The generated text.
    pub fn text(&self) -> &str {
        &self.tokens.text
    }

    /// Whether the tokens were recorded without their text, as log-probabilities alone.
    pub fn is_textless(&self) -> bool {
        !self.is_empty() && self.tokens.text.is_empty() && self.count(Span::Special) == 0
    }

    /// Adds a token; its alternatives follow by [`TokenSeq::push_alternative`].
    pub fn push(&mut self, text: &str, logprob: f64, span: Span) {
        self.tokens.push(text);
        self.logprobs.push(logprob);
        self.spans.push(span);
        self.top_ends.push(self.top_logprobs.len() as u32);
    }

    /// Adds a recorded alternative to the token pushed last.
    pub fn push_alternative(&mut self, text: &str, logprob: f64) {
        if let Some(end) = self.top_ends.last_mut() {
            self.top_tokens.push(text);
            self.top_logprobs.push(logprob);
            *end += 1;
        }
    }

    /// The token at `index`.
    pub fn get(&self, index: usize) -> Token<'_> {
        Token {
            text: self.tokens.get(index),
            logprob: self.logprobs[index],
            span: self.spans[index],
            top_logprobs: &self.top_logprobs[self.top_range(index)],
        }
    }

    /// All tokens in order.
    pub fn iter(&self) -> impl Iterator<Item = Token<'_>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The recorded alternatives of the token at `index`.
    pub fn alternatives(&self, index: usize) -> impl Iterator<Item = Alternative<'_>> {
        self.top_range(index).map(|position| Alternative {
            text: self.top_tokens.get(position),
            logprob: self.top_logprobs[position],
        })
    }

    /// The recorded alternatives of all tokens, one after the other.
    pub fn all_alternatives(&self) -> impl Iterator<Item = Alternative<'_>> {
        (0..self.len()).flat_map(|index| self.alternatives(index))
    }

    /// Number of tokens of one span.
    pub fn count(&self, span: Span) -> usize {
        self.spans.iter().filter(|other| **other == span).count()
    }

    /// Gives every token that is not special its span from the bytes of [`TokenSeq::text`] it covers.
    pub fn mark(&mut self, span_of: impl Fn(std::ops::Range<usize>) -> Span) {
        let mut start = 0;
        for (span, end) in self.spans.iter_mut().zip(&self.tokens.ends) {
            let end = *end as usize;
            if *span != Span::Special {
                *span = span_of(start..end);
            }
            start = end;
        }
    }

    /// Gives the token at `index` its span.
    pub fn set_span(&mut self, index: usize, span: Span) {
        self.spans[index] = span;
    }

    fn top_range(&self, index: usize) -> std::ops::Range<usize> {
        let start = if index == 0 { 0 } else { self.top_ends[index - 1] as usize };
        start..self.top_ends[index] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_tokens() -> TokenSeq {
        let mut tokens = TokenSeq::default();
        tokens.push("Hé", -0.1, Span::Action);
        tokens.push_alternative("Hé", -0.1);
        tokens.push_alternative("Ho", -2.5);
        tokens.push("", -0.2, Span::Other);
        tokens.push("llo", -0.3, Span::Action);
        tokens.push_alternative("llo", -0.3);
        tokens
    }

    #[test]
    fn alternatives_stay_with_their_token() {
        let tokens = two_tokens();
        assert_eq!(tokens.text(), "Héllo");
        assert_eq!(tokens.get(0).top_logprobs, [-0.1, -2.5]);
        assert_eq!(tokens.alternatives(1).count(), 0);
        let last: Vec<_> = tokens.alternatives(2).map(|top| top.text).collect();
        assert_eq!(last, ["llo"]);
        assert_eq!(tokens.count(Span::Action), 2);
    }

    #[test]
    fn marking_sees_byte_ranges() {
        let mut tokens = two_tokens();
        tokens.push("", -0.1, Span::Special);
        tokens.mark(|range| if range.start >= 3 { Span::Action } else { Span::Reasoning });
        let spans: Vec<_> = tokens.iter().map(|token| token.span).collect();
        assert_eq!(spans, [Span::Reasoning, Span::Action, Span::Action, Span::Special]);
    }
}
