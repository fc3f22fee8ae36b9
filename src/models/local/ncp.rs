//! `ncp`: whether the final messages of runs contradict each other, by an NLI classifier.

use std::path::Path;

use super::{Answers, LocalError, LocalModel, LocalSummary, ModelKind, Question};
use crate::model::PairValue;
use crate::store::{Amendment, Entry, Manifest, ScorerSettings};
use crate::text::counted;

/// The id of the scorer.
const NCP: &str = "ncp";

/// Computes `ncp` of all pairs of a store and writes the values. Earlier values, which another model may have
/// given, are replaced. `folder` is where answers are kept.
pub fn score_ncp(
    path: &Path,
    model: &mut LocalModel,
    folder: Option<&Path>,
    progress: &dyn Fn(usize, usize),
) -> Result<LocalSummary, LocalError> {
    model.require(ModelKind::Nli)?;
    let contradiction = model.contradiction()?;
    let mut amendment = Amendment::begin(path)?;
    let entries = amendment.store().entries()?;
    let pairs = pairs(&entries, amendment.store().manifest());
    let questions: Vec<Question<'_>> = pairs.iter().filter_map(both).flatten().collect();
    let answers = Answers::ask(model, &questions, 2, folder, progress)?;
    let mut summary = LocalSummary { asked: answers.asked(), ..LocalSummary::default() };
    let value = |pair: &(&Entry, &Entry)| {
        let [there, back] = both(pair)?.map(|question| answers.get(&question));
        let [there, back] = [there?, back?].map(|logits| probabilities(logits)[contradiction]);
        Some(1.0 - f64::midpoint(there, back))
    };
    let row = |pair: &(&Entry, &Entry)| {
        let (a, b) = (&pair.0.head, &pair.1.head);
        Some(PairValue {
            cell: a.cell.clone(),
            task: a.task.clone(),
            draw_a: a.draw,
            draw_b: b.draw,
            scorer: NCP.to_owned(),
            value: Some(value(pair)?),
        })
    };
    let rows: Vec<PairValue> = pairs.iter().filter_map(row).collect();
    summary.values.push((NCP, rows.len()));
    if rows.len() < pairs.len() {
        let without = counted((pairs.len() - rows.len()) as u64, "pair");
        let why = "a run of each sends no message to the user";
        summary.missing.push(format!("{NCP}: {without} without a value: {why}"));
    }
    write(&mut amendment, rows, &model.name())?.then(|| amendment.commit()).transpose()?;
    Ok(summary)
}

/// Puts the values in the tables of a store; returns whether that changes anything.
fn write(amendment: &mut Amendment, rows: Vec<PairValue>, model: &str) -> Result<bool, LocalError> {
    let settings = amendment.store().manifest().scorers.get(NCP);
    let is_same_model = settings.is_some_and(|settings| settings.model.as_deref() == Some(model));
    let mut pairs = amendment.store().pairs()?;
    let mut scores = amendment.store().scores()?;
    let older: Vec<PairValue> = pairs.extract_if(.., |row| row.scorer == NCP).collect();
    let means = scores.extract_if(.., |row| row.scorer == NCP).count();
    if is_same_model && older == rows && means == 0 {
        return Ok(false);
    }
    let has_values = !rows.is_empty();
    pairs.extend(rows);
    amendment.pairs(&pairs)?;
    if means > 0 {
        amendment.scores(&scores)?;
    }
    let settings = ScorerSettings { model: Some(model.to_owned()), ..ScorerSettings::now() };
    amendment.settings(NCP, has_values.then_some(settings));
    Ok(true)
}

/// The pairs of a store: the reference with each sample or, where every draw counts, all pairs of draws.
fn pairs<'e>(entries: &'e [Entry], manifest: &Manifest) -> Vec<(&'e Entry, &'e Entry)> {
    let mut pairs = Vec::new();
    let is_same_task =
        |a: &Entry, b: &Entry| (&a.head.cell, &a.head.task) == (&b.head.cell, &b.head.task);
    for draws in entries.chunk_by(is_same_task) {
        let is_pooled = manifest.is_pooled(&draws[0].head.cell);
        for (index, first) in draws.iter().enumerate() {
            if is_pooled || first.head.draw == 0 {
                pairs.extend(draws[index + 1..].iter().map(|other| (first, other)));
            }
        }
    }
    pairs
}

/// The questions about a pair in both directions; none where a run says nothing to the user.
fn both<'e>((a, b): &(&'e Entry, &'e Entry)) -> Option<[Question<'e>; 2]> {
    let [a, b] = [a, b].map(|entry| entry.head.final_message.as_deref());
    let (a, b) = (a?, b?);
    Some([Question::Pair(a, b), Question::Pair(b, a)])
}

/// Logits as probabilities.
pub(super) fn probabilities(logits: &[f32]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shares: Vec<f64> = logits.iter().map(|logit| f64::from(logit - largest).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|share| share / sum).collect()
}
