//! The 256 colours of xterm.

use std::sync::LazyLock;

use crate::colour::{Lab, Rgb, distance};

/// The levels of a channel in the colour cube.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The first colour of the cube; the user's palette sets those before it.
const CUBE: u8 = 16;

/// The first grey.
const GREYS: u8 = 232;

/// The colour of an index; for the first 16, which vary by terminal, xterm's default.
pub fn rgb(index: u8) -> Rgb {
    const NAMED: [u32; 16] = [
        0x00_00_00, 0xcd_00_00, 0x00_cd_00, 0xcd_cd_00, 0x00_00_ee, 0xcd_00_cd, 0x00_cd_cd,
        0xe5_e5_e5, 0x7f_7f_7f, 0xff_00_00, 0x00_ff_00, 0xff_ff_00, 0x5c_5c_ff, 0xff_00_ff,
        0x00_ff_ff, 0xff_ff_ff,
    ];
    match index {
        0..CUBE => Rgb::hex(NAMED[usize::from(index)]),
        CUBE..GREYS => {
            let offset = usize::from(index - CUBE);
            Rgb(LEVELS[offset / 36], LEVELS[offset / 6 % 6], LEVELS[offset % 6])
        }
        GREYS.. => {
            let level = 8 + 10 * (index - GREYS);
            Rgb(level, level, level)
        }
    }
}

/// The index of the most similar colour, never one of the first 16.
pub fn nearest(colour: Rgb) -> u8 {
    static PALETTE: LazyLock<Vec<(u8, Lab)>> =
        LazyLock::new(|| (CUBE..=u8::MAX).map(|index| (index, rgb(index).lab())).collect());
    let target = colour.lab();
    PALETTE
        .iter()
        .min_by(|one, other| distance(one.1, target).total_cmp(&distance(other.1, target)))
        .map_or(CUBE, |(index, _)| *index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn palette_matches_xterm() {
        assert_eq!(rgb(16), Rgb(0, 0, 0));
        assert_eq!(rgb(33), Rgb(0, 135, 255));
        assert_eq!(rgb(208), Rgb(255, 135, 0));
        assert_eq!(rgb(231), Rgb(255, 255, 255));
        assert_eq!(rgb(232), Rgb(8, 8, 8));
        assert_eq!(rgb(255), Rgb(238, 238, 238));
    }

    #[test]
    fn every_palette_colour_is_nearest_to_itself() {
        for index in CUBE..=u8::MAX {
            assert_eq!(rgb(nearest(rgb(index))), rgb(index));
        }
        assert_eq!(nearest(Rgb(38, 40, 43)), 235);
    }
}
