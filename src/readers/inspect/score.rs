//! The scores of a sample: which one is the label, and what it says.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;

use super::super::choice::is_success;
use super::super::json::{self, Text};
use super::super::{ReadError, ReadOptions, ScoreChoice};
use super::message::Attachments;
use crate::model::{Check, CheckKind, Outcome};
use crate::text::bounded;

/// Names of scores that are remembered for sentences.
const MOST_NAMES: usize = 50;

/// Bytes of an explanation that are kept.
const LONGEST_DETAIL: usize = 1 << 16;

/// The scores of a sample by name, in their order.
#[derive(Debug, Default)]
pub(super) struct Scores(pub(super) Vec<(String, Score)>);

/// One score.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Score {
    #[serde(default, deserialize_with = "json::lenient")]
    value: Value,
    #[serde(default)]
    explanation: Text,
}

impl<'de> Deserialize<'de> for Scores {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(ScoresVisitor)
    }
}

struct ScoresVisitor;

impl<'de> Visitor<'de> for ScoresVisitor {
    type Value = Scores;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("scores by name")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scores, A::Error> {
        let mut scores = Vec::new();
        while let Some(entry) = map.next_entry()? {
            scores.push(entry);
        }
        Ok(Scores(scores))
    }
}

/// One value with its full name: that of the scorer, and the key of a dictionary.
struct Named<'a> {
    name: String,
    value: &'a Value,
    explanation: Option<&'a str>,
}

impl Scores {
    /// All values; a dictionary is one value a key.
    fn values(&self) -> impl Iterator<Item = Named<'_>> {
        self.0.iter().flat_map(|(scorer, score)| {
            let explanation = score.explanation.0.as_deref();
            let keys = score.value.as_object();
            let inside = keys.into_iter().flatten().map(move |(key, value)| Named {
                name: format!("{scorer}.{key}"),
                value,
                explanation,
            });
            let alone = keys.is_none().then(|| Named {
                name: scorer.clone(),
                value: &score.value,
                explanation,
            });
            inside.chain(alone)
        })
    }
}

/// A value as a number, by the rules of Inspect: `C` is 1, `P` is ½, `I` and `N` are 0; none for a text
/// or list that is no number.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(is_true) => Some(f64::from(u8::from(*is_true))),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            word => match word.to_ascii_lowercase().as_str() {
                "yes" | "true" => Some(1.0),
                "no" | "false" => Some(0.0),
                digits => digits.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            },
        },
        _ => None,
    }
}

/// Chooses the label among the scores of a log, and remembers what there was to choose from.
pub(super) struct Scoring {
    stated: Option<ScoreChoice>,
    /// The first scorer of the log's results.
    first: Option<String>,
    /// The scorer that is the label by default, known from the first sample with scores.
    default: Option<String>,
    names: Vec<String>,
    is_found: bool,
    /// Values of the label that are neither 0 nor 1, compared with no threshold.
    between: u64,
}

impl Scoring {
    pub(super) fn new(options: &ReadOptions, first: Option<&str>) -> Self {
        Self {
            stated: options.score.clone(),
            first: first.map(str::to_owned),
            default: None,
            names: Vec::new(),
            is_found: false,
            between: 0,
        }
    }

    /// The outcome by the chosen score, and all scores as checks.
    pub(super) fn grade(
        &mut self,
        scores: &Scores,
        texts: &Attachments<'_>,
    ) -> (Outcome, Vec<Check>) {
        self.choose(scores);
        let wanted = self.label().map(str::to_owned);
        let threshold = self.stated.as_ref().and_then(|stated| stated.threshold);
        let mut outcome = Outcome::default();
        let mut checks = Vec::new();
        for score in scores.values() {
            let number = number(score.value);
            let mut met = number.filter(|number| is_binary(*number)).map(|number| number > 0.5);
            if wanted.as_deref() == Some(&score.name) {
                self.is_found = true;
                met = number.map(|number| is_success(number, threshold));
                outcome = Outcome { success: met, reward: number, ..Outcome::default() };
                let is_between = number.is_some_and(|number| !is_binary(number));
                self.between +=
                    u64::from(is_between && threshold.is_none() && !score.value.is_string());
            }
            let mut check = Check::new(CheckKind::Score, &score.name, met);
            check.detail = Some(score.detail(texts));
            checks.push(check);
            if self.names.len() < MOST_NAMES && !self.names.contains(&score.name) {
                self.names.push(score.name);
            }
        }
        (outcome, checks)
    }

