//! Every format shows a run completely, and the rows have the edits that `aec` counts.

use std::path::PathBuf;

use qualm::compare::lay_out_container;
use qualm::import::{ImportOptions, import};
use qualm::model::{Message, Role, Trajectory};
use qualm::report::OutputFormat;
use qualm::scorers::consistency::Consistency;
use qualm::store::{Entry, Store};
use qualm::text::visible;
use serde_json::Value;

use super::{rendered, with_runs};
use crate::explorer::demo;
use crate::support::{home, imported};

/// A text without spaces, because printed lines may be indented.
fn bare(text: &str) -> String {
    let shown: String = text.lines().map(visible).collect();
    shown.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The texts of a message that must be printed; JSON is printed line by line.
fn expected(message: &Message) -> Vec<String> {
    let content = message.content.as_deref().unwrap_or_default();
    let result = (message.role == Role::Tool).then(|| lay_out_container(content)).flatten();
    let laid_out = result.map(|lines| {
        let pieces = lines.into_iter().flat_map(|line| line.pieces);
        pieces.map(|piece| piece.text).collect::<String>()
    });
    let mut all = vec![laid_out.unwrap_or_else(|| content.to_owned())];
    all.extend(message.reasoning.clone());
    all.extend(message.tool_calls.iter().map(|call| call.name.clone()));
    all
}

/// Asserts that every format contains every message, call and result of the runs.
fn assert_whole(runs: &[&Trajectory]) {
    let printed = rendered(runs, OutputFormat::Text);
    let labels = with_runs(runs, |shown| shown.labels.clone());
    for (label, run) in labels.iter().zip(runs) {
        let lines = printed
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix(label.as_str())?.strip_prefix('│'));
        let printed: String = lines.map(bare).collect();
        for words in run.messages.iter().flat_map(expected) {
            assert!(printed.contains(&bare(&words)), "{words:?} of {label}\n{printed}");
        }
    }
    let marked = rendered(runs, OutputFormat::Markdown);
    assert_balanced(&marked);
    let marked = bare(&marked);
    for words in runs.iter().flat_map(|run| &run.messages).flat_map(expected) {
        assert!(marked.contains(&bare(&words)), "{words:?}");
    }
    let json: Value = serde_json::from_str(&rendered(runs, OutputFormat::Json)).expect("JSON");
    for (pane, run) in runs.iter().enumerate() {
        assert_whole_json(&json, pane, run);
        assert_edits(&json, pane, runs);
    }
}

/// Asserts that a pane has exactly the texts of the run.
fn assert_whole_json(json: &Value, pane: usize, run: &Trajectory) {
    let mut printed: Vec<&str> = Vec::new();
    for row in json["rows"].as_array().expect("rows") {
        let cell = &row["cells"][pane];
        printed.extend(
            ["words", "reasoning", "arguments"].iter().filter_map(|key| cell[key].as_str()),
        );
        let list = |key: &str| cell[key].as_array().map(Vec::as_slice).unwrap_or_default();
        printed.extend(list("results").iter().filter_map(|result| result["text"].as_str()));
        for message in list("messages") {
            printed.extend(["text", "reasoning"].iter().filter_map(|key| message[key].as_str()));
            let calls = message["calls"].as_array().expect("calls").iter();
            printed.extend(calls.filter_map(|call| call["arguments"].as_str()));
        }
    }
    let mut all: Vec<&str> = Vec::new();
    for message in &run.messages {
        all.extend(message.content.as_deref().into_iter().chain(message.reasoning.as_deref()));
        all.extend(message.tool_calls.iter().map(|call| call.arguments.as_str()));
    }
    printed.retain(|text| !text.is_empty());
    all.retain(|text| !text.is_empty());
    printed.sort_unstable();
    all.sort_unstable();
    assert_eq!(printed, all, "pane {pane}");
}

/// Asserts that the rows have as many edits as `aec` counts.
fn assert_edits(json: &Value, pane: usize, runs: &[&Trajectory]) {
    let edit = |row: &&Value| {
        let (first, other) = (&row["cells"][0], &row["cells"][pane]);
        row["kind"] == "action"
            && (first.is_null() != other.is_null() || other["contrast"] == "other")
    };
    let edits = json["rows"].as_array().expect("rows").iter().filter(edit).count() as f64;
    let [a, b] = [runs[0], runs[pane]].map(|run| &run.head.action_types);
    let longer = a.len().max(b.len()).max(1) as f64;
    assert!((Consistency::Aec.pair(a, b) - (1.0 - edits / longer)).abs() < 1e-12);
    if pane > 0 {
        let pair = &json["pairs"][pane - 1];
        assert_eq!(pair["edits"].as_f64(), Some(edits));
        assert_eq!(pair["aec"].as_f64(), Some(Consistency::Aec.pair(a, b)));
    }
}

