//! Scores a store with chat models: plans, asks, writes the values.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::asking::{Asked, Outcome, ask};
use super::existing::Existing;
use super::plan::Plan;
use super::values::{Rows, is_of_other_settings, judge_name, write};
use super::{AskOptions, AskProgress, AskSettings, ModelError, Prices, Question, Stopped, Wanted};
use crate::model::Cell;
use crate::store::{AnswerLog, Store};

/// Tokens of an answer, estimated.
pub(super) const ANSWER_TOKENS: u64 = 30;

/// What asking would take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// By kind of question and model.
    pub parts: Vec<EstimatedPart>,
    /// Models of cells that no chat model was named for.
    pub unmapped: BTreeSet<String>,
}

/// What one kind of question to one model would take.
#[derive(Clone, Debug, PartialEq)]
pub struct EstimatedPart {
    /// The kind of question.
    pub question: Question,
    /// The model.
    pub model: String,
    /// Questions that have an answer.
    pub known: usize,
    /// Calls to be made.
    pub calls: usize,
    /// Tokens of the questions and of the answers, estimated.
    pub tokens: [u64; 2],
    /// What that costs; none where the price is unknown.
    pub cost: Option<f64>,
}

/// What a run of questions gave.
#[derive(Clone, Debug, Default)]
pub struct ModelSummary {
    /// Counts, tokens and cost.
    pub progress: AskProgress,
    /// Values and verdicts by scorer: those that count, and answers that do not parse.
    pub values: BTreeMap<&'static str, [usize; 2]>,
    /// The name of the judge in the store.
    pub judge: Option<String>,
    /// Models of cells that no chat model was named for.
    pub unmapped: BTreeSet<String>,
    /// Runs that were asked about without the policy or the tools that their agent had.
    pub bare: usize,
    /// The mean mass on neither TRUE nor FALSE.
    pub neither: Option<f64>,
    /// Why it ended before everything was asked.
    pub stopped: Option<Stopped>,
    /// Some reasons why answers do not parse or did not come.
    pub reasons: Vec<String>,
}

/// Reasons that a summary names, at most.
const REASONS: usize = 3;

/// What is asked about a store, and how.
#[derive(Clone, Debug, Default)]
pub struct ScorePlan {
    /// How questions are put.
    pub settings: AskSettings,
    /// What is asked about.
    pub wanted: Wanted,
    /// How it is asked.
    pub options: AskOptions,
    /// Whether values of other settings may be dropped.
    pub replace: bool,
}

impl ScorePlan {
    /// Checks what was named against the store, and lists the questions.
    fn plan(&self, path: &Path) -> Result<(Plan, String), ModelError> {
        let store = Store::open(path)?;
        let known = models_of(&store);
        if self.settings.selves.only.is_some() && known.len() > 1 {
            return Err(ModelError::ManyModels { known });
        }
        let mut named = self.settings.selves.named.keys();
        if let Some(unknown) = named.find(|model| !known.contains(*model)) {
            return Err(ModelError::UnknownModel { unknown: unknown.clone(), known });
        }
        let cells: HashSet<&Cell> = store.manifest().cells.iter().map(|cell| &cell.cell).collect();
        if let Some(cell) = self.wanted.cells.iter().find(|cell| !cells.contains(cell)) {
            return Err(ModelError::UnknownCell(cell.to_string()));
        }
        let judgments = store.judgments()?;
        let judges: HashSet<String> = judgments.iter().map(|row| row.judge.clone()).collect();
        let model = self.settings.judge.as_ref().map_or("", |model| model.name.as_str());
        let hash = self.settings.instrument_hash(Question::Ter);
        let judge = judge_name(store.manifest(), &judges, model, &hash);
        let scores = store.scores()?;
        let existing = Existing::new(&judgments, &scores, Some(&judge));
        let plan = Plan::new(Store::open(path)?, self.settings.clone(), &self.wanted, &existing)?;
        self.refuse_mixing(&store, &plan, &scores)?;
        Ok((plan, judge))
    }

