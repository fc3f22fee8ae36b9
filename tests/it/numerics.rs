//! Metrics and scorers compared with the values of other implementations.
//!
//! Every expected value was printed by the Python call beside it: numpy 2.4.6, scipy 1.17.1,
//! scikit-learn 1.9.1, statsmodels 0.15.0, rapidfuzz 3.14.6, Levenshtein 0.27.5, uqlm 0.6.7 and
//! lm-polygraph 0.7.0. Of the last two only the modules named here were loaded. In the calls `s` is
//! an array of scores and `y` one of successes as 0/1; lm-polygraph ranks by uncertainty: `-s`.
//!
//! ```python
//! area = lm_polygraph.ue_metrics.pred_rej_area.PredictionRejectionArea()
//! risk = lm_polygraph.ue_metrics.risk_cov_curve.RiskCoverageCurveAUC()
//! normalize_metric = lm_polygraph.ue_metrics.ue_metric.normalize_metric
//! ```

mod curves;

use qualm::metrics::agreement::Confusion;
use qualm::metrics::{auprc, aurc, auroc, brier, ece, prr, prr_in_order, spearman};
use qualm::model::{Span, TokenSeq};
use qualm::scorers::consistency::Consistency;
use qualm::scorers::whitebox::{Spans, turn_scores};

const TOLERANCE: f64 = 1e-12;

const T: bool = true;
const F: bool = false;

/// Twelve distinct scores.
const UNTIED: [f64; 12] = [0.41, 0.91, 0.18, 0.72, 0.58, 0.05, 0.83, 0.37, 0.64, 0.26, 0.77, 0.49];
const UNTIED_SUCCESS: [bool; 12] = [F, T, F, T, F, F, T, T, F, F, T, T];

/// Shares of three samples: four values, four items each.
const TIED: [f64; 16] = {
    let (a, b) = (1.0 / 3.0, 2.0 / 3.0);
    [b, 0.0, 1.0, a, b, 1.0, 0.0, a, 1.0, b, 0.0, a, 1.0, b, a, 0.0]
};
const TIED_SUCCESS: [bool; 16] = [T, F, T, F, F, T, F, T, F, F, T, F, T, T, F, F];

/// Last-bit noise for `TIED`, in units of 1e-15: no two of the sums are alike.
const NOISE: [f64; 16] =
    [0.0, 1.0, -1.0, 2.0, -3.0, 0.0, 3.0, -1.0, 2.0, 1.0, 0.0, -2.0, -3.0, 3.0, 1.0, 2.0];

#[track_caller]
fn close(actual: Option<f64>, expected: f64) {
    let actual = actual.expect("a value");
    assert!((actual - expected).abs() < TOLERANCE, "{actual} is not {expected}");
}

/// Forty pairs of whole numbers in 0..65537.
///
/// ```python
/// def draws(state=1):
///     while True:
///         state = (state * 75 + 74) % 65537
///         yield state
/// d = draws(); pairs = [(next(d), next(d)) for _ in range(40)]
/// ```
fn pairs() -> Vec<(u32, u32)> {
    let mut state = 1;
    let mut draw = || {
        state = (state * 75 + 74) % 65_537;
        state
    };
    (0..40).map(|_| (draw(), draw())).collect()
}

/// Forty scores, no two alike, and a success for each with about that probability.
///
/// ```python
/// s, y = [a / 65537 for a, b in pairs], [b < a for a, b in pairs]
/// ```
fn forty() -> (Vec<f64>, Vec<bool>) {
    pairs().into_iter().map(|(a, b)| (f64::from(a) / 65_537.0, b < a)).unzip()
}

/// The same successes with four values of the score.
///
/// ```python
/// s = [(a % 4) / 3 for a, b in pairs]
/// ```
fn forty_tied() -> (Vec<f64>, Vec<bool>) {
    pairs().into_iter().map(|(a, b)| (f64::from(a % 4) / 3.0, b < a)).unzip()
}

fn noisy() -> Vec<f64> {
    TIED.iter().zip(NOISE).map(|(score, noise)| score + noise * 1e-15).collect()
}

