//! The style and the script of a page, and the policy that lets a browser run nothing else.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::digest::{SHA256, digest};

use crate::colour::{Rgb, STEPS, Shade, diverging, sequential};
use crate::report::show::TOKEN_STEPS;

/// The script of a page.
pub(super) const SCRIPT: &str = include_str!("../../../templates/page/page.js");

/// What does not depend on colours of numbers.
const BASE: &str = include_str!("../../../templates/page/page.css");

/// The style sheet with the colours of numbers, light and dark.
pub(super) fn style() -> String {
    let mut style = BASE.to_owned();
    colours(&mut style, Shade::Light);
    style.push_str("@media (prefers-color-scheme: dark) {\n");
    colours(&mut style, Shade::Dark);
    style.push_str("}\n");
    style
}

/// Rules of the steps of numbers better and worse than chance (`d`), of other numbers (`s`) and of
/// tokens (`t`).
fn colours(style: &mut String, shade: Shade) {
    let diverging = diverging(shade);
    let mut rule = |name: char, step: usize, colour: Rgb| {
        let (ground, text) = (colour.css(), colour.text().css());
        let _ = writeln!(style, ".{name}{step}{{background:{ground};color:{text}}}");
    };
    (0..STEPS).for_each(|step| rule('d', step, diverging[step]));
    (0..STEPS).for_each(|step| rule('s', step, sequential()[step]));
    // Doubt is as chance and worse: the lower half of the ramp.
    let middle = (STEPS - 1) / 2;
    (0..TOKEN_STEPS).for_each(|step| rule('t', step, diverging[step * (middle - 1) / TOKEN_STEPS]));
}

/// The Content-Security-Policy: this style and this script, and nothing from anywhere.
pub(super) fn policy(style: &str) -> String {
    let hash = |text: &str| BASE64_STANDARD.encode(digest(&SHA256, text.as_bytes()));
    let (script, style) = (hash(SCRIPT), hash(style));
    format!(
        "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data:; \
         base-uri 'none'; form-action 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_openssl_writes_them() {
        // printf 'abc' | openssl dgst -sha256 -binary | base64
        let expected = "style-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='";
        assert!(policy("abc").contains(expected), "{}", policy("abc"));
    }

    #[test]
    fn neither_style_nor_script_ends_its_element() {
        assert!(!style().contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}
