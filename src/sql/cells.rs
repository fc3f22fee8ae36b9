//! Counts of cells.

use super::runs::same_cell;
use super::{SqlError, Writer};

impl Writer<'_> {
    /// The answer to `cells`.
    pub(super) fn cells(&mut self) -> Result<String, SqlError> {
        self.runs();
        let kept = self.kept("run")?;
        let pooled = self.is_pooled("every");
        let from = if kept.is_empty() {
            "runs".to_owned()
        } else {
            self.script.define(
                "runs_in_scope",
                "All draws of the tasks in scope.",
                format!(
                    "SELECT every.* FROM runs every
JOIN (
  SELECT DISTINCT run.dataset, run.model, run.condition, run.task, CASE WHEN {} THEN run.draw END AS draw
  FROM counted run{kept}
) chosen ON {} AND every.task = chosen.task AND (chosen.draw IS NULL OR chosen.draw = every.draw)",
                    self.is_pooled("run"),
                    same_cell("every", "chosen")
                ),
            );
            "runs_in_scope".to_owned()
        };
        Ok(format!(
            "SELECT dataset, model, condition, count(DISTINCT task) AS tasks, count(*) AS trajectories, count(success) AS labelled,
  sum(CASE WHEN success THEN 1 ELSE 0 END) AS successes,
  count(CASE WHEN {counts} THEN success END) AS references_labelled,
  sum(CASE WHEN success AND {counts} THEN 1 ELSE 0 END) AS references_solved,
  avg(CASE WHEN {counts} THEN CASE WHEN success THEN 1e0 WHEN NOT success THEN 0e0 END END) AS success_rate
FROM {from} every
GROUP BY dataset, model, condition
ORDER BY dataset, model, condition",
            counts = format!("(draw = 0 OR {pooled})")
        ))
    }
}
