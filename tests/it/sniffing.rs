//! Arbitrary bytes never make a reader panic, and never become a store by accident.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use qualm::import::{ImportOptions, import};
use qualm::readers::{self, Mapping, ReadOptions, find_inputs};

use crate::support::{assert_whole, data, home};

#[test]
fn the_format_is_detected_from_the_content() {
    let home = home();
    let path = home.path().join("tau1.json");
    fs::copy(data("tau2.json"), &path).expect("copied");
    let found = find_inputs(&[path], &ReadOptions::default()).expect("found");
    assert_eq!(found.claimed[0].reader.info().id, "tau2");
}

#[test]
fn leading_space_and_a_byte_order_mark_are_ignored() {
    let home = home();
    for start in ["\u{feff}", "\n\t  "] {
        let path = home.path().join("x");
        let json = fs::read_to_string(data("tau2.json")).expect("read");
        fs::write(&path, format!("{start}{json}")).expect("written");
        let found = find_inputs(&[path], &ReadOptions::default()).expect("found");
        assert_eq!(found.claimed[0].reader.info().id, "tau2");
    }
}

/// Words that results are made of.
const WORDS: [&str; 83] = [
    "simulations",
    "messages",
    "role",
    "assistant",
    "user",
    "tool",
    "content",
    "tool_calls",
    "name",
    "arguments",
    "traj",
    "task_id",
    "reward",
    "reward_info",
    "raw_data",
    "logprobs",
    "choices",
    "token",
    "logprob",
    "top_logprobs",
    "info",
    "trial",
    "ticks",
    "function",
    "termination_reason",
    "tool_messages",
    "id",
    "multi_turn_base_0",
    "result",
    "latency",
    "reasoning_content",
    "inference_log",
    "begin_of_turn_query",
    "step_0",
    "handler_log",
    "model_response_decoded",
    "eval",
    "status",
    "samples",
    "scores",
    "value",
    "events",
    "event",
    "model",
    "output",
    "attachments",
    "uuid",
    "error",
    "request",
    "response",
    "input",
    "function_call",
    "type",
    "completion",
    "prompt",
    "nodes",
    "parent",
    "mask",
    "token_ids",
    "rewards",
    "token_idx",
    "chosen_logprob",
    "message",
    "schema_version",
    "steps",
    "source",
    "agent",
    "observation",
    "results",
    "metrics",
    "function_name",
    "is_copied_context",
    "trajectory",
    "history",
    "action",
    "extra",
    "actions",
    "command",
    "verifier_result",
    "exception_info",
    "agent_info",
    "resolved",
    "resolved_ids",
];

/// JSON that resembles results: their keys in any order and nesting.
fn nearly() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1".to_owned()),
        Just("-1e308".to_owned()),
        Just("NaN".to_owned()),
        prop::sample::select(WORDS.to_vec()).prop_map(|word| format!("\"{word}\"")),
        "\\PC{0,5}".prop_map(|text| serde_json::Value::from(text).to_string()),
    ];
    leaf.prop_recursive(6, 60, 5, move |inner| {
        let key = prop::sample::select(WORDS.to_vec());
        let pair = (key, inner.clone()).prop_map(|(key, value)| format!("\"{key}\": {value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(|list| format!("[{}]", list.join(", "))),
            prop::collection::vec(pair, 0..6).prop_map(|map| format!("{{{}}}", map.join(", "))),
        ]
    })
}

/// Logs and tables of every kind.
const LOGS: [&str; 8] = [
    "chat.jsonl",
    "chat-logged.jsonl",
    "chat-responses.jsonl",
    "verifiers/results.jsonl",
    "verifiers/traces/traces.jsonl",
    "agentuq/logprobs_airline.jsonl",
    "rollouts.csv",
    "rollouts.parquet",
];

/// A mapping that looks into what [`nearly`] makes.
const MAPPING: &str = r#"
[records]
at = "/simulations/*/messages"
run = "/name"
skip = "/error"

[run]
task = "/task_id"
reward = "/reward"
join_turns = true

[[message]]
role = "assistant"
content = "/content"
tool_calls = "/tool_calls"
logprobs = "/logprobs/content"

[[message]]
role = "/role"
content = ""

[tool_call]
name = "/name"
arguments = "/arguments"

[token]
text = "/token"
logprob = "/logprob"
top = "/top_logprobs"
"#;

