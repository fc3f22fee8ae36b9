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

use super::comparison::Pane;
use super::diff::{Action, Diff, How, Hunk, Parting, Value};
use super::lines::{Line, WIDTH, excerpt, fitted, replaced, safe, told_as_one};
use super::markdown::{code, fence, panes};
use super::phrases::{number, outcome, run_name, scorer_name};

/// A value of so many letters is held against another word by word.
const LONG: usize = 24;

pub(super) fn text(own: &Diff) -> String {
    let mut out: Vec<String> = vec![place(own)];
    for (mark, pane) in ["---", "+++"].into_iter().zip(&own.panes) {
        out.push(format!("{mark} {}", run(own, pane)));
    }
    out.extend(body(own));
    out.join("\n") + "\n"
}

pub(super) fn markdown(own: &Diff) -> String {
    let mut out = format!("# Task {} of {}\n\n", code(&own.task), code(&own.dataset));
    panes(&scorer_name(&own.scorer, own.aggregator.as_deref()), &own.panes, &mut out);
    out.push('\n');
    if own.same {
        return out + &body(own).join("\n") + "\n";
    }
    out + &fence(&body(own), "diff")
}

fn place(own: &Diff) -> String {
    let cell = own.panes.first().map_or_else(String::new, |pane| pane.cell.to_string());
    format!("{}  task {}", safe(&cell), safe(&own.task))
}

fn run(own: &Diff, pane: &Pane) -> String {
    let score = scorer_name(&own.scorer, own.aggregator.as_deref());
    let mut facts = vec![format!("{} {}", safe(&pane.label), run_name(pane.draw))];
    let elsewhere = own.panes.first().is_some_and(|first| first.cell != pane.cell);
    facts.extend(elsewhere.then(|| safe(&pane.cell.to_string())));
    facts.push(outcome(pane.success).to_owned());
    facts.push(format!("{score} {}", number(pane.score)));
    facts.push(pane.counts());
    facts.extend(pane.termination.as_ref().map(|why| format!("ended {}", safe(why))));
    facts.join("  ")
}

fn body(own: &Diff) -> Vec<String> {
    if own.same {
        let words =
            if own.words_differ { "; the words of their messages differ (--words)" } else { "" };
        return vec![format!("the runs do the same{words}")];
    }
    let labels: Vec<String> = own.panes.iter().map(|pane| safe(&pane.label)).collect();
    own.hunks.iter().flat_map(|own| hunk(own, &labels)).collect()
}

fn hunk(own: &Hunk, labels: &[String]) -> Vec<String> {
    let span = |of: fn(&Parting) -> Option<&Action>| {
        let mut turns = own.rows.iter().filter_map(of).filter_map(|own| own.turn);
        let first = turns.next();
        match (first, turns.next_back().or(first)) {
            (Some(first), Some(last)) if first < last => format!("{first}–{last}"),
            (Some(first), _) => first.to_string(),
            (None, _) => "none".to_owned(),
        }
    };
    let (a, b) = (span(|own| own.a.as_ref()), span(|own| own.b.as_ref()));
    let mut lines = vec![format!("@@ turns {a} | {b} @@")];
    own.rows.iter().for_each(|row| lines.extend(row_lines(row, labels)));
    lines
}

fn row_lines(own: &Parting, labels: &[String]) -> Vec<String> {
    let (a, b) = (own.a.as_ref(), own.b.as_ref());
    let line = |mark, a, b| line(mark, [a, b], labels);
    match own.kind {
        How::Same => return vec![line(' ', a, b)],
        How::OnlyA => return vec![line('-', a, None)],
        How::OnlyB => return vec![line('+', None, b)],
        How::Other => return vec![line('-', a, None), line('+', None, b)],
        How::Arguments | How::Words => {}
    }
    let mut lines = vec![line('~', a, b)];
    lines.extend(own.differences.iter().flat_map(value));
    if let Some((a, b)) = own.words().filter(|_| own.words_shown) {
        lines.extend(under("says", told_as_one(a, b)));
    }
    lines
}

/// The mark, the turn of each run, the action, what only one run says, and what is to be noticed.
fn line(mark: char, both: [Option<&Action>; 2], labels: &[String]) -> String {
    let turn = |own: Option<&Action>| {
        own.and_then(|own| own.turn).map_or_else(String::new, |turn| turn.to_string())
    };
    let mut text = format!("{mark} {:>3} {:>3}  ", turn(both[0]), turn(both[1]));
    let there: Vec<&Action> = both.into_iter().flatten().collect();
    let Some(own) = there.first() else { return text };
    text.push_str(&safe(&own.action));
    if there.len() == 1 {
        let said = own.arguments.as_ref().or(own.words.as_ref());
        let room = WIDTH.saturating_sub(text.chars().count());
        let said = said.map_or_else(String::new, |said| excerpt(said, room));
        if !said.is_empty() {
            text.extend([" ", said.as_str()]);
        }
    }
    text.push_str(&noticed("◂ weakest", both, labels, |own| own.weakest));
    text.push_str(&noticed("error", both, labels, |own| own.error));
    text
}

/// A mark, and of which run it is said unless of all that act.
fn noticed(
    mark: &str,
    both: [Option<&Action>; 2],
    labels: &[String],
    is: fn(&Action) -> bool,
) -> String {
    let said: Vec<bool> = both.into_iter().flatten().map(is).collect();
    let of = both.iter().zip(labels).find(|(own, _)| own.is_some_and(is));
    match of {
        None => String::new(),
        Some(_) if said.iter().all(|own| *own) => format!("  {mark}"),
        Some((_, label)) => format!("  {mark} in {label}"),
    }
}

fn value(own: &Value) -> Vec<String> {
    let is_long = |own: &Option<String>| own.as_ref().is_some_and(|own| own.len() >= LONG);
    let lines = match (&own.a, &own.b) {
        (Some(a), Some(b)) if is_long(&own.a) && is_long(&own.b) => told_as_one(a, b),
        (a, b) => replaced(a.as_deref(), b.as_deref()),
    };
    let path = if own.path.is_empty() { "arguments".to_owned() } else { safe(&own.path) };
    under(&path, lines)
}

/// Lines below a row's, under a name.
fn under(name: &str, lines: Vec<Line>) -> Vec<String> {
    let mut lines = fitted(lines, true).into_iter();
    let first = format!("{name}: {}", lines.next().unwrap_or_default());
    std::iter::once(first).chain(lines).map(|own| format!("{:11}{own}", "")).collect()
}
