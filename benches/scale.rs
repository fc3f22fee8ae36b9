//! Measures a store of a million trajectories, from program start to all point values of the grid.
//!
//! `cargo bench --bench scale` writes both shapes into a temporary folder and measures them;
//! `-- STORE` measures an existing store; `-- --write STORE [N [DRAWS]]` only writes one.
//!
//! Prints one JSON object per store: seconds (the median of some fresh processes) and peak memory.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use qualm::engine::Engine;
use qualm::metrics::Metric;
use qualm::model::{
    Cell, Head, Judgment, Message, PairValue, Role, Score, ToolCall, Trajectory, TurnScores,
};
use qualm::rng::Rng;
use qualm::store::{Extras, Manifest, Store, StoreWriter};

const TRAJECTORIES: usize = 1_000_000;
const CELLS: usize = 20;
const TOOLS: [&str; 14] = [
    "get_user_details",
    "get_reservation_details",
    "search_direct_flight",
    "search_onestop_flight",
    "book_reservation",
    "cancel_reservation",
    "update_reservation_flights",
    "update_reservation_baggages",
    "calculate",
    "think",
    "send_certificate",
    "list_all_airports",
    "transfer_to_human_agents",
    "get_order_details",
];

/// The number of fresh processes per measurement.
const RUNS: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            let home = tempfile::tempdir().expect("a folder");
            for draws in [4, 1] {
                let path = home.path().join(format!("{draws}.qualm"));
                write(&path, TRAJECTORIES, draws);
                measure(&path);
                std::fs::remove_dir_all(&path).expect("removed");
            }
        }
        ["--write", path, ref rest @ ..] => {
            let number = |index: usize, usual: usize| {
                rest.get(index).map_or(usual, |text| text.parse().expect("a number"))
            };
            write(Path::new(path), number(0, TRAJECTORIES), number(1, 4));
        }
        ["--once", path] => once(Path::new(path)),
        [path] => measure(Path::new(path)),
        _ => panic!("usage: [STORE | --write STORE [N [DRAWS]]]"),
    }
}

/// Prints what a fresh process needs in one line: open, load, grid, kilobytes, tasks.
fn once(path: &Path) {
    let start = Instant::now();
    let store = Store::open(path).expect("a store");
    let open = start.elapsed().as_secs_f64();
    let engine = Engine::load(&store, None).expect("loaded");
    let load = start.elapsed().as_secs_f64() - open;
    let values = engine.grid(Metric::Auroc, None).len();
    let grid = start.elapsed().as_secs_f64() - open - load;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|text| text.trim().split(' ').next()).unwrap_or("0").to_owned();
    println!("{open} {load} {grid} {peak} {values}");
}

fn measure(path: &Path) {
    let program = std::env::current_exe().expect("this program");
    let mut runs: Vec<Vec<f64>> = (0..RUNS)
        .map(|_| {
            let out = Command::new(&program).arg("--once").arg(path).output().expect("it runs");
            let out = String::from_utf8(out.stdout).expect("text");
            out.split_whitespace().map(|text| text.parse().expect("a number")).collect()
        })
        .collect();
    let total = |run: &Vec<f64>| run[..3].iter().sum::<f64>();
    runs.sort_by(|a, b| total(a).total_cmp(&total(b)));
    let run = &runs[RUNS / 2];
    let rows = |table: &str| {
        let store = Store::open(path).expect("a store");
        store.manifest().tables.get(table).copied().unwrap_or(0)
    };
    println!(
        "{{\"trajectories\": {}, \"turns\": {}, \"scores\": {}, \"pairs\": {}, \"judgments\": {}, \
         \"values\": {}, \"open\": {:.4}, \"load\": {:.3}, \"grid_points\": {:.3}, \
         \"total\": {:.3}, \"fastest\": {:.3}, \"slowest\": {:.3}, \"peak_mb\": {:.0}}}",
        rows("trajectories"),
        rows("turns"),
        rows("scores"),
        rows("pairs"),
        rows("judgments"),
        run[4],
        run[0],
        run[1],
        run[2],
        total(run),
        total(&runs[0]),
        total(&runs[RUNS - 1]),
        run[3] / 1024.0,
    );
}

