//! What the screen asks in the background.

use crate::engine::{JudgeRow, JudgeTer, TriageOptions, TriageQueue};
use crate::metrics::Metric;
use crate::ui::query::{Lane, Query, Worker};
use crate::ui::shared::KeptTasks;

/// How far judges agree, what each makes of TER, and which pairs to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgesQuery {
    /// The tasks.
    pub tasks: KeptTasks,
    /// The metric of TER.
    pub metric: Metric,
    /// Whose votes mark what is done.
    pub author: String,
}

/// How far judges agree, what each makes of TER, and which pairs to look at.
#[derive(Clone, Debug, Default)]
pub struct JudgesAnswer {
    /// Every judge against every later one and the database.
    pub rows: Vec<JudgeRow>,
    /// TER under every judge.
    pub ter: Vec<JudgeTer>,
    /// The pairs to look at.
    pub triage: TriageQueue,
}

impl Query for JudgesQuery {
    type Answer = JudgesAnswer;
    const LANE: Lane = Lane::Judges;

    /// Numbers first, then intervals.
    fn run(self, worker: &Worker, send: &mut dyn FnMut(JudgesAnswer) -> bool) {
        let kept = &self.tasks.value;
        let engine = kept.engine();
        let options = TriageOptions { author: Some(self.author), ..TriageOptions::default() };
        let mut answer = JudgesAnswer {
            rows: engine.judge_rows(None),
            ter: engine.judge_ter(self.metric, None),
            triage: engine.triage(&options),
        };
        let items = answer.triage.items.iter_mut();
        items.for_each(|item| item.pair.id = kept.whole_id(item.pair.id));
        if send(answer.clone()) {
            answer.rows = engine.judge_rows(Some(worker.resampling));
            answer.ter = engine.judge_ter(self.metric, Some(worker.resampling));
            send(answer);
        }
    }
}
