//! What asking would take, and what it gave, as lines of text.

use std::collections::BTreeSet;

use crate::models::{AskProgress, Estimate, ModelSummary, Stopped};
use crate::text::{counted, grouped};

/// What asking would take, a line each.
pub(in crate::cli::score) fn estimate_lines(estimate: &Estimate) -> Vec<String> {
    let mut lines = Vec::new();
    for part in &estimate.parts {
        let [sent, answered] = part.tokens.map(grouped);
        let cost = match part.cost {
            Some(cost) => format!("about {cost:.2}"),
            None => format!("cost unknown: the settings have no price of `{}`", part.model),
        };
        let mut line = format!(
            "  {}: {} to {}, about {sent} tokens sent and {answered} answered, {cost}",
            part.question.id(),
            counted(part.calls as u64, "call"),
            part.model
        );
        if part.known > 0 {
            line.extend(["; ", &counted(part.known as u64, "answer"), " there already"]);
        }
        lines.push(line);
    }
    if lines.is_empty() {
        lines.push("  nothing to ask".to_owned());
    }
    lines.extend(unmapped(&estimate.unmapped));
    lines
}

fn unmapped(models: &BTreeSet<String>) -> Option<String> {
    let names: Vec<&str> = models.iter().map(String::as_str).collect();
    (!names.is_empty())
        .then(|| format!("  not scored, since no --self-model stands for it: {}", names.join(", ")))
}

/// How many questions were asked, and what that took.
fn progress_words(progress: &AskProgress) -> String {
    let asked = counted(progress.asked as u64, "question");
    let known = counted(progress.known as u64, "answer");
    let mut words = vec![format!("{asked} asked"), format!("{known} there already")];
    if progress.failed > 0 {
        words.push(format!("{} without an answer", progress.failed));
    }
    if progress.passed > 0 {
        words.push(format!("{} not asked", progress.passed));
    }
    if progress.tokens != [0, 0] {
        let [sent, answered] = progress.tokens.map(grouped);
        words.push(format!("{sent} tokens sent, {answered} answered"));
    }
    let cost = progress.cost.filter(|cost| *cost > 0.0);
    words.extend(cost.map(|cost| format!("cost {cost:.4}")));
    words.join(", ")
}

/// What the asking gave, a line each.
pub(in crate::cli::score) fn summary_lines(summary: &ModelSummary) -> Vec<String> {
    let mut lines = Vec::new();
    let values = summary.values.iter();
    for (scorer, [values, unparsed]) in values {
        let noun = if *scorer == "ter" { "verdict" } else { "value" };
        let mut line = format!("  {scorer}: {}", counted(*values as u64, noun));
        if let Some(judge) = summary.judge.as_ref().filter(|_| *scorer == "ter") {
            line.extend([" of the judge ", judge]);
        }
        if *unparsed > 0 {
            let count = if *unparsed == 1 { "counts" } else { "count" };
            let answers = counted(*unparsed as u64, "answer");
            line.extend(["; ", &answers, " did not parse and ", count, " for nothing"]);
        }
        lines.push(line);
    }
    let progress = &summary.progress;
    lines.push(format!("  {}", progress_words(progress)));
    lines.extend(summary.reasons.iter().map(|reason| format!("    {reason}")));
    if let Some(neither) = summary.neither {
        lines.push(format!(
            "  ptrue: {:.1}% of the mass on neither TRUE nor FALSE",
            100.0 * neither
        ));
    }
    if summary.bare > 0 {
        let runs = counted(summary.bare as u64, "run");
        lines.push(format!("  {runs} asked about without the policy or the tools the agent had: the store lacks them"));
    }
    lines.extend(unmapped(&summary.unmapped));
    lines.extend(summary.stopped.as_ref().and_then(|stopped| match stopped {
        Stopped::Interrupted => {
            Some("  ended early; run the same command again to go on".to_owned())
        }
        Stopped::Limit => {
            Some("  ended at --limit; run the same command again to go on".to_owned())
        }
        Stopped::Budget => {
            Some("  ended at --budget; run the same command again to go on".to_owned())
        }
        Stopped::Error(_) => None,
    }));
    lines
}
