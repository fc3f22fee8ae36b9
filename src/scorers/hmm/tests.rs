//! The model against hmmlearn 0.3.3, and what must hold of every fit.

use super::*;

const RUNS: [&[Observation]; 6] = [
    &[[0.718, 0.575], [0.673, 0.511], [0.28, 0.056], [0.229, 0.132], [0.144, 0.097]],
    &[
        [0.369, 0.309],
        [0.373, 0.184],
        [0.374, 0.374],
        [0.189, 0.0],
        [0.447, 0.36],
        [0.421, 0.262],
        [0.514, 0.277],
    ],
    &[[0.415, 0.34], [0.704, 0.49], [0.782, 0.461], [0.707, 0.542]],
    &[
        [0.746, 0.492],
        [0.735, 0.583],
        [0.696, 0.66],
        [0.659, 0.618],
        [0.708, 0.493],
        [0.688, 0.681],
        [0.621, 0.528],
        [0.58, 0.558],
    ],
    &[[0.741, 0.571], [0.685, 0.737], [0.682, 0.632], [0.688, 0.5], [0.673, 0.705], [0.199, 0.16]],
    &[[0.763, 0.6]],
];

/// The start values of every expected number below:
/// `m = GaussianHMM(3, covariance_type="diag", covars_prior=0, min_covar=0, n_iter=N, tol=-inf,
/// init_params="", implementation="log")` with these arrays as `startprob_`, `transmat_`, `means_` and
/// `covars_`; for N > 0, `m.fit(concatenate(RUNS), lengths)`.
fn start() -> Hmm {
    Hmm {
        start: [0.5, 0.3, 0.2],
        transitions: [[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]],
        means: [[0.6, 0.5], [0.2, 0.2], [0.4, 0.3]],
        variances: [[0.02, 0.03], [0.01, 0.02], [0.03, 0.01]],
    }
}

fn after(steps: usize) -> Hmm {
    (0..steps).fold(start(), |model, _| model.step(&RUNS).0)
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64], within: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < within, "{found} is not {expected}");
    }
}

#[test]
fn likelihoods_and_posteriors_are_those_of_hmmlearn() {
    // [m.score(run) for run in RUNS], m.score(concatenate(RUNS), lengths), N = 0
    let expected = [
        5.651_555_083_151_25,
        7.571_870_466_784_556,
        2.888_759_879_406_433_3,
        7.511_985_082_009_351_4,
        4.671_901_159_104_464,
        0.348_977_705_749_639_7,
    ];
    let found = RUNS.map(|run| start().log_likelihood(run));
    assert_close(&found, &expected, 1e-10);
    assert_close(&[start().step(&RUNS).1], &[28.645_049_376_205_698], 1e-10);
    // m.predict_proba(RUNS[0]), N = 0
    let expected = [
        [0.999_188_062_420_540_4, 2.492_469_503_904_289_7e-8, 0.000_811_912_654_764_555_1],
        [0.990_914_432_415_07, 2.426_320_602_189_013_7e-6, 0.009_083_141_264_327_877],
        [0.003_771_511_940_826_069_4, 0.981_685_384_031_199_9, 0.014_543_104_027_974_44],
        [0.000_374_500_222_913_901_47, 0.972_757_213_458_391_1, 0.026_868_286_318_694_937],
        [0.000_106_317_420_190_092_42, 0.980_350_520_270_631_7, 0.019_543_162_309_178_453],
    ];
    let found = start().posteriors(RUNS[0]);
    assert_close(found.as_flattened(), expected.as_flattened(), 1e-10);
}

#[test]
fn a_step_of_fitting_is_that_of_hmmlearn() {
    // m.startprob_, m.transmat_, m.means_, [diag(c) for c in m.covars_], N = 1
    let model = after(1);
    let start = [0.794_207_104_531_635_3, 0.034_127_822_590_246_75, 0.171_665_072_878_117_77];
    let transitions = [
        [0.870_440_131_776_375_6, 0.118_693_638_051_252_42, 0.010_866_230_172_372_095],
        [0.043_716_296_622_616_38, 0.646_281_022_113_376_7, 0.310_002_681_264_006_8],
        [0.073_783_034_195_280_78, 0.219_614_331_690_691_03, 0.706_602_634_114_028_1],
    ];
    let means = [
        [0.683_188_627_138_888_8, 0.563_378_001_038_870_5],
        [0.230_176_650_378_433_02, 0.114_406_207_692_628_27],
        [0.416_043_627_428_576, 0.292_031_653_292_586_5],
    ];
    let variances = [
        [0.005_836_003_077_607_395_5, 0.008_680_807_926_016_177],
        [0.005_207_703_541_668_316, 0.008_059_293_902_970_882],
        [0.004_699_056_387_417_319, 0.005_414_642_142_537_484],
    ];
    assert_close(&model.start, &start, 1e-10);
    assert_close(model.transitions.as_flattened(), transitions.as_flattened(), 1e-10);
    assert_close(model.means.as_flattened(), means.as_flattened(), 1e-10);
    assert_close(model.variances.as_flattened(), variances.as_flattened(), 1e-10);
}

