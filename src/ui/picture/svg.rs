//! Renders a screen as a standalone SVG.

mod animation;
mod shape;

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};

use super::{Glyph, Look, palette_index, rows};
use crate::text::{visible, width, xml};
use crate::ui::theme::{Rgb, Shade, xterm};
pub use animation::Frame;
use animation::Timeline;

/// Sizes in tenths of a pixel, which keep the grid exact.
const CELL: (u32, u32) = (84, 180);
const MARGIN: u32 = 140;
const TITLE_BAR: u32 = 320;

/// The distance from the top of a cell to the baseline of its letters.
const BASELINE: u32 = 135;

const FONTS: &str = "'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/// How a picture is drawn.
#[derive(Clone, Debug, Default)]
pub struct SvgOptions {
    /// The background of the window.
    pub shade: Shade,
    /// The title above the screen, also for screen readers; may be empty.
    pub title: String,
}

/// The colours of the window, and the 16 named colours.
struct Palette {
    window: Rgb,
    text: Rgb,
    frame: Rgb,
    named: [u32; 16],
}

const DARK: Palette = Palette {
    window: Rgb::hex(0x17_19_1c),
    text: Rgb::hex(0xd9_dc_e1),
    frame: Rgb::hex(0x3a_3e_45),
    named: [
        0x17_19_1c, 0xe0_6c_5f, 0x7f_c1_7a, 0xd9_b2_55, 0x4f_86_d9, 0xb9_8c_e6, 0x5c_bc_c4,
        0xc3_c7_cd, 0x76_7c_86, 0xf7_93_86, 0xa3_d9_9c, 0xf2_d4_80, 0x86_b4_f5, 0xd3_b3_f7,
        0x8c_dd_e3, 0xfa_fb_fc,
    ],
};

const LIGHT: Palette = Palette {
    window: Rgb::hex(0xfb_fa_f7),
    text: Rgb::hex(0x24_27_2b),
    frame: Rgb::hex(0xcf_cb_c2),
    named: [
        0x24_27_2b, 0xb0_2e_22, 0x2f_73_2c, 0xd1_a0_28, 0x1f_5f_b0, 0x87_3c_a8, 0x2a_9d_a8,
        0xd8_d5_cd, 0x75_74_70, 0xcf_4a_3c, 0x4a_92_46, 0xe6_c1_5a, 0x4b_86_d0, 0xa5_63_c4,
        0x5f_be_c7, 0xfb_fa_f7,
    ],
};

/// Consecutive symbols that are painted alike.
#[derive(PartialEq, Eq)]
struct Stretch {
    column: u16,
    columns: u16,
    text: String,
    paint: Paint,
    kind: GlyphKind,
}

/// A look with its colours resolved.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Paint {
    fg: Rgb,
    bg: Rgb,
    modifier: Modifier,
}

/// How a symbol is painted. Only letters of one font share a stretch; other symbols are painted alone,
/// since a browser takes them from fonts of other widths or writes them from right to left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GlyphKind {
    Letters,
    /// Lines and blocks, drawn as shapes because a font leaves seams between them.
    Drawn,
    Alone,
}

/// The screen as a standalone SVG.
pub fn svg(buffer: &Buffer, options: &SvgOptions) -> String {
    animated_svg(&[Frame { buffer: buffer.clone(), caption: String::new(), tenths: 0 }], options)
}