#[test]
fn roc_and_precision_recall_areas() {
    // sklearn.metrics.roc_auc_score(y, s), sklearn.metrics.average_precision_score(y, s)
    close(auroc(&UNTIED, &UNTIED_SUCCESS), 0.861_111_111_111_111_2);
    close(auprc(&UNTIED, &UNTIED_SUCCESS), 0.896_825_396_825_396_7);
    close(auroc(&TIED, &TIED_SUCCESS), 0.722_222_222_222_222_3);
    close(auprc(&TIED, &TIED_SUCCESS), 0.633_928_571_428_571_4);
    close(auroc(&[0.4; 12], &UNTIED_SUCCESS), 0.5);
    close(auprc(&[0.4; 12], &UNTIED_SUCCESS), 0.5);

    let (scores, success) = forty();
    close(auroc(&scores, &success), 0.860_398_860_398_860_4);
    close(auprc(&scores, &success), 0.923_116_695_528_511);
    let (scores, success) = forty_tied();
    close(auroc(&scores, &success), 0.598_290_598_290_598_3);
    close(auprc(&scores, &success), 0.748_200_490_939_282_4);
}

#[test]
fn last_bit_noise_does_not_rank() {
    // The same calls with np.round(s, 12); on the noise itself they give 0.682… and 0.630….
    close(auroc(&noisy(), &TIED_SUCCESS), 0.722_222_222_222_222_3);
    close(auprc(&noisy(), &TIED_SUCCESS), 0.633_928_571_428_571_4);
    // As in `rejection_ratio_averages_over_ties`; on the noise itself lm-polygraph gives 0.281….
    close(prr(&noisy(), &TIED_SUCCESS), 0.475_628_357_835_336_97);
    close(aurc(&noisy(), &TIED_SUCCESS), 0.398_553_789_960_04);
}

#[test]
fn rejection_ratio_without_ties() {
    // normalize_metric(area(-s, y), area(-y, y), random). lm-polygraph estimates `random` from 1000
    // shuffles; over all orders it is
    //   np.mean([area(np.array(o), y) for o in itertools.permutations(range(7))])
    //   = 0.5714285714285714 = np.mean(y)
    // for the first example, so np.mean(y) is what the others were given.
    let scores = [0.62, 0.15, 0.88, 0.47, 0.93, 0.31, 0.74];
    close(prr(&scores, &[T, F, T, T, F, F, T]), -0.022_196_261_682_243_13);
    close(prr(&UNTIED, &UNTIED_SUCCESS), 0.795_576_296_459_932_3);
    close(prr(&UNTIED.map(|score| -score), &UNTIED_SUCCESS), -0.763_682_553_708_510_2);
    let (scores, success) = forty();
    close(prr(&scores, &success), 0.780_604_954_284_425_2);

    // Without ties there is only one order.
    close(prr_in_order(&UNTIED, &UNTIED_SUCCESS), 0.795_576_296_459_932_3);
    close(prr_in_order(&scores, &success), 0.780_604_954_284_425_2);
}

const FEW_TIED: [f64; 8] = [0.5, 0.9, 0.5, 0.2, 0.9, 0.5, 0.2, 0.5];
const FEW_TIED_SUCCESS: [bool; 8] = [F, T, T, F, T, T, F, F];

#[test]
fn rejection_ratio_averages_over_ties() {
    // normalize_metric(np.mean([area(o, y) for o in orders]), area(-y, y), np.mean(y)), where
    // `orders` are the ranks 0..n of every order that the ties allow: 96 here, 331776 below.
    close(prr(&FEW_TIED, &FEW_TIED_SUCCESS), 0.796_435_272_045_028_5);
    close(prr(&TIED, &TIED_SUCCESS), 0.475_628_357_835_336_97);
}

#[test]
fn rejection_ratio_in_row_order() {
    // normalize_metric(1 - risk(-s, y), 1 - risk(-y, y), np.mean(y)). `risk` sorts by list.sort,
    // which leaves ties in row order; `area` is one minus it, but sorts by np.argsort, which
    // shuffles ties on processors where numpy vectorises it.
    close(prr_in_order(&FEW_TIED, &FEW_TIED_SUCCESS), 0.770_168_855_534_709_3);
    close(prr_in_order(&TIED, &TIED_SUCCESS), 0.557_568_659_910_009_3);
    let (scores, success) = forty_tied();
    close(prr_in_order(&scores, &success), 0.316_010_428_015_938_04);
}

