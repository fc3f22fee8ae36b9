//! Judges, including people: agreement, the effect of another judge, and the queue for people.

use qualm::engine::{Against, Engine, JudgeSpec, PairId, Reason, TaskId, TriageOptions};
use qualm::metrics::Metric;
use qualm::metrics::agreement::Confusion;
use qualm::metrics::bootstrap::Resampling;
use qualm::model::Judgment;
use qualm::scorers::Scorer;
use qualm::store::{Ruling, Store, Vote};

use crate::support::{Draw, demo, home, made, rows, verdict, vote};

const DATABASE: [u8; 10] = [1, 1, 1, 1, 0, 0, 0, 1, 0, 0];
const A: [u8; 10] = [1, 1, 1, 0, 1, 0, 0, 1, 1, 0];
const B: [u8; 10] = [1, 0, 1, 0, 1, 0, 1, 1, 0, 0];

fn draw(reaches: bool) -> Draw {
    Draw { success: Some(reaches), db_match: Some(reaches), actions: vec!["a"] }
}

/// One pair per task, equivalent where the sample reaches the gold state like its reference.
fn by_database() -> Vec<Vec<Draw>> {
    DATABASE.iter().map(|same| vec![draw(true), draw(*same == 1)]).collect()
}

fn said(judge: &str, words: &[u8]) -> Vec<Judgment> {
    let verdicts = words.iter().enumerate();
    verdicts.map(|(task, word)| verdict(judge, task, 1, Some(*word == 1))).collect()
}

fn load(path: &std::path::Path) -> Engine {
    Engine::load(&Store::open(path).expect("a store"), None).expect("loaded")
}

fn close(value: Option<f64>, expected: f64, what: &str) {
    let value = value.unwrap_or(f64::NAN);
    assert!((value - expected).abs() < 1e-12, "{what}: {value} {expected}");
}

#[test]
fn agreement_matches_scikit_learn() {
    let home = home();
    let mut verdicts = [said("a", &A), said("b", &B)].concat();
    // A verdict that does not parse is counted, but on no side.
    verdicts.push(verdict("b", 3, 1, None));
    let path = made(home.path(), &by_database(), verdicts);
    let engine = load(&path);
    let resampling = Some(Resampling { resamples: 100, seed: 0 });
    let table = engine.judge_rows(resampling);
    let row = |judge: &str, against: &Against| {
        table.iter().find(|row| row.judge == judge && row.against == *against).expect("a row")
    };
    // from sklearn.metrics import *; db, a, b as above
    // accuracy_score(db, x), cohen_kappa_score(db, x), precision_score(db, x), recall_score(db, x),
    //   f1_score(db, x)
    //   a: 0.7 0.4 0.6666666666666666 0.8 0.7272727272727273
    //   b: 0.6 0.19999999999999996 0.6 0.6 0.6
    for (judge, expected) in [
        ("a", [0.7, 0.4, 0.666_666_666_666_666_6, 0.8, 0.727_272_727_272_727_3]),
        ("b", [0.6, 0.199_999_999_999_999_96, 0.6, 0.6, 0.6]),
    ] {
        let found = row(judge, &Against::Database);
        let values = [found.agreement, found.kappa, found.precision, found.recall, found.f1];
        for ((value, interval), expected) in values.into_iter().zip(expected) {
            close(value, expected, judge);
            let interval = interval.expect("resampled");
            assert!(interval.lo <= expected + 1e-9 && expected <= interval.hi + 1e-9);
        }
        assert_eq!((found.n, found.unparsed), (10, usize::from(judge == "b")));
    }
    // accuracy_score(a, b), cohen_kappa_score(a, b) = 0.7 0.4
    let both = row("a", &Against::Judge("b".to_owned()));
    close(both.agreement.0, 0.7, "agreement");
    close(both.kappa.0, 0.4, "kappa");
    assert_eq!((both.precision.0, both.n), (None, 10));

    // Confusion counts open exactly their pairs.
    let found = row("a", &Against::Database);
    assert_eq!(found.confusion, Confusion::from([4.0, 2.0, 1.0, 3.0]));
    for (word, truth, expected) in [
        (true, true, vec![0, 1, 2, 7]),
        (true, false, vec![4, 8]),
        (false, true, vec![3]),
        (false, false, vec![5, 6, 9]),
    ] {
        let pairs = engine.judge_pairs("a", &Against::Database, word, truth);
        let id = |task| PairId { id: TaskId { cell: 0, task }, draw: 1 };
        assert_eq!(pairs, expected.into_iter().map(id).collect::<Vec<_>>());
    }
    let against = Against::Judge("b".to_owned());
    assert_eq!(engine.judge_pairs("a", &against, true, false).len(), 2);
    let report = rows(home.path(), &path, &["--table", "judges"]);
    assert_eq!((&report[0]["only_judge"], &report[0]["only_against"]), (&2.into(), &1.into()));
}

