//! `ter` by a judge, and the engine under another one.

use std::sync::Arc;

use rayon::prelude::*;

use super::spec::{Chosen, JudgeSpec};
use super::{Engine, TER};
use crate::engine::frame::{Frame, Shared};
use crate::scorers::Scorer;

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

    /// Judged anew; `ter` joins the scorers when it has its first values.
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
        match self.ter_by(chosen) {
            Some(column) => drop(self.pairs.insert(TER.to_owned(), column)),
            None => drop(self.pairs.remove(TER)),
        }
        // Which tasks are stuck follows the judge.
        self.treat(self.treatment());
    }

    /// Judged equivalence of every pair. A verdict goes over what the store holds without a name;
    /// where there is none, that stays.
    fn ter_by(&self, Chosen(judges): Chosen) -> Option<Shared<f64>> {
        let mut column: Option<Vec<f64>> = None;
        let unnamed = || match &self.unnamed_ter {
            Some(known) => known.to_vec(),
            None => vec![f64::NAN; self.pairs_len()],
        };
        for judge in judges.into_iter().flatten() {
            let own = self.verdicts.iter().chain(&self.human);
            for verdict in own.filter(|own| own.judge == judge && own.draw_a == 0) {
                let place = self.pair_place(verdict.task as usize, verdict.draw_b);
                if let (Some(place), Some(equivalent)) = (place, verdict.equivalent) {
                    column.get_or_insert_with(unnamed)[place] = f64::from(u8::from(equivalent));
                }
            }
        }
        column.map(Arc::new).or_else(|| self.unnamed_ter.clone())
    }
}
