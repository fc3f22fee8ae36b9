//! A sheet to draw on: lines, areas, marks and words. Lengths are points, 72 to the inch.

use super::letters::lines;
use crate::colour::{Rgb, Shade};
use crate::text::visible;

/// Points of ordinary words.
pub(super) const SIZE: f64 = 7.5;

/// Points of words that stand beside marks and in cells.
pub(super) const SMALL: f64 = 6.5;

/// The width of a column of a paper: 3.3 inches.
pub(super) const COLUMN: f64 = 237.6;

/// The width of a page of a paper: 7 inches.
pub(super) const PAGE: f64 = 504.0;

/// Where words stand beside their point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
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

/// How an area is filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    pub fill: Rgb,
    /// From 0, which shows nothing, to 1.
    pub opacity: f64,
    /// The colour of its edge, which is one point wide.
    pub edge: Option<Rgb>,
}

impl Paint {
    /// The opacity of what other parts are seen through.
    pub(super) const FAINT: f64 = 0.18;
}

/// Something that is drawn.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Words, whose point is on their baseline.
    Text { at: (f64, f64), text: String, words: Words },
    /// A box: its top left corner and its size.
    Rect { at: (f64, f64), size: (f64, f64), fill: Rgb },
    /// A line through points.
    Line { points: Vec<(f64, f64)>, stroke: Stroke },
    /// An area between corners.
    Polygon { corners: Vec<(f64, f64)>, paint: Paint },
    /// A disc.
    Circle { middle: (f64, f64), radius: f64, paint: Paint },
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

/// A sheet.
#[derive(Clone, Debug)]
pub(super) struct Canvas {
    pub width: f64,
    pub height: f64,
    pub shade: Shade,
    pub inks: Inks,
    pub shapes: Vec<Shape>,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64, shade: Shade) -> Self {
        Self { width, height, shade, inks: Inks::of(shade), shapes: Vec::new() }
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
    pub(super) fn text(&mut self, at: (f64, f64), text: &str, words: Words) {
        let text = visible(text).into_owned();
        self.shapes.push(Shape::Text { at, text, words });
    }

    /// Writes sentences below each other over the whole width from `x` on, the first at `y`; gives where the
    /// next line would be.
    pub(super) fn explain(&mut self, (x, y): (f64, f64), sentences: &str) -> f64 {
        let words = self.remarks(Anchor::Start);
        let mut y = y;
        for line in lines(&visible(sentences), SMALL, self.width - x - 4.0) {
            self.text((x, y), &line, words);
            y += SMALL + 1.8;
        }
        y
    }

    pub(super) fn rect(&mut self, at: (f64, f64), size: (f64, f64), fill: Rgb) {
        self.shapes.push(Shape::Rect { at, size, fill });
    }

    /// Draws a line through points; one that is not finite interrupts it.
    pub(super) fn line(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let parts = points.split(|(x, y)| !x.is_finite() || !y.is_finite());
        let lines = parts.filter(|part| !part.is_empty());
        self.shapes.extend(lines.map(|part| Shape::Line { points: part.to_vec(), stroke }));
    }

    /// Fills the area between two lines over the same positions.
    pub(super) fn band(&mut self, low: &[(f64, f64)], high: &[(f64, f64)], fill: Rgb) {
        let around = low.iter().chain(high.iter().rev()).copied();
        let corners: Vec<(f64, f64)> =
            around.filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        if corners.len() > 2 {
            let paint = Paint { fill, opacity: Paint::FAINT, edge: None };
            self.shapes.push(Shape::Polygon { corners, paint });
        }
    }

    /// Draws a mark: every series has its shape, so that marks differ without colour.
    pub(super) fn mark(&mut self, position: usize, middle: (f64, f64), fill: Rgb) {
        // The second three are hollow.
        self.shaped_mark(position % 3, middle, fill, position % 6 >= 3);
    }

    /// A mark of one of three shapes.
    pub(super) fn shaped_mark(
        &mut self,
        shape: usize,
        middle: (f64, f64),
        colour: Rgb,
        hollow: bool,
    ) {
        let radius = 2.1;
        let corners = |corners: &[(f64, f64)]| -> Vec<(f64, f64)> {
            corners.iter().map(|(x, y)| (middle.0 + x * radius, middle.1 + y * radius)).collect()
        };
        let paint = if hollow {
            Paint { fill: self.inks.ground, opacity: 1.0, edge: Some(colour) }
        } else {
            Paint { fill: colour, opacity: 1.0, edge: None }
        };
        self.shapes.push(match shape {
            0 => Shape::Circle { middle, radius, paint },
            1 => Shape::Polygon {
                corners: corners(&[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
                paint,
            },
            _ => {
                Shape::Polygon { corners: corners(&[(0.0, -1.3), (1.2, 0.9), (-1.2, 0.9)]), paint }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_interrupts_a_line() {
        let mut canvas = Canvas::new(10.0, 10.0, Shade::Light);
        let points = [(0.0, 1.0), (1.0, 2.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 0.126)];
        canvas.line(&points, series(1, Shade::Light));
        let lengths: Vec<usize> = canvas
            .shapes
            .iter()
            .map(|shape| match shape {
                Shape::Line { points, .. } => points.len(),
                _ => 0,
            })
            .collect();
        assert_eq!(lengths, [2, 2]);
    }

    #[test]
    fn series_are_told_apart_on_either_ground() {
        for shade in [Shade::Light, Shade::Dark] {
            let ground = Inks::of(shade).ground;
            for position in 0..7 {
                let contrast = series(position, shade).colour.contrast(ground);
                assert!(contrast >= 3.0, "{shade:?} {position}: {contrast}");
            }
        }
    }
}