#[test]
fn judges_without_common_pairs_have_no_agreement() {
    let home = home();
    let mut verdicts = said("a", &A[..5]);
    verdicts.extend(said("b", &B).split_off(5));
    verdicts.push(verdict("mute", 0, 1, None));
    let path = made(home.path(), &by_database(), verdicts);
    let engine = load(&path);
    let resampling = Some(Resampling { resamples: 20, seed: 0 });
    let between = engine.judge_rows(resampling).remove(0);
    assert_eq!(between.against, Against::Judge("b".to_owned()));
    assert_eq!((between.n, between.agreement, between.kappa), (0, (None, None), (None, None)));
    assert!(engine.judge_pairs("a", &between.against, true, true).is_empty());
    assert!(engine.judge_pairs("nobody", &Against::Database, true, true).is_empty());
    let ter = engine.judge_ter(Metric::Auroc, resampling);
    let mute = ter.iter().find(|value| value.judge.name() == "mute").expect("a row");
    assert_eq!((mute.pairs, mute.mean, mute.value, mute.counts.tasks), (0, None, None, 0));
    assert_eq!(mute.difference, None);
    assert!(load(&made(home.path(), &[], Vec::new())).judge_rows(resampling).is_empty());
}

fn ter(engine: &Engine) -> Vec<Option<f64>> {
    let grid = engine.grid_of(&[Scorer::Ter], Metric::Auroc, None);
    grid.into_iter().map(|value| value.value).collect()
}

#[test]
fn swapping_the_judge_equals_loading_with_it() {
    let home = home();
    let store = demo(home.path(), 12);
    let engine = Engine::load(&store, None).expect("loaded");
    let other = JudgeSpec::parse(&engine.judges()[1]);
    let (swapped, loaded) =
        (engine.with_judge(&other), Engine::load(&store, Some(&other)).expect("loaded"));
    assert_eq!(swapped.judge(), Some(other.clone()));
    assert_eq!(ter(&swapped), ter(&loaded));
    assert_ne!(ter(&swapped), ter(&engine));
    // The table predicts the effect of a swap.
    let resampling = Some(Resampling { resamples: 60, seed: 0 });
    let table = engine.judge_ter(Metric::Auroc, resampling);
    assert_eq!(table.len(), 2 * engine.frames().len());
    for row in table {
        let variant = engine.with_judge(&row.judge);
        assert_eq!(row.value, ter(&variant)[row.cell]);
        let before = ter(&engine)[row.cell].expect("a value");
        let difference = row.difference.expect("both have values");
        close(Some(difference.value), row.value.expect("a value") - before, "difference");
        let paired = difference.interval.expect("resampled");
        if Some(&row.judge) == engine.judge().as_ref() {
            assert!(paired.lo.abs() < 1e-12 && paired.hi.abs() < 1e-12);
        }
        let values = variant.frames()[row.cell].values(&Scorer::Ter).expect("values").rank;
        let known: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
        close(row.mean, known.iter().sum::<f64>() / known.len() as f64, "mean");
    }
}

/// The `ter` values of the tasks; none instead of NaN.
fn values(engine: &Engine) -> Vec<Option<f64>> {
    let Some(values) = engine.frames()[0].values(&Scorer::Ter) else { return Vec::new() };
    values.rank.into_iter().map(|value| Some(value).filter(|value| !value.is_nan())).collect()
}

