//! The scope of a question: the tasks that `--where` keeps.

use std::fmt::Write as _;

use super::runs::{CELL, same_cell};
use super::{Dialect, Question, Source, SqlError, Writer, dialect};
use crate::engine::Column;
use crate::filter::{Field, Filter, SqlWords};
use crate::scorers::aggregate::Aggregator;
use crate::scorers::whitebox::Base;
use crate::scorers::{Level, SPECS, Scorer};

/// The columns that an expression may name.
struct Columns {
    dialect: Dialect,
    all: Vec<Column>,
}

impl SqlWords for Columns {
    fn column(&self, index: usize) -> String {
        format!("fact.{}", column_name(&self.all[index]))
    }

    fn text(&self, text: &str) -> String {
        self.dialect.text(text)
    }

    fn pattern(&self, pattern: &str) -> String {
        self.dialect.pattern(pattern)
    }

    fn number(&self, number: f64) -> String {
        dialect::number(number)
    }
}

/// The name of a column in the part `facts`: that of a scorer could also be a word of SQL.
fn column_name(column: &Column) -> String {
    match column {
        Column::Scorer(scorer) => format!("score_{}", scorer.column()),
        fixed => fixed.name(),
    }
}

/// The expression that chooses tasks, and what it reads.
pub(super) struct Scope {
    /// The expression as it was typed.
    pub(super) text: String,
    filter: Filter,
    columns: Columns,
    used: Vec<Column>,
}

impl Scope {
    /// The scope of a question; none without an expression.
    pub(super) fn of(source: &Source, question: &Question) -> Result<Option<Self>, SqlError> {
        let Some(expression) = &question.scope else { return Ok(None) };
        let columns = Columns { dialect: question.dialect, all: columns(source, question) };
        let field = |column: &Column| Field { name: column.name(), kind: column.kind() };
        let fields: Vec<Field> = columns.all.iter().map(field).collect();
        let filter = Filter::parse(expression, &fields).map_err(SqlError::Scope)?;
        let used: Vec<Column> =
            filter.columns().iter().map(|index| columns.all[*index].clone()).collect();
        Ok(Some(Self { text: expression.clone(), filter, columns, used }))
    }

    /// The scorers that it names.
    pub(super) fn scorers(&self) -> impl Iterator<Item = &Scorer> {
        self.used.iter().filter_map(|column| match column {
            Column::Scorer(scorer) => Some(scorer),
            _ => None,
        })
    }

    /// Whether it names the agreement of draws.
    pub(super) fn reads_agreement(&self) -> bool {
        self.used.contains(&Column::Agreement)
    }
}

/// The columns of an expression: those of every store, the draw where every draw is a row, and the
/// scorers.
fn columns(source: &Source, question: &Question) -> Vec<Column> {
    let mut all = Column::FIXED.to_vec();
    if !source.pooled.is_empty() {
        all.push(Column::Draw);
    }
    let rules = Base::ALL
        .into_iter()
        .flat_map(|base| Aggregator::ALL.map(|rule| Scorer::WhiteBox(base, rule)));
    let named = SPECS.iter().filter(|spec| spec.level != Level::Turn).map(Scorer::of_spec);
    let stored = source.scorers.iter().map(|name| Scorer::Stored(name.clone()));
    let asked = question.scorers.clone().unwrap_or_default();
    for scorer in rules.chain(named).chain(stored).chain(asked) {
        let column = Column::Scorer(scorer);
        if all.iter().all(|known| known.name() != column.name()) {
            all.push(column);
        }
    }
    all
}

