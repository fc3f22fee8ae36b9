//! Finds the special tokens of a generation: those that end a turn or separate its sections. They
//! are not part of the model's action, so no span contains them and no score counts them.

use crate::model::{Span, TokenSeq};

/// Special tokens that are not written between `<|` and `|>`.
const NAMED: [&str; 14] = [
    "</s>",
    "<s>",
    "<eos>",
    "<bos>",
    "<pad>",
    "<end_of_turn>",
    "<start_of_turn>",
    "<end_of_utterance>",
    "<end_of_text>",
    "<turn|>",
    "<|turn>",
    "[EOS]",
    "[e~[",
    "]~b]",
];

/// What opens and closes the special tokens of most models; the second pair is of full-width bars.
const BRACKETS: [(&str, &str); 2] = [("<|", "|>"), ("<\u{ff5c}", "\u{ff5c}>")];

/// Whether a text is a special token's: `<|im_end|>`, `<|eot_id|>`, `</s>`, `<end_of_turn>` …
fn is_special(text: &str) -> bool {
    let text = text.trim();
    let is_name = |name: &str| !name.is_empty() && !name.contains(['<', '>', '|', ' ', '\n']);
    let bracketed = BRACKETS.iter().any(|(open, close)| {
        let inside = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        inside.is_some_and(is_name)
    });
    bracketed || NAMED.contains(&text)
}

/// Marks the special tokens: those of a special text anywhere, and at the end also those that `is_blank`.
/// Returns whether there are any. Inside a text, a token without text may be a part of a letter.
pub(crate) fn mark(tokens: &mut TokenSeq, is_blank: impl Fn(usize) -> bool) -> bool {
    let mut at_end = true;
    let mut any = false;
    for index in (0..tokens.len()).rev() {
        if is_special(tokens.get(index).text) || (at_end && is_blank(index)) {
            tokens.set_span(index, Span::Special);
            any = true;
        } else {
            at_end = false;
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_tokens_of_common_models() {
        for text in [
            "<|im_end|>",
            "<|im_end|>\n",
            "<|eot_id|>",
            "<|eom_id|>",
            "<|endoftext|>",
            "<|end_of_text|>",
            "<|return|>",
            "<|call|>",
            "<|end|>",
            "<|END_OF_TURN_TOKEN|>",
            "<|user|>",
            "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
            "</s>",
            "<end_of_turn>",
        ] {
            assert!(is_special(text), "{text}");
        }
        for text in ["", " ", "<|", "|>", "<||>", "<| a |>", "</b>", "<think>", "end", "x <|end|>"]
        {
            assert!(!is_special(text), "{text}");
        }
    }

    #[test]
    fn blank_tokens_count_at_the_end_only() {
        let mut tokens = TokenSeq::default();
        for text in ["Hi", "", "!", "", "<|im_end|>", ""] {
            tokens.push(text, -0.1, Span::Action);
        }
        let blank: Vec<bool> = tokens.iter().map(|token| token.text.is_empty()).collect();
        assert!(mark(&mut tokens, |index| blank[index]));
        let special: Vec<bool> = tokens.iter().map(|token| token.span == Span::Special).collect();
        assert_eq!(special, [false, false, false, true, true, true]);
    }
}
