//! What all formats for people say in the same words.

use super::comparison::{Beside, Comparison, Kind, Pane, Part, Remark, Row, Said, Verdict};
use super::lines::{self, Line, NEW, OLD};
use crate::text::{counted, grouped};

/// A number to three decimals, or a dash.
pub(super) fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |own| format!("{own:.3}"))
}

/// Whether a run solved its task.
pub(super) fn outcome(success: Option<bool>) -> &'static str {
    match success {
        Some(true) => "✓ solved",
        Some(false) => "✗ failed",
        None => "not graded",
    }
}

/// `reference`, `sample 2`.
pub(super) fn run_name(draw: u32) -> String {
    if draw == 0 { "reference".to_owned() } else { format!("sample {draw}") }
}

/// A scorer with its aggregator: `lnsp·min`.
pub(super) fn scorer_name(scorer: &str, aggregator: Option<&str>) -> String {
    match aggregator {
        Some(rule) => format!("{}·{rule}", lines::safe(scorer)),
        None => lines::safe(scorer),
    }
}

impl Comparison {
    /// A row's number among those with actions, from 1.
    pub(super) fn number(&self, row: usize) -> usize {
        self.rows[..=row].iter().filter(|own| own.kind == Kind::Action).count()
    }

    /// Whether a row is the first in which the runs part.
    pub(super) fn is_first_divergence(&self, row: usize) -> bool {
        self.first_divergence == Some(row)
    }
}

impl Row {
    /// The types of its actions, each once.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.cells.iter().flatten().filter_map(|own| own.action.as_deref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.into_iter()
    }
}

impl Pane {
    /// The reward with what it is made of: `0 (database 0, communicated 1)`.
    pub(super) fn reward_words(&self) -> Option<String> {
        let reward = self.reward?;
        let parts = &self.reward_parts;
        let named = [
            ("database", parts.database),
            ("assertions", parts.assertions),
            ("actions", parts.actions),
            ("communicated", parts.communicated),
            ("language", parts.language),
        ];
        let parts: Vec<String> =
            named.iter().filter_map(|(name, own)| Some(format!("{name} {}", (*own)?))).collect();
        Some(if parts.is_empty() {
            reward.to_string()
        } else {
            format!("{reward} ({})", parts.join(", "))
        })
    }

    /// Tokens that went in and came out.
    pub(super) fn token_words(&self) -> Option<String> {
        let known = [(self.prompt_tokens, "read"), (self.completion_tokens, "generated")];
        let words: Vec<String> = known
            .iter()
            .filter_map(|(count, what)| Some(format!("{} {what}", grouped((*count)?))))
            .collect();
        (!words.is_empty()).then(|| format!("tokens {}", words.join(", ")))
    }

    /// `14 turns, 9 calls`.
    pub(super) fn counts(&self) -> String {
        let turns = counted(u64::from(self.turns), "turn");
        format!("{turns}, {}", counted(u64::from(self.tools), "call"))
    }
}

impl Part {
    /// Confidence, rank, weight and tokens of the turn; none where it has no confidence.
    pub(super) fn measures(&self) -> Vec<String> {
        let confidence = Some(number(self.confidence));
        let rank = self.rank.map(|own| format!("rank {own}"));
        let weight = self.weight.map(|own| format!("weight {own:.2}"));
        let tokens = self.tokens.map(|own| counted(own as u64, "token"));
        [confidence, rank, weight, tokens].into_iter().flatten().collect()
    }

    /// The keys at which its arguments differ.
    pub(super) fn key_words(&self) -> String {
        let named = self.keys.iter().map(|own| match own.as_str() {
            "" => "arguments".to_owned(),
            own => lines::safe(own),
        });
        named.collect::<Vec<_>>().join(", ")
    }

    /// `turn 3`, and of a turn's later calls which one.
    pub(super) fn place(&self) -> String {
        let turn = self.turn.map_or_else(String::new, |own| format!("turn {own}"));
        match self.call {
            Some(call) if call > 1 => format!("{turn}, call {call}"),
            _ => turn,
        }
    }

    /// What is to be noticed about it, but for the keys that differ.
    pub(super) fn marks(&self) -> Vec<&'static str> {
        let contrast = match self.contrast {
            Some(Beside::Other) => Some("other action"),
            Some(Beside::OnlyHere) => Some("only here"),
            Some(Beside::Same | Beside::Arguments) | None => None,
        };
        let error = self.error.then_some("error");
        [contrast, self.weakest.then_some("◂ weakest"), error].into_iter().flatten().collect()
    }
}

