//! Agreement by outcomes: is an agent consistent because it is right, or because it repeats itself?

use super::runs::{CELL, same_cell};
use super::{SqlError, Writer};
use crate::engine::{PairOutcome, Solvability};
use crate::model::Cell;

impl Writer<'_> {
    /// The answer to `stuck`: the rows of the tables `stuck-pairs` and `stuck-tasks`.
    pub(super) fn stuck(&mut self) -> Result<String, SqlError> {
        self.pair_values()?;
        let kept = self.kept("pair")?;
        let scorers = self.consistency_list();
        // A pair of which only one run is in scope counts there.
        let (other, once) = if kept.is_empty() {
            ("", "pair.once = 1")
        } else {
            (
                "\nLEFT JOIN kept other_kept ON other_kept.trajectory = pair.other",
                "(pair.once = 1 OR other_kept.trajectory IS NULL)",
            )
        };
        self.script.define(
            "pairs_once",
            "Every pair once.",
            format!(
                "SELECT pair.* FROM pair_values pair{kept}{other}
WHERE pair.value IS NOT NULL AND pair.scorer IN {scorers} AND {once}"
            ),
        );
        self.contributions();
        self.scopes();
        let groups = PairOutcome::ALL.map(|group| ("stuck-pairs", group.id())).into_iter();
        let groups = groups.chain(Solvability::ALL.map(|group| ("stuck-tasks", group.id())));
        let text = |text: &str| self.dialect.text(text);
        let groups: Vec<String> =
            groups.map(|(table, group)| format!("({}, {})", text(table), text(group))).collect();
        self.script.define(
            "sums",
            "The sums of every scope.",
            format!(
                "SELECT scope.number, scope.scope, part.kind, part.scorer, part.outcome,
  sum(part.total) AS total, sum(part.n) AS n, count(*) AS tasks
FROM contributions part
JOIN scopes scope ON {}
GROUP BY scope.number, scope.scope, part.kind, part.scorer, part.outcome",
                same_cell("scope", "part")
            ),
        );
        Ok(format!(
            "SELECT wanted.kind AS report, scope.scope, scorer.scorer, wanted.outcome,
  sums.total / sums.n AS mean, coalesce(sums.n, 0) AS n, coalesce(sums.tasks, 0) AS tasks
FROM (SELECT DISTINCT number, scope FROM scopes) scope
CROSS JOIN (SELECT DISTINCT scorer FROM pairs_once) scorer
CROSS JOIN (VALUES {}) AS wanted(kind, outcome)
LEFT JOIN sums ON sums.number = scope.number AND sums.scope = scope.scope AND sums.kind = wanted.kind
  AND sums.scorer = scorer.scorer AND sums.outcome = wanted.outcome
ORDER BY report, scope.number, scope.scope, scorer.scorer, wanted.outcome",
            groups.join(", ")
        ))
    }

    /// What every task adds to the sum and the count of a group.
    fn contributions(&mut self) {
        let [both, one, neither] = PairOutcome::ALL.map(|group| self.dialect.text(group.id()));
        let [always, sometimes, never] =
            Solvability::ALL.map(|group| self.dialect.text(group.id()));
        self.script.define(
            "solvability",
            "How often the draws of a task succeed, where all are labelled.",
            format!(
                "SELECT {CELL}, task, CASE sum(CASE WHEN success THEN 1 ELSE 0 END)
  WHEN 0 THEN {never} WHEN count(*) THEN {always} ELSE {sometimes} END AS outcome
FROM runs
GROUP BY {CELL}, task
HAVING count(success) = count(*)"
            ),
        );
        let task = "pair.dataset, pair.model, pair.condition, pair.task, pair.scorer";
        self.script.define(
            "contributions",
            "What every task adds to a group: its pairs by their outcomes, and its mean agreement.",
            format!(
                "SELECT 'stuck-pairs' AS kind, {task},
  CASE WHEN success AND other_success THEN {both} WHEN success OR other_success THEN {one} ELSE {neither} END AS outcome,
  sum(value) AS total, count(*) AS n
FROM pairs_once pair
WHERE success IS NOT NULL AND other_success IS NOT NULL
GROUP BY {task},
  CASE WHEN success AND other_success THEN {both} WHEN success OR other_success THEN {one} ELSE {neither} END
UNION ALL
SELECT 'stuck-tasks', {task}, known.outcome, avg(pair.value), 1
FROM pairs_once pair
JOIN solvability known ON {} AND known.task = pair.task
GROUP BY {task}, known.outcome",
                same_cell("known", "pair")
            ),
        );
    }

    /// The cells that are analysed together, by name; one cell alone is one scope.
    fn scopes(&mut self) {
        let default = self.dialect.text(Cell::DEFAULT_CONDITION);
        // As the tables of qualm call them.
        let within = self.scope.as_ref().map(|scope| format!("where {}", scope.text));
        let of = |name: &str| match &within {
            Some(within) => format!("concat({name}, {})", self.dialect.text(&format!(" {within}"))),
            None => name.to_owned(),
        };
        let all = self.dialect.text(within.as_deref().unwrap_or("all"));
        let dataset = of("dataset");
        let model = of("concat('*/', model)");
        let cell = of(&format!(
            "concat(dataset, '/', model, CASE WHEN condition = {default} THEN '' ELSE concat('/', condition) END)"
        ));
        self.script.define(
            "cells",
            "All cells.",
            format!("SELECT {CELL}, count(*) OVER () AS cells FROM (SELECT DISTINCT {CELL} FROM runs) known"),
        );
        self.script.define(
            "scopes",
            "All cells together, those of a dataset, those of a model, and every cell.",
            format!(
                "SELECT {CELL}, 1 AS number, {all} AS scope FROM cells WHERE cells > 1
UNION ALL
SELECT {CELL}, 2 AS number, {dataset} AS scope FROM cells WHERE cells > 1
UNION ALL
SELECT {CELL}, 3 AS number, {model} AS scope FROM cells WHERE cells > 1
UNION ALL
SELECT {CELL}, 4 AS number, {cell} AS scope FROM cells"
            ),
        );
    }
}
