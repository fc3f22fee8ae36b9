//! Aligned runs with their scores and what is known about their task.

use std::sync::Arc;

use super::action::ShownAction;
use super::{html, json, markdown, text};
use crate::compare::{ExpectedCall, Sheet, TurnView, expected_calls, run_confidence, turn_views};
use crate::engine::Engine;
use crate::model::{Cell, Context, Head, Judgment, Trajectory};
use crate::models::KnownAnswers;
use crate::report::OutputFormat;
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::consistency::Consistency;
use crate::scorers::whitebox::Base;
use crate::store::{Note, StepLabel};

/// How a comparison is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShowOptions {
    /// One of [`OutputFormat::RUNS`].
    pub format: OutputFormat,
    /// Write long texts whole. JSON always has them whole.
    pub full: bool,
}

/// The scorer that runs are shown under, and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct RunScores {
    /// The scorer of the runs.
    pub scorer: Scorer,
    /// The base score of the turns' confidences.
    pub turn_base: Base,
    /// The aggregator of the turns' weights.
    pub turn_rule: Aggregator,
    /// The confidence of every run.
    pub values: Vec<Option<f64>>,
    /// The rank of every run; empty where ranks are not known.
    pub ranks: Vec<Option<RunRank>>,
}

/// The rank of a run among the references of its cell; for a sample the rank it would have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunRank {
    /// 1 for the most confident; equal ones share their mean rank.
    pub rank: f64,
    /// How many references are ranked.
    pub of: usize,
}

impl RunScores {
    /// The scores of runs under a base score and an aggregator.
    pub fn white_box(runs: &[&Trajectory], base: Base, rule: Aggregator) -> Self {
        Self {
            scorer: Scorer::WhiteBox(base, rule),
            turn_base: base,
            turn_rule: rule,
            values: runs.iter().map(|run| run_confidence(run, base, rule)).collect(),
            ranks: Vec::new(),
        }
    }

    /// The scores of runs under a scorer. One that is not white-box scores references only, and the
    /// turns are then under a base score and an aggregator.
    pub fn under(
        scorer: &Scorer,
        engine: &Engine,
        runs: &[&Trajectory],
        (base, rule): (Base, Aggregator),
    ) -> Self {
        if let Scorer::WhiteBox(base, rule) = scorer {
            return Self::white_box(runs, *base, *rule);
        }
        let value = |run: &&Trajectory| {
            let frame = engine.frames().iter().find(|frame| frame.cell == run.head.cell)?;
            let task = frame.tasks.iter().position(|task| task.id == run.head.task)?;
            let row = frame.row_with(task, run.head.draw)?;
            let value = frame.values(scorer)?.confidence(row);
            (!value.is_nan()).then_some(value)
        };
        let values = runs.iter().map(value).collect();
        Self { scorer: scorer.clone(), values, ..Self::white_box(runs, base, rule) }
    }
}

/// What is known about the runs beyond themselves. All of it may be left out.
#[derive(Clone, Debug, Default)]
pub struct ShowContext {
    /// What the task asks.
    pub instruction: Option<String>,
    /// What judges say, also of other tasks and pairs.
    pub judgments: Vec<Judgment>,
    /// What people wrote, also about other tasks.
    pub notes: Vec<Note>,
    /// The turns that people marked as decisive errors, also of other tasks; those that count.
    pub errors: Vec<StepLabel>,
    /// The cells in which no draw is the reference.
    pub pooled: Vec<Cell>,
    /// What the agents were given, every context once; none where it was not looked up.
    pub contexts: Option<Vec<Arc<Context>>>,
    /// What models answered about the task.
    pub answers: KnownAnswers,
}

/// Runs of one task, aligned to the first of them.
#[derive(Clone, Debug)]
pub struct SideBySide<'r> {
    /// The runs, by pane.
    pub runs: &'r [&'r Trajectory],
    /// Their aligned actions.
    pub sheet: &'r Sheet,
    /// Their scores.
    pub scores: &'r RunScores,
    /// A short name of every pane: the draw, with `@` and the cell where that differs from the first.
    pub labels: Vec<String>,
    /// What the task asks.
    pub instruction: Option<&'r str>,
    /// What judges say of the pairs that are shown.
    pub judgments: Vec<&'r Judgment>,
    /// What people wrote about the task in the cells that are shown.
    pub notes: Vec<&'r Note>,
    /// What became of the expected calls of every run.
    pub(super) expected: Vec<Vec<ExpectedCall>>,
    /// The turns of these runs that people marked as decisive errors.
    pub errors: Vec<&'r StepLabel>,
    pub(super) contexts: Option<&'r [Arc<Context>]>,
    pub(super) answers: &'r KnownAnswers,
    pooled: &'r [Cell],
    views: Vec<Vec<TurnView>>,
}