    /// Decides on the default with the first sample that has scores.
    fn choose(&mut self, scores: &Scores) {
        if self.default.is_some() {
            return;
        }
        let is_first = |(name, _): &&(String, Score)| Some(name) == self.first.as_ref();
        let chosen = scores.0.iter().find(is_first).or_else(|| scores.0.first());
        self.default = chosen.map(|(name, _)| name.clone());
    }

    /// The name of the score that is the label.
    fn label(&self) -> Option<&str> {
        self.stated.as_ref().map(|stated| stated.name.as_str()).or(self.default.as_deref())
    }

    /// What the user should know of the label; an error where no sample has the score that was stated.
    pub(super) fn notes(&self, path: &Path) -> Result<Vec<String>, ReadError> {
        let Some(label) = self.label().filter(|_| !self.names.is_empty()) else {
            return Ok(Vec::new());
        };
        let names = self.names.join(", ");
        if self.stated.is_some() && !self.is_found {
            let problem = format!("has no score `{label}`");
            return Err(ReadError::new(path, problem, format!("--score chooses one of: {names}")));
        }
        let mut notes = Vec::new();
        if !self.is_found {
            let keys = format!("--score chooses one of its values: {names}");
            notes.push(format!(
                "has the score {label}, which is a dictionary, so its runs have no labels; {keys}"
            ));
        } else if self.stated.is_none() {
            let others: Vec<&str> =
                self.names.iter().map(String::as_str).filter(|name| *name != label).collect();
            notes.push(match others.as_slice() {
                [] => format!("takes its labels from the score {label}"),
                others => format!(
                    "takes its labels from the score {label}; --score chooses another: {}",
                    others.join(", ")
                ),
            });
        }
        if self.between > 0 {
            notes.push(format!(
                "has {} of the score {label} that are neither 0 nor 1; only 1 counts as a success; --score '{label}>=0.5' sets a threshold",
                crate::text::counted(self.between, "value"),
            ));
        }
        Ok(notes)
    }
}

fn is_binary(number: f64) -> bool {
    number.abs() <= Outcome::REWARD_TOLERANCE || is_success(number, None)
}

