//! A comparison as blocks of lines. Every line of a pane begins with the pane's label and `│`, so
//! that one run can be extracted with `grep '^ *2│'`.
//!
//! ```text
//! ── 2 get_reservation  ≠  ◂ first divergence
//! 0│ turn 2  get_reservation  0.710  rank 3  weight 0.07  ≠ id
//! 0│   with: {"id": [-"EHGLP3"-]}
//! 2│ turn 2  get_reservation  0.801  rank 5  weight 0.07  ≠ id
//! 2│   with: {"id": {+"EUJUY6"+}}
//! ```

use std::fmt::Write as _;

use super::answers::{judged, self_assessment};
use super::blocks::blocks;
use super::checks::{basis_words, check_lines, expected_words};
use super::lines::{self, safe};
use super::phrases::{
    counts, day, marked, names, number, outcome, rank, reward, run_name, scorer_name, subject,
    tokens, verdict,
};
use super::runs::SideBySide;
use crate::compare::{RowKind, ended_badly};
use crate::model::Cell;
use crate::text::{counted, width};

pub(super) fn render(shown: &SideBySide<'_>, full: bool) -> String {
    let mut out = Text { shown, full, text: String::new(), labels: labels(shown) };
    out.head();
    (0..shown.sheet.rows.len()).for_each(|row| out.row(row));
    out.hidden();
    out.text
}

/// Labels of the panes, all of one width.
fn labels(shown: &SideBySide<'_>) -> Vec<String> {
    let safe: Vec<String> = shown.labels.iter().map(|label| safe(label)).collect();
    let widest = safe.iter().map(|label| width(label)).max().unwrap_or(0);
    safe.iter().map(|label| format!("{}{label}│ ", " ".repeat(widest - width(label)))).collect()
}

struct Text<'s> {
    shown: &'s SideBySide<'s>,
    full: bool,
    text: String,
    labels: Vec<String>,
}

