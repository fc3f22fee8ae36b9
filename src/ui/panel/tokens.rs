//! The tokens of the selected turn.

use std::sync::Arc;

use super::{Comparison, Panel};
use crate::compare::{HeatRange, Measure};
use crate::model::{Span, TokenSeq};
use crate::text::{pieces, readable};
use crate::ui::action::Action;
use crate::ui::shared::{RunDisplay, Shared};
use crate::ui::widgets::width;

/// Tokens on one line, by index, each as it is shown; a long one may go on in the next.
pub type TokenLine = Vec<(usize, String)>;

impl Panel {
    /// The tokens of a turn of the focused pane in lines of a width.
    pub fn token_lines(&self, tokens: &TokenSeq, turn: usize, room: usize) -> Arc<Vec<TokenLine>> {
        let Some(key) = self.keys.get(self.focus) else { return Arc::default() };
        self.token_lines.get((*key, turn, room), || Arc::new(lines(tokens, room)))
    }

    /// The range that tokens of the open runs are coloured over.
    pub fn heat_range(&self, comparison: &Comparison, measure: Measure) -> Option<HeatRange> {
        let key = (self.keys.clone(), measure);
        self.range.get(key, || HeatRange::of(&comparison.runs(), measure))
    }

    /// The tokens of the selected turn, where they were recorded.
    pub fn tokens<'c>(&self, comparison: &'c Comparison) -> Option<&'c TokenSeq> {
        let turn = self.turn_in_focus(&comparison.sheet)?;
        comparison.run(self.focus).turns.get(turn)?.tokens.as_ref()
    }

    /// The selected token of some.
    pub fn token(&self, tokens: &TokenSeq, display: RunDisplay) -> usize {
        let last = tokens.len().saturating_sub(1);
        let measure = display.heat.unwrap_or(Measure::Probability);
        self.token.unwrap_or_else(|| least_sure(tokens, measure)).min(last)
    }

    /// Colours tokens by the next measure; after the last one by none.
    pub(super) fn next_heat(&mut self, shared: &mut Shared) {
        let shown = |heat: Measure| Measure::ALL.iter().position(|measure| *measure == heat);
        let next = shared.display.heat.and_then(shown).map_or(0, |index| index + 1);
        shared.display.heat = Measure::ALL.get(next).copied();
        let without =
            self.compared(shared).is_some_and(|comparison| self.tokens(&comparison).is_none());
        if shared.display.heat.is_some() && without {
            shared.say("this turn has no log-probabilities");
        }
    }

    pub(super) fn move_token(&mut self, action: &Action, shared: &mut Shared) {
        let Some(comparison) = self.compared(shared) else { return };
        let Some(tokens) = self.tokens(&comparison) else {
            return shared.say("this turn has no log-probabilities");
        };
        let (token, last) = (self.token(tokens, shared.display), tokens.len().saturating_sub(1));
        self.token = match action {
            Action::Left => Some(token.saturating_sub(1)),
            Action::Right => Some((token + 1).min(last)),
            _ => None,
        };
        shared.display.heat.get_or_insert(Measure::Probability);
    }
}

/// What is shown of a special token without text, at the end of a turn.
const END: &str = "⟨end of turn⟩";

/// What is shown of each token where only log-probabilities were recorded.
const NO_TEXT: &str = "▪";

/// Tokens in lines of a width, broken between tokens; a line break of the text is shown and breaks.
fn lines(tokens: &TokenSeq, room: usize) -> Vec<TokenLine> {
    let room = room.max(2);
    let mut lines: Vec<TokenLine> = vec![Vec::new()];
    let mut used = 0;
    let textless = tokens.is_textless();
    for (index, token) in tokens.iter().enumerate() {
        let is_end = token.span == Span::Special && token.text.is_empty();
        let text = match (textless, is_end) {
            (true, _) => NO_TEXT,
            (_, true) => END,
            _ => token.text,
        };
        let mut parts = text.split('\n').peekable();
        while let Some(part) = parts.next() {
            let breaks = parts.peek().is_some();
            let mut text = readable(part).into_owned();
            if breaks {
                text.push('⏎');
            }
            for range in pieces(&text, room) {
                let size = width(&text[range.clone()]);
                if used + size > room {
                    lines.push(Vec::new());
                    used = 0;
                }
                used += size;
                if let Some(line) = lines.last_mut().filter(|_| size > 0) {
                    line.push((index, text[range].to_owned()));
                }
            }
            if breaks {
                lines.push(Vec::new());
                used = 0;
            }
        }
    }
    lines
}

/// The action token that is most in doubt.
fn least_sure(tokens: &TokenSeq, measure: Measure) -> usize {
    let sureness = |index: usize| {
        let token = tokens.get(index);
        let value = measure.of(token).filter(|_| token.span == Span::Action)?;
        Some(if measure.doubts() { -value } else { value })
    };
    let measured = (0..tokens.len()).filter_map(|index| Some((index, sureness(index)?)));
    measured.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index)
}
