//! Curves, calibrations and ensembles compared with scikit-learn and statsmodels.
//!
//! In the calls `s` is an array of scores and `y` one of successes as 0/1.

use qualm::metrics::curve::{CurvePoint, ReliabilityBin, Steps, oracle_retained, reliability};
use qualm::metrics::isotonic::Isotonic;
use qualm::metrics::logistic::Logistic;

use super::{
    TIED, TIED_SUCCESS, TOLERANCE, UNTIED, UNTIED_SUCCESS, forty, forty_tied, noisy, pairs,
};

#[track_caller]
fn same(actual: impl IntoIterator<Item = f64>, expected: &[f64], tolerance: f64) {
    let actual: Vec<f64> = actual.into_iter().collect();
    assert_eq!(actual.len(), expected.len(), "{actual:?}");
    for (index, (a, b)) in actual.iter().zip(expected).enumerate() {
        let is_same = a.total_cmp(b).is_eq() || (a - b).abs() < tolerance;
        assert!(is_same, "item {index}: {a} is not {b}");
    }
}

fn xs(points: &[CurvePoint]) -> impl Iterator<Item = f64> {
    points.iter().map(|point| point.x)
}

fn ys(points: &[CurvePoint]) -> impl Iterator<Item = f64> {
    points.iter().map(|point| point.y)
}

fn thresholds(points: &[CurvePoint]) -> impl Iterator<Item = f64> {
    points.iter().map(|point| point.threshold)
}

#[test]
fn roc_curves() {
    // fpr, tpr, thresholds = sklearn.metrics.roc_curve(y, s, drop_intermediate=False)
    let untied = Steps::new(&UNTIED, &UNTIED_SUCCESS).roc();
    let fpr = [
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.166_666_666_666_666_66,
        0.333_333_333_333_333_3,
        0.333_333_333_333_333_3,
        0.5,
        0.5,
        0.666_666_666_666_666_6,
        0.833_333_333_333_333_4,
        1.0,
    ];
    let tpr = [
        0.0,
        0.166_666_666_666_666_66,
        0.333_333_333_333_333_3,
        0.5,
        0.666_666_666_666_666_6,
        0.666_666_666_666_666_6,
        0.666_666_666_666_666_6,
        0.833_333_333_333_333_4,
        0.833_333_333_333_333_4,
        1.0,
        1.0,
        1.0,
        1.0,
    ];
    let at =
        [f64::INFINITY, 0.91, 0.83, 0.77, 0.72, 0.64, 0.58, 0.49, 0.41, 0.37, 0.26, 0.18, 0.05];
    same(xs(&untied), &fpr, TOLERANCE);
    same(ys(&untied), &tpr, TOLERANCE);
    same(thresholds(&untied), &at, TOLERANCE);
    let fpr = [0.0, 0.111_111_111_111_111_1, 0.333_333_333_333_333_3, 0.666_666_666_666_666_6, 1.0];
    let tpr =
        [0.0, 0.428_571_428_571_428_55, 0.714_285_714_285_714_3, 0.857_142_857_142_857_1, 1.0];
    let at = [f64::INFINITY, 1.0, 0.666_666_666_666_666_6, 0.333_333_333_333_333_3, 0.0];
    // Last-bit noise moves nothing.
    for scores in [TIED.to_vec(), noisy()] {
        let tied = Steps::new(&scores, &TIED_SUCCESS).roc();
        same(xs(&tied), &fpr, TOLERANCE);
        same(ys(&tied), &tpr, TOLERANCE);
        same(thresholds(&tied), &at, TOLERANCE);
    }
}

