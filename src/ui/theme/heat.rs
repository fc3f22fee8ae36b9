//! Colours for numbers: ramps with visually equal steps, also for people with red-green blindness.

use ratatui::style::{Color, Modifier, Style};

use super::{Depth, Theme, xterm};
use crate::colour::{Rgb, STEPS, Shade, confidence, diverging, sequential};

const MIDDLE: usize = STEPS / 2;

/// The ramps, computed once so that drawing a cell costs no arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heat {
    pub diverging: [Style; STEPS],
    pub sequential: [Style; STEPS],
    pub confidence: [Style; STEPS],
}

impl Heat {
    pub fn new(shade: Shade, depth: Depth) -> Self {
        match depth {
            Depth::True => Self {
                diverging: diverging(shade).map(|colour| cell(colour, direct)),
                sequential: sequential().map(|colour| cell(colour, direct)),
                confidence: confidence(shade).map(|colour| Style::new().fg(direct(colour))),
            },
            Depth::Indexed256 => Self::indexed(shade),
            Depth::Ansi16 => Self::named(shade),
            Depth::None => Self::plain(),
        }
    }

    /// Ramps of xterm's colours, chosen by eye: the nearest colours would change in hue, and show weak
    /// tints of both sides as the same grey.
    fn indexed(shade: Shade) -> Self {
        let (below, above, text) = match shade {
            Shade::Dark => {
                ([235, 94, 130, 172, 215], [235, 24, 32, 75, 117], [215, 180, 250, 110, 75])
            }
            Shade::Light => {
                ([255, 223, 215, 172, 130], [255, 153, 75, 32, 25], [94, 94, 59, 24, 25])
            }
        };
        let sequential = [17, 18, 60, 102, 144, 179, 221];
        let back = |index| cell(xterm::rgb(index), |colour| Color::Indexed(xterm::nearest(colour)));
        Self {
            diverging: std::array::from_fn(|step| {
                let arm = if step < MIDDLE { below } else { above };
                back(arm[step.abs_diff(MIDDLE) * arm.len() / (MIDDLE + 1)])
            }),
            sequential: std::array::from_fn(|step| back(sequential[step * 7 / STEPS])),
            confidence: std::array::from_fn(|step| {
                Style::new().fg(Color::Indexed(text[step * 5 / STEPS]))
            }),
        }
    }

    /// Ramps of few steps, from pairs that are legible in common palettes. A cell near chance has no
    /// background, since none of the 16 colours is sure to be close to the terminal's.
    fn named(shade: Shade) -> Self {
        let on = |back, text| Style::new().bg(back).fg(text);
        let text = |colour| Style::new().fg(colour);
        let diverging = match shade {
            Shade::Dark => [
                on(Color::Yellow, Color::Black),
                text(Color::Yellow),
                Style::new(),
                text(Color::Cyan),
                on(Color::Cyan, Color::Black),
            ],
            Shade::Light => [
                on(Color::Red, Color::White),
                text(Color::Red),
                Style::new(),
                text(Color::Blue),
                on(Color::Blue, Color::White),
            ],
        };
        let sequential = [
            on(Color::Blue, Color::White),
            on(Color::Cyan, Color::Black),
            on(Color::Yellow, Color::Black),
            on(Color::Yellow, Color::Black).add_modifier(Modifier::BOLD),
        ];
        let confidence = match shade {
            Shade::Dark => [
                text(Color::LightYellow).add_modifier(Modifier::BOLD),
                text(Color::Yellow),
                Style::new(),
                text(Color::Cyan),
            ],
            Shade::Light => [
                text(Color::Red).add_modifier(Modifier::BOLD),
                text(Color::Red),
                Style::new(),
                text(Color::Blue),
            ],
        };
        Self::stepped(diverging, sequential, confidence)
    }

    fn plain() -> Self {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let underlined = plain.add_modifier(Modifier::UNDERLINED);
        let both = bold.add_modifier(Modifier::UNDERLINED);
        Self::stepped(
            [both, underlined, plain, plain, bold],
            [bold, plain, underlined, both],
            [both, underlined, plain, plain],
        )
    }

    fn stepped(diverging: [Style; 5], sequential: [Style; 4], confidence: [Style; 4]) -> Self {
        Self {
            diverging: std::array::from_fn(|step| diverging[strength(step)]),
            sequential: std::array::from_fn(|step| sequential[step * 4 / STEPS]),
            confidence: std::array::from_fn(|step| confidence[step * 4 / STEPS]),
        }
    }
}

impl Theme {
    /// The style of a cell with a number from -1 to 1, where 0 is chance and more is better.
    pub fn diverging(&self, t: f64) -> Style {
        self.pick(&self.heat.diverging, f64::midpoint(t, 1.0))
    }

    /// The style of a cell with a number from 0 to 1, where less is better.
    pub fn sequential(&self, t: f64) -> Style {
        self.pick(&self.heat.sequential, t)
    }

    /// The text style of a confidence from 0 to 1; a low one stands out.
    pub fn confidence(&self, t: f64) -> Style {
        self.pick(&self.heat.confidence, t)
    }

    /// A glyph for a number from 0 to 1, for when there is no colour.
    pub fn glyph(&self, t: f64) -> char {
        const RAMP: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        if t.is_nan() {
            return ' ';
        }
        RAMP[((t.clamp(0.0, 1.0) * RAMP.len() as f64) as usize).min(RAMP.len() - 1)]
    }

    /// A glyph for a number from -1 to 1: far below 0, below, near, above, far above.
    pub fn signed_glyph(&self, t: f64) -> char {
        if t.is_nan() {
            return ' ';
        }
        ['▼', '▽', '·', '△', '▲'][strength(step(f64::midpoint(t, 1.0)))]
    }

    fn pick(&self, ramp: &[Style; STEPS], share: f64) -> Style {
        if share.is_nan() { self.dim } else { ramp[step(share)] }
    }
}

fn step(share: f64) -> usize {
    (share.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() as usize
}

/// The class of a step of a diverging ramp, from 0 (far below the middle) over 2 to 4 (far above).
fn strength(step: usize) -> usize {
    match (step.abs_diff(MIDDLE), step < MIDDLE) {
        (0..=2, _) => 2,
        (3..=8, true) => 1,
        (3..=8, false) => 3,
        (_, true) => 0,
        (_, false) => 4,
    }
}

fn direct(Rgb(red, green, blue): Rgb) -> Color {
    Color::Rgb(red, green, blue)
}

/// A background with black or white text, whichever has more contrast; one of them always has 4.5.
fn cell(back: Rgb, paint: impl Fn(Rgb) -> Color) -> Style {
    Style::new().bg(paint(back)).fg(paint(back.text()))
}