fn read_as_anything(bytes: &[u8]) {
    let home = home();
    let path = home.path().join("x.json");
    fs::write(&path, bytes).expect("written");
    let _ = find_inputs(std::slice::from_ref(&path), &ReadOptions::default());
    for reader in readers::ALL.iter().copied() {
        let out = home.path().join(reader.info().id);
        let read = ReadOptions { reader: Some(reader), ..ReadOptions::default() };
        let options = ImportOptions { read, ..ImportOptions::default() };
        match import(std::slice::from_ref(&path), &out, &options, &|_| {}) {
            Ok(_) => assert_whole(&out),
            Err(_) => assert!(!out.exists()),
        }
    }
}

/// Files that are whole until a byte of them is changed.
const WHOLE: [&str; 8] = [
    "tau1.json",
    "tau2-logprobs-v0.json",
    "inspect.json",
    "bfcl/v3/result/zeta/BFCL_v3_multi_turn_miss_func_result.json",
    "atif/chain.trajectory.json",
    "atif/logprobs.trajectory.json",
    "swe-agent/shown.traj",
    "mini/run-b/acme__tool-1/acme__tool-1.traj.json",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        read_as_anything(&bytes);
    }

    #[test]
    fn nearly_right_json(json in nearly()) {
        read_as_anything(json.as_bytes());
    }

    #[test]
    fn results_with_a_byte_changed(at in any::<prop::sample::Index>(), byte in any::<u8>(), name in prop::sample::select(WHOLE.to_vec())) {
        let mut bytes = fs::read(data(name)).expect("read");
        let at = at.index(bytes.len());
        bytes[at] = byte;
        read_as_anything(&bytes);
    }

    #[test]
    fn logs_with_a_byte_changed(
        name in prop::sample::select(LOGS.to_vec()),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = fs::read(data(name)).expect("read");
        let at = at.index(bytes.len());
        bytes[at] = byte;
        read_as_anything(&bytes);
    }

    #[test]
    fn nearly_right_json_under_a_mapping(json in nearly()) {
        let home = home();
        let path = home.path().join("x.json");
        fs::write(&path, json).expect("written");
        let mapping = home.path().join("m.toml");
        fs::write(&mapping, MAPPING).expect("written");
        let mapping = Some(Arc::new(Mapping::read(&mapping).expect("a mapping")));
        let read = ReadOptions { reader: readers::by_id("map"), mapping, ..ReadOptions::default() };
        let options = ImportOptions { read, ..ImportOptions::default() };
        let out = home.path().join("s.qualm");
        match import(&[path], &out, &options, &|_| {}) {
            Ok(_) => assert_whole(&out),
            Err(_) => assert!(!out.exists()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn anything_beside_a_trajectory(result in nearly(), reward in nearly(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let home = home();
        let trial = home.path().join("job").join("task__1");
        for folder in ["agent", "verifier"] {
            fs::create_dir_all(trial.join(folder)).expect("made");
        }
        let trajectory = data("atif/logprobs.trajectory.json");
        fs::copy(trajectory, trial.join("agent/trajectory.json")).expect("copied");
        fs::write(trial.join("result.json"), &result).expect("written");
        fs::write(trial.join("config.json"), &bytes).expect("written");
        fs::write(trial.join("verifier/reward.json"), &reward).expect("written");
        fs::write(trial.join("verifier/reward.txt"), &bytes).expect("written");
        let out = home.path().join("s.qualm");
        let summary = import(&[home.path().join("job")], &out, &ImportOptions::default(), &|_| {});
        prop_assert_eq!(summary.expect("a trajectory is there").added, 1);
        assert_whole(&out);
    }

    #[test]
    fn anything_as_labels(json in nearly(), bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let home = home();
        for (name, content) in [("a", json.as_bytes()), ("b", &bytes)] {
            let labels = vec![home.path().join(name)];
            fs::write(&labels[0], content).expect("written");
            let options = ImportOptions { labels, ..ImportOptions::default() };
            let out = home.path().join("s.qualm");
            match import(&[data("mini-bare.traj.json")], &out, &options, &|_| {}) {
                Ok(_) => assert_whole(&out),
                Err(_) => assert!(!out.exists()),
            }
            let _ = fs::remove_dir_all(&out);
        }
    }
}
