//! A list of all scorers.
//!
//! ```text
//! ┌ Scorers ─────────────────────────────────────────────────────────────────────┐
//! │   scorer            values       calls  tokens     cost  needs               │
//! │ ▸ VC                0 of 300       300   1.2 M     0.31  the agent's model   │
//! │──────────────────────────────────────────────────────────────────────────────│
//! │ needs the agent's model: 300 calls, about 1,200,000 tokens, about 0.31       │
//! │ qualm score mine.qualm --self-model NAME --scorers vc                        │
//! │ ⏎ start it  y copy the command  Esc close                                    │
//! └──────────────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget as _};

use super::centred;
use crate::models::ScorerOutlook;
use crate::scorers::SPECS;
use crate::text::{counted, grouped, visible};
use crate::ui::action::Action;
use crate::ui::hits::{Hit, Hits, scrolled};
use crate::ui::screens::Spot;
use crate::ui::selection::Rows;
use crate::ui::shared::{Load, Shared};
use crate::ui::widgets::{fit, padded, paragraph, put, rule, width, wrap_some};

/// The widest list: wider ones are hard to read across.
const WIDEST: u16 = 130;

/// Rows that a page key goes through, twice.
const PAGE: usize = 20;

/// Columns of what is needed, at least; in less it is left out.
const LEAST_NEEDS: usize = 14;

/// Rows for what is said of the selected scorer, its command and the keys.
const DETAIL: u16 = 6;

/// A list of all scorers.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScorerList {
    /// The selected row.
    pub marked: usize,
}

impl ScorerList {
    /// The selected scorer.
    pub fn row<'s>(&self, shared: &'s Shared) -> Option<&'s ScorerOutlook> {
        shared.scorers.outlook()?.as_ref().ok()?.get(self.marked)
    }

    /// Moves the selection; false for a key that does not move.
    pub(in crate::ui) fn step(&mut self, action: &Action) -> bool {
        // The rows are known before what stands in them is read.
        let rows = Rows { count: SPECS.len(), page: PAGE };
        let next = rows.step(action, self.marked);
        self.marked = next.unwrap_or(self.marked);
        next.is_some()
    }

    pub(super) fn draw(
        self,
        buffer: &mut Buffer,
        area: Rect,
        shared: &Shared,
        hits: &mut Hits<Spot>,
    ) {
        let theme = &shared.theme;
        let count =
            shared.scorers.outlook().map_or(0, |outlook| outlook.as_ref().map_or(0, Vec::len));
        let height = (count as u16 + DETAIL + 3).clamp(DETAIL + 5, area.height.saturating_sub(2));
        let frame = centred(area, area.width.saturating_sub(2).min(WIDEST), height);
        Clear.render(frame, buffer);
        let title = Line::styled(" Scorers ", theme.overlay.patch(theme.title));
        let block = Block::bordered().border_style(theme.border).style(theme.overlay).title(title);
        let inner = block.inner(frame);
        block.render(frame, buffer);
        hits.add(frame, Hit::Nothing);
        let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        if let Load::Failed(error) = &shared.data.loaded {
            let text = format!("The store cannot be read. {}", visible(error));
            return paragraph(buffer, inner, &text, theme.error);
        }
        match shared.scorers.outlook() {
            None => paragraph(buffer, inner, "Reading what every scorer has …", theme.dim),
            Some(Err(why)) => paragraph(buffer, inner, &visible(why), theme.error),
            Some(Ok(rows)) => self.draw_rows(rows, buffer, inner, shared, hits),
        }
    }

    fn draw_rows(
        self,
        rows: &[ScorerOutlook],
        buffer: &mut Buffer,
        area: Rect,
        shared: &Shared,
        hits: &mut Hits<Spot>,
    ) {
        let theme = &shared.theme;
        let columns = Columns::new(rows, usize::from(area.width));
        put(buffer, area, Line::styled(columns.header(), theme.header));
        let room = area.height.saturating_sub(DETAIL + 1);
        let list = Rect { y: area.y + 1, height: room, ..area };
        let middle = self.marked.saturating_sub(usize::from(room) / 2);
        let first = scrolled(middle, self.marked, usize::from(room), rows.len());
        for (index, line) in (first..rows.len()).zip(list.rows()) {
            let is_marked = index == self.marked;
            let (mark, style) = if is_marked { ("▸", theme.selected) } else { (" ", theme.text) };
            if is_marked {
                buffer.set_style(line, theme.selected_row);
            }
            let [name, rest] = columns.row(&rows[index]);
            let name = Span::styled(format!("{mark} {name}"), style);
            let dim = if rows[index].is_complete() { theme.dim } else { theme.text };
            put(buffer, line, Line::from(vec![name, Span::styled(rest, dim)]));
            hits.add(line, Hit::Choice(index));
        }
        let below = Rect { y: list.bottom(), height: DETAIL.min(area.height), ..area };
        rule(buffer, Rect { height: 1, ..below }, theme.rule);
        let detail = Rect { y: below.y + 1, height: below.height.saturating_sub(1), ..below };
        if let Some(row) = rows.get(self.marked) {
            draw_detail(row, buffer, detail, shared);
        }
    }
}

