//! What is copied and exported from the runs: only text as shown, so that no control sequence of a
//! transcript gets out.

use super::Panel;
use crate::engine::{PairId, TaskId};
use crate::model::Judgment;
use crate::report::show::{RunRank, RunScores, ShowContext, ShowOptions, SideBySide};
use crate::report::{OutputFormat, TableRequest};
use crate::store::StepLabel;
use crate::text::readable;
use crate::ui::shared::{FileContent, Shared};

impl Panel {
    /// The selected turn: its words and calls.
    pub(in crate::ui) fn copied(&self, shared: &Shared) -> Option<String> {
        let comparison = self.compared(shared)?;
        let run = comparison.run(self.focus);
        let turn = run.turns.get(self.turn_in_focus(&comparison.sheet)?)?;
        let message = &run.messages[turn.message as usize];
        let words = message.words().map(str::to_owned);
        let calls = message.tool_calls.iter();
        let calls = calls.map(|call| format!("{}({})", call.name, call.arguments));
        let lines: Vec<String> = words.into_iter().chain(calls).collect();
        Some(readable(&lines.join("\n")).into_owned())
    }

    /// The comparison as `qualm show` prints it, or the turns of the focused run as a table.
    pub(in crate::ui) fn export(
        &self,
        format: OutputFormat,
        shared: &Shared,
    ) -> Result<FileContent, String> {
        if self.blind {
            return Err("the file would show what is hidden until you have voted".to_owned());
        }
        let waiting = || "the store is still being read".to_owned();
        if let OutputFormat::Markdown | OutputFormat::Json = format {
            return self.shown(format, shared).map(FileContent::Text).ok_or_else(waiting);
        }
        let run = self.run(shared).ok_or_else(waiting)?;
        let lens = &shared.lens;
        let key = self.keys.get(self.focus).copied();
        let marked: Vec<StepLabel> =
            key.into_iter().flat_map(|key| shared.labels.on(key)).cloned().collect();
        let turns = TableRequest::turns(run, lens.base(), lens.turn_rule(), &marked);
        shared.table_content(turns, format)
    }

    /// The comparison as `qualm show` prints it, with the scores that the heads of the panes show.
    fn shown(&self, format: OutputFormat, shared: &Shared) -> Option<String> {
        let comparison = self.compared(shared).filter(|_| !self.awaits_answers())?;
        let mut tasks: Vec<TaskId> = self.keys.iter().map(|key| key.id).collect();
        tasks.dedup();
        let context = ShowContext {
            instruction: comparison.opened.iter().find_map(|run| run.instruction.clone()),
            notes: tasks.iter().flat_map(|id| shared.notes.on(*id)).cloned().collect(),
            judgments: judgments(&tasks, shared),
            errors: self.keys.iter().flat_map(|key| shared.labels.on(*key)).cloned().collect(),
            pooled: shared.engine().map_or(Vec::new(), |engine| engine.manifest().pooled.clone()),
            // They are in the store, and the explorer reads none.
            contexts: None,
            answers: self.answers(shared).cloned().unwrap_or_default(),
        };
        let panes = 0..comparison.opened.len();
        let heads = panes.map(|pane| self.pane_score(&comparison, pane, shared));
        let (values, ranks) =
            heads.map(|(score, rank)| (score, rank.map(|(rank, of)| RunRank { rank, of }))).unzip();
        let scores = RunScores {
            scorer: shared.lens.scorer.clone(),
            turn_base: shared.lens.base(),
            turn_rule: shared.lens.turn_rule(),
            values,
            ranks,
        };
        let runs = comparison.runs();
        let shown = SideBySide::new(&runs, &comparison.sheet, &scores, &context);
        Some(shown.render(ShowOptions { format, full: true }))
    }
}

/// What judges say of all pairs of some tasks.
fn judgments(tasks: &[TaskId], shared: &Shared) -> Vec<Judgment> {
    let Some(engine) = shared.engine() else { return Vec::new() };
    let mut judgments = Vec::new();
    for &id in tasks {
        let (Some(task), Some(cell)) = (shared.task_of(id), shared.cell_of(id)) else { continue };
        for sample in &task.samples {
            let words = engine.words_on(PairId { id, draw: sample.draw }).into_iter();
            judgments.extend(words.map(|word| Judgment {
                cell: cell.clone(),
                task: task.id.clone(),
                draw_a: task.draw.min(sample.draw),
                draw_b: task.draw.max(sample.draw),
                judge: engine.judges()[word.judge].clone(),
                equivalent: word.equivalent,
                confidence: word.confidence,
            }));
        }
    }
    judgments
}
