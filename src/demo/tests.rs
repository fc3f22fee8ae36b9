//! The generated set as a whole, against the published figures.

mod asked;
mod tokens_of_draws;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::OnceLock;

use super::verdicts::JUDGES;
use super::*;
use crate::metrics::auroc;
use crate::model::TurnScores;
use crate::scorers::aggregate::Aggregator;
use crate::scorers::consistency::Consistency;
use crate::scorers::whitebox::{Spans, turn_scores};
use crate::scorers::{NEXT_ACTIONS, SPECS, Spec};

const DRAWS: usize = plan::SAMPLES + 1;

fn make(tasks: Option<usize>) -> Vec<CellData> {
    let mut cells = Vec::new();
    let done: Result<(), Infallible> =
        generate(&DemoOptions { tasks, ..Default::default() }, |cell| {
            cells.push(cell);
            Ok(())
        });
    assert_eq!(done, Ok(()));
    cells
}

/// The full set, made once for all tests.
fn full() -> &'static [CellData] {
    static FULL: OnceLock<Vec<CellData>> = OnceLock::new();
    FULL.get_or_init(|| make(None))
}

fn references(cell: &CellData) -> impl Iterator<Item = &Trajectory> {
    cell.trajectories.iter().step_by(DRAWS)
}

fn labels(cell: &CellData) -> Vec<bool> {
    references(cell).map(|run| run.head.outcome.success == Some(true)).collect()
}

fn published(cell: &Cell, scorer: &str, aggregator: Option<&str>) -> f64 {
    figures()
        .filter(|figure| figure.table.starts_with("auroc") && figure.table != "auroc_ci")
        .find(|figure| {
            (figure.dataset, figure.model) == (cell.dataset.as_str(), cell.model.as_str())
                && (figure.scorer, figure.aggregator) == (scorer, aggregator)
        })
        .expect("published")
        .value
}

/// Mean and largest distance to the published AUROC over all cells.
fn errors(scorer: &str, rule: Option<Aggregator>, of: impl Fn(&CellData) -> Vec<f64>) -> [f64; 2] {
    let rule = rule.map(Aggregator::id);
    let errors = full().iter().map(|cell| {
        let reached = auroc(&of(cell), &labels(cell)).expect("both classes");
        (reached - published(&cell.cell, scorer, rule.as_deref())).abs()
    });
    let errors: Vec<f64> = errors.collect();
    let largest = errors.iter().copied().fold(0.0, f64::max);
    [errors.iter().sum::<f64>() / errors.len() as f64, largest]
}

/// The stored values of a scorer, by task.
fn of_scorer(cell: &CellData, id: &str) -> Vec<f64> {
    let scores = cell.scores.iter().filter(|score| score.scorer == id);
    scores.map(|score| score.value.expect("scored")).collect()
}

fn ter(cell: &CellData) -> Vec<f64> {
    let first: Vec<_> =
        cell.judgments.iter().filter(|judgment| judgment.judge == JUDGES[0]).collect();
    let share = |pairs: &[&Judgment]| {
        let parsed: Vec<bool> = pairs.iter().filter_map(|pair| pair.equivalent).collect();
        parsed.iter().filter(|yes| **yes).count() as f64 / parsed.len() as f64
    };
    first.chunks(plan::SAMPLES).map(share).collect()
}

#[test]
fn the_same_data_again_and_with_any_number_of_threads() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let alone = pool.install(|| make(Some(3)));
    assert!(make(Some(3)) == alone);
}

#[test]
fn cells_tasks_and_trajectories_are_the_papers() {
    let cells = cells(&DemoOptions::default());
    assert_eq!(cells.len(), 20);
    assert_eq!(cells.iter().map(|(_, tasks)| tasks).sum::<usize>(), 2390);
    let made: Vec<_> = full().iter().map(|data| (data.cell.clone(), data.tasks.len())).collect();
    assert_eq!(made, cells);
    let runs = full().iter().map(|cell| cell.trajectories.len()).sum::<usize>();
    assert_eq!(runs, 9560);
}

#[test]
fn successes_are_as_many_as_published() {
    for cell in full() {
        let labels = labels(cell);
        let solved = labels.iter().filter(|success| **success).count();
        let minority = solved.min(labels.len() - solved);
        assert_eq!(minority, published(&cell.cell, "minority_n", None) as usize, "{}", cell.cell);
        let rate = published(&cell.cell, "success_rate", None);
        assert!((100.0 * solved as f64 / labels.len() as f64 - rate).abs() <= 1.0, "{}", cell.cell);
    }
    assert!(make(Some(0)).iter().all(|cell| cell.trajectories.is_empty()));
    assert!(make(Some(1)).iter().all(|cell| cell.trajectories.len() == DRAWS));
    for cell in make(Some(2)) {
        let solved = labels(&cell).iter().filter(|success| **success).count();
        assert_eq!(solved, 1, "{}", cell.cell);
    }
}

