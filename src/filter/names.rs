//! Names that were perhaps meant.

use crate::text::visible;

/// Suggestions at most.
const MOST: usize = 3;

/// The names nearest to one that is unknown, the nearest first.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    // A third of the letters may be wrong.
    let limit = (name.len() / 3).clamp(1, 4);
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|other| {
            let letters: Vec<char> = other.to_lowercase().chars().collect();
            if letters.len().abs_diff(name.len()) > limit {
                // Half a name is a hint too.
                let begins = name.len() > 2 && letters.starts_with(&name);
                return begins.then_some((limit + 1, other));
            }
            let steps = distance(&name, &letters);
            (steps <= limit).then_some((steps, other))
        })
        .collect();
    near.sort_by_key(|(steps, _)| *steps);
    // Beside a near name, a far one is noise.
    let farthest = near.first().map_or(0, |(steps, _)| steps + 1);
    let near = near.into_iter().filter(|(steps, _)| *steps <= farthest);
    near.take(MOST).map(|(_, other)| other).collect()
}

/// How many letters to change, add, leave out or swap with their neighbour to get from one to the
/// other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut steps = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                steps = steps.min(before[j - 1] + 1);
            }
            row.push(steps);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// `a`, `b` or `c`, as a question.
pub(super) fn did_you_mean(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", shown(name))).collect();
    let list = match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    };
    format!("did you mean {list}?")
}

/// Part of an expression inside a sentence: safe to show, and not too long.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    let safe = visible(text);
    if safe.chars().count() <= LONGEST {
        return safe.into_owned();
    }
    safe.chars().take(LONGEST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first() {
        let names = ["lnsp_min", "lnsp_mean", "ter", "termination", "success"];
        let near = |name| nearest(name, names.into_iter());
        assert_eq!(near("lnsp_mni"), ["lnsp_min"]);
        assert_eq!(near("LNSP_MEEN"), ["lnsp_mean", "lnsp_min"]);
        assert_eq!(near("sucess"), ["success"]);
        assert_eq!(near("term"), ["ter", "termination"]);
        assert!(near("cost").is_empty());
        assert!(near(&"x".repeat(100_000)).is_empty());
    }

    #[test]
    fn steps_are_counted() {
        let steps = |a: &str, b: &str| {
            distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
        };
        assert_eq!(steps("", "abc"), 3);
        assert_eq!(steps("mni", "min"), 1);
        assert_eq!(steps("kitten", "sitting"), 3);
    }

    #[test]
    fn sentences_stay_short() {
        assert_eq!(did_you_mean(&["a"]), "did you mean `a`?");
        assert_eq!(did_you_mean(&["a", "b", "c"]), "did you mean `a`, `b` or `c`?");
        assert_eq!(shown(&"é".repeat(50)).chars().count(), 40);
        assert_eq!(shown("a\nb"), "a␊b");
    }
}