#[test]
fn ten_steps_of_fitting_are_those_of_hmmlearn() {
    // The same, N = 10, m.score(concatenate(RUNS), lengths), m.predict_proba(RUNS[1])
    let model = after(10);
    let means = [
        [0.697_315_785_510_219_6, 0.575_631_572_502_496_6],
        [0.208_213_606_816_914_73, 0.089_007_831_963_910_3],
        [0.416_145_343_481_223_06, 0.300_863_991_670_336_5],
    ];
    let variances = [
        [0.002_140_216_748_124_061, 0.006_028_550_270_614_769],
        [0.002_034_636_374_121_446, 0.003_193_282_583_417_574],
        [0.002_344_731_428_004_854_3, 0.003_739_544_616_271_832_6],
    ];
    let transitions = [
        [0.875_000_000_004_400_1, 0.124_999_999_995_599_69, 7.054_343_450_383_059e-47],
        [0.0, 0.666_573_985_278_907_8, 0.333_426_014_721_092_35],
        [0.166_678_154_719_550_41, 0.166_747_276_605_035_5, 0.666_574_568_675_414_1],
    ];
    assert_close(&model.start, &[0.666_666_666_811_726_3, 0.0, 0.333_333_333_188_273_74], 1e-8);
    assert_close(model.transitions.as_flattened(), transitions.as_flattened(), 1e-8);
    assert_close(model.means.as_flattened(), means.as_flattened(), 1e-8);
    assert_close(model.variances.as_flattened(), variances.as_flattened(), 1e-8);
    assert_close(&[model.step(&RUNS).1], &[72.633_942_715_713_08], 1e-8);
    let expected = [0.0, 4.094_457_341_075_132_4e-7];
    let found = model.posteriors(RUNS[1]);
    assert_close(&[found[0][0], found[6][0]], &expected, 1e-8);
}

#[test]
fn a_fit_orders_states_by_drift_and_is_never_less_likely_than_its_start() {
    let model = Hmm::fit(&RUNS, 0, &FitOptions::default()).expect("turns");
    let totals = model.means.map(|mean| mean[0] + mean[1]);
    assert!(totals.is_sorted(), "{totals:?}");
    assert!(model.step(&RUNS).1 > after(10).step(&RUNS).1 - 1e-3);
    let severities = model.severities(RUNS[0]);
    assert!(severities[0] > 2.9 && severities[4] < 1.1, "{severities:?}");
    assert_eq!(Some(model), Hmm::fit(&RUNS, 0, &FitOptions::default()), "the same each time");
}

#[test]
fn turns_that_nothing_follows_do_not_break_a_fit() {
    let runs = [[[0.1, 0.3], [0.2, 0.4], [0.3, 0.0]]; 8];
    let runs: Vec<&[Observation]> = runs.iter().map(|run| &run[..]).collect();
    let model = Hmm::fit(&runs, 0, &FitOptions::default()).expect("turns");
    let severities = model.severities(runs[0]);
    assert!(severities.iter().all(|severity| (1.0..=3.0).contains(severity)), "{severities:?}");
    assert_eq!(model.severities(&[]), [0.0; 0]);
    assert_eq!(Hmm::fit(&runs[..1], 0, &FitOptions::default()), None, "three turns are too few");
}

#[test]
fn a_long_run_underflows_nowhere() {
    let long: Vec<Observation> = RUNS.concat().repeat(300);
    let severities = start().severities(&long);
    assert!(start().log_likelihood(&long).is_finite());
    assert!(severities.iter().all(|severity| (1.0..=3.0).contains(severity)));
}

#[test]
fn severities_come_from_the_runs_of_other_tasks() {
    let run = |task: usize| DriftRun { task, drifts: RUNS[task % 5].to_vec() };
    let mut runs: Vec<DriftRun> = (0..20).map(run).collect();
    let options = FitOptions::default();
    let before = cross_fitted(&runs, 3, &options);
    assert!(before.iter().all(Option::is_some));
    // What a run is like changes the severities of others, never the model of its own fold.
    runs[7].drifts = vec![[0.9, 0.1]; 9];
    let after = cross_fitted(&runs, 3, &options);
    let fold_of = folds(&runs, 3, options.seed);
    for index in (0..20).filter(|index| *index != 7) {
        let is_in_fold = fold_of[index] == fold_of[7];
        assert_eq!(before[index] == after[index], is_in_fold, "run {index}");
    }
    assert_eq!(
        (0..FOLDS).map(|fold| fold_of.iter().filter(|of| **of == fold).count()).max(),
        Some(4)
    );
    assert_eq!(cross_fitted(&runs[..1], 3, &options), [None], "there is no other task");
}
