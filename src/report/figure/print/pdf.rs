//! Writes a drawing as PDF: one page as large as the drawing, with text as text.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, LineJoinStyle, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use subsetter::GlyphRemapper;
use ttf_parser::GlyphId;
use xxhash_rust::xxh3::xxh3_64;

use super::font::{Font, Fonts};
use super::{fonts_for, lead};
use crate::colour::Rgb;
use crate::report::figure::canvas::{Canvas, Paint, Shape, Stroke, Words};
use crate::report::figure::format::FigureFormatError;

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const INFO: Ref = Ref::new(5);
/// What parts of the drawing are seen through; the name of its resource.
const FAINT: (Ref, Name<'static>) = (Ref::new(6), Name(b"faint"));
/// The first object of the plain and of the bold font, and the names of their resources.
const FONTS: [(i32, Name<'static>); 2] = [(10, Name(b"plain")), (20, Name(b"bold"))];

/// The numbers of letters stand for themselves.
const IDENTITY: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The drawing as a PDF file.
pub(in crate::report::figure) fn pdf(
    canvas: &Canvas,
    title: &str,
) -> Result<Vec<u8>, FigureFormatError> {
    let fonts = fonts_for(canvas)?;
    let used = [false, true].map(|bold| Used::of(canvas, fonts.of(bold), bold));
    let mut pdf = Pdf::new();
    let mut catalog = pdf.catalog(CATALOG);
    catalog.pages(PAGES).lang(TextStr("en"));
    catalog.viewer_preferences().display_doc_title(true);
    catalog.finish();
    // Without a date, so that the same figure is the same file.
    pdf.document_info(INFO).title(TextStr(title)).producer(TextStr("qualm"));
    pdf.pages(PAGES).kids([PAGE]).count(1);
    let mut page = pdf.page(PAGE);
    page.media_box(Rect::new(0.0, 0.0, canvas.width as f32, canvas.height as f32));
    page.parent(PAGES).contents(CONTENT);
    let mut resources = page.resources();
    resources.ext_g_states().pair(FAINT.1, FAINT.0);
    let mut named = resources.fonts();
    for ((first, name), used) in FONTS.into_iter().zip(&used) {
        if !used.letters.is_empty() {
            named.pair(name, Ref::new(first));
        }
    }
    named.finish();
    resources.finish();
    page.finish();
    pdf.ext_graphics(FAINT.0).non_stroking_alpha(Paint::FAINT as f32);
    for ((first, _), used) in FONTS.into_iter().zip(&used) {
        if !used.letters.is_empty() {
            embed(&mut pdf, first, used)?;
        }
    }
    let content = deflated(&drawn(canvas, &fonts, &used))?;
    pdf.stream(CONTENT, &content).filter(Filter::FlateDecode);
    Ok(pdf.finish())
}

/// The letters of a font that a drawing uses.
struct Used<'f> {
    font: &'f Font,
    letters: BTreeMap<u16, char>,
    numbers: GlyphRemapper,
}

impl<'f> Used<'f> {
    fn of(canvas: &Canvas, font: &'f Font, bold: bool) -> Self {
        let mut letters = BTreeMap::new();
        for shape in &canvas.shapes {
            if let Shape::Text { text, words, .. } = shape
                && words.bold == bold
            {
                let run = font.run(text);
                letters.extend(run.letters.iter().map(|(letter, glyph, _)| (glyph.0, *letter)));
            }
        }
        let glyphs: BTreeSet<u16> = letters.keys().copied().collect();
        let glyphs: Vec<u16> = glyphs.into_iter().collect();
        Self { font, letters, numbers: GlyphRemapper::new_from_glyphs_sorted(&glyphs) }
    }

    /// The number of a letter among those that are embedded.
    fn number(&self, glyph: GlyphId) -> u16 {
        self.numbers.get(glyph.0).unwrap_or(0)
    }
}

/// Embeds the letters of a font that are used.
fn embed(pdf: &mut Pdf, first: i32, used: &Used<'_>) -> Result<(), FigureFormatError> {
    let failed = |error: subsetter::Error| FigureFormatError::Encoding(error.to_string());
    let font = used.font;
    let subset = subsetter::subset(font.data, 0, &used.numbers).map_err(failed)?;
    let [whole, letters, descriptor, file, words] = [0, 1, 2, 3, 4].map(|at| Ref::new(first + at));
    // Six capitals tell the letters of one file from those of another.
    let hash = xxh3_64(&subset);
    let tag: String = (0..6).map(|at| char::from(b'A' + (hash >> (8 * at)) as u8 % 26)).collect();
    let name = format!("{tag}+{}", font.name);
    let name = Name(name.as_bytes());
    pdf.type0_font(whole)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(letters)
        .to_unicode(words);
    let mut cid = pdf.cid_font(letters);
    cid.subtype(CidFontType::Type2).base_font(name).system_info(IDENTITY);
    cid.font_descriptor(descriptor).cid_to_gid_map_predefined(Name(b"Identity"));
    let widths =
        used.numbers.remapped_gids().map(|glyph| (font.advance(GlyphId(glyph)) * 1000.0) as f32);
    cid.widths().consecutive(0, widths);
    cid.finish();
    let metrics = font.metrics();
    let [left, bottom, right, top] = metrics.bounds;
    pdf.font_descriptor(descriptor)
        .name(name)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(left, bottom, right, top))
        .italic_angle(0.0)
        .ascent(metrics.ascent)
        .descent(metrics.descent)
        .cap_height(metrics.cap_height)
        .stem_v(if font.name.ends_with("Bold") { 140.0 } else { 80.0 })
        .font_file2(file);
    let mut meaning = UnicodeCmap::new(Name(b"letters"), IDENTITY);
    for (glyph, letter) in &used.letters {
        meaning.pair(used.number(GlyphId(*glyph)), *letter);
    }
    pdf.cmap(words, &meaning.finish()).name(Name(b"letters")).system_info(IDENTITY);
    let length = subset.len() as i32;
    let subset = deflated(&subset)?;
    pdf.stream(file, &subset).filter(Filter::FlateDecode).pair(Name(b"Length1"), length);
    Ok(())
}

/// What the page shows.
fn drawn(canvas: &Canvas, fonts: &Fonts, used: &[Used<'_>; 2]) -> Vec<u8> {
    let mut sheet = Sheet { content: Content::new(), height: canvas.height };
    sheet.content.set_line_join(LineJoinStyle::RoundJoin);
    sheet.fill(canvas.inks.ground);
    sheet.rect((0.0, 0.0), (canvas.width, canvas.height));
    for shape in &canvas.shapes {
        match shape {
            Shape::Rect { at, size, fill } => {
                sheet.fill(*fill);
                sheet.rect(*at, *size);
            }
            Shape::Line { points, stroke } => sheet.line(points, *stroke),
            Shape::Polygon { corners, paint } => {
                sheet.area(*paint, |sheet| {
                    sheet.path(corners);
                    sheet.content.close_path();
                });
            }
            Shape::Circle { middle, radius, paint } => {
                sheet.area(*paint, |sheet| sheet.circle(*middle, *radius));
            }
            Shape::Text { at, text, words } => {
                let used = &used[usize::from(words.bold)];
                sheet.write(*at, text, *words, fonts, used);
            }
        }
    }
    sheet.content.finish().to_vec()
}

/// The content of a page, which has its origin at the bottom.
struct Sheet {
    content: Content,
    height: f64,
}

impl Sheet {
    fn at(&self, (x, y): (f64, f64)) -> (f32, f32) {
        (x as f32, (self.height - y) as f32)
    }

    fn fill(&mut self, colour: Rgb) {
        let [red, green, blue] = channels(colour);
        self.content.set_fill_rgb(red, green, blue);
    }

    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let (left, bottom) = self.at((x, y + height));
        self.content.rect(left, bottom, width as f32, height as f32).fill_nonzero();
    }

    fn path(&mut self, points: &[(f64, f64)]) {
        for (index, point) in points.iter().enumerate() {
            let (x, y) = self.at(*point);
            let _ = match index {
                0 => self.content.move_to(x, y),
                _ => self.content.line_to(x, y),
            };
        }
    }

    fn line(&mut self, points: &[(f64, f64)], stroke: Stroke) {
        let [red, green, blue] = channels(stroke.colour);
        self.content.set_stroke_rgb(red, green, blue).set_line_width(stroke.width as f32);
        self.content.set_dash_pattern(stroke.dashes.iter().map(|length| *length as f32), 0.0);
        self.path(points);
        self.content.stroke();
    }

    fn circle(&mut self, (x, y): (f64, f64), radius: f64) {
        let bend = 0.552_284_75;
        let at = |sheet: &Self, dx: f64, dy: f64| sheet.at((x + dx * radius, y + dy * radius));
        let corners = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)];
        let (right, middle) = at(self, 1.0, 0.0);
        self.content.move_to(right, middle);
        for quarter in corners.windows(2) {
            let ((ax, ay), (bx, by)) = (quarter[0], quarter[1]);
            let first = at(self, ax + bend * bx, ay + bend * by);
            let second = at(self, bx + bend * ax, by + bend * ay);
            let end = at(self, bx, by);
            self.content.cubic_to(first.0, first.1, second.0, second.1, end.0, end.1);
        }
        self.content.close_path();
    }

    fn area(&mut self, paint: Paint, path: impl FnOnce(&mut Self)) {
        self.content.save_state();
        self.fill(paint.fill);
        if paint.opacity < 1.0 {
            self.content.set_parameters(FAINT.1);
        }
        path(self);
        if let Some(edge) = paint.edge {
            let [red, green, blue] = channels(edge);
            self.content.set_stroke_rgb(red, green, blue).set_line_width(1.0);
            self.content.set_dash_pattern([], 0.0).fill_nonzero_and_stroke();
        } else {
            self.content.fill_nonzero();
        }
        self.content.restore_state();
    }

    fn write(&mut self, at: (f64, f64), text: &str, words: Words, fonts: &Fonts, used: &Used<'_>) {
        let run = fonts.of(words.bold).run(text);
        let lead = lead(words.anchor, &run, words.size);
        let (sin, cos) = words.turned.to_radians().sin_cos();
        let (x, y) = self.at((at.0 - lead * cos, at.1 - lead * sin));
        let letters = run.letters.iter();
        let numbers: Vec<u8> =
            letters.flat_map(|(_, glyph, _)| used.number(*glyph).to_be_bytes()).collect();
        self.fill(words.colour);
        let (sin, cos) = (sin as f32, cos as f32);
        self.content
            .begin_text()
            .set_font(FONTS[usize::from(words.bold)].1, words.size as f32)
            .set_text_matrix([cos, -sin, sin, cos, x, y])
            .show(Str(&numbers))
            .end_text();
    }
}

fn channels(Rgb(red, green, blue): Rgb) -> [f32; 3] {
    [red, green, blue].map(|channel| f32::from(channel) / 255.0)
}

fn deflated(bytes: &[u8]) -> Result<Vec<u8>, FigureFormatError> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.map_err(|error| FigureFormatError::Encoding(error.to_string()))
}
