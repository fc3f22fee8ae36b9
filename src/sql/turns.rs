//! Turn scores into values of runs: aggregators and propagation.

use super::dialect::{MINUS_INFINITY, exp_m1, ln, ln_1p, number};
use super::script::{by_label, indented, labels, text_list};
use super::{Dialect, SqlError, Writer};
use crate::scorers::Formula;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::propagation::Propagation;
use crate::scorers::whitebox::Base;

/// The smallest setting of a softmin: below it, sums of doubles lose the scores beside the setting.
const BLUNTEST: f64 = 1e-3;

/// The expressions that an aggregator needs. Later columns may use earlier ones.
#[derive(Default)]
struct Rule {
    id: String,
    /// Columns of a turn by functions over the turns of its run.
    over_run: Vec<String>,
    /// Columns of a turn from those.
    of_turn: Vec<String>,
    /// Columns of a run by functions over its turns.
    sums: Vec<String>,
    /// Columns of a run from those, in steps.
    of_run: Vec<String>,
    /// The value from the columns of a run; a log where the score is one.
    value: String,
}

impl Writer<'_> {
    /// The answer to `aggregates`.
    pub(super) fn aggregates(&mut self) -> Result<String, SqlError> {
        self.white_box()?;
        let only = self.only();
        let kept = self.kept("run")?;
        Ok(format!(
            "SELECT run.dataset, run.model, run.condition, run.task, run.draw, value.scorer, value.aggregator,
  CASE WHEN value.is_log THEN exp(value.ranked) ELSE value.ranked END AS value,
  CASE WHEN value.is_log THEN value.ranked END AS log
FROM (
  SELECT * FROM white_box{only}
) value
JOIN counted run ON run.trajectory = value.trajectory{kept}
ORDER BY run.dataset, run.model, run.condition, run.task, run.draw, value.scorer, value.aggregator"
        ))
    }

    /// Values of turn scores under aggregators: `ranked` is the number that runs are ranked by.
    pub(super) fn white_box(&mut self) -> Result<(), SqlError> {
        if self.script.has("white_box") {
            return Ok(());
        }
        self.counted();
        self.turn_scores();
        let dialect = self.dialect;
        let (bases, rules) = (self.groups.bases.clone(), self.groups.rules.clone());
        let rules: Vec<Rule> = rules.iter().map(|rule| rule_of(*rule)).collect::<Result<_, _>>()?;
        let scores = bases.iter().map(|base| (base.id().to_owned(), column(*base).to_owned()));
        let score = by_label(dialect, "scorer", &scores.collect::<Vec<_>>());
        let names = labels(
            dialect,
            "scorer",
            &bases.iter().map(|base| base.id().to_owned()).collect::<Vec<_>>(),
        );
        self.script.define(
            "turn_values",
            "One row per scored turn and base score; scores that rank by their log are logs.",
            format!(
                "SELECT scored.trajectory, scored.turn, scorer, scorer IN {} AS is_log,
  {score} AS score
FROM turn_scores scored
JOIN counted ON counted.trajectory = scored.trajectory
CROSS JOIN {names}",
                logs(dialect, &bases)
            ),
        );
        self.script.define(
            "placed_turns",
            "The turns in their order. `part` is the score as a share of the run's largest, where it is a log.",
            placed(&rules),
        );
        let sums = distinct(rules.iter().flat_map(|rule| &rule.sums));
        let mut body = format!(
            "SELECT trajectory, scorer, is_log, max(length) AS length, max(peak) AS peak, min(score) AS least_score{sums}
FROM placed_turns
GROUP BY trajectory, scorer, is_log"
        );
        let steps = rules.iter().map(|rule| rule.of_run.len()).max().unwrap_or(0);
        for step in 0..steps {
            let columns = distinct(rules.iter().filter_map(|rule| rule.of_run.get(step)));
            body = format!("SELECT *{columns}\nFROM (\n{}\n) sums", indented(&body));
        }
        self.script.define("run_sums", "What the aggregators need of every run.", body);
        let ids: Vec<String> = rules.iter().map(|rule| rule.id.clone()).collect();
        let values: Vec<(String, String)> =
            rules.into_iter().map(|rule| (rule.id, rule.value)).collect();
        let log_rule = Aggregator::Product.id();
        self.script.define(
            "white_box",
            "The value of every run under every base score and aggregator.",
            format!(
                "SELECT trajectory, scorer, aggregator, is_log OR aggregator = {} AS is_log,
  {} AS ranked
FROM run_sums
CROSS JOIN {}",
                dialect.text(&log_rule),
                by_label(dialect, "aggregator", &values),
                labels(dialect, "aggregator", &ids)
            ),
        );
        Ok(())
    }

    /// Values of the propagation controls.
    pub(super) fn propagation(&mut self, controls: &[Propagation]) {
        self.counted();
        self.turn_scores();
        self.script.define(
            "doubts",
            "The doubt of every scored turn: minus its mean log-probability.",
            "SELECT scored.trajectory, -scored.sp_log / greatest(scored.scored_tokens, 1) AS doubt,
  row_number() OVER (PARTITION BY scored.trajectory ORDER BY scored.turn) AS place,
  count(*) OVER (PARTITION BY scored.trajectory) AS length
FROM turn_scores scored
JOIN counted ON counted.trajectory = scored.trajectory"
                .to_owned(),
        );
        let weighted = |control: &Propagation| {
            let doubt = match control {
                Propagation::Uniform => "doubt".to_owned(),
                // The mean of the numbers from 1 to n is (n + 1) / 2.
                Propagation::Position => "doubt * place * 2e0 / (length + 1)".to_owned(),
            };
            (control.id().to_owned(), format!("-sqrt(avg({doubt} * {doubt}))"))
        };
        let cases: Vec<(String, String)> = controls.iter().map(weighted).collect();
        let ids: Vec<String> = cases.iter().map(|(id, _)| id.clone()).collect();
        let sums = cases
            .iter()
            .enumerate()
            .map(|(index, (_, sum))| format!(",\n  {sum} AS control_{index}"));
        let sums: String = sums.collect();
        let chosen: Vec<(String, String)> = ids
            .iter()
            .enumerate()
            .map(|(index, id)| (id.clone(), format!("control_{index}")))
            .collect();
        self.script.define(
            "propagation_sums",
            "Minus the root mean square of the doubts of a run, with weights of mean 1.",
            format!("SELECT trajectory{sums}\nFROM doubts\nGROUP BY trajectory"),
        );
        self.script.define(
            "propagation",
            "The value of every run under every propagation control; a token of probability 0 leaves none.",
            format!(
                "SELECT * FROM (
  SELECT trajectory, scorer, {} AS ranked
  FROM propagation_sums
  CROSS JOIN {}
) every
WHERE ranked > {MINUS_INFINITY}",
                by_label(self.dialect, "scorer", &chosen),
                labels(self.dialect, "scorer", &ids)
            ),
        );
    }
}

