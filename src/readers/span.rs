//! Finds the tokens of a generation that are its committed action.

use std::ops::Range;

use crate::model::{Message, Span, TokenSeq, ToolCall};

/// Blocks in which models think aloud.
const THINKING: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<|channel|>analysis", "<|end|>"),
];

/// Braces before a tool's name that are tried; calls do not nest deeper, hostile text might.
const MOST_BRACES: usize = 16;

/// What begins and ends the header of a section, in the format of gpt-oss.
const HEADER: ([&str; 2], &str) = (["<|start|>", "<|channel|>"], "<|message|>");

/// Marks every token of a turn as reasoning, action or neither; special ones stay what they are.
///
/// A message to the user is action, except for its thinking blocks. With tool calls, the text of the
/// calls is the action and everything before it is reasoning. Where the tokens do not hold the calls (a
/// native tool call without log-probabilities), no token is action and the turn has no score.
pub(super) fn mark(tokens: &mut TokenSeq, message: &Message) {
    let text = tokens.text();
    let thinking = thinking_blocks(text);
    if message.tool_calls.is_empty() {
        let action_start = thinking.last().map_or(0, |last| last.end);
        let headers = headers(text, action_start);
        tokens.mark(|token| {
            if is_inside(&thinking, &token) || token.start < action_start {
                Span::Reasoning
            } else if is_inside(&headers, &token) {
                Span::Other
            } else {
                Span::Action
            }
        });
        return;
    }
    let after_thought = thinking.last().map_or(0, |last| last.end);
    let calls: Option<Vec<Range<usize>>> = located_calls(text, after_thought, &message.tool_calls);
    match calls {
        Some(calls) => mark_calls(tokens, &calls),
        None => tokens.mark(|_| Span::Reasoning),
    }
}

/// Marks the tokens of these ranges of the text as action, those before as reasoning, others as neither.
pub(super) fn mark_calls(tokens: &mut TokenSeq, calls: &[Range<usize>]) {
    let first = calls.first().map_or(0, |call| call.start);
    tokens.mark(|token| {
        if is_inside(calls, &token) {
            Span::Action
        } else if token.start < first {
            Span::Reasoning
        } else {
            Span::Other
        }
    });
}

/// Whether a token shares a byte with one of these ranges.
fn is_inside(ranges: &[Range<usize>], token: &Range<usize>) -> bool {
    ranges.iter().any(|range| token.start < range.end && range.start < token.end)
}

/// Whether a text thinks aloud.
pub(super) fn has_thinking(text: &str) -> bool {
    !thinking_blocks(text).is_empty()
}

/// Thinking blocks, an unclosed one reaching to the end; a lone closing mark closes from the start,
/// since some chat templates open the block inside the prompt.
fn thinking_blocks(text: &str) -> Vec<Range<usize>> {
    let mut blocks = Vec::new();
    for (open, close) in THINKING {
        let mut from = 0;
        while let Some(start) = text[from..].find(open).map(|at| from + at) {
            let end = text[start..].find(close).map_or(text.len(), |at| start + at + close.len());
            blocks.push(start..end);
            from = end;
        }
        if from == 0
            && let Some(at) = text.find(close)
        {
            blocks.push(0..at + close.len());
        }
    }
    blocks.sort_by_key(|block| block.start);
    blocks
}

/// The headers of sections, which say who speaks and where to.
fn headers(text: &str, from: usize) -> Vec<Range<usize>> {
    let (opens, close) = HEADER;
    let mut headers = Vec::new();
    let mut from = from;
    while let Some(at) = text[from..].find(close).map(|at| from + at) {
        let starts = opens.iter().filter_map(|open| text[from..at].find(open));
        let end = at + close.len();
        headers.extend(starts.min().map(|start| from + start..end));
        from = end;
    }
    headers
}

/// The range of each call in the text, in order; none unless all of them are found.
fn located_calls(text: &str, from: usize, calls: &[ToolCall]) -> Option<Vec<Range<usize>>> {
    let mut found = Vec::with_capacity(calls.len());
    let mut from = from;
    for call in calls {
        let range =
            locate_json(text, from, &call.name).or_else(|| locate_code(text, from, &call.name))?;
        from = range.end;
        found.push(range);
    }
    Some(found)
}