/// What is to be known of the selected scorer, its command, and the keys.
fn draw_detail(row: &ScorerOutlook, buffer: &mut Buffer, area: Rect, shared: &Shared) {
    let theme = &shared.theme;
    let room = usize::from(area.width);
    let command = shared.score_command(row);
    let mut lines: Vec<Line<'_>> = Vec::new();
    let (words, _) = wrap_some(&visible(&words(row, shared)), room, 2);
    lines.extend(words.into_iter().map(|line| Line::styled(line, theme.text)));
    if let Some(command) = &command {
        let (command, _) = wrap_some(&visible(command), room, 2);
        lines.extend(command.into_iter().map(|line| Line::styled(line, theme.accent)));
    }
    lines.truncate(usize::from(area.height).saturating_sub(1));
    for (line, row) in lines.into_iter().zip(area.rows()) {
        put(buffer, row, line);
    }
    let start = if is_started(row, shared) { "⏎ start it  " } else { "" };
    let copy = if command.is_some() { "y copy the command  " } else { "" };
    let keys = Rect { y: area.bottom().saturating_sub(1), height: 1, ..area };
    put(buffer, keys, Line::styled(format!("{start}{copy}Esc close"), theme.dim));
}

/// Whether the explorer can start the command: a chat model computes what is missing.
fn is_started(row: &ScorerOutlook, shared: &Shared) -> bool {
    row.asking.is_some() && !row.is_complete() && shared.scorers.is_store
}

/// What a scorer has, needs and costs, in words.
pub(in crate::ui) fn words(row: &ScorerOutlook, shared: &Shared) -> String {
    if row.rows == 0 {
        return "The store has no task.".to_owned();
    }
    if row.is_complete() {
        return "Every task has a value.".to_owned();
    }
    let needs: Vec<&str> = row.spec.needs.iter().map(|need| need.words()).collect();
    let mut words = match &needs[..] {
        [] => "Nothing is missing to compute it".to_owned(),
        _ => format!("Needs {}", needs.join(", ")),
    };
    if let Some(asking) = &row.asking {
        let tokens = grouped(asking.tokens.iter().sum());
        let cost = match (asking.cost, &asking.model) {
            (Some(cost), _) => format!("about {cost:.2}"),
            (None, Some(model)) => format!("cost unknown: the settings have no price of `{model}`"),
            (None, None) => "the cost depends on the model".to_owned(),
        };
        let calls = counted(asking.calls as u64, "call");
        words.extend([": ", &calls, ", about ", &tokens, " tokens, ", &cost]);
    }
    words += ".";
    if row.flags().is_none() {
        words += " No command computes what the results lack.";
    } else if !shared.scorers.is_store {
        words += " These are results: `qualm import` makes a store, which keeps values.";
    }
    words
}

/// A count in few letters: `950`, `12 k`, `3.4 M`.
fn short(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..999_500 => format!("{:.0} k", count as f64 / 1e3),
        _ => format!("{:.1} M", count as f64 / 1e6),
    }
}

/// How wide the columns are.
struct Columns {
    name: usize,
    values: usize,
    /// Calls, tokens and cost, each; nothing where no model has to be asked.
    numbers: usize,
    needs: usize,
}

/// Columns of calls, of tokens and of the cost.
const NUMBERS: usize = 9;

impl Columns {
    fn new(rows: &[ScorerOutlook], room: usize) -> Self {
        let name = rows.iter().map(|row| width(row.spec.label)).max().unwrap_or(0).clamp(6, 24);
        let values = rows.iter().map(|row| width(&values(row))).max().unwrap_or(0).max(6);
        let asks =
            rows.iter().any(|row| row.asking.as_ref().is_some_and(|asking| asking.calls > 0));
        let numbers = if asks { NUMBERS } else { 0 };
        let left = room.saturating_sub(2 + name + 2 + values + 3 * numbers + 2);
        Self { name, values, numbers, needs: if left < LEAST_NEEDS { 0 } else { left } }
    }

    /// Calls, tokens and cost under each other in every row.
    fn numbers(&self, texts: [&str; 3]) -> String {
        let [calls, tokens, cost] = texts;
        match self.numbers {
            0 => String::new(),
            width => format!("{calls:>width$}{tokens:>width$}{cost:>width$}"),
        }
    }

    fn header(&self) -> String {
        let start = format!("  {}  {:>2$}", padded("scorer", self.name), "values", self.values);
        let numbers = self.numbers(["calls", "tokens", "cost"]);
        let needs = if self.needs > 0 { "  needs" } else { "" };
        format!("{start}{numbers}{needs}")
    }

    /// The name, and what follows it.
    fn row(&self, row: &ScorerOutlook) -> [String; 2] {
        let asking = row.asking.as_ref().filter(|asking| asking.calls > 0);
        let calls = asking.map_or(String::new(), |asking| grouped(asking.calls as u64));
        let tokens = asking.map_or(String::new(), |asking| short(asking.tokens.iter().sum()));
        let cost = match asking {
            Some(asking) => asking.cost.map_or("?".to_owned(), |cost| format!("{cost:.2}")),
            None => String::new(),
        };
        let needs: Vec<&str> = row.spec.needs.iter().map(|need| need.words()).collect();
        let needs = fit(&needs.join(", "), self.needs);
        let values = format!("{:>1$}", values(row), self.values);
        let numbers = self.numbers([&calls, &tokens, &cost]);
        let name = padded(&fit(row.spec.label, self.name), self.name);
        [name, format!("  {values}{numbers}  {needs}")]
    }
}

fn values(row: &ScorerOutlook) -> String {
    format!("{} of {}", grouped(row.valued as u64), grouped(row.rows as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short() {
        assert_eq!(short(950), "950");
        assert_eq!(short(12_400), "12 k");
        assert_eq!(short(999_600), "1.0 M");
        assert_eq!(short(3_400_000), "3.4 M");
    }
}