#[test]
fn risk_coverage_area() {
    // risk(-s, y)
    close(aurc(&UNTIED, &UNTIED_SUCCESS), 0.240_160_533_910_533_9);
    let (scores, success) = forty();
    close(aurc(&scores, &success), 0.121_041_006_170_016_63);

    // np.mean([risk(o, y) for o in orders]) and 1 - np.mean([area(o, y) for o in orders]), with the
    // orders of `rejection_ratio_averages_over_ties`.
    close(aurc(&FEW_TIED, &FEW_TIED_SUCCESS), 0.247_321_428_571_428_55);
    close(aurc(&TIED, &TIED_SUCCESS), 0.398_553_789_960_04);
}

#[test]
fn calibration_error_and_brier_score() {
    // uqlm.calibration.evaluate._evaluate_single_calibrator(s, y, n_bins=10, plot=False)["ece"]
    //   == lm_polygraph.ue_metrics.ece.ECE(n_bins=10)(-s, y)
    // sklearn.metrics.brier_score_loss(y, s)
    let scores = [
        0.03, 0.97, 0.55, 0.62, 0.18, 0.84, 0.91, 0.33, 0.47, 0.76, 0.08, 0.69, 0.25, 0.58, 0.88,
        0.42, 0.95, 0.13, 0.73, 0.36,
    ];
    let success = [F, T, T, F, F, T, T, F, T, T, F, F, T, F, T, F, F, F, T, T];
    close(ece(&scores, &success), 0.232_500_000_000_000_04);
    close(brier(&scores, &success), 0.203_815);

    let (scores, success) = forty();
    close(ece(&scores, &success), 0.204_052_291_072_218_73);
    close(brier(&scores, &success), 0.162_878_208_756_340_6);
}

#[test]
fn calibration_bins_include_their_upper_edge() {
    // The calls above. Both packages have bins (lo, hi] with 0 in the first; [lo, hi) would give
    // 0.286….
    let scores = [
        0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 0.05, 0.25, 0.35, 0.55, 0.65, 0.75,
        0.95,
    ];
    let success = [T, F, T, T, F, T, F, F, T, T, T, F, F, T, F, T, T, F];
    close(ece(&scores, &success), 0.324_999_999_999_999_96);
    close(brier(&scores, &success), 0.295_972_222_222_222_2);
}

const SAID: [bool; 20] = [T, T, F, T, F, T, T, F, F, T, T, F, T, T, F, T, T, F, T, F];
const TRUTH: [bool; 20] = [T, F, F, T, F, T, F, F, T, T, T, F, F, T, F, T, T, T, T, F];
const SOME: [bool; 8] = [T, T, F, F, T, F, T, F];
const OPPOSED: [bool; 8] = [F, F, T, T, F, T, F, F];

#[test]
fn agreement_of_judges() {
    let agreement = |a: &[bool], b: &[bool]| Confusion::new(a, b).agreement();
    let kappa = |a: &[bool], b: &[bool]| Confusion::new(a, b).kappa();
    // sklearn.metrics.accuracy_score(a, b)
    close(agreement(&SAID, &TRUTH), 0.75);
    close(agreement(&SOME, &OPPOSED), 0.125);
    // sklearn.metrics.cohen_kappa_score(a, b)
    //   == statsmodels.stats.inter_rater.cohens_kappa(table).kappa, table = the counts of (a, b)
    close(kappa(&SAID, &TRUTH), 0.489_795_918_367_346_9);
    close(kappa(&SOME, &OPPOSED), -0.75);
    close(kappa(&SOME, &SOME), 1.0);
    // cohen_kappa_score gives 0 where one side says the same of all, and nan where both do: neither
    // measures agreement.
    assert_eq!(kappa(&[T; 8], &SOME), None);
    assert_eq!(kappa(&[T; 8], &[T; 8]), None);
}