/// A JSON object that names the tool, such as `{"name": "f", "arguments": {..}}`.
fn locate_json(text: &str, from: usize, name: &str) -> Option<Range<usize>> {
    let quoted = format!("\"{name}\"");
    let at = from + text[from..].find(&quoted)?;
    // The object begins at the nearest brace before the name that also closes after it.
    text[from..at]
        .rmatch_indices('{')
        .take(MOST_BRACES)
        .map(|(brace, _)| from + brace)
        .find_map(|start| closing(text, start).filter(|end| *end > at).map(|end| start..end))
}

/// A call written as code, such as `f(a=1)`.
fn locate_code(text: &str, from: usize, name: &str) -> Option<Range<usize>> {
    if name.is_empty() {
        return None;
    }
    let mut search = from;
    loop {
        let start = search + text[search..].find(name)?;
        let open = start + name.len();
        let whole_word = !text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if whole_word && text[open..].starts_with('(') {
            return Some(start..closing(text, open).unwrap_or(text.len()));
        }
        search = open;
    }
}

/// The end of the bracket that opens at `start`, brackets inside strings not counted.
fn closing(text: &str, start: usize) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0usize, None, false);
    for (at, c) in text[start..].char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(mark) if c == mark => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' => quote = Some(c),
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return Some(start + at + c.len_utf8());
                    }
                }
                _ => {}
            },
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;

    fn spans(pieces: &[&str], calls: &[&str]) -> String {
        let mut tokens = TokenSeq::default();
        for piece in pieces {
            tokens.push(piece, -0.1, Span::Action);
        }
        super::super::special::mark(&mut tokens, |index| pieces[index].is_empty());
        let mut message = Message::text(Role::Assistant, "");
        message.tool_calls = calls
            .iter()
            .map(|name| ToolCall {
                id: String::new(),
                name: (*name).to_owned(),
                arguments: "{}".to_owned(),
            })
            .collect();
        mark(&mut tokens, &message);
        let letter = |span| match span {
            Span::Reasoning => 'r',
            Span::Action => 'a',
            Span::Other => 'o',
            Span::Special => 's',
        };
        tokens.iter().map(|token| letter(token.span)).collect()
    }

    #[test]
    fn a_message_is_action_from_first_to_last() {
        assert_eq!(spans(&["Hel", "lo", "."], &[]), "aaa");
    }

    #[test]
    fn the_end_of_the_turn_is_neither_message_nor_call() {
        assert_eq!(spans(&["Hel", "lo", "<|im_end|>"], &[]), "aas");
        assert_eq!(spans(&["Hel", "lo", ""], &[]), "aas");
        assert_eq!(spans(&["get(", ")", "", ""], &["get"]), "aass");
        assert_eq!(spans(&["<think>", "hm", "</think>", "Yes", "</s>"], &[]), "rrras");
        assert_eq!(spans(&["<|eot_id|>"], &["get"]), "s");
        let sections = ["<|channel|>", "analysis", "<|message|>", "hm", "<|end|>"];
        let answer = ["<|start|>", "assistant", "<|channel|>", "final", "<|message|>", "Hi"];
        let all = [&sections[..], &answer, &["<|return|>"]].concat();
        assert_eq!(spans(&all, &[]), "srsrssososas");
    }

    #[test]
    fn thinking_is_reasoning() {
        assert_eq!(spans(&["<think>", "hm", "</think>", "Yes", "."], &[]), "rrraa");
        assert_eq!(spans(&["hm", "</think>", "Yes"], &[]), "rra");
        assert_eq!(spans(&["<think>", "endless"], &[]), "rr");
    }

    #[test]
    fn the_call_is_the_action_and_what_precedes_it_is_reasoning() {
        let json = [
            "I ",
            "look.\n",
            "{\"name\": ",
            "\"get\", \"arguments\": {\"id\": \"}\"}",
            "}",
            "\n```",
        ];
        assert_eq!(spans(&json, &["get"]), "rraaao");
        let code = ["First ", "forget(", ") then ", "get(", "id='('", ")", " done"];
        assert_eq!(spans(&code, &["get"]), "rrraaao");
    }

    #[test]
    fn two_calls_leave_what_is_between_out() {
        assert_eq!(spans(&["[", "f(1)", ", ", "g(2)", "]"], &["f", "g"]), "raoao");
    }

    #[test]
    fn a_native_call_without_tokens_has_no_action() {
        assert_eq!(spans(&["Let ", "me ", "look."], &["get"]), "rrr");
        assert_eq!(spans(&["Let ", "me ", "look."], &[""]), "rrr", "a call without a name");
    }
}
