//! Colours of themes and figures: a perceptually uniform space, contrast, and ramps for numbers with
//! visually equal steps, also for people with red-green blindness.

/// The background that colours are made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shade {
    /// Light text on a dark background.
    #[default]
    Dark,
    /// Dark text on a light background.
    Light,
}

/// An sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// An `OKLab` colour: lightness, green to red, blue to yellow.
pub type Lab = [f64; 3];

impl Rgb {
    /// The colour of a hexadecimal number such as `0x26_28_2b`.
    pub const fn hex(value: u32) -> Self {
        Self((value >> 16) as u8, (value >> 8) as u8, value as u8)
    }

    /// The linear intensity of each channel, 0 to 1.
    pub fn linear(self) -> [f64; 3] {
        [self.0, self.1, self.2].map(|channel| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// The nearest colour to linear intensities.
    pub fn from_linear(linear: [f64; 3]) -> Self {
        let [red, green, blue] = linear.map(|channel| {
            let share = if channel <= 0.003_130_8 {
                channel * 12.92
            } else {
                channel.powf(1.0 / 2.4) * 1.055 - 0.055
            };
            (share.clamp(0.0, 1.0) * 255.0).round() as u8
        });
        Self(red, green, blue)
    }

    /// The colour in `OKLab` (Ottosson 2020, "A perceptual color space for image processing").
    pub fn lab(self) -> Lab {
        let cones = times(
            &[
                [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
                [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
                [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
            ],
            self.linear(),
        );
        times(
            &[
                [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
                [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
                [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
            ],
            cones.map(f64::cbrt),
        )
    }

    /// The nearest colour to one in `OKLab`.
    pub fn from_lab(lab: Lab) -> Self {
        let cones = times(
            &[
                [1.0, 0.396_337_777_4, 0.215_803_757_3],
                [1.0, -0.105_561_345_8, -0.063_854_172_8],
                [1.0, -0.089_484_177_5, -1.291_485_548_0],
            ],
            lab,
        );
        Self::from_linear(times(
            &[
                [4.076_741_662_1, -3.307_711_591_3, 0.230_969_929_2],
                [-1.268_438_004_6, 2.609_757_401_1, -0.341_319_396_5],
                [-0.004_196_086_3, -0.703_418_614_7, 1.707_614_701_0],
            ],
            cones.map(|root| root.powi(3)),
        ))
    }

    /// The contrast ratio of two colours, 1 to 21 (WCAG 2.2).
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Black or white, whichever has more contrast on this background; one of them always has 4.5.
    #[must_use]
    pub fn text(self) -> Self {
        let (black, white) = (Self::hex(0), Self::hex(0xff_ff_ff));
        if self.contrast(black) > self.contrast(white) { black } else { white }
    }

    fn luminance(self) -> f64 {
        let [red, green, blue] = self.linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The colour as style sheets and SVG write it.
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Mixes in a share of another colour, in sRGB.
    #[must_use]
    pub fn towards(self, other: Self, share: f64) -> Self {
        let mix = |from: u8, to: u8| {
            (f64::from(from) + (f64::from(to) - f64::from(from)) * share).round() as u8
        };
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// Steps of a ramp; odd, so that a diverging ramp has a middle.
pub const STEPS: usize = 33;

/// The middle of a diverging ramp, close to the background of most terminals of the shade; text is
/// checked for contrast with it.
pub const fn neutral(shade: Shade) -> Rgb {
    match shade {
        Shade::Dark => Rgb::hex(0x26_28_2b),
        Shade::Light => Rgb::hex(0xf2_f0_eb),
    }
}

/// Brown and orange for worse, blue for better, which colour-blind people can tell apart.
pub fn diverging(shade: Shade) -> [Rgb; STEPS] {
    let [worst, worse, better, best] = match shade {
        Shade::Dark => [0xf5_a5_40, 0x96_58_14, 0x1f_62_a6, 0x6c_b4_fb],
        Shade::Light => [0x9a_44_00, 0xeb_a0_50, 0x76_ae_ea, 0x0f_4f_9e],
    }
    .map(Rgb::hex);
    ramp(&[worst, worse, neutral(shade), better, best])
}

/// From dark blue over grey to yellow, with evenly rising lightness.
pub fn sequential() -> [Rgb; STEPS] {
    ramp(&[0x10_2a_5c, 0x45_4f_73, 0x7f_7b_74, 0xb8_a5_5e, 0xf0_d0_48].map(Rgb::hex))
}

/// For text: from orange for low over grey to blue for high.
pub fn confidence(shade: Shade) -> [Rgb; STEPS] {
    ramp(
        &match shade {
            Shade::Dark => [0xff_b2_4d, 0xd9_ab_7c, 0xb4_b8_be, 0x8f_b3_d9, 0x6f_aa_e6],
            Shade::Light => [0x9a_42_00, 0x82_50_2a, 0x5c_60_66, 0x3d_60_85, 0x1b_5a_9b],
        }
        .map(Rgb::hex),
    )
}

/// Interpolates between the stops in equal steps.
fn ramp(stops: &[Rgb; 5]) -> [Rgb; STEPS] {
    let labs = stops.map(Rgb::lab);
    let legs = labs.len() - 1;
    std::array::from_fn(|step| {
        let position = (step * legs) as f64 / (STEPS - 1) as f64;
        let leg = (position as usize).min(legs - 1);
        let share = position - leg as f64;
        Rgb::from_lab(std::array::from_fn(|part| {
            labs[leg][part] + (labs[leg + 1][part] - labs[leg][part]) * share
        }))
    })
}

/// The perceived distance of two colours.
pub fn distance(one: Lab, other: Lab) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other).powi(2)).sum::<f64>().sqrt()
}

/// A matrix times a vector.
pub fn times(matrix: &[[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(factor, value)| factor * value).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oklab_matches_published_values_and_inverts() {
        let white = Rgb(255, 255, 255).lab();
        assert!(distance(white, [1.0, 0.0, 0.0]) < 1e-4, "{white:?}");
        // Ottosson's value for sRGB red.
        let red = Rgb(255, 0, 0).lab();
        assert!(distance(red, [0.627_955, 0.224_863, 0.125_846]) < 1e-4, "{red:?}");
        for colour in [Rgb(0, 0, 0), Rgb(1, 2, 3), Rgb(38, 40, 43), Rgb(240, 162, 79)] {
            assert_eq!(Rgb::from_lab(colour.lab()), colour);
        }
    }

    #[test]
    fn contrast_follows_wcag() {
        let white = Rgb::hex(0xff_ff_ff);
        assert!((white.contrast(Rgb(0, 0, 0)) - 21.0).abs() < 1e-9);
        assert!((Rgb::hex(0x77_77_77).contrast(white) - 4.48).abs() < 0.01);
    }
}
