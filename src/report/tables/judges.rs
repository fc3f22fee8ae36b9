//! Judges: how well they agree, `ter` under each, and the pairs that a person should review.

use std::collections::HashSet;

use super::{
    CELL, COUNTS, DIFFERENCE, HELD_BACK, SKIPPED, TASKS, Unit, VALUE, cell_row, count_data,
    difference_data, ends, skipped, value_or_why, with_tasks,
};
use crate::engine::{
    Against, Audited, Engine, JudgeRow, LeftOut, NoTruth, PairId, PairOrder, Reason, TriageOptions,
    VoteSources,
};
use crate::metrics::Undefined;
use crate::metrics::bootstrap::Interval;
use crate::model::author_of;
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, TableColumn, count, flag, mark, real, text};
use crate::store::Vote;

const COLUMNS: [TableColumn; 44] = [
    text("judge"),
    text("against"),
    real("agreement"),
    real("agreement_lo"),
    real("agreement_hi"),
    real("kappa"),
    real("kappa_lo"),
    real("kappa_hi"),
    real("precision"),
    real("precision_lo"),
    real("precision_hi"),
    real("recall"),
    real("recall_lo"),
    real("recall_hi"),
    real("f1"),
    real("f1_lo"),
    real("f1_hi"),
    count("both_equivalent"),
    count("only_judge"),
    count("only_against"),
    count("both_different"),
    count("n"),
    count(TASKS),
    count("unparsed"),
    count("not_graded"),
    count("neither"),
    count("not_recorded"),
    count("assumed"),
    count("skipped"),
    count("minority"),
    mark("flagged"),
    count("votes_queue"),
    count("votes_audit"),
    count("votes_adjudication"),
    count("votes_direct"),
    count("votes_unknown"),
    count("audit_n"),
    count("audit_tasks"),
    real("audit_agreement"),
    real("audit_agreement_lo"),
    real("audit_agreement_hi"),
    real("audit_kappa"),
    real("audit_kappa_lo"),
    real("audit_kappa_hi"),
];

/// Every judge compared with every other one and with the database.
pub(crate) fn judges(engine: &Engine, options: &TableOptions, voter: Option<&str>) -> Table {
    let mut rows = engine.judge_rows(Some(options.resampling));
    voter.into_iter().for_each(|voter| engine.hold_back_rows(&mut rows, voter));
    let mut table = comparisons(engine, "judges compared with each other and the database", rows);
    table.notes.extend(truth_notes(engine.triage(&TriageOptions::default()).left_out));
    table
}

/// Says of votes on pairs that were not drawn at random what they do to agreement.
const BIASED: &str = "some votes are on pairs that were chosen for disagreement (votes_queue, \
                      votes_adjudication, votes_direct) or do not say how (votes_unknown), which \
                      biases agreement; audit_agreement and audit_kappa are over pairs drawn at random";

/// How many judged pairs have no database truth, and why.
fn truth_notes(left_out: LeftOut) -> Vec<String> {
    left_out.words().into_iter().chain(left_out.assumption()).collect()
}

/// People compared with each other: the rows of [`judges`] between two authors of votes.
pub(crate) fn annotators(engine: &Engine, options: &TableOptions) -> Table {
    let mut rows = engine.judge_rows(Some(options.resampling));
    rows.retain(|row| {
        let Against::Judge(other) = &row.against else { return false };
        author_of(&row.judge).is_some() && author_of(other).is_some()
    });
    comparisons(engine, "people compared with each other", rows)
}

