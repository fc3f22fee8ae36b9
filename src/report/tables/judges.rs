//! Judges: how far they agree, what `ter` is under each, and which pairs a person should look at.

use super::{CELL, COUNTS, DIFFERENCE, VALUE, cell_row, count_data, ends, value_or_why};
use crate::engine::{Against, Engine, JudgeRow, Reason, TriageOptions};
use crate::model::author_of;
use crate::report::TableOptions;
use crate::report::table::{Datum, Table, TableColumn, count, flag, real, text};

const COLUMNS: [TableColumn; 23] = [
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
    count("unparsed"),
];

/// Every judge compared with every other one and with the database.
pub(crate) fn judges(engine: &Engine, options: &TableOptions) -> Table {
    let rows = engine.judge_rows(Some(options.resampling));
    comparisons("judges compared with each other and the database", rows)
}

/// People compared with each other: the rows of [`judges`] between two authors of votes.
pub(crate) fn annotators(engine: &Engine, options: &TableOptions) -> Table {
    let mut rows = engine.judge_rows(Some(options.resampling));
    rows.retain(|row| {
        let Against::Judge(other) = &row.against else { return false };
        author_of(&row.judge).is_some() && author_of(other).is_some()
    });
    comparisons("people compared with each other", rows)
}

fn comparisons(title: &str, rows: Vec<JudgeRow>) -> Table {
    let mut table = Table::new(title, &COLUMNS);
    for judge in rows {
        let against = match judge.against {
            Against::Judge(name) => name,
            Against::Database => "database".to_owned(),
        };
        let mut row: Vec<Datum> = vec![judge.judge.into(), against.into()];
        let measures = [judge.agreement, judge.kappa, judge.precision, judge.recall, judge.f1];
        for (value, interval) in measures {
            row.push(value.into());
            row.extend(ends(interval));
        }
        let counts = [
            judge.confusion.true_positives,
            judge.confusion.false_positives,
            judge.confusion.false_negatives,
            judge.confusion.true_negatives,
        ];
        row.extend(counts.map(|count| Datum::from(count as u64)));
        row.extend([judge.n.into(), judge.unparsed.into()]);
        table.push(row);
    }
    table
}

/// `ter` in every cell under every judge.
pub(crate) fn ter(engine: &Engine, options: &TableOptions) -> Table {
    let named = [text("judge"), count("pairs"), real("mean"), text("metric")];
    let columns = [&CELL[..], &named, &VALUE, &DIFFERENCE, &COUNTS].concat();
    let mut table = Table::new("ter under every judge", &columns);
    for ter in engine.judge_ter(options.metric, Some(options.resampling)) {
        let mut row = cell_row(&engine.frames()[ter.cell].cell);
        row.extend([ter.judge.to_string().into(), ter.pairs.into(), ter.mean.into()]);
        row.push(options.metric.id().into());
        row.push(value_or_why(options.metric, ter.value, ter.counts));
        row.extend(ends(ter.interval));
        row.push(ter.difference.into());
        row.extend(ends(ter.paired));
        row.extend(count_data(ter.counts));
        table.push(row);
    }
    table
}

/// The pairs that a person should look at first.
pub(crate) fn triage(engine: &Engine) -> Table {
    let values = [
        text("task"),
        count("draw"),
        text("reasons"),
        text("equivalent"),
        text("different"),
        text("database"),
        real("disagreement"),
        real("confidence"),
        real("effect"),
        real("priority"),
        flag("done"),
    ];
    let title = "the pairs that a person should look at first";
    let mut table = Table::new(title, &[&CELL[..], &values].concat());
    let judges = engine.judges();
    for item in engine.triage(&TriageOptions::default()).items {
        let frame = &engine.frames()[item.pair.id.cell as usize];
        let mut row = cell_row(&frame.cell);
        row.push(frame.tasks[item.pair.id.task as usize].id.as_str().into());
        row.push(u64::from(item.pair.draw).into());
        let reasons: Vec<&str> = item.reasons.iter().copied().map(Reason::id).collect();
        row.push(reasons.join(" ").into());
        for equivalent in [true, false] {
            let said = item.opinions.iter().filter(|opinion| opinion.equivalent == equivalent);
            let names: Vec<&str> = said.map(|opinion| judges[opinion.judge].as_str()).collect();
            row.push((!names.is_empty()).then(|| names.join(", ")).into());
        }
        row.push(item.truth.map(|same| if same { "equivalent" } else { "different" }).into());
        row.extend([item.disagreement, item.confidence].map(Datum::from));
        row.extend([item.effect, item.priority()].map(Datum::from));
        row.push(item.done.into());
        table.push(row);
    }
    table
}
