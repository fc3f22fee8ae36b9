//! Splits an expression into words, numbers, quoted text and signs.

use std::borrow::Cow;
use std::ops::Range;

use super::FilterError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'s> {
    /// A keyword, a function or a column.
    Word(&'s str),
    /// In backticks: always a column.
    Name(Cow<'s, str>),
    /// In double quotes: a column, or text if there is no such column.
    Quoted(Cow<'s, str>),
    /// In single quotes.
    Text(Cow<'s, str>),
    Number(f64),
    /// An operator in its usual spelling, a parenthesis or a comma.
    Sign(&'static str),
    End,
}

/// Reads an expression from left to right.
pub(super) struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

/// Signs as written, and their usual spelling. A longer sign comes before one that it starts with.
const SIGNS: [(&str, &str); 18] = [
    ("==", "="),
    ("!=", "!="),
    ("<>", "!="),
    ("<=", "<="),
    (">=", ">="),
    ("=", "="),
    ("<", "<"),
    (">", ">"),
    ("(", "("),
    (")", ")"),
    (",", ","),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("&&", "and"),
    ("||", "or"),
];

/// Signs of other languages, each with an error that says what to write instead.
const FOREIGN_SIGNS: [(&str, &str); 8] = [
    ("=<", "`=<` is not an operator; write `<=`"),
    ("=>", "`=>` is not an operator; write `>=`"),
    ("&", "`&` is not an operator here; write `and`"),
    ("|", "`|` is not an operator here; write `or`"),
    ("‘", "this quote has no meaning here; write text in straight quotes: 'text'"),
    ("’", "this quote has no meaning here; write text in straight quotes: 'text'"),
    ("“", "this quote has no meaning here; write text in straight quotes: 'text'"),
    ("”", "this quote has no meaning here; write text in straight quotes: 'text'"),
];

impl<'s> Lexer<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, at: 0 }
    }

    /// The next token and its range in bytes.
    pub(super) fn next(&mut self) -> Result<(Token<'s>, Range<usize>), FilterError> {
        let rest = &self.source[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        let (start, rest) = (self.at, rest.trim_start());
        let Some(first) = rest.chars().next() else { return Ok((Token::End, start..start)) };
        let token = match first {
            '\'' => Token::Text(self.quoted('\'')?),
            '"' => Token::Quoted(self.quoted('"')?),
            '`' => Token::Name(self.quoted('`')?),
            _ if is_word_start(first) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                self.at += end;
                Token::Word(&rest[..end])
            }
            _ if first.is_ascii_digit() || is_fraction(rest) => self.number()?,
            _ => self.sign(first)?,
        };
        Ok((token, start..self.at))
    }

    /// The text between quotes, in which a doubled quote stands for one.
    fn quoted(&mut self, quote: char) -> Result<Cow<'s, str>, FilterError> {
        let (start, body) = (self.at, &self.source[self.at + 1..]);
        let mut from = 0;
        while let Some(found) = body[from..].find(quote) {
            let end = from + found;
            if !body[end + 1..].starts_with(quote) {
                self.at += end + 2;
                let doubled = from > 0;
                return Ok(if doubled {
                    let twice: String = [quote; 2].iter().collect();
                    Cow::Owned(body[..end].replace(&twice, &quote.to_string()))
                } else {
                    Cow::Borrowed(&body[..end])
                });
            }
            from = end + 2;
        }
        let message = format!("this quote is not closed; add {quote} where its text ends");
        Err(FilterError::new(start..self.source.len(), message))
    }

    fn number(&mut self) -> Result<Token<'s>, FilterError> {
        let (start, bytes) = (self.at, self.source.as_bytes());
        let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let digits = |mut at: usize| {
            while digit(at) || (bytes.get(at) == Some(&b'_') && digit(at + 1)) {
                at += 1;
            }
            at
        };
        let mut end = digits(start);
        if bytes.get(end) == Some(&b'.') {
            // An underscore right after the point does not belong to the number.
            end = if digit(end + 1) { digits(end + 1) } else { end + 1 };
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if digit(end + 1 + sign) {
                end = digits(end + 1 + sign);
            }
        }
        self.at = end;
        let rest = &self.source[end..];
        let letters = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if letters > 0 {
            let message = "a number runs into letters; put a name that begins with a digit \
                           in double quotes";
            return Err(FilterError::new(start..end + letters, message));
        }
        match self.source[start..end].replace('_', "").parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Token::Number(number)),
            _ => {
                let message = "this number is too large; write one below 1e308";
                Err(FilterError::new(start..end, message))
            }
        }
    }

    fn sign(&mut self, first: char) -> Result<Token<'s>, FilterError> {
        let (start, rest) = (self.at, &self.source[self.at..]);
        let starts_with = |written: &str| rest.starts_with(written);
        let foreign = FOREIGN_SIGNS.iter().find(|(written, _)| starts_with(written));
        if let Some((written, sign)) = SIGNS.iter().find(|(written, _)| starts_with(written)) {
            // `=<` starts with `=` but is a foreign sign.
            if foreign.is_none_or(|(other, _)| other.len() <= written.len()) {
                self.at += written.len();
                return Ok(match *sign {
                    word @ ("and" | "or") => Token::Word(word),
                    sign => Token::Sign(sign),
                });
            }
        }
        if let Some((written, message)) = foreign {
            return Err(FilterError::new(start..start + written.len(), *message));
        }
        if first == '!' {
            self.at += 1;
            return Ok(Token::Word("not"));
        }
        let message = format!(
            "`{}` has no meaning here; put names with such characters in double quotes",
            crate::text::visible(first.encode_utf8(&mut [0; 4]))
        );
        Err(FilterError::new(start..start + first.len_utf8(), message))
    }
}

/// Whether the text starts with a number without a leading digit, such as `.5`.
fn is_fraction(rest: &str) -> bool {
    rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_word_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// Whether a character may be part of a name without quotes.
pub(super) fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Whether a name can be written without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(is_word_start)
        && name.chars().all(is_word)
        && !super::parse::KEYWORDS.iter().any(|word| name.eq_ignore_ascii_case(word))
}