fn comparisons(engine: &Engine, title: &str, rows: Vec<JudgeRow>) -> Table {
    let mut table = Table::new(title, &COLUMNS);
    if rows.iter().any(JudgeRow::is_biased) {
        table.notes.push(BIASED.to_owned());
    }
    if rows.iter().any(|row| row.held_back) {
        table.notes.push(HELD_BACK.to_owned());
    }
    for judge in rows {
        let [minority, flagged] = [judge.minority().into(), judge.is_flagged().into()];
        let against = match judge.against {
            Against::Judge(name) => name,
            Against::Database => "database".to_owned(),
        };
        let mut row: Vec<Datum> = vec![judge.judge.into(), against.into()];
        let mut most_skipped = None;
        let measures = [judge.agreement, judge.kappa, judge.precision, judge.recall, judge.f1];
        for (index, (value, interval)) in measures.into_iter().enumerate() {
            row.push(if index == KAPPA { kappa(value, judge.n) } else { value.into() });
            row.extend(ends(interval));
            most_skipped = most_skipped.max(interval.map(|interval| interval.skipped));
        }
        let counts = [
            judge.confusion.true_positives,
            judge.confusion.false_positives,
            judge.confusion.false_negatives,
            judge.confusion.true_negatives,
        ];
        let counted = |count: f64| {
            if judge.held_back { Datum::Missing } else { Datum::from(count as u64) }
        };
        row.extend(counts.map(counted));
        row.extend([judge.n.into(), judge.tasks.into(), judge.unparsed.into()]);
        let left_out = |count: fn(LeftOut) -> usize| Datum::from(judge.left_out.map(count));
        row.extend([left_out(|pairs| pairs.not_graded), left_out(|pairs| pairs.neither)]);
        row.extend([left_out(|pairs| pairs.not_recorded), left_out(|pairs| pairs.assumed)]);
        row.extend([most_skipped.into(), minority, flagged]);
        row.extend(votes_data(judge.votes, judge.audited.as_ref()));
        table.push(row);
    }
    with_tasks(table, Unit::Pairs, engine)
}

/// The index of κ among the measures.
const KAPPA: usize = 1;

/// κ or, where two sides were compared and it has no value, why.
fn kappa(value: Option<f64>, pairs: usize) -> Datum {
    match value {
        None if pairs > 0 => Datum::Undefined(Undefined::OneAnswer),
        value => value.into(),
    }
}

/// Where the votes come from, and agreement on the pairs drawn at random.
fn votes_data(votes: Option<VoteSources>, audited: Option<&Audited>) -> Vec<Datum> {
    let mut row: Vec<Datum> = match votes {
        Some(votes) => votes.counts().iter().map(|(_, count)| (*count).into()).collect(),
        None => vec![Datum::Missing; 5],
    };
    row.push(audited.map(|audited| audited.n).into());
    row.push(audited.map(|audited| audited.tasks).into());
    let measure =
        |of: fn(&Audited) -> (Option<f64>, Option<Interval>)| audited.map_or((None, None), of);
    let (agreement, range) = measure(|found| found.agreement);
    row.push(agreement.into());
    row.extend(ends(range));
    let (value, range) = measure(|found| found.kappa);
    row.push(kappa(value, audited.map_or(0, |audited| audited.n)));
    row.extend(ends(range));
    row
}

/// `ter` in every cell under every judge.
pub(crate) fn ter(engine: &Engine, options: &TableOptions, voter: Option<&str>) -> Table {
    let named = [text("judge"), count("pairs"), real("mean"), text("metric")];
    let shared = [count("difference_n"), count("difference_tasks")];
    let columns = [&CELL[..], &named, &VALUE, &DIFFERENCE, &COUNTS, &shared, &SKIPPED].concat();
    let mut table = Table::new("ter under every judge", &columns);
    let mut ters = engine.judge_ter(options.metric, Some(options.resampling));
    voter.into_iter().for_each(|voter| engine.hold_back_ters(&mut ters, voter));
    if ters.iter().any(|ter| ter.held_back) {
        table.notes.push(HELD_BACK.to_owned());
    }
    for ter in ters {
        let mut row = cell_row(&engine.frames()[ter.cell].cell);
        row.extend([ter.judge.to_string().into(), ter.pairs.into(), ter.mean.into()]);
        row.push(options.metric.id().into());
        row.push(value_or_why(options.metric, ter.value, ter.counts));
        row.extend(ends(ter.interval));
        row.extend(difference_data(ter.difference));
        row.extend(count_data(ter.counts));
        row.push(ter.difference.map(|difference| difference.n).into());
        row.push(ter.difference.map(|difference| difference.tasks).into());
        row.push(skipped(ter.interval));
        table.push(row);
    }
    with_tasks(table, Unit::Runs, engine)
}

