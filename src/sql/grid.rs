//! Metrics of scorers in cells.

use super::script::{by_label, labels};
use super::{SqlError, Writer};
use crate::metrics::{Metric, TIE};

/// What a number of the grid is about.
const COLUMN: &str = "dataset, model, condition, scorer, aggregator";

impl Writer<'_> {
    /// The answer to `grid`.
    pub(super) fn grid(&mut self) -> Result<String, SqlError> {
        let kept = self.scored("run")?;
        self.script.define(
            "scored",
            "One row per run and scorer, with the cell.",
            format!(
                "SELECT run.trajectory, run.dataset, run.model, run.condition, run.task, run.success,
  value.scorer, value.aggregator, value.ranked, value.is_log, value.fold
FROM run_values value
JOIN counted run ON run.trajectory = value.trajectory{kept}"
            ),
        );
        self.rank();
        self.calibration();
        let tasks = |condition: &str| {
            if self.source.pooled.is_empty() {
                format!("count(CASE WHEN {condition} THEN 1 END)")
            } else {
                format!("count(DISTINCT CASE WHEN {condition} THEN task END)")
            }
        };
        let (all, solved, failed) =
            (tasks("success IS NOT NULL"), tasks("success"), tasks("NOT success"));
        self.script.define(
            "counts",
            "The runs behind every number, and their tasks.",
            format!(
                "SELECT {COLUMN}, count(success) AS n, sum(CASE WHEN success THEN 1 ELSE 0 END) AS successes,
  {all} AS tasks, {solved} AS tasks_with_success, {failed} AS tasks_with_failure
FROM scored
GROUP BY {COLUMN}"
            ),
        );
        let cases: Vec<(String, String)> = self
            .question
            .metrics
            .iter()
            .map(|metric| (metric.id().to_owned(), value_of(*metric).to_owned()))
            .collect();
        let ids: Vec<String> = cases.iter().map(|(id, _)| id.clone()).collect();
        let (same_ranking, same_errors) = (same_column("ranking"), same_column("errors"));
        Ok(format!(
            "SELECT counts.dataset, counts.model, counts.condition, counts.scorer, nullif(counts.aggregator, '') AS aggregator, metric,
  {} AS value,
  counts.n, counts.tasks, counts.successes, least(counts.successes, counts.n - counts.successes) AS minority,
  least(counts.tasks_with_success, counts.tasks_with_failure) < {} AS flagged
FROM counts
LEFT JOIN ranking ON {same_ranking}
LEFT JOIN errors ON {same_errors}
CROSS JOIN {}
ORDER BY counts.dataset, counts.model, counts.condition, counts.scorer, aggregator, metric",
            by_label(self.dialect, "metric", &cases),
            crate::engine::FEW,
            labels(self.dialect, "metric", &ids)
        ))
    }

    /// Metrics of rankings. Neighbours closer than the tolerance are tied, and a block of ties is one
    /// step. Cross-fitted values are ranked within their folds.
    fn rank(&mut self) {
        let tie = super::dialect::number(TIE);
        self.script.define(
            "labelled",
            "Runs with a score and an outcome, the surest first; of cross-fitted scores those with a fold.",
            format!(
                "SELECT {COLUMN}, fold, ranked, CASE WHEN success THEN 1e0 ELSE 0e0 END AS hit,
  lag(ranked) OVER (PARTITION BY {COLUMN}, fold ORDER BY ranked DESC, trajectory) AS before_it,
  row_number() OVER (PARTITION BY {COLUMN}, fold ORDER BY ranked DESC, trajectory) AS place,
  sum(CASE WHEN success THEN 1e0 ELSE 0e0 END) OVER (PARTITION BY {COLUMN}, fold) AS all_hits
FROM (
  SELECT *, max(fold) OVER (PARTITION BY {COLUMN}) AS last_fold
  FROM scored
) with_folds
WHERE success IS NOT NULL AND (fold IS NOT NULL OR last_fold IS NULL)"
            ),
        );
        self.script.define(
            "in_blocks",
            "The same with the number of their block of ties.",
            format!(
                "SELECT *, sum(CASE WHEN before_it - ranked < {tie} OR before_it = ranked THEN 0 ELSE 1 END) OVER (
    PARTITION BY {COLUMN}, fold ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS block
FROM labelled"
            ),
        );
        self.script.define(
            "blocks",
            "Blocks of ties: runs and successes in a block and before it, and the sum of 1/k over its places k.",
            format!(
                "SELECT *, last_place - runs AS runs_before,
  sum(hits) OVER (
    PARTITION BY {COLUMN}, fold ORDER BY block ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) - hits AS hits_before
FROM (
  SELECT {COLUMN}, fold, block, CAST(count(*) AS DOUBLE) AS runs, sum(hit) AS hits,
    CAST(max(place) AS DOUBLE) AS last_place, max(all_hits) AS all_hits, sum(1e0 / place) AS harmonic,
    sum(CASE WHEN place > all_hits THEN 1e0 / place ELSE 0e0 END) AS harmonic_after_hits
  FROM in_blocks
  GROUP BY {COLUMN}, fold, block
) each_block"
            ),
        );
        self.script.define(
            "walks",
            "Sums over the blocks: twice the pairs ranked wrongly, precision at successes, precision at every place.",
            format!(
                "SELECT {COLUMN}, fold, sum(runs) AS n, max(all_hits) AS hits,
  sum(hits * (2e0 * (runs_before - hits_before) + runs - hits)) AS wrong,
  sum(hits * (hits_before + hits) / (runs_before + runs)) AS precision_at_hits,
  sum(hits + (hits_before - hits / runs * runs_before) * harmonic) AS precision_sum,
  sum(harmonic_after_hits) AS oracle
FROM blocks
GROUP BY {COLUMN}, fold"
            ),
        );
        let both = "hits > 0e0 AND hits < n";
        self.script.define(
            "ranking",
            "Metrics of rankings; over folds their mean. One class alone has none.",
            format!(
                "SELECT {COLUMN},
  avg(CASE WHEN {both} THEN 1e0 - wrong / (2e0 * hits * (n - hits)) END) AS auroc,
  avg(CASE WHEN {both} THEN precision_at_hits / hits END) AS auprc,
  avg(CASE WHEN {both} THEN (precision_sum / n - hits / n) / (hits / n * oracle) END) AS prr,
  avg(1e0 - precision_sum / n) AS aurc
FROM walks
GROUP BY {COLUMN}"
            ),
        );
    }

    /// Metrics of probabilities, in ten bins (i/10, (i+1)/10] with 0 in the first.
    fn calibration(&mut self) {
        let tie = super::dialect::number(TIE);
        self.script.define(
            "bins",
            "Runs by the bin of their score, and whether a score is no probability.",
            format!(
                "SELECT {COLUMN}, bin, count(*) AS runs, sum(hit - score) AS gap, sum((hit - score) * (hit - score)) AS squares,
  max(CASE WHEN raw < -{tie} OR raw > 1e0 + {tie} THEN 1 ELSE 0 END) AS outside
FROM (
  SELECT *, least(greatest(ceil((score - {tie}) * 10e0), 1e0), 10e0) AS bin
  FROM (
    SELECT *, least(greatest(raw, 0e0), 1e0) AS score
    FROM (
      SELECT {COLUMN}, CASE WHEN success THEN 1e0 ELSE 0e0 END AS hit,
        CASE WHEN is_log THEN exp(ranked) ELSE ranked END AS raw
      FROM scored
      WHERE success IS NOT NULL
    ) probabilities
  ) clamped
) binned
GROUP BY {COLUMN}, bin"
            ),
        );
        self.script.define(
            "errors",
            "Metrics of probabilities; a score outside 0..1 leaves none.",
            format!(
                "SELECT {COLUMN},
  CASE WHEN max(outside) = 0 THEN sum(abs(gap)) / sum(runs) END AS ece,
  CASE WHEN max(outside) = 0 THEN sum(squares) / sum(runs) END AS brier
FROM bins
GROUP BY {COLUMN}"
            ),
        );
    }
}

fn same_column(table: &str) -> String {
    let columns = COLUMN.split(", ").map(|column| format!("{table}.{column} = counts.{column}"));
    columns.collect::<Vec<_>>().join(" AND ")
}

fn value_of(metric: Metric) -> &'static str {
    match metric {
        Metric::Auroc => "ranking.auroc",
        Metric::Auprc => "ranking.auprc",
        Metric::Prr => "ranking.prr",
        Metric::Aurc => "ranking.aurc",
        Metric::Ece => "errors.ece",
        Metric::Brier => "errors.brier",
    }
}
