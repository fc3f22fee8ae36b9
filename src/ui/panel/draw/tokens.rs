//! The tokens of the selected turn, coloured by the model's confidence in each, and the
//! alternatives to the selected one.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::{Scene, Spot};
use crate::compare::{HeatRange, Measure};
use crate::model::{Span as TokenSpan, TokenSeq};
use crate::text::{counted, visible};
use crate::ui::hits::{Hits, scrolled};
use crate::ui::panel::TokenLine;
use crate::ui::theme::{Depth, Theme};
use crate::ui::widgets::{bar, fit, padded, put, rule, two, vertical_rule, width};

/// Columns of the list of alternatives.
const ALTERNATIVES: u16 = 34;

/// Screen lines of a line of tokens: without colour a line of marks stands below it.
fn lines_each(theme: &Theme) -> usize {
    if theme.depth() == Depth::None { 2 } else { 1 }
}

/// Lines that the tokens of the selected turn want, within bounds.
pub(super) fn height(scene: Scene<'_>, area: Rect) -> u16 {
    let Scene { panel, shared, comparison } = scene;
    let most = (area.height / 3).max(5);
    let Some(tokens) = panel.tokens(comparison) else { return 1 };
    let list = ALTERNATIVES.min(area.width / 2);
    let room = usize::from(area.width.saturating_sub(list + 1)).saturating_sub(2);
    let turn = panel.turn_in_focus(&comparison.sheet).unwrap_or(0);
    let lines = panel.token_lines(tokens, turn, room).len() * lines_each(&shared.theme);
    (lines as u16 + 1).clamp(7.min(most), most)
}

pub(super) fn draw(
    scene: Scene<'_>,
    measure: Measure,
    buffer: &mut Buffer,
    area: Rect,
    hits: &mut Hits<Spot>,
) {
    let Scene { panel, shared, comparison } = scene;
    let theme = &shared.theme;
    let [head, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    rule(buffer, head, theme.rule);
    let turn = panel.turn_in_focus(&comparison.sheet).unwrap_or(0);
    let Some(tokens) = panel.tokens(comparison) else {
        let text = format!(" turn {} has no log-probabilities ", turn + 1);
        let rest = Rect { x: head.x + 2, width: head.width.saturating_sub(2), ..head };
        return put(buffer, rest, Line::styled(text, theme.dim));
    };
    let token = panel.token(tokens, shared.display);
    let range = panel.heat_range(comparison, measure);
    let heat = Heat { theme, tokens, measure, range, token };
    let title = heat.title(turn);
    let size = (title.width() as u16).min(head.width.saturating_sub(3));
    let titled = Rect { x: head.x + 2, width: size, ..head };
    buffer.set_style(titled, Style::reset());
    put(buffer, titled, title);
    let [text, gap, list] = Split::horizontal([
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(ALTERNATIVES.min(area.width / 2)),
    ])
    .areas(body);
    vertical_rule(buffer, gap, theme.rule);
    heat.draw_alternatives(buffer, list);
    let lines = panel.token_lines(tokens, turn, usize::from(text.width).saturating_sub(2));
    heat.draw_lines(&lines, buffer, text, hits);
}

/// The tokens of a turn with what they are coloured by.
struct Heat<'a> {
    theme: &'a Theme,
    tokens: &'a TokenSeq,
    measure: Measure,
    range: Option<HeatRange>,
    /// The selected one.
    token: usize,
}

