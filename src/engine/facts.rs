//! What a cell has and what it lacks: how often draws of a task disagree, which scorers have
//! values, and what the others would need.

use super::{Engine, Frame, Task};
use crate::scorers::{Need, SPECS, Scorer, Spec};

/// What a cell has and what it lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellFacts {
    /// Tasks with two or more draws whose outcome is known.
    pub repeated: usize,
    /// Those of which some draws succeed and some fail.
    pub mixed: usize,
    /// The names of scorers that have values, aggregators aside.
    pub computed: Vec<&'static str>,
    /// What is missing, and the names of scorers that would have values with it.
    pub possible: Vec<(Vec<Need>, Vec<&'static str>)>,
}

impl Engine {
    /// The facts of every cell.
    pub fn facts(&self) -> Vec<CellFacts> {
        self.frames.iter().map(Frame::facts).collect()
    }

    /// The number of rows with a value of a scorer.
    pub fn valued(&self, scorer: &Scorer) -> usize {
        let in_frame = |frame: &Frame| {
            let values = frame.values(scorer);
            values.map_or(0, |values| values.rank.iter().filter(|value| !value.is_nan()).count())
        };
        self.frames.iter().map(in_frame).sum()
    }
}

impl Frame {
    fn facts(&self) -> CellFacts {
        let (repeated, mixed) = disagreement(self.first_rows().map(|row| &self.tasks[row]));
        let sampled = self.tasks.iter().any(|task| !task.samples.is_empty());
        let (computed, lacking): (Vec<&Spec>, Vec<&Spec>) =
            SPECS.iter().partition(|spec| self.has(&Scorer::of_spec(spec)));
        let with_tokens = computed.iter().any(|spec| spec.needs(Need::LogProbabilities));
        let mut possible: Vec<(Vec<Need>, Vec<&'static str>)> = Vec::new();
        for spec in lacking {
            let is_missing = |need: &Need| match need {
                Need::LogProbabilities => !with_tokens,
                // Where nothing was recorded, log-probabilities are what to ask for first.
                Need::Alternatives => with_tokens,
                Need::Samples => !sampled,
                Need::Judge | Need::Nli | Need::ChatModel | Need::NextActions | Need::Encoder => {
                    true
                }
            };
            let missing: Vec<Need> = spec.needs.iter().copied().filter(is_missing).collect();
            match possible.iter_mut().find(|(needs, _)| *needs == missing) {
                Some((_, scorers)) => scorers.push(spec.label),
                None => possible.push((missing, vec![spec.label])),
            }
        }
        let computed = computed.into_iter().map(|spec| spec.label).collect();
        CellFacts { repeated, mixed, computed, possible }
    }
}

/// The number of tasks with two or more labelled draws, and of those whose draws end differently.
fn disagreement<'t>(tasks: impl Iterator<Item = &'t Task>) -> (usize, usize) {
    let draws = |task: &Task| {
        let labels = task.samples.iter().filter_map(|sample| sample.success).chain(task.success);
        labels.fold(
            [0, 0],
            |[failed, solved], success| {
                if success { [failed, solved + 1] } else { [failed + 1, solved] }
            },
        )
    };
    let counts = tasks.map(draws).filter(|[failed, solved]| failed + solved > 1);
    counts.fold((0, 0), |(repeated, mixed), [failed, solved]| {
        (repeated + 1, mixed + usize::from(failed > 0 && solved > 0))
    })
}
