//! Measures the engine on the demo store and on a million trajectories. Prints one JSON object of
//! seconds, with which `benches/peers/grid.py` compares other programs.
//!
//! `cargo bench --bench engine [-- STORE]`

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use qualm::demo::{self, DemoOptions};
use qualm::engine::{Engine, Frame, Task};
use qualm::metrics::bootstrap::Resampling;
use qualm::metrics::threshold::Aim;
use qualm::metrics::{Metric, Ranking};
use qualm::model::{Cell, Costs, TurnScores};
use qualm::rng::Rng;
use qualm::scorers::Scorer;
use qualm::scorers::aggregate::Aggregator;
use qualm::scorers::whitebox::Base;
use qualm::store::Store;
use rayon::prelude::*;

/// The median of some runs, in seconds.
fn seconds(runs: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut times: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[runs / 2]
}

/// A cell of made-up references with 12 turns each.
fn large_cell(number: usize, tasks: usize) -> Frame {
    let mut rng = Rng::new(1, number as u64);
    let task = |id: usize, rng: &mut Rng| Task {
        id: id.to_string(),
        draw: 0,
        success: Some(rng.chance(0.4)),
        db_match: None,
        db_graded: None,
        checks: qualm::model::CheckSummary::default(),
        turns: Some(12),
        tools: Some(6),
        termination: None,
        reward: None,
        cost: None,
        row: 0,
        samples: Vec::new(),
        has_reference: true,
    };
    let list: Vec<Task> = (0..tasks).map(|id| task(id, &mut rng)).collect();
    let turns = (0..tasks).map(|_| {
        let turn = |rng: &mut Rng| {
            let lnsp = rng.range(0.4, 1.0);
            TurnScores {
                sp_log: 30.0 * lnsp.ln(),
                lnsp,
                atn: Some(lnsp),
                pm: Some(lnsp),
                tokens: 30,
            }
        };
        (0..12).map(|_| turn(&mut rng)).collect::<Vec<_>>()
    });
    let turns: Vec<Vec<TurnScores>> = turns.collect();
    Frame::new(Cell::new("large", number.to_string()), list, turns)
}

/// The current scorer's values, ranks and AUROC in every cell.
fn point_values(frames: &[Frame], scorer: &Scorer) -> Vec<Option<f64>> {
    let cell = |frame: &Frame| {
        let (scores, success) = frame.sample(scorer, Metric::Auroc)?;
        black_box(Ranking::new(&scores).ranks(scores.len()));
        Metric::Auroc.value(&scores, &success)
    };
    frames.par_iter().map(cell).collect()
}

fn main() {
    let path = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).map(PathBuf::from);
    let home = tempfile::tempdir().expect("a folder");
    let path = path.unwrap_or_else(|| {
        let path = home.path().join("demo.qualm");
        demo::write(&path, &DemoOptions::default(), &|| ()).expect("written");
        path
    });
    let store = Store::open(&path).expect("a store");
    let engine = Engine::load(&store, None).expect("loaded");
    let load = seconds(5, || drop(black_box(Engine::load(&store, None).expect("loaded"))));
    let points = seconds(21, || drop(black_box(engine.grid(Metric::Auroc, None))));
    let resampling = Some(Resampling::default());
    let grid = seconds(11, || drop(black_box(engine.grid(Metric::Auroc, resampling))));
    println!("{{\"scorers\": {}, \"cells\": {},", engine.scorers().len(), engine.frames().len());
    println!(" \"load\": {load:.6}, \"grid_points\": {points:.6}, \"grid_intervals\": {grid:.6},");
    for metric in Metric::ALL.into_iter().skip(1) {
        let time = seconds(3, || drop(black_box(engine.grid(metric, resampling))));
        println!(" \"grid_intervals_{}\": {time:.6},", metric.id());
    }
    let four = ["lnsp.min", "atn.mean", "ter", "turns"].map(Scorer::parse);
    let cells: Vec<usize> = (0..engine.frames().len()).collect();
    for (name, cells) in [("cell", &cells[..1]), ("pool", &cells[..])] {
        let time = seconds(11, || drop(black_box(engine.curves(cells, &four, resampling))));
        println!(" \"curves_{name}\": {time:.6},");
        let (aim, costs) = (Aim::Success(0.9), Costs::default());
        let time = seconds(11, || {
            let draws = Resampling::default();
            black_box(engine.best_threshold(cells, &four[0], aim, &costs, draws));
        });
        println!(" \"threshold_{name}\": {time:.6},");
    }
    let scorer = Scorer::WhiteBox(Base::Lnsp, Aggregator::Min);
    let mut lines = Vec::new();
    for trajectories in [250_000, 500_000, 1_000_000] {
        let frames: Vec<Frame> =
            (0..20).into_par_iter().map(|cell| large_cell(cell, trajectories / 20)).collect();
        for rule in [Aggregator::Min, Aggregator::Mean] {
            let scorer = Scorer::WhiteBox(Base::Lnsp, rule);
            let time = seconds(7, || drop(black_box(point_values(&frames, &scorer))));
            lines.push(format!(" \"look_{}_{trajectories}\": {time:.6}", rule.id()));
        }
        if trajectories == 1_000_000 {
            let values = seconds(7, || {
                let values = frames.par_iter().map(|frame| frame.values(&scorer));
                drop(black_box(values.collect::<Vec<_>>()));
            });
            lines.push(format!(" \"values_only_{trajectories}\": {values:.6}"));
            let engine = Engine::from_frames(frames.clone());
            let cells: Vec<usize> = (0..frames.len()).collect();
            let four = ["lnsp.min", "lnsp.mean", "atn.min", "pm.mean"].map(Scorer::parse);
            let mut drawn = None;
            let time = seconds(3, || {
                drawn = black_box(engine.curves(&cells, &four, resampling)).resamples;
            });
            lines.push(format!(" \"curves_{trajectories}\": {time:.6}"));
            lines.push(format!(" \"curves_resamples\": {}", drawn.unwrap_or(0)));
        }
    }
    println!("{}}}", lines.join(",\n"));
}
