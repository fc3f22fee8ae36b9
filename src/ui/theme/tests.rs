//! Tests that themes are legible, ordered, and distinguishable for colour-blind people.

use ratatui::style::{Color, Style};

use super::*;
use crate::colour::{Rgb, STEPS, distance, diverging, neutral, sequential, times};

/// The contrast that text needs (WCAG 2.2, level AA).
const LEGIBLE: f64 = 4.5;

const SHADES: [Shade; 2] = [Shade::Dark, Shade::Light];

/// Simulations of colour blindness on linear RGB: Machado, Oliveira and Fernandes 2009, "A
/// Physiologically-based Model for Simulation of Color Vision Deficiency", severity 1.0.
const PROTANOPIA: [[f64; 3]; 3] = [
    [0.152_286, 1.052_583, -0.204_868],
    [0.114_503, 0.786_281, 0.099_216],
    [-0.003_882, -0.048_116, 1.051_998],
];
const DEUTERANOPIA: [[f64; 3]; 3] = [
    [0.367_322, 0.860_646, -0.227_968],
    [0.280_085, 0.672_501, 0.047_413],
    [-0.011_820, 0.042_940, 0.968_881],
];
const NORMAL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const EYES: [[[f64; 3]; 3]; 3] = [NORMAL, PROTANOPIA, DEUTERANOPIA];

fn seen(colour: Rgb, eye: &[[f64; 3]; 3]) -> [f64; 3] {
    Rgb::from_linear(times(eye, colour.linear())).lab()
}

fn rgb(colour: Option<Color>) -> Rgb {
    match colour {
        Some(Color::Rgb(red, green, blue)) => Rgb(red, green, blue),
        Some(Color::Indexed(index)) => xterm::rgb(index),
        other => panic!("not an RGB or indexed colour: {other:?}"),
    }
}

/// The steps of a ramp, from -1 to 1.
fn signed() -> impl Iterator<Item = f64> {
    (0..STEPS).map(|step| step as f64 / ((STEPS - 1) / 2) as f64 - 1.0)
}

fn colourful_themes() -> impl Iterator<Item = Theme> {
    SHADES
        .iter()
        .flat_map(|shade| [Depth::True, Depth::Indexed256].map(|depth| Theme::new(*shade, depth)))
}

fn ramps(theme: &Theme) -> [Vec<Style>; 2] {
    [
        signed().map(|t| theme.diverging(t)).collect(),
        signed().map(|t| theme.sequential(f64::midpoint(t, 1.0))).collect(),
    ]
}

#[test]
fn every_heat_cell_is_legible() {
    for theme in colourful_themes() {
        for style in ramps(&theme).iter().flatten() {
            let contrast = rgb(style.fg).contrast(rgb(style.bg));
            assert!(contrast >= LEGIBLE, "{style:?} has {contrast:.2}");
        }
        for t in signed() {
            let style = theme.confidence(f64::midpoint(t, 1.0));
            let contrast = rgb(style.fg).contrast(neutral(theme.shade()));
            assert!(contrast >= LEGIBLE && style.bg.is_none(), "{style:?} has {contrast:.2}");
        }
    }
}

#[test]
fn every_role_is_legible_on_every_background() {
    for theme in colourful_themes() {
        let background = Style::new().bg(match theme.depth() {
            Depth::True => {
                let Rgb(red, green, blue) = neutral(theme.shade());
                Color::Rgb(red, green, blue)
            }
            _ => Color::Indexed(xterm::nearest(neutral(theme.shade()))),
        });
        let texts = [
            theme.brand,
            theme.dim,
            theme.header,
            theme.bar,
            theme.notice,
            theme.key,
            theme.good,
            theme.bad,
            theme.unknown,
            theme.warn,
            theme.error,
            theme.accent,
            theme.pinned,
            theme.prompt,
            theme.footer,
            theme.user,
            theme.tool,
            theme.agent,
        ];
        for back in [background, theme.overlay, theme.title_bar, theme.selected_row] {
            for text in texts {
                let contrast = rgb(text.fg).contrast(rgb(back.bg));
                assert!(contrast >= LEGIBLE, "{text:?} on {back:?}: {contrast:.2}");
            }
        }
        for style in [theme.cursor, theme.match_, theme.overlay, theme.title_bar, theme.muted_heat]
        {
            let contrast = rgb(style.fg).contrast(rgb(style.bg));
            assert!(contrast >= LEGIBLE, "{style:?}: {contrast:.2}");
        }
    }
}

