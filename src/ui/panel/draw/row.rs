//! The head of a row: turn, confidence, action, and how it differs from its counterpart.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::pane::Pane;
use crate::compare::{Contrast, ExpectedCall, RowKind, Step, TurnView, before, ended_badly};
use crate::model::{Trajectory, Unscored};
use crate::text::{counted, visible};
use crate::ui::marks;
use crate::ui::panel::texts::is_in_loop;
use crate::ui::theme::Theme;
use crate::ui::widgets::{bar, fit, fit_middle, put, two};

/// From this width on a pane shows bars, below it glyphs.
const WITH_BARS: u16 = 56;

/// From this width on it shows rank and weight of turns.
const WITH_RANKS: u16 = 40;

impl Pane<'_> {
    pub(super) fn draw_head(&self, row: usize, buffer: &mut Buffer, area: Rect) {
        let (panel, theme) = (self.scene.panel, &self.scene.shared.theme);
        let sheet = &self.scene.comparison.sheet;
        let selected = row == panel.row_in(sheet, self.pane);
        let focused = selected && self.pane == panel.focus;
        if selected {
            buffer.set_style(area, if focused { theme.selected_row } else { theme.title_bar });
        }
        let mark = if focused { "▸" } else { " " };
        let run = self.scene.comparison.run(self.pane);
        let line = match (sheet.rows[row].kind, sheet.step(row, self.pane)) {
            (RowKind::Before, _) => {
                let messages = counted(before(run).len() as u64, "message");
                let text = format!("{mark}    before the first turn: {messages}");
                Line::styled(text, theme.dim)
            }
            (RowKind::End, _) => {
                let mut line = ending(run, mark, theme, panel.blind);
                line.spans
                    .extend(self.missing_words().map(|words| Span::styled(words, theme.warn)));
                line
            }
            (RowKind::Action, None) => Line::styled(format!("{mark}   · ·"), theme.dim),
            (RowKind::Action, Some(step)) => {
                let line = self.left(row, step, mark);
                let beside = usize::from(area.width).saturating_sub(line.width());
                let right = self.right(step, beside);
                let size = right.width() as u16;
                let x = area.right().saturating_sub(size);
                put(buffer, Rect { x, width: size.min(area.width), ..area }, right);
                let left = Rect { width: area.width.saturating_sub(size), ..area };
                return put(buffer, left, line);
            }
        };
        put(buffer, area, line);
    }

    /// Turn, confidence, action, and what stands out in it.
    fn left<'l>(&self, row: usize, step: &Step, mark: &str) -> Line<'l> {
        let theme = &self.scene.shared.theme;
        let run = self.scene.comparison.run(self.pane);
        let view = &self.views[step.turn];
        let diverges = if self.diverges == Some(row) { "◆" } else { " " };
        let mut spans =
            vec![Span::styled(mark.to_owned(), theme.selected), Span::styled(diverges, theme.warn)];
        let bars = self.narrowest >= WITH_BARS;
        if step.is_first() {
            spans.push(Span::styled(format!("{:>3} ", step.turn + 1), theme.title));
            // Of a run without any, the head of the pane says so.
            let is_silent = run.head.turns_with_logprobs == 0;
            let why = view.unscored.filter(|why| !(is_silent && *why == Unscored::NotSent));
            let view = TurnView { unscored: why, ..*view };
            spans.push(confidence(&view, self.heights[step.turn], bars, theme));
        } else {
            let space = if bars { 10 } else { 7 };
            spans.push(Span::styled(format!("  └ {}", " ".repeat(space)), theme.dim));
        }
        let room = usize::from(self.narrowest / 2).max(12);
        spans.push(Span::styled(fit_middle(&visible(step.kind(run)), room), theme.title));
        if view.weakest && step.is_first() {
            spans.push(Span::styled(" ◂ weakest", theme.warn));
        }
        if let Some(words) = self.error_mark(step) {
            spans.push(Span::styled(words, theme.error));
        }
        if self.is_otherwise(step) {
            spans.push(Span::styled(" ≠ expected", theme.warn));
        }
        if step.failed(run) {
            spans.push(Span::styled(" ! failed", theme.error));
        }
        let mut around = self.loops[self.pane].iter().filter(|looped| is_in_loop(step, looped));
        if let Some(repeated) = around.next() {
            let first = repeated.first_turn == step.turn && step.is_first();
            let text = if first {
                format!(" ↻ ×{} to turn {}", repeated.times, repeated.last_turn + 1)
            } else {
                " ↻".to_owned()
            };
            spans.push(Span::styled(text, theme.warn));
        }
        let (words, style) = contrast(self.contrast(row), theme);
        spans.push(Span::styled(fit(&visible(&words), room), style));
        Line::from(spans)
    }

    /// Who marked the turn as the decisive error of the run, and what caused it.
    fn error_mark(&self, step: &Step) -> Option<String> {
        let (panel, shared) = (self.scene.panel, self.scene.shared);
        let run = *panel.keys.get(self.pane).filter(|_| !panel.blind && step.is_first())?;
        let here = shared.labels.on(run).filter(|label| label.turn as usize == step.turn);
        let words = here.map(|label| {
            let author = if label.author == shared.author {
                String::new()
            } else {
                format!(" by {}", fit(&visible(&label.author), 12))
            };
            format!(" ✱ {}{author}", label.cause.words())
        });
        Some(words.collect::<String>()).filter(|words| !words.is_empty())
    }

    /// How many expected calls were never made.
    fn missing_words(&self) -> Option<String> {
        let expected = self.scene.panel.expected(self.scene.comparison);
        let missing = expected[self.pane].iter().filter(|call| call.is_missing()).count();
        (missing > 0).then(|| format!(" · {} never made", counted(missing as u64, "expected call")))
    }

    /// Whether the call was expected with other arguments.
    fn is_otherwise(&self, step: &Step) -> bool {
        let comparison = self.scene.comparison;
        let expected = self.scene.panel.expected(comparison);
        let position = step.position(comparison.run(self.pane));
        position.is_some_and(|position| {
            ExpectedCall::otherwise_at(&expected[self.pane], position).is_some()
        })
    }

    /// How the action differs from its counterpart.
    fn contrast(&self, row: usize) -> Contrast {
        let sheet = &self.scene.comparison.sheet;
        match (self.pane, self.scene.panel.counterpart(self.pane)) {
            (_, None) => Contrast::None,
            (0, Some(other)) => match sheet.contrast(row, other) {
                // What another pane lacks only the first one has.
                Contrast::Missing => Contrast::OnlyHere,
                other => other.clone(),
            },
            (pane, Some(_)) => sheet.contrast(row, pane).clone(),
        }
    }

    /// A note's sign; rank within the run and weight, unless what stands out in the action needs the room.
    fn right<'l>(&self, step: &Step, room: usize) -> Line<'l> {
        let (shared, view) = (self.scene.shared, &self.views[step.turn]);
        let theme = &shared.theme;
        let panel = self.scene.panel;
        let noted = panel.keys.get(self.pane).is_some_and(|key| {
            let turn = (Some(key.draw), Some(step.turn as u32));
            let mut notes = shared.notes.on(key.id).iter().filter(|note| panel.shows(note, shared));
            notes.any(|note| (note.draw, note.turn) == turn)
        });
        let mut spans = Vec::new();
        if noted && step.is_first() {
            spans.push(Span::styled(" ✎", theme.warn));
        }
        if let (Some(rank), true) = (view.rank, step.is_first() && self.narrowest >= WITH_RANKS) {
            let scored = self.views.iter().filter(|view| view.rank.is_some()).count();
            let weight = view.weight.filter(|_| shared.lens.scorer.base().is_some());
            let weight = weight.map_or(String::new(), |weight| format!(" w{}", two(weight)));
            let text = format!(" {rank}/{scored}{weight}");
            if spans.iter().map(Span::width).sum::<usize>() + text.len() <= room {
                spans.push(Span::styled(text, theme.dim));
            }
        }
        Line::from(spans)
    }
}