/// Screens of one size, one after the other, as a standalone SVG that moves without a script. What stays
/// the same from frame to frame is drawn once. Where nothing moves, the last frame is seen.
pub fn animated_svg(frames: &[Frame], options: &SvgOptions) -> String {
    let palette = match options.shade {
        Shade::Dark => &DARK,
        Shade::Light => &LIGHT,
    };
    let title = xml(&visible(&options.title));
    let top = if title.is_empty() { MARGIN } else { TITLE_BAR };
    let area = frames.first().map_or(Rect::ZERO, |frame| frame.buffer.area);
    let width = u32::from(area.width) * CELL.0 + 2 * MARGIN;
    let height = u32::from(area.height) * CELL.1 + top + MARGIN;

    let mut timeline = Timeline::new(frames);
    let mut screens: Vec<Vec<Vec<Stretch>>> = Vec::with_capacity(frames.len());
    for frame in frames {
        screens.push(rows(&frame.buffer).map(|row| stretches(&row, palette)).collect());
    }
    // Backgrounds come first, so that none covers a letter that extends beyond its cell.
    let (mut under, mut over) = (String::new(), String::new());
    for (index, y) in (0..usize::from(area.height)).zip((top..).step_by(CELL.1 as usize)) {
        for (row, shown) in timeline.distinct(screens.iter().map(|screen| &screen[index])) {
            let mut painted = String::new();
            backgrounds(&mut painted, row, y, palette);
            timeline.put(&mut under, shown, &painted);
            painted.clear();
            row.iter().for_each(|stretch| letters(&mut painted, stretch, y));
            timeline.put(&mut over, shown, &painted);
        }
    }
    if !title.is_empty() {
        captions(&mut over, &mut timeline, frames, width, palette);
    }

    let mut svg = String::new();
    let is_captioned = frames.iter().any(|frame| !frame.caption.is_empty());
    let title_at = if is_captioned { (MARGIN, "start") } else { (width / 2, "middle") };
    window(&mut svg, (width, height), (&title, title_at), palette);
    svg.push_str(&timeline.style());
    let _ = writeln!(svg, "{under}{over}</svg>");
    svg
}

/// The element itself, and the window with its title, which stands at a place.
fn window(
    svg: &mut String,
    (width, height): (u32, u32),
    (title, (x, anchor)): (&str, (u32, &str)),
    palette: &Palette,
) {
    let (wide, high) = (pixels(width), pixels(height));
    let _ = writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}" font-family="{FONTS}" font-size="14">"#
    );
    if !title.is_empty() {
        let _ = writeln!(svg, "<title>{title}</title>");
    }
    let _ = writeln!(
        svg,
        r#"<rect x="0.5" y="0.5" width="{}" height="{}" rx="8" fill="{}" stroke="{}"/>"#,
        pixels(width - 10),
        pixels(height - 10),
        palette.window.css(),
        palette.frame.css(),
    );
    if !title.is_empty() {
        let _ = writeln!(
            svg,
            r#"<text x="{}" y="20.5" text-anchor="{anchor}" font-size="12" fill="{}">{title}</text>"#,
            pixels(x),
            palette.text.towards(palette.window, 0.4).css(),
        );
    }
}

/// The caption of every frame, at the right of the title bar.
fn captions(
    svg: &mut String,
    timeline: &mut Timeline,
    frames: &[Frame],
    width: u32,
    palette: &Palette,
) {
    for (caption, shown) in timeline.distinct(frames.iter().map(|frame| &frame.caption)) {
        if caption.is_empty() {
            continue;
        }
        let text = format!(
            "<text x=\"{}\" y=\"20.5\" text-anchor=\"end\" font-weight=\"bold\" fill=\"{}\">{}</text>\n",
            pixels(width - MARGIN),
            palette.text.css(),
            xml(&visible(caption)),
        );
        timeline.put(svg, shown, &text);
    }
}

/// Splits a row into stretches of one look and kind.
fn stretches(row: &[Glyph<'_>], palette: &Palette) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for Glyph { symbol, column, columns, look } in row {
        let paint = palette.paint(*look);
        let kind = GlyphKind::of(symbol);
        match stretches.last_mut() {
            Some(stretch)
                if stretch.paint == paint && stretch.kind == kind && kind != GlyphKind::Alone =>
            {
                stretch.columns += columns;
                stretch.text.push_str(symbol);
            }
            _ => stretches.push(Stretch {
                column: *column,
                columns: *columns,
                text: symbol.to_string(),
                paint,
                kind,
            }),
        }
    }
    stretches
}

/// Draws one rectangle for adjacent stretches with the same background.
fn backgrounds(svg: &mut String, row: &[Stretch], y: u32, palette: &Palette) {
    for same in row.chunk_by(|one, next| one.paint.bg == next.paint.bg) {
        let bg = same[0].paint.bg;
        if bg == palette.window {
            continue;
        }
        let columns = same.iter().map(|stretch| u32::from(stretch.columns)).sum::<u32>();
        let at = (u32::from(same[0].column) * CELL.0 + MARGIN, y);
        rect(svg, at, (columns * CELL.0, CELL.1), bg);
    }
}

