//! Tables of judges.

use super::kind::TableOptions;
use super::rows::{Field, Rows};
use super::tables::{cell_fields, count_fields, ends, undefined};
use crate::engine::{Against, Engine, JudgeRow, Reason, TriageOptions};
use crate::model::author_of;

const JUDGES: [&str; 23] = [
    "judge",
    "against",
    "agreement",
    "agreement_lo",
    "agreement_hi",
    "kappa",
    "kappa_lo",
    "kappa_hi",
    "precision",
    "precision_lo",
    "precision_hi",
    "recall",
    "recall_lo",
    "recall_hi",
    "f1",
    "f1_lo",
    "f1_hi",
    "both_equivalent",
    "only_judge",
    "only_against",
    "both_different",
    "n",
    "unparsed",
];

pub(super) fn judges(engine: &Engine, options: &TableOptions) -> Rows {
    judge_rows(engine.judge_rows(Some(options.resampling)))
}

/// People against each other: the rows of [`judges`] between two authors of votes.
pub fn annotators(engine: &Engine, options: &TableOptions) -> Rows {
    let mut rows = engine.judge_rows(Some(options.resampling));
    rows.retain(|own| {
        let Against::Judge(other) = &own.against else { return false };
        author_of(&own.judge).is_some() && author_of(other).is_some()
    });
    judge_rows(rows)
}

fn judge_rows(judges: Vec<JudgeRow>) -> Rows {
    let mut rows = Rows::new(&JUDGES);
    for own in judges {
        let against = match own.against {
            Against::Judge(name) => name,
            Against::Database => "database".to_owned(),
        };
        let mut row: Vec<Field> = vec![own.judge.into(), against.into()];
        for (value, interval) in [own.agreement, own.kappa, own.precision, own.recall, own.f1] {
            row.push(value.into());
            row.extend(ends(interval));
        }
        let counts = own.confusion;
        let counts = [
            counts.true_positives,
            counts.false_positives,
            counts.false_negatives,
            counts.true_negatives,
        ];
        row.extend(counts.map(|count| Field::from(count as u64)));
        row.extend([own.n.into(), own.unparsed.into()]);
        rows.push(row);
    }
    rows
}

pub(super) fn ter(engine: &Engine, options: &TableOptions) -> Rows {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "judge",
        "pairs",
        "mean",
        "metric",
        "value",
        "lo",
        "hi",
        "difference",
        "difference_lo",
        "difference_hi",
        "n",
        "successes",
        "minority",
        "flagged",
    ]);
    for own in engine.judge_ter(options.metric, Some(options.resampling)) {
        let mut row = cell_fields(&engine.frames()[own.cell].cell).to_vec();
        row.extend([own.judge.to_string().into(), own.pairs.into(), own.mean.into()]);
        row.push(options.metric.id().into());
        row.push(own.value.map_or_else(|| undefined(options.metric, own.counts), Field::from));
        row.extend(ends(own.interval));
        row.push(own.difference.into());
        row.extend(ends(own.paired));
        row.extend(count_fields(own.counts));
        rows.push(row);
    }
    rows
}

pub(super) fn triage(engine: &Engine) -> Rows {
    let mut rows = Rows::new(&[
        "dataset",
        "model",
        "condition",
        "task",
        "draw",
        "reasons",
        "equivalent",
        "different",
        "database",
        "disagreement",
        "confidence",
        "effect",
        "priority",
        "done",
    ]);
    let judges = engine.judges();
    for own in engine.triage(&TriageOptions::default()).items {
        let frame = &engine.frames()[own.pair.id.cell as usize];
        let mut row = cell_fields(&frame.cell).to_vec();
        row.push(frame.tasks[own.pair.id.task as usize].id.clone().into());
        row.push(u64::from(own.pair.draw).into());
        row.push(
            own.reasons.iter().map(|own| Reason::id(*own)).collect::<Vec<_>>().join(" ").into(),
        );
        for wanted in [true, false] {
            let said = own.opinions.iter().filter(|own| own.equivalent == wanted);
            let names: Vec<&str> = said.map(|own| judges[own.judge].as_str()).collect();
            row.push((!names.is_empty()).then(|| names.join(", ")).into());
        }
        row.push(own.truth.map(|same| if same { "equivalent" } else { "different" }).into());
        row.extend([own.disagreement, own.confidence, own.effect, own.priority()].map(Field::from));
        row.push(own.done.into());
        rows.push(row);
    }
    rows
}
