//! Writes a drawing as SVG.

use std::fmt::Write as _;

use super::canvas::{Anchor, Canvas, Paint, Shape, Stroke, Words};
use crate::text::{visible, xml};

/// Fonts that papers and browsers have, of the same widths as far as possible.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// The drawing as a standalone SVG.
pub(super) fn svg(canvas: &Canvas, title: &str) -> String {
    let (width, height) = (number(canvas.width), number(canvas.height));
    let mut body = String::new();
    canvas.shapes.iter().for_each(|shape| draw(&mut body, shape));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"{width}pt\" height=\"{height}pt\" \
         viewBox=\"0 0 {width} {height}\" stroke-linejoin=\"round\" \
         font-family=\"{FONTS}\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"{}\"/>\n{body}</svg>\n",
        xml(&visible(title)),
        canvas.inks.ground.css(),
    )
}

fn draw(body: &mut String, shape: &Shape) {
    // Writing to a string cannot fail.
    let _ = match shape {
        Shape::Text { at, text, words } => return draw_text(body, *at, text, *words),
        Shape::Rect { at, size, fill } => writeln!(
            body,
            r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>"#,
            number(at.0),
            number(at.1),
            number(size.0),
            number(size.1),
            fill.css(),
        ),
        Shape::Line { points, stroke } => return draw_line(body, points, *stroke),
        Shape::Polygon { corners, paint } => {
            let corners: Vec<String> =
                corners.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
            writeln!(body, r#"<polygon points="{}" {}/>"#, corners.join(" "), painted(*paint))
        }
        Shape::Circle { middle, radius, paint } => writeln!(
            body,
            r#"<circle cx="{}" cy="{}" r="{}" {}/>"#,
            number(middle.0),
            number(middle.1),
            number(*radius),
            painted(*paint),
        ),
    };
}

fn draw_text(body: &mut String, (x, y): (f64, f64), text: &str, words: Words) {
    let Words { anchor, size, colour, bold, turned } = words;
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let bold = if bold { " font-weight=\"bold\"" } else { "" };
    let turned = if turned == 0.0 {
        String::new()
    } else {
        format!(" transform=\"rotate({} {} {})\"", number(turned), number(x), number(y))
    };
    let _ = writeln!(
        body,
        r#"<text x="{}" y="{}" font-size="{}" text-anchor="{anchor}" fill="{}"{bold}{turned}>{}</text>"#,
        number(x),
        number(y),
        number(size),
        colour.css(),
        xml(text),
    );
}

fn draw_line(body: &mut String, points: &[(f64, f64)], stroke: Stroke) {
    let mut path = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let step = if index == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{step}{} {}", number(*x), number(*y));
    }
    let dashes: Vec<String> = stroke.dashes.iter().copied().map(number).collect();
    let dashes = match dashes.len() {
        0 => String::new(),
        _ => format!(" stroke-dasharray=\"{}\"", dashes.join(" ")),
    };
    let _ = writeln!(
        body,
        r#"<path d="{path}" fill="none" stroke="{}" stroke-width="{}"{dashes}/>"#,
        stroke.colour.css(),
        number(stroke.width),
    );
}

fn painted(paint: Paint) -> String {
    let mut text = format!("fill=\"{}\"", paint.fill.css());
    if paint.opacity < 1.0 {
        let _ = write!(text, " fill-opacity=\"{}\"", number(paint.opacity));
    }
    if let Some(edge) = paint.edge {
        let _ = write!(text, " stroke=\"{}\" stroke-width=\"1\"", edge.css());
    }
    text
}

/// A length with at most two decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Shade;
    use crate::report::figure::canvas::series;

    #[test]
    fn words_of_others_are_escaped() {
        let mut canvas = Canvas::new(10.0, 10.0, Shade::Light);
        canvas.text((1.0, 2.0), "<b>&\u{1b}", canvas.words(Anchor::Start));
        let svg = svg(&canvas, "a < b");
        assert!(svg.contains("&lt;b&gt;&amp;␛</text>") && svg.contains("<title>a &lt; b</title>"));
    }

    #[test]
    fn lines_are_paths_with_dashes() {
        let mut canvas = Canvas::new(10.0, 10.0, Shade::Light);
        canvas.line(&[(3.0, 1.0), (4.0, 0.126)], series(1, Shade::Light));
        let svg = svg(&canvas, "");
        assert!(svg.contains("M3 1L4 0.13") && svg.contains("stroke-dasharray=\"4 1.6\""), "{svg}");
    }

    #[test]
    fn lengths_are_short() {
        assert_eq!([0.0, -0.001, 1.5, 12.346].map(number), ["0", "0", "1.5", "12.35"]);
    }
}