#[test]
fn black_box_scorers_rank_as_published() {
    for scorer in Consistency::of_paper() {
        let [mean, largest] = errors(scorer.id(), None, |cell| {
            let actions = |run: &Trajectory| run.head.action_types.clone();
            let value = |runs: &[Trajectory]| {
                let samples: Vec<_> = runs[1..].iter().map(actions).collect();
                let samples: Vec<&[String]> = samples.iter().map(Vec::as_slice).collect();
                scorer.task(&runs[0].head.action_types, &samples).expect("samples")
            };
            cell.trajectories.chunks(DRAWS).map(value).collect()
        });
        assert!(mean < 0.02 && largest < 0.1, "{} {mean} {largest}", scorer.id());
    }
    let [mean, largest] = errors("ter", None, ter);
    assert!(mean < 0.01 && largest < 0.03, "ter {mean} {largest}");
    for id in ["ncp", "ptrue", "vc"] {
        let [mean, largest] = errors(id, None, |cell| of_scorer(cell, id));
        assert!(mean < 0.01 && largest < 0.03, "{id} {mean} {largest}");
    }
    // The paper has no such row; the words that are neither change little.
    let [mean, largest] = errors("ptrue", None, |cell| of_scorer(cell, "ptrue-normalised"));
    assert!(mean < 0.01 && largest < 0.03, "ptrue-normalised {mean} {largest}");
    for id in ["prop-dist", "prop-hmm"] {
        let [mean, largest] = errors(id, None, |cell| of_scorer(cell, id));
        assert!(mean < 0.01 && largest < 0.03, "{id} {mean} {largest}");
    }
    // Of `prop-pd` the paper has the mean over the cells with a simulated user alone.
    let cells: Vec<&CellData> =
        full().iter().filter(|cell| cell.cell.dataset != "bfcl-v4").collect();
    let reached = cells
        .iter()
        .map(|cell| auroc(&of_scorer(cell, "prop-pd"), &labels(cell)).expect("both classes"));
    let mean = reached.sum::<f64>() / cells.len() as f64;
    assert!((mean - 0.434).abs() < 0.01, "{mean}");
}

#[test]
fn next_actions_agree_and_rank_as_published() {
    let published: Vec<Figure> =
        figures().filter(|figure| figure.table.ends_with("_prefix")).collect();
    assert_eq!(published.len(), 2 * prefix::SCORERS.len());
    for figure in published {
        let cell = full().iter().find(|cell| {
            (cell.cell.dataset.as_str(), cell.cell.model.as_str()) == (figure.dataset, figure.model)
        });
        let cell = cell.expect("the cell");
        let values = of_scorer(cell, figure.scorer);
        let reached = match figure.table {
            "auroc_prefix" => auroc(&values, &labels(cell)).expect("both classes"),
            _ => values.iter().sum::<f64>() / values.len() as f64,
        };
        assert!((reached - figure.value).abs() < 0.02, "{figure:?} {reached}");
    }
    full().iter().for_each(five_next_actions_a_turn);
}

fn five_next_actions_a_turn(cell: &CellData) {
    let is_whole = |count: f64| (count - count.round()).abs() < 1e-9;
    let [type_mean, type_min, name_mean, name_min, _] =
        prefix::SCORERS.map(|scorer| of_scorer(cell, scorer));
    for (task, run) in references(cell).enumerate() {
        assert!(type_min[task] <= type_mean[task] && name_min[task] <= name_mean[task]);
        assert!(name_mean[task] <= type_mean[task] && name_min[task] <= type_min[task]);
        let each = NEXT_ACTIONS as f64;
        let all = each * run.turns.len() as f64;
        assert!([type_min[task], name_min[task]].iter().all(|share| is_whole(each * share)));
        assert!([type_mean[task], name_mean[task]].iter().all(|share| is_whole(all * share)));
    }
}