/// Asserts that every fence is closed by one of the same length.
pub fn assert_balanced(markdown: &str) {
    let mut open: Option<usize> = None;
    for line in markdown.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        let alone = line.trim_start_matches('`').is_empty();
        match open {
            Some(length) if ticks >= length && alone => open = None,
            None if ticks >= 3 => open = Some(ticks),
            _ => {}
        }
        if open.is_none() && ticks < 3 {
            assert!(!line.contains('<') || line.contains('`'), "raw HTML: {line}");
        }
    }
    assert_eq!(open, None, "a fence stays open");
}

/// Up to four draws of each task.
pub fn groups(store: &Store) -> Vec<Vec<Entry>> {
    let mut groups: Vec<Vec<Entry>> = Vec::new();
    for entry in store.entries().expect("entries") {
        let same = |group: &&mut Vec<Entry>| {
            group.len() < 4
                && group[0].head.cell == entry.head.cell
                && group[0].head.task == entry.head.task
        };
        match groups.last_mut().filter(|group| same(group)) {
            Some(group) => group.push(entry),
            None => groups.push(vec![entry]),
        }
    }
    groups
}

fn assert_all_whole(
    store: &Store,
    wanted: impl Fn(&[Entry]) -> bool,
    seen: &mut Peculiar,
) -> usize {
    let groups: Vec<Vec<Entry>> = groups(store).into_iter().filter(|group| wanted(group)).collect();
    for group in &groups {
        let runs = store.trajectories(group).expect("runs");
        runs.iter().for_each(|run| seen.see(run));
        assert_whole(&runs.iter().collect::<Vec<_>>());
    }
    groups.len()
}

#[test]
fn the_demo_is_shown_completely() {
    let store = Store::open(demo()).expect("a store");
    let some = |group: &[Entry]| ["0", "4"].contains(&group[0].head.task.as_str());
    let checked = assert_all_whole(&store, some, &mut Peculiar::default());
    assert_eq!(checked, 40);
}

#[test]
fn the_fixtures_are_shown_completely() {
    for name in
        ["tau2.json", "tau1.json", "tau2-runs", "tau2-logprobs-v1.json", "tau2-ungraded.json"]
    {
        assert!(
            assert_all_whole(&imported(&[name]).store(), |_| true, &mut Peculiar::default()) > 0,
            "{name}"
        );
    }
}

/// Counts of runs with peculiarities.
#[derive(Debug, Default)]
struct Peculiar {
    parallel_calls: usize,
    empty_messages: usize,
    calls_of_users: usize,
    many_turns: usize,
}

impl Peculiar {
    fn see(&mut self, run: &Trajectory) {
        let any = |is: &dyn Fn(&Message) -> bool| {
            let agent = run.messages.iter().filter(|message| message.role == Role::Assistant);
            usize::from(agent.into_iter().any(is))
        };
        self.parallel_calls += any(&|message| message.tool_calls.len() > 1);
        self.empty_messages +=
            any(&|message| message.tool_calls.is_empty() && message.words().is_none());
        self.calls_of_users += usize::from(run.messages.iter().any(|message| message.for_user));
        self.many_turns += usize::from(run.turns.len() >= 60);
    }
}

#[test]
fn real_runs_are_shown_completely() {
    let Some(folder) = std::env::var_os("QUALM_TEST_DATA").map(PathBuf::from) else {
        println!("skipped: QUALM_TEST_DATA names no folder of real results");
        return;
    };
    let home = home();
    let path = home.path().join("s.qualm");
    let inputs = ["tau2", "tau-bench"].map(|name| folder.join(name));
    import(&inputs, &path, &ImportOptions::default(), &|_| {}).expect("imported");
    let store = Store::open(&path).expect("a store");
    let mut seen = Peculiar::default();
    assert!(assert_all_whole(&store, |_| true, &mut seen) > 100);
    println!("{seen:?}");
    let Peculiar { parallel_calls, empty_messages, calls_of_users, many_turns } = seen;
    let least = [parallel_calls, empty_messages, calls_of_users, many_turns].into_iter().min();
    assert!(least > Some(0), "the data have none of some kind");
}