fn letters(svg: &mut String, stretch: &Stretch, y: u32) {
    let Paint { fg, modifier, .. } = stretch.paint;
    if modifier.contains(Modifier::HIDDEN) {
        return;
    }
    let x = u32::from(stretch.column) * CELL.0 + MARGIN;
    // Drawn as rectangles, since fonts and browsers place these lines differently.
    for (line, below) in [(Modifier::UNDERLINED, BASELINE + 20), (Modifier::CROSSED_OUT, 90)] {
        if modifier.contains(line) {
            rect(svg, (x, y + below), (u32::from(stretch.columns) * CELL.0, 10), fg);
        }
    }
    if stretch.kind == GlyphKind::Drawn {
        shape::draw(svg, &stretch.text, (x, y), fg);
        return;
    }
    let mut style = String::new();
    if modifier.contains(Modifier::BOLD) {
        style.push_str(r#" font-weight="bold""#);
    }
    if modifier.contains(Modifier::ITALIC) {
        style.push_str(r#" font-style="italic""#);
    }
    for (start, text) in pieces(&stretch.text) {
        let before = width(&stretch.text[..start]) as u32;
        // One symbol alone may be wide; letters are measured.
        let columns = match stretch.kind {
            GlyphKind::Alone => u32::from(stretch.columns),
            _ => width(text) as u32,
        };
        let _ = writeln!(
            svg,
            r#"<text x="{}" y="{}" textLength="{}" lengthAdjust="spacingAndGlyphs" fill="{}"{style}>{}</text>"#,
            pixels(x + before * CELL.0),
            pixels(y + BASELINE),
            pixels(columns * CELL.0),
            fg.css(),
            xml(text),
        );
    }
}

/// The parts of a text between runs of spaces, and where they begin. Browsers take runs of spaces for
/// one, and then stretch the letters.
fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for piece in text.split("  ") {
        let trimmed = piece.trim_start_matches(' ');
        let at = start + piece.len() - trimmed.len();
        let trimmed = trimmed.trim_end_matches(' ');
        if !trimmed.is_empty() {
            pieces.push((at, trimmed));
        }
        start += piece.len() + 2;
    }
    pieces
}

/// Draws a rectangle with crisp edges, so that adjacent ones leave no seam.
fn rect(svg: &mut String, (x, y): (u32, u32), (width, height): (u32, u32), fill: Rgb) {
    let _ = writeln!(
        svg,
        r#"<rect x="{}" y="{}" width="{}" height="{}" fill="{}" shape-rendering="crispEdges"/>"#,
        pixels(x),
        pixels(y),
        pixels(width),
        pixels(height),
        fill.css(),
    );
}

impl Palette {
    fn paint(&self, look: Look) -> Paint {
        let (mut fg, mut bg) = (self.rgb(look.fg, self.text), self.rgb(look.bg, self.window));
        if look.modifier.contains(Modifier::REVERSED) {
            (fg, bg) = (bg, fg);
        }
        if look.modifier.contains(Modifier::DIM) {
            fg = fg.towards(bg, 0.4);
        }
        // The colours show these two already, and they would split stretches.
        let modifier = look.modifier - (Modifier::REVERSED | Modifier::DIM);
        Paint { fg, bg, modifier }
    }

    fn rgb(&self, colour: Color, default: Rgb) -> Rgb {
        match colour {
            Color::Reset => default,
            Color::Rgb(red, green, blue) => Rgb(red, green, blue),
            Color::Indexed(index @ 16..) => xterm::rgb(index),
            Color::Indexed(index) => Rgb::hex(self.named[usize::from(index)]),
            named => Rgb::hex(self.named[usize::from(palette_index(named))]),
        }
    }
}

impl GlyphKind {
    fn of(symbol: &str) -> Self {
        match symbol.chars().next() {
            // Latin, Greek and Cyrillic.
            Some(' '..'\u{530}') => Self::Letters,
            Some(c) if shape::is_drawn(c) => Self::Drawn,
            _ => Self::Alone,
        }
    }
}

/// Tenths of a pixel as pixels.
fn pixels(tenths: u32) -> String {
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;

    fn drawn(content: &[(u16, &str, Style)]) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 1));
        for (column, text, style) in content {
            buffer.set_string(*column, 0, text, *style);
        }
        svg(&buffer, &SvgOptions::default())
    }

    #[test]
    fn stretches_are_on_the_grid() {
        let blue = Style::new().fg(Color::Rgb(1, 2, 255)).bg(Color::Indexed(208));
        let svg = drawn(&[(2, "a <b>", blue), (7, " & c", blue.fg(Color::Reset))]);
        assert!(
            svg.contains(
                r##"<text x="30.8" y="27.5" textLength="42" lengthAdjust="spacingAndGlyphs" fill="#0102ff">a &lt;b&gt;</text>"##
            ),
            "{svg}"
        );
        assert!(svg.contains(r#"<text x="81.2" y="27.5" textLength="25.2" "#), "{svg}");
        assert!(svg.contains(">&amp; c</text>"), "{svg}");
        // Both stretches have the same background.
        let rect = r##"<rect x="30.8" y="14" width="75.6" height="18" fill="#ff8700" "##;
        assert_eq!(svg.matches("<rect").count(), 2, "{svg}");
        assert!(svg.contains(rect), "{svg}");
    }

    #[test]
    fn modifiers_are_drawn() {
        let style = |modifier| Style::new().add_modifier(modifier);
        let svg = drawn(&[
            (0, "a", style(Modifier::BOLD | Modifier::ITALIC)),
            (1, " b ", style(Modifier::UNDERLINED | Modifier::CROSSED_OUT)),
            (4, "c", style(Modifier::REVERSED)),
            (5, "d", style(Modifier::HIDDEN)),
            (6, "e", style(Modifier::DIM)),
        ]);
        let text = r##"fill="#d9dce1""##;
        for part in [
            &format!(r#"{text} font-weight="bold" font-style="italic">a<"#),
            r#"<text x="30.8" y="27.5" textLength="8.4""#,
            &format!(r#"<rect x="22.4" y="29.5" width="25.2" height="1" {text} "#),
            &format!(r#"<rect x="22.4" y="23" width="25.2" height="1" {text} "#),
            r##"fill="#17191c">c<"##,
            &format!(r#"height="18" {text} "#),
            r##"fill="#8b8e92">e<"##,
        ] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(!svg.contains(">d<"));
    }

    #[test]
    fn wide_symbols_take_two_cells_with_their_background() {
        let svg = drawn(&[(1, "日本", Style::new().bg(Color::Blue))]);
        assert!(svg.contains(r#"<rect x="22.4" y="14" width="33.6""#), "{svg}");
        assert!(svg.contains(r#"<text x="22.4" y="27.5" textLength="16.8""#), "{svg}");
        assert!(svg.contains(r#"<text x="39.2" y="27.5" textLength="16.8""#), "{svg}");
    }

    #[test]
    fn lines_and_blocks_are_drawn_without_seams() {
        let svg = drawn(&[(0, "─── ▄▄│", Style::new())]);
        assert_eq!(svg.matches("<text").count(), 0, "{svg}");
        for part in [
            r#"<rect x="14" y="22.5" width="25.2" height="1" "#,
            r#"<rect x="47.6" y="23" width="16.8" height="9" "#,
            r#"<rect x="68.1" y="14" width="1" height="18" "#,
        ] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
    }

    #[test]
    fn runs_of_spaces_are_left_out() {
        let pieces_of = |text| pieces(text).into_iter().collect::<Vec<_>>();
        assert_eq!(pieces_of("  0.9  1     12 "), [(2, "0.9"), (7, "1"), (13, "12")]);
        assert_eq!(pieces_of("a b"), [(0, "a b")]);
        assert!(pieces_of("   ").is_empty());
        let svg = drawn(&[(0, "0.9   12", Style::new())]);
        assert!(svg.contains(r#"<text x="64.4" y="27.5" textLength="16.8" "#), "{svg}");
    }

    #[test]
    fn titles_are_escaped() {
        let options = SvgOptions { shade: Shade::Light, title: "<a> \u{ffff}&\u{7}".to_owned() };
        let svg = svg(&Buffer::empty(Rect::new(0, 0, 1, 1)), &options);
        assert!(svg.contains("<title>&lt;a&gt; \u{fffd}&amp;␇</title>"), "{svg}");
        assert!(svg.contains(r##"fill="#fbfaf7""##), "{svg}");
    }
}