#[test]
fn turn_confidences_rank_as_published_under_every_aggregator() {
    type OfCells = BTreeMap<Cell, Vec<Vec<f64>>>;
    let of_turns = |score: fn(&TurnScores) -> f64| -> OfCells {
        let turns = |run: &Trajectory| -> Vec<f64> {
            let tokens = run.turns.iter().filter_map(|turn| turn.tokens.as_ref());
            let scores = tokens.filter_map(|tokens| turn_scores(tokens, Spans::Action));
            scores.map(|scores| score(&scores)).collect()
        };
        let cells = full().iter();
        cells.map(|cell| (cell.cell.clone(), references(cell).map(turns).collect())).collect()
    };
    let check = |scorer: &str, turns: &OfCells, [most_mean, most]: [f64; 2]| {
        for rule in Aggregator::PAPER {
            let [mean, largest] = errors(scorer, Some(rule), |cell| {
                turns[&cell.cell].iter().map(|turns| rule.apply(turns).expect("turns")).collect()
            });
            assert!(mean < most_mean && largest < most, "{scorer} {} {mean} {largest}", rule.id());
        }
    };
    check("lnsp", &of_turns(|scores| scores.lnsp), [0.01, 0.03]);
    // How long first and last turns are is not steered.
    check("sp", &of_turns(|scores| scores.sp_log.exp()), [0.02, 0.13]);
}

#[test]
fn the_cell_of_the_papers_stuck_tables_is_like_it() {
    let cell = full().iter().find(|cell| {
        (cell.cell.dataset.as_str(), cell.cell.model.as_str()) == ("airline", "Qwen2.5-7B")
    });
    let cell = cell.expect("the cell");
    let solved = |run: &Trajectory| usize::from(run.head.outcome.success == Some(true));
    let (mut pairs, mut tasks) = ([[0, 0]; 3], [[0, 0]; 3]);
    let mut stuck = 0;
    for (runs, judgments) in
        cell.trajectories.chunks(DRAWS).zip(cell.judgments.chunks(plan::SAMPLES))
    {
        let group = match runs.iter().map(solved).sum::<usize>() {
            DRAWS => 0,
            0 => 2,
            _ => 1,
        };
        let same: Vec<usize> = judgments
            .iter()
            .map(|judgment| usize::from(judgment.equivalent == Some(true)))
            .collect();
        for (sample, same) in runs[1..].iter().zip(&same) {
            let outcome = &mut pairs[2 - solved(&runs[0]) - solved(sample)];
            *outcome = [outcome[0] + 1, outcome[1] + same];
        }
        let same: usize = same.iter().sum();
        tasks[group] = [tasks[group][0] + 1, tasks[group][1] + same];
        stuck += usize::from(group == 2 && same == plan::SAMPLES);
    }
    // Tables "Consistency by pair outcome" and "by task solvability": TER 0.54 (13), 0.17 (29), 0.29 (108),
    // and 0.67 (1), 0.24 (18), 0.30 (31) over three pairs a task.
    assert_eq!(pairs, [[13, 7], [29, 5], [108, 31]]);
    assert_eq!(tasks, [[1, 2], [18, 13], [31, 28]]);
    assert!(stuck >= 3, "{stuck}");
}

#[test]
fn every_scorer_of_a_model_has_values_in_range_and_ncp_is_the_mean_of_its_pairs() {
    let of_models = || SPECS.iter().filter(|spec| spec.formula.is_none());
    for cell in full() {
        for spec in of_models() {
            assert_eq!(of_scorer(cell, spec.id).len(), cell.tasks.len(), "{}", spec.id);
        }
        let [alone, share] = ["ptrue", "ptrue-normalised"].map(|id| of_scorer(cell, id));
        assert!(alone.iter().zip(share).all(|(alone, share)| *alone <= share));
        for score in &cell.scores {
            let spec = Spec::find(&score.scorer).expect("a scorer of the table");
            assert!(score.value.is_some_and(|value| spec.range.contains(value)), "{score:?}");
        }
        let mut pairs = cell.pairs.iter().filter_map(|pair| pair.value);
        assert!(pairs.all(|value| (0.0..=1.0).contains(&value)));
        let scores = cell.scores.iter().filter(|score| score.scorer == "ncp");
        for (score, pairs) in scores.zip(cell.pairs.chunks(plan::SAMPLES)) {
            let sum: f64 = pairs.iter().filter_map(|pair| pair.value).sum();
            assert_eq!(score.value.map(f64::to_bits), Some((sum / 3.0).to_bits()));
        }
    }
}

/// A parsed answer on a pair, with what the databases and the other judge say.
struct Word {
    answer: bool,
    truth: Option<bool>,
    other: Option<bool>,
}