fn confidence<'a>(view: &TurnView, height: f64, bars: bool, theme: &Theme) -> Span<'a> {
    match view.confidence {
        Some(value) => {
            let shape = if bars { bar(height, 4) } else { theme.glyph(height).to_string() };
            Span::styled(format!("{shape} {:>4} ", two(value)), theme.confidence(value))
        }
        None if bars => {
            let why = view.unscored.map_or("–", Unscored::short);
            Span::styled(format!("{why:>9} "), theme.dim)
        }
        None => Span::styled("     – ", theme.dim),
    }
}

fn contrast(contrast: Contrast, theme: &Theme) -> (String, Style) {
    match contrast {
        Contrast::None | Contrast::Same | Contrast::Missing => (String::new(), theme.dim),
        Contrast::Arguments(keys) if keys.iter().all(String::is_empty) => {
            (" ≠ arguments".to_owned(), theme.warn)
        }
        Contrast::Arguments(keys) => (format!(" ≠ {}", keys.join(", ")), theme.warn),
        Contrast::Other => (" ≠ other action".to_owned(), theme.warn),
        Contrast::OnlyHere => (" only here".to_owned(), theme.accent),
    }
}

/// How a run ended, and how it was graded unless that is hidden.
fn ending<'a>(run: &Trajectory, mark: &str, theme: &Theme, blind: bool) -> Line<'a> {
    let ended = run.head.termination.as_deref();
    let ended = ended.map_or("ended".to_owned(), |ended| format!("ended {}", visible(ended)));
    let style = if ended_badly(run) { theme.error } else { theme.dim };
    if blind {
        return Line::styled(format!("{mark}   ■ {ended}"), style);
    }
    let reward = run.head.outcome.reward;
    let reward = reward.map_or(String::new(), |reward| format!(" · reward {}", two(reward)));
    Line::from(vec![
        Span::styled(format!("{mark}   ■ {ended}{reward} "), style),
        marks::outcome(run.head.outcome.success, theme),
    ])
}
