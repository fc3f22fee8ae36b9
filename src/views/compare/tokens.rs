//! The tokens of the selected turn, coloured by how sure the model was of each, and what else it
//! might have written.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::super::put;
use crate::app::{App, Comparison, Hit, Layout, TokenLine, scrolled};
use crate::compare::{HeatRange, Measure};
use crate::model::{Span as TokenSpan, TokenSeq};
use crate::text::{counted, visible};
use crate::theme::Depth;
use crate::widgets::{bar, fit, padded, two, width};

/// Columns of the list of alternatives.
const ALTERNATIVES: u16 = 34;

/// Lines that the tokens of the selected turn want, within bounds.
pub(super) fn height(app: &App, own: &Comparison, area: Rect) -> u16 {
    let most = (area.height / 3).max(5);
    let Some(tokens) = app.tokens(own) else { return 1 };
    let lines = {
        let list = ALTERNATIVES.min(area.width / 2);
        let room = usize::from(area.width.saturating_sub(list + 1)).saturating_sub(2);
        let pane = app.compare.focus;
        let turn = own.sheet.turn_at(app.row_in(&own.sheet, pane), pane).unwrap_or(0);
        let high = if app.theme.depth() == Depth::None { 2 } else { 1 };
        app.token_lines(own, tokens, turn, room).len() * high
    };
    (lines as u16 + 1).clamp(7.min(most), most)
}

pub(super) fn draw(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    own: &Comparison,
    measure: Measure,
    layout: &mut Layout,
) {
    let theme = &app.theme;
    let [head, body] = Split::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
    put(buffer, head, Line::styled("─".repeat(usize::from(head.width)), theme.rule));
    let pane = app.compare.focus;
    let turn = own.sheet.turn_at(app.row_in(&own.sheet, pane), pane).unwrap_or(0);
    let range = app.heat_range(own, measure);
    let Some(tokens) = app.tokens(own) else {
        let text = format!(" turn {} has no log-probabilities ", turn + 1);
        return put(
            buffer,
            Rect { x: head.x + 2, width: head.width.saturating_sub(2), ..head },
            Line::styled(text, theme.dim),
        );
    };
    let title = title(app, tokens, turn, measure, range);
    let size = (title.width() as u16).min(head.width.saturating_sub(3));
    let place = Rect { x: head.x + 2, width: size, ..head };
    buffer.set_style(place, Style::reset());
    put(buffer, place, title);
    let token = app.token(tokens);
    let [text, gap, list] = Split::horizontal([
        Constraint::Min(1),
        Constraint::Length(1),
        Constraint::Length(ALTERNATIVES.min(area.width / 2)),
    ])
    .areas(body);
    super::vertical(buffer, gap, app);
    alternatives(buffer, list, app, tokens, token, measure);
    let lines = app.token_lines(own, tokens, turn, usize::from(text.width).saturating_sub(2));
    // Without colour a line of marks stands below every line of text.
    let marks = theme.depth() == Depth::None;
    let high = if marks { 2 } else { 1 };
    let room = usize::from(text.height) / high;
    let selected = lines.iter().position(|line| line.iter().any(|own| own.0 == token)).unwrap_or(0);
    let offset = scrolled(selected.saturating_sub(room / 2), selected, room, lines.len());
    let heat = Heat { app, tokens, measure, range, token };
    for (place, line) in lines.iter().skip(offset).take(room.max(1)).enumerate() {
        let y = text.y + (place * high) as u16;
        let area = Rect { x: text.x + 1, y, width: text.width.saturating_sub(1), height: 1 };
        heat.line(buffer, area, line, marks, layout);
    }
}

fn title<'a>(
    app: &App,
    tokens: &TokenSeq,
    turn: usize,
    measure: Measure,
    range: Option<HeatRange>,
) -> Line<'a> {
    let theme = &app.theme;
    let mut spans = vec![
        Span::styled(
            format!(" turn {} · {} · ", turn + 1, counted(tokens.len() as u64, "token")),
            theme.title,
        ),
        Span::styled(format!("{} ", measure.id()), theme.accent),
    ];
    match range {
        Some(range) => {
            let (doubt, sure) =
                if measure.doubts() { (range.high, range.low) } else { (range.low, range.high) };
            spans.push(Span::styled(format!("{} ", two(doubt)), theme.dim));
            let plain = theme.depth() == Depth::None;
            spans.extend((0..8).map(|step| {
                let sureness = f64::from(step) / 7.0;
                let glyph = if plain { mark(sureness) } else { ' ' };
                Span::styled(glyph.to_string(), heat_style(app, sureness))
            }));
            spans.push(Span::styled(format!(" {} ", two(sure)), theme.dim));
            spans.push(Span::styled("5–95% of action tokens ", theme.dim));
        }
        None => spans.push(Span::styled("too few alternatives were recorded ", theme.warn)),
    }
    Line::from(spans)
}

