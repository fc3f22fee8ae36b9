//! A cached store of results that change: only changed inputs are read, and the store is the one that
//! reading everything gives.

use std::fs;
use std::path::{Path, PathBuf};

use qualm::import::{ImportOptions, import};
use qualm::rng::Rng;
use qualm::store::{Manifest, Store};
use qualm::watch::{Watch, empty_store};
use serde_json::{Value, json};

use crate::support::{assert_whole, home, is_long_run};

/// What a file holds: the runs by task, trial and whether another file has the same run, and its texts.
#[derive(Clone, Default)]
struct Made {
    runs: Vec<(usize, usize, bool)>,
    texts: Vec<(usize, usize)>,
    is_lines: bool,
}

impl Made {
    /// A document of tau2, or lines of a chat log.
    fn text(&self, name: &str) -> String {
        let id = |(task, trial, shared): &(usize, usize, bool)| {
            let file = if *shared { "both" } else { name };
            format!("{file}-{task}-{trial}")
        };
        if self.is_lines {
            let line = |run: &(usize, usize, bool)| {
                let (task, said) = (run.0, format!("Done with {}.", run.1));
                let messages = json!([{"role": "user", "content": "Hi"},
                    {"role": "assistant", "content": said}]);
                json!({"task_id": task.to_string(), "reward": run.1 % 2, "model": "owl",
                    "messages": messages})
                .to_string()
                    + "\n"
            };
            return self.runs.iter().map(line).collect();
        }
        let run = |run: &(usize, usize, bool)| {
            let (task, trial) = (run.0, run.1);
            let turn = |index: usize| {
                json!({"role": "assistant", "content": format!("Step {index}."),
                "usage": {}, "raw_data": {"choices": [{"logprobs": {"content": [
                    {"token": "Step", "logprob": -0.1 - 0.07 * index as f64, "top_logprobs": [
                        {"token": "Step", "logprob": -0.1}, {"token": "So", "logprob": -2.3}]},
                    {"token": format!(" {index}."), "logprob": -0.3, "top_logprobs": []}]}}]}})
            };
            let mut messages = vec![json!({"role": "user", "content": "Hi"})];
            messages.extend((0..=(task + trial) % 3).map(turn));
            // Some crash before they act.
            let messages = if task == 5 { Vec::new() } else { messages };
            json!({"id": id(run), "task_id": task.to_string(), "trial": trial,
                "termination_reason": "user_stop", "reward_info": {"reward": trial % 2},
                "messages": messages})
        };
        let text = |(task, version): &(usize, usize)| json!({"id": task.to_string(), "user_scenario": {"instructions": format!("Do {version}.")}});
        let tasks: Vec<Value> = self.texts.iter().map(text).collect();
        let runs: Vec<Value> = self.runs.iter().map(run).collect();
        json!({"info": {"agent_info": {"llm": "owl"},
            "environment_info": {"domain_name": format!("d{}", name.len() % 2)}},
            "tasks": tasks, "simulations": runs})
        .to_string()
    }
}

/// Changes one of the files at random, or adds one.
fn change(files: &mut Vec<(String, Made)>, rng: &mut Rng) -> usize {
    let run = |rng: &mut Rng| (rng.below(6), rng.below(3), rng.chance(0.2));
    if files.is_empty() || (files.len() < 7 && rng.chance(0.35)) {
        let name = format!("{}{}", ["a", "m", "zz"][rng.below(3)], files.len());
        let is_lines = rng.chance(0.2);
        let runs = (0..=rng.below(4)).map(|_| run(rng)).collect();
        files.push((name, Made { runs, texts: Vec::new(), is_lines }));
        return files.len() - 1;
    }
    let index = rng.below(files.len());
    let made = &mut files[index].1;
    match rng.below(6) {
        0 if made.runs.len() > 1 => drop(made.runs.remove(0)),
        1 => made.texts.push((rng.below(4), rng.below(2))),
        2 if !made.texts.is_empty() => drop(made.texts.pop()),
        _ => made.runs.push(run(rng)),
    }
    index
}

/// A manifest without the times of the import.
fn timeless(store: &Path) -> Manifest {
    let mut manifest = Store::open(store).expect("a store").manifest().clone();
    (manifest.stamp, manifest.handover) = (None, None);
    for source in &mut manifest.sources {
        source.imported_at = 0;
    }
    manifest
}

