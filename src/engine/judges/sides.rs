//! Compares two sides: judges with each other, or a judge with the database.

use std::collections::HashMap;

use super::{
    Against, Audited, Engine, HumanVerdict, JudgeRow, Pair, TaskConfusion, TaskIndex, Verdicts,
    VoteSources,
};
use crate::engine::frame::name_stream;
use crate::metrics::agreement::Confusion;
use crate::metrics::bootstrap::{Resampling, clustered};
use crate::model::Cell;

impl Engine {
    /// Where the votes behind every verdict of people come from, by judge and pair.
    pub(super) fn vote_sources(&self) -> HashMap<u32, HashMap<Pair, VoteSources>> {
        let mut votes: HashMap<u32, HashMap<Pair, VoteSources>> = HashMap::new();
        for (cell, frame) in (0u32..).zip(&self.frames) {
            for HumanVerdict { verdict, sources } in &frame.human {
                let pair = ((cell, verdict.task), verdict.draw_a, verdict.draw_b);
                votes.entry(verdict.judge).or_default().insert(pair, *sources);
            }
        }
        votes
    }

    /// Compares two sides, and once more on the pairs alone that came up in the random order.
    pub(super) fn row(
        &self,
        judge: &str,
        against: Against,
        sides: Sides<'_>,
        unparsed: usize,
        resampling: Option<Resampling>,
    ) -> JudgeRow {
        let compared = row(judge, against, &self.counts(&sides, |_| true), unparsed, resampling);
        if sides.votes == [None, None] {
            return compared;
        }
        let counts = self.counts(&sides, |pair| sides.is_audited(pair));
        let audited = row(judge, compared.against.clone(), &counts, unparsed, resampling);
        let JudgeRow { n, tasks, agreement, kappa, .. } = audited;
        let audited = Some(Audited { n, tasks, agreement, kappa });
        JudgeRow { votes: Some(sides.sources()), audited, ..compared }
    }

    /// Cell and id of a task.
    fn name_of(&self, (cell, task): TaskIndex) -> (&Cell, &str) {
        if let Some(frame) = self.frames.get(cell as usize) {
            return (&frame.cell, &frame.tasks[task as usize].id);
        }
        let orphan = &self.orphans[task as usize];
        (&orphan.cell, &orphan.task)
    }

    /// The first row of a row's task.
    fn first_row(&self, (cell, row): TaskIndex) -> TaskIndex {
        let frame = self.frames.get(cell as usize);
        (cell, frame.map_or(row, |frame| frame.rows_of(row as usize).start as u32))
    }

    /// The counts of every task. They are ordered by name, so that resamples do not depend on the
    /// order of the store.
    fn counts(&self, sides: &Sides<'_>, counts: impl Fn(&Pair) -> bool) -> Vec<TaskConfusion> {
        let mut tasks: HashMap<TaskIndex, TaskConfusion> = HashMap::new();
        for (pair, said, truth) in sides.compared().filter(|(pair, ..)| counts(pair)) {
            let task = self.first_row(pair.0);
            tasks.entry(task).or_default()[Confusion::field(said, truth)] += 1.0;
        }
        let mut tasks: Vec<(TaskIndex, TaskConfusion)> = tasks.into_iter().collect();
        tasks.sort_unstable_by(|a, b| self.name_of(a.0).cmp(&self.name_of(b.0)));
        tasks.into_iter().map(|(_, counts)| counts).collect()
    }
}

/// Two sides that are compared, and where the votes of each come from if it is people.
#[derive(Clone, Copy)]
pub(super) struct Sides<'v> {
    pub(super) verdicts: &'v Verdicts,
    pub(super) other: &'v Verdicts,
    pub(super) votes: [Option<&'v HashMap<Pair, VoteSources>>; 2],
}

impl<'v> Sides<'v> {
    /// The pairs of which both say something, and what each says.
    fn compared(&self) -> impl Iterator<Item = (&'v Pair, bool, bool)> {
        let other = self.other;
        self.verdicts.iter().filter_map(move |(pair, said)| Some((pair, *said, *other.get(pair)?)))
    }

    /// Whether all people among the sides came to a pair in the random order.
    fn is_audited(&self, pair: &Pair) -> bool {
        let mut people = self.votes.iter().flatten();
        people.all(|votes| votes.get(pair).is_some_and(|sources| sources.audit > 0))
    }

    /// The votes behind the compared pairs.
    fn sources(&self) -> VoteSources {
        let mut all = VoteSources::default();
        for (pair, ..) in self.compared() {
            let of_pair = self.votes.iter().flatten().filter_map(|votes| votes.get(pair));
            of_pair.for_each(|sources| all.add(*sources));
        }
        all
    }
}

fn row(
    judge: &str,
    against: Against,
    tasks: &[TaskConfusion],
    unparsed: usize,
    resampling: Option<Resampling>,
) -> JudgeRow {
    let mut sums: TaskConfusion = [0.0; 4];
    for counts in tasks {
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    // An undefined statistic of a resample is NaN, which the interval skips and counts.
    let statistics: [fn(&TaskConfusion) -> f64; 5] = [
        |counts| Confusion::from(*counts).agreement().unwrap_or(f64::NAN),
        |counts| Confusion::from(*counts).kappa().unwrap_or(f64::NAN),
        |counts| Confusion::from(*counts).precision().unwrap_or(f64::NAN),
        |counts| Confusion::from(*counts).recall().unwrap_or(f64::NAN),
        |counts| Confusion::from(*counts).f1().unwrap_or(f64::NAN),
    ];
    let intervals = match resampling {
        // One task alone says nothing about others.
        Some(resampling) if tasks.len() > 1 => {
            clustered(tasks, resampling, name_stream(&[judge]), &statistics)
        }
        _ => vec![None; statistics.len()],
    };
    let of = |statistic: usize| {
        let value = Some(statistics[statistic](&sums)).filter(|value| !value.is_nan());
        (value, intervals[statistic].filter(|_| value.is_some()))
    };
    let against_truth = against == Against::Database;
    let of_truth = |statistic| if against_truth { of(statistic) } else { (None, None) };
    JudgeRow {
        held_back: false,
        judge: judge.to_owned(),
        against,
        agreement: of(0),
        kappa: of(1),
        precision: of_truth(2),
        recall: of_truth(3),
        f1: of_truth(4),
        confusion: Confusion::from(sums),
        n: Confusion::from(sums).total() as usize,
        tasks: tasks.len(),
        unparsed,
        left_out: None,
        votes: None,
        audited: None,
    }
}
