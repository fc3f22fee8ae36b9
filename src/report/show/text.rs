//! A comparison as blocks of lines. Every line of a pane begins with the pane's label and `│`, so
//! that one run can be taken out with `grep '^ *2│'`.
//!
//! ```text
//! ── 2 get_reservation  ≠  ◂ first divergence
//! 0│ turn 2  get_reservation  0.710  rank 3  weight 0.07  ≠ id
//! 0│   with: {"id": [-"EHGLP3"-]}
//! 2│ turn 2  get_reservation  0.801  rank 5  weight 0.07  ≠ id
//! 2│   with: {"id": {+"EUJUY6"+}}
//! ```

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use super::comparison::{Comparison, Kind, Pane, Row};
use super::lines::{self, safe};
use super::phrases::{blocks, number, outcome, run_name, scorer_name};
use crate::text::counted;

pub(super) fn render(own: &Comparison, full: bool) -> String {
    let mut out = Text { own, full, text: String::new(), labels: labels(own) };
    out.head();
    (0..own.rows.len()).for_each(|row| out.row(row));
    out.hidden();
    out.text
}

/// Labels of the panes, all of one width.
fn labels(own: &Comparison) -> Vec<String> {
    let safe: Vec<String> = own.panes.iter().map(|pane| safe(&pane.label)).collect();
    let width = safe.iter().map(|own| own.width()).max().unwrap_or(0);
    safe.iter().map(|own| format!("{}{own}│ ", " ".repeat(width - own.width()))).collect()
}

struct Text<'c> {
    own: &'c Comparison,
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
        let own = self.own;
        let cell = own.panes.first().map_or_else(String::new, |pane| pane.cell.to_string());
        let scorer = scorer_name(&own.scorer, own.aggregator.as_deref());
        let head = format!("{}  task {}  {scorer}", safe(&cell), safe(&own.task));
        self.line(&head);
        for (place, pane) in own.panes.iter().enumerate() {
            let facts = [
                Some(run_name(pane.draw)),
                (pane.cell != own.panes[0].cell).then(|| safe(&pane.cell.to_string())),
                Some(outcome(pane.success).to_owned()),
                Some(number(pane.score)),
                Some(pane.counts()),
                pane.termination.as_ref().map(|why| format!("ended {}", safe(why))),
            ];
            self.pane_line(place, &together(facts));
            let facts = [
                pane.reward_words().map(|own| format!("reward {own}")),
                pane.cost.map(|own| format!("cost {own:.4}")),
                pane.token_words(),
                pane.duration.map(|own| format!("{own:.1} s")),
            ];
            let facts = together(facts);
            if !facts.is_empty() {
                self.pane_line(place, &format!("  {facts}"));
            }
        }
    }

    fn row(&mut self, row: usize) {
        let own = self.own;
        let title = self.title(row);
        self.line(&format!("── {title}"));
        for (place, pane) in own.panes.iter().enumerate() {
            self.pane(&own.rows[row], place, pane);
        }
    }

    fn title(&self, row: usize) -> String {
        let own = &self.own.rows[row];
        let what = match own.kind {
            Kind::Before => return "before the first turn".to_owned(),
            Kind::End => return "end".to_owned(),
            Kind::Action => own.names().map(safe).collect::<Vec<_>>().join(" / "),
        };
        let first = self.own.is_first_divergence(row).then_some("◂ first divergence");
        let number = self.own.number(row);
        together([
            Some(format!("{number} {what}")),
            own.parts.then(|| "≠".to_owned()),
            first.map(str::to_owned),
        ])
    }

    fn pane(&mut self, row: &Row, place: usize, pane: &Pane) {
        let Some(part) = &row.cells[place] else {
            let missing = place > 0 && row.cells[0].is_some();
            self.pane_line(place, if missing { "·  missing" } else { "·" });
            return;
        };
        match row.kind {
            Kind::Before => {}
            Kind::End => {
                let why = pane.termination.as_ref().map(|own| format!("ended {}", safe(own)));
                let cut = pane.cut_off.then(|| "cut off".to_owned());
                let facts = [why, Some(outcome(pane.success).to_owned()), cut];
                self.pane_line(place, &together(facts));
            }
            Kind::Action => {
                let mut facts =
                    vec![part.place(), safe(part.action.as_deref().unwrap_or_default())];
                facts.extend(part.measures());
                facts.extend((!part.keys.is_empty()).then(|| format!("≠ {}", part.key_words())));
                facts.extend(part.marks().into_iter().map(str::to_owned));
                self.pane_line(place, &facts.join("  "));
            }
        }
        for block in blocks(self.own, row, place, self.full) {
            let name = block.name.map_or_else(String::new, |own| format!(" {}", safe(&own)));
            let title = format!("{}{name}", block.title);
            if let [line] = block.lines.as_slice() {
                self.pane_line(place, &format!("  {title}: {line}"));
                continue;
            }
            self.pane_line(place, &format!("  {title}:"));
            block.lines.iter().for_each(|line| self.pane_line(place, &format!("    {line}")));
        }
    }

    fn hidden(&mut self) {
        let own = self.own;
        self.line("══ hidden from the agent");
        if let Some(instruction) = &own.instruction {
            self.line("instruction:");
            for line in lines::fitted(lines::plain(instruction), self.full) {
                self.line(&format!("  {line}"));
            }
        }
        for verdict in &own.judgments {
            let (a, b) = (verdict.draw_a, verdict.draw_b);
            let judge = safe(&verdict.judge);
            let confidence = number(verdict.confidence);
            let cell = self.cell_of(&verdict.cell);
            self.line(&format!("judge {judge}: {cell}{a}–{b} {}  {confidence}", verdict.words()));
        }
        for pair in &own.pairs {
            let (a, b) = (safe(&pair.a), safe(&pair.b));
            let edits = counted(pair.edits as u64, "edit");
            let mut line = format!("pair {a}–{b}: {edits}");
            for (name, value) in
                [("aec", pair.aec), ("asc", pair.asc), ("adc", pair.adc), ("fac", pair.fac)]
            {
                let _ = write!(line, "  {name} {value:.3}");
            }
            self.line(&line);
        }
        for note in &own.notes {
            let (cell, author) = (self.cell_of(&note.cell), safe(&note.author));
            self.line(&format!("note on {cell}{}, {author}, {}:", note.about(), note.day()));
            for line in lines::fitted(lines::plain(&note.note), self.full) {
                self.line(&format!("  {line}"));
            }
        }
    }

    /// The name of a cell that is not the first pane's.
    fn cell_of(&self, cell: &crate::model::Cell) -> String {
        let first = self.own.panes.first().is_some_and(|own| own.cell == *cell);
        if first { String::new() } else { format!("{} ", safe(&cell.to_string())) }
    }
}

fn together(facts: impl IntoIterator<Item = Option<String>>) -> String {
    facts.into_iter().flatten().collect::<Vec<_>>().join("  ")
}
