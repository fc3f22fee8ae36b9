//! The tokens of the selected turn.

use std::ops::Range;
use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation as _;

use super::{App, Comparison};
use crate::app::action::Action;
use crate::compare::{HeatRange, Measure};
use crate::model::{Span, TokenSeq};
use crate::text::readable;
use crate::widgets::width;

/// Tokens on one line, by place, each as it is shown; a long one may go on in the next.
pub type TokenLine = Vec<(usize, String)>;

impl App {
    /// The tokens of a turn in lines of a width.
    pub fn token_lines(
        &self,
        own: &Comparison,
        tokens: &TokenSeq,
        turn: usize,
        room: usize,
    ) -> Arc<Vec<TokenLine>> {
        let Some(key) =
            self.compare.keys.get(self.compare.focus).filter(|_| !own.opened.is_empty())
        else {
            return Arc::default();
        };
        self.compare.token_lines.get((*key, turn, room), || Arc::new(lines(tokens, room)))
    }

    /// The range that tokens of the open runs are coloured over.
    pub fn heat_range(&self, own: &Comparison, measure: Measure) -> Option<HeatRange> {
        let key = (self.compare.keys.clone(), measure);
        self.compare.range.get(key, || HeatRange::of(&own.runs(), measure))
    }

    /// The tokens of the selected turn, where they were recorded.
    pub fn tokens<'c>(&self, own: &'c Comparison) -> Option<&'c TokenSeq> {
        let pane = self.compare.focus;
        let turn = own.sheet.turn_at(self.row_in(&own.sheet, pane), pane)?;
        own.run(pane).turns.get(turn)?.tokens.as_ref()
    }

    /// The selected token of some.
    pub fn token(&self, tokens: &TokenSeq) -> usize {
        let last = tokens.len().saturating_sub(1);
        self.compare.token.unwrap_or_else(|| least_sure(tokens, self.measure())).min(last)
    }

    fn measure(&self) -> Measure {
        self.compare.heat.unwrap_or(Measure::Probability)
    }

    /// Off, then one measure after the other.
    pub(super) fn next_heat(&mut self) {
        let place =
            self.compare.heat.and_then(|own| Measure::ALL.iter().position(|all| *all == own));
        let next = place.map_or(0, |place| place + 1);
        self.compare.heat = Measure::ALL.get(next).copied();
        let tokens = self.compared().map(|own| self.tokens(&own).is_some());
        if self.compare.heat.is_some() && tokens == Some(false) {
            self.say("this turn has no log-probabilities");
        }
    }

    pub(super) fn move_token(&mut self, action: &Action) {
        let Some(own) = self.compared() else { return };
        let Some(tokens) = self.tokens(&own) else {
            return self.say("this turn has no log-probabilities");
        };
        let (token, last) = (self.token(tokens), tokens.len().saturating_sub(1));
        self.compare.token = match action {
            Action::Left => Some(token.saturating_sub(1)),
            Action::Right => Some((token + 1).min(last)),
            _ => None,
        };
        self.compare.heat.get_or_insert(Measure::Probability);
    }
}

/// Tokens in lines of a width, broken between tokens; a line break of the text is seen and breaks.
fn lines(tokens: &TokenSeq, room: usize) -> Vec<TokenLine> {
    let room = room.max(2);
    let mut lines: Vec<TokenLine> = vec![Vec::new()];
    let mut used = 0;
    for (place, token) in tokens.iter().enumerate() {
        let mut parts = token.text.split('\n').peekable();
        while let Some(part) = parts.next() {
            let breaks = parts.peek().is_some();
            let mut text = readable(part).into_owned();
            if breaks {
                text.push('⏎');
            }
            for range in wrap_ranges_exact(&text, room) {
                let size = width(&text[range.clone()]);
                if used + size > room {
                    lines.push(Vec::new());
                    used = 0;
                }
                used += size;
                if let Some(line) = lines.last_mut().filter(|_| size > 0) {
                    line.push((place, text[range].to_owned()));
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

/// Pieces of at most a width, with nothing left out between them.
fn wrap_ranges_exact(text: &str, room: usize) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut used) = (Vec::new(), 0, 0);
    for (at, letter) in text.grapheme_indices(true) {
        let size = width(letter);
        if used + size > room && at > start {
            pieces.push(start..at);
            (start, used) = (at, 0);
        }
        used += size;
    }
    pieces.push(start..text.len());
    pieces
}

/// The action token that is most in doubt.
fn least_sure(tokens: &TokenSeq, measure: Measure) -> usize {
    let doubt = |place: usize| {
        let token = tokens.get(place);
        let value = measure.of(token).filter(|_| token.span == Span::Action)?;
        Some(if measure.doubts() { -value } else { value })
    };
    let all = (0..tokens.len()).filter_map(|place| Some((place, doubt(place)?)));
    all.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(place, _)| place)
}