/// Writes made-up runs with short messages. With several draws, only references have turn scores, and
/// there are judges and reflexive scores like in the demo; with one draw, all runs have turn scores.
fn write(path: &Path, trajectories: usize, draws: usize) {
    let tasks = (trajectories / draws / CELLS).max(1);
    let mut writer = StoreWriter::create(path).expect("created");
    let mut extras = Extras::default();
    for number in 0..CELLS {
        let cell = Cell::new(format!("dataset-{}", number / 5), format!("model-{}", number % 5));
        let rng = &mut Rng::new(7, number as u64);
        for task in 0..tasks {
            let skill = rng.range(0.2, 0.9);
            let plan: Vec<usize> =
                (0..8 + rng.below(9)).map(|_| rng.below(TOOLS.len() + 4)).collect();
            for draw in 0..draws {
                let run = trajectory(&cell, task, draw, &plan, skill, rng);
                writer.push(run).expect("written");
            }
            if draws > 1 {
                add_values(&mut extras, &cell, &task.to_string(), draws, skill, rng);
            }
        }
    }
    let manifest = Manifest { synthetic: true, ..Manifest::new() };
    writer.finish(manifest, &extras).expect("finished");
}

fn trajectory(
    cell: &Cell,
    task: usize,
    draw: usize,
    plan: &[usize],
    skill: f64,
    rng: &mut Rng,
) -> Trajectory {
    let mut messages = vec![Message::text(Role::User, "Hi")];
    for step in plan {
        // Draws of a task mostly have the same actions.
        let step = if rng.chance(0.15) { rng.below(TOOLS.len() + 4) } else { *step };
        let mut message = Message::text(Role::Assistant, "Ok");
        if let Some(tool) = TOOLS.get(step) {
            message.content = None;
            let (id, arguments) = (String::new(), String::new());
            message.tool_calls.push(ToolCall { id, name: (*tool).to_owned(), arguments });
        }
        messages.push(message);
    }
    let mut head = Head::new(cell.clone(), task.to_string());
    head.draw = draw as u32;
    let success = rng.chance(skill);
    head.outcome.success = Some(success);
    head.outcome.db_match = Some(success || rng.chance(0.1));
    head.outcome.reward = Some(f64::from(u8::from(success)));
    head.termination = Some(if rng.chance(0.9) { "user_stop" } else { "max_steps" }.to_owned());
    head.cost = Some(rng.range(0.001, 0.1));
    let mut run = Trajectory::new(head, messages, |_| None);
    if draw == 0 {
        for turn in &mut run.turns {
            let lnsp = (skill + rng.range(-0.2, 0.1)).clamp(0.05, 1.0);
            let tokens = 5 + rng.below(60) as u32;
            turn.scores = Some(TurnScores {
                sp_log: f64::from(tokens) * lnsp.ln(),
                lnsp,
                atn: Some(rng.range(0.3, 1.0)),
                pm: Some(rng.range(0.1, 0.9)),
                tokens,
            });
        }
    }
    run
}

fn add_values(
    extras: &mut Extras,
    cell: &Cell,
    task: &str,
    draws: usize,
    skill: f64,
    rng: &mut Rng,
) {
    extras.scores.extend(["ncp", "ptrue", "vc"].map(|scorer| Score {
        cell: cell.clone(),
        task: task.to_owned(),
        draw: 0,
        scorer: scorer.to_owned(),
        aggregator: None,
        value: Some((skill + rng.range(-0.3, 0.3)).clamp(0.0, 1.0)),
        log: None,
        fold: None,
    }));
    for draw_b in 1..draws as u32 {
        extras.pairs.push(PairValue {
            cell: cell.clone(),
            task: task.to_owned(),
            draw_a: 0,
            draw_b,
            scorer: "ncp".to_owned(),
            value: Some(rng.range(0.0, 1.0)),
        });
        extras.judgments.extend(["judge-a", "judge-b"].map(|judge| Judgment {
            cell: cell.clone(),
            task: task.to_owned(),
            draw_a: 0,
            draw_b,
            judge: judge.to_owned(),
            equivalent: Some(rng.chance(skill)),
            confidence: Some(rng.range(0.5, 1.0)),
        }));
    }
}