#[test]
fn judge_compared_with_the_truth() {
    // [f(truth, said, zero_division=np.nan) for f in (precision_score, recall_score, f1_score)] of
    // sklearn.metrics; nan is no value here.
    let rates = |said: &[bool], truth: &[bool]| {
        let confusion = Confusion::new(said, truth);
        [confusion.precision(), confusion.recall(), confusion.f1()]
    };
    let [precision, recall, f1] = rates(&SAID, &TRUTH);
    close(precision, 0.75);
    close(recall, 0.818_181_818_181_818_2);
    close(f1, 0.782_608_695_652_174);
    assert_eq!(rates(&SOME, &OPPOSED), [Some(0.0); 3]);
    assert_eq!(rates(&[F; 8], &SOME), [None, Some(0.0), Some(0.0)]);
    // It gives 0 where no item is true, whatever is said; here that is no precision.
    assert_eq!(rates(&SOME, &[F; 8]), [None; 3]);
    assert_eq!(rates(&[F; 8], &[F; 8]), [None; 3]);
}

#[test]
fn rank_correlation() {
    // scipy.stats.spearmanr(a, b).statistic
    let a = [2.7, -1.3, 0.4, 8.1, 5.5, 3.2, -0.6, 1.9, 7.4, 4.8];
    let b = [1.1, 0.2, -2.5, 6.3, 2.9, 4.4, -0.7, 3.8, 5.0, 1.6];
    close(spearman(&a, &b), 0.818_181_818_181_818_2);
    close(spearman(&a, &b.map(|value| -value)), -0.818_181_818_181_818_2);
    let (first, second): (Vec<f64>, Vec<f64>) =
        pairs().into_iter().map(|(a, b)| (f64::from(a), f64::from(b))).unzip();
    close(spearman(&first, &second), 0.010_131_332_082_551_597);
    // It gives nan for a side that does not vary.
    assert_eq!(spearman(&a, &[1.0; 10]), None);
}

#[test]
fn rank_correlation_with_ties() {
    // scipy.stats.spearmanr(a, b).statistic
    let a = [1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0, 5.0, 1.0, 2.0, 4.0];
    let b = [2.0, 2.0, 1.0, 3.0, 4.0, 3.0, 3.0, 5.0, 4.0, 1.0, 3.0, 5.0];
    close(spearman(&a, &b), 0.851_932_374_108_107_3);
    close(spearman(&forty().0, &forty_tied().0), 0.236_058_256_542_974_9);
}

#[test]
fn consistency_of_action_sequences() {
    // types = sorted(set(a) | set(b))
    // asc: sklearn.metrics.jaccard_score(*[[int(t in x) for t in types] for x in (a, b)])
    // adc: one minus the literal,
    //      scipy.spatial.distance.jensenshannon(p, q, base=2) ** 2,
    //      p, q = [[x.count(t) for t in types] for x in (a, b)]
    // aec: rapidfuzz.distance.Levenshtein.normalized_similarity(a, b)
    //      == 1 - Levenshtein.distance(u, v) / max(len(u), len(v)), u and v with a letter a type
    let check = |a: &str, b: &str, fac: f64, asc: f64, divergence: f64, aec: f64| {
        let (a, b): (Vec<&str>, Vec<&str>) = (a.split(' ').collect(), b.split(' ').collect());
        let pair = |scorer: Consistency| Some(scorer.pair(&a, &b));
        close(pair(Consistency::Fac), fac);
        close(pair(Consistency::Asc), asc);
        close(pair(Consistency::Adc), 1.0 - divergence);
        close(pair(Consistency::Aec), aec);
    };
    check(
        "find read edit edit test message",
        "find read read edit test test message",
        1.0,
        1.0,
        0.052_453_472_338_524_33,
        0.714_285_714_285_714_3,
    );
    check(
        "login search book message",
        "search login message book book message",
        0.0,
        1.0,
        0.020_720_839_623_908_173,
        0.5,
    );
    check(
        "get_user get_order cancel message message",
        "get_user get_order get_order get_product message cancel",
        1.0,
        0.8,
        0.133_378_558_042_373_86,
        0.5,
    );
    check(
        "kitten i t t e n",
        "sitten i t t i n g",
        0.0,
        0.428_571_428_571_428_55,
        0.322_940_965_194_248_5,
        0.571_428_571_428_571_4,
    );
    check("a b c d e f g h", "h g f e d c b a", 0.0, 1.0, 0.0, 0.0);
    check("get get get", "set", 0.0, 0.0, 1.0, 0.0);
    check("message", "message", 1.0, 1.0, 0.0, 1.0);
}

