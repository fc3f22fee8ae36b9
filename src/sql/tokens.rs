//! Scores of turns from the log-probabilities of their tokens.

use super::dialect::MINUS_INFINITY;
use super::script::Script;
use super::source::ColumnType::{List, Real, Whole};
use super::{SqlError, Writer};
use crate::model::Span;
use crate::scorers::whitebox::Spans;

impl Writer<'_> {
    /// The answer to `turns`.
    pub(super) fn turns(&mut self) -> Result<String, SqlError> {
        if self.question.scope.is_some() {
            return Err(SqlError::NoScope(self.question.what.id()));
        }
        self.scores_of_tokens(self.question.spans.unwrap_or(self.source.spans));
        Ok("SELECT trajectory, turn, sp_log, lnsp, atn, pm, scored_tokens
FROM turn_scores
ORDER BY trajectory, turn"
            .to_owned())
    }

    /// The scored turns: from the tokens if a span is asked for, else as the table `turns` has them.
    pub(super) fn turn_scores(&mut self) {
        if self.script.has("turn_scores") {
            return;
        }
        if let Some(spans) = self.question.spans {
            return self.scores_of_tokens(spans);
        }
        let scores = [("sp_log", Real), ("lnsp", Real), ("atn", Real), ("pm", Real)];
        let columns =
            [&[("trajectory", Whole), ("turn", Whole)][..], &scores, &[("scored_tokens", Whole)]];
        let about = "One row per turn, with its scores.";
        self.source.define(&mut self.script, "turn_rows", "turns", about, &columns.concat());
        self.script.define(
            "turn_scores",
            "The turns that have a score.",
            "SELECT * FROM turn_rows
WHERE sp_log IS NOT NULL AND lnsp IS NOT NULL AND scored_tokens IS NOT NULL"
                .to_owned(),
        );
    }

    fn scores_of_tokens(&mut self, spans: Spans) {
        if !self.source.has("tokens") {
            let none = ["sp_log", "lnsp", "atn", "pm"]
                .map(|score| format!("CAST(NULL AS DOUBLE) AS {score}"));
            let whole = ["trajectory", "turn", "scored_tokens"]
                .map(|name| format!("CAST(NULL AS BIGINT) AS {name}"));
            let columns = [&whole[..2], &none, &whole[2..]].concat().join(", ");
            let about = "The store has no tokens with log-probabilities.";
            return self.script.define(
                "turn_scores",
                about,
                format!("SELECT {columns} WHERE FALSE"),
            );
        }
        let columns = [
            ("trajectory", Whole),
            ("turn", Whole),
            ("logprob", List),
            ("span", List),
            ("top_count", List),
            ("top_logprob", List),
        ];
        let about = "One row per turn with log-probabilities, its tokens as lists.";
        self.source.define(&mut self.script, "token_rows", "tokens", about, &columns);
        tokens(&mut self.script, spans);
        alternatives(&mut self.script);
        token_scores(&mut self.script);
        self.script.define(
            "turn_scores",
            "The scores of every turn over these tokens.",
            "SELECT token.trajectory, token.turn,
  sum(token.logprob) AS sp_log,
  exp(sum(token.logprob) / count(*)) AS lnsp,
  avg(scored.negentropy) AS atn,
  avg(scored.margin) AS pm,
  count(*) AS scored_tokens
FROM scored_tokens token
LEFT JOIN token_scores scored ON scored.trajectory = token.trajectory
  AND scored.turn = token.turn AND scored.place = token.place
GROUP BY token.trajectory, token.turn"
                .to_owned(),
        );
    }
}

/// Tokens as rows, and those that are scored.
fn tokens(script: &mut Script, spans: Spans) {
    let keys = ["trajectory", "turn"];
    let tokens = script.dialect.explode(&keys, &["logprob", "span", "top_count"], "token_rows");
    script.define("tokens_by_place", "One row per token.", tokens);
    script.define(
        "tokens_with_alternatives",
        "Tokens, and how many recorded alternatives of the turn come before theirs.",
        "SELECT trajectory, turn, place, logprob, CAST(span AS BIGINT) AS span, CAST(top_count AS BIGINT) AS top_count,
  sum(CAST(top_count AS BIGINT)) OVER (
    PARTITION BY trajectory, turn ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) - CAST(top_count AS BIGINT) AS before_it
FROM tokens_by_place"
            .to_owned(),
    );
    let code = Span::code;
    let (chosen, about) = match spans {
        Spans::Action => (format!("span = {}", code(Span::Action)), "The tokens of actions."),
        Spans::Reasoning => {
            (format!("span = {}", code(Span::Reasoning)), "The tokens of reasoning.")
        }
        Spans::All => (format!("span <> {}", code(Span::Special)), "All tokens but special ones."),
    };
    script.define(
        "scored_tokens",
        about,
        format!("SELECT * FROM tokens_with_alternatives WHERE {chosen}"),
    );
}

/// The alternatives of the tokens that have at least two.
fn alternatives(script: &mut Script) {
    let numbers = script.dialect.numbers("top_count");
    script.define(
        "wanted_alternatives",
        "The number that every alternative of a token has in its turn.",
        format!(
            "SELECT trajectory, turn, place AS token, before_it, {numbers} AS number
FROM scored_tokens
WHERE top_count >= 2"
        ),
    );
    let exploded = script.dialect.explode(&["trajectory", "turn"], &["top_logprob"], "token_rows");
    script.define("alternatives", "One row per alternative of a turn's tokens.", exploded);
    script.define(
        "token_alternatives",
        "The alternatives of every token, the likeliest first.",
        "SELECT wanted.trajectory, wanted.turn, wanted.token, found.top_logprob AS logprob,
  max(found.top_logprob) OVER (PARTITION BY wanted.trajectory, wanted.turn, wanted.token) AS peak,
  row_number() OVER (
    PARTITION BY wanted.trajectory, wanted.turn, wanted.token ORDER BY found.top_logprob DESC
  ) AS likely
FROM wanted_alternatives wanted
JOIN alternatives found ON found.trajectory = wanted.trajectory AND found.turn = wanted.turn
  AND found.place = wanted.before_it + wanted.number"
            .to_owned(),
    );
}

/// Negentropy and margin of every token. With weights w relative to the likeliest alternative and their
/// sum W, the entropy is ln W - sum(w ln w) / W.
fn token_scores(script: &mut Script) {
    script.define(
        "token_sums",
        "Sums over the alternatives of a token, relative to the likeliest.",
        format!(
            "SELECT trajectory, turn, token, count(*) AS alternatives, max(peak) AS peak,
  sum(CASE WHEN peak > {MINUS_INFINITY} THEN exp(logprob - peak) END) AS weights,
  sum(CASE WHEN logprob > {MINUS_INFINITY} THEN exp(logprob - peak) * (logprob - peak) ELSE 0e0 END) AS logs,
  sum(CASE likely WHEN 1 THEN exp(logprob) WHEN 2 THEN -exp(logprob) ELSE 0e0 END) AS margin
FROM token_alternatives
GROUP BY trajectory, turn, token"
        ),
    );
    script.define(
        "token_scores",
        "One minus the entropy over its maximum, and the lead of the likeliest alternative.",
        format!(
            "SELECT trajectory, turn, token AS place, margin,
  1e0 - CASE WHEN peak = {MINUS_INFINITY} THEN 1e0
    ELSE least(greatest((ln(weights) - logs / weights) / ln(CAST(alternatives AS DOUBLE)), 0e0), 1e0) END AS negentropy
FROM token_sums"
        ),
    );
}
