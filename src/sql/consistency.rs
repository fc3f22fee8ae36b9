//! Agreement of two runs by their action types.

use super::script::{by_label, labels};
use super::{SqlError, Writer};
use crate::scorers::consistency::Consistency;

/// The most action types of a task whose sequences are compared: an action type is a letter, and some
/// engines compare bytes.
const LETTERS: u32 = 127;

impl Writer<'_> {
    /// The answer to `consistency`.
    pub(super) fn consistency(&mut self) -> Result<String, SqlError> {
        self.agreement();
        let kept = self.kept("value")?;
        Ok(format!(
            "SELECT value.dataset, value.model, value.condition, value.task, value.draw AS draw_a, value.other_draw AS draw_b,
  value.scorer, value.value
FROM agreement value{kept}
ORDER BY value.dataset, value.model, value.condition, value.task, draw_a, draw_b, value.scorer"
        ))
    }

    /// The agreement of every compared pair.
    pub(super) fn agreement(&mut self) {
        if self.script.has("agreement") {
            return;
        }
        let measures = self.groups.measures.clone();
        self.compared();
        self.kinds();
        if measures.contains(&Consistency::Aec) {
            self.words();
        }
        let kinds_of = |run: &str, p: &str, q: &str, first: &str, other_first: &str| {
            format!(
                "SELECT pair.trajectory, pair.other, kind.action, {p} AS p, {q} AS q, {first} AS first_p, {other_first} AS first_q
  FROM compared pair
  JOIN kinds kind ON kind.trajectory = pair.{run}"
            )
        };
        let (of_run, of_other) = (
            kinds_of("trajectory", "kind.share", "0e0", "kind.is_first", "0e0"),
            kinds_of("other", "0e0", "kind.share", "0e0", "kind.is_first"),
        );
        self.script.define(
            "pair_kinds",
            "The types of two runs: p and q are the shares of a type among the actions of each.",
            format!(
                "SELECT trajectory, other, action, max(p) AS p, max(q) AS q, max(first_p) * max(first_q) AS same_first
FROM (
  {of_run}
  UNION ALL
  {of_other}
) kinds_of_pair
GROUP BY trajectory, other, action"
            ),
        );
        self.script.define(
            "pair_sums",
            "What two runs share, and how far their distributions diverge from the mean of both.",
            "SELECT trajectory, other, max(same_first) AS same_first,
  sum(CASE WHEN p > 0e0 AND q > 0e0 THEN 1e0 ELSE 0e0 END) / count(*) AS jaccard,
  sum(CASE WHEN p > 0e0 THEN p * log2(2e0 * p / (p + q)) ELSE 0e0 END) AS p_log,
  sum(CASE WHEN q > 0e0 THEN q * log2(2e0 * q / (p + q)) ELSE 0e0 END) AS q_log
FROM pair_kinds
GROUP BY trajectory, other"
                .to_owned(),
        );
        let cases: Vec<(String, String)> = measures
            .iter()
            .map(|measure| (measure.id().to_owned(), formula(*measure).to_owned()))
            .collect();
        let ids: Vec<String> = cases.iter().map(|(id, _)| id.clone()).collect();
        let words = if measures.contains(&Consistency::Aec) {
            "\n  LEFT JOIN words a ON a.trajectory = pair.trajectory
  LEFT JOIN words b ON b.trajectory = pair.other"
        } else {
            ""
        };
        let columns = if words.is_empty() {
            String::new()
        } else {
            format!(
                ",\n    CASE WHEN a.letters <= {LETTERS} THEN CAST(levenshtein(a.word, b.word) AS DOUBLE) END AS edits"
            )
        };
        self.script.define(
            "agreement",
            "One row per pair and measure. Two runs without actions agree fully, one without does not agree.",
            format!(
                "SELECT *, CASE
    WHEN actions = 0 AND other_actions = 0 THEN 1e0
    WHEN actions = 0 OR other_actions = 0 THEN 0e0
    ELSE {} END AS value
FROM (
  SELECT pair.*, sums.same_first, sums.jaccard, sums.p_log, sums.q_log{columns}
  FROM compared pair
  LEFT JOIN pair_sums sums ON sums.trajectory = pair.trajectory AND sums.other = pair.other{words}
) pairs
CROSS JOIN {}",
                by_label(self.dialect, "scorer", &cases),
                labels(self.dialect, "scorer", &ids)
            ),
        );
    }

    /// The action types of every run, one row per action and one per type.
    fn kinds(&mut self) {
        let keys = ["trajectory", "dataset", "model", "condition", "task"];
        let exploded = self.dialect.explode(&keys, &["action_types"], "runs");
        self.script.define("actions", "One row per action.", exploded);
        self.script.define(
            "kinds",
            "One row per run and action type, with the type's share of the actions.",
            "SELECT trajectory, action_types AS action, CASE WHEN min(place) = 1 THEN 1e0 ELSE 0e0 END AS is_first,
  CAST(count(*) AS DOUBLE) / sum(count(*)) OVER (PARTITION BY trajectory) AS share
FROM actions
GROUP BY trajectory, action_types"
                .to_owned(),
        );
    }

    /// The action types of every run as a word.
    fn words(&mut self) {
        let joined =
            self.dialect.join_letters(&self.dialect.letter(&format!("least(letter, {LETTERS})")));
        self.script.define(
            "words",
            "The actions of every run as a word with a letter per type; a task of more than 127 types has no aec.",
            format!(
                "SELECT trajectory, max(letters) AS letters, {joined} AS word
FROM (
  SELECT *, max(letter) OVER (PARTITION BY dataset, model, condition, task) AS letters
  FROM (
    SELECT trajectory, dataset, model, condition, task, place,
      dense_rank() OVER (PARTITION BY dataset, model, condition, task ORDER BY action_types) AS letter
    FROM actions
  ) lettered
) counted_letters
GROUP BY trajectory"
            ),
        );
    }
}

/// The agreement of a pair of runs with actions.
fn formula(measure: Consistency) -> &'static str {
    match measure {
        Consistency::Fac => "same_first",
        Consistency::Asc => "jaccard",
        Consistency::Adc => "1e0 - least(greatest((p_log + q_log) / 2e0, 0e0), 1e0)",
        Consistency::Aec => "1e0 - edits / greatest(actions, other_actions)",
    }
}
