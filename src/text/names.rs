//! Shortens names to a width so that they remain distinguishable.
//!
//! A name that is too wide keeps its beginning, its end and the letters at which it first differs
//! from another name; the remaining width goes to the letters that follow these.

use std::collections::{HashMap, HashSet};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Stands for what is left out.
const MARK: &str = "…";

/// From this width on what is left out is marked. In less, the mark costs more than it tells.
const MARKED: usize = 10;

/// Letters of a name that are looked at, at most.
const LONGEST: usize = 1_000;

/// Shortens names to a width: cut in the middle, and different where the names are. Equal names stay
/// equal. Where the width cannot hold what differs, a number stands at the end of a name.
pub fn short_names<S: AsRef<str>>(names: &[S], room: usize) -> Vec<String> {
    let mut unique: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    unique.sort_unstable();
    unique.dedup();
    let is_whole = |name: &&&str| name.width() <= room;
    let mut taken: HashSet<String> =
        unique.iter().filter(is_whole).map(|&name| name.to_owned()).collect();
    if taken.len() == unique.len() {
        return names.iter().map(|name| name.as_ref().to_owned()).collect();
    }
    let mut short: HashMap<&str, String> =
        unique.iter().filter(is_whole).map(|&name| (name, name.to_owned())).collect();
    // What differs from a name that stays whole is kept, too.
    let cut = unique.iter().zip(cut_all(&unique, room));
    for (name, cut) in cut.filter(|(name, _)| !is_whole(name)) {
        let cut = if taken.contains(&cut) { numbered(&cut, room, &taken) } else { cut };
        taken.insert(cut.clone());
        short.insert(name, cut);
    }
    names.iter().map(|name| short[name.as_ref()].clone()).collect()
}

/// Cuts names that are wider than the room, in their order; of others the result means nothing.
fn cut_all(names: &[&str], room: usize) -> Vec<String> {
    let names = if room < MARKED { without_shared_word(names, room) } else { names.to_vec() };
    let mut letters: Vec<(usize, Vec<&str>)> =
        names.iter().map(|name| name.graphemes(true).take(LONGEST).collect()).enumerate().collect();
    letters.sort_unstable_by(|(_, a), (_, b)| a.cmp(b));
    let branches = branches(&letters);
    let shared_end = shared_end(&letters);
    let remarks = shared_remarks(&names);
    let mut cut = vec![String::new(); names.len()];
    for ((index, letters), branches) in letters.iter().zip(branches) {
        if letters.is_empty() {
            continue;
        }
        let shared_end = shared_end.max(remarks[*index]);
        cut[*index] = Cut::new(letters, room).kept(&branches, shared_end);
    }
    cut
}

/// Names without their first word, where others begin with it too and a mark for it would not fit.
fn without_shared_word<'a>(names: &[&'a str], room: usize) -> Vec<&'a str> {
    let parts =
        |name: &'a str| name.split_once(['-', '_', '/']).filter(|(_, rest)| !rest.is_empty());
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (first, _) in names.iter().filter_map(|name| parts(name)) {
        *counts.entry(first).or_default() += 1;
    }
    let short = names.iter().map(|name| match parts(name) {
        Some((first, rest)) if counts[first] > 1 && rest.width() + 1 >= room.min(3) => rest,
        _ => name,
    });
    let short: Vec<&str> = short.collect();
    let apart = short.iter().collect::<HashSet<_>>().len() == names.len();
    if apart { short } else { names.to_vec() }
}

/// The letters of every name, which are sorted, at which some other name goes another way.
fn branches(sorted: &[(usize, Vec<&str>)]) -> Vec<Vec<usize>> {
    let common = |pair: &[(usize, Vec<&str>)]| {
        pair[0].1.iter().zip(&pair[1].1).take_while(|(a, b)| a == b).count()
    };
    let common: Vec<usize> = sorted.windows(2).map(common).collect();
    let mut branches = vec![Vec::new(); sorted.len()];
    let mut open: Vec<_> = std::iter::once(0..sorted.len()).collect();
    while let Some(range) = open.pop() {
        // Names of a range begin alike up to the least that two neighbours have in common.
        let Some(&least) = common[range.start..range.end.max(1) - 1].iter().min() else { continue };
        range.clone().for_each(|name| branches[name].push(least));
        let mut start = range.start;
        for next in range.start + 1..=range.end {
            if next == range.end || common[next - 1] == least {
                open.push(start..next);
                start = next;
            }
        }
    }
    branches
}

