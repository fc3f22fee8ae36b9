//! Reads Rust source as far as the guards need it.

use std::collections::BTreeSet;

/// The text with comments and the content of strings and characters replaced by spaces.
pub(super) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match &bytes[at..] {
            [b'/', b'/', ..] => find(bytes, at, b"\n"),
            [b'/', b'*', ..] => find(bytes, at, b"*/") + 2,
            [b'r', b'"' | b'#', ..] if !is_identifier_before(bytes, at) => raw_string(bytes, at),
            [b'"', ..] => quoted(bytes, at, b'"'),
            [b'\'', b'\\', ..] => quoted(bytes, at, b'\''),
            // A character, and not a lifetime.
            [b'\'', ..] if character(&text[at..]) > 0 => at + character(&text[at..]),
            _ => {
                at += 1;
                continue;
            }
        };
        let end = end.min(bytes.len());
        code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        at = end;
    }
    String::from_utf8(code).expect("whole characters were replaced")
}

fn find(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    let found = bytes[from..].windows(end.len()).position(|window| window == end);
    found.map_or(bytes.len(), |found| from + found)
}

/// The end of a literal that starts with a quote, after its closing quote.
fn quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// The end of a raw string; one byte further where the `r` starts a raw identifier.
fn raw_string(bytes: &[u8], start: usize) -> usize {
    let hashes = bytes[start + 1..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(start + 1 + hashes) != Some(&b'"') {
        return start + 1;
    }
    let end = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
    find(bytes, start + 2 + hashes, &end) + end.len()
}

/// The length of a character literal without an escape; 0 for a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.chars();
    let (_, content, close) = (chars.next(), chars.next(), chars.next());
    match content {
        Some(content) if close == Some('\'') => content.len_utf8() + 2,
        _ => 0,
    }
}

fn is_identifier(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

fn is_identifier_before(bytes: &[u8], at: usize) -> bool {
    at > 0 && is_identifier(bytes[at - 1])
}

/// The identifiers and keywords of code, each with its position.
pub(super) fn identifiers(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = code.as_bytes();
    let starts = (0..bytes.len())
        .filter(move |at| is_identifier(bytes[*at]) && !is_identifier_before(bytes, *at));
    starts.map(move |start| {
        let length = bytes[start..].iter().take_while(|byte| is_identifier(**byte)).count();
        (start, &code[start..start + length])
    })
}

/// Removes the items under `#[cfg(test)]` from code, and lists the modules among them that are files.
pub(super) fn without_tests(code: &str) -> (String, Vec<String>) {
    const ATTRIBUTE: &str = "#[cfg(test)]";
    let (mut kept, mut modules, mut rest) = (String::new(), Vec::new(), code);
    while let Some(start) = rest.find(ATTRIBUTE) {
        kept.push_str(&rest[..start]);
        let item = &rest[start + ATTRIBUTE.len()..];
        let words: Vec<&str> = identifiers(item).map(|(_, word)| word).take(4).collect();
        let is_use = words.iter().take(2).any(|word| *word == "use");
        let end =
            if is_use { item.find(';').map_or(item.len(), |end| end + 1) } else { item_end(item) };
        if item[..end].ends_with(';') && !is_use {
            let name = words.iter().skip_while(|word| **word != "mod").nth(1);
            modules.extend(name.map(|name| (*name).to_owned()));
        }
        rest = &item[end..];
    }
    kept.push_str(rest);
    (kept, modules)
}

/// The end of an item: its `;`, or the brace that closes its body.
fn item_end(item: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in item.bytes().enumerate() {
        match byte {
            b';' if depth == 0 => return at + 1,
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    item.len()
}

/// The names that directly follow `crate::` in code, also in braces: `crate::{a, b::{c, d}}` has two.
pub(super) fn uses(code: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for (at, _) in identifiers(code).filter(|(_, word)| *word == "crate") {
        let Some(path) = code[at + "crate".len()..].trim_start().strip_prefix("::") else {
            continue;
        };
        let path = path.trim_start();
        if !path.starts_with('{') {
            names.extend(identifiers(path).next().map(|(_, name)| name));
            continue;
        }
        let group = &path[1..item_end(path) - 1];
        let mut depth = 0;
        let parts = group.split(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0 && c == ','
        });
        names.extend(parts.filter_map(|part| identifiers(part).next()).map(|(_, name)| name));
    }
    names
}

#[test]
fn only_code_counts() {
    let text = "a // b\n/* c */ \"d \\\" e\" 'f' '\\'' r#\"g \" h\"# &'i str 'é' \"\\\\\" j";
    let code = code(text);
    assert_eq!(code.len(), text.len());
    let words: Vec<&str> = identifiers(&code).map(|(_, word)| word).collect();
    assert_eq!(words, ["a", "i", "str", "j"]);
}

#[test]
fn tests_do_not_count() {
    let text = "use a;\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\npub(crate) mod more { fn f() {} }\n\
                #[cfg(test)]\nuse b::{c};\nuse d;";
    let (kept, modules) = without_tests(text);
    let words: Vec<&str> = identifiers(&kept).map(|(_, word)| word).collect();
    assert_eq!(words, ["use", "a", "use", "d"]);
    assert_eq!(modules, ["tests"]);
}

#[test]
fn uses_are_found_in_every_form() {
    let code = "use crate::a::B; use crate::{b::{self, x}, c, d::{Y, crate_z}}; crate :: e::f(); \
                pub(in crate::g) fn h(my_crate: I) -> crate::j::K {}";
    assert_eq!(uses(code), BTreeSet::from(["a", "b", "c", "d", "e", "g", "j"]));
}
