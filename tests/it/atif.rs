//! ATIF trajectories, alone and in jobs of Harbor.

use qualm::engine::Engine;
use qualm::import::{ImportOptions, import};
use qualm::model::{CheckKind, Role, Span};
use qualm::readers::{ReadOptions, Record, find_inputs};
use qualm::scorers::Scorer;
use qualm::scorers::whitebox::{Spans, score_turns};
use qualm::store::Store;

use crate::real_data::folder;
use crate::support::{Imported, data, home, imported, imported_with, keep_errored, run, text};

#[test]
fn a_file_alone_becomes_a_run() {
    let fixture = imported(&["atif/alone.trajectory.json"]);
    let run = fixture.trajectory("alone", 0);
    let head = &run.head;
    assert_eq!(head.cell.to_string(), "atif/owl-7b/owl-code");
    assert_eq!(head.action_types, ["list_files", "count_lines", "message"]);
    assert_eq!((head.turns, head.tools), (2, 2), "what no model wrote is no turn");
    assert_eq!((head.cost, head.duration), (Some(0.75), Some(90.0)));
    assert_eq!((head.prompt_tokens, head.completion_tokens), (Some(120), Some(20)));
    assert_eq!(head.outcome.success, None);
    assert_eq!(run.messages[1].content.as_deref(), Some("Count the\nlines."));
    let answer = &run.messages[3];
    assert_eq!((answer.role, answer.tool_call_id.as_deref()), (Role::Tool, Some("c2")));
    assert!(answer.error && !run.messages[4].error);
    assert_eq!(run.messages[4].content.as_deref(), Some("b.txt"));
    assert!(run.messages[5].scripted && run.messages[5].tool_calls[0].name == "refresh");
    let last = run.messages.last().expect("messages");
    assert_eq!(last.reasoning.as_deref(), Some("b.txt has three."));
}

#[test]
fn files_that_go_on_are_one_run_and_copied_context_counts_once() {
    let named = ["atif/chain.trajectory.json", "atif/chain.trajectory.cont-1.json"];
    let summary = "atif/chain.trajectory.summarization-1-summary.json";
    for names in [vec![named[0]], vec![named[1]], vec![named[0], named[1], summary]] {
        let fixture = imported(&names);
        let entries = fixture.entries();
        assert_eq!(entries.len(), 1, "{names:?}");
        let run = fixture.trajectory("chain", 0);
        assert_eq!((run.head.turns, run.head.tools), (3, 0));
        let said: Vec<&str> =
            run.messages.iter().filter_map(|message| message.content.as_deref()).collect();
        let expected = [
            "Make hello.txt.",
            "mkdir x",
            "$ mkdir x",
            "Summarised.",
            "You go on.",
            "What is there?",
            "touch hello.txt",
            "$ touch",
            "done",
        ];
        assert_eq!(said, expected);
        // The last file's totals hold for all, with what subagents used.
        assert_eq!((run.head.cost, run.head.prompt_tokens), (Some(1.0), Some(90)));
        let notes = &fixture.summary.files[0].1;
        assert!(notes.iter().any(|note| note == "has 2 runs of subagents: left out"), "{notes:?}");
    }
}

fn logprobs() -> Imported {
    imported(&["atif/logprobs.trajectory.json"])
}

#[test]
fn log_probabilities_without_text_are_scored_where_all_tokens_are_the_action() {
    let fixture = logprobs();
    let mut run = fixture.trajectory("logprobs", 0);
    let spans: Vec<Option<Vec<Span>>> = (run.turns.iter())
        .map(|turn| turn.tokens.as_ref().map(|tokens| tokens.iter().map(|t| t.span).collect()))
        .collect();
    let (action, other) = (Span::Action, Span::Other);
    let expected = [
        Some(vec![action; 3]),
        Some(vec![action; 2]),
        Some(vec![other; 2]),
        Some(vec![other; 2]),
        None,
    ];
    assert_eq!(spans, expected);
    let scores = |run: &qualm::model::Trajectory| -> Vec<Option<(f64, f64)>> {
        let values = run.turns.iter().map(|turn| turn.scores);
        values.map(|scores| scores.map(|scores| (scores.sp_log, scores.lnsp))).collect()
    };
    // numpy.exp(numpy.mean([-0.25, -0.5, -0.75])) = 0.6065306597126334
    // numpy.exp(numpy.mean([-0.125, -0.375])) = 0.7788007830714049
    let (first, second) = (0.606_530_659_712_633_4, 0.778_800_783_071_404_9);
    let close = |value: Option<(f64, f64)>, sum: f64, mean: f64| {
        let (sp_log, lnsp) = value.expect("scored");
        assert!((sp_log - sum).abs() < 1e-12 && (lnsp - mean).abs() < 1e-12, "{value:?}");
    };
    let under_action = scores(&run);
    close(under_action[0], -1.5, first);
    close(under_action[1], -0.5, second);
    assert_eq!(under_action[2..], [None, None, None]);
    assert_eq!(run.turns[0].scores.and_then(|scores| scores.atn), None);
    score_turns(&mut run, Spans::All);
    // numpy.exp(numpy.mean([-1, -3])) = 0.1353352832366127
    close(scores(&run)[3], -4.0, 0.135_335_283_236_612_7);
    let notes = fixture.summary.files[0].1.join("\n");
    assert!(notes.contains("has 2 turns whose log-probabilities"), "{notes}");
}

