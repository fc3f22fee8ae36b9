//! Values of pairs: computed, judged and stored.

use super::runs::CELL;
use super::script::text_list;
use super::source::ColumnType::{Flag, Real, Text, Whole};
use super::{SqlError, Writer};
use crate::scorers::consistency::Consistency;
use crate::scorers::{Formula, SPECS};

/// Joins a table of pairs to the compared ones: a pair is the same whichever draw is named first.
const SAME_PAIR: &str = "pair.dataset = known.dataset AND pair.model = known.model
  AND pair.condition = known.condition AND pair.task = known.task
  AND least(pair.draw, pair.other_draw) = known.draw_a AND greatest(pair.draw, pair.other_draw) = known.draw_b";

/// Whether a scorer compares draws.
pub(super) fn consistency_ids() -> impl Iterator<Item = String> {
    SPECS.iter().filter(|spec| spec.family.is_consistency()).map(|spec| spec.id.to_owned())
}

impl Writer<'_> {
    /// The scorers that are computed: what the store holds of them is a copy.
    pub(super) fn computed_ids(&self) -> String {
        let computed = SPECS.iter().filter(|spec| spec.formula.is_some());
        text_list(self.dialect, computed.map(|spec| spec.id.to_owned()))
    }

    /// The verdicts of judges.
    pub(super) fn verdict_rows(&mut self) {
        let columns = [
            ("dataset", Text),
            ("model", Text),
            ("condition", Text),
            ("task", Text),
            ("draw_a", Whole),
            ("draw_b", Whole),
            ("judge", Text),
            ("equivalent", Flag),
        ];
        let about = "One row per verdict of a judge.";
        self.source.define(&mut self.script, "verdict_rows", "judgments", about, &columns);
    }

    /// Stored values of pairs.
    fn pair_rows(&mut self) {
        let columns = [
            ("dataset", Text),
            ("model", Text),
            ("condition", Text),
            ("task", Text),
            ("draw_a", Whole),
            ("draw_b", Whole),
            ("scorer", Text),
            ("value", Real),
        ];
        let about = "Values of pairs that a model or a user gave.";
        self.source.define(&mut self.script, "pair_rows", "pairs", about, &columns);
    }

    /// `ter` of every compared pair that somebody judged.
    pub(super) fn judged(&mut self) -> Result<(), SqlError> {
        if self.script.has("judged") {
            return Ok(());
        }
        self.compared();
        self.verdict_rows();
        self.pair_rows();
        let judge = self.source.judge(self.dialect, self.question.judge.as_deref())?;
        let ter = self.dialect.text(Formula::Equivalence.id());
        self.script.define(
            "verdicts_of_judge",
            "What the judge says of pairs; a verdict goes over a value that names no judge.",
            format!(
                "SELECT dataset, model, condition, task, draw_a, draw_b,
  coalesce(max(verdict), max(unnamed)) AS value
FROM (
  SELECT dataset, model, condition, task, least(draw_a, draw_b) AS draw_a, greatest(draw_a, draw_b) AS draw_b,
    CASE WHEN equivalent THEN 1e0 ELSE 0e0 END AS verdict, CAST(NULL AS DOUBLE) AS unnamed
  FROM verdict_rows
  WHERE equivalent IS NOT NULL AND judge = {judge}
  UNION ALL
  SELECT dataset, model, condition, task, least(draw_a, draw_b), greatest(draw_a, draw_b),
    CAST(NULL AS DOUBLE), value
  FROM pair_rows
  WHERE scorer = {ter}
) said
GROUP BY dataset, model, condition, task, draw_a, draw_b"
            ),
        );
        self.script.define(
            "judged",
            "Whether a pair is equivalent, of those that are compared.",
            format!(
                "SELECT pair.*, {ter} AS scorer, known.value AS value
FROM compared pair
JOIN verdicts_of_judge known ON {SAME_PAIR}"
            ),
        );
        Ok(())
    }

    /// Stored values of compared pairs.
    pub(super) fn stored_pairs(&mut self) {
        if self.script.has("stored_pairs") {
            return;
        }
        self.compared();
        self.pair_rows();
        let computed = self.computed_ids();
        self.script.define(
            "stored_pairs",
            "Values of compared pairs that are not computed.",
            format!(
                "SELECT pair.*, known.scorer, known.value
FROM compared pair
JOIN (
  SELECT dataset, model, condition, task, scorer, value,
    least(draw_a, draw_b) AS draw_a, greatest(draw_a, draw_b) AS draw_b
  FROM pair_rows
  WHERE value IS NOT NULL AND scorer NOT IN {computed}
) known ON {SAME_PAIR}"
            ),
        );
    }

    /// All values of pairs, by scorer.
    pub(super) fn pair_values(&mut self) -> Result<(), SqlError> {
        if self.script.has("pair_values") {
            return Ok(());
        }
        self.agreement();
        self.judged()?;
        self.stored_pairs();
        let columns = "trajectory, other, once, dataset, model, condition, task, draw, other_draw, success, other_success, scorer, value";
        self.script.define(
            "pair_values",
            "Values of compared pairs under every scorer.",
            format!(
                "SELECT {columns} FROM agreement
UNION ALL
SELECT {columns} FROM judged
UNION ALL
SELECT {columns} FROM stored_pairs"
            ),
        );
        Ok(())
    }

    /// How far the draws of a task agree: by the judge where there is one, else by their actions.
    pub(super) fn agreement_of_tasks(&mut self) -> Result<(), SqlError> {
        self.pair_values()?;
        let [ter, aec] =
            [Formula::Equivalence, Formula::Consistency(Consistency::Aec)].map(|formula| {
                format!(
                    "avg(CASE WHEN scorer = {} THEN value END)",
                    self.dialect.text(formula.id())
                )
            });
        self.script.define(
            "agreement_of_task",
            "How far the draws of a task agree: by the judge where there is one, else by their actions.",
            format!(
                "SELECT {CELL}, task, coalesce({ter}, {aec}) AS agreement
FROM pair_values pair
WHERE pair.once = 1
GROUP BY {CELL}, task"
            ),
        );
        Ok(())
    }
}