#[test]
fn lightness_is_monotone_on_each_arm() {
    for theme in colourful_themes() {
        let [both, rising] = ramps(&theme)
            .map(|ramp| ramp.iter().map(|style| rgb(style.bg).lab()[0]).collect::<Vec<_>>());
        let (below, above) = (&both[..=STEPS / 2], &both[STEPS / 2..]);
        match theme.shade() {
            Shade::Dark => assert!(below.is_sorted_by(|a, b| a >= b) && above.is_sorted()),
            Shade::Light => assert!(below.is_sorted() && above.is_sorted_by(|a, b| a >= b)),
        }
        assert!(rising.is_sorted());
    }
    for eye in &EYES {
        for shade in SHADES {
            let mut arms = diverging(shade).map(|colour| seen(colour, eye)[0]).to_vec();
            if shade == Shade::Light {
                arms.iter_mut().for_each(|lightness| *lightness = -*lightness);
            }
            let (below, above) = (&arms[..=STEPS / 2], &arms[STEPS / 2..]);
            assert!(below.is_sorted_by(|a, b| a > b) && above.is_sorted_by(|a, b| a < b));
        }
        assert!(sequential().map(|colour| seen(colour, eye)[0]).is_sorted());
    }
}

#[test]
fn steps_differ_for_every_kind_of_vision() {
    for eye in &EYES {
        for ramp in [diverging(Shade::Dark), diverging(Shade::Light), sequential()] {
            let labs = ramp.map(|colour| seen(colour, eye));
            let ends = distance(labs[0], labs[STEPS - 1]);
            assert!(ends > 0.2, "the ends are {ends:.3} apart");
            for (step, pair) in labs.windows(6).enumerate() {
                let apart = distance(pair[0], pair[5]);
                assert!(apart > 0.05, "steps {step} and {} are {apart:.3} apart", step + 5);
            }
        }
        // Numbers equally far from chance on either side differ, too.
        for theme in colourful_themes() {
            for t in signed().filter(|t| *t >= 0.3) {
                let [below, above] = [-t, t].map(|t| seen(rgb(theme.diverging(t).bg), eye));
                let apart = distance(below, above);
                assert!(apart > 0.06, "{:?} {t}: {apart:.3}", theme.depth());
            }
        }
    }
}

#[test]
fn success_and_failure_differ_for_every_kind_of_vision() {
    for theme in colourful_themes() {
        for eye in &EYES {
            let [good, bad, unknown] =
                [theme.good, theme.bad, theme.unknown].map(|style| seen(rgb(style.fg), eye));
            for (one, other) in [(good, bad), (good, unknown), (bad, unknown)] {
                let apart = distance(one, other);
                assert!(apart > 0.05, "{:?} {:?}: {apart:.3}", theme.shade(), theme.depth());
            }
            let [low, high] = [0.0, 1.0].map(|t| seen(rgb(theme.confidence(t).fg), eye));
            assert!(distance(low, high) > 0.1);
        }
    }
}

#[test]
fn the_cursor_differs_from_every_ramp() {
    for theme in colourful_themes() {
        for eye in &EYES {
            let cursor = seen(rgb(theme.cursor.bg), eye);
            for style in ramps(&theme).iter().flatten() {
                let apart = distance(cursor, seen(rgb(style.bg), eye));
                assert!(apart > 0.12, "{style:?}: {apart:.3}");
            }
        }
    }
}

