//! Colours for numbers: ramps with visually equal steps, also for people with red-green blindness.

use ratatui::style::{Color, Modifier, Style};

use super::colour::Rgb;
use super::{Depth, Shade, Theme, xterm};

/// Steps of a ramp; odd, so that a diverging ramp has a middle.
pub(super) const STEPS: usize = 33;

const MIDDLE: usize = STEPS / 2;

/// The ramps, computed once so that drawing a cell costs no arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heat {
    pub diverging: [Style; STEPS],
    pub sequential: [Style; STEPS],
    pub confidence: [Style; STEPS],
}

/// The middle of a diverging ramp, close to the background of most terminals of the shade; text is
/// checked for contrast with it.
pub(super) const fn neutral(shade: Shade) -> Rgb {
    match shade {
        Shade::Dark => Rgb::hex(0x26_28_2b),
        Shade::Light => Rgb::hex(0xf2_f0_eb),
    }
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

/// Brown and orange for worse, blue for better, which colour-blind people can tell apart.
pub(super) fn diverging(shade: Shade) -> [Rgb; STEPS] {
    let [worst, worse, better, best] = match shade {
        Shade::Dark => [0xf5_a5_40, 0x96_58_14, 0x1f_62_a6, 0x6c_b4_fb],
        Shade::Light => [0x9a_44_00, 0xeb_a0_50, 0x76_ae_ea, 0x0f_4f_9e],
    }
    .map(Rgb::hex);
    ramp(&[worst, worse, neutral(shade), better, best])
}

/// From dark blue over grey to yellow, with evenly rising lightness.
pub(super) fn sequential() -> [Rgb; STEPS] {
    ramp(&[0x10_2a_5c, 0x45_4f_73, 0x7f_7b_74, 0xb8_a5_5e, 0xf0_d0_48].map(Rgb::hex))
}

/// From orange for low over grey to blue for high.
fn confidence(shade: Shade) -> [Rgb; STEPS] {
    ramp(
        &match shade {
            Shade::Dark => [0xff_b2_4d, 0xd9_ab_7c, 0xb4_b8_be, 0x8f_b3_d9, 0x6f_aa_e6],
            Shade::Light => [0x9a_42_00, 0x82_50_2a, 0x5c_60_66, 0x3d_60_85, 0x1b_5a_9b],
        }
        .map(Rgb::hex),
    )
}

/// Interpolates between the stops in equal steps.
fn ramp(stops: &[Rgb; 5]) -> [Rgb; STEPS] {
    let labs = stops.map(Rgb::lab);
    let legs = labs.len() - 1;
    std::array::from_fn(|step| {
        let position = (step * legs) as f64 / (STEPS - 1) as f64;
        let leg = (position as usize).min(legs - 1);
        let share = position - leg as f64;
        Rgb::from_lab(std::array::from_fn(|part| {
            labs[leg][part] + (labs[leg + 1][part] - labs[leg][part]) * share
        }))
    })
}

fn direct(Rgb(red, green, blue): Rgb) -> Color {
    Color::Rgb(red, green, blue)
}

/// A background with black or white text, whichever has more contrast; one of them always has 4.5.
fn cell(back: Rgb, paint: impl Fn(Rgb) -> Color) -> Style {
    let (black, white) = (Rgb::hex(0), Rgb::hex(0xff_ff_ff));
    let text = if back.contrast(black) > back.contrast(white) { black } else { white };
    Style::new().bg(paint(back)).fg(paint(text))
}
