//! A comparison as Markdown. Others' words stand in code, which neither Markdown nor HTML reaches
//! into: names in spans, texts in fences longer than any in them.

use std::fmt::Write as _;

use super::comparison::{Comparison, Kind, Pane, Part, Row};
use super::lines::{self, safe};
use super::phrases::{blocks, number, outcome, run_name, scorer_name};
use crate::model::Cell;
use crate::text::grouped;

pub(super) fn render(own: &Comparison, full: bool) -> String {
    let mut out = format!("# Task {} of {}\n\n", code(&own.task), code(&own.dataset));
    panes(&scorer_name(&own.scorer, own.aggregator.as_deref()), &own.panes, &mut out);
    for row in 0..own.rows.len() {
        let _ = writeln!(out, "\n## {}", title(own, row));
        for place in 0..own.panes.len() {
            pane(own, &own.rows[row], place, full, &mut out);
        }
    }
    hidden(own, full, &mut out);
    out
}

/// One line of others' words as a code span.
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
    let longest = lines.iter().map(|own| longest_run(own)).max().unwrap_or(0);
    let ticks = "`".repeat((longest + 1).max(3));
    let mut text = format!("{ticks}{kind}\n");
    lines.iter().for_each(|line| text.extend([line.as_str(), "\n"]));
    text + &ticks + "\n"
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The runs as a table.
pub(super) fn panes(scorer: &str, panes: &[Pane], out: &mut String) {
    let cell = |text: &str| code(text).replace('|', "\\|");
    let scorer = cell(scorer);
    let _ = writeln!(
        out,
        "| pane | run | cell | outcome | {scorer} | turns | calls | ended | reward | cost | tokens read | generated |"
    );
    out.push_str("|---|---|---|---|--:|--:|--:|---|---|--:|--:|--:|\n");
    let row = |pane: &Pane| {
        let count = |own: Option<u64>| own.map_or_else(|| "–".to_owned(), grouped);
        let ended = pane.termination.as_deref().map_or_else(|| "–".to_owned(), cell);
        let facts = [
            cell(&pane.label),
            run_name(pane.draw),
            cell(&pane.cell.to_string()),
            outcome(pane.success).to_owned(),
            number(pane.score),
            pane.turns.to_string(),
            pane.tools.to_string(),
            ended,
            pane.reward_words().unwrap_or_else(|| "–".to_owned()),
            pane.cost.map_or_else(|| "–".to_owned(), |own| format!("{own:.4}")),
            count(pane.prompt_tokens),
            count(pane.completion_tokens),
        ];
        format!("| {} |\n", facts.join(" | "))
    };
    panes.iter().for_each(|pane| out.push_str(&row(pane)));
}

fn title(own: &Comparison, row: usize) -> String {
    let this = &own.rows[row];
    let names = match this.kind {
        Kind::Before => return "Before the first turn".to_owned(),
        Kind::End => return "End".to_owned(),
        Kind::Action => this.names().map(code).collect::<Vec<_>>().join(" / "),
    };
    let parts = if this.parts { " ≠" } else { "" };
    let first = if own.is_first_divergence(row) { " ◂ first divergence" } else { "" };
    format!("{} {names}{parts}{first}", own.number(row))
}

fn pane(own: &Comparison, row: &Row, place: usize, full: bool, out: &mut String) {
    let pane = &own.panes[place];
    let label = code(&pane.label);
    let facts = match (&row.cells[place], row.kind) {
        (None, _) if place > 0 && row.cells[0].is_some() => "missing".to_owned(),
        (None, _) => "·".to_owned(),
        (Some(_), Kind::Before) => String::new(),
        (Some(_), Kind::End) => ending(pane),
        (Some(part), Kind::Action) => action(part),
    };
    let _ = writeln!(out, "\n{}", format!("**{label}** {facts}").trim_end());
    for block in blocks(own, row, place, full) {
        let name = block.name.map_or_else(String::new, |own| format!(" {}", code(&own)));
        let _ = write!(out, "\n{}{name}:\n\n{}", block.title, fence(&block.lines, ""));
    }
}

fn ending(pane: &Pane) -> String {
    let why = pane.termination.as_ref().map(|own| format!("ended {}", code(own)));
    let cut = pane.cut_off.then(|| "cut off".to_owned());
    let facts = [why, Some(outcome(pane.success).to_owned()), cut];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn action(part: &Part) -> String {
    let mut facts = vec![part.place(), code(part.action.as_deref().unwrap_or_default())];
    facts.extend(part.measures());
    facts.extend((!part.keys.is_empty()).then(|| format!("≠ {}", code(&part.key_words()))));
    facts.extend(part.marks().into_iter().map(str::to_owned));
    facts.join(" · ")
}

fn hidden(own: &Comparison, full: bool, out: &mut String) {
    out.push_str("\n## Hidden from the agent\n");
    let first = |cell: &Cell| own.panes.first().is_some_and(|pane| pane.cell == *cell);
    let of = |cell: &Cell| {
        if first(cell) { String::new() } else { format!("{} ", code(&cell.to_string())) }
    };
    if let Some(instruction) = &own.instruction {
        let lines = lines::fitted(lines::plain(instruction), full);
        let _ = write!(out, "\nInstruction:\n\n{}", fence(&lines, ""));
    }
    if !own.judgments.is_empty() {
        out.push_str("\n| judge | pair | says | confidence |\n|---|---|---|--:|\n");
    }
    for verdict in &own.judgments {
        let judge = code(&verdict.judge).replace('|', "\\|");
        let pair = format!("{}–{}", verdict.draw_a, verdict.draw_b);
        let cell = of(&verdict.cell).replace('|', "\\|");
        let confidence = number(verdict.confidence);
        let _ = writeln!(out, "| {judge} | {cell}{pair} | {} | {confidence} |", verdict.words());
    }
    if !own.pairs.is_empty() {
        out.push_str("\n| pair | edits | aec | asc | adc | fac |\n|---|--:|--:|--:|--:|--:|\n");
    }
    for pair in &own.pairs {
        let both = format!("{}–{}", code(&pair.a), code(&pair.b)).replace('|', "\\|");
        let values = [pair.aec, pair.asc, pair.adc, pair.fac].map(|own| format!("{own:.3}"));
        let _ = writeln!(out, "| {both} | {} | {} |", pair.edits, values.join(" | "));
    }
    for note in &own.notes {
        let about = format!("{}{}", of(&note.cell), note.about());
        let lines = lines::fitted(lines::plain(&note.note), full);
        let author = code(&note.author);
        let _ =
            write!(out, "\nNote on {about}, {author}, {}:\n\n{}", note.day(), fence(&lines, ""));
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
