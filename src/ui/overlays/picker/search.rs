//! The entries of a list that match the typed text, the closest first.

use std::cmp::Reverse;

use fuzzy_matcher::FuzzyMatcher as _;
use fuzzy_matcher::skim::SkimMatcherV2;

/// The texts of a list, ready to be searched.
#[derive(Clone, Debug)]
pub(super) struct Texts(Vec<String>);

/// How near an entry is to what was typed, the nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// It stands there as whole words, as a name does.
    Name,
    /// It stands there, from the beginning of a word.
    Phrase,
    /// Every typed word begins a word.
    Words,
    /// It is the beginnings of two words, as `mp` of `metric prr`.
    Beginnings,
    /// Every typed word stands there, perhaps inside a word.
    Inside,
    /// Its letters stand there in order; the better they stick together the higher the score.
    Scattered(Reverse<i64>),
}

impl Texts {
    pub(super) fn new(texts: impl Iterator<Item = String>) -> Self {
        Self(texts.map(|text| text.to_lowercase()).collect())
    }

    /// The entries of some that fit, as indexes into the list, the closest first.
    pub(super) fn fitting(&self, typed: &str, among: impl Iterator<Item = usize>) -> Vec<usize> {
        let typed = typed.to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        // Everything is lower case already.
        let matcher = SkimMatcherV2::default().respect_case();
        let scattered = |text: &str| -> Option<Nearness> {
            let scores = words.iter().map(|word| matcher.fuzzy_match(text, word));
            scores.sum::<Option<i64>>().map(Reverse).map(Nearness::Scattered)
        };
        let near = among.filter_map(|index| {
            let text = &self.0[index];
            let near = literal(text, typed.trim(), &words).or_else(|| scattered(text));
            Some((near?, index))
        });
        let mut near: Vec<(Nearness, usize)> = near.collect();
        near.sort_unstable();
        near.into_iter().map(|(_, index)| index).collect()
    }

    /// All entries, in the order of the list.
    pub(super) fn all(&self) -> impl Iterator<Item = usize> + use<> {
        0..self.0.len()
    }
}

/// How near a text is that holds what was typed word by word.
fn literal(text: &str, typed: &str, words: &[&str]) -> Option<Nearness> {
    let begins = |word: &&str| word_end(text, word).is_some();
    if is_name(text, typed) {
        Some(Nearness::Name)
    } else if begins(&typed) {
        Some(Nearness::Phrase)
    } else if words.len() > 1 && words.iter().all(begins) {
        Some(Nearness::Words)
    } else if words.len() == 1 && is_beginnings(text, typed) {
        Some(Nearness::Beginnings)
    } else {
        words.iter().all(|word| text.contains(word)).then_some(Nearness::Inside)
    }
}

/// Whether letters stand there as whole words.
fn is_name(text: &str, letters: &str) -> bool {
    let mut found = text.match_indices(letters).filter(|_| !letters.is_empty());
    found.any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + letters.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    })
}

/// Whether letters are the beginnings of two words.
fn is_beginnings(text: &str, letters: &str) -> bool {
    letters.char_indices().skip(1).any(|(split, _)| {
        let (first, second) = letters.split_at(split);
        word_end(text, first).is_some_and(|end| word_end(&text[end..], second).is_some())
    })
}

/// Where these letters end when they stand at the beginning of a word.
fn word_end(text: &str, letters: &str) -> Option<usize> {
    let mut found = text.match_indices(letters).map(|(start, _)| start);
    let start = found.find(|start| !text[..*start].ends_with(char::is_alphanumeric))?;
    Some(start + letters.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(list: &[&str], typed: &str) -> Vec<usize> {
        let texts = Texts::new(list.iter().map(|text| (*text).to_owned()));
        texts.fitting(typed, texts.all())
    }

    #[test]
    fn near_names_come_first() {
        assert_eq!(found(&["anything", "else"], ""), [0, 1]);
        assert_eq!(found(&["anything", "else"], "  "), [0, 1]);
        assert_eq!(found(&["metric prr"], "xyz"), [] as [usize; 0]);
        assert_eq!(found(&["previous row, half right", "metric prr"], "prr"), [1, 0]);
        assert_eq!(found(&["compare", "metric prr"], "mp"), [1, 0]);
        assert_eq!(found(&["metric AUROC", "metric PRR"], "Prr"), [1]);
    }

    #[test]
    fn literal_hits_come_before_scattered_letters() {
        let list = ["trim every run", "metering", "parameter", "the terms", "ter"];
        // A whole word, the beginning of one, then inside one, then scattered; else as the list has
        // them.
        assert_eq!(found(&list, "ter"), [4, 3, 1, 2, 0]);
        let list = ["only the most confident quarter", "selection conf"];
        assert_eq!(found(&list, "conf"), [1, 0]);
        let list = ["mini airline", "airline/gpt-4o-mini", "airline mini"];
        assert_eq!(found(&list, "airline mini"), [2, 0, 1]);
        assert_eq!(found(&list, "air min"), [0, 1, 2]);
    }

    #[test]
    fn letters_that_stick_together_come_before_those_that_do_not() {
        assert_eq!(found(&["axxixxrxxl", "axirl"], "airl"), [1, 0]);
    }

    #[test]
    fn names_of_other_scripts_are_found() {
        let list = ["LNSP·min", "Größe", "温度 高"];
        assert_eq!(found(&list, "p·m"), [0]);
        assert_eq!(found(&list, "grö"), [1]);
        assert_eq!(found(&list, "高"), [2]);
    }

    #[test]
    fn narrowing_finds_what_a_search_of_all_finds() {
        let names = (0..40).flat_map(|task| {
            ["airline/gpt-4o-mini", "retail/claude"]
                .map(|cell| format!("{cell}  task {task}, draw {} ter .5", task % 4))
        });
        let texts = Texts::new(names);
        for query in ["mini task 17", "retail 3", "arl 1 2", "clde2", "tsk 9, dw", "airlinx"] {
            let mut shown: Vec<usize> = texts.all().collect();
            for (end, letter) in query.char_indices() {
                let typed = &query[..end + letter.len_utf8()];
                shown = texts.fitting(typed, shown.into_iter());
                assert_eq!(shown, texts.fitting(typed, texts.all()), "{typed}");
            }
        }
    }
}