#[test]
fn people_count_as_a_judge() {
    use Ruling::{Different, Equivalent, Unsure, Withdrawn};
    let home = home();
    let path = made(home.path(), &by_database()[..5], said("a", &[1, 1, 1, 1]));
    let engine = load(&path);
    let given = |author: &str, words: &[Ruling]| -> Vec<Vote> {
        words.iter().enumerate().map(|(task, word)| vote(author, task, 1, *word)).collect()
    };
    // With one author there is only `human`.
    let alone = engine.with_votes(&given("ada", &[Different, Equivalent, Unsure, Withdrawn]));
    assert_eq!(alone.judges(), ["a", "human"]);
    assert_eq!(alone.judge(), Some(JudgeSpec::parse("a")));
    assert_eq!(values(&alone), [Some(1.0), Some(1.0), Some(1.0), Some(1.0), None]);
    let human = alone.with_judge(&JudgeSpec::parse("human"));
    assert_eq!(values(&human), [Some(0.0), Some(1.0), None, None, None]);
    let composite = alone.with_judge(&JudgeSpec::parse("human>a"));
    assert_eq!(values(&composite), [Some(0.0), Some(1.0), Some(1.0), Some(1.0), None]);
    // The next vote changes the composite at once.
    let mut more = given("ada", &[Different, Equivalent, Unsure, Withdrawn]);
    more.push(vote("ada", 4, 1, Equivalent));
    assert_eq!(values(&composite.with_votes(&more))[4], Some(1.0));
    assert_eq!(values(&composite.with_votes(&[])), values(&engine));
    // With several authors: the majority, none for a tie, and each author alone.
    let both =
        [given("ada", &[Different, Equivalent, Unsure]), given("bob", &[Different, Different])];
    let several = composite.with_votes(&both.concat());
    assert_eq!(several.judges(), ["a", "human", "human:ada", "human:bob"]);
    assert_eq!(values(&several)[..3], [Some(0.0), Some(1.0), Some(1.0)]);
    let third = [both.concat(), given("eve", &[Equivalent, Different])].concat();
    assert_eq!(values(&several.with_votes(&third))[..2], [Some(0.0), Some(0.0)]);
    // Loading the votes gives the same values.
    for vote in &third {
        crate::support::add_vote(&path, vote).expect("appended");
    }
    let store = Store::open(&path).expect("a store");
    let loaded = Engine::load(&store, Some(&JudgeSpec::parse("human>a"))).expect("loaded");
    assert_eq!(values(&loaded), values(&several.with_votes(&third)));
    let specs: Vec<String> = loaded.judge_specs().iter().map(ToString::to_string).collect();
    assert_eq!(specs, ["a", "human", "human:ada", "human:bob", "human:eve", "human>a"]);
    // The report agrees, and an unknown judge is an error.
    let report =
        rows(home.path(), &path, &["--table", "tasks", "--scorer", "ter", "--judge", "human>a"]);
    assert_eq!(report[0]["value"], 0.0);
    let out = crate::support::run(home.path(), &["report", "made.qualm", "--judge", "human>x"]);
    assert!(crate::support::text(&out.stderr).contains("there is no judge `x`"));
}

#[test]
fn votes_alone_make_ter() {
    let home = home();
    let path = made(home.path(), &by_database(), Vec::new());
    let engine = load(&path);
    assert!(!engine.scorers().contains(&Scorer::Ter));
    let voted = engine.with_votes(&[vote("ada", 2, 1, Ruling::Equivalent)]);
    assert!(voted.scorers().contains(&Scorer::Ter));
    assert_eq!(voted.judge(), Some(JudgeSpec::parse("human")));
    assert_eq!(values(&voted)[2], Some(1.0));
}

#[test]
fn agreement_of_annotators_matches_scikit_learn() {
    let home = home();
    let path = made(home.path(), &by_database(), Vec::new());
    let words = |author: &str, verdicts: &[u8]| {
        let ruling =
            |verdict: &u8| if *verdict == 1 { Ruling::Equivalent } else { Ruling::Different };
        let votes = verdicts.iter().enumerate();
        let votes = votes.map(|(task, verdict)| vote(author, task, 1, ruling(verdict)));
        votes.collect::<Vec<_>>()
    };
    let mut all = [words("ada", &[1, 1, 0, 0, 1, 0]), words("bob", &[1, 0, 0, 0, 1, 1])].concat();
    // One of them is unsure, so the pair is not compared.
    all.extend([vote("ada", 8, 1, Ruling::Unsure), vote("bob", 8, 1, Ruling::Equivalent)]);
    Store::open(&path).and_then(|store| store.add_votes(&all)).expect("appended");
    let table = load(&path).judge_rows(None);
    let row = table.iter().find(|row| row.judge == "human:ada").expect("a row");
    assert_eq!((&row.against, row.n), (&Against::Judge("human:bob".to_owned()), 6));
    // accuracy_score([1,1,0,0,1,0], [1,0,0,0,1,1]) = 0.6666666666666666
    // cohen_kappa_score of the same = 0.33333333333333337
    close(row.agreement.0, 0.666_666_666_666_666_6, "agreement");
    close(row.kappa.0, 0.333_333_333_333_333_37, "kappa");
}

fn sure(mut judgment: Judgment, confidence: f64) -> Judgment {
    judgment.confidence = Some(confidence);
    judgment
}

