//! Runs into a comparison.

use std::ops::Range;

use super::comparison::{
    Agreement, Beside, Comparison, Kind, Pane, Part, Remark, Returned, Row, Said, Verdict,
};
use crate::compare::{
    Contrast, RowKind, Sheet, Step, TurnView, before, ended_badly, run_confidence, turn_views,
};
use crate::model::{Cell, Head, Judgment, Message, Trajectory};
use crate::scorers::Scorer;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::consistency::Consistency;
use crate::scorers::whitebox::Base;
use crate::store::Note;

/// What is known about the runs beyond themselves. All of it may be left out.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// A scorer that is no white-box one, with its value for every run.
    pub scored: Option<(Scorer, Vec<Option<f64>>)>,
    /// What the task asks.
    pub instruction: Option<String>,
    /// What judges say; of other tasks and pairs, too.
    pub judgments: Vec<Judgment>,
    /// What people wrote; of other tasks, too.
    pub notes: Vec<Note>,
}

impl Comparison {
    /// Compares runs of one task with the first of them. The turns' confidences, ranks and weights
    /// are those of the base score and the aggregator, and so are the runs' scores unless `around`
    /// brings others.
    pub fn new(runs: &[&Trajectory], base: Base, rule: Aggregator, around: &Around) -> Self {
        let sheet = Sheet::new(runs);
        let white_box = Scorer::WhiteBox(base, rule);
        let scorer = around.scored.as_ref().map_or(&white_box, |own| &own.0);
        let score = |place: usize, run: &Trajectory| match &around.scored {
            Some((_, values)) => values.get(place).copied().flatten(),
            None => run_confidence(run, base, rule),
        };
        let labels = labels(runs);
        let panes: Vec<Pane> = runs
            .iter()
            .enumerate()
            .map(|(place, run)| pane(run, labels[place].clone(), score(place, run)))
            .collect();
        let views: Vec<_> = runs.iter().map(|run| turn_views(run, base, rule)).collect();
        let table = Table { runs, sheet: &sheet, views };
        let task = runs.first().map_or("", |own| &own.head.task);
        let dataset = runs.first().map_or("", |own| &own.head.cell.dataset);
        Self {
            task: task.to_owned(),
            dataset: dataset.to_owned(),
            scorer: scorer.id().to_owned(),
            aggregator: scorer.aggregator().map(Aggregator::id),
            turn_scorer: base.id().to_owned(),
            turn_aggregator: rule.id(),
            first_divergence: sheet.rows.iter().position(crate::compare::Row::parts),
            rows: (0..sheet.rows.len()).map(|row| table.row(row)).collect(),
            instruction: around.instruction.clone(),
            judgments: verdicts(&panes, task, &around.judgments),
            pairs: agreements(runs, &sheet, &panes),
            notes: remarks(&panes, task, &around.notes),
            panes,
        }
    }
}

/// Names of panes: draws, with what tells their cells from the first pane's.
fn labels(runs: &[&Trajectory]) -> Vec<String> {
    let first = runs.first().map(|own| &own.head.cell);
    let label = |own: &Head| match first {
        Some(first) if own.cell != *first => {
            let Cell { model, condition, .. } = &own.cell;
            let unlike = *condition != first.condition;
            let condition = if unlike { format!("/{condition}") } else { String::new() };
            format!("{}@{model}{condition}", own.draw)
        }
        _ => own.draw.to_string(),
    };
    runs.iter().map(|run| label(&run.head)).collect()
}

fn pane(run: &Trajectory, label: String, score: Option<f64>) -> Pane {
    let head = &run.head;
    Pane {
        label,
        cell: head.cell.clone(),
        draw: head.draw,
        success: head.outcome.success,
        reward: head.outcome.reward,
        reward_parts: (&head.outcome.parts).into(),
        db_match: head.outcome.db_match,
        termination: head.termination.clone(),
        cut_off: ended_badly(run),
        cost: head.cost,
        user_cost: head.user_cost,
        duration: head.duration,
        temperature: head.temperature,
        prompt_tokens: head.prompt_tokens,
        completion_tokens: head.completion_tokens,
        turns: head.turns,
        tools: head.tools,
        turns_with_logprobs: head.turns_with_logprobs,
        score,
    }
}

struct Table<'r> {
    runs: &'r [&'r Trajectory],
    sheet: &'r Sheet,
    views: Vec<Vec<TurnView>>,
}

