//! Judges compared with each other and with the database.

use super::runs::{CELL, same_cell};
use super::{SqlError, Writer};
use crate::model::{HUMAN, judge_of};

/// The key of a pair.
const PAIR: &str = "dataset, model, condition, task, draw_a, draw_b";

impl Writer<'_> {
    /// The answer to `judges`. A row counts what both sides say of a pair: a equivalent, b not.
    pub(super) fn judges(&mut self) -> Result<String, SqlError> {
        self.compared();
        self.verdict_rows();
        self.said()?;
        self.truth();
        self.sides();
        self.script.define(
            "counts",
            "The four counts of every comparison.",
            "SELECT judge, against, sum(yes_yes) AS yes_yes, sum(yes_no) AS yes_no, sum(no_yes) AS no_yes, sum(no_no) AS no_no,
  sum(yes_yes + yes_no + no_yes + no_no) AS n,
  count(DISTINCT CASE WHEN yes_yes + yes_no + no_yes + no_no > 0e0 THEN task_name END) AS tasks,
  sum(not_graded) AS not_graded, sum(neither) AS neither, sum(not_recorded) AS not_recorded, sum(assumed) AS assumed
FROM sides
GROUP BY judge, against"
                .to_owned(),
        );
        let order = match &self.source.judges {
            Some(_) => "number",
            None => "judge",
        };
        self.script.define(
            "comparisons",
            "Every judge with every later one and with the database.",
            format!(
                "SELECT a.judge, a.number, b.judge AS against, b.number AS against_number
FROM judges a
JOIN judges b ON a.{order} < b.{order}
UNION ALL
SELECT judge, number, 'database', 1000000 FROM judges"
            ),
        );
        Ok(ANSWER.to_owned())
    }

    /// The judges, and what they say of every pair in scope.
    fn said(&mut self) -> Result<(), SqlError> {
        let text = |text: &str| self.dialect.text(text);
        let people = format!(
            "judge <> {} AND judge NOT LIKE {}",
            text(HUMAN),
            text(&format!("{}%", judge_of("")))
        );
        let kept = self.kept("run")?;
        let in_scope = if kept.is_empty() {
            String::new()
        } else {
            format!(
                "
  AND EXISTS (
    SELECT 1 FROM counted run{kept}
    WHERE {} AND run.task = verdict_rows.task
      AND (NOT {} OR run.draw = draw_a OR run.draw = draw_b)
  )",
                same_cell("run", "verdict_rows"),
                self.is_pooled("run")
            )
        };
        let text = |text: &str| self.dialect.text(text);
        let judges = match &self.source.judges {
            Some(judges) if !judges.is_empty() => {
                let rows = judges
                    .iter()
                    .enumerate()
                    .map(|(number, judge)| format!("({}, {number})", text(judge)));
                format!(
                    "SELECT * FROM (VALUES {}) AS known(judge, number)",
                    rows.collect::<Vec<_>>().join(", ")
                )
            }
            _ => format!("SELECT DISTINCT judge, 0 AS number FROM verdict_rows WHERE {people}"),
        };
        self.script.define(
            "judges",
            "The judges in their order; votes of people are in no table.",
            judges,
        );
        self.script.define(
            "verdicts",
            "The verdicts in scope; a pair is the same whichever draw is named first.",
            format!(
                "SELECT {CELL}, task, least(draw_a, draw_b) AS draw_a, greatest(draw_a, draw_b) AS draw_b, judge, equivalent
FROM verdict_rows
WHERE {people}{in_scope}"
            ),
        );
        self.script.define(
            "said",
            "What every judge says of a pair.",
            format!(
                "SELECT {PAIR}, judge, max(CASE WHEN equivalent THEN 1 ELSE 0 END) AS equivalent
FROM verdicts
WHERE equivalent IS NOT NULL
GROUP BY {PAIR}, judge"
            ),
        );
        self.script.define(
            "unparsed",
            "Answers that did not parse.",
            "SELECT judge, count(*) AS unparsed FROM verdicts WHERE equivalent IS NULL GROUP BY judge".to_owned(),
        );
        Ok(())
    }

    /// What the database says of every compared pair, or why it says nothing.
    fn truth(&mut self) {
        self.script.define(
            "truth",
            "Whether the database calls a pair equivalent, or why it does not decide.",
            format!(
                "SELECT DISTINCT {CELL}, task, draw_a, draw_b, reason, CASE WHEN reason = 'known' THEN equivalent END AS equivalent, assumed
FROM (
  SELECT pair.dataset, pair.model, pair.condition, pair.task,
    least(pair.draw, pair.other_draw) AS draw_a, greatest(pair.draw, pair.other_draw) AS draw_b,
    CASE WHEN NOT coalesce(a.db_graded, TRUE) OR NOT coalesce(b.db_graded, TRUE) THEN 'not-graded'
      WHEN NOT a.db_match AND NOT b.db_match THEN 'neither'
      WHEN a.db_match IS NULL OR b.db_match IS NULL THEN 'not-recorded'
      ELSE 'known' END AS reason,
    CASE WHEN a.db_match = b.db_match THEN 1 ELSE 0 END AS equivalent,
    CASE WHEN a.db_graded IS NULL OR b.db_graded IS NULL THEN 1 ELSE 0 END AS assumed
  FROM compared pair
  JOIN runs a ON a.trajectory = pair.trajectory
  JOIN runs b ON b.trajectory = pair.other
) stated"
            ),
        );
    }

    /// What both sides say of every pair, as counts.
    fn sides(&mut self) {
        let pair = |a: &str, b: &str| {
            format!(
                "{} AND {a}.task = {b}.task AND {a}.draw_a = {b}.draw_a AND {a}.draw_b = {b}.draw_b",
                same_cell(a, b)
            )
        };
        let counts =
            "CASE WHEN a.equivalent = 1 AND b.equivalent = 1 THEN 1e0 ELSE 0e0 END AS yes_yes,
  CASE WHEN a.equivalent = 1 AND b.equivalent = 0 THEN 1e0 ELSE 0e0 END AS yes_no,
  CASE WHEN a.equivalent = 0 AND b.equivalent = 1 THEN 1e0 ELSE 0e0 END AS no_yes,
  CASE WHEN a.equivalent = 0 AND b.equivalent = 0 THEN 1e0 ELSE 0e0 END AS no_no";
        let task = "concat(a.dataset, '\t', a.model, '\t', a.condition, '\t', a.task) AS task_name";
        self.script.define(
            "sides",
            "What a judge and another one, or the database, say of every pair.",
            format!(
                "SELECT a.judge, b.judge AS against, {task},
  {counts},
  0 AS not_graded, 0 AS neither, 0 AS not_recorded, 0 AS assumed
FROM said a
JOIN said b ON {}
UNION ALL
SELECT a.judge, 'database' AS against, {task},
  {counts},
  CASE WHEN b.reason = 'not-graded' THEN 1 ELSE 0 END, CASE WHEN b.reason = 'neither' THEN 1 ELSE 0 END,
  CASE WHEN b.reason IS NULL OR b.reason = 'not-recorded' THEN 1 ELSE 0 END,
  CASE WHEN b.reason = 'known' THEN b.assumed ELSE 0 END
FROM said a
LEFT JOIN truth b ON {}",
                pair("a", "b"),
                pair("a", "b")
            ),
        );
    }
}

