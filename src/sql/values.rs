//! The values of scorers for the runs that count.

use super::pairs::consistency_ids;
use super::scope::Scope;
use super::script::{indented, text_list};
use super::source::ColumnType::{Real, Text, Whole};
use super::{Question, SqlError, What, Writer};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::consistency::Consistency;
use crate::scorers::propagation::Propagation;
use crate::scorers::whitebox::Base;
use crate::scorers::{Formula, Scorer};

/// The scorers that a query computes, by how.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) bases: Vec<Base>,
    pub(super) rules: Vec<Aggregator>,
    /// The pairs of both that are wanted.
    white_box: Vec<(Base, Aggregator)>,
    controls: Vec<Propagation>,
    /// The measures of agreement.
    pub(super) measures: Vec<Consistency>,
    ter: bool,
    turns: bool,
    tools: bool,
    /// Scorers of the store; none stands for all of them.
    stored: Option<Vec<String>>,
    /// Scorers that only the scope names.
    extra: Vec<Scorer>,
}

impl Groups {
    /// What a question and its scope need.
    pub(super) fn of(question: &Question, scope: Option<&Scope>) -> Self {
        let all = || {
            let bases = Base::ALL.into_iter();
            bases
                .flat_map(|base| Aggregator::ALL.map(|rule| Scorer::WhiteBox(base, rule)))
                .collect()
        };
        let asked = match question.what {
            What::Scores | What::Grid => question.scorers.clone().unwrap_or_else(Scorer::offline),
            What::Aggregates => {
                let white_box = |scorers: &Vec<Scorer>| {
                    scorers.iter().filter(|scorer| scorer.base().is_some()).cloned().collect()
                };
                question.scorers.as_ref().map_or_else(all, white_box)
            }
            _ => Vec::new(),
        };
        let every_stored =
            matches!(question.what, What::Scores | What::Grid) && question.scorers.is_none();
        let mut groups = Self { stored: (!every_stored).then(Vec::new), ..Self::default() };
        asked.iter().for_each(|scorer| groups.add(scorer));
        for scorer in scope.into_iter().flat_map(Scope::scorers) {
            let is_known = asked.contains(scorer) || (every_stored && scorer.formula().is_none());
            if !is_known {
                groups.add(scorer);
                groups.extra.push(scorer.clone());
            }
        }
        let compares = matches!(question.what, What::Consistency | What::Stuck);
        if compares || scope.is_some_and(Scope::reads_agreement) {
            groups.measures = Consistency::ALL.to_vec();
        }
        groups
    }

    fn add(&mut self, scorer: &Scorer) {
        match scorer {
            Scorer::WhiteBox(base, rule) => {
                add(&mut self.bases, *base);
                add(&mut self.rules, *rule);
                add(&mut self.white_box, (*base, *rule));
            }
            Scorer::Propagation(control) => add(&mut self.controls, *control),
            Scorer::Consistency(measure) => add(&mut self.measures, *measure),
            Scorer::Ter => self.ter = true,
            Scorer::Turns => self.turns = true,
            Scorer::Tools => self.tools = true,
            Scorer::Stored(name) => {
                if let Some(names) = &mut self.stored {
                    add(names, name.clone());
                }
            }
        }
    }

    fn reads_stored(&self) -> bool {
        self.stored.as_ref().is_none_or(|names| !names.is_empty())
    }
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

impl Writer<'_> {
    /// The answer to `scores`: the columns of a store's table.
    pub(super) fn scores(&mut self) -> Result<String, SqlError> {
        let kept = self.scored("run")?;
        Ok(format!(
            "SELECT run.dataset, run.model, run.condition, run.task, run.draw, value.scorer, nullif(value.aggregator, '') AS aggregator,
  value.confidence AS value, CASE WHEN value.is_log THEN value.ranked END AS log, value.fold
FROM run_values value
JOIN counted run ON run.trajectory = value.trajectory{kept}
ORDER BY run.dataset, run.model, run.condition, run.task, run.draw, value.scorer, aggregator"
        ))
    }

    /// Defines the values that the question asks for. Returns the join that keeps the runs in scope and
    /// the condition that leaves out the scorers that only the scope names.
    pub(super) fn scored(&mut self, run: &str) -> Result<String, SqlError> {
        self.run_values()?;
        let kept = self.kept(run)?;
        let text = |text: &str| self.dialect.text(text);
        let extra = self.groups.extra.iter().map(|scorer| {
            let rule = scorer.aggregator().map(Aggregator::id).unwrap_or_default();
            format!("(value.scorer = {} AND value.aggregator = {})", text(scorer.id()), text(&rule))
        });
        let extra: Vec<String> = extra.collect();
        if extra.is_empty() {
            return Ok(kept);
        }
        Ok(format!("{kept}\nWHERE NOT ({})", extra.join(" OR ")))
    }

