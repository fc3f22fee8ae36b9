//! What Enter does: lists the pairs that a number counts, chooses a judge, or opens a pair.

use super::{COUNTS, Judges, Pane, names};
use crate::engine::{Against, Engine, JudgeRow, PairId};
use crate::scorers::Formula;
use crate::ui::action::Action;
use crate::ui::lists::{self, Listed, MOST_LISTED};
use crate::ui::overlays::Choice;
use crate::ui::screens::{Go, Target};
use crate::ui::shared::Shared;

impl Judges {
    /// Lists exactly what the selected number counts, takes a judge into the lens, or begins to look
    /// at pairs.
    pub(super) fn drill(&self, shared: &mut Shared) -> Go {
        match self.pane {
            Pane::Matrix => return self.list_disagreements(shared),
            Pane::Truth => return self.list_counted(shared),
            Pane::Ter => {
                let judge = self.ters(shared).get(self.ter).map(|ter| ter.judge.clone());
                judge.into_iter().for_each(|judge| shared.set_judge(judge));
            }
            Pane::Queue => match self.pair(shared) {
                Some(pair) => return Go::Open(Target::Pair(pair, shared.order.chosen_by())),
                None => shared.say("there is no pair to look at; r offers others"),
            },
        }
        Go::Stay
    }

    /// The pairs on which two judges disagree.
    fn list_disagreements(&self, shared: &mut Shared) -> Go {
        let (row, column) = self.matrix;
        let names = names(shared);
        let (Some(first), Some(second)) = (names.get(row.min(column)), names.get(row.max(column)))
        else {
            return Go::Stay;
        };
        if first == second {
            shared.say("a judge agrees with itself");
            return Go::Stay;
        }
        let title = format!("{first} and {second} disagree");
        let (first, against) = (first.clone(), Against::Judge(second.clone()));
        list(&title, shared, |engine| {
            let mut pairs = engine.judge_pairs(&first, &against, true, false);
            pairs.extend(engine.judge_pairs(&first, &against, false, true));
            pairs
        })
    }

    /// Whether the counts of a judge against the database are held back.
    fn is_held_back(&self, judge: &str, shared: &Shared) -> bool {
        let rows = self.numbers(shared).map_or(&[][..], |numbers| &numbers.rows);
        let is_row = |row: &&JudgeRow| row.judge == judge && row.against == Against::Database;
        rows.iter().find(is_row).is_some_and(|row| row.held_back)
    }

    /// The pairs that the selected count against the database is of.
    fn list_counted(&self, shared: &mut Shared) -> Go {
        let (row, column) = self.truth;
        let Some(judge) = names(shared).get(row).cloned() else { return Go::Stay };
        let Some(&(said, truth)) = COUNTS.get(column) else {
            let title = format!("answers of {judge} that did not parse");
            return list(&title, shared, |engine| engine.unparsed_pairs(&judge));
        };
        if self.is_held_back(&judge, shared) {
            shared.say("it would tell what is said of a pair that you have not voted on");
            return Go::Stay;
        }
        let word = |equivalent: bool| if equivalent { "equivalent" } else { "different" };
        let title = format!("{judge} says {}, database {}", word(said), word(truth));
        list(&title, shared, |engine| engine.judge_pairs(&judge, &Against::Database, said, truth))
    }
}

/// Offers pairs of the kept tasks to vote on. Of those that the user has not voted on, outcomes and TER
/// are held back. From somebody who votes, those that are not voted on are left out: to be in the list
/// tells what is said of them. All of them are counted, whether they would be in the list or not.
fn list(title: &str, shared: &mut Shared, pairs: impl Fn(&Engine) -> Vec<PairId>) -> Go {
    let Some(kept) = &shared.data.chosen.scope else { return Go::Stay };
    let pairs = pairs(kept.value.engine()).into_iter();
    let pairs: Vec<PairId> =
        pairs.map(|pair| PairId { id: shared.whole_id(pair.id), ..pair }).collect();
    let votes = shared.voter().is_some() || shared.is_voting;
    let is_voted = |pair: &PairId| shared.vote_on(*pair).is_some();
    let pairs: Vec<PairId> = pairs.into_iter().filter(|pair| !votes || is_voted(pair)).collect();
    let shown = pairs.iter().take(MOST_LISTED).map(|&pair| {
        let known = lists::pair_choice(pair, Formula::Equivalence.id(), shared);
        let hint = match shared.vote_on(pair) {
            Some(_) => known.hint,
            None => "not voted on".to_owned(),
        };
        Choice { hint, action: Action::VoteOn(pair), ..known }
    });
    let choices: Vec<Choice> = shown.collect();
    let (count, held_back) = (pairs.len(), if votes { shared.open_pairs() } else { 0 });
    lists::list(Listed { title, count, held_back, noun: "pair" }, choices, shared)
}
