//! What every figure must have, on a demo store: words inside the sheet and apart from each other, the
//! number of tasks, and both shades.

use std::sync::LazyLock;

use super::canvas::{Anchor, COLUMN, PAGE, Shape, Words};
use super::letters::text_width;
use super::*;
use crate::demo::{self, DemoOptions};

/// A store like the paper's, with few tasks.
static DEMO: LazyLock<(tempfile::TempDir, Store, Engine)> = LazyLock::new(|| {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("demo.qualm");
    demo::write(&path, &DemoOptions { tasks: Some(12), ..DemoOptions::default() }, &|| ())
        .expect("written");
    let store = Store::open(&path).expect("a store");
    let engine = Engine::load(&store, None).expect("an engine");
    (home, store, engine)
});

fn options(shade: Shade) -> FigureOptions {
    let resampling = Resampling { resamples: 40, seed: 0 };
    FigureOptions { shade, resampling, ..FigureOptions::default() }
}

/// An engine with all cells, with one dataset, or with one cell.
fn engines() -> Vec<Engine> {
    let all = &DEMO.2;
    let mut dataset = all.clone();
    dataset.retain(|cell| cell.dataset == "airline", |_| true);
    let mut cell = dataset.clone();
    let model = dataset.frames()[1].cell.model.clone();
    cell.retain(|cell| cell.model == model, |_| true);
    vec![all.clone(), dataset, cell]
}

/// Draws a figure; of two cells that are named where the figure is of some.
fn drawn(kind: FigureKind, engine: &Engine, shade: Shade) -> Option<Figure> {
    let mut options = options(shade);
    if kind == FigureKind::Versus {
        options.pairs = (engine.frames().len() > 1).then(|| vec![[0, 1]]);
        options.pairs.as_ref()?;
    }
    if kind == FigureKind::Reliability {
        options.scorers = vec![Scorer::parse("lnsp.min"), Scorer::parse("vc")];
    }
    let figure = figure(kind, engine, Some(&DEMO.1), &options);
    Some(figure.unwrap_or_else(|why| panic!("{}: {why}", kind.id())))
}

/// Every figure of every engine that has it.
fn all(shade: Shade) -> Vec<(String, Figure)> {
    let engines = engines();
    let each = engines.iter().flat_map(|engine| {
        FigureKind::ALL.into_iter().filter_map(move |kind| {
            let name = format!("{} of {}", kind.id(), together(engine));
            Some((name, drawn(kind, engine, shade)?))
        })
    });
    each.collect()
}

/// The corners of words: left, top, right, bottom.
fn bounds((x, y): (f64, f64), text: &str, words: Words) -> [f64; 4] {
    let width = text_width(text, words.size, words.bold);
    let lead = match words.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => width / 2.0,
        Anchor::End => width,
    };
    let (sin, cos) = words.turned.to_radians().sin_cos();
    // From the foot of a comma to the top of a capital.
    let corners = [-lead, width - lead].into_iter().flat_map(|along| {
        [0.15, -0.72].map(|down| {
            let down = down * words.size;
            (x + along * cos - down * sin, y + along * sin + down * cos)
        })
    });
    corners.fold(
        [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY],
        |box_, (x, y)| [box_[0].min(x), box_[1].min(y), box_[2].max(x), box_[3].max(y)],
    )
}