#[test]
fn precision_recall_curves() {
    // precision, recall, thresholds = sklearn.metrics.precision_recall_curve(y, s), each reversed; it has no
    // threshold for the point that accepts nothing
    let untied = Steps::new(&UNTIED, &UNTIED_SUCCESS).precision_recall();
    let precision = [
        1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        0.8,
        0.666_666_666_666_666_6,
        0.714_285_714_285_714_3,
        0.625,
        0.666_666_666_666_666_6,
        0.6,
        0.545_454_545_454_545_4,
        0.5,
    ];
    let recall = [
        0.0,
        0.166_666_666_666_666_66,
        0.333_333_333_333_333_3,
        0.5,
        0.666_666_666_666_666_6,
        0.666_666_666_666_666_6,
        0.666_666_666_666_666_6,
        0.833_333_333_333_333_4,
        0.833_333_333_333_333_4,
        1.0,
        1.0,
        1.0,
        1.0,
    ];
    let at = [0.91, 0.83, 0.77, 0.72, 0.64, 0.58, 0.49, 0.41, 0.37, 0.26, 0.18, 0.05];
    same(xs(&untied), &recall, TOLERANCE);
    same(ys(&untied), &precision, TOLERANCE);
    same(thresholds(&untied[1..]), &at, TOLERANCE);
    let tied = Steps::new(&TIED, &TIED_SUCCESS).precision_recall();
    same(
        xs(&tied),
        &[0.0, 0.428_571_428_571_428_55, 0.714_285_714_285_714_3, 0.857_142_857_142_857_1, 1.0],
        TOLERANCE,
    );
    same(ys(&tied), &[1.0, 0.75, 0.625, 0.5, 0.4375], TOLERANCE);
    same(
        thresholds(&tied[1..]),
        &[1.0, 0.666_666_666_666_666_6, 0.333_333_333_333_333_3, 0.0],
        TOLERANCE,
    );
}