#[test]
fn a_watched_store_is_what_reading_everything_gives() {
    let histories = if is_long_run() { 60 } else { 6 };
    let mut kept = 0;
    for seed in 0..histories {
        let home = home();
        let (folder, cache) = (home.path().join("runs"), home.path().join("cache.qualm"));
        fs::create_dir(&folder).expect("made");
        empty_store(&cache).expect("made");
        let mut watch = Watch::of_results(
            std::slice::from_ref(&folder),
            &Store::open(&cache).expect("a store"),
        );
        let (mut rng, mut files) = (Rng::new(7, seed), Vec::new());
        for step in 0..10 {
            for _ in 0..=rng.below(2) {
                let index = change(&mut files, &mut rng);
                let (name, made) = &files[index];
                let ending = if made.is_lines { "jsonl" } else { "json" };
                fs::write(folder.join(format!("{name}.{ending}")), made.text(name))
                    .expect("written");
            }
            age(&cache);
            watch.poll();
            let sources = Store::open(&cache).expect("a store").manifest().sources.clone();
            kept += sources.iter().filter(|source| source.imported_at == 1).count();
            let fresh = home.path().join(format!("fresh{step}.qualm"));
            let options = ImportOptions { cached: true, ..ImportOptions::default() };
            import(std::slice::from_ref(&folder), &fresh, &options, &|_| {}).expect("imported");
            assert_eq!(timeless(&cache), timeless(&fresh), "history {seed}, step {step}");
        }
        assert_whole(&cache);
    }
    assert!(kept > 10 * histories as usize, "{kept} inputs were not read again");
}

/// Makes all sources of a store look as if they had been imported long ago.
fn age(store: &Path) {
    let path = store.join("manifest.json");
    let mut manifest: Value =
        serde_json::from_slice(&fs::read(&path).expect("read")).expect("a manifest");
    for source in manifest["sources"].as_array_mut().expect("sources") {
        source["imported_at"] = json!(1);
    }
    fs::write(path, manifest.to_string()).expect("written");
}

fn ages(store: &Path) -> Vec<(PathBuf, bool)> {
    let manifest = Store::open(store).expect("a store").manifest().clone();
    let of = |source: &qualm::store::ImportedFile| {
        (PathBuf::from(&source.path), source.imported_at == 1)
    };
    manifest.sources.iter().map(of).collect()
}

#[test]
fn only_what_changed_is_read() {
    let home = home();
    let (folder, cache) = (home.path().join("runs"), home.path().join("cache.qualm"));
    fs::create_dir(&folder).expect("made");
    empty_store(&cache).expect("made");
    let mut watch =
        Watch::of_results(std::slice::from_ref(&folder), &Store::open(&cache).expect("a store"));
    let write = |name: &str, trials: usize| {
        let runs = (0..trials).map(|trial| (3, trial, false)).collect();
        let made = Made { runs, ..Made::default() };
        fs::write(folder.join(name).with_extension("json"), made.text(name)).expect("written");
    };
    for name in ["a", "b", "c"] {
        write(name, 2);
    }
    watch.poll().expect("news");
    age(&cache);
    write("b", 3);
    assert_eq!(watch.poll().expect("news").words.as_deref(), Some("1 new run came in"));
    let stayed: Vec<bool> = ages(&cache).into_iter().map(|(_, stayed)| stayed).collect();
    assert_eq!(stayed, [true, false, true]);
    // A file that is cut off waits, and those behind it come in.
    age(&cache);
    let whole = fs::read_to_string(folder.join("a.json")).expect("read");
    fs::write(folder.join("a.json"), &whole[..whole.len() - 30]).expect("written");
    write("d", 1);
    let news = watch.poll().expect("news");
    assert_eq!(news.words.as_deref(), Some("1 new run came in"));
    assert!(news.waits_for.is_some());
    let stayed: Vec<bool> = ages(&cache).into_iter().map(|(_, stayed)| stayed).collect();
    assert_eq!(stayed, [false, true, true, false]);
    assert_eq!(Store::open(&cache).expect("a store").entries().expect("runs").len(), 8);
    fs::write(folder.join("a.json"), &whole).expect("written");
    assert_eq!(watch.poll().expect("news").waits_for, None);
    assert_eq!(Store::open(&cache).expect("a store").entries().expect("runs").len(), 8);
    assert_whole(&cache);
}
