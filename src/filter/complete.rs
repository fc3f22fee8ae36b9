//! Completions for an expression that is being typed.

use std::borrow::Cow;
use std::ops::Range;

use super::check::FUNCTIONS;
use super::lex::{Lexer, Token, is_plain, is_word};
use super::parse::KEYWORDS;
use super::{Field, FieldKind};

/// The completions at the cursor, the closest match first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The range in bytes that a completion replaces.
    pub at: Range<usize>,
    /// The completions; empty inside text and numbers.
    pub items: Vec<Completion>,
}

/// One completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The name in the list.
    pub name: String,
    /// The text to insert: a name in quotes if it needs them, a function with its parenthesis.
    pub insert: String,
    /// The type of a column, `function` or `keyword`; what a name stands for.
    pub hint: Cow<'static, str>,
}

impl Completion {
    fn column(field: &Field) -> Self {
        let insert = if is_plain(&field.name) {
            field.name.clone()
        } else {
            format!("\"{}\"", field.name.replace('"', "\"\""))
        };
        Self { name: field.name.clone(), insert, hint: field.kind.as_str().into() }
    }

    fn function(name: &str) -> Self {
        Self { name: name.to_owned(), insert: format!("{name}("), hint: "function".into() }
    }

    fn keyword(word: &str) -> Self {
        Self { name: word.to_owned(), insert: word.to_owned(), hint: "keyword".into() }
    }
}

/// The columns, functions and keywords that fit at the cursor (in bytes) and contain the letters of the
/// word being typed in their order.
pub fn complete(source: &str, cursor: usize, fields: &[Field]) -> Completions {
    let mut cursor = cursor.min(source.len());
    while !source.is_char_boundary(cursor) {
        cursor -= 1;
    }
    let Some(context) = Context::find(&source[..cursor]) else {
        return Completions { at: cursor..cursor, items: Vec::new() };
    };
    // A completion replaces the whole word around the cursor.
    let rest = &source[cursor..];
    let rest = match context.word {
        "" => 0,
        _ => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
    };
    let columns = || fields.iter().map(Completion::column).collect::<Vec<_>>();
    let keywords = |words: &[&str]| words.iter().map(|word| Completion::keyword(word)).collect();
    let candidates = match context.expects {
        Expects::Name => columns(),
        Expects::Value => {
            let mut all = columns();
            all.extend(FUNCTIONS.iter().map(|function| Completion::function(function.name)));
            all.extend(["not", "true", "false", "null"].map(Completion::keyword));
            all
        }
        Expects::Operator => {
            let last = context.last.and_then(|name| fields.iter().find(|field| field.name == name));
            keywords(match last.map(|field| field.kind) {
                Some(FieldKind::Bool) => &["and", "or", "is"],
                Some(FieldKind::Number) => &["and", "or", "between", "in", "is", "not"],
                Some(FieldKind::Text) => {
                    &["and", "or", "like", "ilike", "in", "between", "is", "not"]
                }
                None => &["and", "or", "is", "in", "between", "like", "ilike", "not"],
            })
        }
        Expects::AfterIs => keywords(&["null", "not", "true", "false"]),
        Expects::AfterIsNot => keywords(&["null", "true", "false"]),
        Expects::AfterNot => keywords(&["in", "like", "ilike", "between"]),
    };
    let mut ranked: Vec<_> = candidates
        .into_iter()
        .filter_map(|item| Some((closeness(context.word, &item.name)?, item)))
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let at = context.start..cursor + rest;
    Completions { at, items: ranked.into_iter().map(|(_, item)| item).collect() }
}

#[derive(Clone, Copy, PartialEq)]
enum Expects {
    /// A column inside quotes that are still open.
    Name,
    Value,
    /// Something that follows a value.
    Operator,
    AfterIs,
    AfterIsNot,
    /// `not` after a value.
    AfterNot,
}

/// What comes before the cursor.
struct Context<'s> {
    expects: Expects,
    /// The word being typed.
    word: &'s str,
    /// The byte at which the word starts.
    start: usize,
    /// The name before the word, if there is one.
    last: Option<String>,
}

impl<'s> Context<'s> {
    /// The context at the end of `typed`; none where nothing can be completed.
    fn find(typed: &'s str) -> Option<Self> {
        let mut lexer = Lexer::new(typed);
        let mut expects = Expects::Value;
        let mut last = None;
        loop {
            let (token, at) = match lexer.next() {
                Ok(next) => next,
                Err(error) => {
                    // A quote that is still open contains a name; text has no completions.
                    let open = &typed[error.at.start..];
                    let word = open.strip_prefix(['"', '`'])?;
                    return Some(Self {
                        expects: Expects::Name,
                        word,
                        start: error.at.start,
                        last,
                    });
                }
            };
            match &token {
                Token::End => {
                    let (word, start) = ("", typed.len());
                    return Some(Self { expects, word, start, last });
                }
                Token::Word(_) if at.end == typed.len() && !typed.ends_with(['&', '|', '!']) => {
                    let (word, start) = (&typed[at.clone()], at.start);
                    return Some(Self { expects, word, start, last });
                }
                Token::Number(_) if at.end == typed.len() => return None,
                _ => {}
            }
            expects = after(expects, &token);
            last = match token {
                Token::Word(word) if !is_keyword(word) => Some(word.to_owned()),
                Token::Name(name) | Token::Quoted(name) => Some(name.into_owned()),
                _ => None,
            };
        }
    }
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

/// What may follow a token.
fn after(before: Expects, token: &Token<'_>) -> Expects {
    let Token::Word(word) = token else {
        return match token {
            Token::Sign(")") => Expects::Operator,
            Token::Sign(_) => Expects::Value,
            _ => Expects::Operator,
        };
    };
    match (word.to_ascii_lowercase().as_str(), before) {
        ("is", _) => Expects::AfterIs,
        ("not", Expects::AfterIs) => Expects::AfterIsNot,
        ("not", Expects::Operator) => Expects::AfterNot,
        ("null" | "true" | "false", _) => Expects::Operator,
        (word, _) if is_keyword(word) => Expects::Value,
        _ => Expects::Operator,
    }
}

/// How close a name is to what is typed, the smallest the closest; none when it does not contain the
/// typed letters in their order.
fn closeness(typed: &str, name: &str) -> Option<(u8, usize, usize, usize)> {
    let lower = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let (typed, name) = (lower(typed), lower(name));
    let Some(first) = typed.first() else { return Some((0, 0, 0, 0)) };
    // The shortest part of the name that contains the letters, and its start.
    let starts = (0..name.len()).filter(|start| name[*start] == *first);
    let (spread, start) = starts
        .filter_map(|start| {
            let mut rest = name[start..].iter();
            let found = typed.iter().all(|letter| rest.any(|next| next == letter));
            found.then(|| (name.len() - start - rest.len(), start))
        })
        .min_by_key(|(spread, start)| (*spread, !begins_word(&name, *start), *start))?;
    let tier = match spread == typed.len() {
        true if name.len() == typed.len() => 0,
        true if start == 0 => 1,
        true if begins_word(&name, start) => 2,
        true => 3,
        false => 4,
    };
    Some((tier, spread, start, name.len()))
}

fn begins_word(name: &[char], start: usize) -> bool {
    start == 0 || !name[start - 1].is_alphanumeric()
}
