//! The tokens of a turn, with probabilities that add up to the confidence wanted of it.

use super::tokenize::{OTHERS, Part, split};
use crate::model::{Message, Span, TokenSeq};
use crate::rng::Rng;

/// The most surprise of a token that is no choice.
const PLAIN_CAP: f64 = 0.6;

/// How the agent chose its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoding {
    /// Always the likeliest.
    Greedy,
    /// By chance: a doubtful one may be the second choice.
    Sampled,
}

impl Decoding {
    /// The mean surprise of a choice, and the most: an unlikelier greedy token would not be the likeliest.
    fn choice(self) -> (f64, f64) {
        match self {
            Self::Greedy => (0.5, 1.15),
            Self::Sampled => (1.0, 1.8),
        }
    }

    /// The most that an alternative's probability is of the token's.
    fn most_likely_other(self) -> f64 {
        match self {
            Self::Greedy => 0.92,
            Self::Sampled => 2.5,
        }
    }

    /// The log-probability as it is recorded. What is published of samples does not depend on their
    /// tokens, so three digits are enough, and the store stays small. No probability becomes larger, so
    /// that their sum stays below one.
    fn recorded(self, logprob: f64) -> f64 {
        const DROPPED: u64 = (1 << 42) - 1;
        match self {
            Self::Greedy => logprob,
            Self::Sampled => f64::from_bits((logprob.to_bits() + DROPPED) & !DROPPED),
        }
    }
}

/// The text whose tokens were recorded: the words, or the call as the agent wrote it.
pub fn turn_text(message: &Message) -> String {
    match message.tool_calls.first() {
        Some(call) => format!(r#"{{"name": "{}", "arguments": {}}}"#, call.name, call.arguments),
        None => message.content.clone().unwrap_or_default(),
    }
}

/// The number of tokens of a text.
pub fn count(text: &str) -> usize {
    split(text).count()
}

/// Tokens of `text` whose length-normalised probability is `confidence`.
pub fn draw(text: &str, confidence: f64, decoding: Decoding, rng: &mut Rng) -> TokenSeq {
    let parts: Vec<Part> = split(text).collect();
    let total = -confidence.ln() * parts.len() as f64;
    let surprise = spread(&doubts(&parts, total, decoding, rng), total);
    let mut tokens = TokenSeq::default();
    let mut buffer = String::new();
    for (part, surprise) in parts.into_iter().zip(surprise) {
        let recorded = decoding.recorded(-surprise);
        tokens.push(part.text, recorded, Span::Action);
        let logprobs = fall(surprise, decoding, rng).map(|logprob| decoding.recorded(logprob));
        // The token stands among its alternatives, the likeliest first.
        let mut chosen = Some(part.text);
        part.others(&mut buffer, logprobs, |text, logprob| {
            if let Some(chosen) = chosen.take_if(|_| logprob <= recorded) {
                tokens.push_alternative(chosen, recorded);
            }
            tokens.push_alternative(text, logprob);
        });
        if let Some(chosen) = chosen {
            tokens.push_alternative(chosen, recorded);
        }
    }
    tokens
}

/// The weight of a token's doubt, and the most it can carry.
#[derive(Clone, Copy)]
struct Doubt {
    weight: f64,
    cap: f64,
}

/// A few choices carry nearly all doubt of a turn; more doubt means more of them rather than
/// deeper ones, so that entropy and margin follow the probability.
fn doubts(parts: &[Part], total: f64, decoding: Decoding, rng: &mut Rng) -> Vec<Doubt> {
    let (each, cap) = decoding.choice();
    let mut keys: Vec<(f64, usize)> = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        keys.push((part.appeal() * rng.range(0.3, 1.0), index));
    }
    keys.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let choices = (total / each).ceil() as usize;
    let mut doubts: Vec<Doubt> =
        parts.iter().map(|_| Doubt { weight: rng.range(0.0005, 0.012), cap: PLAIN_CAP }).collect();
    for (_, index) in keys.into_iter().take(choices) {
        doubts[index] = Doubt { weight: rng.range(0.6, 1.4), cap };
    }
    doubts
}

/// Shares `total` among the tokens by weight, none above its cap.
fn spread(doubts: &[Doubt], total: f64) -> Vec<f64> {
    let mut shares = vec![f64::NAN; doubts.len()];
    let mut left = total;
    loop {
        let open = |index: &usize| shares[*index].is_nan();
        let weights: f64 = (0..doubts.len()).filter(open).map(|index| doubts[index].weight).sum();
        let scale = left / weights;
        let mut capped = false;
        for (share, doubt) in shares.iter_mut().zip(doubts).filter(|(share, _)| share.is_nan()) {
            if scale * doubt.weight > doubt.cap {
                *share = doubt.cap;
                left -= doubt.cap;
                capped = true;
            }
        }
        if !capped {
            for (share, doubt) in shares.iter_mut().zip(doubts).filter(|(share, _)| share.is_nan())
            {
                *share = scale * doubt.weight;
            }
            return shares;
        }
    }
}

/// Falling log-probabilities of the alternatives: with the token's in sum below one, and of a greedy token
/// below its probability.
fn fall(surprise: f64, decoding: Decoding, rng: &mut Rng) -> [f64; OTHERS] {
    let chosen = (-surprise).exp();
    let mut left = -(-surprise).exp_m1();
    let mut most = decoding.most_likely_other() * chosen;
    [(); OTHERS].map(|()| {
        let p = (left * rng.range(0.5, 0.75)).min(most).max(1e-9);
        left -= p;
        most = p * 0.95;
        p.ln()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scorers::whitebox::{Spans, turn_scores};

    #[test]
    fn a_turn_is_as_sure_as_wanted() {
        let mut rng = Rng::new(1, 1);
        let text = r#"{"name": "cancel_reservation", "arguments": {"reservation_id": "K7QX2M"}}"#;
        for confidence in [0.75, 0.9, 0.98] {
            let tokens = draw(text, confidence, Decoding::Greedy, &mut rng);
            let scores = turn_scores(&tokens, Spans::Action).expect("tokens");
            assert!((scores.lnsp - confidence).abs() < 1e-9);
            assert_eq!(tokens.text(), text);
        }
    }

    #[test]
    fn alternatives_are_of_the_same_kind() {
        let tokens = draw("Shall I cancel QL318?", 0.9, Decoding::Greedy, &mut Rng::new(1, 2));
        let others = |index| tokens.alternatives(index).map(|top| top.text).collect::<Vec<_>>();
        assert_eq!(others(2), [" cancel", " change", " modify", " return", " exchange"]);
        assert_eq!(others(4), ["318", "319", "310", "311", "312"]);
    }

    #[test]
    fn a_sampled_token_is_sometimes_the_second_choice() {
        let mut rng = Rng::new(1, 3);
        let mut ranks = [0; 5];
        // The doubt of a short turn is spread too thin.
        let text =
            "Shall I cancel QL318 and refund the fare to the card that you paid with, or keep it?";
        for _ in 0..40 {
            let tokens = draw(text, 0.8, Decoding::Sampled, &mut rng);
            for index in 0..tokens.len() {
                let top: Vec<_> = tokens.alternatives(index).collect();
                assert!(top.is_sorted_by(|one, next| one.logprob >= next.logprob), "{top:?}");
                let chosen = tokens.get(index).text;
                ranks[top.iter().position(|other| other.text == chosen).expect("recorded")] += 1;
            }
        }
        assert!(ranks[0] > 2 * ranks[1] && ranks[1] > 10, "{ranks:?}");
    }
}
