//! Text into a given width.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The text cut to a width, with `…` where something was cut.
pub fn fit(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut used = 0;
    for letter in text.chars() {
        let size = letter.width().unwrap_or(0);
        if used + size + 1 > room {
            break;
        }
        used += size;
        cut.push(letter);
    }
    if room > 0 {
        cut.push('…');
    }
    cut
}

/// The text cut in its middle, where names that begin alike differ in their ends.
pub fn fit_middle(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let tail_room = room.saturating_sub(1) / 2;
    let mut start = text.len();
    let mut used = 0;
    for (at, letter) in text.char_indices().rev() {
        let size = letter.width().unwrap_or(0);
        if used + size > tail_room {
            break;
        }
        (start, used) = (at, used + size);
    }
    format!("{}{}", fit(text, room - used), &text[start..])
}

/// The text cut or filled to a width exactly.
pub fn padded(text: &str, room: usize) -> String {
    let mut text = fit(text, room);
    text.push_str(&" ".repeat(room.saturating_sub(text.width())));
    text
}

/// Names shortened to a width and still apart: a beginning that several share is left out, then the
/// middle goes.
pub fn short_names(names: &[String], room: usize) -> Vec<String> {
    let mut unique: Vec<&String> = Vec::new();
    names.iter().for_each(|name| {
        if !unique.contains(&name) {
            unique.push(name);
        }
    });
    let first = |name: &str| name.split_once(['-', '_', '/']).map(|(first, _)| first.to_owned());
    let rest = |name: &str| name.split_once(['-', '_', '/']).map(|(_, rest)| rest.to_owned());
    let shared = |name: &str| {
        first(name).is_some_and(|start| {
            unique.iter().filter(|other| first(other).as_ref() == Some(&start)).count() > 1
        })
    };
    let short: Vec<String> = unique
        .iter()
        .map(|name| {
            if name.width() <= room {
                return (*name).clone();
            }
            rest(name).filter(|_| shared(name)).unwrap_or_else(|| (*name).clone())
        })
        .collect();
    let head = |name: &String| -> String { name.chars().take(room).collect() };
    let heads: Vec<String> = short.iter().map(head).collect();
    let cut = |index: usize| {
        let clash = heads.iter().filter(|head| **head == heads[index]).count() > 1;
        let letters: Vec<char> = short[index].chars().collect();
        if clash && room > 3 && letters.len() > room {
            let tail = room / 2;
            let start = letters[..room - tail].iter();
            return start.chain(&letters[letters.len() - tail..]).collect();
        }
        heads[index].clone()
    };
    let index = |name: &String| unique.iter().position(|known| *known == name).unwrap_or(0);
    names.iter().map(|name| cut(index(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_to_a_width() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("日本語", 4), "日…");
        assert_eq!(padded("日本語", 6), "日本語");
        assert_eq!(padded("日本語", 4), "日… ");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(fit_middle("abcdefghij", 7), "abc…hij");
        assert_eq!(fit_middle("日本語日本語", 6), "日…語");
        assert_eq!(fit_middle("abc", 3), "abc");
    }

    #[test]
    fn names_stay_apart() {
        let names = ["gpt-4o-mini", "gpt-oss-20b", "Qwen2.5-7B", "Qwen3.5-9B"].map(str::to_owned);
        assert_eq!(short_names(&names, 5), ["4o-mi", "oss-2", "Qwen2", "Qwen3"]);
        assert_eq!(short_names(&names, 12), names);
        let alike = ["claude-3-opus-1", "claude-3-opus-2"].map(str::to_owned);
        assert_eq!(short_names(&alike, 6), ["3-os-1", "3-os-2"]);
    }
}