#[test]
fn textless_tokens_are_still_scored_when_something_is_added() {
    let mut fixture = logprobs();
    let before = fixture.trajectory("logprobs", 0);
    fixture.add(&["tau2.json"], &ImportOptions::default());
    assert_eq!(fixture.trajectory("logprobs", 0).turns, before.turns);
}

#[test]
fn scorers_over_alternatives_say_that_none_were_recorded() {
    let fixture = logprobs();
    let engine = Engine::load(&fixture.store(), None).expect("loaded");
    let has = |id: &str| engine.frames()[0].values(&Scorer::parse(id)).is_some();
    assert!(has("sp") && has("lnsp") && !has("atn") && !has("pm"));
    let facts = engine.facts();
    let words: Vec<String> = (facts[0].possible.iter())
        .filter(|(_, scorers)| scorers.contains(&"ATN"))
        .flat_map(|(needs, _)| needs.iter().map(|need| need.words().to_owned()))
        .collect();
    assert_eq!(words, ["alternatives of tokens"]);
    let path = fixture.path();
    let scored = run(fixture.home.path(), &["score", path.to_str().expect("UTF-8")]);
    let said = text(&scored.stdout) + &text(&scored.stderr);
    let line =
        "atn, pm: 0 of 1 references have alternatives of their tokens; ask for `top_logprobs`";
    assert!(said.contains(line), "{said}");
    assert!(!said.contains("references have log-probabilities"), "{said}");
}

#[test]
fn compare_shows_tokens_without_text() {
    let fixture = logprobs();
    let path = fixture.path();
    let store = path.to_str().expect("UTF-8");
    let args = ["shot", store, "--screen", "compare", "--keys", "t"];
    let shot = run(fixture.home.path(), &args);
    let drawn = text(&shot.stdout);
    assert!(shot.status.success(), "{}", text(&shot.stderr));
    assert!(drawn.contains("▪▪▪"), "{drawn}");
}

#[test]
fn a_job_is_one_input_with_a_draw_for_every_trial() {
    let fixture = imported(&["harbor-job"]);
    assert_eq!(fixture.summary.files.len(), 1);
    let rows: Vec<_> = (fixture.entries().iter())
        .map(|entry| {
            let head = &entry.head;
            assert_eq!(head.cell.to_string(), "toy-tasks/owl-7b/owl-code");
            assert_eq!(head.temperature, Some(0.5));
            (head.task.clone(), head.draw, head.outcome.success, head.tools)
        })
        .collect();
    let long = "a-task-with-a-name-that-is-cut-off-in-the-folder".to_owned();
    assert_eq!(
        rows,
        [
            (long.clone(), 0, Some(true), 1),
            ("add-two".to_owned(), 0, Some(true), 1),
            ("add-two".to_owned(), 1, Some(false), 2),
            ("two-scores".to_owned(), 0, None, 1),
        ]
    );
    let first = fixture.entry("add-two", 0).head;
    assert_eq!((first.duration, first.cost), (Some(42.5), Some(0.75)));
    assert_eq!(first.origin.run_id.as_deref(), Some("add-two__BBBBBBB"));
    assert_eq!(fixture.entry(&long, 0).head.termination.as_deref(), Some("AgentTimeoutError"));
    let skipped: Vec<_> = (fixture.summary.skipped.iter())
        .map(|skip| (skip.task.as_str(), skip.reason.as_str()))
        .collect();
    assert_eq!(
        skipped,
        [
            ("cut", "its trajectory cannot be read: the JSON ends before it is complete"),
            ("add-two", "crashed before the agent acted (AgentSetupTimeoutError)"),
            ("silent", "recorded no trajectory"),
            ("staged", "recorded no trajectory"),
        ]
    );
    assert!(fixture.summary.files[0].1.is_empty(), "{:?}", fixture.summary.files);
}

