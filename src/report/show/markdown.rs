//! A comparison as Markdown. Text of a transcript is put into code, where neither Markdown nor HTML
//! is interpreted: names in spans, texts in fences longer than any fence in them.

use std::fmt::Write as _;

use super::action::ShownAction;
use super::answers::{judged, self_assessment};
use super::blocks::blocks;
use super::checks::{basis_words, check_lines, expected_words};
use super::lines::{self, safe};
use super::phrases::{
    day, marked, names, number, outcome, rank, reward, run_name, scorer_name, subject, verdict,
};
use super::runs::{SideBySide, agreement_scorers};
use crate::compare::{RowKind, ended_badly};
use crate::model::{Cell, Trajectory};
use crate::scorers::consistency::Consistency;
use crate::text::grouped;

pub(super) fn render(shown: &SideBySide<'_>, full: bool) -> String {
    let mut out = format!("# Task {} of {}\n\n", code(shown.task()), code(shown.dataset()));
    panes(shown, shown.runs.len(), &mut out);
    for row in 0..shown.sheet.rows.len() {
        let _ = writeln!(out, "\n## {}", title(shown, row));
        (0..shown.runs.len()).for_each(|index| pane(shown, row, index, full, &mut out));
    }
    hidden(shown, full, &mut out);
    out
}

