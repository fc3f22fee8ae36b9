//! The drift of turns by a sentence encoder, and the propagation controls that weight turns by it.

mod texts;

use std::collections::HashMap;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::{Answers, LocalError, LocalModel, LocalSummary, ModelKind, Question};
use crate::model::{Cell, Drift, DriftRow, Score};
use crate::scorers::hmm::{DriftRun, FitOptions, cross_fitted};
use crate::scorers::propagation::DriftWeights;
use crate::store::{Amendment, Entry, ScorerSettings};
use crate::text::counted;
use texts::RunTexts;

/// The number of runs that are read at once.
const BATCH: usize = 100;

/// Computes the drift of the turns of all runs that count, and `prop-dist`, `prop-pd` and `prop-hmm` from
/// it, and writes them. Earlier values, which another model may have given, are replaced. `folder` is
/// where embeddings are kept.
pub fn score_drift(
    path: &Path,
    model: &mut LocalModel,
    folder: Option<&Path>,
    progress: &dyn Fn(usize, usize),
) -> Result<LocalSummary, LocalError> {
    model.require(ModelKind::Encoder)?;
    let mut amendment = Amendment::begin(path)?;
    let runs = read(&amendment)?;
    let questions: Vec<Question<'_>> =
        runs.iter().flat_map(|run| run.texts.all()).map(Question::Text).collect();
    let answers = Answers::ask(model, &questions, 1, folder, progress)?;
    let mut summary = LocalSummary { asked: answers.asked(), ..LocalSummary::default() };
    let mut measured: Vec<Measured<'_>> = runs
        .iter()
        .map(|run| Measured { run, drifts: run.texts.drifts(&answers).unwrap_or_default() })
        .collect();
    add_severities(&mut measured);
    let scores: Vec<Score> = measured.iter().flat_map(Measured::scores).collect();
    for weights in DriftWeights::ALL {
        let count = scores.iter().filter(|row| row.scorer == weights.id()).count();
        summary.values.push((weights.id(), count));
    }
    let silent = measured.iter().filter(|run| run.drifts.is_empty()).count();
    if silent > 0 {
        let runs = counted(silent as u64, "run");
        summary.missing.push(format!("drift: {runs} without a turn or a message of the user"));
    }
    let rows: Vec<DriftRow> = measured.iter().flat_map(Measured::rows).collect();
    write(&mut amendment, &rows, scores, &model.name())?.then(|| amendment.commit()).transpose()?;
    Ok(summary)
}

/// A run that counts, with the texts of its turns and their doubts.
struct CountedRun {
    entry: Entry,
    texts: RunTexts,
    /// Minus the mean log-probability of every turn that has one.
    doubts: Vec<Option<f64>>,
}

/// Reads the references, and all draws of cells where every draw counts, in the order of their numbers.
fn read(amendment: &Amendment) -> Result<Vec<CountedRun>, LocalError> {
    let store = amendment.store();
    let counts =
        |entry: &Entry| entry.head.draw == 0 || store.manifest().is_pooled(&entry.head.cell);
    let mut entries: Vec<Entry> = store.entries()?.into_iter().filter(counts).collect();
    entries.sort_by_key(|entry| entry.id);
    let mut runs = Vec::with_capacity(entries.len());
    for batch in entries.chunks(BATCH) {
        for (entry, run) in batch.iter().zip(store.trajectories(batch)?) {
            let doubts = run.turns.iter().map(|turn| {
                turn.scores.map(|scores| -scores.sp_log / f64::from(scores.tokens.max(1)))
            });
            let doubts = doubts.collect();
            runs.push(CountedRun { entry: entry.clone(), texts: RunTexts::of(&run), doubts });
        }
    }
    Ok(runs)
}

/// A run with the drifts of its turns; none of a run that has none.
struct Measured<'r> {
    run: &'r CountedRun,
    drifts: Vec<Drift>,
}