impl Heat<'_> {
    fn title<'l>(&self, turn: usize) -> Line<'l> {
        let (theme, measure) = (self.theme, self.measure);
        let count = counted(self.tokens.len() as u64, "token");
        let mut spans = vec![
            Span::styled(format!(" turn {} · {count} · ", turn + 1), theme.title),
            Span::styled(format!("{} ", measure.id()), theme.accent),
        ];
        let Some(HeatRange { low, high }) = self.range else {
            spans.push(Span::styled("too few alternatives were recorded ", theme.warn));
            return Line::from(spans);
        };
        let (doubt, sure) = if measure.doubts() { (high, low) } else { (low, high) };
        spans.push(Span::styled(format!("{} ", two(doubt)), theme.dim));
        let plain = theme.depth() == Depth::None;
        spans.extend((0..8).map(|step| {
            let sureness = f64::from(step) / 7.0;
            let glyph = if plain { mark(sureness) } else { ' ' };
            Span::styled(glyph.to_string(), style(sureness, theme))
        }));
        spans.push(Span::styled(format!(" {} ", two(sure)), theme.dim));
        spans.push(Span::styled("5–95% of action tokens ", theme.dim));
        Line::from(spans)
    }

    /// How sure the model was of a token, 0 to 1; none of tokens that are no part of an action.
    fn sureness(&self, index: usize) -> Option<f64> {
        let token = self.tokens.get(index);
        let value = self.measure.of(token).filter(|_| token.span == TokenSpan::Action)?;
        Some(self.range?.sureness(self.measure, value))
    }

    /// Draws the lines about the selected token.
    fn draw_lines(
        &self,
        lines: &[TokenLine],
        buffer: &mut Buffer,
        area: Rect,
        hits: &mut Hits<Spot>,
    ) {
        let high = lines_each(self.theme);
        let room = usize::from(area.height) / high;
        let holds = |line: &TokenLine| line.iter().any(|(token, _)| *token == self.token);
        let selected = lines.iter().position(holds).unwrap_or(0);
        let offset = scrolled(selected.saturating_sub(room / 2), selected, room, lines.len());
        for (index, line) in lines.iter().skip(offset).take(room.max(1)).enumerate() {
            let y = area.y + (index * high) as u16;
            let row = Rect { x: area.x + 1, y, width: area.width.saturating_sub(1), height: 1 };
            self.draw_line(line, buffer, row, hits);
        }
    }

    fn draw_line(&self, line: &TokenLine, buffer: &mut Buffer, area: Rect, hits: &mut Hits<Spot>) {
        let marks = self.theme.depth() == Depth::None;
        let mut x = area.x;
        for (token, text) in line {
            let size = (width(text) as u16).min(area.right().saturating_sub(x));
            let spot = Rect { x, width: size, ..area };
            let sureness = self.sureness(*token);
            let style = if *token == self.token {
                self.theme.cursor
            } else {
                sureness.map_or(self.theme.dim, |sureness| style(sureness, self.theme))
            };
            put(buffer, spot, Line::styled(text.as_str(), style));
            hits.spot(spot, Spot::Token(*token));
            if let (true, Some(sureness)) = (marks, sureness) {
                let below = mark(sureness).to_string().repeat(usize::from(size));
                put(buffer, Rect { y: area.y + 1, ..spot }, below);
            }
            x += size;
        }
    }

    /// The selected token, and its recorded alternatives as bars.
    fn draw_alternatives(&self, buffer: &mut Buffer, area: Rect) {
        if self.tokens.is_empty() {
            return;
        }
        let theme = self.theme;
        let mut rows = area.rows();
        if let Some(row) = rows.next() {
            put(buffer, row, self.selected());
        }
        let chosen = self.tokens.get(self.token).text;
        let mut alternatives: Vec<_> = self.tokens.alternatives(self.token).collect();
        alternatives.sort_by(|a, b| b.logprob.total_cmp(&a.logprob));
        if alternatives.is_empty()
            && let Some(row) = rows.next()
        {
            put(buffer, row, Line::styled(" no alternatives were recorded", theme.dim));
        }
        let (room, length) = alternative_widths(usize::from(area.width));
        for (other, row) in alternatives.into_iter().zip(rows) {
            let probability = other.logprob.exp();
            let (mark, style) =
                if other.text == chosen { ("▸", theme.selected) } else { (" ", theme.text) };
            let line = Line::from(vec![
                Span::styled(format!("{mark}{} ", padded(&shown(other.text), room)), style),
                Span::styled(bar(probability, length), theme.bar),
                Span::styled(format!(" {}", two(probability)), theme.text),
            ]);
            put(buffer, row, line);
        }
    }

    /// The selected token with its probability and measure.
    fn selected<'l>(&self) -> Line<'l> {
        let (theme, token) = (self.theme, self.tokens.get(self.token));
        let span = match token.span {
            TokenSpan::Action => "",
            TokenSpan::Reasoning => "  thinking",
            TokenSpan::Other => "  no action",
            TokenSpan::Special => "  not scored",
        };
        // The probability stands there anyway.
        let measured = match (self.measure, self.measure.of(token)) {
            (Measure::Probability, _) => String::new(),
            (measure, Some(value)) => format!("  {} {}", measure.id(), two(value)),
            (measure, None) => format!("  no {}", measure.id()),
        };
        Line::from(vec![
            Span::styled(format!(" {} ", self.token + 1), theme.dim),
            Span::styled(fit(&shown(token.text), 12), theme.title),
            Span::styled(format!(" {}{span}", two(token.logprob.exp())), theme.accent),
            Span::styled(measured, theme.dim),
        ])
    }
}

/// Columns of an alternative's text and of its bar; where they are few, the text has more of them.
fn alternative_widths(columns: usize) -> (usize, usize) {
    // The mark, a space and the probability.
    let free = columns.saturating_sub(7);
    let text = columns.saturating_sub(20).max(free.min(10));
    (text, (free - text).min(10))
}

/// The style of a sureness from 0 to 1: doubt stands out, what is sure is plain.
fn style(sureness: f64, theme: &Theme) -> Style {
    let style = if sureness > 0.9 { theme.text } else { theme.diverging(sureness - 1.0) };
    if sureness < 0.25 { style.add_modifier(Modifier::UNDERLINED) } else { style }
}

/// The mark below a token where there is no colour.
fn mark(sureness: f64) -> char {
    match sureness {
        sureness if sureness < 0.25 => '━',
        sureness if sureness < 0.5 => '╍',
        sureness if sureness < 0.75 => '╌',
        _ => ' ',
    }
}

/// A token as it can be read in a list: spaces and breaks are seen.
fn shown(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    visible(text).replace(' ', "·")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_named_before_they_have_bars() {
        assert_eq!(alternative_widths(60), (40, 10));
        assert_eq!(alternative_widths(30), (10, 10));
        assert_eq!(alternative_widths(20), (10, 3));
        assert_eq!(alternative_widths(15), (8, 0));
        assert_eq!(alternative_widths(3), (0, 0));
    }
}
