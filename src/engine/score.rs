//! Computing what a store does not hold yet, and keeping it there.

use std::collections::HashSet;
use std::path::Path;

use super::{Engine, Frame};
use crate::model::{Cell, PairValue, Score, Trajectory};
use crate::scorers::consistency::Consistency;
use crate::scorers::whitebox::{self, Base, Spans};
use crate::scorers::{Family, Scorer};
use crate::store::{Amendment, Entry, Store, StoreError, TurnColumns};

/// What to compute.
#[derive(Clone, Debug, Default)]
pub struct ScoreOptions {
    /// Only scorers with these ids.
    pub scorers: Option<Vec<String>>,
    /// The tokens that turn scores are over; as before when unsaid.
    pub span: Option<Spans>,
}

/// What was computed, what was there, and what could not be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoreSummary {
    /// Scorers with the number of values computed now.
    pub computed: Vec<(String, usize)>,
    /// Scorers all of whose values were there.
    pub kept: Vec<String>,
    /// What has no value, and why.
    pub missing: Vec<String>,
    /// Turns were scored anew, over another span.
    pub rescored: bool,
}

/// Computes the offline scorers of a store and writes what is missing, all in one step. A run that is
/// cut short leaves the store as it was, and the next one begins where the store is.
pub fn score(
    path: &Path,
    options: &ScoreOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<ScoreSummary, StoreError> {
    let mut summary = ScoreSummary::default();
    let mut amendment = Amendment::begin(path)?;
    let current = Spans::of(amendment.store().manifest().span.as_deref());
    let turns = match options.span.filter(|span| *span != current) {
        Some(span) => {
            summary.rescored = true;
            let set = |run: &mut Trajectory| whitebox::score_turns(run, span);
            TurnColumns::of(&amendment.turns(span.id(), set, progress)?)
        }
        None => amendment.store().turn_columns()?,
    };
    let engine = Engine::with_turns(amendment.store(), None, || Ok(turns))?;
    let wanted =
        |id: &str| options.scorers.as_ref().is_none_or(|own| own.iter().any(|own| own == id));
    let pairs = missing_pairs(amendment.store(), &wanted)?;
    let scores = missing_scores(amendment.store(), &engine, &wanted, &mut summary)?;
    explain(&engine, &wanted, &mut summary);
    if pairs.is_none() && scores.is_none() && !summary.rescored {
        return Ok(summary);
    }
    if let Some(pairs) = pairs {
        amendment.pairs(&pairs)?;
    }
    if let Some(scores) = scores {
        amendment.scores(&scores)?;
    }
    amendment.commit()?;
    Ok(summary)
}

/// All pair values with those that were missing; none when none was.
fn missing_pairs(
    store: &Store,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Option<Vec<PairValue>>, StoreError> {
    let mut pairs = store.pairs()?;
    let known: HashSet<(Cell, String, u32, String)> = pairs
        .iter()
        .map(|row| (row.cell.clone(), row.task.clone(), row.draw_b, row.scorer.clone()))
        .collect();
    let before = pairs.len();
    let entries = store.entries()?;
    let tasks = entries.chunk_by(|a, b| a.head.cell == b.head.cell && a.head.task == b.head.task);
    for draws in tasks.filter(|draws| draws[0].head.draw == 0) {
        for scorer in Consistency::ALL.into_iter().filter(|own| wanted(own.id())) {
            pairs.extend(draws[1..].iter().filter_map(|Entry { head, .. }| {
                let id = scorer.id().to_owned();
                let key = (head.cell.clone(), head.task.clone(), head.draw, id);
                (!known.contains(&key)).then(|| PairValue {
                    cell: head.cell.clone(),
                    task: head.task.clone(),
                    draw_a: 0,
                    draw_b: head.draw,
                    scorer: key.3,
                    value: Some(scorer.pair(&draws[0].head.action_types, &head.action_types)),
                })
            }));
        }
    }
    Ok((pairs.len() > before).then_some(pairs))
}

/// All scores with those that were missing or stale; none when none was.
fn missing_scores(
    store: &Store,
    engine: &Engine,
    wanted: &dyn Fn(&str) -> bool,
    summary: &mut ScoreSummary,
) -> Result<Option<Vec<Score>>, StoreError> {
    let mut scores = store.scores()?;
    if summary.rescored {
        let over_tokens = [Family::WhiteBox, Family::Propagation];
        scores.retain(|row| !over_tokens.contains(&Family::of_id(&row.scorer)));
    }
    let key = |row: &Score| {
        let names = (row.scorer.clone(), row.aggregator.clone());
        (row.cell.clone(), row.task.clone(), row.draw, names)
    };
    let known: HashSet<_> = scores.iter().map(key).collect();
    let before = scores.len();
    for scorer in Scorer::offline().into_iter().filter(|own| wanted(own.id())) {
        let all: Vec<Score> =
            engine.frames().iter().flat_map(|frame| values(frame, &scorer)).collect();
        let total = all.len();
        let new: Vec<Score> = all.into_iter().filter(|row| !known.contains(&key(row))).collect();
        match (total, new.len()) {
            (0, _) => {}
            (_, 0) => summary.kept.push(scorer.to_string()),
            (_, count) => summary.computed.push((scorer.to_string(), count)),
        }
        scores.extend(new);
    }
    Ok((scores.len() != before || summary.rescored).then_some(scores))
}

/// The scorer's values for a cell's references.
fn values(frame: &Frame, scorer: &Scorer) -> Vec<Score> {
    let Some(values) = frame.values(scorer) else { return Vec::new() };
    let known = (0..frame.tasks.len()).filter(|&task| !values.rank[task].is_nan());
    known
        .map(|task| Score {
            cell: frame.cell.clone(),
            task: frame.tasks[task].id.clone(),
            draw: 0,
            scorer: scorer.id().to_owned(),
            aggregator: scorer.aggregator().map(crate::scorers::aggregate::Aggregator::id),
            value: Some(values.confidence(task)),
        })
        .collect()
}

/// Says which families have no values, or only some, and why.
fn explain(engine: &Engine, wanted: &dyn Fn(&str) -> bool, summary: &mut ScoreSummary) {
    let tasks: usize = engine.frames().iter().map(|frame| frame.tasks.len()).sum();
    let count = |has: &dyn Fn(&Frame, usize) -> bool| -> usize {
        let own = |frame: &Frame| (0..frame.tasks.len()).filter(|&task| has(frame, task)).count();
        engine.frames().iter().map(own).sum()
    };
    let mut say = |family: &str, some: usize, what: &str, remedy: &str| {
        if some < tasks {
            summary.missing.push(format!("{family}: {some} of {tasks} {what}; {remedy}"));
        }
    };
    if ["sp", "lnsp", "atn", "pm"].iter().any(|id| wanted(id)) {
        let scored = count(&|frame, task| !frame.turn_values(task, Base::Sp).is_empty());
        let remedy = "record them when the agent runs (see docs/import.md)";
        say("white-box", scored, "references have log-probabilities", remedy);
    }
    if Consistency::ALL.iter().any(|own| wanted(own.id())) {
        let sampled = count(&|frame, task| !frame.tasks[task].samples.is_empty());
        say("consistency", sampled, "tasks have a sample", "run each task more than once");
    }
    for (id, what, remedy) in [
        ("ter", "tasks have a judged pair", "a judge's verdicts are needed"),
        ("ncp", "tasks have a value", "an NLI model is needed"),
        ("ptrue", "references have a value", "the agent's model is needed"),
        ("vc", "references have a value", "the agent's model is needed"),
    ] {
        if wanted(id) {
            let scorer = if id == "ter" { Scorer::Ter } else { Scorer::Stored(id.to_owned()) };
            let known: usize =
                engine.frames().iter().map(|frame| values(frame, &scorer).len()).sum();
            say(id, known, what, remedy);
        }
    }
}