/// The measures of every comparison. One answer alone leaves no kappa, one kind of pair no precision.
const ANSWER: &str = "SELECT judge, against, agreement,
  CASE WHEN minority > 0e0 AND chance < 1e0 THEN (agreement - chance) / (1e0 - chance) END AS kappa,
  CASE WHEN against = 'database' AND has_both THEN yes_yes / nullif(yes_yes + yes_no, 0e0) END AS precision_,
  CASE WHEN against = 'database' THEN yes_yes / nullif(yes_yes + no_yes, 0e0) END AS recall,
  CASE WHEN against = 'database' AND has_both THEN 2e0 * yes_yes / nullif(2e0 * yes_yes + yes_no + no_yes, 0e0) END AS f1,
  yes_yes AS both_equivalent, yes_no AS only_judge, no_yes AS only_against, no_no AS both_different,
  n, tasks, unparsed, not_graded, neither, not_recorded, assumed, minority
FROM (
  SELECT *, (yes_yes + no_no) / nullif(n, 0e0) AS agreement,
    ((yes_yes + yes_no) * (yes_yes + no_yes) + (n - yes_yes - yes_no) * (n - yes_yes - no_yes)) / nullif(n * n, 0e0) AS chance,
    least(yes_yes + yes_no, no_yes + no_no, yes_yes + no_yes, yes_no + no_no) AS minority,
    yes_yes + no_yes > 0e0 AND yes_no + no_no > 0e0 AS has_both
  FROM (
    SELECT wanted.judge, wanted.number, wanted.against, wanted.against_number,
      coalesce(counts.yes_yes, 0e0) AS yes_yes, coalesce(counts.yes_no, 0e0) AS yes_no,
      coalesce(counts.no_yes, 0e0) AS no_yes, coalesce(counts.no_no, 0e0) AS no_no,
      coalesce(counts.n, 0e0) AS n, coalesce(counts.tasks, 0) AS tasks, coalesce(unparsed.unparsed, 0) AS unparsed,
      CASE WHEN wanted.against = 'database' THEN coalesce(counts.not_graded, 0) END AS not_graded,
      CASE WHEN wanted.against = 'database' THEN coalesce(counts.neither, 0) END AS neither,
      CASE WHEN wanted.against = 'database' THEN coalesce(counts.not_recorded, 0) END AS not_recorded,
      CASE WHEN wanted.against = 'database' THEN coalesce(counts.assumed, 0) END AS assumed
    FROM comparisons wanted
    LEFT JOIN counts ON counts.judge = wanted.judge AND counts.against = wanted.against
    LEFT JOIN unparsed ON unparsed.judge = wanted.judge
  ) every
) measured
ORDER BY number, judge, against_number, against";
