//! Where the signal comes from, and early stopping: turns by position and action, compared with
//! scikit-learn and a simulation in plain Python.
//!
//! ```python
//! # numpy 2.4.6, scikit-learn 1.9.1
//! def draws(state=1):
//!     while True:
//!         state = (state * 75 + 74) % 65537
//!         yield state
//! d = draws(); runs = []
//! for k in range(30):
//!     T, s = 1 + next(d) % 12, next(d) % 100 < 50
//!     turns = [dict(lnsp=next(d) / 65537, tokens=1 + next(d) % 5, scored=next(d) % 7 > 0,
//!                   act=next(d) % 6) for _ in range(T)]
//!     runs.append(dict(success=s, cost=None if k % 5 == 0 else k / 8, turns=turns))
//! tools = {3: ["a"], 4: ["a", "b", "a"], 5: ["message"]}    # else a message to the user
//! def scored(r): return [(i, t) for i, t in enumerate(r["turns"]) if t["scored"]]
//! def auc(items): return roc_auc_score(*zip(*items))
//! ```

use std::path::{Path, PathBuf};

use qualm::engine::{BINS, Engine, Signal, SignalBy, TurnGroup};
use qualm::metrics::Metric;
use qualm::metrics::bootstrap::Resampling;
use qualm::model::{Cell, Head, Message, Outcome, Role, ToolCall, Trajectory, TurnScores};
use qualm::scorers::Scorer;
use qualm::scorers::aggregate::Aggregator;
use qualm::scorers::whitebox::Base;
use qualm::store::{Extras, Manifest, Store, StoreWriter};

use crate::support::{demo, home, rows, run, text};

const RUNS: u32 = 30;

/// The next draw of the sequence in the head of this file.
fn next(state: &mut u32) -> u32 {
    *state = (*state * 75 + 74) % 65_537;
    *state
}

fn message(action: u32) -> Message {
    let names: &[&str] = match action {
        3 => &["a"],
        4 => &["a", "b", "a"],
        5 => &["message"],
        _ => &[],
    };
    let call = |name: &&str| ToolCall {
        id: String::new(),
        name: (*name).to_owned(),
        arguments: "{}".to_owned(),
    };
    let mut said = Message::text(Role::Assistant, "So be it.");
    said.tool_calls = names.iter().map(call).collect();
    said
}

/// A store of the runs in the head of this file, each after a message of the user.
fn made(home: &Path) -> PathBuf {
    let path = home.join("made.qualm");
    let mut state = 1;
    let mut writer = StoreWriter::create(&path).expect("free");
    for number in 0..RUNS {
        let turns = 1 + next(&mut state) % 12;
        let success = next(&mut state) % 100 < 50;
        let mut messages = vec![Message::text(Role::User, "Please.")];
        let mut scores = Vec::new();
        for _ in 0..turns {
            let lnsp = f64::from(next(&mut state)) / 65_537.0;
            let tokens = 1 + next(&mut state) % 5;
            let scored = !next(&mut state).is_multiple_of(7);
            let sp_log = lnsp.ln() * f64::from(tokens);
            let scored = scored.then_some(TurnScores { sp_log, lnsp, atn: None, pm: None, tokens });
            scores.push(scored);
            messages.push(message(next(&mut state) % 6));
        }
        let mut head = Head::new(Cell::new("d", "m"), format!("{number:02}"));
        head.outcome = Outcome { success: Some(success), ..Outcome::default() };
        head.cost = (!number.is_multiple_of(5)).then(|| f64::from(number) / 8.0);
        let mut run = Trajectory::new(head, messages, |_| None);
        for (turn, scores) in run.turns.iter_mut().zip(scores) {
            turn.scores = scores;
        }
        writer.push(run).expect("written");
    }
    writer.finish(Manifest::new(), &Extras::default()).expect("written");
    path
}

