//! Draws the turns of a task as bars, with the weight that each aggregator gives them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout as Split, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

use super::Aggregators;
use super::rules::{WeightedTurn, weighted_turns};
use crate::engine::TaskId;
use crate::scorers::aggregate::Aggregator;
use crate::text::visible;
use crate::ui::hits::scrolled;
use crate::ui::shared::Shared;
use crate::ui::theme::{Shade, Theme};
use crate::ui::widgets::{floor, put, two};

/// The turns of a task under the lens's aggregator and under the one it is compared with.
struct Chart<'a> {
    theme: &'a Theme,
    rule: Aggregator,
    compared: Aggregator,
    turns: Vec<WeightedTurn>,
    compared_turns: Vec<WeightedTurn>,
    /// Where bars begin.
    floor: f64,
}

pub(super) fn draw_chart(
    screen: &Aggregators,
    shared: &Shared,
    buffer: &mut Buffer,
    area: Rect,
    id: TaskId,
) {
    let Some(task) = shared.task_of(id) else { return };
    let rule = shared.lens.scorer.aggregator().unwrap_or(Aggregator::Mean);
    let compared = screen.compared_scorer(shared).aggregator().unwrap_or(Aggregator::Mean);
    let turns = weighted_turns(id, rule, shared);
    let chart = Chart {
        theme: &shared.theme,
        rule,
        compared,
        floor: floor(turns.iter().map(|turn| turn.confidence)),
        turns,
        compared_turns: weighted_turns(id, compared, shared),
    };
    let [head, body, foot] =
        Split::vertical([Constraint::Length(1), Constraint::Min(1), Constraint::Length(2)])
            .areas(area);
    put(buffer, head, chart.title(&task.id, head.width));
    if chart.turns.is_empty() {
        let text = "  no turn of its reference has log-probabilities";
        put(buffer, body, Line::styled(text, shared.theme.dim));
        return;
    }
    chart.draw_turns(buffer, body, foot);
}

impl Chart<'_> {
    fn title<'a>(&self, task: &str, room: u16) -> Line<'a> {
        let named = |rule: Aggregator, turns: &[WeightedTurn]| {
            let confidences: Vec<f64> = turns.iter().map(|turn| turn.confidence).collect();
            let value = rule.apply(&confidences).map_or("–".to_owned(), two);
            format!("{} {value}", rule.id())
        };
        let rule = named(self.rule, &self.turns);
        let mut title = vec![
            Span::styled(format!(" task {}  ", visible(task)), self.theme.title),
            Span::styled(format!("● {rule}  "), self.theme.accent),
        ];
        if self.rule != self.compared {
            let compared = named(self.compared, &self.compared_turns);
            title.push(Span::styled(format!("○ {compared}"), self.theme.warn));
        }
        if self.floor > 0.0 {
            let text = format!("   bars from {}", two(self.floor));
            let used: usize = title.iter().map(Span::width).sum();
            if used + text.len() <= usize::from(room) {
                title.push(Span::styled(text, self.theme.dim));
            }
        }
        Line::from(title)
    }

    fn draw_turns(&self, buffer: &mut Buffer, body: Rect, foot: Rect) {
        let room = usize::from(body.width.saturating_sub(2));
        let wide = (room / self.turns.len()).clamp(5, 8);
        let fitting = (room / wide).max(1);
        // The turn that counts most is in sight.
        let heaviest = (0..self.turns.len())
            .max_by(|&a, &b| self.turns[a].weight.total_cmp(&self.turns[b].weight));
        let first = scrolled(0, heaviest.unwrap_or(0), fitting, self.turns.len());
        let last = (first + fitting).min(self.turns.len());
        for turn in first..last {
            let x = body.x + 1 + ((turn - first) * wide) as u16;
            let width = (wide as u16 - 1).min(body.right().saturating_sub(x));
            self.draw_turn(buffer, Rect { x, width, ..body }, turn);
            let line = Rect { x, y: foot.y, width: wide as u16, height: 1 };
            let below = Rect { y: line.y + 1, ..line };
            let confidence = self.turns[turn].confidence;
            let value = Line::styled(two(confidence), self.theme.confidence(confidence));
            put(buffer, line.intersection(foot), value);
            let number = Line::styled((turn + 1).to_string(), self.theme.dim);
            put(buffer, below.intersection(foot), number);
        }
    }

    /// A turn: its confidence as a bar, its weights as dots.
    fn draw_turn(&self, buffer: &mut Buffer, area: Rect, turn: usize) {
        let theme = self.theme;
        let WeightedTurn { confidence, weight } = self.turns[turn];
        let share = (confidence - self.floor) / (1.0 - self.floor);
        draw_bar(buffer, area, share, theme.confidence(confidence));
        let all = self.turns.iter().chain(&self.compared_turns);
        let most = all.map(|turn| turn.weight).fold(f64::MIN, f64::max);
        if self.rule != self.compared {
            let share = self.compared_turns[turn].weight / most;
            draw_dot(buffer, area, share, "○", theme.warn, theme.shade());
        }
        draw_dot(buffer, area, weight / most, "●", theme.accent, theme.shade());
    }
}

/// A bar from the bottom, in eighths of a line.
fn draw_bar(buffer: &mut Buffer, area: Rect, share: f64, style: Style) {
    const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let height = usize::from(area.height);
    let eighths = (share.clamp(0.0, 1.0) * (height * 8) as f64).round() as usize;
    for (from_top, line) in area.rows().enumerate() {
        let below = (height - 1 - from_top) * 8;
        let filled = eighths.saturating_sub(below).min(8);
        put(buffer, line, Line::styled(EIGHTHS[filled].repeat(usize::from(area.width)), style));
    }
}

/// A dot at the height of a share.
fn draw_dot(buffer: &mut Buffer, area: Rect, share: f64, dot: &str, style: Style, shade: Shade) {
    let lines = f64::from(area.height.saturating_sub(1));
    let up = (share.clamp(0.0, 1.0) * lines).round() as u16;
    let middle = area.x + area.width / 2;
    if share > 0.0 && area.height > 0 && area.width > 0 {
        let cell = &mut buffer[(middle, area.bottom() - 1 - up)];
        // On a bar the dot stands on the bar's colour, which is light on dark and dark on light.
        let ink = if shade == Shade::Dark { Color::Black } else { Color::White };
        let style = if cell.symbol() == "█" && cell.fg != Color::Reset {
            Style::new().fg(ink).bg(cell.fg)
        } else {
            style
        };
        cell.set_symbol(dot).set_style(style);
    }
}
