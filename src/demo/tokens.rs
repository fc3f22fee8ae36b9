//! The tokens of a turn, with probabilities that add up to the confidence wanted of it.

use super::tokenize::{OTHERS, Part, split};
use crate::model::{Message, Span, TokenSeq};
use crate::rng::Rng;

/// Least probabilities, as surprise: an unlikelier greedy token would not be the most likely one.
const CHOICE_CAP: f64 = 1.15;
const PLAIN_CAP: f64 = 0.6;

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
pub fn draw(text: &str, confidence: f64, rng: &mut Rng) -> TokenSeq {
    let parts: Vec<Part> = split(text).collect();
    let total = -confidence.ln() * parts.len() as f64;
    let surprise = spread(&doubts(&parts, total, rng), total);
    let mut tokens = TokenSeq::default();
    let mut buffer = String::new();
    for (part, surprise) in parts.into_iter().zip(surprise) {
        tokens.push(part.text, -surprise, Span::Action);
        tokens.push_alternative(part.text, -surprise);
        let logprobs = fall(surprise, rng);
        part.others(&mut buffer, logprobs, |text, logprob| tokens.push_alternative(text, logprob));
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
fn doubts(parts: &[Part], total: f64, rng: &mut Rng) -> Vec<Doubt> {
    const EACH: f64 = 0.5;
    let mut keys: Vec<(f64, usize)> = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        keys.push((part.appeal() * rng.range(0.3, 1.0), index));
    }
    keys.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let choices = (total / EACH).ceil() as usize;
    let mut doubts: Vec<Doubt> =
        parts.iter().map(|_| Doubt { weight: rng.range(0.0005, 0.012), cap: PLAIN_CAP }).collect();
    for (_, index) in keys.into_iter().take(choices) {
        doubts[index] = Doubt { weight: rng.range(0.6, 1.4), cap: CHOICE_CAP };
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

/// Falling log-probabilities of the alternatives: below the token's, and in sum below one.
fn fall(surprise: f64, rng: &mut Rng) -> [f64; OTHERS] {
    let chosen = (-surprise).exp();
    let mut left = -(-surprise).exp_m1();
    let mut most = 0.92 * chosen;
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
            let tokens = draw(text, confidence, &mut rng);
            let scores = turn_scores(&tokens, Spans::Action).expect("tokens");
            assert!((scores.lnsp - confidence).abs() < 1e-9);
            assert_eq!(tokens.text(), text);
        }
    }

    #[test]
    fn alternatives_are_of_the_same_kind() {
        let tokens = draw("Shall I cancel QL318?", 0.9, &mut Rng::new(1, 2));
        let others = |index| tokens.alternatives(index).map(|top| top.text).collect::<Vec<_>>();
        assert_eq!(others(2), [" cancel", " change", " modify", " return", " exchange"]);
        assert_eq!(others(4), ["318", "319", "310", "311", "312"]);
    }
}
