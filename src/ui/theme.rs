//! Styles by role. Drawing code names roles, never colours.
//!
//! A theme is made for one background and one colour depth. Without colour, roles still differ by
//! their text, a glyph or a modifier.

mod depth;
mod heat;
#[cfg(test)]
mod tests;
pub mod xterm;

use ratatui::style::{Color, Modifier, Style};

pub use crate::colour::{Rgb, Shade};
pub use depth::Depth;
use heat::Heat;

/// The style of every role, and the colour ramps for numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// The program's name.
    pub brand: Style,
    /// The title of what is shown.
    pub title: Style,
    /// Secondary text: labels, hints.
    pub dim: Style,
    /// Column headers.
    pub header: Style,
    /// A selected word.
    pub selected: Style,
    /// The filled part of a bar.
    pub bar: Style,
    /// A notice that must be seen, such as "synthetic".
    pub notice: Style,
    /// A key in the footer and the help.
    pub key: Style,
    /// Ordinary text.
    pub text: Style,
    /// Lines between parts.
    pub rule: Style,
    /// Success, ✓.
    pub good: Style,
    /// Failure, ✗.
    pub bad: Style,
    /// Neither success nor failure.
    pub unknown: Style,
    /// A warning.
    pub warn: Style,
    /// An error.
    pub error: Style,
    /// Highlighted text.
    pub accent: Style,
    /// The best of a column.
    pub best: Style,
    /// The selected cell of a heatmap, visible over every colour of heat.
    pub cursor: Style,
    /// The selected row of a list.
    pub selected_row: Style,
    /// What the user pinned for comparison.
    pub pinned: Style,
    /// The part of a text that a search found.
    pub match_: Style,
    /// The prompt before the user's input.
    pub prompt: Style,
    /// The background of a popup.
    pub overlay: Style,
    /// The frame of a popup or pane.
    pub border: Style,
    /// The background of the top line.
    pub title_bar: Style,
    /// The bottom line.
    pub footer: Style,
    /// A cell of a heatmap whose number gets no colour.
    pub muted_heat: Style,
    /// Messages of the user in a transcript.
    pub user: Style,
    /// Answers of tools in a transcript.
    pub tool: Style,
    /// Messages of the agent in a transcript.
    pub agent: Style,
    /// Lines that are compared.
    series: [Style; 4],
    shade: Shade,
    depth: Depth,
    heat: Heat,
}

/// One colour in all depths, for a dark and for a light background.
struct Ink {
    full: [Rgb; 2],
    named: [Color; 2],
}

impl Ink {
    const fn new(full: [u32; 2], named: [Color; 2]) -> Self {
        Self { full: [Rgb::hex(full[0]), Rgb::hex(full[1])], named }
    }
}

const BLUE: Ink = Ink::new([0x7d_b7_f5, 0x1b_5a_9b], [Color::Cyan, Color::Blue]);
const TEAL: Ink = Ink::new([0x5f_cf_b0, 0x00_5f_88], [Color::Cyan, Color::Blue]);
const ORANGE: Ink = Ink::new([0xf7_9a_5e, 0x9f_3f_00], [Color::LightRed, Color::Red]);
const YELLOW: Ink = Ink::new([0xf5_cb_5c, 0x75_54_00], [Color::Yellow, Color::Magenta]);
const RED: Ink = Ink::new([0xff_96_8e, 0xa8_1c_1c], [Color::LightRed, Color::Red]);
const VIOLET: Ink = Ink::new([0xc9_ae_ff, 0x6a_3d_b0], [Color::Magenta, Color::Magenta]);
const SAND: Ink = Ink::new([0xcf_bf_94, 0x67_5a_34], [Color::Yellow, Color::Reset]);
const GREY: Ink = Ink::new([0xa3_a9_b1, 0x5c_60_66], [Color::Reset, Color::Reset]);
const LINE: Ink = Ink::new([0x5a_60_69, 0xb4_b0_a7], [Color::Reset, Color::Reset]);
const STRONG: Ink = Ink::new([0xff_ff_ff, 0x00_00_00], [Color::White, Color::Black]);
const TEXT: Ink = Ink::new([0xe4_e6_ea, 0x24_27_2b], [Color::Reset, Color::Reset]);
const GROUND: Ink = Ink::new([0x26_28_2b, 0xf2_f0_eb], [Color::Black, Color::White]);
const RAISED: Ink = Ink::new([0x2c_2f_34, 0xe9_e6_df], [Color::Reset, Color::Reset]);
const TINT: Ink = Ink::new([0x2a_3a_4e, 0xd5_e4_f3], [Color::Reset, Color::Reset]);
const MARKER: Ink = Ink::new([0x5c_4a_10, 0xff_e0_8a], [Color::Yellow, Color::Yellow]);

