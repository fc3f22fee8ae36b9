//! Figures as PNG and PDF, with an embedded font.

mod font;
mod pdf;
mod png;

use super::canvas::{Anchor, Canvas, Shape};
use super::format::FigureFormatError;
use font::{Fonts, Run};

pub(super) use pdf::pdf;
pub(super) use png::png;

/// The fonts, if they have all letters of a drawing.
fn fonts_for(canvas: &Canvas) -> Result<Fonts, FigureFormatError> {
    let fonts = Fonts::new()?;
    let mut missing: Vec<char> = Vec::new();
    for shape in &canvas.shapes {
        let Shape::Text { text, words, .. } = shape else { continue };
        missing.extend(text.chars().filter(|letter| !fonts.of(words.bold).has(*letter)));
    }
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        return Ok(fonts);
    }
    let shown: Vec<String> = missing.iter().take(8).map(char::to_string).collect();
    let more = if missing.len() > shown.len() { " …" } else { "" };
    Err(FigureFormatError::Letters(shown.join(" ") + more))
}

/// How far before their point words begin.
fn lead(anchor: Anchor, run: &Run, size: f64) -> f64 {
    match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => run.width * size / 2.0,
        Anchor::End => run.width * size,
    }
}
