//! Scoring by a chat model, done by another process of this program that was started from here. The key
//! of the model's endpoint comes from the environment, so that it never passes through the explorer.

use serde::Deserialize;

use crate::text::{counted, grouped};

/// How far the process has come, as it reports it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ScoreProgress {
    /// Questions in all.
    pub total: u64,
    /// Questions that are dealt with.
    pub done: u64,
    /// Questions that were asked.
    pub asked: u64,
    /// Questions without an answer.
    pub failed: u64,
    /// Answers that do not parse.
    pub unparsed: u64,
    /// What the answers cost so far, where prices are known.
    pub cost: Option<f64>,
    /// Why the last question without an answer has none.
    pub last_failure: Option<String>,
}

/// A scoring that goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scoring {
    /// What is computed: the flags that name models and scorers.
    pub what: String,
    /// How far it has come, once it said so.
    pub progress: Option<ScoreProgress>,
    /// It was asked to end.
    pub is_ending: bool,
    /// The user was warned that leaving ends it.
    pub warned: bool,
}

/// What the process reports.
#[derive(Clone, Debug, PartialEq)]
pub enum ScoringNews {
    /// How far it has come.
    Progress(ScoreProgress),
    /// It has ended.
    Ended(ScoringEnd),
}

/// How the process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScoringEnd {
    /// Its exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// What it said last.
    pub sentence: Option<String>,
}

/// The exit code of a scoring that was asked to end.
const INTERRUPTED: i32 = 130;

impl Scoring {
    /// A scoring that begins. It is named after its scorers, or the flags.
    pub fn new(flags: &[String]) -> Self {
        let after = |name: &str| {
            let index = flags.iter().position(|flag| flag == name)?;
            flags.get(index + 1)
        };
        let judged = after("--judge-model").map(|_| "ter".to_owned());
        let what = after("--scorers").cloned().or(judged).unwrap_or_else(|| "ptrue, vc".to_owned());
        Self { what, ..Self::default() }
    }

    /// How it stands, for the footer.
    pub fn words(&self, stop: Option<&str>) -> String {
        let Some(progress) = &self.progress else { return format!("scoring {} …", self.what) };
        let [done, total] = [progress.done, progress.total].map(grouped);
        let mut parts = vec![format!("scoring {}: {done} of {total}", self.what)];
        if progress.failed > 0 {
            parts.push(format!("{} failed", progress.failed));
        }
        parts
            .extend(progress.cost.filter(|cost| *cost > 0.0).map(|cost| format!("cost {cost:.2}")));
        match stop {
            _ if self.is_ending => parts.push("ending".to_owned()),
            Some(key) => parts.push(format!("{key} ends it")),
            None => {}
        }
        parts.join(" · ")
    }

    /// How it ended, in words.
    pub fn end_words(&self, end: &ScoringEnd) -> String {
        let what = &self.what;
        let progress = self.progress.clone().unwrap_or_default();
        let mut counts = vec![format!("{} asked", counted(progress.asked, "question"))];
        if progress.failed > 0 {
            let why = progress.last_failure.map_or(String::new(), |why| format!(" ({why})"));
            counts.push(format!("{} without an answer{why}", progress.failed));
        }
        if progress.unparsed > 0 {
            let answers = counted(progress.unparsed, "answer");
            counts.push(format!("{answers} did not parse"));
        }
        let counts = counts.join(", ");
        match (end.code, &end.sentence) {
            (Some(0), _) => format!("scoring {what} is done: {counts}"),
            (Some(INTERRUPTED), _) => {
                format!(
                    "scoring {what} was ended: {counts}; the answers are kept, and the same command goes on"
                )
            }
            (_, Some(sentence)) => format!("scoring {what} failed: {sentence}"),
            (Some(code), None) => format!("scoring {what} failed with exit code {code}"),
            (None, None) => format!("scoring {what} was killed; the same command goes on"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_process_becomes_words() {
        let line = r#"{"total":300,"done":120,"asked":118,"known":2,"failed":2,"unparsed":1,"cost":0.1234,"last_failure":"HTTP 500"}"#;
        let progress: ScoreProgress = serde_json::from_str(line).expect("a line");
        let flags = ["--self-model", "owl", "--scorers", "vc"].map(str::to_owned);
        let mut scoring = Scoring::new(&flags);
        assert_eq!(scoring.words(Some("K")), "scoring vc …");
        scoring.progress = Some(progress);
        let words = scoring.words(Some("K"));
        assert_eq!(words, "scoring vc: 120 of 300 · 2 failed · cost 0.12 · K ends it");
        let ended = |code, sentence: Option<&str>| {
            scoring.end_words(&ScoringEnd { code, sentence: sentence.map(str::to_owned) })
        };
        let counts = "118 questions asked, 2 without an answer (HTTP 500), 1 answer did not parse";
        assert_eq!(ended(Some(0), Some("a warning")), format!("scoring vc is done: {counts}"));
        assert!(ended(Some(130), None).starts_with("scoring vc was ended: "));
        assert_eq!(ended(Some(1), Some("no key")), "scoring vc failed: no key");
        assert_eq!(ended(Some(2), None), "scoring vc failed with exit code 2");
        assert!(ended(None, None).contains("was killed"));
        let judged = Scoring::new(&["--judge-model".to_owned(), "owl".to_owned()]);
        assert_eq!(judged.what, "ter");
    }
}
