//! Computes `ter` from a judge's verdicts.

use std::sync::Arc;

use rayon::prelude::*;

use super::spec::{Chosen, JudgeSpec};
use super::{Engine, Verdict};
use crate::engine::frame::{Frame, Shared};
use crate::scorers::{Formula, Scorer};

impl Engine {
    /// Whose verdicts make `ter`; none where nobody judged.
    pub fn judge(&self) -> Option<JudgeSpec> {
        self.judges.current()
    }

    /// The same engine with `ter` by another judge. Nothing is read, and the columns are shared.
    #[must_use]
    pub fn with_judge(&self, judge: &JudgeSpec) -> Self {
        let mut engine = self.clone();
        engine.judges.asked = Some(judge.clone());
        engine.rejudged(self)
    }

    /// The engine with `ter` of the current judge, which joins the scorers with its first values.
    pub(super) fn rejudged(mut self, before: &Self) -> Self {
        self.judge_anew();
        if !before.has_values(&Scorer::Ter) {
            self.add_scorer(Scorer::Ter);
        }
        self
    }

    /// Makes `ter` of the current judge's verdicts.
    pub(in crate::engine) fn judge_anew(&mut self) {
        let chosen = self.judges.current().map(|spec| self.judges.chosen(&spec));
        let chosen = chosen.unwrap_or_default();
        self.frames.par_iter_mut().for_each(|frame| frame.judge_by(chosen));
    }
}

impl Frame {
    pub(super) fn judge_by(&mut self, chosen: Chosen) {
        let ter = Formula::Equivalence.id();
        match self.ter_by(chosen) {
            Some(column) => drop(self.pairs.insert(ter.to_owned(), column)),
            None => drop(self.pairs.remove(ter)),
        }
        // Which tasks are stuck follows the judge.
        self.treat(self.treatment());
    }

    /// Judged equivalence of every pair. A verdict replaces the value that the store holds without a
    /// judge's name.
    fn ter_by(&self, Chosen(judges): Chosen) -> Option<Shared<f64>> {
        let mut column: Option<Vec<f64>> = None;
        let unnamed = || match &self.unnamed_ter {
            Some(known) => known.to_vec(),
            None => vec![f64::NAN; self.pairs_len()],
        };
        for judge in judges.into_iter().flatten() {
            let of_judge = |verdict: &&Verdict| verdict.judge == judge && self.is_on_row(verdict);
            for verdict in self.all_verdicts().filter(of_judge) {
                let Some(equivalent) = verdict.equivalent else { continue };
                let row = verdict.task as usize;
                // Where both draws are rows, the pair is in each.
                let other = self.row_with(row, verdict.draw_b);
                let pairs = [Some((row, verdict.draw_b)), other.map(|row| (row, verdict.draw_a))];
                for (row, draw) in pairs.into_iter().flatten() {
                    if let Some(pair) = self.pair_index(row, draw) {
                        column.get_or_insert_with(unnamed)[pair] = f64::from(u8::from(equivalent));
                    }
                }
            }
        }
        column.map(Arc::new).or_else(|| self.unnamed_ter.clone())
    }
}