#[test]
fn the_scores_of_a_verifier_are_checks_and_draws_have_no_order() {
    let found = find_inputs(&[data("harbor-job")], &ReadOptions::default()).expect("found");
    let mut checks = Vec::new();
    let notes = found.claimed[0].read(&ReadOptions::default(), &mut |record| {
        if let Record::Trajectory(run) = record {
            checks.extend(
                run.checks.into_iter().map(|check| (check.kind, check.expected, check.met)),
            );
        }
        true
    });
    assert!(notes.expect("read").unordered);
    let score = |name: &str, met| (CheckKind::Score, name.to_owned(), met);
    let expected = [
        score("compiles", Some(true)),
        score("style", None),
        score("speed", Some(false)),
        score("style", Some(true)),
    ];
    assert_eq!(checks, expected);
}

#[test]
fn a_crashed_trial_is_kept_as_a_failure_on_request() {
    let fixture = imported_with(&["harbor-job"], &keep_errored());
    let skipped: Vec<&str> =
        fixture.summary.skipped.iter().map(|skip| skip.task.as_str()).collect();
    assert_eq!(skipped, ["cut", "silent", "staged"], "what was not recorded is no failure");
    assert_eq!(fixture.entry("add-two", 2).head.outcome.success, Some(false));
}

#[test]
fn a_trial_is_the_same_by_its_folder_and_by_its_file() {
    let trial = "harbor-job/add-two__BBBBBBB";
    let file = format!("{trial}/agent/trajectory.json");
    let fixture = imported(&[trial, &file]);
    assert_eq!(fixture.entries().len(), 1);
    assert_eq!(fixture.entry("add-two", 0).head.outcome.success, Some(true));
}

/// What the agent and others say in a run.
fn said(run: &qualm::model::Trajectory) -> Vec<&str> {
    run.messages.iter().filter_map(|message| message.content.as_deref()).collect()
}

#[test]
fn the_steps_of_a_trial_are_one_run() {
    let fixture = imported(&["harbor-steps"]);
    let entries = fixture.entries();
    let names: Vec<_> = entries.iter().map(|entry| entry.head.origin.run_id.as_deref()).collect();
    assert_eq!(
        names,
        [
            Some("build-in-steps__AAAAAAA"),
            Some("resume-in-steps__BBBBBBB"),
            Some("build-in-steps__CCCCCCC")
        ]
    );
    let store = fixture.store();
    let runs: Vec<_> =
        entries.iter().map(|entry| store.trajectory(entry).expect("a run")).collect();

    let staged = &runs[0];
    assert_eq!(staged.head.cell.to_string(), "toy-steps/owl-7b/owl-code");
    assert_eq!(
        staged.head.action_types,
        ["measure", "saw", "message"],
        "in the order of the result"
    );
    assert_eq!(said(staged)[3], "Build the hut.");
    assert_eq!((staged.head.outcome.success, staged.head.outcome.reward), (Some(false), Some(0.5)));
    assert_eq!((staged.head.cost, staged.head.duration), (Some(0.75), Some(40.0)));
    assert_eq!((staged.head.prompt_tokens, staged.head.completion_tokens), (Some(30), Some(6)));
    assert_eq!(staged.head.termination.as_deref(), Some("AgentTimeoutError"));
    let checks: Vec<_> =
        staged.checks.iter().map(|check| (check.expected.as_str(), check.met)).collect();
    assert_eq!(checks, [("plan", Some(true)), ("plan/style", None), ("act", Some(false))]);

    let resumed = &runs[1];
    assert_eq!(resumed.head.action_types, ["measure", "saw"], "what is written again counts once");
    assert_eq!((resumed.head.cost, resumed.head.outcome.success), (Some(0.75), Some(true)));

    let running = &runs[2];
    let expected = ["One.", "One it is.", "Ten.", "Ten it is.", "Now.", "At it."];
    assert_eq!(said(running), expected);
    assert_eq!(running.head.outcome.success, None, "only Harbor knows how steps make a reward");
    let checks: Vec<_> =
        running.checks.iter().map(|check| (check.expected.as_str(), check.met)).collect();
    assert_eq!(checks, [("step-2", Some(false)), ("step-10", Some(true))]);
    let notes: Vec<&String> = fixture.summary.files.iter().flat_map(|(_, notes)| notes).collect();
    assert_eq!(notes, ["has 1 step of trials without a trajectory: their turns are missing"]);
}

