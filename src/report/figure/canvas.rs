//! A sheet to draw on: lines, boxes, marks and words, written as SVG. Lengths are points, 72 to the inch.

use std::fmt::Write as _;

use crate::colour::{Rgb, Shade};
use crate::text::{visible, xml};

/// Fonts that papers and browsers have.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// Points of ordinary words.
pub(super) const SIZE: f64 = 7.5;

/// Points of words that stand beside marks and in cells.
pub(super) const SMALL: f64 = 6.5;

/// Where words stand beside their point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn id(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// How words are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub anchor: Anchor,
    pub size: f64,
    pub colour: Rgb,
    pub bold: bool,
    /// Degrees by which they are turned clockwise around their point.
    pub turned: f64,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub colour: Rgb,
    pub width: f64,
    /// Lengths of dashes and gaps; solid when empty.
    pub dashes: &'static [f64],
}

/// The colours of a figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inks {
    pub ground: Rgb,
    pub text: Rgb,
    pub dim: Rgb,
    pub line: Rgb,
}

impl Inks {
    pub(super) fn of(shade: Shade) -> Self {
        let [ground, text, dim, line] = match shade {
            Shade::Light => [0xff_ff_ff, 0x1a_1a_1a, 0x5c_60_66, 0xb4_b4_b4],
            Shade::Dark => [0x17_19_1c, 0xe4_e6_ea, 0xa3_a9_b1, 0x5a_60_69],
        }
        .map(Rgb::hex);
        Self { ground, text, dim, line }
    }
}

/// The colour and dashes of the series of a figure, by position. The colours are those of Okabe and Ito,
/// which people with any colour vision tell apart; on white the palest are darker.
pub(super) fn series(position: usize, shade: Shade) -> Stroke {
    const LIGHT: [u32; 7] =
        [0x00_5f_a3, 0xb8_4a_00, 0x00_7a_56, 0x9b_3f_78, 0x1a_1a_1a, 0x8a_64_00, 0x2b_7f_b8];
    const DARK: [u32; 7] =
        [0x56_b4_e9, 0xe6_9f_00, 0x33_c4_9a, 0xe0_94_bf, 0xe4_e6_ea, 0xf0_e4_42, 0x8f_c7_f2];
    const DASHES: [&[f64]; 7] =
        [&[], &[4.0, 1.6], &[1.2, 1.4], &[5.0, 1.5, 1.2, 1.5], &[7.0, 2.0], &[2.4, 1.2], &[]];
    let colours = match shade {
        Shade::Light => LIGHT,
        Shade::Dark => DARK,
    };
    let index = position % colours.len();
    Stroke { colour: Rgb::hex(colours[index]), width: 1.1, dashes: DASHES[index] }
}