impl Measured<'_> {
    fn rows(&self) -> impl Iterator<Item = DriftRow> {
        let row = |(turn, drift): (u32, &Drift)| DriftRow {
            trajectory: self.run.entry.id,
            turn,
            drift: *drift,
        };
        (0..).zip(&self.drifts).map(row)
    }

    /// The values of the run under all weights; none without a scored turn.
    fn scores(&self) -> Vec<Score> {
        let scored = self.run.doubts.iter().zip(&self.drifts);
        let (doubts, drifts): (Vec<f64>, Vec<Drift>) =
            scored.filter_map(|(doubt, drift)| Some(((*doubt)?, *drift))).unzip();
        let head = &self.run.entry.head;
        let score = |weights: DriftWeights| {
            Some(Score {
                cell: head.cell.clone(),
                task: head.task.clone(),
                draw: head.draw,
                scorer: weights.id().to_owned(),
                aggregator: None,
                value: Some(weights.score(&doubts, &drifts)?),
                log: None,
                fold: None,
            })
        };
        DriftWeights::ALL.into_iter().filter_map(score).collect()
    }
}

/// Fits a model of drift in every cell, and adds the expected severity of every turn.
fn add_severities(measured: &mut [Measured<'_>]) {
    let mut cells: HashMap<Cell, Vec<usize>> = HashMap::new();
    for (index, run) in measured.iter().enumerate().filter(|(_, run)| !run.drifts.is_empty()) {
        cells.entry(run.run.entry.head.cell.clone()).or_default().push(index);
    }
    for (cell, indices) in cells {
        let mut tasks: HashMap<&str, usize> = HashMap::new();
        let runs = indices.iter().map(|index| {
            let Measured { run, drifts } = &measured[*index];
            let next = tasks.len();
            let task = *tasks.entry(run.entry.head.task.as_str()).or_insert(next);
            let drifts = drifts.iter().map(|drift| [drift.action, drift.observation]).collect();
            DriftRun { task, drifts }
        });
        let runs: Vec<DriftRun> = runs.collect();
        let stream = xxh3_64(cell.to_string().as_bytes());
        let severities = cross_fitted(&runs, stream, &FitOptions::default());
        for (index, severities) in indices.into_iter().zip(severities) {
            let drifts = measured[index].drifts.iter_mut();
            let severities = severities.into_iter().flatten();
            drifts.zip(severities).for_each(|(drift, severity)| drift.severity = Some(severity));
        }
    }
}

/// Puts drifts and values in the tables of a store; returns whether that changes anything.
fn write(
    amendment: &mut Amendment,
    drifts: &[DriftRow],
    values: Vec<Score>,
    model: &str,
) -> Result<bool, LocalError> {
    let is_drift = |scorer: &str| DriftWeights::ALL.iter().any(|weights| weights.id() == scorer);
    let store = amendment.store();
    let known = |weights: DriftWeights| {
        let settings = store.manifest().scorers.get(weights.id());
        settings.and_then(|settings| settings.model.as_deref()) == Some(model)
    };
    let is_same_model = DriftWeights::ALL.into_iter().all(known);
    let mut scores = store.scores()?;
    let older: Vec<Score> = scores.extract_if(.., |row| is_drift(&row.scorer)).collect();
    if is_same_model && older == values && store.drift_rows()? == drifts {
        return Ok(false);
    }
    let span = store.manifest().span.clone();
    for weights in DriftWeights::ALL {
        let has_values = values.iter().any(|row| row.scorer == weights.id());
        let settings = ScorerSettings {
            model: Some(model.to_owned()),
            span: Some(span.clone().unwrap_or_else(|| "action".to_owned())),
            ..ScorerSettings::now()
        };
        amendment.settings(weights.id(), has_values.then_some(settings));
    }
    scores.extend(values);
    amendment.scores(&scores)?;
    amendment.drift(drifts)?;
    Ok(true)
}