impl<'r> SideBySide<'r> {
    /// Puts runs of one task and their sheet together.
    pub fn new(
        runs: &'r [&'r Trajectory],
        sheet: &'r Sheet,
        scores: &'r RunScores,
        context: &'r ShowContext,
    ) -> Self {
        let heads: Vec<&Head> = runs.iter().map(|run| &run.head).collect();
        let task = heads.first().map_or("", |head| head.task.as_str());
        let shown =
            |cell: &Cell, draw: u32| heads.iter().any(|h| h.draw == draw && h.cell == *cell);
        let judged = |judgment: &&Judgment| {
            let Judgment { cell, draw_a, draw_b, .. } = judgment;
            judgment.task == task && shown(cell, *draw_a) && shown(cell, *draw_b)
        };
        let noted =
            |note: &&Note| note.task == task && heads.iter().any(|head| head.cell == note.cell);
        let marked = |label: &&StepLabel| label.task == task && shown(&label.cell, label.draw);
        let (base, rule) = (scores.turn_base, scores.turn_rule);
        Self {
            runs,
            sheet,
            scores,
            labels: labels(&heads),
            instruction: context.instruction.as_deref(),
            judgments: context.judgments.iter().filter(judged).collect(),
            notes: context.notes.iter().filter(noted).collect(),
            expected: runs.iter().map(|run| expected_calls(run)).collect(),
            errors: context.errors.iter().filter(marked).collect(),
            contexts: context.contexts.as_deref(),
            answers: &context.answers,
            pooled: &context.pooled,
            views: runs.iter().map(|run| turn_views(run, base, rule)).collect(),
        }
    }

    /// Writes the comparison.
    pub fn render(&self, options: ShowOptions) -> String {
        match options.format {
            OutputFormat::Markdown => markdown::render(self, options.full),
            OutputFormat::Json | OutputFormat::JsonLines => json::runs(self),
            _ => text::render(self, options.full),
        }
    }

    /// Writes the comparison as a part of a page.
    pub(in crate::report) fn html(&self) -> Result<String, askama::Error> {
        html::render(self)
    }

    /// Whether no draw of a cell is the reference.
    pub(super) fn is_pooled(&self, cell: &Cell) -> bool {
        self.pooled.contains(cell)
    }

    /// The task's id.
    pub fn task(&self) -> &'r str {
        self.runs.first().map_or("", |run| &run.head.task)
    }

    /// The dataset of the task.
    pub fn dataset(&self) -> &'r str {
        self.runs.first().map_or("", |run| &run.head.cell.dataset)
    }

    /// Whether a cell is that of the first pane.
    pub(super) fn is_first_cell(&self, cell: &Cell) -> bool {
        self.runs.first().is_some_and(|run| run.head.cell == *cell)
    }

    /// The confidence of a pane's run.
    pub(super) fn score(&self, pane: usize) -> Option<f64> {
        self.scores.values.get(pane).copied().flatten()
    }

    /// The rank of a pane's run.
    pub(super) fn rank(&self, pane: usize) -> Option<RunRank> {
        self.scores.ranks.get(pane).copied().flatten()
    }

    /// The action of a pane in a row.
    pub(super) fn action(&self, row: usize, pane: usize) -> Option<ShownAction<'_>> {
        let step = self.sheet.step(row, pane)?;
        Some(ShownAction {
            run: self.runs[pane],
            step,
            view: &self.views[pane][step.turn],
            contrast: self.sheet.contrast(row, pane),
        })
    }

    /// How far the actions of the first pane and another agree, by scorer of [`agreement_scorers`].
    pub(super) fn agreement(&self, pane: usize) -> Vec<(&'static str, f64)> {
        let [first, other] = [0, pane].map(|pane| &self.runs[pane].head.action_types);
        let scorers = agreement_scorers();
        scorers.map(|scorer| (scorer.id(), scorer.pair(first, other))).collect()
    }
}

/// The scorers that say how far two runs agree, those that look at all actions first.
pub(super) fn agreement_scorers() -> impl Iterator<Item = Consistency> {
    const FIRST: [Consistency; 3] = [Consistency::Aec, Consistency::Asc, Consistency::Adc];
    let rest = Consistency::ALL.into_iter().filter(|scorer| !FIRST.contains(scorer));
    FIRST.into_iter().chain(rest)
}

fn labels(heads: &[&Head]) -> Vec<String> {
    let first = heads.first().map(|head| &head.cell);
    let label = |head: &&Head| match first {
        Some(first) if head.cell != *first => {
            let Cell { model, condition, .. } = &head.cell;
            let differs = *condition != first.condition;
            let condition = if differs { format!("/{condition}") } else { String::new() };
            format!("{}@{model}{condition}", head.draw)
        }
        _ => head.draw.to_string(),
    };
    heads.iter().map(label).collect()
}