/// A sheet of a fixed size.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    pub width: f64,
    pub height: f64,
    pub shade: Shade,
    pub inks: Inks,
    body: String,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64, shade: Shade) -> Self {
        Self { width, height, shade, inks: Inks::of(shade), body: String::new() }
    }

    /// Ordinary words in the colour of text.
    pub(super) fn words(&self, anchor: Anchor) -> Words {
        Words { anchor, size: SIZE, colour: self.inks.text, bold: false, turned: 0.0 }
    }

    /// Small words that explain.
    pub(super) fn remarks(&self, anchor: Anchor) -> Words {
        Words { size: SMALL, colour: self.inks.dim, ..self.words(anchor) }
    }

    /// Writes words; the point is on their baseline.
    pub(super) fn text(&mut self, (x, y): (f64, f64), text: &str, words: Words) {
        let Words { anchor, size, colour, bold, turned } = words;
        let bold = if bold { " font-weight=\"bold\"" } else { "" };
        let turned = if turned == 0.0 {
            String::new()
        } else {
            format!(" transform=\"rotate({} {} {})\"", number(turned), number(x), number(y))
        };
        let _ = writeln!(
            self.body,
            r#"<text x="{}" y="{}" font-size="{}" text-anchor="{}" fill="{}"{bold}{turned}>{}</text>"#,
            number(x),
            number(y),
            number(size),
            anchor.id(),
            colour.css(),
            xml(&visible(text)),
        );
    }

    pub(super) fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: Rgb) {
        let _ = writeln!(
            self.body,
            r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>"#,
            number(x),
            number(y),
            number(width),
            number(height),
            fill.css(),
        );
    }

    /// Draws a line through points; one that is not finite interrupts it.
    pub(super) fn line(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        for part in points.split(|(x, y)| !x.is_finite() || !y.is_finite()) {
            let [first, rest @ ..] = part else { continue };
            let mut path = format!("M{} {}", number(first.0), number(first.1));
            for (x, y) in rest {
                let _ = write!(path, "L{} {}", number(*x), number(*y));
            }
            let dashes: Vec<String> = stroke.dashes.iter().copied().map(number).collect();
            let dashes = match dashes.len() {
                0 => String::new(),
                _ => format!(" stroke-dasharray=\"{}\"", dashes.join(" ")),
            };
            let _ = writeln!(
                self.body,
                r#"<path d="{path}" fill="none" stroke="{}" stroke-width="{}"{dashes}/>"#,
                stroke.colour.css(),
                number(stroke.width),
            );
        }
    }

    /// Fills the area between two lines over the same positions.
    pub(super) fn band(&mut self, low: &[(f64, f64)], high: &[(f64, f64)], fill: Rgb) {
        let around = low.iter().chain(high.iter().rev());
        let points: Vec<String> = around
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .map(|(x, y)| format!("{},{}", number(*x), number(*y)))
            .collect();
        if points.len() > 2 {
            let _ = writeln!(
                self.body,
                r#"<polygon points="{}" fill="{}" fill-opacity="0.18"/>"#,
                points.join(" "),
                fill.css(),
            );
        }
    }

    /// Draws a mark: every series has its shape, so that marks differ without colour.
    pub(super) fn mark(&mut self, position: usize, (x, y): (f64, f64), fill: Rgb) {
        let r = 2.1;
        let polygon = |corners: &[(f64, f64)]| {
            let corner =
                |(dx, dy): &(f64, f64)| format!("{},{}", number(x + dx * r), number(y + dy * r));
            corners.iter().map(corner).collect::<Vec<_>>().join(" ")
        };
        let points = match position % 3 {
            0 => None,
            1 => Some(polygon(&[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])),
            _ => Some(polygon(&[(0.0, -1.3), (1.2, 0.9), (-1.2, 0.9)])),
        };
        // The second three are hollow.
        let paint = if position % 6 < 3 {
            format!("fill=\"{}\"", fill.css())
        } else {
            format!(
                "fill=\"{}\" stroke=\"{}\" stroke-width=\"1\"",
                self.inks.ground.css(),
                fill.css()
            )
        };
        let _ = match points {
            None => writeln!(
                self.body,
                r#"<circle cx="{}" cy="{}" r="{r}" {paint}/>"#,
                number(x),
                number(y)
            ),
            Some(points) => writeln!(self.body, r#"<polygon points="{points}" {paint}/>"#),
        };
    }

    /// The drawing as a standalone SVG.
    pub(super) fn svg(&self, title: &str) -> String {
        let (width, height) = (number(self.width), number(self.height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}pt\" height=\"{height}pt\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n<title>{}</title>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n{}</svg>\n",
            xml(&visible(title)),
            self.inks.ground.css(),
            self.body,
        )
    }
}

/// A length with at most two decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// The width of words in points, as wide as in common fonts without serifs.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let wide = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.27,
        'f' | 't' | 'r' | 'I' | ' ' | '(' | ')' | '-' | '/' => 0.33,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.87,
        'A'..='Z' => 0.69,
        // A wide letter takes the room of two.
        c if crate::text::width(c.encode_utf8(&mut [0; 4])) > 1 => 1.0,
        _ => 0.56,
    };
    text.chars().map(wide).sum::<f64>() * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_are_escaped() {
        let mut canvas = Canvas::new(10.0, 10.0, Shade::Light);
        canvas.text((1.0, 2.0), "<b>&\u{1b}", canvas.words(Anchor::Start));
        let svg = canvas.svg("a < b");
        assert!(svg.contains("&lt;b&gt;&amp;␛</text>") && svg.contains("<title>a &lt; b</title>"));
    }

    #[test]
    fn a_gap_interrupts_a_line() {
        let mut canvas = Canvas::new(10.0, 10.0, Shade::Light);
        let points = [(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 0.126)];
        canvas.line(&points, series(1, Shade::Light));
        let svg = canvas.svg("");
        assert_eq!(svg.matches("<path").count(), 2);
        assert!(svg.contains("M3 1L4 0.13") && svg.contains("stroke-dasharray=\"4 1.6\""), "{svg}");
    }

    #[test]
    fn lengths_are_short() {
        assert_eq!([0.0, -0.001, 1.5, 12.346].map(number), ["0", "0", "1.5", "12.35"]);
    }

    #[test]
    fn series_are_legible_on_their_ground() {
        for shade in [Shade::Light, Shade::Dark] {
            for position in 0..7 {
                let contrast = series(position, shade).colour.contrast(Inks::of(shade).ground);
                assert!(contrast >= 3.0, "{position} on {shade:?}: {contrast}");
            }
        }
    }
}