/// How many letters all names share at their end; these say nothing about any of them.
fn shared_end(names: &[(usize, Vec<&str>)]) -> usize {
    // Fewer may be alike by chance.
    const LEAST: usize = 4;
    let alike = |pair: &[(usize, Vec<&str>)]| {
        pair[0].1.iter().rev().zip(pair[1].1.iter().rev()).take_while(|(a, b)| a == b).count()
    };
    names.windows(2).map(alike).min().filter(|alike| *alike >= LEAST).unwrap_or(0)
}

/// How many letters of each name are a remark in brackets at its end that another name has, too.
fn shared_remarks(names: &[&str]) -> Vec<usize> {
    let remark = |name: &&str| -> String {
        let start = name.rfind(" (").filter(|_| name.ends_with(')'));
        start.map_or(String::new(), |start| name[start..].to_owned())
    };
    let remarks: Vec<String> = names.iter().map(remark).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    remarks.iter().for_each(|remark| *counts.entry(remark).or_default() += 1);
    let shared = remarks.iter().map(|remark| match counts[remark.as_str()] {
        1 => 0,
        _ => remark.graphemes(true).count(),
    });
    shared.collect()
}

/// A name of which some letters are kept.
struct Cut<'a> {
    letters: &'a [&'a str],
    kept: Vec<bool>,
    /// Columns of a mark for letters that are left out.
    mark: usize,
    room: usize,
    used: usize,
}

impl<'a> Cut<'a> {
    fn new(letters: &'a [&'a str], room: usize) -> Self {
        let mark = usize::from(room >= MARKED);
        // Nothing is kept yet: one mark stands for all.
        Self { letters, kept: vec![false; letters.len()], mark, room, used: mark }
    }

    /// The name with these letters, its beginning, its end unless all names share it, and as many
    /// letters around them as there is room for.
    fn kept(mut self, branches: &[usize], shared_end: usize) -> String {
        let last = self.letters.len() - 1;
        let tail = shared_end == 0;
        // The last branch parts the name from those that are most like it.
        let branches = branches.iter().rev().filter(|branch| **branch <= last);
        let ends = if tail && self.mark > 0 { &[0, last][..] } else { &[0] };
        let mut runs: Vec<usize> =
            branches.chain(ends).copied().filter(|&letter| self.keep(letter)).collect();
        runs.sort_unstable();
        if self.mark > 0 {
            // What all names share comes last.
            self.grow(&runs, self.letters.len() - shared_end);
            self.grow(&runs, self.letters.len());
        } else {
            // Without marks a name reads best with most of its letters in a row.
            (1..=last).for_each(|letter| {
                self.keep(letter);
            });
        }
        self.text()
    }

    /// Keeps what follows each of these letters up to an end, and what comes before the last letter of the
    /// name, as long as there is room: one of each in turn.
    fn grow(&mut self, runs: &[usize], end: usize) {
        let last = self.letters.len() - 1;
        let mut ends: Vec<(usize, bool)> = runs.iter().map(|run| (*run, *run < last)).collect();
        while !ends.is_empty() {
            ends.retain_mut(|(letter, forwards)| {
                let next = if *forwards { letter.checked_add(1) } else { letter.checked_sub(1) };
                let Some(next) = next.filter(|next| *next < end) else { return false };
                *letter = next;
                self.kept[next] || self.keep(next)
            });
        }
    }

    /// Keeps a letter if there is room for it; says whether it was not kept before and is now.
    fn keep(&mut self, letter: usize) -> bool {
        if self.kept[letter] {
            return false;
        }
        let before = letter == 0 || self.kept[letter - 1];
        let after = letter + 1 == self.letters.len() || self.kept[letter + 1];
        // In the middle of what is left out it makes two gaps of one, at its edge none more.
        let used = self.used + self.letters[letter].width();
        let used = match (before, after) {
            (true, true) => used - self.mark,
            (false, false) => used + self.mark,
            _ => used,
        };
        if used > self.room {
            return false;
        }
        (self.kept[letter], self.used) = (true, used);
        true
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut is_gap = false;
        for (letter, kept) in self.letters.iter().zip(&self.kept) {
            if *kept {
                text.push_str(letter);
            } else if !is_gap && self.mark > 0 {
                text.push_str(MARK);
            }
            is_gap = !kept;
        }
        text
    }
}