impl Text<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn pane_line(&mut self, pane: usize, line: &str) {
        let line = format!("{}{line}", self.labels[pane]);
        self.line(&line);
    }

    fn head(&mut self) {
        let shown = self.shown;
        let cell = shown.runs.first().map_or_else(String::new, |run| run.head.cell.to_string());
        let scorer = scorer_name(&shown.scores.scorer);
        self.line(&format!("{}  task {}  {scorer}", safe(&cell), safe(shown.task())));
        for (pane, run) in shown.runs.iter().enumerate() {
            let head = &run.head;
            let elsewhere = !shown.is_first_cell(&head.cell);
            let facts = [
                Some(run_name(shown, &head.cell, head.draw)),
                elsewhere.then(|| safe(&head.cell.to_string())),
                Some(outcome(head.outcome.success).to_owned()),
                Some(number(shown.score(pane))),
                shown.rank(pane).map(|known| rank(shown, head, known)),
                Some(counts(head)),
                head.termination.as_ref().map(|why| format!("ended {}", safe(why))),
            ];
            self.pane_line(pane, &together(facts));
            let facts = together([
                reward(head).map(|reward| format!("reward {reward}")),
                basis_words(run),
                head.cost.map(|cost| format!("cost {cost:.4}")),
                tokens(head),
                head.duration.map(|seconds| format!("{seconds:.1} s")),
            ]);
            if !facts.is_empty() {
                self.pane_line(pane, &format!("  {facts}"));
            }
        }
    }

    fn row(&mut self, row: usize) {
        let title = self.title(row);
        self.line(&format!("── {title}"));
        (0..self.shown.runs.len()).for_each(|pane| self.pane(row, pane));
    }

    fn title(&self, row: usize) -> String {
        let sheet = self.shown.sheet;
        let names: Vec<String> = match sheet.rows[row].kind {
            RowKind::Before => return "before the first turn".to_owned(),
            RowKind::End => return "end".to_owned(),
            RowKind::Action => names(self.shown, row).into_iter().map(safe).collect(),
        };
        let first = sheet.first_divergence() == Some(row);
        together([
            Some(format!("{} {}", sheet.action_number(row), names.join(" / "))),
            sheet.rows[row].diverges().then(|| "≠".to_owned()),
            first.then(|| "◂ first divergence".to_owned()),
        ])
    }

    fn pane(&mut self, row: usize, pane: usize) {
        let shown = self.shown;
        match (shown.sheet.rows[row].kind, shown.action(row, pane)) {
            (RowKind::Before, _) => {}
            (RowKind::End, _) => {
                let run = shown.runs[pane];
                let why = run.head.termination.as_ref().map(|why| format!("ended {}", safe(why)));
                let cut = ended_badly(run).then(|| "cut off".to_owned());
                let facts = [why, Some(outcome(run.head.outcome.success).to_owned()), cut];
                self.pane_line(pane, &together(facts));
            }
            (RowKind::Action, None) => {
                let missing = pane > 0 && shown.action(row, 0).is_some();
                self.pane_line(pane, if missing { "·  missing" } else { "·" });
                return;
            }
            (RowKind::Action, Some(action)) => {
                let mut facts = vec![action.turn_words(), safe(action.name())];
                facts.extend(action.measures());
                facts.extend(action.key_words().map(|keys| format!("≠ {keys}")));
                facts.extend(action.marks().into_iter().map(str::to_owned));
                self.pane_line(pane, &facts.join("  "));
            }
        }
        for block in blocks(shown, row, pane) {
            let name =
                block.name.as_ref().map_or_else(String::new, |name| format!(" {}", safe(name)));
            let title = format!("{}{name}", block.title);
            let lines = block.printed(shown, self.full);
            if let [line] = lines.as_slice() {
                self.pane_line(pane, &format!("  {title}: {line}"));
                continue;
            }
            self.pane_line(pane, &format!("  {title}:"));
            lines.iter().for_each(|line| self.pane_line(pane, &format!("    {line}")));
        }
        if let Some(words) = expected_words(shown, row, pane) {
            self.pane_line(pane, &format!("  ≠ expected: {}", safe(&words)));
        }
    }

    fn hidden(&mut self) {
        let shown = self.shown;
        self.line("══ hidden from the agent");
        if let Some(instruction) = shown.instruction {
            self.line("instruction:");
            self.indented(instruction);
        }
        for pane in 0..shown.runs.len() {
            let checks = check_lines(shown, pane, self.full);
            if !checks.is_empty() {
                self.pane_line(pane, "checks:");
            }
            checks.iter().for_each(|line| self.pane_line(pane, &format!("  {line}")));
            let assessed = self_assessment(shown, pane, self.full);
            if !assessed.is_empty() {
                self.pane_line(pane, "the agent's model says:");
            }
            assessed.iter().for_each(|line| self.pane_line(pane, &format!("  {line}")));
        }
        for judgment in &shown.judgments {
            let (a, b) = (judgment.draw_a, judgment.draw_b);
            let (judge, confidence) = (safe(&judgment.judge), number(judgment.confidence));
            let (cell, verdict) = (self.other_cell(&judgment.cell), verdict(judgment));
            self.line(&format!("judge {judge}: {cell}{a}–{b} {verdict}  {confidence}"));
        }
        for pane in 1..shown.runs.len() {
            let (a, b) = (safe(&shown.labels[0]), safe(&shown.labels[pane]));
            let edits = counted(shown.sheet.edits(pane) as u64, "edit");
            let mut line = format!("pair {a}–{b}: {edits}");
            for (scorer, value) in shown.agreement(pane) {
                let _ = write!(line, "  {scorer} {value:.3}");
            }
            self.line(&line);
            let judged = judged(shown, pane, self.full);
            if !judged.is_empty() {
                self.line(&format!("judges wrote about {a}–{b}:"));
            }
            judged.iter().for_each(|line| self.line(&format!("  {line}")));
        }
        for note in &shown.notes {
            let (cell, author) = (self.other_cell(&note.cell), safe(&note.author));
            self.line(&format!(
                "note on {cell}{}, {author}, {}:",
                subject(shown, note),
                day(note.time)
            ));
            self.indented(&note.note);
        }
        for label in &shown.errors {
            let (cell, author) = (self.other_cell(&label.cell), safe(&label.author));
            let line = format!("{cell}{}, {author}, {}", marked(shown, label), day(label.time));
            self.line(&format!("decisive error: {line}"));
        }
    }

    /// Prints a text on indented lines.
    fn indented(&mut self, text: &str) {
        for line in lines::fitted(&lines::plain(text), self.full) {
            self.line(&format!("  {line}"));
        }
    }

    /// The name of a cell that is not the first pane's.
    fn other_cell(&self, cell: &Cell) -> String {
        let first = self.shown.is_first_cell(cell);
        if first { String::new() } else { format!("{} ", safe(&cell.to_string())) }
    }
}

fn together(facts: impl IntoIterator<Item = Option<String>>) -> String {
    facts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}