/// Text of a transcript as a code span.
pub(super) fn code(text: &str) -> String {
    let text = safe(text);
    if text.trim().is_empty() {
        return "` `".to_owned();
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    // A space is taken off on both sides where a tick or space stands at an end.
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Lines in a fence that none of them closes.
pub(super) fn fence(lines: &[String], kind: &str) -> String {
    let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
    let ticks = "`".repeat((longest + 1).max(3));
    let mut text = format!("{ticks}{kind}\n");
    lines.iter().for_each(|line| text.extend([line.as_str(), "\n"]));
    text + &ticks + "\n"
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The first runs as a table.
pub(super) fn panes(shown: &SideBySide<'_>, most: usize, out: &mut String) {
    let ranked = !shown.scores.ranks.is_empty();
    let scorer = in_table(&scorer_name(&shown.scores.scorer));
    let (rank_name, rank_rule) = if ranked { (" rank |", "---|") } else { ("", "") };
    let _ = writeln!(
        out,
        "| pane | run | cell | outcome | {scorer} |{rank_name} turns | calls | ended | reward | cost | tokens read | generated |"
    );
    let _ = writeln!(out, "|---|---|---|---|--:|{rank_rule}--:|--:|---|---|--:|--:|--:|");
    for pane in 0..shown.runs.len().min(most) {
        let _ = writeln!(out, "| {} |", pane_facts(shown, pane, ranked).join(" | "));
    }
}

/// Text of a transcript in a table.
fn in_table(text: &str) -> String {
    code(text).replace('|', "\\|")
}

fn pane_facts(shown: &SideBySide<'_>, pane: usize, ranked: bool) -> Vec<String> {
    let head = &shown.runs[pane].head;
    let dash = || "–".to_owned();
    let count = |count: Option<u64>| count.map_or_else(dash, grouped);
    let mut facts = vec![
        in_table(&shown.labels[pane]),
        run_name(shown, &head.cell, head.draw),
        in_table(&head.cell.to_string()),
        outcome(head.outcome.success).to_owned(),
        number(shown.score(pane)),
    ];
    if ranked {
        facts.push(shown.rank(pane).map_or_else(dash, |known| rank(shown, head, known)));
    }
    facts.extend([
        head.turns.to_string(),
        head.tools.to_string(),
        head.termination.as_deref().map_or_else(dash, in_table),
        reward_facts(shown, pane).unwrap_or_else(dash),
        head.cost.map_or_else(dash, |cost| format!("{cost:.4}")),
        count(head.prompt_tokens),
        count(head.completion_tokens),
    ]);
    facts
}

/// The reward and what it is made of.
fn reward_facts(shown: &SideBySide<'_>, pane: usize) -> Option<String> {
    let run = shown.runs[pane];
    let facts = [reward(&run.head), basis_words(run).map(|words| in_table(&words))];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    (!facts.is_empty()).then(|| facts.join(", "))
}

fn title(shown: &SideBySide<'_>, row: usize) -> String {
    let sheet = shown.sheet;
    let names: Vec<String> = match sheet.rows[row].kind {
        RowKind::Before => return "Before the first turn".to_owned(),
        RowKind::End => return "End".to_owned(),
        RowKind::Action => names(shown, row).into_iter().map(code).collect(),
    };
    let diverges = if sheet.rows[row].diverges() { " ≠" } else { "" };
    let is_first = sheet.first_divergence() == Some(row);
    let first = if is_first { " ◂ first divergence" } else { "" };
    format!("{} {}{diverges}{first}", sheet.action_number(row), names.join(" / "))
}

fn pane(shown: &SideBySide<'_>, row: usize, pane: usize, full: bool, out: &mut String) {
    let label = code(&shown.labels[pane]);
    let facts = match (shown.sheet.rows[row].kind, shown.action(row, pane)) {
        (RowKind::Before, _) => String::new(),
        (RowKind::End, _) => ending(shown.runs[pane]),
        (RowKind::Action, Some(shown)) => action(shown),
        (RowKind::Action, None) if pane > 0 && shown.action(row, 0).is_some() => {
            "missing".to_owned()
        }
        (RowKind::Action, None) => "·".to_owned(),
    };
    let _ = writeln!(out, "\n{}", format!("**{label}** {facts}").trim_end());
    for block in blocks(shown, row, pane) {
        let name = block.name.as_ref().map_or_else(String::new, |name| format!(" {}", code(name)));
        let title = block.title;
        let _ = write!(out, "\n{title}{name}:\n\n{}", fence(&block.printed(shown, full), ""));
    }
    if let Some(words) = expected_words(shown, row, pane) {
        let _ = writeln!(out, "\n≠ expected: {}", code(&words));
    }
}

fn ending(run: &Trajectory) -> String {
    let why = run.head.termination.as_ref().map(|why| format!("ended {}", code(why)));
    let cut = ended_badly(run).then(|| "cut off".to_owned());
    let facts = [why, Some(outcome(run.head.outcome.success).to_owned()), cut];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn action(action: ShownAction<'_>) -> String {
    let mut facts = vec![action.turn_words(), code(action.name())];
    facts.extend(action.measures());
    facts.extend(action.key_words().map(|keys| format!("≠ {}", code(&keys))));
    facts.extend(action.marks().into_iter().map(str::to_owned));
    facts.join(" · ")
}

fn hidden(shown: &SideBySide<'_>, full: bool, out: &mut String) {
    out.push_str("\n## Hidden from the agent\n");
    let other_cell = |cell: &Cell| {
        let first = shown.is_first_cell(cell);
        if first { String::new() } else { format!("{} ", code(&cell.to_string())) }
    };
    if let Some(instruction) = shown.instruction {
        let lines = lines::fitted(&lines::plain(instruction), full);
        let _ = write!(out, "\nInstruction:\n\n{}", fence(&lines, ""));
    }
    for pane in 0..shown.runs.len() {
        let checks = check_lines(shown, pane, full);
        if !checks.is_empty() {
            let label = code(&shown.labels[pane]);
            let _ = write!(out, "\nChecks of {label}:\n\n{}", fence(&checks, ""));
        }
        let assessed = self_assessment(shown, pane, full);
        if !assessed.is_empty() {
            let label = code(&shown.labels[pane]);
            let title = format!("What the agent's model says of {label}");
            let _ = write!(out, "\n{title}:\n\n{}", fence(&assessed, ""));
        }
    }
    if !shown.judgments.is_empty() {
        out.push_str("\n| judge | pair | says | confidence |\n|---|---|---|--:|\n");
    }
    for judgment in &shown.judgments {
        let (judge, verdict) = (in_table(&judgment.judge), verdict(judgment));
        let pair = format!("{}–{}", judgment.draw_a, judgment.draw_b);
        let cell = other_cell(&judgment.cell).replace('|', "\\|");
        let confidence = number(judgment.confidence);
        let _ = writeln!(out, "| {judge} | {cell}{pair} | {verdict} | {confidence} |");
    }
    if shown.runs.len() > 1 {
        let scorers: Vec<&str> = agreement_scorers().map(Consistency::id).collect();
        let _ = writeln!(out, "\n| pair | edits | {} |", scorers.join(" | "));
        let _ = writeln!(out, "|---|--:|{}", "--:|".repeat(scorers.len()));
    }
    for pane in 1..shown.runs.len() {
        let pair = format!("{}–{}", in_table(&shown.labels[0]), in_table(&shown.labels[pane]));
        let values = shown.agreement(pane).into_iter().map(|(_, value)| format!("{value:.3}"));
        let values: Vec<String> = values.collect();
        let edits = shown.sheet.edits(pane);
        let _ = writeln!(out, "| {pair} | {edits} | {} |", values.join(" | "));
    }
    for pane in 1..shown.runs.len() {
        let judged = judged(shown, pane, full);
        if !judged.is_empty() {
            let [a, b] = [0, pane].map(|pane| code(&shown.labels[pane]));
            let _ = write!(out, "\nWhat judges wrote about {a} and {b}:\n\n{}", fence(&judged, ""));
        }
    }
    for note in &shown.notes {
        let about = format!("{}{}", other_cell(&note.cell), subject(shown, note));
        let lines = lines::fitted(&lines::plain(&note.note), full);
        let (author, day) = (code(&note.author), day(note.time));
        let _ = write!(out, "\nNote on {about}, {author}, {day}:\n\n{}", fence(&lines, ""));
    }
    for label in &shown.errors {
        let about = format!("{}{}", other_cell(&label.cell), marked(shown, label));
        let _ = writeln!(
            out,
            "\nDecisive error: {about}, {}, {}",
            code(&label.author),
            day(label.time)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_not_left_by_what_it_holds() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code(""), "` `");
        assert_eq!(code("a\n# b"), "`a␊# b`");
        let lines = ["````".to_owned(), "x".to_owned()];
        assert_eq!(fence(&lines, ""), "`````\n````\nx\n`````\n");
    }
}
