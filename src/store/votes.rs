//! Verdicts that people give on pairs, kept as lines of `annotations.jsonl`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::annotations::{self, Annotation, Reading, VoteLine};
use super::{Store, StoreError};
use crate::model::Cell;

/// A person's verdict on a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// Both runs reach the same outcome.
    Equivalent,
    /// The runs reach different outcomes.
    Different,
    /// The person cannot decide.
    Unsure,
    /// The author takes back the vote before.
    Withdrawn,
}

impl Ruling {
    /// The word for it in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Equivalent => "equivalent",
            Self::Different => "different",
            Self::Unsure => "unsure",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Whether the outcomes are equivalent; none when the ruling does not say.
    pub fn equivalent(self) -> Option<bool> {
        match self {
            Self::Equivalent => Some(true),
            Self::Different => Some(false),
            Self::Unsure | Self::Withdrawn => None,
        }
    }
}

/// How the pair of a vote was chosen. Agreement measured on pairs that were chosen for disagreement is
/// biased, so that numbers say where their votes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChosenBy {
    /// It stood in the queue of pairs on which judges disagree or are unsure.
    Queue,
    /// It came up in a random order of all pairs.
    Audit,
    /// People disagreed on it, and the vote settles it.
    Adjudication,
    /// The author looked for it.
    Direct,
}

impl ChosenBy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Queue, Self::Audit, Self::Adjudication, Self::Direct];

    /// The word for it in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Audit => "audit",
            Self::Adjudication => "adjudication",
            Self::Direct => "direct",
        }
    }
}

/// A person's verdict on one pair, with its author and time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Vote {
    /// When it was given, in seconds since 1970.
    pub time: u64,
    /// Who gave it.
    pub author: String,
    /// The cell of both trajectories.
    #[serde(flatten)]
    pub cell: Cell,
    /// The task of both trajectories.
    pub task: String,
    /// The reference's draw.
    pub draw_a: u32,
    /// The sample's draw.
    pub draw_b: u32,
    /// The ruling.
    pub verdict: Ruling,
    /// Why, in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How the pair was chosen; votes of older versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_by: Option<ChosenBy>,
}

impl Vote {
    /// Whether it settles a disagreement of others, and is no independent opinion.
    pub fn is_adjudication(&self) -> bool {
        self.chosen_by == Some(ChosenBy::Adjudication)
    }
}

impl Store {
    /// All votes that are there now, the oldest first, including those that a later one replaces, under
    /// the current numbers of their draws. [`current`] returns those that count. Those that cannot be
    /// read or whose run is gone are left out; [`Store::annotations`] names them.
    pub fn votes(&self) -> Result<Vec<Vote>, StoreError> {
        Ok(self.annotations()?.votes)
    }

    /// Adds votes; they are on the disk when this returns.
    pub fn add_votes(&self, votes: &[Vote]) -> Result<(), StoreError> {
        let plain = |vote: &Vote| {
            Annotation::Vote(VoteLine { vote: vote.clone(), run_a: None, run_b: None })
        };
        let lines: Vec<Annotation> = votes.iter().map(plain).collect();
        let reading = Reading::with_text(self, lines.iter())?;
        let bound = |line: &Annotation| reading.bound(line).unwrap_or_else(|| line.clone());
        let lines: Vec<Annotation> = lines.iter().map(bound).collect();
        annotations::append(&self.log(), &lines)
    }
}

/// The votes that count: the newest of every author on every pair, unless it is a withdrawal. Of two
/// votes in the same second the later line is the newer. An adjudication does not replace the author's
/// independent vote, nor the other way round. The lower draw comes first. Sorted by cell, task, draws
/// and author, the adjudication last.
pub fn current(votes: &[Vote]) -> Vec<Vote> {
    let mut newest: BTreeMap<(&Cell, &str, u32, u32, &str, bool), &Vote> = BTreeMap::new();
    for vote in votes {
        // A pair is the same whichever of its draws is named first.
        let (a, b) = (vote.draw_a.min(vote.draw_b), vote.draw_a.max(vote.draw_b));
        let key = (&vote.cell, vote.task.as_str(), a, b, &*vote.author, vote.is_adjudication());
        let known = newest.entry(key).or_insert(vote);
        if vote.time >= known.time {
            *known = vote;
        }
    }
    let standing = newest.into_iter().filter(|(_, vote)| vote.verdict != Ruling::Withdrawn);
    let in_order =
        standing.map(|((_, _, draw_a, draw_b, ..), vote)| Vote { draw_a, draw_b, ..vote.clone() });
    in_order.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(author: &str, time: u64, verdict: Ruling) -> Vote {
        Vote {
            time,
            author: author.to_owned(),
            cell: Cell::new("d", "m"),
            task: "0".to_owned(),
            draw_a: 0,
            draw_b: 1,
            verdict,
            note: None,
            chosen_by: None,
        }
    }

    fn standing(votes: &[Vote]) -> Vec<(String, Ruling)> {
        current(votes).into_iter().map(|vote| (vote.author, vote.verdict)).collect()
    }

    #[test]
    fn the_newest_of_an_author_counts() {
        use Ruling::{Different, Equivalent, Unsure, Withdrawn};
        let first = vote("ada", 5, Equivalent);
        let of_ada = |ruling| vec![("ada".to_owned(), ruling)];
        assert_eq!(standing(&[first.clone(), vote("ada", 6, Unsure)]), of_ada(Unsure));
        // The time decides, not the order in which files were merged.
        assert_eq!(standing(&[first.clone(), vote("ada", 4, Different)]), of_ada(Equivalent));
        assert_eq!(standing(&[first.clone(), vote("ada", 5, Different)]), of_ada(Different));
        assert_eq!(standing(&[first.clone(), vote("ada", 5, Withdrawn)]), []);
        // A pair is the same whichever of its draws is named first.
        let reversed = Vote { draw_a: 1, draw_b: 0, ..vote("bob", 1, Different) };
        let pair = [first.clone(), reversed];
        assert!(current(&pair).iter().all(|vote| (vote.draw_a, vote.draw_b) == (0, 1)));
        let both = standing(&[vote("bob", 1, Different), first]);
        assert_eq!(both, [of_ada(Equivalent), vec![("bob".to_owned(), Different)]].concat());
    }

    #[test]
    fn an_adjudication_stands_beside_the_independent_vote() {
        use Ruling::{Different, Equivalent, Withdrawn};
        let settles = |time, verdict| Vote {
            chosen_by: Some(ChosenBy::Adjudication),
            ..vote("ada", time, verdict)
        };
        let votes = [vote("ada", 5, Equivalent), settles(6, Different)];
        let ada = |ruling| ("ada".to_owned(), ruling);
        assert_eq!(standing(&votes), [ada(Equivalent), ada(Different)]);
        let withdrawn = [&votes[..], &[settles(7, Withdrawn)]].concat();
        assert_eq!(standing(&withdrawn), [ada(Equivalent)]);
    }
}