fn engine(path: &Path) -> (Store, Engine) {
    let store = Store::open(path).expect("a store");
    let engine = Engine::load(&store, None).expect("loaded");
    (store, engine)
}

#[track_caller]
fn close(found: Option<f64>, expected: f64) {
    let found = found.expect("a value");
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

#[track_caller]
fn same(found: &[Signal], expected: &[(f64, usize)]) {
    assert_eq!(found.len(), expected.len());
    for (signal, (value, turns)) in found.iter().zip(expected) {
        close(signal.value, *value);
        assert_eq!(signal.turns, *turns, "{signal:?}");
    }
}

/// ```python
/// def position(i, T): return min(9, int(10 * Fraction(i, T - 1))) if T > 1 else 0
/// [auc([(r["success"], t["lnsp"]) for r in runs for i, t in scored(r)
///       if position(i, len(r["turns"])) == b]) for b in range(10)]
/// ```
#[test]
fn turns_by_position_are_those_of_scikit_learn() {
    let home = home();
    let (_, engine) = engine(&made(home.path()));
    let found = engine.signal(&[0], Base::Lnsp, SignalBy::Position, None);
    same(
        &found,
        &[
            (0.494_047_619_047_619_07, 26),
            (0.75, 16),
            (0.440_476_190_476_190_5, 19),
            (0.765_625, 16),
            (0.404_761_904_761_904_77, 13),
            (0.543_209_876_543_209_8, 18),
            (0.343_434_343_434_343_4, 20),
            (0.425_925_925_925_925_9, 15),
            (0.322_222_222_222_222_24, 19),
            (0.549_107_142_857_142_9, 30),
        ],
    );
    let turns: usize = found.iter().map(|signal| signal.turns).sum();
    let behind = |bin| {
        let group = TurnGroup::Position(bin);
        engine.turns_behind(&[0], Base::Lnsp, SignalBy::Position, &group)
    };
    assert_eq!((0..BINS).map(|bin| behind(bin).len()).sum::<usize>(), turns);
    let first = behind(0);
    assert!(first.windows(2).all(|pair| pair[0].confidence <= pair[1].confidence));
    assert!(first.iter().all(|turn| turn.turn < 2 && turn.draw == 0));
}

/// ```python
/// [(np.mean(v), len(v)) for b in range(10) for v in [[t["lnsp"] for r in runs if r["success"] == outcome
///  for i, t in scored(r) if position(i, len(r["turns"])) == b]]]    # of sp: t["lnsp"] ** t["tokens"]
/// ```
#[test]
fn means_of_turns_by_outcome_are_those_of_numpy() {
    let home = home();
    let (_, engine) = engine(&made(home.path()));
    let expected = [
        (
            Base::Lnsp,
            false,
            [
                (0.518_218_716_145_078_4, 14),
                (0.341_356_790_820_452_56, 8),
                (0.569_174_664_693_226_8, 7),
                (0.456_906_022_552_146_1, 8),
                (0.613_775_424_569_327_3, 6),
                (0.519_877_660_286_894_7, 9),
                (0.456_464_795_967_672_14, 9),
                (0.739_294_851_254_507_6, 6),
                (0.614_507_835_268_627, 10),
                (0.446_115_498_551_527_05, 14),
            ],
        ),
        (
            Base::Lnsp,
            true,
            [
                (0.541_373_575_232_311_6, 12),
                (0.618_202_313_197_125_3, 8),
                (0.526_602_021_250_082_7, 12),
                (0.704_298_716_755_420_7, 8),
                (0.583_489_370_235_788_3, 7),
                (0.533_411_999_667_702_6, 9),
                (0.328_129_703_276_566_93, 11),
                (0.635_859_641_627_375_7, 9),
                (0.400_058_999_750_776_97, 9),
                (0.521_933_220_928_635_8, 16),
            ],
        ),
        (
            Base::Sp,
            false,
            [
                (0.345_110_559_310_944_8, 14),
                (0.130_010_487_391_428_98, 8),
                (0.355_330_607_471_199_1, 7),
                (0.165_654_033_047_503_04, 8),
                (0.337_253_151_123_698_3, 6),
                (0.240_527_958_283_063_23, 9),
                (0.211_420_921_931_926_2, 9),
                (0.586_063_376_205_354_3, 6),
                (0.343_526_502_489_436_95, 10),
                (0.251_919_046_278_578_86, 14),
            ],
        ),
        (
            Base::Sp,
            true,
            [
                (0.346_790_965_587_928_4, 12),
                (0.328_773_893_541_897_07, 8),
                (0.340_604_946_939_137_07, 12),
                (0.593_727_044_476_309, 8),
                (0.299_044_566_684_628_53, 7),
                (0.404_617_685_587_169_93, 9),
                (0.150_609_657_037_200_3, 11),
                (0.435_600_089_164_331_13, 9),
                (0.243_109_617_007_780_94, 9),
                (0.339_346_749_464_625_95, 16),
            ],
        ),
    ];
    let resampling = Some(Resampling { resamples: 200, seed: 0 });
    for (base, outcome, expected) in expected {
        let found = engine.turn_means(&[0], base, resampling);
        for (means, (mean, turns)) in found.iter().zip(expected) {
            let side = if outcome { means.successes } else { means.failures };
            close(side.mean, mean);
            assert_eq!(side.turns, turns);
            let interval = side.interval.expect("resampled");
            assert!(interval.lo < mean && mean < interval.hi, "{interval:?}");
        }
    }
    let quick = engine.turn_means(&[0], Base::Lnsp, None);
    assert!(quick.iter().all(|means| means.failures.interval.is_none()));
}

/// ```python
/// def sofar(r, k): return [t["lnsp"] for i, t in scored(r)
///                          if i < ceil(Fraction(k * len(r["turns"]), 10))]
/// [auc([(r["success"], np.mean(sofar(r, k))) for r in runs if sofar(r, k)]) for k in range(1, 11)]
/// ```
#[test]
fn scores_of_runs_so_far_are_those_of_scikit_learn() {
    let home = home();
    let (_, engine) = engine(&made(home.path()));
    let by = SignalBy::Share(Aggregator::Mean);
    same(
        &engine.signal(&[0], Base::Lnsp, by, None),
        &[
            (0.506_410_256_410_256_4, 25),
            (0.632_653_061_224_489_8, 28),
            (0.557_142_857_142_857_2, 29),
            (0.595_238_095_238_095_3, 29),
            (0.623_809_523_809_523_8, 29),
            (0.584_821_428_571_428_6, 30),
            (0.616_071_428_571_428_6, 30),
            (0.535_714_285_714_285_7, 30),
            (0.584_821_428_571_428_6, 30),
            (0.580_357_142_857_142_8, 30),
        ],
    );
}

/// ```python
/// def did(t): return tools.get(t["act"], [])
/// x = [(r["success"], t["lnsp"]) for r in runs for i, t in scored(r) if f(t)]
/// auc(x), len(x), len([1 for r in runs if any(f(t) for i, t in scored(r))]), with f in turn: True;
/// not did(t); did(t); "a" in did(t); "b" in did(t); "message" in did(t)
/// ```
#[test]
fn turns_by_action_are_those_of_scikit_learn() {
    let home = home();
    let (store, engine) = engine(&made(home.path()));
    let actions = engine.turn_actions(&store).expect("read");
    let found = engine.signal(&[0], Base::Lnsp, SignalBy::Action(&actions), None);
    let tool = |name: &str| TurnGroup::Tool(name.to_owned());
    let expected = [
        (TurnGroup::All, 0.513_437_057_991_513_5, 192, 30),
        (TurnGroup::Message, 0.469_875_222_816_399_26, 106, 30),
        (TurnGroup::Call, 0.564_673_913_043_478_1, 86, 28),
        (tool("a"), 0.538_140_020_898_641_5, 62, 24),
        (tool("b"), 0.480_263_157_894_736_84, 27, 13),
        // A tool of this name is no message to the user.
        (tool("message"), 0.594_405_594_405_594_4, 24, 19),
    ];
    assert_eq!(found.len(), expected.len());
    for (signal, (group, value, turns, runs)) in found.iter().zip(expected) {
        assert_eq!((&signal.group, signal.turns, signal.counts.runs), (&group, turns, runs));
        close(signal.value, value);
    }
    // Without the messages, a turn with several calls cannot be told from several turns.
    std::fs::remove_file(home.path().join("made.qualm/messages.parquet")).expect("removed");
    let store = Store::open(&home.path().join("made.qualm")).expect("a store");
    let actions = engine.turn_actions(&store).expect("read");
    let fewer = engine.signal(&[0], Base::Lnsp, SignalBy::Action(&actions), None);
    assert_eq!(fewer[0].turns, 192);
    assert!(fewer[1].turns < 106 && fewer[2].turns < 86, "{fewer:?}");
}

/// ```python
/// def stop(r, tau):
///     so = []
///     for i, t in scored(r):
///         so.append(t["lnsp"])
///         if np.mean(so) < tau: return i
/// def simulate(tau):
///     out = [0, 0, 0, 0, 0.0]
///     for r in runs:
///         i = stop(r, tau)
///         if i is None: continue
///         saved = len(r["turns"]) - i - 1
///         out[r["success"]] += 1; out[2] += saved; out[3] += 0 if r["success"] else saved
///         out[4] += (r["cost"] or 0) * saved / len(r["turns"])
///     return out
/// ```
#[test]
fn stopping_is_that_of_a_plain_simulation() {
    let home = home();
    let (_, engine) = engine(&made(home.path()));
    let stopping = engine.stopping(&[0], Base::Lnsp, Aggregator::Mean).expect("runs");
    let expected = [
        (0.0, [0, 0], [0, 0], 0.0),
        (0.1, [3, 2], [19, 16], 8.373_863_636_363_637),
        (0.25, [4, 5], [47, 25], 15.000_550_144_300_144),
        (0.4, [7, 8], [78, 37], 20.688_050_144_300_146),
        (0.55, [13, 13], [135, 72], 25.600_739_538_239_537),
        (0.7, [14, 16], [166, 85], 32.353_120_490_620_49),
        (1.0, [14, 16], [185, 91], 35.182_160_894_660_896),
    ];
    for (threshold, runs, turns, cost) in expected {
        let point = stopping.at(threshold);
        assert_eq!([point.failures, point.successes], runs, "{threshold}");
        assert_eq!([point.turns, point.turns_of_failures], turns, "{threshold}");
        close(Some(point.cost), cost);
        let stopped = stopping.stopped(threshold);
        assert_eq!(stopped.len(), point.stopped());
        let saved: u32 = stopped.iter().map(|run| run.turns - run.turn - 1).sum();
        assert_eq!(u64::from(saved), point.turns);
    }
    let whole = &stopping.whole;
    assert_eq!((whole.failures, whole.successes, whole.turns), (14, 16, 223));
    assert_eq!((whole.cost, whole.with_cost), (45.0, 24));
}

/// What is known at the end of a run is its score, under every rule, and its interval is that of the grid.
#[test]
fn the_whole_run_has_the_value_of_the_grid() {
    let home = home();
    let store = demo(home.path(), 30);
    let engine = Engine::load(&store, None).expect("loaded");
    let resampling = Some(Resampling { resamples: 60, seed: 5 });
    for base in Base::ALL {
        for rule in Aggregator::ALL {
            let scorer = Scorer::WhiteBox(base, rule);
            let grid = engine.grid_of(&[scorer], Metric::Auroc, resampling);
            for value in grid {
                let by = SignalBy::Share(rule);
                let found = engine.signal(&[value.cell], base, by, resampling);
                let last = found.last().expect("shares");
                close(last.value, value.value.expect("both outcomes"));
                assert_eq!(last.counts, value.counts);
                let (a, b) = (last.interval.expect("drawn"), value.interval.expect("drawn"));
                assert!((a.lo - b.lo).abs() < 1e-12 && (a.hi - b.hi).abs() < 1e-12, "{a:?} {b:?}");
            }
        }
    }
}

/// A minimum so far stops exactly the runs whose score is below, and stopping only grows with the
/// threshold.
#[test]
fn stopping_grows_with_the_threshold() {
    let home = home();
    let store = demo(home.path(), 30);
    let engine = Engine::load(&store, None).expect("loaded");
    let cells = [0, 3];
    for base in Base::ALL {
        for rule in Aggregator::ALL {
            let stopping = engine.stopping(&cells, base, rule).expect("runs");
            let points = &stopping.points;
            assert_eq!(points[0].stopped(), 0);
            let last = points.last().expect("points");
            assert_eq!(last.stopped(), stopping.counts.runs, "{base:?} {rule:?}");
            for pair in points.windows(2) {
                let [a, b] = pair else { continue };
                assert!(a.threshold < b.threshold && a.turns <= b.turns, "{pair:?}");
                assert!(a.failures <= b.failures && a.successes <= b.successes);
                assert!(a.cost <= b.cost + 1e-12 && b.cost <= stopping.whole.cost);
                let found = stopping.at(b.threshold);
                assert_eq!((found.stopped(), found.turns), (b.stopped(), b.turns));
            }
            let levels = stopping.levels(20);
            assert!(levels.len() > 2 && levels.iter().all(|level| points.contains(level)));
            let below = [points[0].threshold, points[points.len() / 2].threshold, last.threshold];
            let resampling = Resampling { resamples: 40, seed: 1 };
            let intervals = stopping.intervals(&engine, &below, resampling);
            let (none, all) = (intervals[0].failures, intervals[2].failures);
            assert_eq!((none.map(|none| none.hi), all.map(|all| all.lo)), (Some(0.0), Some(1.0)));
            let (middle, half) = (intervals[1].turns.expect("turns"), &points[points.len() / 2]);
            let share = half.turns as f64 / stopping.whole.turns as f64;
            assert!(middle.lo <= share + 0.05 && share - 0.05 <= middle.hi, "{middle:?} {share}");
            if rule == Aggregator::Min {
                let frame = &engine.frames()[0];
                let scores = frame.values(&Scorer::WhiteBox(base, rule)).expect("values");
                let low = scores.rank.iter().filter(|score| **score < below[1]).count();
                let of_first = |run: &&qualm::engine::StoppedRun| run.id.cell == 0;
                let stopped = stopping.stopped(below[1]);
                assert_eq!(stopped.iter().filter(of_first).count(), low);
            }
        }
    }
}

#[test]
fn tables_follow_the_scope_and_keep_what_they_say() {
    let home = home();
    let path = made(home.path());
    let quick = ["--resamples", "20"];
    let of = |args: &[&str]| rows(home.path(), &path, &[args, &quick].concat());
    let whole = of(&["--table", "stopping", "--scorer", "lnsp.mean"]);
    assert!(whole.iter().all(|row| row["n"] == 30 && row["with_cost"] == 24), "{whole:?}");
    assert_eq!(whole[0]["stopped"], 0);
    assert_eq!(whole[0]["turns_per_run"], whole[0]["turns_per_run_stopping"]);
    let all = of(&["--table", "stopping", "--scorer", "lnsp.mean", "--all-thresholds"]);
    assert!(all.len() > whole.len());
    let some = of(&["--table", "stopping", "--scorer", "lnsp.mean", "--where", "turns > 3"]);
    assert!(some[0]["n"].as_u64() < Some(30), "{some:?}");
    let tools = of(&["--table", "tools", "--scorer", "lnsp"]);
    let named: Vec<_> = tools.iter().map(|row| (&row["action"], &row["tool"])).collect();
    assert_eq!(named.len(), 6);
    assert_eq!((named[1].0.as_str(), named[3].1.as_str()), (Some("message"), Some("a")));
    let positions = of(&["--table", "positions", "--scorer", "lnsp.min"]);
    assert_eq!(positions.len(), 2 * BINS);
    assert_eq!((&positions[10]["of"], &positions[10]["to"]), (&"run-so-far".into(), &0.1.into()));
    // A scorer of whole tasks has no turns.
    let none = run(home.path(), &["report", "made.qualm", "--table", "tools", "--scorer", "turns"]);
    assert!(text(&none.stderr).contains("no white-box scorer"), "{}", text(&none.stderr));
}

#[test]
fn paired_scorers_have_a_verdict_and_the_old_table_stays() {
    let home = home();
    demo(home.path(), 30);
    let path = home.path().join("demo.qualm");
    let of = |args: &[&str]| {
        rows(home.path(), &path, &[&["--table", "paired", "--resamples", "40"], args].concat())
    };
    let old = of(&[]);
    assert!(old[0].get("consistency_minus_reflexive").is_some() && old.len() == 20);
    let pair = of(&["--scorer", "lnsp.min", "--versus", "ter"]);
    assert_eq!(pair.len(), 20);
    let turned = of(&["--scorer", "ter", "--versus", "lnsp.min"]);
    for (a, b) in pair.iter().zip(&turned) {
        let number = |row: &serde_json::Value, name: &str| row[name].as_f64().expect("a number");
        assert!((number(a, "difference") + number(b, "difference")).abs() < 1e-12);
        assert!((number(a, "lo") + number(b, "hi")).abs() < 1e-12);
        let excludes = number(a, "lo") > 0.0 || number(a, "hi") < 0.0;
        assert_eq!(a["decisive"], excludes);
        assert_eq!((&a["value"], &a["decisive"]), (&b["versus_value"], &b["decisive"]));
    }
    let decisive = pair.iter().filter(|row| row["decisive"] == true).count();
    let args =
        ["--table", "paired", "--resamples", "40", "--scorer", "lnsp.min", "--versus", "ter"];
    let said = run(home.path(), &[&["report", "demo.qualm"], &args[..]].concat());
    let verdict = format!("decisive in {decisive} of 20 cells");
    assert!(text(&said.stderr).contains(&verdict), "{}", text(&said.stderr));
}

/// The families of the paper's second figure: their numbers of scorers, and the best of each.
#[test]
fn methods_have_the_best_of_their_scorers() {
    let home = home();
    demo(home.path(), 30);
    let path = home.path().join("demo.qualm");
    let args = ["--metric", "prr", "--resamples", "0", "--table"];
    let best = rows(home.path(), &path, &[&args[..], &["methods"]].concat());
    let grid = rows(home.path(), &path, &[&args[..], &["grid"]].concat());
    assert_eq!(best.len(), 60);
    for row in best {
        let family = row["family"].as_str().expect("a family");
        let (scorers, count): (&[&str], _) = match family {
            "white-box" => (&["sp", "lnsp", "atn", "pm"], 24),
            "consistency" => (&["ncp", "fac", "asc", "adc", "aec", "ter"], 6),
            _ => (&["ptrue", "vc"], 2),
        };
        assert_eq!(row["scorers"], count, "{row}");
        let candidates = grid.iter().filter(|other| {
            (&other["dataset"], &other["model"]) == (&row["dataset"], &row["model"])
                && scorers.contains(&other["scorer"].as_str().expect("a scorer"))
        });
        let values = candidates.filter_map(|other| other["value"].as_f64());
        let highest = values.fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(row["value"].as_f64(), Some(highest), "{row}");
    }
}
