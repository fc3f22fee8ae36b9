//! Compares alignments with results worked out by hand, and with all possible scripts.

use super::*;
use crate::rng::Rng;

fn fit<'s>(a: &'s [u8], b: &'s [u8]) -> impl Fn(usize, usize) -> Fit + 's {
    // Letters are of one kind whatever their case.
    |i, j| match (a[i] == b[j], a[i].eq_ignore_ascii_case(&b[j])) {
        (true, _) => Fit::Same,
        (false, true) => Fit::Alike,
        _ => Fit::Different,
    }
}

fn shown(a: &str, b: &str, replace: Replace) -> String {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let pairs =
        align((a.len(), b.len()), AlignOptions { replace, ..AlignOptions::default() }, fit(a, b));
    let letter = |text: &[u8], index: Option<usize>| index.map_or('-', |i| text[i] as char);
    let lines = [
        pairs.iter().map(|pair| letter(a, pair.0)).collect::<String>(),
        pairs.iter().map(|pair| letter(b, pair.1)).collect(),
    ];
    lines.join(" ")
}

#[test]
fn equal_items_are_aligned() {
    assert_eq!(shown("abcd", "abxcd", Replace::Allowed), "ab-cd abxcd");
    assert_eq!(shown("abc", "axc", Replace::Allowed), "abc axc");
    assert_eq!(shown("abc", "axc", Replace::Never), "ab-c a-xc");
    assert_eq!(shown("", "ab", Replace::Allowed), "-- ab");
    assert_eq!(shown("", "", Replace::Allowed), " ");
    // As few edits either way: the item that is the same in every respect wins.
    assert_eq!(shown("aA", "A", Replace::Allowed), "aA -A");
    assert_eq!(shown("Aa", "A", Replace::Allowed), "Aa A-");
}

#[test]
fn as_few_edits_as_levenshtein_whatever_is_kept() {
    let mut rng = Rng::new(11, 0);
    for _ in 0..300 {
        let mut word = |most: usize| -> Vec<u8> {
            (0..rng.below(most)).map(|_| b'a' + rng.below(4) as u8).collect()
        };
        let (a, b) = (word(40), word(40));
        let codes = |word: &[u8]| word.iter().copied().map(u32::from).collect::<Vec<_>>();
        let agreement = crate::scorers::consistency::Consistency::Aec.pair(&codes(&a), &codes(&b));
        let longer = a.len().max(b.len());
        let distance = ((1.0 - agreement) * longer as f64).round() as usize;
        let lengths = (a.len(), b.len());
        let whole = align(lengths, AlignOptions::default(), fit(&a, &b));
        for (steps, edits) in [(1 << 24, 100), (30, 1), (1, 0), (1, 7), (1, distance)] {
            let options = AlignOptions { edits, steps, ..AlignOptions::default() };
            let pairs = align(lengths, options, fit(&a, &b));
            assert_eq!(pairs, whole, "{a:?} {b:?}");
            let edits =
                pairs.iter().filter(|pair| !matches!(pair, (Some(i), Some(j)) if a[*i] == b[*j]));
            assert_eq!(edits.count(), distance, "{a:?} {b:?}");
            let left: Vec<usize> = pairs.iter().filter_map(|pair| pair.0).collect();
            let right: Vec<usize> = pairs.iter().filter_map(|pair| pair.1).collect();
            assert!(left.iter().copied().eq(0..a.len()) && right.iter().copied().eq(0..b.len()));
        }
    }
}

#[test]
fn a_band_that_may_not_grow_still_aligns_everything() {
    let (a, b) = ("abcdefgh".repeat(9), "hgfedcba".repeat(8));
    for fields in [0, 100, 3_000] {
        let options = AlignOptions { fields, edits: 1, ..AlignOptions::default() };
        let fit = fit(a.as_bytes(), b.as_bytes());
        let pairs = align((a.len(), b.len()), options, fit);
        assert!(pairs.iter().filter_map(|pair| pair.0).eq(0..a.len()));
        assert!(pairs.iter().filter_map(|pair| pair.1).eq(0..b.len()));
    }
}

#[test]
fn long_runs_that_differ_little_take_no_time() {
    let mut rng = Rng::new(2, 0);
    let a: Vec<u8> = (0..200_000).map(|_| b'a' + rng.below(25) as u8).collect();
    let mut b = a.clone();
    b.splice(50_000..50_010, []);
    b.insert(120_000, b'z');
    let pairs = align((a.len(), b.len()), AlignOptions::default(), fit(&a, &b));
    let gaps = pairs.iter().filter(|(a, b)| a.is_none() || b.is_none()).count();
    assert_eq!(gaps, 11);
}

/// What a step of a script costs: edits, then pairs that are merely alike.
fn step_cost(a: &[u8], b: &[u8], pair: Pair, replace: Replace) -> (usize, usize) {
    match pair {
        (Some(i), Some(j)) => match (fit(a, b)(i, j), replace) {
            (Fit::Same, _) => (0, 0),
            (Fit::Alike, _) => (0, 1),
            (Fit::Different, Replace::Allowed) => (1, 0),
            (Fit::Different, Replace::Never) => (3, 0),
        },
        _ => (1, 0),
    }
}