impl Writer<'_> {
    /// Defines which runs are in scope. Returns the join that keeps them, given the table that has the
    /// column `trajectory`; nothing where all are.
    pub(super) fn kept(&mut self, table: &str) -> Result<String, SqlError> {
        let Some(scope) = self.scope.clone() else { return Ok(String::new()) };
        if !self.script.has("kept") {
            self.facts(&scope)?;
            let condition = scope.filter.to_sql(&scope.columns);
            self.script.define(
                "kept",
                "The runs that count of the tasks in scope.",
                format!("SELECT fact.trajectory\nFROM facts fact\nWHERE {condition}"),
            );
        }
        Ok(format!("\nJOIN kept ON kept.trajectory = {table}.trajectory"))
    }

    /// One row per run that counts with the columns that an expression reads.
    fn facts(&mut self, scope: &Scope) -> Result<(), SqlError> {
        self.counted();
        let (mut columns, mut joins) = (vec!["run.trajectory".to_owned()], String::new());
        for column in &scope.used {
            columns.push(format!("{} AS {}", fact(column)?, column_name(column)));
        }
        let of_task = |table: &str| {
            format!("{table} ON {} AND {table}.task = run.task", same_cell(table, "run"))
        };
        if scope.used.iter().any(|column| matches!(column, Column::Solved | Column::Draws)) {
            self.script.define(
                "draws_of_task",
                "How many draws a task has, and how many of them succeeded.",
                format!(
                    "SELECT {CELL}, task, CAST(count(*) AS DOUBLE) AS draws,
  sum(CASE WHEN success THEN 1e0 ELSE 0e0 END) AS solved
FROM runs
GROUP BY {CELL}, task"
                ),
            );
            let _ = write!(joins, "\nJOIN {}", of_task("draws_of_task"));
        }
        if scope.reads_agreement() {
            self.agreement_of_tasks()?;
            let _ = write!(joins, "\nLEFT JOIN {}", of_task("agreement_of_task"));
        }
        let scorers: Vec<&Scorer> = scope.scorers().collect();
        if !scorers.is_empty() {
            self.scope_scores(&scorers)?;
            joins
                .push_str("\nLEFT JOIN scores_of_run ON scores_of_run.trajectory = run.trajectory");
        }
        self.script.define(
            "facts",
            "What the scope names, of every run that counts.",
            format!("SELECT {}\nFROM counted run{joins}", columns.join(",\n  ")),
        );
        Ok(())
    }

    /// The values that an expression names, as columns.
    fn scope_scores(&mut self, scorers: &[&Scorer]) -> Result<(), SqlError> {
        self.run_values()?;
        let column = |scorer: &&Scorer| {
            let rule = scorer.aggregator().map(Aggregator::id).unwrap_or_default();
            format!(
                "max(CASE WHEN scorer = {} AND aggregator = {} THEN confidence END) AS {}",
                self.dialect.text(scorer.id()),
                self.dialect.text(&rule),
                column_name(&Column::Scorer((*scorer).clone()))
            )
        };
        let columns: Vec<String> = scorers.iter().map(column).collect();
        self.script.define(
            "scores_of_run",
            "The values that the scope names, as columns.",
            format!(
                "SELECT trajectory,\n  {}\nFROM run_values\nGROUP BY trajectory",
                columns.join(",\n  ")
            ),
        );
        Ok(())
    }
}

fn fact(column: &Column) -> Result<String, SqlError> {
    Ok(match column {
        Column::Dataset
        | Column::Model
        | Column::Condition
        | Column::Task
        | Column::Success
        | Column::DbMatch
        | Column::Termination
        | Column::Reward
        | Column::Cost => format!("run.{}", column.name()),
        Column::Basis => "run.reward_basis".to_owned(),
        Column::Draw | Column::Turns | Column::Tools => {
            format!("CAST(run.{} AS DOUBLE)", column.name())
        }
        Column::Solved | Column::Draws => format!("draws_of_task.{}", column.name()),
        Column::Agreement => "agreement_of_task.agreement".to_owned(),
        Column::Scorer(_) => format!("scores_of_run.{}", column_name(column)),
        Column::Score
        | Column::Rank
        | Column::Top
        | Column::Bottom
        | Column::Quartile
        | Column::Moved
        | Column::FailedCheck
        | Column::Note => return Err(SqlError::Column(column.name())),
    })
}
