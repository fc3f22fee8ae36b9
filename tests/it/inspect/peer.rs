//! Real logs against what `inspect_ai`'s reader finds in them.
//!
//! The numbers come from `read_eval_log(path, resolve_attachments=True)` of `inspect_ai` 0.3.285, over the
//! samples without `error`:
//!
//! ```python
//! label = next(iter(sample.scores)); success = sample.scores[label].value == "C"
//! agent = [m for m in sample.messages if m.role == "assistant" and m.source != "input"]
//! turns = len(agent); calls = sum(len(m.tool_calls or []) for m in agent)
//! first = {}                                   # the first model event of a message
//! for event in sample.events:
//!     if event.event == "model" and event.output.choices:
//!         choice = event.output.choices[0]; first.setdefault(choice.message.id, choice)
//! tokens = [t for m in agent if m.id in first and first[m.id].logprobs for t in first[m.id].logprobs.content]
//! logprob = math.fsum(t.logprob for t in tokens); top = sum(len(t.top_logprobs) for t in tokens)
//! failed = lambda m: m.role == "tool" and m.error      # its text is the error, where it has no other
//! letters = sum(len(m.text or (m.error.message if failed(m) else "")) for m in sample.messages)
//! ```

use std::collections::BTreeSet;
use std::path::Path;

use qualm::import::ImportOptions;
use qualm::model::{TokenSeq, Trajectory};

use super::runs;
use crate::real_data::folder;
use crate::support::home;

/// What is compared of a log.
#[derive(Debug, PartialEq)]
struct Counts {
    runs: usize,
    skipped: usize,
    tasks: usize,
    epochs: usize,
    successes: usize,
    messages: usize,
    turns: usize,
    calls: u32,
    tokens: usize,
    top: usize,
    letters: usize,
}

fn read(path: &Path) -> (Vec<Trajectory>, usize) {
    let home = home();
    let store = home.path().join("s.qualm");
    let options = ImportOptions::default();
    let summary =
        qualm::import::import(&[path.to_owned()], &store, &options, &|_| {}).expect("imported");
    crate::support::assert_whole(&store);
    (runs(&qualm::store::Store::open(&store).expect("a store")), summary.skipped.len())
}

fn counts(runs: &[Trajectory], skipped: usize) -> (Counts, f64) {
    let tokens = || {
        runs.iter()
            .flat_map(|run| &run.turns)
            .filter_map(|turn| turn.tokens.as_ref())
            .flat_map(TokenSeq::iter)
    };
    let different =
        |key: fn(&Trajectory) -> String| runs.iter().map(key).collect::<BTreeSet<_>>().len();
    let contents = || {
        runs.iter().flat_map(|run| &run.messages).filter_map(|message| message.content.as_deref())
    };
    let counts = Counts {
        runs: runs.len(),
        skipped,
        tasks: different(|run| run.head.task.clone()),
        epochs: different(|run| format!("{:?}", run.head.origin.trial)),
        successes: runs.iter().filter(|run| run.head.outcome.success == Some(true)).count(),
        messages: runs.iter().map(|run| run.messages.len()).sum(),
        turns: runs.iter().map(|run| run.turns.len()).sum(),
        calls: runs.iter().map(|run| run.head.tools).sum(),
        tokens: tokens().count(),
        top: tokens().map(|token| token.top_logprobs.len()).sum(),
        letters: contents().map(|text| text.chars().count()).sum(),
    };
    (counts, tokens().map(|token| token.logprob).sum())
}

#[test]
fn real_logs_hold_what_inspect_finds_in_them() {
    let Some(folder) = folder() else { return };
    let row = |n: [usize; 11]| Counts {
        runs: n[0],
        skipped: n[1],
        tasks: n[2],
        epochs: n[3],
        successes: n[4],
        messages: n[5],
        turns: n[6],
        calls: n[7] as u32,
        tokens: n[8],
        top: n[9],
        letters: n[10],
    };
    for (name, expected, logprob) in [
        ("real-browser.json", [1, 0, 1, 1, 1, 10, 5, 4, 0, 0, 17_772], 0.0),
        ("real-popularity-2025-02.eval", [10, 0, 10, 1, 8, 30, 10, 0, 0, 0, 2_345], 0.0),
        ("real-retry.eval", [1, 0, 1, 1, 0, 2, 1, 0, 0, 0, 7], 0.0),
        ("real-security-guide-deflate.eval", [16, 0, 16, 1, 11, 48, 16, 0, 0, 0, 5_839], 0.0),
        (
            "toy-agent-30x4-zstd.eval",
            [120, 0, 30, 4, 71, 788, 319, 229, 1_126, 5_630, 11_065],
            -494.020_315_787_157_76,
        ),
        (
            "toy-agent-30x4.json",
            [120, 0, 30, 4, 71, 788, 319, 229, 1_126, 5_630, 11_065],
            -494.020_315_787_157_76,
        ),
        (
            "toy-agent-with-errors.eval",
            [115, 5, 30, 4, 68, 752, 309, 213, 1_037, 5_185, 10_391],
            -441.034_963_080_778_7,
        ),
    ] {
        let (runs, skipped) = read(&folder.join("inspect").join(name));
        let (found, sum) = counts(&runs, skipped);
        assert_eq!(found, row(expected), "{name}");
        assert!((sum - logprob).abs() < 1e-9, "{name}: {sum}");
    }
}

#[test]
fn both_forms_of_a_log_give_the_same_store() {
    let Some(folder) = folder() else { return };
    let read = |name: &str| {
        let (mut runs, _) = read(&folder.join("inspect").join(name));
        // The two logs are of the same outputs, but not of the same minute.
        for run in &mut runs {
            run.head.origin.run_id = None;
            run.head.duration = None;
        }
        runs
    };
    assert_eq!(read("toy-agent-30x4.json"), read("toy-agent-30x4-zstd.eval"));
}
