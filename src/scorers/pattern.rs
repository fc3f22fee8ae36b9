//! The sequence of actions that the draws of a task have in common.

use std::collections::BTreeMap;
use std::fmt;

/// Actions of the same type in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternStep {
    /// The action type.
    pub action: String,
    /// How often it is repeated in a row: least and most among the draws.
    pub times: (usize, usize),
}

/// A sequence of actions that several draws share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The actions, with repeats as one step.
    pub steps: Vec<PatternStep>,
    /// The number of draws that share it.
    pub draws: usize,
    /// The number of draws of the task.
    pub of: usize,
    /// Whether these draws do nothing else; otherwise they only begin this way.
    pub is_whole: bool,
}

impl fmt::Display for Pattern {
    /// `3 of 4 draws: get_user → get_order ×3 → transfer`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let begin = if self.is_whole { "" } else { " begin" };
        write!(f, "{} of {} draws{begin}: ", self.draws, self.of)?;
        for (index, step) in self.steps.iter().enumerate() {
            let arrow = if index > 0 { " → " } else { "" };
            write!(f, "{arrow}{}", step.action)?;
            match step.times {
                (1, 1) => {}
                (least, most) if least == most => write!(f, " ×{most}")?,
                (least, most) => write!(f, " ×{least}–{most}")?,
            }
        }
        if self.steps.is_empty() { f.write_str("no action") } else { Ok(()) }
    }
}

/// The actions of a draw with the number of times each is repeated in a row.
type Collapsed<'a> = Vec<(&'a str, usize)>;

fn collapse<S: AsRef<str>>(actions: &[S]) -> Collapsed<'_> {
    let runs = actions.chunk_by(|a, b| a.as_ref() == b.as_ref());
    runs.map(|run| (run[0].as_ref(), run.len())).collect()
}

fn names<'a>(draw: &[(&'a str, usize)]) -> Vec<&'a str> {
    draw.iter().map(|(action, _)| *action).collect()
}

/// The sequence of action types that most draws share, however often they repeat an action in a row.
/// Where no two draws are the same to the end, it is the shared beginning with the largest product of
/// its length and the number of draws that have it. None when no two draws begin alike.
pub fn pattern<S: AsRef<str>>(draws: &[&[S]]) -> Option<Pattern> {
    let collapsed: Vec<Collapsed> = draws.iter().map(|draw| collapse(draw)).collect();
    let mut same: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for draw in &collapsed {
        *same.entry(names(draw)).or_default() += 1;
    }
    // Of equally common sequences, the first by name.
    let most = same.iter().rev().max_by_key(|(_, count)| **count)?;
    if *most.1 > 1 {
        let (length, most) = (most.0.len(), most.0.clone());
        let shared: Vec<_> = collapsed.iter().filter(|draw| names(draw) == most).collect();
        return Some(describe(&shared, length, draws.len(), true));
    }
    shared_beginning(collapsed, draws.len())
}

fn shared_beginning(mut draws: Vec<Collapsed<'_>>, of: usize) -> Option<Pattern> {
    // Sorted, draws that begin alike are neighbours.
    draws.sort_by(|a, b| names(a).cmp(&names(b)));
    let common =
        |a: &Collapsed, b: &Collapsed| a.iter().zip(b).take_while(|(a, b)| a.0 == b.0).count();
    let mut best: Option<(usize, usize, usize)> = None;
    for first in 0..draws.len() {
        for last in first + 1..draws.len() {
            let (length, count) = (common(&draws[first], &draws[last]), last - first + 1);
            let better = best.is_none_or(|(_, known, number)| {
                (length * count, count) > (known * number, number)
            });
            if length > 0 && better {
                best = Some((first, length, count));
            }
        }
    }
    let (first, length, count) = best?;
    let shared: Vec<_> = draws[first..first + count].iter().collect();
    Some(describe(&shared, length, of, false))
}

fn describe(shared: &[&Collapsed<'_>], length: usize, of: usize, is_whole: bool) -> Pattern {
    let step = |index: usize| {
        let times = || shared.iter().map(|draw| draw[index].1);
        let times = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        PatternStep { action: shared[0][index].0.to_owned(), times }
    };
    Pattern { steps: (0..length).map(step).collect(), draws: shared.len(), of, is_whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(draws: &[&[&str]]) -> Option<String> {
        pattern(draws).map(|pattern| pattern.to_string())
    }

    #[test]
    fn the_sequence_that_most_share() {
        let stuck: &[&str] = &["user", "order", "order", "order", "transfer"];
        assert_eq!(
            said(&[stuck, stuck, &["user"], stuck]).as_deref(),
            Some("3 of 4 draws: user → order ×3 → transfer")
        );
        // More or fewer repeats are the same plan.
        assert_eq!(
            said(&[stuck, &["user", "order", "transfer"]]).as_deref(),
            Some("2 of 2 draws: user → order ×1–3 → transfer")
        );
        assert_eq!(said(&[&[], &[], &["a"]]).as_deref(), Some("2 of 3 draws: no action"));
        // Of two plans that are as common, always the same one.
        let both: [&[&str]; 4] = [&["b"], &["a"], &["b"], &["a"]];
        assert_eq!(said(&both).as_deref(), Some("2 of 4 draws: a"));
    }

    #[test]
    fn else_the_beginning_that_covers_most() {
        let draws: [&[&str]; 4] = [&["a", "b", "c"], &["x"], &["a", "b", "d"], &["a", "b", "b"]];
        assert_eq!(said(&draws).as_deref(), Some("3 of 4 draws begin: a → b ×1–2"));
        let long: [&[&str]; 3] = [&["a", "b", "c", "d"], &["a", "b", "c", "e"], &["a", "f"]];
        assert_eq!(said(&long).as_deref(), Some("2 of 3 draws begin: a → b → c"));
        assert_eq!(said(&[&["a"], &["b"]]), None);
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[&["a"]]), None);
    }
}
