//! The contexts, drifts and answers of the demo say what its values say.

use std::collections::HashMap;

use super::*;
use crate::model::{Drift, Role};
use crate::models::{NextAction, Question, Said, read_answer};
use crate::scorers::propagation::DriftWeights;
use crate::store::Answer;

#[test]
fn agents_have_rules_and_the_tools_that_they_call() {
    for cell in full() {
        let first = cell.trajectories[0].context.as_ref().expect("a context");
        let tools = first.tools.as_deref().expect("tools");
        let tools: Vec<serde_json::Value> = serde_json::from_str(tools).expect("a list");
        let names: Vec<&str> =
            tools.iter().filter_map(|tool| tool.pointer("/function/name")?.as_str()).collect();
        assert_eq!(names.len(), tools.len());
        assert_eq!(first.policy.is_none(), cell.cell.dataset == "bfcl-v4");
        assert_ne!(first.policy.is_some(), first.system.is_some());
        for run in &cell.trajectories {
            assert_eq!(run.context.as_ref(), Some(first));
            let turns = run.messages.iter().filter(|message| message.is_turn());
            for call in turns.flat_map(|message| &message.tool_calls) {
                assert!(names.contains(&call.name.as_str()), "{}: {}", cell.cell, call.name);
                let definition =
                    &tools[names.iter().position(|name| *name == call.name).expect("it")];
                let given: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_str(&call.arguments).expect("an object");
                let known = &definition["function"]["parameters"]["properties"];
                assert!(given.keys().all(|key| known.get(key).is_some()), "{}", call.name);
            }
        }
    }
}

#[test]
fn drifts_give_the_values_of_the_propagation_scorers() {
    for cell in full() {
        let values = DriftWeights::ALL.map(|weights| of_scorer(cell, weights.id()));
        assert_eq!(cell.drift.len(), cell.tasks.len());
        for (task, (run, drifts)) in references(cell).zip(&cell.drift).enumerate() {
            assert_eq!(drifts.len(), run.turns.len());
            let doubt = |turn: &crate::model::Turn| {
                let scores = turn_scores(turn.tokens.as_ref()?, Spans::Action)?;
                Some(-scores.sp_log / f64::from(scores.tokens))
            };
            let doubts: Vec<f64> = run.turns.iter().filter_map(doubt).collect();
            for (weights, values) in DriftWeights::ALL.into_iter().zip(&values) {
                let again = weights.score(&doubts, drifts).expect("a value");
                assert!((again - values[task]).abs() < 1e-6, "{again} {}", values[task]);
            }
            drifts_are_possible(run, drifts);
        }
    }
}

fn drifts_are_possible(run: &Trajectory, drifts: &[Drift]) {
    for (turn, drift) in run.turns.iter().zip(drifts) {
        assert!((0.0..=2.0).contains(&drift.action) && (0.0..=2.0).contains(&drift.observation));
        assert!(drift.severity.is_some_and(|severity| (1.0..=3.0).contains(&severity)));
        let after = run.messages.get(turn.message as usize + 1);
        let is_observed = after.is_some_and(|next| matches!(next.role, Role::User | Role::Tool));
        assert_eq!(drift.observation > 0.0, is_observed, "{}", run.head.task);
    }
}

/// Answers with what they say.
type SaidAnswers = Vec<(Answer, Result<Said, String>)>;

/// The answers of a cell, by question.
fn said(cell: &CellData) -> HashMap<Question, SaidAnswers> {
    let mut by_question: HashMap<Question, SaidAnswers> = HashMap::new();
    for answer in cell.answers.answers() {
        let question = Question::of_id(&answer.question).expect("a question");
        let runs: Vec<String> = [Some(answer.draw), answer.other]
            .into_iter()
            .flatten()
            .map(|draw| {
                let task: usize = answer.task.parse().expect("a number");
                let head = &cell.trajectories[task * DRAWS + draw as usize].head;
                format!("{:016x}", head.fingerprint.expect("a fingerprint"))
            })
            .collect();
        assert_eq!(answer.runs, runs);
        assert!(answer.asked.ends_with("(synthetic)"), "{}", answer.asked);
        let said = read_answer(question, &answer.answer).said;
        by_question.entry(question).or_default().push((answer, said));
    }
    by_question
}

#[test]
fn answers_give_the_verdicts_and_the_self_assessment() {
    for cell in full() {
        let said = said(cell);
        let verdicts = &said[&Question::Ter];
        assert_eq!(verdicts.len(), cell.judgments.len());
        for ((answer, said), judgment) in verdicts.iter().zip(&cell.judgments) {
            let about = (&answer.task, answer.draw, answer.other, &answer.asked);
            let Judgment { task, draw_a, draw_b, judge, .. } = judgment;
            assert_eq!(about, (task, *draw_a, Some(*draw_b), judge));
            let verdict = said.as_ref().ok().and_then(Said::verdict);
            assert_eq!(verdict.map(|verdict| verdict.equivalent), judgment.equivalent);
            assert_eq!(verdict.map(|verdict| verdict.confidence), judgment.confidence);
        }
        let near = |id: &str, question, value: fn(&Said) -> Option<f64>| {
            let found =
                said[&question].iter().map(|(_, said)| value(said.as_ref().expect("parsed")));
            for (found, stored) in found.zip(of_scorer(cell, id)) {
                let off = found.expect("a value") - stored;
                assert!(off.abs() < 1e-9, "{id} {stored} {off}");
            }
            assert_eq!(said[&question].len(), cell.tasks.len());
        };
        near("ptrue", Question::PTrue, |said| Some(said.truth()?.on_true));
        near("ptrue-normalised", Question::PTrue, |said| Some(said.truth()?.normalised()));
        near("vc", Question::Vc, Said::confidence);
    }
}

#[test]
fn sampled_next_actions_give_the_values_of_prefix() {
    for cell in full() {
        let said = said(cell);
        let mut of_turns: HashMap<(&str, u32), Vec<&NextAction>> = HashMap::new();
        for (answer, said) in &said[&Question::Prefix] {
            let action = said.as_ref().ok().and_then(Said::action).expect("an action");
            let turn = answer.turn.expect("a turn");
            of_turns.entry((&answer.task, turn)).or_default().push(action);
        }
        let [type_means, type_mins, name_means, name_mins, _] =
            prefix::SCORERS.map(|scorer| of_scorer(cell, scorer));
        for (task, run) in references(cell).enumerate() {
            let shares = (0..).zip(&run.turns).map(|(number, turn)| {
                let taken = NextAction::of_turn(&run.messages[turn.message as usize]);
                let sampled = &of_turns[&(run.head.task.as_str(), number)];
                assert_eq!(sampled.len(), NEXT_ACTIONS);
                let share = |agrees: &dyn Fn(&NextAction) -> bool| {
                    let agreeing = sampled.iter().filter(|action| agrees(action)).count();
                    agreeing as f64 / NEXT_ACTIONS as f64
                };
                [share(&|action| action.has_type_of(&taken)), share(&|action| *action == taken)]
            });
            let shares: Vec<[f64; 2]> = shares.collect();
            for (side, [means, mins]) in
                [[&type_means, &type_mins], [&name_means, &name_mins]].into_iter().enumerate()
            {
                let of_side = || shares.iter().map(|both| both[side]);
                let mean = of_side().sum::<f64>() / shares.len() as f64;
                assert!((mean - means[task]).abs() < 1e-9, "{mean} {}", means[task]);
                let least = of_side().fold(1.0, f64::min);
                assert!((least - mins[task]).abs() < 1e-9, "{least} {}", mins[task]);
            }
        }
    }
}
