//! Draws lines and blocks as shapes that join those of adjacent cells.

use std::fmt::Write as _;

use super::{CELL, pixels, rect};
use crate::ui::theme::Rgb;

/// The middle of a cell.
const CENTRE: (u32, u32) = (CELL.0 / 2, CELL.1 / 2);

/// The weights of the lines from the middle of a cell to the left, right, top and bottom; 2 is heavy.
fn arms(c: char) -> Option<[u32; 4]> {
    Some(match c {
        '─' => [1, 1, 0, 0],
        '━' => [2, 2, 0, 0],
        '╸' => [2, 0, 0, 0],
        '╺' => [0, 2, 0, 0],
        '│' => [0, 0, 1, 1],
        '┃' => [0, 0, 2, 2],
        '┌' | '╭' => [0, 1, 0, 1],
        '┐' | '╮' => [1, 0, 0, 1],
        '└' | '╰' => [0, 1, 1, 0],
        '┘' | '╯' => [1, 0, 1, 0],
        '├' => [0, 1, 1, 1],
        '┤' => [1, 0, 1, 1],
        '┬' => [1, 1, 0, 1],
        '┴' => [1, 1, 1, 0],
        '┼' => [1, 1, 1, 1],
        _ => return None,
    })
}

/// The part of a cell that a block fills, in eighths: left, top, right, bottom.
fn block(c: char) -> Option<[u32; 4]> {
    let code = c as u32;
    Some(match c {
        '▀' => [0, 0, 8, 4],
        '▁'..='█' => [0, 8 - (code - 0x2580), 8, 8],
        '▉'..='▏' => [0, 0, 0x2590 - code, 8],
        '▐' => [4, 0, 8, 8],
        _ => return None,
    })
}

pub(super) fn is_drawn(c: char) -> bool {
    arms(c).is_some() || block(c).is_some()
}

/// Draws symbols from their top left corner on. Equal symbols that span their cells become one shape.
pub(super) fn draw(svg: &mut String, text: &str, (mut x, y): (u32, u32), fill: Rgb) {
    let symbols: Vec<char> = text.chars().collect();
    let spans = |c| match arms(c) {
        Some(arms) => matches!(arms, [1, 1, 0, 0] | [2, 2, 0, 0]),
        None => block(c).is_some_and(|block| block[0] == 0 && block[2] == 8),
    };
    for same in symbols.chunk_by(|one, next| one == next && spans(*one)) {
        let width = same.len() as u32 * CELL.0;
        if let Some([left, top, right, bottom]) = block(same[0]) {
            let (from, to) = (CELL.1 * top / 8, CELL.1 * bottom / 8);
            let at = (x + CELL.0 * left / 8, y + from);
            rect(svg, at, (width * (right - left) / 8, to - from), fill);
        } else if matches!(same[0], '╭' | '╮' | '╰' | '╯') {
            corner(svg, same[0], (x, y), fill);
        } else if let Some(arms) = arms(same[0]) {
            lines(svg, arms, (x, y), width, fill);
        }
        x += width;
    }
}

fn lines(svg: &mut String, arms: [u32; 4], (x, y): (u32, u32), width: u32, fill: Rgb) {
    let [left, right, top, bottom] = arms;
    // Half the thickness, so that lines that end in the middle cover the corner where they meet.
    let across = 5 * left.max(right);
    let down = 5 * top.max(bottom);
    if across > 0 {
        let from = if left > 0 { 0 } else { CENTRE.0 - down };
        let to = if right > 0 { width } else { CENTRE.0 + down };
        rect(svg, (x + from, y + CENTRE.1 - across), (to - from, 2 * across), fill);
    }
    if down > 0 {
        let from = if top > 0 { 0 } else { CENTRE.1 - across };
        let to = if bottom > 0 { CELL.1 } else { CENTRE.1 + across };
        rect(svg, (x + CENTRE.0 - down, y + from), (2 * down, to - from), fill);
    }
}

/// Draws a round corner.
fn corner(svg: &mut String, c: char, (x, y): (u32, u32), stroke: Rgb) {
    let side = if matches!(c, '╭' | '╰') { x + CELL.0 } else { x };
    let end = if matches!(c, '╭' | '╮') { y + CELL.1 } else { y };
    // Where the straight line becomes a curve.
    let start = if end == y { y + CENTRE.1 - CENTRE.0 } else { y + CENTRE.1 + CENTRE.0 };
    let (middle, height) = (pixels(x + CENTRE.0), pixels(y + CENTRE.1));
    let _ = writeln!(
        svg,
        r#"<path d="M{middle} {}V{}Q{middle} {height} {} {height}" fill="none" stroke="{}"/>"#,
        pixels(end),
        pixels(start),
        pixels(side),
        stroke.css(),
    );
}