/// Three common palettes of the 16 named colours.
fn palettes() -> [[u32; 16]; 3] {
    let xterm = std::array::from_fn(|index| {
        let Rgb(red, green, blue) = xterm::rgb(index as u8);
        u32::from_be_bytes([0, red, green, blue])
    });
    let tango = [
        0x00_00_00, 0xcc_00_00, 0x4e_9a_06, 0xc4_a0_00, 0x34_65_a4, 0x75_50_7b, 0x06_98_9a,
        0xd3_d7_cf, 0x55_57_53, 0xef_29_29, 0x8a_e2_34, 0xfc_e9_4f, 0x72_9f_cf, 0xad_7f_a8,
        0x34_e2_e2, 0xee_ee_ec,
    ];
    let vga = [
        0x00_00_00, 0xaa_00_00, 0x00_aa_00, 0xaa_55_00, 0x00_00_aa, 0xaa_00_aa, 0x00_aa_aa,
        0xaa_aa_aa, 0x55_55_55, 0xff_55_55, 0x55_ff_55, 0xff_ff_55, 0x55_55_ff, 0xff_55_ff,
        0x55_ff_ff, 0xff_ff_ff,
    ];
    [xterm, tango, vga]
}

#[test]
fn sixteen_colours_are_legible_in_common_palettes() {
    let index = |colour| {
        [
            Color::Black,
            Color::Red,
            Color::Green,
            Color::Yellow,
            Color::Blue,
            Color::Magenta,
            Color::Cyan,
            Color::Gray,
            Color::DarkGray,
            Color::LightRed,
            Color::LightGreen,
            Color::LightYellow,
            Color::LightBlue,
            Color::LightMagenta,
            Color::LightCyan,
            Color::White,
        ]
        .iter()
        .position(|named| *named == colour)
        .unwrap()
    };
    for shade in SHADES {
        let theme = Theme::new(shade, Depth::Ansi16);
        let (text, back) = match shade {
            Shade::Dark => (Color::White, Color::Black),
            Shade::Light => (Color::Black, Color::White),
        };
        let mut styles = ramps(&theme).concat();
        styles.extend(signed().map(|t| theme.confidence(f64::midpoint(t, 1.0))));
        styles.extend([theme.good, theme.bad, theme.warn, theme.error, theme.accent]);
        styles.extend([theme.cursor, theme.match_, theme.user, theme.tool, theme.agent]);
        for palette in palettes() {
            let rgb = |colour| Rgb::hex(palette[index(colour)]);
            for style in &styles {
                let (text, back) = (rgb(style.fg.unwrap_or(text)), rgb(style.bg.unwrap_or(back)));
                let contrast = text.contrast(back);
                assert!(contrast >= 3.0, "{style:?} in {shade:?}: {contrast:.2}");
            }
        }
    }
}

#[test]
fn the_plain_theme_has_no_colour() {
    let theme = Theme::plain();
    assert_eq!(theme, Theme::new(Shade::Dark, Depth::None));
    let shown = format!("{theme:?}");
    assert!(!shown.contains("fg:") && !shown.contains("bg:") && !shown.contains("Rgb"), "{shown}");
    assert_ne!(theme.good, theme.bad);
    assert_ne!(theme.cursor, theme.text);
    assert_ne!(theme.selected_row, theme.text);
    assert_ne!(theme.diverging(-1.0), theme.diverging(1.0));
    let glyphs: String =
        [-1.0, -0.4, 0.0, 0.4, 1.0].map(|t| theme.signed_glyph(t)).iter().collect();
    assert_eq!(glyphs, "▼▽·△▲");
}

#[test]
fn numbers_out_of_range_are_clamped_and_nan_is_dim() {
    for theme in colourful_themes() {
        assert_eq!(theme.diverging(9.0), theme.diverging(1.0));
        assert_eq!(theme.diverging(f64::NEG_INFINITY), theme.diverging(-1.0));
        for style in [theme.diverging(f64::NAN), theme.sequential(f64::NAN)] {
            assert_eq!(style, theme.dim);
        }
        assert_eq!(theme.confidence(f64::NAN), theme.dim);
        assert_eq!(rgb(Theme::new(Shade::Dark, Depth::True).diverging(0.0).bg), Rgb(38, 40, 43));
        let ramp: String = (0..=8).map(|eighth| theme.glyph(f64::from(eighth) / 8.0)).collect();
        assert_eq!(ramp, "▁▂▃▄▅▆▇██");
        assert_eq!((theme.glyph(f64::NAN), theme.signed_glyph(f64::NAN)), (' ', ' '));
    }
}