/// Words under a title.
pub(super) struct Block {
    /// What it is.
    pub(super) title: &'static str,
    /// Whose name belongs to the title, in others' words.
    pub(super) name: Option<String>,
    /// The words.
    pub(super) lines: Vec<String>,
}

/// What a pane says and gets in a row.
pub(super) fn blocks(comparison: &Comparison, row: &Row, pane: usize, full: bool) -> Vec<Block> {
    let Some(own) = &row.cells[pane] else { return Vec::new() };
    let first = if pane == 0 { None } else { row.cells[0].as_ref() };
    let like = format!("(as in {})", lines::safe(&comparison.panes[0].label));
    let fit = |lines: Vec<Line>, same: bool| {
        let fitted = lines::fitted(lines, full);
        match fitted.len() {
            0 => vec!["(nothing)".to_owned()],
            1 => fitted,
            _ if same && !full => vec![like.clone()],
            _ => fitted,
        }
    };
    let block = |title, lines| Block { title, name: None, lines };
    let mut blocks = Vec::new();
    let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    if let Some(text) = said(&own.reasoning) {
        let same = first.is_some_and(|first| first.reasoning == own.reasoning);
        blocks.push(block("thinks", fit(lines::plain(&text), same)));
    }
    // A message is an action even when it is empty.
    let is_message = row.kind == Kind::Action && own.call.is_none();
    if let Some(text) = said(&own.words).or(is_message.then(String::new)) {
        let same = first.is_some_and(|first| first.words == own.words);
        blocks.push(block("says", fit(lines::plain(&text), same)));
    }
    if let Some(held) = row.arguments(pane) {
        let lines = lines::arguments(held, if pane == 0 { OLD } else { NEW });
        blocks.push(block("with", fit(lines, own.contrast == Some(Beside::Same))));
    }
    for (place, result) in own.results.iter().enumerate() {
        let title = if result.error { "returns an error" } else { "returns" };
        let same = first.and_then(|first| first.results.get(place)) == Some(result);
        blocks.push(block(title, fit(lines::returned(&result.text), same)));
    }
    for (place, said) in own.messages.iter().enumerate() {
        let same = first.and_then(|first| first.messages.get(place)) == Some(said);
        blocks.extend(said_blocks(said, &|lines| fit(lines, same)));
    }
    blocks
}

/// What somebody else said, and the calls they made.
fn said_blocks(said: &Said, fit: &dyn Fn(Vec<Line>) -> Vec<String>) -> Vec<Block> {
    let title = match said.role {
        "user" => "user",
        "system" => "system",
        "assistant" if said.scripted => "agent, scripted",
        "assistant" => "agent",
        _ if said.error => "returned to the user, an error",
        _ if said.for_user => "returned to the user",
        _ => "tool",
    };
    let mut blocks = Vec::new();
    if let Some(text) = &said.reasoning {
        blocks.push(Block { title: "thinks", name: None, lines: fit(lines::plain(text)) });
    }
    let text = said.text.as_deref().unwrap_or_default();
    if !text.trim().is_empty() || said.calls.is_empty() {
        let lines = if said.role == "tool" { lines::returned(text) } else { lines::plain(text) };
        blocks.push(Block { title, name: None, lines: fit(lines) });
    }
    for call in &said.calls {
        let held = super::comparison::Held { own: &call.arguments, other: None };
        let lines = fit(lines::arguments(held, OLD));
        blocks.push(Block { title: "user calls", name: Some(call.name.clone()), lines });
    }
    blocks
}

impl Verdict {
    /// What it says.
    pub(super) fn words(&self) -> &'static str {
        match self.equivalent {
            Some(true) => "equivalent",
            Some(false) => "different",
            None => "unparsed",
        }
    }
}

impl Remark {
    /// What it is about: `the task`, `reference, turn 3`.
    pub(super) fn about(&self) -> String {
        match (self.draw, self.turn) {
            (None, _) => "the task".to_owned(),
            (Some(draw), None) => run_name(draw),
            (Some(draw), Some(turn)) => format!("{}, turn {turn}", run_name(draw)),
        }
    }

    /// The day it was written, in UTC.
    pub(super) fn day(&self) -> String {
        let (year, month, day) = civil(self.time / 86_400);
        format!("{year:04}-{month:02}-{day:02}")
    }
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