fn texts(figure: &Figure) -> Vec<(&str, Words, [f64; 4])> {
    let shapes = figure.canvas.shapes.iter();
    shapes
        .filter_map(|shape| match shape {
            Shape::Text { at, text, words } => {
                Some((text.as_str(), *words, bounds(*at, text, *words)))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn words_are_inside_the_sheet_and_apart_from_each_other() {
    let mut problems = Vec::new();
    for (name, figure) in all(Shade::Light) {
        let (width, height) = figure.size();
        let texts = texts(&figure);
        for (text, _, [left, top, right, bottom]) in &texts {
            if *left < 0.0 || *top < 0.0 || *right > width || *bottom > height {
                problems.push(format!(
                    "{name}: `{text}` at {left:.0} {top:.0} {right:.0} {bottom:.0} of {width:.0} {height:.0}"
                ));
            }
        }
        // Turned words lie within boxes that are mostly empty.
        let level: Vec<_> = texts.iter().filter(|(_, words, _)| words.turned == 0.0).collect();
        for (index, (one, _, a)) in level.iter().enumerate() {
            for (other, _, b) in &level[index + 1..] {
                if a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3] {
                    problems.push(format!("{name}: `{one}` and `{other}` overlap"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn long_names_stay_inside_the_sheet() {
    let engines = engines();
    let frames = engines[1].frames().iter().take(3).enumerate();
    let renamed = frames.map(|(index, frame)| {
        let mut frame = frame.clone();
        frame.cell.dataset =
            format!("{index}-a-benchmark-with-a-very-long-name-{}", "x".repeat(60));
        frame.cell.model = format!("a model with a very long name {index} {}", "Wide ".repeat(12));
        frame
    });
    let engine = Engine::from_frames(renamed.collect());
    for kind in FigureKind::ALL {
        let Some(figure) = drawn(kind, &engine, Shade::Light) else { continue };
        let (width, height) = figure.size();
        for (text, _, [left, top, right, bottom]) in texts(&figure) {
            let inside = left >= 0.0 && top >= 0.0 && right <= width && bottom <= height;
            assert!(inside, "{}: `{text}` at {left:.0} {top:.0} {right:.0} {bottom:.0}", kind.id());
        }
    }
}

#[test]
fn figures_fit_a_column_or_a_page_and_are_legible_there() {
    for (name, figure) in all(Shade::Light) {
        let (width, height) = figure.size();
        assert!(width <= PAGE + 0.1, "{name}: {width}");
        // Many cells, or many panels beside each other.
        let is_wide = name.contains("20 cells") || name.starts_with("samples of airline: 5");
        assert!(is_wide || width <= COLUMN + 0.1, "{name}: {width}");
        assert!(height < 9.0 * 72.0, "{name}: {height}");
        for (text, words, _) in texts(&figure) {
            assert!(words.size >= 5.0, "{name}: {text}");
        }
    }
}

#[test]
fn every_figure_says_of_how_many_tasks_it_is() {
    for (name, figure) in all(Shade::Light) {
        let counts = |text: &str| {
            let words: Vec<&str> = text.split([' ', ',', '·', ':']).collect();
            words.contains(&"n") || text.contains(", n ")
        };
        assert!(texts(&figure).iter().any(|(text, ..)| counts(text)), "{name}");
    }
}

#[test]
fn dark_figures_show_the_same_in_other_colours_and_words_have_contrast() {
    let [light, dark] = [Shade::Light, Shade::Dark].map(all);
    assert_eq!(light.len(), dark.len());
    for ((name, light), (_, dark)) in light.iter().zip(&dark) {
        assert_ne!(light.svg(), dark.svg(), "{name}");
        let words = |figure: &Figure| -> Vec<String> {
            texts(figure).iter().map(|(text, ..)| (*text).to_owned()).collect()
        };
        assert_eq!(words(light), words(dark), "{name}");
        for figure in [light, dark] {
            let ground = figure.canvas.inks.ground;
            for (text, words, bounds) in texts(figure) {
                // Words in a box of a heatmap stand on its colour.
                let (x, y) =
                    (f64::midpoint(bounds[0], bounds[2]), f64::midpoint(bounds[1], bounds[3]));
                let mut below = figure.canvas.shapes.iter().filter_map(|shape| match shape {
                    Shape::Rect { at, size, fill }
                        if at.0 < x && x < at.0 + size.0 && at.1 < y && y < at.1 + size.1 =>
                    {
                        Some(*fill)
                    }
                    _ => None,
                });
                let ground = below.next_back().unwrap_or(ground);
                assert!(words.colour.contrast(ground) >= 4.5, "{name}: {text}");
            }
        }
    }
}

#[test]
fn the_same_figure_is_the_same_file() {
    for kind in FigureKind::ALL {
        let engine = &engines()[1];
        let again = || drawn(kind, engine, Shade::Light).expect("drawn").svg();
        assert_eq!(again(), again(), "{}", kind.id());
    }
}

/// The elements of an SVG are closed in the order in which they are opened, and nothing in it is a loose
/// sign of XML.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        let between = &rest[..start];
        assert!(!between.contains('>'), "{between}");
        for part in between.split('&').skip(1) {
            let known = ["lt;", "gt;", "amp;", "quot;", "#"];
            assert!(known.iter().any(|entity| part.starts_with(entity)), "&{part}");
        }
        let end = start + rest[start..].find('>').expect("an end");
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<') && tag.matches('"').count().is_multiple_of(2), "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a name"));
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

#[test]
fn every_figure_is_well_formed_xml() {
    for (name, figure) in all(Shade::Light) {
        let svg = figure.svg();
        assert_well_formed(&svg);
        assert!(svg.starts_with("<svg xmlns") && svg.contains("<title>"), "{name}");
    }
}

#[test]
fn what_a_figure_lacks_is_said() {
    let empty = Engine::from_frames(Vec::new());
    for kind in FigureKind::ALL {
        let why =
            figure(kind, &empty, None, &options(Shade::Light)).expect_err("nothing").to_string();
        assert!(why.contains("; ") && !why.contains('\n'), "{}: {why}", kind.id());
    }
    let unclear = figure(FigureKind::Versus, &DEMO.2, None, &options(Shade::Light));
    let why = unclear.expect_err("20 cells").to_string();
    assert_eq!(
        why,
        "which cells to compare is not clear; name both, such as --baseline MODEL --candidate MODEL"
    );
}

#[cfg(feature = "figures")]
mod files {
    use std::io::Read as _;
    use std::process::Command;

    use super::*;
    use crate::colour::Rgb;

    fn number(bytes: &[u8]) -> u32 {
        u32::from_be_bytes(bytes.try_into().expect("four bytes"))
    }

    /// Width, height, and the pixels of a PNG without filters.
    fn decoded(png: &[u8]) -> (u32, u32, Vec<u8>) {
        assert_eq!(png[..8], *b"\x89PNG\r\n\x1a\n");
        let (mut at, mut size, mut data) = (8, (0, 0), Vec::new());
        while at < png.len() {
            let length = number(&png[at..at + 4]) as usize;
            let (kind, body) = (&png[at + 4..at + 8], &png[at + 8..at + 8 + length]);
            let mut sum = flate2::Crc::new();
            sum.update(&png[at + 4..at + 8 + length]);
            assert_eq!(number(&png[at + 8 + length..at + 12 + length]), sum.sum());
            match kind {
                b"IHDR" => size = (number(&body[..4]), number(&body[4..8])),
                b"IDAT" => {
                    let mut decoder = flate2::read::ZlibDecoder::new(body);
                    decoder.read_to_end(&mut data).expect("inflated");
                }
                _ => {}
            }
            at += 12 + length;
        }
        let line = 1 + 3 * size.0 as usize;
        assert_eq!(data.len(), line * size.1 as usize);
        let pixels = data.chunks(line).flat_map(|line| line[1..].iter().copied()).collect();
        (size.0, size.1, pixels)
    }

    #[test]
    fn a_png_has_300_pixels_to_the_inch_and_what_is_drawn() {
        let engine = &engines()[2];
        for (shade, ground) in [(Shade::Light, 0xff), (Shade::Dark, 0x17)] {
            let figure = drawn(FigureKind::Roc, engine, shade).expect("drawn");
            let (width, height, pixels) =
                decoded(&figure.bytes(FigureFormat::Png).expect("a picture"));
            assert_eq!(width, 990, "3.3 inches");
            assert_eq!(height, (figure.size().1 / 72.0 * 300.0).ceil() as u32);
            assert_eq!(pixels[0], ground);
            let drawn = pixels.chunks(3).filter(|pixel| pixel[0] != ground).count();
            assert!((2_000..width as usize * height as usize * 3 / 4).contains(&drawn), "{drawn}");
        }
    }

    #[test]
    fn a_disc_is_round_and_in_its_colour() {
        let mut canvas = Canvas::new(24.0, 24.0, Shade::Light);
        canvas.shaped_mark(0, (12.0, 12.0), Rgb(10, 20, 200), false);
        let (width, _, pixels) = decoded(
            &Figure { title: String::new(), canvas }.bytes(FigureFormat::Png).expect("a picture"),
        );
        let at = |x: u32, y: u32| {
            let first = 3 * (y * width + x) as usize;
            [pixels[first], pixels[first + 1], pixels[first + 2]]
        };
        assert_eq!(at(50, 50), [10, 20, 200]);
        // Its radius is 2.1 points, 8.75 pixels.
        assert_eq!((at(50 + 7, 50), at(50, 50 - 8)), ([10, 20, 200], [10, 20, 200]));
        assert_eq!((at(50 + 10, 50), at(50 + 7, 50 + 7)), ([255; 3], [255; 3]));
    }

    #[test]
    fn a_pdf_has_its_words_as_text_with_the_letters_embedded() {
        let engine = &engines()[1];
        for kind in FigureKind::ALL {
            let figure = drawn(kind, engine, Shade::Light).expect("drawn");
            let pdf = figure.bytes(FigureFormat::Pdf).expect("a file");
            assert!(pdf.starts_with(b"%PDF-"), "{}", kind.id());
            let has =
                |words: &str| pdf.windows(words.len()).any(|window| window == words.as_bytes());
            for part in ["/FontFile2", "/ToUnicode", "+LiberationSans", "/Title"] {
                assert!(has(part), "{}: {part}", kind.id());
            }
            assert!(!has("/CreationDate") && pdf.len() < 80_000, "{}: {}", kind.id(), pdf.len());
            assert_eq!(figure.bytes(FigureFormat::Pdf).expect("a file"), pdf);
        }
    }

    #[test]
    fn programs_read_the_words_of_a_pdf() {
        let figure = drawn(FigureKind::Grid, &engines()[1], Shade::Light).expect("drawn");
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("a.pdf");
        std::fs::write(&path, figure.bytes(FigureFormat::Pdf).expect("a file")).expect("written");
        let Ok(read) = Command::new("pdftotext").arg("-raw").arg(&path).arg("-").output() else {
            return eprintln!("skipped: pdftotext is not installed");
        };
        let read = String::from_utf8(read.stdout).expect("text");
        let letters = |text: &str| text.split_whitespace().collect::<String>();
        let read = letters(&read);
        for (text, words, _) in texts(&figure) {
            // Turned words are read letter by letter.
            assert!(words.turned != 0.0 || read.contains(&letters(text)), "{text}");
        }
    }

    #[test]
    fn letters_that_the_font_lacks_are_refused() {
        let mut canvas = Canvas::new(90.0, 20.0, Shade::Light);
        canvas.text((2.0, 12.0), "模型 a 型", canvas.words(Anchor::Start));
        let figure = Figure { title: String::new(), canvas };
        for format in [FigureFormat::Png, FigureFormat::Pdf] {
            let why = figure.bytes(format).expect_err("refused").to_string();
            assert!(
                why.starts_with("the embedded font lacks the letters 型 模; write an .svg"),
                "{why}"
            );
        }
        assert!(figure.bytes(FigureFormat::Svg).is_ok());
    }

    #[test]
    fn a_picture_of_very_many_pixels_is_refused() {
        let canvas = Canvas::new(9000.0, 9000.0, Shade::Light);
        let figure = Figure { title: String::new(), canvas };
        let why = figure.bytes(FigureFormat::Png).expect_err("refused").to_string();
        assert!(why.starts_with("the picture would have 1406 million pixels; "), "{why}");
    }
}