#[test]
fn the_queue_is_sorted_by_conflict_and_votes_do_not_shorten_it() {
    let (yes, no) = (Some(true), Some(false));
    let home = home();
    let blank = Draw { success: None, db_match: None, actions: vec!["a"] };
    let open = |samples: usize| vec![blank.clone(); samples + 1];
    let tasks = [open(2), open(1), vec![draw(true), draw(true)], open(1), open(1), open(1)];
    let verdicts = vec![
        // 0: a conflict on one of two pairs.
        sure(verdict("a", 0, 1, yes), 0.9),
        sure(verdict("b", 0, 1, no), 0.7),
        sure(verdict("a", 0, 2, yes), 0.9),
        // 1: one judge is unsure, and both agree.
        sure(verdict("a", 1, 1, yes), 0.3),
        sure(verdict("b", 1, 1, yes), 0.8),
        // 2: both contradict the database.
        sure(verdict("a", 2, 1, no), 0.9),
        verdict("b", 2, 1, no),
        // 3: no conflict. 4: not parsed. 5: votes of people alone do not queue a pair.
        verdict("a", 3, 1, yes),
        verdict("a", 4, 1, None),
    ];
    let engine = load(&made(home.path(), &tasks, verdicts));
    let queue = engine.triage(&TriageOptions::default());
    let shown: Vec<_> = queue
        .items
        .iter()
        .map(|item| (item.pair.id.task, item.pair.draw, item.reasons.clone()))
        .collect();
    assert_eq!(
        shown,
        [
            (2, 1, vec![Reason::AgainstDatabase]),
            (0, 1, vec![Reason::JudgesDisagree]),
            (1, 1, vec![Reason::LowConfidence]),
        ]
    );
    // 2 of 3 opinions against 1: 2/3, times the mean of 0.9 and an unstated 0.5, the only pair.
    // Evenly split: 1, times the mean of 0.9 and 0.7, one of two pairs. Only unsure: 1/4 of 1 - 0.3.
    for (item, expected) in queue.items.iter().zip([2.0 / 3.0 * 0.7, 0.8 / 2.0, 0.25 * 0.7]) {
        close(Some(item.priority()), expected, "priority");
    }
    assert_eq!((queue.done(), queue.next_open(0)), (0, Some(0)));
    // Votes mark items as done and add or remove none; a withdrawn vote marks nothing.
    let votes = [
        vote("ada", 2, 1, Ruling::Unsure),
        vote("ada", 0, 1, Ruling::Different),
        vote("ada", 0, 1, Ruling::Withdrawn),
        vote("bob", 5, 1, Ruling::Different),
    ];
    let voted = engine.with_votes(&votes);
    let after = voted.triage(&TriageOptions::default());
    assert_eq!((after.items.len(), after.done(), after.next_open(0)), (3, 1, Some(1)));
    let mut marked = queue.clone();
    voted.mark(&mut marked, None);
    assert_eq!(marked, after, "a vote changes nothing else");
    let mut undone = after.clone();
    undone.items.iter_mut().for_each(|item| item.done = false);
    assert_eq!(undone, queue, "order and numbers stay");
    let of_bob = TriageOptions { author: Some("bob".to_owned()), ..TriageOptions::default() };
    assert_eq!(voted.triage(&of_bob).done(), 0);
    let strict = TriageOptions { low_confidence: 0.2, ..TriageOptions::default() };
    assert_eq!(voted.triage(&strict).items.len(), 2);
}

#[test]
fn every_queued_pair_of_the_demo_has_a_reason() {
    let home = home();
    let engine = Engine::load(&demo(home.path(), 12), None).expect("loaded");
    let queue = engine.triage(&TriageOptions::default());
    assert!(!queue.items.is_empty());
    for item in &queue.items {
        let words: Vec<bool> = item.opinions.iter().map(|opinion| opinion.equivalent).collect();
        let disagree = words.contains(&true) && words.contains(&false);
        let against = item.truth.is_ok_and(|truth| words.contains(&!truth));
        let is_low =
            |confidence: Option<f64>| confidence.is_some_and(|confidence| confidence < 0.6);
        let low = item.opinions.iter().any(|opinion| is_low(opinion.confidence));
        for (reason, holds) in [
            (Reason::JudgesDisagree, disagree),
            (Reason::AgainstDatabase, against),
            (Reason::LowConfidence, low),
        ] {
            assert_eq!(item.reasons.contains(&reason), holds, "{item:?}");
        }
        assert!((0.0..=1.0).contains(&item.priority()), "{item:?}");
    }
    // Ties go by name, last-bit noise or not.
    let mut neighbours = queue.items.windows(2);
    assert!(neighbours.all(|two| two[0].priority() > two[1].priority() - 1e-12));
    // The queue and the table of the database count the same wrong verdicts.
    let against: usize = engine
        .judges()
        .iter()
        .map(|judge| {
            let wrong =
                |said: bool| engine.judge_pairs(judge, &Against::Database, said, !said).len();
            wrong(true) + wrong(false)
        })
        .sum();
    let blamed = queue
        .items
        .iter()
        .map(|item| item.opinions.iter().filter(|said| item.truth == Ok(!said.equivalent)).count());
    assert_eq!(blamed.sum::<usize>(), against);
}