/// The style of a sureness from 0 to 1: doubt stands out, what is sure is plain.
fn heat_style(app: &App, sureness: f64) -> Style {
    let style = if sureness > 0.9 { app.theme.text } else { app.theme.diverging(sureness - 1.0) };
    if sureness < 0.25 { style.add_modifier(Modifier::UNDERLINED) } else { style }
}

/// The mark below a token where there is no colour.
fn mark(sureness: f64) -> char {
    match sureness {
        own if own < 0.25 => '━',
        own if own < 0.5 => '╍',
        own if own < 0.75 => '╌',
        _ => ' ',
    }
}

struct Heat<'a> {
    app: &'a App,
    tokens: &'a TokenSeq,
    measure: Measure,
    range: Option<HeatRange>,
    token: usize,
}

impl Heat<'_> {
    fn sureness(&self, token: usize) -> Option<f64> {
        let own = self.tokens.get(token);
        let value = self.measure.of(own).filter(|_| own.span == TokenSpan::Action)?;
        Some(self.range?.sureness(self.measure, value))
    }

    fn line(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        line: &TokenLine,
        marks: bool,
        layout: &mut Layout,
    ) {
        let theme = &self.app.theme;
        let mut x = area.x;
        for (token, text) in line {
            let size = (width(text) as u16).min(area.right().saturating_sub(x));
            let place = Rect { x, width: size, ..area };
            let sureness = self.sureness(*token);
            let style = if *token == self.token {
                theme.cursor
            } else {
                sureness.map_or(theme.dim, |own| heat_style(self.app, own))
            };
            put(buffer, place, Line::styled(text.as_str(), style));
            layout.hit(place, Hit::Token(*token));
            if let (true, Some(own)) = (marks, sureness) {
                let below = mark(own).to_string().repeat(usize::from(size));
                put(buffer, Rect { y: area.y + 1, ..place }, below);
            }
            x += size;
        }
    }
}

/// The token under the cursor, and its recorded alternatives as bars.
fn alternatives(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    tokens: &TokenSeq,
    token: usize,
    measure: Measure,
) {
    let theme = &app.theme;
    if tokens.is_empty() {
        return;
    }
    let own = tokens.get(token);
    let mut rows = area.rows();
    let span = match own.span {
        TokenSpan::Action => "",
        TokenSpan::Reasoning => "  thinking",
        TokenSpan::Other => "  no action",
    };
    let name = fit(&shown(own.text), 12);
    // The probability stands there anyway.
    let other = match (measure, measure.of(own)) {
        (Measure::Probability, _) => String::new(),
        (_, Some(value)) => format!("  {} {}", measure.id(), two(value)),
        (_, None) => format!("  no {}", measure.id()),
    };
    let head = vec![
        Span::styled(format!(" {} ", token + 1), theme.dim),
        Span::styled(name, theme.title),
        Span::styled(format!(" {}{span}", two(own.logprob.exp())), theme.accent),
        Span::styled(other, theme.dim),
    ];
    if let Some(row) = rows.next() {
        put(buffer, row, Line::from(head));
    }
    let mut all: Vec<_> = tokens.alternatives(token).collect();
    all.sort_by(|a, b| b.logprob.total_cmp(&a.logprob));
    if all.is_empty()
        && let Some(row) = rows.next()
    {
        put(buffer, row, Line::styled(" no alternatives were recorded", theme.dim));
    }
    let room = usize::from(area.width).saturating_sub(20);
    for (other, row) in all.into_iter().zip(rows) {
        let p = other.logprob.exp();
        let chosen = other.text == own.text;
        let mark = if chosen { "▸" } else { " " };
        let style = if chosen { theme.selected } else { theme.text };
        put(
            buffer,
            row,
            Line::from(vec![
                Span::styled(format!("{mark}{} ", padded(&shown(other.text), room)), style),
                Span::styled(bar(p, 10), theme.bar),
                Span::styled(format!(" {}", two(p)), theme.text),
            ]),
        );
    }
}

/// A token as it can be read in a list: spaces and breaks are seen.
fn shown(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    visible(text).replace(' ', "·")
}