/// The column of a base score in `turn_scores`: the log where turns rank by it.
fn column(base: Base) -> &'static str {
    match base {
        Base::Sp => "sp_log",
        Base::Lnsp => "lnsp",
        Base::Atn => "atn",
        Base::Pm => "pm",
    }
}

/// The ids of base scores that are logs.
fn logs(dialect: Dialect, bases: &[Base]) -> String {
    let logs = bases.iter().filter(|base| Formula::WhiteBox(**base).spec().ranks_by_log);
    text_list(dialect, logs.map(|base| base.id().to_owned()))
}

/// Columns after others, each once.
fn distinct<'c>(columns: impl Iterator<Item = &'c String>) -> String {
    let mut known: Vec<&String> = Vec::new();
    columns.for_each(|column| {
        if !known.contains(&column) {
            known.push(column);
        }
    });
    let mut joined = String::new();
    known.into_iter().for_each(|column| joined.extend([",\n  ", column.as_str()]));
    joined
}

/// The turns with what the rules need of each.
fn placed(rules: &[Rule]) -> String {
    let over_run = distinct(rules.iter().flat_map(|rule| &rule.over_run)).replace('\n', "\n  ");
    let of_turn = distinct(rules.iter().flat_map(|rule| &rule.of_turn));
    format!(
        "SELECT *,
  CASE WHEN NOT is_log THEN score WHEN peak > {MINUS_INFINITY} THEN exp(score - peak) ELSE 0e0 END AS part{of_turn}
FROM (
  SELECT *,
    row_number() OVER ({RUN} ORDER BY turn) AS place,
    count(*) OVER ({RUN}) AS length,
    max(score) OVER ({RUN}) AS peak,
    min(score) OVER ({RUN}) AS least{over_run}
  FROM turn_values
  WHERE score IS NOT NULL
) turns_of_run"
    )
}

/// The turns of a run under a base score.
const RUN: &str = "PARTITION BY trajectory, scorer";

/// A mean of parts, written as the score is.
fn mean_of(part: &str) -> String {
    let log = ln(part);
    format!(
        "CASE WHEN NOT is_log THEN {part} WHEN peak > {MINUS_INFINITY} THEN peak + {log} ELSE peak END"
    )
}

/// What an aggregator needs.
fn rule_of(rule: Aggregator) -> Result<Rule, SqlError> {
    let id = rule.id();
    let of = |sum: &str, value: &str| {
        let sums = vec![sum.to_owned()];
        Rule { id: rule.id(), sums, value: value.to_owned(), ..Rule::default() }
    };
    let weights = "length * (length + 1) * 5e-1";
    Ok(match rule {
        Aggregator::First => {
            of("max(CASE WHEN place = 1 THEN score END) AS first_score", "first_score")
        }
        Aggregator::Last => {
            of("max(CASE WHEN place = length THEN score END) AS last_score", "last_score")
        }
        Aggregator::Min => Rule { id, value: "least_score".to_owned(), ..Rule::default() },
        Aggregator::Mean => of(MEAN, &mean_of("mean_part")),
        Aggregator::Early => {
            let sum = format!("sum(part * (length - place + 1)) / max({weights}) AS early_part");
            of(&sum, &mean_of("early_part"))
        }
        Aggregator::Late => {
            let sum = format!("sum(part * place) / max({weights}) AS late_part");
            of(&sum, &mean_of("late_part"))
        }
        Aggregator::Product => {
            let log = ln("score");
            of(&format!("sum(CASE WHEN is_log THEN score ELSE {log} END) AS log_sum"), "log_sum")
        }
        Aggregator::Q10 => q10(id),
        Aggregator::Softmin { beta } => softmin(id, beta)?,
        Aggregator::Window { turns } => window(id, turns),
    })
}