fn cost(a: &[u8], b: &[u8], pairs: &[Pair], replace: Replace) -> (usize, usize) {
    let steps = pairs.iter().map(|pair| step_cost(a, b, *pair, replace));
    steps.fold((0, 0), |sum, step| (sum.0 + step.0, sum.1 + step.1))
}

/// All scripts from two indices to the ends of both sequences.
fn all_scripts(lengths: (usize, usize), at: (usize, usize)) -> Vec<Vec<Pair>> {
    if at == lengths {
        return vec![Vec::new()];
    }
    let (i, j) = at;
    let (more_a, more_b) = (i < lengths.0, j < lengths.1);
    let steps: [(bool, Pair, (usize, usize)); 3] = [
        (more_a && more_b, (Some(i), Some(j)), (i + 1, j + 1)),
        (more_a, (Some(i), None), (i + 1, j)),
        (more_b, (None, Some(j)), (i, j + 1)),
    ];
    let mut scripts = Vec::new();
    for (_, pair, next) in steps.into_iter().filter(|(possible, ..)| *possible) {
        let rest = all_scripts(lengths, next).into_iter();
        scripts.extend(rest.map(|rest| std::iter::once(pair).chain(rest).collect::<Vec<_>>()));
    }
    scripts
}

/// The preference that the documentation states, as a sequence to be compared from its beginning.
fn preference(pairs: &[Pair]) -> Vec<u8> {
    let step = |pair: &Pair| match pair {
        (Some(_), Some(_)) => 0,
        (Some(_), None) => 1,
        _ => 2,
    };
    pairs.iter().map(step).collect()
}

fn word(rng: &mut Rng, most: usize, letters: &[u8]) -> Vec<u8> {
    (0..rng.below(most + 1)).map(|_| letters[rng.below(letters.len())]).collect()
}

#[test]
fn among_all_minimal_scripts_the_preferred_one_is_taken() {
    let mut rng = Rng::new(17, 0);
    for round in 0..600 {
        let letters: &[u8] = if round % 2 == 0 { b"ab" } else { b"aAbB" };
        let (a, b) = (word(&mut rng, 5, letters), word(&mut rng, 5, letters));
        for replace in [Replace::Allowed, Replace::Never] {
            let lengths = (a.len(), b.len());
            let best = all_scripts(lengths, (0, 0))
                .into_iter()
                .min_by_key(|script| (cost(&a, &b, script, replace), preference(script)));
            for (edits, steps) in [(64, 1 << 24), (0, 1), (1, 3)] {
                let options = AlignOptions { replace, edits, steps, ..AlignOptions::default() };
                let pairs = align(lengths, options, fit(&a, &b));
                assert_eq!(Some(pairs), best, "{a:?} {b:?} {replace:?}");
            }
        }
    }
}

#[test]
fn the_cost_is_that_of_the_full_table() {
    let mut rng = Rng::new(23, 0);
    for round in 0..300 {
        let letters: &[u8] = if round % 2 == 0 { b"abc" } else { b"aAbBcC" };
        let (a, b) = (word(&mut rng, 60, letters), word(&mut rng, 60, letters));
        for replace in [Replace::Allowed, Replace::Never] {
            let mut table = vec![vec![(0, 0); b.len() + 1]; a.len() + 1];
            for i in 0..=a.len() {
                for j in 0..=b.len() {
                    let from = |i: usize, j: usize, pair: Pair| {
                        let (before, step) = (table[i][j], step_cost(&a, &b, pair, replace));
                        (before.0 + step.0, before.1 + step.1)
                    };
                    let both = (i > 0 && j > 0)
                        .then(|| from(i - 1, j - 1, (Some(i.wrapping_sub(1)), Some(j - 1))));
                    let only_a = (i > 0).then(|| from(i - 1, j, (Some(i - 1), None)));
                    let only_b = (j > 0).then(|| from(i, j - 1, (None, Some(j - 1))));
                    let least = [both, only_a, only_b].into_iter().flatten().min();
                    table[i][j] = least.unwrap_or((0, 0));
                }
            }
            let options = AlignOptions { replace, edits: round % 9, ..AlignOptions::default() };
            let pairs = align((a.len(), b.len()), options, fit(&a, &b));
            assert_eq!(cost(&a, &b, &pairs, replace), table[a.len()][b.len()], "{a:?} {b:?}");
        }
    }
}

#[test]
fn what_both_begin_with_is_aligned_up_to_where_they_part() {
    let mut rng = Rng::new(29, 0);
    for _ in 0..500 {
        let start = word(&mut rng, 20, b"aAb");
        let [a, b] = [0, 1].map(|_| [start.clone(), word(&mut rng, 20, b"aAb")].concat());
        let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
        let pairs = align((a.len(), b.len()), AlignOptions::default(), fit(&a, &b));
        let same = |index: usize| pairs.get(index) == Some(&(Some(index), Some(index)));
        assert!((0..common).all(same), "{a:?} {b:?}");
    }
}

#[test]
fn the_difference_is_shown_where_the_sequences_part() {
    // One more of the same stands after those that both have.
    assert_eq!(shown("am", "amm", Replace::Allowed), "am- amm");
    assert_eq!(shown("abbbc", "abbc", Replace::Allowed), "abbbc abb-c");
    // A replacement comes before the gap.
    assert_eq!(shown("abm", "acmm", Replace::Allowed), "abm- acmm");
    assert_eq!(shown("ab", "c", Replace::Allowed), "ab c-");
}
