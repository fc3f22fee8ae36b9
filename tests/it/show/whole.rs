//! Nothing of a run is lost in any format, and the rows have the edits that `aec` counts.

use std::path::PathBuf;

use qualm::compare::lay_out_container;
use qualm::import::{ImportOptions, import};
use qualm::model::{Message, Role, Trajectory};
use qualm::report::show::ShowFormat;
use qualm::scorers::consistency::Consistency;
use qualm::store::{Entry, Store};
use qualm::text::visible;
use serde_json::Value;

use super::{compared, rendered};
use crate::explorer::demo;
use crate::support::{home, imported};

/// A text as it is printed, without spaces: lines may be indented.
fn bare(text: &str) -> String {
    let shown: String = text.lines().map(visible).collect();
    shown.chars().filter(|c| !c.is_whitespace()).collect()
}

/// What must be found of a message: its words, and those of a list or an object laid out.
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

/// Every message, call and result of the runs stands in every format.
fn assert_whole(runs: &[&Trajectory]) {
    let own = compared(runs);
    let printed = rendered(&own, ShowFormat::Text);
    for (pane, run) in own.panes.iter().zip(runs) {
        let lines = printed.lines().filter_map(|line| {
            line.trim_start().strip_prefix(pane.label.as_str())?.strip_prefix('│')
        });
        let printed: String = lines.map(bare).collect();
        for words in run.messages.iter().flat_map(expected) {
            assert!(printed.contains(&bare(&words)), "{words:?} of {}\n{printed}", pane.label);
        }
    }
    let marked = rendered(&own, ShowFormat::Markdown);
    assert_balanced(&marked);
    let marked = bare(&marked);
    for words in runs.iter().flat_map(|run| &run.messages).flat_map(expected) {
        assert!(marked.contains(&bare(&words)), "{words:?}");
    }
    let json: Value = serde_json::from_str(&rendered(&own, ShowFormat::Json)).expect("JSON");
    for (pane, run) in runs.iter().enumerate() {
        assert_whole_json(&json, pane, run);
        assert_edits(&json, pane, runs);
    }
}

/// All texts of a pane are those of the run, each as often.
fn assert_whole_json(json: &Value, pane: usize, run: &Trajectory) {
    let mut own: Vec<&str> = Vec::new();
    for row in json["rows"].as_array().expect("rows") {
        let cell = &row["cells"][pane];
        own.extend(["words", "reasoning", "arguments"].iter().filter_map(|key| cell[key].as_str()));
        let list = |key: &str| cell[key].as_array().map(Vec::as_slice).unwrap_or_default();
        own.extend(list("results").iter().filter_map(|own| own["text"].as_str()));
        for message in list("messages") {
            own.extend(["text", "reasoning"].iter().filter_map(|key| message[key].as_str()));
            let calls = message["calls"].as_array().expect("calls").iter();
            own.extend(calls.filter_map(|call| call["arguments"].as_str()));
        }
    }
    let mut all: Vec<&str> = Vec::new();
    for message in &run.messages {
        all.extend(message.content.as_deref().into_iter().chain(message.reasoning.as_deref()));
        all.extend(message.tool_calls.iter().map(|call| call.arguments.as_str()));
    }
    own.retain(|own| !own.is_empty());
    all.retain(|own| !own.is_empty());
    own.sort_unstable();
    all.sort_unstable();
    assert_eq!(own, all, "pane {pane}");
}

/// The rows count the edits that `aec` does.
fn assert_edits(json: &Value, pane: usize, runs: &[&Trajectory]) {
    let edit = |row: &&Value| {
        let (first, own) = (&row["cells"][0], &row["cells"][pane]);
        row["kind"] == "action" && (first.is_null() != own.is_null() || own["contrast"] == "other")
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

/// Every fence that opens is closed by one as long.
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

/// Up to four draws of every task.
pub fn groups(store: &Store) -> Vec<Vec<Entry>> {
    let mut groups: Vec<Vec<Entry>> = Vec::new();
    for entry in store.entries().expect("entries") {
        let same = |own: &&mut Vec<Entry>| {
            own.len() < 4
                && own[0].head.cell == entry.head.cell
                && own[0].head.task == entry.head.task
        };
        match groups.last_mut().filter(|own| same(own)) {
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
fn nothing_of_the_demo_is_lost() {
    let store = Store::open(demo()).expect("a store");
    let some = |group: &[Entry]| ["0", "4"].contains(&group[0].head.task.as_str());
    let checked = assert_all_whole(&store, some, &mut Peculiar::default());
    assert_eq!(checked, 40);
}

#[test]
fn nothing_of_the_fixtures_is_lost() {
    for name in
        ["tau2.json", "tau1.json", "tau2-runs", "tau2-logprobs-v1.json", "tau2-ungraded.json"]
    {
        assert!(
            assert_all_whole(&imported(&[name]).store(), |_| true, &mut Peculiar::default()) > 0,
            "{name}"
        );
    }
}

/// How many runs are peculiar, and how.
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
            let agent = run.messages.iter().filter(|own| own.role == Role::Assistant);
            usize::from(agent.into_iter().any(is))
        };
        self.parallel_calls += any(&|own| own.tool_calls.len() > 1);
        self.empty_messages += any(&|own| own.tool_calls.is_empty() && own.words().is_none());
        self.calls_of_users += usize::from(run.messages.iter().any(|own| own.for_user));
        self.many_turns += usize::from(run.turns.len() >= 60);
    }
}

#[test]
fn real_runs_are_whole() {
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