impl Named<'_> {
    /// The value, and why it was given.
    fn detail(&self, texts: &Attachments<'_>) -> String {
        let value = match self.value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let mut detail = match self.explanation.filter(|text| !text.trim().is_empty()) {
            Some(why) => format!("{value}: {why}"),
            None => value,
        };
        texts.resolve_text(&mut detail);
        bounded(&detail, LONGEST_DETAIL).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(json: &str, choice: Option<&str>) -> (Outcome, Vec<Check>, Scoring) {
        let scores: Scores = serde_json::from_str(json).expect("scores");
        let score = choice.map(|choice| choice.parse().expect("a choice"));
        let options = ReadOptions { score, ..ReadOptions::default() };
        let mut scoring = Scoring::new(&options, None);
        let (outcome, checks) = scoring.grade(&scores, &Attachments::default());
        (outcome, checks, scoring)
    }

    fn label(value: &str, choice: Option<&str>) -> (Option<bool>, Option<f64>) {
        let (outcome, ..) = graded(&format!(r#"{{"s": {{"value": {value}}}}}"#), choice);
        (outcome.success, outcome.reward)
    }

    #[test]
    fn values_are_read_as_inspect_reads_them() {
        for (value, success, reward) in [
            (r#""C""#, true, 1.0),
            (r#""I""#, false, 0.0),
            (r#""P""#, false, 0.5),
            (r#""N""#, false, 0.0),
            ("true", true, 1.0),
            ("false", false, 0.0),
            (r#""Yes""#, true, 1.0),
            (r#""no""#, false, 0.0),
            ("1", true, 1.0),
            ("0.75", false, 0.75),
            (r#""1.0""#, true, 1.0),
        ] {
            assert_eq!(label(value, None), (Some(success), Some(reward)), "{value}");
        }
        for nothing in ["null", r#""""#, r#""good""#, "[1]", r#""nan""#] {
            assert_eq!(label(nothing, None), (None, None), "{nothing}");
        }
        assert_eq!(label("0.75", Some("s>=0.5")), (Some(true), Some(0.75)));
        assert_eq!(label(r#""P""#, Some("s>=0.5")), (Some(true), Some(0.5)));
        assert_eq!(label("3", Some("s<2")), (Some(false), Some(3.0)));
    }

    const THREE: &str = r#"{"b": {"value": "C", "explanation": "as asked"}, "a": {"value": 0.25},
        "d": {"value": {"x": 1, "y": "I"}}}"#;

    #[test]
    fn every_score_is_a_check() {
        let (outcome, checks, scoring) = graded(THREE, None);
        assert_eq!(outcome.success, Some(true), "the first score is the label");
        let listed: Vec<_> = checks
            .iter()
            .map(|check| (check.expected.as_str(), check.met, check.detail.as_deref()))
            .collect();
        assert_eq!(
            listed,
            [
                ("b", Some(true), Some("C: as asked")),
                ("a", None, Some("0.25")),
                ("d.x", Some(true), Some("1")),
                ("d.y", Some(false), Some("I")),
            ]
        );
        let notes = scoring.notes(Path::new("x")).expect("notes");
        assert_eq!(
            notes,
            ["takes its labels from the score b; --score chooses another: a, d.x, d.y"]
        );
    }

    #[test]
    fn the_label_can_be_chosen() {
        assert_eq!(graded(THREE, Some("a>=0.2")).0.success, Some(true));
        assert_eq!(graded(THREE, Some("d.y")).0.success, Some(false));
        for unknown in ["c", "d"] {
            let (outcome, _, scoring) = graded(THREE, Some(unknown));
            assert_eq!(outcome.success, None);
            let error = scoring.notes(Path::new("x")).expect_err("unknown").to_string();
            assert_eq!(
                error,
                format!("x: has no score `{unknown}`; --score chooses one of: b, a, d.x, d.y")
            );
        }
    }

    #[test]
    fn what_needs_a_choice_is_said() {
        let (outcome, _, scoring) = graded(r#"{"d": {"value": {"x": 1}}}"#, None);
        assert_eq!(outcome.success, None);
        let notes = scoring.notes(Path::new("x")).expect("notes");
        assert!(
            notes[0].contains(
                "dictionary, so its runs have no labels; --score chooses one of its values"
            ),
            "{notes:?}"
        );
        let (.., scoring) = graded(r#"{"f1": {"value": 0.7}}"#, None);
        let notes = scoring.notes(Path::new("x")).expect("notes");
        assert!(notes[1].contains("1 value of the score f1 that are neither 0 nor 1"), "{notes:?}");
        let (.., scoring) = graded(r#"{"f1": {"value": 0.7}}"#, Some("f1>=0.5"));
        assert!(scoring.notes(Path::new("x")).expect("notes").is_empty(), "a threshold is stated");
    }

    #[test]
    fn the_first_score_of_the_results_is_the_label() {
        let scores: Scores = serde_json::from_str(THREE).expect("scores");
        for (first, success) in [("a", false), ("nowhere", true)] {
            let mut scoring = Scoring::new(&ReadOptions::default(), Some(first));
            let (outcome, _) = scoring.grade(&scores, &Attachments::default());
            assert_eq!(outcome.success, Some(success), "{first}");
        }
    }
}
