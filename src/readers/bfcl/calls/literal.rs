//! Literals of Python as JSON: numbers, strings, lists and dictionaries.

use super::Cursor;

/// Adds a text to the JSON, in quotes.
pub(super) fn push_text(json: &mut String, text: &str) {
    json.push_str(&serde_json::Value::from(text).to_string());
}

impl Cursor<'_> {
    /// Takes a list or a tuple; a single value in round brackets is only that value.
    pub(super) fn list(&mut self, close: char, json: &mut String) -> Option<bool> {
        self.take(1);
        let start = json.len();
        json.push('[');
        let (mut count, mut last_comma) = (0, false);
        self.items(close, |cursor| {
            if count > 0 {
                json.push(',');
            }
            count += 1;
            cursor.value(json)?;
            last_comma = cursor.rest.starts_with(',');
            Some(())
        })?;
        if close == ')' && count == 1 && !last_comma {
            json.remove(start);
        } else {
            json.push(']');
        }
        Some(true)
    }

    /// Takes a dictionary, or a set as a list.
    pub(super) fn dictionary(&mut self, json: &mut String) -> Option<bool> {
        self.take(1);
        let mut fields: Vec<(String, Option<String>)> = Vec::new();
        self.items('}', |cursor| {
            let mut key = String::new();
            cursor.value(&mut key)?;
            let mut value = None;
            if cursor.eat(':') {
                let mut text = String::new();
                cursor.value(&mut text)?;
                value = Some(text);
            }
            fields.push((key, value));
            Some(())
        })?;
        let is_set = fields.first().is_some_and(|(_, value)| value.is_none());
        if fields.iter().any(|(_, value)| value.is_none() != is_set) {
            return None;
        }
        json.push(if is_set { '[' } else { '{' });
        for (index, (key, value)) in fields.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            match value {
                None => json.push_str(key),
                // Keys of JSON are texts.
                Some(_) if key.starts_with('"') => json.push_str(key),
                Some(_) => push_text(json, key),
            }
            if let Some(value) = value {
                json.push(':');
                json.push_str(value);
            }
        }
        json.push(if is_set { ']' } else { '}' });
        Some(true)
    }

    /// Takes a number; one that JSON does not have is kept as its text.
    pub(super) fn number(&mut self, sign: &str, json: &mut String) -> Option<bool> {
        let bytes = self.rest.as_bytes();
        let is_based = matches!(bytes, [b'0', b'x' | b'X' | b'o' | b'O' | b'b' | b'B', ..]);
        let mut length = 0;
        while let Some(&byte) = bytes.get(length) {
            let after_exponent = length > 0 && matches!(bytes[length - 1], b'e' | b'E');
            let is_sign = matches!(byte, b'+' | b'-') && after_exponent && !is_based;
            if !(byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || is_sign) {
                break;
            }
            length += 1;
        }
        json.push_str(&number_as_json(sign, self.take(length))?);
        Some(true)
    }

    /// Takes one string or several in a row, which are one; false if there is none.
    pub(super) fn string(&mut self, json: &mut String) -> Option<bool> {
        let mut text: Option<String> = None;
        while let Some((prefix, quote)) = opening(self.rest) {
            let is_raw = self.rest[..prefix].contains(['r', 'R']);
            self.rest = &self.rest[prefix + quote.len()..];
            self.inside_quotes(quote, is_raw, text.get_or_insert_default())?;
        }
        if let Some(text) = &text {
            push_text(json, text);
        }
        Some(text.is_some())
    }

    /// Takes the rest of a string, up to its closing quote.
    fn inside_quotes(&mut self, quote: &str, is_raw: bool, text: &mut String) -> Option<()> {
        loop {
            let next = self.rest.chars().next()?;
            if self.rest.starts_with(quote) {
                self.take(quote.len());
                return Some(());
            }
            if next == '\n' && quote.len() == 1 {
                return None;
            }
            self.rest = &self.rest[next.len_utf8()..];
            if next != '\\' {
                text.push(next);
            } else if is_raw {
                let escaped = self.rest.chars().next()?;
                self.rest = &self.rest[escaped.len_utf8()..];
                text.extend([next, escaped]);
            } else {
                self.escape(text)?;
            }
        }
    }

    /// Takes what follows a backslash.
    fn escape(&mut self, text: &mut String) -> Option<()> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        let c = match letter {
            '\n' => return Some(()),
            '\\' | '\'' | '"' => letter,
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'x' => self.coded(2, 16)?,
            'u' => self.coded(4, 16)?,
            'U' => self.coded(8, 16)?,
            '0'..='7' => {
                let more = self.rest.bytes().take(2);
                let more = more.take_while(|byte| (b'0'..=b'7').contains(byte)).count();
                let first = letter.to_digit(8)?;
                let rest = u32::from_str_radix(&self.rest[..more], 8).unwrap_or(0);
                self.rest = &self.rest[more..];
                char::from_u32((first << (3 * more)) + rest)?
            }
            // Python keeps the backslash of what is no escape.
            other => {
                text.push('\\');
                other
            }
        };
        text.push(c);
        Some(())
    }

    /// Takes the digits of a character; half of a surrogate pair is the replacement character.
    fn coded(&mut self, digits: usize, radix: u32) -> Option<char> {
        let written = self.rest.get(..digits)?;
        let is_number = written.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = u32::from_str_radix(written, radix).ok().filter(|_| is_number)?;
        self.rest = &self.rest[digits..];
        let is_half = (0xD800..0xE000).contains(&code);
        char::from_u32(code).or_else(|| is_half.then_some(char::REPLACEMENT_CHARACTER))
    }
}

/// A number of Python as JSON; one that is too large is a text.
fn number_as_json(sign: &str, written: &str) -> Option<String> {
    if written.contains("__") || written.ends_with('_') {
        return None;
    }
    let digits = written.replace('_', "");
    let radix = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => Some(16),
        [b'0', b'o' | b'O', ..] => Some(8),
        [b'0', b'b' | b'B', ..] => Some(2),
        _ => None,
    };
    if let Some(radix) = radix {
        return Some(format!("{sign}{}", u128::from_str_radix(&digits[2..], radix).ok()?));
    }
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_whole && digits.starts_with('0') {
        // Python writes zero with any number of digits, and no other number with a zero in front.
        return digits.bytes().all(|byte| byte == b'0').then(|| format!("{sign}0"));
    }
    let value: f64 = digits.parse().ok()?;
    let plain = format!("{sign}{digits}");
    Some(if !value.is_finite() {
        serde_json::Value::from(plain).to_string()
    } else if serde_json::from_str::<f64>(&plain).is_ok() {
        plain
    } else {
        format!("{sign}{}", serde_json::Value::from(value))
    })
}

/// The length of the prefix of a string, such as `r`, and its opening quote.
fn opening(text: &str) -> Option<(usize, &str)> {
    let prefix = text.bytes().take(2).take_while(u8::is_ascii_alphabetic).count();
    if !text[..prefix].bytes().all(|letter| b"rRbBuUfF".contains(&letter)) {
        return None;
    }
    let quoted = &text[prefix..];
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| quoted.starts_with(quote))?;
    Some((prefix, quote))
}
