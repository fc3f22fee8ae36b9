//! The pairs on which judges disagree, contradict the database or are unsure.

use std::collections::BTreeSet;

use askama::Template;

use super::Source;
use super::runs::{ComparedRuns, PairName};
use crate::engine::{Engine, PairId, Reason, TriageItem, TriageOptions};
use crate::report::Datum;
use crate::report::tables::judges::people_data;
use crate::text::{counted, grouped, visible};

/// The most urgent pairs.
pub(super) struct Queue {
    pub(super) items: Vec<QueuedPair>,
    /// How many there are.
    pub(super) total: usize,
}

/// A pair of the queue.
pub(super) struct QueuedPair {
    pub(super) name: PairName,
    item: TriageItem,
}

/// The pairs that go in: those of listed tasks, the most urgent first.
pub(super) fn queue(source: &Source<'_>) -> Queue {
    let engine = source.engine;
    let mut items: Vec<QueuedPair> = Vec::new();
    for item in engine.triage(&TriageOptions::default()).items {
        let frame = &engine.frames()[item.pair.id.cell as usize];
        let task = &frame.tasks[item.pair.id.task as usize];
        if source.lists(&frame.cell, &task.id) {
            let draws = vec![task.draw, item.pair.draw];
            items.push(QueuedPair { name: PairName { id: item.pair.id, draws }, item });
        }
    }
    let total = items.len();
    items.truncate(source.options.disagreements);
    Queue { items, total }
}

#[derive(Template)]
#[template(path = "page/disagreements.html")]
pub(super) struct Disagreements {
    summary: String,
    votes: String,
    columns: [(&'static str, bool); 9],
    pairs: Vec<Row>,
}

struct Row {
    key: String,
    is_open: bool,
    task: String,
    draws: String,
    cell: String,
    reasons: String,
    equivalent: String,
    different: String,
    database: &'static str,
    people: String,
    priority: String,
    exact: String,
}

/// The list of the pairs; none where there is none.
pub(super) fn view(
    source: &Source<'_>,
    queue: &Queue,
    compared: &ComparedRuns,
) -> Option<Disagreements> {
    if queue.items.is_empty() {
        return None;
    }
    let columns = [
        ("#", true),
        ("pair", false),
        ("cell", false),
        ("why", false),
        ("equivalent", false),
        ("different", false),
        ("database", false),
        ("people", false),
        ("priority", true),
    ];
    let summary = format!(
        "The {} most urgent of {} on which judges disagree, contradict the database or are unsure: \
         disagreement × confidence × effect.",
        grouped(queue.items.len() as u64),
        counted(queue.total as u64, "pair")
    );
    Some(Disagreements {
        summary,
        votes: format!("Votes of people that are shown: {}.", voters(source.engine)),
        columns,
        pairs: queue.items.iter().map(|pair| row(source.engine, pair, compared)).collect(),
    })
}

/// Whose votes are shown.
pub(super) fn voters(engine: &Engine) -> String {
    let authors: BTreeSet<&str> = engine.votes().iter().map(|vote| vote.author.as_str()).collect();
    if authors.is_empty() {
        return "none".to_owned();
    }
    let authors: Vec<_> = authors.into_iter().map(visible).collect();
    authors.join(", ")
}

fn row(engine: &Engine, pair: &QueuedPair, compared: &ComparedRuns) -> Row {
    let QueuedPair { name, item } = pair;
    let PairId { id, draw } = item.pair;
    let frame = &engine.frames()[id.cell as usize];
    let task = &frame.tasks[id.task as usize];
    let reasons: Vec<&str> = item.reasons.iter().copied().map(Reason::id).collect();
    let said = |equivalent: bool| {
        let opinions = item.opinions.iter().filter(|opinion| opinion.equivalent == equivalent);
        let names = opinions.map(|opinion| {
            let name = visible(&engine.judges()[opinion.judge]).into_owned();
            opinion.confidence.map_or(name.clone(), |value| format!("{name} {value:.2}"))
        });
        names.collect::<Vec<_>>().join(", ")
    };
    let people =
        people_data(engine, item.pair).into_iter().zip(["equivalent", "different", "settled by"]);
    let people = people.filter_map(|(datum, word)| match datum {
        Datum::Text(names) => Some(format!("{word}: {}", visible(&names))),
        _ => None,
    });
    Row {
        key: name.key(),
        is_open: compared.has(name),
        task: visible(&task.id).into_owned(),
        draws: format!("{}–{draw}", task.draw),
        cell: visible(&frame.cell.to_string()).into_owned(),
        reasons: reasons.join(", "),
        equivalent: said(true),
        different: said(false),
        database: match item.truth {
            Ok(true) => "equivalent",
            Ok(false) => "different",
            Err(_) => "–",
        },
        people: match people.collect::<Vec<_>>() {
            none if none.is_empty() => "–".to_owned(),
            people => people.join("; "),
        },
        priority: format!("{:.3}", item.priority()),
        exact: format!("{:.9}", item.priority()),
    }
}