/// Parsed answers of one judge.
fn answers(judge: usize) -> Vec<Word> {
    let mut answers = Vec::new();
    for cell in full() {
        let (first, second) = cell.judgments.split_at(cell.judgments.len() / 2);
        let (asked, other) = if judge == 0 { (first, second) } else { (second, first) };
        for (index, (judgment, other)) in asked.iter().zip(other).enumerate() {
            let right = |draw: u32| {
                let run = index / plan::SAMPLES * DRAWS + draw as usize;
                cell.trajectories[run].head.outcome.db_match == Some(true)
            };
            let (a, b) = (right(judgment.draw_a), right(judgment.draw_b));
            let truth = (a || b).then_some(a && b);
            let answer = judgment.equivalent;
            answers.extend(answer.map(|equivalent| Word {
                answer: equivalent,
                truth,
                other: other.equivalent,
            }));
        }
    }
    answers
}

#[test]
fn judges_err_and_disagree_at_the_wanted_rates() {
    let share = |answers: &[Word], of: fn(&Word) -> Option<bool>| {
        let parsed: Vec<bool> = answers.iter().filter_map(of).collect();
        parsed.iter().filter(|yes| **yes).count() as f64 / parsed.len() as f64
    };
    let [first, second] = [0, 1].map(answers);
    let precision = |all: &[_]| share(all, |word| word.truth.filter(|_| word.answer));
    let recall =
        |all: &[_]| share(all, |word| word.truth.filter(|same| *same).map(|_| word.answer));
    assert!((precision(&first) - 0.88).abs() < 0.01, "{}", precision(&first));
    assert!((recall(&first) - 0.93).abs() < 0.01, "{}", recall(&first));
    assert!(precision(&second) > 0.87 && recall(&second) > 0.93);
    let agreement = share(&first, |word| word.other.map(|other| other == word.answer));
    assert!((agreement - 0.91).abs() < 0.01, "{agreement}");
    let pairs = 2390 * plan::SAMPLES;
    for parsed in [first.len(), second.len()] {
        assert!((1..pairs / 100).contains(&(pairs - parsed)), "{parsed}");
    }
    let failures = share(&first, |word| word.truth.is_none().then_some(word.answer));
    assert!((failures - 0.40).abs() < 0.06, "{failures}");
}

#[test]
fn conversations_are_whole() {
    for cell in full() {
        assert!(cell.tasks.iter().all(|task| task.instruction.starts_with("Synthetic: ")));
        for run in &cell.trajectories {
            assert_eq!(run.head.origin.source, SOURCE);
            assert_eq!(run.head.turns_with_logprobs as usize, run.turns.len());
            assert_eq!(
                run.messages.iter().any(|message| message.scripted),
                cell.cell.dataset != "bfcl-v4"
            );
            for message in &run.messages {
                let text = tokens::turn_text(message);
                assert!(!text.contains(['<', '>']), "{text}");
            }
            if run.head.outcome.db_match != run.head.outcome.success {
                assert_eq!(cell.cell.dataset, "retail");
            }
        }
    }
}

#[test]
fn every_fact_a_template_names_is_known() {
    for (dataset, (name, _)) in DATASETS.iter().enumerate() {
        let domain = domain(name);
        let (_, facts) = plan::draw_task(domain, dataset, 0);
        let named = |text: &str| {
            let keys = text.split('<').skip(1).filter_map(|rest| rest.split_once('>'));
            keys.map(|(key, _)| key.to_owned()).collect::<Vec<_>>()
        };
        let mut keys: Vec<String> = Vec::new();
        for kind in domain.kinds {
            let texts = kind.wants.iter().chain(kind.opens).chain(kind.refusals);
            keys.extend(texts.flat_map(|text| named(text)));
            keys.extend(
                kind.slips.iter().flat_map(|(key, other)| [*key, *other]).map(String::from),
            );
            let steps = kind.openings.iter().copied().flatten().chain(kind.body);
            for step in steps.chain(kind.detours) {
                match step {
                    script::AgentStep::Read(tool) | script::AgentStep::Write(tool) => {
                        keys.extend(named(tool.arguments).into_iter().chain(named(tool.result)));
                        keys.extend(tool.varies.map(|key| format!("other_{key}")));
                    }
                    script::AgentStep::Say(talk) => {
                        let texts = talk.agent.iter().chain(talk.user);
                        keys.extend(texts.flat_map(|text| named(text)));
                    }
                }
            }
        }
        for key in keys.iter().filter(|key| *key != "ok") {
            assert!(facts.get(key).is_some(), "{name}: {key}");
        }
    }
}