/// A name with a number at its end that no other has; the name itself where none fits.
fn numbered(name: &str, room: usize, taken: &HashSet<String>) -> String {
    let with = |number: usize| {
        let number = format!("~{number}");
        let left = room.checked_sub(number.len())?;
        let mut used = 0;
        let head = name.graphemes(true).take_while(|letter| {
            used += letter.width();
            used <= left
        });
        Some(format!("{}{number}", head.collect::<String>()))
    };
    (2..).map_while(with).find(|name| !taken.contains(name)).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_differs_stays() {
        let models = ["gpt-4o-mini", "gpt-oss-20b", "Qwen2.5-7B", "Qwen3.5-9B"];
        assert_eq!(short_names(&models, 5), ["4o-mi", "oss-2", "Qwen2", "Qwen3"]);
        let models_in_8 = ["4o-mini", "oss-20b", "Qwen2.5-", "Qwen3.5-"];
        assert_eq!(short_names(&models, 8), models_in_8);
        assert_eq!(short_names(&models, 12), models);
        let alike = ["claude-3-opus-1", "claude-3-opus-2"];
        assert_eq!(short_names(&alike, 10), ["claud…us-1", "claud…us-2"]);
        let judges = ["gemini-flash-lite (synthetic)", "gemini-flash (synthetic)"];
        assert_eq!(short_names(&judges, 25), ["gemini-flash-lite (synth…", judges[1]]);
        let short = ["gemini-fla…-lite…", "gemini-flash (sy…"];
        assert_eq!(short_names(&judges, 17), short);
        let with_people = [judges[0], judges[1], "human"];
        assert_eq!(short_names(&with_people, 17), [short[0], short[1], "human"]);
        let tasks = [
            "[mms_issue]airplane_mode_on|bad_network_preference[PERSONA:None]",
            "[mms_issue]airplane_mode_on|bad_wifi_calling[PERSONA:None]",
            "[mms_issue]airplane_mode_on|bad_wifi_calling[PERSONA:Easy]",
            "[mobile_data_issue]user_abroad[PERSONA:None]",
        ];
        let short = [
            "[mms_issu…network…:None]",
            "[mms_issu…wifi_ca…:None]",
            "[mms_issu…wifi_ca…:Easy]",
            "[mobile_data_…SONA:None]",
        ];
        assert_eq!(short_names(&tasks, 24), short);
    }

    #[test]
    fn one_name_is_cut_in_its_middle() {
        assert_eq!(short_names(&["abcdefghijkl"], 10), ["abcde…ijkl"]);
        assert_eq!(short_names(&["日本語日本語日本語"], 10), ["日本…本語"]);
        assert_eq!(short_names(&["abc", "abc"], 2), ["ab", "ab"]);
        assert_eq!(short_names(&["abc"], 0), [""]);
        assert_eq!(short_names::<&str>(&[], 3), [""; 0]);
    }

    #[test]
    fn a_number_parts_what_no_letter_does() {
        let names: Vec<String> =
            (0..60).map(|index| format!("{}{index:x}", "a".repeat(index))).collect();
        let short = short_names(&names, 8);
        assert_eq!(short.iter().collect::<HashSet<_>>().len(), names.len());
    }

    fn names() -> impl Strategy<Value = Vec<String>> {
        let part = prop_oneof![
            Just("airline".to_owned()),
            Just("日本語".to_owned()),
            Just("e\u{301}e\u{301}".to_owned()),
            Just("👩‍👩‍👧".to_owned()),
            "[a-c]{0,6}",
            "[-_/|…~0-9]{0,3}",
        ];
        let name = prop::collection::vec(part, 0..7).prop_map(|parts| parts.concat());
        prop::collection::vec(name, 0..24)
    }

    proptest! {
        #[test]
        fn never_wider_and_never_confused(names in names(), room in 0..40usize) {
            let short = short_names(&names, room);
            prop_assert_eq!(short.len(), names.len());
            for (name, short) in names.iter().zip(&short) {
                prop_assert!(short.width() <= room, "{short:?} in {room}");
                prop_assert!(name.width() > room || name == short);
            }
            // A number of two digits and its sign always fit.
            for (index, name) in names.iter().enumerate().filter(|_| room >= 3) {
                for other in 0..index {
                    prop_assert_eq!(*name == names[other], short[index] == short[other]);
                }
            }
        }
    }
}
