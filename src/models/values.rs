//! From what models answered to rows of the store.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::answer::{NextAction, Said};
use super::asking::Outcome;
use super::plan::{Item, Plan};
use super::settings::Question;
use super::{ModelError, now};
use crate::engine;
use crate::model::{Cell, Judgment, Score};
use crate::store::{Amendment, Manifest, ScorerSettings};

/// The name under which a judge's verdicts are stored: that of its model, unless verdicts of another
/// prompt have it.
pub(super) fn judge_name(
    manifest: &Manifest,
    judges: &HashSet<String>,
    model: &str,
    hash: &str,
) -> String {
    let prompt_of =
        |name: &str| manifest.judges.get(name).and_then(|judge| judge.prompt.as_deref());
    let is_free = |name: &str| match prompt_of(name) {
        Some(prompt) => prompt == hash,
        None => !judges.contains(name),
    };
    if is_free(model) {
        model.to_owned()
    } else {
        format!("{model}#{}", &hash[..8.min(hash.len())])
    }
}

/// The rows that the outcomes give so far.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) judgments: Vec<Judgment>,
    pub(super) scores: Vec<Score>,
    /// The mean mass on neither TRUE nor FALSE.
    pub(super) neither: Option<f64>,
}

impl Rows {
    /// Collects them.
    pub(super) fn of(
        plan: &mut Plan,
        outcomes: &[Option<Outcome>],
        judge: &str,
    ) -> Result<Self, ModelError> {
        let mut rows = Self::default();
        let mut prefixes: BTreeMap<usize, Vec<(Item, &Outcome)>> = BTreeMap::new();
        let mut neither = Vec::new();
        let items: Vec<Item> = plan.items.clone();
        for (item, outcome) in items.iter().zip(outcomes) {
            let Some(outcome) = outcome else { continue };
            match (item.question, outcome) {
                (Question::Ter, Outcome::Parsed(_) | Outcome::Unparsed(_)) => {
                    rows.judgments.extend(judgment(plan, item, outcome, judge));
                }
                (Question::Prefix, Outcome::Parsed(_)) => {
                    prefixes.entry(item.run).or_default().push((*item, outcome));
                }
                (_, Outcome::Parsed(Said::Truth(truth))) => {
                    rows.add(plan, item.run, "ptrue", truth.on_true);
                    rows.add(plan, item.run, "ptrue-normalised", truth.normalised());
                    neither.push(truth.neither());
                }
                (_, Outcome::Parsed(Said::Confidence(value))) => {
                    rows.add(plan, item.run, "vc", *value);
                }
                _ => {}
            }
        }
        for (run, samples) in prefixes {
            rows.prefix(plan, run, &samples)?;
        }
        let count = neither.len() as f64;
        rows.neither = (count > 0.0).then(|| neither.iter().sum::<f64>() / count);
        Ok(rows)
    }

    fn add(&mut self, plan: &Plan, run: usize, scorer: &str, value: f64) {
        let head = &plan.entries[run].head;
        self.scores.push(Score {
            cell: head.cell.clone(),
            task: head.task.clone(),
            draw: head.draw,
            scorer: scorer.to_owned(),
            aggregator: None,
            value: Some(value),
            log: None,
            fold: None,
        });
    }

    /// The agreement of sampled next actions with those that a run took.
    fn prefix(
        &mut self,
        plan: &mut Plan,
        run: usize,
        samples: &[(Item, &Outcome)],
    ) -> Result<(), ModelError> {
        let taken = plan.run(run)?;
        let mut turns: BTreeMap<u32, TurnAgreement> = BTreeMap::new();
        for (item, outcome) in samples {
            let (Some(turn), Outcome::Parsed(Said::Action(next))) = (item.turn, outcome) else {
                continue;
            };
            let message = &taken.messages[taken.turns[turn as usize].message as usize];
            let taken = NextAction::of_turn(message);
            let agreement = turns.entry(turn).or_insert_with(|| TurnAgreement {
                is_call: !taken.tools.is_empty(),
                ..TurnAgreement::default()
            });
            agreement.samples += 1;
            agreement.same_type += u32::from(next.has_type_of(&taken));
            agreement.same_name += u32::from(*next == taken);
        }
        let types: Vec<f64> = turns.values().map(TurnAgreement::of_type).collect();
        let names: Vec<f64> = turns.values().map(TurnAgreement::of_name).collect();
        let calls = turns.values().filter(|turn| turn.is_call).map(TurnAgreement::of_name);
        let calls: Vec<f64> = calls.collect();
        let values = [
            ("prefix-type-mean", mean(&types)),
            ("prefix-type-min", least(&types)),
            ("prefix-name-mean", mean(&names)),
            ("prefix-name-min", least(&names)),
            ("prefix-tool-mean", mean(&calls)),
        ];
        for (scorer, value) in values {
            value.into_iter().for_each(|value| self.add(plan, run, scorer, value));
        }
        Ok(())
    }
}

/// How often sampled actions are like the one that was taken.
#[derive(Debug, Default)]
struct TurnAgreement {
    is_call: bool,
    samples: u32,
    same_type: u32,
    same_name: u32,
}

