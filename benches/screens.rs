//! Measures what a user of the explorer waits for: a frame of every screen, and a key that switches the
//! aggregator, in a store of any size. Prints one JSON object of milliseconds.
//!
//! `cargo bench --bench screens [-- STORE...]`; `benches/scale.rs` writes large stores.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use qualm::demo::{self, DemoOptions};
use qualm::import::{ImportOptions, import};
use qualm::metrics::bootstrap::Resampling;
use qualm::store::Store;
use qualm::ui::headless::Headless;
use qualm::ui::query::Worker;
use qualm::ui::shared::Runs;
use qualm::ui::theme::{Depth, Shade, Theme};
use qualm::ui::{App, Config, Input, View};
use serde_json::{Value, json};

const SIZE: (u16, u16) = (200, 60);

/// The median and the worst of some runs, in milliseconds.
fn milliseconds(runs: usize, mut work: impl FnMut()) -> (f64, f64) {
    work();
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[runs / 2], times[runs - 1])
}

/// Opens an explorer at a screen, without intervals, which arrive after the frame.
fn open(path: &Path, screen: &str, all_cells: bool) -> Headless {
    let store = Store::open(path).expect("a store");
    let settings = json!({"screen": screen, "all_cells": all_cells});
    let view: View = serde_json::from_value(settings).expect("a view");
    let theme = Theme::new(Shade::Dark, Depth::True);
    let app = App::new(&store, view, &Config::default(), theme);
    let worker = Worker::new(store, Resampling { resamples: 1, seed: 0 });
    Headless::new(worker, app, SIZE)
}

fn press(explorer: &mut Headless, key: char) {
    explorer.input(&Input::Key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE)));
}

fn measure(path: &Path, runs: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for screen in ["cells", "grid", "tasks", "aggregators"] {
        let mut explorer = open(path, screen, screen == "tasks");
        let rows = explorer.app.shared.tasks.table().map_or(0, |table| table.rows.len());
        let (frame, worst) = milliseconds(runs, || drop(explorer.draw()));
        let (key, worst_key) = milliseconds(runs.min(40), || press(&mut explorer, 'a'));
        lines.push(format!(
            "  \"{screen}\": {{\"frame\": {frame:.3}, \"worst\": {worst:.3}, \
             \"aggregator_key\": {key:.3}, \"worst_key\": {worst_key:.3}, \"rows\": {rows}}}"
        ));
        if screen == "tasks" {
            press(&mut explorer, '3');
            let (frame, worst) = milliseconds(runs, || drop(explorer.draw()));
            lines.push(format!("  \"compare\": {{\"frame\": {frame:.3}, \"worst\": {worst:.3}}}"));
        }
    }
    lines
}

/// A store of one task with two long runs: 500 turns and 2 MB of text, one turn of 5,000 tokens.
fn long_runs(home: &Path) -> PathBuf {
    let token = |text: &str, p: f64| {
        let top: Vec<Value> = (0..5)
            .map(
                |index| json!({"token": format!("t{index}"), "logprob": p.ln() - f64::from(index)}),
            )
            .collect();
        json!({"token": text, "logprob": p.ln(), "top_logprobs": top})
    };
    let run = |trial: usize| {
        let mut messages = vec![json!({"role": "user", "content": "go"})];
        for turn in 0..500 {
            if turn == 250 {
                let words: Vec<String> = (0..5000).map(|word| format!("word{word} ")).collect();
                let tokens: Vec<Value> = words
                    .iter()
                    .enumerate()
                    .map(|(index, word)| token(word, 0.5 + (index % 50) as f64 / 100.0))
                    .collect();
                messages.push(json!({"role": "assistant", "content": words.concat(),
                    "raw_data": {"logprobs": {"content": tokens}}}));
                continue;
            }
            let call = json!({"id": format!("c{turn}"), "name": format!("tool_{}", turn % 7),
                "arguments": {"turn": turn, "trial": trial}, "requestor": "assistant"});
            messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
            messages
                .push(json!({"role": "tool", "id": format!("c{turn}"), "requestor": "assistant",
                "content": format!("{{\"rows\": [{}0]}}", "12345, ".repeat(570)), "error": false}));
        }
        json!({"id": format!("r{trial}"), "task_id": "1", "trial": trial, "messages": messages,
            "termination_reason": "user_stop", "reward_info": {"reward": trial as f64}})
    };
    let file = home.join("long.json");
    std::fs::write(&file, json!({"simulations": [run(0), run(1)]}).to_string()).expect("written");
    let path = home.join("long.qualm");
    import(&[file], &path, &ImportOptions::default(), &|_| {}).expect("imported");
    path
}

/// Measures opening two such runs, and frames while scrolling, unfolding and moving through tokens.
fn measure_long(path: &Path) -> Vec<String> {
    let mut times: Vec<f64> = (0..9)
        .map(|_| {
            let mut explorer = open(path, "grid", false);
            press(&mut explorer, '2');
            explorer.app.shared.runs = Runs::default();
            let start = Instant::now();
            press(&mut explorer, '3');
            assert!(explorer.app.screens.compare.panel.comparison(&explorer.app.shared).is_some());
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let mut lines = vec![format!(
        "  \"open\": {{\"median\": {:.3}, \"worst\": {:.3}}}",
        times[times.len() / 2],
        times[times.len() - 1]
    )];
    let mut explorer = open(path, "compare", false);
    for (name, before, key) in [
        ("scroll", "", 'j'),
        ("scroll_whole", "Z", 'j'),
        ("tokens", "gwt", 'l'),
        ("aggregator", "", 'a'),
    ] {
        before.chars().for_each(|key| press(&mut explorer, key));
        let (median, worst) = milliseconds(300, || press(&mut explorer, key));
        lines.push(format!("  \"{name}\": {{\"median\": {median:.3}, \"worst\": {worst:.3}}}"));
    }
    lines
}

fn main() {
    let paths: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).map(PathBuf::from).collect();
    let home = tempfile::tempdir().expect("a folder");
    let demo = home.path().join("demo.qualm");
    demo::write(&demo, &DemoOptions::default(), &|| ()).expect("written");
    let mut parts = Vec::new();
    for path in std::iter::once(&demo).chain(&paths) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let runs = if path == &demo { 300 } else { 20 };
        parts.push(format!(" \"{name}\": {{\n{}\n }}", measure(path, runs).join(",\n")));
    }
    let long = measure_long(&long_runs(home.path()));
    parts.push(format!(" \"long runs\": {{\n{}\n }}", long.join(",\n")));
    println!("{{\n{}\n}}", parts.join(",\n"));
}