/// A token's log-probability and those of its recorded alternatives.
type Row = (f64, &'static [f64]);

/// Eight tokens with five alternatives each: not always in falling order, nor the token always the
/// likeliest, and one alternative of the -9999 that stands for "out of reach".
const FULL: [Row; 8] = [
    (-0.02, &[-0.02, -4.6, -5.8, -6.9, -7.7]),
    (-0.69, &[-0.69, -1.2, -2.3, -3.5, -4.1]),
    (-1.61, &[-0.94, -1.61, -1.83, -2.9, -3.3]),
    (-0.0001, &[-0.0001, -9.5, -11.2, -12.8, -9999.0]),
    (-1.5, &[-1.9, -1.5, -1.4, -1.7, -1.6]),
    (-0.31, &[-0.31, -1.75, -3.2, -4.9, -5.4]),
    (-5.2, &[-0.4, -1.3, -4.0, -4.4, -4.7]),
    (-0.11, &[-0.11, -2.4, -5.5, -6.1, -6.6]),
];

/// Three tokens with three alternatives each.
const SHORT: [Row; 3] =
    [(-0.3, &[-0.3, -1.8, -3.1]), (-1.1, &[-1.1, -1.0, -1.4]), (-0.05, &[-0.05, -3.3, -5.0])];

/// Scores the rows as one action and compares with uqlm:
///
/// ```python
/// r = [{"logprob": p, "top_logprobs": [{"logprob": t} for t in top]} for p, top in rows]
/// single, top = uqlm.white_box.single_logprobs, uqlm.white_box.top_logprobs
/// sp = single.SingleLogprobsScorer(length_normalize=False).evaluate([r])["sequence_probability"]
/// lnsp = single.SingleLogprobsScorer().evaluate([r])["sequence_probability"]
/// atn = top.TopLogprobsScorer(top_k_logprobs=K).evaluate([r])["mean_token_negentropy"]
/// pm = top.TopLogprobsScorer(top_k_logprobs=K).evaluate([r])["probability_margin"]
/// ```
#[track_caller]
fn check_turn(rows: &[Row], [sp, lnsp, atn, pm]: [f64; 4]) {
    let mut tokens = TokenSeq::default();
    for (logprob, top) in rows {
        tokens.push("t", *logprob, Span::Action);
        for alternative in *top {
            tokens.push_alternative("a", *alternative);
        }
    }
    let scores = turn_scores(&tokens, Spans::Action).expect("action tokens");
    // Compared as logs, so that small probabilities are compared relatively.
    close(Some(scores.sp_log), sp.ln());
    close(Some(scores.lnsp), lnsp);
    close(scores.atn, atn);
    close(scores.pm, pm);
}

#[test]
fn white_box_scores_of_a_turn() {
    // K = 5: uqlm too renormalises what is recorded and divides by the log of its number.
    check_turn(
        &FULL,
        [
            7.947_246_090_709_044e-5,
            0.307_274_897_640_904_7,
            0.534_642_094_188_533_8,
            0.518_392_290_093_132_6,
        ],
    );
    // K = 3
    check_turn(
        &SHORT,
        [
            0.234_570_288_093_797_68,
            0.616_724_214_369_160_7,
            0.415_247_761_742_993_2,
            0.508_291_315_677_656_1,
        ],
    );
}

#[test]
fn white_box_scores_where_alternatives_are_missing() {
    // K = 5: a token with fewer than two alternatives counts for the probabilities alone.
    check_turn(
        &[FULL[0], (-0.4, &[-0.4]), FULL[1], (-0.9, &[]), FULL[4], FULL[6]],
        [
            0.000_164_928_254_473_276_74,
            0.234_179_663_224_787_87,
            0.441_979_072_210_171_9,
            0.397_945_937_877_694_6,
        ],
    );
    // uqlm skips the negentropy of a token with other than K alternatives; here each uses what it
    // has. Hence atn = np.mean of the call for each token alone, with K = its number.
    check_turn(
        &[FULL[0], FULL[1], FULL[2], SHORT[0], SHORT[1], SHORT[2]],
        [
            0.023_052_063_287_225_567,
            0.533_480_194_130_531_8,
            0.444_943_118_928_291,
            0.481_023_810_505_386_6,
        ],
    );
}