#[test]
fn a_trial_is_the_same_by_the_file_of_a_step() {
    let trial = "harbor-steps/build-in-steps__AAAAAAA";
    let file = format!("{trial}/steps/act/agent/trajectory.json");
    let fixture = imported(&[trial, &file]);
    assert_eq!(fixture.entries().len(), 1);
    assert_eq!(fixture.entry("build", 0).head.turns, 3);
}

/// Copies a folder, with every text changed by `change`.
fn copied(from: &std::path::Path, to: &std::path::Path, change: &dyn Fn(String) -> String) {
    std::fs::create_dir_all(to).expect("made");
    for entry in from.read_dir().expect("a folder").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copied(&path, &target, change);
        } else {
            let text = std::fs::read_to_string(&path).expect("read");
            std::fs::write(target, change(text)).expect("written");
        }
    }
}

#[test]
fn trials_of_equal_names_are_one_run_only_if_they_are_copies() {
    let home = home();
    let job = |name: &str, change: &dyn Fn(String) -> String| {
        let path = home.path().join(name);
        copied(&data("harbor-steps"), &path, change);
        path
    };
    let same = job("same", &|text| text);
    let words = job("words", &|text| text.replace("It stands.", "It leans."));
    let time = job("time", &|text| text.replace("12:00:10Z", "12:00:11Z"));
    let original = data("harbor-steps");
    let imported = |jobs: &[&std::path::Path], store: &str| {
        let paths: Vec<_> = jobs.iter().map(|job| job.to_path_buf()).collect();
        let store = home.path().join(store);
        import(&paths, &store, &ImportOptions::default(), &|_| {}).expect("imported")
    };
    let copies = imported(&[&original, &same], "copies.qualm");
    assert_eq!((copies.added, copies.skipped.len()), (3, 3));
    assert!(copies.skipped.iter().all(|skip| skip.copy), "{:?}", copies.skipped);
    // Two of three trials say something else.
    let other = imported(&[&original, &words], "words.qualm");
    assert_eq!((other.added, other.skipped.len()), (5, 1));
    // The same words at another speed are another run.
    let slower = imported(&[&original, &time], "time.qualm");
    assert_eq!((slower.added, slower.skipped.len()), (4, 2));
    // The same into a store that is there.
    imported(&[&original], "older.qualm");
    let again = imported(&[&same], "older.qualm");
    assert_eq!((again.added, again.replaced, again.kept), (3, 3, 0));
    let more = imported(&[&words], "older.qualm");
    assert_eq!((more.added, more.replaced, more.kept), (3, 1, 2));
}

#[test]
fn an_unknown_source_is_named() {
    let home = home();
    let path = home.path().join("x.json");
    let step = r#"{"source": "ghost", "message": "boo"}"#;
    let json = format!(r#"{{"schema_version": "ATIF-v1.5", "agent": {{}}, "steps": [{step}]}}"#);
    std::fs::write(&path, json).expect("written");
    let failed = import(&[path], &home.path().join("s.qualm"), &ImportOptions::default(), &|_| {});
    let error = failed.expect_err("unknown").to_string();
    assert!(error.contains("step 1 has the unknown source `ghost`"), "{error}");
}

#[test]
fn real_trajectories_are_counted_as_another_program_does() {
    let Some(folder) = folder() else { return };
    let home = home();
    let path = home.path().join("s.qualm");
    import(&[folder.join("atif")], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    let rows: Vec<_> = (Store::open(&path).expect("a store").entries().expect("entries").iter())
        .map(|entry| {
            let head = &entry.head;
            let tokens = (head.prompt_tokens, head.completion_tokens);
            (head.task.clone(), head.turns, head.tools, tokens.0, tokens.1, head.cost)
        })
        .collect();
    // python: [(len(own), sum(len(s.get("tool_calls") or []) for s in own)) for each run], where own are
    // the steps with source == "agent" and not s.get("is_copied_context"), of the file and its cont-1;
    // tokens and cost are final_metrics of the last file.
    let terminus = "terminus_2_hello-world-context-summarization-linear-history".to_owned();
    assert_eq!(
        rows,
        [
            ("openhands_hello-world".to_owned(), 2, 2, Some(220), Some(80), Some(0.00135)),
            (terminus, 7, 0, Some(7802), Some(1030), Some(0.029_804_999_999_999_998)),
        ]
    );
}
