//! The database truth of a pair, or why it has none.

use crate::engine::{Sample, Task};
use crate::text::counted;

/// Why the database does not decide whether a pair is equivalent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoTruth {
    /// The reward of a run is not based on the database, so that another state may be as good.
    NotGraded,
    /// The final state of a run is not recorded.
    NotRecorded,
    /// Neither run reaches the gold state, and both may be wrong in different ways.
    Neither,
}

impl NoTruth {
    /// The id that JSON uses.
    pub fn id(self) -> &'static str {
        match self {
            Self::NotGraded => "not-graded",
            Self::NotRecorded => "not-recorded",
            Self::Neither => "neither",
        }
    }
}

/// What a run says about its final database: whether it is the gold one, and whether that counts.
#[derive(Clone, Copy, Debug)]
struct State {
    matches: Option<bool>,
    is_graded: Option<bool>,
}

/// Whether the reference and a sample are equivalent by the database: yes when both reach the gold
/// state, no when exactly one does.
pub(in crate::engine) fn database_truth(task: &Task, sample: &Sample) -> Result<bool, NoTruth> {
    let a = State { matches: task.db_match, is_graded: task.db_graded };
    let b = State { matches: sample.db_match, is_graded: sample.db_graded };
    if [a, b].iter().any(|state| state.is_graded == Some(false)) {
        return Err(NoTruth::NotGraded);
    }
    match (a.matches, b.matches) {
        (Some(false), Some(false)) => Err(NoTruth::Neither),
        (Some(a), Some(b)) => Ok(a == b),
        _ => Err(NoTruth::NotRecorded),
    }
}

/// How many judged pairs the database says nothing about, and of how many it is only assumed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Pairs with [`NoTruth::NotGraded`].
    pub not_graded: usize,
    /// Pairs with [`NoTruth::NotRecorded`].
    pub not_recorded: usize,
    /// Pairs with [`NoTruth::Neither`].
    pub neither: usize,
    /// Pairs with a truth whose results do not say what the reward is based on.
    pub assumed: usize,
}

impl LeftOut {
    /// Counts a pair of which the database says this.
    pub(in crate::engine) fn add(&mut self, task: &Task, sample: &Sample) {
        match database_truth(task, sample) {
            Ok(_) => {
                let is_known = task.db_graded.is_some() && sample.db_graded.is_some();
                self.assumed += usize::from(!is_known);
            }
            Err(NoTruth::NotGraded) => self.not_graded += 1,
            Err(NoTruth::NotRecorded) => self.not_recorded += 1,
            Err(NoTruth::Neither) => self.neither += 1,
        }
    }

    /// How many pairs have no truth.
    pub fn pairs(&self) -> usize {
        self.not_graded + self.not_recorded + self.neither
    }

    /// How many pairs have no truth and why, in words; nothing where all have one.
    pub fn words(&self) -> Option<String> {
        let reasons = [
            (self.not_graded, "the reward is not based on the database"),
            (self.neither, "neither run reaches the gold state"),
            (self.not_recorded, "a final state is not recorded"),
        ];
        let reasons: Vec<_> = reasons.iter().filter(|(count, _)| *count > 0).collect();
        let why = match reasons[..] {
            [] => return None,
            [(_, why)] => (*why).to_owned(),
            _ => {
                let reasons = reasons.iter().map(|(count, why)| format!("{why} ({count})"));
                reasons.collect::<Vec<_>>().join(", ")
            }
        };
        let pairs = counted(self.pairs() as u64, "judged pair");
        Some(format!("{pairs} without database truth: {why}"))
    }

    /// What is assumed of pairs whose results do not say what the reward is based on.
    pub fn assumption(&self) -> Option<String> {
        let pairs = counted(self.assumed as u64, "pair");
        (self.assumed > 0).then(|| {
            format!(
                "{pairs} by results that do not say what the reward is based on: the database is \
                 assumed to be part of it"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CheckSummary;

    fn truth(
        reference: (Option<bool>, Option<bool>),
        sample: (Option<bool>, Option<bool>),
    ) -> String {
        let task = Task {
            id: "1".to_owned(),
            draw: 0,
            success: None,
            db_match: reference.0,
            db_graded: reference.1,
            checks: CheckSummary::default(),
            turns: None,
            tools: None,
            termination: None,
            reward: None,
            cost: None,
            row: 0,
            samples: Vec::new(),
            has_reference: true,
        };
        let (db_match, db_graded) = sample;
        let checks = CheckSummary::default();
        let sample = Sample { draw: 1, success: None, db_match, db_graded, checks };
        let mut left_out = LeftOut::default();
        left_out.add(&task, &sample);
        let assumed = if left_out.assumed > 0 { ", assumed" } else { "" };
        match database_truth(&task, &sample) {
            Ok(same) => format!("{same}{assumed}"),
            Err(why) => {
                assert_eq!(left_out.pairs(), 1);
                why.id().to_owned()
            }
        }
    }

    #[test]
    fn only_a_graded_database_decides() {
        let graded = |matches| (Some(matches), Some(true));
        assert_eq!(truth(graded(true), graded(true)), "true");
        assert_eq!(truth(graded(true), graded(false)), "false");
        assert_eq!(truth(graded(false), graded(false)), "neither");
        assert_eq!(truth(graded(true), (None, Some(true))), "not-recorded");
        assert_eq!(truth((Some(true), Some(false)), (Some(true), Some(false))), "not-graded");
        assert_eq!(truth((Some(false), Some(false)), (None, Some(false))), "not-graded");
        assert_eq!(truth((Some(true), None), graded(true)), "true, assumed");
        assert_eq!(truth((Some(false), None), (Some(false), None)), "neither");
    }
}
