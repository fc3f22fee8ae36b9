//! Calls as models without native tool calls write them, in Python: `[cd(folder="a"), ls()]`.

mod literal;

use std::collections::HashSet;

use crate::model::ToolCall;

/// The deepest nesting of lists, dictionaries and calls that is followed.
const DEEPEST: u32 = 64;

/// Characters between which two operands stand in an expression.
const OPERATORS: [char; 8] = ['+', '-', '*', '/', '%', '|', '&', '@'];

/// The calls that a text consists of; none of a text that is anything else.
///
/// Arguments become a JSON object. One without a name is called by its position, from `"0"`; an
/// expression that is no literal is kept as its text.
pub(in crate::readers) fn calls(text: &str) -> Option<Vec<ToolCall>> {
    let text = text.trim_matches(|c: char| c == '`' || c.is_whitespace());
    let mut cursor = Cursor { rest: text, depth: 0 };
    let mut calls = Vec::new();
    cursor.eat('[');
    while !cursor.rest.is_empty() && !cursor.rest.starts_with(']') {
        let name = cursor.dotted_name()?.split_whitespace().collect();
        let arguments = cursor.arguments()?;
        calls.push(ToolCall { id: String::new(), name, arguments });
        if !cursor.eat(',') {
            break;
        }
    }
    cursor.eat(']');
    (cursor.rest.is_empty() && !calls.is_empty()).then_some(calls)
}

/// What is left of a text. White space is skipped after every piece that is taken.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Cursor<'a> {
    /// Takes `length` bytes and the white space after them.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest.trim_start();
        taken
    }

    /// Takes a character, if it comes next.
    fn eat(&mut self, wanted: char) -> bool {
        let found = self.rest.starts_with(wanted);
        if found {
            self.take(wanted.len_utf8());
        }
        found
    }

    /// Takes a name.
    fn name(&mut self) -> Option<&'a str> {
        let letter = |c: char| c == '_' || c.is_alphanumeric();
        let length = self.rest.find(|c| !letter(c)).unwrap_or(self.rest.len());
        let first = self.rest.chars().next()?;
        (length > 0 && !first.is_numeric()).then(|| self.take(length))
    }

    /// Takes a name that may have several parts, such as `api.send`.
    fn dotted_name(&mut self) -> Option<&'a str> {
        let start = *self;
        self.name()?;
        while self.eat('.') {
            self.name()?;
        }
        Some(start.until(self))
    }

    /// The text from here to a later cursor.
    fn until(&self, end: &Self) -> &'a str {
        self.rest[..self.rest.len() - end.rest.len()].trim_end()
    }

    /// Takes what stands in brackets, with `inside` for every item, up to the closing one.
    fn items(
        &mut self,
        close: char,
        mut inside: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        while !self.eat(close) {
            inside(self)?;
            if !self.eat(',') && !self.rest.starts_with(close) {
                return None;
            }
        }
        self.depth -= 1;
        Some(())
    }

    /// Takes the arguments of a call with their brackets, as a JSON object.
    fn arguments(&mut self) -> Option<String> {
        if !self.eat('(') {
            return None;
        }
        let (mut json, mut names, mut position) = ("{".to_owned(), HashSet::new(), 0);
        self.items(')', |cursor| {
            if json.len() > 1 {
                json.push(',');
            }
            if let Some(name) = cursor.keyword() {
                // Python refuses a name that comes twice.
                names.insert(name).then_some(())?;
                literal::push_text(&mut json, name);
            } else {
                // It also refuses an argument without a name after one with a name.
                names.is_empty().then_some(())?;
                literal::push_text(&mut json, &position.to_string());
                position += 1;
            }
            json.push(':');
            cursor.value(&mut json)
        })?;
        json.push('}');
        Some(json)
    }

    /// Takes `name=`.
    fn keyword(&mut self) -> Option<&'a str> {
        let mut ahead = *self;
        let name = ahead.name()?;
        if !ahead.eat('=') || ahead.rest.starts_with('=') {
            return None;
        }
        *self = ahead;
        Some(name)
    }

    /// Takes an expression and adds it to the JSON.
    fn value(&mut self, json: &mut String) -> Option<()> {
        let (start, length) = (*self, json.len());
        let mut is_literal = self.operand(json)?;
        while self.rest.starts_with(OPERATORS) {
            is_literal = false;
            while self.rest.starts_with(OPERATORS) {
                self.take(1);
            }
            self.operand(json)?;
        }
        if !is_literal {
            json.truncate(length);
            literal::push_text(json, start.until(self));
        }
        Some(())
    }

    /// Takes an operand and adds it to the JSON; false if it is no literal.
    fn operand(&mut self, json: &mut String) -> Option<bool> {
        let first = self.rest.chars().next()?;
        let is_literal = match first {
            '[' => self.list(']', json)?,
            '(' => self.list(')', json)?,
            '{' => self.dictionary(json)?,
            '0'..='9' | '.' => self.number("", json)?,
            '-' | '+' => {
                self.take(1);
                let sign = if first == '-' { "-" } else { "" };
                match self.rest.chars().next()? {
                    '0'..='9' | '.' => self.number(sign, json)?,
                    _ => self.nested(|cursor| cursor.operand(json)).map(|_| false)?,
                }
            }
            _ if self.string(json)? => true,
            _ => self.constant(json)?,
        };
        let mut has_more = false;
        loop {
            if self.rest.starts_with('(') {
                self.arguments()?;
            } else if self.eat('[') {
                self.items(']', |cursor| cursor.value(&mut String::new()))?;
            } else if self.eat('.') {
                self.name()?;
            } else {
                return Some(is_literal && !has_more);
            }
            has_more = true;
        }
    }

    /// Runs `inside` one level deeper.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let taken = if self.depth > DEEPEST { None } else { inside(self) };
        self.depth -= 1;
        taken
    }

    /// Takes a constant or the name of something.
    fn constant(&mut self, json: &mut String) -> Option<bool> {
        let name = self.dotted_name()?;
        match name {
            "True" => json.push_str("true"),
            "False" => json.push_str("false"),
            "None" => json.push_str("null"),
            "lambda" | "not" | "await" | "yield" => return None,
            name => literal::push_text(json, name),
        }
        Some(true)
    }
}

#[cfg(test)]
mod tests;
