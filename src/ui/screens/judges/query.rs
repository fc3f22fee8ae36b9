//! What the screen asks in the background.

use crate::engine::{JudgeRow, JudgeTer};
use crate::metrics::Metric;
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::KeptTasks;

/// How far judges agree, and what each makes of TER.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgesQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The metric of TER.
    pub metric: Metric,
    /// Who votes: numbers that would tell a verdict are held back.
    pub voter: Option<String>,
}

/// How far judges agree, and what each makes of TER.
#[derive(Clone, Debug, Default)]
pub struct JudgesAnswer {
    /// Every judge against every later one and the database.
    pub rows: Vec<JudgeRow>,
    /// TER under every judge.
    pub ter: Vec<JudgeTer>,
}

impl Query for JudgesQuery {
    type Answer = JudgesAnswer;
    const LANE: Lane = Lane::Judges;

    /// Numbers first, then intervals.
    fn run(self, worker: &Worker, send: &mut dyn FnMut(JudgesAnswer) -> bool) {
        let engine = self.tasks.value.engine();
        let mut answer = JudgesAnswer {
            rows: engine.judge_rows(None),
            ter: engine.judge_ter(self.metric, None),
        };
        self.hold_back(&mut answer);
        if send(answer.clone()) {
            answer.rows = engine.judge_rows(Some(worker.resampling));
            answer.ter = engine.judge_ter(self.metric, Some(worker.resampling));
            self.hold_back(&mut answer);
            send(answer);
        }
    }
}

impl JudgesQuery {
    fn hold_back(&self, answer: &mut JudgesAnswer) {
        if let Some(voter) = &self.voter {
            let engine = self.tasks.value.engine();
            engine.hold_back_rows(&mut answer.rows, voter);
            engine.hold_back_ters(&mut answer.ter, voter);
        }
    }
}