impl Theme {
    /// A theme for a background and a colour depth.
    pub fn new(shade: Shade, depth: Depth) -> Self {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let reversed = plain.add_modifier(Modifier::REVERSED);
        let underlined = plain.add_modifier(Modifier::UNDERLINED);
        let faint = plain.add_modifier(Modifier::DIM);
        let tints = matches!(depth, Depth::True | Depth::Indexed256);

        let paint = |ink: &Ink| {
            let side = usize::from(shade == Shade::Light);
            match depth {
                Depth::True => {
                    Some(Color::Rgb(ink.full[side].0, ink.full[side].1, ink.full[side].2))
                }
                Depth::Indexed256 => Some(Color::Indexed(xterm::nearest(ink.full[side]))),
                Depth::Ansi16 => Some(ink.named[side]).filter(|colour| *colour != Color::Reset),
                Depth::None => None,
            }
        };
        let text = |ink| Style { fg: paint(ink), ..plain };
        let on = |back, ink| Style { fg: paint(ink), bg: paint(back), ..plain };
        // The first style with colour, the second without.
        let or = |colour: Style, without| if depth == Depth::None { without } else { colour };
        // The first style where subtle tints exist: the 16 colours have none, and no grey for every palette.
        let tint = |colour: Style, without| if tints { colour } else { without };

        Self {
            brand: text(&BLUE).patch(bold),
            title: bold,
            dim: tint(text(&GREY), faint),
            header: or(text(&BLUE), underlined),
            selected: bold,
            bar: text(&BLUE),
            notice: text(&YELLOW).patch(bold),
            key: text(&BLUE).patch(bold),
            text: plain,
            rule: tint(text(&LINE), faint),
            good: or(text(&TEAL), bold),
            bad: or(text(&ORANGE), underlined),
            unknown: tint(text(&GREY), faint),
            warn: or(text(&YELLOW), bold),
            error: or(text(&RED).patch(bold), bold.patch(reversed)),
            accent: or(text(&BLUE), bold),
            // Without a colour, since it is drawn over colours of heat.
            best: bold.patch(underlined),
            cursor: or(on(&STRONG, &GROUND).patch(bold), bold.patch(reversed)),
            selected_row: tint(on(&TINT, &TEXT), reversed),
            pinned: or(text(&VIOLET), bold),
            match_: tint(
                on(&MARKER, &STRONG),
                or(plain.fg(Color::Black).bg(Color::Yellow), bold.patch(underlined)),
            ),
            prompt: text(&BLUE).patch(bold),
            overlay: tint(on(&RAISED, &TEXT), plain),
            border: tint(text(&LINE), faint),
            title_bar: tint(on(&RAISED, &TEXT), plain),
            footer: tint(text(&GREY), faint),
            muted_heat: tint(on(&GROUND, &GREY), faint),
            user: or(text(&VIOLET), underlined),
            tool: or(text(&SAND), plain.add_modifier(Modifier::ITALIC)),
            agent: or(text(&BLUE), bold),
            series: [text(&BLUE), text(&YELLOW), text(&VIOLET), text(&TEAL)],
            shade,
            depth,
            heat: Heat::new(shade, depth),
        }
    }

    /// The style of one of several lines, which differ in their stroke too.
    pub fn series(&self, index: usize) -> Style {
        self.series[index % self.series.len()]
    }

    /// A theme without colour.
    pub fn plain() -> Self {
        Self::new(Shade::Dark, Depth::None)
    }

    /// The background that the theme is for.
    pub fn shade(&self) -> Shade {
        self.shade
    }

    /// The colour depth that the theme is for.
    pub fn depth(&self) -> Depth {
        self.depth
    }
}
