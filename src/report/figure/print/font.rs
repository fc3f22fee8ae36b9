//! The embedded font: Liberation Sans, whose letters are as wide as those of Helvetica.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::report::figure::format::FigureFormatError;

const PLAIN: &[u8] = include_bytes!("../../../../assets/fonts/LiberationSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../../../../assets/fonts/LiberationSans-Bold.ttf");

/// Both weights.
pub(super) struct Fonts {
    plain: Font,
    bold: Font,
}

/// A weight.
pub(super) struct Font {
    /// The file.
    pub(super) data: &'static [u8],
    /// Its name in a PDF.
    pub(super) name: &'static str,
    face: Face<'static>,
}

/// Letters of a font in a line, with lengths for a size of 1.
pub(super) struct Run {
    /// Every letter, its picture and where it begins.
    pub(super) letters: Vec<(char, GlyphId, f64)>,
    /// The width of all.
    pub(super) width: f64,
}

/// What a PDF says about a font, in thousandths of the size.
pub(super) struct FontMetrics {
    pub(super) bounds: [f32; 4],
    pub(super) ascent: f32,
    pub(super) descent: f32,
    pub(super) cap_height: f32,
}

impl Fonts {
    pub(super) fn new() -> Result<Self, FigureFormatError> {
        let font = |data: &'static [u8], name| {
            let face = Face::parse(data, 0)
                .map_err(|error| FigureFormatError::Encoding(error.to_string()))?;
            Ok::<Font, FigureFormatError>(Font { data, name, face })
        };
        Ok(Self { plain: font(PLAIN, "LiberationSans")?, bold: font(BOLD, "LiberationSans-Bold")? })
    }

    pub(super) fn of(&self, bold: bool) -> &Font {
        if bold { &self.bold } else { &self.plain }
    }
}

impl Font {
    pub(super) fn has(&self, letter: char) -> bool {
        self.face.glyph_index(letter).is_some()
    }

    /// The letters of a text; those that the font lacks are left out.
    pub(super) fn run(&self, text: &str) -> Run {
        let mut run = Run { letters: Vec::new(), width: 0.0 };
        for letter in text.chars() {
            let Some(glyph) = self.face.glyph_index(letter) else { continue };
            run.letters.push((letter, glyph, run.width));
            run.width += self.advance(glyph);
        }
        run
    }

    /// The width of a letter for a size of 1.
    pub(super) fn advance(&self, glyph: GlyphId) -> f64 {
        f64::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) / self.units()
    }

    /// Lengths of the font for a size of 1.
    pub(super) fn units(&self) -> f64 {
        f64::from(self.face.units_per_em())
    }

    /// Traces the picture of a letter in units of the font, y upwards.
    pub(super) fn outline(&self, glyph: GlyphId, builder: &mut dyn OutlineBuilder) {
        self.face.outline_glyph(glyph, builder);
    }

    pub(super) fn metrics(&self) -> FontMetrics {
        let thousandths = |value: i16| (f64::from(value) / self.units() * 1000.0) as f32;
        let bounds = self.face.global_bounding_box();
        FontMetrics {
            bounds: [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(thousandths),
            ascent: thousandths(self.face.ascender()),
            descent: thousandths(self.face.descender()),
            cap_height: thousandths(self.face.capital_height().unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::letters::text_width;

    #[test]
    fn figures_have_the_same_layout_in_every_format() {
        let fonts = Fonts::new().expect("fonts");
        let ascii: String = (' '..='~').collect();
        for bold in [false, true] {
            for text in [&ascii, "·", "–", "—", "…", "†", "·"] {
                let (drawn, planned) =
                    (fonts.of(bold).run(text).width, text_width(text, 1.0, bold));
                assert!(
                    (drawn - planned).abs() < 0.0006 * text.len() as f64,
                    "{text}: {drawn} {planned}"
                );
            }
            // What qualm writes beside ASCII.
            for letter in "–—−·×†‡…≥≤±→βé␊".chars().take(14) {
                assert!(fonts.of(bold).has(letter), "{letter}");
            }
        }
    }
}
