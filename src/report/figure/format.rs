//! The formats in which a figure is written.

use std::path::Path;

/// A format of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureFormat {
    /// Vector graphics for pages.
    Svg,
    /// Pixels, 300 to the inch.
    Png,
    /// Vector graphics for papers.
    Pdf,
}

/// Why a figure cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FigureFormatError {
    /// The name of the file has another ending.
    #[error("name a file that ends in .svg, .png or .pdf")]
    Ending,
    /// The program was built without the format.
    #[error(
        "this qualm was built without .{0}; write an .svg, or install a released qualm or one built with \
         --features figures"
    )]
    NotBuilt(&'static str),
    /// The embedded font has no picture of some letters.
    #[error(
        "the embedded font lacks the letters {0}; write an .svg, which takes those of the reader's fonts"
    )]
    Letters(String),
    /// There would be very many pixels.
    #[error(
        "the picture would have {0} million pixels; write an .svg or .pdf, or choose fewer cells"
    )]
    TooLarge(u64),
    /// The font or the compression failed.
    #[error("the figure cannot be encoded ({0}); write an .svg")]
    Encoding(String),
}

impl FigureFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Svg, Self::Png, Self::Pdf];

    /// The ending of its files.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Pdf => "pdf",
        }
    }

    /// Whether the program was built with it.
    pub fn is_built(self) -> bool {
        self == Self::Svg || cfg!(feature = "figures")
    }

    /// The format of a file, by the ending of its name.
    pub fn of_path(path: &Path) -> Result<Self, FigureFormatError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let known = Self::ALL.into_iter().find(|format| format.ending() == ending);
        let format = known.ok_or(FigureFormatError::Ending)?;
        if format.is_built() {
            Ok(format)
        } else {
            Err(FigureFormatError::NotBuilt(format.ending()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_known_by_the_ending_and_refused_where_it_is_not_built() {
        let of = |name: &str| FigureFormat::of_path(Path::new(name));
        assert_eq!(of("a.svg"), Ok(FigureFormat::Svg));
        for name in ["a", "svg", "a.jpg", "a.svg.gz"] {
            assert_eq!(of(name), Err(FigureFormatError::Ending), "{name}");
        }
        for format in [FigureFormat::Png, FigureFormat::Pdf] {
            let found = of(&format!("a.{}", format.ending()));
            if cfg!(feature = "figures") {
                assert_eq!(found, Ok(format));
            } else {
                assert_eq!(found, Err(FigureFormatError::NotBuilt(format.ending())));
            }
        }
    }
}