/// The columns of who says what of a pair, and who settled it.
const PEOPLE: [TableColumn; 3] =
    [text("people_equivalent"), text("people_different"), text("settled_by")];

/// The values under [`PEOPLE`]: authors by name.
pub(in crate::report) fn people_data(engine: &Engine, pair: PairId) -> [Datum; 3] {
    let frame = &engine.frames()[pair.id.cell as usize];
    let task = &frame.tasks[pair.id.task as usize];
    let draws = (task.draw.min(pair.draw), task.draw.max(pair.draw));
    let on_pair = engine.votes().iter().filter(|vote| {
        (&vote.cell, &vote.task, vote.draw_a, vote.draw_b)
            == (&frame.cell, &task.id, draws.0, draws.1)
    });
    let votes: Vec<&Vote> = on_pair.collect();
    let names = |counts: &dyn Fn(&Vote) -> bool| -> Datum {
        let authors = votes.iter().filter(|vote| counts(vote)).map(|vote| vote.author.as_str());
        let authors: Vec<&str> = authors.collect();
        (!authors.is_empty()).then(|| authors.join(", ")).into()
    };
    let says = |vote: &Vote, equivalent| {
        !vote.is_adjudication() && vote.verdict.equivalent() == Some(equivalent)
    };
    [
        names(&|vote| says(vote, true)),
        names(&|vote| says(vote, false)),
        names(&|vote| vote.is_adjudication() && vote.verdict.equivalent().is_some()),
    ]
}

/// The pairs that a person should look at, in an order; for somebody who votes, without what is said of
/// pairs that are not voted on.
pub(crate) fn triage(engine: &Engine, order: PairOrder, voter: Option<&str>) -> Table {
    let mut values = vec![
        text("task"),
        count("draw"),
        text("reasons"),
        text("equivalent"),
        text("different"),
        text("database"),
        text("no_truth"),
        real("disagreement"),
        real("confidence"),
        real("effect"),
        real("priority"),
    ];
    if order == PairOrder::Adjudication {
        values.extend(PEOPLE);
    }
    values.push(flag("done"));
    let title = match order {
        PairOrder::Queue => "the pairs that a person should review first",
        PairOrder::Audit => "all pairs in random order",
        PairOrder::Adjudication => "the pairs on which people disagree",
    };
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    let judges = engine.judges();
    let author = voter.map(str::to_owned);
    let queue = engine.triage(&TriageOptions { author, order, ..TriageOptions::default() });
    table.notes = truth_notes(queue.left_out);
    let open = voter.map_or_else(HashSet::new, |voter| engine.open_pairs(&queue, voter));
    if !open.is_empty() {
        table.notes.push(HELD_BACK.to_owned());
    }
    for item in queue.items {
        let frame = &engine.frames()[item.pair.id.cell as usize];
        let mut row = cell_row(&frame.cell);
        row.push(frame.tasks[item.pair.id.task as usize].id.as_str().into());
        row.push(u64::from(item.pair.draw).into());
        if open.contains(&item.pair) {
            row.extend(vec![Datum::Missing; values.len() - 3]);
            row.push(item.done.into());
            table.push(row);
            continue;
        }
        let reasons: Vec<&str> = item.reasons.iter().copied().map(Reason::id).collect();
        row.push(reasons.join(" ").into());
        for equivalent in [true, false] {
            let said = item.opinions.iter().filter(|opinion| opinion.equivalent == equivalent);
            let names: Vec<&str> = said.map(|opinion| judges[opinion.judge].as_str()).collect();
            row.push((!names.is_empty()).then(|| names.join(", ")).into());
        }
        let word = |same| if same { "equivalent" } else { "different" };
        row.push(item.truth.ok().map(word).into());
        row.push(item.truth.err().map(NoTruth::id).into());
        row.extend([item.disagreement, item.confidence].map(Datum::from));
        row.extend([item.effect, item.priority()].map(Datum::from));
        if order == PairOrder::Adjudication {
            row.extend(people_data(engine, item.pair));
        }
        row.push(item.done.into());
        table.push(row);
    }
    table
}