impl Table<'_> {
    fn row(&self, row: usize) -> Row {
        let own = &self.sheet.rows[row];
        let cell = |pane: usize| match own.kind {
            RowKind::Before => {
                let run = self.runs[pane];
                let messages = said(run, before(run));
                Some(Part { messages, ..Part::default() })
            }
            RowKind::Action => Some(self.action(row, pane, self.sheet.step(row, pane)?)),
            RowKind::End => Some(Part { error: ended_badly(self.runs[pane]), ..Part::default() }),
        };
        let kind = match own.kind {
            RowKind::Before => Kind::Before,
            RowKind::Action => Kind::Action,
            RowKind::End => Kind::End,
        };
        let cells = (0..self.runs.len()).map(cell).collect();
        Row { kind, parts: own.parts(), error: own.error, cells }
    }

    fn action(&self, row: usize, pane: usize, step: &Step) -> Part {
        let run = self.runs[pane];
        let view = &self.views[pane][step.turn];
        let (contrast, keys) = match self.sheet.contrast(row, pane) {
            Contrast::None | Contrast::Missing => (None, Vec::new()),
            Contrast::Same => (Some(Beside::Same), Vec::new()),
            Contrast::Arguments(keys) => (Some(Beside::Arguments), keys.clone()),
            Contrast::Other => (Some(Beside::Other), Vec::new()),
            Contrast::OnlyHere => (Some(Beside::OnlyHere), Vec::new()),
        };
        // A turn's words stand with its first action only.
        let message = Some(step.message(run)).filter(|_| step.is_first());
        let returned = |own: &Message| Returned {
            text: own.content.clone().unwrap_or_default(),
            error: own.error,
        };
        let is_result = |own: &usize| {
            let own = &run.messages[*own];
            own.role == crate::model::Role::Tool && !own.for_user
        };
        let others = step.after.iter().copied().filter(|own| !is_result(own));
        Part {
            turn: Some(step.turn + 1),
            call: step.call.map(|own| own + 1),
            action: Some(step.kind(run).to_owned()),
            confidence: view.confidence,
            rank: view.rank,
            weight: view.weight,
            tokens: run.turns[step.turn].tokens.as_ref().map(crate::model::TokenSeq::len),
            weakest: view.weakest,
            contrast,
            keys,
            reasoning: message.and_then(|own| own.reasoning.clone()),
            words: message.and_then(|own| own.content.clone()),
            arguments: step.call(run).map(|own| own.arguments.clone()),
            results: step.results(run).map(returned).collect(),
            messages: others.flat_map(|own| said(run, own..own + 1)).collect(),
            error: step.failed(run),
        }
    }
}

fn said(run: &Trajectory, places: Range<usize>) -> Vec<Said> {
    let messages = run.messages[places].iter();
    let said = messages.map(|own| Said {
        role: own.role.as_str(),
        text: own.content.clone(),
        reasoning: own.reasoning.clone(),
        calls: own.tool_calls.clone(),
        error: own.error,
        for_user: own.for_user,
        scripted: own.scripted,
    });
    said.collect()
}

/// What judges say of pairs that are shown.
fn verdicts(panes: &[Pane], task: &str, all: &[Judgment]) -> Vec<Verdict> {
    let shown = |cell: &Cell, draw: u32| panes.iter().any(|p| p.draw == draw && p.cell == *cell);
    let own = all.iter().filter(|own| {
        own.task == task && shown(&own.cell, own.draw_a) && shown(&own.cell, own.draw_b)
    });
    own.map(|own| Verdict {
        cell: own.cell.clone(),
        draw_a: own.draw_a,
        draw_b: own.draw_b,
        judge: own.judge.clone(),
        equivalent: own.equivalent,
        confidence: own.confidence,
    })
    .collect()
}

fn agreements(runs: &[&Trajectory], sheet: &Sheet, panes: &[Pane]) -> Vec<Agreement> {
    let agreement = |other: usize| {
        let [a, b] = [0, other].map(|own| &runs[own].head.action_types);
        Agreement {
            a: panes[0].label.clone(),
            b: panes[other].label.clone(),
            edits: sheet.edits(other),
            aec: Consistency::Aec.pair(a, b),
            asc: Consistency::Asc.pair(a, b),
            adc: Consistency::Adc.pair(a, b),
            fac: Consistency::Fac.pair(a, b),
        }
    };
    (1..runs.len()).map(agreement).collect()
}

/// The notes on the task in the cells that are shown.
fn remarks(panes: &[Pane], task: &str, notes: &[Note]) -> Vec<Remark> {
    let own = notes
        .iter()
        .filter(|own| own.task == task && panes.iter().any(|pane| pane.cell == own.cell));
    own.map(|own| Remark {
        time: own.time,
        author: own.author.clone(),
        cell: own.cell.clone(),
        draw: own.draw,
        turn: own.turn.map(|turn| u64::from(turn) + 1),
        note: own.note.clone(),
    })
    .collect()
}