#[test]
fn reliability_bins() {
    // share, mean = sklearn.calibration.calibration_curve(y, s, n_bins=10), without empty bins
    let cases = [
        (
            forty(),
            vec![0.0, 0.2, 0.0, 0.6, 0.6, 1.0, 1.0, 0.5, 1.0, 1.0],
            vec![
                0.002_273_524_879_075_941_7,
                0.143_726_444_603_811_6,
                0.222_149_320_231_319_72,
                0.362_692_830_004_425,
                0.448_363_519_843_752_4,
                0.536_796_008_361_688_8,
                0.663_792_971_908_998,
                0.734_340_906_663_411_5,
                0.844_900_590_506_126_3,
                0.971_234_569_785_006_9,
            ],
        ),
        (
            forty_tied(),
            vec![0.615_384_615_384_615_4, 0.625, 0.636_363_636_363_636_4, 0.875],
            vec![0.0, 0.333_333_333_333_333_3, 0.666_666_666_666_666_7, 1.0],
        ),
        (
            // s = numpy.arange(11) / 10, y = [0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0]
            (
                (0..11u8).map(|score| f64::from(score) / 10.0).collect(),
                [0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0].map(|y| y == 1).to_vec(),
            ),
            vec![0.5, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0],
            vec![0.05, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
        ),
    ];
    for ((scores, success), shares, means) in cases {
        let bins = reliability(&scores, &success).expect("probabilities");
        let full = || bins.iter().filter(|bin| bin.runs > 0);
        same(full().filter_map(ReliabilityBin::share), &shares, TOLERANCE);
        same(full().map(|bin| bin.mean), &means, TOLERANCE);
        assert_eq!(bins.iter().map(|bin| bin.runs).sum::<usize>(), scores.len());
    }
}

#[test]
fn an_oracle_retains_what_a_perfect_ranking_does() {
    let success: Vec<bool> = (0..10).map(|run| run < 4).collect();
    let scores: Vec<f64> = (0..10).map(|run| -f64::from(run)).collect();
    let steps = Steps::new(&scores, &success);
    for step in 1..=10 {
        let coverage = f64::from(step) / 10.0;
        let perfect = steps.retained_at(coverage).expect("runs");
        assert!((perfect - oracle_retained(coverage, 0.4)).abs() < TOLERANCE, "{coverage}");
    }
}

/// Forty rows of three columns.
///
/// ```python
/// X = [[a / 65537, (a % 4) / 3, -(b % 13)] for a, b in pairs]; fold = numpy.arange(40) % 4
/// ```
fn columns() -> [Vec<f64>; 3] {
    let column = |of: fn(u32, u32) -> f64| pairs().into_iter().map(|(a, b)| of(a, b)).collect();
    [
        column(|a, _| f64::from(a) / 65_537.0),
        column(|a, _| f64::from(a % 4) / 3.0),
        column(|_, b| -f64::from(b % 13)),
    ]
}

/// The values of models that were each fitted without a fold of every fourth row.
fn cross_fitted<M>(fit: impl Fn(&[usize]) -> M, predict: impl Fn(&M, usize) -> f64) -> Vec<f64> {
    let models: Vec<M> = (0..4)
        .map(|fold| fit(&(0..40).filter(|row| row % 4 != fold).collect::<Vec<usize>>()))
        .collect();
    (0..40).map(|row| predict(&models[row % 4], row)).collect()
}

#[test]
fn logistic_regression_in_folds() {
    // for f in range(4):
    //     train = fold != f; scale = StandardScaler().fit(X[train])
    //     model = LogisticRegression(C=1.0, tol=1e-12, max_iter=10000, solver="newton-cholesky")
    //     model.fit(scale.transform(X[train]), y[train])
    //     p[~train] = model.predict_proba(scale.transform(X[~train]))[:, 1]
    // The solver "lbfgs" differs by less than 1e-7.
    let expected = [
        0.404_621_593_898_529_86,
        0.887_209_376_757_946,
        0.830_932_904_745_138_5,
        0.377_733_532_055_908_65,
        0.544_871_581_346_433_4,
        0.419_702_052_237_230_5,
        0.236_622_242_960_634_44,
        0.568_379_291_817_702_4,
        0.567_619_223_042_513_9,
        0.603_651_471_403_493_5,
        0.790_306_211_325_799_4,
        0.741_086_351_941_061_2,
        0.576_149_954_197_979_7,
        0.394_683_436_054_101_17,
        0.785_572_778_101_348_4,
        0.557_593_578_957_683,
        0.528_368_818_177_878_4,
        0.404_674_233_199_943_5,
        0.978_050_363_381_141_6,
        0.725_724_577_161_283_9,
        0.757_975_500_322_531_5,
        0.881_786_849_714_697_9,
        0.899_845_368_280_249_7,
        0.776_192_421_077_475_4,
        0.385_968_653_696_950_3,
        0.961_342_851_431_788_3,
        0.186_662_922_624_473_37,
        0.655_757_574_796_531_3,
        0.971_631_788_010_416_7,
        0.684_178_766_770_801_1,
        0.518_637_704_620_195_9,
        0.569_095_996_460_215_6,
        0.984_643_399_055_876_7,
        0.866_351_425_721_208_5,
        0.926_453_360_120_669_5,
        0.936_915_617_284_871_5,
        0.815_068_214_074_505_4,
        0.826_269_621_558_460_2,
        0.939_544_897_597_116,
        0.931_179_940_024_545_3,
    ];
    let (columns, success) = (columns(), forty().1);
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let fit = |rows: &[usize]| Logistic::fit(&columns, &success, rows);
    let values = cross_fitted(fit, |model, row| model.predict(&columns, row));
    same(values, &expected, 1e-9);
    // model.coef_[0], model.intercept_ of the first fold
    let first = fit(&(0..40).filter(|row| row % 4 != 0).collect::<Vec<usize>>());
    let weights = first.weights().iter().copied().chain([first.intercept()]);
    same(
        weights,
        &[
            1.228_182_793_685_345_6,
            0.117_664_833_929_444_48,
            0.904_902_513_129_028_7,
            2.022_795_172_808_261,
        ],
        1e-8,
    );
}

#[test]
fn isotonic_calibration_in_folds() {
    // x = t + s / 10, with t of `forty_tied`
    // IsotonicRegression(out_of_bounds="clip").fit(x[train], y[train]).predict(x[~train])
    let expected = [
        0.733_333_333_333_333_3,
        0.75,
        1.0,
        0.75,
        0.733_333_333_333_333_3,
        0.75,
        0.0,
        0.636_363_636_363_636_4,
        0.733_333_333_333_333_3,
        0.75,
        0.705_882_352_941_176_5,
        0.75,
        0.916_666_666_666_666_6,
        0.105_037_513_397_642_02,
        1.0,
        0.636_363_636_363_636_4,
        0.0,
        0.75,
        1.0,
        0.636_363_636_363_636_4,
        0.916_666_666_666_666_6,
        0.75,
        1.0,
        0.844_164_619_164_620_9,
        0.0,
        1.0,
        0.705_882_352_941_176_5,
        0.75,
        0.733_333_333_333_333_3,
        0.555_555_555_555_555_6,
        0.705_882_352_941_176_5,
        0.5,
        0.916_666_666_666_666_6,
        0.555_555_555_555_555_6,
        0.705_882_352_941_176_5,
        0.741_283_022_533_022_6,
        0.733_333_333_333_333_3,
        0.715_139_753_284_703_9,
        0.705_882_352_941_176_5,
        0.571_428_571_428_571_4,
    ];
    let ((scores, success), (tied, _)) = (forty(), forty_tied());
    let x: Vec<f64> = tied.iter().zip(&scores).map(|(tied, score)| tied + score / 10.0).collect();
    let fit = |rows: &[usize]| Isotonic::fit(&x, &success, rows);
    same(cross_fitted(fit, |model, row| model.predict(x[row])), &expected, 1e-12);
    // IsotonicRegression(out_of_bounds="clip").fit(t, y).predict([-1, 0, 1/3, 0.5, 2/3, 1, 2])
    let all: Vec<usize> = (0..40).collect();
    let model = Isotonic::fit(&tied, &success, &all);
    let at = [-1.0, 0.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 1.0, 2.0];
    let expected = [
        0.615_384_615_384_615_4,
        0.615_384_615_384_615_4,
        0.625,
        0.630_681_818_181_818_2,
        0.636_363_636_363_636_4,
        0.875,
        0.875,
    ];
    same(at.map(|score| model.predict(score)), &expected, 1e-12);
}

#[test]
fn platt_calibration_in_folds() {
    // n1, n0 = successes and failures; t = numpy.where(y, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    // statsmodels.api.GLM(t[train], add_constant(s[train]), family=Binomial()).fit(tol=1e-14).predict(…)
    // sklearn.calibration._sigmoid_calibration differs by less than 1e-7.
    let expected = [
        0.226_113_819_129_597_4,
        0.913_332_315_322_237,
        0.755_412_695_872_851_3,
        0.477_584_578_360_617_96,
        0.678_320_126_810_093_7,
        0.505_519_050_084_001_7,
        0.259_823_268_211_150_5,
        0.628_914_683_443_135_6,
        0.478_293_068_294_564_75,
        0.536_483_236_931_471_7,
        0.797_343_803_764_623_9,
        0.787_074_461_192_676_9,
        0.781_931_092_713_480_2,
        0.312_467_042_996_959_9,
        0.719_806_153_858_939_4,
        0.648_384_695_249_919_5,
        0.361_054_658_950_380_2,
        0.385_814_778_075_770_3,
        0.980_875_342_986_807_5,
        0.767_481_554_235_512,
        0.719_496_779_678_984_3,
        0.867_408_390_660_274_6,
        0.910_551_671_673_900_2,
        0.870_654_688_452_357_5,
        0.359_327_929_195_722_93,
        0.942_897_948_019_869_6,
        0.192_928_342_735_724_96,
        0.585_744_653_994_043_1,
        0.926_492_709_818_517_5,
        0.688_561_941_354_207,
        0.520_546_891_075_014,
        0.428_921_502_305_825_65,
        0.914_141_003_881_569,
        0.935_334_180_225_996_5,
        0.951_694_275_299_137_9,
        0.930_563_600_202_897_2,
        0.715_414_846_410_222_3,
        0.778_893_901_667_241_4,
        0.953_830_338_325_334_6,
        0.930_722_693_792_433_7,
    ];
    let (scores, success) = forty();
    let fit = |rows: &[usize]| Logistic::platt(&scores, &success, rows);
    same(cross_fitted(fit, |model, row| model.predict(&[&scores], row)), &expected, 1e-9);
}