    /// Fails if values of other settings would have to go.
    fn refuse_mixing(
        &self,
        store: &Store,
        plan: &Plan,
        scores: &[crate::model::Score],
    ) -> Result<(), ModelError> {
        let asked: HashSet<(Question, &str)> = plan
            .items
            .iter()
            .map(|item| (item.question, plan.entries[item.run].head.cell.model.as_str()))
            .collect();
        let is_foreign = |row: &&crate::model::Score| {
            Question::of_scorer(&row.scorer).is_some_and(|question| {
                question != Question::Ter
                    && asked.iter().any(|(other, _)| *other == question)
                    && is_of_other_settings(
                        store.manifest(),
                        plan,
                        question,
                        &row.scorer,
                        &row.cell.model,
                    )
            })
        };
        let foreign = scores.iter().filter(is_foreign);
        match foreign.clone().next() {
            Some(first) if !self.replace => Err(ModelError::WouldMix {
                scorer: first.scorer.clone(),
                values: foreign.filter(|row| row.scorer == first.scorer).count(),
            }),
            _ => Ok(()),
        }
    }

    /// What asking would take; nothing is asked or written.
    pub fn estimate(&self, path: &Path) -> Result<Estimate, ModelError> {
        let (mut plan, _) = self.plan(path)?;
        let mut answers = plan.store.answers()?;
        let mut parts: BTreeMap<(Question, String), EstimatedPart> = BTreeMap::new();
        for item in plan.items.clone() {
            let call = plan.call(&item)?;
            let model = call.model.name.clone();
            let key = (item.question, model.clone());
            let part = parts.entry(key).or_insert_with(|| EstimatedPart {
                question: item.question,
                model,
                known: 0,
                calls: 0,
                tokens: [0, 0],
                cost: None,
            });
            if answers.find(&call.key)?.is_some() {
                part.known += 1;
            } else {
                part.calls += 1;
                part.tokens[0] += call.tokens();
                part.tokens[1] += ANSWER_TOKENS;
            }
        }
        let mut parts: Vec<EstimatedPart> = parts.into_values().collect();
        let prices: &Prices = &self.options.prices;
        parts.iter_mut().for_each(|part| part.cost = prices.cost(&part.model, part.tokens));
        Ok(Estimate { parts, unmapped: plan.unmapped })
    }

    /// Asks what has no answer, and writes the values into the store. `tell` gets the progress; setting
    /// `stop` ends it early. What was answered counts however it ends.
    pub fn run(
        &self,
        path: &Path,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&AskProgress),
    ) -> Result<ModelSummary, ModelError> {
        let log = AnswerLog::begin(path)?;
        let (plan, judge) = self.plan(path)?;
        let mut save = |plan: &mut Plan, outcomes: &[Option<Outcome>]| {
            let rows = Rows::of(plan, outcomes, &judge)?;
            write(path, plan, &rows, &judge)
        };
        let asked = ask(plan, log, &self.options, stop, tell, &mut save)?;
        let Asked { mut plan, log: _log, outcomes, progress, stopped } = asked;
        let rows = Rows::of(&mut plan, &outcomes, &judge)?;
        write(path, &plan, &rows, &judge)?;
        let mut summary = ModelSummary {
            judge: (!rows.judgments.is_empty()).then(|| judge.clone()),
            unmapped: plan.unmapped.clone(),
            bare: plan.bare.len(),
            neither: rows.neither,
            progress,
            stopped,
            ..ModelSummary::default()
        };
        for question in &self.wanted.questions {
            for scorer in question.scorers() {
                let counts = summary.values.entry(scorer).or_default();
                counts[0] = match question {
                    Question::Ter => {
                        rows.judgments.iter().filter(|row| row.equivalent.is_some()).count()
                    }
                    _ => rows.scores.iter().filter(|row| row.scorer == *scorer).count(),
                };
                let of_question = plan.items.iter().zip(&outcomes);
                counts[1] = of_question
                    .filter(|(item, outcome)| {
                        item.question == *question && matches!(outcome, Some(Outcome::Unparsed(_)))
                    })
                    .count();
            }
        }
        summary.reasons = reasons(&outcomes);
        Ok(summary)
    }
}

/// The models of the cells of a store.
fn models_of(store: &Store) -> BTreeSet<String> {
    store.manifest().cells.iter().map(|cell| cell.cell.model.clone()).collect()
}

/// The most frequent reasons why answers did not come or do not parse.
fn reasons(outcomes: &[Option<Outcome>]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes.iter().flatten() {
        if let Outcome::Unparsed(why) | Outcome::Failed(why) = outcome {
            *counts.entry(why).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.iter().take(REASONS).map(|(why, count)| format!("{count} × {why}")).collect()
}