/// The mean of the parts of a run.
const MEAN: &str = "avg(part) AS mean_part";

/// The 10% quantile, between the two scores that it lies between.
fn q10(id: String) -> Rule {
    let position = "1e-1 * (length - 1)";
    let log = ln("tenth_share + (1e0 - tenth_share) * exp(below_tenth - above_tenth)");
    Rule {
        over_run: vec![format!("row_number() OVER ({RUN} ORDER BY score, turn) AS ascending")],
        sums: vec![
            format!(
                "max(CASE WHEN ascending = floor({position}) + 1 THEN score END) AS below_tenth"
            ),
            format!(
                "max(CASE WHEN ascending = least(floor({position}) + 2, length) THEN score END) AS above_tenth"
            ),
            format!("max({position} - floor({position})) AS tenth_share"),
        ],
        value: format!(
            "CASE WHEN NOT is_log THEN below_tenth + (above_tenth - below_tenth) * tenth_share
      WHEN above_tenth > {MINUS_INFINITY} THEN above_tenth + {log} ELSE above_tenth END"
        ),
        id,
        ..Rule::default()
    }
}

/// A smooth minimum. The smallest score is taken out, so that the exponentials stay in range; where
/// scores are logs, so does what the others are above it.
fn softmin(id: String, beta: f64) -> Result<Rule, SqlError> {
    if beta < BLUNTEST {
        return Err(SqlError::TooBlunt(id));
    }
    let (name, log_beta, beta) = (column_name(&id), number(beta.ln()), number(beta));
    let above = ln("1e0 - exp(least - score)");
    let added = ln(&format!("-{name}_log"));
    let mean_log = mean_of("mean_part");
    Ok(Rule {
        over_run: Vec::new(),
        of_turn: vec![format!(
            "CASE WHEN NOT is_log THEN {beta} * (least - score)
    WHEN score > least THEN -exp({log_beta} + score + {above}) ELSE 0e0 END AS {name}_below"
        )],
        sums: vec![
            MEAN.to_owned(),
            format!("avg({}) AS {name}_mean", exp_m1(&format!("{name}_below"))),
            format!("min({name}_below) AS {name}_most"),
        ],
        of_run: vec![
            format!("{} AS {name}_log", ln_1p(&format!("{name}_mean"))),
            format!("{added} - {log_beta} AS {name}_added"),
        ],
        // Where the setting is small for the scores, their smooth minimum is their mean.
        value: format!(
            "CASE WHEN NOT is_log THEN least_score - {name}_log / {beta}
      WHEN {name}_most > -1e-16 THEN {mean_log}
      WHEN least_score > {MINUS_INFINITY} THEN greatest(least_score, {name}_added)
        + ln(1e0 + exp(least(least_score, {name}_added) - greatest(least_score, {name}_added)))
      ELSE {name}_added END"
        ),
        id,
    })
}

/// The worst mean of consecutive turns, of all turns where there are fewer.
fn window(id: String, turns: usize) -> Rule {
    let name = column_name(&id);
    let before = |turn: usize| match turn {
        0 => "score".to_owned(),
        turn => format!("before_{turn}"),
    };
    let scores: Vec<String> = (0..turns).map(before).collect();
    let peak = match &scores[..] {
        [only] => only.clone(),
        several => format!("greatest({})", several.join(", ")),
    };
    let plain = scores.iter().map(|score| format!("coalesce({score}, 0e0)")).collect::<Vec<_>>();
    let parts = scores.iter().map(|score| format!("coalesce(exp({score} - {peak}), 0e0)"));
    let log = ln(&format!("({}) / least(length, {turns})", parts.collect::<Vec<_>>().join(" + ")));
    Rule {
        over_run: (1..turns)
            .map(|turn| format!("lag(score, {turn}) OVER ({RUN} ORDER BY turn) AS before_{turn}"))
            .collect(),
        of_turn: vec![format!(
            "CASE WHEN place < least(length, {turns}) THEN NULL
    WHEN NOT is_log THEN ({}) / least(length, {turns})
    WHEN {peak} > {MINUS_INFINITY} THEN {peak} + {log} ELSE {peak} END AS {name}_mean",
            plain.join(" + ")
        )],
        sums: vec![format!("min({name}_mean) AS {name}_least")],
        value: format!("{name}_least"),
        id,
        ..Rule::default()
    }
}

/// An aggregator's id as the beginning of a column's name.
fn column_name(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
