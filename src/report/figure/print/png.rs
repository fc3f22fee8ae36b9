//! Writes a drawing as PNG, 300 pixels to the inch.

use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use ttf_parser::OutlineBuilder;
use zeno::{Command, Join, Mask, Style, Vector};

use super::font::Fonts;
use super::{fonts_for, lead};
use crate::colour::Rgb;
use crate::report::figure::canvas::{Canvas, Paint, Shape, Words};
use crate::report::figure::format::FigureFormatError;

/// Pixels of a point.
const SCALE: f64 = 300.0 / 72.0;

/// Pixels of a metre, which the file states.
const PER_METRE: u32 = 11_811;

/// The most pixels of a picture.
const MOST: u64 = 200_000_000;

/// The drawing as a PNG file.
pub(in crate::report::figure) fn png(canvas: &Canvas) -> Result<Vec<u8>, FigureFormatError> {
    let [width, height] =
        [canvas.width, canvas.height].map(|length| (length * SCALE).ceil().max(1.0) as u32);
    let pixels = u64::from(width) * u64::from(height);
    if pixels > MOST {
        return Err(FigureFormatError::TooLarge(pixels / 1_000_000));
    }
    let fonts = fonts_for(canvas)?;
    let Rgb(red, green, blue) = canvas.inks.ground;
    let pixels = [red, green, blue].repeat(pixels as usize);
    let mut picture = Picture { width, height, pixels };
    for shape in &canvas.shapes {
        picture.draw(shape, &fonts);
    }
    encoded(&picture).map_err(|error| FigureFormatError::Encoding(error.to_string()))
}

struct Picture {
    width: u32,
    height: u32,
    /// Red, green and blue of every pixel.
    pixels: Vec<u8>,
}

impl Picture {
    fn draw(&mut self, shape: &Shape, fonts: &Fonts) {
        match shape {
            Shape::Rect { at, size, fill } => {
                let (right, bottom) = (at.0 + size.0, at.1 + size.1);
                let corners = [*at, (right, at.1), (right, bottom), (at.0, bottom)];
                self.fill(&closed(&corners), *fill, 1.0);
            }
            Shape::Line { points, stroke } => {
                let dashes: Vec<f32> =
                    stroke.dashes.iter().map(|length| (length * SCALE) as f32).collect();
                let mut style = zeno::Stroke::new((stroke.width * SCALE) as f32);
                style.join(Join::Round).dash(&dashes, 0.0);
                self.paint(&path(points), &style, stroke.colour, 1.0);
            }
            Shape::Polygon { corners, paint } => self.area(&closed(corners), *paint),
            Shape::Circle { middle, radius, paint } => self.area(&circle(*middle, *radius), *paint),
            Shape::Text { at, text, words } => self.write(*at, text, *words, fonts),
        }
    }

    fn area(&mut self, path: &[Command], paint: Paint) {
        self.fill(path, paint.fill, paint.opacity);
        if let Some(edge) = paint.edge {
            self.paint(path, &zeno::Stroke::new(SCALE as f32), edge, 1.0);
        }
    }

    fn write(&mut self, at: (f64, f64), text: &str, words: Words, fonts: &Fonts) {
        let font = fonts.of(words.bold);
        let run = font.run(text);
        let (sin, cos) = words.turned.to_radians().sin_cos();
        let lead = lead(words.anchor, &run, words.size);
        let unit = words.size * SCALE / font.units();
        for (_, glyph, offset) in &run.letters {
            let along = offset * words.size - lead;
            let origin = ((at.0 + along * cos) * SCALE, (at.1 + along * sin) * SCALE);
            let mut outline =
                Outline { path: Vec::new(), origin, cos: cos * unit, sin: sin * unit };
            font.outline(*glyph, &mut outline);
            if !outline.path.is_empty() {
                self.fill(&outline.path, words.colour, 1.0);
            }
        }
    }

    fn fill(&mut self, path: &[Command], colour: Rgb, opacity: f64) {
        self.paint(path, zeno::Fill::NonZero, colour, opacity);
    }