impl TurnAgreement {
    fn of_type(&self) -> f64 {
        f64::from(self.same_type) / f64::from(self.samples)
    }

    fn of_name(&self) -> f64 {
        f64::from(self.same_name) / f64::from(self.samples)
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn least(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

/// A verdict as the store keeps it; one that does not parse is marked.
fn judgment(plan: &Plan, item: &Item, outcome: &Outcome, judge: &str) -> Option<Judgment> {
    let verdict = match outcome {
        Outcome::Parsed(Said::Verdict(verdict)) => Some(*verdict),
        _ => None,
    };
    let head = &plan.entries[item.run].head;
    let other = &plan.entries[item.other?].head;
    Some(Judgment {
        cell: head.cell.clone(),
        task: head.task.clone(),
        draw_a: head.draw,
        draw_b: other.draw,
        judge: judge.to_owned(),
        equivalent: verdict.map(|verdict| verdict.equivalent),
        confidence: verdict.map(|verdict| verdict.confidence),
    })
}

/// Writes the rows into the store. Values of other settings go, which the caller has agreed to.
pub(super) fn write(path: &Path, plan: &Plan, rows: &Rows, judge: &str) -> Result<(), ModelError> {
    if rows.judgments.is_empty() && rows.scores.is_empty() {
        return Ok(());
    }
    let copied = engine::copied(path)?;
    let mut amendment = Amendment::begin(path)?;
    if !rows.judgments.is_empty() {
        let key = |row: &Judgment| {
            (row.cell.clone(), row.task.clone(), row.draw_a, row.draw_b, row.judge.clone())
        };
        let new: HashSet<_> = rows.judgments.iter().map(key).collect();
        let mut all = amendment.store().judgments()?;
        all.retain(|row| !new.contains(&key(row)));
        all.extend(rows.judgments.iter().cloned());
        amendment.judgments(&all)?;
        let model = plan.settings.judge.as_ref().map(|model| model.name.clone());
        let prompt = Some(plan.settings.instrument_hash(Question::Ter));
        let settings = ScorerSettings { model, prompt, computed_at: now(), ..Default::default() };
        amendment.judge(judge, settings);
    }
    if !rows.scores.is_empty() {
        write_scores(&mut amendment, plan, &rows.scores)?;
    }
    amendment.commit()?;
    engine::refresh(path, copied)?;
    Ok(())
}

fn write_scores(amendment: &mut Amendment, plan: &Plan, rows: &[Score]) -> Result<(), ModelError> {
    let mut all = amendment.store().scores()?;
    let new: HashSet<(&Cell, &str, u32, &str)> = rows.iter().map(key).collect();
    let manifest = amendment.store().manifest().clone();
    let is_foreign = |row: &Score| {
        Question::of_scorer(&row.scorer).is_some_and(|question| {
            rows.iter().any(|new| new.scorer == row.scorer)
                && is_of_other_settings(&manifest, plan, question, &row.scorer, &row.cell.model)
        })
    };
    all.retain(|row| !new.contains(&key(row)) && !is_foreign(row));
    all.extend(rows.iter().cloned());
    amendment.scores(&all)?;
    let scorers: HashSet<&str> = rows.iter().map(|row| row.scorer.as_str()).collect();
    for scorer in scorers {
        let Some(question) = Question::of_scorer(scorer) else { continue };
        let old = manifest.scorers.get(scorer).cloned().unwrap_or_default();
        let prompt = plan.settings.instrument_hash(question);
        let mut models =
            if old.prompt.as_ref() == Some(&prompt) { old.models } else { BTreeMap::new() };
        let of_scorer = rows.iter().filter(|row| row.scorer == scorer);
        for row in of_scorer {
            if let Some(model) = plan.settings.selves.of(&row.cell.model) {
                models.insert(row.cell.model.clone(), model.name.clone());
            }
        }
        let mut names: Vec<&str> = models.values().map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        let model = Some(names.join(", "));
        let settings = ScorerSettings {
            model,
            prompt: Some(prompt),
            models,
            computed_at: now(),
            ..ScorerSettings::default()
        };
        amendment.settings(scorer, Some(settings));
    }
    Ok(())
}

fn key(row: &Score) -> (&Cell, &str, u32, &str) {
    (&row.cell, row.task.as_str(), row.draw, row.scorer.as_str())
}

/// Whether the stored values of a scorer came about in another way than the plan's would: with another
/// prompt, by another model, or from a file.
pub(super) fn is_of_other_settings(
    manifest: &Manifest,
    plan: &Plan,
    question: Question,
    scorer: &str,
    model: &str,
) -> bool {
    // Values without settings are of an older version, or of another program.
    let Some(old) = manifest.scorers.get(scorer) else { return true };
    if old.prompt.as_deref() != Some(&plan.settings.instrument_hash(question)) {
        return true;
    }
    let asked = plan.settings.selves.of(model).map(|model| model.name.as_str());
    match (old.models.get(model), asked) {
        (Some(before), Some(asked)) => before != asked,
        _ => false,
    }
}