    /// The value of every run that counts under the scorers: `ranked` is what runs are ranked by and
    /// `confidence` the value as the scorer gives it; an aggregator that there is not is empty.
    pub(super) fn run_values(&mut self) -> Result<(), SqlError> {
        if self.script.has("run_values") {
            return Ok(());
        }
        let groups = self.groups.clone();
        self.counted();
        let mut parts = Vec::new();
        let plain = |scorer: &str, ranked: &str, from: &str| {
            format!(
                "SELECT trajectory, {scorer} AS scorer, '' AS aggregator, {ranked} AS ranked, FALSE AS is_log, CAST(NULL AS BIGINT) AS fold
FROM {from}"
            )
        };
        if !groups.white_box.is_empty() {
            self.white_box()?;
            parts.push(format!(
                "SELECT trajectory, scorer, aggregator, ranked, is_log, CAST(NULL AS BIGINT) AS fold
FROM white_box{}",
                self.only()
            ));
        }
        if !groups.controls.is_empty() {
            self.propagation(&groups.controls);
            parts.push(plain("scorer", "ranked", "propagation"));
        }
        if !groups.measures.is_empty() {
            self.agreement();
            parts.push(plain("scorer", "avg(value)", "agreement\nGROUP BY trajectory, scorer"));
        }
        if groups.ter {
            self.judged()?;
            parts.push(plain("scorer", "avg(value)", "judged\nGROUP BY trajectory, scorer"));
        }
        for (wanted, formula, column) in [
            (groups.turns, Formula::TurnCount, "turns"),
            (groups.tools, Formula::ToolCount, "tools"),
        ] {
            if wanted {
                let id = self.dialect.text(formula.id());
                parts.push(plain(&id, &format!("0e0 - {column}"), "counted"));
            }
        }
        if groups.reads_stored() {
            self.stored(groups.stored.as_deref());
            parts.push(
                "SELECT trajectory, scorer, '' AS aggregator, value AS ranked, FALSE AS is_log, fold\nFROM stored"
                    .to_owned(),
            );
        }
        let reversed = text_list(self.dialect, self.source.reversed.iter().cloned());
        self.script.define(
            "run_values",
            "Values of the runs that count: `ranked` is larger for a surer run, `confidence` as the scorer gives it.",
            format!(
                "SELECT trajectory, scorer, aggregator, is_log, fold,
  CASE WHEN scorer IN {reversed} THEN -ranked ELSE ranked END AS ranked,
  CASE WHEN is_log THEN exp(ranked) ELSE ranked END AS confidence
FROM (
{}
) every
WHERE ranked IS NOT NULL",
                indented(&parts.join("\nUNION ALL\n"))
            ),
        );
        Ok(())
    }

    /// A condition that leaves the wanted aggregators of each base score.
    pub(super) fn only(&self) -> String {
        let groups = &self.groups;
        if groups.white_box.len() == groups.bases.len() * groups.rules.len() {
            return String::new();
        }
        let text = |text: &str| self.dialect.text(text);
        let pairs = groups.white_box.iter().map(|(base, rule)| {
            format!("(scorer = {} AND aggregator = {})", text(base.id()), text(&rule.id()))
        });
        format!("\nWHERE {}", pairs.collect::<Vec<_>>().join(" OR "))
    }

    /// Values that only the store has: the mean of a run's pairs, else the value of the run.
    fn stored(&mut self, names: Option<&[String]>) {
        self.stored_pairs();
        let columns = [
            ("dataset", Text),
            ("model", Text),
            ("condition", Text),
            ("task", Text),
            ("draw", Whole),
            ("scorer", Text),
            ("aggregator", Text),
            ("value", Real),
            ("fold", Whole),
        ];
        let about = "Values of runs that the store holds.";
        self.source.define(&mut self.script, "score_rows", "scores", about, &columns);
        let computed = self.computed_ids();
        let wanted = names.map_or_else(String::new, |names| {
            format!("\nWHERE scorer IN {}", text_list(self.dialect, names.iter().cloned()))
        });
        self.script.define(
            "stored",
            "Values that are not computed: the mean of a run's pairs, else the value of the run.",
            format!(
                "SELECT trajectory, scorer, coalesce(max(of_pairs), max(of_run)) AS value, max(fold) AS fold
FROM (
  SELECT trajectory, scorer, avg(value) AS of_pairs, CAST(NULL AS DOUBLE) AS of_run, CAST(NULL AS BIGINT) AS fold
  FROM stored_pairs
  GROUP BY trajectory, scorer
  UNION ALL
  SELECT run.trajectory,
    CASE WHEN known.aggregator IS NULL THEN known.scorer ELSE concat(known.scorer, '·', known.aggregator) END,
    CAST(NULL AS DOUBLE), known.value, known.fold
  FROM score_rows known
  JOIN counted run ON run.dataset = known.dataset AND run.model = known.model
    AND run.condition = known.condition AND run.task = known.task AND run.draw = known.draw
  WHERE known.value IS NOT NULL AND known.scorer NOT IN {computed}
) known{wanted}
GROUP BY trajectory, scorer"
            ),
        );
    }

    /// The consistency scorers as a list.
    pub(super) fn consistency_list(&self) -> String {
        text_list(self.dialect, consistency_ids())
    }
}
