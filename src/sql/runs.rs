//! Runs, and which of them count.

use super::Writer;
use super::source::ColumnType::{Flag, List, Real, Text, Whole};

/// The columns of a cell.
pub(super) const CELL: &str = "dataset, model, condition";

/// The condition that two tables are about the same cell.
pub(super) fn same_cell(a: &str, b: &str) -> String {
    let columns = CELL.split(", ").map(|column| format!("{a}.{column} = {b}.{column}"));
    columns.collect::<Vec<_>>().join(" AND ")
}

impl Writer<'_> {
    /// One row per run.
    pub(super) fn runs(&mut self) {
        let columns = [
            ("trajectory", Whole),
            ("dataset", Text),
            ("model", Text),
            ("condition", Text),
            ("task", Text),
            ("draw", Whole),
            ("success", Flag),
            ("db_match", Flag),
            ("db_graded", Flag),
            ("turns", Whole),
            ("tools", Whole),
            ("reward", Real),
            ("cost", Real),
            ("termination", Text),
            ("reward_basis", Text),
            ("action_types", List),
        ];
        self.source.define(&mut self.script, "runs", "trajectories", "One row per run.", &columns);
    }

    /// Whether every draw of a run's cell counts, as a condition.
    pub(super) fn is_pooled(&self, table: &str) -> String {
        let column =
            |name: &str| if table.is_empty() { name.to_owned() } else { format!("{table}.{name}") };
        let cells = self.source.pooled.iter().map(|cell| {
            format!(
                "({} = {} AND {} = {} AND {} = {})",
                column("dataset"),
                self.dialect.text(&cell.dataset),
                column("model"),
                self.dialect.text(&cell.model),
                column("condition"),
                self.dialect.text(&cell.condition)
            )
        });
        let cells: Vec<String> = cells.collect();
        if cells.is_empty() { "FALSE".to_owned() } else { format!("({})", cells.join(" OR ")) }
    }

    /// The runs whose outcome and scores count.
    pub(super) fn counted(&mut self) {
        if self.script.has("counted") {
            return;
        }
        self.runs();
        let pooled = if self.source.pooled.is_empty() {
            String::new()
        } else {
            format!(" OR {}", self.is_pooled(""))
        };
        self.script.define(
            "counted",
            "The runs that count: the reference of every task, and every run of a cell without references.",
            format!("SELECT * FROM runs WHERE draw = 0{pooled}"),
        );
    }

    /// The runs that count with every other draw of their task.
    pub(super) fn compared(&mut self) {
        if self.script.has("compared") {
            return;
        }
        self.counted();
        let length = |run: &str| self.dialect.length(&format!("{run}.action_types"));
        let (actions, other_actions) = (length("run"), length("other"));
        // Where both runs count, the pair counts in the run of the lower draw.
        let pooled = self.is_pooled("run");
        self.script.define(
            "compared",
            "Every run that counts with every other draw of its task.",
            format!(
                "SELECT run.trajectory, other.trajectory AS other, run.dataset, run.model, run.condition, run.task,
  run.draw, other.draw AS other_draw, run.success, other.success AS other_success,
  {actions} AS actions, {other_actions} AS other_actions,
  CASE WHEN NOT {pooled} OR other.draw > run.draw THEN 1 ELSE 0 END AS once
FROM counted run
JOIN runs other ON other.dataset = run.dataset AND other.model = run.model
  AND other.condition = run.condition AND other.task = run.task AND other.draw <> run.draw"
            ),
        );
    }
}
