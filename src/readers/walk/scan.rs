//! Finds where a JSON value ends, block by block, by its brackets and quotes.

use memchr::memchr2;

/// Brackets that may be open at once.
const DEEPEST: usize = 1_000;

/// Looks for the end of a value.
#[derive(Default)]
pub(super) struct Scan {
    /// The brackets that must still close, the innermost last.
    open: Vec<u8>,
    in_string: bool,
    escaped: bool,
    /// It began with a bracket or a quote.
    is_enclosed: bool,
}

/// How far a block belongs to the value, and whether the value ended.
pub(super) struct Found {
    pub(super) used: usize,
    pub(super) state: State,
}

pub(super) enum State {
    Open,
    Done,
    Wrong(&'static str),
}

impl Scan {
    /// Whether it is a number or a word, so far.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_enclosed
    }

    /// Takes in the next block.
    pub(super) fn feed(&mut self, block: &[u8]) -> Found {
        let mut used = 0;
        while used < block.len() {
            if self.in_string {
                if self.feed_string(block, &mut used) && self.open.is_empty() {
                    return Found { used, state: State::Done };
                }
                continue;
            }
            let byte = block[used];
            match byte {
                b'"' => (self.in_string, self.is_enclosed) = (true, true),
                b'{' | b'[' => {
                    // In ASCII a closing bracket is the second character after its opening one.
                    self.open.push(byte + 2);
                    self.is_enclosed = true;
                    if self.open.len() > DEEPEST {
                        return Found { used, state: State::Wrong("is nested too deeply") };
                    }
                }
                b'}' | b']' => match self.open.pop() {
                    None => return Found { used, state: State::Done },
                    Some(wanted) if wanted != byte => {
                        return Found { used, state: State::Wrong("brackets do not match") };
                    }
                    Some(_) if self.open.is_empty() => {
                        return Found { used: used + 1, state: State::Done };
                    }
                    Some(_) => {}
                },
                b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if self.open.is_empty() => {
                    return Found { used, state: State::Done };
                }
                _ => {}
            }
            used += 1;
        }
        Found { used, state: State::Open }
    }

    /// Goes on inside a string; says whether it ended.
    fn feed_string(&mut self, block: &[u8], used: &mut usize) -> bool {
        if self.escaped {
            self.escaped = false;
            *used += 1;
            return false;
        }
        let Some(found) = memchr2(b'"', b'\\', &block[*used..]) else {
            *used = block.len();
            return false;
        };
        *used += found + 1;
        self.escaped = block[*used - 1] == b'\\';
        self.in_string = self.escaped;
        !self.escaped
    }
}
