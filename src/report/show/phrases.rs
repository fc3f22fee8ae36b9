//! Phrases that all formats for people share.

use super::action::ShownAction;
use super::lines::safe;
use super::runs::{RunRank, SideBySide};
use crate::compare::Contrast;
use crate::model::{Cell, Drift, Head, Judgment, RewardParts, Unscored};
use crate::scorers::Scorer;
use crate::store::{Note, StepLabel};
use crate::text::{counted, grouped};

/// A number to three decimals, or a dash.
pub(super) fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
}

/// Whether a run solved its task.
pub(super) fn outcome(success: Option<bool>) -> &'static str {
    match success {
        Some(true) => "✓ solved",
        Some(false) => "✗ failed",
        None => "not graded",
    }
}

/// `reference`, `sample 2`; `draw 2` where none is the reference.
pub(super) fn run_name(shown: &SideBySide<'_>, cell: &Cell, draw: u32) -> String {
    match draw {
        draw if shown.is_pooled(cell) => format!("draw {draw}"),
        0 => "reference".to_owned(),
        draw => format!("sample {draw}"),
    }
}

/// A scorer with its aggregator: `lnsp·min`.
pub(super) fn scorer_name(scorer: &Scorer) -> String {
    safe(&scorer.to_string())
}

/// `rank 3/50`; of a sample `would rank 3/50`.
pub(super) fn rank(shown: &SideBySide<'_>, head: &Head, RunRank { rank, of }: RunRank) -> String {
    let counts = head.draw == 0 || shown.is_pooled(&head.cell);
    let verb = if counts { "rank" } else { "would rank" };
    format!("{verb} {rank}/{of}")
}

/// The tools that act in a row, each once.
pub(super) fn names<'s>(shown: &'s SideBySide<'_>, row: usize) -> Vec<&'s str> {
    let mut names: Vec<&str> = Vec::new();
    let actions = (0..shown.runs.len()).filter_map(|pane| shown.action(row, pane));
    for name in actions.map(ShownAction::name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The reward with its parts: `0 (database 0, communicated 1)`.
pub(super) fn reward(head: &Head) -> Option<String> {
    let reward = head.outcome.reward?;
    let RewardParts { database, assertions, actions, communicated, language } = &head.outcome.parts;
    let named = [
        ("database", database),
        ("assertions", assertions),
        ("actions", actions),
        ("communicated", communicated),
        ("language", language),
    ];
    let parts: Vec<String> =
        named.iter().filter_map(|(name, part)| Some(format!("{name} {}", (**part)?))).collect();
    Some(if parts.is_empty() {
        reward.to_string()
    } else {
        format!("{reward} ({})", parts.join(", "))
    })
}

/// Tokens that a run read and generated.
pub(super) fn tokens(head: &Head) -> Option<String> {
    let known = [(head.prompt_tokens, "read"), (head.completion_tokens, "generated")];
    let words: Vec<String> = known
        .iter()
        .filter_map(|(count, what)| Some(format!("{} {what}", grouped((*count)?))))
        .collect();
    (!words.is_empty()).then(|| format!("tokens {}", words.join(", ")))
}

/// `14 turns, 9 calls`.
pub(super) fn counts(head: &Head) -> String {
    let turns = counted(u64::from(head.turns), "turn");
    format!("{turns}, {}", counted(u64::from(head.tools), "call"))
}

impl ShownAction<'_> {
    /// Confidence, rank, weight and tokens of the turn, as far as they are known.
    pub(super) fn measures(self) -> Vec<String> {
        let confidence = Some(match self.view.unscored {
            Some(Unscored::NotSent) => "no log-probabilities".to_owned(),
            Some(why) => format!("no score ({})", why.words()),
            None => number(self.view.confidence),
        });
        let rank = self.view.rank.map(|rank| format!("rank {rank}"));
        let weight = self.view.weight.map(|weight| format!("weight {weight:.2}"));
        let tokens = self.tokens().map(|tokens| counted(tokens as u64, "token"));
        let drift = self.drift().map(Drift::words);
        [confidence, rank, weight, tokens, drift].into_iter().flatten().collect()
    }

    /// The keys at which its arguments differ; none where they do not.
    pub(super) fn key_words(self) -> Option<String> {
        let named = self.keys().iter().map(|key| match key.as_str() {
            "" => "arguments".to_owned(),
            key => safe(key),
        });
        let named: Vec<String> = named.collect();
        (!named.is_empty()).then(|| named.join(", "))
    }

    /// `turn 3` and, of a turn's later calls, which one.
    pub(super) fn turn_words(self) -> String {
        match self.call() {
            Some(call) if call > 1 => format!("turn {}, call {call}", self.turn()),
            _ => format!("turn {}", self.turn()),
        }
    }

    /// What is remarkable about it, except for the keys that differ.
    pub(super) fn marks(self) -> Vec<&'static str> {
        let contrast = match self.contrast {
            Contrast::Other => Some("other action"),
            Contrast::OnlyHere => Some("only here"),
            Contrast::None | Contrast::Same | Contrast::Arguments(_) | Contrast::Missing => None,
        };
        let weakest = self.view.weakest.then_some("◂ weakest");
        let error = self.failed().then_some("error");
        [contrast, weakest, error].into_iter().flatten().collect()
    }
}

/// What a judge says of two runs.
pub(super) fn verdict(judgment: &Judgment) -> &'static str {
    match judgment.equivalent {
        Some(true) => "equivalent",
        Some(false) => "different",
        None => "unparsed",
    }
}

/// What a note is about: `the task`, `reference, turn 3`.
pub(super) fn subject(shown: &SideBySide<'_>, note: &Note) -> String {
    let name = |draw| run_name(shown, &note.cell, draw);
    match (note.draw, note.turn) {
        (None, _) => "the task".to_owned(),
        (Some(draw), None) => name(draw),
        (Some(draw), Some(turn)) => format!("{}, turn {}", name(draw), turn + 1),
    }
}

/// Which turn is marked as a decisive error, and what caused it.
pub(super) fn marked(shown: &SideBySide<'_>, label: &StepLabel) -> String {
    let (run, turn) = (run_name(shown, &label.cell, label.draw), label.turn + 1);
    format!("{run}, turn {turn}: {}", label.cause.words())
}

/// The day of a time, in UTC.
pub(super) fn day(time: u64) -> String {
    let (year, month, day) = civil(time / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date of a day since 1970, after Hinnant's `civil_from_days`.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    // Years begin in March here, so that a leap day comes last.
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_as_dates() {
        // date -u -d @1000000000 +%F is 2001-09-09; 951782400 is the leap day of 2000.
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(1_000_000_000 / 86_400), (2001, 9, 9));
        assert_eq!(civil(951_782_400 / 86_400), (2000, 2, 29));
        assert_eq!(civil(4_102_444_799 / 86_400), (2099, 12, 31));
    }
}