    /// Lays a colour over the pixels that a path covers.
    fn paint<'s>(
        &mut self,
        path: &[Command],
        style: impl Into<Style<'s>>,
        colour: Rgb,
        opacity: f64,
    ) {
        let (mask, placement) = Mask::new(path).style(style).render();
        if placement.width == 0 {
            return;
        }
        let rows = mask.chunks_exact(placement.width as usize);
        for (row, y) in rows.zip(placement.top..) {
            let Some(y) = u32::try_from(y).ok().filter(|y| *y < self.height) else { continue };
            for (covered, x) in row.iter().zip(placement.left..) {
                let Some(x) = u32::try_from(x).ok().filter(|x| *x < self.width) else { continue };
                let share = f64::from(*covered) / 255.0 * opacity;
                let first = 3 * (y as usize * self.width as usize + x as usize);
                let pixel = &mut self.pixels[first..first + 3];
                for (channel, over) in pixel.iter_mut().zip([colour.0, colour.1, colour.2]) {
                    let mixed = f64::from(*channel) * (1.0 - share) + f64::from(over) * share;
                    *channel = mixed.round() as u8;
                }
            }
        }
    }
}

/// A point of the drawing in pixels.
fn pixel((x, y): (f64, f64)) -> Vector {
    Vector::new((x * SCALE) as f32, (y * SCALE) as f32)
}

fn path(points: &[(f64, f64)]) -> Vec<Command> {
    let step = |(index, point): (usize, &(f64, f64))| match index {
        0 => Command::MoveTo(pixel(*point)),
        _ => Command::LineTo(pixel(*point)),
    };
    points.iter().enumerate().map(step).collect()
}

fn closed(corners: &[(f64, f64)]) -> Vec<Command> {
    let mut path = path(corners);
    path.push(Command::Close);
    path
}

/// Four curves that are a circle to within a thousandth of its radius.
fn circle((x, y): (f64, f64), radius: f64) -> Vec<Command> {
    let bend = 0.552_284_75;
    let at = |dx: f64, dy: f64| pixel((x + dx * radius, y + dy * radius));
    let quarter = |from: (f64, f64), to: (f64, f64)| {
        Command::CurveTo(
            at(from.0 + bend * to.0, from.1 + bend * to.1),
            at(to.0 + bend * from.0, to.1 + bend * from.1),
            at(to.0, to.1),
        )
    };
    vec![
        Command::MoveTo(at(1.0, 0.0)),
        quarter((1.0, 0.0), (0.0, 1.0)),
        quarter((0.0, 1.0), (-1.0, 0.0)),
        quarter((-1.0, 0.0), (0.0, -1.0)),
        quarter((0.0, -1.0), (1.0, 0.0)),
        Command::Close,
    ]
}

/// Takes down the outline of a letter in pixels: turned, and upwards from its baseline.
struct Outline {
    path: Vec<Command>,
    origin: (f64, f64),
    cos: f64,
    sin: f64,
}

impl Outline {
    fn at(&self, x: f32, y: f32) -> Vector {
        let (x, y) = (f64::from(x), f64::from(y));
        let across = self.origin.0 + x * self.cos + y * self.sin;
        let down = self.origin.1 + x * self.sin - y * self.cos;
        Vector::new(across as f32, down as f32)
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.push(Command::MoveTo(self.at(x, y)));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.push(Command::LineTo(self.at(x, y)));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.push(Command::QuadTo(self.at(x1, y1), self.at(x, y)));
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second) = (self.at(x1, y1), self.at(x2, y2));
        self.path.push(Command::CurveTo(first, second, self.at(x, y)));
    }

    fn close(&mut self) {
        self.path.push(Command::Close);
    }
}

/// The picture as a PNG file: 8 bits of red, green and blue.
fn encoded(picture: &Picture) -> std::io::Result<Vec<u8>> {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = [picture.width.to_be_bytes(), picture.height.to_be_bytes()].concat();
    chunk(&mut file, *b"IHDR", &[&size[..], &[8, 2, 0, 0, 0]].concat());
    let per_metre = PER_METRE.to_be_bytes();
    chunk(&mut file, *b"pHYs", &[&per_metre[..], &per_metre[..], &[1]].concat());
    let mut lines = ZlibEncoder::new(Vec::new(), Compression::default());
    for line in picture.pixels.chunks(3 * picture.width as usize) {
        // A line begins with its filter: none.
        lines.write_all(&[0])?;
        lines.write_all(line)?;
    }
    chunk(&mut file, *b"IDAT", &lines.finish()?);
    chunk(&mut file, *b"IEND", &[]);
    Ok(file)
}

fn chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let mut sum = Crc::new();
    sum.update(&kind);
    sum.update(data);
    file.extend((data.len() as u32).to_be_bytes());
    file.extend(kind);
    file.extend(data);
    file.extend(sum.sum().to_be_bytes());
}
