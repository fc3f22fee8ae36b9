//! A diff of two runs as text.
//!
//! ```text
//! --- 0 reference  ✗ failed  lnsp·min 0.312
//! +++ 2 sample 2  ✓ solved  lnsp·min 0.581
//! @@ turns 1–3 | 1–4 @@
//!     1   1  get_user_details
//! ~   2   2  get_reservation_details
//!            reservation_id: [-"EHGLP3"-] {+"EUJUY6"+}
//! +       3  calculate {"expression": "350 - 120"}
//! -   3      transfer_to_human {}
//! ```

use super::action::ShownAction;
use super::diff::{Diff, DiffKind, DiffRow};
use super::lines::{Line, WIDTH, fitted, merged, replaced, safe};
use super::markdown::{code, fence, panes};
use super::phrases::{counts, number, outcome, run_name, scorer_name};
use crate::compare::ArgumentDifference;
use crate::text::excerpt;

/// Values of at least so many bytes are compared word by word.
const LONG: usize = 24;

pub(super) fn text(diff: &Diff<'_>) -> String {
    let shown = diff.shown;
    let cell = shown.runs.first().map_or_else(String::new, |run| run.head.cell.to_string());
    let mut out = vec![format!("{}  task {}", safe(&cell), safe(shown.task()))];
    for (mark, pane) in ["---", "+++"].into_iter().zip(0..shown.runs.len()) {
        out.push(format!("{mark} {}", run(diff, pane)));
    }
    out.extend(body(diff));
    out.join("\n") + "\n"
}

pub(super) fn markdown(diff: &Diff<'_>) -> String {
    let shown = diff.shown;
    let mut out = format!("# Task {} of {}\n\n", code(shown.task()), code(shown.dataset()));
    panes(shown, 2, &mut out);
    out.push('\n');
    if diff.same {
        return out + &body(diff).join("\n") + "\n";
    }
    out + &fence(&body(diff), "diff")
}

fn run(diff: &Diff<'_>, pane: usize) -> String {
    let shown = diff.shown;
    let head = &shown.runs[pane].head;
    let mut facts =
        vec![format!("{} {}", safe(&shown.labels[pane]), run_name(shown, &head.cell, head.draw))];
    let elsewhere = !shown.is_first_cell(&head.cell);
    facts.extend(elsewhere.then(|| safe(&head.cell.to_string())));
    facts.push(outcome(head.outcome.success).to_owned());
    facts.push(format!("{} {}", scorer_name(&shown.scores.scorer), number(shown.score(pane))));
    facts.push(counts(head));
    facts.extend(head.termination.as_ref().map(|why| format!("ended {}", safe(why))));
    facts.join("  ")
}

fn body(diff: &Diff<'_>) -> Vec<String> {
    if diff.same {
        let words =
            if diff.words_differ { "; the words of their messages differ (--words)" } else { "" };
        return vec![format!("the runs do the same{words}")];
    }
    diff.hunks().flat_map(|rows| hunk(diff, rows)).collect()
}

fn hunk(diff: &Diff<'_>, rows: &[DiffRow]) -> Vec<String> {
    let span = |pane: usize| {
        let actions = rows.iter().filter_map(|row| diff.actions(row)[pane]);
        let turns: Vec<usize> = actions.map(ShownAction::turn).collect();
        match (turns.first(), turns.last()) {
            (Some(first), Some(last)) if first < last => format!("{first}–{last}"),
            (Some(first), _) => first.to_string(),
            (None, _) => "none".to_owned(),
        }
    };
    let mut lines = vec![format!("@@ turns {} | {} @@", span(0), span(1))];
    rows.iter().for_each(|row| lines.extend(row_lines(diff, row)));
    lines
}

fn row_lines(diff: &Diff<'_>, row: &DiffRow) -> Vec<String> {
    let [a, b] = diff.actions(row);
    let labels: Vec<String> = diff.shown.labels.iter().map(|label| safe(label)).collect();
    let line = |mark, a, b| line(mark, [a, b], &labels);
    match row.kind {
        DiffKind::Same => return vec![line(' ', a, b)],
        DiffKind::OnlyFirst => return vec![line('-', a, None)],
        DiffKind::OnlySecond => return vec![line('+', None, b)],
        DiffKind::Other => return vec![line('-', a, None), line('+', None, b)],
        DiffKind::Arguments | DiffKind::Words => {}
    }
    let mut lines = vec![line('~', a, b)];
    lines.extend(row.differences.iter().flat_map(value));
    if let Some((a, b)) = diff.words(row) {
        lines.extend(under("says", &merged(a, b)));
    }
    lines
}

/// The mark, the turn of each run, the action, what only one run says, and what is remarkable.
fn line(mark: char, both: [Option<ShownAction<'_>>; 2], labels: &[String]) -> String {
    let turn = |action: Option<ShownAction<'_>>| {
        action.map_or_else(String::new, |action| action.turn().to_string())
    };
    let mut text = format!("{mark} {:>3} {:>3}  ", turn(both[0]), turn(both[1]));
    let there: Vec<ShownAction<'_>> = both.into_iter().flatten().collect();
    let Some(action) = there.first() else { return text };
    text.push_str(&safe(action.name()));
    if there.len() == 1 {
        let said = action.arguments().or(action.words());
        let room = WIDTH.saturating_sub(text.chars().count());
        let said = said.map_or_else(String::new, |said| excerpt(&safe(said.trim()), room));
        if !said.is_empty() {
            text.extend([" ", said.as_str()]);
        }
    }
    text.push_str(&noticed("◂ weakest", both, labels, |action| action.view.weakest));
    text.push_str(&noticed("error", both, labels, ShownAction::failed));
    text
}

/// A mark and, unless it is true of all that act, of which run.
fn noticed<'s>(
    mark: &str,
    both: [Option<ShownAction<'s>>; 2],
    labels: &[String],
    is: impl Fn(ShownAction<'s>) -> bool,
) -> String {
    let of = both.iter().zip(labels).find(|(action, _)| action.is_some_and(&is));
    match of {
        None => String::new(),
        Some(_) if both.into_iter().flatten().all(is) => format!("  {mark}"),
        Some((_, label)) => format!("  {mark} in {label}"),
    }
}

fn value(difference: &ArgumentDifference) -> Vec<String> {
    let lines = match (&difference.first, &difference.second) {
        (Some(a), Some(b)) if a.len() >= LONG && b.len() >= LONG => merged(a, b),
        (a, b) => replaced(a.as_deref(), b.as_deref()),
    };
    let path = &difference.path;
    let path = if path.is_empty() { "arguments".to_owned() } else { safe(path) };
    under(&path, &lines)
}

/// Lines below a row's, under a name.
fn under(name: &str, lines: &[Line]) -> Vec<String> {
    let mut lines = fitted(lines, true).into_iter();
    let first = format!("{name}: {}", lines.next().unwrap_or_default());
    std::iter::once(first).chain(lines).map(|line| format!("{:11}{line}", "")).collect()
}
